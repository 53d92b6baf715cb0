//! Arenas as allocators of containers.

#![expect(unsafe_code, reason = "passes on what allocators promise")]

use super::bump::Bump;
use crate::alloc::Contents;
use crate::alloc::raw::RawAllocator;
use std::alloc::Layout;
use std::ptr::NonNull;

// SAFETY: blocks are apart, aligned and of the size asked for, and none moves: see `bump.rs`. They stay good until the
// arena is reset or dropped, or the scope ends, none of which can be as long as the borrow lasts that is the allocator.
// It cannot be told from a copy of it.
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
        // SAFETY: the caller's promise is the one that is asked for.
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
            // SAFETY: the caller's promise is the one that is asked for.
            Contents::Any => unsafe { self.try_grow(block, old, new) },
            // SAFETY: the same.
            Contents::Zeroed => unsafe { self.try_grow_zeroed(block, old, new) },
        }
        .ok()
    }

    #[inline]
    unsafe fn shrink(&self, block: NonNull<u8>, old: Layout, new: Layout) -> Option<NonNull<u8>> {
        // SAFETY: the caller's promise is the one that is asked for.
        unsafe { self.try_shrink(block, old, new) }.ok()
    }
}
