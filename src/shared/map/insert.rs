//! Inserting values.

#![expect(unsafe_code, reason = "moves values to claimed slots")]

use super::super::Rest;
use super::super::gather::most_of_run;
use super::super::places::{Claim, RUN};
use super::SharedSlotMap;
use super::tickets;
use crate::error::{Error, Refused, unwrap_or_panic};
use crate::heap;
use crate::key::Key;
use crate::poison::unpoison;
use crate::slots::state::State;
use std::convert::Infallible;

/// The key and value that were inserted, or the error of the closure that makes the value.
type Inserted<'m, K, V, E> = Result<(K, &'m V), E>;

impl<K: Key, V> SharedSlotMap<K, V> {
    /// How many values [`insert_many`](Self::insert_many) inserts at once: 64, but no more than 16 KiB of them.
    const MOST: usize = most_of_run::<V>();

    /// Inserts a value, and returns its key and a reference to it. The value never moves. O(1).
    ///
    /// Takes no lock and does not wait, unless the map needs memory; then it enters the kernel. Unlike
    /// [`SlotMap::insert`](crate::SlotMap::insert), this returns a reference, too, since another thread might remove
    /// the value before it could be looked up.
    ///
    /// # Panics
    ///
    /// If [`try_insert`](Self::try_insert) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::SharedSlotMap;
    /// let monsters = SharedSlotMap::new();
    /// let (key, orc) = monsters.insert("orc".to_string());
    /// monsters.remove(key); // as another thread might
    /// assert_eq!(orc, "orc"); // the reference is still valid
    /// ```
    #[inline]
    #[track_caller]
    pub fn insert(&self, value: V) -> (K, &V) {
        unwrap_or_panic(self.try_insert(value))
    }

    /// [`insert`](Self::insert), or the error and the value.
    ///
    /// # Errors
    ///
    /// If keys have no bits for another slot ([`KeyBits`](crate::ErrorKind::KeyBits)), or there are `max_len` slots
    /// ([`MaxLen`](crate::ErrorKind::MaxLen)); if the system refuses memory, to this thread or to another at the same
    /// time; for a re-entrant call, from a backing that is supplying memory to this map, or after a
    /// [`MapMut`](super::MapMut) was leaked ([`Busy`](crate::ErrorKind::Busy)).
    #[inline]
    pub fn try_insert(&self, value: V) -> Result<(K, &V), Refused<V>> {
        match self.claim() {
            Ok(ticket) => Ok(Claimed { map: self, ticket }.put(value)),
            Err(error) => Err(Refused { error, value }),
        }
    }

    /// Inserts the value that `make` returns for the key it will have.
    ///
    /// `make` is called before the slot is claimed, and again with another key if another thread is faster. No lock is
    /// held meanwhile, and if `make` panics, the map is unchanged. A key that was passed to `make` and not used may
    /// become the key of a later value of any thread. If `make` always inserts into this map itself, this continues
    /// until the map is full.
    ///
    /// # Panics
    ///
    /// As for [`insert`](Self::insert).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::SharedSlotMap;
    /// let map = SharedSlotMap::new();
    /// let (key, value) = map.insert_with_key(|key| (key, 20));
    /// assert_eq!(*value, (key, 20));
    /// ```
    #[track_caller]
    pub fn insert_with_key(&self, make: impl FnMut(K) -> V) -> (K, &V) {
        unwrap_or_panic(self.try_insert_with(make))
    }

    /// [`insert_with_key`](Self::insert_with_key), or the error, and the value if it was made.
    ///
    /// The [`try_insert_with_key`](Self::try_insert_with_key) of this map, as of [`SlotMap`](crate::SlotMap), is for a
    /// closure that can fail, and panics if memory is refused.
    ///
    /// # Errors
    ///
    /// As for [`try_insert`](Self::try_insert).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::SharedSlotMap;
    /// let map = SharedSlotMap::with_max_len(1);
    /// let (key, value) = map.try_insert_with(|key| (key, 20))?;
    /// assert_eq!(*value, (key, 20));
    /// let refused = map.try_insert_with(|key| (key, 30)).unwrap_err();
    /// assert_eq!(refused.value, None); // there was no key for it
    /// # Ok::<(), stayput::Error>(())
    /// ```
    pub fn try_insert_with(
        &self,
        mut make: impl FnMut(K) -> V,
    ) -> Result<(K, &V), Refused<Option<V>>> {
        match self.try_insert_made(|key| Ok::<V, Infallible>(make(key))) {
            Ok(Ok(inserted)) => Ok(inserted),
            Ok(Err(never)) => match never {},
            Err(refused) => Err(refused),
        }
    }

    /// Inserts the value that `make` returns for the key it will have, as [`insert_with_key`](Self::insert_with_key)
    /// does.
    ///
    /// # Errors
    ///
    /// Returns the error of `make`. No slot is used then.
    ///
    /// # Panics
    ///
    /// As for [`insert`](Self::insert). See [`try_insert_with`](Self::try_insert_with) for a form that does not panic.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{DefaultKey, SharedSlotMap};
    /// let levels: SharedSlotMap<DefaultKey, (DefaultKey, u32)> = SharedSlotMap::new();
    /// let (key, level) = levels.try_insert_with_key(|key| "12".parse().map(|n| (key, n)))?;
    /// assert_eq!(*level, (key, 12));
    /// assert!(levels.try_insert_with_key(|key| "x".parse().map(|n| (key, n))).is_err());
    /// assert_eq!(levels.len(), 1);
    /// # Ok::<(), std::num::ParseIntError>(())
    /// ```
    #[track_caller]
    pub fn try_insert_with_key<E>(
        &self,
        make: impl FnMut(K) -> Result<V, E>,
    ) -> Result<(K, &V), E> {
        unwrap_or_panic(self.try_insert_made(make))
    }

    fn try_insert_made<E>(
        &self,
        mut make: impl FnMut(K) -> Result<V, E>,
    ) -> Result<Inserted<'_, K, V, E>, Refused<Option<V>>> {
        loop {
            let next = self.places.claimed();
            self.try_have(next).map_err(|error| Refused { error, value: None })?;
            // SAFETY: the ticket has its slot: `try_have` loaded `committed` by acquire, or held the growth lock. The map is
            // shared while `self` is borrowed.
            let (index, generation) = unsafe { self.view.slot_of(next) };
            let value = match make(self.view.mint().key(index, generation)) {
                Ok(value) => value,
                Err(error) => return Ok(Err(error)),
            };
            match self.claim_exactly(next) {
                Ok(true) => return Ok(Ok(Claimed { map: self, ticket: next }.put(value))),
                Ok(false) => {}
                Err(error) => return Err(Refused { error, value: Some(value) }),
            }
        }
    }

    /// Inserts all values, and passes their keys to `keys` in the order of the values. Up to 64 values are inserted at
    /// once, which costs the threads one moment of contention instead of 64.
    ///
    /// If the iterator or `keys` panics, values that were inserted before stay. A value gets its key only when up to 63
    /// values after it were produced.
    ///
    /// # Panics
    ///
    /// If [`try_insert_many`](Self::try_insert_many) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::SharedSlotMap;
    /// let map = SharedSlotMap::new();
    /// let mut keys = Vec::new();
    /// map.insert_many(["a", "b", "c"], &mut keys);
    /// assert_eq!(map[keys[1]], "b");
    /// ```
    #[track_caller]
    pub fn insert_many(&self, values: impl IntoIterator<Item = V>, keys: &mut impl Extend<K>) {
        unwrap_or_panic(self.try_insert_many(values, keys));
    }

    /// [`insert_many`](Self::insert_many), or the error and the values that could not be inserted. The others stay, and
    /// have their keys.
    ///
    /// # Errors
    ///
    /// As for [`try_insert`](Self::try_insert).
    pub fn try_insert_many<I: IntoIterator<Item = V>>(
        &self,
        values: I,
        keys: &mut impl Extend<K>,
    ) -> Result<(), Refused<Rest<I::IntoIter>>> {
        let mut values = values.into_iter();
        let mut run = Vec::new();
        let mut put = || -> Result<(), Error> {
            heap::try_reserve_exact(&mut run, Self::MOST)?;
            loop {
                run.extend(values.by_ref().take(Self::MOST));
                // Then they have ended, and need not be fused.
                let is_last = run.len() < Self::MOST;
                self.put_run(&mut run, keys)?;
                if is_last {
                    return Ok(());
                }
            }
        };
        let refused = put().err();
        refused.map_or(Ok(()), |error| Err(Refused { error, value: run.into_iter().chain(values) }))
    }

    /// Inserts values into slots that are claimed at once, or as many as there are slots for.
    fn put_run(&self, run: &mut Vec<V>, keys: &mut impl Extend<K>) -> Result<(), Error> {
        let mut put = |run: &mut Vec<V>, count: usize, first: usize| {
            for (ticket, value) in (first..).zip(run.drain(..count)) {
                Claimed { map: self, ticket }.fill(value);
            }
            let mint = self.view.mint();
            keys.extend((first..first + count).map(|ticket| {
                // SAFETY: the ticket was claimed by this thread, so it has its slot. The map is shared while `self` is
                // borrowed.
                let (index, generation) = unsafe { self.view.slot_of(ticket) };
                mint.key(index, generation)
            }));
            self.note(first, first + count - 1);
        };
        if run.is_empty() {
            return Ok(());
        }
        if let Ok(first) = self.claim_many(run.len()) {
            put(run, run.len(), first);
        }
        // Memory for all of them was refused. There may be slots for some.
        while !run.is_empty() {
            let ticket = self.claim()?;
            put(run, 1, ticket);
        }
        Ok(())
    }

    #[inline]
    pub(super) fn claim(&self) -> Result<usize, Error> {
        match self.places.claim() {
            Claim::Place(ticket) => Ok(ticket),
            claim => self.claim_slowly(&claim).map(|ticket| ticket.expect("not an exact claim")),
        }
    }

    fn claim_many(&self, count: usize) -> Result<usize, Error> {
        match self.places.claim_many(count) {
            Claim::Place(ticket) => Ok(ticket),
            claim => self.claim_slowly(&claim).map(|ticket| ticket.expect("not an exact claim")),
        }
    }

    fn claim_exactly(&self, ticket: usize) -> Result<bool, Error> {
        match self.places.claim_exactly(ticket) {
            Ok(is_taken) => Ok(is_taken),
            Err(claim) => Ok(self.claim_slowly(&claim)?.is_some()),
        }
    }
}

/// A ticket that this thread has just claimed.
///
/// So it has its slot, which this thread has seen by acquire or with the growth lock held. The slot is vacant, and no other
/// thread accesses the memory of its value.
struct Claimed<'m, K: Key, V> {
    map: &'m SharedSlotMap<K, V>,
    ticket: usize,
}

impl<'m, K: Key, V> Claimed<'m, K, V> {
    /// Fills the slot, and takes memory ahead if that is due.
    #[inline]
    fn put(self, value: V) -> (K, &'m V) {
        let Self { map, ticket } = self;
        let (index, generation, value) = self.fill(value);
        if ticket % RUN == RUN - 1 {
            map.note(ticket, ticket);
        }
        (map.view.mint().key(index, generation), value)
    }

    /// Writes a value to the slot and makes it live. Returns its index and generation, and the value.
    #[inline]
    fn fill(self, value: V) -> (u32, u32, &'m V) {
        let Self { map, ticket } = self;
        // SAFETY: the ticket was claimed, so it has its slot. The map is shared while it is borrowed.
        let (index, generation) = unsafe { map.view.slot_of(ticket) };
        // SAFETY: as above: it is the slot of the ticket.
        let slot = unsafe { map.view.slot_unchecked(index) };
        let place = slot.place();
        unpoison(place.as_ptr(), 1);
        // SAFETY: there is aligned memory for the value, which no other thread accesses; the slot is vacant, so there is no
        // reference to it.
        unsafe { place.write(value) };
        tickets::publish(slot.state(), State::live(generation).to_bits());
        // SAFETY: written above. No thread writes there, moves it or drops it while the map is borrowed.
        (index, generation, unsafe { place.as_ref() })
    }
}
