//! Entities are spawned in arrays, and dropped all at once at the end of a level.

use std::hint::black_box;
use std::ops::Range;
use std::time::Duration;

use super::handling::Handling;
use super::neighbour::Neighbour;
use super::play::{Game, longest, play};
use super::script::Script;
use crate::child::{Job, Outcome};
use crate::entity::{self, Entity};

/// What the loop needs of an array. The loop is compiled once for each implementation.
pub(crate) trait Spawner {
    fn push(&mut self, entity: Entity);

    /// Returns [`entity::sum`] over all entities.
    fn sum(&self) -> u64;
}

/// The number of entities (a KiB) that an array gets before the next one's turn, if there are several.
const TURN: usize = 16;

/// Runs one job on new arrays.
pub(crate) fn measure<S: Spawner>(job: &Job, handling: Handling<S>) -> Outcome {
    let mut game = Spawning::new(&job.script, handling);
    let neighbour = job.script.neighbour.then(Neighbour::start);
    let outcome = play(job, &mut game);
    drop(neighbour);
    game.count();
    let expected = entity::expected_sum(0..game.indices.end);
    assert_eq!(game.sum, expected, "{} lost or changed entities", job.container.name);
    outcome
}

struct Spawning<'a, S> {
    script: &'a Script,
    handling: Handling<S>,
    arrays: Vec<S>,
    /// Those of the next level, if they are created before this one ends.
    next: Vec<S>,
    /// The number of entities that an array gets before the next one's turn.
    turn: usize,
    /// The number of the next frame; once that is set up, of the frame after it.
    frame: usize,
    level_ends: bool,
    /// Indices of the entities that the frame spawns.
    indices: Range<u64>,
    /// The checksum of the levels that have ended.
    sum: u64,
    /// Lateness of the arrays that have been dropped.
    late: u64,
}

impl<'a, S: Spawner> Spawning<'a, S> {
    fn new(script: &'a Script, handling: Handling<S>) -> Self {
        let most = script.most();
        Self {
            script,
            arrays: (0..script.containers).map(|_| handling.make(most)).collect(),
            next: Vec::with_capacity(script.containers),
            handling,
            // A single array needs no turns.
            turn: if script.containers == 1 { usize::MAX } else { TURN },
            frame: 0,
            level_ends: false,
            indices: 0..0,
            sum: 0,
            late: 0,
        }
    }

    /// Adds the contents of the arrays to the checksum.
    fn count(&mut self) {
        let sum = self.arrays.iter().map(S::sum);
        self.sum = sum.fold(self.sum, u64::wrapping_add);
    }

    /// Ends the level if it is time, and calls `fill` for each array's turn.
    fn each_turn(&mut self, mut fill: impl FnMut(&mut S, Range<u64>)) {
        if self.level_ends {
            self.handling.end_level(&mut self.arrays, &mut self.next, self.script.most());
        }
        let Range { mut start, end } = self.indices;
        while start < end {
            let rest = (end - start) / self.arrays.len() as u64;
            let turn = rest.min(self.turn as u64);
            for array in &mut self.arrays {
                fill(array, black_box(start..start + turn));
                start += turn;
            }
        }
    }
}

impl<S: Spawner> Game for Spawning<'_, S> {
    fn set_up(&mut self) {
        let all = self.script.share_of(self.frame) * self.arrays.len();
        self.indices = self.indices.end..self.indices.end + all as u64;
        self.level_ends = self.script.changes_level(self.frame);
        if self.level_ends {
            self.count();
            if self.handling.drops() {
                self.late = self.late().unwrap_or(0);
            }
        }
        self.frame += 1;
    }

    fn prepare(&mut self) -> bool {
        // The next frame is set up, so `self.frame` is the one after it.
        if self.handling.replaces() && self.script.changes_level(self.frame) {
            let most = self.script.most();
            self.next.extend(self.arrays.iter().map(|_| self.handling.make(most)));
        }
        self.handling.prepare(&mut self.arrays, self.script.largest_share())
    }

    fn frame(&mut self) {
        self.each_turn(spawn);
    }

    fn longest_push(&mut self) -> Duration {
        let mut worst = Duration::ZERO;
        self.each_turn(|array, indices| worst = worst.max(longest_push(array, indices)));
        worst
    }

    fn late(&self) -> Option<u64> {
        self.handling.late(&self.arrays).map(|late| self.late + late)
    }
}

/// Never inlined, so that every array's loop is compiled in the same surroundings.
#[inline(never)]
fn spawn<S: Spawner>(array: &mut S, indices: Range<u64>) {
    for index in indices {
        array.push(Entity::spawn(index));
    }
}

#[inline(never)]
fn longest_push<S: Spawner>(array: &mut S, indices: Range<u64>) -> Duration {
    longest(indices, |index| array.push(Entity::spawn(index)))
}
