//! The memory that an array takes beyond its elements.

use bench_common::harness::Result;
use bench_common::jobs::{self, Rounds, rounds};
use bench_common::spread::Spread;
use bench_common::table::{Table, short, table, words};
use bench_common::usage::resident_bytes;
use serde::{Deserialize, Serialize};

use crate::arrays::{Array, Contender, Element, Job, Totals};
use crate::cli::Plan;
use crate::push::missing;

/// The results of a child: bytes an element, beyond its own.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct MemoryUse {
    /// `None` if the system does not say.
    pub(crate) resident: Option<f64>,
    /// `None` if the array does not know.
    committed: Option<f64>,
}

/// Pushes `count` elements of 8 bytes.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Holding {
    pub(crate) contender: Contender,
    count: usize,
}

impl jobs::Job for Holding {
    type Outcome = MemoryUse;

    fn run(&self) -> Result<MemoryUse> {
        Ok(self.contender.make::<u64, _>(*self))
    }
}

impl<E: Element> Job<E> for Holding {
    type Outcome = MemoryUse;

    fn run<A: Array<E>>(self) -> MemoryUse {
        let Self { contender, count } = self;
        let beyond = |bytes: u64| (bytes as f64 - (count * size_of::<E>()) as f64) / count as f64;
        // Excludes code, and everything that is created once in a process.
        A::new(1).pusher()(E::of(0));
        let before = resident_bytes();
        let mut array = A::new(count);
        {
            let mut push = array.pusher();
            (0..count as u64).for_each(|number| push(E::of(number)));
        }
        let resident = before.zip(resident_bytes());
        let committed = array.committed_bytes().map(|bytes| bytes as u64);
        missing(contender, array.totals(), Totals::below(count as u64));
        MemoryUse {
            resident: resident.map(|(before, after)| beyond(after.saturating_sub(before))),
            committed: committed.map(beyond),
        }
    }
}

/// Measures all arrays, interleaved.
pub(crate) fn measure(plan: &Plan) -> Result<Vec<Rounds<Holding>>> {
    let contenders = plan.contenders.iter().filter(|contender| !contender.is_by_runs());
    let all = contenders.map(|&contender| Holding { contender, count: plan.elements });
    rounds(all, plan.repetitions, |job| format!("memory, {}", job.contender.name()))
}

pub(crate) fn show(rows: &[Rounds<Holding>]) -> Table {
    let header = words(["array", "resident beyond, bytes", "range", "committed beyond, bytes"]);
    let cells = rows.iter().map(|row| {
        let resident = Spread::range_of_some(row.spread_of_some(|held| held.resident));
        let committed = row.spread_of_some(|held| held.committed);
        let committed = committed.map_or_else(String::new, |spread| short(spread.median));
        [[row.of.contender.name().to_owned()].as_slice(), &resident, &[committed]].concat()
    });
    table(1, header, cells.collect())
}
