//! The targets for maps of 8 M slots.

use crate::case::Case;
use crate::operation::Operation;

const LARGE: Case = Case { value_bytes: 56, slots: 1 << 23 };

/// Returns how many times as fast as the best peer an operation must be at least.
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

/// Whether the target also applies to peers that move values. Their iteration has no holes to skip, so it is
/// not comparable.
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

/// Returns the most resident bytes for each value.
pub(crate) fn resident_bytes_per_value(case: Case) -> Option<f64> {
    (case == LARGE).then_some(64.3)
}

/// The most that the highest place in use may be, over the number of values, after a map is refilled.
pub(crate) const LIVE_RANGE_REFILLED: f64 = 1.1;

/// Returns the least bandwidth of full iteration over that of a slice.
pub(crate) fn walk_bandwidth(case: Case) -> Option<f64> {
    (case == LARGE).then_some(0.9)
}
