//! `Serialize` and `Deserialize` for tables.

use crate::key::Key;
use crate::slot_map::SlotMap;
use crate::table::{Indices, Row, Table};
use ::serde::de::Error as _;
use ::serde::{Deserialize, Deserializer, Serialize, Serializer};

impl<R: Serialize, X, K: Key> Serialize for Table<R, X, K> {
    /// Serializes the [`SlotMap`] of the rows. Indices are not serialized, but rebuilt.
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
    /// Deserializes the rows, and rebuilds the indices.
    ///
    /// # Errors
    ///
    /// In addition to those of the format and of a [`SlotMap`]: if two rows have the same value in a
    /// [`Unique`](crate::table::Unique) index; or if memory is refused.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let rows = SlotMap::deserialize(deserializer)?;
        Self::try_from_rows(rows).map_err(D::Error::custom)
    }
}
