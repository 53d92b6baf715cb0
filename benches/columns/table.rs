//! The figures as tables for a terminal, in Markdown.

use bench_common::compare::{self, Results};
use bench_common::table::{Table, short, table};

use crate::containers::Structures;
use crate::operation::Operation;

/// A line a structure, and below them the best peer's time over that of `Columns`.
pub(crate) fn case(results: &Results<Structures>) -> Table {
    let (mut header, mut rows) = compare::cells("ns a row", results);
    let mut ratios = vec!["best peer / Columns".to_owned()];
    let mut peers = vec!["the best peer".to_owned()];
    for operation in results.operations() {
        let own = results.by("columns");
        let ratio = own.and_then(|own| results.ratio(own, own.container.rivals, operation));
        ratios.push(ratio.as_ref().map_or_else(String::new, |one| one.spread.short_quartiles()));
        peers.push(ratio.map_or("", |one| one.best_name).to_owned());
    }
    rows.extend([ratios, peers]);
    if let Some(place) = results.operations().position(|one| one == Operation::PushFresh) {
        // Behind the names, and the column itself.
        header.insert(place + 2, "in total, µs".to_owned());
        let totals = results.measured.iter().map(|one| one.spread(Operation::PushFresh));
        for (row, spread) in rows.iter_mut().zip(totals.chain([None, None])) {
            #[expect(clippy::cast_precision_loss, reason = "no more than 2^28")]
            let total = spread.map(|spread| short(spread.median * results.case.0 as f64 / 1e3));
            row.insert(place + 2, total.unwrap_or_default());
        }
    }
    table(1, header, rows)
}
