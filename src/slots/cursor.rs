//! [`Cursor`]: the slots that may hold values, from both ends.

#![forbid(unsafe_code)]

use std::ops::Range;
use std::{iter, mem};

#[cfg(test)]
mod tests;

/// Slots in one word of the hole bitmap.
pub(crate) const WORD_SLOTS: usize = 64;

/// Where a word has fewer holes than this, each of its slots is looked at; else only those that are none.
/// To find one by its bit costs more than a look, and to meet one that is a hole costs a branch that was
/// not foreseen.
const FEW: u32 = 6;

/// The same, where words are read ahead.
const FEW_IN_RUN: u32 = 12;

/// At most so many words are read ahead of the slots that are looked at.
const RUN_WORDS: usize = 64;

/// Goes over the indices of slots, in order, from both ends: over one after the other, as a loop over an
/// array does, where the words of the bitmap have few holes; by bits, where they have many.
///
/// It gives each slot that is no hole, once, and holes too; so whoever asks looks whether there is a
/// value. It holds no borrow: the words are passed to the calls that read them. Meanwhile holes may be made and
/// filled where the slot was given already; and, of what only the back goes over, before that too, which is
/// then given or not.
#[derive(Clone, Debug)]
pub(crate) struct Cursor {
    /// What the front gives next, one slot after the other. Where there is any, nothing is in `front`, and `rest`
    /// begins where it ends.
    run: Range<usize>,
    /// What is left of the word that the front is in, if that goes by bits.
    front: Word,
    /// What comes then: slots of which no word was read.
    rest: Range<usize>,
    /// What is left of the word that the back is in.
    back: Word,
}

/// Slots to visit in one word of the bitmap: the index of its first, and a bit for each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word {
    start: usize,
    left: u64,
}

impl Word {
    const NONE: Self = Self { start: 0, left: 0 };

    /// The slots in a range of those of one word that are no holes. Behind the last word there are none.
    #[inline]
    fn read(slots: Range<usize>, holes: &[u64]) -> Self {
        let start = slots.start / WORD_SLOTS * WORD_SLOTS;
        let holes = holes.get(start / WORD_SLOTS).copied().unwrap_or(0);
        let left = !holes & first_slots(slots.end - start) & !first_slots(slots.start - start);
        Self { start, left }
    }

    #[inline]
    fn pop_front(&mut self) -> Option<usize> {
        if self.left == 0 {
            return None;
        }
        let bit = self.left.trailing_zeros();
        self.left &= self.left - 1;
        Some(self.start + bit as usize)
    }

    #[inline]
    fn pop_back(&mut self) -> Option<usize> {
        if self.left == 0 {
            return None;
        }
        let bit = self.left.ilog2();
        self.left ^= 1 << bit;
        Some(self.start + bit as usize)
    }

    /// From the first slot that is left to the last, if few holes are between.
    ///
    /// All of these are left, or holes: what was visited before is in front of them, or behind.
    #[inline]
    pub(crate) fn as_run(self) -> Option<Range<usize>> {
        // Most words of most maps.
        if self.left == u64::MAX {
            return Some(self.start..self.start + WORD_SLOTS);
        }
        if self.left == 0 {
            return Some(0..0);
        }
        let (first, behind) = (self.left.trailing_zeros(), u64::BITS - self.left.leading_zeros());
        let is_run = behind - first < self.left.count_ones() + FEW;
        is_run.then(|| self.start + first as usize..self.start + behind as usize)
    }

    /// Each slot that is left.
    #[inline]
    pub(crate) fn bits(mut self) -> impl Iterator<Item = usize> {
        iter::from_fn(move || self.pop_front())
    }

    /// The slots that are left, if there is no hole between.
    #[inline]
    pub(super) fn as_whole_run(self) -> Option<Range<usize>> {
        self.as_run().filter(|run| run.len() == self.left.count_ones() as usize)
    }

    /// A bit for each slot that is left.
    #[inline]
    pub(super) const fn left(self) -> u64 {
        self.left
    }

    /// The index of the first slot of the word.
    #[inline]
    pub(crate) const fn start(self) -> u32 {
        low_half(self.start)
    }
}

/// Slots that were picked, of those in one word that were come to in order: a bit for each slot, the last
/// one's lowest.
///
/// So each slot shifts the others by one. To shift a bit to the place of its slot takes a processor
/// several steps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Picked {
    /// The slot that is next.
    behind: usize,
    bits: u64,
}

impl Picked {
    /// None, where no slot before this is come to.
    #[inline]
    pub(crate) const fn from(slot: usize) -> Self {
        Self { behind: slot, bits: 0 }
    }

    /// Comes to a slot of the word behind all so far.
    #[inline]
    pub(super) const fn come_to(&mut self, slot: usize) {
        debug_assert!(
            self.behind <= slot && slot - self.behind < WORD_SLOTS,
            "not behind, or too far"
        );
        self.bits = self.bits << (slot - self.behind) << 1;
        self.behind = slot + 1;
    }

    /// Picks the slot that was come to last.
    #[inline]
    pub(super) fn pick_if(&mut self, is_it: bool) {
        self.bits |= u64::from(is_it);
    }

    /// The first of them, taken out.
    #[inline]
    pub(crate) fn pop_front(&mut self) -> Option<u32> {
        let place = self.bits.checked_ilog2()?;
        self.bits ^= 1 << place;
        Some(low_half(self.behind - 1 - place as usize))
    }
}

impl Cursor {
    /// Over all indices below `len`.
    #[inline]
    pub(crate) fn new(len: usize) -> Self {
        Self { run: 0..0, front: Word::NONE, rest: 0..len, back: Word::NONE }
    }

    /// Over what is left of a word.
    #[inline]
    pub(super) fn of_word(word: Word) -> Self {
        Self { front: word, ..Self::new(0) }
    }

    /// The next slot to look at.
    #[inline]
    pub(crate) fn next(&mut self, holes: &[u64]) -> Option<u32> {
        loop {
            if let Some(index) = self.run.next().or_else(|| self.next_by_bit()) {
                return Some(low_half(index));
            }
            if !self.read_on(holes) {
                return None;
            }
        }
    }

    /// The next slot to look at of the word that the front is in, where there is no run.
    #[inline]
    pub(super) fn next_by_bit(&mut self) -> Option<usize> {
        debug_assert!(self.run.is_empty(), "there are slots before");
        self.front.pop_front()
    }

    /// The run that the front is in, taken out.
    #[inline]
    pub(super) fn take_run(&mut self) -> Range<usize> {
        mem::replace(&mut self.run, 0..0)
    }

    /// Has what is left of a run that was [taken](Self::take_run) be given again; nothing else was taken from the
    /// front since.
    #[inline]
    pub(super) fn put_back(&mut self, run: Range<usize>) {
        debug_assert!(self.run.is_empty() && self.front.left == 0, "there are slots between");
        debug_assert_eq!(run.end, self.rest.start, "there are slots between");
        self.rest.start = run.start;
    }

    /// Has no run: what was left of it is read again.
    #[inline]
    pub(super) fn without_run(mut self) -> Self {
        let run = self.take_run();
        if !run.is_empty() {
            self.put_back(run);
        }
        self
    }

    /// Reads the next words, where all that were read are at their end; or tells that there are none.
    #[inline]
    pub(super) fn read_on(&mut self, holes: &[u64]) -> bool {
        debug_assert!(self.run.is_empty() && self.front.left == 0, "there are slots before");
        if self.rest.is_empty() {
            self.front = mem::replace(&mut self.back, Word::NONE);
            return self.front.left != 0;
        }
        let read = read(self.rest.clone(), holes);
        self.run = read.run;
        self.front = read.word;
        self.rest.start = read.behind;
        true
    }

    /// The next slot from the back that is not marked as a hole.
    #[inline]
    pub(crate) fn next_back(&mut self, holes: &[u64]) -> Option<u32> {
        loop {
            if let Some(index) = self.back.pop_back() {
                return Some(low_half(index));
            }
            let Range { start, end } = self.rest;
            if start < end {
                let start = start.max((end - 1) / WORD_SLOTS * WORD_SLOTS);
                self.rest.end = start;
                self.back = Word::read(start..end, holes);
            } else if self.front.left != 0 {
                self.back = mem::replace(&mut self.front, Word::NONE);
            } else if self.run.is_empty() {
                return None;
            } else {
                self.rest = mem::replace(&mut self.run, 0..0);
            }
        }
    }

    /// The next slots that are not marked as holes, of one word. There may be none of them.
    #[inline]
    pub(crate) fn next_word(&mut self, holes: &[u64]) -> Option<Word> {
        if let Some(word) = take_word(&mut self.run) {
            return Some(Word::read(word, holes));
        }
        if self.front.left != 0 {
            return Some(mem::replace(&mut self.front, Word::NONE));
        }
        if let Some(word) = take_word(&mut self.rest) {
            return Some(Word::read(word, holes));
        }
        let back = mem::replace(&mut self.back, Word::NONE);
        (back.left != 0).then_some(back)
    }

    /// The word that the front is in, taken out.
    #[inline]
    pub(super) fn take_word(&mut self) -> Word {
        mem::replace(&mut self.front, Word::NONE)
    }

    /// The word that the front is in.
    #[inline]
    pub(super) const fn word(&self) -> Word {
        self.front
    }

    /// Two cursors, each with about half of the slots that no end has come to, in whole words, if there are
    /// two.
    #[cfg(feature = "rayon")]
    pub(super) fn split(mut self) -> (Self, Option<Self>) {
        let Range { start, end } = self.rest;
        let middle = (start + (end - start) / 2) / WORD_SLOTS * WORD_SLOTS;
        if end - start < 2 * WORD_SLOTS || middle <= start {
            return (self, None);
        }
        let right = Self { rest: middle..end, back: self.back, ..Self::new(0) };
        self.rest.end = middle;
        self.back = Word::NONE;
        (self, Some(right))
    }
}

/// Those of the slots that are in the word of the first.
#[inline]
fn take_word(slots: &mut Range<usize>) -> Option<Range<usize>> {
    let Range { start, end } = *slots;
    if start >= end {
        return None;
    }
    slots.start = end.min((start / WORD_SLOTS + 1) * WORD_SLOTS);
    Some(start..slots.start)
}

/// What there is at the front of slots of which no word was read: a run, or what is left of a word; and
/// where the others start.
struct Read {
    run: Range<usize>,
    word: Word,
    behind: usize,
}

/// Reads the words of the first of these slots: of as many as have few holes, or of the first that has
/// more.
///
/// Out of line, and with nothing by reference but the words: so whoever goes over the slots has all of
/// its own in registers.
#[cold]
#[inline(never)]
fn read(slots: Range<usize>, holes: &[u64]) -> Read {
    let Range { mut start, end } = slots;
    let mut number = start / WORD_SLOTS;
    // Past words that have holes alone.
    while end - start >= WORD_SLOTS && holes.get(number) == Some(&u64::MAX) {
        number += 1;
        start = number * WORD_SLOTS;
    }
    let words = end.div_ceil(WORD_SLOTS).min(number + RUN_WORDS);
    let mut behind = number;
    while behind < words {
        // Behind the last word there are no holes.
        match holes.get(behind) {
            None => behind = end.div_ceil(WORD_SLOTS),
            Some(word) if *word != 0 && word.count_ones() >= FEW_IN_RUN => break,
            Some(_) => behind += 1,
        }
    }
    if behind == number {
        let behind = end.min((number + 1) * WORD_SLOTS);
        return Read { run: 0..0, word: Word::read(start..behind, holes), behind };
    }
    let behind = end.min(behind * WORD_SLOTS);
    Read { run: start..behind, word: Word::NONE, behind }
}

/// A bit for each of the first `count` slots of a word.
#[inline]
pub(crate) const fn first_slots(count: usize) -> u64 {
    if count >= WORD_SLOTS { u64::MAX } else { (1 << count) - 1 }
}

/// A number below 2^32, which is all that indices of slots can be.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "there are at most 2^32 slots")]
pub(super) const fn low_half(index: usize) -> u32 {
    index as u32
}
