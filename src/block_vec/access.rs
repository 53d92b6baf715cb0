//! Construction and access.

#![forbid(unsafe_code)]

use super::raw::{Raw, Runs, RunsMut};
use super::{BlockIter, BlockIterMut, BlockVec, BlockVecBuilder, BlockVecStats, Iter, IterMut};
use crate::container::constructors;
use crate::vec::check_range;
use std::ops::{Index, IndexMut, RangeBounds};
use std::ptr;

impl<T> BlockVec<T> {
    /// Creates an empty array. Allocates nothing until the first push.
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

    constructors! {
        /// Returns an empty array with memory allocated for `capacity` elements.
        with_capacity, try_with_capacity, capacity;
        /// # Examples
        ///
        /// ```
        /// let mut samples = stayput::BlockVec::with_capacity(1000);
        /// assert!(samples.capacity() >= 1000);
        /// samples.extend(0..1_000_000); // may still grow
        /// assert_eq!(samples.len(), 1_000_000);
        /// ```
    }

    constructors! {
        /// Returns an empty array that can hold at most `max_len` elements. Allocates nothing; the last block will end
        /// with the last of these elements.
        with_max_len, try_with_max_len, max_len;
        /// # Examples
        ///
        /// ```
        /// let mut pair = stayput::BlockVec::with_max_len(2);
        /// pair.extend([1, 2]);
        /// assert!(pair.try_push(3).is_err());
        /// ```
    }

    /// Returns a builder with the options of an array: maximum, capacity, block size.
    pub const fn builder() -> BlockVecBuilder<T> {
        BlockVecBuilder::new()
    }

    /// Returns the number of elements. O(1).
    #[inline]
    pub const fn len(&self) -> usize {
        self.raw.len()
    }

    /// Returns `true` if there are no elements. O(1).
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of elements that fit into the allocated blocks. O(1).
    ///
    /// For elements of size zero, this is [`max_len`](Self::max_len).
    #[inline]
    pub const fn capacity(&self) -> usize {
        self.raw.capacity()
    }

    /// Returns the maximum number of elements: the one that was set, or else what `isize::MAX` bytes can hold. O(1).
    #[inline]
    pub const fn max_len(&self) -> usize {
        self.raw.max_len()
    }

    /// Returns statistics about the array. Linear in the number of blocks. If the table of blocks is a `VmVec`, asks the
    /// system about its pages, which takes longer.
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

    /// Returns a reference to the element at `index`, or `None` if it is out of bounds. O(1).
    #[inline]
    pub fn get(&self, index: usize) -> Option<&T> {
        self.raw.get(index)
    }

    /// Returns a mutable reference to the element at `index`, or `None` if it is out of bounds. O(1).
    #[inline]
    pub fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        self.raw.get_mut(index)
    }

    /// Returns a reference to the first element, or `None` if there is none. O(1).
    #[inline]
    pub fn first(&self) -> Option<&T> {
        self.get(0)
    }

    /// Returns a mutable reference to the first element, or `None` if there is none. O(1).
    #[inline]
    pub fn first_mut(&mut self) -> Option<&mut T> {
        self.get_mut(0)
    }

    /// Returns a reference to the last element, or `None` if there is none. O(1).
    #[inline]
    pub fn last(&self) -> Option<&T> {
        self.get(self.len().wrapping_sub(1))
    }

    /// Returns a mutable reference to the last element, or `None` if there is none. O(1).
    #[inline]
    pub fn last_mut(&mut self) -> Option<&mut T> {
        self.get_mut(self.len().wrapping_sub(1))
    }

    /// Returns an iterator over the elements in order, as one slice per block. O(1).
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

    /// Returns an iterator over the elements in order, as one mutable slice per block. O(1).
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
        BlockIterMut::new(RunsMut::new(&mut self.raw, 0..len))
    }

    /// Returns an iterator over the elements in order. O(1).
    ///
    /// Methods that consume many elements (`for_each`, `fold`, `sum`, `find` and the like) work slice by slice. `next`
    /// makes one comparison more than the iterator of a slice, at the end of each block. A `for` loop over this
    /// iterator is not vectorised: where a loop over a slice would be, such as a sum of small integers, it takes twice
    /// as long. `nth` takes the same time independently of how many elements it skips.
    ///
    /// # Examples
    ///
    /// ```
    /// let prices: stayput::BlockVec<u64> = (1..=10_000).collect();
    /// assert_eq!(prices.iter().sum::<u64>(), 50_005_000);
    /// assert_eq!(prices.iter().rev().nth(4000), Some(&6000));
    /// ```
    #[inline]
    pub fn iter(&self) -> Iter<'_, T> {
        Iter::new(self.runs(0))
    }

    /// Returns an iterator over mutable references to the elements, in order. O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// let mut health = stayput::BlockVec::from([30, 5, 12]);
    /// health.iter_mut().for_each(|points| *points -= 1);
    /// assert_eq!(health, [29, 4, 11]);
    /// ```
    #[inline]
    pub fn iter_mut(&mut self) -> IterMut<'_, T> {
        let len = self.len();
        IterMut::new(RunsMut::new(&mut self.raw, 0..len))
    }

    /// Returns an iterator over the elements of a range. O(1).
    ///
    /// # Panics
    ///
    /// If the range starts after its end, or ends past the length.
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

    /// Returns an iterator over mutable references to the elements of a range. O(1).
    ///
    /// # Panics
    ///
    /// If the range starts after its end, or ends past the length.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut health = stayput::BlockVec::from([30, 5, 12]);
    /// health.range_mut(1..).for_each(|points| *points = 100);
    /// assert_eq!(health, [30, 100, 100]);
    /// ```
    #[track_caller]
    pub fn range_mut(&mut self, range: impl RangeBounds<usize>) -> IterMut<'_, T> {
        let (start, end) = check_range(&range, self.len());
        IterMut::new(RunsMut::new(&mut self.raw, start..end))
    }

    /// The elements from `start` on, as contiguous runs.
    pub(super) fn runs(&self, start: usize) -> Runs<'_, T> {
        Runs::new(&self.raw, start..self.len())
    }

    /// Returns the index of an element of this array, given a reference to it. Linear in the number of blocks.
    ///
    /// Returns `None` if the reference points elsewhere, or if elements have size zero and therefore no distinct
    /// addresses.
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
