//! From the plan to the report.

use bench_common::harness::Result;
use bench_common::jobs::Job as _;
use bench_common::progress::Progress;
use bench_common::table::table;
use bench_common::target;
use clap::Parser;

use crate::child::{self, Job, Outcome, Pass};
use crate::cli::Options;
use crate::containers::Container;
use crate::plan::Plan;
use crate::scenario::Scenario;
use crate::stats::{Measured, Results};
use crate::summary::Summary;
use crate::{overview, report, table, verdict};

/// Measures, prints and writes everything.
pub(crate) fn bench(options: &Options) -> Result {
    let plan = options.plan();
    if plan.scenarios().next().is_none() {
        return Err("none of these containers is measured in these scenarios".into());
    }
    let results = measure_all(&plan)?;
    let summary = Summary::new(&plan, &results);
    let directory = target::write("frame-stalls", &report::render(&summary, &results)?)?;

    if options.common.json {
        println!("{}", serde_json::to_string_pretty(&summary)?);
        return Ok(());
    }
    for scenario in &summary.scenarios {
        println!("{}: {}", scenario.name, scenario.description);
        let (header, rows) = table::all_figures(&scenario.containers, plan.budget_us);
        println!("{}\n", table(1, header, rows));
    }
    for (subject, (header, rows)) in overview::tables(&summary) {
        println!("{}. {}.", subject.name(), overview::CAPTION);
        println!("{}\n", table(1, header, rows));
    }
    for (name, sentence) in verdict::all(&summary) {
        println!("{name}: {sentence}");
    }
    println!("\nPlots and all figures: {}", directory.join(report::PAGE).display());
    Ok(())
}

/// Everything once, with small sizes, without files: what `cargo test --benches` runs.
pub(crate) fn smoke() -> Result {
    let arguments = "frame_stalls --full --fast --repetitions 1 --frames 6 --spawn 480 --arrays 16 \
                     --population 1000 --churn 50 --live 1000 --born 50 --rows 3000 --batch 100";
    let plan = Options::parse_from(arguments.split(' ')).plan();
    let results = measure_all(&plan)?;
    let summary = Summary::new(&plan, &results);
    let files = report::render(&summary, &results)?;
    println!("smoke run: {} containers, {} files rendered", plan.containers.len(), files.len());
    Ok(())
}

/// Measures all containers, interleaved: each repetition visits all of them before the next begins, so that a
/// machine that slows down slows all of them.
fn measure_all(plan: &Plan) -> Result<Vec<Results>> {
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
        results.push(Results { scenario, measured });
    }
    Ok(results)
}

fn empty(container: &'static Container) -> Measured {
    Measured { container, frames: Vec::new(), pushes: Vec::new() }
}

/// The pass that times pushes reuses the memory that the pass that times frames just returned.
fn measure(plan: &Plan, scenario: Scenario, pass: Pass, container: &Container) -> Result<Outcome> {
    let job = Job {
        scenario,
        script: plan.script(scenario),
        pass,
        container: container.id.to_owned(),
        period_us: plan.period_us,
    };
    if pass == Pass::Frames {
        child::touch(&job, container)?;
    }
    job.outcome().map_err(|error| format!("measuring {}: {error}", container.name).into())
}
