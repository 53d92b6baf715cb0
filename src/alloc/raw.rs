//! [`RawAllocator`]: what an allocator does, whoever asks.
//!
//! The trait `Allocator` exists three times over: in std, where it is unstable, and in two versions
//! of the crate `allocator-api2`. An allocator implements this one, and [`traits`](super::traits)
//! makes the others of it.

#![expect(unsafe_code, reason = "declares what allocators promise")]

use super::Contents;
use std::alloc::Layout;
use std::ptr::NonNull;

/// Gives out blocks of memory, and takes them back.
///
/// A block is *currently allocated* from when a method here returned it until it is passed to
/// [`deallocate`](Self::deallocate), or to [`grow`](Self::grow) or [`shrink`](Self::shrink) with success. A layout *fits* a block if it is the one which
/// the block was last asked for with.
///
/// `None` says that the memory cannot be had. The block that was to grow or to shrink is then as it
/// was.
///
/// # Safety
///
/// - A block that is currently allocated is valid for reads and writes of its length, aligned as
///   asked, apart from all other such blocks, and stays so until the allocator and all copies of it
///   are dropped, or the borrow that it holds ends.
/// - Moving or copying the allocator changes nothing about its blocks, and any copy can take back
///   what another gave out.
/// - Every block has exactly the size that was asked for.
/// - What is said to be zero is.
pub(super) unsafe trait RawAllocator {
    /// A block of that layout, all of it zero if that is asked for.
    fn allocate(&self, layout: Layout, contents: Contents) -> Option<NonNull<u8>>;

    /// Takes a block back.
    ///
    /// # Safety
    ///
    /// - `block` starts a block that is currently allocated by this allocator, and `layout` fits
    ///   it.
    unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout);

    /// A block of the `new` layout that begins with what the old one held, which is gone. All behind the size of `old` is
    /// zero if that is asked for.
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

    /// A block of the `new` layout that holds the beginning of what the old one held, which is
    /// gone.
    ///
    /// # Safety
    ///
    /// - `block` starts a block that is currently allocated by this allocator, and `old` fits it.
    /// - `new` is not larger than `old`. Its alignment may be any.
    unsafe fn shrink(&self, block: NonNull<u8>, old: Layout, new: Layout) -> Option<NonNull<u8>>;
}
