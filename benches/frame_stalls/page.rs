//! `report.html`: one page that needs nothing else, on a phone as on a desk, light or dark.

use std::error::Error;
use std::fmt::Write;

use plotters::style::RGBColor;

use crate::containers::{Container, Family};
use crate::plots::{self, GRID, INK, PAPER};
use crate::stats::{Measured, Results, Row, typical_run};
use crate::summary::Summary;
use crate::table;

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
         <p>What growing arrays and slot maps cost a game loop.</p>\n"
    )?;
    for (results, scenario) in results.iter().zip(&summary.scenarios) {
        writeln!(page, "<h2>Scenario: {}</h2>", escaped(scenario.name))?;
        writeln!(page, "<p>{}</p>", escaped(&scenario.description))?;
        write_plots(&mut page, &results.measured, &scenario.containers)?;
        write_table(&mut page, &scenario.containers, summary.budget_us)?;
        write_settings(&mut page, &scenario.containers)?;
    }
    write_machine(&mut page, summary)?;
    page.push_str("</body>\n</html>\n");
    Ok(page)
}

/// The headline containers together, then each family by itself beside the limit: more lines
/// than that in one plot can't be told apart.
fn write_plots(
    page: &mut String,
    measured: &[Measured],
    rows: &[Row],
) -> Result<(), Box<dyn Error>> {
    let select = |wanted: fn(&Container) -> bool| -> Vec<&Measured> {
        measured.iter().filter(|measured| wanted(measured.container)).collect()
    };
    let panels = [
        ("an overview", select(|container| container.headline)),
        ("Vec", select(|container| container.family == Family::Std || container.limit)),
        ("other crates", select(|container| container.family == Family::Peer || container.limit)),
        ("stayput", select(|container| container.family == Family::Stayput || container.limit)),
    ];
    // The limit alone is no panel.
    let panels: Vec<_> = panels.into_iter().filter(|(_, lines)| lines.len() > 1).collect();
    let frames = measured.first().map_or(0, |measured| typical_run(measured).len());
    let group = match plots::frames_a_point(frames) {
        1 => String::new(),
        group => format!(" Each point is the worst of {group} frames."),
    };
    write!(
        page,
        "<h3>Time a frame takes</h3>\n<p>Of each container the repetition whose worst frame is \
         the median one, as it happened.{group} The dashed lines are budgets of 1 ms and of a \
         frame at 60 Hz.</p>\n<div class=\"figures\">\n",
    )?;
    for (title, lines) in &panels {
        write_figure(page, &plots::frame_times(&format!("Frame times: {title}"), lines)?)?;
    }
    page.push_str(
        "</div>\n<h3>Percentiles</h3>\n<p>Over the frames of all repetitions together; each line \
         ends at the worst frame.</p>\n<div class=\"figures\">\n",
    );
    for (title, lines) in &panels {
        write_figure(page, &plots::percentiles(&format!("Percentiles: {title}"), lines)?)?;
    }
    page.push_str(
        "</div>\n<h3>Worst frames</h3>\n<p>The median over the repetitions; the thin line spans \
         the worst frames of the single repetitions.</p>\n<div class=\"figures\">\n",
    );
    write_figure(page, &plots::worst_frames("Worst frame", rows)?)?;
    page.push_str("</div>\n");
    Ok(())
}

/// Lets the plot take the page's colours instead of paper's.
fn write_figure(page: &mut String, svg: &str) -> std::fmt::Result {
    let svg = svg
        .replace(&hex(INK), "currentColor")
        .replace(&hex(GRID), "var(--grid)")
        .replace(&hex(PAPER), "none");
    writeln!(page, "<figure>{svg}</figure>")
}

fn hex(RGBColor(red, green, blue): RGBColor) -> String {
    format!("#{red:02X}{green:02X}{blue:02X}")
}

fn write_table(page: &mut String, rows: &[Row], budget_us: Option<u64>) -> std::fmt::Result {
    let (header, rows) = table::cells(rows, budget_us);
    page.push_str(
        "<h3>Figures</h3>\n<p>Microseconds where not said otherwise, each the median over the \
         repetitions; the range is that of the single repetitions' worst frames.</p>\n\
         <div class=\"wide\"><table>\n<tr>",
    );
    for cell in header {
        write!(page, "<th scope=\"col\">{}</th>", escaped(&cell))?;
    }
    page.push_str("</tr>\n");
    for row in rows {
        page.push_str("<tr>");
        for (index, cell) in row.iter().enumerate() {
            let tag = if index == 0 { "th" } else { "td" };
            write!(page, "<{tag}>{}</{tag}>", escaped(cell))?;
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</table></div>\n");
    Ok(())
}

fn write_settings(page: &mut String, rows: &[Row]) -> std::fmt::Result {
    page.push_str("<h3>Containers and their settings</h3>\n<dl>\n");
    for row in rows {
        let (name, version) = (escaped(row.name), escaped(&row.version));
        write!(page, "<dt>{name}</dt><dd>{} <small>({version})</small>", escaped(row.settings))?;
        if row.worst_idle_us >= 1.0 {
            write!(page, " <small>Longest preparation: {:.0} µs.</small>", row.worst_idle_us)?;
        }
        page.push_str("</dd>\n");
    }
    page.push_str("</dl>\n");
    Ok(())
}

fn write_machine(page: &mut String, summary: &Summary) -> std::fmt::Result {
    page.push_str("<h2>Measured on</h2>\n<dl>\n");
    for (label, value) in summary.machine.facts() {
        writeln!(page, "<dt>{label}</dt><dd>{}</dd>", escaped(&value))?;
    }
    write!(
        page,
        "</dl>\n<h2>To reproduce</h2>\n<pre>{}</pre>\n\
         <p><code>benches/README.md</code> says what is measured, how, and where the figures \
         mislead. <code>summary.json</code> and <code>frames.csv</code> beside this page hold \
         them all.</p>\n",
        escaped(&summary.command)
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
