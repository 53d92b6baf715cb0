//! Inserting and removing single elements.

#![forbid(unsafe_code)]

use super::BlockVec;
use super::access::out_of_bounds;
use super::raw::RunsMut;
use crate::error::Refused;
use std::mem;

impl<T> BlockVec<T> {
    /// Appends an element. O(1), without a copy; allocates a block if the capacity is used up.
    ///
    /// # Panics
    ///
    /// If the array holds `max_len` elements, or the allocator refuses memory.
    #[inline]
    #[track_caller]
    pub fn push(&mut self, value: T) {
        self.raw.push(value);
    }

    /// Appends an element, or returns the error and the element.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{ErrorKind, BlockVec};
    ///
    /// let mut queue = BlockVec::with_max_len(2);
    /// queue.extend(["load", "draw"]);
    /// let refused = queue.try_push("save").unwrap_err();
    /// assert_eq!(refused.error.kind(), ErrorKind::MaxLen);
    /// assert_eq!(refused.value, "save");
    /// ```
    #[inline]
    pub fn try_push(&mut self, value: T) -> Result<(), Refused<T>> {
        self.raw.try_push(value)
    }

    /// Appends an element and returns a mutable reference to it.
    ///
    /// # Panics
    ///
    /// As for [`push`](Self::push).
    ///
    /// # Examples
    ///
    /// ```
    /// let mut scores = stayput::BlockVec::from([3]);
    /// let last = scores.push_mut(5);
    /// *last += 1;
    /// assert_eq!(scores, [3, 6]);
    /// ```
    #[inline]
    #[track_caller]
    #[must_use = "if you don't need a reference to the element, use `push`"]
    pub fn push_mut(&mut self, value: T) -> &mut T {
        let index = self.len();
        self.push(value);
        &mut self[index]
    }

    /// Removes the last element and returns it, or returns `None` if the array is empty. O(1).
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        self.raw.pop()
    }

    /// Inserts an element like [`insert`](Self::insert), or returns the error and the element.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    ///
    /// # Panics
    ///
    /// If `index` is greater than the length.
    #[track_caller]
    pub fn try_insert(&mut self, index: usize, mut value: T) -> Result<(), Refused<T>> {
        let len = self.len();
        assert!(index <= len, "insertion index (is {index}) should be <= len (is {len})");
        if let Err(error) = self.try_reserve(1) {
            return Err(Refused { error, value });
        }
        let mut runs = RunsMut::new(&mut self.raw, index..len);
        while let Some(run) = runs.next() {
            // The last element of each block moves to the next block.
            run.rotate_right(1);
            mem::swap(&mut run[0], &mut value);
        }
        self.raw.try_push(value)
    }

    /// Removes the element at `index` and returns it, moving the elements after it down by one. O(n - index).
    ///
    /// # Panics
    ///
    /// If `index` is not below the length.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut letters = stayput::BlockVec::from(['a', 'b', 'c']);
    /// assert_eq!(letters.remove(0), 'a');
    /// assert_eq!(letters, ['b', 'c']);
    /// ```
    #[track_caller]
    pub fn remove(&mut self, index: usize) -> T {
        let len = self.len();
        assert!(index < len, "removal index (is {index}) should be < len (is {len})");
        let removed = self.drain(index..=index).next();
        removed.unwrap_or_else(|| out_of_bounds(index, len))
    }

    /// Removes the element at `index` and returns it, moving the last element to its place. O(1).
    ///
    /// # Panics
    ///
    /// If `index` is not below the length.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut letters = stayput::BlockVec::from(['a', 'b', 'c']);
    /// assert_eq!(letters.swap_remove(0), 'a');
    /// assert_eq!(letters, ['c', 'b']);
    /// ```
    #[track_caller]
    pub fn swap_remove(&mut self, index: usize) -> T {
        let len = self.len();
        assert!(index < len, "swap_remove index (is {index}) should be < len (is {len})");
        self.raw.swap(index, len - 1);
        self.pop().unwrap_or_else(|| out_of_bounds(index, len))
    }

    /// Swaps two elements. O(1).
    ///
    /// # Panics
    ///
    /// If either index is not below the length.
    #[track_caller]
    pub fn swap(&mut self, a: usize, b: usize) {
        let len = self.len();
        for index in [a, b] {
            if index >= len {
                out_of_bounds(index, len);
            }
        }
        self.raw.swap(a, b);
    }

    /// Shortens the array to at most `len` elements, dropping the rest. The memory stays allocated. O(number dropped).
    pub fn truncate(&mut self, len: usize) {
        self.raw.truncate(len);
    }
}
