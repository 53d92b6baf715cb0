//! [`SparseSecondaryMap`]: values that only few keys have.

#![forbid(unsafe_code)]

// In the order in which the documentation lists their methods.
mod access;
mod change;
mod iter;
mod memory;

pub use super::entry::{Entry, OccupiedEntry, VacantEntry};
pub use iter::{Drain, IntoIter, IntoKeys, IntoValues, Iter, IterMut, Keys, Values, ValuesMut};

use super::{parts, unless_stale};
use crate::error::{Error, ErrorKind};
use crate::key::{Key, KeyData, Layout};
use crate::slots::key_tag::Mint;
use hashbrown::{HashTable, TryReserveError};
use std::hash::{BuildHasher, RandomState};
#[cfg(feature = "rayon")]
use std::mem;

/// Associates additional data with a few of the keys of a [`SlotMap`](crate::SlotMap), stored in a hash table.
///
/// It has most of the methods of [`SecondaryMap`](super::SecondaryMap), and the API of the `slotmap` crate's map of the
/// same name. The table, of the `hashbrown` crate, is keyed by the index in the key and takes memory only for values in
/// the map. So look-ups are slower, and values move when the table grows.
///
/// A key finds the value that was inserted under it and no other. Inserting under a key that is older than the one
/// whose value is in the slot is refused, and inserting under a newer key replaces the value. Tags are ignored;
/// [`set_type_id`](Self::set_type_id) sets that of the keys that the map returns. No index is far, since each takes the
/// same memory. After [`SlotMap::reset`](crate::SlotMap::reset), [`clear`](Self::clear) this map, too.
///
/// If a hasher panics while an insertion or a reservation moves values in the table, some of them are dropped.
///
/// # Time complexity
///
/// Looking up, inserting and removing take O(1) on average, if the hasher spreads indices well. Growing is O(n).
/// Iteration is O(n) in the capacity, in arbitrary order. Only the allocator enters the kernel.
///
/// # Examples
///
/// ```
/// use stayput::{SlotMap, SparseSecondaryMap};
///
/// let mut players = SlotMap::new();
/// let keys: Vec<_> = (0..1000).map(|n| players.insert(n)).collect();
///
/// let mut on_fire = SparseSecondaryMap::new();
/// on_fire.insert(keys[500], "for 3 seconds");
/// assert_eq!(on_fire.get(keys[500]), Some(&"for 3 seconds"));
/// assert_eq!(on_fire.get(keys[501]), None);
/// ```
pub struct SparseSecondaryMap<K: Key, V, S = RandomState> {
    /// No two slots have the same index.
    table: HashTable<SparseSlot<V>>,
    hash_builder: S,
    pub(super) mint: Mint<K>,
}

/// A value and its key.
#[derive(Clone)]
pub(crate) struct SparseSlot<V> {
    index: u32,
    generation: u32,
    pub(crate) value: V,
}

impl<V> SparseSlot<V> {
    #[inline]
    pub(super) fn new<L: Layout>(key: KeyData<L>, value: V) -> Self {
        Self { index: key.index(), generation: key.generation(), value }
    }

    /// Whether the slot has this index and generation.
    #[inline]
    fn is_of(&self, key: (u32, u32)) -> bool {
        (self.index, self.generation) == key
    }

    #[inline]
    pub(crate) fn key<K: Key>(&self, mint: Mint<K>) -> K {
        mint.key(self.index, self.generation)
    }
}

/// A slot or a reference to one, as index, generation and value.
pub(crate) trait Parts {
    type Value;

    fn parts(self) -> (u32, u32, Self::Value);
}

impl<V> Parts for SparseSlot<V> {
    type Value = V;

    #[inline]
    fn parts(self) -> (u32, u32, V) {
        (self.index, self.generation, self.value)
    }
}

impl<'a, V> Parts for &'a SparseSlot<V> {
    type Value = &'a V;

    #[inline]
    fn parts(self) -> (u32, u32, &'a V) {
        (self.index, self.generation, &self.value)
    }
}

impl<'a, V> Parts for &'a mut SparseSlot<V> {
    type Value = &'a mut V;

    #[inline]
    fn parts(self) -> (u32, u32, &'a mut V) {
        (self.index, self.generation, &mut self.value)
    }
}

#[cfg(any(feature = "rayon", feature = "file"))]
impl<K: Key, V, S> SparseSecondaryMap<K, V, S> {
    #[inline]
    pub(crate) const fn mint(&self) -> Mint<K> {
        self.mint
    }
}

#[cfg(feature = "rayon")]
impl<K: Key, V, S> SparseSecondaryMap<K, V, S> {
    pub(crate) fn table(&self) -> &HashTable<SparseSlot<V>> {
        &self.table
    }

    pub(crate) fn into_table(mut self) -> HashTable<SparseSlot<V>> {
        mem::take(&mut self.table)
    }

    pub(crate) fn table_mut(&mut self) -> &mut HashTable<SparseSlot<V>> {
        &mut self.table
    }
}

/// Returns the function by which the table hashes a slot.
#[inline]
fn hash_of<V>(hash_builder: &impl BuildHasher) -> impl Fn(&SparseSlot<V>) -> u64 {
    |slot| hash_builder.hash_one(slot.index)
}

#[inline]
fn try_reserve<V>(
    table: &mut HashTable<SparseSlot<V>>,
    additional: usize,
    hash: impl Fn(&SparseSlot<V>) -> u64,
) -> Result<(), Error> {
    table.try_reserve(additional, hash).map_err(|error| match error {
        TryReserveError::CapacityOverflow => Error::new(ErrorKind::CapacityOverflow, usize::MAX),
        TryReserveError::AllocError { layout } => Error::new(ErrorKind::Memory, layout.size()),
    })
}

impl<K: Key, V, S: Default> Default for SparseSecondaryMap<K, V, S> {
    /// Creates an empty map.
    fn default() -> Self {
        Self::with_hasher(S::default())
    }
}

impl<K: Key, V: Clone, S: Clone> Clone for SparseSecondaryMap<K, V, S> {
    /// Returns a copy with the same keys. O(n) in the capacity.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{SlotMap, SparseSecondaryMap};
    /// let mut map = SlotMap::new();
    /// let key = map.insert("foo");
    /// let mut second = SparseSecondaryMap::new();
    /// second.insert(key, 1);
    /// let before = second.clone();
    /// second[key] = 2;
    /// assert_eq!((before[key], second[key]), (1, 2));
    /// ```
    fn clone(&self) -> Self {
        Self { table: self.table.clone(), hash_builder: self.hash_builder.clone(), mint: self.mint }
    }
}

impl<K: Key, V: Clone, S: BuildHasher + Clone> SparseSecondaryMap<K, V, S> {
    /// [`clone`](Self::clone), or the error.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    pub fn try_clone(&self) -> Result<Self, Error> {
        let mut clone = Self::with_hasher(self.hash_builder.clone());
        clone.mint = self.mint;
        clone.try_reserve(self.table.len())?;
        let hash = hash_of(&self.hash_builder);
        for slot in &self.table {
            clone.table.insert_unique(hash(slot), slot.clone(), &hash);
        }
        Ok(clone)
    }
}
