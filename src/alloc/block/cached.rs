//! Blocks in cached regions: which region suits which block.

#![expect(unsafe_code, reason = "clears memory that it hands out")]

use super::{Block, BlockOptions, Contents, commit, fill, front, offset_for, prefault};
use crate::growing::round_up;
use crate::region_cache::{self, LentBytes, Region, Use};
use crate::reservation::{Reservation, page_size};
use std::alloc::Layout;
use std::ops::Range;

/// A larger zeroed block may well be touched only in part, so it is taken from the cache only if it was not before:
/// cached memory has to be cleared. (Clearing 1 MiB takes 0.1 ms, the page faults of a fresh one 0.4 to 0.6 ms, as
/// measured.)
const LARGE_ZEROED_BYTES: usize = 8 << 20;

/// Takes a cached region that suits the layout, as a block.
pub(super) fn take(layout: Layout, options: &BlockOptions, contents: Contents) -> Option<Block> {
    let offset = offset_for(layout.align());
    let end = offset.checked_add(layout.size())?;
    let is_zeroed = contents == Contents::Zeroed;
    let needs_dense = is_zeroed && end > LARGE_ZEROED_BYTES;
    let needed = end - front(offset);
    let suits = &mut |region: &Region| {
        suits(region, layout, end, options) && (!needs_dense || region.is_dense())
    };
    let (region, lent) = region_cache::take(Use::Block, needed..needed, suits)?;
    let written = region.pages().end.min(end);
    let (memory, usable) = fitted(region, lent.is_some(), offset..end, options, contents)?;
    let lent = lent.unwrap_or(LentBytes::NONE);
    // SAFETY: the offset is that of the layout, and `suits` has checked the alignment. The pages of the region, which begin
    // at `front`, as it has checked too, are committed and unused, and `fitted` has made them end at `usable`.
    let block = unsafe { Block::over(memory, offset..end, usable, lent) };
    if is_zeroed {
        // Memory past `written` was committed just now, and is zero.
        // SAFETY: "valid for writes": the block starts `offset` bytes into the region, which is committed up to `written`,
        // and `suits` has checked that this is not less than `offset`. The caller does not have the block yet.
        unsafe { block.start.write_bytes(0, written - offset) };
    }
    Some(block)
}

/// Returns `true` if a block can be made of a region.
fn suits(region: &Region, layout: Layout, end: usize, options: &BlockOptions) -> bool {
    let (memory, pages) = (region.memory(), region.pages());
    let offset = offset_for(layout.align());
    let reserved = memory.reserved_bytes();
    let has_room = match options.reserve_bytes {
        Some(preferred) => reserved >= preferred.saturating_add(offset).max(end),
        None => end <= reserved / 2,
    };
    let usable = pages.end;
    has_room
        && pages.start == front(offset)
        && usable > offset
        && (memory.start().addr().get() + offset) % layout.align() == 0
        && memory.huge_pages() == options.huge_pages
        && region.is_fit(end, round_up(end, memory.run_bytes(end)))
}

/// Takes the memory of a region, with a new end of its committed pages, which is not before that of the user's bytes
/// `user`. Memory past them that is not lent is returned to the system.
fn fitted(
    region: Region,
    is_lent: bool,
    user: Range<usize>,
    options: &BlockOptions,
    contents: Contents,
) -> Option<(Reservation, usize)> {
    let (mut memory, pages) = region.into_parts();
    let Range { start: offset, end } = user;
    let mut usable = pages.end;
    if usable < end {
        let committed = usable..commit(&memory, usable, end)?;
        usable = fill(&mut memory, committed, contents);
        if usable < end {
            return None;
        }
        prefault(&memory, offset, pages.end..usable, options);
    } else if !is_lent {
        let keep = worth_keeping(&memory, pages.start, end);
        if keep < usable && memory.decommit_if_possible(keep..usable) {
            usable = keep;
        }
    }
    Some((memory, usable))
}

/// Returns how much of a region stays committed: up to the end of a run if that is at most a quarter more than is
/// needed, since the pages are resident already; else up to the end of a page.
fn worth_keeping(memory: &Reservation, from: usize, end: usize) -> usize {
    let whole = round_up(end, memory.run_bytes(end));
    if whole - end <= (end - from) / 4 { whole } else { round_up(end, page_size()) }
}
