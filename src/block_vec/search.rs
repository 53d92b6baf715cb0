//! Looking for elements.

#![forbid(unsafe_code)]

use super::BlockVec;
use std::cmp::Ordering;

impl<T> BlockVec<T> {
    /// Whether an element is there that equals `value`. O(n), by slices.
    pub fn contains(&self, value: &T) -> bool
    where
        T: PartialEq,
    {
        self.blocks().any(|block| block.contains(value))
    }

    /// Where the second part begins of an array of which the predicate holds for a first part of all elements, and not
    /// for the rest. O(log n).
    ///
    /// # Examples
    ///
    /// ```
    /// let squares: stayput::BlockVec<u64> = (0..10_000).map(|n| n * n).collect();
    /// assert_eq!(squares.partition_point(|square| *square < 1_000_000), 1000);
    /// ```
    pub fn partition_point(&self, mut predicate: impl FnMut(&T) -> bool) -> usize {
        let by = |element: &T| if predicate(element) { Ordering::Less } else { Ordering::Greater };
        self.binary_search_by(by).unwrap_or_else(|index| index)
    }

    /// Looks for an element in a sorted array: its index, or that at which it could be inserted. If several
    /// match, it is any of them. O(log n).
    ///
    /// # Errors
    ///
    /// Where it could be inserted, if it is not there.
    ///
    /// # Examples
    ///
    /// ```
    /// let odd: stayput::BlockVec<u32> = (0..10_000).map(|n| 2 * n + 1).collect();
    /// assert_eq!((odd.binary_search(&7), odd.binary_search(&8)), (Ok(3), Err(4)));
    /// ```
    pub fn binary_search(&self, value: &T) -> Result<usize, usize>
    where
        T: Ord,
    {
        self.binary_search_by(|element| element.cmp(value))
    }

    /// [`binary_search`](Self::binary_search), by a function that tells how an element compares to what is looked for.
    ///
    /// # Errors
    ///
    /// Where it could be inserted, if it is not there.
    pub fn binary_search_by(
        &self,
        mut compare: impl FnMut(&T) -> Ordering,
    ) -> Result<usize, usize> {
        let (mut start, mut end) = (0, self.len());
        while start < end {
            let middle = start + (end - start) / 2;
            match compare(&self[middle]) {
                Ordering::Less => start = middle + 1,
                Ordering::Equal => return Ok(middle),
                Ordering::Greater => end = middle,
            }
        }
        Err(start)
    }

    /// [`binary_search`](Self::binary_search) in an array sorted by a key.
    ///
    /// # Errors
    ///
    /// Where it could be inserted, if it is not there.
    pub fn binary_search_by_key<K: Ord>(
        &self,
        key: &K,
        mut key_of: impl FnMut(&T) -> K,
    ) -> Result<usize, usize> {
        self.binary_search_by(|element| key_of(element).cmp(key))
    }
}
