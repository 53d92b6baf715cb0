//! [`ListIndex`]: a value to all slots that have it, in lists; and its iterator.

#![forbid(unsafe_code)]

mod links;

use super::bucket::NONE;
use super::hash32;
use super::plan::Plan;
use super::sets::set_methods;
use crate::error::{Error, or_give_up};
use links::Links;
use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::{BuildHasher, Hash};
use std::iter::FusedIterator;

/// Finds all slots of a value, where many may have the same; in lists, which take less memory where most sets are of a few.
///
/// It has what a [`SetIndex`](super::SetIndex) has, by the same names, and promises the same of [order](super::SetIndex#order)
/// and of [wrong values](super::SetIndex#wrong-values). Slots of a value are linked one to the next, so that to go over them
/// waits for memory at each. Take it where sets are small, or seldom gone over.
///
/// # Complexity
///
/// Insertion and removal are O(1) where hashes are spread, however large a set is. Insertion enters the kernel when
/// committed memory is used up; removal may, and what it is refused it can do without.
///
/// # Memory
///
/// The index takes 12 bytes for each slot up to the highest, and about 10 more for each value, in the hash table. Slots are
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

/// The slots of one value, given by [`ListIndex::find`] and [`ListIndex::same`], in no order that means anything.
#[derive(Clone)]
#[must_use = "iterators are lazy"]
pub struct Slots<'l> {
    next: &'l [u32],
    /// The one that comes, or [`NONE`].
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

impl fmt::Debug for Slots<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}
