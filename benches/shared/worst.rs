//! The longest push.

use std::time::{Duration, Instant};

use bench_common::harness::Result;
use bench_common::jobs::{self, Rounds, rounds};
use bench_common::memory;
use bench_common::table::{Table, table, words};
use serde::{Deserialize, Serialize};

use crate::arrays::{Array, Contender, Element, Job, Totals};
use crate::cli::Plan;
use crate::meeting::{meet, share};
use crate::push::missing;

/// Times each push of 8 bytes.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Worst {
    pub(crate) contender: Contender,
    pub(crate) threads: usize,
    total: usize,
}

impl jobs::Job for Worst {
    /// In microseconds.
    type Outcome = f64;

    fn run(&self) -> Result<f64> {
        memory::touch(32 * self.total)?;
        Ok(self.contender.make::<u64, _>(*self))
    }
}

impl<E: Element> Job<E> for Worst {
    type Outcome = f64;

    fn run<A: Array<E>>(self) -> f64 {
        let Self { contender, threads, total } = self;
        let mut worst = Duration::ZERO;
        let fill = |thread, array: &A| {
            let mut push = array.pusher();
            let (mut longest, mut last) = (Duration::ZERO, Instant::now());
            for number in share(total, threads, thread) {
                push(E::of(number));
                let now = Instant::now();
                longest = longest.max(now - last);
                last = now;
            }
            longest
        };
        meet(
            threads,
            1,
            || A::new(total),
            fill,
            |mut round| {
                missing(contender, round.array.totals(), Totals::below(total as u64));
                worst = round.found.into_iter().fold(worst, Duration::max);
            },
        );
        worst.as_nanos() as f64 / 1e3
    }
}

/// Measures all arrays, interleaved.
pub(crate) fn measure(plan: &Plan) -> Result<Vec<Rounds<Worst>>> {
    let total = plan.elements;
    let all = plan.worst_threads.iter().flat_map(|&threads| {
        plan.contenders.iter().map(move |&contender| Worst { contender, threads, total })
    });
    let all = all.filter(|job| job.contender.is_for(job.threads));
    rounds(all, plan.repetitions, |job| format!("longest pushes, {}", job.contender.name()))
}

pub(crate) fn show(rows: &[Rounds<Worst>]) -> Table {
    let cells = rows.iter().map(|row| {
        let words = [row.of.contender.name().to_owned(), row.of.threads.to_string()];
        [words.as_slice(), &row.spread(|worst| *worst).range()].concat()
    });
    table(1, words(["array", "threads", "longest push, µs", "range"]), cells.collect())
}
