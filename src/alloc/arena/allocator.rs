//! Arenas as allocators of containers.

#![expect(unsafe_code, reason = "passes on what allocators promise")]

use super::{Arena, Scope};
use crate::alloc::Contents;
use crate::alloc::raw::RawAllocator;
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
            fn allocate(&self, layout: Layout, contents: Contents) -> Option<NonNull<u8>> {
                match contents {
                    Contents::Any => self.bump.try_allocate(layout),
                    Contents::Zeroed => self.bump.try_allocate_zeroed(layout),
                }
                .ok()
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
                contents: Contents,
            ) -> Option<NonNull<u8>> {
                match contents {
                    // SAFETY: the caller's promise is the one that is asked for.
                    Contents::Any => unsafe { self.bump.try_grow(block, old, new) },
                    // SAFETY: the same.
                    Contents::Zeroed => unsafe { self.bump.try_grow_zeroed(block, old, new) },
                }
                .ok()
            }

            #[inline]
            unsafe fn shrink(
                &self,
                block: NonNull<u8>,
                old: Layout,
                new: Layout,
            ) -> Option<NonNull<u8>> {
                // SAFETY: the caller's promise is the one that is asked for.
                unsafe { self.bump.try_shrink(block, old, new) }.ok()
            }
        }
    };
}

raw_allocator!(&Arena);
raw_allocator!(&Scope<'_>);
