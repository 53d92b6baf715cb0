//! Appending what iterators give.

#![forbid(unsafe_code)]

use super::BlockVec;
use crate::error::{Refused, or_give_up};
use crate::vec::Rest;

impl<T> BlockVec<T> {
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
    /// let mut three = stayput::BlockVec::with_max_len(3);
    /// let refused = three.try_extend(1..=5).unwrap_err();
    /// assert_eq!(three, [1, 2, 3]);
    /// assert!(refused.value.eq([4, 5]));
    /// ```
    pub fn try_extend<I: IntoIterator<Item = T>>(
        &mut self,
        iter: I,
    ) -> Result<(), Refused<Rest<I::IntoIter>>> {
        // What it says of its length is of no use: blocks are taken one by one anyway.
        let mut iter = iter.into_iter();
        loop {
            self.raw.fill_block(&mut iter);
            if self.raw.has_room() {
                return Ok(());
            }
            let Some(value) = iter.next() else { return Ok(()) };
            if let Err(Refused { error, value }) = self.try_push(value) {
                return Err(Refused { error, value: Some(value).into_iter().chain(iter) });
            }
        }
    }

    /// Appends what the iterator gives, for which there is room.
    pub(super) fn fill(&mut self, mut iter: impl ExactSizeIterator<Item = T>) {
        while iter.len() > 0 {
            self.raw.room();
            self.raw.fill_block(&mut iter);
        }
    }
}

impl<T> Extend<T> for BlockVec<T> {
    /// Appends all that the iterator gives.
    ///
    /// # Panics
    ///
    /// If the array is full or the allocator refuses memory; what was stored before stays.
    #[track_caller]
    fn extend<I: IntoIterator<Item = T>>(&mut self, iter: I) {
        or_give_up(self.try_extend(iter));
    }
}

impl<'t, T: Copy + 't> Extend<&'t T> for BlockVec<T> {
    #[track_caller]
    fn extend<I: IntoIterator<Item = &'t T>>(&mut self, iter: I) {
        self.extend(iter.into_iter().copied());
    }
}

impl<T> FromIterator<T> for BlockVec<T> {
    #[track_caller]
    fn from_iter<I: IntoIterator<Item = T>>(iter: I) -> Self {
        let mut vec = Self::new();
        vec.extend(iter);
        vec
    }
}
