//! Pools of lists of varying length and of strings, and the types that their methods return.

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
pub use memory::{
    ListClass, ListPoolBuilder, ListPoolStats, SecondaryListsBuilder, StrPoolBuilder,
};
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

/// A pool of variable-length lists, stored in one reserved address range and identified by keys.
///
/// It replaces a `Vec<Vec<T>>`, or a `Vec` in each value of a map. Indexing the pool by a key yields a list's elements as
/// a slice; [`get_mut`](Self::get_mut) returns a [`ListMut`], which has most of the methods of `Vec`. Compared with a
/// `Vec` per list:
///
/// - Lists are not separate allocations. Dropping the pool releases all memory at once, after dropping the elements.
/// - [`compact`](Self::compact) places all lists next to each other, without gaps;
///   [`compact_within`](Self::compact_within) spreads this over frames.
/// - A list takes 16 bytes in the pool, in addition to its capacity and to the key, which the user stores. A `Vec` takes
///   24 bytes in addition to its capacity, and what the allocator needs for a block.
///
/// # Elements move
///
/// A list that outgrows its capacity may be extended in place, if the memory after it is free, and otherwise moves to a
/// larger block. As with a `Vec`, pointers to elements are invalid once their list has grown; compaction invalidates all of
/// them. For elements with stable addresses, use [`SlotMap`].
///
/// # Keys
///
/// Keys work like those of a [`SlotMap`]: the key of a removed list stays stale, even after its slot is reused. Iteration
/// is in slot order, the order of the keys' indices. A [`ListHandle`] is a key that cannot be copied.
///
/// # Memory
///
/// A list's capacity is 0, or a power of two that is at least 4 (at least 1 if elements are larger than 1 KiB), unless the
/// list takes what is left of a pool with a maximum. Compaction reduces it to the length, until the list grows again.
/// Memory that a list releases is reused by other lists, and adjacent free blocks are merged. Of several free blocks, the
/// smallest that fits is used, and of those the one with the lowest address.
///
/// A pool has capacity for fewer than 2^32 elements, counting unused capacity and free memory between lists.
///
/// # Time complexity
///
/// Look-ups take O(1). A push takes amortised O(1), and O(n) in the list's length if it has to move; it makes a system
/// call only if committed memory is used up. Iteration takes O(n) in the slots.
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
    /// Creates an empty pool with keys of type [`DefaultKey`]. Makes no system call, and reserves no memory, until the
    /// first list is inserted.
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

    /// Creates an empty pool with a key type of your own; see [`new`](ListPool::new).
    #[must_use]
    pub const fn with_key() -> Self {
        let memory = VmVec::with_options(Self::OPTIONS);
        let lists = SlotMap::with_key();
        Self { lists, elements: Elements::new(memory), compaction: None, handles: 0 }
    }

    /// Inserts a list containing the elements of an iterator, and returns its key. O(n) in the elements.
    ///
    /// If the iterator panics, the list is removed.
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

    /// Inserts an empty list and returns its key, or an error. Allocates no memory for elements.
    ///
    /// This is the fallible counterpart of [`insert_list`](Self::insert_list): insert an empty list, and then call
    /// [`try_extend`](ListMut::try_extend).
    ///
    /// # Errors
    ///
    /// If all indices of the key type are in use ([`KeyBits`](crate::ErrorKind::KeyBits)), or the system refuses memory.
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

    list_methods! {
        handles: |pool| pool.handles;
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

/// Creates a pool with one list per item.
impl<T, L: IntoIterator<Item = T>> FromIterator<L> for ListPool<T> {
    fn from_iter<I: IntoIterator<Item = L>>(lists: I) -> Self {
        let mut pool = Self::new();
        pool.extend(lists);
        pool
    }
}

/// Inserts one list per item.
impl<T, L: IntoIterator<Item = T>, K: Key> Extend<L> for ListPool<T, K> {
    fn extend<I: IntoIterator<Item = L>>(&mut self, lists: I) {
        for elements in lists {
            self.insert_list(elements);
        }
    }
}
