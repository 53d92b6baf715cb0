//! [`DenseSlotMap`]: packed values, which keys find through a table.

// # Invariants
//
// - There are as many keys as rows, and the key of a row is that of its value.
// - The table has exactly these keys, and stores the row of each.
//
// Nothing here is unsafe: if these were violated, a look-up would find nothing or the value of another key. (A user's
// key type that returns different bits each time, or panics when it is asked for them, can cause that, in its own map
// only.) Other user code runs before or after a change, not during it.

#![forbid(unsafe_code)]

// In the order in which the documentation lists their methods.
mod builder;

mod access;
#[cfg(feature = "columns")]
mod columns;
mod disjoint;

mod insert;

mod change;
mod iter;
mod order;
mod sort;

mod memory;

mod grow_only;
#[cfg(any(feature = "serde", feature = "rayon", feature = "file"))]
pub(crate) mod parts;
mod rows;
#[cfg(test)]
mod tests;
mod traits;

pub use builder::DenseSlotMapBuilder;
pub use change::{Drain, ExtractIf};
pub use grow_only::GrowOnlyDenseMap;
pub use iter::{IntoIter, IntoKeys, IntoValues, Iter, IterMut, Keys, Values, ValuesMut};
pub use memory::DenseSlotMapStats;
pub use rows::Rows;

use crate::key::Key;
use crate::raw_vec::Options;
use crate::slot_map::SlotMap;
use crate::vec::VmVec;
use order::SortProgress;
use std::marker::PhantomData;

/// A map that creates keys for its values, and stores the values packed in an array.
///
/// Its keys work as those of a [`SlotMap`]: a key never finds a value other than its own, whatever is removed, cleared
/// or sorted. The values are an array ([`as_slice`](Self::as_slice)), which is as fast to iterate over as any, and a
/// look-up by key goes through a table. The map has all methods of the map of the same name in the crate `slotmap`.
///
/// # When values move
///
/// When a value is removed, the **last** value moves into its place. Otherwise only [`sort_by`](Self::sort_by),
/// [`defragment_by`](Self::defragment_by) and changes through [`as_mut_slice`](Self::as_mut_slice) move values. Growth
/// moves nothing: the array is a [`VmVec`].
///
/// # When to use it
///
/// Use a [`SlotMap`] if values are mostly looked up by key, which touches one cache line fewer, or must stay where they
/// are. Use a `DenseSlotMap` if most of the time goes into iterating over all values, and many are inserted and
/// removed.
///
/// # Columns
///
/// Values can be rows of [`Columns`](crate::Columns), which stores each field in an array of its own. The third
/// parameter selects this:
///
/// ```
/// use stayput::{Columns, DefaultKey, DenseSlotMap};
///
/// type Position = f32;
/// type Speed = f32;
/// let mut bodies =
///     DenseSlotMap::<DefaultKey, (Position, Speed), Columns<_>>::default();
/// let key = bodies.insert((0.0, 1.5));
///
/// let (positions, speeds) = bodies.as_mut_slice();
/// positions.iter_mut().zip(speeds).for_each(|(position, speed)| *position += *speed);
/// assert_eq!(bodies.get(key), Some((&1.5, &1.5)));
/// ```
///
/// # Time complexity
///
/// Look-up, insertion and removal are O(1). Insertion enters the kernel when committed memory is used up; see
/// [`reserve`](Self::reserve). Iteration is O(n) in the values.
///
/// # Memory
///
/// A value takes its size, 8 bytes for its key, and 8 in the table (4 and 8 if keys have 32 bits); vacant slots of the
/// table take up to 1.04 bits per slot more. Values lie in a reservation, as those of a [`VmVec`] do. Keys and the
/// table each start in the global allocator and move to a reservation of their own when they exceed 64 KiB.
///
/// # Examples
///
/// ```
/// use stayput::{DenseSlotMap, new_key_type};
///
/// new_key_type! { struct BallKey; }
///
/// let mut balls: DenseSlotMap<BallKey, [f32; 2]> = DenseSlotMap::with_key();
/// let [first, second] = [[0.0, 1.0], [2.0, 3.0]].map(|ball| balls.insert(ball));
/// for ball in balls.as_mut_slice() {
///     ball[0] += 1.0;
/// }
/// assert_eq!(balls.remove(first), Some([1.0, 1.0]));
/// assert_eq!((balls.get(first), balls[second]), (None, [3.0, 3.0]));
/// assert_eq!(balls.as_slice(), [[3.0, 3.0]]);
/// ```
pub struct DenseSlotMap<K: Key, V, S: Rows<Value = V> = VmVec<V>> {
    table: SlotMap<K, u32>,
    /// The keys of the values, in row order.
    keys: VmVec<K>,
    rows: S,
    /// The progress of incremental sorting.
    order: SortProgress<K>,
    values: PhantomData<V>,
}

impl<K: Key, V, S: Rows<Value = V>> DenseSlotMap<K, V, S> {
    /// No keys yet.
    const KEYS: VmVec<K> = VmVec::with_options(&Options::INTERNAL);

    const fn of(table: SlotMap<K, u32>, keys: VmVec<K>, rows: S) -> Self {
        Self { table, keys, rows, order: SortProgress::NONE, values: PhantomData }
    }
}

impl<K: Key, V, S: Rows<Value = V>> Default for DenseSlotMap<K, V, S> {
    /// Creates an empty map; see [`with_key`](DenseSlotMap::with_key).
    fn default() -> Self {
        Self::of(SlotMap::internal(), Self::KEYS, S::default())
    }
}
