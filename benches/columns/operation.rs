//! The operations, and how much each does.

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
    /// Of arrays of numbers, apart from the others.
    Aliasing,
}

/// The most rows that are looked up or removed in one measurement.
const SAMPLE_MAX: usize = 1 << 20;

/// With fewer rows there are several passes, so that a measurement takes long enough to be timed.
const ENOUGH_ROWS: usize = 1 << 16;

/// As many structures at most are made in one measurement, since all of them stay until it ends.
const FRESH_MAX: usize = 16;

impl Operation {
    /// Those on rows.
    pub(crate) const ON_ROWS: &[Self] = &[
        Self::PushWarm,
        Self::PushFresh,
        Self::WorstPush,
        Self::Integrate,
        Self::Sum,
        Self::RandomRow,
        Self::SwapRemove,
        Self::Sort,
    ];

    pub(crate) fn name(self) -> &'static str {
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
        }
    }

    /// Whether it is about memory that the process has not had yet.
    pub(crate) fn needs_new_process(self) -> bool {
        matches!(self, Self::PushFresh | Self::WorstPush)
    }

    /// How often it is measured in a process.
    pub(crate) fn times_in_life(self) -> usize {
        if self.needs_new_process() { 1 } else { 3 }
    }

    /// How many rows one pass goes over, or how many of them it looks up or removes.
    pub(crate) fn count_in_pass(self, rows: usize) -> usize {
        match self {
            Self::RandomRow => rows.min(SAMPLE_MAX),
            Self::SwapRemove => (rows / 2).min(SAMPLE_MAX),
            _ => rows,
        }
    }

    /// How many passes a measurement has.
    pub(crate) fn passes(self, rows: usize) -> usize {
        let passes = (ENOUGH_ROWS / rows.max(1)).clamp(1, 64);
        match self {
            Self::PushFresh => passes.min(FRESH_MAX),
            _ => passes,
        }
    }

    /// The figure of a measurement: nanoseconds a row, or microseconds of the worst push.
    #[expect(clippy::cast_precision_loss, reason = "2^53 ns are a hundred days")]
    pub(crate) fn figure(self, rows: usize, ns: u64) -> f64 {
        match self {
            Self::WorstPush => ns as f64 / 1e3,
            _ => ns as f64 / (self.count_in_pass(rows) * self.passes(rows)) as f64,
        }
    }
}
