//! Systems without virtual memory that we know, and interpreters that have none: a reservation is a block of the
//! system's allocator, of its full size from the beginning on.
//!
//! # What holds of the contract
//!
//! - **It never moves**, and begins at a multiple of [`PAGE_BYTES`]. What a page is, is a matter of counting here.
//! - **Inaccessible is not enforced.** Who reads or writes pages that are not committed is not stopped, and reads
//!   anything. (Miri tells: to it they are uninitialised. And so does `AddressSanitizer`: they are [poisoned](crate::poison).)
//! - **Nothing is touched before it is committed**: then it is zeroed, where it was not committed before. To ask
//!   for zeroed memory at once would be to write to all of it, by most allocators, and in a browser, where
//!   memory is had by touching it, to have all of it.
//!   (What WebAssembly's memory grows by is zero already, and is zeroed again: no allocator tells which of a block is
//!   fresh. By Node, to reserve 16 MiB takes 0.05 ms and makes nothing resident; to commit them takes 9.5 ms, and 0.8 ms,
//!   which is what zeroing costs, where they were resident before.)
//! - **Nothing is handed back** before the whole is released. What was decommitted, or discarded, stays with the
//!   process. There is no charge but that of the block.
//! - What is committed was written to, and so is resident, if anything is: there is nothing left to prefault.
//!
//! # Which allocator
//!
//! [`System`], which no program can replace. That of the program may stand on what this is for
//! ([`GlobalVm`](crate::alloc::GlobalVm) does, elsewhere), and would come here again from within.
//! Where the program has no other, they are the same.
//!
//! # How it is done
//!
//! In front of the first page stands a [`Head`], and in front of that a bit for each page, whether it is committed.
//! So callers say to which reservation pages belong, and nothing is known of all reservations together.

#![expect(clippy::unnecessary_wraps, reason = "its siblings are refused what it is not")]

pub(crate) use super::absent::{
    address_limit, available_bytes, forks, locked_bytes, lower_priority, mapping_limit,
    with_signals_left_to_others,
};
pub(super) use super::absent::{advise_huge, huge_page_bytes};

use super::{Call, Code};
use crate::error::ErrorKind;
use crate::poison::{poison, unpoison};
use std::alloc::{GlobalAlloc, Layout, System};
use std::mem::MaybeUninit;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// No system is asked, so there is no code of one: [`limit_behind`] explains by the call.
const REFUSED: Code = 0;

/// What a call that `fault` refuses answers: another, so that tests see it.
#[cfg(test)]
pub(super) const NO_MEMORY: Code = 12;

const PAGE_BYTES: usize = 4096;

/// What is known of a reservation, right in front of it.
struct Head {
    /// That of the block, which begins with the bits.
    layout: Layout,
    /// From the beginning of the block to the first page.
    front_bytes: usize,
    /// Who has this may look at the bits, and zero pages: two may commit the same ones at once.
    lock: Mutex<()>,
}

const WORD_BITS: usize = usize::BITS as usize;

impl Head {
    /// The block for so many bytes of pages, and what is in front of them.
    fn layout(bytes: usize) -> Option<(Layout, usize)> {
        let words = (bytes / PAGE_BYTES).div_ceil(WORD_BITS);
        let front = words * size_of::<usize>() + size_of::<Self>();
        let front = front.next_multiple_of(PAGE_BYTES);
        let layout = Layout::from_size_align(bytes.checked_add(front)?, PAGE_BYTES).ok()?;
        Some((layout, front))
    }

    /// Where that of a reservation is.
    ///
    /// # Safety
    ///
    /// - The reservation is one that [`reserve`] gave, and that was not released.
    unsafe fn place(of: NonNull<u8>) -> NonNull<Self> {
        // SAFETY: the front is larger than it, and in the same block.
        unsafe { of.cast::<Self>().sub(1) }
    }

    /// The bits of a reservation, for as long as nobody else has them.
    ///
    /// # Safety
    ///
    /// - As for [`place`](Self::place), as long as what is returned lives.
    unsafe fn bits<'a>(of: NonNull<u8>) -> Bits<'a> {
        // SAFETY: the caller's promise is the same.
        let head = unsafe { Self::place(of) };
        // SAFETY: written by `reserve`; it is shared from then on.
        let head = unsafe { head.as_ref() };
        // SAFETY: the beginning of the block, which is so much in front.
        let words = unsafe { of.sub(head.front_bytes) }.cast();
        // Nothing in here panics while it is locked.
        let lock = head.lock.lock().unwrap_or_else(PoisonError::into_inner);
        Bits { first_page: of.addr().get(), words, _lock: lock }
    }
}

/// Which pages of a reservation are committed.
struct Bits<'a> {
    first_page: usize,
    words: NonNull<usize>,
    _lock: MutexGuard<'a, ()>,
}

impl Bits<'_> {
    /// The numbers of the pages in a range of the reservation.
    fn pages(&self, start: NonNull<u8>, bytes: usize) -> Range<usize> {
        let first = (start.addr().get() - self.first_page) / PAGE_BYTES;
        first..first + bytes / PAGE_BYTES
    }

    /// The word that has a page's bit, and the bit.
    ///
    /// # Safety
    ///
    /// - The reservation has such a page.
    unsafe fn word(&mut self, page: usize) -> (&mut usize, usize) {
        // SAFETY: there is a bit for each page.
        let mut word = unsafe { self.words.add(page / WORD_BITS) };
        // SAFETY: a word at the beginning of the block, written by `reserve`; who has the lock has it alone.
        (unsafe { word.as_mut() }, 1 << (page % WORD_BITS))
    }

    /// # Safety
    ///
    /// - As for [`word`](Self::word).
    unsafe fn is_set(&mut self, page: usize) -> bool {
        // SAFETY: the caller's promise is the same.
        let (word, bit) = unsafe { self.word(page) };
        *word & bit != 0
    }

    /// Sets a bit, or clears it; whether that changed it.
    ///
    /// # Safety
    ///
    /// - As for [`word`](Self::word).
    unsafe fn set(&mut self, page: usize, is_set: bool) -> bool {
        // SAFETY: the caller's promise is the same.
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

/// There is no clock that all of them have. Nothing is kept here until it is old.
pub(crate) fn now_ms() -> u32 {
    0
}

pub(super) fn reserve(bytes: usize) -> Result<NonNull<u8>, Code> {
    let (layout, front_bytes) = Head::layout(bytes).ok_or(REFUSED)?;
    // SAFETY: the front is never empty.
    let block = NonNull::new(unsafe { System.alloc(layout) }).ok_or(REFUSED)?;
    let words = (bytes / PAGE_BYTES).div_ceil(WORD_BITS);
    // SAFETY: the block begins with so many words, at a multiple of a page, and is not used yet.
    unsafe { block.cast::<usize>().write_bytes(0, words) };
    // SAFETY: the front lies in the block, and so does what is behind it.
    let start = unsafe { block.add(front_bytes) };
    // SAFETY: what `start` points to is a reservation, whose head is about to be written.
    let head = unsafe { Head::place(start) };
    // SAFETY: in the front, behind the words; a page is aligned for it, and so is whatever lies a whole number of
    // them before one.
    unsafe { head.write(Head { layout, front_bytes, lock: Mutex::new(()) }) };
    poison(start.as_ptr(), bytes);
    Ok(start)
}

/// # Safety
///
/// As for [`super::commit`].
pub(super) unsafe fn commit(of: NonNull<u8>, start: NonNull<u8>, bytes: usize) -> Result<(), Code> {
    // SAFETY: the caller's promise is the same.
    let mut bits = unsafe { Head::bits(of) };
    for (page, offset) in bits.pages(start, bytes).zip((0..).step_by(PAGE_BYTES)) {
        // SAFETY: the range lies inside the reservation, by the caller's promise.
        if unsafe { bits.set(page, true) } {
            // SAFETY: the same.
            let place = unsafe { start.add(offset) };
            unpoison(place.as_ptr(), PAGE_BYTES);
            // SAFETY: a page of the reservation that was not committed, so nobody uses it.
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
    // SAFETY: the caller's promise is the same.
    let mut bits = unsafe { Head::bits(of) };
    for (page, offset) in bits.pages(start, bytes).zip((0..).step_by(PAGE_BYTES)) {
        // SAFETY: the range lies inside the reservation, by the caller's promise.
        let was_committed = unsafe { bits.set(page, false) };
        if cfg!(miri) && was_committed {
            // SAFETY: the same.
            let place = unsafe { start.add(offset) }.cast::<[MaybeUninit<u8>; PAGE_BYTES]>();
            // So that it tells who reads there.
            // SAFETY: a page that nobody uses, by the caller's promise.
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
    // SAFETY: committed, and not used, by the caller's promise.
    unsafe { start.write_bytes(0, bytes) };
    Ok(())
}

/// There is nothing to be gained by it.
///
/// # Safety
///
/// As for [`super::abandon`].
pub(super) unsafe fn abandon(_: NonNull<u8>, _: usize) -> Result<(), Code> {
    Ok(())
}

/// It was done when they were committed.
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
    // SAFETY: a reservation that ends here, by the caller's promise.
    let head = unsafe { Head::place(start) };
    // The lock is dropped: some systems have memory for one.
    // SAFETY: written by `reserve`, and read for the last time.
    let Head { layout, front_bytes, lock: _ } = unsafe { head.read() };
    // SAFETY: the beginning of the block.
    let block = unsafe { start.sub(front_bytes) };
    // SAFETY: allocated by `reserve`, by that layout; nothing uses it any more.
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
    // SAFETY: the caller's promise is the same.
    let mut bits = unsafe { Head::bits(of) };
    let first = start.addr().get();
    let pages = bits.pages(start, bytes).zip((first..).step_by(PAGE_BYTES));
    Ok(pages.filter_map(move |(page, address)| {
        // SAFETY: the range lies inside the reservation, by the caller's promise.
        unsafe { bits.is_set(page) }.then_some(Ok(address..address + PAGE_BYTES))
    }))
}

/// Nobody tells.
pub(super) fn resident_bytes(_: NonNull<u8>, _: usize) -> Result<usize, Code> {
    Err(REFUSED)
}

pub(super) fn lock(_: NonNull<u8>, _: usize) -> Result<(), Code> {
    Err(REFUSED)
}

/// Nothing is locked.
///
/// # Safety
///
/// As for [`super::unlock`].
pub(super) unsafe fn unlock(_: NonNull<u8>, _: usize) {}

/// Only the allocator refuses, and tests do.
pub(super) fn limit_behind(call: Call, _: usize, _: Code) -> Option<(ErrorKind, Option<u64>)> {
    let kind = match call {
        Call::Reserve => ErrorKind::AddressSpace,
        Call::Commit | Call::Decommit | Call::Discard | Call::Prefault => ErrorKind::Memory,
        Call::Lock | Call::Move | Call::Query => ErrorKind::Unsupported,
        Call::Release => return None,
    };
    Some((kind, None))
}
