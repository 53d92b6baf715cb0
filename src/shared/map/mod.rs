//! [`SharedSlotMap`], a slot map that many threads insert into, read and remove from at the same time; and its
//! iterators.

// # Why this is sound
//
// A map is shared for a *phase*, which begins and ends when its owner has exclusive access, by `&mut self`.
//
// **Tickets.** [`Places`] gives out numbers from 0 on, each once in a phase; the source of [`SharedVec`](super) says
// why. What is a place there is a *ticket* here, and a ticket that is `committed` has a slot. [`TicketMap`] says which:
// the first tickets stand for holes, one for each in a list, and the others for consecutive slots past the last one. So
// different tickets have different slots. All of these were vacant when the phase began: a map records as a hole only a
// vacant slot, and only once (see `slot_map/mod.rs`). A thread fills a slot without a look at its state, so memory
// safety depends on this. Nothing else uses the slots, since holes in the list are no longer holes of the map. The list
// is extended only with the growth lock held, before more tickets are committed, and never after the first ticket for a
// slot past the last one. So the slot of a committed ticket never changes, and a thread that sees by acquire that a
// ticket is committed also sees the list. A slot has memory and a vacant state before its ticket is committed.
//
// **Slots.** In a phase, a state changes in two ways only:
//
// 1. From vacant to live, by the one thread that has the slot's ticket: by release, after it has written the value.
// 2. From live to vacant, by a compare-exchange that one thread wins. It leaves the value where it is.
//
// Nothing follows 2: only the owner makes the slot a hole again, which a later ticket may stand for. So a value is
// written once in a phase, before any thread sees its slot live by acquire, and is neither moved nor dropped. A thread
// that has seen it may use it for as long as it borrows the map, even if another thread removes it. `&mut self` proves
// that no thread uses it any more. So neither epochs nor reference counts are needed.
//
// **Removed values** are found by a bit that is set before 2. (If a slot with its bit set is live, a fork cut off the
// removal, and the value stays in the map.) So to the owner, a slot with its bit set that is not live holds a value, of
// the generation in its state. The owner makes it live again and removes it by the code that every map uses, so
// generations, retirement, floors and counts are as without threads.
//
// **Keys.** A hole that is filled gets the generation after its last one, and a slot past the last one that after its
// floor, as in a `SlotMap`; the state has it before the key is known. Since no slot is filled twice in a phase, no key
// is given out twice.
//
// **The growth lock** guards what takes memory: the map, whose fields only the holder of the lock or the owner changes.
// The holder may read the states of the map's holes, which no ticket stands for and to which no thread writes
// meanwhile. It may write the states of slots past the map's end, which no thread reads before the end is raised, by
// release. All other accesses to states are atomic.
//
// No user code runs between a claim and the moment the slot is live: values are moved, and keys, whose code may be the
// user's, are made before or after. Backings run with the lock held; re-entrant calls and unwinding are handled as in
// `SharedVec`.
//
// (In the child of a `fork`, another thread may have had a ticket that it had not used yet. There the owner looks for
// slots of tickets that are neither live nor have their bit set, and makes them holes: no thread will fill them.)

#![expect(unsafe_code, reason = "asserts that threads may share a map")]

// In the order in which the documentation lists their methods.
mod builder;

mod access;
mod insert;

mod remove;

mod iter;
mod memory;
mod owned;

#[cfg(test)]
mod tests;
mod tickets;
mod traits;
mod view;

pub use builder::SharedSlotMapBuilder;
pub use iter::{Iter, Keys, Values};
pub use owned::{Drain, MapMut};

use super::lock::GrowthLock;
use super::places::Places;
use super::sync;
use crate::error::Error;
use crate::key::Key;
#[cfg(doc)]
use crate::slot_map::SlotMap;
use crate::slots::state::State;
use memory::Memory;
use std::cell::UnsafeCell;
use std::marker::PhantomData;
use std::panic::{RefUnwindSafe, UnwindSafe};
use tickets::Removals;
use view::{LiveSlot, SharedView};

/// A [`SlotMap`] that many threads can insert into, read and remove from at the same time, through `&self`.
///
/// [`insert`](Self::insert) takes no lock unless the map needs memory, and never waits for another thread's insertion.
/// The value has its key at once, for every thread, and never moves. [`get`](Self::get) takes one load and one
/// comparison more than that of a `SlotMap`, whatever other threads do meanwhile.
///
/// # What is removed
///
/// After [`remove`](Self::remove), no thread finds the value by its key. It stays in place for threads that have a
/// reference to it until the *owner* takes the map by `&mut`: through [`as_mut_map`](Self::as_mut_map),
/// [`into_inner`](Self::into_inner), or a drop. Then it is dropped, and its slot can be filled again. Between two such
/// moments, each insertion takes another slot.
///
/// # When to use it
///
/// Use it if several threads look up values while others insert or remove, and if there are moments, between frames,
/// jobs or phases of a simulation, at which one thread has exclusive access. At such moments removed values are
/// dropped, and every method of `SlotMap` is available.
///
/// Do not use it if values come and go all the time and no thread ever has exclusive access, as for a `static`: slots
/// are never reused then. If threads do little but insert and remove, a `SlotMap` in a lock is as fast or faster.
/// [`insert_many`](Self::insert_many) claims slots for up to 64 values at once, for a fraction of the contention.
///
/// # Keys
///
/// As for a [`SlotMap`], a key never finds another value than its own: no slot is filled twice with the same
/// generation, and slots whose generations are used up are retired. Keys stay valid when the map is [converted
/// into](Self::into_inner) a `SlotMap` or [from](From) one.
///
/// Threads fill holes first, in about the order of [`Reuse`](crate::Reuse), then slots past the last one. With
/// [`Rotating`](crate::Reuse::Rotating), `min_free` holes stay unused until the owner takes the map, even if there is
/// no other room.
///
/// # Memory
///
/// As for a [`SlotMap`], plus one bit per slot, plus 8 bytes for each hole that is filled while the map is shared,
/// which [`shrink_to_fit`](Self::shrink_to_fit) returns. The thread that needs memory takes it, and other threads wait
/// only if they need it, too. Usually memory is taken ahead, by the thread that passes three quarters of the newest
/// step. If memory is refused, the call returns the value, and nothing is lost.
///
/// # Forks
///
/// In the child of a `fork`, insertions that other threads had begun never finish. Their slots become holes when the
/// owner takes the map.
///
/// If another thread was taking memory or listing holes at the fork, calls that do so or report on it, such as
/// [`reserve`](Self::reserve), [`max_len`](Self::max_len) and [`stats`](Self::stats), fail in the child with
/// [`Busy`](crate::ErrorKind::Busy) until the owner takes the map, and insertions may fail. If another thread had begun
/// an insertion that needs memory, and the child is refused memory later, all insertions are refused until then. When the owner takes the map, the holes that the
/// thread was listing are found again, in O(n) of the slots; if slots are detached or retired, some of these holes may
/// count as detached. If a call to a [`Backing`](crate::Backing) was cut off, the memory that it supplies stays in the
/// state that it had at the fork. No call waits for a thread that the child does not have. All other calls work.
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
///                     assert!(job.ends_with(&n.to_string())); // still in place
///                 }
///             }
///         });
///     }
/// });
/// let map: &SlotMap<_, _> = &jobs.as_mut_map(); // drops the removed ones
/// assert_eq!(map.len(), 200);
/// ```
pub struct SharedSlotMap<K: Key, V> {
    view: SharedView<K, V>,
    places: Places,
    removals: Removals,
    memory: GrowthLock<Memory<K, V>>,
    /// Values are added and read through `&self`.
    values: PhantomData<UnsafeCell<V>>,
}

/// How many counts of [`Removals`] there are.
const REMOVAL_COUNTS: usize = 8;

// SAFETY: through `&SharedSlotMap<K, V>` one thread can add a `V` that another removes, which `V: Send` allows, and
// several threads can hold a `&V`, which `V: Sync` allows. Keys are made by the thread that asks for them. All else is
// atomic, locked, or changed only through `&mut`.
unsafe impl<K: Key, V: Send + Sync> Sync for SharedSlotMap<K, V> {}

// A panic can leave only a value half changed, which is `V`'s own concern: no user code runs within a change of the
// map.
impl<K: Key, V: UnwindSafe> UnwindSafe for SharedSlotMap<K, V> {}
impl<K: Key, V: UnwindSafe + RefUnwindSafe> RefUnwindSafe for SharedSlotMap<K, V> {}

impl<K: Key, V> SharedSlotMap<K, V> {
    const fn empty() -> Self {
        Self {
            view: SharedView::new(),
            places: Places::new(0),
            removals: Removals::new(),
            memory: GrowthLock::new(Memory::new()),
            values: PhantomData,
        }
    }

    /// Returns the slot of a key, if it is live.
    #[inline]
    fn find(&self, key: K) -> Option<LiveSlot<'_, V>> {
        let (index, generation) = self.view.type_id().parts(key.data());
        self.view.slot(index)?.live_with(index, generation)
    }

    /// Makes a live slot vacant, and returns whether this thread did: another may have been faster.
    #[inline]
    fn vacate(&self, found: &LiveSlot<'_, V>) -> Result<bool, Error> {
        let (index, generation) = (found.index, found.generation);
        let (bits, bit) = loop {
            match self.view.removed(index) {
                Some(found) => break found,
                None => self.cover_removed(index)?,
            }
        };
        let live = State::live(generation).to_bits();
        let vacant = State::vacant(generation).to_bits();
        let is_mine = tickets::vacate(found.slot().state(), (live, vacant), bits, bit);
        if is_mine {
            self.removals.note(index as usize);
        }
        Ok(is_mine)
    }

    /// Returns the end of the slots that may hold values.
    fn end(&self) -> usize {
        self.view.end_of(self.issued())
    }
}
