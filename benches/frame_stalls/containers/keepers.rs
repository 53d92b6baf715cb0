//! How slot maps are inserted to, removed from and summed.

use slotmap::Key as _;
use stayput::{Key as _, SlotMap};

use crate::entity::{self, Entity};
use crate::scenario::churn::Keeper;

/// What the two of `slotmap` share.
macro_rules! slotmap {
    ($map:ident) => {
        impl Keeper for slotmap::$map<slotmap::DefaultKey, Entity> {
            type Key = slotmap::DefaultKey;

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
slotmap!(SlotMap);
slotmap!(DenseSlotMap);

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

impl Keeper for SlotMap<stayput::DefaultKey, Entity> {
    type Key = stayput::DefaultKey;

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
