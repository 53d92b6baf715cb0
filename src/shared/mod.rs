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
mod builder;
mod bulk;
mod gather;
mod iter;
mod lock;
pub mod map;
mod memory;
mod owned;
mod places;
#[cfg(test)]
mod tests;
mod traits;

pub use builder::SharedVecBuilder;
pub use bulk::Rest;
pub use gather::Gather;
pub use iter::IterFinished;
pub use map::{SharedSlotMap, SharedSlotMapBuilder};
pub use owned::{Drain, VecMut};

use crate::container::{
    capacity_constructors, max_len_constructors, prefault_methods, reserve_methods,
};
use crate::error::{Error, ErrorKind, Holder, Refused, SizedBy, or_give_up};
use crate::growing::{Amount, Budget, Prefaulted};
use crate::os;
use crate::vec::{VecStats, VmVec};
use lock::{GrowthLock, Held};
use memory::Memory;
use places::{Claim, Places, Refusal};
use std::cell::UnsafeCell;
use std::hint;
use std::marker::PhantomData;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::slice;

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

    /// An empty array. Reserves and allocates nothing, and does not enter the kernel, until the first push; see
    /// [`VmVec::new`].
    #[must_use]
    pub const fn new() -> Self {
        Self::over(VmVec::with_options(&memory::OPTIONS))
    }

    const fn over(elements: VmVec<T>) -> Self {
        let committed = if Self::IS_UNSIZED { elements.capacity() } else { 0 };
        Self {
            places: Places::new(committed),
            memory: GrowthLock::new(Memory::new(elements)),
            elements: PhantomData,
        }
    }

    capacity_constructors!("array" of "elements");

    max_len_constructors! {
        "array" of "elements", "Reserves the addresses now, but for the flags': those with the first memory.";
        /// # Examples
        ///
        /// ```
        /// let pair = stayput::SharedVec::with_max_len(2);
        /// pair.extend([1, 2]);
        /// assert!(pair.try_push(3).is_err());
        /// ```
    }

    /// Options: maximum, capacity, growth, huge pages, what is done in the background.
    pub const fn builder() -> SharedVecBuilder<T> {
        SharedVecBuilder::new()
    }

    /// Appends an element, and returns its index and where it lies for good. O(1), no copy; no lock, and no wait, unless
    /// memory has to be taken, for which it enters the kernel. (Of two threads that push at the very same time one
    /// pauses for a microsecond or so when it has pushed, by which both are faster.)
    ///
    /// # Panics
    ///
    /// If the array holds `max_len` elements, or the system refuses memory.
    #[inline]
    #[track_caller]
    pub fn push(&self, value: T) -> (usize, &T) {
        or_give_up(self.try_push(value))
    }

    /// [`push`](Self::push), or the error and the element.
    ///
    /// # Errors
    ///
    /// If the array holds `max_len` elements ([`MaxLen`](ErrorKind::MaxLen)); if the system refuses memory, to this
    /// thread or to another at the same time; [`Busy`](ErrorKind::Busy) if the call comes out of one that takes memory
    /// for this array (from a backing).
    #[inline]
    pub fn try_push(&self, value: T) -> Result<(usize, &T), Refused<T>> {
        match self.claim_one() {
            // SAFETY: just claimed.
            Ok(place) => Ok((place, unsafe { self.put(place, value) })),
            Err(error) => Err(Refused { error, value }),
        }
    }

    /// Appends what `make` makes of the index it will have.
    ///
    /// `make` is called before the place is taken, and again with another index where another thread was faster; no
    /// lock is held meanwhile, and if it panics nothing is left behind. (If it takes long, others may be faster again and
    /// again; and if it always pushes to this array itself, this goes on until the array is full.)
    ///
    /// # Panics
    ///
    /// As for [`push`](Self::push).
    ///
    /// # Examples
    ///
    /// ```
    /// struct Node { own: usize, parent: usize }
    ///
    /// let nodes = stayput::SharedVec::new();
    /// let (root, _) = nodes.push_with(|own| Node { own, parent: own });
    /// let (_, leaf) = nodes.push_with(|own| Node { own, parent: root });
    /// assert_eq!((leaf.own, leaf.parent), (1, 0));
    /// ```
    #[track_caller]
    pub fn push_with(&self, make: impl FnMut(usize) -> T) -> (usize, &T) {
        or_give_up(self.try_push_with(make))
    }

    /// [`push_with`](Self::push_with), or the error and the element.
    ///
    /// # Errors
    ///
    /// As for [`try_push`](Self::try_push).
    pub fn try_push_with(
        &self,
        mut make: impl FnMut(usize) -> T,
    ) -> Result<(usize, &T), Refused<T>> {
        loop {
            let next = self.places.claimed();
            let value = make(next);
            match self.claim_exactly(next) {
                // SAFETY: just claimed.
                Ok(true) => return Ok((next, unsafe { self.put(next, value) })),
                Ok(false) => {}
                Err(error) => return Err(Refused { error, value }),
            }
        }
    }

    /// Appends an element if that comes to be number `len`: if there are so many, and no other thread is about to append
    /// one. Else it comes back.
    ///
    /// # Errors
    ///
    /// The element comes back, with no error where there are more elements, or fewer; else as for
    /// [`try_push`](Self::try_push).
    ///
    /// # Examples
    ///
    /// ```
    /// let letters = stayput::SharedVec::from(['a', 'b']);
    /// assert_eq!(letters.push_if_len(2, 'c'), Ok(&'c'));
    /// assert_eq!(letters.push_if_len(2, 'd'), Err((None, 'd')));
    /// ```
    pub fn push_if_len(&self, len: usize, value: T) -> Result<&T, (Option<Error>, T)> {
        match self.claim_exactly(len) {
            // SAFETY: just claimed.
            Ok(true) => Ok(unsafe { self.put(len, value) }),
            Ok(false) => Err((None, value)),
            Err(error) => Err((Some(error), value)),
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

    /// How many elements there are before the first that is not finished yet. See [the prefix](Self#the-prefix).
    ///
    /// Linear in what was pushed since somebody last asked, or a run of 64 was full; else O(1).
    #[inline]
    pub fn len(&self) -> usize {
        if Self::IS_UNSIZED { self.places.counted() } else { self.places.published() }
    }

    /// Whether the prefix is empty. As [`len`](Self::len).
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All elements before the first that is not finished yet. The slice does not grow with the array. As
    /// [`len`](Self::len).
    #[inline]
    pub fn as_slice(&self) -> &[T] {
        let len = self.len();
        if len == 0 {
            return &[];
        }
        // SAFETY: published, so claimed.
        let first = unsafe { self.at(0) };
        // SAFETY: so many are published, which is known by acquire; nobody writes there while `self` is borrowed.
        unsafe { slice::from_raw_parts(first, len) }
    }

    /// The element at an index, whether it belongs to the prefix or not; `None` if there is none, or it is not finished
    /// yet. O(1).
    #[inline]
    pub fn get(&self, index: usize) -> Option<&T> {
        let is_there = if Self::IS_UNSIZED {
            index < self.places.counted()
        } else {
            self.places.is_published(index)
        };
        if !is_there {
            return None;
        }
        // SAFETY: published, so claimed.
        let element = unsafe { self.at(index) };
        // SAFETY: published, which is known by acquire; nobody writes there while `self` is borrowed.
        Some(unsafe { &*element })
    }

    /// The element at an index, which is not looked up. O(1).
    ///
    /// # Safety
    ///
    /// - There is an element: its push has returned, and this thread knows of it by way of that, as by what `push` gave it;
    ///   or [`get`](Self::get) or [`len`](Self::len) has said so in this thread. And [`clear`](Self::clear) and its like
    ///   have not taken it out since.
    ///
    /// # Examples
    ///
    /// ```
    /// let numbers = stayput::SharedVec::new();
    /// let (index, _) = numbers.push(7);
    /// // SAFETY: just pushed.
    /// assert_eq!(unsafe { numbers.get_unchecked(index) }, &7);
    /// ```
    #[inline]
    pub unsafe fn get_unchecked(&self, index: usize) -> &T {
        debug_assert!(self.get(index).is_some(), "there is no element {index}");
        // SAFETY: there is an element, by the caller's promise, so it was claimed.
        let element = unsafe { self.at(index) };
        // SAFETY: published, which this thread knows of; nobody writes there while `self` is borrowed.
        unsafe { &*element }
    }

    /// Returns an iterator over [the prefix](Self#the-prefix). Elements pushed later are not visited. For elements after the
    /// first unfinished one, see [`iter_finished`](Self::iter_finished). Takes as long as [`as_slice`](Self::as_slice).
    #[inline]
    pub fn iter(&self) -> slice::Iter<'_, T> {
        self.as_slice().iter()
    }

    /// The number of elements that fit into memory that was taken, with its flags. O(1). (After
    /// [`From`](Self#impl-From%3CVmVec%3CT%3E%3E-for-SharedVec%3CT%3E) an array it is the length: flags come with the
    /// first push.)
    #[inline]
    pub fn capacity(&self) -> usize {
        self.places.committed()
    }

    /// Returns the maximum number of elements; see [`VmVec::max_len`]. Waits for a thread that takes memory.
    ///
    /// # Panics
    ///
    /// If [`try_max_len`](Self::try_max_len) returns an error.
    #[track_caller]
    pub fn max_len(&self) -> usize {
        or_give_up(self.try_max_len())
    }

    /// [`max_len`](Self::max_len), or the error.
    ///
    /// # Errors
    ///
    /// [`Busy`](ErrorKind::Busy) as for [`try_reserve`](Self::try_reserve).
    pub fn try_max_len(&self) -> Result<usize, Error> {
        Ok(self.memory.lock().map_err(|_| busy())?.max_len())
    }

    /// Returns what the array holds and how much memory it takes, including its flags. The length is that of
    /// [the prefix](Self#the-prefix). Waits for a thread that takes memory; see [`VmVec::stats`].
    ///
    /// # Panics
    ///
    /// If [`try_stats`](Self::try_stats) returns an error.
    #[track_caller]
    pub fn stats(&self) -> VecStats {
        or_give_up(self.try_stats())
    }

    /// [`stats`](Self::stats), or the error.
    ///
    /// # Errors
    ///
    /// As for [`try_max_len`](Self::try_max_len).
    pub fn try_stats(&self) -> Result<VecStats, Error> {
        let memory = self.memory.lock().map_err(|_| busy())?;
        let (both, max_len) = (memory.elements.stats() + memory.flags.stats(), memory.max_len());
        drop(memory);
        Ok(VecStats { len: self.len(), capacity: self.capacity(), max_len, ..both })
    }

    reserve_methods! {
        &, "elements";
        /// They are counted from what was pushed until now, by whomever; the two may not exceed `usize::MAX` together, even
        /// if elements have no size. Enters the kernel if there is not room already. (Other threads may fill it first.)
    }

    fn make_room_for(&self, additional: usize, _: Amount) -> Result<(), Error> {
        self.room_for(additional).map(drop)
    }

    /// [`try_reserve`](Self::try_reserve), with the lock still held; and from where on.
    fn room_for(&self, additional: usize) -> Result<(lock::Guard<'_, Memory<T>>, usize), Error> {
        let mut guard = self.memory.lock().map_err(|_| busy())?;
        let memory = &mut *guard;
        // Elements that came with an array may have no flags, and there may be memory that places do not know of, where
        // a `VecMut` was forgotten.
        let (before, known) = (memory.committed(), self.places.committed());
        let first = self.places.claimed().min(known);
        let need = first.checked_add(additional);
        if need.is_none_or(|need| need > before.min(known)) {
            if Self::IS_UNSIZED {
                return Err(self.full());
            }
            let grown = memory.try_grow(need.unwrap_or(usize::MAX));
            self.tell(memory, before);
            self.places.raise_committed(memory.committed());
            grown?;
        }
        Ok((guard, first))
    }

    prefault_methods! {
        &, "elements";
        /// Threads that need more memory meanwhile wait; others go on pushing. On processors that cannot touch pages in use,
        /// which are all except x86 and 64-bit ARM, this makes room and then fails with
        /// [`Unsupported`](ErrorKind::Unsupported).
    }

    fn prefault_room(&self, additional: usize) -> Result<(), Error> {
        let (mut memory, first) = self.room_for(additional)?;
        if Self::IS_UNSIZED {
            return Ok(());
        }
        check_prefaulting_is_shared(Holder::SharedVec)?;
        memory.prefault(first, first + additional)
    }

    /// Makes memory behind what was pushed resident ahead of its use: see [`VmVec::prefault_ahead`], and
    /// [`prefault`](Self::prefault) for where it cannot.
    pub fn prefault_ahead(&self, budget: Budget) -> Prefaulted {
        self.try_prefault_ahead(budget).unwrap_or_else(Prefaulted::refused)
    }

    fn try_prefault_ahead(&self, budget: Budget) -> Result<Prefaulted, Error> {
        check_prefaulting_is_shared(Holder::SharedVec)?;
        let mut guard = self.memory.lock().map_err(|_| busy())?;
        let memory = &mut *guard;
        let before = memory.committed();
        let used = self.places.claimed().min(self.places.committed());
        let done = memory.prefault_ahead(used, budget);
        if !Self::IS_UNSIZED {
            self.tell(memory, before);
            self.places.raise_committed(memory.committed());
        }
        Ok(done)
    }
}
