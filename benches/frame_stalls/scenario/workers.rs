//! Threads append to one array, at a steady rate, and each frame reads the entities that are new since the last
//! one, and some older ones.

use std::hint::black_box;
use std::ops::Range;
use std::slice;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use bench_common::memory::resident;
use bench_common::random::Random;
use bench_common::spread::nanoseconds;
use bench_common::usage;

use super::handling::Handling;
use super::play::{Game, longest, play};
use super::script::Script;
use crate::child::{Job, Outcome, Pass};
use crate::entity::{self, Entity};

/// What the threads need of an array. Their loops are compiled once for each implementation.
pub(crate) trait Shared: Sync {
    fn push(&self, entity: Entity);

    /// Reads from an index up to the first entity that is not there yet, and those at `places` before it.
    fn read(&self, from: usize, places: &[usize]) -> Read;
}

/// The result of a read.
pub(crate) struct Read {
    /// The index where it ended.
    pub(crate) end: usize,
    /// [`entity::sum`] over the new entities.
    pub(crate) new: u64,
    /// [`entity::sum`] over the entities at the places.
    pub(crate) old: u64,
}

/// The number of turns in which a worker appends its share of a frame's entities, with pauses between, so that
/// some arrive while a frame reads, and some do not. A late worker catches up.
const TURNS: u32 = 8;

/// Runs one job on a new array.
pub(crate) fn measure<S: Shared>(job: &Job, handling: Handling<S>) -> Outcome {
    let script = &job.script;
    let array = handling.make(script.most());
    let longest_ns = AtomicU64::new(0);
    let mut game = Reading::new(script, &array, handling, &longest_ns);
    let (array, longest_ns) = (&array, &longest_ns);
    let (mut outcome, faults) = thread::scope(|threads| {
        let worker = |number| threads.spawn(move || work(job, number, array, longest_ns));
        let workers: Vec<_> = (0..script.workers).map(worker).collect();
        let outcome = play(job, &mut game);
        let faults = workers.into_iter().map(|worker| worker.join().expect("a worker panicked"));
        (outcome, faults.sum::<Option<u64>>())
    });
    outcome.page_faults = outcome.page_faults.zip(faults).map(|(frames, workers)| frames + workers);
    // Pushes after the last frame.
    outcome.worst_push_ns = outcome.worst_push_ns.max(longest_ns.load(Ordering::Relaxed));
    outcome.late = game.late();
    game.check(job.container.name);
    outcome
}

/// Appends a worker's share of all frames' entities, and returns its page faults.
fn work<S: Shared>(job: &Job, number: usize, array: &S, longest_ns: &AtomicU64) -> Option<u64> {
    let share = job.script.worker_share() as u64;
    let turns = job.script.frames as u64 * u64::from(TURNS);
    let first = share * number as u64;
    let faults_before = usage::page_faults();
    let begun = Instant::now();
    for turn in 0..turns {
        let due = begun + job.period() * u32::try_from(turn).expect("frames are few") / TURNS;
        // If that time has passed, does not sleep.
        thread::sleep(due.saturating_duration_since(Instant::now()));
        let indices = first + share * turn / turns..first + share * (turn + 1) / turns;
        match job.pass {
            Pass::Frames => append(array, black_box(indices)),
            Pass::Pushes => {
                let longest = longest_push(array, black_box(indices));
                // Relaxed suffices: the value guards no other memory.
                longest_ns.fetch_max(nanoseconds(longest), Ordering::Relaxed);
            }
        }
    }
    Some(usage::page_faults()? - faults_before?)
}

struct Reading<'a, S> {
    script: &'a Script,
    array: &'a S,
    handling: Handling<S>,
    /// The workers' longest push since the last frame.
    longest_ns: &'a AtomicU64,
    /// The number of entities that have been read.
    seen: usize,
    /// Its values when each frame's places were chosen.
    seen_before: Vec<usize>,
    /// The places that the frame reads.
    places: Vec<usize>,
    random: Random,
    /// The checksums of new entities, and of those at places.
    new: u64,
    old: u64,
}

/// Any seed will do.
const SEED: u64 = 1;

impl<'a, S: Shared> Reading<'a, S> {
    fn new(
        script: &'a Script,
        array: &'a S,
        handling: Handling<S>,
        longest_ns: &'a AtomicU64,
    ) -> Self {
        Self {
            script,
            array,
            handling,
            longest_ns,
            seen: 0,
            seen_before: resident(script.frames, 1),
            places: resident(script.looked_at_per_frame, 1),
            random: Random::new(SEED),
            new: 0,
            old: 0,
        }
    }

    fn look(&mut self) {
        let Read { end, new, old } = read(self.array, self.seen, black_box(&self.places));
        self.seen = end;
        self.new = self.new.wrapping_add(new);
        self.old = self.old.wrapping_add(old);
    }

    /// Checks that all entities exist, were read once, and did not change.
    fn check(mut self, container: &str) {
        let all = self.script.worker_share() * self.script.workers;
        let mut random = Random::new(SEED);
        let places = self.seen_before.iter().flat_map(|&seen| {
            let count = if seen == 0 { 0 } else { self.script.looked_at_per_frame };
            (0..count).map(|_| random.below(seen)).collect::<Vec<_>>()
        });
        let places: Vec<usize> = places.collect();
        let old = self.array.read(self.seen, &places).old;
        assert_eq!(self.old, old, "{container} moved or changed entities");

        self.places.clear();
        self.look();
        let expected = entity::expected_sum(0..all as u64);
        assert_eq!((self.seen, self.new), (all, expected), "{container} lost or changed entities");
        let sum = self.array.read(0, &[]).new;
        assert_eq!(sum, expected, "{container} lost or changed entities later");
    }
}

impl<S: Shared> Game for Reading<'_, S> {
    fn set_up(&mut self) {
        self.seen_before.push(self.seen);
        self.places.clear();
        if self.seen > 0 {
            let place = |_| self.random.below(self.seen);
            self.places.extend((0..self.script.looked_at_per_frame).map(place));
        }
    }

    fn prepare(&mut self) -> bool {
        false
    }

    fn frame(&mut self) {
        self.look();
    }

    fn longest_push(&mut self) -> Duration {
        self.look();
        Duration::from_nanos(self.longest_ns.swap(0, Ordering::Relaxed))
    }

    fn late(&self) -> Option<u64> {
        self.handling.late(slice::from_ref(self.array))
    }
}

// Never inlined, so that every array's loops are compiled in the same surroundings.

#[inline(never)]
fn append<S: Shared>(array: &S, indices: Range<u64>) {
    for index in indices {
        array.push(Entity::spawn(index));
    }
}

#[inline(never)]
fn longest_push<S: Shared>(array: &S, indices: Range<u64>) -> Duration {
    longest(indices, |index| array.push(Entity::spawn(index)))
}

#[inline(never)]
fn read<S: Shared>(array: &S, from: usize, places: &[usize]) -> Read {
    array.read(from, places)
}
