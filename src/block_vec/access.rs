//! Making an array, and looking at it.

#![forbid(unsafe_code)]

use super::raw::{Raw, Runs};
use super::{BlockIter, BlockIterMut, BlockVec, BlockVecBuilder, BlockVecStats, Iter, IterMut};
use crate::container::{capacity_constructors, max_len_constructors};
use crate::vec::check_range;
use std::ops::{Index, IndexMut, RangeBounds};
use std::ptr;

impl<T> BlockVec<T> {
    /// An empty array. Allocates nothing until the first push.
    ///
    /// # Examples
    ///
    /// ```
    /// let empty: stayput::BlockVec<u64> = stayput::BlockVec::new();
    /// assert_eq!(empty.stats().block_bytes, 0);
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self { raw: Raw::EMPTY }
    }

    capacity_constructors!("array" of "elements");

    max_len_constructors! {
        "array" of "elements", "Allocates nothing; the last block will end with the last of them.";
        /// # Examples
        ///
        /// ```
        /// let mut pair = stayput::BlockVec::with_max_len(2);
        /// pair.extend([1, 2]);
        /// assert!(pair.try_push(3).is_err());
        /// ```
    }

    /// Options: maximum, capacity, blocks.
    pub const fn builder() -> BlockVecBuilder<T> {
        BlockVecBuilder::new()
    }

    /// The number of elements. O(1).
    #[inline]
    pub const fn len(&self) -> usize {
        self.raw.len()
    }

    /// Whether there are no elements. O(1).
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of elements that fit into the blocks that there are. O(1).
    ///
    /// `usize::MAX` for elements of size zero, or what was named as the maximum.
    #[inline]
    pub const fn capacity(&self) -> usize {
        self.raw.capacity()
    }

    /// The number of elements that the array can ever hold: what was named, or as many as there can be in any array. O(1).
    #[inline]
    pub const fn max_len(&self) -> usize {
        self.raw.max_len()
    }

    /// What the array holds and takes up. Linear in the number of blocks.
    ///
    /// # Examples
    ///
    /// ```
    /// let bytes = stayput::BlockVec::from([0_u8; 20_000]);
    /// let stats = bytes.stats();
    /// assert_eq!((stats.blocks, stats.block_bytes), (2, 32 << 10));
    /// ```
    pub fn stats(&self) -> BlockVecStats {
        let capacity = self.capacity();
        let has_blocks = size_of::<T>() > 0;
        BlockVecStats {
            len: self.len(),
            capacity,
            max_len: self.max_len(),
            blocks: if has_blocks { self.raw.count_blocks() } else { 0 },
            block_bytes: if has_blocks { capacity * size_of::<T>() } else { 0 },
            table_bytes: self.raw.table_bytes(),
        }
    }

    /// The element at an index; `None` if it is out of bounds. O(1).
    #[inline]
    pub fn get(&self, index: usize) -> Option<&T> {
        self.raw.get(index)
    }

    /// The element at an index, to be changed; `None` if it is out of bounds. O(1).
    #[inline]
    pub fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        self.raw.get_mut(index)
    }

    /// The first element. O(1).
    #[inline]
    pub fn first(&self) -> Option<&T> {
        self.get(0)
    }

    /// The first element, to be changed. O(1).
    #[inline]
    pub fn first_mut(&mut self) -> Option<&mut T> {
        self.get_mut(0)
    }

    /// The last element. O(1).
    #[inline]
    pub fn last(&self) -> Option<&T> {
        self.get(self.len().wrapping_sub(1))
    }

    /// The last element, to be changed. O(1).
    #[inline]
    pub fn last_mut(&mut self) -> Option<&mut T> {
        self.get_mut(self.len().wrapping_sub(1))
    }

    /// The elements as slices, one a block, in their order. O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// let bytes: stayput::BlockVec<u8> = (0..40_000).map(|n| (n % 7) as u8).collect();
    /// let lens: Vec<usize> = bytes.blocks().map(<[u8]>::len).collect();
    /// assert_eq!(lens, [16 << 10, 16 << 10, 40_000 - (32 << 10)]);
    /// ```
    pub fn blocks(&self) -> BlockIter<'_, T> {
        BlockIter::new(self.runs(0))
    }

    /// The elements as slices, one a block, to be changed. O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// let mut words = stayput::BlockVec::from([1_u64; 5000]);
    /// words.blocks_mut().for_each(|block| block.fill(7));
    /// assert!(words.iter().all(|word| *word == 7));
    /// ```
    pub fn blocks_mut(&mut self) -> BlockIterMut<'_, T> {
        let len = self.len();
        BlockIterMut::new(self.raw.runs_mut(0..len))
    }

    /// All elements in their order. O(1).
    ///
    /// What goes through all of them at once (`for_each`, `fold`, `sum`, `find` and the like) does so by slices; `next`
    /// costs a compare more than a slice's at the end of each block. Where the compiler would do several elements of a slice
    /// at once, as in a sum of small numbers, it does one at a time in a `for` loop over this, and takes twice as long. `nth`
    /// costs the same whatever it steps over.
    #[inline]
    pub fn iter(&self) -> Iter<'_, T> {
        Iter::new(self.runs(0))
    }

    /// All elements in their order, to be changed. O(1).
    #[inline]
    pub fn iter_mut(&mut self) -> IterMut<'_, T> {
        let len = self.len();
        IterMut::new(self.raw.runs_mut(0..len))
    }

    /// The elements of a range. O(1).
    ///
    /// # Panics
    ///
    /// If the range ends before it starts, or beyond the length.
    ///
    /// # Examples
    ///
    /// ```
    /// let numbers: stayput::BlockVec<u32> = (0..100_000).collect();
    /// assert!(numbers.range(99_990..).copied().eq(99_990..100_000));
    /// ```
    #[track_caller]
    pub fn range(&self, range: impl RangeBounds<usize>) -> Iter<'_, T> {
        let (start, end) = check_range(&range, self.len());
        Iter::new(Runs::new(&self.raw, start..end))
    }

    /// The elements of a range, to be changed. O(1).
    ///
    /// # Panics
    ///
    /// If the range ends before it starts, or beyond the length.
    #[track_caller]
    pub fn range_mut(&mut self, range: impl RangeBounds<usize>) -> IterMut<'_, T> {
        let (start, end) = check_range(&range, self.len());
        IterMut::new(self.raw.runs_mut(start..end))
    }

    /// The elements from `start` on, by runs.
    pub(super) fn runs(&self, start: usize) -> Runs<'_, T> {
        Runs::new(&self.raw, start..self.len())
    }

    /// The index of an element of this array, from a reference to it. Linear in the number of blocks.
    ///
    /// `None` if the reference is to something else, or if elements have size zero, since then all
    /// have one address.
    ///
    /// # Examples
    ///
    /// ```
    /// let words = stayput::BlockVec::from(["to", "be"]);
    /// let be = &words[1];
    /// assert_eq!(words.index_of(be), Some(1));
    /// assert_eq!(words.index_of(&"be"), None);
    /// ```
    pub fn index_of(&self, element: &T) -> Option<usize> {
        let at = ptr::from_ref(element).addr();
        let mut before = 0;
        for block in self.blocks() {
            if block.as_ptr_range().contains(&ptr::from_ref(element)) {
                let offset = at - block.as_ptr().addr();
                let index = before + offset.checked_div(size_of::<T>())?;
                return (offset % size_of::<T>() == 0).then_some(index);
            }
            before += block.len();
        }
        None
    }
}

#[cold]
#[inline(never)]
#[track_caller]
pub(super) fn out_of_bounds(index: usize, len: usize) -> ! {
    panic!("index out of bounds: the len is {len} but the index is {index}")
}

impl<T> Index<usize> for BlockVec<T> {
    type Output = T;

    #[inline]
    #[track_caller]
    fn index(&self, index: usize) -> &T {
        match self.get(index) {
            Some(element) => element,
            None => out_of_bounds(index, self.len()),
        }
    }
}

impl<T> IndexMut<usize> for BlockVec<T> {
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, index: usize) -> &mut T {
        let len = self.len();
        match self.get_mut(index) {
            Some(element) => element,
            None => out_of_bounds(index, len),
        }
    }
}
