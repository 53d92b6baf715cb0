//! Some of many entities are removed in every frame, chosen at random, and more are spawned, so that the
//! population grows.

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

/// What the loop needs of a map. The loop is compiled once for each implementation.
pub(crate) trait ChurnMap {
    type Key: Copy;

    /// Returns a key that is never looked up.
    fn no_key() -> Self::Key;

    fn insert(&mut self, entity: Entity) -> Self::Key;

    /// Removes the entity with that key, and returns whether it existed.
    fn remove(&mut self, key: Self::Key) -> bool;

    /// Returns [`entity::sum`] over all live entities.
    fn sum(&self) -> u64;
}

/// Runs one job on a new map.
pub(crate) fn measure<K: ChurnMap>(job: &Job, handling: Handling<K>) -> Outcome {
    let mut game = Churn::new(&job.script, handling);
    let outcome = play(job, &mut game);
    game.settle();
    let expected = game.live.iter().map(|&(_, index)| entity::expected_sum(index..index + 1));
    let expected = expected.fold(0, u64::wrapping_add);
    assert_eq!(
        game.live.len(),
        job.script.most(),
        "{} removed other entities than it should",
        job.container.name
    );
    assert_eq!(game.map.sum(), expected, "{} lost or changed entities", job.container.name);
    outcome
}

struct Churn<'a, K: ChurnMap> {
    script: &'a Script,
    handling: Handling<K>,
    map: K,
    /// Keys of the live entities, and their indices.
    live: Vec<(K::Key, u64)>,
    /// Keys of the entities that the frame removes.
    victims: Vec<K::Key>,
    /// Indices of the entities that the frame spawns.
    indices: Range<u64>,
    born: Vec<K::Key>,
    /// The sequence is equal for all maps.
    random: Random,
}

impl<'a, K: ChurnMap> Churn<'a, K> {
    /// Creates the entities that exist before the first frame.
    fn new(script: &'a Script, handling: Handling<K>) -> Self {
        let (start, each) = (script.entities_at_start, script.spawn_per_frame);
        let mut game = Self {
            script,
            map: handling.make(script.most()),
            handling,
            live: resident(script.most() + each, (K::no_key(), 1)),
            victims: resident(script.remove_per_frame, K::no_key()),
            indices: 0..start as u64,
            born: resident(start.max(each), K::no_key()),
            random: Random::new(1),
        };
        spawn(&mut game.map, &mut game.born, game.indices.clone());
        game
    }

    /// Adds the entities that the last frame spawned to the live ones.
    fn settle(&mut self) {
        self.live.extend(self.born.drain(..).zip(self.indices.clone()));
    }
}

impl<K: ChurnMap> Game for Churn<'_, K> {
    fn set_up(&mut self) {
        self.settle();
        self.indices = self.indices.end..self.indices.end + self.script.spawn_per_frame as u64;
        self.victims.clear();
        for _ in 0..self.script.remove_per_frame {
            let place = self.random.below(self.live.len());
            let (key, _) = self.live.swap_remove(place);
            self.victims.push(key);
        }
    }

    fn prepare(&mut self) -> bool {
        let growth = self.script.spawn_per_frame - self.script.remove_per_frame;
        self.handling.prepare(slice::from_mut(&mut self.map), growth)
    }

    fn frame(&mut self) {
        let removed = remove(&mut self.map, black_box(&self.victims));
        spawn(&mut self.map, &mut self.born, black_box(self.indices.clone()));
        assert_eq!(removed, self.victims.len(), "entities were lost");
    }

    fn longest_push(&mut self) -> Duration {
        remove(&mut self.map, &self.victims);
        longest_push(&mut self.map, &mut self.born, black_box(self.indices.clone()))
    }

    fn late(&self) -> Option<u64> {
        self.handling.late(slice::from_ref(&self.map))
    }
}

/// Never inlined, so that every map's loop is compiled in the same surroundings.
#[inline(never)]
fn remove<K: ChurnMap>(map: &mut K, victims: &[K::Key]) -> usize {
    victims.iter().map(|&key| usize::from(map.remove(key))).sum()
}

#[inline(never)]
fn spawn<K: ChurnMap>(map: &mut K, born: &mut Vec<K::Key>, indices: Range<u64>) {
    for index in indices {
        born.push(map.insert(Entity::spawn(index)));
    }
}

#[inline(never)]
fn longest_push<K: ChurnMap>(map: &mut K, born: &mut Vec<K::Key>, indices: Range<u64>) -> Duration {
    longest(indices, |index| born.push(map.insert(Entity::spawn(index))))
}
