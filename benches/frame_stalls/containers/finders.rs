//! How each table inserts, looks up and sums.

use foldhash::fast::FixedState;
use stayput::{DefaultKey, Table, indices};

use crate::entity::{self, Entity};
use crate::scenario::table::Finder;

indices! {
    /// All tables use one hasher.
    pub(super) struct RowBy for Entity {
        key: Unique<u64, FixedState> = |row| row.key(),
    }
}

pub(super) type Rows = Table<Entity, RowBy, DefaultKey>;

impl Finder for Rows {
    #[inline]
    fn insert(&mut self, row: Entity) {
        self.insert(row);
    }

    #[inline]
    fn find(&self, key: u64) -> Option<&Entity> {
        self.find(|by| &by.key, &key).map(|(_, row)| row)
    }

    fn sum(&self) -> u64 {
        entity::sum(self.values())
    }
}

/// Rows, and a map from keys to their places: a table by hand.
#[derive(Debug, Default)]
pub(super) struct ByHand<M> {
    pub(super) rows: Vec<Entity>,
    pub(super) places: M,
}

pub(super) type Hashbrown = ByHand<hashbrown::HashMap<u64, u32, FixedState>>;
pub(super) type Griddle = ByHand<griddle::HashMap<u64, u32, FixedState>>;

/// The two maps share their method names.
macro_rules! by_hand {
    ($table:ty) => {
        impl Finder for $table {
            #[inline]
            fn insert(&mut self, row: Entity) {
                let place = u32::try_from(self.rows.len()).expect("places are u32");
                let other = self.places.insert(row.key(), place);
                assert!(other.is_none(), "two rows have the same key");
                self.rows.push(row);
            }

            #[inline]
            fn find(&self, key: u64) -> Option<&Entity> {
                let &place = self.places.get(&key)?;
                self.rows.get(place as usize)
            }

            fn sum(&self) -> u64 {
                entity::sum(&self.rows)
            }
        }
    };
}
by_hand!(Hashbrown);
by_hand!(Griddle);
