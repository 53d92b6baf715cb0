//! From the plan to what is printed.

use bench_common::harness::{Report, Result};
use bench_common::numbers::text;
use bench_common::table;

use crate::asked::{self, Measured};
use crate::cli::{Part, Plan};
use crate::{held, lost, maps, push, read, worst};

const PEERS: [&str; 11] = [
    "append-only-vec",
    "boxcar",
    "concurrent-slotmap",
    "elsa",
    "orx-concurrent-bag",
    "orx-concurrent-vec",
    "parking_lot",
    "scc",
    "sharded-slab",
    "slotmap",
    "virtual-buffer@2",
];

/// One part after the other, and what is asked.
pub(crate) fn measure(plan: &Plan) -> Result<Report> {
    let mut report = Report::new(env!("CARGO_PKG_NAME"), PEERS);
    let of = |part| plan.parts.contains(&part).then_some(plan);
    let count = text(plan.elements);
    let measured = Measured {
        push: report.part("push", of(Part::Push), push::measure, push::show)?,
        worst: report.part("worst", of(Part::Push), worst::measure, |rows| {
            vec![(format!("the longest push of {count} of 8 bytes"), worst::show(rows))]
        })?,
        read: report.part("read", of(Part::Read), read::measure, |rows| {
            let what = format!("reading {} of 8 bytes", text(plan.read));
            vec![(format!("{what}, beside a thread that pushes, and alone"), read::show(rows))]
        })?,
        held: report.part("held", of(Part::Memory), held::measure, |rows| {
            let title = format!("memory of {count} of 8 bytes, beyond theirs, an element");
            vec![(title, held::show(rows))]
        })?,
        lost: report.part("lost", of(Part::Memory), lost::measure, |rows| {
            vec![("pushes by 4 threads, and what is lost", lost::show(rows))]
        })?,
    };
    report.part("maps", of(Part::Maps), maps::measure, maps::show)?;
    report.show(table::asked("what", asked::all(plan, &measured)));
    Ok(report)
}
