//! From the plan to the report.

use bench_common::harness::{Report, Result};
use bench_common::table;

use crate::asked::{self, Measured};
use crate::cli::Plan;
use crate::{arena, arrays, beside, growth, large, phase, short_lived, small, soak};

/// Measures one part after the other; each is interleaved within itself.
pub(crate) fn measure(plan: &Plan) -> Result<Report> {
    let peers = ["bumpalo", "mimalloc", "tikv-jemallocator", "typed-arena"];
    let mut report = Report::new(env!("CARGO_PKG_NAME"), peers);
    report.part("growth", plan.growth.as_ref(), growth::measure, |rows| {
        vec![("growth: a `Vec` pushed to from empty", growth::table(rows))]
    })?;
    report.part("interleaved", plan.interleaved.as_ref(), growth::measure, |rows| {
        vec![("interleaved: 16 `Vec`s pushed to in turns", growth::table(rows))]
    })?;
    report.part("short-lived", plan.short_lived.as_ref(), short_lived::measure, |rows| {
        let resident = "short-lived: MiB resident beyond what is live";
        vec![
            ("short-lived: time and page faults of a round", short_lived::table(rows)),
            (resident, short_lived::resident_table(rows)),
        ]
    })?;
    let measured = Measured {
        large: report.part("large", plan.large.as_ref(), large::measure, |rows| {
            vec![("large: a `Vec` allocated, filled and dropped", large::table(rows))]
        })?,
        phase: report.part("phase", plan.phase.as_ref(), phase::measure, |rows| {
            vec![("phase: buffers made and filled, all freed, a rest", phase::table(rows))]
        })?,
        arrays: report.part("arrays", plan.arrays.as_ref(), arrays::measure, |rows| {
            vec![("arrays: large ones, to a `Vec` in touched memory", arrays::table(rows))]
        })?,
    };
    report.part("beside", plan.beside.as_ref(), beside::measure, |rows| {
        vec![("beside: a phase, while another process holds most memory", beside::table(rows))]
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
    report.show(table::asked("what", asked::all(&measured)));
    Ok(report)
}
