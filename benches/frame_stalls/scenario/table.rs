//! Rows are inserted and looked up by key, and none is removed.

use std::hint::black_box;
use std::ops::Range;
use std::slice;
use std::time::Duration;

use bench_common::memory::resident;
use bench_common::random::Random;

use super::handling::Handling;
use super::play::{Game, longest, play};
use super::script::Script;
use crate::child::{Job, Outcome};
use crate::entity::{self, Entity};

/// What the loop needs of a table. The loop is compiled once for each implementation.
pub(crate) trait Finder {
    /// Inserts a row whose key no other row has.
    fn insert(&mut self, row: Entity);

    /// Returns the row with that [key](Entity::key).
    fn find(&self, key: u64) -> Option<&Entity>;

    /// Returns [`entity::sum`] over all rows.
    fn sum(&self) -> u64;
}

/// Runs one job on a new table.
pub(crate) fn measure<F: Finder>(job: &Job, handling: Handling<F>) -> Outcome {
    let mut game = Growth::new(&job.script, handling);
    let outcome = play(job, &mut game);
    assert_eq!(game.found, game.expected, "{} found other rows than it should", job.container.name);
    let expected = entity::expected_sum_of_rows(0..game.indices.end);
    assert_eq!(game.table.sum(), expected, "{} lost or changed rows", job.container.name);
    outcome
}

struct Growth<'a, F> {
    script: &'a Script,
    handling: Handling<F>,
    table: F,
    /// Indices of the rows that the frame inserts.
    indices: Range<u64>,
    /// Keys of the rows that the frame looks up.
    keys: Vec<u64>,
    random: Random,
    /// The checksum of the rows that were found, and the expected one.
    found: u64,
    expected: u64,
}

impl<'a, F: Finder> Growth<'a, F> {
    fn new(script: &'a Script, handling: Handling<F>) -> Self {
        Self {
            script,
            table: handling.make(script.most()),
            handling,
            indices: 0..0,
            keys: resident(script.spawn_per_frame, 1),
            random: Random::new(1),
            found: 0,
            expected: 0,
        }
    }

    fn look_up(&mut self) {
        let found = look_up(&self.table, black_box(&self.keys));
        self.found = self.found.wrapping_add(found);
    }
}

impl<F: Finder> Game for Growth<'_, F> {
    fn set_up(&mut self) {
        self.indices = self.indices.end..self.indices.end + self.script.spawn_per_frame as u64;
        let count = usize::try_from(self.indices.end).expect("row counts fit into a usize");
        self.keys.clear();
        for _ in 0..self.script.spawn_per_frame {
            let index = self.random.below(count) as u64;
            self.keys.push(entity::key_of(index));
            self.expected = self.expected.wrapping_add(Entity::row(index).digest());
        }
    }

    fn prepare(&mut self) -> bool {
        self.handling.prepare(slice::from_mut(&mut self.table), self.script.spawn_per_frame)
    }

    fn frame(&mut self) {
        insert(&mut self.table, black_box(self.indices.clone()));
        self.look_up();
    }

    fn longest_push(&mut self) -> Duration {
        let longest = longest_push(&mut self.table, black_box(self.indices.clone()));
        self.look_up();
        longest
    }

    fn late(&self) -> Option<u64> {
        self.handling.late(slice::from_ref(&self.table))
    }
}

// Never inlined, so that every table's loops are compiled in the same surroundings.

#[inline(never)]
fn insert<F: Finder>(table: &mut F, indices: Range<u64>) {
    for index in indices {
        table.insert(Entity::row(index));
    }
}

#[inline(never)]
fn longest_push<F: Finder>(table: &mut F, indices: Range<u64>) -> Duration {
    longest(indices, |index| table.insert(Entity::row(index)))
}

/// Returns the checksum of the rows that were found.
#[inline(never)]
fn look_up<F: Finder>(table: &F, keys: &[u64]) -> u64 {
    entity::sum(keys.iter().filter_map(|&key| table.find(key)))
}
