//! Regions that wait until the background thread, or a thread that needs memory, releases them.
//!
//! They form a list: each is [packed](Region::pack) into its own first page, with the address of the next one. A thread
//! takes the whole list, keeps the first region, and puts the others back. So no thread compares an address that may
//! have been reused meanwhile.

#![expect(unsafe_code, reason = "follows the list through the regions")]

use super::Region;
use super::pieces::{is_releasing, pause, releases_ended, releasing};
use super::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use crate::os;
use std::ptr::{self, NonNull};

static FIRST: AtomicPtr<Region> = AtomicPtr::new(ptr::null_mut());
/// How many bytes wait, or are being released.
static BYTES: AtomicUsize = AtomicUsize::new(0);
/// The process that has looked at that last.
static PROCESS: AtomicUsize = AtomicUsize::new(0);

pub(crate) fn waiting_bytes() -> usize {
    bytes().load(Ordering::Relaxed)
}

/// Returns the number of bytes, which begins anew in the child of a fork, since a thread that the child does not have may
/// have taken a part. Regions that waited at the fork are not counted there.
fn bytes() -> &'static AtomicUsize {
    let process = os::process_id();
    if PROCESS.load(Ordering::Relaxed) != process {
        BYTES.store(0, Ordering::Relaxed);
        PROCESS.store(process, Ordering::Relaxed);
    }
    &BYTES
}

/// Counts `less` bytes less.
fn released(less: usize) {
    let less = |bytes: usize| Some(bytes.saturating_sub(less));
    // The closure never returns `None`.
    let _ = bytes().fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
}

/// Whether a region waits that no thread is releasing.
pub(crate) fn are_any_waiting() -> bool {
    !FIRST.load(Ordering::Acquire).is_null()
}

/// Lets a region with at least one page wait, or returns it to be released.
pub(crate) fn wait(region: Region) -> Option<Region> {
    #[cfg(test)]
    if super::tests::is_anothers() {
        return Some(region);
    }
    add(region);
    None
}

pub(super) fn add(region: Region) {
    bytes().fetch_add(region.bytes(), Ordering::Relaxed);
    push(region);
}

/// Puts a region before those that wait.
fn push(region: Region) {
    let place = region.pack();
    let mut next = FIRST.load(Ordering::Relaxed);
    loop {
        // SAFETY: packed, and no other thread knows of it before the exchange.
        unsafe { Region::link(place, NonNull::new(next)) };
        // Release: a thread that takes the list sees what was packed.
        let put =
            FIRST.compare_exchange_weak(next, place.as_ptr(), Ordering::AcqRel, Ordering::Relaxed);
        match put {
            Ok(_) => return,
            Err(now) => next = now,
        }
    }
}

/// Takes the region that began to wait last. It stays counted.
fn take() -> Option<Region> {
    if !are_any_waiting() {
        return None;
    }
    let first = NonNull::new(FIRST.swap(ptr::null_mut(), Ordering::AcqRel))?;
    // SAFETY: packed by `push`, and this thread has taken it out of the list.
    let mut rest = unsafe { Region::next(first) };
    let (order, null) = (Ordering::AcqRel, ptr::null_mut());
    let put_back = |next: NonNull<_>| {
        FIRST.compare_exchange(null, next.as_ptr(), order, Ordering::Relaxed).is_ok()
    };
    if rest.is_some_and(put_back) {
        rest = None;
    }
    // Other threads have added some meanwhile.
    while let Some(place) = rest {
        // SAFETY: as above.
        rest = unsafe { Region::next(place) };
        // SAFETY: as above, and it is not in the list any more.
        push(unsafe { Region::unpack(place) });
    }
    // SAFETY: as above.
    Some(unsafe { Region::unpack(first) })
}

/// Releases a piece of a region that waits, and returns whether there was one. So changes of mappings by other threads
/// wait only for that.
pub(crate) fn release_waiting_piece() -> bool {
    #[cfg(test)]
    if super::tests::is_anothers() {
        return false;
    }
    release_one(|mut region| {
        let bytes = region.abandon_end();
        if bytes > 0 {
            released(bytes);
            return push(region);
        }
        release(region);
    })
}

/// Releases all regions that wait.
pub(super) fn release_waiting() {
    while release_one(release) {}
}

/// Releases all regions that wait, also those that other threads have wait meanwhile, and waits for releases in
/// progress.
pub(crate) fn drain() {
    let mut tries = 0;
    loop {
        release_waiting();
        let ended = releases_ended();
        // A thread that has taken a region may put back what is left of it between these looks, and then take it again.
        // But then a release has ended.
        if !are_any_waiting() && !is_releasing() && releases_ended() == ended {
            return;
        }
        pause(tries);
        tries = tries.saturating_add(1);
    }
}

fn release(region: Region) {
    let bytes = region.bytes();
    drop(region);
    released(bytes);
}

/// Takes a region and calls `release`. A thread that finds no region also sees that a release is in progress.
fn release_one(release: impl FnOnce(Region)) -> bool {
    are_any_waiting() && releasing(|| take().map(release).is_some())
}
