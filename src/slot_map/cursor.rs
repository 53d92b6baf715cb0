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

/// Goes over the indices of slots, in order, from both ends: over one slot after the other, as a loop over
/// an array does, until [told](Self::pass) that one holds no value; then past holes by the words of the
/// bitmap.
///
/// It gives each slot that is no hole, once, and holes too; so whoever asks looks whether there is a
/// value. It holds no borrow: the words are passed to the calls that read them. Holes before an index
/// that it gave may be made and filled meanwhile.
#[derive(Clone, Debug)]
pub(crate) struct Cursor {
    /// Slots that no end has come to, of which the front gives one after the other.
    run: Range<usize>,
    /// What is left of the word that the front is in, if that goes by bits; it comes before the run.
    front: Word,
    /// What is left of the word that the back is in.
    back: Word,
}

/// Slots to visit in one word of the bitmap: the index of its first, and a bit for each.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word {
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
    fn pop_front(&mut self) -> Option<u32> {
        if self.left == 0 {
            return None;
        }
        let bit = self.left.trailing_zeros();
        self.left &= self.left - 1;
        Some(self.start() + bit)
    }

    #[inline]
    fn pop_back(&mut self) -> Option<u32> {
        if self.left == 0 {
            return None;
        }
        let bit = self.left.ilog2();
        self.left ^= 1 << bit;
        Some(self.start() + bit)
    }

    /// From the first slot that is left to the last, if few holes are between.
    ///
    /// All of these are left, or holes: what was visited before is in front of them, or behind.
    #[inline]
    pub(super) fn as_run(self) -> Option<Range<usize>> {
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
    pub(super) fn bits(mut self) -> impl Iterator<Item = usize> {
        iter::from_fn(move || self.pop_front().map(|index| index as usize))
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
    pub(super) const fn start(self) -> u32 {
        low_half(self.start)
    }
}

/// Slots that were picked, of those in one word that were come to in order: a bit for each slot, the last
/// one's lowest.
///
/// So each slot shifts the others by one. To shift a bit to the place of its slot takes a processor
/// several steps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Picked {
    /// The slot that is next.
    behind: usize,
    bits: u64,
}

impl Picked {
    /// None, where no slot before this is come to.
    #[inline]
    pub(super) const fn from(slot: usize) -> Self {
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
    pub(super) fn pop_front(&mut self) -> Option<u32> {
        let place = self.bits.checked_ilog2()?;
        self.bits ^= 1 << place;
        Some(low_half(self.behind - 1 - place as usize))
    }
}

impl Cursor {
    /// Over all indices below `len`.
    #[inline]
    pub(crate) fn new(len: usize) -> Self {
        Self { run: 0..len, front: Word::NONE, back: Word::NONE }
    }

    /// Over what is left of a word.
    #[inline]
    pub(super) fn of_word(word: Word) -> Self {
        Self { front: word, ..Self::new(0) }
    }

    /// The next slot to look at.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<u32> {
        if self.front.left != 0 {
            return self.front.pop_front();
        }
        match self.run.next() {
            Some(index) => Some(low_half(index)),
            None => self.back.pop_front(),
        }
    }

    /// The next slot to look at, if that is one behind the other.
    #[inline]
    pub(super) fn next_in_run(&mut self) -> Option<usize> {
        if self.front.left == 0 { self.run.next() } else { None }
    }

    /// Tells it that there was no value in the slot that it gave last.
    #[inline]
    pub(crate) fn pass(&mut self, index: u32, holes: &[u64]) {
        // What is given by its bit is told from others already.
        let at = index as usize + 1;
        if at != self.run.start {
            return;
        }
        let (left, go_on) = pass_from(at, self.run.end, holes);
        self.front = Word { start: index as usize / WORD_SLOTS * WORD_SLOTS, left };
        self.run.start = go_on;
    }

    /// The next slot from the back that is not marked as a hole.
    #[inline]
    pub(crate) fn next_back(&mut self, holes: &[u64]) -> Option<u32> {
        loop {
            if let Some(index) = self.back.pop_back() {
                return Some(index);
            }
            let Range { start, end } = self.run;
            if start >= end {
                return self.front.pop_back();
            }
            let start = start.max((end - 1) / WORD_SLOTS * WORD_SLOTS);
            let word = start..end;
            self.run.end = start;
            self.back = Word::read(word, holes);
        }
    }

    /// The next slots that are not marked as holes, of one word. There may be none of them.
    #[inline]
    pub(super) fn next_word(&mut self, holes: &[u64]) -> Option<Word> {
        if self.front.left != 0 {
            return Some(mem::replace(&mut self.front, Word::NONE));
        }
        let Range { start, end } = self.run;
        if start >= end {
            let back = mem::replace(&mut self.back, Word::NONE);
            return (back.left != 0).then_some(back);
        }
        let end = end.min((start / WORD_SLOTS + 1) * WORD_SLOTS);
        let word = start..end;
        self.run.start = end;
        Some(Word::read(word, holes))
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
        let Range { start, end } = self.run;
        let middle = (start + (end - start) / 2) / WORD_SLOTS * WORD_SLOTS;
        if end - start < 2 * WORD_SLOTS || middle <= start {
            return (self, None);
        }
        let right = Self { run: middle..end, back: self.back, ..Self::new(0) };
        self.run.end = middle;
        self.back = Word::NONE;
        (self, Some(right))
    }
}

/// What there is from a slot on, behind one without a value, in a run to `end`: a bit for each slot left of
/// its word, if that is to be gone over by bits, and with which slot to go on.
///
/// Out of line, and with all in registers: so nothing of it is in the way where values are.
#[cold]
#[inline(never)]
fn pass_from(at: usize, end: usize, holes: &[u64]) -> (u64, usize) {
    let number = (at - 1) / WORD_SLOTS;
    let word = holes.get(number).copied().unwrap_or(0);
    if word.count_ones() < FEW {
        return (0, at);
    }
    let mut go_on = end.min((number + 1) * WORD_SLOTS);
    let left = if at < go_on { Word::read(at..go_on, holes).left } else { 0 };
    // Past words that have holes alone.
    while left == 0 && end - go_on >= WORD_SLOTS && holes.get(go_on / WORD_SLOTS) == Some(&u64::MAX)
    {
        go_on += WORD_SLOTS;
    }
    (left, go_on)
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
