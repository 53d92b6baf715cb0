//! Iterators over a map that other threads insert into and remove from at the same time.

#![expect(unsafe_code, reason = "returns references to live values")]

use super::SharedSlotMap;
use crate::key::Key;
use std::fmt;
use std::iter::FusedIterator;
use std::ops::Range;

impl<K: Key, V> SharedSlotMap<K, V> {
    /// Returns an iterator over the key–value pairs, in the order of addresses.
    ///
    /// Values that were inserted before this call are visited, unless they are removed before their turn. Values that
    /// are inserted later may be visited.
    ///
    /// # Time complexity
    ///
    /// O(n) in the slots, including vacant ones.
    ///
    /// # Examples
    ///
    /// ```
    /// let jobs = stayput::SharedSlotMap::new();
    /// let (first, _) = jobs.insert("load");
    /// jobs.insert("sort");
    /// std::thread::scope(|threads| {
    ///     threads.spawn(|| jobs.insert("save"));
    ///     // `save` may be missing.
    ///     assert!(jobs.iter().any(|found| found == (first, &"load")));
    /// });
    /// assert_eq!(jobs.iter().count(), 3);
    /// ```
    pub fn iter(&self) -> Iter<'_, K, V> {
        Iter { map: self, slots: 0..self.end() }
    }

    /// Returns an iterator over the keys; see [`iter`](Self::iter).
    ///
    /// # Examples
    ///
    /// ```
    /// let jobs = stayput::SharedSlotMap::new();
    /// let (first, second) = (jobs.insert("load").0, jobs.insert("sort").0);
    /// assert!(jobs.keys().eq([first, second]));
    /// ```
    pub fn keys(&self) -> Keys<'_, K, V> {
        Keys(self.iter())
    }

    /// Returns an iterator over the values; see [`iter`](Self::iter).
    ///
    /// # Examples
    ///
    /// ```
    /// let health = stayput::SharedSlotMap::new();
    /// health.insert(40);
    /// health.insert(60);
    /// assert_eq!(health.values().sum::<u32>(), 100);
    /// ```
    pub fn values(&self) -> Values<'_, K, V> {
        Values(self.iter())
    }
}

/// An iterator over the key–value pairs of a [`SharedSlotMap`].
///
/// This struct is created by [`SharedSlotMap::iter`]. See its documentation for more.
pub struct Iter<'s, K: Key, V> {
    map: &'s SharedSlotMap<K, V>,
    slots: Range<usize>,
}

impl<'s, K: Key, V> Iter<'s, K, V> {
    /// Returns the index, generation and value of the next live slot.
    #[inline]
    fn step(&mut self) -> Option<(u32, u32, &'s V)> {
        for at in self.slots.by_ref() {
            #[expect(clippy::cast_possible_truncation, reason = "there are at most 2^32 slots")]
            let index = at as u32;
            // SAFETY: `at` lies below the end that `iter` was created with, which was loaded by acquire. Since then the
            // map has been borrowed, so it is still shared.
            let slot = unsafe { self.map.view.slot_unchecked(index) };
            if let Some(found) = slot.live(index) {
                return Some((index, found.generation, found.value));
            }
        }
        None
    }
}

#[cfg(feature = "rayon")]
impl<K: Key, V> Iter<'_, K, V> {
    /// Splits off the second half of the remaining slots, unless they are few.
    pub(crate) fn split_off_half(&mut self) -> Option<Self> {
        const FEW: usize = 64;

        let half = self.slots.len() / 2;
        if half < FEW {
            return None;
        }
        let mut rest = self.clone();
        rest.slots.start += half;
        self.slots.end = rest.slots.start;
        Some(rest)
    }
}

/// An iterator over the keys of a [`SharedSlotMap`].
///
/// This struct is created by [`SharedSlotMap::keys`]. See its documentation for more.
pub struct Keys<'s, K: Key, V>(Iter<'s, K, V>);

/// An iterator over the values of a [`SharedSlotMap`].
///
/// This struct is created by [`SharedSlotMap::values`]. See its documentation for more.
pub struct Values<'s, K: Key, V>(Iter<'s, K, V>);

/// Implements the traits of an iterator, with its fields, and how many slots are left.
macro_rules! iterator {
    ($name:ident { $($field:tt),+ } => $item:ty: |$this:ident| $next:expr, $left:expr) => {
        impl<'s, K: Key, V> Iterator for $name<'s, K, V> {
            type Item = $item;

            #[inline]
            fn next(&mut self) -> Option<$item> {
                let $this = self;
                $next
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                let $this = self;
                (0, Some($left))
            }
        }

        impl<K: Key, V> FusedIterator for $name<'_, K, V> {}

        clone_fields!([K: Key, V] $name<'_, K, V>: $($field),+);

        debug_items!([K: Key, V: fmt::Debug] $name<'_, K, V>, debug_list, |items| items.clone());
    };
}

iterator! {
    Iter { map, slots } => (K, &'s V):
    |iter| iter.step().map(|(index, generation, value)| (iter.map.view.mint().key(index, generation), value)),
    iter.slots.len()
}
iterator!(Keys { 0 } => K: |keys| keys.0.next().map(|(key, _)| key), keys.0.slots.len());
iterator!(Values { 0 } => &'s V: |values| values.0.step().map(|(_, _, value)| value), values.0.slots.len());
