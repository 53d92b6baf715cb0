//! [`Plan`]: which elements lie in which block.
//!
//! Elements are numbered off in pieces, of 2^shift each, for each of which the table of blocks has an entry: that is
//! what an index is looked up by, whatever blocks are like. A block is one piece, or a run of them.

#![forbid(unsafe_code)]

/// How large the blocks of a [`BlockVec`](crate::BlockVec) are; see
/// [`BlockVecBuilder::blocks`](crate::BlockVecBuilder::blocks).
///
/// A block holds a power of two of elements, as many as fit into the bytes, and one at least. Of an array whose maximum
/// was named, the last block ends with that.
///
/// # Examples
///
/// ```
/// use stayput::{BlockVec, Blocks};
///
/// let mut few = BlockVec::builder().blocks(Blocks::Doubling { first_bytes: 256 }).build();
/// few.push(1_u64);
/// assert_eq!(few.capacity(), 32);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Blocks {
    /// All of one size: no more than one is ever taken ahead, and each goes back by itself.
    Fixed {
        /// The size of a block in bytes. 0 means one element.
        bytes: usize,
    },
    /// Each twice the one before: little memory for few elements, few and long slices of many. Up to half of the
    /// memory is ahead of its use, and it goes back in as large parts.
    ///
    /// The table of blocks has an entry, a pointer, for each part of the size of the first.
    Doubling {
        /// The size of the first block in bytes. 0 means one element.
        first_bytes: usize,
    },
}

impl Blocks {
    /// What is taken if nobody chooses: 16 KiB.
    pub(super) const DEFAULT: Self = Self::Fixed { bytes: 16 << 10 };
}

impl Default for Blocks {
    /// Blocks of 16 KiB.
    fn default() -> Self {
        Self::DEFAULT
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A piece is a block.
    Fixed,
    /// Blocks have 1, 2, 4, … pieces.
    Doubling,
    /// There is never one.
    None,
}

/// Which elements lie in which block, where there is no end to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    shift: u8,
    kind: Kind,
}

impl Plan {
    /// For no elements.
    pub(super) const NONE: Self = Self { shift: 0, kind: Kind::None };

    /// Whether it is [that](Self::NONE).
    #[inline]
    pub(super) const fn is_none(self) -> bool {
        matches!(self.kind, Kind::None)
    }

    /// For elements of so many bytes, which have some.
    pub(super) const fn new(blocks: Blocks, element_bytes: usize) -> Self {
        let (kind, bytes) = match blocks {
            Blocks::Fixed { bytes } => (Kind::Fixed, bytes),
            Blocks::Doubling { first_bytes } => (Kind::Doubling, first_bytes),
        };
        let count = match bytes.checked_div(element_bytes) {
            None | Some(0) => 1,
            Some(count) => count,
        };
        // No more than 63, which is one byte.
        Self { shift: count.ilog2().to_le_bytes()[0], kind }
    }

    /// The piece that an element lies in.
    #[inline]
    pub(super) const fn piece(self, index: usize) -> usize {
        // The mask tells the compiler that nothing overflows.
        index >> (self.shift as u32 & (usize::BITS - 1))
    }

    /// How many pieces it takes for so many elements from the first one of a piece on.
    pub(super) const fn pieces(self, count: usize) -> usize {
        count.div_ceil(1 << self.shift)
    }

    /// The elements of the block that an element lies in: from, and up to. No array has an element `usize::MAX`.
    #[inline]
    pub(super) const fn block(self, index: usize) -> (usize, usize) {
        let piece = self.piece(index);
        let (first, pieces) = match self.kind {
            Kind::Fixed | Kind::None => (piece, 1),
            Kind::Doubling => {
                let pieces = 1_usize << (piece + 1).ilog2();
                (pieces - 1, pieces)
            }
        };
        // As many elements as there are in front of the block, and a piece more, at most.
        let from = first << self.shift;
        (from, from.saturating_add(pieces << self.shift))
    }
}
