//! Putting values in.

use super::holes::Bitmap;
use super::{Reuse, SlotMap, give_up, iter};
use crate::error::{Error, ErrorKind, Refused};
use crate::key::Key;
use crate::vec::Rest;

impl<K: Key, V> SlotMap<K, V> {
    /// Puts a value in and returns its key. O(1); enters the kernel if committed memory is used
    /// up.
    ///
    /// # Panics
    ///
    /// Where [`try_insert`](Self::try_insert) has an error.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::SlotMap;
    /// let mut map = SlotMap::new();
    /// let key = map.insert(42);
    /// assert_eq!(map[key], 42);
    /// ```
    #[inline]
    #[track_caller]
    pub fn insert(&mut self, value: V) -> K {
        match self.try_insert(value) {
            Ok(key) => key,
            Err(refused) => give_up(refused.error),
        }
    }

    /// [`insert`](Self::insert), or the error and the value.
    ///
    /// # Errors
    ///
    /// If keys cannot number another slot ([`KeyBits`](ErrorKind::KeyBits)), the map has
    /// `max_len` of them ([`MaxLen`](ErrorKind::MaxLen)), or the system refuses memory. The map is
    /// unchanged then.
    #[inline]
    pub fn try_insert(&mut self, value: V) -> Result<K, Refused<V>> {
        match self.vacancy() {
            Ok(vacancy) => {
                self.occupy(vacancy, value);
                Ok(vacancy.key())
            }
            Err(error) => Err(Refused { error, value }),
        }
    }

    /// Puts in the value that `make` makes of its key. O(1).
    ///
    /// Should `make` panic, the map is unchanged, and the next value gets the key that it was
    /// shown.
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
        match self.vacancy() {
            Ok(vacancy) => {
                let key = vacancy.key();
                self.occupy(vacancy, make(key));
                key
            }
            Err(error) => give_up(error),
        }
    }

    /// Puts in the value that `make` makes of its key, or returns the error that `make` does; then
    /// the map is unchanged, as it is should `make` panic, and the next value gets the key that it
    /// was shown. O(1).
    ///
    /// # Errors
    ///
    /// What `make` returns.
    ///
    /// # Panics
    ///
    /// As for [`insert`](Self::insert). After a successful [`try_reserve`](Self::try_reserve) of 1
    /// it does not panic.
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
                let key = vacancy.key();
                self.occupy(vacancy, make(key)?);
                Ok(key)
            }
            Err(error) => give_up(error),
        }
    }

    /// Puts all values in, and their keys, in the same order, into `keys`.
    ///
    /// Should the iterator or `keys` panic, what was put in before stays.
    ///
    /// # Panics
    ///
    /// Where [`try_insert_many`](Self::try_insert_many) has an error.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::SlotMap;
    /// let mut map = SlotMap::new();
    /// let mut keys = Vec::new();
    /// map.insert_many(["a", "b", "c"], &mut keys);
    /// assert_eq!(map[keys[1]], "b");
    /// ```
    #[track_caller]
    pub fn insert_many(&mut self, values: impl IntoIterator<Item = V>, keys: &mut impl Extend<K>) {
        if let Err(refused) = self.try_insert_many(values, keys) {
            give_up(refused.error);
        }
    }

    /// [`insert_many`](Self::insert_many), or the error and the values that could not be put in.
    ///
    /// # Errors
    ///
    /// As for [`try_insert`](Self::try_insert). What an implementation of `Extend` does not ask for is
    /// dropped with the iterator.
    pub fn try_insert_many<I: IntoIterator<Item = V>>(
        &mut self,
        values: I,
        keys: &mut impl Extend<K>,
    ) -> Result<(), Refused<Rest<I::IntoIter>>> {
        let mut values = values.into_iter();
        // Memory in one step; if so much is not to be had, each insertion tells. The hint may be
        // wrong, so it shall not pass the maximum.
        let room = self.max_len() - self.slots.len();
        let _ = self.try_reserve(values.size_hint().0.min(room));
        let mut refused = None;
        let inserted = values
            .by_ref()
            .map_while(|value| self.try_insert(value).map_err(|this| refused = Some(this)).ok());
        // Whoever asks on after the end must not have another value taken, and this one lost.
        keys.extend(inserted.fuse());
        match refused {
            None => Ok(()),
            Some(Refused { error, value }) => {
                Err(Refused { error, value: Some(value).into_iter().chain(values) })
            }
        }
    }

    /// Puts a value back that was [detached](Self::detach), under its key. O(1).
    ///
    /// # Panics
    ///
    /// If the key is not that of a detached value.
    #[track_caller]
    pub fn reattach(&mut self, detached_key: K, value: V) {
        assert!(self.try_reattach(detached_key, value).is_ok(), "key is not detached");
    }

    /// [`reattach`](Self::reattach), or the value back.
    ///
    /// # Errors
    ///
    /// If the key is not that of a detached value.
    pub fn try_reattach(&mut self, detached_key: K, value: V) -> Result<(), V> {
        let data = detached_key.data();
        let (index, generation) = (data.index(), data.generation());
        let state = self.slots.state(index);
        let is_detached = generation != 0
            && !state.is_live()
            && state.generation() == generation
            && !self.holes.contains(index);
        if !is_detached {
            return Err(value);
        }
        self.slots.fill(index, generation, value);
        self.detached -= 1;
        Ok(())
    }

    /// Finds, or makes, room for a value. Nothing has changed by it but what is committed.
    #[inline]
    pub(super) fn vacancy(&mut self) -> Result<Vacancy, Error> {
        if let Some(hole) = self.hole_at_hand() {
            return Ok(hole);
        }
        if self.slots.len() == self.slots.capacity() {
            if let Err(error) = self.grow(1) {
                // Under `Reuse::Rotating` there may still be holes, which are better than nothing.
                return match self.hole_in_turn() {
                    Some(index) => Ok(self.vacancy_in_hole(index)),
                    None => Err(error),
                };
            }
        }
        Ok(self.vacancy_behind())
    }

    /// The [`vacancy`](Self::vacancy), if there is one in committed memory. Runs no user code.
    #[inline]
    pub(super) fn vacancy_at_hand(&self) -> Option<Vacancy> {
        if let Some(hole) = self.hole_at_hand() {
            return Some(hole);
        }
        (self.slots.len() < self.slots.capacity()).then(|| self.vacancy_behind())
    }

    #[inline]
    fn hole_at_hand(&self) -> Option<Vacancy> {
        if self.holes.is_empty() {
            return None;
        }
        self.hole_to_fill().map(|index| self.vacancy_in_hole(index))
    }

    /// The place behind the last slot.
    #[inline]
    fn vacancy_behind(&self) -> Vacancy {
        #[expect(clippy::cast_possible_truncation, reason = "there are at most 2^32 slots")]
        let index = self.slots.len() as u32;
        Vacancy { index, generation: self.floor(self.slots.len()) + 1, place: Place::Behind }
    }

    #[inline]
    fn hole_to_fill(&self) -> Option<u32> {
        match self.reuse {
            Reuse::Lowest => self.holes.first(),
            Reuse::Rotating { min_free } => {
                if self.holes.count() <= min_free {
                    return None;
                }
                self.hole_in_turn()
            }
        }
    }

    /// The next hole, going round and round.
    fn hole_in_turn(&self) -> Option<u32> {
        self.holes.first_at_or_after(self.next_hole).or_else(|| self.holes.first())
    }

    #[inline]
    pub(super) fn vacancy_in_hole(&self, index: u32) -> Vacancy {
        let (last, place) = match self.slots.state(index).generation() {
            0 => (self.last_generation(index), Place::TrimmedHole),
            generation => (generation, Place::Hole),
        };
        Vacancy { index, generation: last + 1, place }
    }

    /// Fills a vacancy that was just found. Runs no user code.
    #[inline]
    pub(super) fn occupy(&mut self, vacancy: Vacancy, value: V) {
        let Vacancy { index, generation, place } = vacancy;
        if let Place::Behind = place {
            let pushed = self.slots.push(generation, value);
            assert!(pushed.is_ok(), "there is room, since `vacancy` made it");
            return;
        }
        if let Place::TrimmedHole = place {
            self.trimmed = self.trimmed.saturating_sub(1);
        }
        self.holes.clear(index);
        self.next_hole = index.wrapping_add(1);
        self.slots.fill(index, generation, value);
    }

    /// Makes room for `additional` more slots, and that they can become holes.
    #[cold]
    #[inline(never)]
    pub(super) fn grow(&mut self, additional: usize) -> Result<(), Error> {
        self.slots.try_reserve(additional).map_err(|error| Self::explain(error))?;
        self.cover_holes()
    }

    /// Sees to it that each slot in committed memory can become a hole without a call for memory.
    pub(super) fn cover_holes(&mut self) -> Result<(), Error> {
        if self.holes.covered() == 0 {
            // Now it is known how many slots there can ever be.
            self.holes = Bitmap::with_max_len(self.slots.max_len());
        }
        self.holes.cover(self.slots.capacity())
    }

    /// Says it if it is the keys that set the limit.
    pub(crate) fn explain(error: Error) -> Error {
        let most = Self::most_slots() as u64;
        if error.kind() == ErrorKind::MaxLen && error.limit() == Some(most) {
            return error.into_kind(ErrorKind::KeyBits, most);
        }
        error
    }
}

/// A slot to be filled next.
#[derive(Clone, Copy)]
pub(super) struct Vacancy {
    pub(super) index: u32,
    pub(super) generation: u32,
    place: Place,
}

#[derive(Clone, Copy)]
enum Place {
    /// Behind the last slot.
    Behind,
    Hole,
    /// A hole whose memory was handed back.
    TrimmedHole,
}

impl Vacancy {
    #[inline]
    pub(super) fn key<K: Key>(self) -> K {
        iter::key_of(self.index, self.generation)
    }
}
