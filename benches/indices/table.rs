//! The figures as tables for a terminal, in Markdown.

use bench_common::compare::{self, Results};
use bench_common::table::{Table, table};

use crate::case::Indices;

/// A line a structure, and below them the figures of each of stayput's over those of the best peer.
pub(crate) fn case(results: &Results<Indices>) -> Table {
    let (header, mut rows) = compare::cells("ns each", results);
    for own in &results.measured {
        let ratios = results.operations().map(|operation| {
            let ratio = results.ratio(own, own.container.rivals, operation)?;
            Some(format!("{} {}", ratio.spread.short_quartiles(), ratio.best_name))
        });
        let ratios: Vec<Option<String>> = ratios.collect();
        if ratios.iter().any(Option::is_some) {
            let cells = ratios.into_iter().map(Option::unwrap_or_default);
            let name = format!("{} / best", own.container.name);
            rows.push([name].into_iter().chain(cells).collect());
        }
    }
    table(1, header, rows)
}
