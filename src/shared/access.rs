//! Reading published elements.

#![expect(unsafe_code, reason = "reads published elements")]

use super::SharedVec;
use std::slice;

impl<T> SharedVec<T> {
    /// Returns the number of elements before the first unfinished one; see [the prefix](Self#the-prefix). O(n) in the
    /// elements pushed since the last call, or since a run of 64 was filled, and otherwise O(1).
    #[inline]
    pub fn len(&self) -> usize {
        if Self::IS_UNSIZED { self.places.counted() } else { self.places.published() }
    }

    /// Returns `true` if [the prefix](Self#the-prefix) is empty. Takes as long as [`len`](Self::len).
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns all elements before the first unfinished one as a slice, which does not grow with the array; see [the
    /// prefix](Self#the-prefix). Takes as long as [`len`](Self::len).
    #[inline]
    pub fn as_slice(&self) -> &[T] {
        let len = self.len();
        if len == 0 {
            return &[];
        }
        // SAFETY: the first `len` elements are published, which was loaded by acquire: "properly initialized", aligned and
        // consecutive in the memory of one array, of at most `isize::MAX` bytes; without a size, they are at an aligned
        // address that dangles. No thread writes there while `self` is borrowed.
        unsafe { slice::from_raw_parts(self.at(0), len) }
    }

    /// Returns the element at an index, in the prefix or after it; `None` if there is none, or its push has not
    /// finished yet. O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// let log = stayput::SharedVec::new();
    /// let (index, _) = log.push("start");
    /// assert_eq!(log.get(index), Some(&"start"));
    /// assert_eq!(log.get(index + 1), None);
    /// ```
    #[inline]
    pub fn get(&self, index: usize) -> Option<&T> {
        let is_there = if Self::IS_UNSIZED {
            index < self.places.counted()
        } else {
            self.places.is_published(index)
        };
        if !is_there {
            return None;
        }
        // SAFETY: published, so claimed: the place lies in the array's memory. (`wrapping_add` would cost more: the compiler
        // would compare the result with null.)
        let element = unsafe { self.at(0).add(index) };
        // SAFETY: published, which was loaded by acquire, so initialized and aligned. No thread writes there while `self` is
        // borrowed.
        Some(unsafe { &*element })
    }

    /// Returns the element at an index without checking that there is one. O(1).
    ///
    /// # Safety
    ///
    /// - The element's push has returned, and that *happens before* this call. So it does if this thread has pushed the
    ///   element, or was sent its index by a thread to which that applies; or if [`get`](Self::get) or
    ///   [`len`](Self::len) has covered the element in this thread. (An index that was read from an atomic by a relaxed
    ///   load is not enough.)
    /// - [`clear`](Self::clear) or another method that removes elements has not removed it since.
    ///
    /// # Examples
    ///
    /// ```
    /// let numbers = stayput::SharedVec::new();
    /// let (index, _) = numbers.push(7);
    /// // SAFETY: pushed above.
    /// assert_eq!(unsafe { numbers.get_unchecked(index) }, &7);
    /// ```
    #[inline]
    pub unsafe fn get_unchecked(&self, index: usize) -> &T {
        debug_assert!(self.get(index).is_some(), "no published element at index {index}");
        // SAFETY: the push that wrote the element, and the address of the memory before, happened before this call, by
        // the caller's guarantee: it is initialized and aligned. No thread writes there while `self` is borrowed.
        unsafe { &*self.at(index) }
    }

    /// Returns an iterator over [the prefix](Self#the-prefix). Elements pushed later are not visited. For elements
    /// after the first unfinished one, see [`iter_finished`](Self::iter_finished). Takes as long as
    /// [`as_slice`](Self::as_slice).
    #[inline]
    pub fn iter(&self) -> slice::Iter<'_, T> {
        self.as_slice().iter()
    }
}
