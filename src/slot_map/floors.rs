//! [`Floors`]: generations of slots whose own record of them is gone.

#![forbid(unsafe_code)]

use crate::error::{Error, ErrorKind};

/// For slots whose states read as empty, a generation that is at least the last one each has had.
///
/// A slot that comes to be used again starts above it, so keys that were made before stay stale.
/// It is less than the last generation of the key type, since slots that had that are retired.
#[derive(Debug)]
pub(super) struct Floors {
    /// For slots behind the last one.
    tail: u32,
    /// For slots in blocks that memory was handed back from.
    blocks: Vec<u32>,
}

impl Floors {
    pub(super) const NONE: Self = Self { tail: 0, blocks: Vec::new() };

    #[inline]
    pub(super) const fn tail(&self) -> u32 {
        self.tail
    }

    pub(super) fn raise_tail(&mut self, generation: u32) {
        self.tail = self.tail.max(generation);
    }

    #[cold]
    pub(super) fn of_block(&self, block: usize) -> u32 {
        self.blocks.get(block).copied().unwrap_or(0)
    }

    /// The caller has [made room](Self::try_reserve).
    pub(super) fn raise_block(&mut self, block: usize, generation: u32) {
        if self.blocks.len() <= block {
            self.blocks.resize(block + 1, 0);
        }
        self.blocks[block] = self.blocks[block].max(generation);
    }

    /// Makes room for so many blocks.
    pub(super) fn try_reserve(&mut self, blocks: usize) -> Result<(), Error> {
        let additional = blocks.saturating_sub(self.blocks.len());
        let bytes = additional * size_of::<u32>();
        self.blocks.try_reserve(additional).map_err(|_| Error::new(ErrorKind::Memory, bytes))
    }

    pub(super) fn try_clone(&self) -> Result<Self, Error> {
        let mut clone = Self { tail: self.tail, blocks: Vec::new() };
        clone.try_reserve(self.blocks.len())?;
        clone.blocks.extend_from_slice(&self.blocks);
        Ok(clone)
    }
}
