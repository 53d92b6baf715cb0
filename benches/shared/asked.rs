//! The targets for `SharedVec`: ratios of its figures to those of others in the same run.

use bench_common::jobs::Rounds;
use bench_common::table::Target;

use crate::arrays::Contender;
use crate::cli::Plan;
use crate::held::Holding;
use crate::lost::Losing;
use crate::push::{Filling, threads_text};
use crate::read::{Read, Reading};
use crate::worst::Worst;

/// All rows that have targets.
pub(crate) struct Measured {
    pub(crate) push: Option<Vec<Rounds<Filling>>>,
    pub(crate) worst: Option<Vec<Rounds<Worst>>>,
    pub(crate) read: Option<Vec<Rounds<Reading>>>,
    pub(crate) held: Option<Vec<Rounds<Holding>>>,
    pub(crate) lost: Option<Vec<Rounds<Losing>>>,
}

pub(crate) fn all(plan: &Plan, measured: &Measured) -> Vec<Target> {
    let all = [pushes(plan, measured), worst(measured), reads(measured), memory(measured)];
    all.into_iter().flatten().collect()
}

fn pushes(plan: &Plan, measured: &Measured) -> Vec<Target> {
    use Contender::{
        Boxcar, Mutex, ParkingLot, SharedVec, SharedVecAhead, SharedVecGathered, VmVec,
    };

    let rows = measured.push.as_deref().unwrap_or_default();
    let push_ns = |contender, element_bytes, threads| {
        let row = rows.iter().find(|row| {
            let case = row.of.case;
            let is_large = case.arrays == 1;
            let is_it = (case.element_bytes, case.threads) == (element_bytes, threads);
            row.of.contender == contender && is_large && is_it
        });
        row.map(|row| row.spread(|pushed| pushed.push_ns).median)
    };
    let ratio = |own: Contender, other: Contender, bytes, threads, most| {
        let ratio = push_ns(own, bytes, threads)? / push_ns(other, bytes, threads)?;
        let what = format!("{}: push of {bytes} bytes, {}", own.name(), threads_text(threads));
        Some(Target { what, over: other.name(), ratio, most })
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
    let reused = |contender| {
        rows.iter().filter(move |row| row.of.case.is_reused && row.of.contender == contender)
    };
    let cleared = reused(SharedVec).filter_map(|own| {
        let other = reused(Mutex).find(|other| other.of.case == own.of.case)?;
        let [own_ns, other_ns] = [own, other].map(|row| row.spread(|pushed| pushed.push_ns).median);
        let what = format!("{}: push, cleared, to {}", SharedVec.name(), own.of.case.total);
        Some(Target { what, over: Mutex.name(), ratio: own_ns / other_ns, most: 1.2 })
    });
    small.chain(large).flatten().chain(cleared).collect()
}

/// The longest push, with memory made ready ahead, over the best of the peers.
fn worst(measured: &Measured) -> Vec<Target> {
    let rows = measured.worst.as_deref().unwrap_or_default();
    let own = rows.iter().filter(|row| row.of.contender == Contender::SharedVecAhead);
    let asked = own.filter_map(|own| {
        let is_peer = |job: &Worst| !job.contender.is_stayput() && !job.contender.is_alone();
        let median = |row: &Rounds<Worst>| row.spread(|worst| *worst).median;
        let threads = own.of.threads;
        let peers = rows.iter().filter(|row| row.of.threads == threads && is_peer(&row.of));
        let best = peers.min_by(|one, other| median(one).total_cmp(&median(other)))?;
        let (name, threads) = (own.of.contender.name(), threads_text(threads));
        Some(Target {
            what: format!("{name}: longest push, {threads}"),
            over: best.of.contender.name(),
            ratio: median(own) / median(best),
            most: 1.0,
        })
    });
    asked.collect()
}

fn reads(measured: &Measured) -> Vec<Target> {
    let rows = measured.read.as_deref().unwrap_or_default();
    let row = |wanted| rows.iter().find(|row| row.of.contender == wanted);
    let ratio = |what: &str, other: Contender, figure: fn(&Read) -> Option<f64>, most| {
        let median = |contender| Some(row(contender)?.spread_of_some(figure)?.median);
        let ratio = median(Contender::SharedVec)? / median(other)?;
        let what = format!("{}: {what}", Contender::SharedVec.name());
        Some(Target { what, over: other.name(), ratio, most })
    };
    let get: fn(&Read) -> Option<f64> = |read| read.get;
    let alone: fn(&Read) -> Option<f64> = |read| Some(read.iter);
    let asked = [
        ratio("random get beside pushes", Contender::Boxcar, get, 0.5),
        ratio("iteration", Contender::Boxcar, alone, 0.3),
        ratio("iteration", Contender::Vec, alone, 1.1),
    ];
    asked.into_iter().flatten().collect()
}

/// Targets for figures that are not ratios.
fn memory(measured: &Measured) -> Vec<Target> {
    let lost = measured.lost.as_deref().map(|rows| {
        let own = rows.iter().filter(|row| row.of.contender.is_stayput());
        let lost: u64 = own.flat_map(|row| &row.found).map(|found| found.lost).sum();
        Target { what: "elements lost".to_owned(), over: "", ratio: lost as f64, most: 0.0 }
    });
    let held = measured.held.as_deref().unwrap_or_default();
    let held = held.iter().find(|row| row.of.contender == Contender::SharedVec);
    let resident = held.and_then(|row| row.spread_of_some(|held| held.resident));
    let held = resident.map(|resident| Target {
        what: "bytes resident beyond an element's own".to_owned(),
        over: "",
        ratio: resident.median,
        most: 1.2,
    });
    lost.into_iter().chain(held).collect()
}
