//! A few blocks that were freed, kept for those who want the like again.
//!
//! A program that takes and frees a buffer of some MiB every frame would take all its page faults
//! every time: malloc keeps such memory too. Blocks are kept in turn, so that one that nobody wants
//! goes when others come.

#![expect(unsafe_code, reason = "hands blocks from one owner to another")]

use super::{Block, BlockOptions, HEADER_BYTES, tally};
use crate::alloc::Contents;
use crate::service::Release;
use std::alloc::Layout;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// So many blocks are kept, …
const SLOTS: usize = 4;
/// … of so many bytes at most, and the run in which they end.
const MOST_BYTES: usize = 16 << 20;
/// A block is not taken for less than this part of it.
const LEAST_USE: usize = 4;

/// Null, or what a block's user had: whoever takes it out of here has the block.
static KEPT: [AtomicPtr<u8>; SLOTS] = [const { AtomicPtr::new(ptr::null_mut()) }; SLOTS];
/// Which of them is next.
static TURN: AtomicUsize = AtomicUsize::new(0);

/// Takes the block that is kept in a slot.
fn take_out(slot: &AtomicPtr<u8>) -> Option<Block> {
    exchange(slot, None)
}

fn exchange(slot: &AtomicPtr<u8>, with: Option<Block>) -> Option<Block> {
    let with = with.map_or(ptr::null_mut(), |mut block| {
        tally::kept(block.bytes());
        block.start.as_ptr()
    });
    // Acquires what the one before has done to the block, and releases what this one has.
    let before = NonNull::new(slot.swap(with, Ordering::AcqRel))?;
    // SAFETY: it was put here by `put`, which had the block, and nobody else has it: it is taken out by
    // the exchange.
    let mut before = unsafe { Block::at(before) };
    tally::taken(before.bytes());
    Some(before)
}

/// How many blocks are kept.
pub(in crate::alloc) fn count() -> usize {
    KEPT.iter().filter(|slot| !slot.load(Ordering::Relaxed).is_null()).count()
}

/// Keeps a block; returns one that is to be released: this, or one that had to make room.
pub(super) fn put(mut block: Block) -> Option<Block> {
    let header = block.header();
    let most = MOST_BYTES + header.memory.run_bytes(header.usable);
    if header.usable > most || !header.memory.is_counted() {
        return Some(block);
    }
    let empty = KEPT.iter().find(|slot| slot.load(Ordering::Relaxed).is_null());
    let slot = empty.unwrap_or_else(|| &KEPT[TURN.fetch_add(1, Ordering::Relaxed) % SLOTS]);
    exchange(slot, Some(block))
}

/// A block that is kept and suits a layout.
pub(super) fn take(layout: Layout, options: &BlockOptions, contents: Contents) -> Option<Block> {
    for slot in &KEPT {
        if slot.load(Ordering::Relaxed).is_null() {
            continue;
        }
        let Some(mut block) = take_out(slot) else { continue };
        let header = block.header();
        let written = header.usable - header.offset;
        if suits(&mut block, layout, options) {
            if contents == Contents::Zeroed {
                // What is behind was committed just now, and is zero.
                let bytes = written.min(layout.size());
                // SAFETY: so many bytes were committed, and are nobody's yet.
                unsafe { block.start.write_bytes(0, bytes) };
            }
            return Some(block);
        }
        if let Some(other) = exchange(slot, Some(block)) {
            // Somebody was quicker.
            other.release(options.release);
        }
    }
    None
}

/// Whether a block suits a layout; and has it grow, if it nearly does.
fn suits(block: &mut Block, layout: Layout, options: &BlockOptions) -> bool {
    let is_aligned = block.is_aligned_to(layout.align());
    let header = block.header();
    let Some(end) = header.offset.checked_add(layout.size()) else { return false };
    let reserved = header.memory.reserved_bytes();
    let has_room = match options.reserve_bytes {
        Some(wished) => reserved >= wished.max(end),
        None => end <= reserved / 2,
    };
    is_aligned
        && header.offset == layout.align().max(HEADER_BYTES)
        && header.memory.huge_pages() == options.huge_pages
        && has_room
        && header.usable / LEAST_USE <= end
        && (end <= header.usable || header.grow_to(end))
}

/// Releases all that is kept; whether there was anything.
pub(in crate::alloc) fn release_all() -> bool {
    let mut any = false;
    for slot in &KEPT {
        if let Some(block) = take_out(slot) {
            block.release(Release::Now);
            any = true;
        }
    }
    any
}
