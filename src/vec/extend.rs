//! Appending what iterators give.

#![expect(unsafe_code, reason = "writes behind the last element")]

use super::{VmVec, give_up};
use crate::error::Refused;
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
        let mut iter = iter.into_iter();
        // The hint may be wrong, or more than can be had although the elements are not: a refusal
        // counts only when there is an element that does not fit.
        let _ = self.try_reserve(iter.size_hint().0);
        loop {
            let spare = self.capacity() - self.len;
            // SAFETY: there is room for what is taken.
            unsafe { self.fill_from(iter.by_ref().take(spare)) };
            if self.len < self.capacity() {
                return Ok(());
            }
            let Some(value) = iter.next() else { return Ok(()) };
            if let Err(Refused { error, value }) = self.try_push(value) {
                return Err(Refused { error, value: Some(value).into_iter().chain(iter) });
            }
            let _ = self.try_reserve(iter.size_hint().0);
        }
    }

    /// Appends what the iterator gives, without asking whether there is room.
    ///
    /// Should the iterator panic, what it gave before stays.
    ///
    /// # Safety
    ///
    /// - There is room for all that the iterator gives.
    #[inline]
    pub(super) unsafe fn fill_from(&mut self, iter: impl Iterator<Item = T>) {
        /// Keeps the length out of memory while the loop runs, so that writing elements is all
        /// it does, and puts it back however the loop ends.
        struct Length<'v> {
            len: &'v mut usize,
            now: usize,
        }

        impl Drop for Length<'_> {
            fn drop(&mut self) {
                *self.len = self.now;
            }
        }

        let capacity = self.capacity();
        let first = self.as_mut_ptr();
        let mut length = Length { now: self.len, len: &mut self.len };
        iter.for_each(|value| {
            debug_assert!(length.now < capacity);
            // SAFETY: below capacity, by the caller's promise.
            let end = unsafe { first.add(length.now) };
            // SAFETY: committed, aligned, and behind the last element.
            unsafe { end.write(value) };
            length.now += 1;
        });
    }
}

impl<T> Extend<T> for VmVec<T> {
    /// Appends all that the iterator gives.
    ///
    /// # Panics
    ///
    /// If the array is full or the system refuses memory; what was stored before stays.
    #[track_caller]
    fn extend<I: IntoIterator<Item = T>>(&mut self, iter: I) {
        if let Err(refused) = self.try_extend(iter) {
            give_up(refused.error);
        }
    }
}

impl<'t, T: Copy + 't> Extend<&'t T> for VmVec<T> {
    #[track_caller]
    fn extend<I: IntoIterator<Item = &'t T>>(&mut self, iter: I) {
        self.extend(iter.into_iter().copied());
    }
}

impl<T> FromIterator<T> for VmVec<T> {
    #[track_caller]
    fn from_iter<I: IntoIterator<Item = T>>(iter: I) -> Self {
        let mut vec = Self::new();
        vec.extend(iter);
        vec
    }
}

impl std::io::Write for VmVec<u8> {
    /// Appends all bytes. The error, if memory cannot be had, is an [`Error`](crate::Error)
    /// inside.
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        Ok(self.try_extend_from_slice(bytes)?)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
