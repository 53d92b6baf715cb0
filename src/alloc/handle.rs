//! [`VmAlloc`] as an allocator of containers.

#![expect(unsafe_code, reason = "passes on the callers' promises about blocks")]

use super::Contents;
use super::raw::RawAllocator;
use super::vm_alloc::{Resize, VmAlloc};
use std::alloc::{GlobalAlloc, Layout};
use std::ptr::{self, NonNull};

/// An address for a block of size zero, which needs no memory.
fn nothing(align: usize) -> NonNull<u8> {
    NonNull::new(ptr::without_provenance_mut(align)).expect("an alignment is not zero")
}

impl<P: GlobalAlloc> VmAlloc<P> {
    /// # Safety
    ///
    /// - As for [`RawAllocator::grow`] or [`RawAllocator::shrink`].
    unsafe fn resize_any(&self, start: NonNull<u8>, to: Resize) -> Option<NonNull<u8>> {
        if to.old.size() == 0 {
            return self.allocate(to.new, to.contents);
        }
        if to.new.size() == 0 {
            // SAFETY: the caller's promise is the same.
            unsafe { self.give_back(start, to.old) };
            return Some(nothing(to.new.align()));
        }
        // SAFETY: the caller's promise is the same.
        unsafe { self.resize(start, to) }
    }
}

// SAFETY: what `obtain` and `resize` give stays until it is given back, whichever copy of `self` does
// it: large blocks know all about themselves, and by `with_parent` copies of the parent stand for the
// same memory. (Copies have the same threshold, so they agree on which are large.) Moving it changes
// nothing. Blocks of size zero need no memory.
unsafe impl<P: GlobalAlloc> RawAllocator for VmAlloc<P> {
    #[inline]
    fn allocate(&self, layout: Layout, contents: Contents) -> Option<NonNull<u8>> {
        match layout.size() {
            0 => Some(nothing(layout.align())),
            _ => self.obtain(layout, contents),
        }
    }

    #[inline]
    unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout) {
        if layout.size() > 0 {
            // SAFETY: the caller's promise is the same.
            unsafe { self.give_back(block, layout) }
        }
    }

    #[inline]
    unsafe fn grow(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
        contents: Contents,
    ) -> Option<NonNull<u8>> {
        debug_assert!(new.size() >= old.size());
        // SAFETY: the caller's promise is the same.
        unsafe { self.resize_any(block, Resize { old, new, contents }) }
    }

    #[inline]
    unsafe fn shrink(&self, block: NonNull<u8>, old: Layout, new: Layout) -> Option<NonNull<u8>> {
        debug_assert!(new.size() <= old.size());
        // SAFETY: the caller's promise is the same.
        unsafe { self.resize_any(block, Resize { old, new, contents: Contents::Any }) }
    }
}
