//! Looking at what is published.

#![expect(unsafe_code, reason = "reads published elements")]

use super::SharedVec;
use std::slice;

impl<T> SharedVec<T> {
    /// How many elements there are before the first that is not finished yet. See [the prefix](Self#the-prefix).
    ///
    /// Linear in what was pushed since somebody last asked, or a run of 64 was full; else O(1).
    #[inline]
    pub fn len(&self) -> usize {
        if Self::IS_UNSIZED { self.places.counted() } else { self.places.published() }
    }

    /// Whether the prefix is empty. As [`len`](Self::len).
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All elements before the first that is not finished yet. The slice does not grow with the array. As
    /// [`len`](Self::len).
    #[inline]
    pub fn as_slice(&self) -> &[T] {
        let len = self.len();
        if len == 0 {
            return &[];
        }
        // SAFETY: published, so claimed.
        let first = unsafe { self.at(0) };
        // SAFETY: so many are published, which is known by acquire; nobody writes there while `self` is borrowed.
        unsafe { slice::from_raw_parts(first, len) }
    }

    /// The element at an index, whether it belongs to the prefix or not; `None` if there is none, or it is not finished
    /// yet. O(1).
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
        // SAFETY: published, so claimed.
        let element = unsafe { self.at(index) };
        // SAFETY: published, which is known by acquire; nobody writes there while `self` is borrowed.
        Some(unsafe { &*element })
    }

    /// The element at an index, which is not looked up. O(1).
    ///
    /// # Safety
    ///
    /// - There is an element: its push has returned, and this thread knows of it by way of that, as by what `push` gave it;
    ///   or [`get`](Self::get) or [`len`](Self::len) has said so in this thread. And [`clear`](Self::clear) and its like
    ///   have not taken it out since.
    ///
    /// # Examples
    ///
    /// ```
    /// let numbers = stayput::SharedVec::new();
    /// let (index, _) = numbers.push(7);
    /// // SAFETY: just pushed.
    /// assert_eq!(unsafe { numbers.get_unchecked(index) }, &7);
    /// ```
    #[inline]
    pub unsafe fn get_unchecked(&self, index: usize) -> &T {
        debug_assert!(self.get(index).is_some(), "there is no element {index}");
        // SAFETY: there is an element, by the caller's promise, so it was claimed.
        let element = unsafe { self.at(index) };
        // SAFETY: published, which this thread knows of; nobody writes there while `self` is borrowed.
        unsafe { &*element }
    }

    /// Returns an iterator over [the prefix](Self#the-prefix). Elements pushed later are not visited. For elements after the
    /// first unfinished one, see [`iter_finished`](Self::iter_finished). Takes as long as [`as_slice`](Self::as_slice).
    #[inline]
    pub fn iter(&self) -> slice::Iter<'_, T> {
        self.as_slice().iter()
    }
}
