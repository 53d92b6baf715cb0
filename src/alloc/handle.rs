//! [`VmAlloc`] as an allocator of containers.

#![expect(unsafe_code, reason = "passes on the callers' promises about blocks")]

use super::Contents;
use super::raw::RawAllocator;
use super::vm_alloc::VmAlloc;
use std::alloc::{GlobalAlloc, Layout};
use std::ptr::{self, NonNull};

/// An address for a block of size zero, which needs no memory.
fn nothing(align: usize) -> NonNull<u8> {
    NonNull::new(ptr::without_provenance_mut(align)).expect("an alignment is not zero")
}

fn block_of(start: NonNull<u8>, layout: Layout) -> NonNull<[u8]> {
    NonNull::slice_from_raw_parts(start, layout.size())
}

impl<P: GlobalAlloc> VmAlloc<P> {
    fn allocate_with(&self, layout: Layout, contents: Contents) -> Option<NonNull<[u8]>> {
        let start = if layout.size() == 0 {
            nothing(layout.align())
        } else {
            self.obtain(layout, contents)?
        };
        Some(block_of(start, layout))
    }

    /// # Safety
    ///
    /// - As for [`RawAllocator::grow`] or [`RawAllocator::shrink`].
    unsafe fn resize_with(
        &self,
        start: NonNull<u8>,
        old: Layout,
        new: Layout,
        contents: Contents,
    ) -> Option<NonNull<[u8]>> {
        if old.size() == 0 {
            return self.allocate_with(new, contents);
        }
        if new.size() == 0 {
            // SAFETY: the caller's promise is the same.
            unsafe { self.give_back(start, old) };
            return Some(block_of(nothing(new.align()), new));
        }
        // SAFETY: the caller's promise is the same.
        let start = unsafe { self.resize(start, old, new, contents) }?;
        Some(block_of(start, new))
    }
}

// SAFETY: what `obtain` and `resize` give stays until it is given back, whichever copy of `self` does
// it: large blocks know all about themselves, and by `with_parent` copies of the parent stand for the
// same memory. (Copies have the same threshold, so they agree on which are large.) Moving it changes
// nothing. Blocks of size zero need no memory.
unsafe impl<P: GlobalAlloc> RawAllocator for VmAlloc<P> {
    #[inline]
    fn allocate(&self, layout: Layout) -> Option<NonNull<[u8]>> {
        self.allocate_with(layout, Contents::Any)
    }

    #[inline]
    fn allocate_zeroed(&self, layout: Layout) -> Option<NonNull<[u8]>> {
        self.allocate_with(layout, Contents::Zeroed)
    }

    #[inline]
    unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout) {
        if layout.size() > 0 {
            // SAFETY: the caller's promise is the same.
            unsafe { self.give_back(block, layout) }
        }
    }

    #[inline]
    unsafe fn grow(&self, block: NonNull<u8>, old: Layout, new: Layout) -> Option<NonNull<[u8]>> {
        debug_assert!(new.size() >= old.size());
        // SAFETY: the caller's promise is the same.
        unsafe { self.resize_with(block, old, new, Contents::Any) }
    }

    #[inline]
    unsafe fn grow_zeroed(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Option<NonNull<[u8]>> {
        debug_assert!(new.size() >= old.size());
        // SAFETY: the caller's promise is the same.
        unsafe { self.resize_with(block, old, new, Contents::Zeroed) }
    }

    #[inline]
    unsafe fn shrink(&self, block: NonNull<u8>, old: Layout, new: Layout) -> Option<NonNull<[u8]>> {
        debug_assert!(new.size() <= old.size());
        // SAFETY: the caller's promise is the same.
        unsafe { self.resize_with(block, old, new, Contents::Any) }
    }
}
