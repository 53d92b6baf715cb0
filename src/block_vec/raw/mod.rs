//! [`Raw`]: elements in blocks, and all that reaches them by pointer.
//!
//! # Why this is sound
//!
//! The first `capacity` places have memory: they are shared out to blocks, from the first on, as `block` says, which
//! depends on nothing that changes. Each block was given by the allocator, for exactly so many elements, and stays
//! where it is until it is given back, which is when no element is in it. The table has the *origin* of each piece
//! of a block: the address that element 0 would have if all in front of the block lay in front of it. It is made by
//! wrapping arithmetic from the pointer that the allocator gave, so that adding an index within the block to it, the
//! same way, leads to the place, with the allocator's leave to use it. `entries` is where the table is; it is asked
//! again whenever that may have moved.
//!
//! The first `len` places, which are within capacity, are initialised. `tail` is the origin of the block `from..to`,
//! and `from <= len <= to <= capacity`: so while `len < to` the next element lies at `tail` and `len`. Whatever
//! changes `len` or the blocks has `seat` see to that.
//!
//! Elements without a size have no blocks: there is capacity for as many as may be, and all lie at one address.
//!
//! Whatever runs user code (a closure, a clone, a drop, an iterator) first makes `len` say what holds should that
//! code panic, or never return control.
//!
//! A reference to an element, or a slice of some, comes from a shared or a mutable borrow of all of them, but for
//! [`RunsMut`], [`Cut`] and [`Owned`]: these have borrowed or own all of them, and say below what of it they give out.
//!
//! Only [`Raw`] owns blocks, and it owns elements: it is `Send` and `Sync` where they are, and covariant, for it hands
//! out no reference that could be written through but from a mutable borrow.

#![expect(unsafe_code, reason = "takes blocks, and reads and writes elements there")]

use super::plan::{Blocks, Plan};
use super::table::{Origin, Table};
use crate::error::{Error, ErrorKind, Holder, Refused, SizedBy, or_give_up};
use crate::growing::Purse;
use crate::poison::{self, AtEnd, poison, unpoison};
use crate::reservation::memory_bytes;
use std::alloc::{self, Layout};
use std::hint;
use std::marker::PhantomData;
use std::mem;
use std::ops::Range;
use std::panic::UnwindSafe;
use std::ptr::{self, NonNull};
use std::slice;

mod cut;
mod owned;
mod runs;

pub(super) use cut::Cut;
pub(super) use owned::Owned;
#[cfg(feature = "rayon")]
pub(crate) use owned::Taken;
pub(super) use runs::{Runs, RunsMut};

/// Elements in blocks.
pub(super) struct Raw<T> {
    /// Where the entries of the table are.
    entries: *const Origin,
    len: usize,
    /// The origin of the block that the next element belongs to, if there is one.
    tail: *const T,
    /// The first place in that block.
    from: usize,
    /// The place behind the last one there.
    to: usize,
    /// The places that have memory.
    capacity: usize,
    /// The most elements that may be.
    max_len: usize,
    plan: Plan,
    table: Table,
    elements: PhantomData<T>,
}

// SAFETY: it owns its elements, and blocks that nobody else has.
unsafe impl<T: Send> Send for Raw<T> {}
// SAFETY: through `&Raw` only `&T` can be had.
unsafe impl<T: Sync> Sync for Raw<T> {}

// The pointer leads to elements that it owns, as `Vec` does. (`RefUnwindSafe` is as it should be by itself.)
impl<T: UnwindSafe> UnwindSafe for Raw<T> {}

impl<T> Raw<T> {
    const IS_SIZED: bool = size_of::<T>() > 0;

    /// As many elements as there can be in an array.
    pub(super) const MOST: usize =
        if Self::IS_SIZED { isize::MAX as usize / size_of::<T>() } else { usize::MAX };

    pub(super) const EMPTY: Self = Self::new(Blocks::DEFAULT, Self::MOST);

    /// None; at most so many, which is at most [`MOST`](Self::MOST).
    pub(super) const fn new(blocks: Blocks, max_len: usize) -> Self {
        Self::of_plan(Plan::new(blocks, size_of::<T>()), max_len)
    }

    const fn of_plan(plan: Plan, max_len: usize) -> Self {
        let capacity = if Self::IS_SIZED { 0 } else { max_len };
        Self {
            entries: ptr::null(),
            len: 0,
            tail: NonNull::dangling().as_ptr(),
            from: 0,
            to: capacity,
            capacity,
            max_len,
            plan,
            table: Table::EMPTY,
            elements: PhantomData,
        }
    }

    /// One that never holds anything, which no user can make.
    pub(super) const NOTHING: Self = Self::of_plan(Plan::NONE, 0);

    /// Whether it is that.
    #[inline]
    pub(super) const fn is_nothing(&self) -> bool {
        self.plan.is_none()
    }

    /// None, with the same options.
    pub(super) const fn fresh(&self) -> Self {
        Self::of_plan(self.plan, self.max_len)
    }

    #[inline]
    pub(super) const fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub(super) const fn capacity(&self) -> usize {
        self.capacity
    }

    pub(super) const fn max_len(&self) -> usize {
        self.max_len
    }

    pub(super) fn table_bytes(&self) -> usize {
        self.table.bytes()
    }

    /// Whether the next element has a place that is known.
    #[inline]
    pub(super) const fn has_room(&self) -> bool {
        self.len < self.to
    }

    /// The places of the block that a place is in, or will be.
    #[inline]
    pub(super) fn block(&self, index: usize) -> (usize, usize) {
        if !Self::IS_SIZED {
            return (0, self.max_len);
        }
        let (from, to) = self.plan.block(index);
        (from, to.min(self.max_len))
    }

    /// The origin of the block that a place is in.
    ///
    /// # Safety
    ///
    /// - `index` is below the capacity.
    #[inline]
    unsafe fn origin(&self, index: usize) -> *const T {
        if !Self::IS_SIZED {
            return NonNull::dangling().as_ptr();
        }
        debug_assert!(index < self.capacity);
        // SAFETY: each piece below the capacity has an entry.
        let entry = unsafe { self.entries.add(self.plan.piece(index)) };
        // SAFETY: as above; `entries` is where the table is.
        unsafe { entry.read() }.cast_const().cast()
    }

    /// The address of a place.
    ///
    /// # Safety
    ///
    /// - `index` is below the capacity.
    #[inline]
    unsafe fn place(&self, index: usize) -> *mut T {
        // SAFETY: the caller's promise is the same.
        unsafe { self.origin(index) }.wrapping_add(index).cast_mut()
    }

    /// How many blocks there are.
    pub(super) fn count_blocks(&self) -> usize {
        self.count_runs(&(0..self.capacity))
    }

    /// How many places from `index` on, up to `end`, lie side by side.
    #[inline]
    fn side_by_side(&self, index: usize, end: usize) -> usize {
        self.block(index).1.min(end) - index
    }

    /// Finds the block of the next element.
    fn seat(&mut self) {
        if !Self::IS_SIZED {
            return;
        }
        let Some(last) = self.capacity.checked_sub(1) else {
            (self.from, self.to) = (0, 0);
            return;
        };
        let index = self.len.min(last);
        (self.from, self.to) = self.block(index);
        // SAFETY: below the capacity.
        self.tail = unsafe { self.origin(index) };
    }

    /// Says that there are `len` elements.
    ///
    /// # Safety
    ///
    /// - `len` is at most the capacity.
    /// - The places below `len` are initialised.
    unsafe fn set_len(&mut self, len: usize) {
        debug_assert!(len <= self.capacity);
        self.len = len;
        if len < self.from || len > self.to {
            self.seat();
        }
    }
}

/// Memory.
impl<T> Raw<T> {
    /// How many elements there are to be, if there may be so many more.
    fn need(&self, additional: usize) -> Result<usize, Error> {
        let Some(need) = self.len.checked_add(additional) else {
            let error = Error::new(ErrorKind::CapacityOverflow, usize::MAX);
            // Bytes are no matter where there are none.
            return Err(if Self::IS_SIZED { error } else { error.with_limit(usize::MAX as u64) });
        };
        if need > Self::MOST {
            let bytes = need.saturating_mul(size_of::<T>());
            return Err(Error::new(ErrorKind::CapacityOverflow, bytes));
        }
        if need > self.max_len {
            let error = Error::full(SizedBy::Option, need * size_of::<T>(), self.max_len);
            return Err(error.of(Holder::BlockVec));
        }
        Ok(need)
    }

    /// Makes room for so many elements more, or changes nothing.
    #[cold]
    #[inline(never)]
    pub(super) fn grow(&mut self, additional: usize) -> Result<(), Error> {
        let need = self.need(additional)?;
        self.ask_for_all(need)?;
        let before = self.capacity;
        while self.capacity < need {
            if let Err(error) = self.take_block() {
                self.give_back(before, &mut Purse::unlimited());
                return Err(error.of(Holder::BlockVec));
            }
        }
        if self.len == self.to {
            self.seat();
        }
        Ok(())
    }

    /// An error if blocks for so many elements are more than the machine has, and the allocator would refuse them in one.
    ///
    /// Systems promise more than there is, but not so much at once. Block by block it would come out only when all
    /// memory was used up, and the system ends whom it likes.
    fn ask_for_all(&self, need: usize) -> Result<(), Error> {
        let bytes = need.saturating_sub(self.capacity) * size_of::<T>();
        if bytes <= memory_bytes() {
            return Ok(());
        }
        let refusal = Error::new(ErrorKind::Memory, bytes).of(Holder::BlockVec);
        let layout = Layout::from_size_align(bytes, align_of::<T>()).map_err(|_| refusal)?;
        // SAFETY: more than no byte.
        let all = unsafe { alloc::alloc(layout) };
        // What nobody sees, the compiler would leave out, as if it were never refused.
        let all = hint::black_box(all);
        if all.is_null() {
            return Err(refusal);
        }
        // SAFETY: just taken, by that layout.
        unsafe { alloc::dealloc(all, layout) };
        Ok(())
    }

    /// Takes memory for the block behind all others, which has places, for it is below the maximum.
    fn take_block(&mut self) -> Result<(), Error> {
        let (from, to) = self.block(self.capacity);
        debug_assert!(from == self.capacity && from < to);
        let Ok(layout) = Layout::array::<T>(to - from) else {
            let bytes = (to - from).saturating_mul(size_of::<T>());
            return Err(Error::new(ErrorKind::CapacityOverflow, bytes));
        };
        let pieces = self.plan.pieces(to - from);
        let reserved = self.table.try_reserve(pieces, layout.size() / pieces);
        // It may have moved.
        self.entries = self.table.as_ptr();
        reserved?;
        #[cfg(test)]
        if super::fault::strikes() {
            return Err(Error::new(ErrorKind::Memory, layout.size()));
        }
        // SAFETY: there are elements, and they have a size.
        let block = unsafe { alloc::alloc(layout) }.cast::<T>();
        if block.is_null() {
            return Err(Error::new(ErrorKind::Memory, layout.size()));
        }
        poison(block, to - from);
        self.table.extend(block.wrapping_sub(from).cast(), pieces);
        self.capacity = to;
        Ok(())
    }

    /// Gives blocks back that are wholly behind the first so many places and all elements, as far as the purse allows.
    /// Whether it did.
    pub(super) fn give_back(&mut self, keep: usize, purse: &mut Purse) -> bool {
        let keep = keep.max(self.len);
        while Self::IS_SIZED && self.capacity > keep {
            let (from, to) = self.block(self.capacity - 1);
            debug_assert!(to == self.capacity);
            if from < keep {
                break;
            }
            if !purse.pay((to - from) * size_of::<T>()) {
                return false;
            }
            // SAFETY: a block, in which no element is, and nobody looks there again: it is behind the capacity below, and
            // `tail` is another.
            unsafe { self.free(from, to) };
            self.capacity = from;
            self.table.truncate(self.plan.piece(from));
            if self.to > from {
                self.seat();
            }
        }
        true
    }

    /// Gives a block back to the allocator.
    ///
    /// # Safety
    ///
    /// - `from..to` are the places of a block, which are not used any more.
    unsafe fn free(&self, from: usize, to: usize) {
        debug_assert!(self.block(from) == (from, to));
        // SAFETY: each block has a layout, by which it was taken; so this is none that is refused.
        let layout = unsafe { Layout::array::<T>(to - from).unwrap_unchecked() };
        // SAFETY: below the capacity.
        let block = unsafe { self.place(from) };
        unpoison(block, to - from);
        // SAFETY: the allocator gave it, for as many elements, and none is used any more.
        unsafe { alloc::dealloc(block.cast(), layout) };
    }

    /// Gives memory of the table back.
    pub(super) fn shrink_table(&mut self) {
        self.table.shrink_to_fit();
        self.entries = self.table.as_ptr();
    }
}

impl<T> Drop for Raw<T> {
    fn drop(&mut self) {
        /// Gives the blocks back, also when the drop of an element panics.
        struct Free<'r, T>(&'r mut Raw<T>);

        impl<T> Drop for Free<'_, T> {
            fn drop(&mut self) {
                let mut from = 0;
                // From the first one on: so an allocator that joins what is free joins it with what is last only once.
                while Raw::<T>::IS_SIZED && from < self.0.capacity {
                    let (_, to) = self.0.block(from);
                    // SAFETY: a block; nothing is used any more.
                    unsafe { self.0.free(from, to) };
                    from = to;
                }
            }
        }

        Free(self).0.truncate(0);
    }
}

/// Elements.
impl<T> Raw<T> {
    #[inline]
    #[track_caller]
    pub(super) fn push(&mut self, value: T) {
        if self.len == self.to {
            self.grow_by_one_or_give_up();
        }
        // SAFETY: there is room for one more now.
        unsafe { self.write_end(value) }
    }

    #[inline]
    pub(super) fn try_push(&mut self, value: T) -> Result<(), Refused<T>> {
        if self.len == self.to {
            if let Err(error) = self.grow_by_one() {
                return Err(Refused { error, value });
            }
        }
        // SAFETY: there is room for one more now.
        unsafe { self.write_end(value) }
        Ok(())
    }

    /// Has the next element have a place.
    #[cold]
    #[inline(never)]
    pub(super) fn grow_by_one(&mut self) -> Result<(), Error> {
        if self.len == self.capacity {
            return self.grow(1);
        }
        self.seat();
        Ok(())
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn grow_by_one_or_give_up(&mut self) {
        or_give_up(self.grow_by_one());
    }

    /// Puts an element behind the last one, and returns where it is.
    ///
    /// # Safety
    ///
    /// - It [has room](Self::has_room).
    #[inline]
    unsafe fn write_end(&mut self, value: T) {
        debug_assert!(self.has_room());
        let end = self.tail.wrapping_add(self.len).cast_mut();
        unpoison(end, 1);
        // SAFETY: the place of the next element: it has memory, is aligned, and behind the last one.
        unsafe { end.write(value) };
        self.len += 1;
    }

    /// [`push`](Self::push) where there is room; and a pointer to where the element lies until it is moved.
    #[inline]
    pub(super) fn push_within(&mut self, value: T) -> NonNull<T> {
        assert!(self.has_room());
        let place = self.tail.wrapping_add(self.len);
        // SAFETY: just compared.
        unsafe { self.write_end(value) };
        // SAFETY: an element is there.
        unsafe { NonNull::new_unchecked(place.cast_mut()) }
    }

    #[inline]
    pub(super) fn pop(&mut self) -> Option<T> {
        if self.len == self.from && !self.step_back() {
            return None;
        }
        self.len -= 1;
        let last = self.tail.wrapping_add(self.len);
        let _gone = AtEnd::of(last);
        // SAFETY: the last of the old length, in the block at hand. It is behind the length now, so nobody
        // reads it again.
        Some(unsafe { last.read() })
    }

    /// Finds the block of the last element, if there is one.
    #[cold]
    #[inline(never)]
    fn step_back(&mut self) -> bool {
        let Some(last) = self.len.checked_sub(1) else { return false };
        (self.from, self.to) = self.block(last);
        // SAFETY: below the length, which is within capacity.
        self.tail = unsafe { self.origin(last) };
        true
    }

    #[inline]
    pub(super) fn get(&self, index: usize) -> Option<&T> {
        if index >= self.len {
            return None;
        }
        // SAFETY: just compared.
        let place = unsafe { self.place(index) };
        // SAFETY: initialised, and `&self` keeps it so.
        Some(unsafe { &*place })
    }

    #[inline]
    pub(super) fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        if index >= self.len {
            return None;
        }
        // SAFETY: just compared.
        let place = unsafe { self.place(index) };
        // SAFETY: initialised; `&mut self` keeps others away.
        Some(unsafe { &mut *place })
    }

    /// The elements from `index` on, up to `end`, that lie side by side: one at least if there are any.
    #[inline]
    pub(super) fn run(&self, index: usize, end: usize) -> &[T] {
        assert!(index <= end && end <= self.len);
        if index == end {
            return &[];
        }
        // SAFETY: below the length.
        let first = unsafe { self.place(index) };
        // SAFETY: initialised, side by side, and `&self` keeps them so.
        unsafe { slice::from_raw_parts(first, self.side_by_side(index, end)) }
    }

    /// All elements of a range, which is within the length, to be changed, by runs.
    pub(super) fn runs_mut(&mut self, range: Range<usize>) -> RunsMut<'_, T> {
        RunsMut::new(self, range)
    }

    pub(super) fn swap(&mut self, a: usize, b: usize) {
        assert!(a < self.len && b < self.len);
        // SAFETY: just compared.
        let a = unsafe { self.place(a) };
        // SAFETY: as above.
        let b = unsafe { self.place(b) };
        // SAFETY: initialised; they may be one.
        unsafe { ptr::swap(a, b) };
    }

    /// Drops the elements from `len` on.
    pub(super) fn truncate(&mut self, len: usize) {
        if len >= self.len {
            return;
        }
        let old_len = self.len;
        // Before user code runs: should a drop panic, nothing is dropped twice.
        // SAFETY: a part of what was there.
        unsafe { self.set_len(len) };
        // SAFETY: they are behind the length now, so nobody reaches them again.
        unsafe { self.drop_all(len..old_len) };
        self.poison(len..old_len);
    }

    /// Nobody is to touch what was in these places, which are within capacity, and behind the length.
    fn poison(&self, mut places: Range<usize>) {
        while poison::IS_ON && !places.is_empty() {
            let count = self.side_by_side(places.start, places.end);
            // SAFETY: within capacity.
            poison(unsafe { self.place(places.start) }, count);
            places.start += count;
        }
    }

    /// Drops the elements of a range. Should a drop panic, the others are dropped still.
    ///
    /// # Safety
    ///
    /// - The range is within capacity, and initialised.
    /// - Nobody uses the elements any more.
    unsafe fn drop_all(&self, mut range: Range<usize>) {
        /// Drops the rest when a drop panics.
        struct Rest<'r, T>(&'r Raw<T>, Range<usize>);

        impl<T> Drop for Rest<'_, T> {
            fn drop(&mut self) {
                // SAFETY: a part of a range for which that was promised, and which nothing was dropped of.
                unsafe { self.0.drop_all(self.1.clone()) };
            }
        }

        if !mem::needs_drop::<T>() {
            return;
        }
        while !range.is_empty() {
            let count = self.side_by_side(range.start, range.end);
            // SAFETY: within capacity, by the caller's promise.
            let first = unsafe { self.place(range.start) };
            range.start += count;
            let rest = Rest(self, range.clone());
            // SAFETY: initialised, side by side, and used no more, by the caller's promise.
            unsafe { ptr::slice_from_raw_parts_mut(first, count).drop_in_place() };
            mem::forget(rest);
        }
    }

    /// Moves elements down to lower places.
    ///
    /// # Safety
    ///
    /// - `to <= from`, and `from + count` is within capacity.
    /// - The elements from `from` on are initialised, and not used there any more, nor what is where they come to.
    unsafe fn move_down(&self, mut from: usize, mut to: usize, mut count: usize) {
        debug_assert!(to <= from && from + count <= self.capacity);
        while count > 0 {
            let here = self.side_by_side(from, from + count);
            let here = self.side_by_side(to, to + here);
            // SAFETY: within capacity.
            let source = unsafe { self.place(from) };
            // SAFETY: as above.
            let place = unsafe { self.place(to) };
            // SAFETY: so many lie side by side in both places, which may overlap. What is overwritten was moved
            // before, or is used no more.
            unsafe { ptr::copy(source, place, here) };
            from += here;
            to += here;
            count -= here;
        }
    }

    /// How much room there is in the block of the next element, for which there is capacity: some.
    pub(super) fn room(&mut self) -> usize {
        assert!(self.len < self.capacity);
        if self.len == self.to {
            self.seat();
        }
        self.to - self.len
    }

    /// Appends what the iterator gives until it ends or there is no more room in the block at hand.
    ///
    /// Should the iterator panic, what it gave before stays.
    #[inline]
    pub(super) fn fill_block(&mut self, iter: impl Iterator<Item = T>) {
        /// Keeps the length out of memory while a loop appends, and puts it back however that ends.
        struct End<'r>(usize, &'r mut usize);

        impl Drop for End<'_> {
            fn drop(&mut self) {
                *self.1 = self.0;
            }
        }

        let (tail, room) = (self.tail, self.to - self.len);
        let mut end = End(self.len, &mut self.len);
        // No more than there is room for, whatever the iterator does: std counts them.
        iter.take(room).for_each(|value| {
            let place = tail.wrapping_add(end.0).cast_mut();
            unpoison(place, 1);
            // SAFETY: below `to`, so it is the place of the next element, as in `write_end`.
            unsafe { place.write(value) };
            end.0 += 1;
        });
    }

    /// Moves all elements of an array of std behind the last one here. There is room for them.
    pub(super) fn append_vec(&mut self, other: &mut Vec<T>) {
        assert!(other.len() <= self.capacity - self.len);
        let count = other.len();
        // SAFETY: they are behind its length when they are used here, and nothing panics until they are.
        unsafe { other.set_len(0) };
        // SAFETY: initialised, in memory of the other's, and used there no more.
        unsafe { self.append_from(other.as_ptr(), count) };
    }

    /// Moves a range of elements of another behind the last one here. There is room for them. There, all from the start of
    /// the range on is behind the length then, and not dropped.
    pub(super) fn append_tail(&mut self, other: &mut Self, start: usize) {
        let end = other.len;
        assert!(start <= end && end - start <= self.capacity - self.len);
        // SAFETY: a part of what was there.
        unsafe { other.set_len(start) };
        let mut index = start;
        while index < end {
            let count = other.side_by_side(index, end);
            // SAFETY: within the old length.
            let from = unsafe { other.place(index) };
            // SAFETY: initialised, in blocks of the other's, behind its length; nothing panics in between.
            unsafe { self.append_from(from, count) };
            index += count;
        }
        other.poison(start..end);
    }

    /// Copies the bytes of `count` elements behind the last one, and says that they are there.
    ///
    /// # Safety
    ///
    /// - There is capacity for `count` more elements.
    /// - `from` points to `count` initialised elements, not within the spare room of `self`.
    /// - They are not used as elements any more where they were.
    unsafe fn append_from(&mut self, mut from: *const T, mut count: usize) {
        debug_assert!(count <= self.capacity - self.len);
        while count > 0 {
            if self.len == self.to {
                self.seat();
            }
            let here = count.min(self.to - self.len);
            let end = self.tail.wrapping_add(self.len).cast_mut();
            unpoison(end, here);
            // SAFETY: the next `here` places are side by side, and behind the last element; the rest is the
            // caller's promise.
            unsafe { ptr::copy_nonoverlapping(from, end, here) };
            self.len += here;
            // SAFETY: `count` are there.
            from = unsafe { from.add(here) };
            count -= here;
        }
    }

    /// Copies the bytes of all elements to where there is room for them; there are none here then.
    pub(super) fn move_to(&mut self, to: &mut Vec<T>) {
        assert!(self.len <= to.capacity() - to.len());
        let (mut index, end) = (0, self.len);
        // SAFETY: none are within any capacity.
        unsafe { self.set_len(0) };
        while index < end {
            let count = self.side_by_side(index, end);
            // SAFETY: within the old length.
            let from = unsafe { self.place(index) };
            // SAFETY: its length is within its capacity.
            let behind = unsafe { to.as_mut_ptr().add(to.len()) };
            // SAFETY: initialised, behind the length here, and there is room.
            unsafe { ptr::copy_nonoverlapping(from, behind, count) };
            // SAFETY: just initialised.
            unsafe { to.set_len(to.len() + count) };
            index += count;
        }
        self.poison(0..end);
    }

    /// All of it, by value.
    pub(super) fn into_owned(self) -> Owned<T> {
        Owned::new(self)
    }
}
