//! What the page says about a scenario.

use std::error::Error;
use std::fmt::Write;

use super::html::{escaped, write_figure, write_table};
use crate::containers::{Container, Family};
use crate::plots;
use crate::stats::{Measured, Results, typical_run};
use crate::summary::ScenarioSummary;
use crate::table;

/// A title, and which containers a plot shows.
type Panel = (&'static str, fn(&Container) -> bool);

/// The headline containers together, then each family by itself beside the limit: more lines
/// than that in one plot can't be told apart.
const PANELS: [Panel; 4] = [
    ("an overview", |container| container.headline),
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

    let measured = &results.measured;
    let frames = measured.iter().find_map(typical_run).map_or(0, |run| run.frame_ns.len());
    let group = match plots::frames_a_point(frames) {
        1 => String::new(),
        group => format!(" Each point is the worst of {group} frames."),
    };
    let how = format!(
        "Of each container the repetition whose worst frame is the median one, as it happened.{group} \
         The dashed lines are budgets of 1 ms and of a frame at 60 Hz."
    );
    let figures = drawn(measured, |title, shown| {
        plots::frame_times(&format!("Frame times: {title}"), measured, shown)
    })?;
    write_section(page, "Time a frame takes", &how, &figures)?;

    let how = "Over the frames of all repetitions together; each line ends at the worst frame.";
    let figures = drawn(measured, |title, shown| {
        plots::percentiles(&format!("Percentiles: {title}"), measured, shown)
    })?;
    write_section(page, "Percentiles", how, &figures)?;

    let how = "Worst frames are medians over the repetitions; the thin line spans those of the single \
               ones. Resident is what the process has after each frame, in the runs whose frame times \
               are shown: what is in the container, what it or the allocator keeps, and some 3 MiB \
               of program.";
    let mut figures = vec![plots::worst_frames("Worst frame", containers)?];
    figures.extend(plots::memory("Resident memory", measured, |container| container.headline)?);
    write_section(page, "Worst frames, and memory over time", how, &figures)?;

    page.push_str(
        "<h3>Figures</h3>\n<p>Microseconds where not said otherwise, each the median over the \
         repetitions; the range is that of the single repetitions' worst frames.</p>\n",
    );
    write_table(page, &table::cells(containers, budget_us))?;
    Ok(())
}

fn write_section(
    page: &mut String,
    title: &str,
    how: &str,
    figures: &[String],
) -> std::fmt::Result {
    writeln!(page, "<h3>{title}</h3>\n<p>{how}</p>\n<div class=\"figures\">")?;
    figures.iter().try_for_each(|figure| write_figure(page, figure))?;
    page.push_str("</div>\n");
    Ok(())
}

/// The panels that show more than the limit; if there are none, one of whatever there is.
fn drawn(
    measured: &[Measured],
    plot: impl Fn(&str, fn(&Container) -> bool) -> Result<String, Box<dyn Error>>,
) -> Result<Vec<String>, Box<dyn Error>> {
    let lines =
        |(_, shown): &Panel| measured.iter().filter(|measured| shown(measured.container)).count();
    let mut panels: Vec<Panel> = PANELS.into_iter().filter(|panel| lines(panel) > 1).collect();
    if panels.is_empty() {
        panels.push(("all", |_| true));
    }
    panels.into_iter().map(|(title, shown)| plot(title, shown)).collect()
}
