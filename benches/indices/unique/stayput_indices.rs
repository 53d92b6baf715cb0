//! This crate's index and table.

use std::marker::PhantomData;

use stayput::index::UniqueIndex;
use stayput::{CommitAhead, DefaultKey, Table, indices};

use super::{Hasher, Index, Row, Target, Unique};
use crate::operation::Operation;

impl Index for UniqueIndex<Hasher> {
    fn empty() -> Self {
        Self::default()
    }

    #[inline]
    fn insert(&mut self, key: u64, slot: u32, rows: &[Row]) {
        let other = self.insert(&key, slot, |other| rows[other as usize].key == key);
        assert_eq!(other, None, "keys are unique");
    }

    #[inline]
    fn find(&self, key: u64, rows: &[Row]) -> Option<u32> {
        self.find(&key, |slot| rows[slot as usize].key == key)
    }

    #[inline]
    fn remove(&mut self, key: u64, rows: &[Row]) -> Option<u32> {
        self.take(&key, |slot| rows[slot as usize].key == key)
    }

    #[inline]
    fn unlink(&mut self, _: u64, slot: u32) -> bool {
        self.remove(slot)
    }

    fn clear(&mut self) {
        self.clear();
    }
}

indices! {
    pub(crate) struct RowBy for Row {
        key: Unique<u64, Hasher> = |row| row.key,
    }
}

/// When a table's memory is made ready.
pub(crate) trait Ready {
    const AHEAD: CommitAhead = CommitAhead::Off;
    const LACKS: &'static [Operation];

    fn warm(_table: &mut Table<Row, RowBy>, _rows: usize) {}
}

/// When it is needed.
pub(crate) struct Late;

impl Ready for Late {
    const LACKS: &'static [Operation] = &[];
}

/// Ahead, by the background thread.
pub(crate) struct Ahead;

impl Ready for Ahead {
    const AHEAD: CommitAhead = CommitAhead::Auto;
    const LACKS: &'static [Operation] = NO_DIFFERENT;
}

/// All of it before the first insertion.
pub(crate) struct Warm;

impl Ready for Warm {
    const LACKS: &'static [Operation] = NO_DIFFERENT;

    fn warm(table: &mut Table<Row, RowBy>, rows: usize) {
        table.prefault(rows);
    }
}

/// Operations to which it makes no difference.
const NO_DIFFERENT: &[Operation] = &[
    Operation::InsertWarm,
    Operation::Hit,
    Operation::Dependent,
    Operation::Miss,
    Operation::Remove,
    Operation::Reinsert,
    Operation::Rekey,
    Operation::Modify,
    Operation::Mixed,
    Operation::LongestWarm,
];

pub(crate) struct Declared<A>(Table<Row, RowBy>, PhantomData<A>);

impl<A: Ready> Unique for Declared<A> {
    type Handle = DefaultKey;

    const LACKS: &'static [Operation] = A::LACKS;

    fn empty() -> Self {
        Self(Table::builder().commit_ahead(A::AHEAD).build(), PhantomData)
    }

    fn warm(&mut self, rows: usize) {
        A::warm(&mut self.0, rows);
    }

    #[inline]
    fn insert(&mut self, _: u32, row: Row) -> DefaultKey {
        self.0.insert(row)
    }

    #[inline]
    fn find(&self, key: u64) -> Option<&Row> {
        self.0.find(|by| &by.key, &key).map(|(_, row)| row)
    }

    #[inline]
    fn remove(&mut self, key: u64) -> Option<u64> {
        self.0.take(|by| &by.key, &key).map(|(_, row)| row.value)
    }

    #[inline]
    fn rekey(&mut self, row: Target<DefaultKey>, old: u64, new: u64) -> bool {
        let change = |row: &mut Row| {
            let was = row.key;
            row.key = new;
            was == old
        };
        self.0.modify(row.handle, change) == Some(true)
    }

    #[inline]
    fn modify(&mut self, row: Target<DefaultKey>, _: u64, mask: u64) -> Option<u64> {
        self.0.modify(row.handle, |row| row.change(mask))
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}
