//! [`SparseSecondaryMap`]: for values that few of the keys have.

#![forbid(unsafe_code)]

// In the order in which the docs are to list their methods.
mod access;
mod change;

mod iter;

pub use super::entry::{Entry, OccupiedEntry, VacantEntry};
pub use iter::{Drain, IntoIter, IntoKeys, IntoValues, Iter, IterMut, Keys, Values, ValuesMut};

use super::{or_give_up, parts, unless_stale};
use crate::error::{Error, ErrorKind};
use crate::key::{Key, KeyData, Layout};
use crate::slots::key_tag::Mint;
use hashbrown::{HashTable, TryReserveError};
use std::hash::{BuildHasher, RandomState};
#[cfg(feature = "rayon")]
use std::mem;

/// More values for a few of the keys of a [`SlotMap`](crate::SlotMap), by hashing.
///
/// It does what a [`SecondaryMap`](super::SecondaryMap) does, in memory for the values that are
/// there: a hash table of the `hashbrown` crate by the index in the key. So it is slower, and values
/// move when it grows. It has what the map of the same name in the `slotmap` crate has, by the same
/// names.
///
/// A key finds the value that was put in under it, and no other. A key that is older than the one
/// whose value is there is refused, and one that is newer takes its place. Tags take no part; see
/// [`set_type_id`](Self::set_type_id) for those of keys that are given out. No
/// index is far: each takes the same memory. After [`SlotMap::reset`](crate::SlotMap::reset),
/// [`clear`](Self::clear) this map as well.
///
/// # Complexity
///
/// Looking up, inserting and removing are O(1) on average, if the hasher spreads indices well.
/// Growing is linear in the values. To iterate is linear in the capacity, in no order. No call
/// enters the kernel by itself; the allocator may.
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
    table: HashTable<Slot<V>>,
    hash_builder: S,
    pub(super) mint: Mint<K>,
}

/// A value, and the key it was put in under.
#[derive(Clone)]
pub(crate) struct Slot<V> {
    index: u32,
    generation: u32,
    pub(crate) value: V,
}

impl<V> Slot<V> {
    #[inline]
    pub(super) fn new<L: Layout>(key: KeyData<L>, value: V) -> Self {
        Self { index: key.index(), generation: key.generation(), value }
    }

    /// Whether it is that of an index and a generation.
    #[inline]
    fn is_of(&self, key: (u32, u32)) -> bool {
        (self.index, self.generation) == key
    }

    #[inline]
    pub(crate) fn key<K: Key>(&self, mint: Mint<K>) -> K {
        mint.key(self.index, self.generation)
    }
}

/// A slot, or a reference to one, as index, generation and value.
pub(crate) trait Parts {
    type Value;

    fn parts(self) -> (u32, u32, Self::Value);
}

impl<V> Parts for Slot<V> {
    type Value = V;

    #[inline]
    fn parts(self) -> (u32, u32, V) {
        (self.index, self.generation, self.value)
    }
}

impl<'a, V> Parts for &'a Slot<V> {
    type Value = &'a V;

    #[inline]
    fn parts(self) -> (u32, u32, &'a V) {
        (self.index, self.generation, &self.value)
    }
}

impl<'a, V> Parts for &'a mut Slot<V> {
    type Value = &'a mut V;

    #[inline]
    fn parts(self) -> (u32, u32, &'a mut V) {
        (self.index, self.generation, &mut self.value)
    }
}

impl<K: Key, V> SparseSecondaryMap<K, V> {
    /// An empty map. Allocates nothing until the first insertion.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{DefaultKey, SparseSecondaryMap};
    ///
    /// let map: SparseSecondaryMap<DefaultKey, u32> = SparseSecondaryMap::new();
    /// assert!(map.is_empty());
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// [`new`](Self::new), with room for `capacity` values.
    ///
    /// # Panics
    ///
    /// If the memory cannot be had.
    #[must_use]
    #[track_caller]
    pub fn with_capacity(capacity: usize) -> Self {
        Self::with_capacity_and_hasher(capacity, RandomState::default())
    }

    /// [`with_capacity`](Self::with_capacity), or the error.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    pub fn try_with_capacity(capacity: usize) -> Result<Self, Error> {
        Self::try_with_capacity_and_hasher(capacity, RandomState::default())
    }
}

impl<K: Key, V, S> SparseSecondaryMap<K, V, S> {
    /// An empty map that hashes with what `hash_builder` makes.
    ///
    /// The keys of a slot map are not chosen by others, so a fast hasher does, unless keys come
    /// from outside.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{DefaultKey, SparseSecondaryMap};
    /// use std::hash::{BuildHasherDefault, DefaultHasher};
    ///
    /// let mut map: SparseSecondaryMap<DefaultKey, u32, _> =
    ///     SparseSecondaryMap::with_hasher(BuildHasherDefault::<DefaultHasher>::default());
    /// # map.insert(DefaultKey::default(), 1);
    /// ```
    #[must_use]
    pub const fn with_hasher(hash_builder: S) -> Self {
        Self { table: HashTable::new(), hash_builder, mint: Mint::PLAIN }
    }

    /// What makes the hashers.
    pub const fn hasher(&self) -> &S {
        &self.hash_builder
    }
}

impl<K: Key, V, S: BuildHasher> SparseSecondaryMap<K, V, S> {
    /// [`with_hasher`](Self::with_hasher), with room for `capacity` values.
    ///
    /// # Panics
    ///
    /// If the memory cannot be had.
    #[must_use]
    #[track_caller]
    pub fn with_capacity_and_hasher(capacity: usize, hash_builder: S) -> Self {
        or_give_up(Self::try_with_capacity_and_hasher(capacity, hash_builder))
    }

    /// [`with_capacity_and_hasher`](Self::with_capacity_and_hasher), or the error.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    pub fn try_with_capacity_and_hasher(capacity: usize, hash_builder: S) -> Result<Self, Error> {
        let mut map = Self::with_hasher(hash_builder);
        map.try_reserve(capacity)?;
        Ok(map)
    }

    /// Makes room for `additional` more values. Linear in the values if the table grows.
    ///
    /// # Panics
    ///
    /// Where [`try_reserve`](Self::try_reserve) has an error.
    #[track_caller]
    pub fn reserve(&mut self, additional: usize) {
        or_give_up(self.try_reserve(additional));
    }

    /// [`reserve`](Self::reserve), or the error.
    ///
    /// # Errors
    ///
    /// If the table, with the places that it keeps empty, would be more than `isize::MAX` bytes
    /// ([`CapacityOverflow`](ErrorKind::CapacityOverflow)), or the allocator refuses
    /// ([`Memory`](ErrorKind::Memory)). The map is unchanged then.
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), Error> {
        let hash_builder = &self.hash_builder;
        try_reserve(&mut self.table, additional, hash_of(hash_builder))
    }

    /// Makes the table as small as holds the values. Linear in the capacity.
    pub fn shrink_to_fit(&mut self) {
        let hash_builder = &self.hash_builder;
        self.table.shrink_to_fit(hash_of(hash_builder));
    }
}

#[cfg(any(feature = "rayon", feature = "file"))]
impl<K: Key, V, S> SparseSecondaryMap<K, V, S> {
    /// Makes the keys that are given out.
    #[inline]
    pub(crate) const fn mint(&self) -> Mint<K> {
        self.mint
    }
}

#[cfg(feature = "rayon")]
impl<K: Key, V, S> SparseSecondaryMap<K, V, S> {
    pub(crate) fn table(&self) -> &HashTable<Slot<V>> {
        &self.table
    }

    pub(crate) fn into_table(mut self) -> HashTable<Slot<V>> {
        mem::take(&mut self.table)
    }

    pub(crate) fn table_mut(&mut self) -> &mut HashTable<Slot<V>> {
        &mut self.table
    }
}

/// How the table hashes a slot.
#[inline]
fn hash_of<V>(hash_builder: &impl BuildHasher) -> impl Fn(&Slot<V>) -> u64 {
    |slot| hash_builder.hash_one(slot.index)
}

#[inline]
fn try_reserve<V>(
    table: &mut HashTable<Slot<V>>,
    additional: usize,
    hash: impl Fn(&Slot<V>) -> u64,
) -> Result<(), Error> {
    table.try_reserve(additional, hash).map_err(|error| match error {
        TryReserveError::CapacityOverflow => Error::new(ErrorKind::CapacityOverflow, usize::MAX),
        TryReserveError::AllocError { layout } => Error::new(ErrorKind::Memory, layout.size()),
    })
}

impl<K: Key, V, S: Default> Default for SparseSecondaryMap<K, V, S> {
    /// An empty map.
    fn default() -> Self {
        Self::with_hasher(S::default())
    }
}

impl<K: Key, V: Clone, S: Clone> Clone for SparseSecondaryMap<K, V, S> {
    /// A copy with the same keys. Linear in the capacity.
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
