//! The same number of entities is spawned in every frame, and none is removed.

use std::hint::black_box;
use std::ops::Range;
use std::time::{Duration, Instant};

use super::{Game, play};
use crate::child::{Job, Outcome};
use crate::entity::{self, Entity};

/// What the loop needs of a container. It is compiled once for each implementation.
pub(crate) trait Spawner {
    fn push(&mut self, entity: Entity);

    /// Called in the idle time before each frame, for containers that can prepare for it.
    fn prepare(&mut self, _upcoming: usize) {}

    /// [`entity::sum`] over everything pushed.
    fn sum(&self) -> u64;
}

/// Runs one job on one fresh container.
pub(crate) fn measure<S: Spawner>(job: &Job, container: S) -> Outcome {
    let mut game = Steady { container, spawn: job.spawn, indices: 0..0 };
    let outcome = play(job, &mut game);
    let expected = entity::expected_sum(0..job.total() as u64);
    assert_eq!(game.container.sum(), expected, "{} lost or changed entities", job.container);
    outcome
}

struct Steady<S> {
    container: S,
    /// Entities a frame.
    spawn: usize,
    /// Of the entities that the frame spawns.
    indices: Range<u64>,
}

impl<S: Spawner> Game for Steady<S> {
    fn set_up(&mut self) {
        self.indices = self.indices.end..self.indices.end + self.spawn as u64;
    }

    fn prepare(&mut self) {
        self.container.prepare(self.spawn);
    }

    fn frame(&mut self) {
        spawn(&mut self.container, black_box(self.indices.clone()));
    }

    fn worst_push(&mut self) -> Duration {
        worst_push(&mut self.container, black_box(self.indices.clone()))
    }
}

/// Never inlined, so that every container's loop is compiled in the same surroundings.
#[inline(never)]
fn spawn<S: Spawner>(container: &mut S, indices: Range<u64>) {
    for index in indices {
        container.push(Entity::spawn(index));
    }
}

#[inline(never)]
fn worst_push<S: Spawner>(container: &mut S, indices: Range<u64>) -> Duration {
    let mut worst = Duration::ZERO;
    let mut before = Instant::now();
    for index in indices {
        container.push(Entity::spawn(index));
        let after = Instant::now();
        worst = worst.max(after - before);
        before = after;
    }
    worst
}
