//! [`Floors`]: generations of slots whose own record of them is gone.

#![forbid(unsafe_code)]

use crate::error::{Error, ErrorKind};

/// For slots whose states read as empty, or that lie behind the last one, a generation that is at
/// least the last one each has had.
///
/// A slot that comes to be used again starts above it, so keys that were made before stay stale.
/// It is less than the last generation of the key type, since slots that had that are retired. It is
/// kept for each block of slots, so that one that was used often has only its neighbours start
/// high.
#[derive(Debug)]
pub(super) struct Floors {
    blocks: Vec<u32>,
    /// For blocks behind these.
    beyond: u32,
}

impl Floors {
    pub(super) const NONE: Self = Self { blocks: Vec::new(), beyond: 0 };

    #[inline]
    pub(super) fn of_block(&self, block: usize) -> u32 {
        self.blocks.get(block).copied().unwrap_or(self.beyond)
    }

    /// Those of the first blocks, which have one each, and that of all behind.
    pub(super) fn parts(&self) -> (&[u32], u32) {
        (&self.blocks, self.beyond)
    }

    /// Whether blocks from this one on have the same, as many as there will ever be.
    #[inline]
    pub(super) fn is_beyond(&self, block: usize) -> bool {
        block >= self.blocks.len()
    }

    /// The same for all blocks.
    pub(super) fn set_all(&mut self, generation: u32) {
        self.blocks.clear();
        self.beyond = generation;
    }

    /// The caller has [made room](Self::try_reserve).
    pub(super) fn raise_block(&mut self, block: usize, generation: u32) {
        if self.blocks.len() <= block {
            self.blocks.resize(block + 1, self.beyond);
        }
        self.blocks[block] = self.blocks[block].max(generation);
    }

    /// Makes room for so many blocks.
    pub(super) fn try_reserve(&mut self, blocks: usize) -> Result<(), Error> {
        let additional = blocks.saturating_sub(self.blocks.len());
        let bytes = additional * size_of::<u32>();
        self.blocks.try_reserve(additional).map_err(|_| Error::new(ErrorKind::Memory, bytes))
    }

    /// The highest of a block and all behind it.
    #[cfg(any(feature = "serde", feature = "file"))]
    pub(super) fn highest_from(&self, block: usize) -> u32 {
        self.blocks.iter().skip(block).copied().fold(self.beyond, u32::max)
    }

    /// A generation for all slots behind so many blocks, and none for those in them.
    #[cfg(any(feature = "serde", feature = "file"))]
    pub(super) fn try_behind(blocks: usize, generation: u32) -> Result<Self, Error> {
        let mut floors = Self::NONE;
        floors.try_reserve(blocks)?;
        floors.blocks.resize(blocks, 0);
        floors.beyond = generation;
        Ok(floors)
    }

    pub(super) fn try_clone(&self) -> Result<Self, Error> {
        let mut clone = Self { blocks: Vec::new(), beyond: self.beyond };
        clone.try_reserve(self.blocks.len())?;
        clone.blocks.extend_from_slice(&self.blocks);
        Ok(clone)
    }
}
