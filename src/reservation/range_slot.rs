//! [`RangeSlot`]: a place for ranges of addresses whose release was refused, from which any thread may take them.
//!
//! It knows ranges only as values that their owners move: `loom/` runs the interleavings of this file over its own.
//!
//! # Soundness
//!
//! A range that is in a slot has no other owner: the owner that put it there has ended. It is taken by exchanging the
//! word of the slot for [`busy`], in which one thread succeeds. That thread owns the range, and those written down in
//! it, and alone accesses `bytes` until it stores another word. The word is exchanged with acquire and stored with
//! release ordering, so `bytes` and the contents of pages are those written with it. This includes the exchange for an
//! empty slot, and the store that empties one: without them, `bytes` could change before the thread that has taken the
//! previous range has read it.
//!
//! No thread waits for a busy slot; it is skipped. So the child of a fork cannot wait for a thread that it does not
//! have. Ranges that such a thread had taken stay reserved in the child.

#![expect(unsafe_code, reason = "takes ranges that have no other owner")]

use super::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use super::unreleased::COUNT;
use crate::os::{self, Mapping};
use crate::page::PageBytes;
use std::ptr::{self, NonNull};

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

/// A place for one range, in which others can be written down.
pub(super) struct RangeSlot {
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
    pub(super) const fn empty() -> Self {
        Self { start: AtomicPtr::new(ptr::null_mut()), bytes: AtomicUsize::new(0) }
    }

    /// Makes the slot busy, and returns what was there. `None` if it was busy or empty.
    fn open(&self) -> Option<SlotContents> {
        let found = self.start.load(Ordering::Relaxed);
        if found.is_null() || found == busy() {
            return None;
        }
        let found = self
            .start
            .compare_exchange(found, busy(), Ordering::Acquire, Ordering::Relaxed)
            .ok()?;
        let start = NonNull::new(found)?;
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
    pub(super) fn put(&self, range: Mapping) -> Result<(), Mapping> {
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
    pub(super) fn put_before(&self, range: Mapping) -> Result<(), Mapping> {
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
    pub(super) fn take<R>(&self, settle: impl FnOnce(Mapping) -> Result<R, Mapping>) -> Option<R> {
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
    /// Whether nothing is in the slot. Another thread may change that at any time.
    pub(super) fn is_empty(&self) -> bool {
        self.start.load(Ordering::Relaxed).is_null()
    }

    /// Whether an address lies in the range of the slot.
    #[cfg(test)]
    pub(super) fn holds(&self, address: usize) -> bool {
        let start = self.start.load(Ordering::Acquire).addr();
        start > 1 && (start..start + self.bytes.load(Ordering::Relaxed)).contains(&address)
    }
}
