//! Blocks of 64 slots, with a mask that says which of them hold values.

#![forbid(unsafe_code)]

use super::iter::{Iter, IterMut};
use super::{WalkMut, WalkRef};
use crate::key::Key;
use crate::slots::key_tag::Mint;
use std::iter::FusedIterator;

/// Defines an iterator over blocks of a walk, and the block.
macro_rules! blocks {
    (
        $(#[$about_blocks:meta])* $Blocks:ident,
        $(#[$about_block:meta])* $Block:ident,
        $walk:ident
    ) => {
        $(#[$about_blocks])*
        #[must_use = "iterators are lazy"]
        pub struct $Blocks<'a, K: Key, V> {
            walk: $walk<'a, V>,
            all_live: bool,
            mint: Mint<K>,
        }

        $(#[$about_block])*
        pub struct $Block<'a, K: Key, V> {
            walk: $walk<'a, V>,
            mask: u64,
            mint: Mint<K>,
        }

        impl<'a, K: Key, V> $Blocks<'a, K, V> {
            /// If `all_live`, the walk visits only live slots and holes.
            #[inline]
            pub(crate) const fn new(walk: $walk<'a, V>, all_live: bool, mint: Mint<K>) -> Self {
                Self { walk, all_live, mint }
            }
        }

        impl<K: Key, V> $Block<'_, K, V> {
            /// Returns the index of the first slot, a multiple of 64. See [`SlotMap::blocks`](crate::SlotMap::blocks)
            /// for an example.
            #[inline]
            pub fn first_index(&self) -> u32 {
                self.walk.block_start()
            }

            /// Returns a bit for each slot, the lowest for the first. It is set if the slot holds a value. See
            /// [`SlotMap::blocks`](crate::SlotMap::blocks) for an example.
            #[inline]
            pub const fn mask(&self) -> u64 {
                self.mask
            }
        }

        impl<'a, K: Key, V> Iterator for $Blocks<'a, K, V> {
            type Item = $Block<'a, K, V>;

            #[inline]
            fn next(&mut self) -> Option<Self::Item> {
                loop {
                    let walk = self.walk.next_block()?;
                    let mask = walk.block_mask(self.all_live);
                    if mask != 0 {
                        return Some($Block { walk, mask, mint: self.mint });
                    }
                }
            }
        }

        impl<K: Key, V> FusedIterator for $Blocks<'_, K, V> {}

        debug_as!([K: Key, V] $Blocks<'_, K, V>, stringify!($Blocks));

        debug_fields! {
            [K: Key, V] $Block<'_, K, V>, stringify!($Block), |block|
            first_index: block.first_index(), mask: format_args!("{:#018x}", block.mask)
        }
    };
}

blocks! {
    /// An iterator over the blocks of a [`SlotMap`](crate::SlotMap); created by
    /// [`SlotMap::blocks`](crate::SlotMap::blocks).
    Blocks,
    /// A block of 64 consecutive slots of a [`SlotMap`](crate::SlotMap).
    Block,
    WalkRef
}

blocks! {
    /// An iterator over the blocks of a [`SlotMap`](crate::SlotMap), with mutable access; created by
    /// [`SlotMap::blocks_mut`](crate::SlotMap::blocks_mut).
    BlocksMut,
    /// A block of 64 consecutive slots of a [`SlotMap`](crate::SlotMap), with mutable access.
    BlockMut,
    WalkMut
}

impl<'a, K: Key, V> Block<'a, K, V> {
    /// Returns an iterator over the key–value pairs in the block.
    #[inline]
    pub fn iter(&self) -> Iter<'a, K, V> {
        Iter::new(self.walk.clone(), self.mask.count_ones() as usize, self.mint)
    }

    /// Returns the address of the first slot's value, whether there is one or not. The others follow at a distance of
    /// [`SlotMap::STRIDE_BYTES`](crate::SlotMap::STRIDE_BYTES).
    ///
    /// If the bit of a slot in the [mask](Self::mask) is set, its value may be read as long as the block's borrow of
    /// the map lives. The memory of other slots may be uninitialized, or inaccessible: the last block may extend past
    /// the committed memory.
    #[inline]
    pub fn as_ptr(&self) -> *const V {
        self.walk.block_ptr()
    }
}

impl<K: Key, V> BlockMut<'_, K, V> {
    /// Returns an iterator over the key–value pairs in the block, with mutable references to the values.
    #[inline]
    pub fn iter_mut(&mut self) -> IterMut<'_, K, V> {
        IterMut::new(self.walk.reborrow(), self.mask.count_ones() as usize, self.mint)
    }

    /// See [`Block::as_ptr`]. Values may also be written to.
    #[inline]
    pub fn as_mut_ptr(&mut self) -> *mut V {
        self.walk.block_ptr()
    }
}

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

clone_fields!([K: Key, V] Blocks<'_, K, V>: walk, all_live, mint);

clone_fields!([K: Key, V] Block<'_, K, V>: walk, mask, mint);
