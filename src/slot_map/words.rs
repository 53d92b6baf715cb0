//! [`Words`]: the memory that a [`Bitmap`](super::bitmap::Bitmap) lies in.
//!
//! It is an array, at first in a block of the heap: that costs less than addresses of its own, and a first
//! touch of their first page. (Of a new map of a thousand values of 4 bytes, insertion took 13 ns a value
//! without blocks and takes 10, and the first removals 14 and 4.) When there are more than [`MOST_IN_HEAP`], they are
//! copied, once, to where an array grows without a copy.
//!
//! Where there is no virtual memory, a reservation is a block of the heap itself, and all words are in the heap.

#![forbid(unsafe_code)]

use crate::backing::Block;
use crate::error::Error;
use crate::raw_vec::Options;
use crate::vec::{VecStats, VmVec};
use std::ops::{Deref, DerefMut};

#[cfg(test)]
mod tests;

/// How many words are in the heap at most: those of 32,768 slots, which are copied in less than the time of a
/// page fault.
const MOST_IN_HEAP: usize = if cfg!(no_vm) { isize::MAX as usize } else { 512 };

/// Words, all zero at first.
#[derive(Debug)]
pub(super) struct Words {
    array: VmVec<u64>,
    in_heap: bool,
}

impl Words {
    /// None. The options are for when there are many.
    pub(super) const fn with_options(options: &'static Options) -> Self {
        Self { array: VmVec::with_options(options), in_heap: false }
    }

    /// The same, with options made on the way.
    pub(super) fn try_unreserved(options: Options) -> Result<Self, Error> {
        Ok(Self { array: VmVec::try_unreserved(options)?, in_heap: false })
    }

    /// Has the array be where it can grow by so many.
    fn settle(&mut self, additional: usize) -> Result<(), Error> {
        let len = self.array.len() + additional;
        if len <= self.array.capacity() || !self.in_heap && self.array.capacity() > 0 {
            return Ok(());
        }
        let options = self.array.options();
        let most = options.max_len.unwrap_or(usize::MAX).min(MOST_IN_HEAP);
        let in_heap = len <= most;
        let mut array = if in_heap {
            let room = len.next_power_of_two().min(most);
            VmVec::try_new_in(Block::try_new(room)?, options, room)
                .map_err(|refused| refused.error)?
        } else {
            VmVec::try_unreserved(options)?
        };
        if !self.array.is_empty() {
            array.try_reserve(self.array.len())?;
            array.extend_from_slice(&self.array);
        }
        *self = Self { array, in_heap };
        Ok(())
    }

    pub(super) fn try_reserve(&mut self, additional: usize) -> Result<(), Error> {
        self.settle(additional)?;
        self.array.try_reserve(additional)
    }

    /// Adds zeroes, without touching memory that is fresh from the system.
    pub(super) fn try_extend_zero_words(&mut self, additional: usize) -> Result<(), Error> {
        self.settle(additional)?;
        self.array.try_extend_zero_words(additional)
    }

    pub(super) fn try_resize(&mut self, new_len: usize, word: u64) -> Result<(), Error> {
        self.settle(new_len.saturating_sub(self.array.len()))?;
        Ok(self.array.try_resize(new_len, word)?)
    }

    pub(super) const fn capacity(&self) -> usize {
        self.array.capacity()
    }

    pub(super) fn truncate(&mut self, len: usize) {
        self.array.truncate(len);
    }

    /// Gives memory back beyond so many words. A block stays what it is.
    pub(super) fn shrink_to(&mut self, capacity: usize) {
        if !self.in_heap {
            self.array.shrink_to(capacity);
        }
    }

    pub(super) fn stats(&self) -> VecStats {
        let stats = self.array.stats();
        if !self.in_heap {
            return stats;
        }
        // A block is as good as resident.
        VecStats { resident_bytes: (!cfg!(no_vm)).then_some(stats.committed_bytes), ..stats }
    }
}

impl Deref for Words {
    type Target = [u64];

    #[inline]
    fn deref(&self) -> &[u64] {
        &self.array
    }
}

impl DerefMut for Words {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u64] {
        &mut self.array
    }
}
