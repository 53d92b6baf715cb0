//! Renders memory maps as an HTML page.

#![forbid(unsafe_code)]

use super::display::{Totals, kind, size};
use super::{Entry, MemoryMap};
use std::collections::HashMap;
use std::fmt::Write;

/// The template. The parts of the content go between its parts.
const TEMPLATE: &str = include_str!("page.html");

/// Returns an HTML page that shows the last of `maps`, and how resident memory changed over all of them, which must be in
/// the order in which they were taken. Without maps, it has an empty table.
///
/// The page is self-contained. For each reservation, its table shows a strip with the resident parts of the committed
/// memory, and a line with the resident bytes in each map, scaled to its own maximum. The columns can be sorted; unknown
/// numbers count as 0.
///
/// # Examples
///
/// ```
/// use stayput::memory_map::html_page;
///
/// let mut particles = stayput::VmVec::builder().name("particles").build();
/// let mut maps = Vec::new();
/// for frame in 0..10 {
///     particles.extend([[frame as f32; 4]; 1000]);
///     maps.push(stayput::memory_map());
/// }
/// let page = html_page(&maps);
/// assert!(page.starts_with("<!doctype html>") && page.contains("particles"));
/// // std::fs::write("memory.html", page)?;
/// ```
#[must_use]
pub fn html_page(maps: &[MemoryMap]) -> String {
    let mut parts = TEMPLATE.split("<!--content-->");
    let mut page = String::from(parts.next().unwrap_or_default());
    let none = MemoryMap::default();
    let last = maps.last().unwrap_or(&none);
    add_totals(&mut page, maps, last);
    page.push_str(parts.next().unwrap_or_default());
    let resident = |map: &MemoryMap| {
        let bytes = |entry: &Entry| (entry.id, entry.resident_bytes.unwrap_or(0));
        map.entries.iter().map(bytes).collect::<HashMap<usize, usize>>()
    };
    let resident: Vec<_> = maps.iter().map(resident).collect();
    for entry in &last.entries {
        // 0 in a map that does not list it.
        let resident = resident.iter().map(|map| map.get(&entry.id).copied().unwrap_or(0));
        add_row(&mut page, entry, &resident.collect::<Vec<usize>>());
    }
    page.push_str(parts.next().unwrap_or_default());
    page
}

/// Writes to a string, which does not fail.
macro_rules! add {
    ($page:expr, $($text:tt)*) => {
        write!($page, $($text)*).expect("strings grow")
    };
}

fn add_totals(page: &mut String, maps: &[MemoryMap], last: &MemoryMap) {
    let totals = Totals::of(last);
    let unused = format!("{} in {}", size(Some(totals.unused_resident)), totals.unused);
    let tiles = [
        ("reservations", totals.count.to_string()),
        ("reserved", size(Some(totals.reserved))),
        ("committed", size(Some(totals.committed))),
        ("resident", size(Some(totals.resident))),
        ("in huge pages", size(Some(totals.huge))),
        ("unused, resident", unused),
    ];
    for (what, value) in tiles {
        add!(page, "<div><dt>{what}</dt><dd>{value}</dd></div>");
    }
    if maps.len() > 1 {
        let resident: Vec<usize> = maps.iter().map(|map| Totals::of(map).resident).collect();
        add!(
            page,
            "<div><dt>resident over {} maps</dt><dd>{}</dd></div>",
            maps.len(),
            line(&resident)
        );
    }
}

fn add_row(page: &mut String, entry: &Entry, resident: &[usize]) {
    let what = kind(entry);
    let name = entry.name.unwrap_or(&what);
    let class = if entry.is_unused() { " class=unused" } else { "" };
    add!(page, "<tr{class}><th scope=row data-value=\"{0}\"><b>{0}</b>", escaped(name));
    let mut details = Vec::new();
    if entry.name.is_some() {
        details.push(what.clone());
    }
    // Without the column.
    let location = entry.location.as_deref().and_then(|location| location.rsplit_once(':'));
    details.extend(location.map(|(line, _)| line.to_owned()));
    for detail in details {
        add!(page, "<span>{}</span>", escaped(&detail));
    }
    page.push_str("</th><td>");
    page.push_str(&strip(entry));
    page.push_str("</td><td>");
    page.push_str(&line(resident));
    page.push_str("</td>");
    let sizes = [
        entry.resident_bytes,
        entry.committed_bytes,
        Some(entry.reserved_bytes),
        entry.huge_bytes,
        entry.spare_bytes,
    ];
    for bytes in sizes {
        add!(page, "<td data-value={}>{}</td>", bytes.unwrap_or(0), size(bytes));
    }
    for count in [entry.growths, entry.late_growths] {
        add!(page, "<td data-value={count}>{count}</td>");
    }
    add!(
        page,
        "<td data-value={}>{}</td></tr>\n",
        entry.on_demand_bytes,
        size(Some(entry.on_demand_bytes))
    );
}

/// Draws the committed bytes as a strip, from left to right, darker where more is resident.
fn strip(entry: &Entry) -> String {
    let parts = &entry.resident_parts;
    if parts.is_empty() {
        return String::new();
    }
    let about =
        format!("{} of {} resident", size(entry.resident_bytes), size(entry.committed_bytes));
    let mut image = format!(
        "<svg class=strip viewBox=\"0 0 {} 1\" preserveAspectRatio=none role=img><title>{about}</title>",
        parts.len()
    );
    let mut start = 0;
    for run in parts.chunk_by(|one, next| one == next) {
        if run[0] > 0 {
            add!(
                image,
                "<rect x={start} width={} height=1 opacity=.{:02} />",
                run.len(),
                run[0].min(99)
            );
        }
        start += run.len();
    }
    image + "</svg>"
}

/// Draws numbers as a line, scaled to the largest.
fn line(numbers: &[usize]) -> String {
    let most = numbers.iter().copied().max().unwrap_or(0).max(1);
    let mut image = String::from(
        "<svg class=line viewBox=\"0 0 100 20\" preserveAspectRatio=none aria-hidden=true><polyline points=\"",
    );
    let last = numbers.len().saturating_sub(1).max(1);
    for (place, number) in numbers.iter().enumerate() {
        let (x, y) = (place * 100 / last, 19 - (*number as u128 * 18 / most as u128));
        add!(image, "{x},{y} ");
    }
    if let [number] = numbers {
        add!(image, "100,{}", 19 - (*number as u128 * 18 / most as u128));
    }
    image + "\"/></svg>"
}

/// Escapes text for HTML content and attribute values.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for char in text.chars() {
        match char {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            _ => escaped.push(char),
        }
    }
    escaped
}
