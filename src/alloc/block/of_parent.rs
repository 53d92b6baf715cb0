//! Large blocks allocated by the parent, used when there are too many others: the parent may have a heap, in which
//! more blocks take no mappings.
//!
//! As many bytes precede the user's memory as a block's header takes, and where a header has its seal, these blocks
//! have a different word. Code that resizes or frees a large block can therefore tell from the block alone which
//! allocator it came from.

#![expect(unsafe_code, reason = "passes on the callers' guarantees about blocks")]

use super::{Block, offset_for, seal};
use crate::alloc::Contents;
use crate::reservation::address_space_bytes;
use std::alloc::{GlobalAlloc, Layout};
use std::ptr::{self, NonNull};

/// Allocates uninitialised or zeroed memory for a layout whose size is not zero.
pub(in crate::alloc) fn obtain(
    parent: &impl GlobalAlloc,
    layout: Layout,
    contents: Contents,
) -> Option<NonNull<u8>> {
    let whole = whole(layout)?;
    // SAFETY: `whole` includes the space of a header, so its size is not zero.
    let memory = unsafe { contents.of(parent, whole) }?;
    // SAFETY: `memory` was just allocated with the layout `whole`.
    Some(unsafe { sealed(memory, layout) })
}

/// Returns `true` if a large block was allocated by the parent.
///
/// # Safety
///
/// - `start` is the start of a large block, allocated by this allocator or by its parent.
pub(in crate::alloc) unsafe fn has(start: NonNull<u8>) -> bool {
    // SAFETY: the space of a header precedes `start` in either kind of block, and `over` or `sealed` wrote the seal there.
    let found = unsafe { Block { start }.found_seal() };
    found == of_parent(start)
}

/// Returns a block to the parent.
///
/// # Safety
///
/// - `start` was returned by [`obtain`] or [`resize`] for this layout and parent, and is not used again.
pub(in crate::alloc) unsafe fn give_back(
    parent: &impl GlobalAlloc,
    start: NonNull<u8>,
    layout: Layout,
) {
    let Some(whole) = whole(layout) else { return };
    let memory = memory(start, layout);
    // SAFETY: by the caller's promise the parent allocated it with this layout.
    unsafe { parent.dealloc(memory, whole) };
}

/// Reallocates a block to the new layout, preserving the contents up to the smaller size. Returns `None`, with the
/// block unchanged, if the parent refuses.
///
/// # Safety
///
/// - As for [`give_back`], and both layouts have the same alignment. If this returns `None`, the old block remains
///   valid.
pub(in crate::alloc) unsafe fn resize(
    parent: &impl GlobalAlloc,
    start: NonNull<u8>,
    old: Layout,
    new: Layout,
) -> Option<NonNull<u8>> {
    debug_assert_eq!(old.align(), new.align());
    let (old_whole, new_whole) = (whole(old)?, whole(new)?);
    let memory = memory(start, old);
    // SAFETY: the parent allocated it with the old layout, and `new_whole` is a valid layout.
    let moved = unsafe { parent.realloc(memory, old_whole, new_whole.size()) };
    // SAFETY: the memory was reallocated with the layout `new_whole`.
    NonNull::new(moved).map(|memory| unsafe { sealed(memory, new) })
}

/// The layout requested from the parent: the user's, preceded by the space of a header.
fn whole(layout: Layout) -> Option<Layout> {
    // At least the alignment of a header, which is small.
    let align = layout.align().max(align_of::<usize>());
    let bytes = offset_for(layout.align()).checked_add(layout.size())?;
    Layout::from_size_align(bytes, align).ok().filter(|_| bytes <= address_space_bytes())
}

/// The start of the memory that the parent returned.
fn memory(start: NonNull<u8>, layout: Layout) -> *mut u8 {
    // The caller's pointer may be valid for the user's bytes only.
    ptr::with_exposed_provenance_mut(start.addr().get() - offset_for(layout.align()))
}

/// Writes the seal of the parent's blocks, and returns the start of the user's memory.
///
/// # Safety
///
/// - The memory was allocated with the [`whole`] of that layout.
unsafe fn sealed(memory: NonNull<u8>, layout: Layout) -> NonNull<u8> {
    memory.as_ptr().expose_provenance();
    // SAFETY: `add` requires that the result is in the same allocation: the offset is a part of `whole`, as the caller
    // promises.
    let start = unsafe { memory.add(offset_for(layout.align())) };
    // SAFETY: "valid for writes": the seal lies in the `HEADER_BYTES` before `start`, which are part of the memory, since
    // the offset is at least that.
    unsafe { Block { start }.seal_ptr().write_unaligned(of_parent(start)) };
    start
}

/// A word that differs from the seal of a block.
fn of_parent(start: NonNull<u8>) -> usize {
    !seal(start.addr().get())
}
