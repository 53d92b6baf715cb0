//! Reading and writing tables.

use crate::key::Key;
use crate::slot_map::SlotMap;
use crate::table::{Indices, Row, Table};
use ::serde::de::Error as _;
use ::serde::{Deserialize, Deserializer, Serialize, Serializer};

impl<R: Serialize, X, K: Key> Serialize for Table<R, X, K> {
    /// As the [`SlotMap`] of its rows. Indices are not written: they are made anew.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.rows().serialize(serializer)
    }
}

impl<'de, R, X, K> Deserialize<'de> for Table<R, X, K>
where
    R: Row<X::Part> + Deserialize<'de>,
    X: Indices,
    K: Key,
{
    /// # Errors
    ///
    /// Besides what the format finds wrong: what reading a [`SlotMap`] refuses; if two rows have the same value of a
    /// [`Unique`](crate::table::Unique) index; or if there is no memory.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let rows = SlotMap::deserialize(deserializer)?;
        Self::try_from_rows(rows).map_err(D::Error::custom)
    }
}
