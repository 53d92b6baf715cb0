//! The operations, and how much each does.

use bench_common::{compare, small};
use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// In the order of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Operation {
    PushWarm,
    PushFresh,
    WorstPush,
    Integrate,
    Sum,
    RandomRow,
    SwapRemove,
    Sort,
    /// Measured on arrays of numbers, separately from the others.
    Aliasing,
    /// Measured on rows of their own, separately from the others.
    InColumns,
}

/// The most rows that are looked up or removed in one measurement.
const SAMPLE_MAX: usize = 1 << 20;

/// The most structures created in one measurement, since all of them stay until it ends.
const FRESH_MAX: usize = 16;

impl compare::Operation for Operation {
    /// The operations on rows.
    const LIFE: &'static [Self] = &[
        Self::PushWarm,
        Self::PushFresh,
        Self::WorstPush,
        Self::Integrate,
        Self::Sum,
        Self::RandomRow,
        Self::SwapRemove,
        Self::Sort,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::PushWarm => "push, warm",
            Self::PushFresh => "push, fresh",
            Self::WorstPush => "worst push, µs",
            Self::Integrate => "integrate",
            Self::Sum => "sum",
            Self::RandomRow => "random row",
            Self::SwapRemove => "swap_remove",
            Self::Sort => "sort",
            Self::Aliasing => "aliasing",
            Self::InColumns => "in_columns",
        }
    }

    fn unit(self) -> f64 {
        if self.is_a_longest() { 1e3 } else { 1.0 }
    }

    fn needs_new_process(self) -> bool {
        matches!(self, Self::PushFresh | Self::WorstPush)
    }

    fn times_in_life(self) -> usize {
        if self.needs_new_process() { 1 } else { 3 }
    }

    fn is_a_longest(self) -> bool {
        self == Self::WorstPush
    }

    fn function(self) -> Option<&'static str> {
        None
    }
}

impl Operation {
    /// The number of rows that one pass visits, looks up or removes.
    pub(crate) fn count_in_pass(self, rows: usize) -> usize {
        match self {
            Self::RandomRow => rows.min(SAMPLE_MAX),
            Self::SwapRemove => (rows / 2).min(SAMPLE_MAX),
            _ => rows,
        }
    }

    /// The number of passes of a measurement.
    pub(crate) fn passes(self, rows: usize) -> usize {
        let passes = small::structures(rows);
        match self {
            Self::PushFresh => passes.min(FRESH_MAX),
            _ => passes,
        }
    }

    /// The number of rows of a measurement.
    pub(crate) fn count(self, rows: usize) -> usize {
        if self == Self::WorstPush { 1 } else { self.count_in_pass(rows) * self.passes(rows) }
    }
}
