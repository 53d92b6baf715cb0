//! [`Bitmap`]: a set of indices whose lowest is found in constant time.
//!
//! # What holds between calls
//!
//! - `words` has a bit for each index, set if the index is in the set.
//! - Each level of `summaries` has a bit for each word of the level below, the lowest of which is `words`. The bit is
//!   set if that word is not zero. A level exists if the one below has more than 64 words, so the highest has at most
//!   64.
//! - `full` has a bit for each word, if there are more than 64. The bit is set if all bits of the word are.
//! - `lowest` is the first word that is not zero, or [`NONE`] if there is none.
//! - `count` is the number of indices in the set.
//!
//! # What it costs
//!
//! Changing a bit changes its word, and nothing else unless the word was zero or full before, or is afterwards. Only
//! then one word of `full` changes, or one word per level, up to the first level where another bit of the word is set;
//! 16 million indices have two levels. The next lowest word is found in the same way, going up and then down again,
//! with at most 64 words to search at the top. Pages of words without bits are never touched, so they take no memory.

#![forbid(unsafe_code)]

#[cfg(test)]
mod tests;

use crate::error::Error;
use crate::heap::try_reserve_exact;
use crate::slots::cursor::HoleBits;
use crate::slots::words::Words;
use crate::vec::VecStats;
use std::ops::Range;

/// The number of bits in a word, and of words under a word of the level above.
const WORD: usize = u64::BITS as usize;

/// The number of indices under a word of the first summary.
const CHUNK: usize = WORD * WORD;

/// The number of levels that 2^32 indices need. The highest has four words then.
const HEIGHT: usize = 4;

/// The position of a word that does not exist.
const NONE: usize = usize::MAX;

/// A set of `u32` indices as a hierarchical bitmap.
///
/// It *covers* the indices that it has memory for, and cannot hold others. At first it covers none, and takes no
/// memory.
pub struct Bitmap {
    words: Words,
    /// The most words that there can be, if that is set.
    most_words: Option<usize>,
    summaries: [Vec<u64>; HEIGHT],
    full: Vec<u64>,
    lowest: usize,
    count: usize,
}

impl Bitmap {
    /// Creates an empty set that can cover any index.
    pub const fn new() -> Self {
        Self {
            words: Words::NONE,
            most_words: None,
            summaries: [const { Vec::new() }; HEIGHT],
            full: Vec::new(),
            lowest: NONE,
            count: 0,
        }
    }

    /// Limits the set to indices below `max_len`, which includes all that it covers. Does nothing after addresses were
    /// reserved.
    pub fn limit(&mut self, max_len: usize) {
        self.most_words = Some(max_len.div_ceil(WORD));
    }

    /// Returns a set of the same indices that covers the indices below `len`, which includes all of them, and cannot
    /// cover any from `max_len` on. Touches only memory for words that are not zero.
    ///
    /// # Errors
    ///
    /// As for [`cover`](Self::cover).
    pub fn try_clone(&self, len: usize, max_len: usize) -> Result<Self, Error> {
        let mut clone = Self::new();
        clone.limit(max_len);
        clone.cover(self.last().map_or(0, |last| last as usize + 1))?;
        // What the clone does not cover, and the levels that it does not have, hold no index.
        let chunks = clone.words.chunks_mut(WORD).zip(self.words.chunks(WORD));
        for (chunk, (to, from)) in chunks.enumerate() {
            if has_bits(&self.summaries, chunk) {
                let len = to.len();
                to.copy_from_slice(&from[..len]);
            }
        }
        let levels = self.summaries.iter().chain([&self.full]);
        for (to, from) in clone.summaries.iter_mut().chain([&mut clone.full]).zip(levels) {
            let len = to.len();
            to.copy_from_slice(&from[..len]);
        }
        clone.lowest = self.lowest;
        clone.count = self.count;
        clone.cover(len)?;
        Ok(clone)
    }

    /// Takes the memory that all indices below `len`, which is at most 2^32, need in order to be set.
    ///
    /// May enter the kernel. Touches the other levels (1/32 of the bitmap), less than 64 KiB of the bitmap itself, and
    /// reused memory.
    ///
    /// # Errors
    ///
    /// If memory or addresses are refused. The set is unchanged then.
    #[cold]
    pub fn cover(&mut self, len: usize) -> Result<(), Error> {
        assert!(len as u64 <= 1 << u32::BITS, "indices are 32 bits");
        let words = len.div_ceil(WORD);
        if words < self.words.len() {
            return Ok(());
        }
        let lens = summary_lens(words);
        for (level, len) in self.summaries.iter_mut().zip(lens) {
            let more = len - level.len();
            try_reserve_exact(level, more)?;
        }
        let more = lens[0] - self.full.len();
        try_reserve_exact(&mut self.full, more)?;
        // The maximum is derived from that of the slots, which no option may have set.
        self.words.try_extend(words, self.most_words)?;
        // There is room for all of them now, so this allocates nothing.
        let is_new = self.full.is_empty();
        self.full.resize(lens[0], 0);
        if is_new && self.lowest != NONE && lens[0] > 0 {
            self.full[0] = bit_of_each(&self.words[..WORD], |word| word == u64::MAX);
        }
        let mut below = &self.words[..];
        for (level, len) in self.summaries.iter_mut().zip(lens) {
            let is_new = level.is_empty();
            level.resize(len, 0);
            if is_new && len > 0 && self.lowest != NONE {
                // The level below had at most 64 words until now, so all bits are under the first word.
                level[0] = summary(&below[..WORD]);
            }
            below = level;
        }
        Ok(())
    }

    /// Returns the memory for indices from `len` on, none of which is in the set.
    ///
    /// That of the summaries stays, since an allocator that refuses to shrink an allocation would abort the process.
    pub fn uncover(&mut self, len: usize) {
        debug_assert!(
            self.last().is_none_or(|last| (last as usize) < len),
            "a bit from {len} on is set"
        );
        self.words.truncate(len.div_ceil(WORD));
        for (level, len) in self.summaries.iter_mut().zip(summary_lens(self.words.len())) {
            level.truncate(len);
        }
        self.full.truncate(self.summaries[0].len());
    }

    /// Returns the number of indices that can be set: what was requested, rounded up to whole words.
    #[inline]
    pub fn covered(&self) -> usize {
        self.words.len() * WORD
    }

    /// Returns the number of indices in the set. O(1).
    #[inline]
    pub const fn count(&self) -> usize {
        self.count
    }

    /// Returns the bits of all covered indices. Index 0 is the lowest bit of the first word.
    #[inline]
    pub fn words(&self) -> &[u64] {
        &self.words[..]
    }

    /// Returns the bits of all covered indices, and which words are full.
    #[inline]
    pub(super) fn bits(&self) -> HoleBits<'_> {
        HoleBits { full: &self.full, ..HoleBits::of(&self.words) }
    }

    /// Returns the words with the bits of all indices.
    pub(super) fn into_words(self) -> Words {
        self.words
    }

    /// Returns the stats of the lowest level. The others, 1/32 of it, are in separate memory.
    pub(crate) fn stats(&self) -> VecStats {
        self.words.stats()
    }

    /// Returns `true` if an index is in the set; `false` if it is not covered.
    #[inline]
    pub fn contains(&self, index: u32) -> bool {
        let (at, bit) = split(index);
        self.words.get(at).is_some_and(|word| word & bit != 0)
    }

    /// Adds an index that is not in the set, if it is covered. Returns whether it is covered.
    #[inline]
    pub fn set(&mut self, index: u32) -> bool {
        debug_assert!(!self.contains(index), "{index} is in the set");
        let (at, bit) = split(index);
        let Some(word) = self.words.get_mut(at) else { return false };
        let before = *word;
        *word |= bit;
        self.count += 1;
        self.bits_set(at, before, before | bit);
        true
    }

    /// Adds distinct indices, none of which is in the set.
    ///
    /// # Panics
    ///
    /// If an index is not covered.
    pub fn set_all(&mut self, mut indices: impl Iterator<Item = u32>) {
        loop {
            // In a loop of its own up to the next word on which something else depends; few are.
            let words = &mut self.words[..];
            let mut count = 0;
            let next = indices.find_map(|index| {
                let (at, bit) = split(index);
                let word = &mut words[at];
                let before = *word;
                debug_assert_eq!(before & bit, 0, "{index} is in the set");
                *word |= bit;
                count += 1;
                (before == 0 || *word == u64::MAX).then_some((at, before, *word))
            });
            self.count += count;
            let Some((at, before, after)) = next else { return };
            self.bits_set(at, before, after);
        }
    }

    /// Adds the indices of some bits in a word, none of which is in the set.
    ///
    /// # Panics
    ///
    /// If the word is not covered.
    #[inline]
    pub fn set_in_word(&mut self, at: usize, bits: u64) {
        let word = &mut self.words[at];
        let before = *word;
        debug_assert_eq!(before & bits, 0, "some of {bits:#x} are set in word {at}");
        *word |= bits;
        self.count += bits.count_ones() as usize;
        if bits != 0 {
            self.bits_set(at, before, before | bits);
        }
    }

    /// Removes an index, and returns whether it was in the set.
    #[inline]
    pub fn clear(&mut self, index: u32) -> bool {
        let (at, bit) = split(index);
        let Some(word) = self.words.get_mut(at) else { return false };
        let before = *word;
        if before & bit == 0 {
            return false;
        }
        *word ^= bit;
        self.count -= 1;
        self.bits_cleared(at, before, before ^ bit);
        true
    }

    /// Removes the indices from `index` on that are in its word, at most `most` of them, and returns their bits.
    pub fn take_word(&mut self, index: u32, most: usize) -> u64 {
        let (at, bit) = split(index);
        let Some(word) = self.words.get_mut(at) else { return 0 };
        let there = *word & bit.wrapping_neg();
        let mut left = 0;
        if there.count_ones() as usize > most {
            left = (0..most).fold(there, |left, _| left & (left - 1));
        }
        let taken = there ^ left;
        let before = *word;
        *word ^= taken;
        self.count -= taken.count_ones() as usize;
        if taken != 0 {
            self.bits_cleared(at, before, before ^ taken);
        }
        taken
    }

    /// Returns the lowest index. O(1).
    #[inline]
    pub fn first(&self) -> Option<u32> {
        let word = self.words.get(self.lowest)?;
        Some(index(self.lowest * WORD + lowest_bit(*word)))
    }

    /// Returns the lowest index from `from` on. Reads at most two words per level, and all of the highest level.
    pub fn first_at_or_after(&self, from: u32) -> Option<u32> {
        let mut at = from as usize;
        for height in 0..=HEIGHT {
            let level = self.level(height);
            let word = level.get(at / WORD)?;
            let bits = word & (u64::MAX << (at % WORD));
            if bits != 0 {
                return Some(self.lowest_below(height, at / WORD * WORD + lowest_bit(bits)));
            }
            if level.len() <= WORD {
                let first = self.first_on_top(height, at / WORD + 1)?;
                return Some(self.lowest_below(height, first));
            }
            at = at / WORD + 1;
        }
        None
    }

    /// Returns the highest index. Reads one word per level, and all of the highest level.
    pub fn last(&self) -> Option<u32> {
        let top = (0..=HEIGHT).find(|height| self.level(*height).len() <= WORD)?;
        let word = self.level(top).iter().rposition(|word| *word != 0)?;
        let below = (0..=top).rev();
        Some(index(
            below.fold(word, |at, height| at * WORD + self.level(height)[at].ilog2() as usize),
        ))
    }

    /// Adds the indices from `from` to `to` (exclusive), none of which is in the set. O(n) in their words.
    ///
    /// # Panics
    ///
    /// If an index is not covered.
    pub fn set_range(&mut self, from: usize, to: usize) {
        if from >= to {
            return;
        }
        assert!(to <= self.covered(), "{to} is not covered");
        debug_assert!(
            self.first_at_or_after(index(from)).is_none_or(|next| next as usize >= to),
            "some of {from}..{to} are in the set"
        );
        set_bits(&mut self.words, from, to);
        self.refill_full(from, to);
        self.count += to - from;
        self.lowest = self.lowest.min(from / WORD);
        let (mut from, mut to) = (from, to);
        for level in self.summaries.iter_mut().take_while(|level| !level.is_empty()) {
            (from, to) = (from / WORD, to.div_ceil(WORD));
            set_bits(level, from, to);
        }
    }

    /// Removes the indices from `from` to `to` (exclusive), covered or not. O(n) in the words that hold some, plus 1/64
    /// of the others.
    pub fn clear_range(&mut self, from: usize, to: usize) {
        let Some((first, last)) = self.first().zip(self.last()) else { return };
        let (mut from, mut to) = (from.max(first as usize), to.min(last as usize + 1));
        if from >= to {
            return;
        }
        for chunk in from / CHUNK..to.div_ceil(CHUNK) {
            if has_bits(&self.summaries, chunk) {
                let (start, end) = (chunk * CHUNK, (chunk + 1) * CHUNK);
                self.count -= clear_bits(&mut self.words, from.max(start), to.min(end));
            }
        }
        if !self.full.is_empty() {
            clear_bits(&mut self.full, from / WORD, to.div_ceil(WORD));
        }
        let mut below = &self.words[..];
        for level in self.summaries.iter_mut().take_while(|level| !level.is_empty()) {
            // The words between the first and the last are zero now, and these two may be.
            let (first, last) = (from / WORD, (to - 1) / WORD);
            from = first + usize::from(below[first] != 0);
            to = last + usize::from(below[last] == 0);
            if from >= to {
                break;
            }
            clear_bits(level, from, to);
            below = level;
        }
        self.lowest = self.first_at_or_after(first).map_or(NONE, |first| split(first).0);
    }

    /// Removes all indices, and keeps the memory. Takes as long as [`clear_range`](Self::clear_range).
    pub fn clear_all(&mut self) {
        if self.count == 0 {
            return;
        }
        for (chunk, words) in self.words.chunks_mut(WORD).enumerate() {
            if has_bits(&self.summaries, chunk) {
                words.fill(0);
            }
        }
        for level in self.summaries.iter_mut().chain([&mut self.full]) {
            level.fill(0);
        }
        (self.lowest, self.count) = (NONE, 0);
    }

    /// Recomputes all other fields from the words, after a fork has cut off a thread that was changing the set. O(n) in
    /// the words.
    pub(crate) fn repair(&mut self) {
        self.count = self.words.iter().map(|word| word.count_ones() as usize).sum();
        self.lowest = self.words.iter().position(|word| *word != 0).unwrap_or(NONE);
        let mut below = &self.words[..];
        for (level, len) in self.summaries.iter_mut().zip(summary_lens(self.words.len())) {
            level.clear();
            level.extend(below.chunks(WORD).map(summary).take(len));
            below = level;
        }
        self.full.clear();
        self.full.resize(self.summaries[0].len(), 0);
        self.refill_full(0, self.covered());
    }

    /// Recomputes which of the words with the bits `from..to` are full.
    fn refill_full(&mut self, from: usize, to: usize) {
        let chunks = self.words.chunks(WORD).zip(&mut self.full);
        for (words, full) in chunks.take(to.div_ceil(CHUNK)).skip(from / CHUNK) {
            *full = bit_of_each(words, |word| word == u64::MAX);
        }
    }

    /// Returns the words of a level; level 0 has the bits of the indices.
    #[inline]
    fn level(&self, height: usize) -> &[u64] {
        match height.checked_sub(1) {
            None => &self.words,
            Some(summary) => &self.summaries[summary],
        }
    }

    /// Returns the lowest index under a bit of a level that is set.
    #[inline]
    fn lowest_below(&self, height: usize, bit: usize) -> u32 {
        let levels = (0..height).rev();
        index(levels.fold(bit, |at, height| at * WORD + lowest_bit(self.level(height)[at])))
    }

    /// Returns the first bit that is set in a level, from a word on.
    #[inline]
    fn first_on_top(&self, height: usize, from: usize) -> Option<usize> {
        let level = self.level(height);
        let word = from + level.get(from..)?.iter().position(|word| *word != 0)?;
        Some(word * WORD + lowest_bit(level[word]))
    }

    /// Updates what depends on a word in which bits were set.
    #[inline]
    fn bits_set(&mut self, word: usize, before: u64, after: u64) {
        if before == 0 {
            self.word_filled(word);
        }
        if after == u64::MAX {
            self.flip_full(word);
        }
    }

    /// Updates what depends on a word in which bits were cleared.
    #[inline]
    fn bits_cleared(&mut self, word: usize, before: u64, after: u64) {
        if before == u64::MAX {
            self.flip_full(word);
        }
        if after == 0 {
            self.word_emptied(word);
        }
    }

    #[inline(never)]
    fn flip_full(&mut self, word: usize) {
        if let Some(full) = self.full.get_mut(word / WORD) {
            *full ^= 1 << (word % WORD);
        }
    }

    /// Updates what depends on a word that was zero and is not any more.
    #[inline(never)]
    fn word_filled(&mut self, word: usize) {
        self.lowest = self.lowest.min(word);
        let mut at = word;
        for level in &mut self.summaries {
            let Some(summary) = level.get_mut(at / WORD) else { return };
            let before = *summary;
            *summary |= 1 << (at % WORD);
            if before != 0 {
                return;
            }
            at /= WORD;
        }
    }

    /// Updates what depends on a word that has become zero.
    #[inline(never)]
    fn word_emptied(&mut self, word: usize) {
        let mut at = word;
        for level in &mut self.summaries {
            let Some(summary) = level.get_mut(at / WORD) else { break };
            *summary &= !(1 << (at % WORD));
            if *summary != 0 {
                break;
            }
            at /= WORD;
        }
        if word != self.lowest {
            return;
        }
        self.lowest = if let Some(beside @ 1..) = self.summaries[0].get(word / WORD) {
            // There is nothing before the lowest word, so the other bits of its summary are after it.
            word / WORD * WORD + lowest_bit(*beside)
        } else {
            let next = self.first_at_or_after(index(word * WORD));
            next.map_or(NONE, |next| split(next).0)
        };
    }

    /// Clears the bits of `mask` in the lowest word that is not zero, and updates nothing else.
    #[cfg(test)]
    pub(crate) fn cut_off(&mut self, mask: usize) {
        let lowest = self.lowest;
        self.words[lowest] &= !(mask as u64);
    }

    /// Panics if a field does not have the value that it must have between calls.
    #[cfg(any(test, fuzzing))]
    pub fn check(&self) {
        let ones: usize = self.words.iter().map(|word| word.count_ones() as usize).sum();
        assert_eq!(self.count, ones);
        assert_eq!(self.lowest, self.words.iter().position(|word| *word != 0).unwrap_or(NONE));
        for height in 1..=HEIGHT {
            let below = self.level(height - 1);
            let expected: Vec<u64> = below.chunks(WORD).map(summary).collect();
            assert_eq!(self.level(height), if below.len() > WORD { &expected[..] } else { &[] });
        }
        let full = |words| bit_of_each(words, |word| word == u64::MAX);
        let expected: Vec<u64> = self.words.chunks(WORD).map(full).collect();
        assert_eq!(self.full, if self.words.len() > WORD { &expected[..] } else { &[] });
    }
}

debug_fields!([] Bitmap, "Bitmap", |bitmap| count: bitmap.count, covered: bitmap.covered());

/// Returns the word of an index, and the bit in it.
#[inline]
const fn split(index: u32) -> (usize, u64) {
    (index as usize / WORD, 1 << (index as usize % WORD))
}

/// Returns the index of a bit, of which there are at most 2^32.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "`cover` accepts no more")]
const fn index(at: usize) -> u32 {
    at as u32
}

/// Returns the position of the lowest bit of a word that is not zero.
#[inline]
const fn lowest_bit(word: u64) -> usize {
    word.trailing_zeros() as usize
}

/// Returns a bit for each of up to 64 words, which is set if the word is not zero.
fn summary(words: &[u64]) -> u64 {
    bit_of_each(words, |word| word != 0)
}

/// Returns a bit for each of up to 64 words, which is set if `is_it`.
fn bit_of_each(words: &[u64], is_it: impl Fn(u64) -> bool) -> u64 {
    words.iter().rev().fold(0, |bits, word| bits << 1 | u64::from(is_it(*word)))
}

/// Whether one of the indices from `chunk * CHUNK` on may be in the set. Without a summary, there is at most one chunk,
/// which is always visited.
#[inline]
fn has_bits(summaries: &[Vec<u64>; HEIGHT], chunk: usize) -> bool {
    summaries[0].get(chunk).is_none_or(|summary| *summary != 0)
}

/// Returns the number of words of each summary over `words` words.
fn summary_lens(words: usize) -> [usize; HEIGHT] {
    let mut below = words;
    [(); HEIGHT].map(|()| {
        below = if below > WORD { below.div_ceil(WORD) } else { 0 };
        below
    })
}

/// Returns the words that hold bits `from..to`, at least one, each with a mask of these bits: the first word, the full
/// ones, and the last.
fn masked(from: usize, to: usize) -> [(Range<usize>, u64); 3] {
    let (first, last) = (from / WORD, (to - 1) / WORD);
    let head = u64::MAX << (from % WORD);
    let tail = u64::MAX >> (WORD - 1 - (to - 1) % WORD);
    if first == last {
        return [(first..first + 1, head & tail), (0..0, 0), (0..0, 0)];
    }
    [(first..first + 1, head), (first + 1..last, u64::MAX), (last..last + 1, tail)]
}

/// Sets bits `from..to`, at least one.
fn set_bits(words: &mut [u64], from: usize, to: usize) {
    for (range, mask) in masked(from, to) {
        for word in &mut words[range] {
            *word |= mask;
        }
    }
}

/// Clears bits `from..to`, at least one, and returns how many were set.
fn clear_bits(words: &mut [u64], from: usize, to: usize) -> usize {
    let mut changed = 0;
    for (range, mask) in masked(from, to) {
        for word in &mut words[range] {
            changed += (mask & *word).count_ones() as usize;
            *word &= !mask;
        }
    }
    changed
}
