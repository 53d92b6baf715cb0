//! Collecting into an array in parallel.
//!
//! # Why this is sound
//!
//! An iterator that knows its length writes each element to its final place, past the last element of the array. The
//! spare capacity there is split among tasks into disjoint [`Spare`]s. A task counts what it wrote from the first slot
//! of its part on in a [`Written`], which owns those elements and drops them if anything panics. Two of these are
//! joined only if the second starts where the first ends. One that starts at the first slot of the whole part, and has
//! as many elements as the part has slots, therefore owns exactly these; only then do they become the array's.
//! Iterators are not trusted: one that yields more or fewer elements than it announced causes a panic.

#![expect(unsafe_code, reason = "writes past the last element")]

use crate::vec::VmVec;
use rayon::iter::plumbing::{Consumer, Folder, Reducer, UnindexedConsumer};
use rayon::iter::{IntoParallelIterator, ParallelExtend, ParallelIterator};
use std::collections::LinkedList;
use std::marker::PhantomData;
use std::mem;
use std::ptr;

impl<T: Send> ParallelExtend<T> for VmVec<T> {
    /// Appends the elements of a parallel iterator, in order. Needs the feature `rayon`.
    ///
    /// An iterator that knows its length writes in place. Otherwise each task collects its elements first, and they
    /// are moved afterwards, which temporarily takes twice the memory.
    ///
    /// # Panics
    ///
    /// If the array is full or the system refuses memory. After this, or a panic of the iterator, the array is
    /// unchanged. (The process is aborted if the allocator refuses memory for what a task collects.)
    ///
    /// # Examples
    ///
    /// ```
    /// use rayon::prelude::*;
    ///
    /// let mut squares = stayput::VmVec::from([0]);
    /// squares.par_extend((1..1000_u64).into_par_iter().map(|n| n * n));
    /// assert_eq!(squares[999], 998_001);
    /// ```
    fn par_extend<I: IntoParallelIterator<Item = T>>(&mut self, iter: I) {
        let iter = iter.into_par_iter();
        match iter.opt_len() {
            Some(len) => extend_by(self, len, iter),
            None => extend_by_parts(self, iter),
        }
    }
}

/// Collects the elements of an iterator into one `Vec` for each task, in order.
#[expect(clippy::linkedlist, reason = "two lists are joined in constant time")]
pub(super) fn collect_parts<T: Send>(iter: impl ParallelIterator<Item = T>) -> LinkedList<Vec<T>> {
    iter.fold(Vec::new, |mut part, element| {
        part.push(element);
        part
    })
    .map(|part| LinkedList::from([part]))
    .reduce(LinkedList::new, |mut parts, mut more| {
        parts.append(&mut more);
        parts
    })
}

/// Appends the elements of an iterator that does not know its length.
fn extend_by_parts<T: Send>(vec: &mut VmVec<T>, iter: impl ParallelIterator<Item = T>) {
    let parts = collect_parts(iter);
    vec.reserve(parts.iter().map(Vec::len).sum());
    for mut part in parts {
        vec.append_vec(&mut part);
    }
}

/// Appends the elements of an iterator that announces `len` of them.
fn extend_by<T: Send>(vec: &mut VmVec<T>, len: usize, iter: impl ParallelIterator<Item = T>) {
    let before = vec.len();
    let spare = Spare::past(vec, len);
    let start = spare.start;
    let written = iter.drive_unindexed(spare);
    let count = written.count;
    assert!(
        count == len && written.start == start,
        "the iterator reported {len} elements, but yielded {count}"
    );
    mem::forget(written);
    // SAFETY: `before + len` is within capacity, since `Spare::past` reserved `len` more elements. They are
    // initialized: by **Written** `written` owned `count` elements from `start` on, which is all of them, as asserted
    // above. It was forgotten, so nothing else owns them.
    unsafe { vec.set_len(before + len) };
}

/// Slots for a task to write to, past the last element of an array that is mutably borrowed.
///
/// # Invariants
///
/// - **Spare**: `len` slots from `start` on are within the capacity of that array, and no other `Spare`, and no
///   [`Written`] or [`SpareFolder`], has one of them.
struct Spare<'v, T> {
    start: *mut T,
    len: usize,
    borrow: PhantomData<&'v mut VmVec<T>>,
}

impl<'v, T> Spare<'v, T> {
    /// Reserves `len` elements past the last one.
    fn past(vec: &'v mut VmVec<T>, len: usize) -> Self {
        vec.reserve(len);
        let before = vec.len();
        let start = vec.as_mut_ptr().wrapping_add(before);
        Self { start, len, borrow: PhantomData }
    }
}

// SAFETY: it is a part of a mutable borrow of the array, into which elements are sent, as `T: Send` allows.
unsafe impl<T: Send> Send for Spare<'_, T> {}

/// The elements written to the first slots of a part, or of several adjacent ones.
///
/// # Invariants
///
/// - **Written**: it owns `count` initialized elements from `start` on. `start` has the provenance of the whole array,
///   which is mutably borrowed.
struct Written<'v, T> {
    start: *mut T,
    count: usize,
    borrow: PhantomData<&'v mut VmVec<T>>,
}

// SAFETY: it owns its elements, which are sent with it, as `T: Send` allows.
unsafe impl<T: Send> Send for Written<'_, T> {}

impl<T> Drop for Written<'_, T> {
    fn drop(&mut self) {
        let elements = ptr::slice_from_raw_parts_mut(self.start, self.count);
        // SAFETY: by **Written** they are initialized, aligned, valid for reads and writes, and owned by `self`, which
        // ends here, so they are not used again.
        unsafe { elements.drop_in_place() };
    }
}

impl<'v, T: Send> Consumer<T> for Spare<'v, T> {
    type Folder = SpareFolder<'v, T>;
    type Reducer = SideBySide;
    type Result = Written<'v, T>;

    fn split_at(self, index: usize) -> (Self, Self, SideBySide) {
        assert!(index <= self.len, "a split at {index} of {} elements", self.len);
        let middle = self.start.wrapping_add(index);
        let part = |start, len| Self { start, len, borrow: PhantomData };
        (part(self.start, index), part(middle, self.len - index), SideBySide)
    }

    fn into_folder(self) -> SpareFolder<'v, T> {
        let written = Written { start: self.start, count: 0, borrow: PhantomData };
        SpareFolder { written, spare: self.len }
    }

    fn full(&self) -> bool {
        false
    }
}

impl<T: Send> UnindexedConsumer<T> for Spare<'_, T> {
    /// Not called: an iterator that knows its length is split by index.
    fn split_off_left(&self) -> Self {
        panic!("the iterator reported its length, but was split without it")
    }

    fn to_reducer(&self) -> SideBySide {
        SideBySide
    }
}

/// Writes to the slots of a part in order.
///
/// # Invariants
///
/// - As **Spare**, for `spare` slots from the start of `written` on, of which the first hold what was written.
struct SpareFolder<'v, T> {
    written: Written<'v, T>,
    spare: usize,
}

impl<'v, T: Send> Folder<T> for SpareFolder<'v, T> {
    type Result = Written<'v, T>;

    #[inline]
    fn consume(mut self, element: T) -> Self {
        assert!(
            self.written.count < self.spare,
            "the iterator yielded more elements than it reported"
        );
        let slot = self.written.start.wrapping_add(self.written.count);
        // SAFETY: the count is below the number of slots, as asserted above, so by **Spare** the slot is within
        // capacity, and in no other part: valid for writes, and aligned. Nothing was written there yet.
        unsafe { slot.write(element) };
        self.written.count += 1;
        self
    }

    fn complete(self) -> Written<'v, T> {
        self.written
    }

    fn full(&self) -> bool {
        false
    }
}

/// Joins the elements of two adjacent parts, if none are missing between them.
struct SideBySide;

impl<'v, T> Reducer<Written<'v, T>> for SideBySide {
    fn reduce(self, mut left: Written<'v, T>, right: Written<'v, T>) -> Written<'v, T> {
        if ptr::eq(left.start.wrapping_add(left.count), right.start) {
            left.count += right.count;
            mem::forget(right);
        }
        left
    }
}
