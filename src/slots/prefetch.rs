//! Prefetching slots when the caller has many keys.
//!
//! # Why this is sound
//!
//! A prefetch is a hint: it may have any address, even an inaccessible one, has no effect that the program can observe,
//! and raises no fault. So indices are not checked, and the slots need not be borrowed.

#![cfg_attr(
    all(not(miri), any(target_arch = "x86_64", target_arch = "aarch64")),
    expect(unsafe_code, reason = "executes prefetch instructions")
)]

use super::array::Slots;
use super::array::slot::Slot;
use super::cursor::{HoleBits, WORD_SLOTS, Word};
use crate::key::Key;
use std::ptr::NonNull;

/// How many keys are prefetched ahead: about as many misses as one core handles at a time.
const AHEAD: usize = 32;

/// Arrays of this size or less are probably in the cache, or near it.
const NEAR_BYTES: usize = 4 << 20;

/// The size of a cache line on most processors.
const LINE_BYTES: usize = 64;

/// The slots to prefetch from.
pub(crate) struct Prefetcher<V> {
    start: NonNull<Slot<V>>,
    is_near: bool,
}

/// Slots of at least this size are prefetched: those of a word are far apart, and if many are holes, the processor does
/// not predict which is next.
const LARGE_BYTES: usize = 32;

/// How many words ahead of an iteration slots are prefetched. More gains nothing.
const WORDS_AHEAD: usize = 4;

impl<V> Slots<V> {
    /// Prefetches slots [`WORDS_AHEAD`] words after the one that an iteration has reached, whose first slot is `first`,
    /// if that helps: those of one word that are not holes.
    #[inline]
    pub(super) fn prefetch_word_ahead(start: NonNull<Slot<V>>, first: usize, holes: HoleBits<'_>) {
        if Self::STRIDE_BYTES >= LARGE_BYTES {
            let ahead = first + WORDS_AHEAD * WORD_SLOTS;
            prefetch_word(start.as_ptr().cast(), Self::STRIDE_BYTES, ahead, holes.words);
        }
    }

    /// [`prefetch_word_ahead`](Self::prefetch_word_ahead) for a word of these slots.
    #[inline]
    pub(crate) fn prefetch_ahead_of(&self, word: Word, holes: HoleBits<'_>) {
        Self::prefetch_word_ahead(self.start(), word.start() as usize, holes);
    }

    #[inline]
    pub(crate) fn prefetch_hole(&self, index: u32) {
        let start = self.start().as_ptr().cast();
        prefetch_hole(start, Self::STRIDE_BYTES, Self::STATE_OFFSET, index);
    }

    #[inline]
    pub(crate) fn ahead(&self) -> Prefetcher<V> {
        let is_near = self.len() <= NEAR_BYTES / Self::STRIDE_BYTES;
        Prefetcher { start: self.start(), is_near }
    }
}

impl<V> Prefetcher<V> {
    /// Visits all keys in order. In a large array, the slot of each key is prefetched when the key comes out of the
    /// iterator, up to [`AHEAD`] keys before it is visited.
    #[inline]
    pub(crate) fn each<K: Key>(&self, keys: impl IntoIterator<Item = K>, mut visit: impl FnMut(K)) {
        if self.is_near {
            // A `for` loop is unrolled; `for_each` is not.
            for key in keys {
                visit(key);
            }
            return;
        }
        self.each_by_halves(keys, &mut visit, |_, _| {}, |visit, key| visit(key));
    }

    /// [`each`](Self::each) if a slot says what else will be read: `prefetch_more` is called for each key halfway, to
    /// prefetch that. Also helps if only that other memory is large.
    #[inline]
    pub(crate) fn each_by_halves<K: Key, M>(
        &self,
        keys: impl IntoIterator<Item = K>,
        map: &mut M,
        prefetch_more: impl Fn(&M, K),
        mut visit: impl FnMut(&mut M, K),
    ) {
        let mut ring = [None; AHEAD];
        let mut oldest = 0;
        keys.into_iter().for_each(|key| {
            self.prefetch_key(key);
            if let Some(key) = ring[(oldest + AHEAD / 2) % AHEAD] {
                prefetch_more(map, key);
            }
            let this = ring[oldest].replace(key);
            oldest = (oldest + 1) % AHEAD;
            if let Some(key) = this {
                visit(map, key);
            }
        });
        let (newer, older) = ring.split_at(oldest);
        let left = || older.iter().chain(newer).flatten();
        let done = left().count().saturating_sub(AHEAD / 2);
        left().skip(done).for_each(|key| prefetch_more(map, *key));
        left().for_each(|key| visit(map, *key));
    }

    #[inline]
    fn prefetch_key<K: Key>(&self, key: K) {
        self.prefetch_slot(key.data().index());
    }

    #[inline]
    pub(crate) fn prefetch_slot(&self, index: u32) {
        let slot = self.start.as_ptr().wrapping_add(index as usize);
        prefetch(slot.cast());
        // A slot that crosses a line has its state in the second one.
        if LINE_BYTES % Slots::<V>::STRIDE_BYTES != 0 {
            prefetch(slot.cast::<u8>().wrapping_add(Slots::<V>::STATE_OFFSET));
        }
    }
}

/// Whether an array of this size is probably in the cache, or near it.
#[inline]
pub(crate) const fn is_near(bytes: usize) -> bool {
    bytes <= NEAR_BYTES
}

/// Prefetches a value, which may cross a line; of a large one, the first and the last line.
#[inline]
pub(crate) fn prefetch_value<T>(value: *const T) {
    prefetch(value.cast());
    if LINE_BYTES % size_of::<T>().max(1) != 0 {
        prefetch(value.cast::<u8>().wrapping_add(size_of::<T>() - 1));
    }
}

/// Prefetches a hole in front that will be filled soon, except for its state, which was just read.
///
/// Otherwise each line would be waited for when a value is written to it. The median frame that removes 5,000 of up to
/// a million values and inserts 9,090 takes 410 µs without this and 250 µs with it for values of 64 bytes, and 1,080
/// and 900 µs for 256 bytes.
#[inline]
pub(super) fn prefetch_hole(start: *const u8, stride: usize, state_offset: usize, index: u32) {
    /// The rest of a larger slot is fetched while its first lines are written.
    const MOST_BYTES: usize = 8 * LINE_BYTES;
    // The slot is in the same line as its state.
    if LINE_BYTES % stride == 0 {
        return;
    }
    let slot = start.wrapping_add(index as usize * stride);
    for line in (0..state_offset.min(MOST_BYTES)).step_by(LINE_BYTES) {
        prefetch(slot.wrapping_add(line));
    }
}

/// Prefetches the slots of a word that are not holes, `stride` bytes apart, if many are holes.
#[cold]
#[inline(never)]
fn prefetch_word(start: *const u8, stride: usize, first: usize, holes: &[u64]) {
    /// With fewer holes, the processor prefetches without being told to.
    const MANY: u32 = 16;
    // Compared here, since the compiler would make two loops of one that depends on it.
    if holes.len() <= NEAR_BYTES / WORD_SLOTS / stride {
        return;
    }
    let mut left = match holes.get(first / WORD_SLOTS) {
        Some(word) if word.count_ones() >= MANY => !word,
        _ => return,
    };
    while left != 0 {
        let slot = start.wrapping_add((first + left.trailing_zeros() as usize) * stride);
        prefetch(slot);
        // The line of the state, if the slot crosses a line.
        if LINE_BYTES % stride != 0 {
            prefetch(slot.wrapping_add(stride - 1));
        }
        left &= left - 1;
    }
}

/// Prefetches the line of an address, which may be any, into the second-level cache.
///
/// Lines on their way to the first level each occupy one of few buffers (24 on AMD's Zen 4), and when all are in use,
/// the next load waits. On Zen 4, `get_many` in a map of 8 M slots takes 9.2 ns per key with this, and 12 to 13.7 ns
/// through the first level; iterating over slots of 64 bytes, half of them holes, takes 6.0 and 10.4 ns per value.
#[inline]
#[cfg_attr(
    any(miri, not(any(target_arch = "x86_64", target_arch = "aarch64"))),
    allow(clippy::missing_const_for_fn, reason = "it does nothing here")
)]
fn prefetch(address: *const u8) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        // SAFETY: the intrinsic needs SSE, which is part of x86-64, and accepts any address: it is a hint.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(address.cast()) };
    }
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    // SAFETY: the instruction is part of AArch64 and accepts any address: it is a hint. It changes no register, no flag
    // and no memory, as the options say.
    unsafe {
        std::arch::asm!(
            "prfm pldl2keep, [{address}]",
            address = in(reg) address,
            options(readonly, nostack, preserves_flags),
        );
    }
    #[cfg(any(miri, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
    let _ = address;
}
