//! Methods that need exclusive access.

#![expect(unsafe_code, reason = "returns a reference to the map, which other threads filled")]

use super::super::places::Places;
use super::SharedSlotMap;
use super::memory::Memory;
use super::view::SharedView;
use crate::key::Key;
use crate::os;
use crate::slot_map::{SlotMap, UnusedTickets};
use std::fmt;
use std::mem;
use std::ops::{Deref, DerefMut};

/// The values of a [`SharedSlotMap`] as a [`SlotMap`].
///
/// This struct is created by [`SharedSlotMap::as_mut_map`]. See its documentation for more.
///
/// If it is leaked, no value is found and none can be inserted until `as_mut_map` is called again.
pub struct MapMut<'a, K: Key, V> {
    view: &'a mut SharedView<K, V>,
    places: &'a mut Places,
    /// Invariant: its map is not shared. `as_mut_map` has ended that, and only the drop begins it again.
    memory: &'a mut Memory<K, V>,
}

/// Whether there may be removed values to [collect](SharedSlotMap::collect).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Removed {
    None,
    Some,
}

impl<K: Key, V> SharedSlotMap<K, V> {
    /// Returns a guard that derefs to all values as a [`SlotMap`]. Every method of `SlotMap` is available, and it can
    /// even be replaced. Values that were [removed](Self::remove) are dropped first, and their slots become holes.
    ///
    /// O(n) in the values removed since the last call, and in the holes that were prepared for insertions and not used:
    /// fewer than there were insertions, plus 64, unless more were [reserved](Self::reserve). If any value was removed,
    /// plus 1/64 of the slots.
    ///
    /// # Panics
    ///
    /// If dropping a removed value panics. All other removed values are dropped nevertheless.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut jobs = stayput::SharedSlotMap::new();
    /// let (key, _) = jobs.insert("sort");
    /// jobs.insert("count");
    /// jobs.remove(key);
    /// assert!(jobs.as_mut_map().values().eq(&["count"]));
    /// let (new, _) = jobs.insert("sum"); // reuses the slot
    /// assert_eq!((jobs.get(key), jobs[new]), (None, "sum"));
    /// ```
    pub fn as_mut_map(&mut self) -> MapMut<'_, K, V> {
        let removed = self.withdraw();
        // Restores the map if a drop panics.
        let map = MapMut {
            view: &mut self.view,
            places: &mut self.places,
            memory: self.memory.get_mut(),
        };
        map.memory.collect(removed);
        map
    }

    /// Ends the phase: threads see no value, and there are no tickets. Removed values are not collected yet.
    fn withdraw(&mut self) -> Removed {
        let issued = self.issued();
        self.places.restore(0, 0);
        self.view.withdraw();
        let removed = self.removals.take();
        let is_lost = self.memory.replace_if_held(|| Memory::new());
        let memory = self.memory.get_mut();
        if memory.is_lent() {
            // The last `MapMut` was leaked.
            return Removed::None;
        }
        let is_forked = is_lost || memory.forks.is_some_and(|before| before != os::forks());
        let unused = match (is_lost, is_forked) {
            (true, _) => UnusedTickets::Anywhere,
            (false, true) => UnusedTickets::Some,
            (false, false) => UnusedTickets::None,
        };
        // SAFETY: at most `issued` tickets that have slots were issued, and others write nowhere. `&mut self` guarantees
        // that no thread uses the map, and `view` and `places` have forgotten it.
        unsafe { memory.sharing.end(issued, unused) };
        if removed > 0 || is_forked { Removed::Some } else { Removed::None }
    }

    /// Converts the values into a [`SlotMap`], with their keys. No value moves. Takes as long as
    /// [`as_mut_map`](Self::as_mut_map).
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

    /// Returns a mutable reference to the value of a key. O(1).
    #[inline]
    pub fn get_mut(&mut self, key: K) -> Option<&mut V> {
        let mut place = self.find(key)?.slot().place();
        // SAFETY: the slot is live, so its value is initialized and aligned; `&mut self` guarantees exclusive access while
        // it is borrowed.
        Some(unsafe { place.as_mut() })
    }

    /// Returns the memory after the last value to the system, as [`SlotMap::shrink_to_fit`] does, and the memory of the
    /// list of holes.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut jobs = stayput::SharedSlotMap::new();
    /// let keys: Vec<_> = (0..100_000).map(|n| jobs.insert(n).0).collect();
    /// keys[10..].iter().for_each(|key| _ = jobs.remove(*key));
    /// jobs.shrink_to_fit();
    /// assert!(jobs.len() == 10 && jobs.stats().committed_bytes < 1 << 20);
    /// ```
    pub fn shrink_to_fit(&mut self) {
        self.as_mut_map().shrink_to_fit();
        self.memory.get_mut().sharing.shrink_list();
    }

    /// Removes all values, as [`SlotMap::clear`] does: their keys become stale, and memory stays committed.
    pub fn clear(&mut self) {
        self.as_mut_map().clear();
    }

    /// Retains only the values for which `keep` returns `true`; see [`SlotMap::retain`].
    pub fn retain(&mut self, keep: impl FnMut(K, &mut V) -> bool) {
        self.as_mut_map().retain(keep);
    }

    /// Removes all values and returns them as an iterator; see [`SlotMap::drain`].
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
            self.memory.get_mut().collect(removed);
        }
        // The map, which is a field, drops all other values.
    }
}

impl<K: Key, V> Memory<K, V> {
    /// Removes and drops the values that threads have removed.
    fn collect(&mut self, removed: Removed) {
        if removed == Removed::Some {
            // SAFETY: a thread that sees a slot live sets its bit, and then one thread makes the slot vacant, without
            // changing the generation. The value stays in place, and no thread fills the slot before the owner takes
            // the map, which is now. The bit is cleared when its slot is visited here.
            unsafe { self.sharing.collect() };
        }
    }
}

impl<K: Key, V> Deref for MapMut<'_, K, V> {
    type Target = SlotMap<K, V>;

    fn deref(&self) -> &SlotMap<K, V> {
        // SAFETY: the map is not shared before the drop of `self`: see `memory`.
        unsafe { self.memory.sharing.map() }
    }
}

impl<K: Key, V> DerefMut for MapMut<'_, K, V> {
    fn deref_mut(&mut self) -> &mut SlotMap<K, V> {
        // SAFETY: the map is not shared before the drop of `self`: see `memory`.
        unsafe { self.memory.sharing.map_mut() }
    }
}

impl<K: Key, V> Drop for MapMut<'_, K, V> {
    /// Shares the map again.
    fn drop(&mut self) {
        // From now on, values can be removed.
        self.memory.forks = Some(os::forks());
        self.view.begin(self.memory.sharing.begin());
        self.memory.show_to(self.view);
        self.places.restore(0, 0);
    }
}

debug_items!([K: Key, V: fmt::Debug] MapMut<'_, K, V>, debug_map, |map| map.iter());

crate::slots::walk::drain::drain! {
    /// An iterator that removes all values of a [`SharedSlotMap`].
    ///
    /// This struct is created by [`SharedSlotMap::drain`]. See its documentation for more.
    ///
    /// Leaking it has the same effect as leaking a [`MapMut`].
    Drain<'a, K, V> of MapMut<'a, K, V>
}
