//! Appending what iterators give.

#![expect(unsafe_code, reason = "writes behind the last element")]

use super::VmVec;
use crate::error::Refused;
use crate::poison::unpoison;
use std::iter::Chain;
use std::option;

/// What could not be stored of an iterator: the element it had given, if any, and the rest.
pub type Rest<I> = Chain<option::IntoIter<<I as Iterator>::Item>, I>;

impl<T> VmVec<T> {
    /// Appends all that the iterator gives, or returns the error and the elements that could not
    /// be stored; those that could be are there.
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
    pub fn try_extend<I: IntoIterator<Item = T>>(
        &mut self,
        iter: I,
    ) -> Result<(), Refused<Rest<I::IntoIter>>> {
        self.try_extend_by(iter, usize::MAX)
    }

    /// [`try_extend`](Self::try_extend), which makes room for so many at once at most.
    pub(crate) fn try_extend_by<I: IntoIterator<Item = T>>(
        &mut self,
        iter: I,
        most: usize,
    ) -> Result<(), Refused<Rest<I::IntoIter>>> {
        let mut iter = iter.into_iter();
        loop {
            // The hint may be wrong, so it shall not make the reservation larger, nor does a
            // refusal count before there is an element that does not fit.
            let hint = iter.size_hint().0.min(self.max_len() - self.len).min(most);
            let _ = self.try_reserve(hint);
            self.fill_capacity(&mut iter);
            if self.len < self.capacity() {
                return Ok(());
            }
            let Some(value) = iter.next() else { return Ok(()) };
            if let Err(Refused { error, value }) = self.try_push(value) {
                return Err(Refused { error, value: Some(value).into_iter().chain(iter) });
            }
        }
    }

    /// Appends what the iterator gives until it ends or capacity is used up.
    ///
    /// Should the iterator panic, what it gave before stays.
    #[inline]
    fn fill_capacity(&mut self, iter: &mut impl Iterator<Item = T>) {
        let capacity = self.capacity();
        let mut end = End::of(self);
        while end.len < capacity {
            let Some(value) = iter.next() else { break };
            // SAFETY: just compared.
            unsafe { end.put(value) };
        }
    }

    /// Appends what the iterator gives, without asking whether there is room.
    ///
    /// Should the iterator panic, what it gave before stays.
    ///
    /// # Safety
    ///
    /// - There is room for all that the iterator gives. Where that is to follow from what an
    ///   iterator says of itself, it is one of std's, over user code at most that makes elements.
    #[inline]
    pub(super) unsafe fn fill_from(&mut self, iter: impl Iterator<Item = T>) {
        let capacity = self.capacity();
        let mut end = End::of(self);
        iter.for_each(|value| {
            debug_assert!(end.len < capacity);
            // SAFETY: the caller's promise.
            unsafe { end.put(value) };
        });
    }
}

/// The end of an array while a loop appends to it: keeps the length out of memory, so that writing
/// elements is all the loop does, and puts it back however the loop ends.
struct End<'v, T> {
    /// The first element.
    first: *mut T,
    len: usize,
    to: &'v mut usize,
}

impl<'v, T> End<'v, T> {
    #[inline]
    fn of(vec: &'v mut VmVec<T>) -> Self {
        Self { first: vec.first(), len: vec.len, to: &mut vec.len }
    }

    /// # Safety
    ///
    /// - The length is below the capacity.
    #[inline]
    unsafe fn put(&mut self, value: T) {
        // SAFETY: below capacity, by the caller's promise.
        let end = unsafe { self.first.add(self.len) };
        unpoison(end, 1);
        // SAFETY: committed, aligned, and behind the last element.
        unsafe { end.write(value) };
        self.len += 1;
    }
}

impl<T> Drop for End<'_, T> {
    #[inline]
    fn drop(&mut self) {
        *self.to = self.len;
    }
}

extend_by_try!([T] VmVec<T>: T);
extend_by_copies!([T: Copy + 'e] VmVec<T>: T);
collect_by_extend!([T] VmVec<T>: T);
