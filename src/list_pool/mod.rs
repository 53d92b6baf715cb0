//! [`ListPool`]: many lists in one reservation; and its iterators.

mod compact;
mod elements;
mod handle;
mod iter;
mod list_mut;
mod memory;
mod methods;
mod secondary;
mod space;
mod strs;
mod traits;

pub use compact::Compacted;
pub use handle::ListHandle;
pub use iter::{Iter, IterMut};
pub use list_mut::ListMut;
pub use memory::{ListClass, ListPoolBuilder, ListPoolStats};
pub use secondary::SecondaryLists;
pub use strs::StrPool;

use crate::error::{Error, Holder, unwrap_or_panic};
use crate::key::{DefaultKey, Key};
use crate::raw_vec::Options;
use crate::slot_map::SlotMap;
use crate::vec::VmVec;
use compact::{Compaction, Progress};
use elements::Elements;
pub(crate) use elements::List;
use methods::list_methods;
use std::mem;
use traits::lists_traits;

/// Many lists of varying length, in one reservation: the children of each node, the contacts of each body, the postings
/// of each term.
///
/// It takes the place of a `Vec<Vec<T>>`, or of a `Vec` in each value of a map. A list is found by a key, and its
/// elements are a slice. It changes through a [`ListMut`], which has the methods of `Vec`. Compared to a `Vec` per list:
///
/// - No list is an allocation of its own. Dropping the pool frees all of them at once, after dropping elements that need
///   it.
/// - The elements of short lists lie next to each other, and [`compact`](Self::compact) puts those of all lists in
///   order, without gaps. That can be spread over frames.
/// - A list takes 16 bytes in addition to its memory for elements; a `Vec` takes 24, and what the allocator needs for a
///   block.
///
/// # Elements move
///
/// A list with more elements than its memory has room for moves to a place twice as large, unless the memory after it
/// is free. So a list is as stable as a `Vec`: its address is valid until it grows, or the pool is compacted. For
/// elements that stay where they are, see [`SlotMap`].
///
/// # Keys
///
/// Keys are those of a [`SlotMap`]: the key of a list that was removed finds nothing, also after its slot was reused.
///
/// # Memory
///
/// Lists have room for 4, 8, 16, … elements (also for 1 or 2, if these are larger than 1 KiB), or, once they were
/// compacted and until they grow, for exactly as many as they have. What a list leaves is reused in place, lowest addresses first, and merged with its neighbour if that is
/// free. All lists together, and the free memory between them, have less than 2^32 elements.
///
/// # Time complexity
///
/// Looking up takes O(1), pushing amortised O(1). A push enters the kernel only if the pool's committed memory is used
/// up.
///
/// # Examples
///
/// ```
/// use stayput::{ListPool, new_key_type};
///
/// new_key_type! { struct NodeKey; }
///
/// let mut edges: ListPool<u32, NodeKey> = ListPool::with_key();
/// let hub = edges.insert_list([7, 3, 5]);
/// let leaf = edges.insert_list([]);
/// edges.get_mut(leaf).unwrap().push(7);
/// edges.get_mut(hub).unwrap().retain(|edge| *edge != 3);
/// assert_eq!(edges[hub], [7, 5]);
///
/// edges.remove_list(hub);
/// assert_eq!(edges.get(hub), None);
/// assert_eq!(edges.values().flatten().sum::<u32>(), 7);
/// ```
pub struct ListPool<T, K: Key = DefaultKey> {
    lists: SlotMap<K, List>,
    elements: Elements<T>,
    compaction: Option<Progress>,
    /// How many handles were not given back.
    handles: usize,
}

impl<T> ListPool<T> {
    /// Creates an empty pool with keys of type [`DefaultKey`]. Nothing is reserved, and the kernel is not entered, until
    /// the first element is added.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = stayput::ListPool::new();
    /// let list = pool.insert_list(["a", "b"]);
    /// assert_eq!(pool[list], ["a", "b"]);
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self::with_key()
    }
}

impl<T, K: Key> ListPool<T, K> {
    const OPTIONS: &'static Options = &Options { holder: Holder::ListPool, ..Options::DEFAULT };

    /// Creates an empty pool with keys of any type; see [`new`](ListPool::new).
    #[must_use]
    pub const fn with_key() -> Self {
        let memory = VmVec::with_options(Self::OPTIONS);
        let lists = SlotMap::with_key();
        Self { lists, elements: Elements::new(memory), compaction: None, handles: 0 }
    }

    /// Inserts a list with the elements of an iterator, and returns its key. O(n) in them.
    ///
    /// # Panics
    ///
    /// If [`try_insert_empty`](Self::try_insert_empty) or [`ListMut::try_extend`] returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = stayput::ListPool::new();
    /// let squares = pool.insert_list((0..4).map(|n| n * n));
    /// assert_eq!(pool[squares], [0, 1, 4, 9]);
    /// ```
    #[track_caller]
    pub fn insert_list(&mut self, elements: impl IntoIterator<Item = T>) -> K {
        /// A list that is removed if its elements panic.
        struct New<'p, T, K: Key>(&'p mut ListPool<T, K>, K);

        impl<T, K: Key> Drop for New<'_, T, K> {
            fn drop(&mut self) {
                self.0.remove_list(self.1);
            }
        }

        let key = unwrap_or_panic(self.try_insert_empty());
        let new = New(self, key);
        if let Some(mut list) = new.0.get_mut(key) {
            list.extend(elements);
        }
        mem::forget(new);
        key
    }

    /// Inserts an empty list, and returns its key, or the error. Takes no memory for elements.
    ///
    /// To handle all errors, insert a list so, and then [extend](ListMut::try_extend) it.
    ///
    /// # Errors
    ///
    /// If keys cannot number another list ([`KeyBits`](crate::ErrorKind::KeyBits)), or memory for it is refused.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = stayput::ListPool::new();
    /// let list = pool.try_insert_empty()?;
    /// pool.get_mut(list).unwrap().try_extend([1, 2]).map_err(|refused| refused.error)?;
    /// assert_eq!(pool[list], [1, 2]);
    /// # Ok::<(), stayput::Error>(())
    /// ```
    pub fn try_insert_empty(&mut self) -> Result<K, Error> {
        let inserted = self.lists.try_insert(List::EMPTY);
        inserted.map_err(|refused| refused.error.of(Holder::ListPool))
    }

    const fn handle_count(&self) -> usize {
        self.handles
    }

    list_methods! {
        /// # use stayput::ListPool;
        /// let mut lists = ListPool::new();
        /// let [a, b] = [lists.insert_list([1, 2]), lists.insert_list([3])];
    }

    /// Appends elements to the list in a slot.
    #[cfg(feature = "serde")]
    pub(crate) fn try_fill(&mut self, slot: u32, elements: Vec<T>) -> Result<(), Error> {
        let Some(list) = self.lists.in_slot_mut(slot) else { return Ok(()) };
        let extended = ListMut(self.elements.open(list)).try_extend(elements);
        extended.map_err(|refused| refused.error)
    }

    /// Returns the lists, and where their elements are.
    #[cfg(any(feature = "serde", feature = "rayon"))]
    pub(crate) fn parts(&self) -> (&SlotMap<K, List>, &Elements<T>) {
        (&self.lists, &self.elements)
    }

    /// Returns the lists, and where their elements are. A list in this map is one that these elements have made.
    #[cfg(any(feature = "serde", feature = "rayon"))]
    pub(crate) fn parts_mut(&mut self) -> (&mut SlotMap<K, List>, &mut Elements<T>) {
        (&mut self.lists, &mut self.elements)
    }
}

lists_traits!(ListPool<T, K>, Self::with_key());

/// Inserts a list for each item.
impl<T, L: IntoIterator<Item = T>> FromIterator<L> for ListPool<T> {
    fn from_iter<I: IntoIterator<Item = L>>(lists: I) -> Self {
        let mut pool = Self::new();
        pool.extend(lists);
        pool
    }
}

/// Inserts a list for each item.
impl<T, L: IntoIterator<Item = T>, K: Key> Extend<L> for ListPool<T, K> {
    fn extend<I: IntoIterator<Item = L>>(&mut self, lists: I) {
        for elements in lists {
            self.insert_list(elements);
        }
    }
}
