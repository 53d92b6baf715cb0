//! [`Block`]: one large allocation, which has addresses to grow into.
//!
//! A block is a [`Reservation`] of its own, and what there is to know about it stands right before the
//! memory that the user has:
//!
//! ```text
//!   start of the reservation            what the user has
//!   |<- never committed ->|<- header ->|<---------------->|<- usable ->|<- to grow into ->|
//! ```
//!
//! The first part is empty but where the user's alignment is above a page. So a block needs no table
//! to be found in, and no lock: whoever has the right to resize or to free an allocation is the only
//! one who looks at its header. What it has to grow into it offers to others while it is not growing, see
//! [`Reservation::offer_behind`]: they know just these addresses, not the block.

#![expect(unsafe_code, reason = "keeps a header before the memory that it hands out")]

pub(super) mod of_parent;
mod room;
mod tally;
// Allocators leave all blocks to their parent where there is no virtual memory.
#[cfg(all(test, not(no_vm)))]
mod tests;
mod warm;

use super::Contents;
use crate::growing::{Ended, round_up};
use crate::keeper::{self, Lent, Use, Warm};
pub(super) use crate::reservation::blocks as counts;
use crate::reservation::{HugePages, Reservation, address_space_bytes, page_size};
use crate::service::{self, Memory, Release};
use std::alloc::Layout;
use std::mem::ManuallyDrop;
use std::ptr::{self, NonNull};
pub(super) use tally::now as tally;

/// What the user chose for blocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockOptions {
    pub(super) huge_pages: HugePages,
    /// How many bytes each has to grow into. Reckoned, if not said.
    pub(super) reserve_bytes: Option<usize>,
    pub(super) release: Release,
}

impl BlockOptions {
    pub(super) const DEFAULT: Self =
        Self { huge_pages: HugePages::Auto, reserve_bytes: None, release: Release::Keep };
}

/// What stands before the memory that the user has.
struct Header {
    /// What is behind `usable` is offered to others, if it is room to grow.
    memory: Reservation,
    /// Where the user's memory begins in `memory`.
    offset: usize,
    /// Up to where `memory` is committed, from the page of the header on.
    usable: usize,
    /// Of that, what it got without having asked for it.
    lent: Lent,
    /// Tells a header from other memory.
    seal: usize,
}

/// In what steps blocks grow that are moved for it.
const RUN_BYTES: usize = 64 << 10;

/// How many bytes the header takes, and to what memory is aligned at least.
const HEADER_BYTES: usize = 128;

const _: () = assert!(size_of::<Header>() <= HEADER_BYTES && align_of::<Header>() <= HEADER_BYTES);

/// Why there is no block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// There are so many that more would take the mappings that others need: it is to be had of the parent.
    Crowded,
    BySystem,
}

/// One large allocation. Who has it may use the memory, and must end it by [`Block::free`].
#[derive(Debug)]
pub(super) struct Block {
    /// Of what the user has.
    start: NonNull<u8>,
}

impl Block {
    /// Memory of a layout, uninitialised or zero.
    pub(super) fn new(
        layout: Layout,
        options: &BlockOptions,
        contents: Contents,
    ) -> Result<Self, Refusal> {
        if let Some(warm) = warm::take(layout, options, contents) {
            return Ok(warm);
        }
        let ended = Ended::now();
        match Self::fresh(layout, options) {
            Err(Refusal::BySystem) if make_room(layout, options, ended) => {
                Self::fresh(layout, options)
            }
            fresh => fresh,
        }
    }

    /// Memory that nobody had before: it is zero.
    ///
    /// Nobody knows yet whether it will be used in order, or here and there: so huge pages are asked for only
    /// when it grows.
    fn fresh(layout: Layout, options: &BlockOptions) -> Result<Self, Refusal> {
        let offset = offset_for(layout.align());
        let end = offset.checked_add(layout.size()).ok_or(Refusal::BySystem)?;
        let mut memory = room::reserve(end, layout.align(), options)?;
        if memory.huge_pages() == HugePages::Always {
            memory.want_huge_pages();
        }
        let usable = commit(&memory, front(offset), end).ok_or(Refusal::BySystem)?;
        Ok(Self::over(memory, offset, usable, Lent::NONE))
    }

    /// Writes the header into memory that is committed from its page on.
    fn over(mut memory: Reservation, offset: usize, usable: usize, lent: Lent) -> Self {
        let memory_start = memory.start();
        // SAFETY: `offset` is inside the range, whose first `end >= offset` bytes were reserved.
        let start = unsafe { memory_start.add(offset) };
        // What the user has may come back as a pointer that may be used for no more than that.
        memory_start.as_ptr().expose_provenance();
        let block = Self { start };
        let seal = seal(start.addr().get());
        memory.offer_behind(usable);
        let header = Header { memory, offset, usable, lent, seal };
        // SAFETY: `HEADER_BYTES` before `start` are committed: `offset` is at least as much, and
        // `front` is the page where they begin. Nobody else uses them. The address is aligned for a
        // header, since `start` is to `HEADER_BYTES`.
        unsafe { block.header_ptr().write(header) };
        tally::begun(usable - front(offset));
        block
    }

    /// The block whose memory is at `start`.
    ///
    /// # Safety
    ///
    /// - `start` is what [`start`](Self::start) gave for a block that was not freed since, and there
    ///   is no other `Block` for it in use.
    pub(super) unsafe fn at(start: NonNull<u8>) -> Self {
        // What the caller has may be good for its own bytes only.
        let exposed = ptr::with_exposed_provenance_mut(start.addr().get());
        // SAFETY: the address is that of `start`.
        let block = Self { start: unsafe { NonNull::new_unchecked(exposed) } };
        // SAFETY: a header stands there, by the caller's promise. (If the promise is broken, then most
        // likely there is other memory of the same page.)
        if cfg!(debug_assertions) && !unsafe { block.is_sealed() } {
            foreign(start);
        }
        block
    }

    /// The memory that the user has.
    pub(super) const fn start(&self) -> NonNull<u8> {
        self.start
    }

    fn header_ptr(&self) -> *mut Header {
        ptr::with_exposed_provenance_mut(self.start.addr().get() - HEADER_BYTES)
    }

    /// Whether a header stands before the memory.
    ///
    /// # Safety
    ///
    /// - There is memory there.
    unsafe fn is_sealed(&self) -> bool {
        // SAFETY: there is memory for a header, whose fields are not read.
        let found = unsafe { &raw const (*self.header_ptr()).seal };
        // SAFETY: any bytes are a number.
        let found = unsafe { found.read_unaligned() };
        found == seal(self.start.addr().get())
    }

    fn header(&mut self) -> &mut Header {
        // SAFETY: written by `over`, and moved only with the block; it is only reached by the one
        // `Block`, which is borrowed, and lies outside what the user has.
        unsafe { &mut *self.header_ptr() }
    }

    /// Whether memory may be said to be of an alignment. (It was made for another.)
    pub(super) fn is_aligned_to(&self, align: usize) -> bool {
        self.start.addr().get() % align == 0
    }

    /// Makes room for `new` bytes where there are `old`; whether it could. The address may change,
    /// but what is there is not copied. If it could not, nothing has changed.
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
        let ended = Ended::now();
        let mut grown = self.grow_to(end, new.align());
        if !grown && make_room(new, options, ended) {
            grown = self.grow_to(end, new.align());
        }
        if !grown {
            return false;
        }
        if contents == Contents::Zeroed {
            // What is behind was never touched.
            let written = usable - self.header().offset;
            let dirty = written.min(new.size()).saturating_sub(old);
            // SAFETY: `old <= new.size()`, which is committed.
            let from = unsafe { self.start.add(old) };
            // SAFETY: `dirty` bytes from there are below `new.size()`; they are nobody's yet.
            unsafe { from.write_bytes(0, dirty) };
        }
        true
    }

    /// Has it reach up to `end` at least, by its room or by being moved; whether it could.
    fn grow_to(&mut self, end: usize, align: usize) -> bool {
        let header = self.header();
        let usable = header.usable;
        if end <= usable {
            header.lent.reduce_to(usable - end);
            return true;
        }
        header.memory.withdraw();
        let grown = if end <= header.memory.reserved_bytes() {
            header.grow_to(end)
        } else {
            // Somewhat more, so that those who grow by little are not moved each time.
            let more = end.checked_next_multiple_of(RUN_BYTES).unwrap_or(end);
            let more = more.max(usable + usable / 8);
            header.offset % align == 0 && (self.relocate(more) || self.relocate(end))
        };
        let header = self.header();
        header.memory.offer_behind(header.usable);
        if grown {
            header.lent.reduce_to(0);
        }
        grown
    }

    /// Has the system make it `end` bytes from the start of the reservation, wherever there is room for
    /// them; whether it could.
    fn relocate(&mut self, end: usize) -> bool {
        let header = self.header();
        let (offset, usable) = (header.offset, header.usable);
        // The new place is aligned to a page, and what moves must be committed from the start on.
        if offset > page_size() {
            return false;
        }
        // A copy, since the header moves along.
        // SAFETY: the header that `header` borrowed; only the copy is used until it is written back.
        let mut header = ManuallyDrop::new(unsafe { self.header_ptr().read() });
        // SAFETY: the memory is used by nobody but through this block, whose address is changed below.
        let moved = unsafe { header.memory.move_if_possible(usable, end) };
        if moved {
            tally::resized(usable, header.memory.reserved_bytes());
            header.usable = header.memory.reserved_bytes();
            let memory_start = header.memory.start();
            memory_start.as_ptr().expose_provenance();
            // SAFETY: `offset` is less than `end`, the size of the range.
            self.start = unsafe { memory_start.add(offset) };
            header.seal = seal(self.start.addr().get());
        }
        // SAFETY: where the header was read, or where its page is now.
        unsafe { self.header_ptr().write(ManuallyDrop::into_inner(header)) };
        moved
    }

    /// Gives back memory behind the first `new` bytes, if two or more runs of it are spare: between
    /// that and the next growth there is room to go up and down without a call.
    pub(super) fn shrink(&mut self, new: Layout) {
        let header = self.header();
        let end = header.offset + new.size();
        let run = header.memory.run_bytes(end);
        let keep = round_up(end, run);
        if header.usable.saturating_sub(keep) < 2 * run {
            return;
        }
        header.memory.withdraw();
        // Without room to grow it is to stay one mapping, which the system can move.
        if !header.memory.has_room() && header.offset % new.align() == 0 && self.relocate(keep) {
            return;
        }
        let header = self.header();
        // If it is refused, by the limit of mappings, the memory stays.
        if header.memory.decommit_if_possible(keep..header.usable) {
            tally::resized(header.usable, keep);
            header.usable = keep;
            header.lent.reduce_to(keep - end);
        }
        header.memory.offer_behind(header.usable);
    }

    /// Ends it, and has the memory kept or releases it.
    pub(super) fn free(self, release: Release) {
        let Header { memory, offset, usable, lent, .. } = self.end();
        if !memory.has_room() || release == Release::Now {
            // Without room it is of no use but to those who want just as much.
            return release_memory(memory, usable, release);
        }
        // First, so that there is room for it.
        drop(lent);
        let warm = Warm { memory, pages: front(offset)..usable };
        if let Some(Warm { memory, .. }) = service::keep(Use::Block, warm) {
            release_memory(memory, usable, release);
        }
    }

    fn end(self) -> Header {
        // SAFETY: `self` ends here, and with it the right to the header.
        let mut header = unsafe { self.header_ptr().read() };
        header.memory.withdraw();
        tally::ended(header.bytes());
        header
    }
}

impl Header {
    /// How many bytes are committed.
    fn bytes(&self) -> usize {
        self.usable - front(self.offset)
    }

    /// Commits up to `end`, which is inside the reservation; whether it could.
    fn grow_to(&mut self, end: usize) -> bool {
        advise(&mut self.memory, end);
        let Some(usable) = commit(&self.memory, self.usable, end) else { return false };
        tally::resized(self.usable, usable);
        self.usable = usable;
        true
    }
}

fn release_memory(mut memory: Reservation, usable: usize, release: Release) {
    match release {
        Release::Keep | Release::Now => drop(memory),
        Release::Background => {
            // What waits is not counted, so it has no addresses but those of its memory.
            memory.give_up_behind(usable);
            memory.uncount();
            service::release_later(Memory::Alone(memory), usable, None);
        }
    }
}

/// Asks for huge pages, if `end` bytes are worth them: over the whole range, so that what is committed
/// stays one mapping, which the system can move.
fn advise(memory: &mut Reservation, end: usize) {
    /// Smaller ones without room to grow are to be one mapping with their neighbours.
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

/// How much stands before what the user has, of an alignment: room for a header, where this is aligned.
fn offset_for(align: usize) -> usize {
    align.max(HEADER_BYTES)
}

/// Where in a reservation the first page begins that is committed.
fn front(offset: usize) -> usize {
    (offset - HEADER_BYTES) / page_size() * page_size()
}

/// Commits from `from` to `end` at least, and to the end of a run if that can be had; up to where.
fn commit(memory: &Reservation, from: usize, end: usize) -> Option<usize> {
    let needed = round_up(end, page_size());
    let wished = memory.whole_runs(end);
    let done = |to| memory.commit_if_possible(from..to).then_some(to);
    done(wished).or_else(|| if needed < wished { done(needed) } else { None })
}

/// Releases what is kept, and what waits to be released, for somebody who was refused when so many
/// releases had ended; whether there was anything, or more have ended since. Not for what there are no addresses
/// for in any case.
fn make_room(layout: Layout, options: &BlockOptions, ended: Ended) -> bool {
    if layout.size().saturating_add(layout.align()) > address_space_bytes() {
        return false;
    }
    let kept = keeper::make_room(ended.kept);
    // The service has a lock: who does not ask for it does not come near it.
    let waiting = options.release == Release::Background && service::release_waiting(ended.waiting);
    kept || waiting
}

/// Ends the process: whoever frees a block cannot be told by unwinding.
#[cold]
#[inline(never)]
extern "C" fn foreign(start: NonNull<u8>) {
    panic!("memory at {start:?} is resized or freed by an allocator that did not give it");
}

/// A word that no other memory has, most likely.
fn seal(address: usize) -> usize {
    address ^ 0x5ea1_0000_usize.rotate_left(7)
}
