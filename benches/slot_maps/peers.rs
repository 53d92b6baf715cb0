//! The maps of other crates, each with its fastest way to do an operation.

use slotmap::Key as _;

use crate::map::{Column, Map, NoColumn, own};
use crate::operation::Operation;
use crate::value::Value;

pub(crate) type Basic<V> = slotmap::SlotMap<slotmap::DefaultKey, V>;
#[expect(deprecated, reason = "people use it")]
pub(crate) type Hop<V> = slotmap::HopSlotMap<slotmap::DefaultKey, V>;
pub(crate) type Dense<V> = slotmap::DenseSlotMap<slotmap::DefaultKey, V>;

type Secondary<V> = slotmap::SecondaryMap<slotmap::DefaultKey, V>;

impl<V: Value> Column<slotmap::DefaultKey, V> for Secondary<V> {
    own!(empty with_room clear);
    own!(@ column_of slotmap::DefaultKey, slotmap::secondary::Entry);
}

/// The three maps of `slotmap`.
macro_rules! slotmap {
    ($map:ident, $place:expr) => {
        impl<V: Value> Map for $map<V> {
            type Value = V;
            type Key = slotmap::DefaultKey;
            type Column = Secondary<V>;

            own!(empty with_room insert get get_mut remove values retain drain copy join clear);
            own!(@ look_up_each by contains_key);

            fn no_key() -> Self::Key {
                Self::Key::null()
            }

            fn place(key: Self::Key) -> Option<usize> {
                $place(key)
            }
        }
    };
}
slotmap!(Basic, index_of);
slotmap!(Hop, index_of);
slotmap!(Dense, |_| None); // values move

/// The low half of the bits is the index.
fn index_of(key: slotmap::DefaultKey) -> Option<usize> {
    usize::try_from(key.data().as_ffi() & u64::from(u32::MAX)).ok()
}

impl<V: Value> Map for thunderdome::Arena<V> {
    type Value = V;
    type Key = thunderdome::Index;
    type Column = NoColumn;

    own!(empty with_room insert get get_mut remove values_of_pairs retain drain copy clear);
    own!(@ look_up_each by contains);

    fn no_key() -> Self::Key {
        Self::Key::DANGLING
    }

    fn place(key: Self::Key) -> Option<usize> {
        usize::try_from(key.slot()).ok()
    }
}

impl<V: Value> Map for generational_arena::Arena<V> {
    type Value = V;
    type Key = generational_arena::Index;
    type Column = NoColumn;

    own!(empty with_room insert get get_mut remove values_of_pairs retain drain copy clear);
    own!(@ look_up_each by contains);

    fn no_key() -> Self::Key {
        Self::Key::from_raw_parts(usize::MAX, 0)
    }

    fn place(key: Self::Key) -> Option<usize> {
        Some(key.into_raw_parts().0)
    }
}

/// Without generations: the key of a removed value finds the next value in its place.
impl<V: Value> Map for slab::Slab<V> {
    type Value = V;
    type Key = usize;
    type Column = NoColumn;

    const LACKS: &'static [Operation] = &[Operation::Drain];

    own!(empty with_room insert get get_mut values_of_pairs retain copy clear);
    own!(@ look_up_each by contains);

    fn no_key() -> Self::Key {
        usize::MAX
    }

    #[inline]
    fn remove(&mut self, key: usize) -> Option<V> {
        self.try_remove(key)
    }

    fn place(key: usize) -> Option<usize> {
        Some(key)
    }
}

/// Without generations. Fills a hole only if the caller names it.
impl<V: Value> Map for stable_vec::StableVec<V> {
    type Value = V;
    type Key = usize;
    type Column = NoColumn;

    const LACKS: &'static [Operation] = &[
        Operation::LookUpEach,
        Operation::Refill,
        Operation::RemoveRefill,
        Operation::Churn,
        Operation::ChurnHalfHoles,
        Operation::Drain,
    ];
    const FILLS_HOLES: bool = false;

    own!(empty with_room get get_mut remove values copy clear);

    fn no_key() -> Self::Key {
        usize::MAX
    }

    #[inline]
    fn insert(&mut self, value: V) -> usize {
        self.push(value)
    }

    #[inline]
    fn retain(&mut self, keep: impl Fn(&V) -> bool) {
        Self::retain(self, keep);
    }

    fn place(key: usize) -> Option<usize> {
        Some(key)
    }
}

pub(crate) type Concurrent<V> = concurrent_slotmap::SlotMap<concurrent_slotmap::SlotId, V>;

/// With its methods for a single owner, which take no guard and use no atomic operations.
impl<V: Value> Map for Concurrent<V> {
    type Value = V;
    type Key = concurrent_slotmap::SlotId;
    type Column = NoColumn;

    const LACKS: &'static [Operation] = &[
        Operation::Clear,
        Operation::InsertWarm,
        Operation::LookUpEach,
        Operation::Retain,
        Operation::RetainHalf,
        Operation::Drain,
        Operation::Clone,
        Operation::Crowd,
    ];

    own!(get_mut no_retain);

    fn no_key() -> Self::Key {
        Self::Key::INVALID
    }

    /// Reserves addresses for a number of slots that is never reached, and commits as it grows: growing to
    /// exactly the maximum may fail (0.2.0-alpha.1).
    fn empty() -> Self {
        Self::new(1 << 29)
    }

    /// It cannot commit ahead.
    fn with_room(_: usize) -> Self {
        Self::empty()
    }

    #[inline]
    fn insert(&mut self, value: V) -> Self::Key {
        self.insert_mut(value)
    }

    #[inline]
    fn get(&mut self, key: Self::Key) -> Option<&V> {
        self.get_mut(key).map(|value| &*value)
    }

    #[inline]
    fn remove(&mut self, key: Self::Key) -> Option<V> {
        self.remove_mut(key)
    }

    #[inline]
    fn values(&mut self) -> impl Iterator<Item = &V> {
        self.iter_mut().map(|(_, value)| &*value)
    }

    fn clear(&mut self) {
        unreachable!("the operation is in LACKS");
    }

    fn place(key: Self::Key) -> Option<usize> {
        usize::try_from(key.index()).ok()
    }
}

/// Not a map, but the limit for look-ups and iteration: contiguous values, with their places as keys. Nothing
/// can be removed.
impl<V: Value> Map for Vec<V> {
    type Value = V;
    type Key = u32;
    type Column = NoColumn;

    const LACKS: &'static [Operation] = &[
        Operation::GetStale,
        Operation::IterateTenthHoles,
        Operation::IterateHalfHoles,
        Operation::IterateMostlyHoles,
        Operation::IterateFew,
        Operation::IterateFewest,
        Operation::Ends,
        Operation::LoopTenthHoles,
        Operation::LoopHalfHoles,
        Operation::LoopMostlyHoles,
        Operation::LookUpEach,
        Operation::Remove,
        Operation::Refill,
        Operation::RemoveRefill,
        Operation::Churn,
        Operation::ChurnHalfHoles,
        Operation::Retain,
        Operation::RetainHalf,
        Operation::Drain,
    ];

    own!(empty with_room no_retain copy clear);

    fn no_key() -> Self::Key {
        u32::MAX
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "lengths stay far below 2^32")]
    fn insert(&mut self, value: V) -> u32 {
        self.push(value);
        (self.len() - 1) as u32
    }

    #[inline]
    fn get(&mut self, key: u32) -> Option<&V> {
        self.as_slice().get(key as usize)
    }

    #[inline]
    fn get_mut(&mut self, key: u32) -> Option<&mut V> {
        self.as_mut_slice().get_mut(key as usize)
    }

    fn remove(&mut self, _: u32) -> Option<V> {
        unreachable!("the operation is in LACKS");
    }

    #[inline]
    fn values(&mut self) -> impl Iterator<Item = &V> {
        self.iter()
    }

    fn place(key: u32) -> Option<usize> {
        usize::try_from(key).ok()
    }
}
