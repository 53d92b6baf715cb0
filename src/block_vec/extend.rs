//! Appending what iterators give.

#![forbid(unsafe_code)]

use super::BlockVec;
use crate::error::Refused;
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

extend_by_try!([T] BlockVec<T>: T);
extend_by_copies!([T: Copy + 'e] BlockVec<T>: T);
collect_by_extend!([T] BlockVec<T>: T);
