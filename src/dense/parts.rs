//! Access to a map's table and rows, for serialization and for parallel iterators.

use super::{DenseSlotMap, Rows};
use crate::key::Key;
#[cfg(feature = "rayon")]
use crate::vec::VmVec;
#[cfg(any(feature = "serde", feature = "file"))]
use crate::{error::Error, slot_map::SlotMap};
#[cfg(feature = "serde")]
use std::fmt;

impl<K: Key, V, S: Rows<Value = V>> DenseSlotMap<K, V, S> {
    /// Returns the values, in row order.
    pub(crate) const fn rows(&self) -> &S {
        &self.rows
    }
}

#[cfg(feature = "rayon")]
impl<K: Key, V, S: Rows<Value = V>> DenseSlotMap<K, V, S> {
    /// Returns the keys, and the values mutably in the same order.
    pub(crate) fn parts_mut(&mut self) -> (&[K], &mut S) {
        self.order.is_touched = true;
        (&self.keys, &mut self.rows)
    }

    /// Returns the keys, and the values in the same order.
    pub(crate) fn into_parts(self) -> (VmVec<K>, S) {
        (self.keys, self.rows)
    }
}

/// The reason that rows do not match a table.
#[cfg(any(feature = "serde", feature = "file"))]
#[cfg_attr(not(feature = "serde"), allow(dead_code, reason = "only serde displays them"))]
pub(crate) enum BadRows {
    Refused(Error),
    Count {
        keys: usize,
        rows: usize,
    },
    /// The row does not exist, or belongs to another key.
    Row {
        index: u32,
        row: u32,
    },
}

#[cfg(any(feature = "serde", feature = "file"))]
impl<K: Key, V, S: Rows<Value = V>> DenseSlotMap<K, V, S> {
    /// Returns the table, which stores the row of each key's value.
    pub(crate) const fn table(&self) -> &SlotMap<K, u32> {
        &self.table
    }

    /// Creates a map from a table and its rows, if each row has exactly one key.
    pub(crate) fn try_from_parts(table: SlotMap<K, u32>, rows: S) -> Result<Self, BadRows> {
        let len = rows.count();
        if table.len() != len {
            return Err(BadRows::Count { keys: table.len(), rows: len });
        }
        let mut keys = Self::KEYS;
        keys.try_resize(len, K::null()).map_err(|refused| BadRows::Refused(refused.error))?;
        for (key, &row) in &table {
            match keys.get_mut(row as usize) {
                Some(place) if place.data().is_null() => *place = key,
                _ => return Err(BadRows::Row { index: key.data().index(), row }),
            }
        }
        Ok(Self::of(table, keys, rows))
    }
}

#[cfg(feature = "serde")]
impl fmt::Display for BadRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(error) => error.fmt(f),
            Self::Count { keys, rows } => write!(f, "there are {rows} values for {keys} keys"),
            Self::Row { index, row } => {
                write!(
                    f,
                    "slot {index} cannot have row {row}: it does not exist, or has another key"
                )
            }
        }
    }
}
