//! The memory that an array takes, beyond its elements.

use std::error::Error;

use bench_common::spread::Spread;
use bench_common::table::{Table, short, table, words};
use bench_common::usage::resident_bytes;
use serde::{Deserialize, Serialize};

use crate::arrays::{Array, Contender, Element, Job, Totals};
use crate::push::missing;
use crate::task::{Task, in_turns};

/// What a child has found: bytes an element, beyond its own.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Held {
    /// `None` where the system does not say.
    resident: Option<f64>,
    /// `None` where the array does not know.
    committed: Option<f64>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) contender: Contender,
    pub(crate) resident: Option<Spread>,
    committed: Option<Spread>,
}

pub(crate) fn held(contender: Contender, count: usize) -> Held {
    contender.make::<u64, _>(Holding { contender, count })
}

struct Holding {
    contender: Contender,
    count: usize,
}

impl<E: Element> Job<E> for Holding {
    type Found = Held;

    fn run<A: Array<E>>(self) -> Held {
        let Self { contender, count } = self;
        let beyond = |bytes: u64| (bytes as f64 - (count * size_of::<E>()) as f64) / count as f64;
        // Code, and what is made once in a process, is no matter of the array.
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
        Held {
            resident: resident.map(|(before, after)| beyond(after.saturating_sub(before))),
            committed: committed.map(beyond),
        }
    }
}

/// All of them in turns.
pub(crate) fn measure(
    contenders: &[Contender],
    count: usize,
    repetitions: usize,
) -> Result<Vec<Row>, Box<dyn Error>> {
    let contenders: Vec<Contender> =
        contenders.iter().copied().filter(|contender| !contender.is_by_runs()).collect();
    let tasks = contenders.iter().map(|&contender| Task::Held { contender, count });
    let found: Vec<Vec<Held>> = in_turns(&tasks.collect::<Vec<_>>(), repetitions)?;
    let rows = contenders.into_iter().zip(found).map(|(contender, found)| {
        let of = |figure: fn(&Held) -> Option<f64>| {
            let figures: Option<Vec<f64>> = found.iter().map(figure).collect();
            figures.map(Spread::of)
        };
        Row { contender, resident: of(|held| held.resident), committed: of(|held| held.committed) }
    });
    Ok(rows.collect())
}

pub(crate) fn show(rows: &[Row]) -> Table {
    let header = words(["array", "resident beyond, bytes", "range", "committed beyond, bytes"]);
    let cells = rows.iter().map(|row| {
        let resident = row.resident.map_or_else(Default::default, |spread| spread.range());
        let committed =
            row.committed.map_or_else(String::new, |spread: Spread| short(spread.median));
        [[row.contender.name().to_owned()].as_slice(), &resident, &[committed]].concat()
    });
    table(1, header, cells.collect())
}
