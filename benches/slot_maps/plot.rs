//! The figures as bars, a panel an operation.

use std::error::Error;

use bench_common::plot::{self, Bar, Panel, Shade};

use crate::child::Case;
use crate::containers::{self, Kind};
use crate::summary::{CaseSummary, OperationSummary, Summary};

type Failure = Box<dyn Error>;

/// A file for each case; that with the most bytes in its maps has the plain name.
pub(crate) fn all(summary: &Summary) -> Result<Vec<(String, String)>, Failure> {
    let bytes = |case: Case| case.slots * case.value_bytes;
    let bars_are_about = |case: Case| case.slots == 1 << 23 && case.value_bytes == 56;
    let main = summary
        .cases
        .iter()
        .map(|case| case.case)
        .max_by_key(|&case| (bars_are_about(case), bytes(case)));
    let file = |case: &CaseSummary| {
        let Case { slots, value_bytes } = case.case;
        let name = if Some(case.case) == main {
            "ns-per-op.svg".to_owned()
        } else {
            format!("ns-per-op-{slots}-slots-{value_bytes}-bytes.svg")
        };
        Ok((name, svg(summary, case)?))
    };
    summary.cases.iter().map(file).collect()
}

fn svg(summary: &Summary, case: &CaseSummary) -> Result<String, Failure> {
    let measured = case.operations.iter().filter(|operation| !operation.figures.is_empty());
    let mut panels: Vec<Panel> = measured
        .map(|operation| Panel {
            title: operation.name.to_owned(),
            bars: times(summary, operation),
        })
        .collect();
    if !case.memory.is_empty() {
        let title = "resident bytes a value".to_owned();
        panels.push(Panel { title, bars: memory(summary, case) });
    }
    let subtitle = "ns an operation, less is better: median and quartiles. \
                    Sand: moves values. Palest: no slot map.";
    plot::svg(&format!("Slot maps: {}", case.title()), subtitle, &panels)
}

fn times(summary: &Summary, operation: &OperationSummary) -> Vec<Bar> {
    bars(summary, |id| {
        let spread = &operation.figures.iter().find(|figure| figure.id == id)?.spread;
        Some([spread.ns_per_op_p25, spread.ns_per_op_p50, spread.ns_per_op_p75])
    })
}

fn memory(summary: &Summary, case: &CaseSummary) -> Vec<Bar> {
    bars(summary, |id| {
        let memory = case.memory.iter().find(|memory| memory.id == id)?;
        Some([memory.resident_bytes_per_value; 3])
    })
}

fn bars(summary: &Summary, value: impl Fn(&str) -> Option<[f64; 3]>) -> Vec<Bar> {
    let containers = summary.containers.iter().filter_map(|one| containers::find(one.id));
    containers
        .map(|one| Bar { name: one.name, shade: shade(one.kind), value: value(one.id) })
        .collect()
}

fn shade(kind: Kind) -> Shade {
    match kind {
        Kind::Stayput => Shade::Own,
        Kind::StayputVariant | Kind::StayputMoving => Shade::Variant,
        Kind::Peer => Shade::Peer,
        Kind::MovingPeer => Shade::OtherPeer,
        Kind::Limit => Shade::Limit,
    }
}
