//! [`Elements`]: the memory of all lists of a pool; and [`List`], where one list is.
//!
//! # Soundness
//!
//! - **Own**: a list owns the places from its start on, as many as its capacity, of an `Elements`, and its first `len`
//!   places hold elements. Only this module makes lists with places, moves them and frees them, since the fields of a
//!   `List` are private and it cannot be copied; and what it makes has places of [`Space`] that no other list has.
//! - **Ready**: there is memory for each place that `Space` has handed out, so the places of a list are in one
//!   allocation. A list without places starts at 0, or at or right after a place that was once handed out, so its
//!   address is not null either.
//! - **Pair**: a `List` is passed only to the `Elements` that made it. They are fields of one struct, `ListPool` or
//!   `SecondaryLists`, which never exchanges them with those of another. So a reference to a list and one to its
//!   `Elements` together give the same access to its elements.
//!
//! These rest on safe code as well: on [`Space`], which hands no place out twice, and none that is not ready; and
//! **Pair** on this module's siblings. Its functions for a range of places, and those that free all, say what else they
//! rest on.

#![expect(unsafe_code, reason = "lends memory of the pool to arrays")]

use super::space::Space;
use crate::error::{Error, ErrorKind, Refused, refused};
use crate::growing::{Budget, BudgetMeter, Prefaulted};
use crate::vec::VmVec;
use std::marker::PhantomData;
use std::mem::{self, ManuallyDrop, MaybeUninit};
use std::ops::{Deref, DerefMut, Range};
use std::slice;

/// The most elements in all lists of a pool: a list refers to them by 32 bits.
pub(super) const MOST_ELEMENTS: usize = u32::MAX as usize;

/// Where a list is; see the [module](self).
#[derive(Debug)]
pub(crate) struct List {
    start: u32,
    capacity: u32,
    len: u32,
}

impl List {
    /// A list without places.
    pub(crate) const EMPTY: Self = Self { start: 0, capacity: 0, len: 0 };

    #[cfg(test)]
    pub(crate) const fn of_capacity(capacity: u32) -> Self {
        Self { capacity, ..Self::EMPTY }
    }

    #[inline]
    pub(crate) const fn len(&self) -> usize {
        self.len as usize
    }

    #[inline]
    pub(crate) const fn capacity(&self) -> usize {
        self.capacity as usize
    }

    pub(crate) const fn places(&self) -> Range<u32> {
        self.start..self.start + self.capacity
    }
}

/// Makes a list without places, so that a map of lists can be cloned; then the elements are.
impl Clone for List {
    fn clone(&self) -> Self {
        Self::EMPTY
    }
}

/// See the [module](self).
pub(crate) struct Elements<T> {
    /// There is capacity for all places of `space` that are ready, and the length is that of those handed out.
    memory: VmVec<MaybeUninit<T>>,
    space: Space,
    /// How many bytes at the front were returned to the system and not handed out since. They are below the end.
    returned: usize,
}

impl<T> Elements<T> {
    pub(crate) const fn new(memory: VmVec<MaybeUninit<T>>) -> Self {
        Self { memory, space: Space::new(), returned: 0 }
    }

    /// The class of the shortest lists: as for a `Vec`, fewer elements if these are large.
    const LEAST_CLASS: u32 = if size_of::<T>() <= 1024 { 2 } else { 0 };

    pub(super) const fn memory(&self) -> &VmVec<MaybeUninit<T>> {
        &self.memory
    }

    pub(super) const fn space(&self) -> &Space {
        &self.space
    }

    #[inline]
    pub(crate) fn get(&self, list: &List) -> &[T] {
        let start = self.memory.as_ptr().cast::<T>().wrapping_add(list.start as usize);
        // SAFETY: by **Own**, **Ready** and **Pair** the first `len` places hold elements, in one allocation.
        // "Non-null" and "aligned", even if there are none: by **Ready**, and the array is aligned for `T`. Both are
        // borrowed as long as the result, so none is written to.
        unsafe { slice::from_raw_parts(start, list.len()) }
    }

    #[inline]
    pub(crate) fn get_mut<'p>(&'p mut self, list: &'p mut List) -> &'p mut [T] {
        self.all_mut().get(list)
    }

    /// Returns access to the elements of all lists.
    pub(crate) fn all_mut(&mut self) -> AllMut<'_, T> {
        AllMut { start: self.memory.as_mut_ptr().cast(), elements: PhantomData }
    }

    /// Returns the list's elements as an array that can change, and grow.
    #[inline]
    pub(crate) fn open<'p>(&'p mut self, list: &'p mut List) -> OpenList<'p, T> {
        let vec = self.lend(list);
        // If the returned value is forgotten, the elements leak.
        list.len = 0;
        OpenList { vec, list, elements: self }
    }

    /// Lends the places of a list, which the caller owns or has a mutable reference to.
    #[inline]
    fn lend(&mut self, list: &List) -> ManuallyDrop<VmVec<T>> {
        self.lend_at(list.start, list.capacity(), list.len())
    }

    /// Lends places that the caller has mutable access to, of which the first `len` hold elements. The array is used
    /// only as long as the caller has that access, and until memory is taken.
    #[inline]
    fn lend_at(&mut self, start: u32, capacity: usize, len: usize) -> ManuallyDrop<VmVec<T>> {
        let start = self.memory.as_mut_ptr().cast::<T>().wrapping_add(start as usize);
        // SAFETY: by **Ready** the places are valid for reads and writes, or there are none and the address is not
        // null. The first `len` hold elements, by **Own** and the caller, and `len` is at most their number: all places
        // come from lists, or from `Space` for a list. The array is used only as long as the caller has access to them.
        ManuallyDrop::new(unsafe { VmVec::lent(start, capacity, len) })
    }

    /// Drops the list's elements, and frees its places.
    #[expect(clippy::needless_pass_by_value, reason = "nothing else may use the list afterwards")]
    pub(crate) fn free(&mut self, list: List) {
        struct Freed<'p>(&'p mut Space, Range<u32>);

        impl Drop for Freed<'_> {
            fn drop(&mut self) {
                self.0.free(self.1.clone());
            }
        }

        let mut elements = self.lend(&list);
        // Also if a drop panics.
        let _freed = Freed(&mut self.space, list.places());
        elements.clear();
    }

    /// Drops the elements of lists; also those of the others if one panics.
    pub(crate) fn clear_all<'p>(&'p mut self, lists: impl Iterator<Item = &'p mut List>) {
        struct Lists<'p, T, I: Iterator<Item = &'p mut List>>(&'p mut Elements<T>, I);

        impl<'p, T, I: Iterator<Item = &'p mut List>> Lists<'p, T, I> {
            fn clear(&mut self) {
                for list in self.1.by_ref() {
                    self.0.open(list).clear();
                }
            }
        }

        impl<'p, T, I: Iterator<Item = &'p mut List>> Drop for Lists<'p, T, I> {
            fn drop(&mut self) {
                self.clear();
            }
        }

        Lists(self, lists).clear();
    }

    /// Frees all places at once, without dropping elements. All lists must have been dropped, or be forgotten.
    pub(crate) fn forget_all(&mut self) {
        self.space.clear();
        self.returned = 0;
        self.handed_out();
    }

    /// Makes room for this many more elements, past those that exist.
    pub(crate) fn try_reserve(&mut self, additional: usize) -> Result<(), Error> {
        let end = self.memory.len().saturating_add(additional);
        self.reach(u32::try_from(end).map_err(|_| self.full())?)
    }

    pub(crate) fn try_prefault(&mut self, additional: usize) -> Result<(), Error> {
        self.try_reserve(additional)?;
        self.memory.try_prefault(additional)
    }

    pub(crate) fn prefault_ahead(&mut self, budget: Budget) -> Prefaulted {
        self.memory.prefault_ahead(budget)
    }

    /// Takes free places at the front for all lists, if they suffice.
    pub(crate) fn take_front(&mut self) -> Range<u32> {
        let used = self.space.end() - self.space.unused();
        let front = if self.space.free_front() >= used { 0..used } else { 0..0 };
        self.space.take_range(front.clone());
        self.returned = 0;
        front
    }

    /// Frees places that are left of those [taken](Self::take_front): no list has them.
    pub(crate) fn free_front(&mut self, places: Range<u32>) {
        self.space.free(places);
    }

    /// Moves a list to the first of these places, or past the end if there are too few. It has no room left then.
    pub(crate) fn shift(&mut self, list: &mut List, to: &mut Range<u32>) -> Result<(), Error> {
        let len = list.len;
        let start = if to.end - to.start >= len {
            to.start += len;
            to.start - len
        } else {
            self.extend(len)?
        };
        self.move_to(start, list.start, list.len());
        let left = mem::replace(list, List { start, capacity: len, len });
        self.space.free(left.places());
        Ok(())
    }

    /// Returns the memory of free places at the front to the system, except what was returned before. Returns `false` if
    /// the budget is used up.
    pub(crate) fn discard_front(&mut self, meter: &mut BudgetMeter) -> Result<bool, Error> {
        const PIECE_BYTES: usize = 4 << 20;
        let run = self.memory.least_run_bytes();
        let free = self.space.free_front() as usize * size_of::<T>() / run * run;
        while self.returned < free {
            let from = self.returned / run * run;
            let to = free.min(from + PIECE_BYTES.next_multiple_of(run));
            if !meter.pay(to - from) {
                return Ok(false);
            }
            // SAFETY: these bytes are of free places, which no list has, so no element is lost; and elements that may
            // not be initialized are valid, whatever they hold.
            unsafe { self.memory.discard(from..to) }?;
            self.returned = to;
        }
        Ok(true)
    }

    /// Returns memory past the last list to the system. Returns `false` if the budget is used up.
    pub(crate) fn shrink(&mut self, meter: &mut BudgetMeter) -> Result<bool, Error> {
        self.space.trim();
        self.handed_out();
        let end = self.memory.len();
        self.returned = self.returned.min(end * size_of::<T>());
        // First, so that no place without memory counts as ready, even if this unwinds.
        self.space.unready(u32::try_from(end).unwrap_or(u32::MAX));
        self.memory.shrink(end, meter)
    }

    /// Returns memory that the record of free places does not need any more.
    pub(crate) fn tidy(&mut self) {
        self.space.tidy();
    }

    /// Makes an empty list in a run of a class.
    fn try_take(&mut self, class: u32) -> Result<List, Error> {
        let start = match self.space.take_free(class) {
            Some(start) => {
                self.returned = self.returned.min(start as usize * size_of::<T>());
                start
            }
            None => self.take_from_end(class)?,
        };
        Ok(List { start, capacity: 1 << class, len: 0 })
    }

    #[inline]
    fn take_from_end(&mut self, class: u32) -> Result<u32, Error> {
        let mut taken = self.space.take_from_end(class);
        if taken.is_none() {
            self.reach(self.space.end_with(class).ok_or_else(|| self.full())?)?;
            taken = self.space.take_from_end(class);
        }
        self.handed_out();
        taken.ok_or_else(|| self.full())
    }

    fn extend(&mut self, places: u32) -> Result<u32, Error> {
        let end = self.space.end().checked_add(places);
        self.reach(end.ok_or_else(|| self.full())?)?;
        let taken = self.space.extend(places);
        self.handed_out();
        taken.ok_or_else(|| self.full())
    }

    /// Moves the first `len` elements of a list to places of another.
    #[inline]
    fn move_to(&mut self, to: u32, from: u32, len: usize) {
        self.lend_at(to, len, 0).append(&mut self.lend_at(from, len, len));
    }

    /// Makes room for `additional` elements in a list that is open, and holds `len`. Moves them if it must.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, list: &mut List, len: usize, additional: usize) -> Result<(), Error> {
        let need = u32::try_from(len.saturating_add(additional)).map_err(|_| self.full())?;
        let class = need.checked_next_power_of_two().map(|run| run.ilog2().max(Self::LEAST_CLASS));
        if class.is_some_and(|class| self.widen(list, class)) {
            return Ok(());
        }
        let moved = match class.ok_or_else(|| self.full()).and_then(|class| self.try_take(class)) {
            Ok(moved) => moved,
            // Near the maximum there may be room for what is needed now.
            Err(_)
                if list.places().end == self.space.end()
                    && self.extend(need - list.capacity).is_ok() =>
            {
                list.capacity = need;
                return Ok(());
            }
            Err(error) => {
                List { start: self.extend(need).map_err(|_| error)?, capacity: need, len: 0 }
            }
        };
        self.move_to(moved.start, list.start, len);
        self.space.free(mem::replace(list, moved).places());
        Ok(())
    }

    /// Doubles the places of a list where it is until it has a run of a class, if those after it are free. Otherwise
    /// nothing changes.
    fn widen(&mut self, list: &mut List, to: u32) -> bool {
        let (places, end) = (list.places(), self.space.end());
        while list.capacity.is_power_of_two() && list.capacity.ilog2() < to {
            if list.places().end == self.space.end() {
                // A refusal means that it must move.
                let end = self.space.end().checked_add(list.capacity);
                let _ = end.map(|end| self.reach(end));
            }
            if !self.space.widen(list.start, list.capacity.ilog2()) {
                break;
            }
            self.handed_out();
            list.capacity *= 2;
        }
        let is_wide = list.capacity == 1 << to;
        if !is_wide {
            // From the old end on, only this list has places.
            let wide = list.places().end.min(end);
            self.space.free(places.end..wide.max(places.end));
            self.space.retract(end);
            self.handed_out();
            list.capacity = places.end - places.start;
        }
        is_wide
    }

    /// Makes memory up to a place, and more ready if there is more.
    #[inline]
    fn reach(&mut self, end: u32) -> Result<(), Error> {
        if self.space.is_ready(end) { Ok(()) } else { self.make_ready(end) }
    }

    #[cold]
    #[inline(never)]
    fn make_ready(&mut self, end: u32) -> Result<(), Error> {
        let end = end as usize;
        self.memory.try_reserve(end.saturating_sub(self.memory.len()))?;
        // At most twice as much, so that the sets of places stay in proportion.
        let ready = self.memory.capacity().min(end.saturating_mul(2).max(64));
        self.space.make_ready(u32::try_from(ready).unwrap_or(u32::MAX))
    }

    /// Returns the error of too many elements.
    #[cold]
    fn full(&self) -> Error {
        let error =
            Error::new(ErrorKind::CapacityOverflow, MOST_ELEMENTS.saturating_mul(size_of::<T>()));
        error.with_limit(MOST_ELEMENTS as u64).of(self.memory.options().holder)
    }

    /// Sets the length to where places were handed out.
    #[inline]
    fn handed_out(&mut self) {
        // SAFETY: by **Ready** the end of what was handed out is within capacity, and `MaybeUninit` needs no
        // initialization.
        unsafe { self.memory.set_len(self.space.end() as usize) };
    }
}

/// Access to the elements of all lists of a pool, as long as each list is borrowed.
pub(crate) struct AllMut<'p, T> {
    start: *mut T,
    elements: PhantomData<&'p mut Elements<T>>,
}

impl<'p, T> AllMut<'p, T> {
    #[inline]
    pub(crate) fn get(&self, list: &'p mut List) -> &'p mut [T] {
        let start = self.start.wrapping_add(list.start as usize);
        // SAFETY: by **Own**, **Ready** and **Pair** the first `len` places hold elements, in one allocation;
        // "non-null" and "aligned" as in `Elements::get`. `Elements` is mutably borrowed by `self`, and the list as
        // long as the result, so it is not passed again until then; other lists have other places.
        unsafe { slice::from_raw_parts_mut(start, list.len()) }
    }
}

// SAFETY: it stands for `&mut Elements<T>`, which is `Send` if `T` is.
unsafe impl<T: Send> Send for AllMut<'_, T> {}

// SAFETY: `get` needs a mutable reference to a list, so two threads never reach the same elements. That they reach
// different ones sends those to them.
unsafe impl<T: Send> Sync for AllMut<'_, T> {}

/// A list's elements, while they may change. If it is forgotten, the list is empty, and its elements leak.
pub(crate) struct OpenList<'p, T> {
    /// In the list's places.
    vec: ManuallyDrop<VmVec<T>>,
    /// Of length 0.
    list: &'p mut List,
    elements: &'p mut Elements<T>,
}

impl<T> OpenList<'_, T> {
    /// Makes room for `additional` elements. After an error nothing has changed.
    #[inline]
    pub(crate) fn try_reserve(&mut self, additional: usize) -> Result<(), Error> {
        let len = self.vec.len();
        if additional <= self.vec.capacity() - len {
            return Ok(());
        }
        // Without a reference to all of `self`, which would then be in memory even if nothing grows.
        let grown = self.elements.grow(self.list, len, additional);
        // The first memory has another address than none, and may be there after an error, too.
        self.vec = self.elements.lend_at(self.list.start, self.list.capacity(), len);
        grown
    }

    /// Appends an element, or returns the error and the element.
    #[inline]
    pub(crate) fn try_push(&mut self, value: T) -> Result<(), Refused<T>> {
        if let Err(error) = self.try_reserve(1) {
            return refused(error, value);
        }
        let len = self.vec.len();
        // Not by `push`, which might grow the array, and so needs it in memory.
        let end = self.vec.end_to_write(len);
        // SAFETY: there is capacity for one more element, since `try_reserve` returned no error. So `end` points to a
        // place within capacity that the list owns: it is valid for writes, and aligned.
        unsafe { end.write(value) };
        // SAFETY: `len + 1` is within capacity, and the element at `len` was written above.
        unsafe { self.vec.set_len(len + 1) };
        Ok(())
    }
}

impl<T> Deref for OpenList<'_, T> {
    type Target = VmVec<T>;

    #[inline]
    fn deref(&self) -> &VmVec<T> {
        &self.vec
    }
}

impl<T> DerefMut for OpenList<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut VmVec<T> {
        &mut self.vec
    }
}

impl<T> Drop for OpenList<'_, T> {
    #[expect(
        clippy::inline_always,
        reason = "where a push unwinds, a call would keep all of this in memory"
    )]
    #[inline(always)]
    fn drop(&mut self) {
        #[expect(clippy::cast_possible_truncation, reason = "at most the capacity of the list")]
        let len = self.vec.len() as u32;
        self.list.len = len;
    }
}
