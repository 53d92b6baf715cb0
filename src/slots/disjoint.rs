//! [`DisjointError`]: which of several keys keeps a call from returning all their values.

#![forbid(unsafe_code)]

use std::error::Error;
use std::fmt;

/// The error returned by [`SlotMap::try_get_disjoint_mut`](crate::SlotMap::try_get_disjoint_mut) and by the methods of
/// that name of the secondary maps. It describes the first key, in the order of the argument, that is missing or
/// repeated.
///
/// # Examples
///
/// ```
/// use stayput::SlotMap;
/// use stayput::slot_map::DisjointError;
///
/// let mut map = SlotMap::new();
/// let [a, b, c] = [1, 2, 3].map(|n| map.insert(n));
/// map.remove(b);
/// let missing = map.try_get_disjoint_mut([a, b, a]);
/// assert_eq!(missing, Err(DisjointError::Missing { at: 1 }));
/// let same = map.try_get_disjoint_mut([a, c, a]);
/// assert_eq!(same, Err(DisjointError::Same { first: 0, second: 2 }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DisjointError {
    /// A key has no value in the map.
    Missing {
        /// The position of the key in the argument, counted from 0.
        at: usize,
    },
    /// Two keys are equal, except perhaps for their tags, and have a value in the map.
    Same {
        /// The position of the first of them, counted from 0.
        first: usize,
        /// The position of the second.
        second: usize,
    },
}

impl DisjointError {
    /// Creates the error for the key at a position, if all before it are distinct and have values. Keys are pairs of
    /// index and generation.
    #[cold]
    pub(crate) fn at(keys: &[(u32, u32)], at: usize) -> Self {
        match keys[..at].iter().position(|key| *key == keys[at]) {
            Some(first) => Self::Same { first, second: at },
            None => Self::Missing { at },
        }
    }
}

impl fmt::Display for DisjointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { at } => write!(f, "no value has the key at index {at}"),
            Self::Same { first, second } => {
                write!(f, "the keys at index {first} and {second} are the same")
            }
        }
    }
}

impl Error for DisjointError {}
