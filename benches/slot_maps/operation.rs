//! The operations: the state that each needs, and how much it does.

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
    IterateFew,
    IterateFewest,
    Ends,
    Loop,
    LoopTenthHoles,
    LoopHalfHoles,
    LoopMostlyHoles,
    LookUpEach,
    Remove,
    Refill,
    RemoveRefill,
    Churn,
    ChurnHalfHoles,
    Retain,
    RetainHalf,
    Drain,
    Clone,
    SecondaryIterate,
    SecondaryIterateTenthHoles,
    SecondaryIterateMostlyHoles,
    SecondaryLoop,
    SecondaryLoopMostlyHoles,
    SecondaryInsert,
    SecondaryMake,
    SecondaryRefill,
    SecondaryOverwrite,
    SecondaryChurn,
    Search,
    SearchByEntry,
    ColumnJoin,
    ColumnJoinTenthHoles,
    Clear,
    Drop,
    MakeDrop,
    Crowd,
    /// Measured along with [`Insert`](Self::Insert): the memory that filling the map makes resident.
    #[value(skip)]
    Bytes,
    /// The spread of values after much churn, measured separately.
    #[value(skip)]
    Churned,
    /// Measured along with it, after the holes are filled again.
    #[value(skip)]
    Refilled,
}

/// The state of a map before an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// The map has been dropped.
    Gone,
    /// The map was full, and was cleared.
    Cleared,
    /// That many of all places hold a value. The others are holes, at random.
    Live(usize),
}

/// A [`State`] for any number of slots.
enum Holds {
    Gone,
    Cleared,
    Live(fn(usize) -> usize),
}

const FULL: Holds = Holds::Live(|slots| slots);
const TENTH_HOLES: Holds = Holds::Live(|slots| slots - slots / 10);
const HALF_HOLES: Holds = Holds::Live(|slots| slots / 2);
const MOSTLY_HOLES: Holds = Holds::Live(|slots| slots / 10);
const FEW: Holds = Holds::Live(|slots| (slots >> 12).max(1));
const FEWEST: Holds = Holds::Live(|slots| (slots / 40_000).max(1));

/// The effect of an operation on a map.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    Reads,
    /// It reads or fills a secondary map.
    ReadsColumn,
    /// The number of values stays equal.
    Exchanges,
    Changes,
}

/// The most values that are looked up, removed, refilled or exchanged in one measurement.
const SAMPLE_MAX: usize = 1 << 20;

/// The number of small maps that exist at a time in [`Operation::Crowd`].
pub(crate) const CROWD: usize = 10_000;

impl compare::Operation for Operation {
    const LIFE: &'static [Self] = &[
        Self::Insert,
        Self::Iterate,
        Self::Loop,
        Self::LookUpEach,
        Self::Get,
        Self::GetMany,
        Self::SecondaryIterate,
        Self::SecondaryLoop,
        Self::SecondaryInsert,
        Self::SecondaryMake,
        Self::SecondaryRefill,
        Self::SecondaryOverwrite,
        Self::SecondaryChurn,
        Self::Search,
        Self::SearchByEntry,
        Self::ColumnJoin,
        Self::RemoveRefill,
        Self::Churn,
        Self::Clone,
        Self::Drain,
        Self::Clear,
        Self::InsertWarm,
        Self::RetainHalf,
        Self::Retain,
        Self::IterateTenthHoles,
        Self::LoopTenthHoles,
        Self::SecondaryIterateTenthHoles,
        Self::ColumnJoinTenthHoles,
        Self::Remove,
        Self::IterateHalfHoles,
        Self::LoopHalfHoles,
        Self::GetStale,
        Self::ChurnHalfHoles,
        Self::Refill,
        Self::IterateMostlyHoles,
        Self::Ends,
        Self::LoopMostlyHoles,
        Self::SecondaryIterateMostlyHoles,
        Self::SecondaryLoopMostlyHoles,
        Self::IterateFew,
        Self::IterateFewest,
        Self::InsertGrowing,
        Self::Drop,
        Self::MakeDrop,
        Self::Crowd,
    ];

    const BESIDES: &'static [Self] = &[Self::Bytes, Self::Churned, Self::Refilled];

    fn name(self) -> &'static str {
        self.facts().0
    }

    /// Several times if it changes little, and costs little.
    fn times_in_life(self) -> usize {
        let again = [Self::RemoveRefill, Self::Retain, Self::RetainHalf, Self::MakeDrop];
        if self.changes_nothing() || again.contains(&self) { 3 } else { 1 }
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
    /// Returns its name, the timed loop in the stage (empty if there is none), the state of the map before, and
    /// its effect.
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
            Self::IterateFew => ("iterate, 1 slot in 4 K", "iterate_all", FEW, Reads),
            Self::IterateFewest => ("iterate, 1 slot in 40,000", "iterate_all", FEWEST, Reads),
            Self::Ends => ("count and last, 90 % holes", "count_and_last", MOSTLY_HOLES, Reads),
            Self::Loop => ("for loop, full", "loop_over_all", FULL, Reads),
            Self::LoopTenthHoles => ("for loop, 10 % holes", "loop_over_all", TENTH_HOLES, Reads),
            Self::LoopHalfHoles => ("for loop, 50 % holes", "loop_over_all", HALF_HOLES, Reads),
            Self::LoopMostlyHoles => ("for loop, 90 % holes", "loop_over_all", MOSTLY_HOLES, Reads),
            Self::LookUpEach => ("for loop, each looked up", "look_up_each", FULL, Reads),
            Self::Remove => ("remove, random", "remove_all", TENTH_HOLES, Changes),
            Self::Refill => ("refill holes", "insert_all", HALF_HOLES, Changes),
            Self::RemoveRefill => ("remove half, refill", "", FULL, Changes),
            Self::Churn => ("churn, full", "exchange_all", FULL, Exchanges),
            Self::ChurnHalfHoles => ("churn, 50 % holes", "exchange_all", HALF_HOLES, Exchanges),
            Self::Retain => ("retain 95 %", "retain_unmarked", FULL, Changes),
            Self::RetainHalf => ("retain 50 %", "retain_unmarked", FULL, Changes),
            Self::Drain => ("drain", "drain_all", FULL, Changes),
            Self::Clone => ("clone, drop", "copy_all", FULL, Reads),
            Self::SecondaryIterate => ("secondary, iterate", "iterate_column", FULL, ReadsColumn),
            Self::SecondaryIterateTenthHoles => {
                ("secondary, 10 % holes", "iterate_column", TENTH_HOLES, ReadsColumn)
            }
            Self::SecondaryIterateMostlyHoles => {
                ("secondary, 90 % holes", "iterate_column", MOSTLY_HOLES, ReadsColumn)
            }
            Self::SecondaryLoop => ("secondary, for loop", "loop_over_column", FULL, ReadsColumn),
            Self::SecondaryLoopMostlyHoles => {
                ("secondary, loop, 90 % holes", "loop_over_column", MOSTLY_HOLES, ReadsColumn)
            }
            Self::SecondaryInsert => {
                ("secondary, capacity known", "make_column_with_room", FULL, ReadsColumn)
            }
            Self::SecondaryMake => ("secondary, make and fill", "make_column", FULL, ReadsColumn),
            Self::SecondaryRefill => {
                ("secondary, clear and refill", "refill_column", FULL, ReadsColumn)
            }
            Self::SecondaryOverwrite => ("secondary, overwrite", "fill_column", FULL, ReadsColumn),
            Self::SecondaryChurn => ("secondary, churn", "exchange_column", FULL, ReadsColumn),
            Self::Search => ("breadth-first search", "search", FULL, ReadsColumn),
            Self::SearchByEntry => {
                ("breadth-first, by entry", "search_by_entry", FULL, ReadsColumn)
            }
            Self::ColumnJoin => ("column join", "join_all", FULL, ReadsColumn),
            Self::ColumnJoinTenthHoles => {
                ("column join, 10 % holes", "join_all", TENTH_HOLES, ReadsColumn)
            }
            Self::Clear => ("clear", "", FULL, Changes),
            Self::Drop => ("drop", "", FULL, Changes),
            Self::MakeDrop => ("make, fill, drop", "make_and_fill", Gone, Changes),
            Self::Crowd => ("make, fill, drop; 10,000 alive", "make_and_fill", Gone, Changes),
            Self::Bytes => ("resident bytes a value", "", Gone, Changes),
            Self::Churned => ("churned", "", HALF_HOLES, Changes),
            Self::Refilled => ("refilled", "", HALF_HOLES, Changes),
        }
    }

    /// Whether it is left out for large maps when there is little time. Operations with targets are never left
    /// out.
    pub(crate) fn takes_long(self) -> bool {
        matches!(
            self,
            Self::IterateMostlyHoles
                | Self::IterateFew
                | Self::IterateFewest
                | Self::Ends
                | Self::LoopTenthHoles
                | Self::LoopHalfHoles
                | Self::LoopMostlyHoles
                | Self::LookUpEach
                | Self::RemoveRefill
                | Self::RetainHalf
                | Self::SecondaryIterateTenthHoles
                | Self::SecondaryIterateMostlyHoles
                | Self::SecondaryLoop
                | Self::SecondaryLoopMostlyHoles
                | Self::SecondaryInsert
                | Self::SecondaryRefill
                | Self::SecondaryOverwrite
                | Self::SecondaryChurn
                | Self::ColumnJoinTenthHoles
                | Self::InsertGrowing
                | Self::Drain
                | Self::Clone
                | Self::Drop
        )
    }

    /// Whether it is for maps of that many slots.
    pub(crate) fn is_for(self, slots: usize) -> bool {
        match self {
            Self::MakeDrop => slots <= 1 << 16,
            // Of more, most keys would be refused: their indices are far from those of an empty map.
            Self::SecondaryMake | Self::Search | Self::SearchByEntry => slots <= 1 << 20,
            Self::Crowd => slots <= 256,
            _ => true,
        }
    }

    fn changes_nothing(self) -> bool {
        matches!(self.facts().3, Effect::Reads | Effect::ReadsColumn)
    }

    /// Whether it needs a secondary map.
    pub(crate) fn is_about_columns(self) -> bool {
        self.facts().3 == Effect::ReadsColumn
    }

    /// Returns the state that a map of that many slots must be in.
    pub(crate) fn needs(self, slots: usize) -> State {
        match self.facts().2 {
            Holds::Gone => State::Gone,
            Holds::Cleared => State::Cleared,
            Holds::Live(of) => State::Live(of(slots)),
        }
    }

    /// Returns how often one measurement performs the operation; for iterating, retaining, clearing and
    /// dropping, how many values are visited.
    pub(crate) fn count(self, slots: usize) -> usize {
        self.count_in_pass(slots) * self.passes(slots) * self.maps(slots)
    }

    /// Returns the number of maps that one measurement uses.
    pub(crate) fn maps(self, slots: usize) -> usize {
        if self == Self::Crowd { CROWD } else { structures(slots) }
    }

    /// Returns how often it is applied to a map before the next one's turn: to a small map several times, if it
    /// leaves the map in the state that it needs.
    pub(crate) fn passes(self, slots: usize) -> usize {
        match self {
            Self::IterateFew | Self::IterateFewest | Self::Ends => small::passes(1),
            _ if self.facts().3 == Effect::Changes => 1,
            _ => small::passes(slots),
        }
    }

    /// Returns how often one pass over one map performs it.
    pub(crate) fn count_in_pass(self, slots: usize) -> usize {
        let live = match self.needs(slots) {
            State::Gone | State::Cleared => slots,
            State::Live(live) => live,
        };
        match self {
            Self::Ends => 1,
            Self::Remove => (live - slots / 2).min(SAMPLE_MAX),
            Self::Refill => (slots - live).min(SAMPLE_MAX),
            Self::RemoveRefill => (live / 2).min(SAMPLE_MAX),
            Self::Get | Self::GetMany | Self::Churn | Self::ChurnHalfHoles => live.min(SAMPLE_MAX),
            Self::GetStale => slots.min(SAMPLE_MAX),
            _ => live,
        }
    }
}
