//! [`SetIndex`], which stores the slots of each value in chunks.

#![forbid(unsafe_code)]

mod chains;
mod chunk;
mod iter;
mod pool;
#[cfg(test)]
mod tests;

pub use iter::Slots;

use super::hash32;
use super::plan::Plan;
use super::sets::set_methods;
use crate::error::{Error, unwrap_or_panic};
use chains::Chains;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hash};

/// An index that finds all slots with a value, which any number of slots may have.
///
/// It stores slot numbers, not values: the caller keeps the values, and passes closures that return whether the value
/// in a slot is the one sought. A closure is called for one slot of each candidate set, because all slots of a set have
/// the same value. Use it with storage of your own; a [`Table`](crate::Table) maintains its indices itself.
///
/// The slots of a value lie in chunks of up to 14, one cache line each, so iterating over them is nearly as fast as
/// over an array. Each slot stores its chunk: removal from a set of millions is as fast as from a set of two, and
/// hashes nothing.
///
/// # Order
///
/// The slots of a value are in no particular order, and any insertion or removal may change it.
///
/// # Time complexity
///
/// Insertion and removal are O(1) if hashes are well distributed, however large a set is: they move at most six of its
/// slots, and less than one on average. An array is copied only while
/// it takes 64 KiB or less. Insertion enters the kernel when committed memory is used
/// up; removal may, and succeeds even if the system refuses memory.
///
/// # Memory
///
/// The index takes 4 bytes for each slot up to the highest; [far](super#far-slots) slots are refused. A value with up
/// to three slots takes about 35 more bytes, one with more slots about 85, and 72 more for about each ten slots: chunks
/// of a large set are nearly a third full at least, and two thirds full on average if slots are inserted and removed at
/// random. There may be 2<sup>31</sup> - 1 values.
///
/// # Inconsistent values
///
/// If `Hash` or `Eq` is inconsistent, values may be missed, or wrong ones found, and nothing else happens.
/// [`remove`](Self::remove) and [`same`](Self::same) call neither.
///
/// # Examples
///
/// ```
/// use stayput::index::SetIndex;
///
/// let mut colours = ["red", "blue", "red", "red"];
/// let mut index = SetIndex::new();
/// for (slot, colour) in (0..).zip(colours) {
///     index.insert(colour, slot, |other| colours[other as usize] == colour);
/// }
/// let red: Vec<u32> = index.find("red", |slot| colours[slot as usize] == "red").collect();
/// assert_eq!((red.len(), index.sets()), (3, 2));
///
/// colours[0] = "blue";
/// index.insert("blue", 0, |other| colours[other as usize] == "blue"); // moves it from "red"
/// assert_eq!(index.count("red", |slot| colours[slot as usize] == "red"), 2);
/// assert!(index.same(1).any(|slot| slot == 0));
/// ```
pub struct SetIndex<S = RandomState> {
    chains: Chains,
    hasher: S,
}

set_methods! {
    SetIndex, chains: Chains,
    "If the slot is `u32::MAX`, or all numbers of values or chunks are in use"
}
