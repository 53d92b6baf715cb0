//! [`ListIndex`], which stores the slots of each value in a linked list, and its iterator.

#![forbid(unsafe_code)]

mod links;
#[cfg(test)]
mod tests;

use super::bucket::NONE;
use super::hash32;
use super::plan::Plan;
use super::sets::set_methods;
use crate::error::{Error, unwrap_or_panic};
use links::Links;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hash};
use std::iter::FusedIterator;

/// An index that finds all slots with a value, as linked lists; takes less memory than a [`SetIndex`](super::SetIndex)
/// if most sets are small.
///
/// It has the methods of a [`SetIndex`](super::SetIndex), and what holds there about [order](super::SetIndex#order) and
/// [inconsistent values](super::SetIndex#inconsistent-values) holds here. The slots of a value are linked, so iterating
/// over them waits for memory at each one. Use it if sets are small or rarely iterated over.
///
/// # Time complexity
///
/// Insertion and removal are O(1) if hashes are well distributed, however large a set is. Insertion enters the kernel
/// when committed memory is used up; removal may, and succeeds even if the system refuses memory.
///
/// # Memory
///
/// The index takes 12 bytes for each slot up to the highest, and about 10 more per value for the hash table. Slots are
/// below 2<sup>31</sup>, and [far](super#far-slots) ones are refused.
///
/// # Examples
///
/// ```
/// use stayput::index::ListIndex;
///
/// let owners = ["ann", "bob", "ann"];
/// let mut index = ListIndex::new();
/// for (slot, owner) in (0..).zip(owners) {
///     index.insert(owner, slot, |other| owners[other as usize] == owner);
/// }
/// assert!(index.remove(0));
/// assert!(index.find("ann", |slot| owners[slot as usize] == "ann").eq([2]));
/// ```
pub struct ListIndex<S = RandomState> {
    links: Links,
    hasher: S,
}

set_methods! {
    ListIndex, links: Links,
    "If the slot is 2<sup>31</sup> or above"
}

/// An iterator over the slots of one value, in no particular order.
///
/// This struct is created by [`ListIndex::find`] and [`ListIndex::same`]. See their documentation for more.
#[derive(Clone)]
#[must_use = "iterators are lazy"]
pub struct Slots<'l> {
    next: &'l [u32],
    /// The next slot to return, or [`NONE`].
    at: u32,
    first: u32,
}

impl<'l> Slots<'l> {
    #[inline]
    const fn new(next: &'l [u32], first: u32) -> Self {
        Self { next, at: first, first }
    }
}

impl Iterator for Slots<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        let slot = self.at;
        if slot == NONE {
            return None;
        }
        let next = self.next[slot as usize];
        self.at = if next == self.first { NONE } else { next };
        Some(slot)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let least = usize::from(self.at != NONE);
        (least, Some(self.next.len() * least))
    }
}

impl FusedIterator for Slots<'_> {}

debug_items!([] Slots<'_>, debug_list, |slots| slots.clone());
