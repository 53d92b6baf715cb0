//! Collecting into an array in parallel.
//!
//! # Why this is sound
//!
//! An iterator that knows its length writes each element where it is to be, behind the last one of the
//! array. The room there is split among tasks by [`Room`]s that share no slot. A task counts what it
//! wrote from the first slot of its room on, in a [`Written`], which owns those elements: it drops them if
//! anything panics. Two of them become one only where the second begins right behind the first. So
//! one that begins at the first slot of all the room, and has as many elements as that has slots,
//! owns exactly these; only then do they become the array's. Iterators are not believed: who gives more
//! elements than it said is stopped by a panic, and so is who gave less.

#![expect(unsafe_code, reason = "writes behind the last element")]

use crate::vec::VmVec;
use rayon::iter::plumbing::{Consumer, Folder, Reducer, UnindexedConsumer};
use rayon::iter::{IntoParallelIterator, ParallelExtend, ParallelIterator};
use std::collections::LinkedList;
use std::marker::PhantomData;
use std::mem;
use std::ptr;

impl<T: Send> ParallelExtend<T> for VmVec<T> {
    /// Appends all that the iterator gives, in its order. Needs the feature `rayon`.
    ///
    /// One that knows its length writes into place; what another gives is collected by each task, and
    /// then moved, so that it takes twice the memory for a while.
    ///
    /// # Panics
    ///
    /// If the array is full or the system refuses memory. Where that, or the iterator, panics, the array
    /// is as it was before.
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

/// Collects what an iterator gives into an array for each task, in order.
#[expect(clippy::linkedlist, reason = "two are joined in constant time")]
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

/// Appends what an iterator gives of which nobody knows how much it is.
fn extend_by_parts<T: Send>(vec: &mut VmVec<T>, iter: impl ParallelIterator<Item = T>) {
    let parts = collect_parts(iter);
    vec.reserve(parts.iter().map(Vec::len).sum());
    for mut part in parts {
        vec.append_vec(&mut part);
    }
}

/// Appends what an iterator gives that says that it is `len` elements.
fn extend_by<T: Send>(vec: &mut VmVec<T>, len: usize, iter: impl ParallelIterator<Item = T>) {
    let before = vec.len();
    let room = Room::behind(vec, len);
    let start = room.start;
    let written = iter.drive_unindexed(room);
    let count = written.count;
    assert!(count == len && written.start == start, "{len} elements were told, and {count} came");
    mem::forget(written);
    // SAFETY: room for `len` more was made, and so many are written from its start on, which nobody else
    // owns.
    unsafe { vec.set_len(before + len) };
}

/// Slots for a task to write to, behind the last element of an array that is borrowed mutably.
struct Room<'v, T> {
    start: *mut T,
    len: usize,
    borrow: PhantomData<&'v mut VmVec<T>>,
}

impl<'v, T> Room<'v, T> {
    /// Makes room for `len` elements behind the last one.
    fn behind(vec: &'v mut VmVec<T>, len: usize) -> Self {
        vec.reserve(len);
        let before = vec.len();
        // SAFETY: the length is within capacity.
        let start = unsafe { vec.as_mut_ptr().add(before) };
        Self { start, len, borrow: PhantomData }
    }
}

// SAFETY: it is a part of a mutable borrow, into which elements are sent.
unsafe impl<T: Send> Send for Room<'_, T> {}

/// The elements that are written to the first slots of a room, or of several side by side. It owns them.
struct Written<'v, T> {
    start: *mut T,
    count: usize,
    borrow: PhantomData<&'v mut VmVec<T>>,
}

// SAFETY: it owns elements, which are sent with it.
unsafe impl<T: Send> Send for Written<'_, T> {}

impl<T> Drop for Written<'_, T> {
    fn drop(&mut self) {
        let elements = ptr::slice_from_raw_parts_mut(self.start, self.count);
        // SAFETY: so many are initialised from `start` on, and `self`, which ends here, owns them.
        unsafe { elements.drop_in_place() };
    }
}

impl<'v, T: Send> Consumer<T> for Room<'v, T> {
    type Folder = Filling<'v, T>;
    type Reducer = SideBySide;
    type Result = Written<'v, T>;

    fn split_at(self, index: usize) -> (Self, Self, SideBySide) {
        assert!(index <= self.len, "a split at {index} of {} elements", self.len);
        // SAFETY: within the slots of this room.
        let middle = unsafe { self.start.add(index) };
        let part = |start, len| Self { start, len, borrow: PhantomData };
        (part(self.start, index), part(middle, self.len - index), SideBySide)
    }

    fn into_folder(self) -> Filling<'v, T> {
        let written = Written { start: self.start, count: 0, borrow: PhantomData };
        Filling { written, room: self.len }
    }

    fn full(&self) -> bool {
        false
    }
}

impl<T: Send> UnindexedConsumer<T> for Room<'_, T> {
    /// Who knows its length splits by that.
    fn split_off_left(&self) -> Self {
        panic!("an iterator that told its length is split without it")
    }

    fn to_reducer(&self) -> SideBySide {
        SideBySide
    }
}

/// Writes to the slots of a room one after another.
struct Filling<'v, T> {
    written: Written<'v, T>,
    /// How many slots there are.
    room: usize,
}

impl<'v, T: Send> Folder<T> for Filling<'v, T> {
    type Result = Written<'v, T>;

    #[inline]
    fn consume(mut self, element: T) -> Self {
        assert!(self.written.count < self.room, "more elements came than were told");
        // SAFETY: within the slots of the room.
        let slot = unsafe { self.written.start.add(self.written.count) };
        // SAFETY: within capacity, behind the last element, and in no other room.
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

/// Makes one of what two rooms got, if nothing is missing between them.
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
