//! The traits `Allocator`, as many as are asked for, made of
//! [`RawAllocator`](super::raw::RawAllocator).

#![expect(unsafe_code, reason = "passes on what allocators promise")]

use super::Contents;
use super::arena::{Arena, Scope};
use super::raw::RawAllocator;
use super::vm_alloc::VmAlloc;
use std::alloc::{GlobalAlloc, Layout};
use std::ptr::NonNull;

/// With a cfg: implements the trait `Allocator` of a module for types that are a `RawAllocator`.
macro_rules! allocators {
    ($cfg:meta, $api:path: $([$($generics:tt)*] $type:ty),+ $(,)?) => {
        #[cfg($cfg)]
        const _: () = {
            use $api as api;

            /// The block in the size that was asked for.
            #[inline]
            fn sized(
                block: Option<NonNull<u8>>,
                layout: Layout,
            ) -> Result<NonNull<[u8]>, api::AllocError> {
                let block = block.ok_or(api::AllocError)?;
                Ok(NonNull::slice_from_raw_parts(block, layout.size()))
            }

            $(
                // SAFETY: the contract is that of `RawAllocator`, which the type keeps.
                #[cfg_attr(docsrs, doc(cfg($cfg)))]
                unsafe impl<$($generics)*> api::Allocator for $type {
                    #[inline]
                    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, api::AllocError> {
                        sized(RawAllocator::allocate(self, layout, Contents::Any), layout)
                    }

                    #[inline]
                    fn allocate_zeroed(
                        &self,
                        layout: Layout,
                    ) -> Result<NonNull<[u8]>, api::AllocError> {
                        sized(RawAllocator::allocate(self, layout, Contents::Zeroed), layout)
                    }

                    #[inline]
                    unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout) {
                        // SAFETY: the caller's promise is the one that is asked for.
                        unsafe { RawAllocator::deallocate(self, block, layout) }
                    }

                    #[inline]
                    unsafe fn grow(
                        &self,
                        block: NonNull<u8>,
                        old: Layout,
                        new: Layout,
                    ) -> Result<NonNull<[u8]>, api::AllocError> {
                        // SAFETY: the caller's promise is the one that is asked for.
                        sized(unsafe { RawAllocator::grow(self, block, old, new, Contents::Any) }, new)
                    }

                    #[inline]
                    unsafe fn grow_zeroed(
                        &self,
                        block: NonNull<u8>,
                        old: Layout,
                        new: Layout,
                    ) -> Result<NonNull<[u8]>, api::AllocError> {
                        // SAFETY: the caller's promise is the one that is asked for.
                        sized(unsafe { RawAllocator::grow(self, block, old, new, Contents::Zeroed) }, new)
                    }

                    #[inline]
                    unsafe fn shrink(
                        &self,
                        block: NonNull<u8>,
                        old: Layout,
                        new: Layout,
                    ) -> Result<NonNull<[u8]>, api::AllocError> {
                        // SAFETY: the caller's promise is the one that is asked for.
                        sized(unsafe { RawAllocator::shrink(self, block, old, new) }, new)
                    }
                }
            )+
        };
    };
}

allocators!(
    feature = "allocator-api2-02",
    allocator_api2_02::alloc: [] &Arena, [] &Scope<'_>, [P: GlobalAlloc] VmAlloc<P>
);
allocators!(
    feature = "allocator-api2-04",
    allocator_api2_04::alloc: [] &Arena, [] &Scope<'_>, [P: GlobalAlloc] VmAlloc<P>
);
allocators!(stayput_nightly, std::alloc: [] &Arena, [] &Scope<'_>, [P: GlobalAlloc] VmAlloc<P>);
