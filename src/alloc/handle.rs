//! [`VmAlloc`] as a `RawAllocator`.

#![expect(unsafe_code, reason = "passes on the callers' guarantees about blocks")]

use super::arena::bump::nothing;
use super::raw::RawAllocator;
use super::vm_alloc::VmAlloc;
use super::{Change, Contents, Resize};
use std::alloc::{GlobalAlloc, Layout};
use std::ptr::NonNull;

impl<P: GlobalAlloc> VmAlloc<P> {
    /// # Safety
    ///
    /// - As for [`RawAllocator::resize`].
    unsafe fn resize_any(&self, start: NonNull<u8>, to: Resize) -> Option<NonNull<u8>> {
        if to.old.size() == 0 {
            return self.allocate(to.new, to.contents);
        }
        if to.new.size() == 0 {
            // SAFETY: the old size is not 0, so `obtain` or `resize` returned the block for that layout, which fits it, as
            // the caller promises. It is not used again, since a resize that succeeds ends it.
            unsafe { self.give_back(start, to.old) };
            return Some(nothing(to.new));
        }
        // SAFETY: neither size is zero, so `obtain` or `resize` returned the block for the old layout, which fits it, as the
        // caller promises.
        unsafe { Self::resize(self, start, to) }
    }
}

// SAFETY: memory returned by `obtain` and `resize` stays valid until it is deallocated, by this allocator or any copy:
// a large block describes itself, and `with_parent` requires that copies of the parent manage the same memory. Copies
// have the same threshold, so they agree on which blocks are large. Moving the allocator does not affect its blocks.
// Blocks of size zero need no memory.
unsafe impl<P: GlobalAlloc> RawAllocator for VmAlloc<P> {
    #[inline]
    fn allocate(&self, layout: Layout, contents: Contents) -> Option<NonNull<u8>> {
        match layout.size() {
            0 => Some(nothing(layout)),
            // SAFETY: the size is not zero, as matched.
            _ => unsafe { self.obtain(layout, contents) },
        }
    }

    #[inline]
    unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout) {
        if layout.size() > 0 {
            // SAFETY: the size is not zero, so `obtain` or `resize` returned the block for the layout, which fits it, as the
            // caller promises.
            unsafe { self.give_back(block, layout) }
        }
    }

    #[inline]
    unsafe fn resize(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
        change: Change,
    ) -> Option<NonNull<u8>> {
        let contents = match change {
            Change::Grow(contents) => contents,
            Change::Shrink => Contents::Any,
        };
        // SAFETY: the conditions are those of this method, which the caller promises.
        unsafe { self.resize_any(block, Resize { old, new, contents }) }
    }
}
