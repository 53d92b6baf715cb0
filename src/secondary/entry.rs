//! [`Entry`]: the place of a key in a secondary map, found once. Both maps have the same type of entries.

use super::SecondaryMap;
use super::change::SlotPlace;
use super::sparse::SparseSlot;
use crate::key::{Key, KeyData};
use hashbrown::hash_table;
use std::fmt;
use std::mem;

/// The place of a key in a secondary map; created by [`SecondaryMap::entry`] and
/// [`SparseSecondaryMap::entry`](super::SparseSecondaryMap::entry).
///
/// # Examples
///
/// ```
/// use stayput::secondary::Entry;
/// use stayput::{SecondaryMap, SlotMap};
///
/// let mut map = SlotMap::new();
/// let key = map.insert("foo");
/// let mut second = SecondaryMap::new();
/// match second.entry(key) {
///     Some(Entry::Vacant(entry)) => *entry.insert(1) += 1,
///     Some(Entry::Occupied(_)) => unreachable!("no value was inserted before"),
///     None => unreachable!("the key is not stale"),
/// }
/// assert_eq!(second[key], 2);
/// ```
pub enum Entry<'a, K: Key, V> {
    /// The key has a value.
    Occupied(OccupiedEntry<'a, K, V>),
    /// The key has no value.
    Vacant(VacantEntry<'a, K, V>),
}

/// The place of a key that has a value; part of [`Entry`].
///
/// # Examples
///
/// ```
/// use stayput::secondary::Entry;
/// use stayput::{SecondaryMap, SlotMap};
///
/// let mut players = SlotMap::new();
/// let ann = players.insert("Ann");
/// let mut lives = SecondaryMap::from_iter([(ann, 1)]);
/// if let Some(Entry::Occupied(mut entry)) = lives.entry(ann) {
///     *entry.get_mut() -= 1;
///     if *entry.get() == 0 {
///         entry.remove();
///     }
/// }
/// assert_eq!(lives.get(ann), None);
/// ```
pub struct OccupiedEntry<'a, K: Key, V> {
    key: K,
    found: OccupiedPlace<'a, K, V>,
}

/// The place of a key that has no value; part of [`Entry`].
///
/// There may be a value of an older key, which is dropped when another is inserted.
///
/// # Examples
///
/// ```
/// use stayput::secondary::Entry;
/// use stayput::{SecondaryMap, SlotMap};
///
/// let mut players = SlotMap::new();
/// let ann = players.insert("Ann");
/// let mut titles = SecondaryMap::new();
/// if let Some(Entry::Vacant(entry)) = titles.entry(ann) {
///     let name = players[entry.key()];
///     entry.insert(format!("Queen {name}"));
/// }
/// assert_eq!(titles[ann], "Queen Ann");
/// ```
pub struct VacantEntry<'a, K: Key, V> {
    key: K,
    room: VacantPlace<'a, K, V>,
}

/// Where the value of the key is.
enum OccupiedPlace<'a, K: Key, V> {
    Direct(&'a mut SecondaryMap<K, V>, SlotPlace),
    Hashed(hash_table::OccupiedEntry<'a, SparseSlot<V>>),
}

/// Where a value of the key can be inserted. The key's data is stored, since a user's key type may return something
/// else when it is converted again.
enum VacantPlace<'a, K: Key, V> {
    Direct(&'a mut SecondaryMap<K, V>, SlotPlace),
    /// There may be a value of an older key.
    Hashed(hash_table::Entry<'a, SparseSlot<V>>, KeyData<K::Layout>),
}

impl<'a, K: Key, V> Entry<'a, K, V> {
    /// Creates an entry from a place in this map.
    #[expect(clippy::inline_always, reason = "otherwise the entry would go through memory")]
    #[inline(always)]
    pub(super) fn direct(map: &'a mut SecondaryMap<K, V>, key: K, place: SlotPlace) -> Self {
        if place.is_same() {
            Self::Occupied(OccupiedEntry { key, found: OccupiedPlace::Direct(map, place) })
        } else {
            Self::Vacant(VacantEntry { key, room: VacantPlace::Direct(map, place) })
        }
    }

    /// Creates an entry from the slot of the key's value.
    #[inline]
    pub(super) fn same(key: K, slot: hash_table::OccupiedEntry<'a, SparseSlot<V>>) -> Self {
        Self::Occupied(OccupiedEntry { key, found: OccupiedPlace::Hashed(slot) })
    }

    /// Creates an entry from the place for a slot, where the value of an older key may be.
    #[inline]
    pub(super) fn vacant(
        key: K,
        data: KeyData<K::Layout>,
        room: hash_table::Entry<'a, SparseSlot<V>>,
    ) -> Self {
        Self::Vacant(VacantEntry { key, room: VacantPlace::Hashed(room, data) })
    }

    /// Returns the key that was looked up.
    #[inline]
    pub fn key(&self) -> K {
        match self {
            Self::Occupied(entry) => entry.key(),
            Self::Vacant(entry) => entry.key(),
        }
    }

    /// Returns the value, after inserting `default` if there was none. O(1).
    #[inline]
    pub fn or_insert(self, default: V) -> &'a mut V {
        match self {
            Self::Occupied(entry) => entry.into_mut(),
            Self::Vacant(entry) => entry.insert(default),
        }
    }

    /// Returns the value, after inserting what `default` returns if there was none. O(1).
    ///
    /// If `default` panics, the map is unchanged.
    #[inline]
    pub fn or_insert_with<F: FnOnce() -> V>(self, default: F) -> &'a mut V {
        self.or_insert_with_key(|_| default())
    }

    /// Returns the value, after inserting what `default` returns for the key if there was none. O(1).
    ///
    /// If `default` panics, the map is unchanged.
    #[inline]
    pub fn or_insert_with_key<F: FnOnce(K) -> V>(self, default: F) -> &'a mut V {
        match self {
            Self::Occupied(entry) => entry.into_mut(),
            Self::Vacant(entry) => {
                let value = default(entry.key);
                entry.insert(value)
            }
        }
    }

    /// Returns the value, after inserting the default value if there was none. O(1).
    #[inline]
    pub fn or_default(self) -> &'a mut V
    where
        V: Default,
    {
        self.or_insert_with(V::default)
    }

    /// Changes the value by `change`, if there is one.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{SecondaryMap, SlotMap};
    /// let mut map = SlotMap::new();
    /// let key = map.insert("foo");
    /// let mut second = SecondaryMap::new();
    /// second.entry(key).unwrap().and_modify(|n| *n += 1).or_insert(1);
    /// second.entry(key).unwrap().and_modify(|n| *n += 1).or_insert(1);
    /// assert_eq!(second[key], 2);
    /// ```
    #[inline]
    #[must_use = "to only change the value, use `OccupiedEntry::get_mut`"]
    pub fn and_modify<F: FnOnce(&mut V)>(mut self, change: F) -> Self {
        if let Self::Occupied(entry) = &mut self {
            change(entry.get_mut());
        }
        self
    }
}

impl<'a, K: Key, V> OccupiedEntry<'a, K, V> {
    /// Returns the key that was looked up.
    #[inline]
    pub fn key(&self) -> K {
        self.key
    }

    /// Returns the value. O(1).
    #[inline]
    pub fn get(&self) -> &V {
        match &self.found {
            OccupiedPlace::Direct(map, place) => map.at(place),
            OccupiedPlace::Hashed(slot) => &slot.get().value,
        }
    }

    /// Returns a mutable reference to the value. O(1).
    #[inline]
    pub fn get_mut(&mut self) -> &mut V {
        match &mut self.found {
            OccupiedPlace::Direct(map, place) => map.at_mut(place),
            OccupiedPlace::Hashed(slot) => &mut slot.get_mut().value,
        }
    }

    /// Returns a mutable reference to the value that lives as long as the borrow of the map. O(1).
    #[inline]
    pub fn into_mut(self) -> &'a mut V {
        match self.found {
            OccupiedPlace::Direct(map, place) => map.at_mut(&place),
            OccupiedPlace::Hashed(slot) => &mut slot.into_mut().value,
        }
    }

    /// Replaces the value, and returns the previous one. O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::secondary::Entry;
    /// # use stayput::{SecondaryMap, SlotMap};
    /// let mut map = SlotMap::new();
    /// let key = map.insert("foo");
    /// let mut second = SecondaryMap::from_iter([(key, 1)]);
    /// if let Some(Entry::Occupied(mut entry)) = second.entry(key) {
    ///     assert_eq!(entry.insert(2), 1);
    /// }
    /// assert_eq!(second[key], 2);
    /// ```
    #[inline]
    pub fn insert(&mut self, value: V) -> V {
        mem::replace(self.get_mut(), value)
    }

    /// Removes the value and returns it. O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::secondary::Entry;
    /// # use stayput::{SecondaryMap, SlotMap};
    /// let mut map = SlotMap::new();
    /// let key = map.insert("foo");
    /// let mut second = SecondaryMap::from_iter([(key, 1)]);
    /// if let Some(Entry::Occupied(entry)) = second.entry(key) {
    ///     assert_eq!(entry.remove(), 1);
    /// }
    /// assert_eq!(second.get(key), None);
    /// ```
    #[inline]
    pub fn remove(self) -> V {
        match self.found {
            OccupiedPlace::Direct(map, place) => map.take_from(&place),
            OccupiedPlace::Hashed(slot) => slot.remove().0.value,
        }
    }

    /// Removes the value, and returns it with the key that was looked up. O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::secondary::Entry;
    /// # use stayput::{SecondaryMap, SlotMap};
    /// let mut map = SlotMap::new();
    /// let key = map.insert("foo");
    /// let mut second = SecondaryMap::from_iter([(key, 1)]);
    /// if let Some(Entry::Occupied(entry)) = second.entry(key) {
    ///     assert_eq!(entry.remove_entry(), (key, 1));
    /// }
    /// assert!(second.is_empty());
    /// ```
    #[inline]
    pub fn remove_entry(self) -> (K, V) {
        (self.key, self.remove())
    }
}

impl<'a, K: Key, V> VacantEntry<'a, K, V> {
    /// Returns the key that was looked up.
    #[inline]
    pub fn key(&self) -> K {
        self.key
    }

    /// Inserts a value, and returns a mutable reference to it. O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::secondary::Entry;
    /// # use stayput::{SecondaryMap, SlotMap};
    /// let mut map = SlotMap::new();
    /// let key = map.insert("foo");
    /// let mut second = SecondaryMap::new();
    /// if let Some(Entry::Vacant(entry)) = second.entry(key) {
    ///     *entry.insert(1) += 1;
    /// }
    /// assert_eq!(second[key], 2);
    /// ```
    // As for `SecondaryMap::insert`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn insert(self, value: V) -> &'a mut V {
        match self.room {
            VacantPlace::Direct(map, place) => map.fill(&place, value),
            VacantPlace::Hashed(room, data) => {
                &mut room.insert(SparseSlot::new(data, value)).into_mut().value
            }
        }
    }
}

impl<K: Key, V: fmt::Debug> fmt::Debug for Entry<'_, K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Occupied(entry) => entry.fmt(f),
            Self::Vacant(entry) => entry.fmt(f),
        }
    }
}

debug_fields! {
    [K: Key, V: fmt::Debug] OccupiedEntry<'_, K, V>, "OccupiedEntry", |entry|
    key: entry.key, value: entry.get()
}

debug_fields!([K: Key, V] VacantEntry<'_, K, V>, "VacantEntry", |entry| key: entry.key);
