//! [`LiveSlots`]: finds the slots of a walk that hold values.
//!
//! # Why this is sound
//!
//! Only states are read, of slots that the caller has borrowed, at indices that the [`Cursor`] returns. These are below
//! the length that the slots had when it was created; the ends of a run are at most that length, and each bit of a word
//! is that of such a slot. Slots between those of a word are read as well. The state of each slot tells whether there is
//! a value.
//!
//! No slot is visited twice, since the cursor returns none twice except those that were put back: the rest of a run or
//! of a word, of which no slot had been visited.

#![expect(unsafe_code, reason = "reads slots by their address")]

use crate::slots::array::{self, Slot, Slots};
use crate::slots::cursor::{Cursor, HoleBits, Word, low_half};
use std::mem;
use std::ops::Range;
use std::ptr::NonNull;

/// A slot that holds a value: its index, its generation, and its address.
pub(super) type LiveSlot<V> = (u32, u32, NonNull<Slot<V>>);

/// Finds the slots that hold values, each once.
///
/// The caller must borrow the slots for as long as it uses this, and the cursor must return indices below their length.
/// All unsafe methods require that.
pub(super) struct LiveSlots<'a, V> {
    start: NonNull<Slot<V>>,
    holes: HoleBits<'a>,
    /// The rest of a run that was taken from the cursor, from which nothing was taken since: from its first slot to the
    /// one past its last.
    run: Range<NonNull<Slot<V>>>,
    /// The index of the first slot of the run.
    run_index: usize,
    /// What is left of a word that was taken from the cursor, and the address of its first slot. If there is anything
    /// left, the run is empty.
    word: Word,
    word_start: NonNull<Slot<V>>,
    cursor: Cursor,
}

impl<'a, V> LiveSlots<'a, V> {
    #[inline]
    pub(super) fn new(slots: &Slots<V>, holes: HoleBits<'a>) -> Self {
        Self::with_cursor(slots.start(), holes, Cursor::new(slots.len()))
    }

    #[inline]
    pub(super) fn with_cursor(
        start: NonNull<Slot<V>>,
        holes: HoleBits<'a>,
        cursor: Cursor,
    ) -> Self {
        let cursor = cursor.without_run();
        Self {
            start,
            holes,
            run: start..start,
            run_index: 0,
            word: Word::NONE,
            word_start: start,
            cursor,
        }
    }

    /// # Safety
    ///
    /// - The slots are borrowed, and `index` is below their length.
    #[inline]
    unsafe fn at(&self, index: usize) -> Option<LiveSlot<V>> {
        // SAFETY: the caller guarantees that `index` is below the length.
        let slot = unsafe { self.start.add(index) };
        // SAFETY: as above; the slots are borrowed, so no thread writes to them meanwhile.
        let generation = unsafe { array::live_generation(slot) }?;
        Some((low_half(index), generation, slot))
    }

    /// # Safety
    ///
    /// - The slots are borrowed, and the cursor returns indices below their length.
    #[expect(clippy::inline_always, reason = "out of line, a full map takes three times the code")]
    #[inline(always)]
    pub(super) unsafe fn step(&mut self) -> Option<LiveSlot<V>> {
        loop {
            while self.run.start < self.run.end {
                let (index, slot) = (self.run_index, self.run.start);
                self.run_index += 1;
                // SAFETY: the slot is in a run, so the caller guarantees that it is below the length.
                self.run.start = unsafe { slot.add(1) };
                // SAFETY: as above; the slots are borrowed, so no thread writes to their states.
                if let Some(generation) = unsafe { array::live_generation(slot) } {
                    return Some((low_half(index), generation, slot));
                }
                cold();
            }
            while let Some(place) = self.word.pop_place() {
                // SAFETY: the cursor returned the word, so the caller guarantees that its slots are below the length.
                let slot = unsafe { self.word_start.add(place) };
                // SAFETY: as above; the slots are borrowed, so no thread writes to their states.
                if let Some(generation) = unsafe { array::live_generation(slot) } {
                    return Some((low_half(self.word.start() as usize + place), generation, slot));
                }
            }
            // SAFETY: the caller guarantees what `read_on` requires.
            if !unsafe { self.read_on() } {
                return None;
            }
        }
    }

    /// Takes what comes next from the cursor, once nothing is left of the run and the word. Returns `false` if there is
    /// nothing.
    ///
    /// If many holes have no bit, that is a word of only the slots that have values: a processor does not predict which
    /// slots of a run have none.
    ///
    /// # Safety
    ///
    /// - The slots are borrowed, and the cursor returns indices below their length.
    #[inline]
    unsafe fn read_on(&mut self) -> bool {
        let start = self.start;
        // SAFETY: the slots of the word are such as the cursor returns; the caller guarantees the rest.
        if !self.cursor.read_on_by(self.holes, |word| unsafe { only_live(start, word) }) {
            return false;
        }
        let run = self.cursor.take_run();
        self.word = self.cursor.take_word();
        self.prefetch_ahead(self.word);
        self.run_index = run.start;
        // SAFETY: the cursor returned the run, so its first slot is below the length; or it is empty, at most one past
        // the last slot.
        self.run.start = unsafe { self.start.add(run.start) };
        // SAFETY: as above, so the end of the run is not past the end of the slots.
        self.run.end = unsafe { self.start.add(run.end) };
        // SAFETY: the cursor returned the word, so its first slot is below the length; or it is 0.
        self.word_start = unsafe { self.start.add(self.word.start() as usize) };
        true
    }

    /// Returns what is left of the run or the word to the cursor.
    ///
    /// # Safety
    ///
    /// - The slots are borrowed, and the cursor returns indices below their length.
    #[inline]
    unsafe fn put_back(&mut self) {
        let Range { start, end } = mem::replace(&mut self.run, self.start..self.start);
        // SAFETY: both are in the run, or one past its last slot.
        let count = unsafe { end.offset_from(start) }.unsigned_abs();
        self.cursor.put_back(self.run_index..self.run_index + count, self.word.take());
    }

    /// # Safety
    ///
    /// - The slots are borrowed, and the cursor returns indices below their length.
    #[inline]
    pub(super) unsafe fn step_back(&mut self) -> Option<LiveSlot<V>> {
        // SAFETY: the caller guarantees what `put_back` requires.
        unsafe { self.put_back() };
        loop {
            let index = self.cursor.next_back(self.holes)?;
            // SAFETY: the cursor has just returned the index; the caller guarantees the rest.
            if let Some(found) = unsafe { self.at(index as usize) } {
                return Some(found);
            }
        }
    }

    /// Prefetches slots of a later word, if they are large enough for that to help.
    #[inline]
    fn prefetch_ahead(&self, word: Word) {
        if word.left() != 0 {
            Slots::prefetch_word_ahead(self.start, word.start() as usize, self.holes);
        }
    }

    /// If slots are no larger than this, the states of all slots of a word are read first, so that the code for the
    /// values needs no branch, and may handle several at a time. (Larger slots would be fetched twice, without
    /// benefit.)
    const SMALL_BYTES: usize = 16;

    /// Folds all slots that are left.
    ///
    /// # Safety
    ///
    /// - The slots are borrowed, and the cursor returns indices below their length.
    /// - If `add` changes the state of a slot, it is that of the slot that was passed to it.
    #[inline]
    pub(super) unsafe fn fold<B>(mut self, init: B, mut add: impl FnMut(B, LiveSlot<V>) -> B) -> B {
        // SAFETY: the caller guarantees what `put_back` requires.
        unsafe { self.put_back() };
        if Slots::<V>::STRIDE_BYTES > Self::SMALL_BYTES {
            // SAFETY: the caller guarantees what `fold_one_by_one` requires.
            return unsafe { self.fold_one_by_one(init, add) };
        }
        let mut sum = init;
        while let Some(word) = self.cursor.next_word(self.holes) {
            if let Some(run) = word.as_whole_run() {
                // SAFETY: the cursor returned the slots of the run, so they are below the length; or the run is empty,
                // at 0.
                let first = unsafe { self.start.add(run.start) };
                // SAFETY: all slots of the run are below the length, and are borrowed.
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
            // SAFETY: the cursor returned the word; the caller guarantees the rest.
            sum = unsafe { self.fold_word(word, sum, &mut add) };
        }
        sum
    }

    /// [`fold`](Self::fold), for an `add` that branches at each value in any case.
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
        // SAFETY: the caller guarantees what `put_back` requires.
        unsafe { self.put_back() };
        let mut sum = init;
        loop {
            for index in self.cursor.take_run() {
                // SAFETY: the cursor returned the index; the caller guarantees the rest.
                if let Some(found) = unsafe { self.at(index) } {
                    sum = add(sum, found);
                }
            }
            let word = self.cursor.take_word();
            self.prefetch_ahead(word);
            for index in word.bits() {
                // SAFETY: as above.
                if let Some(found) = unsafe { self.at(index) } {
                    sum = add(sum, found);
                }
            }
            // All slots of a run are visited, since the compiler often makes do without a branch for each.
            if !self.cursor.read_on(self.holes) {
                return sum;
            }
        }
    }

    /// Folds the slots that are left in a word.
    ///
    /// # Safety
    ///
    /// - As for [`fold`](Self::fold), and the cursor has returned the word.
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
                // SAFETY: the index is between slots of a word that the cursor returned; the caller guarantees the
                // rest.
                if let Some(found) = unsafe { self.at(index) } {
                    sum = add(sum, found);
                }
            }
            return sum;
        }
        self.prefetch_ahead(word);
        for index in word.bits() {
            // SAFETY: the cursor returned the word of the index; the caller guarantees the rest.
            if let Some(found) = unsafe { self.at(index) } {
                sum = add(sum, found);
            }
        }
        sum
    }

    /// Splits off the slots of the next word that has any to visit.
    ///
    /// # Safety
    ///
    /// - The slots are borrowed, and the cursor returns indices below their length.
    #[inline]
    pub(super) unsafe fn next_block(&mut self) -> Option<Self> {
        // SAFETY: the caller guarantees what `put_back` requires.
        unsafe { self.put_back() };
        loop {
            let word = self.cursor.next_word(self.holes)?;
            if word.left() != 0 {
                return Some(Self::with_cursor(self.start, self.holes, Cursor::of_word(word)));
            }
        }
    }

    /// Returns the word of a block that is being visited.
    #[inline]
    pub(super) const fn word(&self) -> Word {
        self.cursor.word()
    }

    #[inline]
    pub(super) fn block_ptr(&self) -> *mut V {
        // `wrapping_add`, since this is also callable when no block was reached.
        self.start.as_ptr().wrapping_add(self.word().start() as usize).cast()
    }

    /// Splits what is left in two halves, if there is enough.
    ///
    /// # Safety
    ///
    /// - The slots are borrowed, and the cursor returns indices below their length.
    #[cfg(feature = "rayon")]
    pub(super) unsafe fn split(mut self) -> (Self, Option<Self>) {
        // SAFETY: the caller guarantees what `put_back` requires.
        unsafe { self.put_back() };
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

/// Returns a bit for each slot of a word that has a value. Out of line, as the reading is.
///
/// # Safety
///
/// - `start` is the first of the slots, which are borrowed, and those that are left in the word are below their length.
#[cold]
#[inline(never)]
unsafe fn only_live<V>(start: NonNull<Slot<V>>, word: Word) -> u64 {
    word.only(|index| {
        // SAFETY: this slot or a later one of the word is left, and the caller guarantees that it is below the length.
        let slot = unsafe { start.add(index) };
        // SAFETY: as above; the slots are borrowed, so no thread writes to their states.
        unsafe { array::live_generation(slot) }.is_some()
    })
}

/// Tells the compiler that holes in a run are rare: otherwise each value of a full map takes another jump.
#[cold]
#[inline]
const fn cold() {}
