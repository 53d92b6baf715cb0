//! Hash tables of other crates.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use stayput::{DefaultKey, SlotMap};

use super::{Hasher, Index, Row, Target, Unique};

pub(crate) type HashMap<V> = hashbrown::HashMap<u64, V, Hasher>;
pub(crate) type Griddle = griddle::HashMap<u64, u32, Hasher>;
pub(crate) type IndexMap = indexmap::IndexMap<u64, Row, Hasher>;

/// The maps share their method names.
macro_rules! index {
    ($map:ty) => {
        impl Index for $map {
            fn empty() -> Self {
                Self::default()
            }

            #[inline]
            fn insert(&mut self, key: u64, slot: u32, _: &[Row]) {
                self.insert(key, slot);
            }

            #[inline]
            fn find(&self, key: u64, _: &[Row]) -> Option<u32> {
                self.get(&key).copied()
            }

            #[inline]
            fn remove(&mut self, key: u64, _: &[Row]) -> Option<u32> {
                self.remove(&key)
            }

            #[inline]
            fn unlink(&mut self, key: u64, _: u32) -> bool {
                self.remove(&key).is_some()
            }

            fn clear(&mut self) {
                self.clear();
            }
        }
    };
}

index!(HashMap<u32>);
index!(Griddle);

/// Stores slots only; keys are in the rows.
#[derive(Default)]
pub(crate) struct Slots {
    table: HashTable<u32>,
    hasher: Hasher,
}

impl Index for Slots {
    fn empty() -> Self {
        Self::default()
    }

    #[inline]
    fn insert(&mut self, key: u64, slot: u32, rows: &[Row]) {
        let Self { table, hasher } = self;
        let has = |&slot: &u32| rows[slot as usize].key == key;
        let hash = |&slot: &u32| hasher.hash_one(rows[slot as usize].key);
        if let Entry::Vacant(vacant) = table.entry(hasher.hash_one(key), has, hash) {
            vacant.insert(slot);
        }
    }

    #[inline]
    fn find(&self, key: u64, rows: &[Row]) -> Option<u32> {
        let has = |&slot: &u32| rows[slot as usize].key == key;
        self.table.find(self.hasher.hash_one(key), has).copied()
    }

    #[inline]
    fn remove(&mut self, key: u64, rows: &[Row]) -> Option<u32> {
        let has = |&slot: &u32| rows[slot as usize].key == key;
        let entry = self.table.find_entry(self.hasher.hash_one(key), has).ok()?;
        Some(entry.remove().0)
    }

    #[inline]
    fn unlink(&mut self, key: u64, slot: u32) -> bool {
        let entry = self.table.find_entry(self.hasher.hash_one(key), |&other| other == slot);
        entry.map(|entry| entry.remove().0).is_ok()
    }

    fn clear(&mut self) {
        self.table.clear();
    }
}

/// Stores its rows contiguously.
impl Unique for IndexMap {
    type Handle = ();

    fn empty() -> Self {
        Self::default()
    }

    #[inline]
    fn insert(&mut self, _: u32, row: Row) {
        self.insert(row.key, row);
    }

    #[inline]
    fn find(&self, key: u64) -> Option<&Row> {
        self.get(&key)
    }

    #[inline]
    fn remove(&mut self, key: u64) -> Option<u64> {
        self.swap_remove(&key).map(|row| row.value)
    }

    #[inline]
    fn rekey(&mut self, _: Target<()>, old: u64, new: u64) -> bool {
        let Some(row) = self.swap_remove(&old) else { return false };
        self.insert(new, Row { key: new, ..row });
        true
    }

    #[inline]
    fn modify(&mut self, _: Target<()>, key: u64, mask: u64) -> Option<u64> {
        Some(self.get_mut(&key)?.change(mask))
    }

    fn clear(&mut self) {
        self.clear();
    }
}

/// A table by hand: a slot map, and a map to its keys, kept consistent by the caller.
#[derive(Default)]
pub(crate) struct ByHand {
    rows: SlotMap<DefaultKey, Row>,
    by_key: HashMap<DefaultKey>,
}

impl Unique for ByHand {
    type Handle = DefaultKey;

    fn empty() -> Self {
        Self::default()
    }

    #[inline]
    fn insert(&mut self, _: u32, row: Row) -> DefaultKey {
        let handle = self.rows.insert(row);
        self.by_key.insert(row.key, handle);
        handle
    }

    #[inline]
    fn find(&self, key: u64) -> Option<&Row> {
        self.rows.get(*self.by_key.get(&key)?)
    }

    #[inline]
    fn remove(&mut self, key: u64) -> Option<u64> {
        let handle = self.by_key.remove(&key)?;
        self.rows.remove(handle).map(|row| row.value)
    }

    #[inline]
    fn rekey(&mut self, Target { handle, .. }: Target<DefaultKey>, old: u64, new: u64) -> bool {
        let was_there = self.by_key.remove(&old).is_some();
        let Some(row) = self.rows.get_mut(handle) else { return false };
        row.key = new;
        self.by_key.insert(new, handle);
        was_there
    }

    #[inline]
    fn modify(&mut self, row: Target<DefaultKey>, _: u64, mask: u64) -> Option<u64> {
        Some(self.rows.get_mut(row.handle)?.change(mask))
    }

    fn clear(&mut self) {
        self.rows.clear();
        self.by_key.clear();
    }
}
