//! Blocks in memory that others had: what suits whom.

#![expect(unsafe_code, reason = "clears memory that it hands out")]

use super::{Block, BlockOptions, Contents, HEADER_BYTES, commit, front};
use crate::growing::round_up;
use crate::keeper::{self, Lent, Use, Warm};
use std::alloc::Layout;

/// Zeroed memory is taken fresh if it is more: then it may well be that little of it is touched, and what is
/// used has to be cleared. (Clearing a MiB takes 0.1 ms here, the page faults of a fresh one 0.4 to 0.6.)
const MOST_ZEROED_BYTES: usize = 8 << 20;

/// Who wants so much may be about to grow, and is lent more than twice of it.
const MOST_BEGINNING_BYTES: usize = 1 << 20;

/// A block in memory that is kept and suits a layout.
pub(super) fn take(layout: Layout, options: &BlockOptions, contents: Contents) -> Option<Block> {
    let offset = layout.align().max(HEADER_BYTES);
    let end = offset.checked_add(layout.size())?;
    let is_zeroed = contents == Contents::Zeroed;
    if is_zeroed && end > MOST_ZEROED_BYTES {
        return None;
    }
    let warm = keeper::take(Use::Block, end, &mut |warm| suits(warm, layout, end, options))?;
    let written = warm.pages.end.min(end);
    let block = over(warm, offset, end)?;
    if is_zeroed {
        // What is behind was committed just now, and is zero.
        // SAFETY: so many bytes are committed, and nobody's yet; they begin `offset` before the end.
        unsafe { block.start.write_bytes(0, written - offset) };
    }
    Some(block)
}

/// Whether a block may be made of memory.
fn suits(warm: &Warm, layout: Layout, end: usize, options: &BlockOptions) -> bool {
    let Warm { memory, pages } = warm;
    let offset = layout.align().max(HEADER_BYTES);
    let reserved = memory.reserved_bytes();
    let has_room = match options.reserve_bytes {
        Some(wished) => reserved >= wished.max(end),
        None => end <= reserved / 2,
    };
    let usable = pages.end;
    has_room
        && pages.start == front(offset)
        && usable > offset
        && (memory.start().addr().get() + offset) % layout.align() == 0
        && memory.huge_pages() == options.huge_pages
        && (usable / 2 <= round_up(end, memory.run_bytes(end)) || end <= MOST_BEGINNING_BYTES)
}

/// Makes a block that reaches up to `end` at least. What is beyond is lent, or given back.
fn over(warm: Warm, offset: usize, end: usize) -> Option<Block> {
    let Warm { mut memory, pages } = warm;
    let mut usable = pages.end;
    let mut lent = Lent::NONE;
    if usable < end {
        usable = commit(&memory, usable, end)?;
    } else {
        match Lent::of(usable - end, keeper::most_bytes()) {
            Some(surplus) => lent = surplus,
            None => {
                let keep = round_up(end, memory.run_bytes(end));
                if keep < usable && memory.decommit_if_possible(keep..usable) {
                    usable = keep;
                }
            }
        }
    }
    Some(Block::over(memory, offset, usable, lent))
}
