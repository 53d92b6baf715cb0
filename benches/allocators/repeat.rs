//! The same work again and again, in a process of its own: the first round, and the warm ones.

use std::time::Instant;

use bench_common::jobs::Rounds;
use bench_common::spread::{Spread, each, micros, millis, nanoseconds};
use bench_common::usage;
use serde::{Deserialize, Serialize};

/// Rounds after the first that are not counted, for allocators that adapt to what they see.
const SETTLING: u64 = 2;

/// The first round of a process, and those after it has settled.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Repeated {
    first: Round,
    warm: Vec<Round>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Round {
    ns: u64,
    /// The part of it that freed the memory.
    free_ns: u64,
    /// Of all threads.
    page_faults: Option<u64>,
}

/// Does the work: once if `rounds` is zero, or else as often after the first round and the ones that settle. The
/// work is given the round's number, and returns when it began to free its memory.
pub(crate) fn repeat(rounds: usize, mut work: impl FnMut(u64) -> Instant) -> Repeated {
    let mut warm = Vec::with_capacity(rounds);
    let first = round(0, &mut work);
    if rounds > 0 {
        for n in 1..=SETTLING {
            work(n);
        }
        warm.extend((1..=rounds as u64).map(|n| round(SETTLING + n, &mut work)));
    }
    Repeated { first, warm }
}

fn round(n: u64, work: &mut impl FnMut(u64) -> Instant) -> Round {
    let faults_before = usage::page_faults_of_all();
    let start = Instant::now();
    let freeing = work(n);
    let end = Instant::now();
    let faults = usage::page_faults_of_all();
    let page_faults = faults.zip(faults_before).map(|(after, before)| after - before);
    Round { ns: nanoseconds(end - start), free_ns: nanoseconds(end - freeing), page_faults }
}

impl Repeated {
    /// The mean of the warm rounds, so that deferred work is included.
    pub(crate) fn round_ms(&self) -> Option<f64> {
        let all: u64 = self.warm.iter().map(|round| round.ns).sum();
        (!self.warm.is_empty()).then(|| each(all, self.warm.len()) / 1e6)
    }

    /// The mean of the warm rounds.
    pub(crate) fn page_faults(&self) -> Option<f64> {
        let all: Option<u64> = self.warm.iter().map(|round| round.page_faults).sum();
        all.filter(|_| !self.warm.is_empty()).map(|all| each(all, self.warm.len()))
    }

    pub(crate) fn first_ms(&self) -> f64 {
        millis(self.first.ns)
    }

    pub(crate) fn first_page_faults(&self) -> Option<f64> {
        self.first.page_faults.map(|faults| each(faults, 1))
    }

    /// How long freeing took in the median of the warm rounds.
    pub(crate) fn free_us(&self) -> f64 {
        Spread::of(self.frees_us()).median
    }

    /// How long freeing took in the slowest of the warm rounds.
    pub(crate) fn free_us_max(&self) -> f64 {
        Spread::of(self.frees_us()).max
    }

    fn frees_us(&self) -> impl Iterator<Item = f64> + '_ {
        self.warm.iter().map(|round| micros(round.free_ns))
    }
}

/// Returns cells for the median of a figure and its range; with `?` if the system does not report it.
pub(crate) fn range<K, F>(row: &Rounds<K, F>, figure: impl Fn(&F) -> Option<f64>) -> [String; 2] {
    match row.spread_of_some(figure) {
        Some(spread) => spread.range(),
        None => ["?".into(), String::new()],
    }
}

/// Returns the cell for the median of a figure.
pub(crate) fn middle<K, F>(row: &Rounds<K, F>, figure: impl Fn(&F) -> Option<f64>) -> String {
    let [middle, _] = range(row, figure);
    middle
}
