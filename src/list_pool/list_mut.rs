//! [`ListMut`]: a mutable reference to a list of a pool.

#![forbid(unsafe_code)]

use super::elements::OpenList;
use crate::error::{Error, Refused, refused, unwrap_or_panic};
use crate::vec::{Drain, ExtractIf, Rest};
use std::fmt;
use std::ops::{Deref, DerefMut, RangeBounds};

/// A mutable reference to a list of a [`ListPool`](super::ListPool), returned by
/// [`get_mut`](super::ListPool::get_mut).
///
/// It dereferences to a slice, and has most of the methods of `Vec` that change the length; not `append`, `split_off`,
/// `splice`, `resize` and their relatives. Growth may move the list, see [`ListPool`](super::ListPool).
///
/// It borrows the pool until it is dropped, not only until its last use. If it is leaked instead, for example with
/// [`mem::forget`](std::mem::forget), the elements are leaked and the list is left empty.
///
/// # Examples
///
/// ```
/// use stayput::ListPool;
///
/// let mut contacts = ListPool::new();
/// let body = contacts.insert_list([3, 1, 2]);
/// let mut list = contacts.get_mut(body).unwrap();
/// list.push(4);
/// list.retain(|other| *other != 1);
/// list.sort();
/// drop(list); // ends the borrow of `contacts`
/// assert_eq!(contacts[body], [2, 3, 4]);
/// ```
pub struct ListMut<'p, T>(pub(super) OpenList<'p, T>);

impl<T> ListMut<'_, T> {
    /// Appends an element to the end of the list. Amortised O(1); O(n) if the list moves.
    ///
    /// # Panics
    ///
    /// If [`try_push`](Self::try_push) returns an error.
    #[inline]
    #[track_caller]
    pub fn push(&mut self, value: T) {
        unwrap_or_panic(self.0.try_push(value));
    }

    /// Like [`push`](Self::push), but returns the error and the element instead of panicking.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    #[inline]
    pub fn try_push(&mut self, value: T) -> Result<(), Refused<T>> {
        self.0.try_push(value)
    }

    /// Removes the last element and returns it, or returns `None` if the list is empty.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        self.0.pop()
    }

    /// Removes the last element and returns it if the predicate returns `true`, as [`Vec::pop_if`] does. Returns `None`
    /// if it returns `false`, or if the list is empty.
    pub fn pop_if(&mut self, predicate: impl FnOnce(&mut T) -> bool) -> Option<T> {
        self.0.pop_if(predicate)
    }

    /// Inserts an element at `index`, shifting all elements after it to the right. O(n - index).
    ///
    /// # Panics
    ///
    /// If [`try_insert`](Self::try_insert) panics or returns an error.
    #[track_caller]
    pub fn insert(&mut self, index: usize, value: T) {
        unwrap_or_panic(self.try_insert(index, value));
    }

    /// Like [`insert`](Self::insert), but returns the error and the element instead of panicking.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    ///
    /// # Panics
    ///
    /// If `index > len`.
    #[track_caller]
    pub fn try_insert(&mut self, index: usize, value: T) -> Result<(), Refused<T>> {
        if index <= self.len() {
            if let Err(error) = self.0.try_reserve(1) {
                return refused(error, value);
            }
        }
        self.0.try_insert(index, value)
    }

    /// Removes the element at `index` and returns it, shifting all elements after it to the left, as [`Vec::remove`]
    /// does. O(n - index).
    ///
    /// # Panics
    ///
    /// If `index` is out of bounds.
    #[track_caller]
    pub fn remove(&mut self, index: usize) -> T {
        self.0.remove(index)
    }

    /// Removes the element at `index` and returns it, replacing it with the last element, as [`Vec::swap_remove`] does.
    /// O(1).
    ///
    /// # Panics
    ///
    /// If `index` is out of bounds.
    #[track_caller]
    pub fn swap_remove(&mut self, index: usize) -> T {
        self.0.swap_remove(index)
    }

    /// Shortens the list to `len` elements and drops the rest. Does nothing if `len` is not less than the length. The
    /// capacity does not change.
    pub fn truncate(&mut self, len: usize) {
        self.0.truncate(len);
    }

    /// Removes all elements. The capacity does not change.
    pub fn clear(&mut self) {
        self.0.truncate(0);
    }

    /// Retains only the elements for which the predicate returns `true`, in their order.
    pub fn retain(&mut self, keep: impl FnMut(&T) -> bool) {
        self.0.retain(keep);
    }

    /// Like [`retain`](Self::retain), with mutable references to the elements.
    pub fn retain_mut(&mut self, keep: impl FnMut(&mut T) -> bool) {
        self.0.retain_mut(keep);
    }

    /// Removes all but the first of consecutive equal elements.
    pub fn dedup(&mut self)
    where
        T: PartialEq,
    {
        self.0.dedup();
    }

    /// Removes all but the first of consecutive elements for which `same` returns `true`, as [`Vec::dedup_by`] does.
    pub fn dedup_by(&mut self, same: impl FnMut(&mut T, &mut T) -> bool) {
        self.0.dedup_by(same);
    }

    /// Removes all but the first of consecutive elements for which `key` returns equal values.
    pub fn dedup_by_key<Q: PartialEq>(&mut self, key: impl FnMut(&mut T) -> Q) {
        self.0.dedup_by_key(key);
    }

    /// Removes a range of elements, and returns an iterator over them; see [`VmVec::drain`](crate::VmVec::drain).
    ///
    /// # Panics
    ///
    /// If the range starts after its end, or its end is greater than the length.
    #[track_caller]
    pub fn drain(&mut self, range: impl RangeBounds<usize>) -> Drain<'_, T> {
        self.0.drain(range)
    }

    /// Returns an iterator that removes the elements of a range for which the predicate returns `true`; see
    /// [`VmVec::extract_if`](crate::VmVec::extract_if).
    ///
    /// # Panics
    ///
    /// If the range starts after its end, or its end is greater than the length.
    #[track_caller]
    pub fn extract_if<F: FnMut(&mut T) -> bool>(
        &mut self,
        range: impl RangeBounds<usize>,
        predicate: F,
    ) -> ExtractIf<'_, T, F> {
        self.0.extract_if(range, predicate)
    }

    /// Appends the elements of an iterator. On an error, returns it with an iterator over the elements that were not
    /// appended; earlier elements stay in the list.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool: stayput::ListPool<u8> = stayput::ListPool::builder().max_len(1 << 16).build();
    /// let list = pool.insert_list([]);
    /// let refused = pool.get_mut(list).unwrap().try_extend(vec![0; 100_000]).unwrap_err();
    /// assert_eq!(pool[list].len() + refused.value.count(), 100_000);
    /// ```
    pub fn try_extend<I: IntoIterator<Item = T>>(
        &mut self,
        iter: I,
    ) -> Result<(), Refused<Rest<I::IntoIter>>> {
        /// How many bytes are reserved for what the hint says, which may be wrong, unless as many are in use.
        const HINT_BYTES: usize = 1 << 20;
        let mut iter = iter.into_iter();
        while let Some(value) = iter.next() {
            let most = self.len().max(HINT_BYTES / size_of::<T>().max(1));
            // If that is refused, what is needed may still not be.
            let _ = self.0.try_reserve(iter.size_hint().0.min(most).saturating_add(1));
            if let Err(Refused { error, value }) = self.try_push(value) {
                return refused(error, Some(value).into_iter().chain(iter));
            }
            let room = self.capacity() - self.len();
            self.0.extend(iter.by_ref().take(room));
            if self.len() < self.capacity() {
                // It has ended, and need not be fused.
                break;
            }
        }
        Ok(())
    }

    /// Appends clones of the elements of a slice.
    ///
    /// # Panics
    ///
    /// If [`try_extend_from_slice`](Self::try_extend_from_slice) returns an error.
    #[track_caller]
    pub fn extend_from_slice(&mut self, other: &[T])
    where
        T: Clone,
    {
        unwrap_or_panic(self.try_extend_from_slice(other));
    }

    /// Like [`extend_from_slice`](Self::extend_from_slice), but returns an error instead of panicking. After an error the
    /// list is unchanged.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    pub fn try_extend_from_slice(&mut self, other: &[T]) -> Result<(), Error>
    where
        T: Clone,
    {
        self.0.try_reserve(other.len())?;
        self.0.try_extend_from_slice(other)
    }

    /// Reserves capacity for at least `additional` more elements, as [`Vec::reserve`] does. May move the list.
    ///
    /// # Panics
    ///
    /// If [`try_reserve`](Self::try_reserve) returns an error.
    #[track_caller]
    pub fn reserve(&mut self, additional: usize) {
        unwrap_or_panic(self.try_reserve(additional));
    }

    /// Like [`reserve`](Self::reserve), but returns an error instead of panicking. After an error the list is unchanged.
    ///
    /// # Errors
    ///
    /// If the system refuses memory; if the pool would exceed its maximum ([`MaxLen`](crate::ErrorKind::MaxLen)); or if it
    /// would have 2^32 elements, counting unused memory ([`CapacityOverflow`](crate::ErrorKind::CapacityOverflow)).
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), Error> {
        self.0.try_reserve(additional)
    }

    /// Returns the number of elements that the list can hold without growing.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.0.capacity()
    }
}

impl<T> Deref for ListMut<'_, T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T> DerefMut for ListMut<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

impl<T> Extend<T> for ListMut<'_, T> {
    #[track_caller]
    fn extend<I: IntoIterator<Item = T>>(&mut self, iter: I) {
        unwrap_or_panic(self.try_extend(iter).map_err(|refused| refused.error));
    }
}

impl<T: fmt::Debug> fmt::Debug for ListMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}
