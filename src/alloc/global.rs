//! [`GlobalVm`]: an allocator for a whole program.

#![expect(unsafe_code, reason = "implements `GlobalAlloc`")]

use super::Contents;
use super::layout::NonZeroLayout;
use super::vm_alloc::{AllocStats, VmAlloc, stats, trim};
use crate::reservation::HugePages;
use crate::service::Release;
use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt;
use std::ptr::{self, NonNull};

/// The global allocator of a program, under which large `Vec`s and `String`s grow in place.
///
/// It is [`VmAlloc`] as a `#[global_allocator]`, and has the same rules and limits. Hash tables never grow in place,
/// because growing one allocates a new table and rehashes; but the memory they free is cached for reuse, and fresh
/// memory is already zero.
///
/// On systems without virtual memory, such as WebAssembly, all blocks go to the parent at no extra cost, so a program
/// can use `GlobalVm` on every system.
///
/// It can be used before `main`, while threads exit, and in the child of a `fork`, where all blocks keep their contents.
/// It takes no lock, starts no thread and does not allocate for itself, except with
/// [`Release::Background`](Self::release). Small blocks go to the parent, whose own guarantees apply.
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
/// With another allocator as the parent:
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
    /// Creates an allocator whose parent is the system's allocator.
    pub const fn new() -> Self {
        Self::with_parent(System)
    }
}

impl<A> GlobalVm<A> {
    /// Creates an allocator that allocates small blocks from `parent`.
    ///
    /// # Examples
    ///
    /// A parent that counts the small blocks:
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

    /// Sets the size from which a block counts as large. Defaults to 256 KiB; the minimum is 64 KiB.
    ///
    /// # Examples
    ///
    /// ```standalone_crate
    /// use stayput::alloc::GlobalVm;
    ///
    /// #[global_allocator]
    /// static GLOBAL: GlobalVm = GlobalVm::new().threshold_bytes(1 << 20);
    ///
    /// fn main() {
    ///     let buffer = vec![1_u8; 512 << 10];
    ///     assert_eq!(GLOBAL.stats().blocks, 0); // allocated by the parent
    ///     # drop(buffer);
    /// }
    /// ```
    #[must_use]
    pub const fn threshold_bytes(mut self, bytes: usize) -> Self {
        self.alloc.set_threshold_bytes(bytes);
        self
    }

    /// Sets whether large blocks use huge pages; see [`VmAlloc::huge_pages`].
    #[must_use]
    pub const fn huge_pages(mut self, huge_pages: HugePages) -> Self {
        self.alloc.options.huge_pages = huge_pages;
        self
    }

    /// Sets how many bytes of addresses to reserve for each large block; see [`VmAlloc::reserve_bytes`].
    #[must_use]
    pub const fn reserve_bytes(mut self, bytes: usize) -> Self {
        self.alloc.options.reserve_bytes = Some(bytes);
        self
    }

    /// Sets when the memory of large blocks is released. Defaults to [`Release::Keep`]: freed blocks go to the region
    /// cache, and what that has no room for is released before the call that frees it returns, which takes 60 ms per GiB
    /// (3 ms with huge pages).
    ///
    /// With [`Release::Background`], no thread of the program does that work:
    ///
    /// - Freed blocks go to the cache, too. What is not cached is released by the [background thread](crate::service),
    ///   unless it is less than 1 MiB, or more than a quarter of the machine's memory waits already. Freeing a block
    ///   takes some microseconds. A block of more than 34 MiB takes about 0.3 µs for each MiB if it is cached, and some
    ///   tens of microseconds if not.
    /// - The background thread returns cached memory when it is [old](crate::region_cache::set_time), except on machines
    ///   with a single processor. So a program that frees much, and then neither allocates nor frees large blocks, does
    ///   not keep that memory.
    /// - [`service::drain`](crate::service::drain) waits until all that waits is released. An allocation that is refused
    ///   releases it, and is tried again.
    /// - Shrinking a block still returns memory before the call returns.
    ///
    /// # Threads and forks
    ///
    /// The thread is started when the first large block is allocated, which takes that call a few tenths of a millisecond
    /// more, and stays until the process ends. It sleeps while nothing is cached. If it cannot be started, blocks are
    /// released as with [`Release::Keep`]. The child of a `fork` starts a thread of its own if it allocates or frees large
    /// blocks; what waited at the fork also waits in the child.
    ///
    /// Freeing a block that is not cached takes a lock, which is held for less than a microsecond, or while the thread is
    /// started. Only to start the thread are small blocks allocated under that lock, and blocks that the same thread frees
    /// meanwhile are released at once, without the lock. So freeing is safe before `main`, while threads exit, and in any
    /// code that an allocator may be called from. An allocator that is the parent of this one must not use
    /// [`Release::Background`].
    ///
    /// # Examples
    ///
    /// ```standalone_crate
    /// use stayput::alloc::GlobalVm;
    /// use stayput::{Release, service};
    ///
    /// #[global_allocator]
    /// static GLOBAL: GlobalVm = GlobalVm::new().release(Release::Background);
    ///
    /// fn main() {
    ///     let level = vec![1_u8; 64 << 20];
    ///     drop(level); // some microseconds
    ///     service::drain();
    ///     assert_eq!(service::stats().waiting_bytes, 0);
    /// }
    /// ```
    #[must_use]
    pub const fn release(mut self, release: Release) -> Self {
        self.alloc.options.release = release;
        self
    }

    /// Sets how many bytes at the start of each large block are made resident when they are committed; see
    /// [`VmAlloc::prefault_bytes`].
    ///
    /// # Examples
    ///
    /// ```standalone_crate
    /// use stayput::alloc::GlobalVm;
    ///
    /// #[global_allocator]
    /// static GLOBAL: GlobalVm = GlobalVm::new().prefault_bytes(16 << 20);
    ///
    /// fn main() {
    ///     let mut samples: Vec<f32> = Vec::with_capacity(1 << 20); // 4 MiB
    ///     samples.resize(1 << 20, 0.0); // without a page fault
    /// }
    /// ```
    #[must_use]
    pub const fn prefault_bytes(mut self, bytes: usize) -> Self {
        self.alloc.options.prefault_bytes = bytes;
        self
    }

    /// Returns statistics about the large blocks of the process, including those of every [`VmAlloc`]; see
    /// [`alloc::stats`](stats).
    ///
    /// Makes no system call. Small blocks belong to the parent and are not counted.
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
    ///     assert_eq!(GLOBAL.stats().kept_blocks, 1); // cached for reuse
    ///     GLOBAL.trim();
    ///     assert_eq!(GLOBAL.stats().kept_bytes, 0);
    /// }
    /// ```
    pub fn stats(&self) -> AllocStats {
        stats()
    }

    /// Releases the memory of freed blocks that is cached for reuse or waits to be released; see [`alloc::trim`](trim).
    pub fn trim(&self) {
        trim();
    }
}

// SAFETY: memory comes from `VmAlloc`, whose contract for layouts of nonzero size is the same: a block stays valid
// until it is deallocated or resized with the same layout, and null means a refusal, which changes nothing. No call
// unwinds: the parent does not, since it is a `GlobalAlloc`, too, and the code for large blocks returns refusals, and
// panics only if an invariant of its own were broken.
unsafe impl<A: GlobalAlloc> GlobalAlloc for GlobalVm<A> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the layout has "non-zero size", as the caller promises.
        to_ptr(self.alloc.obtain(unsafe { NonZeroLayout::new_unchecked(layout) }, Contents::Any))
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the layout has "non-zero size", as the caller promises.
        to_ptr(self.alloc.obtain(unsafe { NonZeroLayout::new_unchecked(layout) }, Contents::Zeroed))
    }

    #[inline]
    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: `obtain` or `resize` returned it for this layout: the caller promises that the block is "currently
        // allocated via this allocator" with it. It is not used again.
        unsafe { self.alloc.allocation(start, layout) }.free();
    }

    #[inline]
    unsafe fn realloc(&self, start: *mut u8, old: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: the new size is "greater than zero" and, "when rounded up to the nearest multiple of" the alignment, does
        // "not overflow `isize`", as the caller promises.
        let new = unsafe { NonZeroLayout::with_size(new_size, old) };
        // SAFETY: `obtain` or `resize` returned it for the old layout: the caller promises that the block is "currently
        // allocated via this allocator" with it. The old pointer is not used after a reallocation that succeeds.
        to_ptr(unsafe { self.alloc.allocation(start, old) }.resize(new, Contents::Any))
    }
}

#[inline]
fn to_ptr(memory: Option<NonNull<u8>>) -> *mut u8 {
    memory.map_or(ptr::null_mut(), NonNull::as_ptr)
}

default_by!([] GlobalVm, new);

impl<A> fmt::Debug for GlobalVm<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GlobalVm").field("alloc", &self.alloc).finish()
    }
}
