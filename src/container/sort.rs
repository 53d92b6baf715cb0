//! Sorts rows by their indices, wherever their fields are stored.

use crate::error::Error;
use crate::heap::try_reserve_exact;
use std::cmp::Ordering;

/// Returns the indices of `len` rows in the order of a comparison of two of them. Equal rows keep their order.
pub(crate) fn try_order(
    len: usize,
    mut compare: impl FnMut(usize, usize) -> Ordering,
) -> Result<Vec<usize>, Error> {
    let mut order = Vec::new();
    try_reserve_exact(&mut order, len)?;
    order.extend(0..len);
    // Comparing indices last makes the sort stable without the memory that a stable sort takes.
    order.sort_unstable_by(|&a, &b| compare(a, b).then(a.cmp(&b)));
    Ok(order)
}

/// Moves the row at `order[i]` to `i`, for all `i`, by swapping rows along each cycle.
pub(crate) fn put_in(mut order: Vec<usize>, mut swap: impl FnMut(usize, usize)) {
    for first in 0..order.len() {
        let mut at = first;
        while order[at] != first {
            let from = order[at];
            swap(at, from);
            order[at] = at;
            at = from;
        }
        order[at] = at;
    }
}
