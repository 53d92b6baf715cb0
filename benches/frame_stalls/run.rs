//! From the plan to the report.

use std::fs;

use bench_common::harness::{self, Result};
use bench_common::jobs::Job as _;
use bench_common::machine::Machine;
use bench_common::progress::Progress;
use bench_common::table::{asked, table};
use bench_common::target;
use clap::Parser;

use crate::child::{self, Host, Job, Outcome, Pass};
use crate::cli::Options;
use crate::containers::Container;
use crate::plan::Plan;
use crate::scenario::Scenario;
use crate::stats::{Measured, Results, Run};
use crate::summary::Summary;
use crate::{overview, page, readme, table, verdict};

/// The folder and the name of the samples.
const FOLDER: &str = "frame-stalls";
const SAMPLES: &str = "results.json";

/// Measures, prints and writes everything.
pub(crate) fn bench(options: &Options) -> Result {
    let run = if options.output.again { stored()? } else { measured(&options.plan())? };
    let summary = Summary::new(&run);
    let directory = target::write(FOLDER, &files(&summary, &run)?)?;
    if options.output.readme {
        readme::write(&summary, &run)?;
    }

    if options.common.json {
        println!("{}", serde_json::to_string_pretty(&summary)?);
        return Ok(());
    }
    for scenario in &summary.scenarios {
        println!("{}: {}", scenario.name, scenario.description);
        let (header, rows) = table::all_figures(scenario);
        println!("{}\n", table(1, header, rows));
    }
    println!("{}", overview::CAPTION);
    for (header, rows) in overview::groups(&summary).map(|group| overview::cells(&group)) {
        println!("{}\n", table(1, header, rows));
    }
    if let Some((title, targets)) = asked("worst frame", verdict::targets(&summary)) {
        println!("{title}\n{targets}\n");
    }
    println!("{}", verdict::sentence(&summary).unwrap_or_default());
    println!("\nPlots and all figures: {}", directory.join("report.html").display());
    Ok(())
}

/// Everything once, with small sizes, without files: what `cargo test --benches` runs.
pub(crate) fn smoke() -> Result {
    let arguments = "frame_stalls --full --fast --repetitions 1 --frames 6 --spawn 480 --arrays 16 \
                     --population 1000 --churn 50 --live 1000 --born 50 --rows 3000 --batch 100";
    let plan = Options::parse_from(arguments.split(' ')).plan();
    let run = measured(&plan)?;
    let files = files(&Summary::new(&run), &run)?;
    println!("smoke run: {} containers, {} files rendered", plan.containers.len(), files.len());
    Ok(())
}

/// Returns name and text of each file.
fn files(summary: &Summary<'_>, run: &Run) -> Result<Vec<(String, String)>> {
    let picture = readme::picture(run)?.map(|picture| ("picture.svg", picture));
    let files = [
        (SAMPLES, serde_json::to_string(run)?),
        ("summary.json", serde_json::to_string_pretty(summary)? + "\n"),
        ("report.html", page::html(summary, run)?),
    ];
    Ok(files.into_iter().chain(picture).map(|(name, text)| (name.to_owned(), text)).collect())
}

/// Returns the last run.
fn stored() -> Result<Run> {
    let path = target::directory()?.join(FOLDER).join(SAMPLES);
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(serde_json::from_str(&text)?)
}

fn measured(plan: &Plan) -> Result<Run> {
    let packages = plan.containers.iter().flat_map(|container| container.packages);
    Ok(Run {
        machine: Machine::with(env!("CARGO_PKG_NAME"), packages.copied()),
        command: harness::command("frame_stalls"),
        period_us: plan.period_us,
        budget_us: plan.budget_us,
        results: measure_all(plan)?,
    })
}

/// Measures all containers, interleaved: each repetition visits all of them before the next begins, so that a
/// machine that slows down slows all of them.
fn measure_all(plan: &Plan) -> Result<Vec<Results>> {
    if plan.scenarios().next().is_none() {
        return Err("none of these containers is measured in these scenarios".into());
    }
    let each = plan.scenarios().map(|scenario| plan.of(scenario).count());
    let passes = plan.repetitions + plan.push_repetitions;
    let mut progress = Progress::new(each.sum::<usize>() * passes);
    let mut results = Vec::new();
    for scenario in plan.scenarios() {
        let mut measured: Vec<Measured> = plan.of(scenario).map(empty).collect();
        for repetition in 1..=plan.repetitions {
            for Measured { container, frames, pushes } in &mut measured {
                let what = format!("{}, {}", scenario.name(), container.name);
                progress.begin(&what);
                frames.push(measure(plan, scenario, Pass::Frames, container)?);
                if repetition <= plan.push_repetitions {
                    progress.begin(format!("{what}: single pushes"));
                    pushes.push(measure(plan, scenario, Pass::Pushes, container)?);
                }
            }
        }
        results.push(Results { scenario, script: plan.script(scenario), measured });
    }
    Ok(results)
}

fn empty(container: &'static Container) -> Measured {
    Measured { container, frames: Vec::new(), pushes: Vec::new() }
}

/// On a warm host, the pass that times pushes reuses the memory that the pass that times frames just returned.
fn measure(
    plan: &Plan,
    scenario: Scenario,
    pass: Pass,
    container: &'static Container,
) -> Result<Outcome> {
    let job =
        Job { scenario, script: plan.script(scenario), pass, container, period_us: plan.period_us };
    match (plan.host, pass) {
        (Host::Cold, _) => child::cool()?,
        (Host::Warm, Pass::Frames) => child::touch(&job)?,
        (Host::Warm, Pass::Pushes) => {}
    }
    job.outcome().map_err(|error| format!("measuring {}: {error}", container.name).into())
}
