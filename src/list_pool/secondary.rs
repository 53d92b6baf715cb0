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
use std::mem::{self, MaybeUninit};

/// Associates lists with the keys of a [`SlotMap`](crate::SlotMap), stored in one reserved address range.
///
/// It replaces a `SecondaryMap<K, Vec<T>>`. See [`ListPool`](super::ListPool) for how lists use memory, and when they
/// move.
///
/// Keys behave as in a [`SecondaryMap`]: removing a key from the slot map does not remove its list. The list stays until it
/// is removed here, or until a newer key of the same slot is given one. To remove the lists of all stale keys, call
/// `lists.retain(|key, _| map.contains_key(key))`.
///
/// Each slot up to the highest with a list takes 16 bytes, whether it has a list or not.
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
        &Options { holder: Holder::SecondaryLists, ..Options::DEFAULT };

    /// Creates an empty one. Makes no system call, and reserves no memory, until the first list is inserted.
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
        Self::over(VmVec::with_options(Self::OPTIONS))
    }

    /// Creates an empty one whose elements are in `memory`.
    pub(super) const fn over(memory: VmVec<MaybeUninit<T>>) -> Self {
        Self { lists: SecondaryMap::new(), elements: Elements::new(memory), compaction: None }
    }

    /// Returns the list of a key, inserting an empty one if there is none. Removes the list of an older key of the same
    /// slot. O(1), and O(n) in the elements of such a list if they need to be dropped.
    ///
    /// Unlike [`SecondaryMap::entry`], it inserts immediately.
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

    /// Like [`entry`](Self::entry), but returns an error instead of panicking. After an error nothing has changed.
    ///
    /// # Errors
    ///
    /// If the key is null or older than the one whose list is in its slot ([`StaleKey`](crate::ErrorKind::StaleKey)), if
    /// its index is far for the number of lists ([`FarIndex`](crate::ErrorKind::FarIndex)), or if the system refuses
    /// memory.
    #[inline]
    pub fn try_entry(&mut self, key: K) -> Result<ListMut<'_, T>, Error> {
        if !self.lists.contains_key(key) {
            self.try_add(key)?;
        }
        let list = &mut self.lists[key];
        Ok(ListMut(self.elements.open(list)))
    }

    /// [Announces](SecondaryMap#far-indices) indices below `new_capacity`, so that lists for them are accepted however few
    /// lists there are; see [`SecondaryMap::set_capacity`].
    ///
    /// # Panics
    ///
    /// If [`try_set_capacity`](Self::try_set_capacity) returns an error.
    #[track_caller]
    pub fn set_capacity(&mut self, new_capacity: usize) {
        unwrap_or_panic(self.try_set_capacity(new_capacity));
    }

    /// Like [`set_capacity`](Self::set_capacity), but returns an error instead of panicking.
    ///
    /// # Errors
    ///
    /// As for [`SecondaryMap::try_set_capacity`].
    pub fn try_set_capacity(&mut self, new_capacity: usize) -> Result<(), Error> {
        self.lists.try_set_capacity(new_capacity).map_err(|error| error.of(Holder::SecondaryLists))
    }

    #[cold]
    fn try_add(&mut self, key: K) -> Result<(), Error> {
        let data = key.data();
        let (index, generation) = (data.index(), data.generation());
        // The map drops the list of an older key, without its elements. From here to where they have an owner again, no
        // code of the key's type runs.
        let older = self.lists.at_index_mut(index).map(|list| mem::replace(list, List::EMPTY));
        let added = self.lists.try_insert_at(index, generation, List::EMPTY);
        if let Err(refused) = added {
            if let Some((list, older)) = self.lists.at_index_mut(index).zip(older) {
                *list = older;
            }
            return Err(refused.error.of(Holder::SecondaryLists));
        }
        if let Some(older) = older {
            self.elements.free(older);
        }
        Ok(())
    }

    list_methods! {
        handles: |_| 0;
        /// # use stayput::{SecondaryLists, SlotMap};
        /// # let mut map = SlotMap::new();
        /// # let [a, b] = [(); 2].map(|()| map.insert(()));
        /// let mut lists = SecondaryLists::new();
        /// lists.entry(a).extend([1, 2]);
        /// lists.entry(b).push(3);
    }
}

lists_traits!(SecondaryLists<K, T>, Self::new());
