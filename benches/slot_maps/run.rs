//! From the plan to the report.

use std::time::Instant;

use bench_common::compare::{self, Results};
use bench_common::harness;
use bench_common::table::Table;

use crate::case::{Case, SlotMaps};
use crate::cli::Options;
use crate::containers::{VALUE_BYTES, WITHOUT_GENERATIONS};
use crate::operation::Operation;
use crate::{apart, sampling, table, verdict};

/// Few, because there are many maps of few slots.
const SMOKE_SLOTS: usize = 40;

/// Measures, prints and writes everything.
pub(crate) fn bench(options: &Options) -> harness::Result {
    let mut plan = options.plan();
    if options.count {
        for planned in &mut plan.cases {
            planned.containers.retain(|one| !WITHOUT_GENERATIONS.contains(&one.id));
        }
        return compare::count(&plan.cases);
    }
    if options.apart {
        println!("{}", apart::report()?);
        return Ok(());
    }
    let start = Instant::now();
    let ranges = compare::measure(&plan.ranges, None)?;
    let enough = plan.enough.map(|enough| enough.saturating_sub(start.elapsed()));
    let results = compare::measure(&plan.cases, enough)?;
    let machine = compare::machine(&results);
    let mut summary = compare::summary(&machine, &results);
    summary["live_ranges"] = compare::summary(&machine, &ranges)["cases"].take();
    compare::publish::<SlotMaps>(
        options.common.json,
        (&machine, &summary),
        &tables(&results, &ranges),
        verdict::text(&results),
        pictures(&results)?,
    )?;
    if options.criterion {
        sampling::run(&plan.cases, options.filter.as_deref());
    }
    Ok(())
}

/// Everything but the crowd of maps once, with small sizes, in this process, without files: what
/// `cargo test --benches` runs.
pub(crate) fn smoke() -> harness::Result {
    let cases = VALUE_BYTES.map(|value_bytes| Case { value_bytes, slots: SMOKE_SLOTS });
    let results = compare::smoke(cases, |_, operation| operation != Operation::Crowd);
    let summary = compare::summary(&compare::machine(&results), &results);
    println!("{} pictures", pictures(&results)?.len());
    harness::print_smoke(&summary, &tables(&results, &[]))
}

fn tables(results: &[Results<SlotMaps>], ranges: &[Results<SlotMaps>]) -> Vec<(String, Table)> {
    let ranges = ranges.iter().map(|one| ("after churn".to_owned(), table::ranges(one)));
    results.iter().map(|one| (one.case.to_string(), table::case(one))).chain(ranges).collect()
}

/// Returns a file for each case. The case with the most bytes has the plain name.
fn pictures(results: &[Results<SlotMaps>]) -> harness::Result<Vec<(String, String)>> {
    let subtitle = "ns per operation, less is better: median, and a line between the quartiles, cut \
                    at the edge. Sand: moves values. Palest: not a slot map.";
    let bars_are_about = |case: Case| case.slots == 1 << 23 && case.value_bytes == 56;
    let cases = results.iter().map(|one| one.case);
    let main = cases.max_by_key(|&case| (bars_are_about(case), case.slots * case.value_bytes));
    let file = |one: &Results<SlotMaps>| {
        let Case { slots, value_bytes } = one.case;
        let name = if Some(one.case) == main {
            "ns-per-op.svg".to_owned()
        } else {
            format!("ns-per-op-{slots}-slots-{value_bytes}-bytes.svg")
        };
        Ok((name, compare::picture(one, &format!("Slot maps: {}", one.case), subtitle)?))
    };
    results.iter().map(file).collect()
}
