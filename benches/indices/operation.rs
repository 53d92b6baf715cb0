//! The operations.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use crate::case::Group;

/// In the order of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Operation {
    Insert,
    InsertWarm,
    Hit,
    Dependent,
    Miss,
    Remove,
    Reinsert,
    Rekey,
    LongestWarm,
    LongestCold,
    LongestPaced,
    Build,
    Walk,
    Count,
    Move,
    Discard,
    /// Comes with [`Insert`](Self::Insert) and [`Build`](Self::Build).
    #[value(skip)]
    Bytes,
    Frame,
    Within,
    Nearest,
    Pairs,
}

/// The most rows that are looked up, removed or moved in one measurement.
pub(crate) const SAMPLE_MAX: usize = 1 << 20;

/// Points have queries for each of them up to here.
const PAIRS_ROWS_MAX: usize = 1 << 17;

impl Operation {
    /// All of a group, in the order of the report.
    pub(crate) const fn of(group: Group) -> &'static [Self] {
        match group {
            Group::Unique => &[
                Self::Insert,
                Self::InsertWarm,
                Self::Hit,
                Self::Dependent,
                Self::Miss,
                Self::Remove,
                Self::Reinsert,
                Self::Rekey,
                Self::LongestWarm,
                Self::LongestCold,
                Self::LongestPaced,
                Self::Bytes,
            ],
            Group::Sets => {
                &[Self::Build, Self::Walk, Self::Count, Self::Move, Self::Discard, Self::Bytes]
            }
            Group::Grid => &[Self::Frame, Self::Within, Self::Nearest, Self::Pairs],
        }
    }

    /// In an order that leaves little to be done between them.
    pub(crate) const LIFE: &[Self] = &[
        Self::Insert,
        Self::Hit,
        Self::Dependent,
        Self::Miss,
        Self::Rekey,
        Self::Remove,
        Self::Reinsert,
        Self::InsertWarm,
        Self::LongestWarm,
        Self::LongestCold,
        Self::LongestPaced,
        Self::Build,
        Self::Walk,
        Self::Count,
        Self::Move,
        Self::Discard,
        Self::Frame,
        Self::Within,
        Self::Nearest,
        Self::Pairs,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Insert => "insert, growing",
            Self::InsertWarm => "insert, after clear",
            Self::Hit => "hit",
            Self::Dependent => "dependent hit",
            Self::Miss => "miss",
            Self::Remove => "remove by key",
            Self::Reinsert => "insert again",
            Self::Rekey => "replace a key",
            Self::LongestWarm => "longest insert, warm",
            Self::LongestCold => "longest insert, cold",
            Self::LongestPaced => "longest insert, paced",
            Self::Build => "build",
            Self::Walk => "walk",
            Self::Count => "count a set",
            Self::Move => "move",
            Self::Discard => "remove",
            Self::Bytes => "resident bytes",
            Self::Frame => "frame",
            Self::Within => "within 1 cell",
            Self::Nearest => "nearest 8",
            Self::Pairs => "pairs, a point",
        }
    }

    /// With its unit, where that is not nanoseconds.
    pub(crate) fn title(self) -> String {
        match self {
            _ if self.is_a_longest() => format!("{}, µs", self.name()),
            Self::Frame => format!("{}, ms", self.name()),
            _ => self.name().to_owned(),
        }
    }

    /// How many nanoseconds its unit has; of what is no time, one.
    pub(crate) const fn unit(self) -> f64 {
        match self {
            Self::LongestWarm | Self::LongestCold | Self::LongestPaced => 1e3,
            Self::Frame => 1e6,
            _ => 1.0,
        }
    }

    /// Whether others that use the processor make it longer, and nothing makes it shorter.
    pub(crate) const fn is_a_longest(self) -> bool {
        matches!(self, Self::LongestWarm | Self::LongestCold | Self::LongestPaced)
    }

    /// Whether it is about memory that the process has not had yet, and leaves nothing to others.
    pub(crate) const fn needs_new_process(self) -> bool {
        matches!(self, Self::LongestCold | Self::LongestPaced)
    }

    /// Whether callgrind can tell what it costs.
    pub(crate) const fn can_be_counted(self) -> bool {
        !self.is_a_longest() && !matches!(self, Self::Bytes)
    }

    /// Whether so many rows are not too many for it.
    pub(crate) const fn is_for(self, rows: usize) -> bool {
        !matches!(self, Self::Pairs) || rows <= PAIRS_ROWS_MAX
    }

    /// How often it is measured in a process: several times where it leaves a structure as it was, or much
    /// like it.
    pub(crate) const fn times_in_life(self) -> usize {
        match self {
            Self::Hit
            | Self::Dependent
            | Self::Miss
            | Self::Walk
            | Self::Count
            | Self::Frame
            | Self::Within
            | Self::Nearest => 3,
            _ => 1,
        }
    }
}
