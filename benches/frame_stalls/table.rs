//! The columns of a scenario's table.

use bench_common::numbers::grouped;

use crate::scenario::ecs::Steps;
use crate::scenario::{BUDGET_60_HZ_US, MILLISECOND_US};
use crate::stats::{Row, micros};
use crate::summary::ScenarioSummary;

/// A header, and rows of equal length; the first column names the row.
pub(crate) type Cells = (Vec<String>, Vec<Vec<String>>);

type Column = (String, Box<dyn Fn(&Row) -> String>);

/// The columns that apply.
fn columns(rows: &[Row], budget_us: u64) -> Vec<Column> {
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
        column("(range)", |row| match row.repetitions {
            1 => "–".into(),
            _ => format!("{}–{}", whole(row.worst_us_min), whole(row.worst_us_max)),
        }),
        column("worst push µs", |row| match row.worst_push_ns {
            0 => "–".into(),
            worst => whole(micros(worst)),
        }),
        column("> 1 ms", |row| row.over_1ms.to_string()),
        column("> 16.6 ms", |row| row.over_16ms.to_string()),
    ];
    if ![MILLISECOND_US, BUDGET_60_HZ_US].contains(&budget_us) {
        columns.push(column(&format!("> {budget_us} µs"), |row| row.over_budget.to_string()));
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
        columns.push(column("late growth", |row| {
            row.late.map_or("–".into(), |late| late.to_string())
        }));
    }
    columns
}

/// All columns.
pub(crate) fn all_figures(
    ScenarioSummary { containers, budget_us, .. }: &ScenarioSummary<'_>,
) -> Cells {
    let (header, columns): (Vec<_>, Vec<_>) = columns(containers, *budget_us).into_iter().unzip();
    (header, containers.iter().map(|row| columns.iter().map(|cell| cell(row)).collect()).collect())
}

fn whole(us: f64) -> String {
    grouped(us.round())
}

fn known(value: Option<u64>) -> String {
    value.map_or_else(|| "?".into(), grouped)
}
