//! Ranges of addresses whose release was refused, kept until they can be released.
//!
//! It happens to a process at its limit of mappings: neighbours that are alike are one mapping to the system,
//! and to take a part out of its midst makes two. The memory is with the system by then; the addresses wait
//! here. They are tried again whenever somebody reserves or releases, which costs a load where there are none.
//!
//! What can be made inaccessible is: side by side such ranges are one. What cannot, since that splits a mapping
//! too, stays accessible and charged until it is released, but holds no memory, save for one page at most. So that it
//! does not become more and more, who wants the like [takes it](take) rather than to reserve some, and makes no more
//! of it while [there is much](count).
//!
//! There are [`SLOTS`] for ranges. Where all are taken, a range that is accessible goes into one nevertheless,
//! and what was there is written into its first page. One that is not has no page to write to: it stays reserved
//! until the process ends, and costs nothing but addresses. Windows, which releases what it has reserved as a
//! whole, knows no such refusal.
//!
//! # Why this is sound
//!
//! A range that is here is nobody's: who put it here had it, and ended. It comes out by the exchange of its
//! slot's word for [`busy`], which one thread can do; that one has the range then, and those that are written
//! down in it, and alone writes to the slot until it puts another word there. The word is exchanged with acquire
//! and put with release, so that `bytes`, and what is written in pages, is what was written with it.
//!
//! Nobody waits for a slot that is busy, but passes it over: so the child of a fork cannot wait for a thread
//! that it has not got. Ranges that such a thread had out stay reserved in the child.

#![expect(unsafe_code, reason = "releases what nobody has")]

use crate::os;
use crate::page::PageBytes;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

const SLOTS: usize = 1024;

/// What lies in the same of these goes into the same slot.
const NEIGHBOURHOOD_BYTES: usize = 64 << 20;

/// After so many refusals, most likely the others are refused too.
const MOST_TRIES: usize = 8;

static KEPT: [Slot; SLOTS] = [const { Slot::empty() }; SLOTS];
/// How many ranges they hold: a hint.
static COUNT: AtomicUsize = AtomicUsize::new(0);
/// Which is tried next.
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// A range that is ours, and that nobody uses.
#[derive(Clone, Copy, Debug)]
struct Range {
    start: NonNull<u8>,
    bytes: PageBytes,
}

impl Range {
    fn end(self) -> usize {
        self.start.addr().get() + self.bytes.get()
    }

    /// Both as one, if they lie side by side.
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
    fn page(self) -> NonNull<Written> {
        self.start.cast()
    }

    /// Writes another down in the first page; whether that can be written to.
    fn write(self, other: Written) -> bool {
        let page = PageBytes::one(os::page_size());
        // SAFETY: the range is ours, and has a page at least. Where it is accessible this changes nothing.
        let is_accessible = unsafe { os::commit_if_possible(self.start, self.start, page) };
        if is_accessible {
            // SAFETY: accessible, nobody else's, and at a page boundary.
            unsafe { self.page().write(other) };
        }
        is_accessible
    }

    fn is_released(self) -> bool {
        // SAFETY: what nobody uses, and only its owner has a `Range` for: whole reservations, or what was
        // left of them, side by side.
        unsafe { os::release(self.start, self.bytes) }
    }
}

/// What a slot holds.
#[derive(Clone, Copy, Debug)]
struct Written {
    range: Range,
    /// Whether there is another, which is written down in that one.
    is_more: bool,
}

impl Written {
    /// What is written down in the range.
    fn next(self) -> Option<Self> {
        // SAFETY: written by `Range::write`; since then the slot has had the range.
        self.is_more.then(|| unsafe { self.range.page().read() })
    }
}

struct Slot {
    /// Null, [`busy`], or where the range starts.
    start: AtomicPtr<u8>,
    /// The size of the range, which is even; and 1 more, if there is another in it.
    bytes: AtomicUsize,
}

/// What stands in a slot whose range somebody has out.
const fn busy() -> *mut u8 {
    ptr::without_provenance_mut(1)
}

impl Slot {
    const fn empty() -> Self {
        Self { start: AtomicPtr::new(ptr::null_mut()), bytes: AtomicUsize::new(0) }
    }

    /// Makes the slot busy; what was there. None, if it was busy, or empty.
    fn open(&self) -> Option<Written> {
        let found = self.start.load(Ordering::Relaxed);
        let start = NonNull::new(found).filter(|_| found != busy())?;
        self.start.compare_exchange(found, busy(), Ordering::Acquire, Ordering::Relaxed).ok()?;
        let bytes = self.bytes.load(Ordering::Relaxed);
        let whole = PageBytes::exact(bytes & !1, os::page_size()).expect("as it was put here");
        Some(Written { range: Range { start, bytes: whole }, is_more: bytes & 1 == 1 })
    }

    /// Puts something into the slot, which the caller has made busy.
    fn close(&self, written: Option<Written>) {
        let Some(Written { range, is_more }) = written else {
            return self.start.store(ptr::null_mut(), Ordering::Release);
        };
        self.bytes.store(range.bytes.get() | usize::from(is_more), Ordering::Relaxed);
        self.start.store(range.start.as_ptr(), Ordering::Release);
    }

    /// Puts a range here, if there is none; whether it did.
    fn put(&self, range: Range) -> bool {
        let (order, null) = (Ordering::Acquire, ptr::null_mut());
        if self.start.compare_exchange(null, busy(), order, Ordering::Relaxed).is_err() {
            return false;
        }
        // First, for others may take it as soon as they can.
        COUNT.fetch_add(1, Ordering::Relaxed);
        self.close(Some(Written { range, is_more: false }));
        true
    }

    /// Puts a range before what is here, if there is something, and it can be written down; whether it did.
    fn put_before(&self, range: Range) -> bool {
        let Some(found) = self.open() else { return false };
        let is_more = range.write(found);
        // As above.
        COUNT.fetch_add(usize::from(is_more), Ordering::Relaxed);
        self.close(Some(if is_more { Written { range, is_more } } else { found }));
        is_more
    }

    /// Takes a range out for as long as `settle` looks at it, and for good if that has an answer.
    fn take<R>(&self, settle: impl FnOnce(Range) -> Option<R>) -> Option<R> {
        let found = self.open()?;
        // Read before it may be released.
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

/// Releases a range, or keeps it until that can be done; its memory is with the system in any case.
///
/// # Safety
///
/// - As for [`os::release`], and nothing uses the range again, whatever becomes of it.
pub(super) unsafe fn release(start: NonNull<u8>, bytes: PageBytes) {
    let range = Range { start, bytes };
    if range.is_released() {
        return release_kept();
    }
    // Inaccessible, it may be one mapping with its neighbours, and then there is one for taking it out.
    // SAFETY: the range is ours, and nothing uses it, by the caller's promise.
    let decommitted = unsafe { os::decommit_if_possible(start, start, bytes) };
    if decommitted {
        if range.is_released() {
            return;
        }
    } else {
        // SAFETY: as above. If this is refused too, there is no call left.
        unsafe { os::abandon(start, bytes) };
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
    // Neighbours in one slot, so that they come out one after another.
    let first = range.start.addr().get() / NEIGHBOURHOOD_BYTES % SLOTS;
    let slots = KEPT[first..].iter().chain(&KEPT[..first]);
    // Where this is refused, there is no more to be done. Some may be busy.
    let _ = slots.take(MOST_TRIES).any(|slot| slot.put_before(range));
}

/// A range of so many bytes at least, and twice as many at most, if a quick look finds one. It may be accessible or
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

/// Releases what is kept, as far as it can be.
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
        // Those at an end of a mapping may be released where those in the midst of it are not.
        let is_refused = released.is_none() && !slot.start.load(Ordering::Relaxed).is_null();
        refusals += usize::from(is_refused);
        // The next call goes on behind them.
        if refusals == MOST_TRIES || count() == 0 {
            return;
        }
    }
}

/// Whether an address lies in what is kept.
#[cfg(test)]
pub(super) fn holds(address: usize) -> bool {
    KEPT.iter().any(|slot| {
        let start = slot.start.load(Ordering::Acquire).addr();
        start > 1 && (start..start + slot.bytes.load(Ordering::Relaxed)).contains(&address)
    })
}
