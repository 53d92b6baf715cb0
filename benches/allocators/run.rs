//! From the plan to what is printed.

use bench_common::harness::{Report, Result};

use crate::cli::Plan;
use crate::{arena, growth, short_lived, small, soak};

/// One part after the other; each takes turns within itself.
pub(crate) fn measure(plan: &Plan) -> Result<Report> {
    let peers = ["bumpalo", "mimalloc", "tikv-jemallocator", "typed-arena"];
    let mut report = Report::new(env!("CARGO_PKG_NAME"), peers);
    report.part("growth", plan.growth.as_ref(), growth::measure, |rows| {
        vec![("growth: a `Vec` pushed full", growth::table(rows))]
    })?;
    report.part("interleaved", plan.interleaved.as_ref(), growth::measure, |rows| {
        vec![("interleaved: 16 `Vec`s pushed full by turns", growth::table(rows))]
    })?;
    report.part("short-lived", plan.short_lived.as_ref(), short_lived::measure, |rows| {
        let resident = "short-lived: MiB resident beyond what is live";
        vec![
            ("short-lived: time and page faults of a round", short_lived::table(rows)),
            (resident, short_lived::resident_table(rows)),
        ]
    })?;
    report.part(
        "small",
        plan.small.as_ref(),
        |extent| Ok(small::measure(extent)),
        |rows| vec![("small: blocks of 8 bytes to 64 KiB", small::table(rows))],
    )?;
    report.part("arena", plan.arena.as_ref(), arena::measure, |rows| {
        vec![(arena::TITLE, arena::table(rows))]
    })?;
    report.part("soak", plan.soak.as_ref(), soak::measure, |soak| {
        vec![(soak::TITLE, soak::table(soak))]
    })?;
    Ok(report)
}
