//! [`Block`]: one large allocation, which has addresses to grow into.
//!
//! Each block is a [`Reservation`] of its own. A header immediately before the user's memory describes it:
//!
//! ```text
//!   start of the reservation            the user's memory
//!   |<- never committed ->|<- header ->|<---------------->|<- usable ->|<- to grow into ->|
//! ```
//!
//! The first part is empty unless the user's alignment is greater than a page. Because of the header, no table and no
//! lock is needed to find a block: only the code that may resize or free an allocation reads its header. While a block
//! is not growing, it offers its room to grow to others, see [`Reservation::offer_past`]; they know only the
//! addresses, not the block.

#![expect(unsafe_code, reason = "keeps a header before the memory that it hands out")]

pub(super) mod of_parent;
mod room;
mod tally;
// Without virtual memory, allocators leave all blocks to their parent.
mod cached;
#[cfg(all(test, not(no_vm)))]
mod tests;

use super::Contents;
use crate::growing::round_up;
use crate::region_cache::{self, LentBytes, Region, Use};
use crate::register::Label;
pub(super) use crate::reservation::blocks as counts;
use crate::reservation::{HugePages, Reservation, address_space_bytes, page_size};
use crate::service::{self, Release};
use std::alloc::Layout;
use std::mem::{ManuallyDrop, offset_of};
use std::ops::Range;
use std::ptr::{self, NonNull};
pub(super) use tally::of_class as tally_of_class;

#[derive(Clone, Copy, Debug)]
pub(super) struct BlockOptions {
    pub(super) huge_pages: HugePages,
    /// The bytes of addresses for each block; chosen automatically if `None`.
    pub(super) reserve_bytes: Option<usize>,
    pub(super) release: Release,
    /// How many bytes at the start of a block are made resident when they are committed.
    pub(super) prefault_bytes: usize,
}

impl BlockOptions {
    pub(super) const DEFAULT: Self = Self {
        huge_pages: HugePages::Auto,
        reserve_bytes: None,
        release: Release::Keep,
        prefault_bytes: 0,
    };
}

struct Header {
    /// Its part past `usable` is offered to others, if the block has room to grow.
    memory: Reservation,
    offset: usize,
    /// The offset up to which `memory` is committed, from the page of the header on.
    usable: usize,
    /// The part of that which the region cache lent without being asked.
    lent: LentBytes,
    /// The end of the user's memory when it was requested. The block may have grown since.
    asked: usize,
    /// Distinguishes a header from other memory.
    seal: usize,
}

/// The granularity in which blocks grow that are moved for it.
const RUN_BYTES: usize = 64 << 10;

/// The size of the header, and the least alignment of the user's memory.
const HEADER_BYTES: usize = 128;

const _: () = assert!(size_of::<Header>() <= HEADER_BYTES && align_of::<Header>() <= HEADER_BYTES);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// Another block would take mappings that others need: the parent must allocate it.
    Crowded,
    BySystem,
}

/// One large allocation. Its owner may use the memory, and must end it with [`Block::free`].
///
/// # Invariants
///
/// - `over` wrote a header before `start`, and the block has not been freed. The memory is committed from the [`front`]
///   page of the header's `offset` to its `usable` bytes, and `start` is at that offset.
/// - No other `Block` has this `start`, except while `find` or a resize makes one for the owner, and only the
///   owner uses the memory.
#[derive(Debug)]
pub(super) struct Block {
    /// The start of the user's memory.
    start: NonNull<u8>,
}

impl Block {
    /// Allocates memory for a layout, uninitialized or zeroed.
    pub(super) fn new(
        layout: Layout,
        options: &BlockOptions,
        contents: Contents,
    ) -> Result<Self, Refusal> {
        if let Some(block) = cached::take(layout, options, contents) {
            return Ok(block);
        }
        let ended = region_cache::releases_ended();
        match Self::fresh(layout, options, contents) {
            Err(Refusal::BySystem) if make_room(layout, ended) => {
                Self::fresh(layout, options, contents)
            }
            fresh => fresh,
        }
    }

    /// Allocates fresh memory, which is zero. Huge pages are requested for a large block that is not zeroed, since such
    /// blocks are mostly written from the front; a zeroed one may be used sparsely, until it grows.
    fn fresh(layout: Layout, options: &BlockOptions, contents: Contents) -> Result<Self, Refusal> {
        /// Two huge pages: with fewer, more could be in excess than is needed.
        const HUGE_FROM_BYTES: usize = 4 << 20;
        let offset = offset_for(layout.align());
        let end = offset.checked_add(layout.size()).ok_or(Refusal::BySystem)?;
        let mut memory = room::reserve(end, layout.align(), options)?;
        let is_worth = contents == Contents::Any && end >= HUGE_FROM_BYTES && memory.has_room();
        if memory.huge_pages() == HugePages::Always || is_worth {
            memory.want_huge_pages();
        }
        let from = front(offset);
        let usable = commit(&memory, from, end).ok_or(Refusal::BySystem)?;
        let usable = fill(&mut memory, from..usable, contents);
        if usable < end {
            // No other move is tried.
            return Self::fresh(layout, options, contents);
        }
        prefault(&memory, offset, from..usable, options);
        if options.release == Release::Background {
            // Now, so that freeing the block does not have to start the thread: fresh memory takes longer.
            service::attend_cache();
        }
        // SAFETY: `reserve` has aligned the range as the layout requires, so the address at `offset` is aligned, too.
        // `commit` has committed the new memory, which no other code has, from the page of the header to `usable`, and
        // that is not before `end`, as checked.
        Ok(unsafe { Self::over(memory, offset..end, usable, LentBytes::NONE) })
    }

    /// Writes the header into memory. `user` is the user's part.
    ///
    /// # Safety
    ///
    /// - `user` starts at [`offset_for`] an alignment that the address there has, and ends at or before `usable`.
    /// - The memory is committed from the [`front`] page of that offset to `usable`, and no code uses it.
    unsafe fn over(
        mut memory: Reservation,
        user: Range<usize>,
        usable: usize,
        lent: LentBytes,
    ) -> Self {
        let Range { start: offset, end: asked } = user;
        debug_assert!(offset % HEADER_BYTES == 0 && asked <= usable);
        memory.set_label(Label::BLOCK);
        let start = memory.at(offset);
        // The pointer that the user later returns may be valid for the user's bytes only.
        memory.as_ptr().expose_provenance();
        let block = Self { start };
        let seal = seal(start.addr().get());
        memory.offer_past(usable);
        let header = Header { memory, offset, usable, lent, asked, seal };
        // SAFETY: "valid for writes": the `HEADER_BYTES` before `start` are committed from `front` on, the page where
        // they begin, and no code uses them, as the caller promises. "Aligned": the range begins at a page, and
        // `offset_for` is a multiple of `HEADER_BYTES`, which is one of the alignment of a header, as asserted where it
        // is defined.
        unsafe { header_ptr(block.start).write(header) };
        tally::begun(usable - front(offset));
        block
    }

    pub(super) const fn start(&self) -> NonNull<u8> {
        self.start
    }

    fn header(&mut self) -> &mut Header {
        // SAFETY: "initialized" and "aligned": `over` wrote the header, and it moves only with the block. "No other
        // pointer accesses it": it lies outside the user's memory, and is only reached through this `Block`, which is
        // borrowed mutably, and of which there is one at a time, by the invariants.
        unsafe { &mut *header_ptr(self.start) }
    }

    /// Returns `true` if the block also meets this alignment, a power of two, which may differ from the one it was made for.
    pub(super) fn is_aligned_to(&self, align: usize) -> bool {
        self.start.addr().get() & (align - 1) == 0
    }

    /// Grows the block from `old` to `new` bytes without copying, and returns `true` on success. The address may
    /// change. On failure the user's memory is unchanged.
    pub(super) fn grow(
        &mut self,
        old: usize,
        new: Layout,
        options: &BlockOptions,
        contents: Contents,
    ) -> bool {
        debug_assert!(old <= new.size());
        let header = self.header();
        let Some(end) = header.offset.checked_add(new.size()) else { return false };
        let usable = header.usable;
        let ended = region_cache::releases_ended();
        let mut grow = || self.grow_to(end, new.align(), options, contents);
        let grown = grow() || make_room(new, ended) && grow();
        if !grown {
            return false;
        }
        if contents == Contents::Zeroed {
            // Memory past `written` was never touched.
            let written = usable - self.header().offset;
            let dirty = written.min(new.size()).saturating_sub(old);
            let from = self.start.as_ptr().wrapping_add(old);
            // SAFETY: "valid for writes": `old + dirty <= new.size()`, and the block has grown to that size. The caller
            // does not have these bytes yet.
            unsafe { from.write_bytes(0, dirty) };
        }
        true
    }

    /// Extends the usable part to at least `end`, in place or by moving the block, and returns `true` on success.
    fn grow_to(
        &mut self,
        end: usize,
        align: usize,
        options: &BlockOptions,
        contents: Contents,
    ) -> bool {
        let header = self.header();
        let usable = header.usable;
        if end <= usable {
            header.lent.reduce_to(usable - end);
            return true;
        }
        header.memory.withdraw();
        let grown = if end <= header.memory.reserved_bytes() {
            header.grow_to(end, contents)
        } else {
            // Somewhat more than needed, so that a block that grows in small steps is not moved each time.
            let more = end.checked_next_multiple_of(RUN_BYTES).unwrap_or(end);
            let more = more.max(usable + usable / 8);
            header.offset % align == 0 && (self.relocate(more) || self.relocate(end))
        };
        let header = self.header();
        if grown {
            prefault(&header.memory, header.offset, usable..header.usable, options);
            header.lent.reduce_to(0);
        }
        header.memory.offer_past(header.usable);
        grown
    }

    /// Asks the system to move the block to a range of `end` bytes, counted from the start of the reservation. Returns
    /// `true` on success.
    fn relocate(&mut self, end: usize) -> bool {
        let header = self.header();
        let (offset, usable) = (header.offset, header.usable);
        // The new range is aligned to a page only, and all memory from its start must be committed.
        if offset > page_size() {
            return false;
        }
        // The header moves along, so the following uses a copy of it.
        // SAFETY: "valid for reads", "initialized" and "aligned": this reads the header that `header` borrowed. Only
        // the copy is used until it is written back, and it is not dropped.
        let mut header = ManuallyDrop::new(unsafe { header_ptr(self.start).read() });
        // SAFETY: the memory is only reached through this block, whose address is updated below, and through the pointer
        // that `start` returned, which callers replace by the new one after each call that can move the block.
        let moved = unsafe { header.memory.move_if_possible(usable, end) };
        if moved {
            let usable = header.memory.reserved_bytes();
            header.set_usable(usable);
            header.memory.as_ptr().expose_provenance();
            self.start = header.memory.at(offset);
            header.seal = seal(self.start.addr().get());
        }
        // SAFETY: "valid for writes" and "aligned": the header was read from here, or its page was moved here, to the
        // same offset of another range, which begins at a page.
        unsafe { header_ptr(self.start).write(ManuallyDrop::into_inner(header)) };
        moved
    }

    /// Decommits memory past the first `new` bytes if two or more runs of it are spare, so that repeated small changes
    /// of size make no system call.
    pub(super) fn shrink(&mut self, new: Layout) {
        let header = self.header();
        let end = header.offset + new.size();
        let run = header.memory.run_bytes(end);
        let keep = round_up(end, run);
        if header.usable.saturating_sub(keep) < 2 * run {
            return;
        }
        header.memory.withdraw();
        // A block without room to grow must stay one mapping, which the system can move.
        if !header.memory.has_room() && header.offset % new.align() == 0 && self.relocate(keep) {
            self.header().lent.reduce_to(keep - end);
            return;
        }
        let header = self.header();
        // If the system refuses, because of the limit of mappings, the memory stays committed.
        if header.memory.decommit_if_possible(keep..header.usable) {
            header.set_usable(keep);
            header.lent.reduce_to(keep - end);
        }
        header.memory.offer_past(header.usable);
    }

    /// Frees the block: passes its memory to the region cache, or releases it.
    pub(super) fn free(self, release: Release) {
        let Header { memory, offset, usable, mut asked, lent, .. } = self.end();
        // A block that did not grow as the last one did tells nothing about the next.
        if lent.bytes() > usable / 5 {
            asked = usable;
        }
        // Before the region is offered, so that the cache has room for it.
        drop(lent);
        // Without room to grow, the region would only suit blocks of the same size.
        let has_room = memory.has_room();
        // SAFETY: "whole pages" and "at least one": from the page of the header to `usable`, up to which runs or pages
        // were committed, by the invariants. "No code uses them": the header was moved out, and the user no longer uses
        // the block, which `self` was the owner of.
        let region = unsafe { Region::new(memory, front(offset)..usable) }.asked(asked);
        let is_kept = release != Release::Now && has_room && region.is_fit_again();
        let used = is_kept.then_some(Use::Block);
        if release == Release::Background {
            service::attend_cache();
            service::end_use(region, used);
        } else if let Some(used) = used {
            drop(region_cache::put(used, region));
        }
    }

    fn end(self) -> Header {
        // SAFETY: "valid for reads", "initialized" and "aligned": `over` wrote the header there, by the invariants.
        // `self` is consumed, so the header is not used again.
        let mut header = unsafe { header_ptr(self.start).read() };
        header.memory.withdraw();
        tally::ended(header.bytes());
        header
    }
}

impl Header {
    fn bytes(&self) -> usize {
        self.usable - front(self.offset)
    }

    fn set_usable(&mut self, usable: usize) {
        let before = self.bytes();
        self.usable = usable;
        tally::resized(before, self.bytes());
    }

    /// Commits up to `end`, which must lie inside the reservation, and returns `true` on success.
    fn grow_to(&mut self, end: usize, contents: Contents) -> bool {
        advise(&mut self.memory, end);
        let Some(usable) = commit(&self.memory, self.usable, end) else { return false };
        let usable = fill(&mut self.memory, self.usable..usable, contents);
        self.set_usable(usable);
        end <= usable
    }
}

/// Requests huge pages if `end` bytes are worth them. The request covers the whole range, so that committed memory
/// stays one mapping, which the system can move.
fn advise(memory: &mut Reservation, end: usize) {
    /// Smaller blocks without room to grow are to share a mapping with their neighbours.
    const BARE_FROM_BYTES: usize = 64 << 20;
    let from = if memory.has_room() { HugePages::AUTO_FROM_BYTES } else { BARE_FROM_BYTES };
    let wants = match memory.huge_pages() {
        HugePages::Auto => end > from,
        HugePages::Always => true,
        HugePages::Never => false,
    };
    if wants {
        memory.want_huge_pages();
    }
}

/// Returns how many bytes precede the user's memory for an alignment: the space of a header, rounded up.
fn offset_for(align: usize) -> usize {
    align.max(HEADER_BYTES)
}

/// Returns the offset of the first committed page.
fn front(offset: usize) -> usize {
    (offset - HEADER_BYTES) / page_size() * page_size()
}

/// Commits from `from` to at least `end`, and to the end of a run if possible. Returns the new end.
fn commit(memory: &Reservation, from: usize, end: usize) -> Option<usize> {
    let needed = round_up(end, page_size());
    let preferred = memory.whole_runs(end);
    let done = |to| memory.commit_if_possible(from..to).then_some(to);
    done(preferred).or_else(|| if needed < preferred { done(needed) } else { None })
}

/// Replaces newly committed pages by memory of the region cache, as far as it has any, unless they must be zero. Returns
/// their end, lower if a failed move cut the reservation off. (After the commit, which may be refused: memory past the
/// usable part must be zero.) A block without room to grow stays one mapping, which the system can move.
fn fill(memory: &mut Reservation, committed: Range<usize>, contents: Contents) -> usize {
    let end = committed.end;
    if contents == Contents::Any && memory.has_room() {
        region_cache::fill(memory, committed);
    }
    end.min(memory.reserved_bytes())
}

/// Makes a part of a block that was just committed resident, as far as the options say. The user's memory starts at
/// `offset`. If this is refused, pages take their faults later.
fn prefault(memory: &Reservation, offset: usize, committed: Range<usize>, options: &BlockOptions) {
    if options.prefault_bytes == 0 {
        return;
    }
    let most = offset.saturating_add(options.prefault_bytes);
    let end = round_up(committed.end.min(most), page_size());
    if committed.start < end {
        let _ = memory.prefault(committed.start..end);
    }
}

/// Releases what is cached or waits to be released, to retry a refused request. Returns `true` if there was anything,
/// or if other releases have ended since `ended`. Does nothing for sizes that exceed the address space.
fn make_room(layout: Layout, ended: usize) -> bool {
    layout.size().saturating_add(layout.align()) <= address_space_bytes()
        && region_cache::release_unused(ended)
}

/// Aborts the process: a call that frees a block must not unwind.
#[cold]
#[inline(never)]
extern "C" fn wrong_allocator(start: NonNull<u8>) {
    panic!("memory at {start:?} was resized or freed by an allocator that did not allocate it");
}

/// Where the header of the block with this start is.
fn header_ptr(start: NonNull<u8>) -> *mut Header {
    ptr::with_exposed_provenance_mut(start.addr().get() - HEADER_BYTES)
}

/// Where the seal of a large block with this start is, its own or one of the parent.
fn seal_ptr(start: NonNull<u8>) -> *mut usize {
    header_ptr(start).wrapping_byte_add(offset_of!(Header, seal)).cast()
}

/// A word that other memory is unlikely to contain.
fn seal(address: usize) -> usize {
    address ^ 0x5ea1_0000_usize.rotate_left(7)
}
