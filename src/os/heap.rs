//! Systems without virtual memory, and interpreters without it: a reservation is a block of the system's allocator, of
//! its full size from the beginning.
//!
//! # What holds of the contract
//!
//! - **A reservation never moves**, and begins at a multiple of [`PAGE_BYTES`]. Pages are only a unit of counting.
//! - **Inaccessibility is not enforced.** Pages that are not committed can be accessed, and hold anything. Miri reports
//!   reads of them as uninitialized, and `AddressSanitizer` reports any access: they are [poisoned](crate::poison).
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
//! A [`BlockHeader`] precedes the first page, and a bitmap of the committed pages precedes the header. [`Pages`] know the
//! start of their reservation, so no list of reservations is needed.

#![expect(clippy::unnecessary_wraps, reason = "the functions of other systems can fail")]

pub(crate) use super::absent::{
    address_limit, available_bytes, count_for_groups, forks, free_bytes, group_memory,
    locked_bytes, lower_priority, mapping_limit, variable_at_start, with_signals_left_to_others,
};
pub(super) use super::absent::{advise, huge_page_bytes, memory_limit, name_pages, offer};

use super::{Call, Code, Mapping, Pages, UnusedPages};
use crate::error::ErrorKind;
use crate::poison::{poison, unpoison};
use std::alloc::{GlobalAlloc, Layout, System};
use std::mem::MaybeUninit;
use std::ops::Range;
use std::ptr::NonNull;
use std::slice;
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
    /// The bitmap of the committed pages, which lives until the reservation is released. Locked to access it and to zero
    /// pages: two threads may commit the same pages at once.
    bits: Mutex<&'static mut [usize]>,
}

const WORD_BITS: usize = usize::BITS as usize;

/// The number of words in the bitmap of a reservation.
const fn words(bytes: usize) -> usize {
    (bytes / PAGE_BYTES).div_ceil(WORD_BITS)
}

impl BlockHeader {
    /// The layout of the block for `bytes` bytes of pages, and the size of what precedes them.
    fn layout(bytes: usize) -> Option<(Layout, usize)> {
        let front = words(bytes) * size_of::<usize>() + size_of::<Self>();
        let front = front.next_multiple_of(PAGE_BYTES);
        let layout = Layout::from_size_align(bytes.checked_add(front)?, PAGE_BYTES).ok()?;
        Some((layout, front))
    }

    /// Where the header of a reservation is: in the same block, by the layout.
    const fn place(mapping_start: NonNull<u8>) -> *mut Self {
        #[expect(
            clippy::cast_ptr_alignment,
            reason = "headers are aligned, and end where mappings begin"
        )]
        let end = mapping_start.as_ptr().cast::<Self>();
        end.wrapping_sub(1)
    }
}

/// The committed pages of a reservation, locked, and which of them a call is for.
struct PageBitmap<'m> {
    bits: MutexGuard<'m, &'static mut [usize]>,
    numbers: Range<usize>,
}

impl<'m> PageBitmap<'m> {
    fn of(pages: Pages<'m>) -> Self {
        // SAFETY: "aligned" and "initialized": `reserve` wrote a header before each mapping. (None precedes
        // `Mapping::NONE`, but that has no pages, and `Pages` makes no call without pages.) It was only shared since
        // then, and is there until the mapping is released, which is borrowed for `'m`.
        let header = unsafe { &*BlockHeader::place(pages.mapping_start()) };
        // Code that holds the lock does not panic.
        let bits = header.bits.lock().unwrap_or_else(PoisonError::into_inner);
        let first = (pages.start().addr().get() - pages.mapping_start().addr().get()) / PAGE_BYTES;
        Self { bits, numbers: first..first + pages.bytes().get() / PAGE_BYTES }
    }

    fn is_set(&self, page: usize) -> bool {
        self.bits[page / WORD_BITS] & 1 << (page % WORD_BITS) != 0
    }

    /// Sets or clears a bit, and returns whether that changed it.
    fn set(&mut self, page: usize, is_set: bool) -> bool {
        let has_changed = self.is_set(page) != is_set;
        self.bits[page / WORD_BITS] ^= usize::from(has_changed) << (page % WORD_BITS);
        has_changed
    }
}

/// Returns the start of each page.
fn starts(pages: Pages<'_>) -> impl Iterator<Item = *mut [MaybeUninit<u8>; PAGE_BYTES]> + use<> {
    let start = pages.start().as_ptr();
    (0..pages.bytes().get())
        .step_by(PAGE_BYTES)
        .map(move |offset| start.wrapping_add(offset).cast())
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
    // SAFETY: the layout has "non-zero size", since the header is part of it.
    let block = NonNull::new(unsafe { System.alloc(layout) }).ok_or(REFUSED)?;
    #[expect(clippy::cast_ptr_alignment, reason = "blocks are aligned for words")]
    let bits = block.as_ptr().cast::<usize>();
    // SAFETY: the block begins with this many words, by its layout, and it is aligned to a page.
    unsafe { bits.write_bytes(0, words(bytes)) };
    // SAFETY: "valid for reads and writes" and "initialized": the words were just zeroed. They are only reached through
    // this slice until `release` frees the block, after which it is not used.
    let bits = unsafe { slice::from_raw_parts_mut(bits, words(bytes)) };
    let start = block.as_ptr().wrapping_add(front_bytes);
    let start = NonNull::new(start).expect("inside the block");
    // SAFETY: the front of the block has room for the words and after them the header, which is aligned, since `start`
    // is aligned to a page.
    unsafe {
        BlockHeader::place(start).write(BlockHeader {
            layout,
            front_bytes,
            bits: Mutex::new(bits),
        });
    }
    poison(start.as_ptr(), bytes);
    Ok(start)
}

pub(super) fn commit(pages: Pages<'_>) -> Result<(), Code> {
    let mut bits = PageBitmap::of(pages);
    for (number, page) in bits.numbers.clone().zip(starts(pages)) {
        if bits.set(number, true) {
            unpoison(page.cast::<u8>(), PAGE_BYTES);
            // SAFETY: a page of the reservation, so "valid for writes", which was not committed, so no code uses it.
            unsafe { page.write_bytes(0, 1) };
        }
    }
    Ok(())
}

pub(super) fn decommit(pages: UnusedPages<'_>) -> Result<(), Code> {
    let mut bits = PageBitmap::of(pages.get());
    for (number, page) in bits.numbers.clone().zip(starts(pages.get())) {
        if bits.set(number, false) && cfg!(miri) {
            // So that Miri reports code that reads the page.
            // SAFETY: a page of the reservation, so "valid for writes", and no code uses it.
            unsafe { page.write([MaybeUninit::uninit(); PAGE_BYTES]) };
        }
    }
    poison(pages.get().start().as_ptr(), pages.get().bytes().get());
    Ok(())
}

pub(super) fn discard(pages: UnusedPages<'_>) -> Result<(), Code> {
    let (start, bytes) = (pages.get().start().as_ptr(), pages.get().bytes().get());
    unpoison(start, bytes);
    // SAFETY: pages of the reservation, so "valid for writes", and no code uses them.
    unsafe { start.write_bytes(0, bytes) };
    Ok(())
}

/// It would gain nothing.
pub(super) fn abandon(_: UnusedPages<'_>) -> Result<(), Code> {
    Ok(())
}

/// Committed pages are resident.
///
/// # Safety
///
/// - None.
pub(super) unsafe fn prefault(_: Pages<'_>) -> Result<(), Code> {
    Ok(())
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "as on other systems, where it ends with the call"
)]
pub(super) fn release(mapping: Mapping) -> Result<(), Mapping> {
    let start = mapping.start();
    assert!(start.addr().get() % PAGE_BYTES == 0, "`Mapping::NONE` has no header");
    unpoison(start.as_ptr(), mapping.bytes().get());
    // The lock is dropped: on some systems it owns memory.
    // SAFETY: "initialized": `reserve` made the mapping, since all others but `NONE` are whole reservations here, too,
    // and wrote the header before it. That is read for the last time: `mapping` ends here, and nothing borrows it.
    let BlockHeader { layout, front_bytes, bits: _ } = unsafe { BlockHeader::place(start).read() };
    let block = start.as_ptr().wrapping_sub(front_bytes);
    // SAFETY: "currently allocated via this allocator", by `reserve`, with "the same layout", which the header holds.
    unsafe { System.dealloc(block, layout) };
    Ok(())
}

pub(super) fn accessible(
    pages: Pages<'_>,
) -> Result<impl Iterator<Item = Result<Range<usize>, Code>>, Code> {
    let bits = PageBitmap::of(pages);
    let numbers = bits.numbers.clone().zip(pages.addresses().step_by(PAGE_BYTES));
    Ok(numbers.filter_map(move |(number, address)| {
        bits.is_set(number).then_some(Ok(address..address + PAGE_BYTES))
    }))
}

/// Residency is unknown.
pub(super) fn resident_bytes(_: NonNull<u8>, _: usize) -> Result<usize, Code> {
    Err(REFUSED)
}

pub(super) fn lock(_: Pages<'_>) -> Result<(), Code> {
    Err(REFUSED)
}

/// No page is locked.
pub(super) fn unlock(_: Pages<'_>) -> Result<(), Code> {
    Ok(())
}

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
