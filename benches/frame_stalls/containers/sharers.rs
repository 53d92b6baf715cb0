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
macro_rules! locked {
    ($mutex:ty $(, $expectation:literal)?) => {
        impl Shared for $mutex {
            #[inline]
            fn push(&self, entity: Entity) {
                self.lock()$(.expect($expectation))?.push(entity);
            }

            fn read(&self, from: usize, places: &[usize]) -> Read {
                read_slice(&self.lock()$(.expect($expectation))?, from, places)
            }
        }
    };
}
locked!(parking_lot::Mutex<Vec<Entity>>);
locked!(std::sync::Mutex<Vec<Entity>>, "a thread panicked");

/// Arrays that are pushed to by the same name.
macro_rules! pushed {
    ($array:ty, |$all:ident, $from:ident, $places:ident| $read:expr) => {
        impl Shared for $array {
            #[inline]
            fn push(&self, entity: Entity) {
                self.push(entity);
            }

            fn read(&self, $from: usize, $places: &[usize]) -> Read {
                let $all = self;
                $read
            }
        }
    };
}

pushed!(boxcar::Vec<Entity>, |all, from, places| {
    read_each(|index| all.get(index).map(Entity::digest), from, places)
});

pushed!(AppendOnlyVec<Entity>, |all, from, places| {
    let len = all.len();
    read_each(|index| (index < len).then(|| all[index].digest()), from, places)
});

// Each element has a lock of its own.
pushed!(ConcurrentVec<Entity>, |all, from, places| {
    read_each(|index| Some(all.get(index)?.map(Entity::digest)), from, places)
});

pushed!(SharedVec<Entity>, |all, from, places| read_slice(all.as_slice(), from, places));
