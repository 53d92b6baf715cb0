//! [`DisjointError`]: which of several keys has no value to be lent beside those of the others.

#![forbid(unsafe_code)]

use std::error::Error;
use std::fmt;

/// Why the values of several keys cannot be had at once, given by
/// [`SlotMap::try_get_disjoint_mut`](crate::SlotMap::try_get_disjoint_mut) and those of the secondary
/// maps. It speaks of the first key, in the order in which they were given, that is at fault.
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
        /// Which of the keys that were given, counted from 0.
        at: usize,
    },
    /// Two keys are the same, but perhaps for their tags. There is a value of it.
    Same {
        /// Where it was given first, counted from 0.
        first: usize,
        /// Where it was given again.
        second: usize,
    },
}

impl DisjointError {
    /// What is the matter with the key at a place, when all before are different and have values. Keys
    /// are given by index and generation.
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
