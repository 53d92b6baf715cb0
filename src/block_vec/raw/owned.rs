//! [`Owned`] and [`Taken`]: iterators that move elements out.

use super::Raw;
#[cfg(feature = "rayon")]
use crate::vec::SplitAt;
use std::borrow::Borrow;
use std::iter;
use std::ops::Range;
use std::panic::UnwindSafe;
use std::ptr::NonNull;

/// Moves elements out of an array, from both ends, and drops those that are left.
///
/// It owns the elements `front.index..back`, which are within capacity of the array and initialized: they are past its
/// length, and no other value owns them. `front.until` is at most `back`.
pub(crate) struct MovedOut<T, R: Borrow<Raw<T>>> {
    /// The array, or a reference through which only addresses of blocks are read, which do not change meanwhile.
    raw: R,
    front: Cursor<T>,
    back: usize,
}

/// Moves all elements out of an array, which it owns.
pub(in super::super) type Owned<T> = MovedOut<T, Raw<T>>;

/// Moves out elements that were taken from an [`Owned`].
#[cfg(feature = "rayon")]
pub(crate) type Taken<'o, T> = MovedOut<T, &'o Raw<T>>;

// SAFETY: `R` is `Raw<T>` or `&Raw<T>`, since no other code names this type than the aliases above. It owns its
// elements, which are `Send`, and in the first case the array. In the second, it only reads addresses of blocks, which
// do not change.
unsafe impl<T: Send, R: Borrow<Raw<T>>> Send for MovedOut<T, R> {}
// SAFETY: `&MovedOut` gives `&T`s by `runs`, which may be shared since `T` is `Sync`, and numbers.
unsafe impl<T: Sync, R: Borrow<Raw<T>>> Sync for MovedOut<T, R> {}

// As for `Raw`.
impl<T: UnwindSafe, R: Borrow<Raw<T>>> UnwindSafe for MovedOut<T, R> {}

impl<T> Owned<T> {
    pub(in super::super) fn new(mut raw: Raw<T>) -> Self {
        let Range { start, end } = raw.release_from(0);
        Self { raw, front: Cursor::new(start), back: end }
    }

    /// Creates an empty array with the same options.
    pub(in super::super) fn fresh(&self) -> Raw<T> {
        self.raw.fresh()
    }

    #[cfg(feature = "rayon")]
    pub(in super::super) fn take_rest(&mut self) -> Taken<'_, T> {
        let Range { start, end } = self.give_up();
        Taken { raw: &self.raw, front: Cursor::new(start), back: end }
    }
}

impl<T, R: Borrow<Raw<T>>> MovedOut<T, R> {
    #[inline]
    pub(in super::super) fn len(&self) -> usize {
        self.back - self.front.index
    }

    #[inline]
    pub(in super::super) fn next(&mut self) -> Option<T> {
        if !self.front.is_before(self.back, self.raw.borrow()) {
            return None;
        }
        let next = self.front.place();
        self.front.index += 1;
        // SAFETY: it was in `front..back`, so it is initialized, and `self` owned it; `front` was advanced, so it is not
        // read again.
        Some(unsafe { next.read() })
    }

    #[inline]
    pub(in super::super) fn next_back(&mut self) -> Option<T> {
        if self.front.index == self.back {
            return None;
        }
        self.back -= 1;
        self.front.until = self.front.until.min(self.back);
        // SAFETY: the index is below the old `back`, which was within capacity.
        let last = unsafe { self.raw.borrow().place(self.back) };
        // SAFETY: it was in `front..back`, so it is initialized, and `self` owned it; `back` was reduced, so it is not
        // read again.
        Some(unsafe { last.read() })
    }

    /// Returns the range of the elements that are left, which the caller owns from here on.
    fn give_up(&mut self) -> Range<usize> {
        let rest = self.front.index..self.back;
        self.front = Cursor::new(self.back);
        rest
    }

    pub(in super::super) fn runs(&self) -> impl Iterator<Item = &[T]> {
        let (mut start, end) = (self.front.index, self.back);
        iter::from_fn(move || {
            let span = self.raw.borrow().span(start, end);
            start += span.len();
            // SAFETY: the span is contiguous memory of one block, and in `front..back`, so its elements are initialized.
            // They are moved out only through `&mut self`.
            (span.len() > 0).then(|| unsafe { &*span })
        })
    }
}

impl<T, R: Borrow<Raw<T>>> Drop for MovedOut<T, R> {
    fn drop(&mut self) {
        // Before user code runs, so that no element is dropped twice if a drop panics. The field `raw` still deallocates
        // the blocks then.
        let rest = self.give_up();
        // SAFETY: they were in `front..back`, so they are within capacity and initialized; `give_up` gave them to this
        // call, which uses them once.
        unsafe { self.raw.borrow().drop_all(rest) };
    }
}

#[cfg(feature = "rayon")]
impl<T> SplitAt for Taken<'_, T> {
    fn split_at(mut self, count: usize) -> (Self, Self) {
        assert!(count <= self.len());
        // The two parts own them from here on.
        let Range { start, end } = self.give_up();
        let part = |start, end| Self { raw: self.raw, front: Cursor::new(start), back: end };
        (part(start, start + count), part(start + count, end))
    }
}

#[cfg(feature = "rayon")]
exact_iterator! {
    ['o, T] Taken<'o, T> => T: |taken| taken.len(), taken.next(), taken.next_back()
}

/// Walks over places in order, and looks each block up once.
///
/// The places `index..until`, if there are any, lie in the block at `origin`.
struct Cursor<T> {
    index: usize,
    origin: *const T,
    until: usize,
}

impl<T> Cursor<T> {
    const fn new(index: usize) -> Self {
        Self { index, origin: NonNull::dangling().as_ptr(), until: 0 }
    }

    /// Returns whether `index` is below `end`, which must be within capacity. If so, [`place`](Self::place) is its place.
    #[inline]
    fn is_before(&mut self, end: usize, raw: &Raw<T>) -> bool {
        self.index < self.until || self.enter(end, raw)
    }

    #[cold]
    #[inline(never)]
    fn enter(&mut self, end: usize, raw: &Raw<T>) -> bool {
        let span = raw.span(self.index, end);
        self.origin = span.cast::<T>().wrapping_sub(self.index);
        self.until = self.index + span.len();
        span.len() > 0
    }

    #[inline]
    fn place(&self) -> *mut T {
        self.origin.wrapping_add(self.index).cast_mut()
    }
}
