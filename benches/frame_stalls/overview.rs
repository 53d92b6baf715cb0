//! The most important containers over several scenarios.

use crate::containers;
use crate::scenario::Subject;
use crate::stats::Row;
use crate::summary::{ScenarioSummary, Summary};
use crate::table::{Cells, whole};

/// Printed above each table.
pub(crate) const CAPTION: &str = "Mean and worst frame, in µs";

/// Returns a table for each kind of container: a row for each container, a column for each scenario.
pub(crate) fn tables(summary: &Summary) -> Vec<(Subject, Cells)> {
    let table = |subject| {
        let scenarios: Vec<&ScenarioSummary> =
            summary.scenarios.iter().filter(|scenario| scenario.subject == subject).collect();
        let rows: Vec<Vec<String>> = containers::all()
            .filter(|container| container.headline)
            .filter_map(|container| row(container.id, container.name, &scenarios))
            .collect();
        let ids = scenarios.iter().map(|scenario| scenario.id);
        let header = std::iter::once("container").chain(ids).map(str::to_owned).collect();
        (scenarios.len() > 1 && !rows.is_empty()).then_some((subject, (header, rows)))
    };
    Subject::ALL.into_iter().filter_map(table).collect()
}

/// Returns a row; `None` for a container that was measured in none of the scenarios.
fn row(id: &str, name: &str, scenarios: &[&ScenarioSummary]) -> Option<Vec<String>> {
    let figures = scenarios.iter().map(|scenario| {
        let row: Option<&Row> = scenario.containers.iter().find(|row| row.id == id);
        row.map(|row| format!("{} / {}", whole(row.mean_us), whole(row.worst_us)))
    });
    let figures: Vec<Option<String>> = figures.collect();
    figures.iter().any(Option::is_some).then(|| {
        let cells = figures.into_iter().map(|cell| cell.unwrap_or_else(|| "–".into()));
        std::iter::once(name.to_owned()).chain(cells).collect()
    })
}
