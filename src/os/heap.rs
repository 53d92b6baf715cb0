//! Systems without virtual memory, and interpreters without it: a reservation is a block of the system's allocator, of
//! its full size from the beginning.
//!
//! # What holds of the contract
//!
//! - **A reservation never moves**, and begins at a multiple of [`PAGE_BYTES`]. Pages are only a unit of counting.
//! - **Inaccessibility is not enforced.** Pages that are not committed can be accessed, and hold anything. Miri reports
//!   reads of them as uninitialised, and `AddressSanitizer` reports any access: they are [poisoned](crate::poison).
//! - **Memory is touched only when it is committed**: then it is zeroed, if it was not committed before. Requesting
//!   zeroed memory at once would write to all of it with most allocators, and in a browser, where touched memory is
//!   allocated, allocate all of it. (Memory that WebAssembly grows by is zero already and is zeroed again, since no
//!   allocator says which part of a block is fresh. In Node, reserving 16 MiB takes 0.05 ms and makes nothing resident;
//!   committing them takes 9.5 ms, and 0.8 ms, the time of zeroing, if they were resident before.)
//! - **Memory is returned only when the reservation is released**, not when it is decommitted or discarded. The only
//!   charge is that of the block.
//! - Committed memory was written to, so it is resident, and there is nothing to prefault.
//!
//! # Which allocator
//!
//! [`System`], which no program can replace. The global allocator of the program may be built on this module, like
//! [`GlobalVm`](crate::alloc::GlobalVm) on other systems, and would call it again. In a program without a global
//! allocator of its own they are the same.
//!
//! # Implementation
//!
//! A [`BlockHeader`] precedes the first page, and a bitmap of the committed pages precedes the header. So callers pass
//! the reservation that pages belong to, and no list of reservations is needed.

#![expect(clippy::unnecessary_wraps, reason = "the functions of other systems can fail")]

pub(crate) use super::absent::{
    address_limit, available_bytes, count_for_groups, forks, free_bytes, group_memory,
    locked_bytes, lower_priority, mapping_limit, variable_at_start, with_signals_left_to_others,
};
pub(super) use super::absent::{advise, huge_page_bytes, memory_limit, name_pages};

use super::{Call, Code};
use crate::error::ErrorKind;
use crate::poison::{poison, unpoison};
use std::alloc::{GlobalAlloc, Layout, System};
use std::mem::MaybeUninit;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Not a code of a system, since none is called: [`limit_reached`] explains by the call.
const REFUSED: Code = 0;

/// The code of a call that `fault` refuses: a different one, so that tests recognise it.
#[cfg(test)]
pub(super) const NO_MEMORY: Code = 12;

const PAGE_BYTES: usize = 4096;

/// The description of a reservation, directly before it.
struct BlockHeader {
    /// The layout of the block, which begins with the bitmap.
    layout: Layout,
    /// The distance from the start of the block to the first page.
    front_bytes: usize,
    /// Held to access the bitmap and to zero pages: two threads may commit the same pages at once.
    lock: Mutex<()>,
}

const WORD_BITS: usize = usize::BITS as usize;

impl BlockHeader {
    /// The layout of the block for `bytes` bytes of pages, and the size of what precedes them.
    fn layout(bytes: usize) -> Option<(Layout, usize)> {
        let words = (bytes / PAGE_BYTES).div_ceil(WORD_BITS);
        let front = words * size_of::<usize>() + size_of::<Self>();
        let front = front.next_multiple_of(PAGE_BYTES);
        let layout = Layout::from_size_align(bytes.checked_add(front)?, PAGE_BYTES).ok()?;
        Some((layout, front))
    }

    /// Returns the head of a reservation.
    ///
    /// # Safety
    ///
    /// - [`reserve`] returned the reservation, and it was not released.
    unsafe fn place(of: NonNull<u8>) -> NonNull<Self> {
        // SAFETY: the head precedes the reservation in the same block, by the layout.
        unsafe { of.cast::<Self>().sub(1) }
    }

    /// Locks and returns the bitmap of a reservation.
    ///
    /// # Safety
    ///
    /// - The conditions of [`place`](Self::place), for as long as the result lives.
    unsafe fn bits<'a>(of: NonNull<u8>) -> PageBitmap<'a> {
        // SAFETY: the contract of this function is that of the call.
        let head = unsafe { Self::place(of) };
        // SAFETY: written by `reserve`, and only shared since then.
        let head = unsafe { head.as_ref() };
        // SAFETY: the start of the block, which precedes the reservation by `front_bytes`.
        let words = unsafe { of.sub(head.front_bytes) }.cast();
        // Code that holds the lock does not panic.
        let lock = head.lock.lock().unwrap_or_else(PoisonError::into_inner);
        PageBitmap { first_page: of.addr().get(), words, _lock: lock }
    }
}

/// The bitmap of the committed pages of a reservation.
struct PageBitmap<'a> {
    first_page: usize,
    words: NonNull<usize>,
    _lock: MutexGuard<'a, ()>,
}

impl PageBitmap<'_> {
    /// Returns the numbers of the pages in a range of the reservation.
    fn pages(&self, start: NonNull<u8>, bytes: usize) -> Range<usize> {
        let first = (start.addr().get() - self.first_page) / PAGE_BYTES;
        first..first + bytes / PAGE_BYTES
    }

    /// Returns the word with the bit of a page, and the bit.
    ///
    /// # Safety
    ///
    /// - The reservation has this page.
    unsafe fn word(&mut self, page: usize) -> (&mut usize, usize) {
        // SAFETY: the bitmap has a bit for each page.
        let mut word = unsafe { self.words.add(page / WORD_BITS) };
        // SAFETY: a word of the bitmap, which `reserve` has written. `self` holds the lock.
        (unsafe { word.as_mut() }, 1 << (page % WORD_BITS))
    }

    /// # Safety
    ///
    /// - The conditions of [`word`](Self::word).
    unsafe fn is_set(&mut self, page: usize) -> bool {
        // SAFETY: the contract of this function is that of the call.
        let (word, bit) = unsafe { self.word(page) };
        *word & bit != 0
    }

    /// Sets or clears a bit, and returns whether that changed it.
    ///
    /// # Safety
    ///
    /// - The conditions of [`word`](Self::word).
    unsafe fn set(&mut self, page: usize, is_set: bool) -> bool {
        // SAFETY: the contract of this function is that of the call.
        let (word, bit) = unsafe { self.word(page) };
        let before = *word;
        *word = if is_set { before | bit } else { before & !bit };
        *word != before
    }
}

pub(super) fn page_bytes() -> usize {
    PAGE_BYTES
}

pub(super) fn address_space_bytes() -> usize {
    usize::MAX
}

pub(super) fn memory_bytes() -> Option<u64> {
    None
}

/// Not all of these systems have a clock. Nothing is cached here, so nothing grows old.
pub(crate) fn now_ms() -> u32 {
    0
}

pub(super) fn reserve(bytes: usize) -> Result<NonNull<u8>, Code> {
    let (layout, front_bytes) = BlockHeader::layout(bytes).ok_or(REFUSED)?;
    // SAFETY: the size of the layout is not 0, since the head is part of it.
    let block = NonNull::new(unsafe { System.alloc(layout) }).ok_or(REFUSED)?;
    let words = (bytes / PAGE_BYTES).div_ceil(WORD_BITS);
    // SAFETY: the block begins with this many words, aligned to a page, and is not used yet.
    unsafe { block.cast::<usize>().write_bytes(0, words) };
    // SAFETY: the block is larger than its front by the pages.
    let start = unsafe { block.add(front_bytes) };
    // SAFETY: the front of the reservation at `start` has room for the head, which is written next.
    let head = unsafe { BlockHeader::place(start) };
    // SAFETY: inside the front, after the words. `start` is aligned to a page, so the head directly before it is
    // aligned for its type.
    unsafe { head.write(BlockHeader { layout, front_bytes, lock: Mutex::new(()) }) };
    poison(start.as_ptr(), bytes);
    Ok(start)
}

/// # Safety
///
/// As for [`super::commit`].
pub(super) unsafe fn commit(of: NonNull<u8>, start: NonNull<u8>, bytes: usize) -> Result<(), Code> {
    // SAFETY: the contract of this function is that of the call.
    let mut bits = unsafe { BlockHeader::bits(of) };
    for (page, offset) in bits.pages(start, bytes).zip((0..).step_by(PAGE_BYTES)) {
        // SAFETY: the range lies inside the reservation, as the caller promises.
        if unsafe { bits.set(page, true) } {
            // SAFETY: as above.
            let place = unsafe { start.add(offset) };
            unpoison(place.as_ptr(), PAGE_BYTES);
            // SAFETY: a page of the reservation that was not committed, so it is not in use.
            unsafe { place.write_bytes(0, PAGE_BYTES) };
        }
    }
    Ok(())
}

/// # Safety
///
/// As for [`super::decommit`].
pub(super) unsafe fn decommit(
    of: NonNull<u8>,
    start: NonNull<u8>,
    bytes: usize,
) -> Result<(), Code> {
    // SAFETY: the contract of this function is that of the call.
    let mut bits = unsafe { BlockHeader::bits(of) };
    for (page, offset) in bits.pages(start, bytes).zip((0..).step_by(PAGE_BYTES)) {
        // SAFETY: the range lies inside the reservation, as the caller promises.
        let was_committed = unsafe { bits.set(page, false) };
        if cfg!(miri) && was_committed {
            // SAFETY: as above.
            let place = unsafe { start.add(offset) }.cast::<[MaybeUninit<u8>; PAGE_BYTES]>();
            // So that Miri reports code that reads the page.
            // SAFETY: a page that is not in use, as the caller promises.
            unsafe { place.write([MaybeUninit::uninit(); PAGE_BYTES]) };
        }
    }
    poison(start.as_ptr(), bytes);
    Ok(())
}

/// # Safety
///
/// As for [`super::discard`].
pub(super) unsafe fn discard(start: NonNull<u8>, bytes: usize) -> Result<(), Code> {
    unpoison(start.as_ptr(), bytes);
    // SAFETY: committed, and not in use, as the caller promises.
    unsafe { start.write_bytes(0, bytes) };
    Ok(())
}

/// It would gain nothing.
///
/// # Safety
///
/// As for [`super::abandon`].
pub(super) unsafe fn abandon(_: NonNull<u8>, _: usize) -> Result<(), Code> {
    Ok(())
}

/// Committed pages are resident.
///
/// # Safety
///
/// As for [`super::prefault`].
pub(super) unsafe fn prefault(_: NonNull<u8>, _: usize) -> Result<(), Code> {
    Ok(())
}

/// # Safety
///
/// As for [`super::move_if_possible`].
pub(super) unsafe fn move_pages(_: NonNull<u8>, _: usize, _: usize) -> Result<NonNull<u8>, Code> {
    Err(REFUSED)
}

/// # Safety
///
/// As for [`super::release`].
pub(super) unsafe fn release(start: NonNull<u8>, bytes: usize) -> Result<(), Code> {
    unpoison(start.as_ptr(), bytes);
    // SAFETY: a reservation that was not released before, as the caller promises.
    let head = unsafe { BlockHeader::place(start) };
    // The lock is dropped: on some systems it owns memory.
    // SAFETY: written by `reserve`, and read for the last time.
    let BlockHeader { layout, front_bytes, lock: _ } = unsafe { head.read() };
    // SAFETY: the start of the block.
    let block = unsafe { start.sub(front_bytes) };
    // SAFETY: `reserve` allocated it with this layout, and it is not used again, as the caller promises.
    unsafe { System.dealloc(block.as_ptr(), layout) };
    Ok(())
}

/// # Safety
///
/// As for [`super::committed_bytes`].
pub(super) unsafe fn accessible(
    of: NonNull<u8>,
    start: NonNull<u8>,
    bytes: usize,
) -> Result<impl Iterator<Item = Result<Range<usize>, Code>>, Code> {
    // SAFETY: the contract of this function is that of the call.
    let mut bits = unsafe { BlockHeader::bits(of) };
    let first = start.addr().get();
    let pages = bits.pages(start, bytes).zip((first..).step_by(PAGE_BYTES));
    Ok(pages.filter_map(move |(page, address)| {
        // SAFETY: the range lies inside the reservation, as the caller promises.
        unsafe { bits.is_set(page) }.then_some(Ok(address..address + PAGE_BYTES))
    }))
}

/// Residency is unknown.
pub(super) fn resident_bytes(_: NonNull<u8>, _: usize) -> Result<usize, Code> {
    Err(REFUSED)
}

pub(super) fn lock(_: NonNull<u8>, _: usize) -> Result<(), Code> {
    Err(REFUSED)
}

/// No page is locked.
///
/// # Safety
///
/// As for [`super::unlock`].
pub(super) unsafe fn unlock(_: NonNull<u8>, _: usize) {}

/// Only the allocator and tests refuse calls.
pub(super) fn limit_reached(call: Call, _: usize, _: Code) -> Option<(ErrorKind, Option<u64>)> {
    let kind = match call {
        Call::Reserve => ErrorKind::AddressSpace,
        Call::Commit | Call::Decommit | Call::Discard | Call::Prefault => ErrorKind::Memory,
        Call::Lock | Call::Move | Call::Query => ErrorKind::Unsupported,
        Call::Release => return None,
    };
    Some((kind, None))
}
