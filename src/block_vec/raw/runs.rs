//! [`Runs`] and [`RunsMut`]: iterators over contiguous slices of elements.
//!
//! A `RunsMut` borrows all elements mutably and has exclusive access to those of its range. It yields each once, and so
//! do the two parts that it is split into.

use super::Raw;
use std::marker::PhantomData;
use std::ops::Range;
use std::ptr::NonNull;
use std::slice;

/// The elements of a range, as slices.
pub(in super::super) struct Runs<'a, T> {
    raw: &'a Raw<T>,
    range: Range<usize>,
}

impl<'a, T> Runs<'a, T> {
    /// The range must be within the length.
    pub(in super::super) fn new(raw: &'a Raw<T>, range: Range<usize>) -> Self {
        assert!(range.start <= range.end && range.end <= raw.len);
        Self { raw, range }
    }

    #[inline]
    pub(in super::super) fn next(&mut self) -> Option<&'a [T]> {
        let run = self.raw.run(self.range.start, self.range.end);
        self.range.start += run.len();
        if run.is_empty() { None } else { Some(run) }
    }

    #[inline]
    pub(in super::super) fn next_back(&mut self) -> Option<&'a [T]> {
        let start = self.raw.last_run(&self.range)?;
        let run = self.raw.run(start, self.range.end);
        self.range.end = start;
        Some(run)
    }

    /// Like [`next`](Self::next), out of line for callers that rarely need it.
    #[inline]
    pub(in super::super) fn next_seldom(&mut self) -> Option<&'a [T]> {
        if self.range.is_empty() {
            return None;
        }
        let run = self.raw.first_run(self.range.start, self.range.end);
        self.range.start += run.len();
        Some(run)
    }

    #[inline]
    pub(in super::super) fn next_back_seldom(&mut self) -> Option<&'a [T]> {
        if self.range.is_empty() {
            return None;
        }
        let run = self.raw.final_run(self.range.start, self.range.end);
        self.range.end -= run.len();
        Some(run)
    }

    pub(in super::super) fn count(&self) -> usize {
        self.raw.count_runs(&self.range)
    }
}

clone_fields!([T] Runs<'_, T>: raw, range);

/// The elements of a range, as mutable slices.
pub(in super::super) struct RunsMut<'a, T> {
    raw: NonNull<Raw<T>>,
    range: Range<usize>,
    elements: PhantomData<&'a mut T>,
}

// SAFETY: it is a mutable slice of its elements. Otherwise it only reads addresses of blocks, which do not change
// during the borrow.
unsafe impl<T: Send> Send for RunsMut<'_, T> {}
// SAFETY: `&RunsMut` only gives access to `&T`.
unsafe impl<T: Sync> Sync for RunsMut<'_, T> {}

impl<'a, T> RunsMut<'a, T> {
    /// The range must be within the length.
    pub(in super::super) fn new(raw: &'a mut Raw<T>, range: Range<usize>) -> Self {
        assert!(range.start <= range.end && range.end <= raw.len);
        Self { raw: NonNull::from(raw), range, elements: PhantomData }
    }

    #[inline]
    fn raw(&self) -> &'a Raw<T> {
        // SAFETY: it is mutably borrowed for `'a`, and only read since. Elements are not stored in it.
        unsafe { self.raw.as_ref() }
    }

    /// Hands out the elements of a range, which `self` does not use any more.
    ///
    /// # Safety
    ///
    /// - They are contiguous, and were removed from the range of `self`.
    #[inline]
    unsafe fn give(&self, range: Range<usize>) -> &'a mut [T] {
        debug_assert!(!range.is_empty());
        // SAFETY: the range is within the length.
        let first = unsafe { self.raw().place(range.start) };
        // SAFETY: the elements are initialised, contiguous by the caller's guarantee, and handed out once for `'a`.
        unsafe { slice::from_raw_parts_mut(first, range.len()) }
    }

    #[inline]
    pub(in super::super) fn next(&mut self) -> Option<&'a mut [T]> {
        let Range { start, end } = self.range;
        if start == end {
            return None;
        }
        self.range.start += self.raw().side_by_side(start, end);
        // SAFETY: this range was just removed from that of `self`.
        Some(unsafe { self.give(start..self.range.start) })
    }

    #[inline]
    pub(in super::super) fn next_back(&mut self) -> Option<&'a mut [T]> {
        let end = self.range.end;
        self.range.end = self.raw().last_run(&self.range)?;
        // SAFETY: this range was just removed from that of `self`.
        Some(unsafe { self.give(self.range.end..end) })
    }

    /// Like [`next`](Self::next), out of line for callers that rarely need it.
    #[inline]
    pub(in super::super) fn next_seldom(&mut self) -> Option<&'a mut [T]> {
        if self.range.is_empty() {
            return None;
        }
        let start = self.range.start;
        self.range.start += self.raw().first_count(start, self.range.end);
        // SAFETY: this range was just removed from that of `self`.
        Some(unsafe { self.give(start..self.range.start) })
    }

    #[inline]
    pub(in super::super) fn next_back_seldom(&mut self) -> Option<&'a mut [T]> {
        if self.range.is_empty() {
            return None;
        }
        let end = self.range.end;
        self.range.end -= self.raw().final_count(self.range.start, end);
        // SAFETY: this range was just removed from that of `self`.
        Some(unsafe { self.give(self.range.end..end) })
    }

    pub(in super::super) fn rest(&self) -> Runs<'_, T> {
        // None of them is borrowed mutably, nor will be while `self` is borrowed.
        Runs::new(self.raw(), self.range.clone())
    }

    pub(in super::super) fn count(&self) -> usize {
        self.raw().count_runs(&self.range)
    }
}

/// The methods that both types have.
macro_rules! runs {
    ($runs:ident) => {
        impl<T> $runs<'_, T> {
            #[inline]
            pub(in super::super) fn len(&self) -> usize {
                self.range.len()
            }

            /// Skips the first `count` elements; there must be as many.
            pub(in super::super) fn skip(&mut self, count: usize) {
                assert!(count <= self.len());
                self.range.start += count;
            }

            /// Skips the last `count` elements; there must be as many.
            pub(in super::super) fn skip_back(&mut self, count: usize) {
                assert!(count <= self.len());
                self.range.end -= count;
            }

            #[cfg(feature = "rayon")]
            pub(in super::super) fn split_at(self, count: usize) -> (Self, Self) {
                assert!(count <= self.len());
                let Range { start, end } = self.range;
                let middle = start + count;
                (Self { range: start..middle, ..self }, Self { range: middle..end, ..self })
            }
        }
    };
}

runs!(Runs);
runs!(RunsMut);

/// Out of line, since loops rarely call these. They take values, so that iterators can stay in registers.
impl<T> Raw<T> {
    #[cold]
    #[inline(never)]
    fn first_run(&self, start: usize, end: usize) -> &[T] {
        self.run(start, end)
    }

    #[cold]
    #[inline(never)]
    fn final_run(&self, start: usize, end: usize) -> &[T] {
        self.run(self.last_run(&(start..end)).unwrap_or(end), end)
    }

    #[cold]
    #[inline(never)]
    fn first_count(&self, start: usize, end: usize) -> usize {
        self.side_by_side(start, end)
    }

    #[cold]
    #[inline(never)]
    fn final_count(&self, start: usize, end: usize) -> usize {
        end - self.last_run(&(start..end)).unwrap_or(end)
    }
}

impl<T> Raw<T> {
    /// Returns the start of the last run of a range, or `None` if the range is empty.
    #[inline]
    fn last_run(&self, range: &Range<usize>) -> Option<usize> {
        if range.is_empty() { None } else { Some(self.block(range.end - 1).0.max(range.start)) }
    }

    pub(super) fn count_runs(&self, range: &Range<usize>) -> usize {
        let (mut index, mut count) = (range.start, 0);
        while index < range.end {
            index += self.side_by_side(index, range.end);
            count += 1;
        }
        count
    }
}
