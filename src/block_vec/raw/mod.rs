//! [`Raw`]: elements in blocks, and all access to them by pointer.
//!
//! # Why this is sound
//!
//! The first `capacity` elements have memory: blocks hold them in order, as `block` says, which depends on nothing that
//! changes. Each block was allocated for exactly its number of elements, and is neither moved nor deallocated while it
//! holds elements. The table stores the *origin* of each piece of a block: the address that element 0 would have if all
//! elements before the block directly preceded it. It is computed by wrapping arithmetic from the pointer that the
//! allocator returned. Adding the index of one of the block's elements, by wrapping arithmetic too, therefore leads to
//! the element, with the provenance of that pointer. `entries` is the address of the table, and is updated whenever the
//! table may have moved: when it reserves or returns memory, but not when it takes entries that were reserved.
//!
//! The first `len` elements are initialized, and `len <= capacity`. `tail` is the origin of the block that holds the
//! elements `from..to`, and `from <= len <= to <= capacity`. So while `len < to`, the next element belongs `len`
//! elements after `tail`. Code that changes `len` or the blocks calls `update_tail` to restore this.
//!
//! Elements of size zero have no blocks: the capacity is the maximum, and all elements have the same address.
//!
//! Before user code runs (a closure, a clone, a drop, an iterator), `len` is set to what must hold if that code panics
//! or never returns.
//!
//! References and slices of elements are made from a shared or mutable borrow of the whole `Raw`. The exceptions are
//! [`RunsMut`], [`DrainRange`] and [`Owned`], which borrow or own all elements; their documentation says which elements
//! they hand out.
//!
//! Only [`Raw`] owns blocks and elements. It is `Send` and `Sync` if the elements are, and covariant, since only a
//! mutable borrow yields references that can be written through.

#![expect(unsafe_code, reason = "allocates blocks, and reads and writes elements in them")]

use super::layout::{BlockLayout, Blocks};
use super::table::{Origin, Table};
use crate::error::{Error, ErrorKind, Holder, Refused, SizedBy, unwrap_or_panic};
use crate::growing::BudgetMeter;
use crate::heap;
use crate::poison::{self, AtEnd, poison, unpoison};
use crate::reservation::memory_bytes;
use std::alloc::{self, Layout};
use std::hint;
use std::marker::PhantomData;
use std::mem;
use std::ops::{ControlFlow, Range};
use std::panic::UnwindSafe;
use std::ptr::{self, NonNull};

mod drain_range;
mod owned;
mod runs;

pub(super) use drain_range::DrainRange;
pub(super) use owned::Owned;
#[cfg(feature = "rayon")]
pub(crate) use owned::Taken;
pub(super) use runs::{Runs, RunsMut};

pub(crate) struct Raw<T> {
    /// The address of the table's entries.
    entries: *const Origin,
    len: usize,
    /// The origin of the block that the next element belongs to, if there is one.
    tail: *const T,
    /// The index of the first element of that block.
    from: usize,
    /// The index past the last element of that block.
    to: usize,
    capacity: usize,
    max_len: usize,
    layout: BlockLayout,
    table: Table,
    elements: PhantomData<T>,
}

// SAFETY: its pointers lead to its own table and blocks, or dangle. Sending it sends no more than its elements, which
// are `Send`; and any thread may call the global allocator.
unsafe impl<T: Send> Send for Raw<T> {}
// SAFETY: safe methods of `&Raw` read what only `&mut Raw` changes, and return numbers, addresses or `&T`, which may be
// shared. The unsafe ones that access elements do so where nothing else does, as their callers promise.
unsafe impl<T: Sync> Sync for Raw<T> {}

// As for `Vec`: the pointers lead to elements that it owns. (The automatic `RefUnwindSafe` is correct.)
impl<T: UnwindSafe> UnwindSafe for Raw<T> {}

impl<T> Raw<T> {
    const IS_SIZED: bool = size_of::<T>() > 0;

    /// The most elements that any array can hold.
    pub(super) const MOST: usize =
        if Self::IS_SIZED { isize::MAX as usize / size_of::<T>() } else { usize::MAX };

    pub(super) const EMPTY: Self = Self::new(Blocks::DEFAULT, Self::MOST);

    /// Creates an empty `Raw` for at most `max_len` elements, which must not exceed [`MOST`](Self::MOST).
    pub(super) const fn new(blocks: Blocks, max_len: usize) -> Self {
        Self::with_layout(BlockLayout::new(blocks, size_of::<T>()), max_len)
    }

    const fn with_layout(layout: BlockLayout, max_len: usize) -> Self {
        let capacity = if Self::IS_SIZED { 0 } else { max_len };
        Self {
            entries: ptr::null(),
            len: 0,
            tail: NonNull::dangling().as_ptr(),
            from: 0,
            to: capacity,
            capacity,
            max_len,
            layout,
            table: Table::EMPTY,
            elements: PhantomData,
        }
    }

    /// A stand-in that never holds anything. Users cannot make one, since no options have its layout.
    pub(super) const NOTHING: Self = Self::with_layout(BlockLayout::NONE, 0);

    #[inline]
    pub(super) const fn is_nothing(&self) -> bool {
        self.layout.is_none()
    }

    /// Creates an empty `Raw` with the same options.
    pub(super) const fn fresh(&self) -> Self {
        Self::with_layout(self.layout, self.max_len)
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

    /// Returns `true` if `tail` is the block of the next element.
    #[inline]
    pub(super) const fn has_room(&self) -> bool {
        self.len < self.to
    }

    /// Returns the elements, as start and end, of the block that holds an element or will hold it.
    #[inline]
    pub(super) fn block(&self, index: usize) -> (usize, usize) {
        if !Self::IS_SIZED {
            return (0, self.max_len);
        }
        let (from, to) = self.layout.block(index);
        (from, to.min(self.max_len))
    }

    /// Returns the address of an element's place.
    ///
    /// # Safety
    ///
    /// - `index` is below the capacity.
    #[inline]
    unsafe fn place(&self, index: usize) -> *mut T {
        if !Self::IS_SIZED {
            return NonNull::dangling().as_ptr();
        }
        debug_assert!(index < self.capacity);
        let entry = self.entries.wrapping_add(self.layout.piece(index));
        // SAFETY: `entries` is the address of the table, which has an entry for each piece below the capacity, so for
        // that of `index`. The entry is "properly initialized" and aligned, as an element of a `Vec` or a `VmVec`.
        let origin = unsafe { entry.read() };
        origin.cast::<T>().wrapping_add(index)
    }

    /// Returns the contiguous places from `start` on, up to `end`, which must be within capacity. The address is
    /// aligned and not null even if there are none.
    #[inline]
    fn span(&self, start: usize, end: usize) -> *mut [T] {
        assert!(start <= end && end <= self.capacity);
        if start == end {
            return ptr::slice_from_raw_parts_mut(NonNull::dangling().as_ptr(), 0);
        }
        // SAFETY: `start < end <= capacity`.
        let first = unsafe { self.place(start) };
        ptr::slice_from_raw_parts_mut(first, self.side_by_side(start, end))
    }

    /// Returns the contiguous places before `end`, down to `start`; `end` must be within capacity.
    #[inline]
    fn last_span(&self, start: usize, end: usize) -> *mut [T] {
        assert!(start <= end && end <= self.capacity);
        if start == end {
            return ptr::slice_from_raw_parts_mut(NonNull::dangling().as_ptr(), 0);
        }
        self.span(self.block(end - 1).0.max(start), end)
    }

    /// Returns the origin of the block that holds an element, which must be below the capacity.
    fn origin(&self, index: usize) -> *const T {
        self.span(index, index + 1).cast::<T>().wrapping_sub(index)
    }

    pub(super) fn count_blocks(&self) -> usize {
        self.count_runs(&(0..self.capacity))
    }

    /// Returns how many elements from `index` on, up to `end`, are contiguous.
    #[inline]
    fn side_by_side(&self, index: usize, end: usize) -> usize {
        self.block(index).1.min(end) - index
    }

    /// Updates `tail`, `from` and `to` to the block of the next element.
    fn update_tail(&mut self) {
        if !Self::IS_SIZED {
            return;
        }
        let Some(last) = self.capacity.checked_sub(1) else {
            (self.from, self.to) = (0, 0);
            return;
        };
        let index = self.len.min(last);
        (self.from, self.to) = self.block(index);
        self.tail = self.origin(index);
    }

    /// Sets the number of elements.
    ///
    /// # Safety
    ///
    /// - `len` is at most the capacity.
    /// - The elements below `len` are initialized, and nothing else owns them.
    unsafe fn set_len(&mut self, len: usize) {
        debug_assert!(len <= self.capacity);
        self.len = len;
        if len < self.from || len > self.to {
            self.update_tail();
        }
    }

    /// Shortens the array to `len` elements, without dropping the others, which the caller owns from here on. Returns
    /// their range.
    fn release_from(&mut self, len: usize) -> Range<usize> {
        let old_len = self.len;
        assert!(len <= old_len);
        // SAFETY: `len` is at most the old length, so it is within capacity, and the elements below are initialized and
        // the array's own.
        unsafe { self.set_len(len) };
        len..old_len
    }
}

impl<T> Raw<T> {
    /// Returns the length after adding `additional` elements, if that is allowed.
    fn need(&self, additional: usize) -> Result<usize, Error> {
        let Some(need) = self.len.checked_add(additional) else {
            let error = Error::new(ErrorKind::CapacityOverflow, usize::MAX);
            // An error in bytes would make no sense for elements without a size.
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

    /// Allocates blocks for `additional` more elements. On failure nothing has changed.
    #[cold]
    #[inline(never)]
    pub(super) fn grow(&mut self, additional: usize) -> Result<(), Error> {
        let need = self.need(additional)?;
        self.check_available(need)?;
        let before = self.capacity;
        while self.capacity < need {
            if let Err(error) = self.take_block() {
                self.give_back(before, &mut BudgetMeter::unlimited());
                if before == 0 {
                    self.shrink_table();
                }
                return Err(error.of(Holder::BlockVec));
            }
        }
        if self.len == self.to {
            self.update_tail();
        }
        Ok(())
    }

    /// Returns an error if blocks for `need` elements are more than the machine's memory, and the allocator refuses as
    /// much in one block.
    ///
    /// Systems promise more memory than there is, but not that much in one request. Requested block by block, it would
    /// only be refused when all memory is used up, and by then the system may kill any process.
    fn check_available(&self, need: usize) -> Result<(), Error> {
        let bytes = need.saturating_sub(self.capacity) * size_of::<T>();
        if bytes <= memory_bytes() {
            return Ok(());
        }
        let refusal = Error::new(ErrorKind::Memory, bytes).of(Holder::BlockVec);
        let mut all = Vec::<u8>::new();
        heap::try_reserve_exact(&mut all, bytes).map_err(|_| refusal)?;
        // Otherwise the compiler would remove the unused allocation, as if it always succeeded.
        hint::black_box(all);
        Ok(())
    }

    /// Allocates the next block. The capacity must be below the maximum.
    fn take_block(&mut self) -> Result<(), Error> {
        let (from, to) = self.block(self.capacity);
        debug_assert!(from == self.capacity && from < to);
        let Ok(layout) = Layout::array::<T>(to - from) else {
            let bytes = (to - from).saturating_mul(size_of::<T>());
            return Err(Error::new(ErrorKind::CapacityOverflow, bytes));
        };
        let pieces = self.layout.pieces(to - from);
        let reserved = self.table.try_reserve(pieces, layout.size() / pieces);
        // The table may have moved.
        self.entries = self.table.as_ptr();
        reserved?;
        #[cfg(test)]
        if super::fault::should_fail() {
            return Err(Error::new(ErrorKind::Memory, layout.size()));
        }
        // SAFETY: `layout` "must have non-zero size": the place at `capacity`, which is below the maximum, is in `from..to`,
        // so the block has an element at least. Elements have a size here, since others have their capacity from the start.
        let block = unsafe { alloc::alloc(layout) }.cast::<T>();
        if block.is_null() {
            return Err(Error::new(ErrorKind::Memory, layout.size()));
        }
        poison(block, to - from);
        let origin = block.wrapping_sub(from);
        self.table.extend(origin.cast(), pieces);
        self.capacity = to;
        if self.len == from {
            // The next element is the first of this block.
            (self.tail, self.from, self.to) = (origin, from, to);
        }
        Ok(())
    }

    /// Deallocates blocks that are entirely past all elements and past the first `keep`, within the budget. Returns
    /// `true` if all of them were deallocated.
    pub(super) fn give_back(&mut self, keep: usize, meter: &mut BudgetMeter) -> bool {
        let keep = keep.max(self.len);
        while Self::IS_SIZED && self.capacity > keep {
            let (from, to) = self.block(self.capacity - 1);
            debug_assert!(to == self.capacity);
            if from < keep {
                break;
            }
            if !meter.pay((to - from) * size_of::<T>()) {
                return false;
            }
            // SAFETY: `from..to` is the last block, and has no elements, since `from >= keep >= len`. It is not used
            // again: it is past the capacity from here on, and `tail` is updated if it refers to it.
            unsafe { self.free(from, to) };
            self.capacity = from;
            self.table.truncate(self.layout.piece(from));
            if self.to > from {
                self.update_tail();
            }
        }
        true
    }

    /// Deallocates a block.
    ///
    /// # Safety
    ///
    /// - `from..to` are the places of a block within capacity, which is not used again and holds no elements.
    unsafe fn free(&self, from: usize, to: usize) {
        debug_assert!(self.block(from) == (from, to));
        let block = self.span(from, to).cast::<T>();
        unpoison(block, to - from);
        let layout = Layout::array::<T>(to - from).expect("the block has been allocated with it");
        // SAFETY: `take_block` allocated the block by this allocator with this layout, that of its number of elements,
        // and `span` derives its address from the pointer returned then. By the caller's guarantee, it is not used again.
        unsafe { alloc::dealloc(block.cast(), layout) };
    }

    /// Releases unused memory of the table.
    pub(super) fn shrink_table(&mut self) {
        self.table.shrink_to_fit();
        self.entries = self.table.as_ptr();
    }
}

impl<T> Drop for Raw<T> {
    fn drop(&mut self) {
        /// Deallocates the blocks, even if the drop of an element panics.
        struct FreeOnDrop<'r, T>(&'r mut Raw<T>);

        impl<T> Drop for FreeOnDrop<'_, T> {
            fn drop(&mut self) {
                let mut from = 0;
                // From the first block on, so that an allocator that merges adjacent free memory merges the last block
                // only once.
                while Raw::<T>::IS_SIZED && from < self.0.capacity {
                    let (_, to) = self.0.block(from);
                    // SAFETY: `from..to` is a block within capacity. It holds no elements, since `truncate` set the
                    // length to 0 first. The array is being dropped, so nothing uses the block again.
                    unsafe { self.0.free(from, to) };
                    from = to;
                }
            }
        }

        FreeOnDrop(self).0.truncate(0);
    }
}

impl<T> Raw<T> {
    #[inline]
    #[track_caller]
    pub(super) fn push(&mut self, value: T) {
        if !self.has_room() {
            self.grow_by_one_or_panic();
        }
        self.push_within(value);
    }

    #[inline]
    pub(super) fn try_push(&mut self, value: T) -> Result<(), Refused<T>> {
        if !self.has_room() {
            if let Err(error) = self.grow_by_one() {
                return Err(Refused { error, value });
            }
        }
        self.push_within(value);
        Ok(())
    }

    #[cold]
    #[inline(never)]
    pub(super) fn grow_by_one(&mut self) -> Result<(), Error> {
        if self.len == self.capacity {
            return self.grow(1);
        }
        self.update_tail();
        Ok(())
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn grow_by_one_or_panic(&mut self) {
        unwrap_or_panic(self.grow_by_one());
    }

    /// Appends an element, for which there must be [room](Self::has_room), and returns its address.
    #[inline]
    pub(super) fn push_within(&mut self, value: T) -> *mut T {
        assert!(self.has_room());
        let end = self.tail.wrapping_add(self.len).cast_mut();
        unpoison(end, 1);
        // SAFETY: `len < to`, so this is the place of the next element, allocated and aligned: "valid for writes". It
        // is past the last element, so no reference points there.
        unsafe { end.write(value) };
        self.len += 1;
        end
    }

    #[inline]
    pub(super) fn pop(&mut self) -> Option<T> {
        if self.len == self.from && !self.step_back() {
            return None;
        }
        self.len -= 1;
        let last = self.tail.wrapping_add(self.len);
        let _gone = AtEnd::of(last);
        // SAFETY: `from <= len < to`, so the element lies in the block at `tail`. It was below the old length, so it is
        // "properly initialized"; it is past the length now, so it is not read again.
        Some(unsafe { last.read() })
    }

    /// Updates `tail`, `from` and `to` to the block of the last element. Returns `false` if there is none.
    #[cold]
    #[inline(never)]
    fn step_back(&mut self) -> bool {
        let Some(last) = self.len.checked_sub(1) else { return false };
        (self.from, self.to) = self.block(last);
        self.tail = self.origin(last);
        true
    }

    /// Returns the address of an element, if there is one at `index`.
    #[inline]
    fn find(&self, index: usize) -> Option<*mut T> {
        if index >= self.len {
            return None;
        }
        // SAFETY: `index` is below the length, which is at most the capacity.
        Some(unsafe { self.place(index) })
    }

    #[expect(clippy::question_mark, reason = "`?` adds a comparison of the address with null")]
    #[inline]
    pub(super) fn get(&self, index: usize) -> Option<&T> {
        let Some(element) = self.find(index) else { return None };
        // SAFETY: `find` returned the address of an element, aligned and initialized; only `&mut self` changes it.
        Some(unsafe { &*element })
    }

    /// Like [`get`](Self::get), but without [`find`](Self::find), which adds a comparison of the address with null here.
    #[inline]
    pub(super) fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        if index >= self.len {
            return None;
        }
        // SAFETY: `index` is below the length, which is at most the capacity.
        let element = unsafe { self.place(index) };
        // SAFETY: the address of an element, aligned and initialized; `&mut self` guarantees exclusive access.
        Some(unsafe { &mut *element })
    }

    /// Returns the contiguous elements from `index` on, up to `end`: at least one if there are any.
    #[inline]
    pub(super) fn run(&self, index: usize, end: usize) -> &[T] {
        assert!(end <= self.len);
        // SAFETY: the span is contiguous memory of one block. It ends within the length, so its elements are
        // initialized; only `&mut self` changes them.
        unsafe { &*self.span(index, end) }
    }

    pub(super) fn swap(&mut self, a: usize, b: usize) {
        let (Some(a), Some(b)) = (self.find(a), self.find(b)) else {
            panic!("an index is not below the length")
        };
        // SAFETY: both are addresses of elements, "properly aligned" and "valid for both reads and writes", since `&mut
        // self` guarantees exclusive access. They may be the same: "The two pointed-to values may overlap."
        unsafe { ptr::swap(a, b) };
    }

    pub(super) fn truncate(&mut self, len: usize) {
        if len >= self.len {
            return;
        }
        // Before user code runs, so that no element is dropped twice if a drop panics.
        let rest = self.release_from(len);
        // SAFETY: these elements were below the length, so they are initialized; `release_from` has released them, and
        // they are not used again.
        unsafe { self.drop_all(rest.clone()) };
        self.poison(rest);
    }

    /// Poisons the memory of elements past the length. The range must be within capacity.
    fn poison(&self, mut places: Range<usize>) {
        while poison::IS_ON && !places.is_empty() {
            let span = self.span(places.start, places.end);
            poison(span.cast::<T>(), span.len());
            places.start += span.len();
        }
    }

    /// Writes to each page of the memory for `additional` elements, for which there must be capacity.
    pub(super) fn touch(&mut self, additional: usize) {
        /// The smallest page size of any system.
        const PAGE_BYTES: usize = 4096;
        let (mut start, end) = (self.len, self.len + additional);
        assert!(end <= self.capacity);
        while Self::IS_SIZED && start < end {
            let span = self.span(start, end);
            let (first, bytes) = (span.cast::<u8>(), span.len() * size_of::<T>());
            unpoison(first, bytes);
            for byte in (0..bytes).step_by(PAGE_BYTES).chain([bytes - 1]) {
                // SAFETY: `byte < bytes`, so this is in the span, which is "valid for writes"; a `u8` is always aligned.
                // These places are past the length, so they hold nothing.
                unsafe { first.wrapping_add(byte).write_volatile(0) };
            }
            poison(first, bytes);
            start += span.len();
        }
    }

    /// Drops the elements of a range. If a drop panics, the others are still dropped.
    ///
    /// # Safety
    ///
    /// - The range is within capacity, and initialized.
    /// - The elements are not used any more.
    unsafe fn drop_all(&self, mut range: Range<usize>) {
        struct DropGuard<'r, T>(&'r Raw<T>, Range<usize>);

        impl<T> Drop for DropGuard<'_, T> {
            fn drop(&mut self) {
                // SAFETY: the guarantees of the caller of `drop_all` hold for the whole range, and no element of this
                // part was dropped yet.
                unsafe { self.0.drop_all(self.1.clone()) };
            }
        }

        if !mem::needs_drop::<T>() {
            return;
        }
        while !range.is_empty() {
            let span = self.span(range.start, range.end);
            range.start += span.len();
            let rest = DropGuard(self, range.clone());
            // SAFETY: the span is aligned memory of one block, "valid for both reads and writes". By the caller's
            // guarantee, its elements are initialized ("valid for dropping") and not used any more, so nothing else
            // accesses them.
            unsafe { span.drop_in_place() };
            mem::forget(rest);
        }
    }

    /// Moves `count` elements down from `from` to `to`.
    ///
    /// # Safety
    ///
    /// - `to <= from`, and `from + count` is within capacity.
    /// - The elements from `from` on are initialized and not used there any more. The places that they move to hold no
    ///   elements, or some of these.
    unsafe fn move_down(&self, mut from: usize, mut to: usize, mut count: usize) {
        debug_assert!(to <= from && from + count <= self.capacity);
        while count > 0 {
            let source = self.span(from, from + count);
            let target = self.span(to, to + source.len());
            let here = target.len();
            // SAFETY: both spans have at least `here` places, allocated and aligned: "valid for reads" and "valid for
            // writes". By the caller's guarantee, nothing uses the elements of `source` there any more, and `target`
            // holds nothing, or elements that were moved before or are by this. "The source and destination may
            // overlap."
            unsafe { ptr::copy(source.cast::<T>(), target.cast(), here) };
            from += here;
            to += here;
            count -= here;
        }
    }

    /// Returns how many elements fit into the block of the next element, for which there must be capacity.
    pub(super) fn room(&mut self) -> usize {
        assert!(self.len < self.capacity);
        if self.len == self.to {
            self.update_tail();
        }
        self.to - self.len
    }

    /// Appends elements until the iterator ends or the block at `tail` is full. If the iterator panics, the elements
    /// before stay.
    #[inline]
    pub(super) fn fill_block(&mut self, iter: &mut impl Iterator<Item = T>) {
        /// Keeps the length in a register while a loop appends, and stores it however the loop ends.
        struct SetLenOnDrop<'r>(usize, &'r mut usize);

        impl Drop for SetLenOnDrop<'_> {
            fn drop(&mut self) {
                *self.1 = self.0;
            }
        }

        let (tail, to) = (self.tail, self.to);
        if self.len == to {
            return;
        }
        let mut end = SetLenOnDrop(self.len, &mut self.len);
        // The end is compared after an element, so that the next one is only made if there is room.
        let _ = iter.try_for_each(|value| {
            // Only if an iterator of the user's goes on although it was told to stop.
            if end.0 == to {
                return ControlFlow::Break(());
            }
            let place = tail.wrapping_add(end.0).cast_mut();
            unpoison(place, 1);
            // SAFETY: the length is below `to`: it was not above it, and is not equal. So this is the place of the next
            // element, as in `push_within`.
            unsafe { place.write(value) };
            end.0 += 1;
            if end.0 == to { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
    }

    /// Moves all elements of a `Vec` to the end of this array, which must have capacity for them.
    pub(super) fn append_vec(&mut self, other: &mut Vec<T>) {
        assert!(other.len() <= self.capacity - self.len);
        let count = other.len();
        // SAFETY: 0 is "less than or equal to `capacity()`", and there are no elements below it.
        unsafe { other.set_len(0) };
        // SAFETY: there is capacity, as asserted above. The elements are initialized, in memory of `other`, and past its
        // length now, so they are not used there any more.
        unsafe { self.append_from(other.as_ptr(), count) };
    }

    /// Moves the elements of `other` from `start` on to the end of this array, which must have capacity for them. They
    /// are past the length of `other` then, and not dropped there.
    pub(super) fn append_tail(&mut self, other: &mut Self, start: usize) {
        let moved = other.release_from(start);
        assert!(moved.end - start <= self.capacity - self.len);
        let mut index = start;
        while index < moved.end {
            let span = other.span(index, moved.end);
            // SAFETY: there is capacity, as asserted above. The elements of the span are initialized, in a block of
            // `other`, and past its length now, so they are not used there any more.
            unsafe { self.append_from(span.cast(), span.len()) };
            index += span.len();
        }
        other.poison(moved);
    }

    /// Copies the bytes of `count` elements to the end, and adds them to the length.
    ///
    /// # Safety
    ///
    /// - There is capacity for `count` more elements.
    /// - `from` points to `count` initialized elements, not within the spare capacity of `self`.
    /// - They are not used as elements at their old place any more.
    unsafe fn append_from(&mut self, mut from: *const T, mut count: usize) {
        debug_assert!(count <= self.capacity - self.len);
        while count > 0 {
            if self.len == self.to {
                self.update_tail();
            }
            let here = count.min(self.to - self.len);
            let end = self.tail.wrapping_add(self.len).cast_mut();
            unpoison(end, here);
            // SAFETY: `from` is aligned and valid for reads of `here <= count` elements, by the caller's guarantee. The
            // next `here` places of the block at `tail` are allocated and aligned, so valid for writes, and past the
            // last element: they are spare capacity, where `from` does not lead, so the two do not overlap.
            unsafe { ptr::copy_nonoverlapping(from, end, here) };
            self.len += here;
            from = from.wrapping_add(here);
            count -= here;
        }
    }

    /// Moves all elements to the end of a `Vec`, which must have capacity for them.
    pub(super) fn move_to(&mut self, to: &mut Vec<T>) {
        assert!(self.len <= to.capacity() - to.len());
        let moved = self.release_from(0);
        let mut index = 0;
        while index < moved.end {
            let span = self.span(index, moved.end);
            let target = to.spare_capacity_mut().as_mut_ptr().cast();
            // SAFETY: the elements of the span are initialized, and past the length of `self` now, so they are not used
            // there any more. The spare capacity of `to` has room for all that are left, and is other memory.
            unsafe { ptr::copy_nonoverlapping(span.cast::<T>(), target, span.len()) };
            // SAFETY: `to` has this capacity, as asserted above, and these elements were just initialized.
            unsafe { to.set_len(to.len() + span.len()) };
            index += span.len();
        }
        self.poison(moved);
    }
}
