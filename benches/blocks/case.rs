//! The size of an array, and the figures of one.

use std::fmt;

use bench_common::memory::Entity;
use bench_common::numbers;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Size {
    /// 8 bytes
    #[value(name = "8")]
    Number,
    /// 64 bytes, a cache line
    #[value(name = "64")]
    Entity,
}

impl Size {
    pub(crate) const fn bytes(self) -> usize {
        match self {
            Self::Number => size_of::<u64>(),
            Self::Entity => size_of::<Entity>(),
        }
    }
}

/// An array of `count` elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Case {
    pub(crate) element: Size,
    pub(crate) count: usize,
}

impl Case {
    /// The smallest array, for which creating, filling and dropping has a target too.
    pub(crate) const SMALL_BYTES: usize = 1 << 10;

    pub(crate) const fn bytes(self) -> usize {
        self.count * self.element.bytes()
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} bytes", numbers::text(self.count), self.element.bytes())
    }
}

/// The figures of one process, in nanoseconds an element unless stated.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Outcome {
    /// Creating arrays and pushing, in memory that the process never had.
    pub(crate) first: f64,
    /// Page faults for a thousand elements meanwhile; `None` if the system does not say.
    pub(crate) faults: Option<f64>,
    /// Pushing into an array that was cleared.
    pub(crate) again: f64,
    /// Creating an array, pushing and dropping it, over and over.
    pub(crate) over: f64,
    /// As `over`, with capacity from the start where the type has it, and `extend`.
    pub(crate) roomy: f64,
    /// A `for` loop.
    pub(crate) each: f64,
    /// `fold`.
    pub(crate) fold: f64,
    /// A loop over each slice; `None` if there are no slices.
    pub(crate) slices: Option<f64>,
    /// Random reads by index.
    pub(crate) get: f64,
}
