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
    walk_methods! {
        /// (Measured, values of 56 bytes, in turns with `get`: of 8 M slots 8.7 ns a key and 16, of 180 K 6.3 and
        /// 12.9; of 64 K and fewer it is the same loop.)
        ///
        /// # Examples
        ///
        /// ```
        /// # use stayput::SlotMap;
        /// let mut map = SlotMap::new();
        /// let [a, b, c] = [1, 2, 3].map(|n| map.insert(n));
        /// map.remove(b);
        /// let mut found = Vec::new();
        /// map.get_many([c, b, a], |_, value| found.push(value));
        /// assert_eq!(found, [Some(&3), None, Some(&1)]);
        /// ```
        /
        ///
        /// # Examples
        ///
        /// ```
        /// # use stayput::SlotMap;
        /// let mut map = SlotMap::new();
        /// let [a, b] = [1, 2].map(|n| map.insert(n));
        /// map.get_many_mut([a, b, a], |_, value| value.into_iter().for_each(|n| *n *= 10));
        /// assert_eq!((map[a], map[b]), (100, 20));
        /// ```
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
