//! [`VmAlloc`]: an allocator for containers, whose large blocks grow in place.

#![expect(unsafe_code, reason = "passes on the callers' promises about blocks")]

use super::Contents;
use super::block::{self, Block, BlockOptions, Refusal, of_parent};
use crate::keeper;
use crate::reservation::{HugePages, IS_SUPPORTED, address_space_bytes};
use crate::service::Release;
use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt;
use std::ptr::NonNull;

/// An allocator for containers: large blocks have a reservation each and grow in place, small ones
/// go to another allocator.
///
/// Put under a `Vec`, a `String` or a hash map by the features `allocator-api2-02` and
/// `allocator-api2-04`, which each stand for one version of the `Allocator` trait, or by std's own
/// trait (see [`alloc`](crate::alloc)).
///
/// - **Blocks from [256 KiB](Self::DEFAULT_THRESHOLD_BYTES) on** are reservations of their own: as long
///   as there is room in it, growing commits more, at the same address, and copies nothing. Fresh
///   memory is zero, and is not written to for zeroed blocks. Shrinking gives memory back once 128 KiB
///   (4 MiB, where there are huge pages) are spare.
/// - **When a block outgrows its reservation**, Linux moves its pages, without copying (huge ones are
///   split by that); on other systems, and for alignments above a page, it is copied. How much is
///   reserved is [reckoned](Self::reserve_bytes), or said.
/// - **Smaller ones** go to the parent, which is the system's allocator if nobody says otherwise. A
///   block that grows past the threshold is copied once.
/// - **What was freed** is kept for a second for those who want some, 64 MiB of it at most, since fresh pages
///   take page faults: see [`keeper`](crate::keeper).
///
/// - **On systems without virtual memory**, WebAssembly among them, all blocks are the parent's.
///
/// There is no lock in it, and no allocation of its own (but with [`release`](Self::release)).
///
/// # Limits
///
/// All blocks together have at most a quarter of the addresses that a process can have (of
/// `RLIMIT_AS`, if that is less) as room to grow: with 47 bits of them 32 TiB; and together with arrays
/// whose maximum nobody named, half. Each gets as much as the machine has memory, or, as it gets more
/// crowded, 1/1024 of what is left. And at most 8,192 blocks have room, which take four mappings each at
/// most: 32,768 of the 65,530 that Linux grants (`vm.max_map_count`).
///
/// Further blocks have just the addresses that they need, as those of `malloc` have, and grow by being
/// moved: a mapping each, and neighbours can be one (up to three, where they are aligned to more than a
/// page). There are as many of these as leave three eighths of all mappings to arrays and others: some 8,000,
/// where the others are there. Those that come then are the parent's, as small ones are, and stay so until they
/// are freed; [`stats`] does not count them. So it is while the system will not take back what was freed, for want
/// of mappings. What the system refuses is refused to the caller: an allocator has no way to say why.
///
/// Where the addresses of the process are limited (32 bits, `RLIMIT_AS`, which a child of a fork may lower), blocks
/// lose their room as soon as anything is refused, and grow by being moved from then on. What is refused by others,
/// such as the stack of a thread, is not seen: [`trim`] does the same. (In the child of a fork, room of a block that
/// another thread was just growing stays reserved.)
///
/// A block with so much room takes two page tables of its own, 8 KiB, since no other can lie near it. So there are
/// 256 of these, if nobody [says](Self::reserve_bytes) how much is wanted: the next have room for twice their size
/// and lie near each other. (On Linux, which can move those that outgrow it.)
///
/// Leak checkers that look for pointers in `malloc`'s memory (`LeakSanitizer`) do not look into large
/// blocks, and report what only these point to.
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
/// assert_eq!(samples.as_ptr(), first); // it would have moved twice
/// # }
/// ```
#[derive(Clone, Copy)]
pub struct VmAlloc<P = System> {
    parent: P,
    threshold_bytes: usize,
    options: BlockOptions,
}

/// What large blocks take up, given by [`stats`]. (Small ones are the parent's, and not counted.)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AllocStats {
    /// Blocks in use.
    pub blocks: usize,
    /// Bytes that the system has promised for these: what was asked for, in whole runs of pages.
    pub committed_bytes: usize,
    /// Blocks that were freed and are kept for those who want the like again.
    pub kept_blocks: usize,
    /// Bytes that the system has promised for these. [`trim`] gives them back.
    pub kept_bytes: usize,
    /// Blocks that have room to grow in place, with those that are kept.
    pub roomy_blocks: usize,
    /// Bytes of address space that these have.
    pub reserved_bytes: usize,
}

/// What the large blocks of all [`VmAlloc`]s and [`GlobalVm`](super::GlobalVm)s in the process take up.
///
/// Looks at some two thousand places, and does not enter the kernel. While other threads allocate they may be of
/// different moments.
pub fn stats() -> AllocStats {
    let (roomy_blocks, reserved_bytes) = block::counts();
    let (tally, kept) = (block::tally(), keeper::stats());
    AllocStats {
        blocks: tally.blocks,
        committed_bytes: tally.bytes,
        kept_blocks: kept.kept_blocks,
        kept_bytes: kept.kept_bytes,
        roomy_blocks,
        reserved_bytes,
    }
}

/// Gives the memory back that is kept of blocks that were freed: the same as [`keeper::trim`]. Where addresses are
/// limited, also the room that blocks have to grow into.
///
/// Enters the kernel once for each of them.
pub fn trim() {
    keeper::trim();
}

/// Has the parent try once more what it has refused, when nothing is kept. (Also where nothing was: another
/// may have been refused at the same time, and been quicker.)
#[cold]
#[inline(never)]
fn again(layout: Layout, obtain: impl FnOnce() -> Option<NonNull<u8>>) -> Option<NonNull<u8>> {
    if layout.size() > address_space_bytes() {
        return None;
    }
    keeper::make_room(0);
    obtain()
}

/// What a block is to become, and what is to be behind the old size.
#[derive(Clone, Copy)]
pub(super) struct Resize {
    pub(super) old: Layout,
    pub(super) new: Layout,
    pub(super) contents: Contents,
}

impl Resize {
    /// Clears what is behind the old size, if that is wanted.
    ///
    /// # Safety
    ///
    /// - Memory of the new size starts there, and nobody uses what is behind the old one.
    unsafe fn clear_rest(self, start: NonNull<u8>) {
        let Self { old, new, contents } = self;
        if contents == Contents::Zeroed && new.size() > old.size() {
            // SAFETY: inside the new size.
            let from = unsafe { start.add(old.size()) };
            // SAFETY: the same, and nobody uses these bytes.
            unsafe { from.write_bytes(0, new.size() - old.size()) };
        }
    }
}

impl VmAlloc {
    /// Blocks of so many bytes, 256 KiB, and more are large, if nobody says otherwise.
    ///
    /// The one copy, when a block grows past it, takes less than the first touch of a huge page does
    /// later: 0.1 ms, against 0.27 with 1 MiB. Smaller ones come and go too often for mappings of
    /// their own. (Where tens of blocks of up to 1 MiB come and go, those take a quarter more time
    /// than with 1 MiB, and a third more than on glibc alone.)
    pub const DEFAULT_THRESHOLD_BYTES: usize = 256 << 10;

    /// One over the system's allocator.
    pub const fn new() -> Self {
        Self::over(System)
    }
}

impl<P> VmAlloc<P> {
    /// Below so many bytes a threshold is taken to be as many.
    const LEAST_THRESHOLD_BYTES: usize = 64 << 10;

    pub(super) const fn over(parent: P) -> Self {
        Self {
            parent,
            threshold_bytes: VmAlloc::DEFAULT_THRESHOLD_BYTES,
            options: BlockOptions::DEFAULT,
        }
    }

    /// One that gets small blocks from another allocator than the system's.
    ///
    /// # Safety
    ///
    /// - The parent may be moved, and cloned if it is [`Clone`], and each clone stands for the same
    ///   memory: a block of one may be freed by another. Types of size zero that stand for a global
    ///   allocator are like that, and shared references to one.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::alloc::System;
    /// use stayput::alloc::VmAlloc;
    ///
    /// // SAFETY: all values of `System` are the same.
    /// let alloc = unsafe { VmAlloc::with_parent(System) };
    /// # let _ = alloc;
    /// ```
    pub const unsafe fn with_parent(parent: P) -> Self {
        Self::over(parent)
    }

    /// From how many bytes on a block is large: 256 KiB, if it is not said, and at least 64 KiB.
    #[must_use]
    pub const fn threshold_bytes(mut self, bytes: usize) -> Self {
        self.set_threshold_bytes(bytes);
        self
    }

    /// Whether to ask for huge pages in large blocks. With [`HugePages::Auto`] that is done when a
    /// block grows to more than 8 MiB (64, if it has no room to grow), from its start on: for what grows is
    /// used in order, most likely. What is that large at once may be touched here and there, which huge
    /// pages make slow and large.
    #[must_use]
    pub const fn huge_pages(mut self, huge_pages: HugePages) -> Self {
        self.set_huge_pages(huge_pages);
        self
    }

    /// How many bytes of addresses to reserve for each large block: so much it can grow to without
    /// changing its address. Reckoned by [the limits](Self#limits), if it is not said, and never more
    /// than they leave.
    ///
    /// If they cannot be had, 1/64 of them is tried; if that cannot, the block has no room to grow.
    #[must_use]
    pub const fn reserve_bytes(mut self, bytes: usize) -> Self {
        self.set_reserve_bytes(bytes);
        self
    }

    /// When the memory of large blocks is given back. Before the call returns, if it is not said.
    ///
    /// The [background thread](crate::service) has a lock, and a queue that allocates: not for an
    /// allocator that the global one makes use of.
    #[must_use]
    pub const fn release(mut self, release: Release) -> Self {
        self.options.release = release;
        self
    }

    pub(super) const fn set_threshold_bytes(&mut self, bytes: usize) {
        let least = Self::LEAST_THRESHOLD_BYTES;
        self.threshold_bytes = if bytes > least { bytes } else { least };
    }

    pub(super) const fn set_huge_pages(&mut self, huge_pages: HugePages) {
        self.options.huge_pages = huge_pages;
    }

    pub(super) const fn set_reserve_bytes(&mut self, bytes: usize) {
        self.options.reserve_bytes = Some(bytes);
    }

    /// Without virtual memory, none is.
    const fn is_large(&self, layout: Layout) -> bool {
        IS_SUPPORTED && layout.size() >= self.threshold_bytes
    }
}

impl<P: GlobalAlloc> VmAlloc<P> {
    /// Memory of a layout that is not of size zero.
    #[inline]
    pub(super) fn obtain(&self, layout: Layout, contents: Contents) -> Option<NonNull<u8>> {
        debug_assert!(layout.size() > 0);
        if self.is_large(layout) {
            return match Block::new(layout, &self.options, contents) {
                Ok(block) => Some(block.start()),
                Err(Refusal::Crowded) => self.obtain_of_parent(layout, contents),
                Err(Refusal::BySystem) => None,
            };
        }
        // SAFETY: the size is not zero, by the caller.
        let small = || unsafe { contents.of(&self.parent, layout) };
        small().or_else(|| again(layout, small))
    }

    /// # Safety
    ///
    /// - `start` is memory that [`obtain`](Self::obtain) or [`resize`](Self::resize) gave for that
    ///   layout, and is not used again.
    #[inline]
    pub(super) unsafe fn give_back(&self, start: NonNull<u8>, layout: Layout) {
        if self.is_large(layout) {
            // SAFETY: large, and the caller's.
            unsafe { self.give_back_block(start, layout) }
        } else {
            // SAFETY: the parent's, since its layout is not large, and the caller's.
            unsafe { self.parent.dealloc(start.as_ptr(), layout) }
        }
    }

    /// Memory of the new layout, which is not of size zero, with what was in the first bytes of the
    /// old. `None`, and no change, if it cannot be had.
    ///
    /// # Safety
    ///
    /// - `start` is memory that [`obtain`](Self::obtain) or [`resize`](Self::resize) gave for the old
    ///   layout. If this returns other memory, it is not used again.
    #[inline]
    pub(super) unsafe fn resize(&self, start: NonNull<u8>, to: Resize) -> Option<NonNull<u8>> {
        let Resize { old, new, .. } = to;
        debug_assert!(new.size() > 0);
        match (self.is_large(old), self.is_large(new)) {
            (false, false) if old.align() == new.align() => {
                // SAFETY: the parent's, by its size, and the caller's; the new size is not zero, and a
                // layout with it and the alignment exists.
                let grow = || unsafe { self.parent.realloc(start.as_ptr(), old, new.size()) };
                let grow = || NonNull::new(grow());
                let moved = grow().or_else(|| again(new, grow))?;
                // SAFETY: of the new size, whose rest nobody has been given.
                unsafe { to.clear_rest(moved) };
                Some(moved)
            }
            (true, true) => {
                // SAFETY: a block, by its size, and the caller's.
                unsafe { self.resize_block(start, to) }
            }
            // SAFETY: the caller's promise is the same.
            _ => unsafe { self.copy(start, to) },
        }
    }

    #[cold]
    fn obtain_of_parent(&self, layout: Layout, contents: Contents) -> Option<NonNull<u8>> {
        let large = || of_parent::obtain(&self.parent, layout, contents);
        large().or_else(|| again(layout, large))
    }

    /// # Safety
    ///
    /// - As for [`give_back`](Self::give_back), and the layout is large.
    unsafe fn give_back_block(&self, start: NonNull<u8>, layout: Layout) {
        // SAFETY: large, by the caller.
        if unsafe { of_parent::has(start) } {
            // SAFETY: the caller's promise is the same.
            unsafe { of_parent::give_back(&self.parent, start, layout) }
        } else {
            // SAFETY: a block, since it is large and not the parent's, and the caller's.
            unsafe { Block::at(start) }.free(self.options.release);
        }
    }

    /// # Safety
    ///
    /// - As for [`resize`](Self::resize), and both layouts are large.
    #[cold]
    unsafe fn resize_block(&self, start: NonNull<u8>, to: Resize) -> Option<NonNull<u8>> {
        let Resize { old, new, contents } = to;
        // SAFETY: large, by the caller.
        if unsafe { of_parent::has(start) } {
            // SAFETY: the caller's promise is the same.
            return unsafe { self.resize_of_parent(start, to) };
        }
        // SAFETY: a block, since it is large and not the parent's, and the caller's.
        let mut block = unsafe { Block::at(start) };
        if block.is_aligned_to(new.align()) {
            if new.size() < old.size() {
                block.shrink(new);
                return Some(block.start());
            }
            if block.grow(old.size(), new, &self.options, contents) {
                return Some(block.start());
            }
        }
        // SAFETY: the caller's promise is the same.
        unsafe { self.copy(start, to) }
    }

    /// # Safety
    ///
    /// - As for [`resize_block`](Self::resize_block), and the parent has it.
    unsafe fn resize_of_parent(&self, start: NonNull<u8>, to: Resize) -> Option<NonNull<u8>> {
        let Resize { old, new, .. } = to;
        if old.align() != new.align() {
            // SAFETY: the caller's promise is the same.
            return unsafe { self.copy(start, to) };
        }
        // SAFETY: the caller's promise is the same.
        let resize = || unsafe { of_parent::resize(&self.parent, start, old, new) };
        let moved = resize().or_else(|| again(new, resize))?;
        // SAFETY: of the new size, whose rest nobody has been given.
        unsafe { to.clear_rest(moved) };
        Some(moved)
    }

    /// Moves what is there to other memory by copying.
    ///
    /// # Safety
    ///
    /// - As for [`resize`](Self::resize).
    #[cold]
    unsafe fn copy(&self, start: NonNull<u8>, to: Resize) -> Option<NonNull<u8>> {
        let Resize { old, new, contents } = to;
        let copy = self.obtain(new, contents)?;
        let bytes = old.size().min(new.size());
        // SAFETY: both are that large, the first by the caller's promise; they are separate.
        unsafe { copy.copy_from_nonoverlapping(start, bytes) };
        // SAFETY: the caller's promise is the same.
        unsafe { self.give_back(start, old) };
        Some(copy)
    }
}

impl Default for VmAlloc {
    fn default() -> Self {
        Self::new()
    }
}

impl<P> fmt::Debug for VmAlloc<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VmAlloc")
            .field("threshold_bytes", &self.threshold_bytes)
            .field("huge_pages", &self.options.huge_pages)
            .field("reserve_bytes", &self.options.reserve_bytes)
            .field("release", &self.options.release)
            .finish_non_exhaustive()
    }
}
