//! The `Allocator` traits, implemented in terms of [`RawAllocator`](super::raw::RawAllocator).

#![expect(unsafe_code, reason = "implements unsafe traits")]

use super::arena::{Arena, Scope};
use super::raw::RawAllocator;
use super::vm_alloc::VmAlloc;
use super::{Change, Contents};
use std::alloc::{GlobalAlloc, Layout};
use std::ptr::NonNull;

/// Implements the trait `Allocator` of a module, under a cfg, for all types that are a `RawAllocator` or contain one.
macro_rules! allocators {
    ($cfg:meta, $api:path) => {
        allocators! {
            $cfg, $api:
            [] &Arena, |arena| &&arena.bump;
            [] &Scope<'_>, |scope| &scope.bump;
            [P: GlobalAlloc] VmAlloc<P>, |alloc| alloc;
        }
    };
    ($cfg:meta, $api:path: $([$($generics:tt)*] $type:ty, |$this:ident| $raw:expr;)+) => {
        #[cfg($cfg)]
        const _: () = {
            use $api as api;

            #[inline]
            fn sized(
                block: Option<NonNull<u8>>,
                layout: Layout,
            ) -> Result<NonNull<[u8]>, api::AllocError> {
                let block = block.ok_or(api::AllocError)?;
                Ok(NonNull::slice_from_raw_parts(block, layout.size()))
            }

            $(
                // SAFETY: the contract is that of `RawAllocator`. `VmAlloc` implements it; `&Arena` and `&Scope` pass all
                // calls on to the `&Bump` in them, which implements it and is borrowed for as long.
                #[cfg_attr(docsrs, doc(cfg($cfg)))]
                unsafe impl<$($generics)*> api::Allocator for $type {
                    #[inline]
                    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, api::AllocError> {
                        let $this = self;
                        sized(RawAllocator::allocate($raw, layout, Contents::Any), layout)
                    }

                    #[inline]
                    fn allocate_zeroed(
                        &self,
                        layout: Layout,
                    ) -> Result<NonNull<[u8]>, api::AllocError> {
                        let $this = self;
                        sized(RawAllocator::allocate($raw, layout, Contents::Zeroed), layout)
                    }

                    #[inline]
                    unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout) {
                        let $this = self;
                        // SAFETY: the conditions of the trait are those of `RawAllocator`, and the caller promises them.
                        unsafe { RawAllocator::deallocate($raw, block, layout) }
                    }

                    #[inline]
                    unsafe fn grow(
                        &self,
                        block: NonNull<u8>,
                        old: Layout,
                        new: Layout,
                    ) -> Result<NonNull<[u8]>, api::AllocError> {
                        let $this = self;
                        let change = Change::Grow(Contents::Any);
                        // SAFETY: the conditions of the trait are those of `RawAllocator`, and the caller promises them.
                        sized(unsafe { RawAllocator::resize($raw, block, old, new, change) }, new)
                    }

                    #[inline]
                    unsafe fn grow_zeroed(
                        &self,
                        block: NonNull<u8>,
                        old: Layout,
                        new: Layout,
                    ) -> Result<NonNull<[u8]>, api::AllocError> {
                        let $this = self;
                        let change = Change::Grow(Contents::Zeroed);
                        // SAFETY: the conditions of the trait are those of `RawAllocator`, and the caller promises them.
                        sized(unsafe { RawAllocator::resize($raw, block, old, new, change) }, new)
                    }

                    #[inline]
                    unsafe fn shrink(
                        &self,
                        block: NonNull<u8>,
                        old: Layout,
                        new: Layout,
                    ) -> Result<NonNull<[u8]>, api::AllocError> {
                        let $this = self;
                        // SAFETY: the conditions of the trait are those of `RawAllocator`, and the caller promises them.
                        sized(unsafe { RawAllocator::resize($raw, block, old, new, Change::Shrink) }, new)
                    }
                }
            )+
        };
    };
}

allocators!(feature = "allocator-api2-02", allocator_api2_02::alloc);
allocators!(feature = "allocator-api2-04", allocator_api2_04::alloc);
allocators!(stayput_nightly, std::alloc);
