//! Iterating over a map: by keys and values, by blocks, beside other maps, and taking values out.

#![forbid(unsafe_code)]

use super::{Blocks, BlocksMut, Iter, IterMut, Keys, SlotMap, Values, ValuesMut};
use crate::key::Key;
use crate::slots::array::Slots;
use crate::slots::walk::drain::drain;
use crate::slots::walk::extract_if::extract_if;
use crate::slots::walk::join::{LookMut, LookRef};
use crate::slots::walk::{WalkMut, WalkRef};

impl<K: Key, V> SlotMap<K, V> {
    /// All keys and values, in the order of addresses.
    #[inline]
    pub fn iter(&self) -> Iter<'_, K, V> {
        Iter::new(self.walk(), self.len(), self.mint())
    }

    /// All keys and values, the values to be changed, in the order of addresses.
    #[inline]
    pub fn iter_mut(&mut self) -> IterMut<'_, K, V> {
        let (left, mint) = (self.len(), self.mint());
        IterMut::new(self.walk_mut(), left, mint)
    }

    /// All keys, in the order of their indices.
    #[inline]
    pub fn keys(&self) -> Keys<'_, K, V> {
        Keys::new(self.walk(), self.len(), self.mint())
    }

    /// All values, in the order of addresses.
    #[inline]
    pub fn values(&self) -> Values<'_, K, V> {
        Values::new(self.walk(), self.len(), self.mint())
    }

    /// All values, to be changed, in the order of addresses.
    #[inline]
    pub fn values_mut(&mut self) -> ValuesMut<'_, K, V> {
        let (left, mint) = (self.len(), self.mint());
        ValuesMut::new(self.walk_mut(), left, mint)
    }

    #[inline]
    pub(crate) fn walk(&self) -> WalkRef<'_, V> {
        WalkRef::new(&self.slots, self.holes.words())
    }

    #[inline]
    pub(crate) fn walk_mut(&mut self) -> WalkMut<'_, V> {
        WalkMut::new(&mut self.slots, self.holes.words())
    }

    /// For keys with this tag; with any, if it is `None`.
    #[inline]
    pub(crate) fn look(&self, tag: Option<u32>) -> LookRef<'_, V> {
        let look = LookRef::new(&self.slots);
        if self.is_foreign(tag) { look.at_nothing() } else { look }
    }

    /// For keys with this tag; with any, if it is `None`.
    #[inline]
    pub(crate) fn look_mut(&mut self, tag: Option<u32>) -> LookMut<'_, V> {
        let is_foreign = self.is_foreign(tag);
        let look = LookMut::new(&mut self.slots);
        if is_foreign { look.at_nothing() } else { look }
    }

    #[inline]
    fn is_foreign(&self, tag: Option<u32>) -> bool {
        tag.is_some_and(|tag| self.number.is_foreign(tag))
    }
}

impl<K: Key, V> SlotMap<K, V> {
    /// The distance between one value and the next in memory: the size of a slot.
    pub const STRIDE_BYTES: usize = Slots::<V>::STRIDE_BYTES;

    /// All slots, 64 at a time, those that hold values told by a bit mask: for SIMD, and to hand
    /// out work. Blocks without values are left out.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{DefaultKey, SlotMap};
    /// let mut map: SlotMap<DefaultKey, u64> = (0..100).collect();
    /// map.retain(|_, n| *n % 3 > 0);
    /// let live: u32 = map.blocks().map(|block| block.mask().count_ones()).sum();
    /// assert_eq!(live as usize, map.len());
    /// ```
    #[inline]
    pub fn blocks(&self) -> Blocks<'_, K, V> {
        Blocks::new(self.walk(), self.has_no_others(), self.mint())
    }

    /// [`blocks`](Self::blocks), to change the values.
    #[inline]
    pub fn blocks_mut(&mut self) -> BlocksMut<'_, K, V> {
        self.settle();
        let (all_live, mint) = (self.has_no_others(), self.mint());
        BlocksMut::new(self.walk_mut(), all_live, mint)
    }

    /// Whether all slots are live, or holes that are marked in their words.
    fn has_no_others(&self) -> bool {
        self.detached == 0 && self.holes.cold().retired == 0 && self.holes.is_settled()
    }
}

drain! {
    /// Takes all values out of a [`SlotMap`], made by [`SlotMap::drain`].
    Drain<'a, K, V> of &'a mut SlotMap<K, V>
}

extract_if! {
    /// Takes out of a [`SlotMap`] the values that a predicate names, made by
    /// [`SlotMap::extract_if`].
    ExtractIf of SlotMap
}
