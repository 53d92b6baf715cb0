//! [`GlobalVm`]: an allocator for a whole program.

#![expect(unsafe_code, reason = "implements `GlobalAlloc`")]

use super::Contents;
use super::vm_alloc::{AllocStats, Resize, VmAlloc, stats, trim};
use crate::reservation::HugePages;
use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt;
use std::ptr::{self, NonNull};

/// The allocator of a whole program, under which large `Vec`s and `String`s grow in place.
///
/// It is [`VmAlloc`] as a `#[global_allocator]`: what is said there about large blocks, small ones and
/// limits holds here. (Hash tables never grow in place: a larger one is a new one, and what was in the
/// old is hashed anew. But what they free is kept for others, and fresh memory is zero.)
///
/// On systems without virtual memory, such as WebAssembly, it is its parent, and costs nothing: a program can
/// have it on all systems.
///
/// It allocates nothing for itself, takes no lock and has no thread, so it may be used before `main`,
/// while threads end, and in the child of a `fork`, where all blocks are as they were. The parent is
/// asked for small blocks only, and is what it is in these respects.
///
/// # Examples
///
/// ```standalone_crate
/// use stayput::alloc::GlobalVm;
///
/// #[global_allocator]
/// static GLOBAL: GlobalVm = GlobalVm::new();
///
/// fn main() {
///     let mut samples: Vec<u64> = Vec::with_capacity(1 << 18); // 2 MiB
///     let first = samples.as_ptr();
///     samples.extend(0..1_000_000);
///     assert_eq!(samples.as_ptr(), first);
/// }
/// ```
///
/// Over another allocator:
///
/// ```standalone_crate
/// # use std::alloc::System as MiMalloc;
/// use stayput::alloc::GlobalVm;
///
/// #[global_allocator]
/// static GLOBAL: GlobalVm<MiMalloc> = GlobalVm::with_parent(MiMalloc).threshold_bytes(1 << 20);
/// # fn main() {}
/// ```
pub struct GlobalVm<A = System> {
    alloc: VmAlloc<A>,
}

impl GlobalVm {
    /// One over the system's allocator.
    pub const fn new() -> Self {
        Self::with_parent(System)
    }
}

impl<A> GlobalVm<A> {
    /// One that gets small blocks from another allocator than the system's, which is named in the type.
    ///
    /// # Examples
    ///
    /// A parent of one's own, which counts how many small blocks there are:
    ///
    /// ```standalone_crate
    /// use stayput::alloc::GlobalVm;
    /// use std::alloc::{GlobalAlloc, Layout, System};
    /// use std::sync::atomic::{AtomicUsize, Ordering};
    ///
    /// struct Counting;
    ///
    /// static SMALL: AtomicUsize = AtomicUsize::new(0);
    ///
    /// unsafe impl GlobalAlloc for Counting {
    ///     unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
    ///         SMALL.fetch_add(1, Ordering::Relaxed);
    ///         unsafe { System.alloc(layout) }
    ///     }
    ///     unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
    ///         SMALL.fetch_sub(1, Ordering::Relaxed);
    ///         unsafe { System.dealloc(start, layout) }
    ///     }
    /// }
    ///
    /// #[global_allocator]
    /// static GLOBAL: GlobalVm<Counting> = GlobalVm::with_parent(Counting);
    ///
    /// fn main() {
    ///     let before = (SMALL.load(Ordering::Relaxed), GLOBAL.stats().blocks);
    ///     let large = vec![1_u8; 1 << 20];
    ///     let small = vec![1_u8; 1 << 10];
    ///     let after = (SMALL.load(Ordering::Relaxed), GLOBAL.stats().blocks);
    ///     assert_eq!(after, (before.0 + 1, before.1 + 1));
    ///     # drop((large, small));
    /// }
    /// ```
    pub const fn with_parent(parent: A) -> Self {
        Self { alloc: VmAlloc::over(parent) }
    }

    /// From how many bytes on a block is large: 256 KiB, if it is not said, and at least 64 KiB.
    #[must_use]
    pub const fn threshold_bytes(mut self, bytes: usize) -> Self {
        self.alloc.set_threshold_bytes(bytes);
        self
    }

    /// Whether to ask for huge pages, as for [`VmAlloc::huge_pages`].
    #[must_use]
    pub const fn huge_pages(mut self, huge_pages: HugePages) -> Self {
        self.alloc.set_huge_pages(huge_pages);
        self
    }

    /// How many bytes of addresses to reserve for each large block, as for
    /// [`VmAlloc::reserve_bytes`].
    #[must_use]
    pub const fn reserve_bytes(mut self, bytes: usize) -> Self {
        self.alloc.set_reserve_bytes(bytes);
        self
    }

    /// What the program's large blocks take up: the same as [`alloc::stats`](stats), also those of
    /// [`VmAlloc`]s.
    ///
    /// Does not enter the kernel. Small blocks are the parent's, and not counted.
    ///
    /// # Examples
    ///
    /// ```standalone_crate
    /// use stayput::alloc::GlobalVm;
    ///
    /// #[global_allocator]
    /// static GLOBAL: GlobalVm = GlobalVm::new();
    ///
    /// fn main() {
    ///     let before = GLOBAL.stats();
    ///     let samples = vec![1_u64; 1 << 18]; // 2 MiB
    ///     let stats = GLOBAL.stats();
    ///     assert_eq!(stats.blocks, before.blocks + 1);
    ///     assert!(stats.committed_bytes >= before.committed_bytes + (2 << 20));
    ///     drop(samples);
    ///     assert_eq!(GLOBAL.stats().kept_blocks, 1); // for the next
    ///     GLOBAL.trim();
    ///     assert_eq!(GLOBAL.stats().kept_bytes, 0);
    /// }
    /// ```
    pub fn stats(&self) -> AllocStats {
        stats()
    }

    /// Gives the memory back that is kept of blocks that were freed, as [`alloc::trim`](trim) does.
    pub fn trim(&self) {
        trim();
    }
}

// SAFETY: memory is that of `VmAlloc`, whose contract for a layout that is not of size zero is the
// same: it stays until it is given back or resized with the same layout, null stands for a refusal,
// which changes nothing, and it does not unwind (if the parent does not, which is one too).
unsafe impl<A: GlobalAlloc> GlobalAlloc for GlobalVm<A> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        to_ptr(self.alloc.obtain(layout, Contents::Any))
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        to_ptr(self.alloc.obtain(layout, Contents::Zeroed))
    }

    #[inline]
    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: what was allocated is not null, by the caller's promise.
        let start = unsafe { NonNull::new_unchecked(start) };
        // SAFETY: the caller's promise is the same.
        unsafe { self.alloc.give_back(start, layout) }
    }

    #[inline]
    unsafe fn realloc(&self, start: *mut u8, old: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: what was allocated is not null, by the caller's promise.
        let start = unsafe { NonNull::new_unchecked(start) };
        // SAFETY: the caller promises that the size does not overflow when it is rounded up to the
        // alignment.
        let new = unsafe { Layout::from_size_align_unchecked(new_size, old.align()) };
        // SAFETY: the caller's promise is the same.
        to_ptr(unsafe { self.alloc.resize(start, Resize { old, new, contents: Contents::Any }) })
    }
}

#[inline]
fn to_ptr(memory: Option<NonNull<u8>>) -> *mut u8 {
    memory.map_or(ptr::null_mut(), NonNull::as_ptr)
}

impl Default for GlobalVm {
    fn default() -> Self {
        Self::new()
    }
}

impl<A> fmt::Debug for GlobalVm<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GlobalVm").field("alloc", &self.alloc).finish()
    }
}
