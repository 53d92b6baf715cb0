//! [`SecondaryLists`]: lists for the keys of a slot map.

#![forbid(unsafe_code)]

use super::compact::{Compacted, Compaction, Progress};
use super::elements::{Elements, List};
use super::methods::list_methods;
use super::traits::lists_traits;
use super::{Iter, IterMut, ListClass, ListMut, ListPoolStats};
use crate::error::{Error, Holder, unwrap_or_panic};
use crate::key::Key;
use crate::raw_vec::Options;
use crate::secondary::SecondaryMap;
use crate::vec::VmVec;
use std::mem;

/// A list for each of some keys of a slot map, in one reservation.
///
/// It is to a [`SecondaryMap`] what a [`ListPool`](super::ListPool) is to a [`SlotMap`](crate::SlotMap): a
/// `SecondaryMap<K, Vec<T>>` whose lists are in one pool. Keys are treated as there: the list of a key that was removed
/// from the slot map stays until it is removed here, or until a newer key of the same slot gets a list.
///
/// # Examples
///
/// ```
/// use stayput::{SecondaryLists, SlotMap};
///
/// let mut bodies = SlotMap::new();
/// let [earth, moon] = [bodies.insert("earth"), bodies.insert("moon")];
///
/// let mut orbits = SecondaryLists::new();
/// orbits.entry(earth).push(moon);
/// assert_eq!(orbits[earth], [moon]);
/// assert_eq!(orbits.get(moon), None);
/// ```
pub struct SecondaryLists<K: Key, T> {
    lists: SecondaryMap<K, List>,
    elements: Elements<T>,
    compaction: Option<Progress>,
}

impl<K: Key, T> SecondaryLists<K, T> {
    const OPTIONS: &'static Options =
        &Options { holder: Holder::SecondaryLists, ..Options::DEFAULT }.internal();

    /// Creates an empty map of lists. Nothing is reserved, and the kernel is not entered, until the first list is added.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{DefaultKey, SecondaryLists};
    ///
    /// let lists: SecondaryLists<DefaultKey, u32> = SecondaryLists::new();
    /// assert!(lists.is_empty());
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        let elements = Elements::new(VmVec::with_options(Self::OPTIONS));
        Self { lists: SecondaryMap::new(), elements, compaction: None }
    }

    /// Returns the list of a key, and inserts an empty one if it has none. If the slot has a list of an older key, that
    /// is removed. O(1).
    ///
    /// # Panics
    ///
    /// If [`try_entry`](Self::try_entry) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{SecondaryLists, SlotMap};
    ///
    /// let mut nodes = SlotMap::new();
    /// let mut children = SecondaryLists::new();
    /// let root = nodes.insert("root");
    /// children.entry(root).extend(["left", "right"].map(|name| nodes.insert(name)));
    /// assert_eq!(children[root].len(), 2);
    /// ```
    #[inline]
    #[track_caller]
    pub fn entry(&mut self, key: K) -> ListMut<'_, T> {
        unwrap_or_panic(self.try_entry(key))
    }

    /// Returns the list of a key as [`entry`](Self::entry) does, or the error.
    ///
    /// # Errors
    ///
    /// As for [`SecondaryMap::try_insert`].
    #[inline]
    pub fn try_entry(&mut self, key: K) -> Result<ListMut<'_, T>, Error> {
        if !self.lists.contains_key(key) {
            self.try_add(key)?;
        }
        let list = &mut self.lists[key];
        Ok(ListMut(self.elements.open(list)))
    }

    #[expect(clippy::unused_self, reason = "`ListPool` has some")]
    const fn handle_count(&self) -> usize {
        0
    }

    #[cold]
    fn try_add(&mut self, key: K) -> Result<(), Error> {
        // The map drops the list of an older key, without its elements.
        let index = key.data().index();
        let older =
            self.lists.get_by_index_mut(index).map(|(_, list)| mem::replace(list, List::EMPTY));
        let added = self.lists.try_insert(key, List::EMPTY);
        match (added, older) {
            (Ok(_), Some(older)) => self.elements.free(older),
            (Err(refused), older) => {
                if let Some(((_, list), older)) = self.lists.get_by_index_mut(index).zip(older) {
                    *list = older;
                }
                return Err(refused.error);
            }
            (Ok(_), None) => {}
        }
        Ok(())
    }

    list_methods! {
        /// # use stayput::{SecondaryLists, SlotMap};
        /// # let mut map = SlotMap::new();
        /// # let [a, b] = [(); 2].map(|()| map.insert(()));
        /// let mut lists = SecondaryLists::new();
        /// lists.entry(a).extend([1, 2]);
        /// lists.entry(b).push(3);
    }
}

lists_traits!(SecondaryLists<K, T>, Self::new());
