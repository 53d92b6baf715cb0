//! How each array pushes and sums.

use orx_split_vec::{Collection, Growth, PinnedVec, SplitVec};
use stayput::columns::Columns;
use stayput::{BlockVec, VmVec};

use crate::entity::{self, Entity};
use crate::scenario::spawn::Spawner;

/// Arrays whose methods share these names.
macro_rules! spawner {
    ($($array:ty),+) => {$(
        impl Spawner for $array {
            #[inline]
            fn push(&mut self, entity: Entity) {
                self.push(entity);
            }

            fn sum(&self) -> u64 {
                entity::sum(self.iter())
            }
        }
    )+};
}
spawner!(Vec<Entity>, virtual_buffer::vec::Vec<Entity>, VmVec<Entity>, BlockVec<Entity>);

impl Spawner for boxcar::Vec<Entity> {
    #[inline]
    fn push(&mut self, entity: Entity) {
        Self::push(self, entity);
    }

    fn sum(&self) -> u64 {
        entity::sum(self.iter().map(|(_, entity)| entity))
    }
}

impl<G: Growth> Spawner for SplitVec<Entity, G> {
    #[inline]
    fn push(&mut self, entity: Entity) {
        PinnedVec::push(self, entity);
    }

    fn sum(&self) -> u64 {
        entity::sum(self.iter())
    }
}

impl Spawner for Columns<Entity> {
    #[inline]
    fn push(&mut self, entity: Entity) {
        Self::push(self, entity);
    }

    fn sum(&self) -> u64 {
        self.iter().map(|row| row.copied().digest()).fold(0, u64::wrapping_add)
    }
}
