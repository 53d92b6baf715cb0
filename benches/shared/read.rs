//! Reads while another thread pushes, and while none does.

use std::hint;
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use bench_common::harness::Result;
use bench_common::jobs::{self, Rounds, rounds};
use bench_common::random::Random;
use bench_common::spread::Spread;
use bench_common::table::{Table, header, table};
use bench_common::{cores, memory};
use serde::{Deserialize, Serialize};

use crate::arrays::{Array, Contender, Element, Job, Totals};
use crate::cli::Plan;

/// The number of pushes at a time, and the time between; equal for all arrays that keep up.
const RUN: u64 = 16;
const RUN_EVERY: Duration = Duration::from_nanos(800);
/// The most pushes, enough for some seconds.
const PUSHES: usize = 64 << 20;
/// Reads by index between two readings of the clock.
const GETS: usize = 64 << 10;

/// The results of a child, in nanoseconds; `None` if the array cannot be pushed to meanwhile.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Read {
    pub(crate) get: Option<f64>,
    iter_beside: Option<f64>,
    pub(crate) iter: f64,
}

/// Reads `count` elements of 8 bytes, in each way for `ms` milliseconds.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Reading {
    pub(crate) contender: Contender,
    count: usize,
    ms: u64,
}

impl jobs::Job for Reading {
    type Outcome = Read;

    fn run(&self) -> Result<Read> {
        memory::touch(32 * (self.count + (8 << 20)))?;
        Ok(self.contender.make::<u64, _>(*self))
    }
}

impl<E: Element> Job<E> for Reading {
    type Outcome = Read;

    fn run<A: Array<E>>(self) -> Read {
        let Self { contender, count, ms } = self;
        let time = Duration::from_millis(ms);
        let mut array = A::new(count + PUSHES);
        {
            let mut push = array.pusher();
            (0..count as u64).for_each(|number| push(E::of(number)));
        }
        let iter = iterate(&array, count, time);
        if contender.is_alone() {
            return Read { get: None, iter_beside: None, iter };
        }
        let processors = cores::allowed();
        let (has_begun, is_over) = (AtomicBool::new(false), AtomicBool::new(false));
        let (get, iter_beside, pushed) = thread::scope(|scope| {
            let pushing = scope.spawn(|| {
                cores::settle(1, 2, &processors);
                push_until(&array, count as u64, &has_begun, &is_over)
            });
            cores::settle(0, 2, &processors);
            while !has_begun.load(Ordering::Acquire) {
                thread::yield_now();
            }
            let get = get(&array, count, time);
            let iter_beside = iterate(&array, count, time);
            is_over.store(true, Ordering::Release);
            (get, iter_beside, pushing.join().expect("the thread did not panic"))
        });
        assert!(pushed < PUSHES as u64, "pushing ended before reading did");
        let all = Totals::below(count as u64 + pushed);
        assert_eq!(array.totals(), all, "{} has other elements", contender.name());
        Read { get: Some(get), iter_beside: Some(iter_beside), iter }
    }
}

/// Pushes numbers from one on at a limited rate, and returns how many.
fn push_until<E: Element, A: Array<E>>(
    array: &A,
    from: u64,
    has_begun: &AtomicBool,
    is_over: &AtomicBool,
) -> u64 {
    let mut push = array.pusher();
    let mut pushed = 0;
    while pushed + RUN <= PUSHES as u64 && !is_over.load(Ordering::Acquire) {
        let begun = Instant::now();
        (0..RUN).for_each(|number| push(E::of(from + pushed + number)));
        pushed += RUN;
        has_begun.store(true, Ordering::Release);
        while begun.elapsed() < RUN_EVERY {
            hint::spin_loop();
        }
    }
    pushed
}

/// Returns the nanoseconds of a random read.
fn get<E: Element, A: Array<E>>(array: &A, count: usize, time: Duration) -> f64 {
    let mut random = Random::new(1);
    let mut reads = 0;
    let begun = Instant::now();
    loop {
        let (mut sum, mut right) = (0_u64, 0);
        for _ in 0..GETS {
            let index = random.below(count);
            sum += array.get(index);
            right += index as u64;
        }
        assert_eq!(sum, right, "a read returned another element");
        reads += GETS;
        let took = begun.elapsed();
        if took >= time {
            return took.as_nanos() as f64 / reads as f64;
        }
    }
}

/// Returns the nanoseconds for each element of a pass over the first `count` elements.
fn iterate<E: Element, A: Array<E>>(array: &A, count: usize, time: Duration) -> f64 {
    let right = Totals::below(count as u64).sum;
    let mut passes = 0;
    let begun = Instant::now();
    loop {
        let sum = black_box(array).sum(count);
        assert_eq!(sum, right, "a pass read other elements");
        passes += 1;
        let took = begun.elapsed();
        if took >= time {
            return took.as_nanos() as f64 / (passes * count) as f64;
        }
    }
}

/// Measures all arrays, interleaved.
pub(crate) fn measure(plan: &Plan) -> Result<Vec<Rounds<Reading>>> {
    let contenders = plan.contenders.iter().filter(|contender| contender.is_read());
    let all =
        contenders.map(|&contender| Reading { contender, count: plan.read, ms: plan.read_ms });
    rounds(all, plan.repetitions, |job| format!("reads, {}", job.contender.name()))
}

pub(crate) fn show(rows: &[Rounds<Reading>]) -> Table {
    let header = header(
        "array | random get beside, ns | range | iteration beside, ns | range | \
         iteration alone, ns | range",
    );
    let cells = rows.iter().map(|row| {
        let beside =
            |figure: fn(&Read) -> Option<f64>| Spread::range_of_some(row.spread_of_some(figure));
        [
            [row.of.contender.name().to_owned()].as_slice(),
            &beside(|read| read.get),
            &beside(|read| read.iter_beside),
            &row.spread(|read| read.iter).range(),
        ]
        .concat()
    });
    table(1, header, cells.collect())
}
