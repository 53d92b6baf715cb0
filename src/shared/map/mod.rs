//! [`SharedSlotMap`]: a slot map into which many threads put values, in which others look them up meanwhile, and out of
//! which they take them; and its iterators.

// # Why this is sound
//
// A slot map is shared for a *phase*: from where the owner had it alone, by `&mut self`, to where he has it alone again.
//
// **Tickets.** [`Places`] deals out numbers in a phase, each once, from 0 on; why, stands in the source of the
// [array](super) that has it from there. What it has as places are *tickets* here, and those that are `committed` are such
// as have a slot. Which one, [`Deal`] says: the first tickets stand for holes, by a list that has one for each, the others
// for slots behind the last one, one after the other. Both are different slots for different tickets, all of them
// vacant when the phase began, and none is anybody else's: holes in the list are none of the map's holes any more.
// The list only grows, by who has the lock, and before more tickets are committed; and not any more once there is a
// ticket for a slot behind the last one. So what a committed ticket stands for never changes, and who sees by acquire that
// it is committed sees what is in the list, too. A slot has memory, and a state that says that it is vacant, before a
// ticket that stands for it is committed.
//
// **Slots.** In a phase, a state changes in two ways only:
//
// 1. From vacant to live, by who has the slot's ticket, and so by no other: by release, after he has written the value.
// 2. From live to vacant, by an exchange of which there is one winner, who leaves the value where it is.
//
// After 2 nothing follows, for the slot becomes a hole, which a ticket may stand for, in the hands of the owner only. So a
// value is written once in a phase, before all who see its slot live by acquire, and is neither moved nor dropped; who
// has seen that has it for as long as he borrows the map, whoever takes it out. `&mut self` proves that nobody has it
// any more. There are no epochs, and nothing is counted.
//
// **What was taken out** is found by a bit that is set before 2. (If a slot that has its bit is live, who wanted to take it
// out was cut off in between, by a fork; it stays in the map then.) So for the owner a slot with its bit that is not live
// holds a value, of the generation that its state has. He makes it live again, and takes it out as a map takes out any
// other, by the same code: so generations, retirement, floors and all counts are as they are without threads.
//
// **Keys.** A hole that is filled has the generation after its last one, a slot behind the last one that after its floor,
// as in a `SlotMap`, and the state has it from before the key is known. Since no slot is filled twice in a phase, no key
// is given twice.
//
// **The lock** is for what takes memory: the map itself, which has its own fields changed by who has the lock only,
// or the owner. He may read states of its holes, which no ticket stands for, and nobody writes to these meanwhile; and
// write to such of slots behind its end, which nobody looks at before the end is raised, by release. All other accesses
// to states are atomic.
//
// No user code runs between a claim and where the slot is live: values are moved, and keys are made, which may be code of
// a user's, before or after. Backings run with the lock held: that they may come back, or unwind, is seen to as for
// the array.
//
// (In the child of a `fork` there may be a ticket that another thread had taken and not used yet. There the owner looks for
// slots of tickets that are neither live nor have their bit, and makes holes of them: nobody else will come to fill them.)

#![expect(unsafe_code, reason = "writes to slots that were dealt out, and reads live ones")]

mod builder;
mod deal;
mod ground;
mod insert;
mod iter;
mod memory;
mod owned;
#[cfg(test)]
mod tests;
mod traits;

pub use builder::SharedSlotMapBuilder;
pub use iter::{Iter, Keys, Values};
pub use owned::{Drain, MapMut};

use super::lock::GrowthLock;
use super::places::Places;
use super::sync;
use crate::container::max_len_constructors;
use crate::error::{Error, or_give_up};
use crate::key::{DefaultKey, Key};
use crate::slot_map::SlotMap;
use crate::slots::slot_at::SlotAt;
use crate::slots::state::State;
use ground::{Ground, state_of};
use memory::Memory;
use std::cell::UnsafeCell;
use std::marker::PhantomData;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A [`SlotMap`] for many threads: they put values in by `&self`, look them up without a lock, and take them out.
///
/// [`insert`](Self::insert) takes no lock, unless memory has to be taken, and waits for nobody else's. The value has its
/// key at once, for every thread, and its address for good. [`get`](Self::get) is a load and a compare more than that of a
/// `SlotMap`, whatever others do meanwhile.
///
/// # What is removed
///
/// After [`remove`](Self::remove) no key finds the value any more, for any thread. But it stays where it is, for those
/// who have a reference to it, until the *owner* comes, who has the map by `&mut`: by [`as_mut_map`](Self::as_mut_map),
/// [`into_inner`](Self::into_inner), or a drop. Then it is dropped, and its slot can be filled again. So between two visits of
/// the owner a map takes up as many slots as there were values when it was shared, and insertions since.
///
/// # When to take it
///
/// Where several threads look up while values come in; and where there is a moment, between frames, jobs, or phases of a
/// simulation, at which one thread has the map. Between such moments threads insert and remove, at the moments what was
/// removed is collected, and all that a `SlotMap` has is at hand.
///
/// Where values come and go all the time and nobody ever has the map alone, as in a `static`, it is not the right one:
/// slots are never reused then. And where threads do little but insert and remove in turns, a `SlotMap` in a lock
/// is as fast, or faster. [`insert_many`](Self::insert_many) claims slots for up to 64 values at once, and costs threads
/// a fraction of the contention.
///
/// # Keys
///
/// As those of a [`SlotMap`]: never mistaken, for slots are retired, and none is filled twice without a new
/// generation. Keys stay as they are when it [becomes](Self::into_inner) a `SlotMap`, or is [made](From) of one.
///
/// Threads fill holes first, in about the order that [`Reuse`](crate::Reuse) says, then slots behind the last one.
/// [`Rotating`](crate::Reuse::Rotating) keeps `min_free` holes, also where there is no other room, until the owner comes.
///
/// # Memory
///
/// As of a [`SlotMap`], and one bit a slot besides; and 8 bytes for each hole that is filled while it
/// is shared, at most at a time, which [`shrink_to_fit`](Self::shrink_to_fit) gives back. Memory is
/// taken by the thread that needs it, which the others do not wait for unless they need it, too; most often it is taken
/// ahead, by one that passes three quarters of the newest step. Where it is refused, the value comes back, and nothing is
/// lost.
///
/// # Forks
///
/// In the child of a `fork`, insertions that other threads had begun are never finished. Their slots become holes when the
/// owner takes the map.
///
/// If another thread was taking memory or listing holes at the fork, calls that do so or report on it, such as
/// [`reserve`](Self::reserve), [`max_len`](Self::max_len) and [`stats`](Self::stats), fail in the child with
/// [`Busy`](crate::ErrorKind::Busy) until the owner takes the map; so may insertions. If another thread was being refused
/// memory at the fork, insertions may be refused until then. When the owner takes the map, it finds the holes that the
/// thread was listing (linear in the slots; if slots are detached or retired, some holes may count as detached). Only
/// memory that a [`Backing`](crate::Backing) supplies stays as it is if a call of it was cut off. No call waits for a
/// thread that the child does not have. All other calls work.
///
/// # Examples
///
/// ```
/// use stayput::{SharedSlotMap, SlotMap};
///
/// let mut jobs = SharedSlotMap::new();
/// std::thread::scope(|threads| {
///     for worker in 0..4 {
///         let jobs = &jobs;
///         threads.spawn(move || {
///             for n in 0..100 {
///                 let (key, job) = jobs.insert(format!("{worker}: {n}"));
///                 assert_eq!(jobs.get(key), Some(job));
///                 if n % 2 == 0 {
///                     jobs.remove(key);
///                     assert_eq!(jobs.get(key), None);
///                     assert!(job.ends_with(&n.to_string())); // it is there yet
///                 }
///             }
///         });
///     }
/// });
/// let map: &SlotMap<_, _> = &jobs.as_mut_map(); // here the others are dropped
/// assert_eq!(map.len(), 200);
/// ```
pub struct SharedSlotMap<K: Key, V> {
    ground: Ground<K>,
    places: Places,
    /// How many values were taken out: of those whose numbers are near, in one of these.
    removals: [Count; COUNTS],
    memory: GrowthLock<Memory<K, V>>,
    /// Values come in and are seen by `&self`.
    values: PhantomData<UnsafeCell<V>>,
}

/// Alone, so that not all who remove meet there.
#[repr(align(128))]
struct Count(AtomicUsize);

const COUNTS: usize = 8;

// SAFETY: by `&SharedSlotMap<K, V>` a thread can put a `V` there that another takes out, for which it is `Send`, and
// several can have a `&V`, for which it is `Sync`. Keys are made where they are asked for. All else is atomics, a lock, and
// what changes by `&mut` only.
unsafe impl<K: Key, V: Send + Sync> Sync for SharedSlotMap<K, V> {}

// What a panic can leave half done is a value, which is `V`'s own concern: no user code runs here in between.
impl<K: Key, V: UnwindSafe> UnwindSafe for SharedSlotMap<K, V> {}
impl<K: Key, V: UnwindSafe + RefUnwindSafe> RefUnwindSafe for SharedSlotMap<K, V> {}

impl<V> SharedSlotMap<DefaultKey, V> {
    /// An empty map with keys of type [`DefaultKey`]. Reserves and allocates nothing, and does not enter the kernel, until
    /// the first insertion.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{DefaultKey, SharedSlotMap};
    ///
    /// static NAMES: SharedSlotMap<DefaultKey, String> = SharedSlotMap::new();
    ///
    /// let (key, _) = NAMES.insert("Ada".to_string());
    /// assert_eq!(NAMES[key], "Ada");
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self::with_key()
    }

    max_len_constructors! {
        "map" of "slots", "Reserves the addresses now. For keys of another type, see \
        [`with_max_len_and_key`](Self::with_max_len_and_key).";
        /// # Examples
        ///
        /// ```
        /// let map = stayput::SharedSlotMap::with_max_len(1);
        /// map.insert('a');
        /// assert_eq!(map.try_insert('b').unwrap_err().value, 'b');
        /// ```
    }
}

impl<K: Key, V> SharedSlotMap<K, V> {
    /// An empty map with keys of any type; see [`new`](SharedSlotMap::new).
    #[must_use]
    pub const fn with_key() -> Self {
        Self {
            ground: Ground::new(),
            places: Places::new(0),
            removals: [const { Count(AtomicUsize::new(0)) }; COUNTS],
            memory: GrowthLock::new(Memory::new(SlotMap::with_key())),
            values: PhantomData,
        }
    }

    with_max_len!(with_max_len_and_key, try_with_max_len_and_key, "slots, retired ones included");

    /// Options: maximum, capacity, growth, huge pages, what is done in the background, which hole to fill first, a type
    /// number for the keys.
    pub const fn builder() -> SharedSlotMapBuilder<K, V> {
        SharedSlotMapBuilder::new()
    }

    /// The number of values. Those count that were put in, or are just being put in, by whomever, and were not taken out:
    /// so it is exact when no other call is under way.
    ///
    /// O(1): several counts are added up.
    pub fn len(&self) -> usize {
        // First, so that what comes and goes meanwhile is not counted as gone alone.
        let counts = self.removals.iter().map(|count| count.0.load(Ordering::Acquire));
        let removed = counts.fold(0, usize::wrapping_add);
        (self.ground.first_len() + self.dealt()).saturating_sub(removed)
    }

    /// Whether there are no values. As [`len`](Self::len).
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The type number of the map, if it was made with [one](SharedSlotMapBuilder::type_id). O(1).
    #[inline]
    pub const fn type_id(&self) -> Option<u32> {
        self.ground.number().get()
    }

    /// The slot of a key, if it is live, and what its state is.
    #[inline]
    fn find(&self, key: K) -> Option<(SlotAt<V>, Found)> {
        let (index, generation) = self.ground.number().parts(key.data());
        let slot = self.ground.slot(index)?;
        // SAFETY: it may be looked at, for as long as `self` is shared.
        let state = unsafe { state_of(slot) };
        let is_live = deal::seen(state) == State::live(generation).to_bits();
        is_live.then_some((slot, Found { index, generation }))
    }

    /// The value of a slot that was seen to be live.
    ///
    /// # Safety
    ///
    /// - It was, through this borrow of the map.
    #[expect(clippy::unused_self, reason = "what it returns lives no longer")]
    #[inline]
    unsafe fn value(&self, slot: SlotAt<V>) -> &V {
        // SAFETY: it was live, which is known by acquire, so the value was written; and nobody writes there, nor moves
        // or drops it, while `self` is borrowed.
        unsafe { slot.value().as_ref() }
    }

    /// The value of a key. O(1); no lock.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{DefaultKey, Key, SharedSlotMap};
    /// let map = SharedSlotMap::new();
    /// let (key, _) = map.insert("bar");
    /// assert_eq!(map.get(key), Some(&"bar"));
    /// assert_eq!(map.get(DefaultKey::null()), None);
    /// ```
    #[inline]
    pub fn get(&self, key: K) -> Option<&V> {
        let (slot, _) = self.find(key)?;
        // SAFETY: just seen.
        Some(unsafe { self.value(slot) })
    }

    /// Whether the key's value is in the map. O(1).
    #[inline]
    pub fn contains_key(&self, key: K) -> bool {
        self.find(key).is_some()
    }

    /// The value in a slot, whatever its generation, and its key. O(1).
    #[inline]
    pub fn get_by_index(&self, index: u32) -> Option<(K, &V)> {
        let slot = self.ground.slot(index)?;
        // SAFETY: it may be looked at, for as long as `self` is shared.
        let state = unsafe { state_of(slot) };
        let generation = State::from_bits(deal::seen(state)).live_generation()?;
        // SAFETY: just seen.
        let value = unsafe { self.value(slot) };
        Some((self.ground.mint().key(index, generation), value))
    }

    /// The key of a value in the map, from a reference to it; see [`SlotMap::key_of`]. `None` if it was taken out. O(1),
    /// one division.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::SharedSlotMap;
    /// let map = SharedSlotMap::new();
    /// let (key, value) = map.insert(1.5);
    /// assert_eq!((map.key_of(value), map.key_of(&2.5)), (Some(key), None));
    /// map.remove(key);
    /// assert_eq!(map.key_of(value), None);
    /// ```
    pub fn key_of(&self, value: &V) -> Option<K> {
        let index = self.ground.index_at::<V>(ptr::from_ref(value).addr())?;
        self.get_by_index(index).map(|(key, _)| key)
    }

    /// Removes a value: from then on, no thread finds it by its key. If several threads remove the same key, exactly one
    /// call returns the value. O(1); takes no lock.
    ///
    /// The value stays in place, and references to it stay valid, until the owner takes the map. It is dropped then, and
    /// its slot can be filled again; see [What is removed](Self#what-is-removed).
    ///
    /// # Panics
    ///
    /// If [`try_remove`](Self::try_remove) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::SharedSlotMap;
    /// let mut map = SharedSlotMap::new();
    /// let (key, value) = map.insert(42);
    /// assert_eq!(map.remove(key), Some(&42));
    /// assert_eq!((map.remove(key), map.get(key), *value), (None, None, 42));
    /// map.as_mut_map(); // here it is dropped
    /// ```
    #[inline]
    #[track_caller]
    pub fn remove(&self, key: K) -> Option<&V> {
        or_give_up(self.try_remove(key))
    }

    /// [`remove`](Self::remove), or the error; the value stays in the map then.
    ///
    /// # Errors
    ///
    /// Each slot has a bit that says that its value was removed. If the value came with a `SlotMap`, and memory for its bit
    /// was refused then, this asks for it again. Fails if it is refused again, or with
    /// [`Busy`](crate::ErrorKind::Busy) as [`try_insert`](Self::try_insert) does.
    #[inline]
    pub fn try_remove(&self, key: K) -> Result<Option<&V>, Error> {
        let Some((slot, found)) = self.find(key) else { return Ok(None) };
        if !self.take_out(slot, found)? {
            return Ok(None);
        }
        // SAFETY: just seen.
        Ok(Some(unsafe { self.value(slot) }))
    }

    /// Makes a slot vacant that was seen live; whether no other thread was faster.
    #[inline]
    fn take_out(&self, slot: SlotAt<V>, Found { index, generation }: Found) -> Result<bool, Error> {
        let (bits, bit) = loop {
            match self.ground.removed(index) {
                Some(found) => break found,
                None => self.cover_removed(index)?,
            }
        };
        let live = State::live(generation).to_bits();
        let vacant = State::vacant(generation).to_bits();
        // SAFETY: it was looked at just now.
        let is_mine = deal::take_out(unsafe { state_of(slot) }, (live, vacant), bits, bit);
        if is_mine {
            self.removals[index as usize / 64 % COUNTS].0.fetch_add(1, Ordering::Release);
        }
        Ok(is_mine)
    }

    /// Where slots end that may hold values.
    fn end(&self) -> usize {
        self.ground.end_of(self.dealt())
    }
}

/// Which slot was found, and with which generation.
#[derive(Clone, Copy)]
struct Found {
    index: u32,
    generation: u32,
}
