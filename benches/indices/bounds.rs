//! The targets.

use crate::case::{Case, Group};
use crate::operation::Operation;

/// The most that a figure, or a ratio, may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bound {
    pub(crate) group: Group,
    /// The shape that it is for; `None` for any.
    shape: Option<usize>,
    /// The least number of rows that it is for.
    rows_min: usize,
    pub(crate) operation: Operation,
    pub(crate) own: &'static str,
    /// The structures whose best figure the ratio refers to; empty if the figure itself is bounded.
    pub(crate) rivals: &'static [&'static str],
    pub(crate) most: f64,
}

impl Bound {
    pub(crate) fn is_for(&self, case: Case) -> bool {
        self.group == case.group
            && self.shape.is_none_or(|shape| shape == case.shape)
            && self.rows_min <= case.rows
    }
}

const HASH_TABLES: &[&str] = &["hash-map", "hash-table", "griddle"];

const fn unique(operation: Operation, rivals: &'static [&'static str], most: f64) -> Bound {
    let (group, own) = (Group::Unique, "unique-index");
    Bound { group, shape: None, rows_min: 1 << 20, operation, own, rivals, most }
}

const fn sets(operation: Operation, most: f64) -> Bound {
    let (group, own) = (Group::Sets, "set-index");
    Bound { group, shape: None, rows_min: 1 << 16, operation, own, rivals: &["vecs"], most }
}

const fn grid(
    shape: Option<usize>,
    operation: Operation,
    rivals: &'static [&'static str],
    most: f64,
) -> Bound {
    Bound { group: Group::Grid, shape, rows_min: 1 << 16, operation, own: "grid", rivals, most }
}

const fn table_of_sets(
    own: &'static str,
    operation: Operation,
    rivals: &'static [&'static str],
    most: f64,
) -> Bound {
    Bound { own, rivals, rows_min: 1 << 10, ..sets(operation, most) }
}

const fn everyday_grid(
    own: &'static str,
    operation: Operation,
    rivals: &'static [&'static str],
    most: f64,
) -> Bound {
    Bound { own, rows_min: 1 << 10, ..grid(None, operation, rivals, most) }
}

pub(crate) const ALL: &[Bound] = &[
    unique(Operation::Insert, &["hash-map"], 0.8),
    unique(Operation::Hit, &["hash-map"], 0.9),
    unique(Operation::Hit, &["hash-table"], 1.0),
    unique(Operation::Dependent, HASH_TABLES, 0.75),
    unique(Operation::Miss, HASH_TABLES, 1.5),
    unique(Operation::Remove, HASH_TABLES, 1.0),
    unique(Operation::LongestWarm, &[], 5.0),
    Bound { own: "table-ahead", ..unique(Operation::LongestCold, &[], 100.0) },
    Bound { own: "table-ahead", ..unique(Operation::LongestPaced, &[], 100.0) },
    unique(Operation::Bytes, &[], 14.0),
    Bound { own: "table", rows_min: 1 << 10, ..unique(Operation::Modify, &["by-hand"], 1.1) },
    Bound { own: "table", rows_min: 1 << 10, ..unique(Operation::Mixed, &["by-hand"], 1.1) },
    sets(Operation::Walk, 1.3),
    sets(Operation::Move, 1.0),
    table_of_sets("table-many", Operation::Walk, &["by-hand-sets"], 1.3),
    table_of_sets("table-many", Operation::Build, &["by-hand-sets"], 1.1),
    table_of_sets("table-two", Operation::MixedMoves, &["multi-index-map"], 1.1),
    grid(None, Operation::Frame, &["kiddo", "kiddo-5", "rstar"], 0.4),
    grid(Some(2), Operation::Within, &["kiddo"], 0.9),
    grid(Some(2), Operation::Within, &["kiddo-5"], 0.9),
    grid(Some(3), Operation::Within, &["kiddo"], 1.2),
    grid(Some(3), Operation::Within, &["kiddo-5"], 1.2),
    everyday_grid("grid", Operation::Within, &["hash-grid"], 1.1),
    everyday_grid("grid", Operation::WithinThree, &["hash-grid", "kiddo", "kiddo-5"], 1.1),
    everyday_grid("grid", Operation::Nearest, &["kiddo", "kiddo-5"], 1.0),
    everyday_grid("grid", Operation::NearestOne, &["kiddo", "kiddo-5"], 1.2),
    everyday_grid("grid", Operation::Pairs, &["counting-sort"], 1.1),
    everyday_grid("grid-sorted", Operation::Pairs, &["counting-sort"], 1.1),
];
