//! Arenas as a [`RawAllocator`].

#![expect(unsafe_code, reason = "implements an unsafe trait")]

use super::bump::Bump;
use crate::alloc::Contents;
use crate::alloc::raw::RawAllocator;
use std::alloc::Layout;
use std::ptr::NonNull;

// SAFETY: blocks are disjoint, aligned, of the requested size, and never move: see `bump.rs`. They stay valid until the
// arena is reset or dropped, or the scope ends, which cannot happen while the borrow that is the allocator lasts.
// Copies of the borrow are the same allocator.
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
        // SAFETY: "currently allocated" and "fits" mean that it was handed out for that layout; the caller owns it.
        unsafe { Bump::deallocate(self, block, layout) }
    }

    #[inline]
    unsafe fn grow(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
        contents: Contents,
    ) -> Option<NonNull<u8>> {
        match contents {
            // SAFETY: "currently allocated" and "fits" mean that it was handed out for that layout; the caller owns it.
            Contents::Any => unsafe { self.try_grow(block, old, new) },
            // SAFETY: "currently allocated" and "fits" mean that it was handed out for that layout; the caller owns it.
            Contents::Zeroed => unsafe { self.try_grow_zeroed(block, old, new) },
        }
        .ok()
    }

    #[inline]
    unsafe fn shrink(&self, block: NonNull<u8>, old: Layout, new: Layout) -> Option<NonNull<u8>> {
        // SAFETY: "currently allocated" and "fits" mean that it was handed out for that layout; the caller owns it.
        unsafe { self.try_shrink(block, old, new) }.ok()
    }
}
