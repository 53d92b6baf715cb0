//! Putting values in, and taking them out.

use super::iter::Rest;
use super::{Drain, Entry, Slot, SparseSecondaryMap, hash_of, try_reserve, unless_stale};
use crate::error::{Error, ErrorKind, Refused};
use crate::key::{Key, KeyData};
use hashbrown::hash_table;
use std::cmp::Ordering;
use std::hash::BuildHasher;
use std::iter::FusedIterator;
use std::mem;

impl<K: Key, V, S: BuildHasher> SparseSecondaryMap<K, V, S> {
    secondary_insert_methods!(SparseSecondaryMap, "O(1), but for growing.");

    /// [`insert`](Self::insert), or the error and the value. O(1), but for growing.
    ///
    /// # Errors
    ///
    /// If the key is null, or older than the one whose value is there for its slot
    /// ([`StaleKey`](ErrorKind::StaleKey)), or the allocator refuses memory
    /// ([`Memory`](ErrorKind::Memory)). The map is unchanged then.
    #[inline]
    pub fn try_insert(&mut self, key: K, value: V) -> Result<Option<V>, Refused<V>> {
        match self.try_entry(key) {
            Ok(Entry::Occupied(mut entry)) => Ok(Some(entry.insert(value))),
            Ok(Entry::Vacant(entry)) => {
                entry.insert(value);
                Ok(None)
            }
            Err(error) => Err(Refused { error, value }),
        }
    }

    /// [`entry`](Self::entry), or the error.
    ///
    /// # Errors
    ///
    /// As for [`try_insert`](Self::try_insert).
    #[inline]
    pub fn try_entry(&mut self, key: K) -> Result<Entry<'_, K, V>, Error> {
        let data = key.data();
        if data.is_null() {
            return Err(Error::new(ErrorKind::StaleKey, 0));
        }
        let index = data.index();
        let hash = self.hash_builder.hash_one(index);
        let is_it = |slot: &Slot<V>| slot.index == index;
        let table = match self.table.find_entry(hash, is_it) {
            Ok(slot) => return Self::entry_in(slot, key, data),
            Err(absent) => absent.into_table(),
        };
        let hash_builder = &self.hash_builder;
        try_reserve(table, 1, hash_of(hash_builder))?;
        match table.entry(hash, is_it, hash_of(hash_builder)) {
            hash_table::Entry::Occupied(slot) => Self::entry_in(slot, key, data),
            hash_table::Entry::Vacant(room) => Ok(Entry::vacant(key, data, room)),
        }
    }

    /// The entry of a key for whose index there is a slot.
    #[inline]
    fn entry_in(
        slot: hash_table::OccupiedEntry<'_, Slot<V>>,
        key: K,
        data: KeyData<K::Layout>,
    ) -> Result<Entry<'_, K, V>, Error> {
        match slot.get().generation.cmp(&data.generation()) {
            Ordering::Less => Ok(Entry::older(key, data, slot)),
            Ordering::Equal => Ok(Entry::same(key, slot)),
            Ordering::Greater => Err(Error::new(ErrorKind::StaleKey, 0)),
        }
    }

    /// Takes the value of a key out. O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{SparseSecondaryMap, SlotMap};
    /// let mut map = SlotMap::new();
    /// let key = map.insert("foo");
    /// let mut second = SparseSecondaryMap::new();
    /// second.insert(key, 10);
    /// map.remove(key); // is not known to `second`
    /// assert_eq!(second.remove(key), Some(10));
    /// assert_eq!(second.remove(key), None);
    /// ```
    #[inline]
    pub fn remove(&mut self, key: K) -> Option<V> {
        let [key] = super::parts([key]);
        let hash = self.hash_builder.hash_one(key.0);
        let slot = self.table.find_entry(hash, |slot| slot.is_of(key)).ok()?;
        Some(slot.remove().0.value)
    }
}

impl<K: Key, V, S> SparseSecondaryMap<K, V, S> {
    /// Keeps the values of which `keep` says so, and drops the others, in no order.
    ///
    /// Should `keep`, or the drop of a value, panic, the values not yet seen stay.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{DefaultKey, SparseSecondaryMap, SlotMap};
    /// let mut map: SlotMap<DefaultKey, u32> = (0..6).collect();
    /// let mut second: SparseSecondaryMap<_, u32> = map.iter().map(|(key, n)| (key, *n)).collect();
    /// map.retain(|_, n| *n % 2 == 0);
    /// second.retain(|key, _| map.contains_key(key));
    /// assert_eq!(second.values().sum::<u32>(), 6);
    /// ```
    pub fn retain<F: FnMut(K, &mut V) -> bool>(&mut self, mut keep: F) {
        let mint = self.mint;
        self.table.retain(|slot| keep(slot.key(mint), &mut slot.value));
    }

    /// Takes out, one by one as the iterator is asked, the values that the predicate names, in no order.
    ///
    /// What it has not come to when it is dropped, or forgotten, stays, as does a value at which the
    /// predicate panics.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{DefaultKey, SparseSecondaryMap, SlotMap};
    /// let mut map: SlotMap<DefaultKey, u32> = (0..6).collect();
    /// let mut second: SparseSecondaryMap<_, u32> = map.iter().map(|(key, n)| (key, *n)).collect();
    /// map.retain(|_, n| *n % 2 == 0);
    /// let orphans = second.extract_if(|key, _| !map.contains_key(key));
    /// assert_eq!(orphans.map(|(_, n)| n).sum::<u32>(), 1 + 3 + 5);
    /// assert_eq!(second.len(), 3);
    /// ```
    #[must_use = "iterators are lazy and do nothing unless consumed"]
    pub fn extract_if(
        &mut self,
        mut predicate: impl FnMut(K, &mut V) -> bool,
    ) -> impl FusedIterator<Item = (K, V)> {
        let mint = self.mint;
        let taken = self.table.extract_if(move |slot| predicate(slot.key(mint), &mut slot.value));
        taken.map(move |slot| (slot.key(mint), slot.value))
    }

    /// Takes all values out, in no order. What is left when the iterator is dropped is dropped;
    /// if it is forgotten, that is leaked.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{DefaultKey, SparseSecondaryMap, SlotMap};
    /// let map: SlotMap<DefaultKey, u32> = (0..3).collect();
    /// let mut second: SparseSecondaryMap<_, u32> = map.iter().map(|(key, n)| (key, *n)).collect();
    /// assert_eq!(second.drain().map(|(_, n)| n).sum::<u32>(), 3);
    /// assert!(second.is_empty());
    /// ```
    pub fn drain(&mut self) -> Drain<'_, K, V> {
        Drain::new(Rest(self.table.drain()), self.mint)
    }

    /// Drops all values. Memory stays allocated. Linear in the capacity.
    ///
    /// If the drop of a value panics, the other values are dropped, and the map is empty.
    pub fn clear(&mut self) {
        if mem::needs_drop::<V>() {
            drop(self.drain());
        } else {
            self.table.clear();
        }
    }
}
