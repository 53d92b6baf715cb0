//! Decides how many addresses a block gets to grow into: its share of those that all containers of the process without
//! an explicit size divide among themselves, see [`AddressSpace`].
//!
//! A block without a share gets only the addresses it needs, as a block of `malloc` does: the system merges adjacent
//! ones into one mapping, and they grow by being moved, which copies nothing either. If there are too many of these as
//! well, the block is refused, see [`Refusal::Crowded`].

use super::{BlockOptions, Refusal, offset_for};
use crate::reservation::{AddressSpace, CAN_MOVE, Reservation, is_much_unreleased, page_size};

/// The divisor of the size for the second attempt, after a range is refused.
const MUCH_LESS: usize = 64;

/// Reserves a range of at least `end` bytes, with room to grow if possible, and counts it.
pub(super) fn reserve(
    end: usize,
    align: usize,
    options: &BlockOptions,
) -> Result<Reservation, Refusal> {
    let builder = Reservation::builder().align(align).huge_pages(options.huge_pages);
    let least = least(end, options);
    // Where blocks are many, one that can be moved needs no more than `least`; see `relocate`.
    let near = (CAN_MOVE && align <= page_size()).then_some(least);
    let requested = options.reserve_bytes.map(|bytes| bytes.saturating_add(offset_for(align)));
    if let Some(taken) = AddressSpace::now().take_for_block(requested, least, near) {
        let preferred = taken.bytes();
        for bytes in [preferred, preferred / MUCH_LESS] {
            if bytes < least {
                break;
            }
            if let Some(mut roomy) = builder.bytes(bytes).advised_later().reserve_if_possible() {
                roomy.count_as(taken);
                return Ok(roomy);
            }
        }
    }
    let taken = AddressSpace::take_for_bare_block(align).ok_or(Refusal::Crowded)?;
    let builder = builder.bytes(end).bare();
    let mut bare = match builder.reuse_if_possible() {
        Some(reused) => reused,
        // Blocks freed from now on would only add to the ranges that cannot be released.
        None if is_much_unreleased() => return Err(Refusal::Crowded),
        None => builder.reserve_if_possible().ok_or(Refusal::BySystem)?,
    };
    bare.count_as(taken);
    Ok(bare)
}

/// The smallest size that leaves room to grow.
fn least(end: usize, options: &BlockOptions) -> usize {
    match options.reserve_bytes {
        Some(_) => end.saturating_add(1),
        None => end.saturating_mul(2),
    }
}
