//! Appends several elements at consecutive indices.

#![expect(unsafe_code, reason = "moves elements to claimed places")]

use super::SharedVec;
use crate::error::{Error, Refused, unwrap_or_panic};
use crate::vec::VmVec;
use std::iter::Chain;
use std::ops::Range;

/// An iterator over the elements that could not be stored: those that were gathered, then the rest of the original
/// iterator.
///
/// # Examples
///
/// ```
/// use stayput::shared::Rest;
/// use stayput::{Refused, SharedVec};
/// use std::ops::Range;
///
/// /// Stores as many ids as fit, or returns the others with the error.
/// fn store(ids: Range<u32>, to: &SharedVec<u32>) -> Result<(), Refused<Rest<Range<u32>>>> {
///     to.try_extend(ids)
/// }
///
/// let few = SharedVec::with_max_len(100);
/// let refused = store(0..150, &few).unwrap_err();
/// assert_eq!(refused.value.last(), Some(149));
/// ```
///
/// An iterator that had ended already is asked once more at the end.
pub type Rest<I> = Chain<std::vec::IntoIter<<I as Iterator>::Item>, I>;

impl<T> SharedVec<T> {
    /// Appends copies of all elements at consecutive indices, and returns the range of these indices. O(n).
    ///
    /// `T` must be [`Copy`], since `clone` is user code, which must not run between the elements. For other types, use
    /// [`extend`](Self::extend) with `slice.iter().cloned()`.
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
        unwrap_or_panic(self.try_extend_from_slice(elements))
    }

    /// [`extend_from_slice`](Self::extend_from_slice), or the error; then no element was appended.
    ///
    /// # Errors
    ///
    /// As for [`try_push`](Self::try_push).
    pub fn try_extend_from_slice(&self, elements: &[T]) -> Result<Range<usize>, Error>
    where
        T: Copy,
    {
        // SAFETY: the slice has `elements.len()` elements, and `T` is `Copy`. The closure does nothing, so it does not
        // unwind.
        unsafe { self.try_append_from(elements.as_ptr(), elements.len(), || ()) }
    }

    /// Moves all elements of an array to consecutive indices of this one, and returns the range of these indices. O(n).
    ///
    /// # Panics
    ///
    /// As for [`push`](Self::push).
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{SharedVec, vm_vec};
    ///
    /// let found = SharedVec::from([1]);
    /// let mut more = vm_vec![2, 3];
    /// assert_eq!(found.append(&mut more), 1..3);
    /// assert!(found == [1, 2, 3] && more.is_empty());
    /// ```
    #[track_caller]
    pub fn append(&self, other: &mut VmVec<T>) -> Range<usize> {
        unwrap_or_panic(self.try_append(other))
    }

    /// [`append`](Self::append), or the error; then no element was moved.
    ///
    /// # Errors
    ///
    /// As for [`try_push`](Self::try_push).
    pub fn try_append(&self, other: &mut VmVec<T>) -> Result<Range<usize>, Error> {
        let (from, count) = (other.as_ptr(), other.len());
        let forget = || other.forget_elements();
        // SAFETY: `other` has `count` elements at `from`, and none any more once `forget` has returned, which only
        // stores a length.
        unsafe { self.try_append_from(from, count, forget) }
    }

    /// Moves all elements of a `Vec` to consecutive indices of this array, and returns the range of these indices.
    /// O(n).
    ///
    /// # Panics
    ///
    /// As for [`push`](Self::push).
    ///
    /// # Examples
    ///
    /// ```
    /// let found = stayput::SharedVec::new();
    /// std::thread::scope(|threads| {
    ///     for worker in 0..4 {
    ///         let found = &found;
    ///         threads.spawn(move || {
    ///             let mut own = vec![worker; 100];
    ///             let range = found.append_vec(&mut own);
    ///             assert!(range.map(|index| found.get(index)).all(|n| n == Some(&worker)));
    ///         });
    ///     }
    /// });
    /// assert_eq!(found.len(), 400);
    /// ```
    #[track_caller]
    pub fn append_vec(&self, other: &mut Vec<T>) -> Range<usize> {
        unwrap_or_panic(self.try_append_vec(other))
    }

    /// [`append_vec`](Self::append_vec), or the error; then no element was moved.
    ///
    /// # Errors
    ///
    /// As for [`try_push`](Self::try_push).
    pub fn try_append_vec(&self, other: &mut Vec<T>) -> Result<Range<usize>, Error> {
        let (from, count) = (other.as_ptr(), other.len());
        // SAFETY: 0 is "less than or equal to `capacity()`", and there are no elements below it.
        let forget = || unsafe { other.set_len(0) };
        // SAFETY: `other` has `count` elements at `from`, and none any more once `forget` has returned, which only
        // stores a length.
        unsafe { self.try_append_from(from, count, forget) }
    }

    /// Appends `count` elements that are stored elsewhere.
    ///
    /// `forget` is called when they have been moved, and before other threads see them: a later step may call a
    /// backing, to take memory ahead, and that may unwind.
    ///
    /// # Safety
    ///
    /// - There are `count` elements at `from`. They are `Copy`, or the caller may move them, and they are not used
    ///   there any more once `forget` has returned.
    /// - `forget` does not unwind.
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
        // SAFETY: `from` is valid for reads of `count` elements, by the caller's guarantee. The places from `first` on were
        // claimed above by this thread alone, so they are aligned memory, "valid for writes", that nothing else uses: the
        // two do "not overlap".
        unsafe { self.at(first).copy_from_nonoverlapping(from, count) };
        forget();
        let places = first..first + count;
        // SAFETY: claimed, so with flags, and written above. (Elements without a size were published when they were
        // counted.)
        if !Self::IS_UNSIZED && unsafe { self.places.publish_many(places.clone()) } {
            self.note(places.end - 1);
        }
        Ok(places)
    }

    /// Appends all elements of an iterator in order, up to 64 at a time, as [`gather`](Self::gather) does. Elements of
    /// other threads may lie between such runs.
    ///
    /// # Panics
    ///
    /// As for [`push`](Self::push); elements that were stored before stay.
    ///
    /// # Examples
    ///
    /// ```
    /// let words = stayput::SharedVec::new();
    /// words.extend("stay put".split(' ')); // takes `&self`
    /// assert_eq!(words, ["stay", "put"]);
    /// ```
    #[track_caller]
    pub fn extend(&self, iter: impl IntoIterator<Item = T>) {
        unwrap_or_panic(self.try_extend(iter));
    }

    /// [`extend`](Self::extend), or the error and the elements that could not be stored. The others stay.
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
        if let Err(error) = gather.try_reserve_run() {
            return Err(Refused { error, value: gather.into_rest().into_iter().chain(iter) });
        }
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
        // There is room for it, so this allocates nothing.
        rest.extend(value);
        Err(Refused { error, value: rest.into_iter().chain(iter) })
    }
}
