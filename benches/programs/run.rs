//! From the extent to the report.

use bench_common::harness::{Report, Result};
use bench_common::table;

use crate::program::{self, Extent};

pub(crate) fn measure(extent: &Extent) -> Result<Report> {
    let packages = ["csv", "mimalloc", "serde_json", "tikv-jemallocator", "winter-prover"];
    let mut report = Report::new(env!("CARGO_PKG_NAME"), packages);
    let rows = report.part("programs", Some(extent), program::measure, |rows| {
        vec![("programs: whole processes", program::table(rows))]
    })?;
    report.show(table::asked("what", program::targets(&rows.unwrap_or_default())));
    Ok(report)
}
