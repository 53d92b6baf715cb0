//! [`Places`]: which thread may write to which place, and which places may be read.
//!
//! This file handles only numbers, neither elements nor memory, so that `loom/` can run it over its own atomics. The
//! source of the [module](super) says what it guarantees and why.
//!
//! # Invariants
//!
//! - A number that was claimed is below `committed`, as the claiming thread saw by acquire or with the growth lock held.
//!   No other thread claims it before [`Places::restore`].
//! - The first `flagged` flags from `flags` on are initialized, exist until [`Places::withdraw`], and are accessed only
//!   atomically; [`Places::set_memory`] has this promised. A thread that has read `flagged` by acquire sees them.

#![expect(unsafe_code, reason = "reads and writes flags through a pointer")]

use super::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicUsize, Ordering};
use crate::error::Error;
use std::mem;
use std::ops::Range;
use std::ptr;
use std::slice;

/// How many places are published before a thread raises the hint.
pub(super) const RUN: usize = 64;

const EMPTY: u8 = 0;
const PUBLISHED: u8 = 1;

/// Aligned so that it shares no cache line with other data, even on processors that fetch two lines of 64 bytes at a
/// time or that have lines of 128.
#[repr(align(128))]
pub(super) struct CachePadded<T>(T);

/// The places of an array that several threads share. A map has no flags: its slots have states.
pub(super) struct Places {
    read_mostly: CachePadded<ReadMostly>,
    /// The next place. If it is past `committed`, the difference is the number of tickets in use that are void or have
    /// no memory yet.
    tail: CachePadded<AtomicUsize>,
    prefix: CachePadded<Prefix>,
    /// Whether void tickets are in use. Changed only with the growth lock held.
    is_closed: CachePadded<AtomicBool>,
}

/// What all threads read, and what changes only when memory is taken.
struct ReadMostly {
    /// Places below this can be claimed without the growth lock. It is `committed`, or 0 if memory must be taken first.
    open: AtomicUsize,
    /// How many places have memory. Never lowered while the array is shared.
    committed: AtomicUsize,
    /// Once a place from here on is filled, memory is taken ahead.
    ahead_from: AtomicUsize,
    start: AtomicPtr<u8>,
    /// One flag for each of the first `flagged` places, zero until it is set.
    flags: AtomicPtr<AtomicU8>,
    flagged: AtomicUsize,
    /// Flags below this one have not been set since they were zero. Changed only through `&mut`.
    unset: usize,
}

/// Where the prefix of published places ends.
struct Prefix {
    /// A lower bound.
    hint: AtomicUsize,
    /// Whether a thread is about to raise it.
    is_scanned: AtomicBool,
}

/// What a thread that is about to push has claimed.
pub(super) enum Claim {
    /// A place, which belongs to this thread alone.
    Place(usize),
    /// A place that had no memory when the thread looked. With the growth lock it gets memory or is returned.
    Ticket(usize),
    /// Nothing: this many consecutive places must be claimed with the growth lock.
    Next(usize),
    /// Nothing: this place, and no other, must be claimed with the growth lock.
    Exactly(usize),
}

/// The result of taking memory.
pub(super) struct Grown {
    pub(super) committed: usize,
    pub(super) refused: Option<Error>,
}

/// Why no place was claimed.
pub(super) enum Refusal {
    /// Memory was refused to this thread.
    Memory(Error),
    /// Memory has just been refused to another thread, and void tickets are still in use.
    Closed,
}

/// Returns a ticket, or reopens the array, if taking memory unwinds.
struct Unwinding<'p> {
    places: &'p Places,
    has_ticket: bool,
}

impl Drop for Unwinding<'_> {
    fn drop(&mut self) {
        if self.has_ticket {
            self.places.give_back();
        } else {
            self.places.reopen();
        }
    }
}

impl Places {
    /// Creates places of which `committed` have memory: 0 if they have flags.
    pub(super) const fn new(committed: usize) -> Self {
        Self {
            read_mostly: CachePadded(ReadMostly {
                open: AtomicUsize::new(0),
                committed: AtomicUsize::new(committed),
                ahead_from: AtomicUsize::new(usize::MAX),
                start: AtomicPtr::new(ptr::null_mut()),
                flags: AtomicPtr::new(ptr::dangling_mut()),
                flagged: AtomicUsize::new(0),
                unset: 0,
            }),
            tail: CachePadded(AtomicUsize::new(0)),
            prefix: CachePadded(Prefix {
                hint: AtomicUsize::new(0),
                is_scanned: AtomicBool::new(false),
            }),
            is_closed: CachePadded(AtomicBool::new(false)),
        }
    }

    /// Returns the address of the elements, as [set](Self::set_memory) before the caller claimed its place.
    #[inline]
    pub(super) fn start(&self) -> *mut u8 {
        self.read_mostly.0.start.load(Ordering::Relaxed)
    }

    #[inline]
    pub(super) fn claim(&self) -> Claim {
        let open = self.read_mostly.0.open.load(Ordering::Acquire);
        if open == 0 {
            return Claim::Next(1);
        }
        let ticket = self.tail.0.fetch_add(1, Ordering::Relaxed);
        if ticket < open { Claim::Place(ticket) } else { Claim::Ticket(ticket) }
    }

    /// Claims the next `count` consecutive places.
    #[inline]
    pub(super) fn claim_many(&self, count: usize) -> Claim {
        let open = self.read_mostly.0.open.load(Ordering::Acquire);
        self.claim_within(count, open).map_or(Claim::Next(count), Claim::Place)
    }

    /// Claims a place if it is the next one, and returns whether it was; or returns what to claim with the growth lock.
    #[inline]
    pub(super) fn claim_exactly(&self, place: usize) -> Result<bool, Claim> {
        let open = self.read_mostly.0.open.load(Ordering::Acquire);
        if place >= open { Err(Claim::Exactly(place)) } else { Ok(self.take_if_next(place)) }
    }

    fn take_if_next(&self, place: usize) -> bool {
        let order = Ordering::Relaxed;
        self.tail.0.compare_exchange(place, place + 1, order, order).is_ok()
    }

    /// Claims `count` consecutive places if all of them lie below `end`. Never makes a void ticket, however large
    /// `count` is.
    fn claim_within(&self, count: usize, end: usize) -> Option<usize> {
        let order = Ordering::Relaxed;
        let mut first = self.tail.0.load(order);
        while first < end && count <= end - first {
            match self.tail.0.compare_exchange_weak(first, first + count, order, order) {
                Ok(_) => return Some(first),
                Err(now) => first = now,
            }
        }
        None
    }

    /// Completes a claim with the growth lock, which the caller must hold; `grow` makes memory for the given number of
    /// places. Returns the place; `None` if [exactly](Claim::Exactly) one place was to be claimed and it is not the
    /// next one.
    pub(super) fn claim_locked(
        &self,
        claim: &Claim,
        grow: &mut dyn FnMut(usize) -> Grown,
    ) -> Result<Option<usize>, Refusal> {
        loop {
            let committed = self.read_mostly.0.committed.load(Ordering::Relaxed);
            let need = match *claim {
                Claim::Place(place) => return Ok(Some(place)),
                Claim::Ticket(ticket) if ticket < committed => return Ok(Some(ticket)),
                Claim::Ticket(ticket) => ticket + 1,
                Claim::Next(count) => {
                    if let Some(first) = self.claim_within(count, committed) {
                        return Ok(Some(first));
                    }
                    self.claimed().saturating_add(count)
                }
                Claim::Exactly(place) if self.claimed() != place => return Ok(None),
                Claim::Exactly(place) if place < committed => {
                    return Ok(self.take_if_next(place).then_some(place));
                }
                Claim::Exactly(place) => place.saturating_add(1),
            };
            let has_ticket = matches!(claim, Claim::Ticket(_));
            if self.is_closed() {
                if has_ticket {
                    self.give_back();
                }
                return Err(Refusal::Closed);
            }
            // No thread needs to take a ticket that may turn out to be void.
            if self.claimed() >= committed {
                self.read_mostly.0.open.store(0, Ordering::Relaxed);
            }
            let unwinding = Unwinding { places: self, has_ticket };
            let grown = grow(need);
            mem::forget(unwinding);
            // If places were left, a call of this thread out of `grow` may have closed the array. Then this has no effect,
            // and the next round refuses.
            self.raise_committed(grown.committed);
            // What was refused may not have been needed: a ticket below `committed` is a place now, and is not void.
            let is_enough = self.read_mostly.0.committed.load(Ordering::Relaxed) >= need;
            if let Some(error) = grown.refused.filter(|_| !is_enough) {
                if has_ticket {
                    self.give_back();
                } else {
                    self.reopen();
                }
                return Err(Refusal::Memory(error));
            }
        }
    }

    /// [`claim_locked`](Self::claim_locked) for a call out of one that holds the growth lock. Takes no memory.
    pub(super) fn claim_again(&self, claim: &Claim) -> Option<usize> {
        match *claim {
            Claim::Ticket(ticket)
                if ticket < self.read_mostly.0.committed.load(Ordering::Relaxed) =>
            {
                Some(ticket)
            }
            Claim::Ticket(_) => {
                self.give_back();
                None
            }
            _ => None,
        }
    }

    /// Completes a claim if the growth lock will never be free again, as in the child of a fork, without taking memory.
    /// Otherwise makes no more tickets, since nothing would return them.
    pub(super) fn abandon(&self, claim: &Claim) -> Option<usize> {
        let Claim::Ticket(ticket) = *claim else { return None };
        if ticket < self.committed() {
            return Some(ticket);
        }
        self.read_mostly.0.open.store(0, Ordering::Relaxed);
        None
    }

    /// Returns a void ticket. The caller must hold the growth lock, so tickets are returned one at a time, and none is
    /// given out again before all are back.
    fn give_back(&self) {
        let committed = self.read_mostly.0.committed.load(Ordering::Relaxed);
        let others = self.tail.0.fetch_sub(1, Ordering::Relaxed) - 1 > committed;
        self.is_closed.0.store(others, Ordering::Relaxed);
        self.reopen();
    }

    /// Whether void tickets are in use, so that no memory is of use to any thread. The caller must hold the growth lock.
    pub(super) fn is_closed(&self) -> bool {
        self.is_closed.0.load(Ordering::Relaxed)
    }

    /// Lets threads claim places, if there are any.
    fn reopen(&self) {
        let committed = self.read_mostly.0.committed.load(Ordering::Relaxed);
        let has_room = self.claimed() < committed && !self.is_closed();
        self.read_mostly.0.open.store(if has_room { committed } else { 0 }, Ordering::Release);
    }

    /// Raises the number of places that have memory, unless void tickets are in use. The caller must hold the growth
    /// lock.
    pub(super) fn raise_committed(&self, committed: usize) {
        if !self.is_closed() {
            let before = self.read_mostly.0.committed.load(Ordering::Relaxed);
            // Release, though `reopen` does so for threads that claim places: `committed` and `issued` do not load `open`.
            self.read_mostly.0.committed.store(committed.max(before), Ordering::Release);
            self.reopen();
        }
    }

    /// Sets the place from which on memory is taken ahead.
    pub(super) fn set_ahead_from(&self, place: usize) {
        self.read_mostly.0.ahead_from.store(place, Ordering::Relaxed);
    }

    /// Sets where elements are, and the flags of the first places, before these have memory. They do not move
    /// afterwards. The caller must hold the growth lock.
    ///
    /// # Safety
    ///
    /// - There are `flagged` initialized flags at `flags`, which is not null. Until [`withdraw`](Self::withdraw) they
    ///   exist, and are accessed only atomically.
    pub(super) unsafe fn set_memory(&self, start: *mut u8, flags: *mut AtomicU8, flagged: usize) {
        self.read_mostly.0.start.store(start, Ordering::Relaxed);
        self.read_mostly.0.flags.store(flags, Ordering::Relaxed);
        self.read_mostly.0.flagged.store(flagged, Ordering::Release);
    }

    /// Returns the flags of the first places, which are all that may be published and not below the hint.
    #[inline]
    fn flags(&self) -> &[AtomicU8] {
        let flagged = self.read_mostly.0.flagged.load(Ordering::Acquire);
        let flags = self.read_mostly.0.flags.load(Ordering::Relaxed);
        // SAFETY: by the invariant of `flags`, which was stored before `flagged`, or is dangling if that is 0: they are
        // "consecutive properly initialized values", changed only atomically. `withdraw`, which ends this, takes
        // `&mut self`.
        unsafe { slice::from_raw_parts(flags, flagged) }
    }

    /// # Safety
    ///
    /// - The place is below a value of `flagged` that this thread has seen by acquire, or stored.
    #[inline]
    unsafe fn flag(&self, place: usize) -> &AtomicU8 {
        let flags = self.read_mostly.0.flags.load(Ordering::Relaxed);
        // SAFETY: the caller guarantees that there is a flag for the place: by the invariant of `flags` it is initialized,
        // and changed only atomically, while `self` is borrowed.
        unsafe { &*flags.wrapping_add(place) }
    }

    /// Publishes the element at a place, and returns whether the place is the last of a run.
    ///
    /// # Safety
    ///
    /// - The caller has claimed the place, which has a flag, and has written the element.
    #[inline]
    pub(super) unsafe fn publish(&self, place: usize) -> bool {
        // SAFETY: the place has a flag, set before it was committed, which this thread saw when it claimed the place.
        let flag = unsafe { self.flag(place) };
        flag.store(PUBLISHED, Ordering::Release);
        place % RUN == RUN - 1
    }

    /// Whether another thread seems to be about to push, too: the previous place is claimed and not published yet.
    ///
    /// # Safety
    ///
    /// - The caller has claimed the place, which has a flag.
    #[inline]
    pub(super) unsafe fn may_be_crowded(&self, place: usize) -> bool {
        // SAFETY: as in `publish`; all places before it have flags, too.
        let flag = unsafe { self.flag(place.saturating_sub(1)) };
        flag.load(Ordering::Relaxed) == EMPTY
    }

    /// Whether the thread that claimed this place is the one to step aside; of two threads at adjacent places, at most
    /// one is.
    pub(super) fn is_to_yield(&self, place: usize) -> bool {
        // If the hint is past the previous place, that place may never get a flag.
        place % 2 == 1 && self.prefix.0.hint.load(Ordering::Relaxed) < place
    }

    /// Publishes the elements at consecutive places, and returns whether the last place of a run is among them.
    ///
    /// If the hint is at the first of the places, this raises it past the last one, and sets no flags.
    ///
    /// # Safety
    ///
    /// - The caller has claimed the places, which have flags, and has written the elements.
    #[inline]
    pub(super) unsafe fn publish_many(&self, places: Range<usize>) -> bool {
        let (success, failure) = (Ordering::Release, Ordering::Relaxed);
        let hint = &self.prefix.0.hint;
        if hint.compare_exchange(places.start, places.end, success, failure).is_err() {
            for flag in &self.flags()[places.clone()] {
                flag.store(PUBLISHED, Ordering::Release);
            }
        }
        places.start / RUN != places.end / RUN
    }

    /// Raises the hint up to a place that was just published, unless another thread is doing so. Returns whether to
    /// take memory ahead.
    ///
    /// It goes no further, since later flags may be in a page that was never written, and reading such a page before
    /// writing it costs a second page fault.
    #[inline(never)]
    pub(super) fn note(&self, place: usize) -> bool {
        // Relaxed: the flag only saves work, and what a scan reads and writes is ordered by itself.
        let is_free = !self.prefix.0.is_scanned.swap(true, Ordering::Relaxed);
        if is_free {
            self.published_within(place + 1);
            self.prefix.0.is_scanned.store(false, Ordering::Relaxed);
        }
        self.is_ahead(place)
    }

    /// Returns whether to take memory ahead, now that a place is filled.
    #[inline]
    pub(super) fn is_ahead(&self, place: usize) -> bool {
        place >= self.read_mostly.0.ahead_from.load(Ordering::Relaxed)
    }

    /// Returns the number of published places before the first that is not.
    #[inline]
    pub(super) fn published(&self) -> usize {
        self.published_within(usize::MAX)
    }

    /// [`published`](Self::published), without reading the flags of places from `most` on.
    #[inline]
    fn published_within(&self, most: usize) -> usize {
        let hint = self.prefix.0.hint.load(Ordering::Acquire);
        let flags = self.flags();
        let most = most.min(flags.len());
        let mut end = hint;
        while end < most && is_set(&flags[end]) {
            end += 1;
        }
        if end > hint {
            // A `fetch_max` in a form that sanitizers understand. A hint that another thread has raised further stays.
            let raised = |now: usize| (now < end).then_some(end);
            let _ = self.prefix.0.hint.fetch_update(Ordering::Release, Ordering::Relaxed, raised);
        }
        end
    }

    /// Whether a place is published. If so, the caller sees its element.
    #[inline]
    pub(super) fn is_published(&self, place: usize) -> bool {
        if place < self.prefix.0.hint.load(Ordering::Acquire) {
            return true;
        }
        self.flags().get(place).is_some_and(is_set)
    }

    /// Returns the number of claimed places; while memory is being refused, void tickets are included.
    #[inline]
    pub(super) fn claimed(&self) -> usize {
        self.tail.0.load(Ordering::Relaxed)
    }

    /// Returns the number of places that have memory. A caller that knows of a place below it sees what was written
    /// before that got memory.
    pub(super) fn committed(&self) -> usize {
        self.read_mostly.0.committed.load(Ordering::Acquire)
    }

    /// Returns the number of claimed places that have memory. No place below it is claimed after this call.
    pub(super) fn issued(&self) -> usize {
        // In this order: with the tickets counted first, a void one among them may be the place of a later push. Acquire:
        // whatever tickets had been returned before `committed` was raised are not counted.
        let committed = self.committed();
        self.claimed().min(committed)
    }

    // For elements without a size, which need no memory: `tail` is their number.

    /// Counts `count` more elements, unless there would be more than `most`. Returns the index of the first.
    pub(super) fn count_up(&self, count: usize, most: usize) -> Option<usize> {
        let next = |now: usize| now.checked_add(count).filter(|sum| *sum <= most);
        // A thread that sees the number also sees what was done before.
        self.tail.0.fetch_update(Ordering::Release, Ordering::Relaxed, next).ok()
    }

    /// Counts one more element if there are `now` elements.
    pub(super) fn count_up_exactly(&self, now: usize) -> bool {
        let (order, failing) = (Ordering::Release, Ordering::Relaxed);
        self.tail.0.compare_exchange(now, now + 1, order, failing).is_ok()
    }

    #[inline]
    pub(super) fn counted(&self) -> usize {
        self.tail.0.load(Ordering::Acquire)
    }

    // Methods that need exclusive access.

    /// Clears all flags, and returns the number of published places before the first that is not. No place is
    /// committed, claimed or published until [`restore`](Self::restore).
    pub(super) fn withdraw(&mut self) -> usize {
        let (published, claimed) = (self.published(), self.claimed());
        let (flags, unset) = (self.flags(), self.read_mostly.0.unset);
        // Flags past a gap, too: a fork leaves one if it cuts off a push of another thread.
        let may_be_set = flags.get(unset..claimed.min(flags.len()));
        for flag in may_be_set.unwrap_or_default() {
            // Many may never have been written: those stay so, and their pages take no memory.
            if flag.load(Ordering::Relaxed) != EMPTY {
                flag.store(EMPTY, Ordering::Relaxed);
            }
        }
        self.restore(0, 0);
        self.read_mostly.0.flags.store(ptr::dangling_mut(), Ordering::Relaxed);
        self.read_mostly.0.flagged.store(0, Ordering::Relaxed);
        published
    }

    /// Sets how many places are published, and how many have memory.
    pub(super) fn restore(&mut self, published: usize, committed: usize) {
        self.read_mostly.0.unset = published;
        self.prefix.0.hint.store(published, Ordering::Relaxed);
        self.prefix.0.is_scanned.store(false, Ordering::Relaxed);
        self.tail.0.store(published, Ordering::Relaxed);
        self.is_closed.0.store(false, Ordering::Relaxed);
        self.read_mostly.0.committed.store(committed, Ordering::Relaxed);
        self.read_mostly.0.ahead_from.store(usize::MAX, Ordering::Relaxed);
        // As `reopen` would do, without loading what was just stored. Relaxed, as the others: threads can use the array only
        // after this mutable borrow has ended, of which they learn in a way that orders it before.
        let open = if published < committed { committed } else { 0 };
        self.read_mostly.0.open.store(open, Ordering::Relaxed);
    }
}

/// Whether a flag is set. If so, the caller sees the element.
#[inline]
fn is_set(flag: &AtomicU8) -> bool {
    flag.load(Ordering::Acquire) == PUBLISHED
}
