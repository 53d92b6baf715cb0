//! [`RawAllocator`]: the operations of an allocator, whichever trait they are called through.
//!
//! There are three traits `Allocator`: the unstable one in std, and those of two versions of the crate
//! `allocator-api2`. An allocator implements this one, and [`traits`](super::traits) implements the others in terms of
//! it.

#![expect(unsafe_code, reason = "declares an unsafe trait")]

use super::{Change, Contents};
use std::alloc::Layout;
use std::ptr::NonNull;

/// Allocates and deallocates blocks of memory.
///
/// A block is *currently allocated* from when a method here returns it until it is passed to
/// [`deallocate`](Self::deallocate), or to a [`resize`](Self::resize) that succeeds. A layout *fits* a block if it is the
/// layout most recently requested for it.
///
/// `None` means that the memory was refused. A block that was to be resized is then unchanged.
///
/// # Safety
///
/// - A currently allocated block is valid for reads and writes of its length, aligned as requested and disjoint from
///   all other such blocks, and remains so until the allocator and all its copies are dropped, or the borrow that it
///   holds ends.
/// - Moving or copying the allocator does not affect its blocks, and any copy can deallocate the blocks of another.
/// - Every block has exactly the requested size.
/// - Memory requested as zeroed is zero.
pub(super) unsafe trait RawAllocator {
    /// Allocates a block of that layout, zeroed if requested.
    fn allocate(&self, layout: Layout, contents: Contents) -> Option<NonNull<u8>>;

    /// Deallocates a block.
    ///
    /// # Safety
    ///
    /// - `block` starts a block that is currently allocated by this allocator, and `layout` fits it.
    unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout);

    /// Resizes or moves a block to the `new` layout, preserving its contents up to the smaller size. The alignments may
    /// differ.
    ///
    /// # Safety
    ///
    /// - `block` starts a block that is currently allocated by this allocator, and `old` fits it.
    /// - The size of `new` is not less than that of `old` if the block is to grow, and not more if it is to shrink.
    unsafe fn resize(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
        change: Change,
    ) -> Option<NonNull<u8>>;
}
