//! From the plan to the report.

use std::error::Error;

use indicatif::{ProgressBar, ProgressStyle};

use crate::child::{self, Job, Outcome, Pass};
use crate::cli::{Options, Plan};
use crate::containers::{self, Container};
use crate::scenario::Scenario;
use crate::stats::{Measured, Results};
use crate::summary::Summary;
use crate::{report, table, target};

/// Measurements of a container in each repetition: frames and pushes.
const PASSES: usize = 2;

/// Measures, shows and writes everything.
pub(crate) fn bench(options: &Options) -> Result<(), Box<dyn Error>> {
    let plan = options.plan();
    let results = measure_all(&plan)?;
    let summary = Summary::new(&plan, &results);
    let directory = target::directory()?.join("frame-stalls");
    let files = report::render(&summary, &results)?;
    report::write(&directory, &files)?;

    if options.json {
        println!("{}", serde_json::to_string_pretty(&summary)?);
        return Ok(());
    }
    println!("{}", summary.description());
    for scenario in &summary.scenarios {
        println!("\n{}\n{}", scenario.name, table::terminal(&scenario.containers, plan.budget_us));
    }
    println!();
    for (name, _) in &files {
        println!("{}", directory.join(name).display());
    }
    Ok(())
}

/// Everything once, small, and nothing written: what `cargo test --benches` runs.
pub(crate) fn smoke() -> Result<(), Box<dyn Error>> {
    let plan = Plan {
        frames: 4,
        spawn: 500,
        repetitions: 1,
        paced: false,
        budget_us: None,
        containers: containers::ALL.iter().collect(),
    };
    let results = measure_all(&plan)?;
    let summary = Summary::new(&plan, &results);
    let files = report::render(&summary, &results)?;
    println!("smoke run: {} containers, {} files rendered", plan.containers.len(), files.len());
    Ok(())
}

/// Interleaved: each repetition goes through all containers before the next begins, so that a
/// machine that slows down on the way slows them all.
fn measure_all(plan: &Plan) -> Result<Vec<Results>, Box<dyn Error>> {
    let steps = Scenario::ALL.len() * plan.repetitions * plan.containers.len() * PASSES;
    let bar = progress_bar(steps)?;
    let mut results = Vec::new();
    for &scenario in Scenario::ALL {
        let mut measured: Vec<Measured> = plan.containers.iter().copied().map(empty).collect();
        for repetition in 1..=plan.repetitions {
            if bar.is_hidden() {
                eprintln!("{}: repetition {repetition} of {}", scenario.name(), plan.repetitions);
            }
            for measured in &mut measured {
                bar.set_message(measured.container.name);
                measured.frames.push(measure(plan, scenario, Pass::Frames, measured.container)?);
                bar.inc(1);
                measured.pushes.push(measure(plan, scenario, Pass::Pushes, measured.container)?);
                bar.inc(1);
            }
        }
        results.push(Results { scenario, measured });
    }
    bar.finish_and_clear();
    Ok(results)
}

/// Drawn between measurements only: a thread that redraws it would compete with what is measured.
fn progress_bar(steps: usize) -> Result<ProgressBar, Box<dyn Error>> {
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {msg}")?;
    Ok(ProgressBar::new(steps as u64).with_style(style))
}

fn empty(container: &'static Container) -> Measured {
    Measured { container, frames: Vec::new(), pushes: Vec::new() }
}

/// The pass over pushes isn't paced, which would only double the time that a run takes; and it
/// finds the memory that the pass over frames just gave back.
fn measure(
    plan: &Plan,
    scenario: Scenario,
    pass: Pass,
    container: &Container,
) -> Result<Outcome, Box<dyn Error>> {
    let job = Job {
        scenario,
        pass,
        container: container.id.to_owned(),
        frames: plan.frames,
        spawn: plan.spawn,
        paced: plan.paced && pass == Pass::Frames,
    };
    if pass == Pass::Frames {
        child::touch(&job, container)?;
    }
    child::measure(job, container)
}
