//! What is asked of a `BlockVec`, over what others took in the same rounds.

use bench_common::spread::Spread;
use bench_common::table::{Table, short, table, words};
use serde::Serialize;

use crate::arrays::Contender::{self, BlockVec, Boxcar, OrxDoubling, OrxLinear, Vec as StdVec};
use crate::case::{Case, Found};
use crate::run::{Measured, Row};

/// One line: what, over that of whom, and the bound.
#[derive(Debug, Serialize)]
pub(crate) struct Asked {
    what: &'static str,
    case: Case,
    other: Contender,
    /// Of the rounds' ratios.
    ratio: Spread,
    most: f64,
}

/// Something that is asked, over that of some others.
struct Question {
    what: &'static str,
    /// Of it, and of the others.
    figures: [fn(&Found) -> Option<f64>; 2],
    others: &'static [Contender],
    most: f64,
}

const PEERS: &[Contender] = &[Boxcar, OrxDoubling, OrxLinear];

/// Of arrays of any size.
const EVERYWHERE: [Question; 9] = [
    Question {
        what: "first push",
        figures: [|found| Some(found.first); 2],
        others: PEERS,
        most: 0.8,
    },
    Question {
        what: "make, push, drop",
        figures: [|found| Some(found.over); 2],
        others: PEERS,
        most: 0.8,
    },
    Question { what: "for", figures: [|found| Some(found.each); 2], others: PEERS, most: 0.7 },
    Question { what: "fold", figures: [|found| Some(found.fold); 2], others: PEERS, most: 0.7 },
    Question { what: "slices", figures: [|found| found.slices, best], others: PEERS, most: 0.7 },
    Question { what: "for", figures: [|found| Some(found.each); 2], others: &[StdVec], most: 1.1 },
    Question { what: "fold", figures: [|found| Some(found.fold); 2], others: &[StdVec], most: 1.1 },
    Question { what: "slices", figures: [|found| found.slices; 2], others: &[StdVec], most: 1.1 },
    Question {
        what: "random read",
        figures: [|found| Some(found.get); 2],
        others: PEERS,
        most: 1.0,
    },
];

/// Of one of 1 KiB.
const SMALL: [Question; 2] = [
    Question {
        what: "make, push, drop",
        figures: [|found| Some(found.over); 2],
        others: &[StdVec],
        most: 1.5,
    },
    Question {
        what: "make, push, drop, with room",
        figures: [|found| Some(found.roomy); 2],
        others: &[StdVec],
        most: 1.5,
    },
];

/// The best way to go over all elements that an array has.
fn best(found: &Found) -> Option<f64> {
    found.slices.into_iter().chain([found.fold, found.each]).reduce(f64::min)
}

pub(crate) fn all(measured: &[Measured]) -> Vec<Asked> {
    let mut asked = Vec::new();
    for Measured { case, rows } in measured {
        let small = (case.bytes() == Case::SMALL_BYTES).then_some(&SMALL);
        let questions = EVERYWHERE.iter().chain(small.into_iter().flatten());
        for Question { what, figures, others, most } in questions {
            asked.extend(others.iter().filter_map(|&other| {
                let ratio = ratio(rows, other, figures)?;
                Some(Asked { what, case: *case, other, ratio, most: *most })
            }));
        }
    }
    asked
}

/// `None` where one of them was not measured.
fn ratio(
    rows: &[Row],
    other: Contender,
    [own, of_other]: &[fn(&Found) -> Option<f64>; 2],
) -> Option<Spread> {
    let found = |contender| Some(&rows.iter().find(|row| row.contender == contender)?.found);
    let rounds = found(BlockVec)?.iter().zip(found(other)?);
    let ratios: Option<Vec<f64>> =
        rounds.map(|(found, other)| Some(own(found)? / of_other(other)?)).collect();
    ratios.map(Spread::of)
}

pub(crate) fn show(asked: &[Asked]) -> Option<Table> {
    let header = words(["what", "of", "over that of", "ratio", "quartiles", "at most", "met"]);
    let cells = asked.iter().map(|Asked { what, case, other, ratio, most }| {
        let verdict = if ratio.median <= *most { "yes" } else { "no" };
        let [median, quartiles] = ratio.quartiles();
        let words = [(*what).to_owned(), case.to_string(), other.name().to_owned()];
        [words.as_slice(), &[median, quartiles, short(*most), verdict.to_owned()]].concat()
    });
    let cells: Vec<Vec<String>> = cells.collect();
    (!cells.is_empty()).then(|| table(3, header, cells))
}
