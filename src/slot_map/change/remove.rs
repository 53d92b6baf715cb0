//! Taking values out.

use crate::key::{Key, Layout};
use crate::slot_map::{Drain, ExtractIf, Reuse, SlotMap};
use crate::slots::array::Slots;
use crate::slots::cursor::Picked;
use crate::slots::holes::Holes;
use crate::slots::state::Vacant;
use crate::slots::vacancy::Fresh;
use std::mem;
use std::ops::Range;

/// Values in slots of one word that go when this is dropped.
struct Rejected<'m, K: Key, V> {
    map: &'m mut SlotMap<K, V>,
    picked: Picked,
}

impl<K: Key, V> Rejected<'_, K, V> {
    #[inline]
    fn judge(&mut self, slots: Range<usize>, keep: &mut impl FnMut(K, &mut V) -> bool) {
        let mint = self.map.mint();
        self.map.slots.select_in(slots, &mut self.picked, |index, generation, value| {
            !keep(mint.key(index, generation), value)
        });
    }
}

impl<K: Key, V> Drop for Rejected<'_, K, V> {
    #[inline]
    fn drop(&mut self) {
        // Taken out first, for the drop of the value may panic.
        while let Some(index) = self.picked.pop_front() {
            drop(self.map.take_at(index));
        }
    }
}

impl<K: Key, V> SlotMap<K, V> {
    /// The last generation that keys can have.
    const LAST_GENERATION: u32 = <K::Layout as Layout>::MAX_GENERATION;

    /// Up to this, all slots may start above the highest generation that one of them has had, for the sake
    /// of time: there are many left. (None where keys have few.)
    const FLOOR_OF_ALL: u32 =
        if Self::LAST_GENERATION < 1 << 20 { 0 } else { Self::LAST_GENERATION / 2 };

    /// Takes a value out. O(1).
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

    /// Takes out and drops the values of all these keys, and returns how many there were.
    ///
    /// In a large map this is faster than one call for each: the memory of a value is asked for some
    /// keys ahead of its turn. So keys may be taken out of the iterator up to 32 ahead.
    ///
    /// Should a drop, or the iterator, panic, what was taken out before is out, and all else stays, also
    /// what is named by keys that were taken ahead.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::SlotMap;
    /// let mut map = SlotMap::new();
    /// let keys = [map.insert(1), map.insert(2)];
    /// assert_eq!(map.remove_many([keys[0], keys[0], keys[1]]), 2);
    /// ```
    pub fn remove_many(&mut self, keys: impl IntoIterator<Item = K>) -> usize {
        let mut removed = 0;
        self.slots.ahead().each(keys, |key| removed += usize::from(self.remove(key).is_some()));
        removed
    }

    /// Takes a value out but keeps its slot and key for it, so that it can be put back by
    /// [`reattach`](Self::reattach). O(1).
    ///
    /// Until then the key finds nothing, and the slot is not reused.
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

    /// Keeps the values of which `keep` says so, and drops the others, in the order of addresses.
    ///
    /// It is asked of up to 64 values before the first of them that goes is dropped: so the processor need
    /// not guess each time what it will say. Should it panic, those that it rejected before go, and the
    /// values behind stay. Should the drop of a value panic, those behind stay. (Should both, in this order, the process
    /// ends, as by any panic on the way out of another.)
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
                Rejected { map: self, picked }.judge(run, &mut keep);
                continue;
            }
            let picked = Picked::from(word.start() as usize);
            let mut rejected = Rejected { map: self, picked };
            let SlotMap { slots, holes, .. } = &*rejected.map;
            slots.ask_behind(word, holes.words());
            word.bits().for_each(|at| rejected.judge(at..at + 1, &mut keep));
        }
    }

    /// Takes out, one by one as the iterator is asked, the values that the predicate names, in the order
    /// of addresses.
    ///
    /// What it has not come to when it is dropped, or forgotten, stays, as does a value at which the
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

    /// Takes all values out, in the order of addresses. What is left when the iterator is dropped
    /// is dropped; if it is forgotten, that stays in the map.
    ///
    /// Each slot goes on with its next generation, and the lowest is filled first. To drop all values,
    /// [`clear`](Self::clear) is often faster.
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

    /// Drops all values. Keys stay stale, detached ones detached, and memory stays committed; see
    /// [`trim`](Self::trim).
    ///
    /// Linear in the values. But O(1), and 1/64 of the holes, where values have nothing to drop, keys have
    /// 2^20 generations or more (as those of 64 bits without tags), none came from
    /// [another map](Self::insert_at), no slot is detached or retired, and the order is not
    /// [`Rotating`](Reuse::Rotating): then no slot is looked at, and all of them start above the highest
    /// generation that one had. (Each clear takes one generation of all slots. When half of all generations
    /// are gone, it is linear.)
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::SlotMap;
    /// let mut map = SlotMap::new();
    /// let old = map.insert(1);
    /// map.clear();
    /// let new = map.insert(2); // in the same slot
    /// assert_eq!((map.get(old), map[new]), (None, 2));
    /// ```
    pub fn clear(&mut self) {
        if self.slots.len() == 0 {
            return;
        }
        // The generation of a value is one more than the last that went, at most.
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

    /// Has no slot be below the length.
    fn forget_slots(&mut self) {
        self.fresh = Fresh::NONE;
        self.slots.truncate(0);
        self.holes.clear();
    }

    /// Drops all values, and forgets all keys there ever were: the map is as new, but for what is
    /// committed.
    ///
    /// The next values get keys that others had before: a key from before may then resolve to a
    /// value it was not made for. That harms nobody if no such key is left. [`Weak`](crate::Weak)
    /// pointers from before stay stale, for the first four thousand million maps and resets.
    ///
    /// Secondary maps are not told. Clear them as well: what is left there is found under the new
    /// keys that are equal to old ones, and where it was put in under a later generation, it has
    /// values under new keys refused as [stale](crate::ErrorKind::StaleKey) (by `insert`: dropped).
    /// [`clear`](Self::clear) asks for no such care.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{SecondaryMap, SlotMap};
    /// let mut map = SlotMap::new();
    /// let mut second = SecondaryMap::new();
    /// let first = map.insert("first");
    /// map.remove(first);
    /// second.insert(map.insert("second"), 2); // in the same slot
    ///
    /// map.reset();
    /// second.clear();
    /// let new = map.insert("new");
    /// assert_eq!(new, first);
    /// second.insert(new, 3); // without the `clear` it is older than what is there
    /// assert_eq!(second.get(new), Some(&3));
    /// ```
    pub fn reset(&mut self) {
        /// Forgets, even if the drop of a value panics; the other values are dropped then too.
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
    pub(in crate::slot_map) fn remove_at(&mut self, index: u32, generation: u32) -> Option<V> {
        self.remove_as(index, generation, |slots, holes| {
            let is_in_front = holes.push(index, generation);
            if is_in_front {
                slots.ask_for_hole(index);
            } else {
                Self::set_aside(slots, holes, index, generation);
            }
            is_in_front
        })
    }

    /// The same, for those who remove many in the order of indices: their holes are filled in that order,
    /// too.
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

    /// Takes a value out, after its slot was made a hole, which may be the next one only if `make_hole`
    /// says that it is in front.
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

    /// Takes notice of the generation of a value that goes. Whether there is one after it; else the slot is
    /// to be retired.
    #[cold]
    #[inline(never)]
    fn raise(highest: &mut u32, generation: u32) -> bool {
        *highest = generation.min(Self::LAST_GENERATION - 1);
        generation < Self::LAST_GENERATION
    }

    /// Takes notice of a generation that is not the one after the last one of a slot.
    pub(in crate::slot_map) fn note_generation(&mut self, generation: u32) {
        self.highest = self.highest.max(generation.min(Self::LAST_GENERATION - 1));
    }

    /// Takes out whatever is in a slot, for those who go over all of them.
    #[inline]
    pub(crate) fn take_at(&mut self, index: u32) -> Option<(u32, V)> {
        let generation = self.slots.state(index).live_generation()?;
        Some((generation, self.remove_in_order(index, generation)?))
    }
}
