//! Some entities of many are removed in every frame, chosen at random, and some more are spawned,
//! so that the population grows.

use std::hint::black_box;
use std::ops::Range;
use std::time::{Duration, Instant};

use super::{Game, play, resident};
use crate::child::{Job, Outcome};
use crate::entity::{self, Entity};

/// What the loop needs of a map. It is compiled once for each implementation.
pub(crate) trait Keeper {
    type Key: Copy;

    /// A key that is never looked up.
    fn no_key() -> Self::Key;

    fn insert(&mut self, entity: Entity) -> Self::Key;

    /// Whether there was an entity of that key.
    fn remove(&mut self, key: Self::Key) -> bool;

    /// Called in the idle time before each frame, for maps that can prepare for having that many
    /// more entities.
    fn prepare(&mut self, _growth: usize) {}

    /// [`entity::sum`] over all that live.
    fn sum(&self) -> u64;
}

/// Runs one job on one fresh map.
pub(crate) fn measure<K: Keeper>(job: &Job, map: K) -> Outcome {
    let mut game = Churn::new(job, map);
    let outcome = play(job, &mut game);
    game.settle();
    let expected = game.live.iter().map(|&(_, index)| entity::expected_sum(index..index + 1));
    let expected = expected.fold(0, u64::wrapping_add);
    assert_eq!(game.live.len(), job.total(), "{} removed others than it was told", job.container);
    assert_eq!(game.map.sum(), expected, "{} lost or changed entities", job.container);
    outcome
}

struct Churn<K: Keeper> {
    map: K,
    /// Entities spawned and removed in a frame.
    spawn: usize,
    remove: usize,
    /// Keys of the entities that live, and their indices.
    live: Vec<(K::Key, u64)>,
    /// Of the entities that the frame removes.
    victims: Vec<K::Key>,
    /// Of the entities that it spawns.
    indices: Range<u64>,
    born: Vec<K::Key>,
    random: u64,
}

impl<K: Keeper> Churn<K> {
    /// With the entities that are there before the first frame.
    fn new(job: &Job, map: K) -> Self {
        let most = job.start.max(job.spawn);
        let mut game = Self {
            map,
            spawn: job.spawn,
            remove: job.remove,
            live: resident(job.total() + job.spawn, (K::no_key(), 1)),
            victims: resident(job.remove, K::no_key()),
            indices: 0..job.start as u64,
            born: resident(most, K::no_key()),
            random: 1,
        };
        spawn(&mut game.map, &mut game.born, game.indices.clone());
        game
    }

    /// Counts those that the last frame spawned among the living.
    fn settle(&mut self) {
        self.live.extend(self.born.drain(..).zip(self.indices.clone()));
    }

    /// A number below `bound`, the same sequence for every map.
    fn below(&mut self, bound: usize) -> usize {
        // Knuth's MMIX constants; the low bits would repeat soon.
        self.random = self
            .random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.random >> 33) % bound as u64).expect("is below a usize")
    }
}

impl<K: Keeper> Game for Churn<K> {
    fn set_up(&mut self) {
        self.settle();
        self.indices = self.indices.end..self.indices.end + self.spawn as u64;
        self.victims.clear();
        for _ in 0..self.remove.min(self.live.len()) {
            let place = self.below(self.live.len());
            let (key, _) = self.live.swap_remove(place);
            self.victims.push(key);
        }
    }

    fn prepare(&mut self) {
        self.map.prepare(self.spawn.saturating_sub(self.victims.len()));
    }

    fn frame(&mut self) {
        let removed = remove(&mut self.map, black_box(&self.victims));
        spawn(&mut self.map, &mut self.born, black_box(self.indices.clone()));
        assert_eq!(removed, self.victims.len(), "entities were lost");
    }

    fn worst_push(&mut self) -> Duration {
        remove(&mut self.map, &self.victims);
        worst_push(&mut self.map, &mut self.born, black_box(self.indices.clone()))
    }
}

/// Never inlined, so that every map's loop is compiled in the same surroundings.
#[inline(never)]
fn remove<K: Keeper>(map: &mut K, victims: &[K::Key]) -> usize {
    victims.iter().map(|&key| usize::from(map.remove(key))).sum()
}

#[inline(never)]
fn spawn<K: Keeper>(map: &mut K, born: &mut Vec<K::Key>, indices: Range<u64>) {
    for index in indices {
        born.push(map.insert(Entity::spawn(index)));
    }
}

#[inline(never)]
fn worst_push<K: Keeper>(map: &mut K, born: &mut Vec<K::Key>, indices: Range<u64>) -> Duration {
    let mut worst = Duration::ZERO;
    let mut before = Instant::now();
    for index in indices {
        born.push(map.insert(Entity::spawn(index)));
        let after = Instant::now();
        worst = worst.max(after - before);
        before = after;
    }
    worst
}
