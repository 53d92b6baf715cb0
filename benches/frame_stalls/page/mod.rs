//! `report.html`: one page that needs nothing else, on a phone as on a desk, light or dark.

mod html;
mod scenario;

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt::Write;

use crate::containers;
use crate::scenario::Subject;
use crate::stats::{Results, Row};
use crate::summary::{ScenarioSummary, Summary};
use crate::verdict;

use html::escaped;

const STYLE: &str = include_str!("page.css");

pub(crate) fn html(summary: &Summary, results: &[Results]) -> Result<String, Box<dyn Error>> {
    let mut page = String::new();
    write!(
        page,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>Frame stalls</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <h1>Frame stalls</h1>\n\
         <p>What growing arrays, slot maps and tables cost a game loop.</p>\n"
    )?;
    write_verdicts(&mut page, summary)?;
    write_contents(&mut page, &summary.scenarios)?;
    for (results, scenario) in results.iter().zip(&summary.scenarios) {
        scenario::write(&mut page, results, scenario, summary.budget_us)?;
    }
    write_containers(&mut page, &summary.scenarios)?;
    write_command(&mut page, summary)?;
    write_machine(&mut page, summary)?;
    page.push_str("</body>\n</html>\n");
    Ok(page)
}

fn write_contents(page: &mut String, scenarios: &[ScenarioSummary]) -> std::fmt::Result {
    page.push_str("<nav>\n");
    for ScenarioSummary { id, name, .. } in scenarios {
        writeln!(page, "<a href=\"#{id}\">{}</a>", escaped(name))?;
    }
    page.push_str(
        "<a href=\"#containers\">Containers and settings</a>\n\
         <a href=\"#reproduce\">To reproduce</a>\n<a href=\"#machine\">Machine</a>\n</nav>\n",
    );
    Ok(())
}

fn write_verdicts(page: &mut String, summary: &Summary) -> std::fmt::Result {
    for (name, sentence) in verdict::all(summary) {
        let (name, sentence) = (escaped(name), escaped(&sentence));
        writeln!(page, "<p class=\"verdict\"><b>{name}.</b> {sentence}</p>")?;
    }
    Ok(())
}

/// Each once, though it may be measured in several scenarios.
fn write_containers(page: &mut String, scenarios: &[ScenarioSummary]) -> std::fmt::Result {
    page.push_str("<h2 id=\"containers\">Containers and settings</h2>\n");
    for subject in Subject::ALL {
        let scenarios = scenarios.iter().filter(|scenario| scenario.subject == subject);
        let rows: Vec<&Row> = scenarios.flat_map(|scenario| &scenario.containers).collect();
        let measured: BTreeSet<&str> = rows.iter().map(|row| row.id).collect();
        if measured.is_empty() {
            continue;
        }
        writeln!(page, "<h3>{}</h3>\n<dl>", subject.name())?;
        for container in containers::all().filter(|container| measured.contains(container.id)) {
            let Some(row) = rows.iter().find(|row| row.id == container.id) else { continue };
            let [name, settings, version] = [row.name, row.settings, &row.version].map(escaped);
            writeln!(page, "<dt>{name}</dt><dd>{settings} <small>({version})</small></dd>")?;
        }
        page.push_str("</dl>\n");
    }
    Ok(())
}

fn write_command(page: &mut String, summary: &Summary) -> std::fmt::Result {
    write!(
        page,
        "<h2 id=\"reproduce\">To reproduce</h2>\n<pre>{}</pre>\n\
         <p><code>benches/README.md</code> says what is measured, how, and where the figures \
         mislead. <code>summary.json</code> and <code>frames.csv</code> beside this page hold \
         them all. With <code>--full</code> there are more scenarios and containers.</p>\n",
        escaped(&summary.command)
    )
}

fn write_machine(page: &mut String, summary: &Summary) -> std::fmt::Result {
    page.push_str("<h2 id=\"machine\">Measured on</h2>\n<dl>\n");
    for (label, value) in summary.machine.facts() {
        writeln!(page, "<dt>{label}</dt><dd>{}</dd>", escaped(&value))?;
    }
    page.push_str("</dl>\n");
    Ok(())
}
