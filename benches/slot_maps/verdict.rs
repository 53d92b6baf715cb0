//! How stayput compares, all cases at a glance: a line an operation and size of value, a column a
//! number of slots.

use bench_common::numbers;
use bench_common::table::table;

use crate::child::Case;
use crate::containers;
use crate::operation::Operation;
use crate::summary::{OperationSummary, Rival, Summary};

/// Below this a ratio is pointed out.
const WANTED: f64 = 0.95;

/// For a terminal, in Markdown; `None` if there is nothing to compare.
pub(crate) fn text(summary: &Summary) -> Option<String> {
    let names = containers::RIVALS.map(|id| format!("{} {id}", initial(id))).join(", ");
    let holes = table_of(summary, "speed, of the best rival's", |one| one.rival.as_ref());
    let holes = holes.map(|table| {
        format!(
            "{table}\n\nThe time of the best rival over that of stayput: median and quartiles of the \
             rounds, and which it is ({names}); ! where it is below {WANTED}."
        )
    });
    let dense = table_of(summary, "DenseSlotMap, of slotmap's", |one| one.moving_rival.as_ref());
    let both: Vec<String> = holes.into_iter().chain(dense).collect();
    (!both.is_empty()).then(|| both.join("\n\n"))
}

fn table_of(
    summary: &Summary,
    title: &str,
    rival_of: fn(&OperationSummary) -> Option<&Rival>,
) -> Option<String> {
    let slots = each_once(summary.cases.iter().map(|case| case.case.slots));
    let value_bytes = each_once(summary.cases.iter().map(|case| case.case.value_bytes));
    let mut header = vec![title.to_owned(), "bytes".to_owned()];
    header.extend(slots.iter().map(|&slots| numbers::text(slots)));
    let mut rows = Vec::new();
    for &operation in Operation::ALL {
        for &value_bytes in &value_bytes {
            let rival = |&slots| {
                let case = Case { value_bytes, slots };
                let case = summary.cases.iter().find(|one| one.case == case)?;
                rival_of(case.operations.iter().find(|one| one.operation == operation)?)
            };
            let rivals: Vec<Option<&Rival>> = slots.iter().map(rival).collect();
            if rivals.iter().any(Option::is_some) {
                let mut row = vec![operation.name().to_owned(), value_bytes.to_string()];
                row.extend(rivals.into_iter().map(|rival| rival.map_or(String::new(), cell)));
                rows.push(row);
            }
        }
    }
    (!rows.is_empty()).then(|| table(1, header, rows).to_string())
}

fn cell(rival: &Rival) -> String {
    let Rival { id, ratio_p25, ratio_p50, ratio_p75 } = rival;
    let mark = if *ratio_p50 < WANTED { '!' } else { ' ' };
    format!("{ratio_p50:.2} {ratio_p25:.2}–{ratio_p75:.2} {}{mark}", initial(id))
}

fn initial(id: &str) -> char {
    id.chars().next().unwrap_or(' ')
}

fn each_once(all: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut once = Vec::new();
    for one in all {
        if !once.contains(&one) {
            once.push(one);
        }
    }
    once
}
