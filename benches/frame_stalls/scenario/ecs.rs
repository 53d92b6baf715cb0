//! A frame of an entity component system: entities are inserted, all are updated, those that have a component
//! move by it, and those whose life has run out are removed. On average as many are removed as inserted.

use std::hint::black_box;
use std::ops::Range;
use std::slice;
use std::time::{Duration, Instant};

use bench_common::spread::nanoseconds;
use serde::{Deserialize, Serialize};

use super::handling::Handling;
use super::play::{Game, longest, play};
use super::script::Script;
use crate::child::{Job, Outcome, Pass};
use crate::entity::{Entity, Velocity};

/// What the loop needs of a map with a column. The loop is compiled once for each implementation.
pub(crate) trait World {
    fn insert(&mut self, entity: Entity, velocity: Velocity);

    /// Visits all entities.
    fn update(&mut self, each: impl Fn(&mut Entity));

    /// Visits all entities that have a velocity.
    fn join(&mut self, each: impl Fn(&mut Entity, &Velocity));

    /// Removes all other entities. Their velocities may stay until others take their slots.
    fn retain(&mut self, keep: impl Fn(&Entity) -> bool);

    /// Returns [`entity::sum`](crate::entity::sum) over all live entities.
    fn sum(&self) -> u64;
}

/// The durations of a frame's steps.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[expect(clippy::struct_field_names, reason = "units are part of names")]
pub(crate) struct Steps {
    pub(crate) insert_ns: u64,
    pub(crate) iter_mut_ns: u64,
    pub(crate) join_ns: u64,
    pub(crate) retain_ns: u64,
}

/// Runs one job on a new map, once it holds its usual number of entities.
pub(crate) fn measure<W: World>(job: &Job, handling: Handling<W>) -> Outcome {
    let mut game = Ecs::new(&job.script, handling);
    let outcome = play(job, &mut game);
    assert_eq!(game.world.sum(), game.expected_sum(), "{} lost entities", job.container.name);
    let frames = job.script.frames as u64;
    let Steps { insert_ns, iter_mut_ns, join_ns, retain_ns } = game.steps;
    let mean = Steps {
        insert_ns: insert_ns / frames,
        iter_mut_ns: iter_mut_ns / frames,
        join_ns: join_ns / frames,
        retain_ns: retain_ns / frames,
    };
    Outcome { steps: (job.pass == Pass::Frames).then_some(mean), ..outcome }
}

struct Ecs<'a, W: World> {
    script: &'a Script,
    handling: Handling<W>,
    world: W,
    /// Indices of the entities that the frame inserts.
    indices: Range<u64>,
    /// Totals over all frames.
    steps: Steps,
    /// How often a thread that works ahead was late before the first frame.
    late_before: u64,
}

impl<'a, W: World> Ecs<'a, W> {
    /// Plays as many frames as the longest life has.
    fn new(script: &'a Script, handling: Handling<W>) -> Self {
        let world = handling.make(script.most());
        let steps = Steps::default();
        let mut game = Self { script, handling, world, indices: 0..0, steps, late_before: 0 };
        for _ in 0..script.longest_life {
            game.set_up();
            game.frame();
        }
        game.steps = steps;
        game.late_before = game.late().unwrap_or(0);
        game
    }

    /// Computes the checksum of the live entities, one by one.
    fn expected_sum(&self) -> u64 {
        let each = self.script.spawn_per_frame as u64;
        let last_frame = self.indices.start / each;
        let oldest = self.indices.end.saturating_sub(u64::from(self.script.longest_life) * each);
        let aged = (oldest..self.indices.end).filter_map(|index| {
            let (mut entity, velocity) = spawn(index, self.script.longest_life);
            for _ in index / each..=last_frame {
                entity.age();
                entity.move_by(&velocity);
            }
            entity.lives().then(|| entity.digest())
        });
        aged.fold(0, u64::wrapping_add)
    }

    /// Runs the steps that follow insertion.
    fn run_systems(&mut self, inserted: Instant) {
        update(&mut self.world);
        let updated = Instant::now();
        join(&mut self.world);
        let joined = Instant::now();
        retain(&mut self.world);
        self.steps.iter_mut_ns += nanoseconds(updated - inserted);
        self.steps.join_ns += nanoseconds(joined - updated);
        self.steps.retain_ns += nanoseconds(joined.elapsed());
    }
}

impl<W: World> Game for Ecs<'_, W> {
    fn set_up(&mut self) {
        self.indices = self.indices.end..self.indices.end + self.script.spawn_per_frame as u64;
    }

    fn prepare(&mut self) -> bool {
        self.handling.prepare(slice::from_mut(&mut self.world), 0)
    }

    fn frame(&mut self) {
        let start = Instant::now();
        insert(&mut self.world, black_box(self.indices.clone()), self.script.longest_life);
        let inserted = Instant::now();
        self.steps.insert_ns += nanoseconds(inserted - start);
        self.run_systems(inserted);
    }

    fn longest_push(&mut self) -> Duration {
        let life = self.script.longest_life;
        let longest = longest_push(&mut self.world, black_box(self.indices.clone()), life);
        self.run_systems(Instant::now());
        longest
    }

    fn late(&self) -> Option<u64> {
        let late = self.handling.late(slice::from_ref(&self.world))?;
        Some(late - self.late_before)
    }
}

/// Returns the entity with that number, and its velocity. Its life has at most as many frames as the longest,
/// each equally likely.
#[inline]
fn spawn(index: u64, longest_life: u16) -> (Entity, Velocity) {
    // Fibonacci hashing: the high bits of the product are as good as random.
    let mixed = index.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
    let life = (mixed * u64::from(longest_life)) >> 24;
    #[expect(clippy::cast_possible_truncation, reason = "less than a `u16`")]
    let life = 1 + life as u16;
    Entity::mortal(index, life)
}

// Never inlined, so that every map's loops are compiled in the same surroundings.

#[inline(never)]
fn insert<W: World>(world: &mut W, indices: Range<u64>, longest_life: u16) {
    for index in indices {
        let (entity, velocity) = spawn(index, longest_life);
        world.insert(entity, velocity);
    }
}

#[inline(never)]
fn longest_push<W: World>(world: &mut W, indices: Range<u64>, longest_life: u16) -> Duration {
    longest(indices, |index| {
        let (entity, velocity) = spawn(index, longest_life);
        world.insert(entity, velocity);
    })
}

#[inline(never)]
fn update<W: World>(world: &mut W) {
    world.update(Entity::age);
}

#[inline(never)]
fn join<W: World>(world: &mut W) {
    world.join(Entity::move_by);
}

#[inline(never)]
fn retain<W: World>(world: &mut W) {
    world.retain(Entity::lives);
}
