//! Asking for the memory of slots ahead of their use, where many keys come at once.
//!
//! # Why this is sound
//!
//! To prefetch is a hint: an address that nobody may read is as good as another, nothing is read that
//! the program sees, and no fault is raised. So no index is checked, and the slots need not be
//! borrowed.

#![cfg_attr(
    all(not(miri), any(target_arch = "x86_64", target_arch = "aarch64")),
    expect(unsafe_code, reason = "tells the processor what will be read")
)]

use super::array::{Slot, Slots};
use super::cursor::{WORD_SLOTS, Word};
use crate::key::Key;
use std::ptr::NonNull;

/// How many keys are asked for ahead. Enough for what one core can have under way.
const AHEAD: usize = 32;

/// Slots that take no more than this are in the cache anyhow, or near it.
const NEAR_BYTES: usize = 4 << 20;

/// In what the processor fetches memory, mostly.
const LINE_BYTES: usize = 64;

/// Where slots are, to be asked for.
pub(crate) struct Ahead<V> {
    start: NonNull<Slot<V>>,
    is_near: bool,
}

/// Of slots as large as this, those of a word are far from each other, and the processor does not see
/// what is next where many are holes.
const LARGE_BYTES: usize = 32;

/// How many words ahead of a walk slots are asked for. Farther gains no more.
const WORDS_AHEAD: usize = 4;

impl<V> Slots<V> {
    /// Asks for slots behind the word that a walk has come to, whose first slot is given: for those of one
    /// word that are no holes, if that is worth while.
    #[inline]
    pub(super) fn ask_behind_word(start: NonNull<Slot<V>>, first: usize, holes: &[u64]) {
        if Self::STRIDE_BYTES >= LARGE_BYTES {
            let behind = first + WORDS_AHEAD * WORD_SLOTS;
            ask_for_word(start.as_ptr().cast(), Self::STRIDE_BYTES, behind, holes);
        }
    }

    /// The same, where the walk has come to a word of these slots.
    #[inline]
    pub(crate) fn ask_behind(&self, word: Word, holes: &[u64]) {
        Self::ask_behind_word(self.start(), word.start() as usize, holes);
    }

    /// See [`ask_for_hole`].
    #[inline]
    pub(crate) fn ask_for_hole(&self, index: u32) {
        let start = self.start().as_ptr().cast();
        ask_for_hole(start, Self::STRIDE_BYTES, Self::STATE_OFFSET, index);
    }

    #[inline]
    pub(crate) fn ahead(&self) -> Ahead<V> {
        let is_near = self.len() <= NEAR_BYTES / Self::STRIDE_BYTES;
        Ahead { start: self.start(), is_near }
    }
}

impl<V> Ahead<V> {
    /// Visits all keys in their order, with the slot of each asked for when it comes out of the
    /// iterator, where that is worth while: then that is up to [`AHEAD`] keys before it is visited.
    #[inline]
    pub(crate) fn each<K: Key>(&self, keys: impl IntoIterator<Item = K>, mut visit: impl FnMut(K)) {
        let keys = keys.into_iter();
        if self.is_near {
            // A loop, which is unrolled where `for_each` is not.
            for key in keys {
                visit(key);
            }
            return;
        }
        let mut ring = [None; AHEAD];
        let mut oldest = 0;
        keys.for_each(|key| {
            self.ask(key);
            let this = ring[oldest].replace(key);
            oldest = (oldest + 1) % AHEAD;
            if let Some(key) = this {
                visit(key);
            }
        });
        let (newer, older) = ring.split_at(oldest);
        older.iter().chain(newer).flatten().for_each(|key| visit(*key));
    }

    /// The same where a slot says what else will be read: `ask` is told each key halfway, to ask for that. So it is of
    /// use where that is not near, even if the slots are.
    #[inline]
    pub(crate) fn each_by_halves<K: Key, M>(
        &self,
        keys: impl IntoIterator<Item = K>,
        map: &mut M,
        ask: impl Fn(&M, K),
        mut visit: impl FnMut(&mut M, K),
    ) {
        let mut ring = [None; AHEAD];
        let mut oldest = 0;
        keys.into_iter().for_each(|key| {
            self.ask(key);
            if let Some(key) = ring[(oldest + AHEAD / 2) % AHEAD] {
                ask(map, key);
            }
            let this = ring[oldest].replace(key);
            oldest = (oldest + 1) % AHEAD;
            if let Some(key) = this {
                visit(map, key);
            }
        });
        let (newer, older) = ring.split_at(oldest);
        let left = || older.iter().chain(newer).flatten();
        let asked = left().count().saturating_sub(AHEAD / 2);
        left().skip(asked).for_each(|key| ask(map, *key));
        left().for_each(|key| visit(map, *key));
    }

    #[inline]
    fn ask<K: Key>(&self, key: K) {
        self.ask_for(key.data().index());
    }

    #[inline]
    pub(crate) fn ask_for(&self, index: u32) {
        let slot = self.start.as_ptr().wrapping_add(index as usize);
        prefetch(slot.cast());
        // One that lies across two lines has its state in the second.
        if LINE_BYTES % Slots::<V>::STRIDE_BYTES != 0 {
            prefetch(slot.cast::<u8>().wrapping_add(Slots::<V>::STATE_OFFSET));
        }
    }
}

/// Whether an array of so many bytes is in the cache anyhow, or near it.
#[inline]
pub(crate) const fn is_near(bytes: usize) -> bool {
    bytes <= NEAR_BYTES
}

/// Asks for a value, which may lie across two lines; of a large one, for the first and the last.
#[inline]
pub(crate) fn ask_for<T>(value: *const T) {
    prefetch(value.cast());
    if LINE_BYTES % size_of::<T>().max(1) != 0 {
        prefetch(value.cast::<u8>().wrapping_add(size_of::<T>() - 1));
    }
}

/// Asks for a slot that is a hole in front now and soon filled: but for its state, which was just looked
/// at.
///
/// As the values are written, their lines would be fetched one after the other, and waited for. Measured,
/// in the median frame that removes 5,000 of up to a million values of 64 bytes and inserts 9,090: 410 us
/// without this, 250 with it; of 256 bytes 1,080 and 900.
#[inline]
pub(super) fn ask_for_hole(start: *const u8, stride: usize, state_offset: usize, index: u32) {
    /// The rest of larger slots is fetched while the first lines are written.
    const MOST_BYTES: usize = 8 * LINE_BYTES;
    // In one line with the state.
    if LINE_BYTES % stride == 0 {
        return;
    }
    let slot = start.wrapping_add(index as usize * stride);
    for line in (0..state_offset.min(MOST_BYTES)).step_by(LINE_BYTES) {
        prefetch(slot.wrapping_add(line));
    }
}

/// Asks for the slots of a word that are no holes, if many are, so many bytes apart; in a large map.
#[cold]
#[inline(never)]
fn ask_for_word(start: *const u8, stride: usize, first: usize, holes: &[u64]) {
    /// With fewer, the processor fetches them without being asked to.
    const MANY: u32 = 16;
    let mut left = match holes.get(first / WORD_SLOTS) {
        Some(word)
            if word.count_ones() >= MANY && holes.len() > NEAR_BYTES / WORD_SLOTS / stride =>
        {
            !word
        }
        _ => return,
    };
    while left != 0 {
        let slot = start.wrapping_add((first + left.trailing_zeros() as usize) * stride);
        prefetch(slot);
        // Where the state is, if it lies across two lines.
        if LINE_BYTES % stride != 0 {
            prefetch(slot.wrapping_add(stride - 1));
        }
        left &= left - 1;
    }
}

/// Has the processor fetch the line of an address, whatever that is, into the second level of its
/// caches.
///
/// Lines on their way to the first level take one of few places each (24 on AMD's Zen 4), and when all
/// are taken, whoever asks waits. Measured there, `get_many` of a map of 8 M slots takes 9.2 ns a key so,
/// and 12 to 13.7 by way of the first level; a walk past half of the slots of 64 bytes 6.0 and 10.4 ns a
/// value, in the same runs.
#[inline]
#[cfg_attr(
    any(miri, not(any(target_arch = "x86_64", target_arch = "aarch64"))),
    allow(clippy::missing_const_for_fn, reason = "it does nothing here")
)]
fn prefetch(address: *const u8) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        // SAFETY: it is a hint, of any address, by an instruction that every such processor has.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(address.cast()) };
    }
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    // SAFETY: the same; it changes no register and no flag.
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
