//! The columns of a scenario's table.

use crate::scenario::Subject;
use crate::scenario::ecs::Steps;
use crate::stats::{Row, micros};

/// A header, and rows of equal length; the first column names the row.
pub(crate) type Cells = (Vec<String>, Vec<Vec<String>>);

type Column = (String, Box<dyn Fn(&Row) -> String>);

/// The most informative columns.
pub(crate) fn main_figures(subject: Subject, rows: &[&Row]) -> Cells {
    let (budget, over): (_, fn(&Row) -> usize) = match subject {
        Subject::Arrays | Subject::Maps | Subject::Shared => ("> 1 ms", |row| row.over_1ms),
        // Many frames of tables take a millisecond without growth.
        Subject::Tables => ("> 16.6 ms", |row| row.over_16ms),
    };
    let header = ["container, µs", "mean", "p99", "worst", budget].map(str::to_owned);
    let cells = |row: &&Row| {
        let times = [row.mean_us, row.p99_us, row.worst_us].map(whole);
        let mut cells = vec![row.name.to_owned()];
        cells.extend(times);
        cells.push(over(row).to_string());
        cells
    };
    (header.into(), rows.iter().map(cells).collect())
}

/// The columns that apply.
fn columns(rows: &[Row], budget_us: Option<u64>) -> Vec<Column> {
    fn column(name: &str, cell: impl Fn(&Row) -> String + 'static) -> Column {
        (name.to_owned(), Box::new(cell))
    }
    let mut columns = vec![
        column("container", |row| row.name.to_owned()),
        column("mean µs", |row| whole(row.mean_us)),
        column("p50", |row| whole(row.p50_us)),
        column("p99", |row| whole(row.p99_us)),
        column("p99.9", |row| whole(row.p999_us)),
        column("worst", |row| whole(row.worst_us)),
        column("(range)", |row| format!("{}–{}", whole(row.worst_us_min), whole(row.worst_us_max))),
        column("worst push µs", |row| whole(micros(row.worst_push_ns))),
        column("> 1 ms", |row| row.over_1ms.to_string()),
        column("> 16.6 ms", |row| row.over_16ms.to_string()),
    ];
    if let Some(budget) = budget_us {
        let over = |row: &Row| row.over_budget.map(|frames| frames as u64);
        columns.push(column(&format!("> {budget} µs"), move |row| known(over(row))));
    }
    if rows.iter().any(|row| row.steps.is_some()) {
        let step = |name, step: fn(&Steps) -> u64| {
            column(name, move |row| {
                row.steps.map_or("–".into(), |steps| whole(micros(step(&steps))))
            })
        };
        columns.push(step("insert", |steps| steps.insert_ns));
        columns.push(step("iter_mut", |steps| steps.iter_mut_ns));
        columns.push(step("join", |steps| steps.join_ns));
        columns.push(step("retain", |steps| steps.retain_ns));
    }
    columns.push(column("page faults", |row| known(row.page_faults)));
    columns.push(column("peak MiB", |row| known(row.peak_rss_bytes.map(|bytes| bytes >> 20))));
    if rows.iter().any(|row| row.worst_idle_us.is_some()) {
        columns.push(column("preparing µs", |row| row.worst_idle_us.map_or("–".into(), whole)));
    }
    if rows.iter().any(|row| row.late.is_some()) {
        columns.push(column("late", |row| row.late.map_or("–".into(), |late| late.to_string())));
    }
    columns
}

/// All columns.
pub(crate) fn all_figures(rows: &[Row], budget_us: Option<u64>) -> Cells {
    let (header, columns): (Vec<_>, Vec<_>) = columns(rows, budget_us).into_iter().unzip();
    (header, rows.iter().map(|row| columns.iter().map(|cell| cell(row)).collect()).collect())
}

pub(crate) fn whole(us: f64) -> String {
    format!("{us:.0}")
}

fn known(value: Option<u64>) -> String {
    value.map_or_else(|| "?".into(), |value| value.to_string())
}
