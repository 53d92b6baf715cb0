//! [`RawAllocator`]: the operations of an allocator, whichever trait they are called through.
//!
//! There are three traits `Allocator`: the unstable one in std, and those of two versions of the crate
//! `allocator-api2`. An allocator implements this one, and [`traits`](super::traits) implements the others in terms of
//! it.

#![expect(unsafe_code, reason = "declares an unsafe trait")]

use super::Contents;
use std::alloc::Layout;
use std::ptr::NonNull;

/// Allocates and deallocates blocks of memory.
///
/// A block is *currently allocated* from when a method here returns it until it is passed to
/// [`deallocate`](Self::deallocate), or to a [`grow`](Self::grow) or [`shrink`](Self::shrink) that succeeds. A layout
/// *fits* a block if it is the layout most recently requested for it.
///
/// `None` means that the memory was refused. A block that was to grow or shrink is then unchanged.
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

    /// Extends or moves a block to the `new` layout, preserving its contents. The memory past the size of `old` is
    /// zeroed if requested.
    ///
    /// # Safety
    ///
    /// - `block` starts a block that is currently allocated by this allocator, and `old` fits it.
    /// - `new` is not smaller than `old`. Its alignment may be any.
    unsafe fn grow(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
        contents: Contents,
    ) -> Option<NonNull<u8>>;

    /// Shrinks or moves a block to the `new` layout, preserving the beginning of its contents.
    ///
    /// # Safety
    ///
    /// - `block` starts a block that is currently allocated by this allocator, and `old` fits it.
    /// - `new` is not larger than `old`. Its alignment may be any.
    unsafe fn shrink(&self, block: NonNull<u8>, old: Layout, new: Layout) -> Option<NonNull<u8>>;
}
