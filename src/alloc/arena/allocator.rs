//! Arenas as a [`RawAllocator`].

#![expect(unsafe_code, reason = "implements an unsafe trait")]

use super::bump::Bump;
use crate::alloc::raw::RawAllocator;
use crate::alloc::{Change, Contents};
use std::alloc::Layout;
use std::ptr::NonNull;

// SAFETY: blocks are disjoint, aligned, of exactly the requested size, never move, and are zeroed if that is requested:
// see `bump.rs`. They stay valid until the arena is reset or dropped, or the scope ends, which cannot happen while the
// borrow that is the allocator lasts. Copies of the borrow are the same allocator.
unsafe impl RawAllocator for &Bump {
    #[inline]
    fn allocate(&self, layout: Layout, contents: Contents) -> Option<NonNull<u8>> {
        match contents {
            Contents::Any => self.try_allocate(layout),
            Contents::Zeroed => self.try_allocate_zeroed(layout),
        }
        .ok()
    }

    #[inline]
    unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: "currently allocated" and "fits" mean that it was handed out for that layout. The caller, which owns
        // it, ends it by this call.
        unsafe { self.shrink(block, layout.size(), 0) }
    }

    #[inline]
    unsafe fn resize(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
        change: Change,
    ) -> Option<NonNull<u8>> {
        // SAFETY: "currently allocated" and "fits" mean that it was handed out for that layout. The caller, which owns
        // it, ends it by this call if that succeeds, and promises that the sizes are as for the change.
        unsafe { self.try_resize(block, old, new, change) }.ok()
    }
}
