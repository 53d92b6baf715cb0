//! The main function of a bench, the options that all have, turns, and what is printed.

use std::error::Error;
use std::fmt::{Debug, Display};
use std::{env, iter};

use clap::{Args, Parser, ValueEnum};
use serde::Serialize;
use serde_json::Value;

use crate::jobs;
use crate::machine::Machine;
use crate::progress::Progress;
use crate::table::Table;

/// What a bench returns: any error ends it.
pub type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// The options of every bench.
#[derive(Debug, Args)]
pub struct Common {
    /// Fewer cases and repetitions
    #[arg(long)]
    pub quick: bool,

    /// How often each thing is measured
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    repetitions: Option<u32>,

    /// Print everything as JSON instead of tables
    #[arg(long)]
    pub json: bool,
}

impl Common {
    /// Returns the second value with `--quick`, else the first.
    pub fn of<T>(&self, usual: T, if_quick: T) -> T {
        if self.quick { if_quick } else { usual }
    }

    /// Returns the number of repetitions asked for, or else the default.
    pub fn repetitions(&self, usual: usize, if_quick: usize) -> usize {
        self.repetitions.map_or(self.of(usual, if_quick), |repetitions| repetitions as usize)
    }
}

/// Returns the values named on the command line, or all if none was, in the order of their declaration.
pub fn wanted<T: ValueEnum + Clone + PartialEq>(named: &[T]) -> Vec<T> {
    let is_wanted = |one: &&T| named.is_empty() || named.contains(one);
    T::value_variants().iter().filter(is_wanted).cloned().collect()
}

/// Does the [job](jobs::perform) of a child, runs the bench if `cargo bench` started it, or else a smoke test: `cargo
/// test` passes no `--bench`, but perhaps options of the test harness. Criterion does the same.
pub fn main<O: Parser>(
    jobs: &[fn() -> Result<bool>],
    bench: impl FnOnce(&O) -> Result,
    smoke: impl FnOnce() -> Result,
) -> Result {
    if jobs::perform_any(jobs)? {
        Ok(())
    } else if env::args_os().any(|arg| arg == "--bench") {
        bench(&O::parse_from(env::args_os().filter(|arg| arg != "--bench")))
    } else {
        smoke()
    }
}

/// Returns the command that runs the bench with the same arguments: plain words need no quotes.
pub fn command(bench: &str) -> String {
    let arguments = env::args().skip(1).filter(|arg| arg != "--bench");
    let words = iter::once(format!("cargo bench --bench {bench} --")).chain(arguments);
    words.collect::<Vec<_>>().join(" ")
}

/// Prints the summary as JSON, or else the machine and the tables.
pub fn print(
    json: bool,
    summary: &impl Serialize,
    machine: &Machine,
    tables: &[(impl Display, Table)],
) -> Result {
    if json {
        println!("{}", serde_json::to_string_pretty(summary)?);
        return Ok(());
    }
    for (label, value) in machine.facts().iter().filter(|(_, value)| !value.is_empty()) {
        println!("{label}: {value}");
    }
    for (title, table) in tables {
        println!("\n{title}\n{table}");
    }
    Ok(())
}

/// Prints the extent of what a smoke run made.
pub fn print_smoke(summary: &impl Serialize, tables: &[(impl Display, Table)]) -> Result {
    let lines: usize = tables.iter().map(|(_, table)| table.height()).sum();
    let json = serde_json::to_string(summary)?;
    println!("smoke run: {} tables of {lines} lines, {} bytes of JSON", tables.len(), json.len());
    Ok(())
}

/// The report of a bench of several parts.
#[derive(Debug)]
pub struct Report {
    machine: Machine,
    parts: serde_json::Map<String, Value>,
    tables: Vec<(String, Table)>,
}

impl Report {
    /// Creates an empty report, with the versions of these dependencies of the bench's package.
    pub fn new(bench: &str, packages: impl IntoIterator<Item = &'static str>) -> Self {
        let machine = Machine::with(bench, packages);
        Self { machine, parts: serde_json::Map::new(), tables: Vec::new() }
    }

    /// Measures a part, if it has an extent, and adds it and its tables, each with a title.
    pub fn part<E, R: Serialize, T: Into<String>>(
        &mut self,
        name: &str,
        extent: Option<&E>,
        measure: impl FnOnce(&E) -> Result<R>,
        tables: impl FnOnce(&R) -> Vec<(T, Table)>,
    ) -> Result<Option<R>> {
        let Some(extent) = extent else { return Ok(None) };
        eprintln!("measuring: {name}");
        let found = measure(extent)?;
        self.parts.insert(name.to_owned(), serde_json::to_value(&found)?);
        self.show(tables(&found));
        Ok(Some(found))
    }

    /// Adds tables, each with a title.
    pub fn show<T: Into<String>>(&mut self, tables: impl IntoIterator<Item = (T, Table)>) {
        self.tables.extend(tables.into_iter().map(|(title, table)| (title.into(), table)));
    }

    /// Prints the report as JSON, or else the machine and the tables.
    pub fn print(mut self, json: bool) -> Result {
        self.parts.insert("machine".to_owned(), serde_json::to_value(&self.machine)?);
        print(json, &self.parts, &self.machine, &self.tables)
    }

    /// Prints how much a smoke run reported.
    pub fn print_smoke(self) -> Result {
        print_smoke(&self.parts, &self.tables)
    }
}

/// Measures all cases, one after the other, again and again, so that what disturbs the machine
/// disturbs each. Those with fewer repetitions take part in some rounds, evenly distributed.
pub fn in_turns<C, R>(
    cases: &[C],
    repetitions: impl Fn(&C) -> usize,
    name: impl Fn(&C) -> String,
    mut measure: impl FnMut(&C) -> Result<R>,
) -> Result<Vec<Vec<R>>> {
    let mut found: Vec<Vec<R>> = cases.iter().map(|_| Vec::new()).collect();
    let mut progress = Progress::new(cases.iter().map(&repetitions).sum());
    let rounds = cases.iter().map(&repetitions).max().unwrap_or(0);
    for round in 0..rounds {
        for (case, found) in cases.iter().zip(&mut found) {
            if is_due(repetitions(case), round, rounds) {
                progress.begin(name(case));
                found.push(measure(case)?);
            }
        }
    }
    Ok(found)
}

/// Whether a case with `repetitions` has a turn in this one of `rounds`, evenly distributed.
pub(crate) fn is_due(repetitions: usize, round: usize, rounds: usize) -> bool {
    let done = |rounds_done: usize| rounds_done * repetitions / rounds;
    done(round + 1) > done(round)
}

/// Checks that all contenders did the same work.
///
/// # Panics
///
/// If one found something else than the first.
pub fn check_same<F: PartialEq + Debug>(
    what: impl Display,
    found: impl IntoIterator<Item = (&'static str, F)>,
) {
    let mut found = found.into_iter();
    let Some((first, expected)) = found.next() else { return };
    for (name, found) in found {
        assert_eq!(found, expected, "{what}: {name} came to something else than {first}");
    }
}
