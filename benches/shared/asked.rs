//! What is asked of a `SharedVec`, over what others took in the same run.

use bench_common::table::{Table, short, table, words};

use crate::arrays::Contender;
use crate::cli::Plan;
use crate::push::threads_text;
use crate::read;
use crate::run::Summary;

/// One line: what, over what of whom, the ratio, and the bound.
struct Asked {
    what: String,
    over: &'static str,
    ratio: f64,
    most: f64,
}

pub(crate) fn show(plan: &Plan, summary: &Summary) -> Option<Table> {
    let all = [pushes(plan, summary), worst(summary), reads(summary), memory(summary)];
    let cells: Vec<Vec<String>> = all
        .into_iter()
        .flatten()
        .map(|Asked { what, over, ratio, most }| {
            let verdict = if ratio <= most { "yes" } else { "no" };
            vec![what, over.to_owned(), short(ratio), short(most), verdict.to_owned()]
        })
        .collect();
    let header = words(["what", "over that of", "ratio", "at most", "met"]);
    (!cells.is_empty()).then(|| table(2, header, cells))
}

fn pushes(plan: &Plan, summary: &Summary) -> Vec<Asked> {
    use Contender::{Boxcar, ParkingLot, SharedVec, SharedVecAhead, SharedVecGathered, VmVec};

    let rows = summary.push.as_deref().unwrap_or_default();
    let push_ns = |contender, element_bytes, threads| {
        let row = rows.iter().find(|row| {
            let case = row.case;
            let is_large = case.arrays == 1;
            let is_it = (case.element_bytes, case.threads) == (element_bytes, threads);
            row.contender == contender && is_large && is_it
        });
        row.map(|row| row.push_ns.median)
    };
    let ratio = |own: Contender, other: Contender, bytes, threads, most| {
        let ratio = push_ns(own, bytes, threads)? / push_ns(other, bytes, threads)?;
        let what = format!("{}: push of {bytes} bytes, {}", own.name(), threads_text(threads));
        Some(Asked { what, over: other.name(), ratio, most })
    };
    let small = plan.threads.iter().flat_map(|&threads| {
        [
            ratio(SharedVec, Boxcar, 8, threads, 0.6),
            ratio(SharedVec, ParkingLot, 8, threads, 0.8),
            ratio(SharedVec, VmVec, 8, threads, 1.6),
            ratio(SharedVecGathered, Boxcar, 8, threads, 0.2),
        ]
    });
    let large = plan.threads.iter().filter(|threads| **threads > 1).flat_map(|&threads| {
        [
            ratio(SharedVec, Boxcar, 64, threads, 1.0),
            ratio(SharedVecAhead, Boxcar, 64, threads, 0.65),
        ]
    });
    small.chain(large).flatten().collect()
}

/// Of the longest push, with memory made ready ahead, over the best of the others.
fn worst(summary: &Summary) -> Vec<Asked> {
    let rows = summary.worst.as_deref().unwrap_or_default();
    let own = rows.iter().filter(|row| row.contender == Contender::SharedVecAhead);
    let asked = own.filter_map(|own| {
        let is_peer = |contender: Contender| !contender.is_stayput() && !contender.is_alone();
        let peers = rows.iter().filter(|row| row.threads == own.threads && is_peer(row.contender));
        let best =
            peers.min_by(|one, other| one.worst_us.median.total_cmp(&other.worst_us.median))?;
        Some(Asked {
            what: format!("{}: longest push, {}", own.contender.name(), threads_text(own.threads)),
            over: best.contender.name(),
            ratio: own.worst_us.median / best.worst_us.median,
            most: 1.0,
        })
    });
    asked.collect()
}

fn reads(summary: &Summary) -> Vec<Asked> {
    let rows = summary.read.as_deref().unwrap_or_default();
    let row = |wanted| rows.iter().find(|row| row.contender == wanted);
    let ratio = |what: &str, other: Contender, figure: fn(&read::Row) -> Option<f64>, most| {
        let ratio = figure(row(Contender::SharedVec)?)? / figure(row(other)?)?;
        let what = format!("{}: {what}", Contender::SharedVec.name());
        Some(Asked { what, over: other.name(), ratio, most })
    };
    let get = |row: &read::Row| row.get_ns.map(|spread| spread.median);
    let alone = |row: &read::Row| Some(row.iter_ns.median);
    let asked = [
        ratio("random get beside pushes", Contender::Boxcar, get, 0.5),
        ratio("iteration", Contender::Boxcar, alone, 0.3),
        ratio("iteration", Contender::Vec, alone, 1.1),
    ];
    asked.into_iter().flatten().collect()
}

/// These are over nobody's.
fn memory(summary: &Summary) -> Vec<Asked> {
    let own = |contender: Contender| contender.is_stayput();
    let lost = summary.lost.as_deref().map(|rows| {
        let lost = rows.iter().filter(|row| own(row.contender)).map(|row| row.lost).sum::<u64>();
        Asked { what: "elements lost".to_owned(), over: "", ratio: lost as f64, most: 0.0 }
    });
    let held = summary.held.as_deref().unwrap_or_default();
    let held = held.iter().find(|row| row.contender == Contender::SharedVec);
    let held = held.and_then(|row| row.resident).map(|resident| Asked {
        what: "bytes resident beyond an element's own".to_owned(),
        over: "",
        ratio: resident.median,
        most: 1.2,
    });
    lost.into_iter().chain(held).collect()
}
