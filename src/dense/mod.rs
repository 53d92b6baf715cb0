//! [`DenseSlotMap`]: values side by side, found by keys through a table; and its iterators.

// # What holds between calls
//
// - Keys and rows are as many, and the key at a row is that of its value.
// - The table has just these keys, and for each the number of its row.
//
// Nothing here is unsafe: if this were wrong, a look-up would find nothing, or a value of another key, but never
// what is not there. (A key type of a user's own that gives other bits each time it is asked can bring that
// about, and harms its own map alone.) User code runs before a change, or after it.

#![forbid(unsafe_code)]

// In the order in which the docs list their methods.
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
use order::Order;
use std::marker::PhantomData;

/// A map that makes the keys for its values, and keeps these side by side, without holes.
///
/// The keys are those of a [`SlotMap`]: never mistaken, whatever is removed, cleared or sorted. But the values are
/// an array ([`as_slice`](Self::as_slice)) that is gone over as fast as any, and a key is looked up in a table
/// first. It has all that the map of the same name in the `slotmap` crate has, by the same names.
///
/// # What moves when
///
/// A removed value's place is taken by the **last** value. Nothing else moves one but
/// [`sort_by`](Self::sort_by), [`defragment_by`](Self::defragment_by) and what exchanges them by
/// [`as_mut_slice`](Self::as_mut_slice). Growing moves nothing: the array is a [`VmVec`].
///
/// # Which to take
///
/// A [`SlotMap`] where values are looked up by their keys, or must stay where they are: one cache line less a
/// look-up. This one where all values are gone over again and again, and many come and go.
///
/// # Columns
///
/// Values can be rows of [`Columns`](crate::Columns), each of whose fields lies in an array of its own: say so by the third parameter.
///
/// ```
/// use stayput::{Columns, DefaultKey, DenseSlotMap};
///
/// type Position = f32;
/// type Speed = f32;
/// let mut bodies: DenseSlotMap<DefaultKey, (Position, Speed), Columns<_>> = DenseSlotMap::default();
/// let key = bodies.insert((0.0, 1.5));
///
/// let (positions, speeds) = bodies.as_mut_slice();
/// positions.iter_mut().zip(speeds).for_each(|(position, speed)| *position += *speed);
/// assert_eq!(bodies.get(key), Some((&1.5, &1.5)));
/// ```
///
/// # Complexity
///
/// Looking up, inserting and removing are O(1). Insertion enters the kernel when committed memory is used up; see
/// [`reserve`](Self::reserve). To iterate is linear in the values.
///
/// # Memory
///
/// A value takes its size, 8 bytes for its key, and 8 in the table (4 and 8 where keys have 32 bits); there is up to 1.02 bits a slot
/// of the table for those that are vacant. Values lie in a reservation, as those of a [`VmVec`] do. Keys and the table
/// start in the program's allocator and move to reservations of their own once they take more than 64 KiB each.
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
    /// In which row the value of a key is.
    table: SlotMap<K, u32>,
    /// Of the values, in the same order.
    keys: VmVec<K>,
    rows: S,
    /// How far the rows were brought into an order.
    order: Order<K>,
    /// It owns values.
    values: PhantomData<V>,
}

impl<K: Key, V, S: Rows<Value = V>> DenseSlotMap<K, V, S> {
    /// None yet.
    const KEYS: VmVec<K> = VmVec::with_options(&Options::INTERNAL);

    const fn of(table: SlotMap<K, u32>, keys: VmVec<K>, rows: S) -> Self {
        Self { table, keys, rows, order: Order::NONE, values: PhantomData }
    }
}

impl<K: Key, V, S: Rows<Value = V>> Default for DenseSlotMap<K, V, S> {
    /// An empty map; see [`with_key`](DenseSlotMap::with_key).
    fn default() -> Self {
        Self::of(SlotMap::internal(), Self::KEYS, S::default())
    }
}
