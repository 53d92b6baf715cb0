//! What is measured, and how large.

use std::fmt;

use bench_common::compare::{self, Bench, Container};
use bench_common::numbers;
use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use crate::containers;
use crate::operation::Operation;

/// Indices, tables, and what others have.
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

/// Structures that do the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Group {
    /// A key to the row that has it.
    Unique,
    /// A number to all rows that have it.
    Sets,
    /// Rows near a place.
    Grid,
}

/// A group, how many rows, and how they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Case {
    pub(crate) group: Group,
    pub(crate) rows: usize,
    /// How many rows a set has in the mean, or how many dimensions a grid; 0 if there is no such thing.
    pub(crate) shape: usize,
}

impl Group {
    /// What [`Case::shape`] can be.
    pub(crate) const fn shapes(self) -> &'static [usize] {
        match self {
            Self::Unique => &[0],
            Self::Sets => &[3, 10, 1000],
            Self::Grid => &[2, 3],
        }
    }

    /// How many rows, unless others are asked for. The smallest is what many maps of a program have.
    pub(crate) const fn rows(self) -> &'static [usize] {
        match self {
            Self::Unique => &[1 << 10, 1 << 16, 1 << 20, 1 << 23],
            Self::Sets | Self::Grid => &[1 << 16, 1 << 20],
        }
    }

    /// For a look.
    pub(crate) const fn quick(self) -> (&'static [usize], &'static [usize]) {
        match self {
            Self::Unique => (&[1 << 10, 1 << 16], &[0]),
            Self::Sets => (&[1 << 16], &[10]),
            Self::Grid => (&[1 << 16], &[2, 3]),
        }
    }
}

impl Case {
    /// For the name of a file.
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
