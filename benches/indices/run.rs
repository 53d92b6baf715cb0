//! From the plan to the report.

use std::fs;

use bench_common::harness;
use bench_common::{memory, target};

use crate::case::{Case, Group};
use crate::child::{self, Times};
use crate::cli::{Options, Plan, PlannedCase};
use crate::containers::{self, Container};
use crate::operation::Operation;
use crate::stage::Sample;
use crate::summary::Summary;
use crate::{count, plot, table, verdict};

/// All that was measured of a case.
#[derive(Debug)]
pub(crate) struct Results {
    pub(crate) case: Case,
    pub(crate) measured: Vec<Measured>,
}

/// All that was measured of a structure, samples of a repetition together.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) container: &'static Container,
    pub(crate) rounds: Vec<Vec<Sample>>,
}

/// There are many structures of so few rows, so it is more work than it seems.
const SMOKE_ROWS: usize = 200;

/// Measures, shows and writes everything.
pub(crate) fn bench(options: &Options) -> harness::Result {
    let plan = options.plan();
    if options.count {
        return count::run(&plan);
    }
    let results = measure(&plan)?;
    let summary = Summary::new(&plan, &results);
    let directory = target::directory()?.join("indices");
    fs::create_dir_all(&directory)?;
    let mut files =
        vec![("summary.json".to_owned(), serde_json::to_string_pretty(&summary)? + "\n")];
    files.extend(plot::all(&summary)?);
    for (name, text) in &files {
        fs::write(directory.join(name), text)?;
    }

    if options.common.json {
        println!("{}", serde_json::to_string_pretty(&summary)?);
        return Ok(());
    }
    for (label, value) in summary.machine.facts() {
        println!("{label}: {value}");
    }
    for case in &summary.cases {
        println!("\n{}\n{}", case.title, table::case(case));
    }
    if let Some(verdict) = verdict::text(&summary) {
        println!("\n{verdict}");
    }
    println!();
    for (name, _) in &files {
        println!("{}", directory.join(name).display());
    }
    Ok(())
}

/// Everything once, small, in this process, and nothing written: what `cargo test --benches` runs.
pub(crate) fn smoke() -> harness::Result {
    let of_group = |group: Group| {
        let shapes = group.shapes().iter();
        shapes.map(move |&shape| Case { group, rows: SMOKE_ROWS, shape })
    };
    let cases = Group::ALL.into_iter().flat_map(of_group);
    let results: Vec<Results> = cases
        .map(|case| {
            let operations: Vec<Operation> = operations_of(case).collect();
            let of = |container| {
                let samples = child::life(container, case, &operations, Times::Usual);
                Measured { container, rounds: vec![samples] }
            };
            Results { case, measured: containers::of(case).map(of).collect() }
        })
        .collect();
    results.iter().for_each(check);
    let plan = Plan { cases: vec![], command: String::new() };
    let summary = Summary::new(&plan, &results);
    let lines: usize = summary.cases.iter().map(|case| table::case(case).height()).sum();
    let pictures = plot::all(&summary)?.len();
    println!("smoke run: tables of {lines} lines, {pictures} pictures");
    Ok(())
}

fn operations_of(case: Case) -> impl Iterator<Item = Operation> {
    let all = Operation::of(case.group);
    Operation::LIFE.iter().copied().filter(move |one| all.contains(one) && one.is_for(case.rows))
}

/// The structures of all cases in turns.
fn measure(plan: &Plan) -> harness::Result<Vec<Results>> {
    let mut turns: Vec<(&PlannedCase, &'static Container)> = Vec::new();
    for case in &plan.cases {
        turns.extend(case.containers.iter().map(|&container| (case, container)));
    }
    let found = harness::in_turns(
        &turns,
        |(planned, _)| planned.repetitions,
        |(planned, container)| format!("{}, {}", planned.case, container.name),
        |(planned, container)| one_round(container, planned),
    )?;
    let mut found = found.into_iter();
    let results = plan.cases.iter().map(|planned| Results {
        case: planned.case,
        measured: (planned.containers.iter().zip(&mut found))
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
    let lives = fresh.chunks(1).chain([others.as_slice()]).filter(|life| !life.is_empty());
    for operations in lives {
        memory::touch(planned.case.bytes())?;
        samples.extend(child::measure(container, planned.case, operations)?);
    }
    Ok(samples)
}

/// All structures did the same work.
///
/// # Panics
///
/// If one found something else than another.
fn check(Results { case, measured }: &Results) {
    for &operation in Operation::of(case.group) {
        let found = measured.iter().flat_map(|Measured { container, rounds }| {
            rounds.iter().map(|round| {
                // What comes later in a life depends on what came before.
                let samples = round.iter().filter(|sample| sample.operation == operation);
                (container.name, samples.map(|sample| sample.checksum).collect::<Vec<u64>>())
            })
        });
        let found = found.filter(|(_, checksums)| !checksums.is_empty());
        harness::check_same(format_args!("{}, {case}", operation.name()), found);
    }
}
