//! [`IntoIter`]: moves the elements out.

#![expect(unsafe_code, reason = "takes the elements of an array")]

use super::{Taken, VmVec, unwrap_or_panic};
use std::{fmt, slice};

/// An iterator that moves the elements out of a [`VmVec`].
///
/// This struct is created by the method [`into_iter`](IntoIterator::into_iter) of [`VmVec`].
///
/// # Examples
///
/// ```
/// let names = stayput::VmVec::from(["Ann".to_string(), "Ben".to_string()]);
/// let boxed: Vec<Box<str>> = names.into_iter().map(String::into_boxed_str).collect();
/// assert_eq!(*boxed[1], *"Ben");
/// ```
pub struct IntoIter<T> {
    /// Elements in the memory of `vec`, before which they are dropped. They are lent only together with `self`.
    elements: Taken<'static, T>,
    /// Its length is 0, so it drops no element.
    vec: VmVec<T>,
}

impl<T> IntoIter<T> {
    fn new(mut vec: VmVec<T>) -> Self {
        let len = std::mem::take(&mut vec.len);
        // SAFETY: the first `len` elements are initialized, in one aligned range (*elements*, *capacity*), and past the
        // length now, so `vec` does not use them. It keeps the memory for as long as `self` exists, and what is taken
        // from `elements` borrows `self`.
        let elements = unsafe { Taken::new(vec.start(), 0..len) };
        Self { elements, vec }
    }

    /// Returns the elements not yet yielded.
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
        self.elements.as_slice()
    }

    /// Returns the elements not yet yielded, as a mutable slice.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        self.elements.as_mut_slice()
    }

    /// Takes all elements not yet yielded, at once.
    #[cfg(feature = "rayon")]
    pub(crate) fn take_rest(&mut self) -> Taken<'_, T> {
        self.elements.take_rest()
    }
}

exact_iterator! {
    [T] IntoIter<T> => T:
    |iter| iter.elements.len(), iter.elements.next(), iter.elements.next_back()
}

impl<T> AsRef<[T]> for IntoIter<T> {
    fn as_ref(&self) -> &[T] {
        self.as_slice()
    }
}

impl<T: Clone> Clone for IntoIter<T> {
    /// Clones the elements not yet yielded into a new array.
    fn clone(&self) -> Self {
        let mut vec = unwrap_or_panic(self.vec.try_fresh());
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

    /// Returns an iterator that moves the elements out, in order. They move out one by one; the memory is released
    /// when the iterator is dropped, as that of an array is.
    fn into_iter(self) -> IntoIter<T> {
        IntoIter::new(self)
    }
}

iterate_by_ref!([T] VmVec<T>: &'a T => slice::Iter<'a, T>, &'a mut T => slice::IterMut<'a, T>);
