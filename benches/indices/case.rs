//! Groups, sizes and shapes.

use std::fmt;

use bench_common::compare::{self, Bench, Container};
use bench_common::numbers;
use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use crate::containers;
use crate::operation::Operation;

/// The bench: indices, tables, and structures of other crates.
#[derive(Debug)]
pub(crate) struct Indices;

impl Bench for Indices {
    const NAME: &'static str = "indices";
    const CONTAINERS: &'static [Container<Self>] = containers::ALL;
    type Operation = Operation;
    type Case = Case;

    fn ratio(own: f64, best: f64) -> f64 {
        own / best
    }
}

/// Structures with equal tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Group {
    /// Finds the row that has a key
    Unique,
    /// Finds all rows that have a number
    Sets,
    /// Finds rows near a place
    Grid,
}

/// A group with its size and shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Case {
    pub(crate) group: Group,
    pub(crate) rows: usize,
    /// The mean number of rows in a set, or the dimensions of a grid; 0 in other groups.
    pub(crate) shape: usize,
}

impl Group {
    /// Returns the values that [`Case::shape`] can have.
    pub(crate) const fn shapes(self) -> &'static [usize] {
        match self {
            Self::Unique => &[0],
            Self::Sets => &[3, 10, 1000],
            Self::Grid => &[2, 3],
        }
    }

    /// Returns the default numbers of rows. The smallest is typical for programs with many maps.
    pub(crate) const fn rows(self) -> &'static [usize] {
        match self {
            Self::Unique => &[1 << 10, 1 << 16, 1 << 20, 1 << 23],
            Self::Sets | Self::Grid => &[1 << 10, 1 << 16, 1 << 20],
        }
    }

    /// Returns the sizes and shapes with `--quick`.
    pub(crate) const fn quick(self) -> (&'static [usize], &'static [usize]) {
        match self {
            Self::Unique => (&[1 << 10, 1 << 16], &[0]),
            Self::Sets => (&[1 << 10, 1 << 16], &[10]),
            Self::Grid => (&[1 << 10, 1 << 16], &[2, 3]),
        }
    }
}

impl Case {
    /// Returns the name for files.
    pub(crate) fn id(self) -> String {
        let Self { rows, shape, .. } = self;
        match self.group {
            Group::Unique => format!("unique-{rows}"),
            Group::Sets => format!("sets-of-{shape}-{rows}"),
            Group::Grid => format!("grid-{shape}d-{rows}"),
        }
    }
}

impl compare::Case for Case {
    fn bytes(self) -> usize {
        match self.group {
            Group::Unique | Group::Sets => self.rows * 256,
            Group::Grid => self.rows * 192,
        }
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rows, shape) = (numbers::text(self.rows), self.shape);
        match self.group {
            Group::Unique => write!(f, "unique keys, {rows} rows"),
            Group::Sets => write!(f, "sets of {shape} in the mean, {rows} rows"),
            Group::Grid => write!(f, "grid, {shape}D, {rows} points"),
        }
    }
}
