//! [`Global`]: the program's allocator, as a parent of others.

#![expect(unsafe_code, reason = "passes all calls on to the program's allocator")]

use std::alloc::{GlobalAlloc, Layout, alloc, alloc_zeroed, dealloc, realloc};

/// The program's global allocator, for use as the parent of another allocator.
///
/// This is the allocator with the attribute `#[global_allocator]`, or std's default. A library cannot know which one it
/// is. If the library keeps a [`GlobalVm`](super::GlobalVm) or [`VmAlloc`](super::VmAlloc) for its own large blocks,
/// this parent places small blocks with all others of the program, rather than in [`System`](std::alloc::System).
///
/// It must not be the program's global allocator, nor that allocator's parent: every call would recurse without end.
/// An allocator with this parent must not have [`Release::Background`](crate::Release::Background) if the program's
/// allocator may have it.
///
/// # Examples
///
/// ```
/// use stayput::alloc::{Global, GlobalVm};
/// use std::alloc::{GlobalAlloc, Layout};
///
/// // Not the program's allocator: only this library calls it.
/// static BUFFERS: GlobalVm<Global> = GlobalVm::with_parent(Global);
///
/// let layout = Layout::from_size_align(1 << 20, 64)?;
/// // SAFETY: the size is not zero.
/// let start = unsafe { BUFFERS.alloc(layout) };
/// // SAFETY: the block was allocated with this layout, and the new size is not zero.
/// let grown = unsafe { BUFFERS.realloc(start, layout, 16 << 20) };
/// # #[cfg(not(any(target_family = "wasm", miri)))]
/// assert_eq!(grown, start);
/// # let layout = Layout::from_size_align(16 << 20, 64)?;
/// # // SAFETY: the block has this layout now.
/// # unsafe { BUFFERS.dealloc(grown, layout) };
/// # Ok::<(), std::alloc::LayoutError>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Global;

// SAFETY: std's functions call the program's allocator, which meets the contract.
unsafe impl GlobalAlloc for Global {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: std's function has the conditions of this method, which the caller promises.
        unsafe { alloc(layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: std's function has the conditions of this method, which the caller promises.
        unsafe { alloc_zeroed(layout) }
    }

    #[inline]
    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: std's function has the conditions of this method, which the caller promises.
        unsafe { dealloc(start, layout) }
    }

    #[inline]
    unsafe fn realloc(&self, start: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: std's function has the conditions of this method, which the caller promises.
        unsafe { realloc(start, layout, new_size) }
    }
}
