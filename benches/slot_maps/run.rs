//! From the plan to the report.

use std::fs;
use std::time::{Duration, Instant};

use bench_common::harness;
use bench_common::progress::Progress;
use bench_common::target;

use crate::child::{self, Case, Outcome};
use crate::cli::{Options, Plan, PlannedCase};
use crate::containers::{self, Container};
use crate::operation::Operation;
use crate::summary::Summary;
use crate::{apart, count, plot, sampling, table, verdict};

/// All that was measured of a case.
#[derive(Debug)]
pub(crate) struct Results {
    pub(crate) case: Case,
    pub(crate) measured: Vec<Measured>,
}

/// All that was measured of a container, an outcome a repetition.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) container: &'static Container,
    pub(crate) lives: Vec<Outcome>,
}

/// Where values lie after churn depends on no other size, so a small map shows it.
const RANGE_CASE: Case = Case { value_bytes: 56, slots: 1 << 16 };

/// There are many maps of so few slots, so it is more work than it seems.
const SMOKE_SLOTS: usize = 40;

/// Measures, shows and writes everything.
pub(crate) fn bench(options: &Options) -> harness::Result {
    let plan = options.plan();
    if options.count {
        return count::run(&plan);
    }
    if options.apart {
        println!("{}", apart::report()?);
        return Ok(());
    }
    let (results, ranges) = measure(&plan)?;
    let summary = Summary::new(&plan, &results, &ranges);
    let directory = target::directory()?.join("slot-maps");
    fs::create_dir_all(&directory)?;
    let mut files =
        vec![("summary.json".to_owned(), serde_json::to_string_pretty(&summary)? + "\n")];
    files.extend(plot::all(&summary)?);
    for (name, text) in &files {
        fs::write(directory.join(name), text)?;
    }

    if options.common.json {
        println!("{}", serde_json::to_string_pretty(&summary)?);
    } else {
        for (label, value) in summary.machine.facts() {
            println!("{label}: {value}");
        }
        println!();
        for case in &summary.cases {
            println!("{}\n", table::case(case));
        }
        if plan.with_ranges {
            println!("{}\n", table::ranges(&summary));
        }
        if let Some(verdict) = verdict::text(&summary) {
            println!("{verdict}\n");
        }
        for (name, _) in &files {
            println!("{}", directory.join(name).display());
        }
    }
    if let Some(criterion) = &plan.criterion {
        sampling::run(&plan, criterion);
    }
    Ok(())
}

/// Everything once, small, in this process, and nothing written: what `cargo test --benches` runs.
pub(crate) fn smoke() {
    let mut operations = 0;
    for container in containers::ALL {
        for value_bytes in containers::VALUE_BYTES {
            let mut stage = (container.stage)(value_bytes, SMOKE_SLOTS);
            for &operation in Operation::LIFE.iter().chain(Operation::ALL) {
                if stage.can(operation) {
                    stage.perform(operation);
                    operations += 1;
                }
            }
        }
    }
    println!("smoke run: {} containers, {operations} operations", containers::ALL.len());
}

type Ranges = Vec<(&'static Container, Outcome)>;

/// By turns: a case's containers one after the other, and some time later all of them again, so
/// that a machine that slows down on the way slows them all.
fn measure(plan: &Plan) -> harness::Result<(Vec<Results>, Ranges)> {
    let start = Instant::now();
    let turns: usize = plan.cases.iter().map(|case| case.repetitions).sum();
    let to_churn = if plan.with_ranges { &plan.containers[..] } else { &[] };
    let mut progress = Progress::new(turns * plan.containers.len() + to_churn.len());
    let mut ranges = Vec::new();
    for &container in to_churn {
        progress.begin(container.name);
        ranges.push((container, child::live_range(container, RANGE_CASE)?));
    }

    let of = |&container: &&'static Container| Measured { container, lives: Vec::new() };
    let none = |planned: &PlannedCase| Results {
        case: planned.case,
        measured: plan.containers.iter().map(of).collect(),
    };
    let mut results: Vec<Results> = plan.cases.iter().map(none).collect();
    let mut took = vec![Duration::ZERO; plan.cases.len()];
    let rounds = plan.cases.iter().map(|case| case.repetitions).max().unwrap_or(0);
    for round in 0..rounds {
        for ((planned, results), took) in plan.cases.iter().zip(&mut results).zip(&mut took) {
            let late = plan.enough.is_some_and(|enough| start.elapsed() + *took > enough);
            // Of those that have fewer repetitions than there are rounds, evenly among these.
            let done = |rounds_done: usize| rounds_done * planned.repetitions / rounds;
            let is_due = done(round + 1) > done(round);
            if !is_due || late && done(round) > 0 {
                continue;
            }
            let turn = Instant::now();
            child::touch(planned.case)?;
            for Measured { container, lives } in &mut results.measured {
                progress.begin(container.name);
                lives.push(child::life(container, planned.case, &planned.operations)?);
            }
            *took = turn.elapsed();
        }
    }
    Ok((results, ranges))
}
