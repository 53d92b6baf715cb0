//! The operations: what each needs, and how much it does.

use serde::{Deserialize, Serialize};

/// In the order of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Operation {
    Insert,
    InsertWarm,
    InsertGrowing,
    Get,
    GetStale,
    Iterate,
    IterateTenthHoles,
    IterateHalfHoles,
    IterateMostlyHoles,
    Remove,
    Refill,
    Churn,
    ChurnHalfHoles,
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
        Self::GetStale,
        Self::Iterate,
        Self::IterateTenthHoles,
        Self::IterateHalfHoles,
        Self::IterateMostlyHoles,
        Self::Remove,
        Self::Refill,
        Self::Churn,
        Self::ChurnHalfHoles,
        Self::Clear,
        Self::Drop,
    ];

    /// All of them in an order that leaves little to be done between them.
    pub(crate) const LIFE: &[Self] = &[
        Self::Insert,
        Self::Iterate,
        Self::Get,
        Self::Churn,
        Self::Clear,
        Self::InsertWarm,
        Self::IterateTenthHoles,
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
        matches!(self, Self::IterateMostlyHoles | Self::InsertGrowing | Self::Drop)
    }

    /// How often it is measured in a life: several times where it changes nothing and costs little.
    pub(crate) fn times_in_life(self) -> usize {
        match self {
            Self::Get
            | Self::GetStale
            | Self::Iterate
            | Self::IterateTenthHoles
            | Self::IterateHalfHoles
            | Self::IterateMostlyHoles => 3,
            _ => 1,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Insert => "insert, capacity known",
            Self::InsertWarm => "insert, after clear",
            Self::InsertGrowing => "insert, growing",
            Self::Get => "get, random",
            Self::GetStale => "get, half stale",
            Self::Iterate => "iterate, full",
            Self::IterateTenthHoles => "iterate, 10 % holes",
            Self::IterateHalfHoles => "iterate, 50 % holes",
            Self::IterateMostlyHoles => "iterate, 90 % holes",
            Self::Remove => "remove, random",
            Self::Refill => "refill holes",
            Self::Churn => "churn, full",
            Self::ChurnHalfHoles => "churn, 50 % holes",
            Self::Clear => "clear",
            Self::Drop => "drop",
        }
    }

    /// What a map of that many slots must hold before.
    pub(crate) fn needs(self, slots: usize) -> State {
        match self {
            Self::Insert | Self::InsertGrowing => State::Gone,
            Self::InsertWarm => State::Cleared,
            Self::Get | Self::Iterate | Self::Churn | Self::Clear | Self::Drop => {
                State::Live(slots)
            }
            Self::IterateTenthHoles | Self::Remove => State::Live(slots - slots / 10),
            Self::GetStale | Self::IterateHalfHoles | Self::Refill | Self::ChurnHalfHoles => {
                State::Live(slots / 2)
            }
            Self::IterateMostlyHoles => State::Live(slots / 10),
        }
    }

    /// How often the operation is done in one measurement; of iterating, clearing and dropping,
    /// how many values are met.
    pub(crate) fn count(self, slots: usize) -> usize {
        let live = match self.needs(slots) {
            State::Gone | State::Cleared => slots,
            State::Live(live) => live,
        };
        match self {
            Self::Remove => (live - slots / 2).min(SAMPLE_MAX),
            Self::Refill => (slots - live).min(SAMPLE_MAX),
            Self::Get | Self::Churn | Self::ChurnHalfHoles => live.min(SAMPLE_MAX),
            Self::GetStale => slots.min(SAMPLE_MAX),
            _ => live,
        }
    }
}
