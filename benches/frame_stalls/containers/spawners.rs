//! How arrays are pushed to and summed.

use orx_split_vec::{Collection, Growth, PinnedVec, SplitVec};
use stayput::{BlockVec, VmVec};

use crate::entity::{self, Entity};
use crate::scenario::spawn::Spawner;

impl Spawner for Vec<Entity> {
    #[inline]
    fn push(&mut self, entity: Entity) {
        self.push(entity);
    }

    fn sum(&self) -> u64 {
        entity::sum(self)
    }
}

impl Spawner for virtual_buffer::vec::Vec<Entity> {
    #[inline]
    fn push(&mut self, entity: Entity) {
        self.push(entity);
    }

    fn sum(&self) -> u64 {
        entity::sum(self.as_slice())
    }
}

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

impl Spawner for VmVec<Entity> {
    #[inline]
    fn push(&mut self, entity: Entity) {
        self.push(entity);
    }

    fn sum(&self) -> u64 {
        entity::sum(self)
    }
}

impl Spawner for BlockVec<Entity> {
    #[inline]
    fn push(&mut self, entity: Entity) {
        self.push(entity);
    }

    fn sum(&self) -> u64 {
        entity::sum(self)
    }
}
