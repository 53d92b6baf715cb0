//! [`IntoIter`]: moves the elements out.

#![expect(unsafe_code, reason = "reads elements out")]

#[cfg(feature = "rayon")]
use super::Taken;
use super::{VmVec, unwrap_or_panic};
#[cfg(feature = "rayon")]
use std::mem::ManuallyDrop;
use std::ops::Range;
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
    /// Its length is 0, so it drops no element.
    vec: VmVec<T>,
    /// Elements not yet yielded.
    left: Range<usize>,
}

impl<T> IntoIter<T> {
    fn new(mut vec: VmVec<T>) -> Self {
        let left = 0..vec.len;
        vec.len = 0;
        Self { vec, left }
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
        // SAFETY: `left` is within capacity.
        let first = unsafe { self.vec.as_ptr().add(self.left.start) };
        // SAFETY: the elements in `left` are initialised, and `&self` keeps them so.
        unsafe { slice::from_raw_parts(first, self.left.len()) }
    }

    /// Returns the elements not yet yielded, as a mutable slice.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        // SAFETY: `left` is within capacity.
        let first = unsafe { self.vec.first().add(self.left.start) };
        // SAFETY: the elements in `left` are initialised, and `&mut self` guarantees exclusive access.
        unsafe { slice::from_raw_parts_mut(first, self.left.len()) }
    }
}

#[cfg(feature = "rayon")]
impl<T> IntoIter<T> {
    /// Takes all elements not yet yielded, at once.
    pub(crate) fn take_rest(&mut self) -> Taken<'_, T> {
        let rest: *mut [T] = self.as_mut_slice();
        self.left.start = self.left.end;
        // SAFETY: the elements are initialised, and `ManuallyDrop<T>` has the layout of `T`; `self` is borrowed for as
        // long as the slots are used, so nothing else reaches them.
        let slots = unsafe { &mut *(rest as *mut [ManuallyDrop<T>]) };
        // SAFETY: `left` is empty now, so only the returned iterator yields or drops them.
        unsafe { Taken::new(slots) }
    }
}

impl<T> IntoIter<T> {
    /// # Safety
    ///
    /// - The index was just removed from `left`.
    #[inline]
    unsafe fn read(&self, index: usize) -> T {
        // SAFETY: the index was in `left`, which is within capacity.
        let place = unsafe { self.vec.as_ptr().add(index) };
        // SAFETY: the element is initialised, and no longer in `left`, so it is not read again.
        unsafe { place.read() }
    }
}

exact_iterator! {
    [T] IntoIter<T> => T:
    |iter| iter.left.len(),
    // SAFETY: the index was just removed from `left`.
    iter.left.next().map(|index| unsafe { iter.read(index) }),
    // SAFETY: the index was just removed from `left`.
    iter.left.next_back().map(|index| unsafe { iter.read(index) })
}

impl<T> Drop for IntoIter<T> {
    fn drop(&mut self) {
        let rest: *mut [T] = self.as_mut_slice();
        // SAFETY: the elements are initialised, and not read again, since `self` ends here. If a drop panics, the
        // field `vec` still releases its memory.
        unsafe { rest.drop_in_place() }
    }
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
    /// when the iterator is dropped.
    fn into_iter(self) -> IntoIter<T> {
        IntoIter::new(self)
    }
}

iterate_by_ref!([T] VmVec<T>: &'a T => slice::Iter<'a, T>, &'a mut T => slice::IterMut<'a, T>);
