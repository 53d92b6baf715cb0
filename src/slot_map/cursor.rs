//! [`Cursor`]: the slots that may hold values, from both ends.

#![forbid(unsafe_code)]

use std::mem;
use std::ops::Range;

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
    /// What is left of the word that the front is in, if that goes by bits.
    front: Word,
    /// Slots that no end has come to.
    unread: Range<usize>,
    /// What is left of the word that the back is in.
    back: Word,
}

/// Slots to visit in one word of the bitmap: its number, and a bit for each.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word {
    number: usize,
    left: u64,
}

impl Word {
    const NONE: Self = Self { number: 0, left: 0 };

    /// The slots in a range of those of one word that are no holes. Behind the last word there are none.
    #[inline]
    fn read(slots: Range<usize>, holes: &[u64]) -> Self {
        let number = slots.start / WORD_SLOTS;
        let start = number * WORD_SLOTS;
        let holes = holes.get(number).copied().unwrap_or(0);
        let left = !holes & first_slots(slots.end - start) & !first_slots(slots.start - start);
        Self { number, left }
    }

    #[inline]
    pub(super) fn pop_front(&mut self) -> Option<u32> {
        if self.left == 0 {
            return None;
        }
        let bit = self.left.trailing_zeros();
        self.left &= self.left - 1;
        Some(self.index(bit))
    }

    #[inline]
    fn pop_back(&mut self) -> Option<u32> {
        if self.left == 0 {
            return None;
        }
        let bit = self.left.ilog2();
        self.left ^= 1 << bit;
        Some(self.index(bit))
    }

    /// All that is left, if it is the first slots of the word.
    #[inline]
    pub(super) fn as_run(self) -> Option<Range<usize>> {
        let start = self.number * WORD_SLOTS;
        let is_run = self.left & self.left.wrapping_add(1) == 0;
        is_run.then(|| start..start + self.left.trailing_ones() as usize)
    }

    /// A bit for each slot that is left.
    #[inline]
    pub(super) const fn left(self) -> u64 {
        self.left
    }

    /// The index of the first slot of the word.
    #[inline]
    pub(super) const fn start(self) -> u32 {
        low_half(self.number * WORD_SLOTS)
    }

    #[inline]
    const fn index(self, bit: u32) -> u32 {
        self.start() + bit
    }
}

impl Cursor {
    /// Over all indices below `len`.
    #[inline]
    pub(crate) fn new(len: usize) -> Self {
        Self { front: Word::NONE, unread: 0..len, back: Word::NONE }
    }

    /// Over what is left of a word.
    #[inline]
    pub(super) fn of_word(word: Word) -> Self {
        Self { front: word, unread: 0..0, back: Word::NONE }
    }

    /// The next slot to look at.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<u32> {
        if let Some(index) = self.front.pop_front() {
            return Some(index);
        }
        match self.unread.next() {
            Some(index) => Some(low_half(index)),
            None => self.back.pop_front(),
        }
    }

    /// Tells it that there was no value in the slot that it gave last.
    #[inline]
    pub(crate) fn pass(&mut self, index: u32, holes: &[u64]) {
        let at = index as usize + 1;
        // What is given by its bit is told from others already.
        if at != self.unread.start {
            return;
        }
        let number = index as usize / WORD_SLOTS;
        let word = holes.get(number).copied().unwrap_or(0);
        if word.count_ones() < FEW {
            return;
        }
        let end = self.unread.end.min((number + 1) * WORD_SLOTS);
        if at < end {
            self.front = Word::read(at..end, holes);
        }
        self.unread.start = end.max(at);
        // Past words that have holes alone.
        while self.front.left == 0
            && self.unread.len() >= WORD_SLOTS
            && holes.get(self.unread.start / WORD_SLOTS) == Some(&u64::MAX)
        {
            self.unread.start += WORD_SLOTS;
        }
    }

    /// The next slot from the back that is not marked as a hole.
    #[inline]
    pub(crate) fn next_back(&mut self, holes: &[u64]) -> Option<u32> {
        loop {
            if let Some(index) = self.back.pop_back() {
                return Some(index);
            }
            let Some(last) = self.unread.clone().next_back() else {
                return self.front.pop_back();
            };
            let start = self.unread.start.max(last / WORD_SLOTS * WORD_SLOTS);
            self.back = Word::read(start..last + 1, holes);
            self.unread.end = start;
        }
    }

    /// The next slots that are not marked as holes, of one word. There may be none of them.
    #[inline]
    pub(super) fn next_word(&mut self, holes: &[u64]) -> Option<Word> {
        if self.front.left != 0 {
            return Some(mem::replace(&mut self.front, Word::NONE));
        }
        let start = self.unread.start;
        if start >= self.unread.end {
            let back = mem::replace(&mut self.back, Word::NONE);
            return (back.left != 0).then_some(back);
        }
        let end = self.unread.end.min((start / WORD_SLOTS + 1) * WORD_SLOTS);
        self.unread.start = end;
        Some(Word::read(start..end, holes))
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
        let Range { start, end } = self.unread;
        let middle = (start + (end - start) / 2) / WORD_SLOTS * WORD_SLOTS;
        if end - start < 2 * WORD_SLOTS || middle <= start {
            return (self, None);
        }
        let right = Self { front: Word::NONE, unread: middle..end, back: self.back };
        (self.unread.end, self.back) = (middle, Word::NONE);
        (self, Some(right))
    }
}

/// A bit for each of the first `count` slots of a word.
#[inline]
pub(crate) const fn first_slots(count: usize) -> u64 {
    if count >= WORD_SLOTS { u64::MAX } else { (1 << count) - 1 }
}

/// A number below 2^32, which is all that indices of slots can be.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "there are at most 2^32 slots")]
const fn low_half(index: usize) -> u32 {
    index as u32
}
