//! What is to be had where nobody else has the map.

#![expect(unsafe_code, reason = "hands out the map, which others filled")]

use super::SharedSlotMap;
use super::memory::Memory;
use crate::key::Key;
use crate::os;
use crate::slot_map::{SlotMap, UnusedTickets};
use std::fmt;
use std::marker::PhantomData;
use std::mem;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

/// The values of a [`SharedSlotMap`] as a [`SlotMap`], made by [`SharedSlotMap::as_mut_map`].
///
/// If it is forgotten, no value is found any more, and none can be put in, until `as_mut_map` is called again.
pub struct MapMut<'a, K: Key, V> {
    /// Not looked at before the drop.
    shared: NonNull<SharedSlotMap<K, V>>,
    /// A part of it.
    map: NonNull<SlotMap<K, V>>,
    borrow: PhantomData<&'a mut SharedSlotMap<K, V>>,
}

// SAFETY: it is a `&mut SharedSlotMap<K, V>`, and a part of that.
unsafe impl<K: Key, V: Send> Send for MapMut<'_, K, V> {}
// SAFETY: by `&MapMut` there is but a `&SlotMap<K, V>` to be had.
unsafe impl<K: Key, V: Sync> Sync for MapMut<'_, K, V> {}

/// Whether there is something to be [collected](SharedSlotMap::collect).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Removed {
    None,
    Some,
}

impl<K: Key, V> SharedSlotMap<K, V> {
    /// All values as a [`SlotMap`], with all that can be done to one: even to put another in its place. Before that,
    /// values that were [removed](Self::remove) are dropped, and their slots are holes from now on.
    ///
    /// Linear in what was removed since this was last called; and if there was anything, in a 64th of the slots, a bit
    /// each. What was made ready for insertions and not used goes back: fewer holes than there were insertions, and 64,
    /// if no more were [reserved](Self::reserve).
    ///
    /// # Panics
    ///
    /// If the drop of a removed value does; all others are dropped then, too.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut jobs = stayput::SharedSlotMap::new();
    /// let (key, _) = jobs.insert("sort");
    /// jobs.insert("count");
    /// jobs.remove(key);
    /// assert!(jobs.as_mut_map().values().eq(&["count"]));
    /// let (new, _) = jobs.insert("sum"); // into the same slot
    /// assert_eq!((jobs.get(key), jobs[new]), (None, "sum"));
    /// ```
    pub fn as_mut_map(&mut self) -> MapMut<'_, K, V> {
        /// Gives it back where a drop panics.
        struct Restoring<'a, K: Key, V>(&'a mut SharedSlotMap<K, V>);

        impl<K: Key, V> Drop for Restoring<'_, K, V> {
            fn drop(&mut self) {
                self.0.restore();
            }
        }

        let removed = self.withdraw();
        let restoring = Restoring(&mut *self);
        restoring.0.collect(removed);
        mem::forget(restoring);
        let mut shared = NonNull::from(self);
        // SAFETY: just borrowed, mutably.
        let map = NonNull::from(unsafe { shared.as_mut() }.memory.get_mut().sharing.map());
        MapMut { shared, map, borrow: PhantomData }
    }

    /// Has the map be as the owner's alone, but for what is to be collected; nothing is seen, and there are no tickets.
    fn withdraw(&mut self) -> Removed {
        let dealt = self.dealt();
        self.places.restore(0, 0);
        self.ground.withdraw();
        let removals = self.removals.iter_mut();
        let removed =
            removals.map(|count| mem::take(count.0.get_mut())).fold(0, usize::wrapping_add);
        let is_lost = self.memory.renew(|| Memory::new(SlotMap::with_key()));
        let memory = self.memory.get_mut();
        if memory.is_lent {
            // Somebody has forgotten to give it back.
            return Removed::None;
        }
        let is_forked = is_lost || memory.forks.is_some_and(|before| before != os::forks());
        let unused = match (is_lost, is_forked) {
            (true, _) => UnusedTickets::Anywhere,
            (false, true) => UnusedTickets::Some,
            (false, false) => UnusedTickets::None,
        };
        memory.is_lent = true;
        // SAFETY: no other ticket was dealt out that has its slot; and who has none writes nowhere.
        unsafe { memory.sharing.end(dealt, unused) };
        if removed > 0 || is_forked { Removed::Some } else { Removed::None }
    }

    /// Drops what was removed.
    fn collect(&mut self, removed: Removed) {
        if removed == Removed::Some {
            // SAFETY: a bit is set by who sees the slot live, and then it becomes vacant by one who takes the value out,
            // without changing the generation. He leaves the value there, and nobody fills the slot before the owner has
            // it, which is now. A bit is unset when its slot is looked at here.
            unsafe { self.memory.get_mut().sharing.collect() };
        }
    }

    /// Takes the map back.
    fn restore(&mut self) {
        let memory = self.memory.get_mut();
        // From now on, since what is there can be taken out.
        (memory.is_lent, memory.forks) = (false, Some(os::forks()));
        self.ground.begin(memory.sharing.begin());
        self.ground.set_extent(&memory.sharing.extent());
        self.places.restore(0, 0);
    }

    /// The values as a [`SlotMap`], with their keys. O(1) in memory: nothing moves. As [`as_mut_map`](Self::as_mut_map).
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{SharedSlotMap, SlotMap};
    ///
    /// let mut map = SlotMap::new();
    /// let first = map.insert(1);
    /// let shared = SharedSlotMap::from(map);
    /// let (second, address) = shared.insert(2);
    /// let address = std::ptr::from_ref(address);
    /// let map = shared.into_inner();
    /// assert_eq!((map[first], &raw const map[second]), (1, address));
    /// ```
    #[must_use]
    pub fn into_inner(mut self) -> SlotMap<K, V> {
        mem::take(&mut *self.as_mut_map())
    }

    /// The value of a key, to be changed. O(1).
    #[inline]
    pub fn get_mut(&mut self, key: K) -> Option<&mut V> {
        let (slot, _) = self.find(key)?;
        // SAFETY: live, and `&mut self` keeps others away for as long as it is borrowed.
        Some(unsafe { slot.value().as_mut() })
    }

    /// Gives memory behind the last value back to the system, as [`SlotMap::shrink_to_fit`] does, and what was taken
    /// to list holes.
    pub fn shrink_to_fit(&mut self) {
        self.as_mut_map().shrink_to_fit();
        self.memory.get_mut().sharing.shrink_list();
    }

    /// Drops all values, as [`SlotMap::clear`] does: keys stay stale, and memory stays.
    pub fn clear(&mut self) {
        self.as_mut_map().clear();
    }

    /// Keeps the values of which `keep` says so, and drops the others; see [`SlotMap::retain`].
    pub fn retain(&mut self, keep: impl FnMut(K, &mut V) -> bool) {
        self.as_mut_map().retain(keep);
    }

    /// Takes all values out; see [`SlotMap::drain`].
    ///
    /// # Examples
    ///
    /// ```
    /// let mut shared = stayput::SharedSlotMap::new();
    /// let (key, _) = shared.insert(1);
    /// assert!(shared.drain().eq([(key, 1)]));
    /// assert!(shared.is_empty());
    /// ```
    pub fn drain(&mut self) -> Drain<'_, K, V> {
        Drain::new(self.as_mut_map())
    }
}

impl<K: Key, V> Drop for SharedSlotMap<K, V> {
    fn drop(&mut self) {
        let removed = self.withdraw();
        if mem::needs_drop::<V>() {
            self.collect(removed);
        }
        // All other values are dropped with the map, which is a field.
    }
}

impl<K: Key, V> Deref for MapMut<'_, K, V> {
    type Target = SlotMap<K, V>;

    fn deref(&self) -> &SlotMap<K, V> {
        // SAFETY: borrowed for as long as `self`.
        unsafe { self.map.as_ref() }
    }
}

impl<K: Key, V> DerefMut for MapMut<'_, K, V> {
    fn deref_mut(&mut self) -> &mut SlotMap<K, V> {
        // SAFETY: as above.
        unsafe { self.map.as_mut() }
    }
}

impl<K: Key, V> Drop for MapMut<'_, K, V> {
    fn drop(&mut self) {
        // SAFETY: borrowed mutably for as long as `self`; nobody uses `map` any more.
        unsafe { self.shared.as_mut() }.restore();
    }
}

impl<K: Key, V: fmt::Debug> fmt::Debug for MapMut<'_, K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

crate::slots::walk::drain::drain! {
    /// An iterator that takes all values out of a [`SharedSlotMap`]; created by [`SharedSlotMap::drain`].
    ///
    /// Forgetting it has the same effect as forgetting a [`MapMut`].
    Drain<'a, K, V> of MapMut<'a, K, V>
}
