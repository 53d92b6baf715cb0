//! [`VacantEntry`]: a key that is known before its value is.

#![forbid(unsafe_code)]

use crate::error::{Error, or_give_up};
use crate::key::Key;
use crate::slot_map::SlotMap;
use crate::slots::vacancy::Vacancy;
use std::fmt;

/// The place that the next value of a [`SlotMap`] gets, made by [`SlotMap::vacant_entry`].
///
/// Dropped without a value it has changed nothing: the next value gets the same key.
pub struct VacantEntry<'m, K: Key, V> {
    map: &'m mut SlotMap<K, V>,
    /// Found in the map, which has not changed since.
    vacancy: Vacancy,
}

impl<K: Key, V> SlotMap<K, V> {
    /// The place of the next value, to ask for its key before there is the value. O(1); enters the
    /// kernel if committed memory is used up.
    ///
    /// [`insert_with_key`](Self::insert_with_key) does the same by a closure.
    ///
    /// # Panics
    ///
    /// Where [`try_vacant_entry`](Self::try_vacant_entry) has an error.
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
        or_give_up(self.try_vacant_entry())
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
    /// The key that the value will get. O(1).
    #[inline]
    pub fn key(&self) -> K {
        self.vacancy.key(self.map.mint())
    }

    /// Puts the value in, and returns it, to be changed for as long as the map was borrowed. O(1); does
    /// not enter the kernel, and never fails.
    #[inline]
    pub fn insert(self, value: V) -> &'m mut V {
        self.map.occupy(self.vacancy, value);
        self.filled()
    }

    /// The value that was put in.
    #[inline]
    fn filled(self) -> &'m mut V {
        let Vacancy { index, generation, .. } = self.vacancy;
        self.map.slots.get_mut(index, generation).expect("the slot was just filled")
    }
}

impl<K: Key, V> fmt::Debug for VacantEntry<'_, K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VacantEntry").field("key", &self.key()).finish_non_exhaustive()
    }
}
