//! [`VmAlloc`] as a `RawAllocator`.

#![expect(unsafe_code, reason = "passes on the callers' guarantees about blocks")]

use super::arena::bump::nothing;
use super::layout::NonZeroLayout;
use super::raw::RawAllocator;
use super::vm_alloc::VmAlloc;
use super::{Change, Contents};
use std::alloc::{GlobalAlloc, Layout};
use std::ptr::NonNull;

// SAFETY: memory returned by `obtain` and `resize` has the size, alignment and contents of the request, belongs to one
// block, and stays valid until it is deallocated, by this allocator or any copy: a large block describes itself, and
// small ones are the parent's, which meets the contract of `GlobalAlloc`; `with_parent` requires that it may be moved,
// and that its copies manage the same memory. Copies have the same threshold, so they agree on which blocks are large.
// Blocks of size zero need no memory.
unsafe impl<P: GlobalAlloc> RawAllocator for VmAlloc<P> {
    #[inline]
    fn allocate(&self, layout: Layout, contents: Contents) -> Option<NonNull<u8>> {
        match NonZeroLayout::new(layout) {
            Some(layout) => self.obtain(layout, contents),
            None => Some(nothing(layout)),
        }
    }

    #[inline]
    unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout) {
        if layout.size() > 0 {
            // SAFETY: the size is not zero, so the block comes from `obtain` or `resize` for the layout, which fits it, as the
            // caller promises. It is not used again.
            unsafe { self.allocation(block.as_ptr(), layout) }.free();
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
        if old.size() == 0 {
            return self.allocate(new, contents);
        }
        // SAFETY: the old size is not zero, so the block comes from `obtain` or `resize` for the old layout, which fits it, as
        // the caller promises. It is not used again if this returns memory, since a resize that succeeds ends it.
        let block = unsafe { self.allocation(block.as_ptr(), old) };
        if let Some(new) = NonZeroLayout::new(new) {
            return block.resize(new, contents);
        }
        block.free();
        Some(nothing(new))
    }
}
