//! Inserting and removing values.

use super::{Drain, Entry, ExtractIf, SecondaryMap, parts, unless_stale};
use crate::container::{remove_many_method, secondary_insert_methods};
use crate::error::{Error, ErrorKind, Refused};
use crate::key::Key;
use std::mem;

/// The slot for a key that is not stale. It is below the length.
pub(super) struct SlotPlace {
    index: u32,
    generation: u32,
    /// The generation of the value in the slot, at most that of the key.
    there: Option<u32>,
}

/// An entry borrows the map, so its place stays filled.
const FILLED: &str = "the place is filled";

impl<K: Key, V> SecondaryMap<K, V> {
    secondary_insert_methods!(
        SecondaryMap,
        "O(1); enters the kernel if committed memory is used up."
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
    #[inline]
    pub fn try_insert(&mut self, key: K, value: V) -> Result<Option<V>, Refused<V>> {
        let (index, generation) = parts(key);
        if index as usize >= self.slots.len() && self.is_next(index, generation) {
            self.slots.push(generation, value);
            self.live += 1;
            return Ok(None);
        }
        let place = match self.place(index, generation) {
            Ok(place) => place,
            Err(error) => return Err(Refused { error, value }),
        };
        if place.is_same() {
            return Ok(Some(mem::replace(self.at_mut(&place), value)));
        }
        self.fill(&place, value);
        Ok(None)
    }

    /// [`entry`](Self::entry), or the error.
    ///
    /// # Errors
    ///
    /// As for [`try_insert`](Self::try_insert).
    #[inline]
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

    /// Removes all values. Memory stays committed, and indices that were not far before are not far afterwards. O(1) if
    /// values do not need to be dropped, and otherwise O(n).
    pub fn clear(&mut self) {
        self.announced = self.announced.max(self.slots.len());
        if mem::needs_drop::<V>() {
            drop(self.drain());
        }
        // Slots of removed values need not keep their generations.
        self.slots.truncate(0);
        self.live = 0;
    }

    /// Returns the slot for a key, which is added if it does not exist.
    #[inline]
    fn place(&mut self, index: u32, generation: u32) -> Result<SlotPlace, Error> {
        if index as usize >= self.slots.len() {
            self.extend_to(index, generation)?;
        }
        let there = self.slots.state(index).live_generation();
        if generation == 0 || there.is_some_and(|there| there > generation) {
            return Err(Error::new(ErrorKind::StaleKey, 0));
        }
        Ok(SlotPlace { index, generation, there })
    }

    /// Inserts a value into a place that is vacant, or has the value of an older key, which is dropped.
    #[inline]
    pub(super) fn fill(&mut self, place: &SlotPlace, value: V) {
        let older = place.there.and_then(|there| self.remove_at(place.index, there));
        self.slots.fill(place.index, place.generation, value);
        self.live += 1;
        // Dropped last, since that may panic.
        drop(older);
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

impl SlotPlace {
    /// Whether the place has the value of the same key.
    #[inline]
    pub(super) fn is_same(&self) -> bool {
        self.there == Some(self.generation)
    }
}
