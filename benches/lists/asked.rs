//! The targets for `ListPool`: ratios of its figures to those of others in the same rounds.

use bench_common::jobs::Rounds;
use bench_common::numbers;
use bench_common::spread::Spread;
use bench_common::table::{Table, met, table, words};
use serde::Serialize;

use crate::lists::Contender::{self, Cranelift, Csr, ListPool, SmallVec, ThinVec, Vec as StdVec};
use crate::run::Measured;
use crate::task::{Outcome, Task};

/// A ratio and its target.
#[derive(Debug, Serialize)]
pub(crate) struct Target {
    what: &'static str,
    nodes: usize,
    over: &'static str,
    /// Over the rounds.
    ratio: Spread,
    most: f64,
}

type Figure = fn(&Outcome) -> Option<f64>;

/// A target against the best of some others, or if there are none, a bound for the figure itself.
struct Question {
    what: &'static str,
    figure: Figure,
    over: &'static str,
    others: &'static [Contender],
    most: f64,
}

const PEERS: &[Contender] = &[StdVec, SmallVec, ThinVec, Cranelift];

const fn question(
    what: &'static str,
    figure: Figure,
    over: &'static str,
    others: &'static [Contender],
    most: f64,
) -> Question {
    Question { what, figure, over, others, most }
}

const QUESTIONS: [Question; 12] = [
    question("first build", |found| Some(found.first), "Vec<Vec>", &[StdVec], 0.5),
    question("build", |found| Some(found.build), "Vec<Vec>", &[StdVec], 0.5),
    question("build", |found| Some(found.build), "best peer", PEERS, 1.0),
    question("walk", |found| Some(found.walk), "best peer", PEERS, 1.0),
    question("walk, compacted", |found| Some(found.walk_compacted), "CSR", &[Csr], 1.1),
    question("random, compacted", |found| Some(found.random), "best peer", PEERS, 1.0),
    question("memory", |found| found.memory, "elements", &[], 2.0),
    question("memory, compacted", |found| found.memory_compacted, "elements", &[], 1.35),
    question("worst push, µs", |found| found.worst_push, "–", &[], 5.0),
    question("frame", |found| found.frame, "best peer", PEERS, 1.0),
    question("worst frame", |found| found.worst_frame, "best peer", PEERS, 1.0),
    question("drop", |found| Some(found.drop), "Vec<Vec>", &[StdVec], 0.05),
];

pub(crate) fn all(measured: &[Measured]) -> Vec<Target> {
    let mut asked = Vec::new();
    for (nodes, rows) in measured {
        asked.extend(QUESTIONS.iter().filter_map(
            |Question { what, figure, over, others, most }| {
                let ratio = ratio(rows, others, *figure)?;
                Some(Target { what, nodes: *nodes, over, ratio, most: *most })
            },
        ));
    }
    asked
}

/// Returns the ratios over the rounds, to the best of the others in each; `None` if one was not measured.
fn ratio(rows: &[Rounds<Task>], others: &[Contender], figure: Figure) -> Option<Spread> {
    let found = |contender| Some(&rows.iter().find(|row| row.of.contender == contender)?.found);
    let own = found(ListPool)?;
    let others: Option<Vec<_>> = others.iter().map(|&other| found(other)).collect();
    let others = others?;
    let ratios: Option<Vec<f64>> = (0..own.len())
        .map(|round| {
            let best = others.iter().filter_map(|other| figure(&other[round])).reduce(f64::min);
            Some(figure(&own[round])? / best.unwrap_or(1.0))
        })
        .collect();
    ratios.map(Spread::of)
}

pub(crate) fn show(asked: &[Target]) -> Vec<(&'static str, Table)> {
    let header = words(["what", "of", "over", "ratio", "quartiles", "at most", "met"]);
    let cells = asked.iter().map(|Target { what, nodes, over, ratio, most }| {
        let words = [(*what).to_owned(), numbers::text(*nodes), (*over).to_owned()];
        [words.as_slice(), &ratio.quartiles(), &met(ratio.median, *most)].concat()
    });
    let cells: Vec<Vec<String>> = cells.collect();
    if cells.is_empty() { vec![] } else { vec![("targets", table(3, header, cells))] }
}
