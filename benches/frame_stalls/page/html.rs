//! The parts that a page is made of.

use std::fmt::Write;

use plotters::style::RGBColor;

use crate::plots::{GRID, INK, PAPER};
use crate::table::Cells;

/// Lets the plot take the page's colours instead of paper's.
pub(super) fn write_figure(page: &mut String, svg: &str) -> std::fmt::Result {
    let svg = svg
        .replace(&hex(INK), "currentColor")
        .replace(&hex(GRID), "var(--grid)")
        .replace(&hex(PAPER), "none");
    writeln!(page, "<figure>{svg}</figure>")
}

fn hex(RGBColor(red, green, blue): RGBColor) -> String {
    format!("#{red:02X}{green:02X}{blue:02X}")
}

/// In a box of its own, so that what is too wide scrolls there.
pub(super) fn write_table(page: &mut String, (header, rows): &Cells) -> std::fmt::Result {
    page.push_str("<div class=\"wide\"><table>\n<tr>");
    for cell in header {
        write!(page, "<th scope=\"col\">{}</th>", escaped(cell))?;
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

pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
