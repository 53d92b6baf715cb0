//! The elements of a page.

use std::fmt::Write;

use plotters::style::RGBColor;

use crate::plots::{GRID, INK, PAPER};
use crate::table::Cells;

/// Replaces the plot's colours, which suit white paper, by the page's.
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

/// How a row is highlighted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    None,
    Ours,
    Best,
    Limit,
}

impl Mark {
    /// Returns the row's class, and the word after its name.
    fn class_and_word(self) -> [&'static str; 2] {
        match self {
            Self::None => ["", ""],
            Self::Ours => ["ours", "ours"],
            Self::Best => ["best", "best of the others"],
            Self::Limit => ["limit", "the limit"],
        }
    }
}

/// Writes the table into a box of its own, so that a wide table scrolls there.
pub(super) fn write_table(
    page: &mut String,
    (header, rows): &Cells,
    marks: &[Mark],
) -> std::fmt::Result {
    page.push_str("<div class=\"wide\"><table>\n<tr>");
    for cell in header {
        write!(page, "<th scope=\"col\">{}</th>", escaped(cell))?;
    }
    page.push_str("</tr>\n");
    for (row, mark) in rows.iter().zip(marks) {
        let [class, word] = mark.class_and_word();
        write!(page, "<tr class=\"{class}\">")?;
        for (index, cell) in row.iter().map(|cell| escaped(cell)).enumerate() {
            match index {
                0 => write!(page, "<th scope=\"row\">{cell} <small>{word}</small></th>")?,
                _ => write!(page, "<td>{cell}</td>")?,
            }
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</table></div>\n");
    Ok(())
}

pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
