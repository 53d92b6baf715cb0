//! [`Runs`] and [`RunsMut`]: iterators over contiguous slices of elements.
//!
//! A `RunsMut` borrows all elements mutably and has exclusive access to those of its range. It yields each once, and so
//! do the two parts that it is split into.

use super::Raw;
use std::marker::PhantomData;
use std::ops::Range;

/// The elements of a range within the length, as slices.
pub(in super::super) struct Runs<'a, T> {
    raw: &'a Raw<T>,
    range: Range<usize>,
    borrow: PhantomData<&'a T>,
}

clone_fields!([T] Runs<'_, T>: raw, range, borrow);

/// The elements of a range within the length, as mutable slices.
pub(in super::super) struct RunsMut<'a, T> {
    /// Only for addresses of elements, which are not stored in it.
    raw: &'a Raw<T>,
    range: Range<usize>,
    /// Of the elements of the range, and no others.
    borrow: PhantomData<&'a mut T>,
}

// SAFETY: it is a mutable slice of its elements. Otherwise it only reads addresses of blocks, which do not change
// during the borrow.
unsafe impl<T: Send> Send for RunsMut<'_, T> {}
// SAFETY: `&RunsMut` gives `&T`s by `rest`, which may be shared since `T` is `Sync`, and numbers.
unsafe impl<T: Sync> Sync for RunsMut<'_, T> {}

impl<T> RunsMut<'_, T> {
    pub(in super::super) fn rest(&self) -> Runs<'_, T> {
        // None of them is borrowed mutably, nor will be while `self` is borrowed.
        Runs::new(self.raw, self.range.clone())
    }
}

/// The methods that both types have.
///
/// Each span is removed from the range before its elements are borrowed for `'a`. So a `RunsMut` hands out each element
/// once, and a `Runs` only shared references. All are initialized, since the range is within the length, which does not
/// change during `'a`; and the places of a span are contiguous memory of one block, which stays allocated.
macro_rules! runs {
    ($runs:ident, $raw:ty, $slice:ty, |$span:ident| $borrow:expr) => {
        impl<'a, T> $runs<'a, T> {
            /// The range must be within the length.
            pub(in super::super) fn new(raw: $raw, range: Range<usize>) -> Self {
                assert!(range.start <= range.end && range.end <= raw.len);
                Self { raw, range, borrow: PhantomData }
            }

            #[inline]
            pub(in super::super) fn next(&mut self) -> Option<$slice> {
                let $span = self.raw.span(self.range.start, self.range.end);
                self.range.start += $span.len();
                ($span.len() > 0).then(|| $borrow)
            }

            #[inline]
            pub(in super::super) fn next_back(&mut self) -> Option<$slice> {
                let $span = self.raw.last_span(self.range.start, self.range.end);
                self.range.end -= $span.len();
                ($span.len() > 0).then(|| $borrow)
            }

            /// Like [`next`](Self::next), out of line for callers that rarely need it.
            #[inline]
            pub(in super::super) fn next_seldom(&mut self) -> Option<$slice> {
                if self.range.is_empty() {
                    return None;
                }
                let $span = self.raw.first_span_seldom(self.range.start, self.range.end);
                self.range.start += $span.len();
                Some($borrow)
            }

            #[inline]
            pub(in super::super) fn next_back_seldom(&mut self) -> Option<$slice> {
                if self.range.is_empty() {
                    return None;
                }
                let $span = self.raw.last_span_seldom(self.range.start, self.range.end);
                self.range.end -= $span.len();
                Some($borrow)
            }

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

            pub(in super::super) fn count(&self) -> usize {
                self.raw.count_runs(&self.range)
            }
        }
    };
}

runs! {
    Runs, &'a Raw<T>, &'a [T],
    // SAFETY: the documentation of the macro shows that the elements are initialized, and that no `&mut` to them exists.
    |span| unsafe { &*span }
}

runs! {
    RunsMut, &'a mut Raw<T>, &'a mut [T],
    // SAFETY: as above, and no other reference to these elements exists, or is made during `'a`.
    |span| unsafe { &mut *span }
}

/// Out of line, since loops rarely call these. They take values, so that iterators can stay in registers.
impl<T> Raw<T> {
    #[cold]
    #[inline(never)]
    fn first_span_seldom(&self, start: usize, end: usize) -> *mut [T] {
        self.span(start, end)
    }

    #[cold]
    #[inline(never)]
    fn last_span_seldom(&self, start: usize, end: usize) -> *mut [T] {
        self.last_span(start, end)
    }
}

impl<T> Raw<T> {
    pub(super) fn count_runs(&self, range: &Range<usize>) -> usize {
        let (mut index, mut count) = (range.start, 0);
        while index < range.end {
            index += self.side_by_side(index, range.end);
            count += 1;
        }
        count
    }
}
