//! The figures as tables for a terminal, in Markdown.

use bench_common::table::{short, table, words};

use crate::bars;
use crate::containers::{self, Kind};
use crate::summary::{CaseSummary, Figure, OperationSummary, Summary};

/// What a case came to, its title above.
pub(crate) fn case(case: &CaseSummary) -> String {
    let header = words([
        "ns an operation",
        "stayput",
        "quartiles",
        "small pages",
        "best peer",
        "its ns",
        "ratio",
        "Dense",
        "bar",
    ]);
    let measured = case.operations.iter().filter(|operation| !operation.figures.is_empty());
    let mut rows: Vec<Vec<String>> = measured.map(row).collect();
    rows.extend(walk(case));
    rows.extend(memory(case));
    format!("{}\n{}", case.title(), table(1, header, rows))
}

fn row(operation: &OperationSummary) -> Vec<String> {
    let own = operation.of_kind(Kind::Stayput).next();
    let variant = operation.of_kind(Kind::StayputVariant).next();
    let best = operation.figures.iter().find(|figure| Some(figure.id) == operation.best_peer);
    let bar = operation.ratio_min.zip(operation.holds).map(|(min, holds)| verdict(holds, "≥", min));
    vec![
        operation.name.to_owned(),
        median(own),
        own.map_or_else(String::new, |own| {
            format!("{}–{}", short(own.spread.ns_per_op_p25), short(own.spread.ns_per_op_p75))
        }),
        median(variant),
        best.and_then(|best| containers::find(best.id)).map_or("", |best| best.name).to_owned(),
        median(best),
        ratio(operation.best_peer_ratio),
        ratio(operation.moving_peer_ratio),
        bar.unwrap_or_default(),
    ]
}

/// Full iteration against the walk over a slice, by bytes.
fn walk(case: &CaseSummary) -> Option<Vec<String>> {
    let bandwidth = case.walk_bandwidth?;
    let mut row = vec![String::new(); 9];
    row[0] = "  its bandwidth, of a slice's".into();
    row[6] = ratio(Some(bandwidth));
    row[8] =
        case.walk_bandwidth_min.map_or(String::new(), |min| verdict(bandwidth >= min, "≥", min));
    Some(row)
}

fn memory(case: &CaseSummary) -> Option<Vec<String>> {
    let of_kind = |kind| {
        case.memory.iter().filter(move |memory| {
            containers::find(memory.id).is_some_and(|container| container.kind == kind)
        })
    };
    let bytes = |memory: Option<&crate::summary::Memory>| {
        memory.map_or(String::new(), |memory| format!("{:.2}", memory.resident_bytes_per_value))
    };
    let own = of_kind(Kind::Stayput).next();
    let best = of_kind(Kind::Peer)
        .min_by(|a, b| f64::total_cmp(&a.resident_bytes_per_value, &b.resident_bytes_per_value));
    let ratio_to = |other: Option<&crate::summary::Memory>| {
        ratio(
            own.zip(other)
                .map(|(own, other)| other.resident_bytes_per_value / own.resident_bytes_per_value),
        )
    };
    let bar = own
        .zip(case.resident_bytes_per_value_max)
        .map(|(own, max)| verdict(own.resident_bytes_per_value <= max, "≤", max));
    (!case.memory.is_empty()).then(|| {
        vec![
            "resident bytes a value".into(),
            bytes(own),
            String::new(),
            bytes(of_kind(Kind::StayputVariant).next()),
            best.and_then(|best| containers::find(best.id)).map_or("", |best| best.name).into(),
            bytes(best),
            ratio_to(best),
            ratio_to(of_kind(Kind::MovingPeer).next()),
            bar.unwrap_or_default(),
        ]
    })
}

/// Where values lie after churn.
pub(crate) fn ranges(summary: &Summary) -> String {
    let header = words(["highest place in use / values", "churned", "refilled", "bar"]);
    let rows = summary.live_ranges.iter().filter_map(|range| {
        let container = containers::find(range.id)?;
        let max = bars::LIVE_RANGE_REFILLED;
        let bar = (container.kind == Kind::Stayput)
            .then(|| verdict(range.refilled <= max, "refilled ≤", max));
        Some(vec![
            container.name.to_owned(),
            format!("{:.2}", range.churned),
            format!("{:.2}", range.refilled),
            bar.unwrap_or_default(),
        ])
    });
    table(1, header, rows.collect()).to_string()
}

fn median(figure: Option<&Figure>) -> String {
    figure.map_or(String::new(), |figure| short(figure.spread.ns_per_op_p50))
}

fn ratio(ratio: Option<f64>) -> String {
    ratio.map_or(String::new(), |ratio| format!("{ratio:.2}"))
}

fn verdict(holds: bool, relation: &str, bar: f64) -> String {
    if holds { format!("{relation} {bar}") } else { format!("NOT {relation} {bar}") }
}
