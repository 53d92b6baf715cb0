//! Slot maps of entities with a column of velocities beside them, each in its crate's usual way.

use stayput::{DefaultKey, SecondaryMap, SlotMap};

use crate::entity::{self, Entity, Velocity};
use crate::scenario::ecs::World;

/// A map, and more values for its keys.
#[derive(Debug, Default)]
pub(super) struct WithColumn<M, C> {
    pub(super) entities: M,
    pub(super) velocities: C,
}

/// What all maps do in the same way.
macro_rules! usual {
    ($($method:ident)+) => { $(usual!(@ $method);)+ };
    (@ insert) => {
        #[inline]
        fn insert(&mut self, entity: Entity, velocity: Velocity) {
            let key = self.entities.insert(entity);
            self.velocities.insert(key, velocity);
        }
    };
    (@ update) => {
        #[inline]
        fn update(&mut self, each: impl Fn(&mut Entity)) {
            self.entities.iter_mut().for_each(|(_, entity)| each(entity));
        }
    };
    (@ retain) => {
        #[inline]
        fn retain(&mut self, keep: impl Fn(&Entity) -> bool) {
            self.entities.retain(|_, entity| keep(entity));
        }
    };
    (@ sum) => {
        fn sum(&self) -> u64 {
            entity::sum(self.entities.iter().map(|(_, entity)| entity))
        }
    };
}

/// What the two of `slotmap` share.
macro_rules! slotmap {
    ($name:ident, $map:ident) => {
        pub(super) type $name = WithColumn<
            slotmap::$map<slotmap::DefaultKey, Entity>,
            slotmap::SecondaryMap<slotmap::DefaultKey, Velocity>,
        >;

        impl World for $name {
            usual!(insert update retain sum);

            #[inline]
            fn join(&mut self, each: impl Fn(&mut Entity, &Velocity)) {
                for (key, entity) in &mut self.entities {
                    if let Some(velocity) = self.velocities.get(key) {
                        each(entity, velocity);
                    }
                }
            }
        }
    };
}
slotmap!(Slotmap, SlotMap);
slotmap!(SlotmapDense, DenseSlotMap);

pub(super) type Stayput =
    WithColumn<SlotMap<DefaultKey, Entity>, SecondaryMap<DefaultKey, Velocity>>;

impl World for Stayput {
    usual!(insert update retain sum);

    #[inline]
    fn join(&mut self, each: impl Fn(&mut Entity, &Velocity)) {
        let joined = self.entities.join_mut(&self.velocities);
        joined.for_each(|(_, entity, velocity)| each(entity, velocity));
    }
}

/// What the two arenas share: they have no secondary maps, so the column is a `Vec` by slots.
macro_rules! arena {
    ($name:ident, $arena:ty, $slot:expr) => {
        pub(super) type $name = WithColumn<$arena, Vec<Velocity>>;

        impl World for $name {
            usual!(update retain sum);

            #[inline]
            fn insert(&mut self, entity: Entity, velocity: Velocity) {
                let slot: usize = $slot(self.entities.insert(entity));
                if slot >= self.velocities.len() {
                    self.velocities.resize(slot + 1, Velocity::default());
                }
                self.velocities[slot] = velocity;
            }

            #[inline]
            fn join(&mut self, each: impl Fn(&mut Entity, &Velocity)) {
                for (key, entity) in &mut self.entities {
                    if let Some(velocity) = self.velocities.get($slot(key)) {
                        each(entity, velocity);
                    }
                }
            }
        }
    };
}
arena!(Thunderdome, thunderdome::Arena<Entity>, |key: thunderdome::Index| key.slot() as usize);
arena!(Generational, generational_arena::Arena<Entity>, |key: generational_arena::Index| {
    key.into_raw_parts().0
});
