//! [`Floors`]: generations of vacant slots whose memory does not record them.

#![forbid(unsafe_code)]

use crate::error::{Error, ErrorKind};
use crate::heap::try_reserve_exact;

/// For slots whose states read as empty, or that are past the last one, a generation that is at least the last one that
/// each has had.
///
/// When such a slot is used again it starts above that generation, so keys that were made before stay stale. It is less
/// than the last generation of the key type, since slots that had that are retired. It is kept for each block of slots,
/// so that a slot that was used often makes only its neighbours start high.
///
/// Vacant slots that were read by `serde` or from a file may have an exact generation here instead of in their state,
/// so that reading them does not make their pages resident.
#[derive(Debug)]
pub(crate) struct Floors {
    blocks: Vec<u32>,
    /// The generation of all blocks past these.
    beyond: u32,
    /// Generations of slots from `first_read` on; 0 if a slot has none. A generation is valid while the slot's state is
    /// empty, and is erased before a state becomes empty again.
    read: Vec<u32>,
    first_read: usize,
}

impl Floors {
    pub(crate) const NONE: Self = Self::above(0);

    const fn above(generation: u32) -> Self {
        Self { blocks: Vec::new(), beyond: generation, read: Vec::new(), first_read: 0 }
    }

    #[inline]
    pub(crate) fn of_block(&self, block: usize) -> u32 {
        self.blocks.get(block).copied().unwrap_or(self.beyond)
    }

    /// Returns the generation that was read for a slot with an empty state, or 0.
    pub(crate) fn read_of(&self, index: u32) -> u32 {
        let place = (index as usize).checked_sub(self.first_read);
        place.and_then(|place| self.read.get(place).copied()).unwrap_or(0)
    }

    /// Returns the generation of a hole with an empty state: the one that was read, or that of its block.
    pub(crate) fn of_hole(&self, index: u32, block: usize) -> u32 {
        match self.read_of(index) {
            0 => self.of_block(block),
            generation => generation,
        }
    }

    /// Stores the generation of a slot, which must be past all others that have one here.
    #[cfg(any(feature = "serde", feature = "file"))]
    pub(crate) fn try_set_read(&mut self, index: u32, generation: u32) -> Result<(), Error> {
        let index = index as usize;
        if self.read.is_empty() {
            self.first_read = index;
        }
        let additional = index + 1 - (self.first_read + self.read.len());
        let bytes = additional * size_of::<u32>();
        self.read.try_reserve(additional).map_err(|_| Error::new(ErrorKind::Memory, bytes))?;
        self.read.resize(index - self.first_read, 0);
        self.read.push(generation);
        Ok(())
    }

    pub(crate) fn forget_read(&mut self, index: u32) {
        let place = (index as usize).checked_sub(self.first_read);
        if let Some(read) = place.and_then(|place| self.read.get_mut(place)) {
            *read = 0;
        }
    }

    /// Erases the generations that were read for slots from `len` on.
    pub(crate) fn forget_read_from(&mut self, len: usize) {
        self.read.truncate(len.saturating_sub(self.first_read));
    }

    /// Erases all generations that were read, except for slots that `is_kept` selects, and deallocates them if none is
    /// left.
    pub(crate) fn retain_read(&mut self, is_kept: impl Fn(u32) -> bool) {
        let first = u32::try_from(self.first_read).unwrap_or(u32::MAX);
        for (index, read) in (first..).zip(&mut self.read) {
            if !is_kept(index) {
                *read = 0;
            }
        }
        if self.read.iter().all(|read| *read == 0) {
            self.read = Vec::new();
        }
    }

    /// Returns the generations of the first blocks, which have one each, and that of all blocks past them.
    pub(crate) fn parts(&self) -> (&[u32], u32) {
        (&self.blocks, self.beyond)
    }

    /// Whether this block and all blocks past it have one generation in common.
    #[inline]
    pub(crate) fn is_beyond(&self, block: usize) -> bool {
        block >= self.blocks.len()
    }

    pub(crate) fn set_all(&mut self, generation: u32) {
        self.blocks.clear();
        self.beyond = generation;
        self.read = Vec::new();
    }

    /// Raises the generation of a block. The caller must have [reserved](Self::try_reserve) memory for it.
    pub(crate) fn raise_block(&mut self, block: usize, generation: u32) {
        if self.blocks.len() <= block {
            self.blocks.resize(block + 1, self.beyond);
        }
        self.blocks[block] = self.blocks[block].max(generation);
    }

    pub(crate) fn try_reserve(&mut self, blocks: usize) -> Result<(), Error> {
        let additional = blocks.saturating_sub(self.blocks.len());
        let bytes = additional * size_of::<u32>();
        self.blocks.try_reserve(additional).map_err(|_| Error::new(ErrorKind::Memory, bytes))
    }

    #[cfg(any(feature = "serde", feature = "file"))]
    pub(crate) fn set_blocks(&mut self, blocks: Vec<u32>, beyond: u32) {
        (self.blocks, self.beyond) = (blocks, beyond);
    }

    pub(crate) fn try_clone(&self) -> Result<Self, Error> {
        let mut clone = Self { first_read: self.first_read, ..Self::above(self.beyond) };
        clone.try_reserve(self.blocks.len())?;
        clone.blocks.extend_from_slice(&self.blocks);
        try_reserve_exact(&mut clone.read, self.read.len())?;
        clone.read.extend_from_slice(&self.read);
        Ok(clone)
    }
}
