//! `Serialize` and `Deserialize` for dense maps.

use crate::dense::{DenseSlotMap, Rows};
use crate::key::Key;
use crate::slot_map::SlotMap;
use ::serde::de::Error as _;
use ::serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The serialized form of a map.
///
/// An unknown field was written by a later version, and may matter.
#[derive(Serialize, Deserialize)]
#[serde(rename = "DenseSlotMap", deny_unknown_fields)]
struct Map<T, S> {
    table: T,
    values: S,
}

impl<K: Key, V, S: Rows<Value = V> + Serialize> Serialize for DenseSlotMap<K, V, S> {
    /// Serializes the map as a structure of two fields: `table`, a [`SlotMap`] with the row of each key's value, and
    /// `values`, the rows in order.
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        Map { table: self.table(), values: self.rows() }.serialize(serializer)
    }
}

impl<'de, K, V, S> Deserialize<'de> for DenseSlotMap<K, V, S>
where
    K: Key,
    S: Rows<Value = V> + Deserialize<'de>,
{
    /// Deserializes a table and its rows.
    ///
    /// # Errors
    ///
    /// In addition to those of the format and of a [`SlotMap`]: if there are more or fewer values than keys; if the
    /// row of a key does not exist, or is another key's; or if memory is refused.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Map { table, values } = Map::<SlotMap<K, u32>, S>::deserialize(deserializer)?;
        Self::try_from_parts(table, values).map_err(D::Error::custom)
    }
}
