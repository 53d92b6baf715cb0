//! Slots 64 at a time, with a mask that says which hold values.

#![forbid(unsafe_code)]

use super::iter::{Iter, IterMut};
use super::{WalkMut, WalkRef};
use crate::key::Key;
use crate::slots::key_tag::Mint;
use std::fmt;
use std::iter::FusedIterator;

/// The blocks of a [`SlotMap`](crate::SlotMap), made by [`SlotMap::blocks`](crate::SlotMap::blocks).
#[must_use = "iterators are lazy"]
pub struct Blocks<'a, K: Key, V> {
    walk: WalkRef<'a, V>,
    all_live: bool,
    mint: Mint<K>,
}

/// The blocks of a [`SlotMap`](crate::SlotMap), to be changed, made by [`SlotMap::blocks_mut`](crate::SlotMap::blocks_mut).
#[must_use = "iterators are lazy"]
pub struct BlocksMut<'a, K: Key, V> {
    walk: WalkMut<'a, V>,
    all_live: bool,
    mint: Mint<K>,
}

/// 64 slots of a [`SlotMap`](crate::SlotMap), side by side.
pub struct Block<'a, K: Key, V> {
    walk: WalkRef<'a, V>,
    mask: u64,
    mint: Mint<K>,
}

/// 64 slots of a [`SlotMap`](crate::SlotMap), side by side, to be changed.
pub struct BlockMut<'a, K: Key, V> {
    walk: WalkMut<'a, V>,
    mask: u64,
    mint: Mint<K>,
}

impl<'a, K: Key, V> Blocks<'a, K, V> {
    /// Of a walk that comes to no slots but live ones and holes, if they are `all_live`.
    #[inline]
    pub(crate) const fn new(walk: WalkRef<'a, V>, all_live: bool, mint: Mint<K>) -> Self {
        Self { walk, all_live, mint }
    }
}

impl<'a, K: Key, V> BlocksMut<'a, K, V> {
    /// See [`Blocks::new`].
    #[inline]
    pub(crate) const fn new(walk: WalkMut<'a, V>, all_live: bool, mint: Mint<K>) -> Self {
        Self { walk, all_live, mint }
    }
}

impl<'a, K: Key, V> Block<'a, K, V> {
    /// The index of the first slot, a multiple of 64.
    #[inline]
    pub fn first_index(&self) -> u32 {
        self.walk.block_start()
    }

    /// A bit for each slot, the lowest for the first, which is set if the slot holds a value.
    #[inline]
    pub const fn mask(&self) -> u64 {
        self.mask
    }

    /// The keys and values in the block.
    #[inline]
    pub fn iter(&self) -> Iter<'a, K, V> {
        Iter::new(self.walk.clone(), self.mask.count_ones() as usize, self.mint)
    }

    /// Where the value of the first slot lies, or would; those of the others follow at a distance
    /// of [`SlotMap::STRIDE_BYTES`](crate::SlotMap::STRIDE_BYTES). Where the bit of a slot in the [mask](Self::mask) is set there
    /// is a value, which may be read for as long as the block's borrow of the map. The memory of other
    /// slots may not be initialised, nor even accessible: of the last block, some may lie behind what
    /// is committed.
    #[inline]
    pub fn as_ptr(&self) -> *const V {
        self.walk.block_ptr()
    }
}

impl<K: Key, V> BlockMut<'_, K, V> {
    /// See [`Block::first_index`].
    #[inline]
    pub fn first_index(&self) -> u32 {
        self.walk.block_start()
    }

    /// See [`Block::mask`].
    #[inline]
    pub const fn mask(&self) -> u64 {
        self.mask
    }

    /// The keys and values in the block, the values to be changed.
    #[inline]
    pub fn iter_mut(&mut self) -> IterMut<'_, K, V> {
        IterMut::new(self.walk.reborrow(), self.mask.count_ones() as usize, self.mint)
    }

    /// See [`Block::as_ptr`]; values may be written to, too.
    #[inline]
    pub fn as_mut_ptr(&mut self) -> *mut V {
        self.walk.block_ptr()
    }
}

impl<'a, K: Key, V> Iterator for Blocks<'a, K, V> {
    type Item = Block<'a, K, V>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let walk = self.walk.next_block()?;
            let mask = walk.block_mask(self.all_live);
            if mask != 0 {
                return Some(Block { walk, mask, mint: self.mint });
            }
        }
    }
}

impl<'a, K: Key, V> Iterator for BlocksMut<'a, K, V> {
    type Item = BlockMut<'a, K, V>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let mut walk = self.walk.next_block()?;
            let mask = walk.block_mask(self.all_live);
            if mask != 0 {
                return Some(BlockMut { walk, mask, mint: self.mint });
            }
        }
    }
}

impl<K: Key, V> FusedIterator for Blocks<'_, K, V> {}

impl<K: Key, V> FusedIterator for BlocksMut<'_, K, V> {}

impl<'a, K: Key, V> IntoIterator for &Block<'a, K, V> {
    type Item = (K, &'a V);
    type IntoIter = Iter<'a, K, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'b, K: Key, V> IntoIterator for &'b mut BlockMut<'_, K, V> {
    type Item = (K, &'b mut V);
    type IntoIter = IterMut<'b, K, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

impl<K: Key, V> Clone for Blocks<'_, K, V> {
    fn clone(&self) -> Self {
        Self { walk: self.walk.clone(), ..*self }
    }
}

impl<K: Key, V> Clone for Block<'_, K, V> {
    fn clone(&self) -> Self {
        Self { walk: self.walk.clone(), ..*self }
    }
}

impl<K: Key, V> fmt::Debug for Blocks<'_, K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Blocks").finish_non_exhaustive()
    }
}

impl<K: Key, V> fmt::Debug for BlocksMut<'_, K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BlocksMut").finish_non_exhaustive()
    }
}

impl<K: Key, V> fmt::Debug for Block<'_, K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        debug_block(f, "Block", self.first_index(), self.mask)
    }
}

impl<K: Key, V> fmt::Debug for BlockMut<'_, K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        debug_block(f, "BlockMut", self.first_index(), self.mask)
    }
}

fn debug_block(f: &mut fmt::Formatter<'_>, name: &str, first: u32, mask: u64) -> fmt::Result {
    f.debug_struct(name)
        .field("first_index", &first)
        .field("mask", &format_args!("{mask:#018x}"))
        .finish_non_exhaustive()
}
