//! How stayput compares, all cases at a glance: a line an operation and size of value, a column a
//! number of slots.

use std::collections::BTreeSet;

use bench_common::compare::{Operation as _, Ratio, Results};
use bench_common::numbers;
use bench_common::table::table;

use crate::case::{Case, SlotMaps};
use crate::containers::RIVALS;
use crate::operation::Operation;

/// Below this a ratio is pointed out.
const WANTED: f64 = 0.95;

/// For a terminal, in Markdown; `None` if there is nothing to compare.
pub(crate) fn text(results: &[Results<SlotMaps>]) -> Option<String> {
    let initials: Vec<String> = RIVALS.iter().map(|id| format!("{} {id}", initial(id))).collect();
    let holes = table_of(results, "speed, of the best rival's", "stayput").map(|table| {
        format!(
            "{table}\n\nThe time of the best rival over that of stayput: median and quartiles of the \
             rounds, and which it is ({}); ! where it is below {WANTED}.",
            initials.join(", ")
        )
    });
    let dense = table_of(results, "DenseSlotMap, of slotmap's", "stayput-dense");
    let both: Vec<String> = holes.into_iter().chain(dense).collect();
    (!both.is_empty()).then(|| both.join("\n\n"))
}

fn table_of(results: &[Results<SlotMaps>], title: &str, own: &str) -> Option<String> {
    let slots = results.iter().map(|one| one.case.slots).collect::<BTreeSet<_>>();
    let value_bytes = results.iter().map(|one| one.case.value_bytes).collect::<BTreeSet<_>>();
    let mut header = vec![title.to_owned(), "bytes".to_owned()];
    header.extend(slots.iter().map(|&slots| numbers::text(slots)));
    let mut rows = Vec::new();
    for operation in Operation::all().filter(|one| *one != Operation::Bytes) {
        for &value_bytes in &value_bytes {
            let ratio = |&slots| {
                let case = Case { value_bytes, slots };
                let case = results.iter().find(|one| one.case == case)?;
                let own = case.by(own)?;
                case.ratio(own, own.container.rivals, operation)
            };
            let ratios: Vec<Option<Ratio>> = slots.iter().map(ratio).collect();
            if ratios.iter().any(Option::is_some) {
                let mut row = vec![operation.name().to_owned(), value_bytes.to_string()];
                row.extend(ratios.iter().map(|one| one.as_ref().map_or(String::new(), cell)));
                rows.push(row);
            }
        }
    }
    (!rows.is_empty()).then(|| table(1, header, rows).to_string())
}

fn cell(Ratio { best, spread, .. }: &Ratio) -> String {
    let mark = if spread.median < WANTED { '!' } else { ' ' };
    format!("{:.2} {:.2}–{:.2} {}{mark}", spread.median, spread.p25, spread.p75, initial(best))
}

fn initial(id: &str) -> char {
    id.chars().next().unwrap_or(' ')
}
