//! [`SharedVec`], an array that many threads append to and read at the same time, and [`SharedSlotMap`], such a map.

// # Why this is sound
//
// The memory of an element goes through four states, which decide which thread may access it:
//
// 1. *Without memory.* No thread.
// 2. *Committed.* The place has memory and a flag that is 0. A thread that holds the growth lock has raised `committed`
//    past it, by release. No thread accesses the element's memory yet.
// 3. *Claimed.* A thread took the place's number from `tail` by a read-modify-write, and saw by acquire that the place
//    is committed. Numbers below `committed` are given out once (see below), so only this thread accesses the memory.
//    It writes the element.
// 4. *Published.* The thread sets the flag, or raises the hint past the place, by release. A thread that sees either of
//    them by acquire sees the element and may read it. No thread writes there again while the array is shared.
//
// The *hint* says that all places below it are published. A thread raises it by release, in one of two cases: it has
// seen the flags of all places below the new value by acquire (some of them through an older hint that it saw by
// acquire); or the hint was at the first place of a run that the thread has filled itself, and is raised past the run,
// whose flags stay 0. So a thread that sees the hint by acquire sees all those elements. Several threads may raise it
// at a time: each raises it only past elements that it has seen or written, and by read-modify-writes, which continue
// the release sequences of earlier ones.
//
// **Numbers are given out once.** Each claim adds 1 to `tail`. If the number is below `open`, which is `committed` or
// 0, the thread has a place. Otherwise it has a *ticket*: a number for which there was no memory. It acquires the
// growth lock, looks again and takes memory, and the ticket becomes a place. If memory is refused, this ticket and all
// others from `committed` on are void, and `committed` is frozen: the array is *closed*. Each void ticket is returned
// by subtracting 1 from `tail` with the lock held. Such numbers may be given out more than once, but only as void
// tickets: `committed` does not rise before `tail` equals it again, and then no void ticket is left, since each has
// added 1 that it has not subtracted yet. Nothing below `committed` is ever returned. So a refusal leaves no gap, and
// no two threads have the same place.
//
// (While the array is closed, or memory is being taken, `open` is 0, and a thread that finds that takes no ticket.)
//
// No user code runs between a claim and the flag, since elements are moved or copied bitwise, with one exception:
// taking memory calls a `Backing`, which may unwind or push to the same array. If it unwinds, the ticket is returned as
// if memory had been refused. A push from within the call takes no ticket while `open` is 0. Memory is also taken ahead
// of need, after elements were published and their source has forgotten them. `open` is not 0 then, so a push from
// within that call may take a ticket; without memory for it, the ticket is void and returned at once, since this thread
// holds the lock.
//
// `&mut self` proves that no other thread uses the array. (In the child of a `fork`, a push that another thread had
// begun leaves a gap: a claimed place that is never published. Elements after the gap are never dropped, and are in no
// slice.)

#![expect(unsafe_code, reason = "writes to claimed places, and reads published ones")]

mod sync {
    //! The atomics of [`places`](super::places) and the other modules. `loom/` has its own.
    pub(super) use std::sync::atomic;
}

// In the order in which the documentation lists their methods.
mod builder;

mod access;

mod push;

mod bulk;
mod gather;
mod iter;
mod memory;
mod owned;
mod traits;

mod lock;
pub mod map;
mod places;
#[cfg(test)]
mod tests;

pub use builder::SharedVecBuilder;
pub use bulk::Rest;
pub use gather::Gather;
pub use iter::IterFinished;
pub use map::{SharedSlotMap, SharedSlotMapBuilder};
pub use owned::{Drain, VecMut};

use crate::error::{Error, ErrorKind, Holder, SizedBy};
use crate::os;
use crate::vec::VmVec;
use lock::{GrowthLock, LockError};
use memory::Memory;
use places::{Claim, Places, Refusal};
use std::cell::UnsafeCell;
use std::marker::PhantomData;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::ptr;

/// A growable array that many threads can append to at the same time, through `&self`. Its elements never move.
///
/// [`push`](Self::push) takes no lock unless the array needs memory, and never waits for another thread's push. The
/// element is at its index at once, and [`get`](Self::get) finds it from every thread. Elements are contiguous: all
/// before the first unfinished push are available as a [slice](Self::as_slice) while other threads append.
///
/// # The prefix
///
/// Threads finish their pushes in any order. [`len`](Self::len), [`as_slice`](Self::as_slice) and [`iter`](Self::iter)
/// cover the *prefix*: all elements before the first place that a thread has claimed and not filled yet. Right after a
/// push, its own element may be missing from the slice, if another thread has not finished an earlier push; `get` finds
/// it. When all pushes have returned, the prefix contains all elements.
///
/// # Memory
///
/// As for [`VmVec`], plus one byte per element. The thread that needs memory takes it, and other threads wait only if
/// they need it, too. Usually memory is taken ahead, by the thread that passes three quarters of the newest step. With
/// [`commit_ahead`](SharedVecBuilder::commit_ahead), the background thread also makes it resident. (If several threads
/// touch a new huge page at the same moment, each may clear all of it. The background thread and
/// [`prefault`](Self::prefault) avoid that.)
///
/// If memory is refused, the call returns the value, and no gap is left. All pushes that were waiting for memory at
/// that moment are refused. Once they have returned, the next push asks the system again.
///
/// # Forks
///
/// In the child of a `fork`, pushes that other threads had begun never finish. The prefix ends before them, and only
/// [`get`](Self::get) and [`iter_finished`](Self::iter_finished) find elements pushed after them.
///
/// If another thread was taking memory at the fork, calls that need memory or report on it, such as
/// [`max_len`](Self::max_len) and [`stats`](Self::stats), fail in the child with [`Busy`](crate::ErrorKind::Busy), and
/// pushes may fail even if there is memory for them. If another thread had begun a push that needs memory, and the child
/// is refused memory later, all pushes are refused from then on. Both end when the child calls [`as_mut_vec`](Self::as_mut_vec) or another method that takes `&mut self`;
/// the array then consists of the prefix. If a call to a [`Backing`](crate::Backing) was cut off, the memory that it
/// supplies stays in the state that it had at the fork. No call waits for a thread that the child does not have. All
/// other calls work.
///
/// # Examples
///
/// ```
/// use stayput::SharedVec;
///
/// static LINES: SharedVec<String> = SharedVec::new();
///
/// std::thread::scope(|threads| {
///     for worker in 0..4 {
///         threads.spawn(move || {
///             for line in 0..100 {
///                 let (index, text) = LINES.push(format!("{worker}: {line}"));
///                 assert_eq!(LINES.get(index), Some(text));
///             }
///         });
///     }
/// });
/// assert_eq!(LINES.len(), 400);
/// assert!(LINES.iter().all(|line| line.contains(": ")));
/// ```
pub struct SharedVec<T> {
    places: Places,
    memory: GrowthLock<Memory<T>>,
    /// Elements are added and read through `&self`.
    elements: PhantomData<UnsafeCell<T>>,
}

// SAFETY: through `&SharedVec<T>` one thread can add a `T` that another removes, which `T: Send` allows, and several
// threads can hold a `&T`, which `T: Sync` allows. All else is atomic or locked.
unsafe impl<T: Send + Sync> Sync for SharedVec<T> {}

// A panic can leave only an element half changed, which is `T`'s own concern: no user code runs within a change of the
// array.
impl<T: UnwindSafe> UnwindSafe for SharedVec<T> {}
impl<T: UnwindSafe + RefUnwindSafe> RefUnwindSafe for SharedVec<T> {}

/// Returns the error of a call from within one that takes memory.
#[cold]
fn busy() -> Error {
    Error::new(ErrorKind::Busy, 0).of(Holder::SharedVec)
}

/// Returns an error if pages cannot be made resident while other threads use them.
fn check_prefaulting_is_shared(holder: Holder) -> Result<(), Error> {
    #[cfg(test)]
    let is_shared = os::PREFAULTING_IS_SHARED && !tests::IS_PREFAULTING_EXCLUSIVE.get();
    #[cfg(not(test))]
    let is_shared = os::PREFAULTING_IS_SHARED;
    if is_shared { Ok(()) } else { Err(Error::new(ErrorKind::Unsupported, 0).of(holder)) }
}

impl<T> SharedVec<T> {
    const IS_UNSIZED: bool = size_of::<T>() == 0;

    const fn over(elements: VmVec<T>) -> Self {
        let committed = if Self::IS_UNSIZED { elements.capacity() } else { 0 };
        Self {
            places: Places::new(committed),
            memory: GrowthLock::new(Memory::new(elements)),
            elements: PhantomData,
        }
    }

    #[inline]
    fn claim_one(&self) -> Result<usize, Error> {
        if Self::IS_UNSIZED {
            return self.count_up(1);
        }
        match self.places.claim() {
            Claim::Place(place) => Ok(place),
            claim => self.claim_slowly(&claim).map(|place| place.expect("not an exact claim")),
        }
    }

    fn claim_many(&self, count: usize) -> Result<usize, Error> {
        if Self::IS_UNSIZED {
            return self.count_up(count);
        }
        match self.places.claim_many(count) {
            Claim::Place(place) => Ok(place),
            claim => self.claim_slowly(&claim).map(|place| place.expect("not an exact claim")),
        }
    }

    /// Claims a place if it is the next one, and returns whether it was.
    fn claim_exactly(&self, place: usize) -> Result<bool, Error> {
        if Self::IS_UNSIZED {
            return match place < self.most_counted()? {
                true => Ok(self.places.count_up_exactly(place)),
                false if place == self.places.counted() => Err(self.full()),
                false => Ok(false),
            };
        }
        match self.places.claim_exactly(place) {
            Ok(is_taken) => Ok(is_taken),
            Err(claim) => Ok(self.claim_slowly(&claim)?.is_some()),
        }
    }

    fn count_up(&self, count: usize) -> Result<usize, Error> {
        match self.places.count_up(count, self.places.committed()) {
            Some(first) => Ok(first),
            None => self.count_up_slowly(count),
        }
    }

    #[cold]
    fn count_up_slowly(&self, count: usize) -> Result<usize, Error> {
        self.places.count_up(count, self.most_counted()?).ok_or_else(|| self.full())
    }

    /// Returns the maximum number of elements without a size.
    #[inline]
    fn most_counted(&self) -> Result<usize, Error> {
        match self.places.committed() {
            0 => self.ask_most_counted(),
            most => Ok(most),
        }
    }

    /// [`most_counted`](Self::most_counted), from the array: a leaked `VecMut` may have replaced it.
    #[cold]
    fn ask_most_counted(&self) -> Result<usize, Error> {
        let memory = self.memory.lock().map_err(|_| busy())?;
        let most = memory.committed();
        self.places.raise_committed(most);
        Ok(most)
    }

    #[cold]
    fn full(&self) -> Error {
        let most = self.places.committed();
        let sized_by = if most == usize::MAX { SizedBy::Default } else { SizedBy::Option };
        Error::full(sized_by, 0, most).of(Holder::SharedVec)
    }

    /// Completes a claim with the growth lock.
    #[cold]
    #[inline(never)]
    fn claim_slowly(&self, claim: &Claim) -> Result<Option<usize>, Error> {
        let mut guard = match self.memory.lock() {
            Ok(guard) => guard,
            Err(LockError::Reentrant) => {
                return self.places.claim_again(claim).map(Some).ok_or_else(busy);
            }
            Err(LockError::Orphaned) => {
                return self.places.abandon(claim).map(Some).ok_or_else(busy);
            }
        };
        let memory = &mut *guard;
        let claimed = self.places.claim_locked(claim, &mut |need| {
            let before = memory.committed();
            let grown = match claim {
                Claim::Ticket(_) => memory.grow_or_fill_up(need),
                _ => memory.grow(need),
            };
            self.publish_extent(memory, before);
            grown
        });
        claimed.map_err(|refusal| match refusal {
            Refusal::Memory(error) => error,
            Refusal::Closed => memory.refused.unwrap_or_else(busy),
        })
    }

    /// Publishes where the memory is, and sets from which place on more is taken ahead.
    fn publish_extent(&self, memory: &mut Memory<T>, before: usize) {
        memory.show_to(&self.places);
        let committed = memory.committed();
        let step = committed.saturating_sub(before);
        if committed >= memory.max_len() {
            self.places.set_ahead_from(usize::MAX);
        } else if step > 0 {
            self.places.set_ahead_from(committed - step / 4);
        }
    }

    /// Raises the hint, and takes memory ahead if that is due, after the last place of a run was published.
    #[inline]
    fn note(&self, place: usize) {
        if self.places.note(place) {
            self.grow_ahead();
        }
    }

    /// Takes memory before a thread needs it, unless another thread holds the growth lock.
    #[cold]
    #[inline(never)]
    fn grow_ahead(&self) {
        let Some(mut guard) = self.memory.try_lock() else { return };
        let memory = &mut *guard;
        let before = memory.committed();
        // Other threads need not try the same meanwhile, nor, after a refusal, before one of them needs memory.
        self.places.set_ahead_from(usize::MAX);
        if before < memory.max_len() && !self.places.is_closed() {
            // The thread that needs the memory gets the error.
            let _ = memory.try_grow(before + 1);
            self.publish_extent(memory, before);
            self.places.raise_committed(memory.committed());
        }
    }

    /// Returns the address of the memory for an element, if the caller has claimed the place or knows that it is
    /// published.
    #[inline]
    fn at(&self, place: usize) -> *mut T {
        if Self::IS_UNSIZED {
            return ptr::dangling_mut();
        }
        self.places.start().cast::<T>().wrapping_add(place)
    }
}
