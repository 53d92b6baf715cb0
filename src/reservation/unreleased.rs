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

#![expect(unsafe_code, reason = "takes ranges that have no other owner")]

use crate::os::{self, Mapping};
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

/// What a slot holds.
#[derive(Debug)]
struct SlotContents {
    range: Mapping,
    /// Whether another range is written down in the first page of this one.
    is_more: bool,
}

/// Writes another range down in the first page of one. Returns it if that page is inaccessible.
fn write_down(range: &Mapping, other: SlotContents) -> Result<(), SlotContents> {
    // If the page is accessible, this changes nothing.
    if range.pages(0, PageBytes::one(os::page_size())).commit().is_err() {
        return Err(other);
    }
    // SAFETY: "valid for writes" and "properly aligned": the page is accessible, and large enough. No code uses a range
    // that waits to be released, and `range` is its owner.
    unsafe { range.start().cast::<SlotContents>().write(other) };
    Ok(())
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
        // SAFETY: `close` has stored start and size of a `Mapping` that it was given. The exchange succeeded, so only
        // this thread has it from now on.
        let range = unsafe { Mapping::from_raw(start, whole) };
        Some(SlotContents { range, is_more: bytes & 1 == 1 })
    }

    /// Stores something into the slot, which the caller has made busy.
    fn close(&self, written: Option<SlotContents>) {
        let Some(SlotContents { range, is_more }) = written else {
            return self.start.store(ptr::null_mut(), Ordering::Release);
        };
        self.bytes.store(range.bytes().get() | usize::from(is_more), Ordering::Relaxed);
        self.start.store(range.start().as_ptr(), Ordering::Release);
    }

    /// Puts a range into the slot, or returns it if the slot is not empty.
    fn put(&self, range: Mapping) -> Result<(), Mapping> {
        let (order, null) = (Ordering::Acquire, ptr::null_mut());
        if self.start.compare_exchange(null, busy(), order, Ordering::Relaxed).is_err() {
            return Err(range);
        }
        // Before the slot is filled, since another thread may then take the range.
        COUNT.fetch_add(1, Ordering::Relaxed);
        self.close(Some(SlotContents { range, is_more: false }));
        Ok(())
    }

    /// Puts a range into the slot, and writes the one that is there down in it; or returns it.
    fn put_before(&self, range: Mapping) -> Result<(), Mapping> {
        let Some(found) = self.open() else { return Err(range) };
        match write_down(&range, found) {
            Ok(()) => {
                // As in `put`.
                COUNT.fetch_add(1, Ordering::Relaxed);
                self.close(Some(SlotContents { range, is_more: true }));
                Ok(())
            }
            Err(found) => {
                self.close(Some(found));
                Err(range)
            }
        }
    }

    /// Takes the range for `settle`, and puts back what that returns as an error.
    fn take<R>(&self, settle: impl FnOnce(Mapping) -> Result<R, Mapping>) -> Option<R> {
        let SlotContents { range, is_more } = self.open()?;
        // Read now, since `settle` may release the range. If it does not, what is in the page stays the owner.
        // SAFETY: "properly initialized": if there is more, `write_down` has written it, and no code has used the page
        // since.
        let next = is_more.then(|| unsafe { range.start().cast::<SlotContents>().read() });
        match settle(range) {
            Ok(settled) => {
                COUNT.fetch_sub(1, Ordering::Relaxed);
                self.close(next);
                Some(settled)
            }
            Err(range) => {
                self.close(Some(SlotContents { range, is_more }));
                None
            }
        }
    }
}

/// Releases a range that is not in use, or keeps it until that is possible. Its memory is returned in any case.
pub(super) fn release(range: Mapping) {
    if range.bytes() == PageBytes::ZERO {
        return;
    }
    let Err(mut range) = range.release() else { return release_kept() };
    // Once inaccessible, it may merge with its neighbours, which leaves a mapping for taking it out again.
    if range.unused().decommit().is_ok() {
        let Err(refused) = range.release() else { return };
        range = refused;
    } else {
        // If this is refused, too, no other call is left.
        let _ = range.unused().abandon();
    }
    if os::RELEASES_PARTS {
        keep(range);
    }
}

fn keep(mut range: Mapping) {
    while KEPT.iter().any(|slot| slot.take(|other| range.absorb(other)).is_some()) {}
    for slot in &KEPT {
        let Err(refused) = slot.put(range) else { return };
        range = refused;
    }
    // Neighbours go into one slot, so that they are released one after another.
    let first = range.start().addr().get() / NEIGHBOURHOOD_BYTES % SLOTS;
    // Some slots may be busy. If all refuse, nothing more can be done.
    for slot in KEPT[first..].iter().chain(&KEPT[..first]).take(MOST_TRIES) {
        let Err(refused) = slot.put_before(range) else { return };
        range = refused;
    }
}

/// Takes a range of at least `bytes` and at most twice as many, if a quick search finds one. It may be accessible or
/// not, and hold anything.
pub(super) fn take(bytes: PageBytes) -> Option<Mapping> {
    let fits = |range: Mapping| {
        let is_fit = range.bytes() >= bytes && range.bytes().get() / 2 <= bytes.get();
        if is_fit { Ok(range) } else { Err(range) }
    };
    if count() == 0 {
        return None;
    }
    (0..MOST_TRIES).find_map(|_| KEPT[NEXT.fetch_add(1, Ordering::Relaxed) % SLOTS].take(fits))
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
        let released = slot.take(Mapping::release);
        // Ranges at the end of a mapping may be released although those in the middle are not.
        let is_refused = released.is_none() && !slot.start.load(Ordering::Relaxed).is_null();
        refusals += usize::from(is_refused);
        // The next call continues after these.
        if refusals == MOST_TRIES || count() == 0 {
            return;
        }
    }
}

#[cfg(test)]
mod tests;

/// Whether an address lies in a kept range.
#[cfg(test)]
pub(super) fn holds(address: usize) -> bool {
    KEPT.iter().any(|slot| {
        let start = slot.start.load(Ordering::Acquire).addr();
        start > 1 && (start..start + slot.bytes.load(Ordering::Relaxed)).contains(&address)
    })
}
