//! `report.html`: one self-contained page, for phones and desks, light or dark. What it found comes first, on one
//! screen; everything else is folded.

mod html;
mod scenario;

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt::Write;

use bench_common::spread::millis;

use crate::containers::{self, Container};
use crate::plots;
use crate::scenario::Subject;
use crate::stats::{Row, Run};
use crate::summary::{ScenarioSummary, Summary};
use crate::verdict;

use html::{escaped, write_overview, write_terms};

const STYLE: &str = include_str!("page.css");

pub(crate) fn html(summary: &Summary<'_>, run: &Run) -> Result<String, Box<dyn Error>> {
    let verdict = verdict::sentence(summary).unwrap_or_else(|| "Frame stalls".into());
    let verdict = verdict.replace(" ms", "&nbsp;ms");
    let mut page = String::new();
    write!(
        page,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>Frame stalls</title>\n\
         <style>\n{STYLE}{}</style>\n</head>\n<body>\n<h1>{verdict}</h1>\n<div class=\"figures\">\n<div>\n",
        plots::DARK
    )?;
    write_overview(&mut page, summary)?;
    writeln!(page, "<p class=\"note\">{}</p>\n</div>", explanation(summary))?;
    for (index, (results, scenario)) in run.results.iter().zip(&summary.scenarios).enumerate() {
        let mut figures = scenario::figures(results, scenario)?;
        if index == 0 {
            // Not repeated among the others.
            writeln!(page, "<figure>{}</figure>\n</div>", figures.remove(0))?;
        }
        scenario::write(&mut page, results, scenario, &figures)?;
    }
    write_containers(&mut page, &summary.scenarios)?;
    write_machine(&mut page, summary)?;
    page.push_str("</body>\n</html>\n");
    Ok(page)
}

/// Explains the overview.
fn explanation(summary: &Summary<'_>) -> String {
    let scenarios = &summary.scenarios;
    let budgets: BTreeSet<u64> = scenarios.iter().map(|scenario| scenario.budget_us).collect();
    let late = budgets.iter().enumerate().map(|(index, &budget)| {
        let late = format!("{} ms", millis(budget * 1000));
        let there = scenarios.iter().filter(|scenario| scenario.budget_us == budget);
        let there: Vec<&str> = there.map(|scenario| scenario.name).collect();
        // The others have the first.
        if index == 0 { late } else { format!(" ({late} in {})", there.join(" and ")) }
    });
    let late: Vec<String> = late.collect();
    let rows = scenarios.iter().flat_map(|scenario| &scenario.containers);
    let runs = match rows.map(|row| row.repetitions).max() {
        Some(runs @ 2..) => format!("the median of {runs} runs"),
        _ => "of a single run".into(),
    };
    format!(
        "Worst frame in milliseconds, {runs}. Frames are late after {}: \
         <span class=\"none\">none late</span> <span class=\"few\">up to 1 in 100</span> \
         <span class=\"many\">more</span>. The limit is the warm container: memory of the final \
         size, touched in advance. Measured on {}.",
        late.concat(),
        escaped(summary.machine.cpu.as_deref().unwrap_or(&summary.machine.arch))
    )
}

/// Lists each container once, even if it is measured in several scenarios.
fn write_containers(page: &mut String, scenarios: &[ScenarioSummary<'_>]) -> std::fmt::Result {
    page.push_str("<details><summary>Containers and settings</summary>\n");
    for subject in Subject::ALL {
        let scenarios = scenarios.iter().filter(|scenario| scenario.subject == subject);
        let rows: Vec<&Row> = scenarios.flat_map(|scenario| &scenario.containers).collect();
        let found = |one: &'static Container| rows.iter().find(|row| row.id == one.id);
        let settings = containers::all().filter_map(found);
        let settings =
            settings.map(|row| (row.name, format!("{} ({})", row.settings, row.version)));
        if !rows.is_empty() {
            writeln!(page, "<h2>{}</h2>", subject.name())?;
            write_terms(page, settings)?;
        }
    }
    page.push_str("</details>\n");
    Ok(())
}

fn write_machine(page: &mut String, summary: &Summary<'_>) -> std::fmt::Result {
    write!(
        page,
        "<details><summary>Machine and command</summary>\n<pre>{}</pre>\n\
         <p><code>--full</code> measures more scenarios and containers. \
         <code>benches/README.md</code> describes what is measured, how, and where the figures mislead. \
         <code>summary.json</code> next to this page has all figures, <code>results.json</code> \
         the time of each frame.</p>\n",
        escaped(summary.command)
    )?;
    write_terms(page, summary.machine.facts())?;
    page.push_str("</details>\n");
    Ok(())
}
