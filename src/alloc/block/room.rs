//! How many addresses each block has to grow into, and the count of them all.
//!
//! # The arithmetic
//!
//! - **Addresses.** All blocks together have a quarter of those that the process can have, at most (of
//!   `RLIMIT_AS`, if that is less): with 47 bits of them, 32 TiB of 128. If nobody says otherwise, one
//!   is given as much as the machine has memory, but at most 1/1024 of what is left: with 32 GiB of
//!   memory, the first thousand blocks get 12 to 32 GiB each, the ten thousandth would get 2 MiB.
//! - **Mappings.** Linux lets a process have 65,530. A block with room to grow takes four at most:
//!   what is committed, what is not, what lies between it and the next, and, where it is aligned to more
//!   than a page, what lies before it. At most 8,192 such blocks are made: 32,768 mappings, so that half
//!   are left to others. (16,464 were seen for 40,000 blocks of a MiB, 8,192 of them with room.)
//! - What is beyond either has just the addresses that it needs, as a block of malloc's has: side by
//!   side the system makes them one mapping, and they grow by being moved, which copies nothing either.
//!
//! A limit that is not known here shows by a refusal. Then it is not searched for the largest range
//! that can still be had, which others will need: one much smaller is tried, and no more.

use super::BlockOptions;
use crate::growing::Share;
use crate::reservation::Reservation;
use std::sync::atomic::{AtomicUsize, Ordering};

/// At most so many blocks have room to grow.
pub(super) const MOST_BLOCKS: usize = 8192;

/// What is tried when a range is refused.
const MUCH_LESS: usize = 64;

/// Blocks with room to grow.
static BLOCKS: AtomicUsize = AtomicUsize::new(0);
/// Bytes of addresses that they have.
static RESERVED_BYTES: AtomicUsize = AtomicUsize::new(0);

/// How many blocks have room to grow, and how many bytes of addresses they take.
pub(in crate::alloc) fn counts() -> (usize, usize) {
    (BLOCKS.load(Ordering::Relaxed), RESERVED_BYTES.load(Ordering::Relaxed))
}

/// A range of `end` bytes at least, and how many of its bytes are counted: none, if there is no room
/// to grow.
pub(super) fn reserve(
    end: usize,
    align: usize,
    options: &BlockOptions,
) -> Option<(Reservation, usize)> {
    let builder = Reservation::builder().align(align).huge_pages(options.huge_pages);
    if let Some(wished) = count(end, options) {
        for bytes in [wished, wished / MUCH_LESS] {
            if bytes < least(end, options) {
                break;
            }
            if let Some(roomy) = builder.bytes(bytes).advised_later().reserve_if_possible() {
                RESERVED_BYTES.fetch_sub(wished - bytes, Ordering::Relaxed);
                return Some((roomy, bytes));
            }
        }
        give_back(wished);
    }
    Some((builder.bytes(end).bare().reserve_if_possible()?, 0))
}

/// Less than that is no room to grow.
fn least(end: usize, options: &BlockOptions) -> usize {
    match options.reserve_bytes {
        Some(_) => end.saturating_add(1),
        None => end.saturating_mul(2),
    }
}

/// Counts a block that is to have room to grow, if it may have; how many bytes.
fn count(end: usize, options: &BlockOptions) -> Option<usize> {
    let (order, least) = (Ordering::Relaxed, least(end, options));
    BLOCKS
        .fetch_update(order, order, |blocks| (blocks < MOST_BLOCKS).then_some(blocks + 1))
        .ok()?;
    let wish = |taken| {
        let share = Share::beside(taken);
        options.reserve_bytes.unwrap_or(share.usual_bytes).min(share.most_bytes)
    };
    let mut wished = 0;
    let counted = RESERVED_BYTES.fetch_update(order, order, |taken| {
        wished = wish(taken);
        (wished >= least).then_some(taken + wished)
    });
    if counted.is_err() {
        BLOCKS.fetch_sub(1, order);
        return None;
    }
    Some(wished)
}

/// Takes what [`reserve`] has counted out of the count.
pub(super) fn give_back(counted: usize) {
    if counted > 0 {
        BLOCKS.fetch_sub(1, Ordering::Relaxed);
        RESERVED_BYTES.fetch_sub(counted, Ordering::Relaxed);
    }
}
