//! [`SharedVec`]: an array to which many threads append, and which others read meanwhile; and [`SharedSlotMap`], a map of
//! which the same is true.

// # Why this is sound
//
// An element goes through four states, and who may touch its memory follows from them:
//
// 1. *Without memory.* Nobody.
// 2. *Committed.* `committed` is raised, by release, by who has the lock, when the place has memory and a flag
//    that is 0. Nobody touches the element's memory yet.
// 3. *Claimed.* A thread took the place's number out of `tail`, by a read-modify-write, and saw by acquire that it
//    is committed. Numbers below `committed` are given out once (below), so this thread alone touches the memory:
//    it writes the element.
// 4. *Published.* It sets the flag, by release; or raises the hint past the place. Who sees the one or the other by
//    acquire sees the element, and may read it. Nobody writes there again while the array is shared.
//
// The *hint* says that all places below it are published. It is raised by release: by who has seen all their flags by
// acquire, some of them by way of an older hint that he saw by acquire; or, where it is just where a run of places
// begins that a thread has filled itself, past that run, whose flags then stay 0. So who sees it by acquire sees all
// those elements. That it is raised by several threads at a time does no harm: each raises it to what he has seen, or
// written, himself, and only by read-modify-writes, which go on with the release sequences of those before them.
//
// **Numbers are given out once.** `tail` rises by each claim. One that finds it below `open`, which is `committed` or
// 0, has a place. One that does not has a *ticket*: a number for which there was no memory when it looked. With the
// lock it looks again, and takes memory; then the ticket is a place. If memory is refused, the ticket is void, and so
// are all others at or behind `committed`, which is frozen then: the array is *closed*. Each is given back by taking 1
// off `tail`, with the lock. Those numbers are given out more than once meanwhile, but none of them is good: `committed`
// does not rise before `tail` is `committed` again, and that is when no such ticket is out, for each of them has
// added 1 and not yet taken it off. Below `committed` nothing is ever given back. So a refusal leaves no gap, and
// no place is given to two.
//
// (Whoever comes while the array is closed, or memory is being taken, finds `open` to be 0, and takes no ticket.)
//
// No user code runs between a claim and the flag: elements are moved, or copied bit by bit. But there is one
// exception: taking memory calls a `Backing`, which may unwind, or come back. If it unwinds, the ticket is given
// back as if memory were refused. If it comes back with a push, that one takes no ticket while `open` is 0. Memory is
// also taken ahead of need, when elements are published, and where they came from has forgotten them; then `open` is
// not 0, and a ticket that such a push finds to be without memory is void: it is given back at once, as this thread
// has the lock.
//
// `&mut self` proves that no other thread is here. (One that was at it in the process from which this one was forked
// has left a gap: a claimed place that nobody publishes. What lies behind is never dropped, nor seen as part of a
// slice.)

#![expect(unsafe_code, reason = "writes to places that were claimed, and reads published ones")]

mod sync {
    //! What [`places`](super::places) and the like are made of; `loom/` has its own.
    pub(super) use std::sync::atomic;
}

// In the order in which the docs list their methods.
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
use lock::{GrowthLock, Held};
use memory::Memory;
use places::{Claim, Places, Refusal};
use std::cell::UnsafeCell;
use std::hint;
use std::marker::PhantomData;
use std::panic::{RefUnwindSafe, UnwindSafe};

/// A growable array to which many threads append at a time, by `&self`, and whose elements never move.
///
/// [`push`](Self::push) takes no lock, unless memory has to be taken, and waits for nobody else's push. What was
/// pushed is at its index at once, for every thread: [`get`](Self::get) finds it. All elements lie one behind the other, so
/// that what was pushed without a gap is a [slice](Self::as_slice), which can be read, and iterated over, while others
/// append.
///
/// # The prefix
///
/// Threads finish their pushes in any order. [`len`](Self::len), [`as_slice`](Self::as_slice) and
/// [`iter`](Self::iter) are of the *prefix*: all elements before the first place that some thread has taken and not yet
/// filled. So right after a push its own element may not be in the slice, if another thread is behind with an earlier one;
/// `get` finds it. When all pushes have returned, the prefix is all there is.
///
/// # Memory
///
/// As in [`VmVec`], and one byte an element besides. Memory is taken by the thread that needs it, which the others do
/// not wait for unless they need it, too; most often it is taken ahead, by one that passes three quarters of the newest
/// step. With [`commit_ahead`](SharedVecBuilder::commit_ahead) the background thread makes it resident before.
/// (Several threads that are first to touch one huge page may each clear all of it, and all but one in vain;
/// [`prefault`](Self::prefault) helps there, too.)
///
/// Where memory is refused, the value comes back, and nothing is lost: there is no gap. All threads that were about to
/// push behind what there is are refused then; when they have got their answer, the next one asks the system again.
///
/// # Forks
///
/// In the child of a `fork`, pushes that other threads had begun are never finished: the prefix ends before them, and only
/// [`get`](Self::get) and [`iter_finished`](Self::iter_finished) find elements pushed after them.
///
/// If another thread was taking memory at the fork, calls that need memory or report on it, such as
/// [`max_len`](Self::max_len) and [`stats`](Self::stats), fail in the child with [`Busy`](crate::ErrorKind::Busy). So may
/// pushes for which there is memory. If another thread was being refused memory at the fork, pushes may be refused. Both
/// end when the child calls [`as_mut_vec`](Self::as_mut_vec), or another method that takes `&mut self`, after which the
/// array has the prefix. Only memory that a [`Backing`](crate::Backing) supplies stays as it is if a call of it was cut
/// off. No call waits for a thread that the child does not have. All other calls work.
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
    /// Elements come in and are seen by `&self`.
    elements: PhantomData<UnsafeCell<T>>,
}

// SAFETY: by `&SharedVec<T>` a thread can put a `T` there that another takes out, for which it is `Send`, and several
// can have a `&T`, for which it is `Sync`. All else is atomics, and a lock.
unsafe impl<T: Send + Sync> Sync for SharedVec<T> {}

// What a panic can leave half done is an element, which is `T`'s own concern: no user code runs here in between.
impl<T: UnwindSafe> UnwindSafe for SharedVec<T> {}
impl<T: UnwindSafe + RefUnwindSafe> RefUnwindSafe for SharedVec<T> {}

/// What a call gets that comes out of one which takes memory.
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
            claim => self.claim_slowly(&claim).map(|place| place.expect("not one place alone")),
        }
    }

    /// Takes so many places, one behind the other, and returns the first.
    fn claim_many(&self, count: usize) -> Result<usize, Error> {
        if Self::IS_UNSIZED {
            return self.count_up(count);
        }
        match self.places.claim_many(count) {
            Claim::Place(place) => Ok(place),
            claim => self.claim_slowly(&claim).map(|place| place.expect("not one place alone")),
        }
    }

    /// Takes a place if it is the next one; whether it was.
    fn claim_exactly(&self, place: usize) -> Result<bool, Error> {
        if Self::IS_UNSIZED {
            return match place < self.places.committed() {
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
        self.places.count_up(count, self.places.committed()).ok_or_else(|| self.full())
    }

    #[cold]
    fn full(&self) -> Error {
        let most = self.places.committed();
        let sized_by = if most == usize::MAX { SizedBy::Default } else { SizedBy::Option };
        Error::full(sized_by, 0, most).of(Holder::SharedVec)
    }

    /// With the lock.
    #[cold]
    #[inline(never)]
    fn claim_slowly(&self, claim: &Claim) -> Result<Option<usize>, Error> {
        let mut guard = match self.memory.lock() {
            Ok(guard) => guard,
            Err(Held::Here) => return self.places.claim_again(claim).map(Some).ok_or_else(busy),
            Err(Held::Elsewhere) => return Err(busy()),
        };
        let memory = &mut *guard;
        let claimed = self.places.claim_locked(claim, &mut |need| {
            let before = memory.committed();
            let grown = match claim {
                Claim::Ticket(_) => memory.grow_or_fill_up(need),
                _ => memory.grow(need),
            };
            self.tell(memory, before);
            grown
        });
        claimed.map_err(|refusal| match refusal {
            Refusal::Memory(error) => error,
            Refusal::Closed => memory.refused.unwrap_or_else(busy),
        })
    }

    /// Says where memory is, and from where on there is to be more.
    fn tell(&self, memory: &mut Memory<T>, before: usize) {
        let flags = memory.flags.as_mut_ptr().cast();
        self.places.set_memory(memory.elements.as_mut_ptr().cast(), flags);
        let committed = memory.committed();
        let step = committed.saturating_sub(before);
        let is_last = step == 0 || committed >= memory.max_len();
        self.places.set_ahead_from(if is_last { usize::MAX } else { committed - step / 4 });
    }

    /// Writes an element, and has others see it.
    ///
    /// # Safety
    ///
    /// - The caller has claimed the place, and nobody else writes there.
    #[inline]
    unsafe fn put(&self, place: usize, value: T) -> &T {
        // SAFETY: claimed, so it has memory; or it has no size, and is nowhere.
        let to = unsafe { self.at(place) };
        // SAFETY: the place is the caller's alone, aligned, and holds no element yet.
        unsafe { to.write(value) };
        if !Self::IS_UNSIZED {
            // SAFETY: claimed by the caller.
            let may_be_crowded = unsafe { self.places.may_be_crowded(place) };
            // SAFETY: just written. (What has no size was seen when it was counted.)
            if unsafe { self.places.publish(place) } {
                self.note(place);
            }
            if may_be_crowded {
                self.step_aside(place);
            }
        }
        // SAFETY: written, and nobody writes there again while `self` is borrowed.
        unsafe { &*to }
    }

    /// Lets another thread push for a moment, where two seem to be at it.
    ///
    /// Else they would take lines of memory from each other at each push: the number of the next place, the elements'
    /// and the flags'. Measured, two threads that do nothing but push 8 bytes: 20 ns a push without this, 9 with it,
    /// 24 with a quarter of the pause, and 18 to 45 where both pause.
    #[cold]
    #[inline(never)]
    fn step_aside(&self, place: usize) {
        const PAUSES: usize = 64;
        if self.places.steps_aside(place) {
            (0..PAUSES).for_each(|_| hint::spin_loop());
        }
    }

    /// The last place of a run, or one behind it, is published.
    #[inline]
    fn note(&self, place: usize) {
        if self.places.note(place) {
            self.grow_ahead();
        }
    }

    /// Takes memory before somebody needs it, if nobody is at that.
    #[cold]
    #[inline(never)]
    fn grow_ahead(&self) {
        let Some(mut guard) = self.memory.try_lock() else { return };
        let memory = &mut *guard;
        let before = memory.committed();
        // Others need not come for it meanwhile; nor, if it is refused, before somebody needs it.
        self.places.set_ahead_from(usize::MAX);
        if before < memory.max_len() {
            // A refusal is told to who needs it.
            let _ = memory.try_grow(before + 1);
            self.tell(memory, before);
            self.places.raise_committed(memory.committed());
        }
    }

    /// Where a place is.
    ///
    /// # Safety
    ///
    /// - It was claimed.
    #[inline]
    unsafe fn at(&self, place: usize) -> *mut T {
        if Self::IS_UNSIZED {
            return std::ptr::dangling_mut();
        }
        // SAFETY: within memory, since it was claimed.
        unsafe { self.places.start().cast::<T>().add(place) }
    }
}
