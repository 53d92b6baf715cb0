//! The page's section for a scenario.

use std::error::Error;
use std::fmt::Write;

use super::html::{Mark, escaped, write_figure, write_table};
use crate::containers::{self, Container, Family};
use crate::plots;
use crate::stats::{Measured, Results, Row, typical_run};
use crate::summary::ScenarioSummary;
use crate::table;

/// A title, and the containers that a plot shows.
type Panel = (&'static str, fn(&Container) -> bool);

/// The containers of the overview.
const OVERVIEW: Panel = ("overview", |container| container.headline);

/// Each family in its own plot, with the limit, because more lines in one plot cannot be told apart.
const FAMILIES: [Panel; 3] = [
    ("Vec", |container| container.family == Family::Std || container.limit),
    ("other crates", |container| container.family == Family::Peer || container.limit),
    ("stayput", |container| container.family == Family::Stayput || container.limit),
];

pub(super) fn write(
    page: &mut String,
    results: &Results,
    scenario: &ScenarioSummary,
    budget_us: Option<u64>,
) -> Result<(), Box<dyn Error>> {
    let ScenarioSummary { id, name, description, containers, .. } = scenario;
    writeln!(page, "<h2 id=\"{id}\">Scenario: {}</h2>", escaped(name))?;
    writeln!(page, "<p>{}</p>", escaped(description))?;

    let best = best(containers);
    let shown = shown(containers, best);
    let marked = |rows: &[&Row]| rows.iter().map(|row| mark(row, best)).collect::<Vec<_>>();

    let measured = &results.measured;
    let overview = overview(measured);
    let figures = [frame_times(overview, measured)?, plots::worst_frames("Worst frame", &shown)?];
    write_figures(page, &figures)?;
    writeln!(page, "<p class=\"note\">{}</p>", escaped(&how(measured)))?;
    write_table(page, &table::main_figures(scenario.subject, &shown), &marked(&shown))?;

    let all: Vec<&Row> = containers.iter().collect();
    writeln!(page, "<details><summary>Percentiles, memory and all figures</summary>")?;
    let mut figures = vec![percentiles(overview, measured)?];
    figures.extend(plots::memory("Resident memory", measured, overview.1)?);
    for family in FAMILIES.into_iter().filter(|family| adds_lines(family, measured)) {
        figures.push(frame_times(family, measured)?);
        figures.push(percentiles(family, measured)?);
    }
    if all.len() > shown.len() {
        figures.push(plots::worst_frames("Worst frame, all containers", &all)?);
    }
    write_figures(page, &figures)?;
    page.push_str(
        "<p class=\"note\">Percentiles are over the frames of all repetitions; each line ends at the \
         worst frame. Resident memory is that of the process after each frame, in the runs whose frame \
         times are shown: the container's elements, what it or the allocator keeps, and some 3 MiB \
         of program. The table is in microseconds unless stated, each figure the median over \
         the repetitions; the range is that of the single repetitions' worst frames.</p>\n",
    );
    write_table(page, &table::all_figures(containers, budget_us), &marked(&all))?;
    page.push_str("</details>\n");
    Ok(())
}

/// Returns the best container that is neither this crate's nor the limit.
fn best(rows: &[Row]) -> Option<&'static str> {
    let others = rows.iter().filter(|row| {
        containers::find(row.id).is_some_and(|one| one.family != Family::Stayput && !one.limit)
    });
    others.min_by(|a, b| f64::total_cmp(&a.worst_us, &b.worst_us)).map(|row| row.id)
}

/// Returns the containers of the overview, and the best.
fn shown<'a>(rows: &'a [Row], best: Option<&str>) -> Vec<&'a Row> {
    let headline = |row: &Row| containers::find(row.id).is_some_and(|one| one.headline);
    let shown: Vec<&Row> =
        rows.iter().filter(|row| headline(row) || Some(row.id) == best).collect();
    if shown.len() > 1 { shown } else { rows.iter().collect() }
}

fn mark(row: &Row, best: Option<&str>) -> Mark {
    match containers::find(row.id) {
        Some(one) if one.limit => Mark::Limit,
        Some(one) if one.family == Family::Stayput => Mark::Ours,
        _ if Some(row.id) == best => Mark::Best,
        _ => Mark::None,
    }
}

/// Explains the first plots.
fn how(measured: &[Measured]) -> String {
    let frames = measured.iter().find_map(typical_run).map_or(0, |run| run.frame_ns.len());
    let group = match plots::frames_a_point(frames) {
        1 => String::new(),
        group => format!(" Each point is the worst of {group} frames."),
    };
    format!(
        "Frame times are those of the repetition whose worst frame is the median one.{group} \
         Worst frames are medians over the repetitions; thin lines span the single repetitions."
    )
}

fn frame_times((title, shown): Panel, measured: &[Measured]) -> Result<String, Box<dyn Error>> {
    plots::frame_times(&format!("Frame times: {title}"), measured, shown)
}

fn percentiles((title, shown): Panel, measured: &[Measured]) -> Result<String, Box<dyn Error>> {
    plots::percentiles(&format!("Percentiles: {title}"), measured, shown)
}

/// The overview; or all containers, if the overview had no more than one line.
fn overview(measured: &[Measured]) -> Panel {
    let lines = measured.iter().filter(|measured| OVERVIEW.1(measured.container)).count();
    if lines > 1 { OVERVIEW } else { ("all", |_| true) }
}

/// Whether a family has a container that the overview does not show.
fn adds_lines((_, shown): &Panel, measured: &[Measured]) -> bool {
    let has_others = measured
        .iter()
        .any(|measured| shown(measured.container) && !OVERVIEW.1(measured.container));
    has_others && overview(measured).0 == OVERVIEW.0
}

fn write_figures(page: &mut String, figures: &[String]) -> std::fmt::Result {
    page.push_str("<div class=\"figures\">\n");
    figures.iter().try_for_each(|figure| write_figure(page, figure))?;
    page.push_str("</div>\n");
    Ok(())
}
