//! [`VmAlloc`]: an allocator for containers, whose large blocks grow in place.

#![expect(unsafe_code, reason = "passes blocks to the allocators that own them")]

use super::Contents;
use super::block::of_parent::{LargeBlock, ParentBlock};
use super::block::{self, Block, BlockOptions, Refusal};
use super::layout::NonZeroLayout;
use crate::region_cache::{self, CLASSES, LEAST_BYTES};
use crate::reservation::{HugePages, IS_SUPPORTED, address_space_bytes};
use crate::service::Release;
use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::NonNull;

/// An allocator for containers: each large block has a reservation of its own and grows in place, and small blocks go
/// to a parent allocator.
///
/// Containers such as `Vec`, `String` or a hash map use it through the `Allocator` trait of `allocator-api2` (features
/// `allocator-api2-02` and `allocator-api2-04`, one for each version) or of std; see [`alloc`](crate::alloc).
///
/// - **Blocks of [256 KiB](Self::DEFAULT_THRESHOLD_BYTES) and more** are reservations of their own. While there is room
///   in the reservation, growing commits more memory at the same address and copies nothing. Fresh memory is already
///   zero, so zeroed blocks are not written to. Shrinking returns memory to the system once 128 KiB are spare (4 MiB
///   with huge pages).
/// - **A block that outgrows its reservation** is moved by Linux page by page, which splits huge pages, but copies
///   nothing. It is copied on other systems, if it is aligned to more than a page, or [made of
///   parts](crate::region_cache). The size of the reservation is [chosen automatically](Self::reserve_bytes) unless it
///   is set.
/// - **Smaller blocks** go to the parent, which defaults to the system's allocator. A block that grows past the
///   threshold is copied once.
/// - **Freed blocks** go to the region cache (see [`region_cache`]), because fresh pages take page faults. It keeps up
///   to an eighth of the memory, each region for one to four seconds after its last use, or until blocks are freed
///   after that.
/// - **On systems without virtual memory**, such as WebAssembly, all blocks go to the parent.
///
/// It takes no lock, starts no thread and does not allocate for itself, except with
/// [`Release::Background`](Self::release).
///
/// # Limits
///
/// All blocks together reserve at most a quarter of the addresses that a process can have, or of `RLIMIT_AS` if that is
/// less: 32 TiB with 47-bit addresses. Together with arrays that have no explicit maximum they reserve at most half.
/// Each block gets as many addresses as the machine has memory, or 1/1024 of those left if that is less. At most 8,192
/// blocks have room to grow. Each takes up to four mappings: together 32,768 of the 65,530 that Linux allows
/// (`vm.max_map_count`). Each part of a block [made of parts](crate::region_cache) takes one more, some 8,192 in all.
///
/// Further blocks get only the addresses they need, like those of `malloc`, and grow by being moved. They take one
/// mapping each, or up to three if they are aligned to more than a page; adjacent ones can share one. About 8,000 of
/// these fit next to the others, so that at least a quarter of all mappings is left to arrays and everything else. Blocks
/// beyond that, and all new ones while the system refuses to release freed ranges because there are too many mappings,
/// are allocated by the parent and stay there until they are freed; [`stats`] does not count them. If the system
/// refuses memory, the allocation fails; an allocator cannot report the reason.
///
/// Where addresses are scarce (on 32-bit systems or under `RLIMIT_AS`, which the child of a fork may lower), blocks
/// lose their room as soon as any request is refused, and grow by being moved from then on. Requests refused elsewhere,
/// such as the stack of a thread, are not noticed: call [`trim`] for the same effect. In the child of a fork, the room
/// of a block that another thread was growing at that moment stays reserved.
///
/// On Linux, which can move blocks, only 256 blocks get that much room unless [`reserve_bytes`](Self::reserve_bytes) is
/// set: each takes two page tables of its own, 8 KiB, because no other block is near it. Further blocks get room for
/// twice their size, and share page tables.
///
/// Leak checkers that look for pointers in memory of `malloc`, such as `LeakSanitizer`, do not search large blocks, and
/// report what only those point to.
///
/// # Examples
///
/// ```
/// # #[cfg(feature = "allocator-api2-02")] {
/// use allocator_api2_02::vec::Vec;
/// use stayput::alloc::VmAlloc;
///
/// let mut samples: Vec<u64, VmAlloc> = Vec::with_capacity_in(1 << 18, VmAlloc::new());
/// let first = samples.as_ptr();
/// samples.extend(0..1_000_000);
/// assert_eq!(samples.as_ptr(), first); // with the system allocator it may have moved
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct VmAlloc<P = System> {
    parent: P,
    threshold_bytes: usize,
    pub(super) options: BlockOptions,
}

/// Statistics of large blocks, returned by [`stats`]. Small blocks belong to the parent and are not counted.
///
/// # Examples
///
/// ```
/// # #[cfg(feature = "allocator-api2-02")] {
/// use allocator_api2_02::vec::Vec;
/// use stayput::alloc::{self, VmAlloc};
///
/// let samples: Vec<u64, VmAlloc> = Vec::with_capacity_in(1 << 18, VmAlloc::new());
/// let stats = alloc::stats();
/// # #[cfg(not(target_family = "wasm"))]
/// assert!(stats.blocks == 1 && stats.committed_bytes >= 2 << 20);
/// # drop(samples);
/// # }
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct AllocStats {
    /// The number of blocks in use.
    pub blocks: usize,
    /// Committed bytes of the blocks in use: the requested sizes, rounded up to whole runs of pages, and what memory from
    /// the [region cache](crate::region_cache) has in excess.
    pub committed_bytes: usize,
    /// The number of freed blocks that are cached for reuse.
    pub kept_blocks: usize,
    /// Committed bytes of cached blocks. [`trim`] releases them.
    pub kept_bytes: usize,
    /// The number of blocks that have room to grow in place, including cached ones.
    pub roomy_blocks: usize,
    /// Bytes of address space reserved for blocks with room to grow.
    pub reserved_bytes: usize,
    size_classes: [SizeClassStats; CLASSES],
}

impl AllocStats {
    /// Returns the statistics of each size class, the smallest first. Their numbers add up to those of this struct.
    ///
    /// A class is a range of committed bytes from one power of two to the next: the first from 64 KiB to 128 KiB, the
    /// second from there to 256 KiB, and so on. The last one has no upper end. Empty classes are included.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[cfg(feature = "allocator-api2-02")] {
    /// use allocator_api2_02::vec::Vec;
    /// use stayput::alloc::{self, VmAlloc};
    ///
    /// let samples: Vec<u64, VmAlloc> = Vec::with_capacity_in(1 << 18, VmAlloc::new());
    /// for class in alloc::stats().size_classes().filter(|class| class.blocks > 0) {
    ///     println!("{} blocks of {} KiB and more", class.blocks, class.least_bytes >> 10);
    ///     assert_eq!((class.least_bytes, class.blocks), (2 << 20, 1));
    /// }
    /// # drop(samples);
    /// # }
    /// ```
    pub fn size_classes(&self) -> impl ExactSizeIterator<Item = SizeClassStats> + use<> {
        self.size_classes.into_iter()
    }
}

debug_fields! {
    [] AllocStats, "AllocStats", |stats|
    blocks: stats.blocks, committed_bytes: stats.committed_bytes, kept_blocks: stats.kept_blocks,
    kept_bytes: stats.kept_bytes, roomy_blocks: stats.roomy_blocks, reserved_bytes: stats.reserved_bytes
}

/// Statistics of the large blocks of one size class, returned by [`AllocStats::size_classes`].
///
/// # Examples
///
/// Which sizes are cached:
///
/// ```
/// use stayput::alloc;
///
/// for class in alloc::stats().size_classes().filter(|class| class.kept_blocks > 0) {
///     let (kib, kept) = (class.least_bytes >> 10, class.kept_bytes >> 10);
///     println!("{} regions of {kib} KiB and more, {kept} KiB in all", class.kept_blocks);
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SizeClassStats {
    /// The least number of committed bytes of a block in this class: a power of two.
    pub least_bytes: usize,
    /// The number of blocks in use.
    pub blocks: usize,
    /// Committed bytes of the blocks in use.
    pub committed_bytes: usize,
    /// The number of freed blocks that are cached for reuse.
    pub kept_blocks: usize,
    /// Committed bytes of the cached blocks.
    pub kept_bytes: usize,
}

impl SizeClassStats {
    fn of(class: usize) -> Self {
        let (blocks, committed_bytes) = block::tally_of_class(class);
        let (kept_blocks, kept_bytes) = region_cache::kept_of_class(class);
        let least_bytes = LEAST_BYTES << class;
        Self { least_bytes, blocks, committed_bytes, kept_blocks, kept_bytes }
    }
}

/// Returns statistics about the large blocks of all [`VmAlloc`]s and [`GlobalVm`](super::GlobalVm)s in the process.
///
/// Makes no system call, and reads some two thousand counters. Cached memory of arrays is not counted; see
/// [`region_cache::stats`]. While other threads allocate, the numbers may be from different moments.
pub fn stats() -> AllocStats {
    let (roomy_blocks, reserved_bytes) = block::counts();
    let size_classes: [_; CLASSES] = std::array::from_fn(SizeClassStats::of);
    let sum = |of: fn(&SizeClassStats) -> usize| size_classes.iter().map(of).sum();
    AllocStats {
        blocks: sum(|class| class.blocks),
        committed_bytes: sum(|class| class.committed_bytes),
        kept_blocks: sum(|class| class.kept_blocks),
        kept_bytes: sum(|class| class.kept_bytes),
        roomy_blocks,
        reserved_bytes,
        size_classes,
    }
}

/// Releases the memory of freed blocks: what is cached for reuse, like [`region_cache::trim`], which includes that of
/// arrays, and what waits for the [background thread](crate::service) to release it. Where addresses are scarce, also
/// releases the room that blocks have reserved for growth.
///
/// When this returns, that memory has been returned to the system, except what other threads free, inspect or release
/// meanwhile.
///
/// # Time complexity
///
/// Makes one system call for each region. That takes 60 ms for each GiB that is resident, or 3 ms with huge pages, on the
/// calling thread. Does nothing if no memory is cached or waits.
///
/// # Examples
///
/// ```
/// # #[cfg(feature = "allocator-api2-02")] {
/// use allocator_api2_02::vec::Vec;
/// use stayput::alloc::{self, VmAlloc};
///
/// let samples: Vec<u64, VmAlloc> = Vec::with_capacity_in(1 << 18, VmAlloc::new());
/// drop(samples);
/// # #[cfg(not(target_family = "wasm"))]
/// assert_eq!(alloc::stats().kept_blocks, 1);
/// alloc::trim();
/// assert_eq!(alloc::stats().kept_blocks, 0);
/// # }
/// ```
pub fn trim() {
    region_cache::trim();
}

/// Empties the region cache, releases what waits for that, and retries a request that was refused. Retries even if there
/// was nothing, since another thread may have released it at the same time.
#[cold]
#[inline(never)]
fn retry<T>(layout: Layout, obtain: impl FnOnce() -> Option<T>) -> Option<T> {
    if layout.size() > address_space_bytes() {
        return None;
    }
    region_cache::release_unused(0);
    obtain()
}

impl VmAlloc {
    /// The default size from which blocks are large: 256 KiB.
    ///
    /// A block that grows past it is copied once, in less time than the first touch of a huge page takes later: 0.1 ms,
    /// compared to 0.27 ms at 1 MiB. Blocks smaller than this are allocated and freed too often to have mappings of
    /// their own. (If tens of blocks of up to 1 MiB are allocated and freed, they take a quarter more time than with a
    /// threshold of 1 MiB, and a third more than with glibc alone.)
    pub const DEFAULT_THRESHOLD_BYTES: usize = 256 << 10;

    /// Creates an allocator whose parent is the system's allocator.
    pub const fn new() -> Self {
        Self::over(System)
    }
}

impl<P> VmAlloc<P> {
    /// The smallest threshold; smaller values are raised to it.
    const LEAST_THRESHOLD_BYTES: usize = 64 << 10;

    pub(super) const fn over(parent: P) -> Self {
        Self {
            parent,
            threshold_bytes: VmAlloc::DEFAULT_THRESHOLD_BYTES,
            options: BlockOptions::DEFAULT,
        }
    }

    /// Creates an allocator that allocates small blocks from `parent`.
    ///
    /// # Safety
    ///
    /// - The parent may be moved, and cloned if it is [`Clone`]. All clones manage the same memory: a block allocated
    ///   by one may be freed by another. Zero-sized types that stand for a global allocator meet this, as do shared
    ///   references to an allocator.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::alloc::System;
    /// use stayput::alloc::VmAlloc;
    ///
    /// // SAFETY: all values of `System` manage the same memory.
    /// let alloc = unsafe { VmAlloc::with_parent(System) };
    /// # let _ = alloc;
    /// ```
    pub const unsafe fn with_parent(parent: P) -> Self {
        Self::over(parent)
    }

    /// Sets the size from which a block counts as large. Defaults to 256 KiB; the minimum is 64 KiB.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[cfg(feature = "allocator-api2-02")] {
    /// use allocator_api2_02::vec::Vec;
    /// use stayput::alloc::{self, VmAlloc};
    ///
    /// let large = VmAlloc::new().threshold_bytes(1 << 20);
    /// let buffer: Vec<u8, VmAlloc> = Vec::with_capacity_in(512 << 10, large);
    /// assert_eq!(alloc::stats().blocks, 0); // allocated by the parent
    /// # drop(buffer);
    /// # }
    /// ```
    #[must_use]
    pub const fn threshold_bytes(mut self, bytes: usize) -> Self {
        self.set_threshold_bytes(bytes);
        self
    }

    /// Sets whether large blocks use huge pages.
    ///
    /// With [`HugePages::Auto`], a block uses them from its start if it has room to grow and is allocated with 4 MiB or
    /// more, not zeroed, since it is then most likely written from the front; the first touch of each costs as much as
    /// clearing 2 MiB. Others use them when they grow to more than 8 MiB, or to more than 64 MiB without room to grow.
    /// A zeroed block may be used sparsely, which huge pages make slow and large; so may a block of which only some
    /// pages are written: use [`HugePages::Never`] for it.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[cfg(feature = "allocator-api2-02")] {
    /// use allocator_api2_02::vec::Vec;
    /// use stayput::HugePages;
    /// use stayput::alloc::VmAlloc;
    ///
    /// // Few of the values are used: a huge page for each would waste memory.
    /// let small_pages = VmAlloc::new().huge_pages(HugePages::Never);
    /// let mut sparse: Vec<u64, VmAlloc> = Vec::new_in(small_pages);
    /// sparse.resize(100_000, 0);
    /// # }
    /// ```
    #[must_use]
    pub const fn huge_pages(mut self, huge_pages: HugePages) -> Self {
        self.options.huge_pages = huge_pages;
        self
    }

    /// Sets how many bytes of addresses to reserve for each large block: the size it can grow to at the same address.
    ///
    /// Defaults to a size that depends on how many blocks there are, see [the limits](Self#limits), which also bound
    /// this. If the system refuses it, 1/64 of it is tried; if that is refused too, the block has no room to grow.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[cfg(feature = "allocator-api2-02")] {
    /// use allocator_api2_02::vec::Vec;
    /// use stayput::alloc::VmAlloc;
    ///
    /// let up_to_1_gib = VmAlloc::new().reserve_bytes(1 << 30);
    /// let mut log: Vec<u64, VmAlloc> = Vec::with_capacity_in(1 << 16, up_to_1_gib);
    /// let first = log.as_ptr();
    /// log.extend(0..1_000_000);
    /// # #[cfg(not(target_family = "wasm"))]
    /// assert_eq!(log.as_ptr(), first);
    /// # }
    /// ```
    #[must_use]
    pub const fn reserve_bytes(mut self, bytes: usize) -> Self {
        self.options.reserve_bytes = Some(bytes);
        self
    }

    /// Sets how many bytes at the start of each large block are made resident when they are committed, so that writing
    /// them takes no page fault. Defaults to 0; `usize::MAX` stands for whole blocks.
    ///
    /// This concerns fresh memory: of a new block, zeroed or not, and what is added when a block grows. All that is
    /// committed is made resident, that is, the requested size rounded up to whole runs of pages. Memory from the
    /// region cache is not touched: it is resident as far as its last owner has written it, or made it resident with
    /// this option. If the system refuses, the block is allocated nevertheless, and its pages take page faults.
    ///
    /// # Time complexity
    ///
    /// O(bytes made resident), as part of the allocation: about 0.35 ms per MiB, or 0.1 ms with huge pages. That is as
    /// long as the page faults take that it replaces: the time is spent when the block is allocated, not when it is
    /// first written. The memory is used even if the program never writes to it, so large zeroed blocks that are used
    /// sparsely become expensive. While pages are made resident, other threads may wait to change mappings.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[cfg(feature = "allocator-api2-02")] {
    /// use allocator_api2_02::vec::Vec;
    /// use stayput::alloc::VmAlloc;
    ///
    /// // At most 16 MiB for each block, so that no allocation takes longer than a few milliseconds.
    /// let resident = VmAlloc::new().prefault_bytes(16 << 20);
    /// let mut mixer: Vec<f32, VmAlloc> = Vec::with_capacity_in(1 << 20, resident); // 4 MiB
    /// mixer.resize(1 << 20, 0.0); // without a page fault
    /// # }
    /// ```
    #[must_use]
    pub const fn prefault_bytes(mut self, bytes: usize) -> Self {
        self.options.prefault_bytes = bytes;
        self
    }

    /// Sets when the memory of large blocks is released. Defaults to [`Release::Keep`], which passes it to the region
    /// cache.
    ///
    /// With [`Release::Background`], the [background thread](crate::service) releases what is not cached, and returns
    /// cached memory that is old; see [`GlobalVm::release`](super::GlobalVm::release). It is started when the first large
    /// block is allocated, which allocates small blocks under a lock, and stays until the process ends. An allocator that
    /// is the parent of the global allocator must not have this option.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[cfg(feature = "allocator-api2-02")] {
    /// use allocator_api2_02::vec::Vec;
    /// use stayput::Release;
    /// use stayput::alloc::VmAlloc;
    ///
    /// let alloc = VmAlloc::new().release(Release::Background);
    /// let mut level: Vec<u64, VmAlloc> = Vec::new_in(alloc);
    /// level.resize(1 << 20, 0);
    /// drop(level); // some microseconds
    /// # }
    /// ```
    #[must_use]
    pub const fn release(mut self, release: Release) -> Self {
        self.options.release = release;
        self
    }

    pub(super) const fn set_threshold_bytes(&mut self, bytes: usize) {
        let least = Self::LEAST_THRESHOLD_BYTES;
        self.threshold_bytes = if bytes > least { bytes } else { least };
    }

    /// Without virtual memory, no block is large.
    const fn is_large(&self, layout: Layout) -> bool {
        IS_SUPPORTED && layout.size() >= self.threshold_bytes
    }
}

impl<P: GlobalAlloc> VmAlloc<P> {
    /// Allocates memory for a layout.
    #[inline]
    pub(super) fn obtain(&self, layout: NonZeroLayout, contents: Contents) -> Option<NonNull<u8>> {
        if self.is_large(layout.get()) {
            return match Block::new(layout.get(), &self.options, contents) {
                Ok(block) => Some(block.start()),
                Err(Refusal::Crowded) => self.obtain_of_parent(layout, contents),
                Err(Refusal::BySystem) => None,
            };
        }
        let small = || contents.of(&self.parent, layout);
        small().or_else(|| retry(layout.get(), small))
    }

    #[cold]
    fn obtain_of_parent(&self, layout: NonZeroLayout, contents: Contents) -> Option<NonNull<u8>> {
        let large = || ParentBlock::new(&self.parent, layout, contents).map(|block| block.start());
        large().or_else(|| retry(layout.get(), large))
    }

    /// Returns an allocated block, to free or resize it.
    ///
    /// # Safety
    ///
    /// - `start` was returned by [`obtain`](Self::obtain) or [`Allocation::resize`] for this layout, of this allocator or
    ///   one that manages the same memory, and the block has not been freed or moved since.
    /// - Only the caller uses the block. It is not used through `start` any more after [`Allocation::free`], or after
    ///   [`Allocation::resize`] if that returns memory.
    #[inline]
    pub(super) const unsafe fn allocation(
        &self,
        start: *mut u8,
        layout: Layout,
    ) -> Allocation<'_, P> {
        Allocation { alloc: self, start, layout }
    }
}

/// A block that a [`VmAlloc`] has allocated. Dropping it leaves the block in use.
///
/// # Invariants
///
/// - `obtain` or `resize` returned `start` for `layout`, of `alloc` or one that manages the same memory, and the block has
///   not been freed or moved since. So it is valid for reads and writes of the size of `layout`. If that is large, it is a
///   [`LargeBlock`], or else the parent has allocated it with that layout.
/// - Only the owner of this value uses the block.
pub(super) struct Allocation<'a, P> {
    alloc: &'a VmAlloc<P>,
    start: *mut u8,
    layout: Layout,
}

impl<'a, P: GlobalAlloc> Allocation<'a, P> {
    /// Returns the block as a large one, if it is.
    fn large(self) -> Option<LargeBlock<'a, P>> {
        let Self { alloc, start, layout } = self;
        // SAFETY: the layout is large, as checked, so by the invariants the block is one that `find` returns, of this layout
        // and parent. Only the owner of `self` uses it, which is consumed.
        alloc.is_large(layout).then(|| unsafe { LargeBlock::find(&alloc.parent, start, layout) })
    }

    /// Deallocates the block.
    #[inline]
    pub(super) fn free(self) {
        if self.alloc.is_large(self.layout) {
            self.free_large();
        } else {
            // SAFETY: "currently allocated via this allocator" with "the same layout", which is not large: by the invariants. The
            // block is not used again, since `self` is consumed.
            unsafe { self.alloc.parent.dealloc(self.start, self.layout) }
        }
    }

    fn free_large(self) {
        let release = self.alloc.options.release;
        match self.large() {
            Some(LargeBlock::Own(block)) => block.free(release),
            Some(LargeBlock::OfParent(block)) => block.free(),
            None => {}
        }
    }

    /// Resizes the block, preserving its contents up to the smaller size. The memory past the old size is zeroed if
    /// requested. Returns `None`, with the block unchanged, if the memory is refused.
    #[inline]
    pub(super) fn resize(self, new: NonZeroLayout, contents: Contents) -> Option<NonNull<u8>> {
        let Self { alloc, start, layout: old } = self;
        match (alloc.is_large(old), alloc.is_large(new.get())) {
            (false, false) if old.align() == new.get().align() => {
                // SAFETY: "currently allocated" with "the same layout", which is not large: by the invariants, also the second
                // time, since a refusal changes nothing. The new size is not zero, and forms a valid layout with the alignment,
                // which is the same.
                let grow = || unsafe { alloc.parent.realloc(start, old, new.get().size()) };
                let grow = || NonNull::new(grow());
                let moved = grow().or_else(|| retry(new.get(), grow))?;
                let block = Self { alloc, start: moved.as_ptr(), layout: new.get() };
                block.clear_past(old.size(), contents);
                Some(moved)
            }
            (true, true) => self.resize_large(new, contents),
            _ => self.copy(new, contents),
        }
    }

    /// [`resize`](Self::resize) of a large block to a large layout.
    #[cold]
    fn resize_large(self, new: NonZeroLayout, contents: Contents) -> Option<NonNull<u8>> {
        let (alloc, old, to) = (self.alloc, self.layout, new.get());
        // A block that could not be resized is as it was, so the invariants hold for it again.
        let unchanged = match self.large()? {
            LargeBlock::Own(mut block) => {
                if block.is_aligned_to(to.align()) {
                    if to.size() < old.size() {
                        block.shrink(to);
                        return Some(block.start());
                    }
                    if block.grow(old.size(), to, &alloc.options, contents) {
                        return Some(block.start());
                    }
                }
                block.start()
            }
            LargeBlock::OfParent(block) if old.align() == to.align() => {
                let moved = match block.resize(to) {
                    Ok(moved) => moved.start(),
                    Err(block) => retry(to, || block.resize(to).ok())?.start(),
                };
                let block = Self { alloc, start: moved.as_ptr(), layout: to };
                block.clear_past(old.size(), contents);
                return Some(moved);
            }
            LargeBlock::OfParent(block) => block.start(),
        };
        Self { alloc, start: unchanged.as_ptr(), layout: old }.copy(new, contents)
    }

    /// Zeroes the memory past the `old` size, if requested.
    #[inline]
    fn clear_past(self, old: usize, contents: Contents) {
        if contents == Contents::Zeroed {
            let rest = self.start.wrapping_add(old);
            // SAFETY: "valid for writes": these bytes are past the old size and within the block, by the invariants, or there
            // are none.
            unsafe { rest.write_bytes(0, self.layout.size().saturating_sub(old)) };
        }
    }

    /// Moves the block to other memory by copying it.
    #[cold]
    fn copy(self, new: NonZeroLayout, contents: Contents) -> Option<NonNull<u8>> {
        let copy = self.alloc.obtain(new, contents)?;
        let bytes = self.layout.size().min(new.get().size());
        // SAFETY: "valid for reads" and "for writes": neither block is smaller, by the invariants and since the copy was just
        // allocated for `new`. "Not overlap": both are allocated.
        unsafe { copy.as_ptr().copy_from_nonoverlapping(self.start, bytes) };
        self.free();
        Some(copy)
    }
}

default_by!([] VmAlloc, new);

debug_fields! {
    [P] VmAlloc<P>, "VmAlloc", |alloc|
    threshold_bytes: alloc.threshold_bytes, huge_pages: alloc.options.huge_pages,
    reserve_bytes: alloc.options.reserve_bytes, prefault_bytes: alloc.options.prefault_bytes,
    release: alloc.options.release
}
