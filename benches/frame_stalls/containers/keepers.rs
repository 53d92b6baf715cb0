//! How slot maps are inserted to, removed from and summed.

use slotmap::Key as _;
use stayput::Key as _;

use crate::entity::{self, Entity};
use crate::scenario::churn::Keeper;

/// What the two of `slotmap` share, and ours, which have the same names.
macro_rules! slotmap {
    ($map:ident of $of:ident) => {
        impl Keeper for $of::$map<$of::DefaultKey, Entity> {
            type Key = $of::DefaultKey;

            fn no_key() -> Self::Key {
                Self::Key::null()
            }

            #[inline]
            fn insert(&mut self, entity: Entity) -> Self::Key {
                self.insert(entity)
            }

            #[inline]
            fn remove(&mut self, key: Self::Key) -> bool {
                self.remove(key).is_some()
            }

            fn sum(&self) -> u64 {
                entity::sum(self.values())
            }
        }
    };
}
slotmap!(SlotMap of slotmap);
slotmap!(DenseSlotMap of slotmap);
slotmap!(SlotMap of stayput);
slotmap!(DenseSlotMap of stayput);

impl Keeper for thunderdome::Arena<Entity> {
    type Key = thunderdome::Index;

    fn no_key() -> Self::Key {
        Self::Key::DANGLING
    }

    #[inline]
    fn insert(&mut self, entity: Entity) -> Self::Key {
        self.insert(entity)
    }

    #[inline]
    fn remove(&mut self, key: Self::Key) -> bool {
        self.remove(key).is_some()
    }

    fn sum(&self) -> u64 {
        entity::sum(self.iter().map(|(_, entity)| entity))
    }
}

impl Keeper for generational_arena::Arena<Entity> {
    type Key = generational_arena::Index;

    fn no_key() -> Self::Key {
        Self::Key::from_raw_parts(usize::MAX, 0)
    }

    #[inline]
    fn insert(&mut self, entity: Entity) -> Self::Key {
        self.insert(entity)
    }

    #[inline]
    fn remove(&mut self, key: Self::Key) -> bool {
        self.remove(key).is_some()
    }

    fn sum(&self) -> u64 {
        entity::sum(self.iter().map(|(_, entity)| entity))
    }
}

impl Keeper for slab::Slab<Entity> {
    type Key = usize;

    fn no_key() -> usize {
        usize::MAX
    }

    #[inline]
    fn insert(&mut self, entity: Entity) -> usize {
        self.insert(entity)
    }

    #[inline]
    fn remove(&mut self, key: usize) -> bool {
        self.try_remove(key).is_some()
    }

    fn sum(&self) -> u64 {
        entity::sum(self.iter().map(|(_, entity)| entity))
    }
}
