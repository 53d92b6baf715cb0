//! Large arrays that are made, filled and dropped, against a `Vec` that is filled again in memory that was touched.

use std::fmt;
use std::hint::black_box;
use std::time::Instant;

use bench_allocators_common::best::ratios;
use bench_allocators_common::contenders;
use bench_common::harness::Result;
use bench_common::jobs::{Job, Rounds, rounds_of};
use bench_common::memory::{size_text, touch};
use bench_common::table::{Table, Target, header};
use serde::{Deserialize, Serialize};
use stayput::{Columns, VmVec};

use crate::buffer::PAGE_BYTES;
use crate::repeat::{Repeated, middle, range, repeat};

#[derive(Debug)]
pub(crate) struct Extent {
    pub(crate) sizes: &'static [Size],
    pub(crate) repetitions: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Size {
    bytes: usize,
    rounds: usize,
}

const fn size(mib: usize, rounds: usize) -> Size {
    Size { bytes: mib << 20, rounds }
}

pub(crate) const ALL: &[Size] = &[size(64, 40), size(256, 16), size(512, 8)];
pub(crate) const QUICK: &[Size] = &[size(64, 8)];
pub(crate) const SMOKE: &[Size] = &[size(8, 2)];

/// The job of a child.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Filling {
    array: Array,
    from: From,
    #[serde(flatten)]
    size: Size,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Array {
    Vec,
    VmVec,
    Columns,
}

/// The memory that is filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum From {
    /// That of an array which was filled before, and cleared.
    Touched,
    /// That of a new array, which is dropped in the end.
    New,
}

/// The limit comes first.
const FILLINGS: [(Array, From); 6] = [
    (Array::Vec, From::Touched),
    (Array::Vec, From::New),
    (Array::VmVec, From::Touched),
    (Array::VmVec, From::New),
    (Array::Columns, From::Touched),
    (Array::Columns, From::New),
];

/// An element, in two columns.
type Element = (u64, u64);

trait Filled: Extend<Element> {
    fn with_room(count: usize) -> Self;
    fn empty(&mut self);
    fn at(&self, index: usize) -> Element;
}

macro_rules! filled {
    ($array:ident, |$self:ident, $index:ident| $at:expr) => {
        impl Filled for $array<Element> {
            fn with_room(count: usize) -> Self {
                Self::with_capacity(count)
            }

            fn empty(&mut self) {
                self.clear();
            }

            fn at(&self, $index: usize) -> Element {
                let $self = self;
                $at
            }
        }
    };
}

filled!(Vec, |array, index| array[index]);
filled!(VmVec, |array, index| array[index]);
filled!(Columns, |array, index| {
    let (first, second) = array.as_slices();
    (first[index], second[index])
});

impl Job for Filling {
    type Outcome = Repeated;

    fn run(&self) -> Result<Repeated> {
        Ok(match self.array {
            Array::Vec => self.fill::<Vec<Element>>(),
            Array::VmVec => self.fill::<VmVec<Element>>(),
            Array::Columns => self.fill::<Columns<Element>>(),
        })
    }
}

impl Filling {
    fn fill<A: Filled>(self) -> Repeated {
        let Size { bytes, rounds } = self.size;
        let count = bytes / size_of::<Element>();
        match self.from {
            From::New => repeat(rounds, |n| {
                let mut array = A::with_room(count);
                fill(&mut array, count, n);
                let freeing = Instant::now();
                drop(array);
                freeing
            }),
            From::Touched => {
                let mut array = A::with_room(count);
                repeat(rounds, |n| {
                    array.empty();
                    fill(&mut array, count, n);
                    Instant::now()
                })
            }
        }
    }
}

/// Fills the array, and reads an element of each page.
#[inline(never)]
fn fill<A: Filled>(array: &mut A, count: usize, n: u64) {
    let n = black_box(n);
    array.extend((0..count as u64).map(|at| (at ^ n, at + n)));
    let array = black_box(&*array);
    for at in (0..count).step_by(PAGE_BYTES / size_of::<Element>()) {
        assert_eq!(array.at(at), (at as u64 ^ n, at as u64 + n), "written data was lost");
    }
}

impl Filling {
    fn is_limit(self) -> bool {
        (self.array, self.from) == FILLINGS[0]
    }
}

/// The name of the array.
impl fmt::Display for Filling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let array = match self.array {
            Array::Vec => "Vec",
            Array::VmVec => "VmVec",
            Array::Columns => "Columns",
        };
        let from = match self.from {
            From::Touched => "filled again",
            From::New => "made, filled, dropped",
        };
        write!(f, "{array}, {from}")
    }
}

pub(crate) type Row = Rounds<Filling, Repeated>;

/// Measures all arrays, interleaved, on the system's allocator.
pub(crate) fn measure(extent: &Extent) -> Result<Vec<Row>> {
    let jobs = extent
        .sizes
        .iter()
        .flat_map(|&size| FILLINGS.map(|(array, from)| Filling { array, from, size }));
    let name = |job: &Filling| format!("{}, {job}", size_text(job.size.bytes));
    rounds_of(jobs, extent.repetitions, name, |job| {
        touch(2 * job.size.bytes)?;
        contenders::SYSTEM.outcome(*job)
    })
}

/// Returns the rows of each size with the limit's.
fn with_limits(rows: &[Row]) -> impl Iterator<Item = (&Row, &Row)> {
    rows.iter().filter_map(|row| {
        let is_it = |limit: &&Row| limit.of.size == row.of.size && limit.of.is_limit();
        Some((row, rows.iter().find(is_it)?))
    })
}

pub(crate) fn targets(rows: &[Row]) -> impl Iterator<Item = Target> + '_ {
    let own =
        with_limits(rows).filter(|(row, _)| row.of.array != Array::Vec && row.of.from == From::New);
    own.flat_map(|(row, limit)| {
        let what = |figure: &str| format!("{figure}, {}, {}", size_text(row.of.size.bytes), row.of);
        let faults = row.spread_of_some(Repeated::page_faults).map(|faults| Target {
            what: what("page faults"),
            over: "",
            ratio: faults.median,
            most: crate::asked::FAULTS,
        });
        let time = ratios(row, limit, Repeated::round_ms).map(|ratio| Target {
            what: what("round"),
            over: "Vec, filled again",
            ratio: ratio.median,
            most: 1.05,
        });
        [time, faults].into_iter().flatten()
    })
}

pub(crate) fn table(rows: &[Row]) -> Table {
    let header = header(
        "size | array | ms a round | range | to Vec, filled again | range | page faults a round | first round, ms | \
         µs to free",
    );
    let cells = |(row, limit): (&Row, &Row)| {
        let mut cells = vec![size_text(row.of.size.bytes), row.of.to_string()];
        cells.extend(range(row, Repeated::round_ms));
        let ratios = ratios(row, limit, Repeated::round_ms);
        cells.extend(ratios.map_or_else(Default::default, |ratios| ratios.range()));
        cells.push(middle(row, Repeated::page_faults));
        cells.push(middle(row, |found| Some(found.first_ms())));
        cells.push(middle(row, |found| Some(found.free_us())));
        cells
    };
    bench_common::table::table(2, header, with_limits(rows).map(cells).collect())
}
