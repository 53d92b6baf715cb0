//! README's picture and its table of worst frames, of one run.

use std::error::Error;
use std::fs;
use std::path::Path;

use crate::containers::GLIBC;
use crate::plots;
use crate::scenario::Scenario;
use crate::stats::{Run, milliseconds};
use crate::summary::{ScenarioSummary, Summary};

/// The containers of the picture in drawing order, with their names there and in the table, which begins with the
/// last.
pub(crate) const SHOWN: [(&str, &str, &str); 5] = [
    ("vec-mimalloc", "Vec, mimalloc", "`Vec` with mimalloc, which copies, like most allocators"),
    ("vec", "Vec, glibc", "`Vec` with glibc, whose `realloc` remaps pages instead of copying"),
    ("vmvec", "VmVec", "`VmVec`, default options"),
    (
        "vec-warm",
        "Vec, touched",
        "`Vec` with all its memory allocated and touched before the first frame",
    ),
    (
        "vmvec-ahead",
        "VmVec, ahead",
        "**`VmVec`, with memory committed ahead by a background thread**",
    ),
];

const HEADER: &str = "| | worst frame |\n|---|---|\n";

/// Returns the picture; `None` if some of its containers were not measured, or the system's allocator is not glibc's.
pub(crate) fn picture(run: &Run) -> Result<Option<String>, Box<dyn Error>> {
    let mut results = run.results.iter().filter(|_| GLIBC);
    let Some(results) = results.find(|results| results.scenario == Scenario::Steady) else {
        return Ok(None);
    };
    let size = results.script.most_bytes() >> 20;
    let title = format!("Time of each frame while an array grows to {size} MiB");
    plots::picture(&title, &results.measured)
}

/// Writes both into the repository.
pub(crate) fn write(summary: &Summary<'_>, run: &Run) -> Result<(), Box<dyn Error>> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let steady = summary.scenarios.iter().find(|scenario| scenario.id == Scenario::Steady.id());
    let (Some(picture), Some(table)) = (picture(run)?, steady.and_then(table)) else {
        return Err("--readme needs glibc, and all containers of the picture in steady".into());
    };
    let path = repository.join("README.md");
    let text = fs::read_to_string(&path)?;
    let (before, rest) = text.split_once(HEADER).ok_or("README.md has no table of worst frames")?;
    let (_, after) = rest.split_once("\n\n").ok_or("README.md ends with the table")?;
    fs::write(path, format!("{before}{HEADER}{table}\n{after}"))?;
    Ok(fs::write(repository.join("docs/frame-times.svg"), picture)?)
}

/// Returns the table's rows.
fn table(steady: &ScenarioSummary<'_>) -> Option<String> {
    let row = |(id, _, row): &(&str, &str, &str)| {
        let mark = if row.starts_with("**") { "**" } else { "" };
        Some(format!("| {row} | {mark}{} ms{mark} |\n", milliseconds(steady.row(id)?.worst_us)))
    };
    SHOWN.iter().rev().map(row).collect()
}
