//! Blocks in memory that others had: what suits whom.

#![expect(unsafe_code, reason = "clears memory that it hands out")]

use super::{Block, BlockOptions, Contents, commit, front, offset_for};
use crate::growing::round_up;
use crate::keeper::{self, Lent, Use, Warm};
use crate::reservation::{Reservation, page_size};
use std::alloc::Layout;

/// Zeroed memory is taken fresh if it is more: then it may well be that little of it is touched, and what is
/// used has to be cleared. (Clearing a MiB takes 0.1 ms here, the page faults of a fresh one 0.4 to 0.6.)
const MOST_ZEROED_BYTES: usize = 8 << 20;

/// A block in memory that is kept and suits a layout.
pub(super) fn take(layout: Layout, options: &BlockOptions, contents: Contents) -> Option<Block> {
    let offset = offset_for(layout.align());
    let end = offset.checked_add(layout.size())?;
    let is_zeroed = contents == Contents::Zeroed;
    if is_zeroed && end > MOST_ZEROED_BYTES {
        return None;
    }
    let needed = end - front(offset);
    let suits = &mut |warm: &Warm| suits(warm, layout, end, options);
    let (warm, lent) = keeper::take(Use::Block, needed..needed, suits)?;
    let written = warm.pages.end.min(end);
    let block = over(warm, lent, offset, end)?;
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
    let offset = offset_for(layout.align());
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
        && keeper::is_fit(usable, end, round_up(end, memory.run_bytes(end)))
}

/// Makes a block that reaches up to `end` at least. What is beyond and not lent is given back.
fn over(warm: Warm, lent: Option<Lent>, offset: usize, end: usize) -> Option<Block> {
    let Warm { mut memory, pages } = warm;
    let mut usable = pages.end;
    if usable < end {
        usable = commit(&memory, usable, end)?;
    } else if lent.is_none() {
        let keep = worth_keeping(&memory, pages.start, end);
        if keep < usable && memory.decommit_if_possible(keep..usable) {
            usable = keep;
        }
    }
    Some(Block::over(memory, offset, usable, lent.unwrap_or(Lent::NONE)))
}

/// To the end of a run, if that is not more than a quarter beyond what is needed: for others had it, and all
/// of it is in memory.
fn worth_keeping(memory: &Reservation, from: usize, end: usize) -> usize {
    let whole = round_up(end, memory.run_bytes(end));
    if whole - end <= (end - from) / 4 { whole } else { round_up(end, page_size()) }
}
