//! How each slot map inserts, removes and sums.

use slotmap::Key as _;
use stayput::Key as _;

use crate::entity::{self, Entity};
use crate::scenario::churn::ChurnMap;

/// Maps share method names, but no trait. They differ in the key that is never looked up, the method that
/// removes a value that may be absent, and the iterator over values.
macro_rules! churn_map {
    ($map:ty, $key:ty, $no_key:expr, $remove:ident, $($values:ident)+) => {
        impl ChurnMap for $map {
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
                churn_map!(@ self $($values)+)
            }
        }
    };
    (@ $map:ident values) => { entity::sum($map.values()) };
    (@ $map:ident values of pairs) => { entity::sum($map.iter().map(|(_, entity)| entity)) };
}

macro_rules! slotmap {
    ($map:ident of $of:ident) => {
        churn_map!(
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

churn_map!(
    thunderdome::Arena<Entity>,
    thunderdome::Index,
    thunderdome::Index::DANGLING,
    remove,
    values of pairs
);

churn_map!(
    generational_arena::Arena<Entity>,
    generational_arena::Index,
    generational_arena::Index::from_raw_parts(usize::MAX, 0),
    remove,
    values of pairs
);

churn_map!(slab::Slab<Entity>, usize, usize::MAX, try_remove, values of pairs);
