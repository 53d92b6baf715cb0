//! The operations: what each needs, and how much it does.

use bench_common::small::{self, structures};
use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// In the order of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Operation {
    Insert,
    InsertWarm,
    InsertGrowing,
    Get,
    GetMany,
    GetStale,
    Iterate,
    IterateTenthHoles,
    IterateHalfHoles,
    IterateMostlyHoles,
    Loop,
    LoopTenthHoles,
    Remove,
    Refill,
    Churn,
    ChurnHalfHoles,
    Retain,
    SecondaryIterate,
    SecondaryIterateTenthHoles,
    SecondaryLoop,
    ColumnJoin,
    ColumnJoinTenthHoles,
    Clear,
    Drop,
}

/// What a map holds before an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// There is no map.
    Gone,
    /// It was full, and was cleared.
    Cleared,
    /// Of as many places as there are slots, that many hold a value. The others are holes, at
    /// random.
    Live(usize),
}

/// The most values that are looked up, removed, refilled or exchanged in one measurement.
const SAMPLE_MAX: usize = 1 << 20;

impl Operation {
    pub(crate) const ALL: &[Self] = &[
        Self::Insert,
        Self::InsertWarm,
        Self::InsertGrowing,
        Self::Get,
        Self::GetMany,
        Self::GetStale,
        Self::Iterate,
        Self::IterateTenthHoles,
        Self::IterateHalfHoles,
        Self::IterateMostlyHoles,
        Self::Loop,
        Self::LoopTenthHoles,
        Self::Remove,
        Self::Refill,
        Self::Churn,
        Self::ChurnHalfHoles,
        Self::Retain,
        Self::SecondaryIterate,
        Self::SecondaryIterateTenthHoles,
        Self::SecondaryLoop,
        Self::ColumnJoin,
        Self::ColumnJoinTenthHoles,
        Self::Clear,
        Self::Drop,
    ];

    /// All of them in an order that leaves little to be done between them.
    pub(crate) const LIFE: &[Self] = &[
        Self::Insert,
        Self::Iterate,
        Self::Loop,
        Self::Get,
        Self::GetMany,
        Self::SecondaryIterate,
        Self::SecondaryLoop,
        Self::ColumnJoin,
        Self::Churn,
        Self::Clear,
        Self::InsertWarm,
        Self::Retain,
        Self::IterateTenthHoles,
        Self::LoopTenthHoles,
        Self::SecondaryIterateTenthHoles,
        Self::ColumnJoinTenthHoles,
        Self::Remove,
        Self::IterateHalfHoles,
        Self::GetStale,
        Self::ChurnHalfHoles,
        Self::Refill,
        Self::IterateMostlyHoles,
        Self::InsertGrowing,
        Self::Drop,
    ];

    /// Whether a large map does without it when there is little time. What the project has set
    /// itself bars for is not among them.
    pub(crate) fn takes_long(self) -> bool {
        matches!(
            self,
            Self::IterateMostlyHoles
                | Self::LoopTenthHoles
                | Self::SecondaryIterateTenthHoles
                | Self::SecondaryLoop
                | Self::ColumnJoinTenthHoles
                | Self::InsertGrowing
                | Self::Drop
        )
    }

    /// How often it is measured in a life: several times where it changes nothing, or little, and
    /// costs little.
    pub(crate) fn times_in_life(self) -> usize {
        if self.changes_nothing() || self == Self::Retain { 3 } else { 1 }
    }

    fn changes_nothing(self) -> bool {
        matches!(
            self,
            Self::Get
                | Self::GetMany
                | Self::GetStale
                | Self::Iterate
                | Self::IterateTenthHoles
                | Self::IterateHalfHoles
                | Self::IterateMostlyHoles
                | Self::Loop
                | Self::LoopTenthHoles
        ) || self.is_about_columns()
    }

    /// Whether it needs a secondary map.
    pub(crate) fn is_about_columns(self) -> bool {
        matches!(
            self,
            Self::SecondaryIterate
                | Self::SecondaryIterateTenthHoles
                | Self::SecondaryLoop
                | Self::ColumnJoin
                | Self::ColumnJoinTenthHoles
        )
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Insert => "insert, capacity known",
            Self::InsertWarm => "insert, after clear",
            Self::InsertGrowing => "insert, growing",
            Self::Get => "get, random",
            Self::GetMany => "get many, random",
            Self::GetStale => "get, half stale",
            Self::Iterate => "iterate, full",
            Self::IterateTenthHoles => "iterate, 10 % holes",
            Self::IterateHalfHoles => "iterate, 50 % holes",
            Self::IterateMostlyHoles => "iterate, 90 % holes",
            Self::Loop => "for loop, full",
            Self::LoopTenthHoles => "for loop, 10 % holes",
            Self::Remove => "remove, random",
            Self::Refill => "refill holes",
            Self::Churn => "churn, full",
            Self::ChurnHalfHoles => "churn, 50 % holes",
            Self::Retain => "retain 95 %",
            Self::SecondaryIterate => "secondary, iterate",
            Self::SecondaryIterateTenthHoles => "secondary, 10 % holes",
            Self::SecondaryLoop => "secondary, for loop",
            Self::ColumnJoin => "column join",
            Self::ColumnJoinTenthHoles => "column join, 10 % holes",
            Self::Clear => "clear",
            Self::Drop => "drop",
        }
    }

    /// The timed loop that does it, by its name in the stage; none if it is no loop there.
    pub(crate) fn function(self) -> Option<&'static str> {
        match self {
            Self::Insert | Self::InsertWarm | Self::InsertGrowing | Self::Refill => {
                Some("insert_all")
            }
            Self::Get | Self::GetStale => Some("get_all"),
            Self::GetMany => Some("get_many"),
            Self::Iterate
            | Self::IterateTenthHoles
            | Self::IterateHalfHoles
            | Self::IterateMostlyHoles => Some("iterate_all"),
            Self::Loop | Self::LoopTenthHoles => Some("loop_over_all"),
            Self::Remove => Some("remove_all"),
            Self::Churn | Self::ChurnHalfHoles => Some("exchange_all"),
            Self::Retain => Some("retain_unmarked"),
            Self::SecondaryIterate | Self::SecondaryIterateTenthHoles => Some("iterate_column"),
            Self::SecondaryLoop => Some("loop_over_column"),
            Self::ColumnJoin | Self::ColumnJoinTenthHoles => Some("join_all"),
            Self::Clear | Self::Drop => None,
        }
    }

    /// An operation that needs the same state and does not use the same loop itself, where the loop
    /// is also used to bring a map to that state.
    pub(crate) fn prepared_by(self) -> Option<Self> {
        match self {
            Self::InsertWarm => Some(Self::Iterate),
            Self::Refill => Some(Self::IterateHalfHoles),
            Self::Remove => Some(Self::IterateTenthHoles),
            _ => None,
        }
    }

    /// What a map of that many slots must hold before.
    pub(crate) fn needs(self, slots: usize) -> State {
        match self {
            Self::Insert | Self::InsertGrowing => State::Gone,
            Self::InsertWarm => State::Cleared,
            Self::Get
            | Self::GetMany
            | Self::Iterate
            | Self::Loop
            | Self::Churn
            | Self::Retain
            | Self::SecondaryIterate
            | Self::SecondaryLoop
            | Self::ColumnJoin
            | Self::Clear
            | Self::Drop => State::Live(slots),
            Self::IterateTenthHoles
            | Self::LoopTenthHoles
            | Self::SecondaryIterateTenthHoles
            | Self::ColumnJoinTenthHoles
            | Self::Remove => State::Live(slots - slots / 10),
            Self::GetStale | Self::IterateHalfHoles | Self::Refill | Self::ChurnHalfHoles => {
                State::Live(slots / 2)
            }
            Self::IterateMostlyHoles => State::Live(slots / 10),
        }
    }

    /// How often the operation is done in one measurement; of iterating, retaining, clearing and
    /// dropping, how many values are met.
    pub(crate) fn count(self, slots: usize) -> usize {
        self.count_in_pass(slots) * self.passes(slots) * structures(slots)
    }

    /// How often it is done to a map before the next has its turn: to a small one several times, if
    /// it leaves the map as it needs it.
    pub(crate) fn passes(self, slots: usize) -> usize {
        let exchanges = matches!(self, Self::Churn | Self::ChurnHalfHoles);
        if self.changes_nothing() || exchanges { small::passes(slots) } else { 1 }
    }

    /// How often it is done in one pass of one map.
    pub(crate) fn count_in_pass(self, slots: usize) -> usize {
        let live = match self.needs(slots) {
            State::Gone | State::Cleared => slots,
            State::Live(live) => live,
        };
        match self {
            Self::Remove => (live - slots / 2).min(SAMPLE_MAX),
            Self::Refill => (slots - live).min(SAMPLE_MAX),
            Self::Get | Self::GetMany | Self::Churn | Self::ChurnHalfHoles => live.min(SAMPLE_MAX),
            Self::GetStale => slots.min(SAMPLE_MAX),
            _ => live,
        }
    }
}
