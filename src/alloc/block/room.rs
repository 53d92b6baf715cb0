//! How many addresses a block has to grow into: its part of what all in the process share who do not say
//! how many, see [`Space`].
//!
//! Those that get no part have just the addresses that they need, as a block of malloc's has: side by side
//! the system makes them one mapping, and they grow by being moved, which copies nothing either.

use super::BlockOptions;
use crate::reservation::{Reservation, Space};

/// What is tried when a range is refused.
const MUCH_LESS: usize = 64;

/// A range of `end` bytes at least; it is counted, if there is room to grow.
pub(super) fn reserve(end: usize, align: usize, options: &BlockOptions) -> Option<Reservation> {
    let builder = Reservation::builder().align(align).huge_pages(options.huge_pages);
    let least = least(end, options);
    if let Some(taken) = Space::now().take_for_block(options.reserve_bytes, least) {
        let wished = taken.bytes();
        for bytes in [wished, wished / MUCH_LESS] {
            if bytes < least {
                break;
            }
            if let Some(mut roomy) = builder.bytes(bytes).advised_later().reserve_if_possible() {
                roomy.count_as(taken);
                return Some(roomy);
            }
        }
    }
    builder.bytes(end).bare().reserve_if_possible()
}

/// Less than that is no room to grow.
fn least(end: usize, options: &BlockOptions) -> usize {
    match options.reserve_bytes {
        Some(_) => end.saturating_add(1),
        None => end.saturating_mul(2),
    }
}
