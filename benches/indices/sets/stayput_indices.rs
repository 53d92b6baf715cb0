//! The indices of this crate, and tables with them.

use stayput::index::{ListIndex, SetIndex};
use stayput::{DefaultKey, Table, indices};

use super::{Hasher, Index, Member, Sets, Target};
use crate::operation::Operation;

/// Both indices share their method names.
macro_rules! index {
    ($index:ty) => {
        impl Index for $index {
            fn empty() -> Self {
                Self::default()
            }

            #[inline]
            fn insert(&mut self, set: u32, slot: u32, rows: &[Member]) {
                self.insert(&set, slot, |other| rows[other as usize].set == set);
            }

            #[inline]
            fn for_each(&self, set: u32, rows: &[Member], each: impl FnMut(u32)) {
                self.find(&set, |slot| rows[slot as usize].set == set).for_each(each);
            }

            #[inline]
            fn count(&self, set: u32, rows: &[Member]) -> usize {
                self.count(&set, |slot| rows[slot as usize].set == set)
            }

            #[inline]
            fn shift(&mut self, slot: u32, set: u32, rows: &[Member]) {
                self.insert(&set, slot, |other| rows[other as usize].set == set);
            }

            #[inline]
            fn remove(&mut self, slot: u32, _: &[Member]) {
                self.remove(slot);
            }
        }
    };
}

index!(SetIndex<Hasher>);
index!(ListIndex<Hasher>);

indices! {
    pub(crate) struct ManyBy for Member {
        set: Many<u32, Hasher> = |row| row.set,
    }
}

indices! {
    pub(crate) struct ListBy for Member {
        set: List<u32, Hasher> = |row| row.set,
    }
}

indices! {
    pub(crate) struct IdAndManyBy for Member {
        id: Unique<u32, Hasher> = |row| row.id,
        set: Many<u32, Hasher> = |row| row.set,
    }
}

/// All tables share their method names.
macro_rules! table {
    ($by:ty $(, $($find:tt)+)?) => {
        impl Sets for Table<Member, $by> {
            type Handle = DefaultKey;

            $($($find)+)?

            fn empty() -> Self {
                Self::new()
            }

            #[inline]
            fn insert(&mut self, row: Member) -> DefaultKey {
                self.insert(row)
            }

            #[inline]
            fn sum(&self, set: u32) -> u64 {
                let found = self.find_all(|by| &by.set, &set);
                found.map(|(_, row)| row.value).fold(0, u64::wrapping_add)
            }

            #[inline]
            fn count(&self, set: u32) -> usize {
                self.count(|by| &by.set, &set)
            }

            #[inline]
            fn shift(&mut self, row: Target<DefaultKey>, set: u32) {
                self.modify(row.handle, |row| row.set = set);
            }

            #[inline]
            fn remove(&mut self, row: Target<DefaultKey>) -> u64 {
                self.remove(row.handle).map_or(0, |row| row.value)
            }
        }
    };
}

table!(ManyBy);
table!(ListBy);
table! {
    IdAndManyBy,
    const LACKS: &'static [Operation] = &[];

    #[inline]
    fn find(&self, id: u32) -> Option<u64> {
        self.find(|by| &by.id, &id).map(|(_, row)| row.value)
    }
}
