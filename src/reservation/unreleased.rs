//! Ranges of addresses whose release was refused, kept until they can be released.
//!
//! It happens to a process at its limit of mappings: neighbours that are alike are one mapping to the system,
//! and to take a part out of its midst makes two. The memory is with the system by then; the addresses wait
//! here. They are tried again whenever somebody reserves or releases, which costs a load where there are none.
//!
//! Side by side they are one. There is room for [`SLOTS`] of them: what is beyond stays reserved until the
//! process ends. Windows, which releases what it has reserved as a whole, knows no such refusal.
//!
//! # Why this is sound
//!
//! A range that is here is nobody's: who put it here had it, and ended. It comes out by the exchange of its
//! slot's word for [`busy`], which one thread can do; that one has the range then, and alone writes to the
//! slot until it puts another word there. The word is exchanged with acquire and put with release, so that
//! `bytes` is what was written with it.
//!
//! Nobody waits for a slot that is busy, but passes it over: so the child of a fork cannot wait for a thread
//! that it has not got. A range that such a thread had out stays reserved in the child.

#![expect(unsafe_code, reason = "releases what nobody has")]

use crate::os;
use crate::page::PageBytes;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// So many ranges are kept.
const SLOTS: usize = 1024;

static KEPT: [Slot; SLOTS] = [const { Slot::empty() }; SLOTS];
/// How many of them hold a range: a hint.
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

    fn is_released(self) -> bool {
        // SAFETY: what nobody uses, and only its owner has a `Range` for: whole reservations, or what was
        // left of them, side by side.
        unsafe { os::release(self.start, self.bytes) }
    }
}

struct Slot {
    /// Null, [`busy`], or where the range starts.
    start: AtomicPtr<u8>,
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

    /// Puts a range here, if there is none; whether it did.
    fn put(&self, range: Range) -> bool {
        let (order, null) = (Ordering::Acquire, ptr::null_mut());
        if self.start.compare_exchange(null, busy(), order, Ordering::Relaxed).is_err() {
            return false;
        }
        self.put_back(range);
        COUNT.fetch_add(1, Ordering::Relaxed);
        true
    }

    /// Puts a range into the slot, which the caller has made busy.
    fn put_back(&self, range: Range) {
        self.bytes.store(range.bytes.get(), Ordering::Relaxed);
        self.start.store(range.start.as_ptr(), Ordering::Release);
    }

    /// Takes the range out for as long as `settle` looks at it, and for good if that has an answer.
    fn take<R>(&self, settle: impl FnOnce(Range) -> Option<R>) -> Option<R> {
        let found = self.start.load(Ordering::Relaxed);
        let start = NonNull::new(found).filter(|_| found != busy())?;
        self.start.compare_exchange(found, busy(), Ordering::Acquire, Ordering::Relaxed).ok()?;
        let bytes = PageBytes::exact(self.bytes.load(Ordering::Relaxed), os::page_size());
        let range = Range { start, bytes: bytes.expect("as it was put here") };
        let settled = settle(range);
        if settled.is_some() {
            COUNT.fetch_sub(1, Ordering::Relaxed);
            self.start.store(ptr::null_mut(), Ordering::Release);
        } else {
            self.put_back(range);
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
    let decommitted = unsafe { os::decommit_if_possible(start, bytes) };
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
    // Where all slots are taken there is no more to be done.
    let _ = KEPT.iter().any(|slot| slot.put(range));
}

/// Releases what is kept, as far as it can be.
pub(super) fn release_kept() {
    if COUNT.load(Ordering::Relaxed) > 0 {
        release_each();
    }
}

#[cold]
fn release_each() {
    for _ in 0..SLOTS {
        let slot = &KEPT[NEXT.load(Ordering::Relaxed) % SLOTS];
        let released = slot.take(|range| range.is_released().then_some(()));
        NEXT.fetch_add(1, Ordering::Relaxed);
        let is_refused = released.is_none() && !slot.start.load(Ordering::Relaxed).is_null();
        // Most likely others are refused too. The next call begins with another.
        if is_refused || COUNT.load(Ordering::Relaxed) == 0 {
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
