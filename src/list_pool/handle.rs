//! [`ListHandle`]: a list that belongs to a value of the user's.

#![forbid(unsafe_code)]

use super::ListPool;
use crate::key::{DefaultKey, Key};
use std::mem;
use std::thread;

/// The key of a list that belongs to one value, as a field of the user's own struct.
///
/// Unlike a key it cannot be copied, and must be [given back](ListPool::give_back) when the value is gone: it does not
/// know its pool, so that it is as small as a key (8 bytes). With debug assertions, dropping it instead panics. In all
/// builds, [`handles`](super::ListPoolStats::handles) counts those that were not given back.
///
/// # Examples
///
/// ```
/// use stayput::ListPool;
/// use stayput::list_pool::ListHandle;
///
/// struct Node {
///     name: &'static str,
///     children: ListHandle,
/// }
///
/// let mut pool = ListPool::new();
/// let root = Node { name: "root", children: pool.insert_owned(["left", "right"]) };
/// assert_eq!(root.name, "root");
/// assert_eq!(pool[root.children.key()], ["left", "right"]);
///
/// pool.give_back(root.children);
/// assert_eq!(pool.stats().handles, 0);
/// ```
#[must_use = "give it back to its pool, or leak it"]
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct ListHandle<K: Key = DefaultKey>(K);

impl<K: Key> ListHandle<K> {
    /// Returns the [key](ListPool::get) of the list.
    #[inline]
    pub fn key(&self) -> K {
        self.0
    }

    /// Converts the handle into a [key](ListPool::get): the list stays until it is removed, or until the pool is dropped.
    /// It is still counted in [`handles`](super::ListPoolStats::handles).
    pub fn leak(self) -> K {
        let key = self.0;
        mem::forget(self);
        key
    }
}

impl<K: Key> Drop for ListHandle<K> {
    fn drop(&mut self) {
        assert!(
            !cfg!(debug_assertions) || thread::panicking(),
            "a ListHandle was dropped; give it back to its pool with `give_back`, or `leak` it"
        );
    }
}

impl<T, K: Key> ListPool<T, K> {
    /// Inserts a list as [`insert_list`](Self::insert_list) does, and returns a handle that must be given back.
    ///
    /// # Panics
    ///
    /// As for [`insert_list`](Self::insert_list).
    #[track_caller]
    pub fn insert_owned(&mut self, elements: impl IntoIterator<Item = T>) -> ListHandle<K> {
        let key = self.insert_list(elements);
        self.handles += 1;
        ListHandle(key)
    }

    /// Takes a handle back and removes its list, as [`remove_list`](Self::remove_list) does. Returns whether there still
    /// was one.
    ///
    /// A handle of another pool may find a list in this one, as a key of another pool may.
    pub fn give_back(&mut self, handle: ListHandle<K>) -> bool {
        self.handles = self.handles.saturating_sub(1);
        self.remove_list(handle.leak())
    }
}
