//! The files of a run: summary, samples, page and plots.

use std::error::Error;
use std::fmt::Write;
use std::path::Path;
use std::{fs, io};

use crate::stats::{Measured, Results, micros};
use crate::summary::Summary;
use crate::{page, plots};

/// A file's name and its text.
pub(crate) type File = (&'static str, String);

/// Everything that is to be written, as text.
pub(crate) fn render(summary: &Summary, results: &[Results]) -> Result<Vec<File>, Box<dyn Error>> {
    let mut files = vec![
        ("summary.json", serde_json::to_string_pretty(summary)? + "\n"),
        ("frames.csv", csv(results)?),
        ("report.html", page::html(summary, results)?),
    ];
    if let Some(first) = results.first() {
        let headline: Vec<&Measured> =
            first.measured.iter().filter(|measured| measured.container.headline).collect();
        files.push(("frame-times.svg", plots::frame_times("Time a frame takes", &headline)?));
        files.push(("percentiles.svg", plots::percentiles("Frame time percentiles", &headline)?));
    }
    Ok(files)
}

pub(crate) fn write(directory: &Path, files: &[File]) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    files.iter().try_for_each(|(name, text)| fs::write(directory.join(name), text))
}

fn csv(results: &[Results]) -> Result<String, std::fmt::Error> {
    let mut text = String::from("scenario,container,repetition,frame,us\n");
    for Results { scenario, measured } in results {
        for measured in measured {
            for (repetition, run) in measured.frames.iter().enumerate() {
                for (frame, &ns) in run.frame_ns.iter().enumerate() {
                    let (name, id, us) = (scenario.name(), measured.container.id, micros(ns));
                    writeln!(text, "{name},{id},{},{frame},{us:.3}", repetition + 1)?;
                }
            }
        }
    }
    Ok(text)
}
