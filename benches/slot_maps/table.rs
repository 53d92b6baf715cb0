//! The figures as tables for a terminal, in Markdown.

use bench_common::compare::{Operation as _, Results, Role};
use bench_common::spread::Spread;
use bench_common::table::{Table, header, short, table, words};

use crate::bars;
use crate::case::SlotMaps;
use crate::operation::Operation;

/// What a case came to.
pub(crate) fn case(results: &Results<SlotMaps>) -> Table {
    let header = header(
        "ns an operation | stayput | quartiles | small pages | best peer | its ns | ratio | \
         Dense | bar",
    );
    let (bytes, times): (Vec<Operation>, Vec<Operation>) =
        results.operations().partition(|one| *one == Operation::Bytes);
    let mut rows: Vec<_> = times.into_iter().map(|operation| row(results, operation)).collect();
    rows.extend(walk(results));
    rows.extend(bytes.into_iter().map(|operation| row(results, operation)));
    table(1, header, rows)
}

fn row(results: &Results<SlotMaps>, operation: Operation) -> Vec<String> {
    let of = |id: &str| results.by(id)?.spread(operation);
    let best = |role| results.best(operation, |one| one.role == role);
    let (own, peer, moving) = (of("stayput"), best(Role::Peer), best(Role::OtherPeer));
    let figure = |figure: f64| {
        if operation == Operation::Bytes { format!("{figure:.2}") } else { short(figure) }
    };
    let median = |spread: Option<Spread>| spread.map_or_else(String::new, |one| figure(one.median));
    let ratio_to = |other: Option<Spread>| Some(other?.median / own?.median);
    let (peers, movings) = (peer.map(|(_, spread)| spread), moving.map(|(_, spread)| spread));
    let bar = if operation == Operation::Bytes {
        let most = bars::resident_bytes_per_value(results.case);
        own.zip(most).map(|(own, most)| verdict(own.median <= most, "≤", most))
    } else {
        let moving = ratio_to(movings).filter(|_| bars::is_for_moving_peers_too(operation));
        ratio_to(peers).zip(bars::of(results.case, operation)).map(|(ratio, least)| {
            verdict(ratio.min(moving.unwrap_or(f64::INFINITY)) >= least, "≥", least)
        })
    };
    vec![
        operation.name().to_owned(),
        median(own),
        own.map_or_else(String::new, |own| format!("{}–{}", figure(own.p25), figure(own.p75))),
        median(of("stayput-small")),
        peer.map_or("", |(peer, _)| peer.container.name).to_owned(),
        median(peers),
        ratio(ratio_to(peers)),
        ratio(ratio_to(movings)),
        bar.unwrap_or_default(),
    ]
}

/// Full iteration against the walk over a slice, by bytes: of the map its slots, each a value and a generation.
fn walk(results: &Results<SlotMaps>) -> Option<Vec<String>> {
    let case = results.case;
    let align = if case.value_bytes % 8 == 0 { 8 } else { 4 };
    let slot_bytes = (case.value_bytes + 4).next_multiple_of(align);
    let per_byte = |id, bytes: usize| {
        let bytes = f64::from(u32::try_from(bytes).ok()?);
        Some(results.by(id)?.spread(Operation::Iterate)?.median / bytes)
    };
    let bandwidth = per_byte("vec", case.value_bytes)? / per_byte("stayput", slot_bytes)?;
    let bar = bars::walk_bandwidth(case).map(|least| verdict(bandwidth >= least, "≥", least));
    let mut row = vec![String::new(); 9];
    row[0] = "  its bandwidth, of a slice's".into();
    row[6] = ratio(Some(bandwidth));
    row[8] = bar.unwrap_or_default();
    Some(row)
}

/// Where values lie after churn.
pub(crate) fn ranges(results: &Results<SlotMaps>) -> Table {
    let header = words(["highest place in use / values", "churned", "refilled", "bar"]);
    let rows = results.measured.iter().filter_map(|one| {
        let [churned, refilled] = [Operation::Churned, Operation::Refilled]
            .map(|operation| one.spread(operation).map(|spread| spread.median));
        let (churned, refilled, max) = (churned?, refilled?, bars::LIVE_RANGE_REFILLED);
        let bar =
            (one.container.role == Role::Own).then(|| verdict(refilled <= max, "refilled ≤", max));
        let figures = [churned, refilled].map(|figure| format!("{figure:.2}"));
        let bar = bar.unwrap_or_default();
        Some([[one.container.name.to_owned()].as_slice(), &figures, &[bar]].concat())
    });
    table(1, header, rows.collect())
}

fn ratio(ratio: Option<f64>) -> String {
    ratio.map_or(String::new(), |ratio| format!("{ratio:.2}"))
}

fn verdict(holds: bool, relation: &str, bar: f64) -> String {
    if holds { format!("{relation} {bar}") } else { format!("NOT {relation} {bar}") }
}
