//! Removing values.

use crate::container::remove_many_method;
use crate::key::{Key, Layout};
use crate::slot_map::{Drain, ExtractIf, Reuse, SlotMap};
use crate::slots::array::Slots;
use crate::slots::cursor::Picked;
use crate::slots::holes::Holes;
use crate::slots::state::Vacant;
use crate::slots::vacancy::Fresh;
use std::mem;
use std::ops::Range;

/// Values in the slots of one word, which are removed and dropped when this is dropped.
struct Rejected<'m, K: Key, V> {
    map: &'m mut SlotMap<K, V>,
    picked: Picked,
}

impl<K: Key, V> Rejected<'_, K, V> {
    #[inline]
    fn pick_rejected(&mut self, slots: Range<usize>, keep: &mut impl FnMut(K, &mut V) -> bool) {
        let mint = self.map.mint();
        self.map.slots.select_in(slots, &mut self.picked, |index, generation, value| {
            !keep(mint.key(index, generation), value)
        });
    }
}

impl<K: Key, V> Drop for Rejected<'_, K, V> {
    #[inline]
    fn drop(&mut self) {
        /// Slots that are marked as holes before their values are removed. If dropping a value panics, the others stay.
        struct Marked<'m, K: Key, V>(&'m mut SlotMap<K, V>, Picked);

        impl<K: Key, V> Drop for Marked<'_, K, V> {
            #[inline]
            fn drop(&mut self) {
                while let Some(index) = self.1.pop_front() {
                    self.0.holes.unmark(index);
                }
            }
        }

        if self.picked.is_empty() {
            return;
        }
        self.map.fresh.end = 0;
        self.map.holes.mark_picked(self.picked);
        let mut marked = Marked(self.map, self.picked);
        while let Some(index) = marked.1.pop_front() {
            drop(marked.0.take_marked(index));
        }
    }
}

impl<K: Key, V> SlotMap<K, V> {
    /// The last generation that keys can have.
    const LAST_GENERATION: u32 = <K::Layout as Layout>::MAX_GENERATION;

    /// The highest generation that [`clear`](SlotMap::clear) may start all slots above. Half of all generations are
    /// left then; it is 0 if keys have few.
    const FLOOR_OF_ALL: u32 =
        if Self::LAST_GENERATION < 1 << 20 { 0 } else { Self::LAST_GENERATION / 2 };

    /// Removes a value and returns it; `None` if it is not in the map. O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::SlotMap;
    /// let mut map = SlotMap::new();
    /// let key = map.insert(42);
    /// assert_eq!(map.remove(key), Some(42));
    /// assert_eq!(map.remove(key), None);
    /// ```
    #[expect(clippy::inline_always, reason = "as for `insert`")]
    #[inline(always)]
    pub fn remove(&mut self, key: K) -> Option<V> {
        let (index, generation) = self.parts_of(key);
        self.remove_at(index, generation)
    }

    remove_many_method! {
        "values", |map| map.slots.ahead();
        /// # Examples
        ///
        /// ```
        /// # use stayput::SlotMap;
        /// let mut map = SlotMap::new();
        /// let keys = [map.insert(1), map.insert(2)];
        /// assert_eq!(map.remove_many([keys[0], keys[0], keys[1]]), 2);
        /// ```
    }

    /// Removes a value, but keeps its slot and key, so that [`reattach`](Self::reattach) can insert a value under the
    /// same key. O(1).
    ///
    /// Until then, the key finds nothing, and the slot is not reused.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::SlotMap;
    /// let mut map = SlotMap::new();
    /// let key = map.insert(42);
    /// assert_eq!(map.detach(key), Some(42));
    /// assert_eq!(map.get(key), None);
    /// map.reattach(key, 43);
    /// assert_eq!(map[key], 43);
    /// ```
    pub fn detach(&mut self, key: K) -> Option<V> {
        let (index, generation) = self.parts_of(key);
        let value = self.slots.take(index, generation, Vacant::after(generation))?;
        self.detached += 1;
        Some(value)
    }

    /// Retains only the values for which `keep` returns `true`, and drops the others, in the order of addresses.
    ///
    /// `keep` is called for up to 64 values before the first of them is dropped, which avoids mispredicted branches. If
    /// it panics, values that it has rejected are dropped, and later values stay. If the drop of a value panics, later
    /// values stay. (If dropping a rejected value panics while a panic of `keep` unwinds, the process aborts.)
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{DefaultKey, SlotMap};
    /// let mut map: SlotMap<DefaultKey, u32> = (0..6).collect();
    /// map.retain(|_, n| *n % 2 == 0);
    /// assert!(map.values().eq(&[0, 2, 4]));
    /// ```
    pub fn retain<F: FnMut(K, &mut V) -> bool>(&mut self, mut keep: F) {
        let mut candidates = self.candidates();
        while let Some(word) = candidates.next_word(self.holes.words()) {
            if let Some(run) = word.as_run() {
                let picked = Picked::from(run.start);
                Rejected { map: self, picked }.pick_rejected(run, &mut keep);
                continue;
            }
            let picked = Picked::from(word.start() as usize);
            let mut rejected = Rejected { map: self, picked };
            let SlotMap { slots, holes, .. } = &*rejected.map;
            slots.prefetch_ahead_of(word, holes.words());
            word.bits().for_each(|at| rejected.pick_rejected(at..at + 1, &mut keep));
        }
    }

    /// Returns an iterator that removes the values for which the predicate returns `true`, each when `next` reaches it,
    /// in the order of addresses.
    ///
    /// Values that it has not reached when it is dropped or leaked stay in the map, and so does a value for which the
    /// predicate panics.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{DefaultKey, SlotMap};
    /// let mut map: SlotMap<DefaultKey, u32> = (0..6).collect();
    /// let odd: Vec<u32> = map.extract_if(|_, n| *n % 2 == 1).map(|(_, n)| n).collect();
    /// assert_eq!(odd, [1, 3, 5]);
    /// assert!(map.values().eq(&[0, 2, 4]));
    /// ```
    pub fn extract_if<F: FnMut(K, &mut V) -> bool>(
        &mut self,
        predicate: F,
    ) -> ExtractIf<'_, K, V, F> {
        ExtractIf::new(self, predicate)
    }

    /// Removes all values and returns them as an iterator, in the order of addresses. If the iterator is dropped, the
    /// remaining values are dropped; if it is leaked, they stay in the map.
    ///
    /// Each slot continues with its next generation. Of these slots, the lowest is filled first, after the most recent
    /// holes ([`Reuse::Rotating`] begins elsewhere). [`clear`](Self::clear) is often faster if
    /// the values are not needed.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{DefaultKey, SlotMap};
    /// let mut map: SlotMap<DefaultKey, u32> = (0..3).collect();
    /// assert!(map.drain().map(|(_, n)| n).eq([0, 1, 2]));
    /// assert!(map.is_empty());
    /// ```
    pub fn drain(&mut self) -> Drain<'_, K, V> {
        Drain::new(self)
    }

    /// Removes all values. Their keys become stale, detached keys stay detached, and memory stays committed (see
    /// [`trim`](Self::trim)).
    ///
    /// # Time complexity
    ///
    /// O(n). But if all of the following hold, `clear` does not visit the slots: it raises the generation that all of
    /// them restart above, in O(1) plus at most 1/64 of the slots.
    ///
    /// - `V` does not need to be dropped.
    /// - Keys have at least 2^20 generations, as those of 64 bits without tags do, and fewer than half of them are used
    ///   up. Each such `clear` uses one generation of all slots.
    /// - No key came from [another map](Self::insert_at), and no slot is detached or retired.
    /// - The order is not [`Rotating`](Reuse::Rotating).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::SlotMap;
    /// let mut map = SlotMap::new();
    /// let old = map.insert(1);
    /// map.clear();
    /// let new = map.insert(2); // reuses the slot
    /// assert_eq!((map.get(old), map[new]), (None, 2));
    /// ```
    pub fn clear(&mut self) {
        if self.slots.len() == 0 {
            return;
        }
        // A live value has at most the generation after the highest that was removed.
        let floor = self.highest + 1;
        let is_kept = self.detached > 0 || self.holes.cold().retired > 0;
        let is_in_turn = matches!(self.holes.order(), Reuse::Rotating { .. });
        if mem::needs_drop::<V>() || is_kept || is_in_turn || floor > Self::FLOOR_OF_ALL {
            drop(self.drain());
            return;
        }
        self.forget_slots();
        self.holes.cold_mut().floors.set_all(floor);
        self.highest = floor;
    }

    fn forget_slots(&mut self) {
        self.fresh = Fresh::NONE;
        self.slots.truncate(0);
        self.holes.clear();
    }

    /// Removes all values and forgets all keys: the map is like a new one, but memory stays committed.
    ///
    /// The next values get keys that earlier values had, so a key from before the reset may find a value that it was
    /// not made for. This is harmless if no such key is left. [`Weak`](crate::Weak) pointers from before stay stale, as
    /// long as fewer than 2^32 - 2 maps and resets have used weak pointers.
    ///
    /// Clear secondary maps, too: they find what is left there under new keys that are equal to old ones. Under a later
    /// generation, it makes `try_insert` refuse new keys as [stale](crate::ErrorKind::StaleKey), and `insert` drop
    /// their values. None of this is needed after [`clear`](Self::clear).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{SecondaryMap, SlotMap};
    /// let mut map = SlotMap::new();
    /// let mut second = SecondaryMap::new();
    /// let first = map.insert("first");
    /// map.remove(first);
    /// second.insert(map.insert("second"), 2); // reuses the slot
    ///
    /// map.reset();
    /// second.clear();
    /// let new = map.insert("new");
    /// assert_eq!(new, first);
    /// second.insert(new, 3); // without `clear`, its key would be older than the one in its slot
    /// assert_eq!(second.get(new), Some(&3));
    /// ```
    pub fn reset(&mut self) {
        /// Forgets the keys even if dropping a value panics; the other values are dropped then, too.
        struct Forget<'m, K: Key, V>(&'m mut SlotMap<K, V>);

        impl<K: Key, V> Drop for Forget<'_, K, V> {
            fn drop(&mut self) {
                let map = &mut *self.0;
                map.forget_slots();
                map.detached = 0;
                map.holes.forget();
                map.highest = 0;
            }
        }

        let forget = Forget(self);
        let map = &mut *forget.0;
        let candidates = map.candidates();
        map.slots.drop_values(candidates, map.holes.words());
    }

    #[expect(clippy::inline_always, reason = "as for `insert`")]
    #[inline(always)]
    pub(crate) fn remove_at(&mut self, index: u32, generation: u32) -> Option<V> {
        self.remove_as(index, generation, |slots, holes| {
            let is_in_front = holes.push(index, generation);
            if is_in_front {
                slots.prefetch_hole(index);
            } else {
                Self::set_aside(slots, holes, index, generation);
            }
            is_in_front
        })
    }

    /// [`remove_at`](Self::remove_at), for removing many values in the order of their indices: their holes are filled
    /// in that order, too.
    #[inline]
    pub(in crate::slot_map) fn remove_in_order(
        &mut self,
        index: u32,
        generation: u32,
    ) -> Option<V> {
        self.remove_as(index, generation, |_, holes| {
            holes.mark(index);
            false
        })
    }

    /// Removes the value in a slot that is marked as a hole already.
    #[inline]
    fn take_marked(&mut self, index: u32) -> Option<V> {
        let Self { slots, holes, highest, .. } = self;
        let generation = slots.state(index).live_generation()?;
        slots.take_with(index, generation, |_, left| {
            if generation > *highest && !Self::raise(highest, generation) {
                holes.unmark(index);
                holes.retire(index);
                return Vacant::EMPTY;
            }
            left
        })
    }

    /// Removes a value after its slot was made a hole. `make_hole` returns whether the hole is in front, and so may be
    /// filled next.
    #[expect(clippy::inline_always, reason = "as for `insert`")]
    #[inline(always)]
    fn remove_as(
        &mut self,
        index: u32,
        generation: u32,
        make_hole: impl FnOnce(&Slots<V>, &mut Holes) -> bool,
    ) -> Option<V> {
        let Self { slots, holes, fresh, highest, .. } = self;
        slots.take_with(index, generation, |slots, left| {
            if generation > *highest && !Self::raise(highest, generation) {
                holes.retire(index);
                return Vacant::EMPTY;
            }
            if !make_hole(slots, holes) {
                fresh.end = 0;
            }
            left
        })
    }

    #[cold]
    #[inline(never)]
    fn set_aside(slots: &Slots<V>, holes: &mut Holes, index: u32, generation: u32) {
        holes.set_aside(index, generation, slots.states());
    }

    /// Records the generation of a removed value. Returns whether a later one exists; otherwise the slot is to be
    /// retired.
    #[cold]
    #[inline(never)]
    fn raise(highest: &mut u32, generation: u32) -> bool {
        *highest = generation.min(Self::LAST_GENERATION - 1);
        generation < Self::LAST_GENERATION
    }

    /// Records a generation that does not follow the last one of a slot.
    pub(in crate::slot_map) fn note_generation(&mut self, generation: u32) {
        self.highest = self.highest.max(generation.min(Self::LAST_GENERATION - 1));
    }

    /// Removes the value in a slot, if there is one.
    #[inline]
    pub(crate) fn take_at(&mut self, index: u32) -> Option<(u32, V)> {
        let generation = self.slots.state(index).live_generation()?;
        Some((generation, self.remove_in_order(index, generation)?))
    }
}
