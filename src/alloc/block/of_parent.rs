//! Large blocks that the parent has, where there are too many others: it may have a heap, in which more of them take
//! no mappings.
//!
//! There are as many bytes before what the user has as a block's header takes, and where that has its seal, there
//! is another one. So whoever resizes or frees a large block sees whose it is, and nothing is looked up.

#![expect(unsafe_code, reason = "passes on the callers' promises about blocks")]

use super::{Block, Header, offset_for, seal};
use crate::alloc::Contents;
use crate::reservation::address_space_bytes;
use std::alloc::{GlobalAlloc, Layout};
use std::mem::offset_of;
use std::ptr::{self, NonNull};

/// Memory of a layout that is not of size zero, uninitialised or zero.
pub(in crate::alloc) fn obtain(
    parent: &impl GlobalAlloc,
    layout: Layout,
    contents: Contents,
) -> Option<NonNull<u8>> {
    let whole = whole(layout)?;
    // SAFETY: the size is not zero.
    let memory = unsafe { contents.of(parent, whole) }?;
    // SAFETY: `whole` has that, and a layout behind it.
    Some(unsafe { sealed(memory, layout) })
}

/// Whether a large block is the parent's.
///
/// # Safety
///
/// - `start` is the start of a large block, this allocator's own or its parent's.
pub(in crate::alloc) unsafe fn has(start: NonNull<u8>) -> bool {
    // SAFETY: either has so much before it. Any bytes are a number.
    let found = unsafe { seal_of(start).read_unaligned() };
    found == of_parent(start)
}

/// # Safety
///
/// - `start` is what [`obtain`] or [`resize`] gave for that layout and parent, and is not used again.
pub(in crate::alloc) unsafe fn give_back(
    parent: &impl GlobalAlloc,
    start: NonNull<u8>,
    layout: Layout,
) {
    let Some(whole) = whole(layout) else { return };
    let memory = memory(start, layout);
    // SAFETY: the parent's, of that layout.
    unsafe { parent.dealloc(memory, whole) };
}

/// Memory of the new layout with what was in the first bytes of the old. `None`, and no change, if the parent does
/// not have it.
///
/// # Safety
///
/// - As for [`give_back`], and the layouts are of the same alignment. If this returns `None`, the old memory may be
///   used on.
pub(in crate::alloc) unsafe fn resize(
    parent: &impl GlobalAlloc,
    start: NonNull<u8>,
    old: Layout,
    new: Layout,
) -> Option<NonNull<u8>> {
    debug_assert_eq!(old.align(), new.align());
    let (old_whole, new_whole) = (whole(old)?, whole(new)?);
    let memory = memory(start, old);
    // SAFETY: the parent's, of the old layout, and the new one exists.
    let moved = unsafe { parent.realloc(memory, old_whole, new_whole.size()) };
    // SAFETY: `new_whole` has a seal's place, and a layout behind it.
    NonNull::new(moved).map(|memory| unsafe { sealed(memory, new) })
}

/// What the parent is asked for: with the place of a header before what the user has.
fn whole(layout: Layout) -> Option<Layout> {
    // Aligned to a header at least, which is small.
    let align = layout.align().max(align_of::<usize>());
    let bytes = offset_for(layout.align()).checked_add(layout.size())?;
    Layout::from_size_align(bytes, align).ok().filter(|_| bytes <= address_space_bytes())
}

/// What the parent gave.
fn memory(start: NonNull<u8>, layout: Layout) -> *mut u8 {
    // What the caller has may be good for its own bytes only.
    ptr::with_exposed_provenance_mut(start.addr().get() - offset_for(layout.align()))
}

/// Writes the seal; what the user has.
///
/// # Safety
///
/// - The memory is of the [`whole`] of that layout.
unsafe fn sealed(memory: NonNull<u8>, layout: Layout) -> NonNull<u8> {
    memory.as_ptr().expose_provenance();
    // SAFETY: the caller's promise.
    let start = unsafe { memory.add(offset_for(layout.align())) };
    // SAFETY: before `start`, by the caller's promise.
    unsafe { seal_of(start).write_unaligned(of_parent(start)) };
    start
}

/// Where a header has its seal.
fn seal_of(start: NonNull<u8>) -> *mut usize {
    let header = Block { start }.header_ptr();
    header.wrapping_byte_add(offset_of!(Header, seal)).cast()
}

/// Another word than the seal of a block.
fn of_parent(start: NonNull<u8>) -> usize {
    !seal(start.addr().get())
}
