//! Options, taking and returning memory, and statistics.

#![forbid(unsafe_code)]

use super::ListPool;
use super::elements::{Elements, List};
use super::space::CLASSES;
use crate::container::{Builder, Container, stats};
use crate::error::{Error, Holder};
use crate::key::Key;
use crate::raw_vec::Options;
use crate::slot_map::SlotMap;
use crate::vec::VmVec;

/// Options for a [`ListPool`]; see [`ListPool::builder`]. Those about memory apply to the elements.
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
    /// What a [`ListPool`] or [`SecondaryLists`](super::SecondaryLists) holds, and how much memory it takes; returned by
    /// its `stats`.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool: stayput::ListPool<u32> = [0..3, 0..9].into_iter().collect();
    /// let stats = pool.stats();
    /// assert_eq!((stats.lists, stats.elements), (2, 12));
    /// assert_eq!(stats.spare, 1 + 7); // they have room for 4 and 16
    ///
    /// pool.compact();
    /// assert_eq!(pool.stats().spare, 0);
    /// ```
    pub struct ListPoolStats of "Elements", in memory of "elements and lists" {
        /// Lists.
        lists,
        /// Elements of all lists.
        elements,
        /// How many more elements the memory of all lists has room for.
        spare,
        /// How many elements would fit into what is free between lists. What a [compaction](ListPool::compact_within)
        /// that is not done has taken is not counted.
        unused,
        /// [Handles](super::ListHandle) that were not given back.
        handles,
    }
}

/// The lists of a [`ListPool`] whose memory has the same size; returned by [`ListPool::size_classes`].
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
    /// How many elements the memory of a list in this class has room for: this many, a power of two, or fewer, but more
    /// than half as many.
    pub capacity: usize,
    /// The number of lists.
    pub lists: usize,
    /// The number of their elements.
    pub elements: usize,
    /// How many more elements their memory has room for.
    pub spare: usize,
    /// The number of free places for such a list.
    pub free: usize,
}

impl<T, K: Key> ListPool<T, K> {
    /// Returns a builder for a pool with options: maximum, capacity, growth, huge pages, background work. `max_len` and
    /// `capacity` are numbers of elements of all lists together, including room between them.
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
            let class = &mut classes[list.capacity().next_power_of_two().ilog2() as usize];
            class.lists += 1;
            class.elements += list.len();
            class.spare += list.capacity() - list.len();
        }
        classes
    }
}
