//! From the plan to what is printed.

use std::error::Error;

use bench_common::memory;
use bench_common::progress::Progress;

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
pub(crate) fn bench(options: &Options) -> Result<(), Box<dyn Error>> {
    let plan = options.plan();
    let results = measure(&plan)?;
    let aliasing = plan.aliasing.as_ref().map(aliasing::measure).unwrap_or_default();
    let summary = Summary::new(&plan, &results, aliasing);
    if options.json {
        println!("{}", serde_json::to_string_pretty(&summary)?);
        return Ok(());
    }
    for (label, value) in summary.machine.facts() {
        println!("{label}: {value}");
    }
    for (title, table) in table::all(&summary) {
        println!("\n{title}\n{table}");
    }
    Ok(())
}

/// Everything once, small, in this process: what `cargo test --benches` runs.
pub(crate) fn smoke() -> Result<(), Box<dyn Error>> {
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
    let lines: usize = table::all(&summary).iter().map(|(_, table)| table.height()).sum();
    let json = serde_json::to_string(&summary)?;
    println!("smoke run: tables of {lines} lines, {} bytes of JSON", json.len());
    Ok(())
}

/// By turns: the structures one after the other, and some time later all of them again, so that a
/// machine that slows down on the way slows them all.
fn measure(plan: &Plan) -> Result<Vec<Results>, Box<dyn Error>> {
    let turns: usize = plan.cases.iter().map(|case| case.repetitions).sum();
    let mut progress = Progress::new(turns * plan.containers.len());
    let of = |&container: &&'static Container| Measured { container, rounds: Vec::new() };
    let none = |planned: &PlannedCase| Results {
        rows: planned.rows,
        operations: planned.operations.clone(),
        measured: plan.containers.iter().map(of).collect(),
    };
    let mut all: Vec<Results> = plan.cases.iter().map(none).collect();
    let rounds = plan.cases.iter().map(|case| case.repetitions).max().unwrap_or(0);
    for round in 0..rounds {
        for (planned, results) in plan.cases.iter().zip(&mut all) {
            if round >= planned.repetitions {
                continue;
            }
            for Measured { container, rounds } in &mut results.measured {
                progress.begin(container.name);
                rounds.push(one_round(container, planned)?);
            }
        }
    }
    drop(progress);
    all.iter().for_each(check);
    Ok(all)
}

/// All operations: those on fresh memory in a process each.
fn one_round(container: &Container, planned: &PlannedCase) -> Result<Vec<Sample>, Box<dyn Error>> {
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
        let mut first = None;
        for Measured { container, rounds } in &results.measured {
            let samples = rounds.iter().flatten();
            for sample in samples.filter(|sample| sample.operation == operation) {
                let (checksum, of) = *first.get_or_insert((sample.checksum, container.name));
                assert_eq!(
                    sample.checksum,
                    checksum,
                    "{}, {} rows: {} came to something else than {of}",
                    operation.name(),
                    results.rows,
                    container.name,
                );
            }
        }
    }
}
