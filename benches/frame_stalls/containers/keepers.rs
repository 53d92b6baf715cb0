//! How slot maps are inserted to, removed from and summed.

use slotmap::Key as _;
use stayput::Key as _;

use crate::entity::{self, Entity};
use crate::scenario::churn::Keeper;

/// Maps have the same names for the same, and no trait: what differs is a key that is never looked up, the method that
/// removes a value that may not be there, and what values are iterated over by.
macro_rules! keeper {
    ($map:ty, $key:ty, $no_key:expr, $remove:ident, $($values:ident)+) => {
        impl Keeper for $map {
            type Key = $key;

            fn no_key() -> Self::Key {
                $no_key
            }

            #[inline]
            fn insert(&mut self, entity: Entity) -> Self::Key {
                self.insert(entity)
            }

            #[inline]
            fn remove(&mut self, key: Self::Key) -> bool {
                self.$remove(key).is_some()
            }

            fn sum(&self) -> u64 {
                keeper!(@ self $($values)+)
            }
        }
    };
    (@ $map:ident values) => { entity::sum($map.values()) };
    (@ $map:ident values of pairs) => { entity::sum($map.iter().map(|(_, entity)| entity)) };
}

macro_rules! slotmap {
    ($map:ident of $of:ident) => {
        keeper!(
            $of::$map<$of::DefaultKey, Entity>,
            $of::DefaultKey,
            $of::DefaultKey::null(),
            remove,
            values
        );
    };
}
slotmap!(SlotMap of slotmap);
slotmap!(DenseSlotMap of slotmap);
slotmap!(SlotMap of stayput);
slotmap!(DenseSlotMap of stayput);

keeper!(
    thunderdome::Arena<Entity>,
    thunderdome::Index,
    thunderdome::Index::DANGLING,
    remove,
    values of pairs
);

keeper!(
    generational_arena::Arena<Entity>,
    generational_arena::Index,
    generational_arena::Index::from_raw_parts(usize::MAX, 0),
    remove,
    values of pairs
);

keeper!(slab::Slab<Entity>, usize, usize::MAX, try_remove, values of pairs);
