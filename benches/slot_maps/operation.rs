//! The operations: what each needs, and how much it does.

use bench_common::compare;
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
    /// Comes with [`Insert`](Self::Insert): what the full map has made resident.
    #[value(skip)]
    Bytes,
    /// How far values lie apart after much churn, apart from the others.
    #[value(skip)]
    Churned,
    /// Comes with it: once holes are filled again.
    #[value(skip)]
    Refilled,
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

/// The same, of a map of any size.
enum Holds {
    Gone,
    Cleared,
    Live(fn(usize) -> usize),
}

const FULL: Holds = Holds::Live(|slots| slots);
const TENTH_HOLES: Holds = Holds::Live(|slots| slots - slots / 10);
const HALF_HOLES: Holds = Holds::Live(|slots| slots / 2);
const MOSTLY_HOLES: Holds = Holds::Live(|slots| slots / 10);

/// What an operation does to a map.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    Reads,
    /// It needs a secondary map, too.
    ReadsColumn,
    /// There are as many values as before.
    Exchanges,
    Changes,
}

/// The most values that are looked up, removed, refilled or exchanged in one measurement.
const SAMPLE_MAX: usize = 1 << 20;

impl compare::Operation for Operation {
    const LIFE: &'static [Self] = &[
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

    const BESIDES: &'static [Self] = &[Self::Bytes, Self::Churned, Self::Refilled];

    fn name(self) -> &'static str {
        self.facts().0
    }

    /// Several times where it changes nothing, or little, and costs little.
    fn times_in_life(self) -> usize {
        if self.changes_nothing() || self == Self::Retain { 3 } else { 1 }
    }

    fn function(self) -> Option<&'static str> {
        Some(self.facts().1).filter(|function| !function.is_empty())
    }

    fn prepared_by(self) -> Option<Self> {
        match self {
            Self::InsertWarm => Some(Self::Iterate),
            Self::Refill => Some(Self::IterateHalfHoles),
            Self::Remove => Some(Self::IterateTenthHoles),
            _ => None,
        }
    }
}

impl Operation {
    /// Its name, the timed loop that does it (empty if it is no loop in the stage), what a map must hold before, and
    /// what becomes of it.
    const fn facts(self) -> (&'static str, &'static str, Holds, Effect) {
        use Effect::{Changes, Exchanges, Reads, ReadsColumn};
        use Holds::{Cleared, Gone};

        match self {
            Self::Insert => ("insert, capacity known", "insert_all", Gone, Changes),
            Self::InsertWarm => ("insert, after clear", "insert_all", Cleared, Changes),
            Self::InsertGrowing => ("insert, growing", "insert_all", Gone, Changes),
            Self::Get => ("get, random", "get_all", FULL, Reads),
            Self::GetMany => ("get many, random", "get_many", FULL, Reads),
            Self::GetStale => ("get, half stale", "get_all", HALF_HOLES, Reads),
            Self::Iterate => ("iterate, full", "iterate_all", FULL, Reads),
            Self::IterateTenthHoles => ("iterate, 10 % holes", "iterate_all", TENTH_HOLES, Reads),
            Self::IterateHalfHoles => ("iterate, 50 % holes", "iterate_all", HALF_HOLES, Reads),
            Self::IterateMostlyHoles => ("iterate, 90 % holes", "iterate_all", MOSTLY_HOLES, Reads),
            Self::Loop => ("for loop, full", "loop_over_all", FULL, Reads),
            Self::LoopTenthHoles => ("for loop, 10 % holes", "loop_over_all", TENTH_HOLES, Reads),
            Self::Remove => ("remove, random", "remove_all", TENTH_HOLES, Changes),
            Self::Refill => ("refill holes", "insert_all", HALF_HOLES, Changes),
            Self::Churn => ("churn, full", "exchange_all", FULL, Exchanges),
            Self::ChurnHalfHoles => ("churn, 50 % holes", "exchange_all", HALF_HOLES, Exchanges),
            Self::Retain => ("retain 95 %", "retain_unmarked", FULL, Changes),
            Self::SecondaryIterate => ("secondary, iterate", "iterate_column", FULL, ReadsColumn),
            Self::SecondaryIterateTenthHoles => {
                ("secondary, 10 % holes", "iterate_column", TENTH_HOLES, ReadsColumn)
            }
            Self::SecondaryLoop => ("secondary, for loop", "loop_over_column", FULL, ReadsColumn),
            Self::ColumnJoin => ("column join", "join_all", FULL, ReadsColumn),
            Self::ColumnJoinTenthHoles => {
                ("column join, 10 % holes", "join_all", TENTH_HOLES, ReadsColumn)
            }
            Self::Clear => ("clear", "", FULL, Changes),
            Self::Drop => ("drop", "", FULL, Changes),
            Self::Bytes => ("resident bytes a value", "", Gone, Changes),
            Self::Churned => ("churned", "", HALF_HOLES, Changes),
            Self::Refilled => ("refilled", "", HALF_HOLES, Changes),
        }
    }

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

    fn changes_nothing(self) -> bool {
        matches!(self.facts().3, Effect::Reads | Effect::ReadsColumn)
    }

    /// Whether it needs a secondary map.
    pub(crate) fn is_about_columns(self) -> bool {
        self.facts().3 == Effect::ReadsColumn
    }

    /// What a map of that many slots must hold before.
    pub(crate) fn needs(self, slots: usize) -> State {
        match self.facts().2 {
            Holds::Gone => State::Gone,
            Holds::Cleared => State::Cleared,
            Holds::Live(of) => State::Live(of(slots)),
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
        if self.facts().3 == Effect::Changes { 1 } else { small::passes(slots) }
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
