//! The worst frames of the most important containers: scenarios in rows, containers in columns.

use crate::containers;
use crate::scenario::Subject;
use crate::stats::{Row, milliseconds};
use crate::summary::{ScenarioSummary, Summary};
use crate::table::Cells;

/// The usual container, the same on an allocator that copies, this crate's, with memory committed ahead, and the
/// limit.
const COLUMNS: [(Subject, [&str; 5]); 4] = [
    (Subject::Arrays, ["vec", "vec-mimalloc", "vmvec", "vmvec-ahead", "vec-warm"]),
    (Subject::Maps, ["slotmap", "slotmap-mimalloc", "slot-map", "slot-map-ahead", "slab-warm"]),
    (
        Subject::Tables,
        ["hashbrown", "hashbrown-mimalloc", "table", "table-ahead", "hashbrown-warm"],
    ),
    (Subject::Shared, ["mutex-vec", "mutex-vec-mimalloc", "shared", "shared-ahead", "shared-warm"]),
];

/// Printed above each table.
pub(crate) const CAPTION: &str = "Worst frame in ms, and how many frames were late";

/// The scenarios with one kind of container.
pub(crate) struct Group<'a> {
    pub(crate) subject: Subject,
    pub(crate) names: [&'static str; 5],
    pub(crate) rows: Vec<Cases<'a>>,
}

/// A scenario with a row for each column that was measured.
pub(crate) type Cases<'a> = (&'a ScenarioSummary<'a>, [Option<&'a Row>; 5]);

/// Returns the groups of which something was measured.
pub(crate) fn groups<'a>(summary: &'a Summary<'_>) -> impl Iterator<Item = Group<'a>> {
    let name = |id: &str| match containers::find(id) {
        Some(container) if !container.limit => container.name,
        _ => "the limit",
    };
    let group = move |(subject, ids): (Subject, [&str; 5])| {
        let scenarios = summary.scenarios.iter().filter(|scenario| scenario.subject == subject);
        let rows = scenarios.map(|scenario| (scenario, ids.map(|id| scenario.row(id))));
        let rows = rows.filter(|(_, rows)| rows.iter().any(Option::is_some)).collect();
        Group { subject, names: ids.map(name), rows }
    };
    COLUMNS.into_iter().map(group).filter(|group| !group.rows.is_empty())
}

/// Returns the group as text.
pub(crate) fn cells(Group { subject, names, rows }: &Group<'_>) -> Cells {
    let cell = |row: Option<&Row>| match row {
        Some(Row { worst_us, over_budget: 0, .. }) => milliseconds(*worst_us),
        Some(row) => format!("{} ({})", milliseconds(row.worst_us), row.over_budget),
        None => "–".to_owned(),
    };
    let header = [subject.name()].iter().chain(names).map(|&name| name.to_owned()).collect();
    let row = |(scenario, rows): &Cases<'_>| {
        [scenario.name.to_owned()].into_iter().chain(rows.iter().copied().map(cell)).collect()
    };
    (header, rows.iter().map(row).collect())
}
