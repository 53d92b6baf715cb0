//! What the project has set itself, for maps of 8 M slots.

use crate::case::Case;
use crate::operation::Operation;

const LARGE: Case = Case { value_bytes: 56, slots: 1 << 23 };

/// How many times faster than the best peer an operation should be at least.
pub(crate) fn of(case: Case, operation: Operation) -> Option<f64> {
    if case.slots != LARGE.slots {
        return None;
    }
    match (operation, case.value_bytes) {
        (Operation::IterateHalfHoles, 4) => Some(4.0),
        (Operation::IterateHalfHoles, 56) => Some(1.8),
        (Operation::Get, 56) => Some(1.7),
        (Operation::Refill, 56) => Some(6.0),
        (Operation::Remove, 56) => Some(1.3),
        (Operation::Insert | Operation::InsertWarm | Operation::Iterate, 56) => Some(1.0),
        _ => None,
    }
}

/// A map without holes iterates over nothing else, and is no measure for one that keeps values in
/// their places.
pub(crate) fn is_for_moving_peers_too(operation: Operation) -> bool {
    !matches!(
        operation,
        Operation::Iterate
            | Operation::IterateTenthHoles
            | Operation::IterateHalfHoles
            | Operation::IterateMostlyHoles
            | Operation::Loop
            | Operation::LoopTenthHoles
    )
}

/// The most resident bytes a value.
pub(crate) fn resident_bytes_per_value(case: Case) -> Option<f64> {
    (case == LARGE).then_some(64.3)
}

/// The furthest that the highest place in use may be, over the number of values, once a map is
/// refilled.
pub(crate) const LIVE_RANGE_REFILLED: f64 = 1.1;

/// The least bandwidth of full iteration over that of walking a slice.
pub(crate) fn walk_bandwidth(case: Case) -> Option<f64> {
    (case == LARGE).then_some(0.9)
}
