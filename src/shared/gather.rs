//! [`Gather`]: collects the elements of one thread, and appends them in runs.

#![forbid(unsafe_code)]

use super::SharedVec;
use super::places::RUN;
use crate::error::{Error, Refused, unwrap_or_panic};
use crate::heap;
use std::fmt;
use std::mem;
use std::ops::Range;

/// Returns how many elements make a run: 64, but no more than 16 KiB of them, and at least one.
pub(super) const fn most_of_run<T>() -> usize {
    match (16_usize << 10).checked_div(size_of::<T>()) {
        Some(0) => 1,
        Some(fit @ ..RUN) => fit,
        _ => RUN,
    }
}

/// Collects elements of one thread, and appends up to 64 of them at a time to a [`SharedVec`]; created by
/// [`SharedVec::gather`].
///
/// A run costs the threads one moment of contention instead of 64, and its elements have consecutive indices. Until it
/// is appended, its elements are not in the array: no other thread sees them, and they have no index.
///
/// Dropping a `Gather` appends what it holds. If that fails, the elements are dropped as well: call
/// [`try_flush`](Self::try_flush) where that matters.
///
/// # Examples
///
/// ```
/// let lengths = stayput::SharedVec::new();
/// std::thread::scope(|threads| {
///     for worker in 0..4 {
///         let mut gather = lengths.gather();
///         threads.spawn(move || {
///             (0..1000).for_each(|n| gather.push(worker * 1000 + n));
///             gather.flush();
///         });
///     }
/// });
/// assert_eq!(lengths.iter().sum::<usize>(), (0..4000).sum::<usize>());
/// ```
pub struct Gather<'s, T> {
    shared: &'s SharedVec<T>,
    /// From the first push on it has room for a run, and for one element that is refused together with the run.
    run: Vec<T>,
}

impl<T> SharedVec<T> {
    /// Creates a [`Gather`], which collects elements of this thread and appends them in runs.
    pub const fn gather(&self) -> Gather<'_, T> {
        Gather { shared: self, run: Vec::new() }
    }
}

impl<T> Gather<'_, T> {
    const MOST: usize = most_of_run::<T>();

    /// Adds an element to the run; appends the run first if it is full.
    ///
    /// # Panics
    ///
    /// As for [`SharedVec::push`].
    ///
    /// # Examples
    ///
    /// ```
    /// let log = stayput::SharedVec::new();
    /// let mut gather = log.gather();
    /// gather.push("start");
    /// assert!(log.is_empty()); // not appended yet
    /// drop(gather);
    /// assert_eq!(log, ["start"]);
    /// ```
    #[inline]
    #[track_caller]
    pub fn push(&mut self, value: T) {
        unwrap_or_panic(self.try_push(value));
    }

    /// [`push`](Self::push), or the error and the element. Elements that were gathered before stay gathered.
    ///
    /// # Errors
    ///
    /// As for [`SharedVec::try_push`].
    #[inline]
    pub fn try_push(&mut self, value: T) -> Result<(), Refused<T>> {
        if size_of::<T>() > 0 && self.run.len() + 1 < self.run.capacity() {
            // The compiler sees that there is room, and omits the growth of `Vec::push`. The last place stays free.
            self.run.push(value);
            return Ok(());
        }
        self.push_slowly(value)
    }

    /// Allocates memory for a run, unless there is some.
    pub(super) fn try_reserve_run(&mut self) -> Result<(), Error> {
        let most = if self.run.capacity() == 0 { Self::MOST + 1 } else { 0 };
        heap::try_reserve_exact(&mut self.run, most)
    }

    #[inline(never)]
    fn push_slowly(&mut self, value: T) -> Result<(), Refused<T>> {
        let made = if self.run.capacity() == 0 {
            self.try_reserve_run()
        } else if self.run.len() >= Self::MOST {
            self.try_flush().map(drop)
        } else {
            Ok(())
        };
        match made {
            Ok(()) => {
                self.run.push(value);
                Ok(())
            }
            Err(error) => Err(Refused { error, value }),
        }
    }

    /// Appends all gathered elements, and returns the range of their indices.
    ///
    /// # Panics
    ///
    /// As for [`SharedVec::push`].
    ///
    /// # Examples
    ///
    /// ```
    /// let log = stayput::SharedVec::from(["start"]);
    /// let mut gather = log.gather();
    /// gather.extend(["work", "stop"]);
    /// let range = gather.flush();
    /// assert_eq!(&log.as_slice()[range], ["work", "stop"]);
    /// ```
    #[track_caller]
    pub fn flush(&mut self) -> Range<usize> {
        unwrap_or_panic(self.try_flush())
    }

    /// [`flush`](Self::flush), or the error; then all elements stay gathered.
    ///
    /// # Errors
    ///
    /// As for [`SharedVec::try_push`].
    pub fn try_flush(&mut self) -> Result<Range<usize>, Error> {
        self.shared.try_append_vec(&mut self.run)
    }

    /// Returns the elements that are gathered and not appended.
    pub(super) fn into_rest(mut self) -> Vec<T> {
        mem::take(&mut self.run)
    }

    /// Returns the number of elements that are gathered and not appended yet.
    #[must_use]
    pub fn len(&self) -> usize {
        self.run.len()
    }

    /// Returns `true` if no gathered element remains to be appended.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.run.is_empty()
    }

    /// Returns the elements that are gathered and not appended yet.
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        &self.run
    }
}

impl<T> Extend<T> for Gather<'_, T> {
    /// [Pushes](Gather::push) each element.
    #[track_caller]
    fn extend<I: IntoIterator<Item = T>>(&mut self, iter: I) {
        iter.into_iter().for_each(|value| self.push(value));
    }
}

impl<T> Drop for Gather<'_, T> {
    fn drop(&mut self) {
        // A drop cannot return the error.
        let _ = self.try_flush();
    }
}

debug_as!([T: fmt::Debug] Gather<'_, T>, "Gather", |this| this.run);
