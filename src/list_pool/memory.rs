//! Options, taking and returning memory, and statistics.

#![forbid(unsafe_code)]

use super::elements::{Elements, List, MOST_ELEMENTS};
use super::space::CLASSES;
use super::{ListPool, SecondaryLists, StrPool};
use crate::container::{Builder, Container, stats};
use crate::error::{Error, Holder};
use crate::key::Key;
use crate::raw_vec::Options;
use crate::slot_map::SlotMap;
use crate::vec::VmVec;

/// Options for a [`ListPool`], returned by [`ListPool::builder`]. They apply to the memory of the elements.
///
/// # Examples
///
/// ```
/// use stayput::{CommitAhead, ListPool};
///
/// let pool: ListPool<u32> =
///     ListPool::builder().max_len(1 << 24).commit_ahead(CommitAhead::Auto).build();
/// assert_eq!(pool.stats().max_len, 1 << 24);
/// ```
pub type ListPoolBuilder<T, K> = Builder<ListPool<T, K>>;

impl<T, K: Key> Container for ListPool<T, K> {
    const BUILDER: &'static str = "ListPoolBuilder";

    fn try_from_builder(builder: ListPoolBuilder<T, K>) -> Result<Self, Error> {
        let options = Options { holder: Holder::ListPool, ..builder.options };
        let memory = VmVec::try_with_options(options, builder.capacity)?;
        Ok(Self {
            lists: SlotMap::with_key(),
            elements: Elements::new(memory),
            compaction: None,
            handles: 0,
        })
    }
}

stats! {
    /// Statistics of a [`ListPool`], a [`SecondaryLists`](super::SecondaryLists) or a [`StrPool`](super::StrPool), whose
    /// elements are bytes; returned by `stats`.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool: stayput::ListPool<u32> = [0..3, 0..9].into_iter().collect();
    /// let stats = pool.stats();
    /// assert_eq!(stats.lists, 2);
    /// assert_eq!(stats.elements, 12);
    /// assert_eq!(stats.spare, 1 + 7); // capacities are 4 and 16
    ///
    /// pool.compact();
    /// assert_eq!(pool.stats().spare, 0);
    /// ```
    pub struct ListPoolStats of "Elements", in memory of "elements and lists" {
        /// The number of lists.
        lists,
        /// The number of elements in all lists.
        elements,
        /// Unused capacity of lists, in elements.
        spare,
        /// Free memory between lists, in elements. What an unfinished
        /// [compaction](ListPool::compact_within) has set aside is not counted.
        unused,
        /// The number of [handles](super::ListHandle) that were created and not given back.
        handles,
    }
}

/// Statistics of the lists of a pool whose capacities round up to the same power of two; returned by
/// [`ListPool::size_classes`].
///
/// # Examples
///
/// ```
/// let pool: stayput::ListPool<u32> = [0..3, 0..4, 0..9].into_iter().collect();
/// let classes: Vec<_> = pool.size_classes().filter(|class| class.lists > 0).collect();
/// assert_eq!((classes[0].capacity, classes[0].lists, classes[0].elements), (4, 2, 7));
/// assert_eq!((classes[1].capacity, classes[1].lists, classes[1].elements), (16, 1, 9));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListClass {
    /// The largest capacity in this class, a power of two. The smallest is more than half of it. Only compacted lists, and
    /// lists that take what is left of a pool, have capacities that are no power of two. The last class, of 2^31, also
    /// has the lists with more.
    pub capacity: usize,
    /// The number of lists in the class.
    pub lists: usize,
    /// The number of elements in these lists.
    pub elements: usize,
    /// Unused capacity of these lists, in elements.
    pub spare: usize,
    /// The number of free blocks of exactly this capacity. Larger ones are split if there are none.
    pub free: usize,
}

/// Options for [`SecondaryLists`], returned by [`SecondaryLists::builder`]. They apply to the memory of the elements, as for
/// a [`ListPool`].
///
/// # Examples
///
/// ```
/// use stayput::{DefaultKey, SecondaryLists};
///
/// let lists: SecondaryLists<DefaultKey, u32> = SecondaryLists::builder().max_len(1 << 24).build();
/// assert_eq!(lists.stats().max_len, 1 << 24);
/// ```
pub type SecondaryListsBuilder<K, T> = Builder<SecondaryLists<K, T>>;

impl<K: Key, T> Container for SecondaryLists<K, T> {
    const BUILDER: &'static str = "SecondaryListsBuilder";

    fn try_from_builder(builder: SecondaryListsBuilder<K, T>) -> Result<Self, Error> {
        let options = Options { holder: Holder::SecondaryLists, ..builder.options };
        VmVec::try_with_options(options, builder.capacity).map(Self::over)
    }
}

impl<K: Key, T> SecondaryLists<K, T> {
    /// Returns a builder with options; see [`ListPool::builder`].
    pub const fn builder() -> SecondaryListsBuilder<K, T> {
        Builder::new()
    }
}

/// Options for a [`StrPool`], returned by [`StrPool::builder`]. They apply to the memory of the strings; numbers of elements
/// are those of bytes.
///
/// # Examples
///
/// ```
/// use stayput::{CommitAhead, StrPool};
///
/// let mut words: StrPool = StrPool::builder().commit_ahead(CommitAhead::Auto).build();
/// words.start_interning();
/// assert_eq!(words.insert("again"), words.insert("again"));
/// ```
pub type StrPoolBuilder<K> = Builder<StrPool<K>>;

impl<K: Key> Container for StrPool<K> {
    const BUILDER: &'static str = "StrPoolBuilder";

    fn try_from_builder(builder: StrPoolBuilder<K>) -> Result<Self, Error> {
        ListPool::try_from_builder(builder.part(builder.options)).map(Self::over)
    }
}

impl<K: Key> StrPool<K> {
    /// Returns a builder for a pool with options, without interning. `max_len` and `capacity` count bytes of all strings
    /// together, including unused capacity and free memory between strings.
    pub const fn builder() -> StrPoolBuilder<K> {
        Builder::new()
    }
}

impl<T, K: Key> ListPool<T, K> {
    /// Returns a builder for a pool with options. `max_len` and `capacity` count elements of all lists together, including
    /// unused capacity and free memory between lists.
    pub const fn builder() -> ListPoolBuilder<T, K> {
        Builder::new()
    }
}

impl ListPoolStats {
    pub(super) fn new<'l, T>(
        lists: impl ExactSizeIterator<Item = &'l List>,
        elements: &Elements<T>,
        (reserved_bytes, committed_bytes, resident_bytes): (usize, usize, Option<usize>),
    ) -> Self {
        let count = lists.len();
        let (len, room) =
            lists.fold((0, 0), |(len, room), list| (len + list.len(), room + list.capacity()));
        let memory = Self::of(elements.memory().stats());
        let resident = memory.resident_bytes.zip(resident_bytes);
        Self {
            lists: count,
            elements: len,
            spare: room - len,
            unused: elements.space().unused() as usize,
            reserved_bytes: memory.reserved_bytes + reserved_bytes,
            committed_bytes: memory.committed_bytes + committed_bytes,
            resident_bytes: resident.map(|(elements, lists)| elements + lists),
            // Lists refer to their elements by 32 bits.
            capacity: memory.capacity.min(MOST_ELEMENTS),
            max_len: memory.max_len.min(MOST_ELEMENTS),
            ..memory
        }
    }
}

impl ListClass {
    pub(super) fn all<'l, T>(
        lists: impl Iterator<Item = &'l List>,
        elements: &Elements<T>,
    ) -> [Self; CLASSES] {
        let mut classes: [Self; CLASSES] = Default::default();
        for (at, class) in (0..).zip(&mut classes) {
            (class.capacity, class.free) = (1 << at, elements.space().free_runs(at));
        }
        for list in lists.filter(|list| list.capacity() > 0) {
            let class = usize::BITS - (list.capacity() - 1).leading_zeros();
            let class = &mut classes[(class as usize).min(CLASSES - 1)];
            class.lists += 1;
            class.elements += list.len();
            class.spare += list.capacity() - list.len();
        }
        classes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_class_has_all_larger_lists() {
        let elements = Elements::<u8>::new(VmVec::new());
        let lists = [1, 4, 5, 1 << 30, u32::MAX].map(List::of_capacity);
        let classes = ListClass::all(lists.iter(), &elements);
        assert_eq!([0, 2, 3, 30, 31].map(|class| classes[class].lists), [1; 5]);
    }
}
