//! [`BlockLayout`]: which elements lie in which block.
//!
//! Elements are divided into pieces of 2^shift each, and the table of blocks has an entry for each piece, so an index
//! is looked up in one way whatever the sizes of blocks. A block is one piece or a run of pieces.

#![forbid(unsafe_code)]

/// How large the blocks of a [`BlockVec`](crate::BlockVec) are; see
/// [`BlockVecBuilder::blocks`](crate::BlockVecBuilder::blocks).
///
/// A block holds a power of two of elements, as many as fit into the bytes, and at least one. If a maximum length was
/// set, the last block ends with it.
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
    /// All blocks have one size: at most one is allocated ahead, and each is deallocated on its own.
    Fixed {
        /// The size of a block in bytes. 0 means one element.
        bytes: usize,
    },
    /// Each block is twice as large as the one before: few elements take little memory, and many lie in few and long
    /// slices. Up to half of the memory is ahead of its use, and memory is returned in parts as large.
    ///
    /// The table of blocks has one entry (a pointer) for each part of the size of the first block.
    Doubling {
        /// The size of the first block in bytes. 0 means one element.
        first_bytes: usize,
    },
}

impl Blocks {
    pub(super) const DEFAULT: Self = Self::Fixed { bytes: 16 << 10 };
}

impl Default for Blocks {
    /// Returns blocks of 16 KiB.
    fn default() -> Self {
        Self::DEFAULT
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scheme {
    /// A piece is a block.
    Fixed,
    /// A block has 1, 2, 4, … pieces.
    Doubling,
    /// There are no blocks.
    None,
}

/// Which elements lie in which block, without regard to a maximum length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockLayout {
    shift: u8,
    scheme: Scheme,
}

impl BlockLayout {
    /// The layout without blocks.
    pub(super) const NONE: Self = Self { shift: 0, scheme: Scheme::None };

    #[inline]
    pub(super) const fn is_none(self) -> bool {
        matches!(self.scheme, Scheme::None)
    }

    /// The layout for elements of that size in bytes, which is not zero.
    pub(super) const fn new(blocks: Blocks, element_bytes: usize) -> Self {
        let (scheme, bytes) = match blocks {
            Blocks::Fixed { bytes } => (Scheme::Fixed, bytes),
            Blocks::Doubling { first_bytes } => (Scheme::Doubling, first_bytes),
        };
        let count = match bytes.checked_div(element_bytes) {
            None | Some(0) => 1,
            Some(count) => count,
        };
        // At most 63, which fits into the lowest byte.
        Self { shift: count.ilog2().to_le_bytes()[0], scheme }
    }

    /// The piece that holds an element.
    #[inline]
    pub(super) const fn piece(self, index: usize) -> usize {
        // The mask tells the compiler that nothing overflows.
        index >> (self.shift as u32 & (usize::BITS - 1))
    }

    /// The number of pieces that `count` elements take, if the first of them starts a piece.
    pub(super) const fn pieces(self, count: usize) -> usize {
        count.div_ceil(1 << self.shift)
    }

    /// The elements, as start and end, of the block that holds an element. No array has an element `usize::MAX`.
    #[inline]
    pub(super) const fn block(self, index: usize) -> (usize, usize) {
        let piece = self.piece(index);
        let (first, pieces) = match self.scheme {
            Scheme::Fixed | Scheme::None => (piece, 1),
            Scheme::Doubling => {
                let pieces = 1_usize << (piece + 1).ilog2();
                (pieces - 1, pieces)
            }
        };
        // No overflow: a block has at most one piece more than precede it.
        let from = first << self.shift;
        (from, from.saturating_add(pieces << self.shift))
    }
}
