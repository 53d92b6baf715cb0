//! The figures as tables for a terminal, in Markdown.

use bench_common::spread::Spread;
use bench_common::table::{Table, short, table};

use crate::operation::Operation;
use crate::summary::{CaseSummary, Ratio};

/// A line a structure, and below them the figures of each of stayput's over those of the best peer.
pub(crate) fn case(case: &CaseSummary) -> Table {
    let mut header = vec!["ns each".to_owned()];
    header.extend(case.operations.iter().map(|one| one.title.clone()));
    let figures = case.structures.iter().enumerate().map(|(place, structure)| {
        let cells = case.operations.iter().map(|one| {
            one.figures[place]
                .as_ref()
                .map_or_else(String::new, |spread| cell(one.operation, spread))
        });
        [structure.name.to_owned()].into_iter().chain(cells).collect()
    });
    let mut rows: Vec<Vec<String>> = figures.collect();
    for (place, structure) in case.structures.iter().enumerate() {
        let ratios = || case.operations.iter().map(|one| one.ratios[place].as_ref());
        if ratios().all(|ratio| ratio.is_none()) {
            continue;
        }
        let cells = ratios().map(|ratio| ratio.map_or_else(String::new, of_best));
        rows.push([format!("{} / best", structure.name)].into_iter().chain(cells).collect());
    }
    table(1, header, rows)
}

fn cell(operation: Operation, spread: &Spread) -> String {
    if operation.is_a_longest() {
        return format!("{}, {}", short(spread.median), short(spread.min));
    }
    spread.short_quartiles()
}

fn of_best(Ratio { best_name, spread, .. }: &Ratio) -> String {
    format!("{} {best_name}", spread.short_quartiles())
}
