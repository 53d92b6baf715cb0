//! `Serialize` and `Deserialize` for shared arrays, and `Deserialize` for shared maps.

use crate::key::Key;
use crate::shared::{SharedSlotMap, SharedVec};
use crate::slot_map::SlotMap;
use crate::vec::VmVec;
use ::serde::de::Deserializer;
use ::serde::{Deserialize, Serialize, Serializer};

impl<T: Serialize> Serialize for SharedVec<T> {
    /// Serializes the [prefix](SharedVec#the-prefix) as a sequence, as a `Vec` is. Other threads may append meanwhile.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for SharedVec<T> {
    /// Deserializes as a [`VmVec`] does, also with `deserialize_in_place`.
    ///
    /// # Errors
    ///
    /// As for a `VmVec`.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        VmVec::deserialize(deserializer).map(Self::from)
    }

    fn deserialize_in_place<D: Deserializer<'de>>(
        deserializer: D,
        place: &mut Self,
    ) -> Result<(), D::Error> {
        VmVec::deserialize_in_place(deserializer, &mut place.as_mut_vec())
    }
}

impl<'de, K: Key, V: Deserialize<'de>> Deserialize<'de> for SharedSlotMap<K, V> {
    /// Deserializes as a [`SlotMap`] does. The owner serializes the map: [`as_mut_map`](SharedSlotMap::as_mut_map)
    /// returns it.
    ///
    /// # Errors
    ///
    /// As for a `SlotMap`.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::SharedSlotMap;
    ///
    /// let mut jobs = SharedSlotMap::new();
    /// let (key, _) = jobs.insert("sort".to_owned());
    /// let text = serde_json::to_string(&*jobs.as_mut_map())?;
    /// let read: SharedSlotMap<_, String> = serde_json::from_str(&text)?;
    /// assert_eq!(read[key], "sort");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        SlotMap::deserialize(deserializer).map(Self::from)
    }
}
