//! Removing values.

#![forbid(unsafe_code)]

use super::SharedSlotMap;
use crate::error::{Error, unwrap_or_panic};
use crate::key::Key;

impl<K: Key, V> SharedSlotMap<K, V> {
    /// Removes a value: from then on, no thread finds it by its key. If several threads remove the same key, exactly
    /// one call returns the value. O(1); takes no lock.
    ///
    /// The value stays in place, and references to it stay valid, until the owner takes the map. It is dropped then,
    /// and its slot can be filled again; see [What is removed](Self#what-is-removed).
    ///
    /// # Panics
    ///
    /// If [`try_remove`](Self::try_remove) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::SharedSlotMap;
    /// let mut map = SharedSlotMap::new();
    /// let (key, value) = map.insert(42);
    /// assert_eq!(map.remove(key), Some(&42));
    /// assert_eq!((map.remove(key), map.get(key), *value), (None, None, 42));
    /// map.as_mut_map(); // drops it
    /// ```
    #[inline]
    #[track_caller]
    pub fn remove(&self, key: K) -> Option<&V> {
        unwrap_or_panic(self.try_remove(key))
    }

    /// [`remove`](Self::remove), or the error; the value stays in the map then.
    ///
    /// # Errors
    ///
    /// If the value came with a `SlotMap`, and memory for the bit that marks it as removed was refused then, and is
    /// refused again; or with [`Busy`](crate::ErrorKind::Busy) as for [`try_insert`](Self::try_insert).
    #[inline]
    pub fn try_remove(&self, key: K) -> Result<Option<&V>, Error> {
        let Some(found) = self.find(key) else { return Ok(None) };
        Ok(self.vacate(&found)?.then_some(found.value))
    }
}
