//! [`Cursor`]: the slots that are no holes, from both ends.

#![forbid(unsafe_code)]

use std::ops::Range;

/// Slots in one word of the hole bitmap.
pub(crate) const WORD_SLOTS: usize = 64;

/// Walks the indices whose hole bit is not set, in order, from both ends.
///
/// It holds no borrow: the words of the bitmap are passed to each call, and each is read once, when
/// the cursor comes to it. So holes behind the cursor may be made and filled meanwhile.
#[derive(Clone, Debug)]
pub(crate) struct Cursor {
    /// Words that no end has come to.
    unread: Range<usize>,
    front: Word,
    back: Word,
    /// No index from here on.
    end: usize,
}

/// What is left of a word: its number, and a bit for each slot to visit.
#[derive(Clone, Copy, Debug)]
struct Word {
    number: usize,
    left: u64,
}

impl Word {
    const NONE: Self = Self { number: 0, left: 0 };

    #[inline]
    fn pop_front(&mut self) -> Option<u32> {
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

    #[inline]
    fn fold<B>(mut self, init: B, add: &mut impl FnMut(B, u32) -> B) -> B {
        if self.left == u64::MAX {
            // No bits to look for.
            let first = self.index(0);
            return (0..64).fold(init, |sum, slot| add(sum, first + slot));
        }
        let mut sum = init;
        while let Some(index) = self.pop_front() {
            sum = add(sum, index);
        }
        sum
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "there are at most 2^32 slots")]
    fn index(self, bit: u32) -> u32 {
        (self.number * WORD_SLOTS) as u32 + bit
    }
}

impl Cursor {
    /// All indices below `len`.
    #[inline]
    pub(crate) fn new(len: usize) -> Self {
        Self { unread: 0..len.div_ceil(WORD_SLOTS), front: Word::NONE, back: Word::NONE, end: len }
    }

    /// The slots of a word that are no holes. Holes behind the last word are none.
    #[inline]
    fn read(&self, number: usize, holes: &[u64]) -> Word {
        let holes = holes.get(number).copied().unwrap_or(0);
        Word { number, left: !holes & first_slots(self.end - number * WORD_SLOTS) }
    }

    #[inline]
    pub(crate) fn next(&mut self, holes: &[u64]) -> Option<u32> {
        loop {
            if let Some(index) = self.front.pop_front() {
                return Some(index);
            }
            let Some(number) = self.unread.next() else { return self.back.pop_front() };
            self.front = self.read(number, holes);
        }
    }

    #[inline]
    pub(crate) fn next_back(&mut self, holes: &[u64]) -> Option<u32> {
        loop {
            if let Some(index) = self.back.pop_back() {
                return Some(index);
            }
            let Some(number) = self.unread.next_back() else { return self.front.pop_back() };
            self.back = self.read(number, holes);
        }
    }

    /// Adds up all that is left, from the front.
    #[inline]
    pub(crate) fn fold<B>(mut self, holes: &[u64], init: B, mut add: impl FnMut(B, u32) -> B) -> B {
        let mut sum = self.front.fold(init, &mut add);
        while let Some(number) = self.unread.next() {
            sum = self.read(number, holes).fold(sum, &mut add);
        }
        self.back.fold(sum, &mut add)
    }

    /// A cursor over the next word that no end has come to, taken out of this one.
    #[inline]
    pub(crate) fn next_word(&mut self, holes: &[u64]) -> Option<Self> {
        let number = self.unread.next()?;
        Some(Self {
            unread: 0..0,
            front: self.read(number, holes),
            back: Word::NONE,
            end: self.end,
        })
    }

    /// The index of the first slot of the word that the front is in.
    #[inline]
    pub(crate) fn word_start(&self) -> u32 {
        self.front.index(0)
    }

    /// A bit for each slot of that word that is left to visit.
    #[inline]
    pub(crate) const fn word_left(&self) -> u64 {
        self.front.left
    }

    /// The word at which it is best split in two, if there are two that no end has come to.
    #[cfg(feature = "rayon")]
    pub(crate) fn middle_word(&self) -> Option<usize> {
        let words = self.unread.len();
        (words >= 2).then(|| self.unread.start + words / 2)
    }

    /// Two cursors: over the words before `word`, and over those from there on, of what no end has come
    /// to.
    #[cfg(feature = "rayon")]
    pub(crate) fn split_at_word(mut self, word: usize) -> (Self, Self) {
        let middle = word.clamp(self.unread.start, self.unread.end);
        let right = Self {
            unread: middle..self.unread.end,
            front: Word::NONE,
            back: self.back,
            end: self.end,
        };
        self.unread.end = middle;
        self.back = Word::NONE;
        (self, right)
    }

    /// Two cursors, each with about half of the words that no end has come to, if there are two.
    #[cfg(feature = "rayon")]
    pub(crate) fn split(self) -> (Self, Option<Self>) {
        let Some(middle) = self.middle_word() else { return (self, None) };
        let (left, right) = self.split_at_word(middle);
        (left, Some(right))
    }
}

/// A bit for each of the first `count` slots of a word.
#[inline]
pub(crate) fn first_slots(count: usize) -> u64 {
    if count >= WORD_SLOTS { u64::MAX } else { (1 << count) - 1 }
}
