//! The elements of a page.

use std::fmt::{Result, Write};

use crate::containers::{self, Family};
use crate::overview;
use crate::stats::{Row, milliseconds};
use crate::summary::{ScenarioSummary, Summary};
use crate::table;

/// Writes the worst frames, coloured by how many frames were late.
pub(super) fn write_overview(page: &mut String, summary: &Summary<'_>) -> Result {
    page.push_str("<table class=\"overview\">\n");
    for group in overview::groups(summary) {
        write!(page, "<tr><th>{}</th>", group.subject.name())?;
        for name in group.names {
            write!(page, "<th scope=\"col\">{}</th>", escaped(name))?;
        }
        page.push_str("</tr>\n");
        for (scenario, rows) in group.rows {
            let ScenarioSummary { id, name, .. } = scenario;
            write!(page, "<tr><th scope=\"row\"><a href=\"#{id}\">{name}</a></th>")?;
            rows.iter().try_for_each(|row| write_worst(page, scenario, *row))?;
            page.push_str("</tr>\n");
        }
    }
    page.push_str("</table>\n");
    Ok(())
}

fn write_worst(page: &mut String, scenario: &ScenarioSummary<'_>, row: Option<&Row>) -> Result {
    let Some(row) = row else { return page.write_str("<td>–</td>") };
    let worst = milliseconds(row.worst_us);
    match row.over_budget {
        0 => write!(page, "<td class=\"none\">{worst}</td>"),
        late => {
            let class = if late * 100 > scenario.script.frames { "many" } else { "few" };
            write!(page, "<td class=\"{class}\">{worst} <small>{late} late</small></td>")
        }
    }
}

/// Writes all figures into a box of their own, so that a wide table scrolls there.
pub(super) fn write_figures(page: &mut String, scenario: &ScenarioSummary<'_>) -> Result {
    let (header, cells) = table::all_figures(scenario);
    page.push_str("<div class=\"wide\"><table>\n<tr>");
    header.iter().try_for_each(|name| write!(page, "<th scope=\"col\">{}</th>", escaped(name)))?;
    page.push_str("</tr>\n");
    for (row, cells) in scenario.containers.iter().zip(&cells) {
        let class = match containers::find(row.id) {
            Some(one) if one.limit => "limit",
            Some(one) if one.family == Family::Stayput => "ours",
            _ => "",
        };
        write!(page, "<tr class=\"{class}\"><th scope=\"row\">{}</th>", escaped(row.name))?;
        cells.iter().skip(1).try_for_each(|cell| write!(page, "<td>{}</td>", escaped(cell)))?;
        page.push_str("</tr>\n");
    }
    page.push_str("</table></div>\n");
    Ok(())
}

/// Writes terms and what they mean.
pub(super) fn write_terms<'a, T: AsRef<str>>(
    page: &mut String,
    terms: impl IntoIterator<Item = (&'a str, T)>,
) -> Result {
    page.push_str("<dl>\n");
    for (term, meaning) in terms {
        let [term, meaning] = [term, meaning.as_ref()].map(escaped);
        writeln!(page, "<dt>{term}</dt><dd>{meaning}</dd>")?;
    }
    page.push_str("</dl>\n");
    Ok(())
}

pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
