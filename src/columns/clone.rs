//! `Clone` for columns.

#![expect(unsafe_code, reason = "writes clones after the last row")]

use super::{CloneFields, Columns, Row};
use crate::error::{Error, unwrap_or_panic};

impl<R: Row + Clone> Columns<R>
where
    R::Fields: CloneFields,
{
    /// Clones the columns, or returns the error. See [`clone`](Clone::clone).
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve). Nothing has been cloned then.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut draft = stayput::Columns::from([(1, 'a')]);
    /// let saved = draft.try_clone()?;
    /// draft.push((2, 'b'));
    /// assert_eq!((saved.len(), draft.len()), (1, 2));
    /// # Ok::<(), stayput::Error>(())
    /// ```
    pub fn try_clone(&self) -> Result<Self, Error> {
        let mut clone = self.try_fresh()?;
        clone.try_reserve_exact(self.len)?;
        clone.append_clones(self, 0);
        Ok(clone)
    }

    /// An iterator over clones of the rows, each made when it is requested.
    #[cfg(feature = "serde")]
    pub(crate) fn iter_clones(&self) -> impl Iterator<Item = R> {
        self.iter_fields().map(|fields| R::from_fields(R::Fields::cloned(fields)))
    }

    /// Appends clones of the rows of `source` from `first` on, for which memory was reserved.
    fn append_clones(&mut self, source: &Self, first: usize) {
        let count = source.len - first;
        assert!(count <= self.capacity() - self.len, "too little capacity for the clones");
        // SAFETY: `source` has `count` values from `first` on in each column. The assertion above leaves capacity for
        // as many rows past the length, where none is in use (*capacity*). If a clone panics, `len` does not include
        // them yet.
        unsafe { R::Fields::clone_to(source.fields(first..), self.starts, self.len, count) };
        self.len += count;
    }
}

impl<R: Row + Clone> Clone for Columns<R>
where
    R::Fields: CloneFields,
{
    /// Returns a copy with the same options, at other addresses. O(n); enters the kernel for memory.
    ///
    /// The fields are cloned column by column. `R: Clone` is required, but its own `clone` is not called. If a clone
    /// panics, the clones made before are dropped.
    ///
    /// # Panics
    ///
    /// If [`try_clone`](Columns::try_clone) returns an error.
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
        unwrap_or_panic(self.try_clone())
    }

    /// Overwrites the rows with clones of those of `source`, keeping the memory and the options of `self`.
    ///
    /// Fields that exist in both are cloned with `clone_from`. If a clone panics, there are no more rows than before,
    /// and some of their fields may have been overwritten.
    ///
    /// # Panics
    ///
    /// If [`try_reserve`](Columns::try_reserve) returns an error. Nothing has been cloned then.
    #[track_caller]
    fn clone_from(&mut self, source: &Self) {
        self.truncate(source.len);
        let both = self.len;
        self.reserve(source.len - both);
        R::Fields::clone_over(self.fields_mut(..), source.fields(..both));
        self.append_clones(source, both);
    }
}
