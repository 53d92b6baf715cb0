//! [`LiveSlots`]: the slots of a walk that hold values, one after the other.
//!
//! # Why this is sound
//!
//! It reads states, and nothing else, of slots that whoever has it borrows, at indices that its [`Cursor`]
//! gives. These are below the length that the slots had when it was made; a run of them has its ends
//! below that, or at it. Whether there is a value is asked of the state of each.
//!
//! It comes to no slot twice, since its cursor gives none twice but what was put back: that is what is left of a
//! run, of which no slot was come to.

#![expect(unsafe_code, reason = "reads one slot after another")]

use crate::slots::array::{self, Slot, Slots};
use crate::slots::cursor::{Cursor, Word, low_half};
use std::mem;
use std::ops::Range;
use std::ptr::NonNull;

/// A slot that holds a value: its index, the generation, and where it is.
pub(super) type LiveSlot<V> = (u32, u32, NonNull<Slot<V>>);

/// Finds the slots that hold values, each once.
///
/// Whoever has one borrows the slots as long as it uses it, and has the cursor give indices below their
/// length: that is what all of its unsafe functions ask for.
pub(super) struct LiveSlots<'a, V> {
    start: NonNull<Slot<V>>,
    holes: &'a [u64],
    /// What is left of a run that was taken out of the cursor, from which nothing was taken since: from the first
    /// slot to behind the last. A slot that came by its bit is a run too, which is used up at once.
    run: Range<NonNull<Slot<V>>>,
    cursor: Cursor,
}

impl<'a, V> LiveSlots<'a, V> {
    #[inline]
    pub(super) fn new(slots: &Slots<V>, holes: &'a [u64]) -> Self {
        Self::with_cursor(slots.start(), holes, Cursor::new(slots.len()))
    }

    #[inline]
    pub(super) fn with_cursor(start: NonNull<Slot<V>>, holes: &'a [u64], cursor: Cursor) -> Self {
        Self { start, holes, run: start..start, cursor: cursor.without_run() }
    }

    /// # Safety
    ///
    /// - The slots are borrowed, and there are more than `index`.
    #[inline]
    unsafe fn at(&self, index: usize) -> Option<LiveSlot<V>> {
        // SAFETY: below the length, by the caller's promise.
        let slot = unsafe { self.start.add(index) };
        // SAFETY: the same; the slots are borrowed, so nobody writes to them meanwhile.
        let generation = unsafe { array::live_generation(slot) }?;
        Some((low_half(index), generation, slot))
    }

    /// # Safety
    ///
    /// - The slots are borrowed, and the cursor gives indices below their length.
    #[expect(clippy::inline_always, reason = "out of line, a full map takes three times the code")]
    #[inline(always)]
    pub(super) unsafe fn step(&mut self) -> Option<LiveSlot<V>> {
        loop {
            if self.run.start < self.run.end {
                let slot = self.run.start;
                // SAFETY: in a run, so below the length, by the caller's promise.
                self.run.start = unsafe { slot.add(1) };
                // SAFETY: as above; nobody writes to the states of slots that are borrowed.
                if let Some(generation) = unsafe { array::live_generation(slot) } {
                    // SAFETY: as above.
                    return Some((low_half(unsafe { self.index_of(slot) }), generation, slot));
                }
            } else {
                let run = match self.cursor.next_by_bit() {
                    Some(index) => index..index + 1,
                    None if self.cursor.read_on(self.holes) => {
                        self.ask_ahead(self.cursor.word());
                        self.cursor.take_run()
                    }
                    None => return None,
                };
                // SAFETY: given by the cursor, so below the length; or 0.
                self.run.start = unsafe { self.start.add(run.start) };
                // SAFETY: the same, so behind the last is not beyond the length.
                self.run.end = unsafe { self.start.add(run.end) };
            }
        }
    }

    /// # Safety
    ///
    /// - The slot is one of these, or behind the last.
    #[inline]
    unsafe fn index_of(&self, slot: NonNull<Slot<V>>) -> usize {
        // SAFETY: both are of one array, by the caller's promise.
        unsafe { slot.offset_from(self.start) }.unsigned_abs()
    }

    /// Has the cursor give what is left of the run. None is left of a slot that came by its bit.
    ///
    /// # Safety
    ///
    /// - The slots are borrowed, and the cursor gives indices below their length.
    #[inline]
    unsafe fn put_run_back(&mut self) {
        let Range { start, end } = mem::replace(&mut self.run, self.start..self.start);
        if start < end {
            // SAFETY: a slot of the run.
            let first = unsafe { self.index_of(start) };
            // SAFETY: behind the last of the run.
            self.cursor.put_back(first..unsafe { self.index_of(end) });
        }
    }

    /// # Safety
    ///
    /// - The slots are borrowed, and the cursor gives indices below their length.
    #[inline]
    pub(super) unsafe fn step_back(&mut self) -> Option<LiveSlot<V>> {
        // SAFETY: the caller's promise.
        unsafe { self.put_run_back() };
        loop {
            let index = self.cursor.next_back(self.holes)?;
            // SAFETY: just given by the cursor; the rest is the caller's promise.
            if let Some(found) = unsafe { self.at(index as usize) } {
                return Some(found);
            }
        }
    }

    /// Has the processor fetch the slots of the word behind this one, where that is of use.
    #[inline]
    fn ask_ahead(&self, word: Word) {
        if word.left() != 0 {
            Slots::ask_behind_word(self.start, word.start() as usize, self.holes);
        }
    }

    /// Where slots are no larger than this, the states of a word's are looked at first, all together, so
    /// that what is made of the values needs no branch, and may be made of several at a time. (Larger ones
    /// would be fetched twice, to no avail.)
    const SMALL_BYTES: usize = 16;

    /// Adds up all that are left.
    ///
    /// # Safety
    ///
    /// - The slots are borrowed, and the cursor gives indices below their length.
    /// - If `add` changes the state of a slot, it is the one that it is given.
    #[inline]
    pub(super) unsafe fn fold<B>(mut self, init: B, mut add: impl FnMut(B, LiveSlot<V>) -> B) -> B {
        // SAFETY: the caller's promise.
        unsafe { self.put_run_back() };
        if Slots::<V>::STRIDE_BYTES > Self::SMALL_BYTES {
            // SAFETY: the caller's promise.
            return unsafe { self.fold_one_by_one(init, add) };
        }
        let mut sum = init;
        while let Some(word) = self.cursor.next_word(self.holes) {
            if let Some(run) = word.as_whole_run() {
                // SAFETY: the cursor gave the indices of the run.
                let first = unsafe { self.start.add(run.start) };
                // SAFETY: all of them are below the length; the slots are borrowed.
                if unsafe { array::are_live(first, run.len()) } {
                    for (place, index) in run.enumerate() {
                        // SAFETY: as above.
                        let slot = unsafe { first.add(place) };
                        // SAFETY: as above.
                        let generation = unsafe { array::generation(slot) };
                        sum = add(sum, (low_half(index), generation, slot));
                    }
                    continue;
                }
            }
            // SAFETY: the caller's promise.
            sum = unsafe { self.fold_word(word, sum, &mut add) };
        }
        sum
    }

    /// The same, for what branches at each value anyway.
    ///
    /// # Safety
    ///
    /// - As for [`fold`](Self::fold).
    #[inline]
    pub(super) unsafe fn fold_one_by_one<B>(
        mut self,
        init: B,
        mut add: impl FnMut(B, LiveSlot<V>) -> B,
    ) -> B {
        // SAFETY: the caller's promise.
        unsafe { self.put_run_back() };
        let mut sum = init;
        loop {
            for index in self.cursor.take_run() {
                // SAFETY: given by the cursor.
                if let Some(found) = unsafe { self.at(index) } {
                    sum = add(sum, found);
                }
            }
            let word = self.cursor.take_word();
            self.ask_ahead(word);
            for index in word.bits() {
                // SAFETY: given by the cursor.
                if let Some(found) = unsafe { self.at(index) } {
                    sum = add(sum, found);
                }
            }
            if !self.cursor.read_on(self.holes) {
                return sum;
            }
        }
    }

    /// Adds up those of a word.
    ///
    /// # Safety
    ///
    /// - As for [`fold`](Self::fold); the cursor has given the word.
    #[inline]
    unsafe fn fold_word<B>(
        &self,
        word: Word,
        init: B,
        add: &mut impl FnMut(B, LiveSlot<V>) -> B,
    ) -> B {
        let mut sum = init;
        if let Some(run) = word.as_run() {
            for index in run {
                // SAFETY: given by the cursor.
                if let Some(found) = unsafe { self.at(index) } {
                    sum = add(sum, found);
                }
            }
            return sum;
        }
        self.ask_ahead(word);
        for index in word.bits() {
            // SAFETY: given by the cursor.
            if let Some(found) = unsafe { self.at(index) } {
                sum = add(sum, found);
            }
        }
        sum
    }

    /// Those in the next 64 slots that are not all holes, taken out of this.
    ///
    /// # Safety
    ///
    /// - The slots are borrowed, and the cursor gives indices below their length.
    #[inline]
    pub(super) unsafe fn next_block(&mut self) -> Option<Self> {
        // SAFETY: the caller's promise.
        unsafe { self.put_run_back() };
        loop {
            let word = self.cursor.next_word(self.holes)?;
            if word.left() != 0 {
                return Some(Self::with_cursor(self.start, self.holes, Cursor::of_word(word)));
            }
        }
    }

    /// The word that is gone over, of those of a block.
    #[inline]
    pub(super) const fn word(&self) -> Word {
        self.cursor.word()
    }

    /// Where the first slot is, of those of a block.
    #[inline]
    pub(super) fn block_ptr(&self) -> *mut V {
        // Not taken by `add`, since what never came to a block is at none.
        self.start.as_ptr().wrapping_add(self.word().start() as usize).cast()
    }

    /// Two, each with about half of what is left, if there is enough.
    ///
    /// # Safety
    ///
    /// - The slots are borrowed, and the cursor gives indices below their length.
    #[cfg(feature = "rayon")]
    pub(super) unsafe fn split(mut self) -> (Self, Option<Self>) {
        // SAFETY: the caller's promise.
        unsafe { self.put_run_back() };
        let (left, right) = self.cursor.split();
        let part = |cursor| Self::with_cursor(self.start, self.holes, cursor);
        (part(left), right.map(part))
    }
}

impl<V> Clone for LiveSlots<'_, V> {
    fn clone(&self) -> Self {
        Self { run: self.run.clone(), cursor: self.cursor.clone(), ..*self }
    }
}
