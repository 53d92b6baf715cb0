//! [`ListHandle`]: a list that belongs to a value of the user's.

#![forbid(unsafe_code)]

use super::ListPool;
use crate::key::{DefaultKey, Key};
use std::mem;
use std::thread;

/// An owning key of a list, for use as a field of a struct.
///
/// A handle cannot be copied, and must be passed to [`remove_owned`](ListPool::remove_owned) when its owner is dropped: it
/// has the size of a key (8 bytes) and no reference to its pool, so it cannot remove the list itself. If all handles go
/// together with their pool, [`leak`](Self::leak) them instead.
///
/// Only copies of the handle are prevented: [`remove_list`](ListPool::remove_list) with its key,
/// [`retain`](ListPool::retain) and [`clear`](ListPool::clear) remove the list all the same.
/// [`ListPoolStats::handles`](super::ListPoolStats::handles) is the number of handles that were not given back.
///
/// # Panics
///
/// With debug assertions, dropping a handle panics, unless the thread is already panicking. Without, the list stays in the
/// pool.
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
/// # assert_eq!(root.name, "root");
/// assert_eq!(pool[root.children.key()], ["left", "right"]);
///
/// pool.remove_owned(root.children);
/// assert_eq!(pool.stats().handles, 0);
/// ```
#[must_use = "remove its list with `remove_owned`, or leak it"]
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct ListHandle<K: Key = DefaultKey>(K);

impl<K: Key> ListHandle<K> {
    /// Returns the [key](ListPool::get) of the list.
    #[inline]
    pub fn key(&self) -> K {
        self.0
    }

    /// Consumes the handle and returns the [key](ListPool::get) of its list, which stays until it is removed or the pool is
    /// dropped. The handle still counts as not given back.
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
            "a ListHandle was dropped; pass it to `ListPool::remove_owned`, or `leak` it"
        );
    }
}

impl<T, K: Key> ListPool<T, K> {
    /// Like [`insert_list`](Self::insert_list), but returns a handle that must be given back.
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

    /// Consumes a handle and removes its list, as [`remove_list`](Self::remove_list) does. Returns `false` if the list had
    /// been removed already.
    ///
    /// A handle of another pool with the same key type may remove an unrelated list. Declare a
    /// [key type](crate::new_key_type) for each pool to rule this out.
    pub fn remove_owned(&mut self, handle: ListHandle<K>) -> bool {
        self.handles = self.handles.saturating_sub(1);
        self.remove_list(handle.leak())
    }
}
