//! Counts blocks and their memory, for statistics.
//!
//! Each number is exact. They are from the same moment only while no other thread changes them.

use crate::region_cache::{CLASSES, class_of};
use std::sync::atomic::{AtomicUsize, Ordering};

const ORDER: Ordering = Ordering::Relaxed;

/// Committed memory is a multiple of this.
#[cfg(target_pointer_width = "64")]
const UNIT_BYTES: usize = 4 << 10;

/// How many blocks there are, and the committed bytes of these, including headers. In one word, since each change of an
/// atomic takes a twentieth of the time to allocate and free a block: units below, blocks above.
#[cfg(target_pointer_width = "64")]
struct Tally(AtomicUsize);

#[cfg(target_pointer_width = "64")]
impl Tally {
    const UNIT_BITS: u32 = 40;

    const fn new() -> Self {
        Self(AtomicUsize::new(0))
    }

    /// A block of `bytes` as a word. Sums and differences of words wrap, but the sum of all does not.
    const fn block(bytes: usize) -> usize {
        (1 << Self::UNIT_BITS) + bytes / UNIT_BYTES
    }

    fn begun(&self, bytes: usize) {
        self.0.fetch_add(Self::block(bytes), ORDER);
    }

    fn ended(&self, bytes: usize) {
        self.0.fetch_sub(Self::block(bytes), ORDER);
    }

    fn resized(&self, before: usize, after: usize) {
        self.0.fetch_add(Self::block(after).wrapping_sub(Self::block(before)), ORDER);
    }

    fn get(&self) -> (usize, usize) {
        let word = self.0.load(ORDER);
        let units = word & ((1 << Self::UNIT_BITS) - 1);
        (word >> Self::UNIT_BITS, units * UNIT_BYTES)
    }
}

/// Words are too small for that.
#[cfg(not(target_pointer_width = "64"))]
struct Tally {
    blocks: AtomicUsize,
    bytes: AtomicUsize,
}

#[cfg(not(target_pointer_width = "64"))]
impl Tally {
    const fn new() -> Self {
        Self { blocks: AtomicUsize::new(0), bytes: AtomicUsize::new(0) }
    }

    fn begun(&self, bytes: usize) {
        self.blocks.fetch_add(1, ORDER);
        self.bytes.fetch_add(bytes, ORDER);
    }

    fn ended(&self, bytes: usize) {
        self.blocks.fetch_sub(1, ORDER);
        self.bytes.fetch_sub(bytes, ORDER);
    }

    fn resized(&self, before: usize, after: usize) {
        // Wraps if the block shrank, and so does the sum.
        self.bytes.fetch_add(after.wrapping_sub(before), ORDER);
    }

    fn get(&self) -> (usize, usize) {
        (self.blocks.load(ORDER), self.bytes.load(ORDER))
    }
}

/// Blocks in use, by [class](class_of).
static TALLIES: [Tally; CLASSES] = [const { Tally::new() }; CLASSES];

/// Returns how many blocks of a class are in use, and how many bytes of them are committed.
pub(in crate::alloc) fn of_class(class: usize) -> (usize, usize) {
    TALLIES[class].get()
}

pub(super) fn begun(bytes: usize) {
    TALLIES[class_of(bytes)].begun(bytes);
}

pub(super) fn ended(bytes: usize) {
    TALLIES[class_of(bytes)].ended(bytes);
}

pub(super) fn resized(before: usize, after: usize) {
    if class_of(before) == class_of(after) {
        TALLIES[class_of(after)].resized(before, after);
    } else {
        ended(before);
        begun(after);
    }
}
