//! Putting values in, and taking them out.

use super::{Drain, Entry, ExtractIf, SecondaryMap, unless_stale};
use crate::error::{Error, ErrorKind, Refused};
use crate::key::Key;
use std::mem;

/// The slot for a key that is not stale, which is below the length.
pub(super) struct Place {
    index: u32,
    generation: u32,
    /// The generation of the value that is there: not more than the other.
    there: Option<u32>,
}

/// A place is filled for as long as its entry borrows the map.
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
    /// If the key is null, or older than the one whose value is in its slot
    /// ([`StaleKey`](ErrorKind::StaleKey)); if its index is [far](Self#far-indices) behind all that
    /// is there ([`FarIndex`](ErrorKind::FarIndex)), or not below `max_len`
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
        let data = key.data();
        let (index, generation) = (data.index(), data.generation());
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
        let data = key.data();
        let place = self.place(data.index(), data.generation())?;
        Ok(Entry::direct(self, key, place))
    }

    /// Takes the value of a key out. O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{SecondaryMap, SlotMap};
    /// let mut map = SlotMap::new();
    /// let key = map.insert("foo");
    /// let mut second = SecondaryMap::new();
    /// second.insert(key, 10);
    /// map.remove(key); // is not known to `second`
    /// assert_eq!(second.remove(key), Some(10));
    /// assert_eq!(second.remove(key), None);
    /// ```
    #[inline]
    pub fn remove(&mut self, key: K) -> Option<V> {
        let data = key.data();
        self.remove_at(data.index(), data.generation())
    }

    /// Keeps the values of which `keep` says so, and drops the others, in the order of addresses.
    ///
    /// Should `keep`, or the drop of a value, panic, the values behind stay.
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

    /// Takes out, one by one as the iterator is asked, the values that the predicate names, in the order
    /// of addresses.
    ///
    /// What it has not come to when it is dropped, or forgotten, stays, as does a value at which the
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

    /// Takes all values out, in the order of addresses. What is left when the iterator is dropped
    /// is dropped; if it is forgotten, that stays in the map.
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

    /// Drops all values. Memory stays committed, and indices that were within reach are so still. Linear
    /// in the values if they have anything to drop, and O(1) if not.
    pub fn clear(&mut self) {
        self.announced = self.announced.max(self.slots.len());
        if mem::needs_drop::<V>() {
            drop(self.drain());
        }
        // Slots need not remember which generations they had.
        self.slots.truncate(0);
        self.live = 0;
    }

    /// The slot for a key, which is made if it is not there.
    #[inline]
    fn place(&mut self, index: u32, generation: u32) -> Result<Place, Error> {
        if index as usize >= self.slots.len() {
            self.extend_to(index, generation)?;
        }
        let there = self.slots.state(index).live_generation();
        if generation == 0 || there.is_some_and(|there| there > generation) {
            return Err(Error::new(ErrorKind::StaleKey, 0));
        }
        Ok(Place { index, generation, there })
    }

    /// Puts a value into a place that has none, or an older one, which is dropped.
    #[inline]
    pub(super) fn fill(&mut self, place: &Place, value: V) {
        let older = place.there.and_then(|there| self.remove_at(place.index, there));
        self.slots.fill(place.index, place.generation, value);
        self.live += 1;
        // At last, since its drop may panic.
        drop(older);
    }

    /// The value in a place that was filled.
    #[inline]
    pub(super) fn at(&self, place: &Place) -> &V {
        self.slots.get(place.index, place.generation).expect(FILLED)
    }

    /// The value in a place that was filled, to be changed.
    #[inline]
    pub(super) fn at_mut(&mut self, place: &Place) -> &mut V {
        self.slots.get_mut(place.index, place.generation).expect(FILLED)
    }

    /// Takes the value out of a place that was filled.
    #[inline]
    pub(super) fn take_from(&mut self, place: &Place) -> V {
        self.remove_at(place.index, place.generation).expect(FILLED)
    }

    #[inline]
    fn remove_at(&mut self, index: u32, generation: u32) -> Option<V> {
        let value = self.slots.take(index, generation)?;
        self.live -= 1;
        Some(value)
    }

    /// Takes out whatever is in a slot, for those who go over all of them.
    #[inline]
    pub(super) fn take_at(&mut self, index: u32) -> Option<(u32, V)> {
        let generation = self.slots.state(index).live_generation()?;
        Some((generation, self.remove_at(index, generation)?))
    }
}

impl Place {
    /// Whether it has the value of the same key.
    #[inline]
    pub(super) fn is_same(&self) -> bool {
        self.there == Some(self.generation)
    }
}
