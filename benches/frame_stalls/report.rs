//! The files of a run: summary, samples, page and plots.

use std::error::Error;
use std::fmt::Write;

use crate::containers::Container;
use crate::scenario::Scenario;
use crate::stats::{Results, micros};
use crate::summary::Summary;
use crate::{page, plots};

/// The name of the page.
pub(crate) const PAGE: &str = "report.html";

/// A file's name and its text.
pub(crate) type File = (String, String);

/// Everything that is to be written, as text.
pub(crate) fn render(summary: &Summary, results: &[Results]) -> Result<Vec<File>, Box<dyn Error>> {
    let mut files = vec![
        ("summary.json".to_owned(), serde_json::to_string_pretty(summary)? + "\n"),
        ("frames.csv".to_owned(), csv(results)?),
        (PAGE.to_owned(), page::html(summary, results)?),
    ];
    files.extend(picture(results, summary)?.map(|text| ("picture.svg".to_owned(), text)));
    let headline = |container: &Container| container.headline;
    for Results { scenario, measured } in results {
        let (of, what) = match scenario {
            Scenario::Steady => (String::new(), String::new()),
            _ => (format!("-{}", scenario.id()), format!(": {}", scenario.name())),
        };
        files.push((
            format!("frame-times{of}.svg"),
            plots::frame_times(&format!("Time a frame takes{what}"), measured, headline)?,
        ));
        files.push((
            format!("percentiles{of}.svg"),
            plots::percentiles(&format!("Frame time percentiles{what}"), measured, headline)?,
        ));
    }
    Ok(files)
}

/// That of the README, if what it shows was measured.
fn picture(results: &[Results], summary: &Summary) -> Result<Option<String>, Box<dyn Error>> {
    let steady = results.iter().zip(&summary.scenarios);
    let Some((results, scenario)) =
        steady.into_iter().find(|(results, _)| results.scenario == Scenario::Steady)
    else {
        return Ok(None);
    };
    let spawn = grouped(scenario.script.spawn_per_frame);
    plots::picture(
        &format!(
            "Time a frame takes that spawns {spawn} entities of {} bytes",
            summary.entity_bytes
        ),
        &results.measured,
    )
}

/// With a comma after thousands.
fn grouped(number: usize) -> String {
    match (number / 1000, number % 1000) {
        (0, rest) => rest.to_string(),
        (thousands, rest) => format!("{},{rest:03}", grouped(thousands)),
    }
}

fn csv(results: &[Results]) -> Result<String, std::fmt::Error> {
    let mut text = String::from("scenario,container,repetition,frame,us,resident_bytes\n");
    for Results { scenario, measured } in results {
        for measured in measured {
            for (repetition, run) in measured.frames.iter().enumerate() {
                let mut resident = run.resident_bytes.iter();
                for (frame, &ns) in run.frame_ns.iter().enumerate() {
                    let (scenario, id, us) = (scenario.id(), measured.container.id, micros(ns));
                    write!(text, "{scenario},{id},{},{frame},{us:.3},", repetition + 1)?;
                    let bytes = resident.next().map(u64::to_string).unwrap_or_default();
                    writeln!(text, "{bytes}")?;
                }
            }
        }
    }
    Ok(text)
}
