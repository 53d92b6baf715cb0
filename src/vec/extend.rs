//! Extending from iterators.

#![expect(unsafe_code, reason = "writes past the last element")]

use super::VmVec;
use crate::error::Refused;
use crate::poison::unpoison;
use std::iter::Chain;
use std::ops::ControlFlow;
use std::option;

/// The elements that could not be stored: the one that the iterator yielded last, if any, and the rest of the
/// iterator.
///
/// # Examples
///
/// ```
/// use stayput::VmVec;
/// use stayput::vec::Rest;
/// use std::vec::IntoIter;
///
/// let mut seats = VmVec::with_max_len(2);
/// let guests = vec!["Ann", "Ben", "Cid", "Dan"];
/// let waiting: Rest<IntoIter<&str>> = seats.try_extend(guests).unwrap_err().value;
/// assert!(waiting.eq(["Cid", "Dan"]));
/// ```
pub type Rest<I> = Chain<option::IntoIter<<I as Iterator>::Item>, I>;

impl<T> VmVec<T> {
    /// Appends the elements of an iterator, or returns the error and the elements that could not be stored. Elements
    /// before those have been appended.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    ///
    /// # Examples
    ///
    /// ```
    /// let mut three = stayput::VmVec::with_max_len(3);
    /// let refused = three.try_extend(1..=5).unwrap_err();
    /// assert_eq!(three, [1, 2, 3]);
    /// assert!(refused.value.eq([4, 5]));
    /// ```
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn try_extend<I: IntoIterator<Item = T>>(
        &mut self,
        iter: I,
    ) -> Result<(), Refused<Rest<I::IntoIter>>> {
        self.try_extend_by(iter, usize::MAX)
    }

    /// Like [`try_extend`](Self::try_extend), but reserves memory for at most `most` elements at once.
    #[cfg_attr(debug_assertions, track_caller)]
    pub(crate) fn try_extend_by<I: IntoIterator<Item = T>>(
        &mut self,
        iter: I,
        most: usize,
    ) -> Result<(), Refused<Rest<I::IntoIter>>> {
        let mut iter = iter.into_iter();
        self.reserve_for(&iter, most);
        if self.fill_capacity(&mut iter) { self.extend_past(iter, most) } else { Ok(()) }
    }

    /// Appends the elements of an iterator once the capacity is used up. Out of line, so that the loop over most
    /// elements is by itself.
    #[cold]
    #[inline(never)]
    #[cfg_attr(debug_assertions, track_caller)]
    fn extend_past<I: Iterator<Item = T>>(
        &mut self,
        mut iter: I,
        most: usize,
    ) -> Result<(), Refused<Rest<I>>> {
        while let Some(value) = iter.next() {
            if let Err(Refused { error, value }) = self.try_push(value) {
                return Err(Refused { error, value: Some(value).into_iter().chain(iter) });
            }
            self.reserve_for(&iter, most);
            if !self.fill_capacity(&mut iter) {
                break;
            }
        }
        Ok(())
    }

    /// Reserves memory for as many elements as an iterator announces, and at most for `most`. The hint may be wrong, so a
    /// refusal only counts once an element does not fit.
    #[inline]
    #[cfg_attr(debug_assertions, track_caller)]
    fn reserve_for(&mut self, iter: &impl Iterator<Item = T>, most: usize) {
        let hint = iter.size_hint().0.min(most);
        // Before addresses are reserved, a larger request may get more of them.
        if hint > self.capacity() - self.len && self.try_reserve(hint).is_err() {
            let _ = self.try_reserve(self.raw.within_max_len(Self::ELEMENT, self.len, hint));
        }
    }

    /// Appends elements until the iterator ends, or until the capacity is used up: then returns `true`.
    ///
    /// If the iterator panics, the elements it yielded before stay.
    #[inline]
    fn fill_capacity(&mut self, iter: &mut impl Iterator<Item = T>) -> bool {
        let capacity = self.capacity();
        let mut end = SetLenOnDrop::of(self);
        if end.len == capacity {
            return true;
        }
        // Chains and the like advance faster by this than by `next`. The capacity is compared after an element, so that
        // the next one is only made if there is room.
        let _ = iter.try_for_each(|value| {
            // Only if an iterator of the user's goes on although it was told to stop.
            if end.len == capacity {
                return ControlFlow::Break(());
            }
            // SAFETY: the length is below the capacity: it was not above it (*capacity*), and is not equal.
            unsafe { end.put(value) };
            if end.len == capacity { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        end.len == capacity
    }

    /// Appends the elements of an iterator, and at most `count`, for which there must be capacity.
    ///
    /// If the iterator panics, the elements it yielded before stay.
    ///
    /// # Safety
    ///
    /// - `try_fold` of the iterator calls its closure no more once that has told it to stop, as in std's iterators.
    #[inline]
    pub(super) unsafe fn fill_from(&mut self, count: usize, iter: impl Iterator<Item = T>) {
        assert!(count <= self.capacity() - self.len, "too little capacity");
        let mut end = SetLenOnDrop::of(self);
        iter.take(count).for_each(|value| {
            // SAFETY: `take` yields at most `count` elements, since the iterator stops when told to, by the caller's
            // guarantee. There is capacity for them past the length, as asserted above.
            unsafe { end.put(value) };
        });
    }
}

/// The end of an array while a loop appends to it. It keeps the length out of memory, so that the loop only writes
/// elements, and stores it however the loop ends.
///
/// The first `len` elements from `first` on are initialized, and `to` is the length of their array.
struct SetLenOnDrop<'v, T> {
    /// The first element.
    first: *mut T,
    len: usize,
    to: &'v mut usize,
}

impl<'v, T> SetLenOnDrop<'v, T> {
    #[inline]
    fn of(vec: &'v mut VmVec<T>) -> Self {
        Self { first: vec.place(0), len: vec.len, to: &mut vec.len }
    }

    /// # Safety
    ///
    /// - The length is below the capacity of the array.
    #[inline]
    unsafe fn put(&mut self, value: T) {
        let end = self.first.wrapping_add(self.len);
        unpoison(end, 1);
        // SAFETY: `end` is aligned and valid for writes, since the length is below the capacity, by the caller's
        // guarantee, and the array is mutably borrowed.
        unsafe { end.write(value) };
        self.len += 1;
    }
}

impl<T> Drop for SetLenOnDrop<'_, T> {
    #[inline]
    fn drop(&mut self) {
        *self.to = self.len;
    }
}

extend_by_try!([T] VmVec<T>: T);
extend_by_copies!([T: Copy + 'e] VmVec<T>: T);
collect_by_extend!([T] VmVec<T>: T);
