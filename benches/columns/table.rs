//! The figures as tables for a terminal, in Markdown.

use bench_common::numbers;
use bench_common::spread::Spread;
use bench_common::table::{Table, short, table};

use crate::aliasing;
use crate::operation::Operation;
use crate::summary::{CaseSummary, OperationSummary, Summary};

/// Each with its title.
pub(crate) fn all(summary: &Summary) -> Vec<(String, Table)> {
    let mut tables: Vec<(String, Table)> = summary.cases.iter().map(case).collect();
    if !summary.aliasing.is_empty() {
        tables.push((aliasing::TITLE.to_owned(), aliasing::table(&summary.aliasing)));
    }
    tables
}

/// A line a structure, and below them the best peer's time over that of `Columns`.
fn case(case: &CaseSummary) -> (String, Table) {
    let mut header = vec!["ns a row".to_owned()];
    let mut rows: Vec<Vec<String>> = case.names.iter().map(|&name| vec![name.to_owned()]).collect();
    let mut ratios = vec!["best peer / Columns".to_owned()];
    let mut peers = vec!["the best peer".to_owned()];
    for operation in &case.operations {
        header.push(operation.operation.name().to_owned());
        for (row, spread) in rows.iter_mut().zip(&operation.figures) {
            row.push(spread.as_ref().map_or_else(String::new, |spread| cell(operation, spread)));
        }
        ratios.push(
            operation.best_peer_ratio.as_ref().map_or_else(String::new, Spread::short_quartiles),
        );
        peers.push(operation.best_peer.unwrap_or_default().to_owned());
        if operation.operation == Operation::PushFresh {
            header.push("in total, µs".to_owned());
            for (row, spread) in rows.iter_mut().zip(&operation.figures) {
                row.push(spread.as_ref().map_or_else(String::new, |spread| total(case, spread)));
            }
            ratios.push(String::new());
            peers.push(String::new());
        }
    }
    rows.extend([ratios, peers]);
    (format!("{} rows of 72 bytes", numbers::text(case.rows)), table(1, header, rows))
}

fn cell(operation: &OperationSummary, spread: &Spread) -> String {
    match operation.operation {
        // Others that use the processor make any of them longer, and none shorter.
        Operation::WorstPush => format!("{}, {}", short(spread.median), short(spread.min)),
        _ => spread.short_quartiles(),
    }
}

/// What all pushes took together.
fn total(case: &CaseSummary, spread: &Spread) -> String {
    #[expect(clippy::cast_precision_loss, reason = "no more than 2^28")]
    let rows = case.rows as f64;
    short(spread.median * rows / 1e3)
}
