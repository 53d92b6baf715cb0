//! Appending several elements one behind the other.

#![expect(unsafe_code, reason = "moves elements to places that were claimed")]

use super::SharedVec;
use crate::error::{Error, Refused, or_give_up};
use crate::vec::VmVec;
use std::iter::Chain;
use std::ops::Range;

/// What could not be stored of an iterator: what was gathered of it, and the rest.
pub type Rest<I> = Chain<std::vec::IntoIter<<I as Iterator>::Item>, I>;

impl<T> SharedVec<T> {
    /// Appends copies of all elements, one behind the other, and returns where they are. O(n).
    ///
    /// (Of elements that are [`Copy`], since `clone` is code of yours, which is not to run between elements: for others,
    /// [`extend`](Self::extend) by `slice.iter().cloned()`.)
    ///
    /// # Panics
    ///
    /// As for [`push`](Self::push).
    ///
    /// # Examples
    ///
    /// ```
    /// let text = stayput::SharedVec::new();
    /// let range = text.extend_from_slice(b"stay put");
    /// assert_eq!(&text.as_slice()[range], b"stay put");
    /// ```
    #[track_caller]
    pub fn extend_from_slice(&self, elements: &[T]) -> Range<usize>
    where
        T: Copy,
    {
        or_give_up(self.try_extend_from_slice(elements))
    }

    /// [`extend_from_slice`](Self::extend_from_slice), or the error; then none is there.
    ///
    /// # Errors
    ///
    /// As for [`try_push`](Self::try_push).
    pub fn try_extend_from_slice(&self, elements: &[T]) -> Result<Range<usize>, Error>
    where
        T: Copy,
    {
        // SAFETY: they are `Copy`.
        unsafe { self.try_append_from(elements.as_ptr(), elements.len(), || ()) }
    }

    /// Moves all elements out of an array, one behind the other, and returns where they are. O(n).
    ///
    /// # Panics
    ///
    /// As for [`push`](Self::push).
    #[track_caller]
    pub fn append(&self, other: &mut VmVec<T>) -> Range<usize> {
        or_give_up(self.try_append(other))
    }

    /// [`append`](Self::append), or the error; then nothing was moved.
    ///
    /// # Errors
    ///
    /// As for [`try_push`](Self::try_push).
    pub fn try_append(&self, other: &mut VmVec<T>) -> Result<Range<usize>, Error> {
        let (from, count) = (other.as_ptr(), other.len());
        // SAFETY: there may be fewer in any array.
        let forget = || unsafe { other.set_len(0) };
        // SAFETY: `other` has so many, and has none any more once it is told to forget them.
        unsafe { self.try_append_from(from, count, forget) }
    }

    /// Moves all elements out of a `Vec`, one behind the other, and returns where they are. O(n).
    ///
    /// # Panics
    ///
    /// As for [`push`](Self::push).
    #[track_caller]
    pub fn append_vec(&self, other: &mut Vec<T>) -> Range<usize> {
        or_give_up(self.try_append_vec(other))
    }

    /// [`append_vec`](Self::append_vec), or the error; then nothing was moved.
    ///
    /// # Errors
    ///
    /// As for [`try_push`](Self::try_push).
    pub fn try_append_vec(&self, other: &mut Vec<T>) -> Result<Range<usize>, Error> {
        let (from, count) = (other.as_ptr(), other.len());
        // SAFETY: there may be fewer in any array.
        let forget = || unsafe { other.set_len(0) };
        // SAFETY: `other` has so many, and has none any more once it is told to forget them.
        unsafe { self.try_append_from(from, count, forget) }
    }

    /// Appends `count` elements that lie elsewhere.
    ///
    /// `forget` is called when they have places, and before others see them: what comes then may call a backing, for
    /// memory ahead, and that may unwind.
    ///
    /// # Safety
    ///
    /// - So many are there; they are `Copy`, or the caller's to move, and nobody counts on them any more when `forget`
    ///   has returned, which does not unwind.
    pub(super) unsafe fn try_append_from(
        &self,
        from: *const T,
        count: usize,
        forget: impl FnOnce(),
    ) -> Result<Range<usize>, Error> {
        if count == 0 {
            let end = self.len();
            return Ok(end..end);
        }
        let first = self.claim_many(count)?;
        // SAFETY: just claimed.
        let to = unsafe { self.at(first) };
        // SAFETY: so many places from there on are this thread's alone, and what lies elsewhere is not here.
        unsafe { to.copy_from_nonoverlapping(from, count) };
        forget();
        let places = first..first + count;
        // SAFETY: just written. (What has no size was seen when it was counted.)
        if !Self::IS_UNSIZED && unsafe { self.places.publish_many(places.clone()) } {
            self.note(places.end - 1);
        }
        Ok(places)
    }

    /// Appends all that the iterator gives, in its order: up to 64 at a time, as [gathered](Self::gather), between which
    /// others' may come to lie.
    ///
    /// # Panics
    ///
    /// As for [`push`](Self::push); what was stored before stays.
    #[track_caller]
    pub fn extend(&self, iter: impl IntoIterator<Item = T>) {
        or_give_up(self.try_extend(iter));
    }

    /// [`extend`](Self::extend), or the error and the elements that could not be stored; those that could be are there.
    ///
    /// # Errors
    ///
    /// As for [`try_push`](Self::try_push).
    ///
    /// # Examples
    ///
    /// ```
    /// let hundred = stayput::SharedVec::with_max_len(100);
    /// let refused = hundred.try_extend(0..110).unwrap_err();
    /// assert_eq!(hundred.len() + refused.value.count(), 110);
    /// ```
    pub fn try_extend<I: IntoIterator<Item = T>>(
        &self,
        iter: I,
    ) -> Result<(), Refused<Rest<I::IntoIter>>> {
        let mut iter = iter.into_iter();
        let mut gather = self.gather();
        let mut refused = None;
        for value in iter.by_ref() {
            if let Err(Refused { error, value }) = gather.try_push(value) {
                refused = Some((error, Some(value)));
                break;
            }
        }
        let refused = refused.or_else(|| gather.try_flush().err().map(|error| (error, None)));
        let Some((error, value)) = refused else { return Ok(()) };
        let mut rest = gather.into_rest();
        rest.extend(value);
        Err(Refused { error, value: rest.into_iter().chain(iter) })
    }
}
