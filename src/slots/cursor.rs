//! [`Cursor`]: visits the slots that may hold values, from both ends.

#![forbid(unsafe_code)]

use std::ops::Range;
use std::{iter, mem};

#[cfg(test)]
mod tests;

/// The number of slots in one word of the hole bitmap.
pub(crate) const WORD_SLOTS: usize = 64;

/// If a word has fewer holes than this, each of its slots is visited; otherwise only those that are not holes. Finding
/// a slot by its bit costs more than visiting it, and visiting a hole costs a mispredicted branch.
const FEW: u32 = 6;

/// [`FEW`] for words that are read ahead.
const FEW_IN_RUN: u32 = 12;

/// How many words of only holes are skipped at once.
const GROUP_WORDS: usize = 8;

/// The most words that are read ahead of the slot that is visited.
const RUN_WORDS: usize = 64;

/// A bit for each slot of a map, which is set if the slot is a hole.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HoleBits<'a> {
    pub(crate) words: &'a [u64],
    /// A bit for each of the words, which is set if all bits of the word are. Empty if that is not known.
    pub(crate) full: &'a [u64],
    /// Whether many holes have no bit.
    pub(crate) lack_bits: bool,
}

impl<'a> HoleBits<'a> {
    #[inline]
    pub(crate) const fn of(words: &'a [u64]) -> Self {
        Self { words, full: &[], lack_bits: false }
    }

    /// Returns where the rest of some slots begins after words at the front that consist of holes.
    #[inline]
    fn skip(self, slots: Range<usize>) -> usize {
        let first = slots.start / WORD_SLOTS;
        let end = self.words.len().min(slots.end / WORD_SLOTS);
        let mut at = first;
        if self.full.is_empty() {
            let words = self.words.get(first..end).unwrap_or_default();
            let are_holes =
                |words: &&[u64]| words.iter().fold(u64::MAX, |all, word| all & word) == u64::MAX;
            let groups = words.chunks_exact(GROUP_WORDS).take_while(are_holes).count();
            let (_, rest) = words.split_at(groups * GROUP_WORDS);
            at += words.len() - rest.len() + rest.chunks(1).take_while(are_holes).count();
        }
        while let Some(full) = self.full.get(at / WORD_SLOTS) {
            let left = !full >> (at % WORD_SLOTS);
            if left != 0 {
                at += left.trailing_zeros() as usize;
                break;
            }
            at = (at / WORD_SLOTS + 1) * WORD_SLOTS;
        }
        slots.start.max(at.min(end) * WORD_SLOTS)
    }
}

/// A cursor over the indices of slots, in order, from both ends. For words of the bitmap with few holes, it returns one
/// index after the other, as a loop over an array does; for others, it goes from bit to bit.
///
/// It returns each slot that is not a hole once, and also some holes, so the caller must check for a value. It holds no
/// borrow: the words are passed to the calls that read them. Between calls, slots that were already returned may become
/// holes or be filled. If only the back is used, this also holds for slots before them, which may then be returned or
/// not.
///
/// # Invariants
///
/// [`walk`](super::walk) relies on these, whatever the words say and however they change:
///
/// - **Once**: no slot is in two of `run`, `front`, `rest` and `back`, and what a call removes from them for the
///   caller is in none any more, unless it is put back.
/// - **Within**: the ends of both ranges are at most the length that the cursor was made with, or the one that its word
///   was taken from. A word was made of slots below that, of which there was at least one, or is [`Word::NONE`].
#[derive(Clone, Debug)]
pub(crate) struct Cursor {
    /// The slots that the front returns next, one after the other. If there are any, `front` is empty, and `rest`
    /// begins where they end.
    run: Range<usize>,
    /// What is left of the word at the front, if it is visited by bits.
    front: Word,
    /// The slots after that, of which no word has been read.
    rest: Range<usize>,
    /// What is left of the word at the back.
    back: Word,
}

/// Slots to visit in one word of the bitmap: the index of the word's first slot, and a bit for each slot. Slots leave
/// it from its ends only: a slot between two that are left is left, or was never to be visited.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word {
    start: usize,
    left: u64,
}

impl Word {
    pub(crate) const NONE: Self = Self { start: 0, left: 0 };

    /// Returns the slots of a range, within one word, that are not holes. Past the last word of `holes` there are none.
    #[inline]
    fn read(slots: Range<usize>, holes: HoleBits<'_>) -> Self {
        let holes = holes.words.get(slots.start / WORD_SLOTS).copied().unwrap_or(0);
        Self { start: slots.start / WORD_SLOTS * WORD_SLOTS, left: left_of(slots, holes) }
    }

    #[inline]
    pub(crate) fn pop_front(&mut self) -> Option<usize> {
        self.pop_place().map(|place| self.start + place)
    }

    /// Removes the first slot that is left, and returns its distance from the first slot of the word.
    #[inline]
    pub(super) fn pop_place(&mut self) -> Option<usize> {
        if self.left == 0 {
            return None;
        }
        let place = self.left.trailing_zeros();
        self.left &= self.left - 1;
        Some(place as usize)
    }

    /// Returns a bit for each slot that is left and for which `is_live` returns `true`.
    #[inline]
    pub(super) fn only(self, is_live: impl Fn(usize) -> bool) -> u64 {
        let Self { start, left } = self;
        let bit = |place| u64::from(is_live(start + place)) << place;
        if left == u64::MAX {
            // In groups, so that no bit waits for all before it.
            let group = |at| (0..8).fold(0, |bits, place| bits | bit(at + place));
            (0..WORD_SLOTS / 8).fold(0, |live, at| live | group(at * 8))
        } else {
            let places = left.trailing_zeros()..u64::BITS - left.leading_zeros();
            places.fold(0, |live, place| live | bit(place as usize)) & left
        }
    }

    #[inline]
    pub(super) fn take(&mut self) -> Self {
        mem::replace(self, Self::NONE)
    }

    #[inline]
    pub(crate) fn pop_back(&mut self) -> Option<usize> {
        if self.left == 0 {
            return None;
        }
        let bit = self.left.ilog2();
        self.left ^= 1 << bit;
        Some(self.start + bit as usize)
    }

    /// Returns the range from the first slot that is left to the last, if few holes are between them.
    ///
    /// Every slot in the range is left, or is a hole: those that were visited come before or after it.
    #[inline]
    pub(crate) fn as_run(self) -> Option<Range<usize>> {
        // This is the case for most words of most maps.
        if self.left == u64::MAX {
            return Some(self.start..self.start + WORD_SLOTS);
        }
        if self.left == 0 {
            return Some(0..0);
        }
        let (first, end) = (self.left.trailing_zeros(), u64::BITS - self.left.leading_zeros());
        let is_run = end - first < self.left.count_ones() + FEW;
        is_run.then(|| self.start + first as usize..self.start + end as usize)
    }

    /// Returns an iterator over the slots that are left.
    #[inline]
    pub(crate) fn bits(mut self) -> impl Iterator<Item = usize> {
        iter::from_fn(move || self.pop_front())
    }

    /// Returns a bit for each slot that is left.
    #[inline]
    pub(super) const fn left(self) -> u64 {
        self.left
    }

    /// Returns the index of the first slot of the word.
    #[inline]
    pub(crate) const fn start(self) -> u32 {
        low_half(self.start)
    }
}

/// Slots that were picked from those visited, in ascending order, in one word: a bit for each slot, the lowest for the
/// last one.
///
/// So each visit shifts the other bits by one. Shifting a bit to the position of its slot takes a processor several
/// steps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Picked {
    /// The slot after the one that was visited last.
    end: usize,
    bits: u64,
}

impl Picked {
    /// Creates an empty set, if no slot before this one is to be visited.
    #[inline]
    pub(crate) const fn from(slot: usize) -> Self {
        Self { end: slot, bits: 0 }
    }

    /// Visits a slot of the word, after all that were visited before.
    #[inline]
    pub(super) const fn visit(&mut self, slot: usize) {
        debug_assert!(
            self.end <= slot && slot - self.end < WORD_SLOTS,
            "the slot is not after the last one, or too far"
        );
        self.bits = self.bits << (slot - self.end) << 1;
        self.end = slot + 1;
    }

    /// Picks the slot that was visited last if `is_it` is true.
    #[inline]
    pub(super) fn pick_if(&mut self, is_it: bool) {
        self.bits |= u64::from(is_it);
    }

    #[inline]
    pub(crate) const fn is_empty(self) -> bool {
        self.bits == 0
    }

    /// Returns the number of the word, and a bit for each slot that was picked. One must have been.
    #[inline]
    pub(super) const fn word(self) -> (usize, u64) {
        let last = self.end - 1;
        (last / WORD_SLOTS, self.bits.reverse_bits() >> (WORD_SLOTS - 1 - last % WORD_SLOTS))
    }

    /// Removes the first slot that was picked, and returns it.
    #[inline]
    pub(crate) fn pop_front(&mut self) -> Option<u32> {
        let place = self.bits.checked_ilog2()?;
        self.bits ^= 1 << place;
        Some(low_half(self.end - 1 - place as usize))
    }
}

impl Cursor {
    #[inline]
    pub(crate) fn new(len: usize) -> Self {
        Self { run: 0..0, front: Word::NONE, rest: 0..len, back: Word::NONE }
    }

    #[inline]
    pub(super) fn of_word(word: Word) -> Self {
        Self { front: word, ..Self::new(0) }
    }

    #[inline]
    pub(crate) fn next(&mut self, holes: HoleBits<'_>) -> Option<u32> {
        loop {
            if let Some(index) = self.run.next().or_else(|| self.next_by_bit()) {
                return Some(low_half(index));
            }
            if !self.read_on(holes) {
                return None;
            }
        }
    }

    /// Returns the next slot of the word at the front. There must not be a run before it.
    #[inline]
    pub(super) fn next_by_bit(&mut self) -> Option<usize> {
        debug_assert!(self.run.is_empty(), "there are slots before");
        self.front.pop_front()
    }

    #[inline]
    pub(super) fn take_run(&mut self) -> Range<usize> {
        mem::replace(&mut self.run, 0..0)
    }

    /// Returns what is left of a run or a word to the cursor that it was taken from. Nothing else may have been taken
    /// from the front since.
    #[inline]
    pub(super) fn put_back(&mut self, run: Range<usize>, word: Word) {
        if !run.is_empty() {
            debug_assert!(self.run.is_empty() && self.front.left == 0, "there are slots between");
            debug_assert_eq!(run.end, self.rest.start, "there are slots between");
            self.rest.start = run.start;
        }
        if word.left != 0 {
            debug_assert!(self.run.is_empty() && self.front.left == 0, "there are slots between");
            self.front = word;
        }
    }

    /// Returns the cursor without a run: what was left of it will be read again.
    #[inline]
    pub(super) fn without_run(mut self) -> Self {
        let run = self.take_run();
        self.put_back(run, Word::NONE);
        self
    }

    /// Reads the next words if all that were read are used up. Returns `false` if there are none.
    #[inline]
    pub(super) fn read_on(&mut self, holes: HoleBits<'_>) -> bool {
        self.read_on_by(HoleBits { lack_bits: false, ..holes }, Word::left)
    }

    /// [`read_on`](Self::read_on); but if many holes have no bit, it reads one word, of which `live` returns the slots
    /// that have values. (The word may be empty, and one that was read before is not passed to `live`.)
    #[inline]
    pub(super) fn read_on_by(
        &mut self,
        holes: HoleBits<'_>,
        live: impl FnOnce(Word) -> u64,
    ) -> bool {
        debug_assert!(self.run.is_empty(), "there are slots before");
        if self.front.left != 0 {
            return true;
        }
        if self.rest.is_empty() {
            self.front = self.back.take();
            return self.front.left != 0;
        }
        let Read { mut start, mut left, rest_from, lack_bits } =
            read(self.rest.clone(), holes.words, holes.full, holes.lack_bits);
        let first = start / WORD_SLOTS * WORD_SLOTS;
        // What was returned is compared, since the compiler would make two loops of one that depends on `holes`.
        if lack_bits {
            left = live(Word { start: first, left });
            if left == 0 {
                start = rest_from;
            }
        }
        self.rest.start = rest_from;
        if left == 0 {
            self.run = start..rest_from;
        } else {
            self.front = Word { start: first, left };
        }
        true
    }

    /// The next slot from the back that is not marked as a hole.
    #[inline]
    pub(crate) fn next_back(&mut self, holes: HoleBits<'_>) -> Option<u32> {
        loop {
            if let Some(index) = self.back.pop_back() {
                return Some(low_half(index));
            }
            let Range { start, end } = self.rest;
            if start < end {
                let start = start.max((end - 1) / WORD_SLOTS * WORD_SLOTS);
                self.rest.end = start;
                self.back = Word::read(start..end, holes);
                if self.back.left == 0 {
                    self.skip_back(holes);
                }
            } else if self.front.left != 0 {
                self.back = self.front.take();
            } else if self.run.is_empty() {
                return None;
            } else {
                self.rest = mem::replace(&mut self.run, 0..0);
            }
        }
    }

    /// Skips words at the back that consist of holes.
    #[cold]
    #[inline(never)]
    fn skip_back(&mut self, holes: HoleBits<'_>) {
        /// The number of slots in one word of `full`.
        const CHUNK: usize = WORD_SLOTS * WORD_SLOTS;
        let Range { start, end } = &mut self.rest;
        loop {
            let left = *end - *start;
            if left >= CHUNK
                && *end % CHUNK == 0
                && holes.full.get(*end / CHUNK - 1) == Some(&u64::MAX)
            {
                *end -= CHUNK;
            } else if left >= WORD_SLOTS
                && holes.words.get(*end / WORD_SLOTS - 1) == Some(&u64::MAX)
            {
                *end -= WORD_SLOTS;
            } else {
                break;
            }
        }
    }

    /// Returns the next slots, of one word, that are not marked as holes. They may be none.
    #[inline]
    pub(crate) fn next_word(&mut self, holes: HoleBits<'_>) -> Option<Word> {
        if let Some(word) = take_word(&mut self.run) {
            return Some(Word::read(word, holes));
        }
        if self.front.left != 0 {
            return Some(self.front.take());
        }
        while let Some(word) = take_word(&mut self.rest) {
            let word = Word::read(word, holes);
            if word.left != 0 {
                return Some(word);
            }
            self.rest.start = skip(self.rest.clone(), holes.words, holes.full);
        }
        let back = self.back.take();
        (back.left != 0).then_some(back)
    }

    #[inline]
    pub(super) fn take_word(&mut self) -> Word {
        self.front.take()
    }

    #[inline]
    pub(super) const fn word(&self) -> Word {
        self.front
    }

    /// Splits the cursor in two. Each gets about half of the slots that neither end has reached, in whole words, if
    /// there are two.
    #[cfg(feature = "rayon")]
    pub(super) fn split(mut self) -> (Self, Option<Self>) {
        let Range { start, end } = self.rest;
        let middle = (start + (end - start) / 2) / WORD_SLOTS * WORD_SLOTS;
        if end - start < 2 * WORD_SLOTS {
            return (self, None);
        }
        let right = Self { rest: middle..end, back: self.back, ..Self::new(0) };
        self.rest.end = middle;
        self.back = Word::NONE;
        (self, Some(right))
    }
}

/// Removes the slots that are in the word of the first one, and returns them.
#[inline]
fn take_word(slots: &mut Range<usize>) -> Option<Range<usize>> {
    let Range { start, end } = *slots;
    if start >= end {
        return None;
    }
    slots.start = end.min((start / WORD_SLOTS + 1) * WORD_SLOTS);
    Some(start..slots.start)
}

/// The front of slots of which no word had been read: a run, or what is left of a word; and where the others start.
struct Read {
    start: usize,
    /// If this is 0, there is a run.
    left: u64,
    rest_from: usize,
    /// Whether holes among the slots may have no bit: then this is a word, or nothing.
    lack_bits: bool,
}

/// Reads the words at the front of `slots`, of which there are some: as many as have few holes, or one that has more.
/// One if holes `lack_bits`.
///
/// Out of line, and with nothing passed by reference except the words, so that a loop over the slots keeps its
/// variables in registers.
#[cold]
#[inline(never)]
fn read(slots: Range<usize>, words: &[u64], full: &[u64], lack_bits: bool) -> Read {
    let Range { mut start, end } = slots;
    let mut number = start / WORD_SLOTS;
    if words.get(number) == Some(&u64::MAX) {
        start = HoleBits { full, ..HoleBits::of(words) }.skip(start..end);
        number = start / WORD_SLOTS;
    }
    // There may be words for slots past the end, and past the last word there are no holes.
    let words_end = end.div_ceil(WORD_SLOTS);
    let words = words.get(number..words_end.min(words.len())).unwrap_or_default();
    let has_few = |word: &&u64| word.count_ones() < FEW_IN_RUN;
    // Words without holes first, which takes less than to count.
    let mut count = words.iter().take(RUN_WORDS).take_while(|word| **word == 0).count();
    let first = words.first().copied().unwrap_or(0);
    if lack_bits || (count == 0 && !has_few(&&first)) {
        let rest_from = end.min((number + 1) * WORD_SLOTS);
        let left = left_of(start..rest_from, first);
        return Read {
            start: if left == 0 { rest_from } else { start },
            left,
            rest_from,
            lack_bits,
        };
    }
    count += words[count..].iter().take(RUN_WORDS - count).take_while(has_few).count();
    if count == words.len() {
        count = words_end - number;
    }
    let rest_from = end.min((number + count) * WORD_SLOTS);
    Read { start, left: 0, rest_from, lack_bits }
}

/// [`HoleBits::skip`], out of line as [`read`] is.
#[cold]
#[inline(never)]
fn skip(slots: Range<usize>, words: &[u64], full: &[u64]) -> usize {
    HoleBits { full, ..HoleBits::of(words) }.skip(slots)
}

/// Returns a bit for each slot of a range, within one word, that is not a hole.
#[inline]
const fn left_of(slots: Range<usize>, holes: u64) -> u64 {
    let after = slots.end - slots.start / WORD_SLOTS * WORD_SLOTS;
    !holes & first_slots(after) & u64::MAX << (slots.start % WORD_SLOTS)
}

/// Returns a bit for each of the first `count` slots of a word.
#[inline]
pub(crate) const fn first_slots(count: usize) -> u64 {
    if count >= WORD_SLOTS { u64::MAX } else { (1 << count) - 1 }
}

/// Narrows an index, which is below 2^32 as all indices of slots are: see [`Slots`](super::array::Slots).
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "there are at most 2^32 slots")]
pub(crate) const fn low_half(index: usize) -> u32 {
    index as u32
}
