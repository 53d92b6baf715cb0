//! [`Places`]: who may write where, and who may read there.
//!
//! There is no element here and no memory, only numbers: `loom/` runs this file over atomics of its own. What is
//! promised, and why it holds, stands in the [module](super)'s source.

#![expect(unsafe_code, reason = "reads and writes flags through a pointer")]

use super::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicUsize, Ordering};
use crate::error::Error;
use std::mem;
use std::ops::Range;
use std::ptr;

/// How many places are published before somebody sees how far the prefix reaches.
pub(super) const RUN: usize = 64;

const EMPTY: u8 = 0;
const PUBLISHED: u8 = 1;

/// Alone where processors fetch two lines of 64 bytes at a time, and on those whose lines have 128.
#[repr(align(128))]
pub(super) struct Line<T>(T);

/// The places of an array for many threads.
pub(super) struct Places {
    ground: Line<Ground>,
    /// The next place; and where it is behind `committed`, how many tickets are out that are not good, or not
    /// yet.
    tail: Line<AtomicUsize>,
    prefix: Line<Prefix>,
    /// Tickets are out that are void. Changed by who has the lock.
    is_closed: Line<AtomicBool>,
}

/// What all look at, and what changes when memory is taken.
struct Ground {
    /// Places that a ticket may be taken for: `committed`, or 0 where whoever comes is to take memory first.
    open: AtomicUsize,
    /// Places that have memory, with flags that were zero when they came. It never falls while it is shared.
    committed: AtomicUsize,
    /// From here on, there is to be more memory soon.
    ahead_from: AtomicUsize,
    /// Where elements lie.
    start: AtomicPtr<u8>,
    /// A flag for each place.
    flags: AtomicPtr<AtomicU8>,
    /// Flags below this one were never set since they were zero. Changed by who has it alone.
    unset: usize,
}

/// How far all is published.
struct Prefix {
    /// So far at least.
    hint: AtomicUsize,
    /// Somebody is about to raise it.
    is_scanned: AtomicBool,
}

/// What somebody who is about to push has.
pub(super) enum Claim {
    /// This place is his.
    Place(usize),
    /// A place without memory, as far as he saw: it is to be had with the lock, or given back there.
    Ticket(usize),
    /// Nothing: so many places one behind the other are to be had with the lock.
    Next(usize),
    /// The same, for this place alone.
    Exactly(usize),
}

/// What came of taking memory.
pub(super) struct Grown {
    /// How many places have memory now.
    pub(super) committed: usize,
    pub(super) refused: Option<Error>,
}

/// Why nothing could be claimed.
pub(super) enum Refusal {
    /// Memory was refused, to this one.
    Memory(Error),
    /// It was to another, just now, and tickets are out for it.
    Closed,
}

/// Sees to it that a ticket comes back where taking memory unwinds.
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
    /// With so many that have memory, which is none where there are flags.
    pub(super) const fn new(committed: usize) -> Self {
        Self {
            ground: Line(Ground {
                open: AtomicUsize::new(0),
                committed: AtomicUsize::new(committed),
                ahead_from: AtomicUsize::new(usize::MAX),
                start: AtomicPtr::new(ptr::null_mut()),
                flags: AtomicPtr::new(ptr::null_mut()),
                unset: 0,
            }),
            tail: Line(AtomicUsize::new(0)),
            prefix: Line(Prefix { hint: AtomicUsize::new(0), is_scanned: AtomicBool::new(false) }),
            is_closed: Line(AtomicBool::new(false)),
        }
    }

    /// Where elements lie, as was said by [`set_memory`](Self::set_memory) before the caller's claim.
    #[inline]
    pub(super) fn start(&self) -> *mut u8 {
        self.ground.0.start.load(Ordering::Relaxed)
    }

    /// Takes the next place.
    #[inline]
    pub(super) fn claim(&self) -> Claim {
        let open = self.ground.0.open.load(Ordering::Acquire);
        if open == 0 {
            return Claim::Next(1);
        }
        let ticket = self.tail.0.fetch_add(1, Ordering::Relaxed);
        if ticket < open { Claim::Place(ticket) } else { Claim::Ticket(ticket) }
    }

    /// Takes the next `count` places, one behind the other.
    #[inline]
    pub(super) fn claim_many(&self, count: usize) -> Claim {
        let open = self.ground.0.open.load(Ordering::Acquire);
        self.claim_within(count, open).map_or(Claim::Next(count), Claim::Place)
    }

    /// Takes a place if it is the next one, and says whether it was; or leaves that to who has the lock.
    #[inline]
    pub(super) fn claim_exactly(&self, place: usize) -> Result<bool, Claim> {
        let open = self.ground.0.open.load(Ordering::Acquire);
        if place >= open { Err(Claim::Exactly(place)) } else { Ok(self.take_if_next(place)) }
    }

    fn take_if_next(&self, place: usize) -> bool {
        let order = Ordering::Relaxed;
        self.tail.0.compare_exchange(place, place + 1, order, order).is_ok()
    }

    /// Takes so many places, if there are as many below `end`. Never makes a ticket that is void, however many
    /// it asks for.
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

    /// Comes to a place by the lock, which the caller has: `grow` makes memory for so many places. None if it
    /// is not the next one that was to be had exactly.
    pub(super) fn claim_locked(
        &self,
        claim: &Claim,
        grow: &mut dyn FnMut(usize) -> Grown,
    ) -> Result<Option<usize>, Refusal> {
        loop {
            let committed = self.ground.0.committed.load(Ordering::Relaxed);
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
            if self.is_closed.0.load(Ordering::Relaxed) {
                if has_ticket {
                    self.give_back();
                }
                return Err(Refusal::Closed);
            }
            // Nobody needs to take a ticket that may be void.
            if self.claimed() >= committed {
                self.ground.0.open.store(0, Ordering::Relaxed);
            }
            let unwinding = Unwinding { places: self, has_ticket };
            let grown = grow(need);
            mem::forget(unwinding);
            // Where there were places left, this thread may have come here again, and have closed it.
            let is_closed = self.is_closed.0.load(Ordering::Relaxed);
            self.raise_committed(grown.committed);
            match grown.refused {
                Some(error) => {
                    if has_ticket {
                        self.give_back();
                    } else {
                        self.reopen();
                    }
                    return Err(Refusal::Memory(error));
                }
                None if is_closed => return Err(Refusal::Closed),
                None => {}
            }
        }
    }

    /// The same for who has the lock further up, in the call that he came from.
    pub(super) fn claim_again(&self, claim: &Claim) -> Option<usize> {
        match *claim {
            Claim::Ticket(ticket) if ticket < self.ground.0.committed.load(Ordering::Relaxed) => {
                Some(ticket)
            }
            Claim::Ticket(_) => {
                self.give_back();
                None
            }
            _ => None,
        }
    }

    /// Gives a ticket back that is void. By who has the lock: so they come back one after the other, and none is
    /// given out twice before all are back.
    fn give_back(&self) {
        let committed = self.ground.0.committed.load(Ordering::Relaxed);
        let others = self.tail.0.fetch_sub(1, Ordering::Relaxed) - 1 > committed;
        self.is_closed.0.store(others, Ordering::Relaxed);
        self.reopen();
    }

    /// Has tickets be taken, if there are places.
    fn reopen(&self) {
        let committed = self.ground.0.committed.load(Ordering::Relaxed);
        let has_room = self.claimed() < committed && !self.is_closed.0.load(Ordering::Relaxed);
        self.ground.0.open.store(if has_room { committed } else { 0 }, Ordering::Release);
    }

    /// There is memory for so many places now, and nobody's ticket is void. By who has the lock.
    pub(super) fn raise_committed(&self, committed: usize) {
        if !self.is_closed.0.load(Ordering::Relaxed) {
            let before = self.ground.0.committed.load(Ordering::Relaxed);
            self.ground.0.committed.store(committed.max(before), Ordering::Release);
            self.reopen();
        }
    }

    /// From which place on there is to be more memory soon.
    pub(super) fn set_ahead_from(&self, place: usize) {
        self.ground.0.ahead_from.store(place, Ordering::Relaxed);
    }

    /// Says where elements and flags lie, once, before the first place has memory. By who has the lock.
    pub(super) fn set_memory(&self, start: *mut u8, flags: *mut AtomicU8) {
        self.ground.0.start.store(start, Ordering::Relaxed);
        self.ground.0.flags.store(flags, Ordering::Relaxed);
    }

    /// # Safety
    ///
    /// - The place has memory, and the caller knows by acquire.
    #[inline]
    unsafe fn flag(&self, place: usize) -> &AtomicU8 {
        let flags = self.ground.0.flags.load(Ordering::Relaxed);
        // SAFETY: there are as many flags as places, by the caller's promise.
        let flag = unsafe { flags.add(place) };
        // SAFETY: they were made before the place had memory, and nothing but atomic accesses is made while it is
        // shared.
        unsafe { &*flag }
    }

    /// Has others see what lies at a place; whether it is the last of a run.
    ///
    /// # Safety
    ///
    /// - The caller has claimed the place, and written there.
    #[inline]
    pub(super) unsafe fn publish(&self, place: usize) -> bool {
        // SAFETY: claimed, so it has memory.
        let flag = unsafe { self.flag(place) };
        flag.store(PUBLISHED, Ordering::Release);
        place % RUN == RUN - 1
    }

    /// Whether another thread seems to be about to push, too: the place before was taken, and has no flag yet.
    ///
    /// # Safety
    ///
    /// - The caller has claimed the place.
    #[inline]
    pub(super) unsafe fn may_be_crowded(&self, place: usize) -> bool {
        // SAFETY: claimed, so it has memory, as all before it.
        let flag = unsafe { self.flag(place.saturating_sub(1)) };
        flag.load(Ordering::Relaxed) == EMPTY
    }

    /// Whether the thread of this place is the one to step aside, where it may be crowded: of two that are at places
    /// one behind the other, one is.
    pub(super) fn steps_aside(&self, place: usize) -> bool {
        // Where the hint is past the place before, it may never have a flag.
        place % 2 == 1 && self.prefix.0.hint.load(Ordering::Relaxed) < place
    }

    /// Has others see what lies at places one behind the other; whether the last of a run is among them.
    ///
    /// If all before them are published, the hint says so at once, and no flag is set.
    ///
    /// # Safety
    ///
    /// - The caller has claimed the places, and written there.
    #[inline]
    pub(super) unsafe fn publish_many(&self, places: Range<usize>) -> bool {
        let (success, failure) = (Ordering::Release, Ordering::Relaxed);
        let hint = &self.prefix.0.hint;
        if hint.compare_exchange(places.start, places.end, success, failure).is_err() {
            for place in places.clone() {
                // SAFETY: the caller's promise.
                unsafe { self.publish(place) };
            }
        }
        places.start / RUN != places.end / RUN
    }

    /// Raises the hint as far as a place that was just published, unless somebody is at that. Whether there is to be
    /// more memory soon.
    ///
    /// No farther: there may be flags behind it that nobody has written to, and a page that is read before has two
    /// page faults.
    #[inline(never)]
    pub(super) fn note(&self, place: usize) -> bool {
        let is_free = !self.prefix.0.is_scanned.swap(true, Ordering::Acquire);
        if is_free {
            self.published_within(place + 1);
            self.prefix.0.is_scanned.store(false, Ordering::Release);
        }
        self.is_ahead(place)
    }

    /// Whether there is to be more memory soon, now that a place is filled.
    #[inline]
    pub(super) fn is_ahead(&self, place: usize) -> bool {
        place >= self.ground.0.ahead_from.load(Ordering::Relaxed)
    }

    /// How many places are published, without a gap.
    #[inline]
    pub(super) fn published(&self) -> usize {
        self.published_within(usize::MAX)
    }

    /// The same, but flags from a place on are not looked at.
    #[inline]
    fn published_within(&self, most: usize) -> usize {
        let hint = self.prefix.0.hint.load(Ordering::Acquire);
        let most = self.ground.0.committed.load(Ordering::Acquire).min(most);
        let mut end = hint;
        // SAFETY: below `committed`.
        while end < most && unsafe { self.is_flagged(end) } {
            end += 1;
        }
        if end > hint {
            // A `fetch_max` that sanitizers understand. If somebody has raised it further, all the better.
            let raised = |now: usize| (now < end).then_some(end);
            let _ = self.prefix.0.hint.fetch_update(Ordering::Release, Ordering::Relaxed, raised);
        }
        end
    }

    /// # Safety
    ///
    /// - As for [`flag`](Self::flag).
    #[inline]
    unsafe fn is_flagged(&self, place: usize) -> bool {
        // SAFETY: the caller's promise.
        let flag = unsafe { self.flag(place) };
        flag.load(Ordering::Acquire) == PUBLISHED
    }

    /// Whether a place is published. What was written there before is seen then.
    #[inline]
    pub(super) fn is_published(&self, place: usize) -> bool {
        if place < self.prefix.0.hint.load(Ordering::Acquire) {
            return true;
        }
        // SAFETY: below `committed`.
        place < self.ground.0.committed.load(Ordering::Acquire) && unsafe { self.is_flagged(place) }
    }

    /// How many places were claimed; and tickets that are void, where memory is just being refused.
    #[inline]
    pub(super) fn claimed(&self) -> usize {
        self.tail.0.load(Ordering::Relaxed)
    }

    pub(super) fn committed(&self) -> usize {
        self.ground.0.committed.load(Ordering::Acquire)
    }

    // Of elements without a size, which need no memory: `tail` is their number.

    /// Counts so many more, if that makes no more than `most`; from which number on.
    pub(super) fn count_up(&self, count: usize, most: usize) -> Option<usize> {
        let next = |now: usize| now.checked_add(count).filter(|sum| *sum <= most);
        // What was done before is seen by who sees the number.
        self.tail.0.fetch_update(Ordering::Release, Ordering::Relaxed, next).ok()
    }

    /// Counts one more, if there are so many.
    pub(super) fn count_up_exactly(&self, now: usize) -> bool {
        let (order, failing) = (Ordering::Release, Ordering::Relaxed);
        self.tail.0.compare_exchange(now, now + 1, order, failing).is_ok()
    }

    #[inline]
    pub(super) fn counted(&self) -> usize {
        self.tail.0.load(Ordering::Acquire)
    }

    // For who has it alone.

    /// How many places are published without a gap, of which no flag is set from now on; and nothing is
    /// committed, claimed or published, until [`restore`](Self::restore) says so.
    pub(super) fn withdraw(&mut self) -> usize {
        let (published, claimed) = (self.published(), self.claimed());
        let committed = self.committed();
        // Also those behind a gap, which another process has left here by a fork.
        for place in self.ground.0.unset..claimed.min(committed) {
            // SAFETY: below `committed`.
            let flag = unsafe { self.flag(place) };
            // Many may never have been written to.
            if flag.load(Ordering::Relaxed) != EMPTY {
                flag.store(EMPTY, Ordering::Relaxed);
            }
        }
        self.restore(0, 0);
        published
    }

    /// So many places are published, and so many have memory.
    pub(super) fn restore(&mut self, published: usize, committed: usize) {
        self.ground.0.unset = published;
        self.prefix.0.hint.store(published, Ordering::Relaxed);
        self.prefix.0.is_scanned.store(false, Ordering::Relaxed);
        self.tail.0.store(published, Ordering::Relaxed);
        self.is_closed.0.store(false, Ordering::Relaxed);
        self.ground.0.committed.store(committed, Ordering::Relaxed);
        self.ground.0.ahead_from.store(usize::MAX, Ordering::Relaxed);
        self.reopen();
    }
}
