//! Arenas as allocators of containers.

#![expect(unsafe_code, reason = "passes on what allocators promise")]

use super::{Arena, Scope};
use crate::alloc::raw::RawAllocator;
use crate::error::Error;
use std::alloc::Layout;
use std::ptr::NonNull;

/// Implements the trait for a borrow of a type that has a `bump`.
macro_rules! raw_allocator {
    ($type:ty) => {
        // SAFETY: blocks are apart, aligned and of the size asked for, and none moves: see
        // `bump.rs`. They stay good until the arena is reset or dropped, or the scope ends, none of
        // which can be as long as the borrow that is the allocator lasts. It cannot be told from a
        // copy of it.
        unsafe impl RawAllocator for $type {
            #[inline]
            fn allocate(&self, layout: Layout) -> Option<NonNull<[u8]>> {
                sized(self.bump.try_allocate(layout), layout)
            }

            #[inline]
            fn allocate_zeroed(&self, layout: Layout) -> Option<NonNull<[u8]>> {
                sized(self.bump.try_allocate_zeroed(layout), layout)
            }

            #[inline]
            unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout) {
                // SAFETY: the caller's promise is the one that is asked for.
                unsafe { self.bump.deallocate(block, layout) }
            }

            #[inline]
            unsafe fn grow(
                &self,
                block: NonNull<u8>,
                old: Layout,
                new: Layout,
            ) -> Option<NonNull<[u8]>> {
                // SAFETY: the caller's promise is the one that is asked for.
                sized(unsafe { self.bump.try_grow(block, old, new) }, new)
            }

            #[inline]
            unsafe fn grow_zeroed(
                &self,
                block: NonNull<u8>,
                old: Layout,
                new: Layout,
            ) -> Option<NonNull<[u8]>> {
                // SAFETY: the caller's promise is the one that is asked for.
                sized(unsafe { self.bump.try_grow_zeroed(block, old, new) }, new)
            }

            #[inline]
            unsafe fn shrink(
                &self,
                block: NonNull<u8>,
                old: Layout,
                new: Layout,
            ) -> Option<NonNull<[u8]>> {
                // SAFETY: the caller's promise is the one that is asked for.
                sized(unsafe { self.bump.try_shrink(block, old, new) }, new)
            }
        }
    };
}

raw_allocator!(&Arena);
raw_allocator!(&Scope<'_>);

/// The block in the size that was asked for.
#[inline]
fn sized(block: Result<NonNull<u8>, Error>, layout: Layout) -> Option<NonNull<[u8]>> {
    block.ok().map(|block| NonNull::slice_from_raw_parts(block, layout.size()))
}
