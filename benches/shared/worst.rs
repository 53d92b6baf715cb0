//! The longest push of all.

use std::error::Error;
use std::time::{Duration, Instant};

use bench_common::memory;
use bench_common::spread::Spread;
use bench_common::table::{Table, table, words};
use serde::{Deserialize, Serialize};

use crate::arrays::{Array, Contender, Element, Job, Totals};
use crate::push::missing;
use crate::rounds::{rounds, share};
use crate::task::{Task, in_turns};

/// What a child has found.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Worst {
    worst_us: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) contender: Contender,
    pub(crate) threads: usize,
    pub(crate) worst_us: Spread,
}

/// Times each push of 8 bytes.
pub(crate) fn push(
    contender: Contender,
    threads: usize,
    total: usize,
) -> Result<Worst, Box<dyn Error>> {
    memory::touch(32 * total)?;
    Ok(contender.make::<u64, _>(Timed { contender, threads, total }))
}

struct Timed {
    contender: Contender,
    threads: usize,
    total: usize,
}

impl<E: Element> Job<E> for Timed {
    type Found = Worst;

    fn run<A: Array<E>>(self) -> Worst {
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
        rounds(
            threads,
            1,
            || A::new(total),
            fill,
            |mut round| {
                missing(contender, round.array.totals(), Totals::below(total as u64));
                worst = round.found.into_iter().fold(worst, Duration::max);
            },
        );
        Worst { worst_us: worst.as_nanos() as f64 / 1e3 }
    }
}

/// All of them in turns.
pub(crate) fn measure(
    contenders: &[Contender],
    threads: &[usize],
    total: usize,
    repetitions: usize,
) -> Result<Vec<Row>, Box<dyn Error>> {
    let pairs: Vec<(Contender, usize)> = threads
        .iter()
        .flat_map(|threads| contenders.iter().map(|contender| (*contender, *threads)))
        .filter(|(contender, threads)| contender.is_for(*threads))
        .collect();
    let tasks = pairs.iter().map(|&(contender, threads)| Task::Worst { contender, threads, total });
    let found: Vec<Vec<Worst>> = in_turns(&tasks.collect::<Vec<_>>(), repetitions)?;
    let rows = pairs.into_iter().zip(found).map(|((contender, threads), found)| Row {
        contender,
        threads,
        worst_us: Spread::of(found.iter().map(|worst| worst.worst_us)),
    });
    Ok(rows.collect())
}

pub(crate) fn show(rows: &[Row]) -> Table {
    let cells = rows.iter().map(|row| {
        let words = [row.contender.name().to_owned(), row.threads.to_string()];
        [words.as_slice(), &row.worst_us.range()].concat()
    });
    table(1, words(["array", "threads", "longest push, µs", "range"]), cells.collect())
}
