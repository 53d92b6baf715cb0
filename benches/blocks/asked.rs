//! The targets for `BlockVec`: ratios of its figures to those of others in the same rounds.

use bench_common::jobs::Rounds;
use bench_common::spread::Spread;
use bench_common::table::{Table, met, table, words};
use serde::Serialize;

use crate::arrays::Contender::{self, BlockVec, Boxcar, OrxDoubling, OrxLinear, Vec as StdVec};
use crate::case::{Case, Outcome};
use crate::run::Measured;
use crate::task::Task;

/// A ratio and its target.
#[derive(Debug, Serialize)]
pub(crate) struct Target {
    what: &'static str,
    case: Case,
    other: Contender,
    /// Over the rounds.
    ratio: Spread,
    most: f64,
}

/// A target against some others.
struct Question {
    what: &'static str,
    /// Of `BlockVec`, and of the others.
    figures: [fn(&Outcome) -> Option<f64>; 2],
    others: &'static [Contender],
    most: f64,
}

const PEERS: &[Contender] = &[Boxcar, OrxDoubling, OrxLinear];

/// Compares the same figure of both.
const fn question(
    what: &'static str,
    figure: fn(&Outcome) -> Option<f64>,
    others: &'static [Contender],
    most: f64,
) -> Question {
    Question { what, figures: [figure; 2], others, most }
}

/// For arrays of any size.
const EVERYWHERE: [Question; 9] = [
    question("first push", |found| Some(found.first), PEERS, 0.8),
    question("make, push, drop", |found| Some(found.over), PEERS, 0.8),
    question("for", |found| Some(found.each), PEERS, 0.7),
    question("fold", |found| Some(found.fold), PEERS, 0.7),
    Question { what: "slices", figures: [|found| found.slices, best], others: PEERS, most: 0.7 },
    question("for", |found| Some(found.each), &[StdVec], 1.1),
    question("fold", |found| Some(found.fold), &[StdVec], 1.1),
    question("slices", |found| found.slices, &[StdVec], 1.1),
    question("random read", |found| Some(found.get), PEERS, 1.0),
];

/// For an array of 1 KiB.
const SMALL: [Question; 2] = [
    question("make, push, drop", |found| Some(found.over), &[StdVec], 1.5),
    question("make, push, drop, with room", |found| Some(found.roomy), &[StdVec], 1.5),
];

/// The fastest way to visit all elements of an array.
fn best(found: &Outcome) -> Option<f64> {
    found.slices.into_iter().chain([found.fold, found.each]).reduce(f64::min)
}

pub(crate) fn all(measured: &[Measured]) -> Vec<Target> {
    let mut asked = Vec::new();
    for (case, rows) in measured {
        let small = (case.bytes() == Case::SMALL_BYTES).then_some(&SMALL);
        let questions = EVERYWHERE.iter().chain(small.into_iter().flatten());
        for Question { what, figures, others, most } in questions {
            asked.extend(others.iter().filter_map(|&other| {
                let ratio = ratio(rows, other, figures)?;
                Some(Target { what, case: *case, other, ratio, most: *most })
            }));
        }
    }
    asked
}

/// Returns the ratios over the rounds; `None` if one of the two was not measured.
fn ratio(
    rows: &[Rounds<Task>],
    other: Contender,
    [own, of_other]: &[fn(&Outcome) -> Option<f64>; 2],
) -> Option<Spread> {
    let found = |contender| Some(&rows.iter().find(|row| row.of.contender == contender)?.found);
    let rounds = found(BlockVec)?.iter().zip(found(other)?);
    let ratios: Option<Vec<f64>> =
        rounds.map(|(found, other)| Some(own(found)? / of_other(other)?)).collect();
    ratios.map(Spread::of)
}

pub(crate) fn show(asked: &[Target]) -> Vec<(&'static str, Table)> {
    let header = words(["what", "of", "over that of", "ratio", "quartiles", "at most", "met"]);
    let cells = asked.iter().map(|Target { what, case, other, ratio, most }| {
        let words = [(*what).to_owned(), case.to_string(), other.name().to_owned()];
        [words.as_slice(), &ratio.quartiles(), &met(ratio.median, *most)].concat()
    });
    let cells: Vec<Vec<String>> = cells.collect();
    if cells.is_empty() { vec![] } else { vec![("targets", table(3, header, cells))] }
}
