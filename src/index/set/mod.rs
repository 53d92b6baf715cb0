//! [`SetIndex`]: a value to all slots that have it, in chunks.

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
use crate::error::{Error, or_give_up};
use chains::Chains;
use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::{BuildHasher, Hash};

/// Finds all slots of a value, where many may have the same.
///
/// It holds numbers of slots, and no value: who uses it keeps these, and tells whether the one in a slot is meant. It
/// asks about one slot of each set that may be it, since all of a set have the same value. It is for those who have
/// storage of their own.
///
/// The slots of a value lie in chunks of up to 14, a cache line each, so that to go over them is nearly as fast as over an array.
/// A slot knows its chunk: to take one out is as fast from a set of millions as from a set of two, and asks nobody for
/// a hash.
///
/// # Order
///
/// Slots of a value are in no order that means anything: whatever is put in or taken out may change it.
///
/// # Complexity
///
/// Insertion and removal are O(1) where hashes are spread, however large a set is: they move six slots of it at most,
/// and less than one on average. No array is ever copied. Insertion enters the kernel when committed memory is used up;
/// removal may, and what it is refused it can do without.
///
/// # Memory
///
/// The index takes 4 bytes for each slot up to the highest; [far](super#far-slots) slots are refused. A value of up to three slots takes some 35 more, and one of more slots some 85, and another
/// 72 for each ten slots or so: chunks of a large set are nearly a third full at least, and two thirds on average if
/// slots come and go at random. There may be 2<sup>31</sup> - 1 values.
///
/// # Wrong values
///
/// A `Hash` or `Eq` that gives another answer each time has values not be found, or the wrong ones, and that is
/// all. [`remove`](Self::remove) and [`same`](Self::same) ask neither.
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
/// index.insert("blue", 0, |other| colours[other as usize] == "blue"); // it is not red any more
/// assert_eq!(index.count("red", |slot| colours[slot as usize] == "red"), 2);
/// assert!(index.same(1).any(|slot| slot == 0));
/// ```
pub struct SetIndex<S = RandomState> {
    chains: Chains,
    hasher: S,
}

set_methods! {
    SetIndex, chains: Chains,
    "If the slot is `u32::MAX`, or there are as many values or chunks as can be numbered"
}
