//! How many addresses a block has to grow into: its part of what all in the process share who do not say
//! how many, see [`Space`].
//!
//! Those that get no part have just the addresses that they need, as a block of malloc's has: side by side
//! the system makes them one mapping, and they grow by being moved, which copies nothing either. When there are too
//! many of these too, there are no more blocks, see [`Refusal::Crowded`].

use super::{BlockOptions, Refusal};
use crate::reservation::{CAN_MOVE, Reservation, Space, is_much_unreleased, page_size};

/// What is tried when a range is refused.
const MUCH_LESS: usize = 64;

/// A range of `end` bytes at least; it is counted, if there is room to grow.
pub(super) fn reserve(
    end: usize,
    align: usize,
    options: &BlockOptions,
) -> Result<Reservation, Refusal> {
    let builder = Reservation::builder().align(align).huge_pages(options.huge_pages);
    let least = least(end, options);
    // What can be moved when it outgrows its room needs no more of it, where there are many; see `relocate`.
    let near = (CAN_MOVE && align <= page_size()).then_some(least);
    if let Some(taken) = Space::now().take_for_block(options.reserve_bytes, least, near) {
        let wished = taken.bytes();
        for bytes in [wished, wished / MUCH_LESS] {
            if bytes < least {
                break;
            }
            if let Some(mut roomy) = builder.bytes(bytes).advised_later().reserve_if_possible() {
                roomy.count_as(taken);
                return Ok(roomy);
            }
        }
    }
    let taken = Space::take_for_bare_block(align).ok_or(Refusal::Crowded)?;
    let builder = builder.bytes(end).bare();
    let mut bare = match builder.reuse_if_possible() {
        Some(reused) => reused,
        // What is freed next would only be more of it.
        None if is_much_unreleased() => return Err(Refusal::Crowded),
        None => builder.reserve_if_possible().ok_or(Refusal::BySystem)?,
    };
    bare.count_as(taken);
    Ok(bare)
}

/// Less than that is no room to grow.
fn least(end: usize, options: &BlockOptions) -> usize {
    match options.reserve_bytes {
        Some(_) => end.saturating_add(1),
        None => end.saturating_mul(2),
    }
}
