//! Markdown tables for a terminal.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

/// A header, and rows of equal length.
#[derive(Clone, Debug)]
pub struct Table {
    /// The number of first columns that hold words and are left-aligned; the others hold figures.
    words: usize,
    rows: Vec<Vec<String>>,
}

/// Creates a table whose first `words` columns hold words, and whose others hold figures.
pub fn table(words: usize, header: Vec<String>, rows: Vec<Vec<String>>) -> Table {
    Table { words, rows: [header].into_iter().chain(rows).collect() }
}

impl Table {
    /// Returns the number of rows, including the header.
    pub fn height(&self) -> usize {
        self.rows.len()
    }

    /// Returns the width of each column, in characters.
    fn widths(&self) -> Vec<usize> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column| {
            let cells = self.rows.iter().filter_map(move |row| row.get(column));
            // A column of Markdown needs at least three dashes.
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

/// Formats a number with about three digits.
pub fn short(value: f64) -> String {
    let decimals = match value {
        ..9.995 => 2,
        ..99.95 => 1,
        _ => 0,
    };
    format!("{value:.decimals$}")
}

/// Returns the name of a variant, as in JSON.
pub fn name(variant: impl Serialize) -> String {
    match serde_json::to_value(variant) {
        Ok(Value::String(name)) => name,
        _ => String::new(),
    }
}

/// Splits the cells of a header at its bars.
pub fn header(cells: &str) -> Vec<String> {
    cells.split(" | ").map(str::to_owned).collect()
}

/// Returns each word as a cell.
pub fn words<const N: usize>(words: [&str; N]) -> Vec<String> {
    words.map(str::to_owned).into()
}

/// Returns cells for a bound, and for whether a value is within it.
pub fn met(value: f64, most: f64) -> [String; 2] {
    [short(most), if value <= most { "yes" } else { "no" }.to_owned()]
}

/// A target: a ratio of one figure to another of the same run, and its bound.
#[derive(Debug)]
#[expect(missing_docs, reason = "the fields' names say it")]
pub struct Target {
    pub what: String,
    pub over: &'static str,
    pub ratio: f64,
    pub most: f64,
}

/// Returns the table of targets with its title; `None` if there are none.
pub fn asked(of: &str, all: Vec<Target>) -> Option<(&'static str, Table)> {
    let header = words([of, "over that of", "ratio", "at most", "met"]);
    let cells = all.into_iter().map(|Target { what, over, ratio, most }| {
        [[what, over.to_owned(), short(ratio)].as_slice(), &met(ratio, most)].concat()
    });
    let cells: Vec<Vec<String>> = cells.collect();
    (!cells.is_empty()).then(|| ("targets", table(2, header, cells)))
}
