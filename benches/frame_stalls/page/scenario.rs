//! The page's section for a scenario.

use std::error::Error;
use std::fmt::Write;

use super::html::{escaped, write_figures};
use crate::containers::{Container, Family};
use crate::plots;
use crate::stats::{Measured, Results, Row, typical_run};
use crate::summary::ScenarioSummary;

/// A title, and the containers that a plot shows.
type Panel = (&'static str, fn(&Container) -> bool);

const LATE_GROWTH: &str =
    " Late growth counts how often growth needed more than the background thread had ready.";

/// The containers of the overview.
const OVERVIEW: Panel = ("", |container| container.headline);

/// Each family in its own plot, with the limit, because more lines in one plot cannot be told apart.
const FAMILIES: [Panel; 3] = [
    (", Vec", |container| container.family == Family::Std || container.limit),
    (", other crates", |container| container.family == Family::Peer || container.limit),
    (", stayput", |container| container.family == Family::Stayput || container.limit),
];

/// Returns the plots; the first is that of frame times, of the containers of the overview.
pub(super) fn figures(
    results: &Results,
    ScenarioSummary { name, containers, .. }: &ScenarioSummary<'_>,
) -> Result<Vec<String>, Box<dyn Error>> {
    let measured = &results.measured;
    let overview = overview(measured);
    let mut figures = vec![frame_times(overview, results)?];
    for family in FAMILIES.into_iter().filter(|family| adds_lines(family, measured)) {
        figures.push(frame_times(family, results)?);
    }
    let rows: Vec<&Row> = containers.iter().collect();
    figures.push(plots::worst_frames(&format!("{name}: worst frame"), &rows)?);
    figures.extend(plots::memory(&format!("{name}: resident memory"), measured, overview.1)?);
    Ok(figures)
}

/// Writes everything about a scenario, folded.
pub(super) fn write(
    page: &mut String,
    results: &Results,
    scenario: &ScenarioSummary<'_>,
    figures: &[String],
) -> std::fmt::Result {
    let ScenarioSummary { id, name, description, .. } = scenario;
    // The id is inside, so that a link unfolds the section.
    writeln!(
        page,
        "<details><summary>{name}</summary>\n<p id=\"{id}\">{}</p>\n<div class=\"figures\">",
        escaped(description)
    )?;
    figures.iter().try_for_each(|svg| writeln!(page, "<figure>{svg}</figure>"))?;
    writeln!(page, "</div>\n<p class=\"note\">{}</p>", how(&results.measured))?;
    write_figures(page, scenario)?;
    page.write_str("</details>\n")
}

/// Explains the plots and the table.
fn how(measured: &[Measured]) -> String {
    let frames = measured.iter().find_map(typical_run).map_or(0, |run| run.frame_ns.len());
    let group = match plots::frames_a_point(frames) {
        1 => String::new(),
        group => format!(" Each point is the worst of {group} frames."),
    };
    let has_late = measured.iter().filter_map(typical_run).any(|run| run.late.is_some());
    let late = if has_late { LATE_GROWTH } else { "" };
    format!(
        "Frame times and resident memory are those of the run whose worst frame is the median \
         one.{group} Bars are medians over the runs, and \
         thin lines their range. Resident memory includes some 3 MiB of program. The table is in \
         microseconds unless stated; each figure is the median over the runs.{late}"
    )
}

fn frame_times((title, shown): Panel, results: &Results) -> Result<String, Box<dyn Error>> {
    let title = format!("{}{title}: time of each frame", results.scenario.name());
    plots::frame_times(&title, &results.measured, shown)
}

/// The overview; or all containers, if the overview had no more than one line.
fn overview(measured: &[Measured]) -> Panel {
    let lines = measured.iter().filter(|measured| OVERVIEW.1(measured.container)).count();
    if lines > 1 { OVERVIEW } else { ("", |_| true) }
}

/// Whether a family has a container that the overview does not show.
fn adds_lines((_, shown): &Panel, measured: &[Measured]) -> bool {
    let overview = overview(measured).1;
    measured.iter().any(|one| shown(one.container) && !overview(one.container))
}
