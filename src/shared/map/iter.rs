//! Iterators over what is in the map, while others put values in and take them out.

#![expect(unsafe_code, reason = "gives out references to live values")]

use super::ground::state_of;
use super::{SharedSlotMap, deal};
use crate::key::Key;
use crate::slots::state::State;
use std::fmt;
use std::iter::FusedIterator;
use std::ops::Range;

impl<K: Key, V> SharedSlotMap<K, V> {
    /// All keys and values, in the order of addresses. Linear in the slots, vacant ones among them.
    ///
    /// What was put in before this is called comes, if it is not taken out before its turn; what is put in later may come,
    /// or not.
    pub fn iter(&self) -> Iter<'_, K, V> {
        Iter { map: self, slots: 0..self.end() }
    }

    /// All keys, as [`iter`](Self::iter) has them.
    pub fn keys(&self) -> Keys<'_, K, V> {
        Keys(self.iter())
    }

    /// All values, as [`iter`](Self::iter) has them.
    pub fn values(&self) -> Values<'_, K, V> {
        Values(self.iter())
    }
}

/// Goes over the keys and values of a [`SharedSlotMap`]; made by [`SharedSlotMap::iter`].
pub struct Iter<'s, K: Key, V> {
    map: &'s SharedSlotMap<K, V>,
    slots: Range<usize>,
}

impl<'s, K: Key, V> Iter<'s, K, V> {
    /// The next that is live.
    #[inline]
    fn step(&mut self) -> Option<(u32, u32, &'s V)> {
        for at in self.slots.by_ref() {
            #[expect(clippy::cast_possible_truncation, reason = "there are at most 2^32 slots")]
            let index = at as u32;
            // SAFETY: below an end that was seen by acquire, or 0.
            let slot = unsafe { self.map.ground.dealt_slot::<V>(index) };
            // SAFETY: it may be looked at, as long as the map is shared.
            let state = deal::seen(unsafe { state_of(slot) });
            if let Some(generation) = State::from_bits(state).live_generation() {
                // SAFETY: just seen.
                return Some((index, generation, unsafe { self.map.value(slot) }));
            }
        }
        None
    }
}

#[cfg(feature = "rayon")]
impl<K: Key, V> Iter<'_, K, V> {
    /// Leaves the second half of the slots to another, unless they are few.
    pub(crate) fn split_off_half(&mut self) -> Option<Self> {
        const FEW: usize = 64;

        let half = self.slots.len() / 2;
        if half < FEW {
            return None;
        }
        let mut behind = self.clone();
        behind.slots.start += half;
        self.slots.end = behind.slots.start;
        Some(behind)
    }
}

impl<'s, K: Key, V> Iterator for Iter<'s, K, V> {
    type Item = (K, &'s V);

    #[inline]
    fn next(&mut self) -> Option<(K, &'s V)> {
        let (index, generation, value) = self.step()?;
        Some((self.map.ground.mint().key(index, generation), value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.slots.len()))
    }
}

/// Goes over the keys of a [`SharedSlotMap`]; made by [`SharedSlotMap::keys`].
pub struct Keys<'s, K: Key, V>(Iter<'s, K, V>);

impl<K: Key, V> Iterator for Keys<'_, K, V> {
    type Item = K;

    #[inline]
    fn next(&mut self) -> Option<K> {
        self.0.next().map(|(key, _)| key)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

/// Goes over the values of a [`SharedSlotMap`]; made by [`SharedSlotMap::values`].
pub struct Values<'s, K: Key, V>(Iter<'s, K, V>);

impl<'s, K: Key, V> Iterator for Values<'s, K, V> {
    type Item = &'s V;

    #[inline]
    fn next(&mut self) -> Option<&'s V> {
        self.0.step().map(|(_, _, value)| value)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

macro_rules! common {
    ($($name:ident),+) => {$(
        impl<K: Key, V> FusedIterator for $name<'_, K, V> {}

        debug_items!([K: Key, V: fmt::Debug] $name<'_, K, V>, debug_list, |items| items.clone());
    )+};
}

common!(Iter, Keys, Values);

clone_fields!([K: Key, V] Iter<'_, K, V>: map, slots);

clone_fields!([K: Key, V] Keys<'_, K, V>: 0);

clone_fields!([K: Key, V] Values<'_, K, V>: 0);
