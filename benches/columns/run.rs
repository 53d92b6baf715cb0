//! From the plan to what is printed.

use bench_common::harness;
use bench_common::memory;

use crate::cli::{Options, Plan, PlannedCase};
use crate::containers::{self, Container};
use crate::operation::Operation;
use crate::stage::Sample;
use crate::summary::Summary;
use crate::{aliasing, child, table};

/// All that was measured with so many rows.
#[derive(Debug)]
pub(crate) struct Results {
    pub(crate) rows: usize,
    pub(crate) operations: Vec<Operation>,
    pub(crate) measured: Vec<Measured>,
}

/// All that was measured of a structure, samples of a repetition together.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) container: &'static Container,
    pub(crate) rounds: Vec<Vec<Sample>>,
}

const ROW_BYTES: usize = 72;

/// Measures, and prints everything.
pub(crate) fn bench(options: &Options) -> harness::Result {
    let plan = options.plan();
    let results = measure(&plan)?;
    let aliasing = plan.aliasing.as_ref().map(aliasing::measure).unwrap_or_default();
    let summary = Summary::new(&plan, &results, aliasing);
    harness::print(options.common.json, &summary, &summary.machine, &table::all(&summary))
}

/// Everything once, small, in this process: what `cargo test --benches` runs.
pub(crate) fn smoke() -> harness::Result {
    let rows = 200;
    let operations = Operation::ON_ROWS;
    let of =
        |container| Measured { container, rounds: vec![child::life(container, rows, operations)] };
    let measured = containers::ALL.iter().map(of).collect();
    let results = Results { rows, operations: operations.into(), measured };
    check(&results);
    let extent = aliasing::Extent { rows: vec![rows], repetitions: 1 };
    let plan = Plan { cases: vec![], containers: vec![], aliasing: None, command: String::new() };
    let summary = Summary::new(&plan, &[results], aliasing::measure(&extent));
    harness::print_smoke(&summary, &table::all(&summary))
}

/// The structures of all cases in turns.
fn measure(plan: &Plan) -> harness::Result<Vec<Results>> {
    let of = |case| plan.containers.iter().map(move |&container| (case, container));
    let turns: Vec<(&PlannedCase, &'static Container)> = plan.cases.iter().flat_map(of).collect();
    let found = harness::in_turns(
        &turns,
        |(case, _)| case.repetitions,
        |(_, container)| container.name.to_owned(),
        |(case, container)| one_round(container, case),
    )?;
    let mut found = found.into_iter();
    let results = plan.cases.iter().map(|planned| Results {
        rows: planned.rows,
        operations: planned.operations.clone(),
        measured: (plan.containers.iter().zip(&mut found))
            .map(|(container, rounds)| Measured { container, rounds })
            .collect(),
    });
    let results: Vec<Results> = results.collect();
    results.iter().for_each(check);
    Ok(results)
}

/// All operations: those on fresh memory in a process each.
fn one_round(container: &Container, planned: &PlannedCase) -> harness::Result<Vec<Sample>> {
    let (fresh, others): (Vec<Operation>, Vec<Operation>) =
        planned.operations.iter().partition(|operation| operation.needs_new_process());
    let mut samples = Vec::new();
    for operations in fresh.chunks(1).chain([others.as_slice()]) {
        // The last copy of one that grows has half of it in the old place.
        memory::touch(2 * ROW_BYTES * planned.rows)?;
        samples.extend(child::measure(container, planned.rows, operations)?);
    }
    Ok(samples)
}

/// All structures did the same work.
///
/// # Panics
///
/// If one read something else than another, or came to hold it.
fn check(results: &Results) {
    for &operation in &results.operations {
        let found = results.measured.iter().flat_map(|Measured { container, rounds }| {
            let samples = rounds.iter().flatten().filter(|one| one.operation == operation);
            samples.map(|sample| (container.name, sample.checksum))
        });
        harness::check_same(format_args!("{}, {} rows", operation.name(), results.rows), found);
    }
}
