//! [`Runs`], [`RunsMut`]: elements as slices of those that lie side by side.
//!
//! A `RunsMut` has the elements of its range for itself, out of a mutable borrow of all. It gives each out once, and
//! so do the two that it is split into.

use super::Raw;
use std::marker::PhantomData;
use std::ops::Range;
use std::ptr::NonNull;
use std::slice;

/// The elements of a range, by slices.
pub(in super::super) struct Runs<'a, T> {
    raw: &'a Raw<T>,
    range: Range<usize>,
}

impl<'a, T> Runs<'a, T> {
    /// Those of a range, which is within the length.
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

    /// [`next`](Self::next), for where it is seldom called.
    #[inline]
    pub(in super::super) fn next_seldom(&mut self) -> Option<&'a [T]> {
        if self.range.is_empty() {
            return None;
        }
        let run = self.raw.first_run(self.range.start, self.range.end);
        self.range.start += run.len();
        Some(run)
    }

    /// [`next_back`](Self::next_back), for where it is seldom called.
    #[inline]
    pub(in super::super) fn next_back_seldom(&mut self) -> Option<&'a [T]> {
        if self.range.is_empty() {
            return None;
        }
        let run = self.raw.final_run(self.range.start, self.range.end);
        self.range.end -= run.len();
        Some(run)
    }

    /// How many slices there are.
    pub(in super::super) fn count(&self) -> usize {
        self.raw.count_runs(&self.range)
    }
}

clone_fields!([T] Runs<'_, T>: raw, range);

/// The elements of a range, to be changed, by slices.
pub(in super::super) struct RunsMut<'a, T> {
    raw: NonNull<Raw<T>>,
    range: Range<usize>,
    elements: PhantomData<&'a mut T>,
}

// SAFETY: it is as a mutable slice of its elements is. Of all else, it only reads where blocks are, which nobody
// changes while all is borrowed.
unsafe impl<T: Send> Send for RunsMut<'_, T> {}
// SAFETY: through `&RunsMut` only `&T` can be had.
unsafe impl<T: Sync> Sync for RunsMut<'_, T> {}

impl<'a, T> RunsMut<'a, T> {
    /// Those of a range, which is within the length.
    pub(super) fn new(raw: &'a mut Raw<T>, range: Range<usize>) -> Self {
        assert!(range.start <= range.end && range.end <= raw.len);
        Self { raw: NonNull::from(raw), range, elements: PhantomData }
    }

    #[inline]
    fn raw(&self) -> &'a Raw<T> {
        // SAFETY: it was borrowed mutably for `'a`, and is only read since. No element is in it.
        unsafe { self.raw.as_ref() }
    }

    /// The elements of a range, which are this one's no more.
    ///
    /// # Safety
    ///
    /// - They lie side by side, and were this one's.
    #[inline]
    unsafe fn give(&self, range: Range<usize>) -> &'a mut [T] {
        debug_assert!(!range.is_empty());
        // SAFETY: within the length.
        let first = unsafe { self.raw().place(range.start) };
        // SAFETY: initialised, side by side by the caller's promise, and given out once for `'a`.
        unsafe { slice::from_raw_parts_mut(first, range.len()) }
    }

    #[inline]
    pub(in super::super) fn next(&mut self) -> Option<&'a mut [T]> {
        let Range { start, end } = self.range;
        if start == end {
            return None;
        }
        self.range.start += self.raw().side_by_side(start, end);
        // SAFETY: just taken from the range.
        Some(unsafe { self.give(start..self.range.start) })
    }

    #[inline]
    pub(in super::super) fn next_back(&mut self) -> Option<&'a mut [T]> {
        let end = self.range.end;
        self.range.end = self.raw().last_run(&self.range)?;
        // SAFETY: just taken from the range.
        Some(unsafe { self.give(self.range.end..end) })
    }

    /// [`next`](Self::next), for where it is seldom called.
    #[inline]
    pub(in super::super) fn next_seldom(&mut self) -> Option<&'a mut [T]> {
        if self.range.is_empty() {
            return None;
        }
        let start = self.range.start;
        self.range.start += self.raw().first_count(start, self.range.end);
        // SAFETY: just taken from the range.
        Some(unsafe { self.give(start..self.range.start) })
    }

    /// [`next_back`](Self::next_back), for where it is seldom called.
    #[inline]
    pub(in super::super) fn next_back_seldom(&mut self) -> Option<&'a mut [T]> {
        if self.range.is_empty() {
            return None;
        }
        let end = self.range.end;
        self.range.end -= self.raw().final_count(self.range.start, end);
        // SAFETY: just taken from the range.
        Some(unsafe { self.give(self.range.end..end) })
    }

    /// The elements that are left, to be looked at.
    pub(in super::super) fn rest(&self) -> Runs<'_, T> {
        // No mutable reference to any of them is out, and none is given out while `self` is borrowed.
        Runs::new(self.raw(), self.range.clone())
    }

    /// How many slices there are.
    pub(in super::super) fn count(&self) -> usize {
        self.raw().count_runs(&self.range)
    }
}

/// What both have in common, with where the elements are.
macro_rules! runs {
    ($runs:ident) => {
        impl<T> $runs<'_, T> {
            #[inline]
            pub(in super::super) fn len(&self) -> usize {
                self.range.len()
            }

            /// Leaves the first elements out; at most as many as there are.
            pub(in super::super) fn skip(&mut self, count: usize) {
                assert!(count <= self.len());
                self.range.start += count;
            }

            /// Leaves the last elements out; at most as many as there are.
            pub(in super::super) fn skip_back(&mut self, count: usize) {
                assert!(count <= self.len());
                self.range.end -= count;
            }

            /// The first `count` elements, and the others.
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

/// What is called from within loops, but seldom: by values, so that iterators can be in registers.
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
    /// Where the last run of a range begins, if there are any.
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
