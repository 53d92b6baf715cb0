//! Inserting and removing values.

use super::iter::DropGuard;
use super::{Drain, Entry, SparseSecondaryMap, SparseSlot, hash_of, try_reserve, unless_stale};
use crate::container::secondary_insert_methods;
use crate::error::{Error, ErrorKind, Refused};
use crate::key::{Key, KeyData};
use hashbrown::hash_table;
use std::cmp::Ordering;
use std::hash::BuildHasher;
use std::iter::FusedIterator;
use std::mem;

impl<K: Key, V, S: BuildHasher> SparseSecondaryMap<K, V, S> {
    secondary_insert_methods!(SparseSecondaryMap, "Amortised O(1).", |self, key, value| {
        unless_stale(self.try_insert(key, value).map_err(Error::from)).flatten()
    });

    /// [`insert`](Self::insert), or the error and the value. Amortised O(1).
    ///
    /// # Errors
    ///
    /// If the key is null, or older than the one whose value is there for its slot ([`StaleKey`](ErrorKind::StaleKey)),
    /// or the allocator refuses memory ([`Memory`](ErrorKind::Memory)). The map is unchanged then.
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
        let is_it = |slot: &SparseSlot<V>| slot.index == index;
        let table = match self.table.find_entry(hash, is_it) {
            Ok(slot) => return Self::entry_in(slot, key, data),
            Err(absent) => absent.into_table(),
        };
        let hash_builder = &self.hash_builder;
        try_reserve(table, 1, hash_of(hash_builder))?;
        match table.entry(hash, is_it, hash_of(hash_builder)) {
            hash_table::Entry::Occupied(slot) => Self::entry_in(slot, key, data),
            room @ hash_table::Entry::Vacant(_) => Ok(Entry::vacant(key, data, room)),
        }
    }

    /// Returns the entry of a key, if the table has a slot with its index.
    #[inline]
    fn entry_in(
        slot: hash_table::OccupiedEntry<'_, SparseSlot<V>>,
        key: K,
        data: KeyData<K::Layout>,
    ) -> Result<Entry<'_, K, V>, Error> {
        match slot.get().generation.cmp(&data.generation()) {
            Ordering::Less => Ok(Entry::vacant(key, data, hash_table::Entry::Occupied(slot))),
            Ordering::Equal => Ok(Entry::same(key, slot)),
            Ordering::Greater => Err(Error::new(ErrorKind::StaleKey, 0)),
        }
    }

    /// Removes the value of a key and returns it; `None` if it has none in this map. O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{SparseSecondaryMap, SlotMap};
    /// let mut map = SlotMap::new();
    /// let key = map.insert("foo");
    /// let mut second = SparseSecondaryMap::new();
    /// second.insert(key, 10);
    /// map.remove(key); // `second` does not notice
    /// assert_eq!(second.remove(key), Some(10));
    /// assert_eq!(second.remove(key), None);
    /// ```
    #[inline]
    pub fn remove(&mut self, key: K) -> Option<V> {
        let key = super::parts(key);
        let hash = self.hash_builder.hash_one(key.0);
        let slot = self.table.find_entry(hash, |slot| slot.is_of(key)).ok()?;
        Some(slot.remove().0.value)
    }
}

impl<K: Key, V, S> SparseSecondaryMap<K, V, S> {
    /// Retains only the values for which `keep` returns `true`, and drops the others, in arbitrary order.
    ///
    /// If `keep` or the drop of a value panics, values that were not visited yet stay.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{DefaultKey, SparseSecondaryMap, SlotMap};
    /// let mut map: SlotMap<DefaultKey, u32> = (0..6).collect();
    /// let mut second: SparseSecondaryMap<_, u32> =
    ///     map.iter().map(|(key, n)| (key, *n)).collect();
    /// map.retain(|_, n| *n % 2 == 0);
    /// second.retain(|key, _| map.contains_key(key));
    /// assert_eq!(second.values().sum::<u32>(), 6);
    /// ```
    pub fn retain<F: FnMut(K, &mut V) -> bool>(&mut self, mut keep: F) {
        let mint = self.mint;
        self.table.retain(|slot| keep(slot.key(mint), &mut slot.value));
    }

    /// Returns an iterator that removes the values for which the predicate returns `true`, each when `next` reaches it,
    /// in arbitrary order.
    ///
    /// Values that it has not reached when it is dropped or leaked stay in the map, and so does a value for which the
    /// predicate panics.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{DefaultKey, SparseSecondaryMap, SlotMap};
    /// let mut map: SlotMap<DefaultKey, u32> = (0..6).collect();
    /// let mut second: SparseSecondaryMap<_, u32> =
    ///     map.iter().map(|(key, n)| (key, *n)).collect();
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

    /// Removes all values and returns them as an iterator, in arbitrary order. If the iterator is dropped, the
    /// remaining values are dropped; if it is leaked, they leak.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{DefaultKey, SparseSecondaryMap, SlotMap};
    /// let map: SlotMap<DefaultKey, u32> = (0..3).collect();
    /// let mut second: SparseSecondaryMap<_, u32> =
    ///     map.iter().map(|(key, n)| (key, *n)).collect();
    /// assert_eq!(second.drain().map(|(_, n)| n).sum::<u32>(), 3);
    /// assert!(second.is_empty());
    /// ```
    pub fn drain(&mut self) -> Drain<'_, K, V> {
        Drain::new(DropGuard(self.table.drain()), self.mint)
    }

    /// Removes all values. The memory stays allocated. O(n) in the capacity.
    ///
    /// If dropping a value panics, the other values are dropped, and the map is empty.
    pub fn clear(&mut self) {
        if mem::needs_drop::<V>() {
            drop(self.drain());
        } else {
            self.table.clear();
        }
    }
}
