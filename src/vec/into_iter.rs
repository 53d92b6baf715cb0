//! [`IntoIter`]: gives out the elements by value.

#![expect(unsafe_code, reason = "reads elements out")]

use super::{VmVec, or_give_up};
use std::iter::FusedIterator;
#[cfg(feature = "rayon")]
use std::mem::ManuallyDrop;
use std::{fmt, slice};

/// An iterator that gives out the elements of a [`VmVec`], made by its `into_iter`.
pub struct IntoIter<T> {
    /// Says that it is empty, and so drops no element: what is left is `front..back`.
    vec: VmVec<T>,
    front: usize,
    back: usize,
}

impl<T> IntoIter<T> {
    fn new(mut vec: VmVec<T>) -> Self {
        let back = vec.len;
        vec.len = 0;
        Self { vec, front: 0, back }
    }

    /// The elements still to be given out.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut letters = stayput::VmVec::from(['a', 'b', 'c']).into_iter();
    /// letters.next();
    /// assert_eq!(letters.as_slice(), ['b', 'c']);
    /// ```
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        // SAFETY: `front` is within capacity.
        let first = unsafe { self.vec.as_ptr().add(self.front) };
        // SAFETY: `front..back` are initialised, and `&self` keeps them so.
        unsafe { slice::from_raw_parts(first, self.back - self.front) }
    }

    /// The elements still to be given out, to be changed.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        // SAFETY: `front` is within capacity.
        let first = unsafe { self.vec.first().add(self.front) };
        // SAFETY: `front..back` are initialised, and `&mut self` keeps others away.
        unsafe { slice::from_raw_parts_mut(first, self.back - self.front) }
    }
}

#[cfg(feature = "rayon")]
impl<T> IntoIter<T> {
    /// All that is still to be given out, at once: whoever has it takes the elements, or drops them.
    pub(crate) fn take_rest(&mut self) -> &mut [ManuallyDrop<T>] {
        let rest: *mut [T] = self.as_mut_slice();
        self.front = self.back;
        // SAFETY: initialised elements, which are to be given out no more, and in a layout that is the
        // same; nobody else reaches them while `self` is borrowed.
        unsafe { &mut *(rest as *mut [ManuallyDrop<T>]) }
    }
}

impl<T> Iterator for IntoIter<T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        if self.front == self.back {
            return None;
        }
        // SAFETY: below `back`, which is within capacity.
        let next = unsafe { self.vec.as_ptr().add(self.front) };
        self.front += 1;
        // SAFETY: initialised, and no more in `front..back`, so nobody reads it again.
        Some(unsafe { next.read() })
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.back - self.front;
        (count, Some(count))
    }

    fn count(self) -> usize {
        self.len()
    }
}

impl<T> DoubleEndedIterator for IntoIter<T> {
    #[inline]
    fn next_back(&mut self) -> Option<T> {
        if self.front == self.back {
            return None;
        }
        self.back -= 1;
        // SAFETY: below the old `back`, which is within capacity.
        let last = unsafe { self.vec.as_ptr().add(self.back) };
        // SAFETY: initialised, and no more in `front..back`, so nobody reads it again.
        Some(unsafe { last.read() })
    }
}

impl<T> ExactSizeIterator for IntoIter<T> {}
impl<T> FusedIterator for IntoIter<T> {}

impl<T> Drop for IntoIter<T> {
    fn drop(&mut self) {
        let rest: *mut [T] = self.as_mut_slice();
        // SAFETY: initialised, and nobody reads them again: `self` ends here.
        // Should a drop panic, the array, which is a field, still releases its memory.
        unsafe { rest.drop_in_place() }
    }
}

impl<T> AsRef<[T]> for IntoIter<T> {
    fn as_ref(&self) -> &[T] {
        self.as_slice()
    }
}

impl<T: Clone> Clone for IntoIter<T> {
    /// Clones what is still to be given out into an array of its own.
    fn clone(&self) -> Self {
        let mut vec = or_give_up(self.vec.try_fresh());
        vec.extend_from_slice(self.as_slice());
        Self::new(vec)
    }
}

impl<T> Default for IntoIter<T> {
    fn default() -> Self {
        Self::new(VmVec::new())
    }
}

impl<T: fmt::Debug> fmt::Debug for IntoIter<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("IntoIter").field(&self.as_slice()).finish()
    }
}

impl<T> IntoIterator for VmVec<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;

    /// Gives out the elements by value, in order. They move out one by one; the memory is released
    /// when the iterator is dropped.
    fn into_iter(self) -> IntoIter<T> {
        IntoIter::new(self)
    }
}

impl<'v, T> IntoIterator for &'v VmVec<T> {
    type Item = &'v T;
    type IntoIter = slice::Iter<'v, T>;

    fn into_iter(self) -> slice::Iter<'v, T> {
        self.iter()
    }
}

impl<'v, T> IntoIterator for &'v mut VmVec<T> {
    type Item = &'v mut T;
    type IntoIter = slice::IterMut<'v, T>;

    fn into_iter(self) -> slice::IterMut<'v, T> {
        self.iter_mut()
    }
}
