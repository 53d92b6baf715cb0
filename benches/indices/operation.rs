//! The operations.

use bench_common::compare;
use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use crate::case::{Case, Group};

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
    Modify,
    Mixed,
    LongestWarm,
    LongestCold,
    LongestPaced,
    Build,
    Walk,
    Count,
    Move,
    MixedMoves,
    Discard,
    /// Measured along with [`Insert`](Self::Insert) and [`Build`](Self::Build).
    #[value(skip)]
    Bytes,
    Frame,
    Within,
    WithinThree,
    Nearest,
    NearestOne,
    Pairs,
}

/// The most rows that are looked up, removed or moved in one measurement.
pub(crate) const SAMPLE_MAX: usize = 1 << 20;

/// The most points for which every point has a look-up.
const PAIRS_ROWS_MAX: usize = 1 << 17;

impl compare::Operation for Operation {
    const LIFE: &'static [Self] = &[
        Self::Insert,
        Self::Hit,
        Self::Dependent,
        Self::Miss,
        Self::Rekey,
        Self::Mixed,
        Self::Remove,
        Self::Reinsert,
        Self::InsertWarm,
        // From here on, no figure's checksum depends on rows drawn before, which not all structures draw.
        Self::Modify,
        Self::LongestWarm,
        Self::LongestCold,
        Self::LongestPaced,
        Self::Build,
        Self::Walk,
        Self::Count,
        Self::Move,
        Self::Discard,
        Self::MixedMoves,
        Self::Frame,
        Self::Within,
        Self::WithinThree,
        Self::Nearest,
        Self::NearestOne,
        Self::Pairs,
    ];

    const BESIDES: &'static [Self] = &[Self::Bytes];

    fn name(self) -> &'static str {
        self.facts().1
    }

    fn title(self) -> String {
        match self {
            _ if self.is_a_longest() => format!("{}, µs", self.name()),
            Self::Frame => format!("{}, ms", self.name()),
            _ => self.name().to_owned(),
        }
    }

    fn unit(self) -> f64 {
        match self {
            _ if self.is_a_longest() => 1e3,
            Self::Frame => 1e6,
            _ => 1.0,
        }
    }

    fn is_a_longest(self) -> bool {
        matches!(self, Self::LongestWarm | Self::LongestCold | Self::LongestPaced)
    }

    fn needs_new_process(self) -> bool {
        matches!(self, Self::LongestCold | Self::LongestPaced)
    }

    fn times_in_life(self) -> usize {
        self.facts().2
    }

    fn function(self) -> Option<&'static str> {
        (!self.is_a_longest()).then_some("timed")
    }
}

impl Operation {
    /// Returns its group, its name, and how often a process measures it.
    const fn facts(self) -> (Group, &'static str, usize) {
        use Group::{Grid, Sets, Unique};

        match self {
            Self::Insert => (Unique, "insert, growing", 1),
            Self::InsertWarm => (Unique, "insert, after clear", 1),
            Self::Hit => (Unique, "hit", 3),
            Self::Dependent => (Unique, "dependent hit", 3),
            Self::Miss => (Unique, "miss", 3),
            Self::Remove => (Unique, "remove by key", 1),
            Self::Reinsert => (Unique, "insert again", 1),
            Self::Rekey => (Unique, "replace a key", 1),
            Self::Modify => (Unique, "modify, same key", 3),
            Self::Mixed => (Unique, "10 % changes", 3),
            Self::LongestWarm => (Unique, "longest insert, warm", 1),
            Self::LongestCold => (Unique, "longest insert, cold", 1),
            Self::LongestPaced => (Unique, "longest insert, paced", 1),
            Self::Build => (Sets, "build", 1),
            Self::Walk => (Sets, "walk", 3),
            Self::Count => (Sets, "count a set", 3),
            Self::Move => (Sets, "move", 1),
            Self::MixedMoves => (Sets, "10 % moves", 3),
            Self::Discard => (Sets, "remove", 1),
            Self::Frame => (Grid, "frame", 3),
            Self::Within => (Grid, "within 1 cell", 3),
            Self::WithinThree => (Grid, "within 3 cells", 3),
            Self::Nearest => (Grid, "nearest 8", 3),
            Self::NearestOne => (Grid, "nearest 1", 3),
            Self::Pairs => (Grid, "pairs, a point", 1),
            // It is in two groups, but its group is never used.
            Self::Bytes => (Unique, "resident bytes", 1),
        }
    }

    /// Whether the operation is in the case's group, and the case is not too large for it.
    pub(crate) fn is_for(self, case: Case) -> bool {
        let few = self != Self::Pairs || case.rows <= PAIRS_ROWS_MAX;
        self.facts().0 == case.group && few
    }
}
