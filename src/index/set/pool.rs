//! [`Pool`]: numbered chunks of one kind.

use super::chunk::Chunk;
use crate::error::Error;
use crate::index::bucket::NONE;
use crate::index::memory::{array, copy, too_many};
use crate::vec::VmVec;
use std::ops::{Index, IndexMut};

/// Chunks, including free ones, which are chained.
pub(super) struct Pool<C> {
    chunks: VmVec<C>,
    free: u32,
}

impl<C: Chunk> Pool<C> {
    pub(super) const fn new() -> Self {
        Self { chunks: array(), free: NONE }
    }

    pub(super) fn try_clone(&self) -> Result<Self, Error> {
        Ok(Self { chunks: copy(&self.chunks)?, free: self.free })
    }

    /// Reserves memory for one chunk. Returns an upper bound of the numbers that chunks get until that memory is used
    /// up.
    ///
    /// # Errors
    ///
    /// If memory is refused, or all numbers are in use.
    #[inline]
    pub(super) fn try_reserve_one(&mut self) -> Result<u32, Error> {
        if self.free == NONE { self.try_reserve_fresh(1) } else { Ok(self.free) }
    }

    /// Reserves memory for `fresh` chunks in addition to the free ones. Returns the number that the last would have.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve_one`](Self::try_reserve_one).
    pub(super) fn try_reserve_fresh(&mut self, fresh: u32) -> Result<u32, Error> {
        let end = u32::try_from(self.chunks.len()).unwrap_or(NONE).saturating_add(fresh);
        if end > C::MOST {
            return Err(too_many(C::MOST));
        }
        self.chunks.try_reserve(fresh as usize)?;
        Ok(end - 1)
    }

    /// Makes room for two more chunks, free ones included, and returns the highest number that they can have.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve_one`](Self::try_reserve_one).
    pub(super) fn try_reserve_two(&mut self) -> Result<u32, Error> {
        match self.free {
            NONE => self.try_reserve_fresh(2),
            free if self[free].next_free() == NONE => self.try_reserve_fresh(1),
            _ => Ok(u32::try_from(self.chunks.len() - 1).unwrap_or(NONE)),
        }
    }

    /// Adds a chunk, for which memory was reserved, and returns its number.
    #[inline]
    pub(super) fn put(&mut self, chunk: C) -> u32 {
        match self.free {
            NONE => {
                self.chunks.push(chunk);
                u32::try_from(self.chunks.len() - 1).unwrap_or(NONE)
            }
            free => {
                self.free = self[free].next_free();
                self[free] = chunk;
                free
            }
        }
    }

    #[inline]
    pub(super) fn give_free(&mut self, number: u32) {
        self[number] = C::free(self.free);
        self.free = number;
    }

    /// Moves chunks from the end to free places, and truncates the array after the last chunk in use.
    ///
    /// After each move, `moved` is called with all chunks, the old number and the new one.
    pub(super) fn pack(&mut self, mut moved: impl FnMut(&mut [C], u32, u32)) {
        let (mut free, mut end) = (0, self.chunks.len());
        loop {
            while free < end && !self.chunks[free].is_free() {
                free += 1;
            }
            while free < end && self.chunks[end - 1].is_free() {
                end -= 1;
            }
            if free == end {
                break;
            }
            end -= 1;
            self.chunks[free] = self.chunks[end];
            // There are at most as many chunks as can be numbered.
            let numbers = [end, free].map(|number| u32::try_from(number).unwrap_or(NONE));
            moved(&mut self.chunks, numbers[0], numbers[1]);
        }
        self.chunks.truncate(end);
        self.free = NONE;
    }

    pub(super) fn clear(&mut self) {
        self.chunks.clear();
        self.free = NONE;
    }

    pub(super) const fn chunks(&self) -> &VmVec<C> {
        &self.chunks
    }

    pub(super) const fn chunks_mut(&mut self) -> &mut VmVec<C> {
        &mut self.chunks
    }

    #[inline]
    pub(super) const fn as_slice(&self) -> &[C] {
        self.chunks.as_slice()
    }

    #[cfg(any(test, fuzzing))]
    pub(super) fn used(&self) -> usize {
        let (mut used, mut free) = (self.chunks.len(), self.free);
        while free != NONE {
            (used, free) = (used - 1, self[free].next_free());
        }
        used
    }
}

impl<C> Index<u32> for Pool<C> {
    type Output = C;

    #[inline]
    fn index(&self, number: u32) -> &C {
        &self.chunks[number as usize]
    }
}

impl<C> IndexMut<u32> for Pool<C> {
    #[inline]
    fn index_mut(&mut self, number: u32) -> &mut C {
        &mut self.chunks[number as usize]
    }
}
