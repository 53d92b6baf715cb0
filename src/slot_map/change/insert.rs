//! Inserting values.

use crate::container::insert_many_methods;
use crate::error::{Refused, handle_error};
use crate::key::Key;
use crate::slot_map::SlotMap;
use crate::vec::Rest;
use std::convert::Infallible;

impl<K: Key, V> SlotMap<K, V> {
    /// Inserts a value and returns its key. O(1); enters the kernel if committed memory is used up.
    ///
    /// A hole is used if there is one; [`Reuse`](crate::Reuse) decides which.
    ///
    /// # Panics
    ///
    /// If [`try_insert`](Self::try_insert) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::SlotMap;
    /// let mut map = SlotMap::new();
    /// let key = map.insert(42);
    /// assert_eq!(map[key], 42);
    /// ```
    #[expect(
        clippy::inline_always,
        reason = "a value in memory, passed to a call, is copied twice"
    )]
    #[inline(always)]
    #[track_caller]
    pub fn insert(&mut self, value: V) -> K {
        match self.try_insert(value) {
            Ok(key) => key,
            Err(refused) => handle_error(refused.error),
        }
    }

    /// [`insert`](Self::insert), or the error and the value.
    ///
    /// # Errors
    ///
    /// If keys have no bits for another slot ([`KeyBits`](crate::ErrorKind::KeyBits)), the map has `max_len` slots
    /// ([`MaxLen`](crate::ErrorKind::MaxLen)), or the system refuses memory. The map is unchanged then.
    #[expect(clippy::inline_always, reason = "as for `insert`")]
    #[inline(always)]
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn try_insert(&mut self, value: V) -> Result<K, Refused<V>> {
        // The value is not passed to any function out of line, so that the caller can make it where it will be stored.
        loop {
            if let Some(hole) = self.holes.pop() {
                self.slots.fill(hole.index(), hole.generation(), value);
                return Ok(self.mint().key(hole.index(), hole.generation()));
            }
            if self.slots.len() < self.fresh.end {
                let vacancy = self.fresh_vacancy();
                self.slots.push_within_capacity(vacancy.generation, value);
                return Ok(vacancy.key(self.mint()));
            }
            if let Err(error) = self.bring_vacancy() {
                return Err(Refused { error, value });
            }
        }
    }

    /// Inserts the value that `make` returns for the key it will have. O(1).
    ///
    /// If `make` panics, the map is unchanged, and the next value gets that key.
    ///
    /// # Panics
    ///
    /// As for [`insert`](Self::insert).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::SlotMap;
    /// let mut map = SlotMap::new();
    /// let key = map.insert_with_key(|key| (key, 20));
    /// assert_eq!(map[key], (key, 20));
    /// ```
    #[inline]
    #[track_caller]
    pub fn insert_with_key<F: FnOnce(K) -> V>(&mut self, make: F) -> K {
        match self.try_insert_with_key(|key| Ok::<V, Infallible>(make(key))) {
            Ok(key) => key,
            Err(never) => match never {},
        }
    }

    /// Inserts the value that `make` returns for the key it will have. O(1).
    ///
    /// If `make` fails or panics, the map is unchanged, and the next value gets that key.
    ///
    /// # Panics
    ///
    /// As for [`insert`](Self::insert). After a successful [`try_reserve`](Self::try_reserve) of 1 it does not panic.
    ///
    /// # Errors
    ///
    /// Returns the error of `make`.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::SlotMap;
    /// let mut map = SlotMap::new();
    /// let key = map.try_insert_with_key(|_| "7".parse::<u8>()).unwrap();
    /// assert_eq!(map[key], 7);
    /// assert!(map.try_insert_with_key(|_| "x".parse::<u8>()).is_err());
    /// assert_eq!(map.len(), 1);
    /// ```
    #[inline]
    #[track_caller]
    pub fn try_insert_with_key<F, E>(&mut self, make: F) -> Result<K, E>
    where
        F: FnOnce(K) -> Result<V, E>,
    {
        match self.vacancy() {
            Ok(vacancy) => {
                let key = vacancy.key(self.mint());
                self.occupy(vacancy, make(key)?);
                Ok(key)
            }
            Err(error) => handle_error(error),
        }
    }

    insert_many_methods! {
        V, |map| map.max_len() - map.slots.len();
        /// let mut map = stayput::SlotMap::new();
    }

    /// Inserts a value under the key of a [detached](Self::detach) value. Amortized O(1).
    ///
    /// # Panics
    ///
    /// If the key is not that of a detached value.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::SlotMap;
    /// let mut textures = SlotMap::new();
    /// let key = textures.insert(vec![0_u8; 16]);
    ///
    /// let mut texture = textures.detach(key).unwrap();
    /// texture.fill(255); // the map is not borrowed meanwhile
    /// textures.reattach(key, texture);
    /// assert_eq!(textures[key], [255; 16]);
    /// ```
    #[track_caller]
    pub fn reattach(&mut self, detached_key: K, value: V) {
        assert!(self.try_reattach(detached_key, value).is_ok(), "key is not detached");
    }

    /// [`reattach`](Self::reattach), or the value.
    ///
    /// # Errors
    ///
    /// If the key is not that of a detached value.
    pub fn try_reattach(&mut self, detached_key: K, value: V) -> Result<(), V> {
        let (index, generation) = self.parts_of(detached_key);
        let is_vacant = !self.slots.state(index).is_live();
        let had_it = is_vacant && self.vacant_generation(index) == generation;
        if self.detached == 0 || generation == 0 || !had_it || self.holes.contains(index) {
            return Err(value);
        }
        self.slots.fill(index, generation, value);
        self.detached -= 1;
        if self.holes.are_many_in_front() {
            // Otherwise each call would search them.
            self.settle();
        }
        Ok(())
    }
}
