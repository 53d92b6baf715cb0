//! [`VacantEntry`]: a slot whose key is known before its value.

#![forbid(unsafe_code)]

use crate::error::{Error, unwrap_or_panic};
use crate::key::Key;
use crate::slot_map::SlotMap;
use crate::slots::vacancy::Vacancy;

/// The slot that the next value of a [`SlotMap`] gets; created by [`SlotMap::vacant_entry`].
///
/// Dropping it without inserting a value leaves the map as it is: the next value gets the same key. Which holes later values
/// fill may change.
///
/// # Examples
///
/// ```
/// use stayput::SlotMap;
///
/// let mut sounds = SlotMap::new();
/// let entry = sounds.vacant_entry();
/// let key = entry.key();
/// entry.insert(format!("sound {key}"));
/// assert_eq!(sounds[key], "sound 0v1");
///
/// let next = sounds.vacant_entry().key(); // nothing is inserted
/// assert_eq!(sounds.insert("silence".to_string()), next);
/// ```
pub struct VacantEntry<'m, K: Key, V> {
    map: &'m mut SlotMap<K, V>,
    /// Found in the map, which has not changed since.
    vacancy: Vacancy,
}

impl<K: Key, V> SlotMap<K, V> {
    /// Returns the slot of the next value, whose key is known before the value is inserted. O(1); enters the kernel if
    /// committed memory is used up.
    ///
    /// [`insert_with_key`](Self::insert_with_key) does this with a closure.
    ///
    /// # Panics
    ///
    /// If [`try_vacant_entry`](Self::try_vacant_entry) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{DefaultKey, SlotMap};
    /// struct Node {
    ///     me: DefaultKey,
    ///     name: String,
    /// }
    ///
    /// let mut map = SlotMap::new();
    /// let entry = map.vacant_entry();
    /// let me = entry.key();
    /// let node = entry.insert(Node { me, name: "root".to_string() });
    /// node.name += " node";
    /// assert_eq!((map[me].me, &*map[me].name), (me, "root node"));
    /// ```
    #[inline]
    #[track_caller]
    pub fn vacant_entry(&mut self) -> VacantEntry<'_, K, V> {
        unwrap_or_panic(self.try_vacant_entry())
    }

    /// [`vacant_entry`](Self::vacant_entry), or the error.
    ///
    /// # Errors
    ///
    /// As for [`try_insert`](Self::try_insert).
    #[inline]
    pub fn try_vacant_entry(&mut self) -> Result<VacantEntry<'_, K, V>, Error> {
        let vacancy = self.vacancy()?;
        Ok(VacantEntry { map: self, vacancy })
    }
}

impl<'m, K: Key, V> VacantEntry<'m, K, V> {
    /// Returns the key that the value will have. O(1).
    #[inline]
    pub fn key(&self) -> K {
        self.vacancy.key(self.map.mint())
    }

    /// Inserts the value, and returns a mutable reference to it that lives as long as the borrow of the map. O(1).
    /// Never fails and does not enter the kernel.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::SlotMap;
    /// let mut scores = SlotMap::new();
    /// let entry = scores.vacant_entry();
    /// let key = entry.key();
    /// let score = entry.insert(10);
    /// *score += 5;
    /// assert_eq!(scores[key], 15);
    /// ```
    #[inline]
    pub fn insert(self, value: V) -> &'m mut V {
        self.map.occupy(self.vacancy, value);
        self.filled()
    }

    #[inline]
    fn filled(self) -> &'m mut V {
        let Vacancy { index, generation, .. } = self.vacancy;
        self.map.slots.get_mut(index, generation).expect("the slot was just filled")
    }
}

debug_fields!([K: Key, V] VacantEntry<'_, K, V>, "VacantEntry", |entry| key: entry.key());
