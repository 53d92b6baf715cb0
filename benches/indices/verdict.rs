//! The targets, and whether they are met, for all cases.

use bench_common::compare::{Operation as _, Results};
use bench_common::table::{short, table, words};
use serde::Serialize;

use crate::bounds::{self, Bound};
use crate::case::Indices;
use crate::operation::Operation;

/// A target and its figure.
#[derive(Debug, Serialize)]
pub(crate) struct Verdict {
    case: String,
    own: &'static str,
    operation: Operation,
    /// The figure, or its ratio to the best of others.
    value: f64,
    best: Option<&'static str>,
    most: f64,
    holds: bool,
}

pub(crate) fn all(results: &[Results<Indices>]) -> Vec<Verdict> {
    let of_case = |one| bounds::ALL.iter().filter_map(move |bound| held(bound, one));
    results.iter().flat_map(of_case).collect()
}

fn held(bound: &Bound, results: &Results<Indices>) -> Option<Verdict> {
    let &Bound { operation, own, rivals, most, .. } = bound;
    let one = bound.is_for(results.case).then(|| results.by(own))??;
    let (value, best) = if rivals.is_empty() {
        (one.spread(operation)?.median, None)
    } else {
        let ratio = results.ratio(one, rivals, operation)?;
        (ratio.spread.median, Some(ratio.best_name))
    };
    let (case, own) = (results.case.to_string(), one.container.name);
    Some(Verdict { case, own, operation, value, best, most, holds: value <= most })
}

/// Returns the Markdown table; `None` if nothing with a target was measured.
pub(crate) fn text(results: &[Results<Indices>]) -> Option<String> {
    let rows: Vec<Vec<String>> = all(results).into_iter().map(row).collect();
    let header = words(["case", "structure", "operation", "over", "is", "target"]);
    (!rows.is_empty()).then(|| {
        format!(
            "{}\n\nRatios to the other's figure are medians over the rounds: less is better.",
            table(4, header, rows)
        )
    })
}

fn row(held: Verdict) -> Vec<String> {
    let bound = if held.holds { "≤" } else { "NOT ≤" };
    vec![
        held.case,
        held.own.to_owned(),
        held.best.map_or_else(|| held.operation.title(), |_| held.operation.name().to_owned()),
        held.best.unwrap_or_default().to_owned(),
        short(held.value),
        format!("{bound} {}", held.most),
    ]
}
