//! Inserting and removing values.

use super::{Drain, Entry, ExtractIf, SecondaryMap, parts, unless_stale};
use crate::container::{remove_many_method, secondary_insert_methods};
use crate::error::{Error, ErrorKind, Refused};
use crate::key::Key;
use crate::slots::state::State;
use std::mem;

/// The slot for a key that is not stale. It is below the length.
pub(super) struct SlotPlace {
    index: u32,
    generation: u32,
    /// The state of the slot. If it is live, its generation is at most that of the key.
    state: State,
}

/// An entry borrows the map, so its place stays filled.
const FILLED: &str = "the place is filled";

impl<K: Key, V> SecondaryMap<K, V> {
    secondary_insert_methods!(
        SecondaryMap,
        "O(1); enters the kernel if committed memory is used up.",
        |self, key, value| {
            let (index, generation) = parts(key);
            match self.put(index, generation, value) {
                Ok(previous) => previous,
                Err(value) => {
                    self.insert_at_or_panic(index, generation, value);
                    None
                }
            }
        }
    );

    /// [`insert`](Self::insert), or the error and the value. O(1).
    ///
    /// # Errors
    ///
    /// If the key is null, or older than the one whose value is in its slot ([`StaleKey`](ErrorKind::StaleKey)); if its
    /// index is [far](Self#far-indices) past the others ([`FarIndex`](ErrorKind::FarIndex)), or not below `max_len`
    /// ([`MaxLen`](ErrorKind::MaxLen)); or if the system refuses memory. The map is unchanged then.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{DefaultKey, ErrorKind, Key, KeyData, SecondaryMap};
    ///
    /// let mut second = SecondaryMap::new();
    /// let refused = second.try_insert(DefaultKey::null(), "a").unwrap_err();
    /// assert_eq!((refused.error.kind(), refused.value), (ErrorKind::StaleKey, "a"));
    ///
    /// let forged = KeyData::from_parts(4_000_000_000, 1, 0).unwrap().into();
    /// let refused = second.try_insert(forged, "b").unwrap_err();
    /// assert_eq!((refused.error.kind(), refused.value), (ErrorKind::FarIndex, "b"));
    /// # second.insert(DefaultKey::from(KeyData::from_parts(0, 1, 0).unwrap()), "c");
    /// ```
    // As for `insert`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn try_insert(&mut self, key: K, value: V) -> Result<Option<V>, Refused<V>> {
        let (index, generation) = parts(key);
        self.try_insert_at(index, generation, value)
    }

    /// [`try_insert`](Self::try_insert) with the parts of a key. Runs no code of the key's type.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn try_insert_at(
        &mut self,
        index: u32,
        generation: u32,
        value: V,
    ) -> Result<Option<V>, Refused<V>> {
        match self.put(index, generation, value) {
            Ok(previous) => Ok(previous),
            Err(value) => self.insert_at(index, generation, value).map(|()| None),
        }
    }

    /// Returns the value in a slot. Runs no code of the key's type.
    #[cfg(feature = "list-pool")]
    pub(crate) fn at_index_mut(&mut self, index: u32) -> Option<&mut V> {
        self.slots.at_index_mut(index).map(|(_, value)| value)
    }

    /// Inserts a value into a slot that is vacant, or the next one, or replaces the value of the same key. Returns the
    /// new value as the error if there is more to do.
    // As for `insert`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn put(&mut self, index: u32, generation: u32, value: V) -> Result<Option<V>, V> {
        let previous = if self.is_next(index, generation) {
            self.slots.push(generation, value);
            None
        } else {
            self.slots.put(index, generation, value)?
        };
        self.live += usize::from(previous.is_none());
        Ok(previous)
    }

    /// Inserts a value into any slot except one that has a value of the same key.
    #[cold]
    #[inline(never)]
    fn insert_at(&mut self, index: u32, generation: u32, value: V) -> Result<(), Refused<V>> {
        match self.place(index, generation) {
            Ok(place) => {
                self.fill(&place, value);
                Ok(())
            }
            Err(error) => Err(Refused { error, value }),
        }
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn insert_at_or_panic(&mut self, index: u32, generation: u32, value: V) {
        unless_stale(self.insert_at(index, generation, value).map_err(Error::from));
    }

    /// [`entry`](Self::entry), or the error.
    ///
    /// # Errors
    ///
    /// As for [`try_insert`](Self::try_insert).
    #[expect(clippy::inline_always, reason = "otherwise the entry would go through memory")]
    #[inline(always)]
    pub fn try_entry(&mut self, key: K) -> Result<Entry<'_, K, V>, Error> {
        let (index, generation) = parts(key);
        let place = self.place(index, generation)?;
        Ok(Entry::direct(self, key, place))
    }

    /// Removes the value of a key and returns it; `None` if it has none in this map. O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{SecondaryMap, SlotMap};
    /// let mut map = SlotMap::new();
    /// let key = map.insert("foo");
    /// let mut second = SecondaryMap::new();
    /// second.insert(key, 10);
    /// map.remove(key); // `second` does not notice
    /// assert_eq!(second.remove(key), Some(10));
    /// assert_eq!(second.remove(key), None);
    /// ```
    #[inline]
    pub fn remove(&mut self, key: K) -> Option<V> {
        let (index, generation) = parts(key);
        self.remove_at(index, generation)
    }

    remove_many_method! {
        "values", |map| map.slots.ahead();
        /// # Examples
        ///
        /// ```
        /// # use stayput::{DefaultKey, SecondaryMap, SlotMap};
        /// let map: SlotMap<DefaultKey, u32> = (0..3).collect();
        /// let mut second: SecondaryMap<_, u32> = map.keys().skip(1).map(|key| (key, 5)).collect();
        /// assert_eq!(second.remove_many(map.keys()), 2);
        /// ```
    }

    /// Retains only the values for which `keep` returns `true`, and drops the others, in the order of addresses.
    ///
    /// If `keep` or the drop of a value panics, later values stay.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{DefaultKey, SecondaryMap, SlotMap};
    /// let mut map: SlotMap<DefaultKey, u32> = (0..6).collect();
    /// let mut second: SecondaryMap<_, u32> = map.iter().map(|(key, n)| (key, n * 10)).collect();
    /// map.retain(|_, n| *n % 2 == 0);
    /// second.retain(|key, _| map.contains_key(key));
    /// assert!(second.values().eq(&[0, 20, 40]));
    /// ```
    pub fn retain<F: FnMut(K, &mut V) -> bool>(&mut self, mut keep: F) {
        let mint = self.mint();
        let mut candidates = self.candidates();
        while let Some(index) = candidates.next(self.slots.gaps()) {
            let Some((generation, value)) = self.slots.at_index_mut(index) else { continue };
            if !keep(mint.key(index, generation), value) {
                drop(self.remove_at(index, generation));
            }
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
    /// # use stayput::{DefaultKey, SecondaryMap, SlotMap};
    /// let mut map: SlotMap<DefaultKey, u32> = (0..6).collect();
    /// let mut second: SecondaryMap<_, u32> = map.iter().map(|(key, n)| (key, n * 10)).collect();
    /// map.retain(|_, n| *n % 2 == 0);
    /// let orphans = second.extract_if(|key, _| !map.contains_key(key));
    /// assert!(orphans.map(|(_, n)| n).eq([10, 30, 50]));
    /// assert!(second.values().eq(&[0, 20, 40]));
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
    /// # Examples
    ///
    /// ```
    /// # use stayput::{DefaultKey, SecondaryMap, SlotMap};
    /// let map: SlotMap<DefaultKey, u32> = (0..3).collect();
    /// let mut second: SecondaryMap<_, u32> = map.iter().map(|(key, n)| (key, *n)).collect();
    /// assert!(second.drain().map(|(_, n)| n).eq([0, 1, 2]));
    /// assert!(second.is_empty());
    /// ```
    pub fn drain(&mut self) -> Drain<'_, K, V> {
        Drain::new(self)
    }

    /// Removes all values. Memory stays committed, and indices of the slots that there were are not [far](Self#far-indices)
    /// afterwards. O(1) if values do not need to be dropped, and otherwise O(n).
    pub fn clear(&mut self) {
        self.announced = self.announced.max(self.slots.len());
        if mem::needs_drop::<V>() {
            drop(self.drain());
        }
        // Slots of removed values need not keep their generations.
        self.slots.truncate(0);
        self.next_below = 0;
        self.live = 0;
    }

    /// Returns the slot for a key, which is added if it does not exist.
    #[expect(clippy::inline_always, reason = "as for `try_entry`")]
    #[inline(always)]
    fn place(&mut self, index: u32, generation: u32) -> Result<SlotPlace, Error> {
        if self.is_next(index, generation) {
            self.slots.push_vacant();
            return Ok(SlotPlace { index, generation, state: State::EMPTY });
        }
        if index as usize >= self.slots.len() {
            self.extend_to(index, generation)?;
        }
        let state = self.slots.state(index);
        if generation == 0 || state.is_newer_than(generation) {
            return Err(stale());
        }
        Ok(SlotPlace { index, generation, state })
    }

    /// Inserts a value into a place that is vacant, or has the value of an older key, which is dropped.
    // As for `insert`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn fill(&mut self, place: &SlotPlace, value: V) -> &mut V {
        // Dropped last, since that may panic.
        let _older = if place.state.is_live() { self.take_older(place.index) } else { None };
        self.live += 1;
        self.slots.fill(place.index, place.generation, value)
    }

    #[cold]
    #[inline(never)]
    fn take_older(&mut self, index: u32) -> Option<V> {
        self.take_at(index).map(|(_, value)| value)
    }

    /// Returns the value in a place that is filled.
    #[inline]
    pub(super) fn at(&self, place: &SlotPlace) -> &V {
        self.slots.get(place.index, place.generation).expect(FILLED)
    }

    /// Returns a mutable reference to the value in a place that is filled.
    #[inline]
    pub(super) fn at_mut(&mut self, place: &SlotPlace) -> &mut V {
        self.slots.get_mut(place.index, place.generation).expect(FILLED)
    }

    /// Removes the value in a place that is filled.
    #[inline]
    pub(super) fn take_from(&mut self, place: &SlotPlace) -> V {
        self.remove_at(place.index, place.generation).expect(FILLED)
    }

    #[inline]
    fn remove_at(&mut self, index: u32, generation: u32) -> Option<V> {
        let value = self.slots.take(index, generation)?;
        self.live -= 1;
        Some(value)
    }

    /// Removes the value in a slot, if there is one.
    #[inline]
    pub(super) fn take_at(&mut self, index: u32) -> Option<(u32, V)> {
        let generation = self.slots.state(index).live_generation()?;
        Some((generation, self.remove_at(index, generation)?))
    }
}

/// Returns the error for a key that is null, or older than the one whose value is in its slot.
#[cold]
#[inline(never)]
fn stale() -> Error {
    Error::new(ErrorKind::StaleKey, 0)
}

impl SlotPlace {
    /// Whether the place has the value of the same key.
    #[inline]
    pub(super) fn is_same(&self) -> bool {
        self.state == State::live(self.generation)
    }
}
