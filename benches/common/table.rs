//! Tables for a terminal, in Markdown.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

/// A header, and rows as long as it.
#[derive(Clone, Debug)]
pub struct Table {
    /// So many first columns are words, and start at the left; the others are figures.
    words: usize,
    rows: Vec<Vec<String>>,
}

/// A table of which the first columns are words and the others figures.
pub fn table(words: usize, header: Vec<String>, rows: Vec<Vec<String>>) -> Table {
    Table { words, rows: [header].into_iter().chain(rows).collect() }
}

impl Table {
    /// The rows, with the header.
    pub fn height(&self) -> usize {
        self.rows.len()
    }

    /// The characters that each column needs.
    fn widths(&self) -> Vec<usize> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column| {
            let cells = self.rows.iter().filter_map(move |row| row.get(column));
            // Three dashes at least make a column of Markdown.
            cells.map(|cell: &String| cell.chars().count()).fold(3, usize::max)
        };
        (0..columns).map(width).collect()
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widths = self.widths();
        for (line, row) in self.rows.iter().enumerate() {
            if line > 0 {
                writeln!(f)?;
            }
            for (column, &width) in widths.iter().enumerate() {
                let cell = row.get(column).map_or("", String::as_str);
                if column < self.words {
                    write!(f, "| {cell:<width$} ")?;
                } else {
                    write!(f, "| {cell:>width$} ")?;
                }
            }
            write!(f, "|")?;
            if line == 0 {
                writeln!(f)?;
                for (column, width) in widths.iter().enumerate() {
                    let end = if column < self.words { '-' } else { ':' };
                    write!(f, "|{:-<1$}{end}", "", width + 1)?;
                }
                write!(f, "|")?;
            }
        }
        Ok(())
    }
}

/// Three digits or so.
pub fn short(value: f64) -> String {
    let decimals = match value {
        ..9.995 => 2,
        ..99.95 => 1,
        _ => 0,
    };
    format!("{value:.decimals$}")
}

/// The name of a variant, for people as in JSON.
pub fn name(variant: impl Serialize) -> String {
    match serde_json::to_value(variant) {
        Ok(Value::String(name)) => name,
        _ => String::new(),
    }
}

/// The cells of a header, between bars.
pub fn header(cells: &str) -> Vec<String> {
    cells.split(" | ").map(str::to_owned).collect()
}

/// Each as a cell.
pub fn words<const N: usize>(words: [&str; N]) -> Vec<String> {
    words.map(str::to_owned).into()
}

/// A bound, and whether something is within it, each as a cell.
pub fn met(value: f64, most: f64) -> [String; 2] {
    [short(most), if value <= most { "yes" } else { "no" }.to_owned()]
}

/// What is asked of something, over what another took in the same run.
#[derive(Debug)]
#[expect(missing_docs, reason = "the fields' names say it")]
pub struct Asked {
    pub what: String,
    pub over: &'static str,
    pub ratio: f64,
    pub most: f64,
}

/// What is asked, as a table with a title; nothing if nothing is.
pub fn asked(of: &str, all: Vec<Asked>) -> Option<(&'static str, Table)> {
    let header = words([of, "over that of", "ratio", "at most", "met"]);
    let cells = all.into_iter().map(|Asked { what, over, ratio, most }| {
        [[what, over.to_owned(), short(ratio)].as_slice(), &met(ratio, most)].concat()
    });
    let cells: Vec<Vec<String>> = cells.collect();
    (!cells.is_empty()).then(|| ("what is asked", table(2, header, cells)))
}
