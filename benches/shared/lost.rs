//! Whether any push is lost: with memory for all, at the maximum, and where memory is refused at random.

use bench_common::harness::Result;
use bench_common::jobs::{self, Rounds, rounds};
use bench_common::table::{Table, table, words};
use serde::{Deserialize, Serialize};
use stayput::{Growth, SharedVec};

use crate::arrays::{Array, Contender, Element, Job, Totals};
use crate::cli::Plan;
use crate::meeting::{meet, share};
use crate::refusing::Refusing;

const THREADS: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Limit {
    /// There is memory for all pushes.
    None,
    /// The array can hold three quarters of the pushes, and must refuse the others.
    MaxLen,
    /// Three of four requests for memory are refused, and repeated.
    Refusals,
}

/// The results of a child.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Lost {
    refused: u64,
    pub(crate) lost: u64,
}

/// Pushes `count` elements of 8 bytes.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Losing {
    pub(crate) contender: Contender,
    limit: Limit,
    count: usize,
}

impl jobs::Job for Losing {
    type Outcome = Lost;

    fn run(&self) -> Result<Lost> {
        let Self { contender, limit, count } = *self;
        Ok(match limit {
            Limit::None => contender.make::<u64, _>(*self),
            Limit::MaxLen => {
                let found =
                    try_to_push(count, || SharedVec::with_max_len(count * 3 / 4), Tries::One);
                // The array refuses the elements that exceed its capacity.
                let room = count as u64 * 3 / 4;
                Lost { lost: found.lost + (count as u64 - found.refused).abs_diff(room), ..found }
            }
            Limit::Refusals => {
                let growth = Growth::Fixed { step_bytes: 64 << 10 };
                let memory = std::sync::Mutex::new(Some(Refusing::new(8 * count)?));
                let make = || {
                    let memory = memory.lock().expect("no thread panicked").take();
                    let memory = memory.expect("only one array is created");
                    SharedVec::builder().growth(growth).build_in(memory)
                };
                try_to_push(count, make, Tries::UntilStored)
            }
        })
    }
}

impl<E: Element> Job<E> for Losing {
    type Outcome = Lost;

    fn run<A: Array<E>>(self) -> Lost {
        let fill = |thread, array: &A| {
            let mut push = array.pusher();
            share(self.count, THREADS, thread).for_each(|number| push(E::of(number)));
        };
        let mut lost = 0;
        meet(
            THREADS,
            1,
            || A::new(self.count),
            fill,
            |mut round| {
                lost = difference(round.array.totals(), Totals::below(self.count as u64));
            },
        );
        Lost { refused: 0, lost }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Tries {
    One,
    UntilStored,
}

fn try_to_push(count: usize, make: impl Fn() -> SharedVec<u64>, tries: Tries) -> Lost {
    let fill = |thread, array: &SharedVec<u64>| {
        let (mut stored, mut refused) = (Totals::default(), 0_u64);
        for number in share(count, THREADS, thread) {
            let mut is_stored = array.try_push(number).is_ok();
            refused += u64::from(!is_stored);
            while !is_stored && tries == Tries::UntilStored {
                is_stored = array.try_push(number).is_ok();
                refused += u64::from(!is_stored);
            }
            if is_stored {
                stored.add(number);
            }
        }
        (stored, refused)
    };
    let mut found = Lost { refused: 0, lost: 0 };
    meet(THREADS, 1, make, fill, |mut round| {
        let mut all = Totals::default();
        for (stored, refused) in round.found {
            all.count += stored.count;
            all.sum += stored.sum;
            found.refused += refused;
        }
        found.lost = difference(round.array.totals(), all);
    });
    found
}

/// Returns how many elements are missing, or too many.
fn difference(found: Totals, all: Totals) -> u64 {
    let difference = found.count.abs_diff(all.count);
    assert!(
        difference > 0 || found.sum == all.sum,
        "the array has other elements than were pushed"
    );
    difference
}

/// Measures stayput's arrays, and one peer that is known for losses.
pub(crate) fn measure(plan: &Plan) -> Result<Vec<Rounds<Losing>>> {
    let trials = [
        (Contender::SharedVec, Limit::None),
        (Contender::SharedVec, Limit::MaxLen),
        (Contender::SharedVec, Limit::Refusals),
        (Contender::SharedVecGathered, Limit::None),
        (Contender::SharedVecAhead, Limit::None),
        (Contender::VirtualBuffer, Limit::None),
    ];
    let trials = trials.into_iter().filter(|(contender, _)| plan.contenders.contains(contender));
    let all = trials.map(|(contender, limit)| Losing { contender, limit, count: plan.lost });
    rounds(all, plan.repetitions, |job| format!("losses, {}", job.contender.name()))
}

/// The totals of all rounds.
pub(crate) fn show(rows: &[Rounds<Losing>]) -> Table {
    let cells = rows.iter().map(|Rounds { of: job, found }| {
        let limit = match job.limit {
            Limit::None => "",
            Limit::MaxLen => "at the maximum",
            Limit::Refusals => "memory refused at random",
        };
        let sum = |figure: fn(&Lost) -> u64| found.iter().map(figure).sum::<u64>();
        let pushes = (job.count * found.len()) as u64;
        let counts = [pushes, sum(|lost| lost.refused), sum(|lost| lost.lost)];
        let words = [job.contender.name().to_owned(), limit.to_owned()];
        [words.as_slice(), &counts.map(|count| count.to_string())].concat()
    });
    table(2, words(["array", "limit", "pushes", "refused", "lost"]), cells.collect())
}
