//! How stayput compares, all cases at a glance: a line an operation and size of value, a column a
//! number of slots.

use bench_common::numbers;
use bench_common::table::table;

use crate::child::Case;
use crate::containers;
use crate::operation::Operation;
use crate::summary::{Rival, Summary};

/// Below this a ratio is pointed out.
const WANTED: f64 = 0.95;

/// For a terminal, in Markdown; `None` if there is nothing to compare.
pub(crate) fn text(summary: &Summary) -> Option<String> {
    let slots = each_once(summary.cases.iter().map(|case| case.case.slots));
    let value_bytes = each_once(summary.cases.iter().map(|case| case.case.value_bytes));
    let mut header = vec!["speed, of the best rival's".to_owned(), "bytes".to_owned()];
    header.extend(slots.iter().map(|&slots| numbers::text(slots)));
    let mut rows = Vec::new();
    for &operation in Operation::ALL {
        for &value_bytes in &value_bytes {
            let rival = |&slots| rival(summary, Case { value_bytes, slots }, operation);
            let rivals: Vec<Option<&Rival>> = slots.iter().map(rival).collect();
            if rivals.iter().any(Option::is_some) {
                let mut row = vec![operation.name().to_owned(), value_bytes.to_string()];
                row.extend(rivals.into_iter().map(|rival| rival.map_or(String::new(), cell)));
                rows.push(row);
            }
        }
    }
    if rows.is_empty() {
        return None;
    }
    let names = containers::RIVALS.map(|id| format!("{} {id}", initial(id))).join(", ");
    Some(format!(
        "{}\n\nThe time of the best rival over that of stayput: median and quartiles of the rounds, \
         and which it is ({names}); ! where it is below {WANTED}.",
        table(1, header, rows)
    ))
}

fn rival(summary: &Summary, case: Case, operation: Operation) -> Option<&Rival> {
    let case = summary.cases.iter().find(|one| one.case == case)?;
    case.operations.iter().find(|one| one.operation == operation)?.rival.as_ref()
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
