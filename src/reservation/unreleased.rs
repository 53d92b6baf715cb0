//! Ranges of addresses whose release was refused, kept until they can be released.
//!
//! This happens to a process at its limit of mappings: adjacent ranges with equal access are one mapping to the system,
//! and removing a part from its middle makes two. Their memory has been returned; the addresses wait here. Each
//! reservation and each release tries again, which costs one load if there are no such ranges.
//!
//! Ranges are made inaccessible if possible, since adjacent ones are then one mapping. A range for which this is
//! refused, because it also splits a mapping, stays accessible and charged until it is released, but has no memory
//! except for one page at most. To keep their number low, code that needs such a range [takes one](take) rather than
//! reserving, and makes no new ones while there are [many](count).
//!
//! There are [`SLOTS`] slots. If all are full, an accessible range replaces the range in a slot, and the description of
//! the replaced range is written into the first page of the new one. An inaccessible range has no page to write to: it
//! stays reserved until the process ends, and costs only addresses. Windows releases whole reservations only, and never
//! refuses.
//!
//! # Soundness
//!
//! A range that is here has no other owner: the owner that put it here has ended. It is taken by exchanging the word of
//! its slot for [`busy`], in which one thread succeeds. That thread owns the range, and those written down in it, and
//! alone writes to the slot until it stores another word. The word is exchanged with acquire and stored with release
//! ordering, so `bytes` and the contents of pages are those written with it.
//!
//! No thread waits for a busy slot; it is skipped. So the child of a fork cannot wait for a thread that it does not
//! have. Ranges that such a thread had taken stay reserved in the child.

#![expect(unsafe_code, reason = "releases ranges that have no other owner")]

use crate::os;
use crate::page::PageBytes;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

const SLOTS: usize = 1024;

/// Ranges in the same neighbourhood of this size go into the same slot.
const NEIGHBOURHOOD_BYTES: usize = 64 << 20;

/// After this many refusals, the others are most likely refused, too.
const MOST_TRIES: usize = 8;

static KEPT: [RangeSlot; SLOTS] = [const { RangeSlot::empty() }; SLOTS];
/// How many ranges there are: a hint.
static COUNT: AtomicUsize = AtomicUsize::new(0);
/// The slot that is tried next.
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// A range that is owned here and not in use.
#[derive(Clone, Copy, Debug)]
struct Range {
    start: NonNull<u8>,
    bytes: PageBytes,
}

impl Range {
    fn end(self) -> usize {
        self.start.addr().get() + self.bytes.get()
    }

    /// Returns both ranges as one, if they are adjacent.
    fn joined(self, other: Self) -> Option<Self> {
        let bytes = self.bytes.checked_add(other.bytes)?;
        if self.end() == other.start.addr().get() {
            Some(Self { bytes, ..self })
        } else if other.end() == self.start.addr().get() {
            Some(Self { bytes, ..other })
        } else {
            None
        }
    }

    /// Where another range is written down.
    fn page(self) -> NonNull<SlotContents> {
        self.start.cast()
    }

    /// Writes another range down in the first page. Returns `false` if that is inaccessible.
    fn write(self, other: SlotContents) -> bool {
        let page = PageBytes::one(os::page_size());
        // SAFETY: the range is owned, and has at least a page. If it is accessible, this changes nothing.
        let is_accessible = unsafe { os::commit(self.start, self.start, page) }.is_ok();
        if is_accessible {
            // SAFETY: accessible, owned, and aligned to a page, which is large enough.
            unsafe { self.page().write(other) };
        }
        is_accessible
    }

    fn is_released(self) -> bool {
        // SAFETY: a `Range` is owned and not in use. It consists of whole reservations, or of what is left of them,
        // that are adjacent.
        unsafe { os::release(self.start, self.bytes) }
    }
}

/// What a slot holds.
#[derive(Clone, Copy, Debug)]
struct SlotContents {
    range: Range,
    /// Whether another range is written down in this one.
    is_more: bool,
}

impl SlotContents {
    /// Returns what is written down in the range.
    fn next(self) -> Option<Self> {
        // SAFETY: `Range::write` wrote it, and the range has been in the slot since.
        self.is_more.then(|| unsafe { self.range.page().read() })
    }
}

struct RangeSlot {
    /// Null, [`busy`], or the start of the range.
    start: AtomicPtr<u8>,
    /// The size of the range, which is even, plus 1 if another range is written down in it.
    bytes: AtomicUsize,
}

/// The word of a slot whose range a thread has taken.
const fn busy() -> *mut u8 {
    ptr::without_provenance_mut(1)
}

impl RangeSlot {
    const fn empty() -> Self {
        Self { start: AtomicPtr::new(ptr::null_mut()), bytes: AtomicUsize::new(0) }
    }

    /// Makes the slot busy, and returns what was there. `None` if it was busy or empty.
    fn open(&self) -> Option<SlotContents> {
        let found = self.start.load(Ordering::Relaxed);
        let start = NonNull::new(found).filter(|_| found != busy())?;
        self.start.compare_exchange(found, busy(), Ordering::Acquire, Ordering::Relaxed).ok()?;
        let bytes = self.bytes.load(Ordering::Relaxed);
        let whole =
            PageBytes::exact(bytes & !1, os::page_size()).expect("sizes are stored as whole pages");
        Some(SlotContents { range: Range { start, bytes: whole }, is_more: bytes & 1 == 1 })
    }

    /// Stores something into the slot, which the caller has made busy.
    fn close(&self, written: Option<SlotContents>) {
        let Some(SlotContents { range, is_more }) = written else {
            return self.start.store(ptr::null_mut(), Ordering::Release);
        };
        self.bytes.store(range.bytes.get() | usize::from(is_more), Ordering::Relaxed);
        self.start.store(range.start.as_ptr(), Ordering::Release);
    }

    /// Puts a range into the slot if it is empty, and returns whether it was.
    fn put(&self, range: Range) -> bool {
        let (order, null) = (Ordering::Acquire, ptr::null_mut());
        if self.start.compare_exchange(null, busy(), order, Ordering::Relaxed).is_err() {
            return false;
        }
        // Before the slot is filled, since another thread may then take the range.
        COUNT.fetch_add(1, Ordering::Relaxed);
        self.close(Some(SlotContents { range, is_more: false }));
        true
    }

    /// Puts a range into the slot, and writes the one that is there down in it. Returns whether that was possible.
    fn put_before(&self, range: Range) -> bool {
        let Some(found) = self.open() else { return false };
        let is_more = range.write(found);
        // As in `put`.
        COUNT.fetch_add(usize::from(is_more), Ordering::Relaxed);
        self.close(Some(if is_more { SlotContents { range, is_more } } else { found }));
        is_more
    }

    /// Takes the range while `settle` inspects it, and permanently if that returns something.
    fn take<R>(&self, settle: impl FnOnce(Range) -> Option<R>) -> Option<R> {
        let found = self.open()?;
        // Read now, since `settle` may release the range.
        let next = found.next();
        let settled = settle(found.range);
        if settled.is_some() {
            COUNT.fetch_sub(1, Ordering::Relaxed);
            self.close(next);
        } else {
            self.close(Some(found));
        }
        settled
    }
}

/// Releases a range, or keeps it until that is possible. Its memory is returned in any case.
///
/// # Safety
///
/// - The conditions of [`os::release`]. The range is not used again, even if it is kept.
pub(super) unsafe fn release(start: NonNull<u8>, bytes: PageBytes) {
    let range = Range { start, bytes };
    if range.is_released() {
        return release_kept();
    }
    // Once inaccessible, it may merge with its neighbours, which leaves a mapping for taking it out again.
    // SAFETY: the range is owned and not in use, as the caller promises.
    let decommitted = unsafe { os::decommit(start, start, bytes) };
    if decommitted.is_ok() {
        if range.is_released() {
            return;
        }
    } else {
        // SAFETY: as above. If this is refused, too, no other call is left.
        let _ = unsafe { os::abandon(start, bytes) };
    }
    if os::RELEASES_PARTS {
        keep(range);
    }
}

fn keep(mut range: Range) {
    while let Some(joined) = KEPT.iter().find_map(|slot| slot.take(|other| range.joined(other))) {
        range = joined;
    }
    if KEPT.iter().any(|slot| slot.put(range)) {
        return;
    }
    // Neighbours go into one slot, so that they are released one after another.
    let first = range.start.addr().get() / NEIGHBOURHOOD_BYTES % SLOTS;
    let slots = KEPT[first..].iter().chain(&KEPT[..first]);
    // If this is refused, nothing more can be done. Some slots may be busy.
    let _ = slots.take(MOST_TRIES).any(|slot| slot.put_before(range));
}

/// Takes a range of at least `bytes` and at most twice as many, if a quick search finds one. It may be accessible or
/// not, and hold anything.
pub(super) fn take(bytes: PageBytes) -> Option<(NonNull<u8>, PageBytes)> {
    let fits = |range: &Range| range.bytes >= bytes && range.bytes.get() / 2 <= bytes.get();
    let take = |_| {
        let slot = &KEPT[NEXT.fetch_add(1, Ordering::Relaxed) % SLOTS];
        slot.take(|range| Some(range).filter(fits))
    };
    if count() == 0 {
        return None;
    }
    (0..MOST_TRIES).find_map(take).map(|range| (range.start, range.bytes))
}

/// How many ranges are kept: a hint.
pub(super) fn count() -> usize {
    COUNT.load(Ordering::Relaxed)
}

/// Releases kept ranges, as far as possible.
pub(super) fn release_kept() {
    if count() > 0 {
        release_each();
    }
}

#[cold]
fn release_each() {
    let mut refusals = 0;
    for _ in 0..SLOTS {
        let slot = &KEPT[NEXT.fetch_add(1, Ordering::Relaxed) % SLOTS];
        let released = slot.take(|range| range.is_released().then_some(()));
        // Ranges at the end of a mapping may be released although those in the middle are not.
        let is_refused = released.is_none() && !slot.start.load(Ordering::Relaxed).is_null();
        refusals += usize::from(is_refused);
        // The next call continues after these.
        if refusals == MOST_TRIES || count() == 0 {
            return;
        }
    }
}

/// Whether an address lies in a kept range.
#[cfg(test)]
pub(super) fn holds(address: usize) -> bool {
    KEPT.iter().any(|slot| {
        let start = slot.start.load(Ordering::Acquire).addr();
        start > 1 && (start..start + slot.bytes.load(Ordering::Relaxed)).contains(&address)
    })
}
