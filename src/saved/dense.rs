//! Reading and writing dense maps.

use crate::dense::{DenseSlotMap, Rows};
use crate::key::Key;
use crate::slot_map::SlotMap;
use ::serde::de::Error as _;
use ::serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A map as it is written.
///
/// A field that is not known is one of a later version's, and may matter.
#[derive(Serialize, Deserialize)]
#[serde(rename = "DenseSlotMap", deny_unknown_fields)]
struct Map<T, S> {
    table: T,
    values: S,
}

impl<K: Key, V, S: Rows<Value = V> + Serialize> Serialize for DenseSlotMap<K, V, S> {
    /// As a structure of two: `table`, a [`SlotMap`] that has for each key in which row its value is, and
    /// `values`, the rows in their order.
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        Map { table: self.table(), values: self.rows() }.serialize(serializer)
    }
}

impl<'de, K, V, S> Deserialize<'de> for DenseSlotMap<K, V, S>
where
    K: Key,
    S: Rows<Value = V> + Deserialize<'de>,
{
    /// # Errors
    ///
    /// Besides what the format finds wrong: what reading a [`SlotMap`] refuses; if there are more values than
    /// keys, or fewer; if a key has a row that there is not, or that another has; or if there is no memory.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Map { table, values } = Map::<SlotMap<K, u32>, S>::deserialize(deserializer)?;
        Self::try_from_parts(table, values).map_err(D::Error::custom)
    }
}
