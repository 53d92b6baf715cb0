//! The figures as a table: its columns, and how it looks on a terminal.

use comfy_table::{CellAlignment, Table, presets};

use crate::stats::Row;

/// The header and the rows, as text; the first column is the name.
pub(crate) fn cells(rows: &[Row], budget_us: Option<u64>) -> (Vec<String>, Vec<Vec<String>>) {
    let header = [
        "container",
        "mean µs",
        "p50",
        "p99",
        "p99.9",
        "worst",
        "(range)",
        "worst push µs",
        "> 1 ms",
        "> 16.6 ms",
    ];
    let mut header: Vec<String> = header.map(str::to_owned).into();
    header.extend(budget_us.map(|budget| format!("> {budget} µs")));
    header.extend(["page faults", "peak MiB"].map(str::to_owned));

    let row = |row: &Row| {
        let mut cells = vec![
            row.name.to_owned(),
            whole(row.mean_us),
            whole(row.p50_us),
            whole(row.p99_us),
            whole(row.p999_us),
            whole(row.worst_us),
            format!("{}–{}", whole(row.worst_us_min), whole(row.worst_us_max)),
            whole(crate::stats::micros(row.worst_push_ns)),
            row.over_1ms.to_string(),
            row.over_16ms.to_string(),
        ];
        cells.extend(row.over_budget.map(|frames| frames.to_string()));
        cells.push(row.page_faults.map_or_else(|| "?".into(), |faults| faults.to_string()));
        cells.push(row.peak_rss_bytes.map_or_else(|| "?".into(), |b| (b >> 20).to_string()));
        cells
    };
    (header, rows.iter().map(row).collect())
}

/// The table for a terminal.
pub(crate) fn terminal(rows: &[Row], budget_us: Option<u64>) -> Table {
    let (header, rows) = cells(rows, budget_us);
    let mut table = Table::new();
    table.load_style(presets::UTF8_HORIZONTAL_ONLY).set_header(header).add_rows(rows);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn whole(us: f64) -> String {
    format!("{us:.0}")
}
