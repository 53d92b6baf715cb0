//! What the project has set itself, and whether it holds: all cases at a glance.

use bench_common::table::{short, table, words};

use crate::summary::{CaseSummary, Held, Summary};

/// For a terminal, in Markdown; `None` if nothing was measured that there is a bound for.
pub(crate) fn text(summary: &Summary) -> Option<String> {
    let bounds =
        summary.cases.iter().flat_map(|case| case.bounds.iter().map(move |held| (case, held)));
    let rows: Vec<Vec<String>> = bounds.map(|(case, held)| row(case, held)).collect();
    let header = words(["case", "structure", "operation", "over", "is", "bound"]);
    (!rows.is_empty()).then(|| {
        format!(
            "{}\n\nRatios are medians of the rounds' own, of its figure over the other's: less is better.",
            table(4, header, rows)
        )
    })
}

fn row(case: &CaseSummary, held: &Held) -> Vec<String> {
    let bound = if held.holds { "≤" } else { "NOT ≤" };
    vec![
        case.title.clone(),
        held.own.to_owned(),
        held.best.map_or_else(|| held.operation.title(), |_| held.operation.name().to_owned()),
        held.best.unwrap_or_default().to_owned(),
        short(held.value),
        format!("{bound} {}", held.most),
    ]
}
