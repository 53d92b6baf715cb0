//! Columns of clones.

#![expect(unsafe_code, reason = "writes clones behind the last row")]

use super::{CloneFields, Columns, Fields, Row};
use crate::error::{Error, or_give_up};

impl<R: Row + Clone> Columns<R>
where
    R::Fields: CloneFields,
{
    /// A copy with the same options, or the error.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve). Nothing was cloned then.
    pub fn try_clone(&self) -> Result<Self, Error> {
        let mut clone = self.try_fresh()?;
        clone.try_reserve_exact(self.len)?;
        clone.append_clones(self, 0);
        Ok(clone)
    }

    /// A clone of each row, made when it is asked for.
    #[cfg(feature = "serde")]
    pub(crate) fn iter_clones(&self) -> impl Iterator<Item = R> {
        self.iter_fields().map(|fields| R::from_fields(R::Fields::cloned(fields)))
    }

    /// Appends clones of the rows of `source` from `first` on, for which there is room.
    fn append_clones(&mut self, source: &Self, first: usize) {
        let count = source.len - first;
        assert!(count <= self.capacity() - self.len, "there is no room for clones");
        // SAFETY: within the length; nobody writes to them while `source` is borrowed.
        let values = unsafe { R::Fields::slices(source.starts, first, count) };
        // SAFETY: there is room for as many behind the `len` rows. Should a clone panic, they are no rows yet.
        unsafe { R::Fields::clone_to(values, self.starts, self.len, count) };
        self.len += count;
    }
}

impl<R: Row + Clone> Clone for Columns<R>
where
    R::Fields: CloneFields,
{
    /// A copy with the same options, and values at other addresses. O(n); enters the kernel for the memory.
    ///
    /// Clones the fields, column by column: that the row is `Clone` says that it may be done, but what its own
    /// `clone` does is not asked.
    /// Should a clone panic, those that were made are dropped.
    ///
    /// # Panics
    ///
    /// Where [`try_clone`](Columns::try_clone) has an error.
    ///
    /// # Examples
    ///
    /// ```
    /// let columns = stayput::Columns::from([(1, "one".to_owned())]);
    /// let mut clone = columns.clone();
    /// clone.push((2, "two".to_owned()));
    /// assert_eq!((columns.len(), clone.len()), (1, 2));
    /// ```
    #[track_caller]
    fn clone(&self) -> Self {
        or_give_up(self.try_clone())
    }

    /// Becomes a copy of `source`, with the memory and the options that `self` has.
    ///
    /// Fields are cloned over those that there are, by their `clone_from`. Should a clone panic, there are no
    /// more rows than before, some fields of which may be clones already.
    ///
    /// # Panics
    ///
    /// Where [`try_reserve`](Columns::try_reserve) has an error. Nothing was cloned then.
    #[track_caller]
    fn clone_from(&mut self, source: &Self) {
        self.truncate(source.len);
        let both = self.len;
        self.reserve(source.len - both);
        // SAFETY: within the length, to which `self` was cut; nobody writes to them while `source` is borrowed.
        let values = unsafe { R::Fields::slices(source.starts, 0, both) };
        // SAFETY: so many are initialised; `self` is borrowed mutably.
        let over = unsafe { R::Fields::slices_mut(self.starts, 0, both) };
        R::Fields::clone_over(over, values);
        self.append_clones(source, both);
    }
}
