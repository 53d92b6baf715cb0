//! [`IntoIter`]: gives out the elements by value.

#![expect(unsafe_code, reason = "reads elements out")]

#[cfg(feature = "rayon")]
use super::Taken;
use super::{VmVec, or_give_up};
#[cfg(feature = "rayon")]
use std::mem::ManuallyDrop;
use std::ops::Range;
use std::{fmt, slice};

/// An iterator that gives out the elements of a [`VmVec`], made by its `into_iter`.
pub struct IntoIter<T> {
    /// Says that it is empty, and so drops no element.
    vec: VmVec<T>,
    /// Elements that are still to be given out.
    left: Range<usize>,
}

impl<T> IntoIter<T> {
    fn new(mut vec: VmVec<T>) -> Self {
        let left = 0..vec.len;
        vec.len = 0;
        Self { vec, left }
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
        // SAFETY: `left` is within capacity.
        let first = unsafe { self.vec.as_ptr().add(self.left.start) };
        // SAFETY: those in `left` are initialised, and `&self` keeps them so.
        unsafe { slice::from_raw_parts(first, self.left.len()) }
    }

    /// The elements still to be given out, to be changed.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        // SAFETY: `left` is within capacity.
        let first = unsafe { self.vec.first().add(self.left.start) };
        // SAFETY: those in `left` are initialised, and `&mut self` keeps others away.
        unsafe { slice::from_raw_parts_mut(first, self.left.len()) }
    }
}

#[cfg(feature = "rayon")]
impl<T> IntoIter<T> {
    /// All that is still to be given out, at once.
    pub(crate) fn take_rest(&mut self) -> Taken<'_, T> {
        let rest: *mut [T] = self.as_mut_slice();
        self.left.start = self.left.end;
        // SAFETY: initialised elements, in a layout that is the same; nobody else reaches them while `self` is
        // borrowed.
        let slots = unsafe { &mut *(rest as *mut [ManuallyDrop<T>]) };
        // SAFETY: they are given out no more but by what is returned.
        unsafe { Taken::new(slots) }
    }
}

impl<T> IntoIter<T> {
    /// # Safety
    ///
    /// - The index was just taken out of `left`.
    #[inline]
    unsafe fn read(&self, index: usize) -> T {
        // SAFETY: it was in `left`, which is within capacity.
        let place = unsafe { self.vec.as_ptr().add(index) };
        // SAFETY: initialised, and no more in `left`, so nobody reads it again.
        unsafe { place.read() }
    }
}

exact_iterator! {
    [T] IntoIter<T> => T:
    |iter| iter.left.len(),
    // SAFETY: just taken out.
    iter.left.next().map(|index| unsafe { iter.read(index) }),
    // SAFETY: just taken out.
    iter.left.next_back().map(|index| unsafe { iter.read(index) }),
    {
        fn count(self) -> usize {
            self.len()
        }
    }
}

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

debug_as!([T: fmt::Debug] IntoIter<T>, "IntoIter", |iter| iter.as_slice());

impl<T> IntoIterator for VmVec<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;

    /// Gives out the elements by value, in order. They move out one by one; the memory is released
    /// when the iterator is dropped.
    fn into_iter(self) -> IntoIter<T> {
        IntoIter::new(self)
    }
}

iterate_by_ref!([T] VmVec<T>: &'a T => slice::Iter<'a, T>, &'a mut T => slice::IterMut<'a, T>);
