//! How arrays that threads share are appended to and read.

use append_only_vec::AppendOnlyVec;
use orx_concurrent_vec::ConcurrentVec;
use stayput::SharedVec;

use crate::entity::{self, Entity};
use crate::scenario::workers::{Read, Shared};

/// Of what lies in one piece.
fn read_slice(all: &[Entity], from: usize, places: &[usize]) -> Read {
    Read {
        end: all.len(),
        new: entity::sum(&all[from..]),
        old: entity::sum(places.iter().map(|&place| &all[place])),
    }
}

/// Of what is told entity by entity; `None` where none is yet.
fn read_each(digest: impl Fn(usize) -> Option<u64>, from: usize, places: &[usize]) -> Read {
    let (mut end, mut new) = (from, 0_u64);
    while let Some(digest) = digest(end) {
        new = new.wrapping_add(digest);
        end += 1;
    }
    let old = places.iter().filter_map(|&place| digest(place)).fold(0, u64::wrapping_add);
    Read { end, new, old }
}

/// The lock is held for the time of a look: what is read under it is moved by who grows the array.
impl Shared for parking_lot::Mutex<Vec<Entity>> {
    #[inline]
    fn push(&self, entity: Entity) {
        self.lock().push(entity);
    }

    fn read(&self, from: usize, places: &[usize]) -> Read {
        read_slice(&self.lock(), from, places)
    }
}

/// The same.
impl Shared for std::sync::Mutex<Vec<Entity>> {
    #[inline]
    fn push(&self, entity: Entity) {
        self.lock().expect("a thread panicked").push(entity);
    }

    fn read(&self, from: usize, places: &[usize]) -> Read {
        read_slice(&self.lock().expect("a thread panicked"), from, places)
    }
}

impl Shared for boxcar::Vec<Entity> {
    #[inline]
    fn push(&self, entity: Entity) {
        self.push(entity);
    }

    fn read(&self, from: usize, places: &[usize]) -> Read {
        read_each(|index| self.get(index).map(Entity::digest), from, places)
    }
}

impl Shared for AppendOnlyVec<Entity> {
    #[inline]
    fn push(&self, entity: Entity) {
        self.push(entity);
    }

    fn read(&self, from: usize, places: &[usize]) -> Read {
        let len = self.len();
        read_each(|index| (index < len).then(|| self[index].digest()), from, places)
    }
}

/// Each element has a lock of its own.
impl Shared for ConcurrentVec<Entity> {
    #[inline]
    fn push(&self, entity: Entity) {
        self.push(entity);
    }

    fn read(&self, from: usize, places: &[usize]) -> Read {
        read_each(|index| Some(self.get(index)?.map(Entity::digest)), from, places)
    }
}

impl Shared for SharedVec<Entity> {
    #[inline]
    fn push(&self, entity: Entity) {
        self.push(entity);
    }

    fn read(&self, from: usize, places: &[usize]) -> Read {
        read_slice(self.as_slice(), from, places)
    }
}
