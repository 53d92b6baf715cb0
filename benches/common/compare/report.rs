//! Summaries, tables and pictures of the results.

use serde_json::{Value, json};

use super::{Bench, Container, Measured, Operation, Results};
use crate::harness::{self, Result};
use crate::machine::{Contender, Machine};
#[cfg(feature = "plot")]
use crate::plot::{self, Bar, Panel};
use crate::spread::Spread;
use crate::table::{Table, short};
use crate::target;

/// Returns the machine, with the versions of what was measured.
pub fn machine<B: Bench>(results: &[Results<B>]) -> Machine {
    let packages = measured(results).into_iter().flat_map(|container| container.packages);
    Machine::with(&format!("bench-{}", B::NAME.replace('_', "-")), packages.copied())
}

fn measured<B: Bench>(results: &[Results<B>]) -> Vec<&'static Container<B>> {
    let is_there = |id| results.iter().any(|one| one.by(id).is_some());
    B::CONTAINERS.iter().filter(|container| is_there(container.id)).collect()
}

/// Returns all figures, and what they were measured on.
pub fn summary<B: Bench>(machine: &Machine, results: &[Results<B>]) -> Value {
    let contender = |&Container { id, packages, settings, .. }: &Container<B>| Contender {
        id,
        version: machine.versions_of(packages),
        settings,
    };
    let containers: Vec<Contender> = measured(results).into_iter().map(contender).collect();
    let cases: Vec<Value> = results.iter().map(case_summary).collect();
    json!({
        "machine": machine,
        "command": harness::command(B::NAME),
        "containers": containers,
        "cases": cases,
    })
}

fn case_summary<B: Bench>(results: &Results<B>) -> Value {
    let operations = results.operations().map(|operation| {
        let figure = |one: &Measured<B>| {
            Some(json!({ "id": one.container.id, "figure": one.spread(operation)? }))
        };
        let ratio = |one: &Measured<B>| {
            let ratio = results.ratio(one, one.container.rivals, operation)?;
            Some(json!({ "id": one.container.id, "best": ratio.best, "ratio": ratio.spread }))
        };
        json!({
            "operation": operation,
            "title": operation.title(),
            "figures": results.measured.iter().filter_map(figure).collect::<Vec<_>>(),
            "ratios": results.measured.iter().filter_map(ratio).collect::<Vec<_>>(),
        })
    });
    let operations: Vec<Value> = operations.collect();
    json!({ "case": results.case, "title": results.case.to_string(), "operations": operations })
}

/// Returns a header and rows: a row for each structure, a column for each operation.
pub fn cells<B: Bench>(corner: &str, results: &Results<B>) -> (Vec<String>, Vec<Vec<String>>) {
    let header = [corner.to_owned()].into_iter().chain(results.operations().map(Operation::title));
    let line = |one: &Measured<B>| {
        let cell = |operation| one.spread(operation).map(|spread| cell(operation, &spread));
        let cells = results.operations().map(|operation| cell(operation).unwrap_or_default());
        [one.container.name.to_owned()].into_iter().chain(cells).collect()
    };
    (header.collect(), results.measured.iter().map(line).collect())
}

fn cell(operation: impl Operation, spread: &Spread) -> String {
    if operation.is_a_longest() {
        format!("{}, {}", short(spread.median), short(spread.min))
    } else {
        spread.short_quartiles()
    }
}

/// Draws the figures of a case as bars, a panel for each operation.
#[cfg(feature = "plot")]
pub fn picture<B: Bench>(results: &Results<B>, title: &str, subtitle: &str) -> Result<String> {
    let panel = |operation: B::Operation| {
        let bar = |one: &Measured<B>| Bar {
            name: one.container.name,
            role: one.container.role,
            value: one.spread(operation).map(|spread| [spread.p25, spread.median, spread.p75]),
        };
        Panel { title: operation.title(), bars: results.measured.iter().map(bar).collect() }
    };
    plot::svg(title, subtitle, &results.operations().map(panel).collect::<Vec<_>>())
}

/// Writes the summary and the pictures into a folder of the target directory. Prints the summary as JSON, or else the
/// tables, the verdict and the names of the files.
pub fn publish<B: Bench>(
    json: bool,
    (machine, summary): (&Machine, &Value),
    tables: &[(String, Table)],
    verdict: Option<String>,
    pictures: Vec<(String, String)>,
) -> Result {
    let text = serde_json::to_string_pretty(summary)? + "\n";
    let files: Vec<_> = [("summary.json".to_owned(), text)].into_iter().chain(pictures).collect();
    let directory = target::write(&B::NAME.replace('_', "-"), &files)?;
    harness::print(json, summary, machine, tables)?;
    if !json {
        if let Some(verdict) = verdict {
            println!("\n{verdict}");
        }
        println!();
        for (name, _) in &files {
            println!("{}", directory.join(name).display());
        }
    }
    Ok(())
}
