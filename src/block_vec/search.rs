//! Searching for elements.

#![forbid(unsafe_code)]

use super::BlockVec;
use std::cmp::Ordering;

impl<T> BlockVec<T> {
    /// Returns `true` if an element equals `value`. O(n).
    pub fn contains(&self, value: &T) -> bool
    where
        T: PartialEq,
    {
        self.blocks().any(|block| block.contains(value))
    }

    /// Returns the index of the first element for which the predicate returns `false`. All elements for which it
    /// returns `true` must precede the others. O(log n).
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

    /// Searches a sorted array for an element and returns its index. If several match, any of them may be returned.
    /// O(log n).
    ///
    /// # Errors
    ///
    /// Returns the index at which the element could be inserted if it was not found.
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

    /// Like [`binary_search`](Self::binary_search), with a function that compares an element to the one searched for.
    ///
    /// # Errors
    ///
    /// Returns the index at which the element could be inserted if it was not found.
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

    /// Like [`binary_search`](Self::binary_search), for an array sorted by a key.
    ///
    /// # Errors
    ///
    /// Returns the index at which the element could be inserted if it was not found.
    pub fn binary_search_by_key<K: Ord>(
        &self,
        key: &K,
        mut key_of: impl FnMut(&T) -> K,
    ) -> Result<usize, usize> {
        self.binary_search_by(|element| key_of(element).cmp(key))
    }
}
