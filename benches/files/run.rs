//! From the plan to what is printed.

use bench_common::harness::{Report, Result};

use crate::cli::{Part, Plan};
use crate::{beyond, follow, growth, open};

/// One part after the other; each takes turns within itself.
pub(crate) fn measure(plan: &Plan) -> Result<Report> {
    let peers = ["memmap2", "mmap-vec", "memvec"];
    let mut report = Report::new(env!("CARGO_PKG_NAME"), peers);
    let of = |part| plan.parts.contains(&part).then_some(plan);
    let show_growth = |rows: &Vec<_>| growth::show(plan.bytes, rows);
    report.part("growth", of(Part::Growth), growth::measure, show_growth)?;
    let show_beyond = |rows: &Vec<_>| beyond::show(plan.limit_bytes, rows);
    report.part("beyond", of(Part::Beyond), beyond::measure, show_beyond)?;
    report.part("open", of(Part::Open), open::measure, |rows| {
        vec![("opening, and reading the last element", open::show(rows))]
    })?;
    report.part("follow", of(Part::Follow), follow::measure, follow::show)?;
    Ok(report)
}
