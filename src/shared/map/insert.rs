//! Putting values in.

#![expect(unsafe_code, reason = "moves values to slots that were dealt out")]

use super::super::Rest;
use super::super::gather::most_of_run;
use super::super::places::{Claim, RUN};
use super::SharedSlotMap;
use super::deal;
use super::ground::state_of;
use crate::error::{Error, Refused, or_give_up};
use crate::heap;
use crate::key::Key;
use crate::poison::unpoison;
use crate::slots::state::State;
use std::convert::Infallible;

/// The key and place of a value, or the error of the closure that should have made it.
type Inserted<'m, K, V, E> = Result<(K, &'m V), E>;

impl<K: Key, V> SharedSlotMap<K, V> {
    /// How many values [`insert_many`](Self::insert_many) puts in at once: 64, but no more than 16 KiB of them.
    const MOST: usize = most_of_run::<V>();

    /// Puts a value in, and returns its key, and where it lies for good. O(1), no copy; no lock, and no wait, unless memory
    /// has to be taken, for which it enters the kernel.
    ///
    /// # Panics
    ///
    /// Where [`try_insert`](Self::try_insert) has an error.
    #[inline]
    #[track_caller]
    pub fn insert(&self, value: V) -> (K, &V) {
        or_give_up(self.try_insert(value))
    }

    /// [`insert`](Self::insert), or the error and the value.
    ///
    /// # Errors
    ///
    /// If keys cannot number another slot ([`KeyBits`](crate::ErrorKind::KeyBits)), or there are `max_len`
    /// ([`MaxLen`](crate::ErrorKind::MaxLen)); if the system refuses memory, to this thread or to another at the same time;
    /// [`Busy`](crate::ErrorKind::Busy) if the call comes out of one that takes memory for this map (from a backing), or the
    /// owner has [forgotten](super::MapMut) to give it back.
    #[inline]
    pub fn try_insert(&self, value: V) -> Result<(K, &V), Refused<V>> {
        match self.claim() {
            // SAFETY: just claimed.
            Ok(ticket) => Ok(unsafe { self.put(ticket, value) }),
            Err(error) => Err(Refused { error, value }),
        }
    }

    /// Puts in what `make` makes of the key it will have.
    ///
    /// `make` is called before the slot is taken, and again with another key where another thread was faster; no lock is
    /// held meanwhile, and if it panics nothing is left behind. A key that it was called with in vain may be that of a
    /// later value, whoever's. (If it always inserts into this map itself, this goes on until the map is full.)
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
        or_give_up(self.try_insert_with(make))
    }

    /// [`insert_with_key`](Self::insert_with_key), or the error, and the value if it was made.
    ///
    /// (As in [`SlotMap`](crate::SlotMap), [`try_insert_with_key`](Self::try_insert_with_key) is for a closure that
    /// fails, and panics if memory is refused.)
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

    /// Inserts what `make` returns for the key it will have, as [`insert_with_key`](Self::insert_with_key) does, or returns
    /// the error of `make`; then no slot was taken.
    ///
    /// # Errors
    ///
    /// What `make` returns.
    ///
    /// # Panics
    ///
    /// As for [`insert`](Self::insert). See [`try_insert_with`](Self::try_insert_with) for a form that does not panic.
    #[track_caller]
    pub fn try_insert_with_key<E>(
        &self,
        make: impl FnMut(K) -> Result<V, E>,
    ) -> Result<(K, &V), E> {
        or_give_up(self.try_insert_made(make))
    }

    fn try_insert_made<E>(
        &self,
        mut make: impl FnMut(K) -> Result<V, E>,
    ) -> Result<Inserted<'_, K, V, E>, Refused<Option<V>>> {
        loop {
            let next = self.places.claimed();
            self.try_have(next).map_err(|error| Refused { error, value: None })?;
            // SAFETY: it has its slot now: committed, which was seen by acquire, or made with the lock.
            let (index, generation) = unsafe { self.ground.dealt::<V>(next) };
            let value = match make(self.ground.mint().key(index, generation)) {
                Ok(value) => value,
                Err(error) => return Ok(Err(error)),
            };
            match self.claim_exactly(next) {
                // SAFETY: just claimed.
                Ok(true) => return Ok(Ok(unsafe { self.put(next, value) })),
                Ok(false) => {}
                Err(error) => return Err(Refused { error, value: Some(value) }),
            }
        }
    }

    /// Puts all values in, and their keys, in the same order, into `keys`: up to 64 at a time, which costs the threads one
    /// moment of contention instead of 64.
    ///
    /// Should the iterator or `keys` panic, what was put in before stays. A value has its key when up to 63 that come after
    /// it are made.
    ///
    /// # Panics
    ///
    /// Where [`try_insert_many`](Self::try_insert_many) has an error.
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
        or_give_up(self.try_insert_many(values, keys));
    }

    /// [`insert_many`](Self::insert_many), or the error and the values that could not be put in; those that could be are
    /// there, and have their keys.
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
                if run.is_empty() {
                    return Ok(());
                }
                self.put_run(&mut run, keys)?;
            }
        };
        let refused = put().err();
        refused.map_or(Ok(()), |error| Err(Refused { error, value: run.into_iter().chain(values) }))
    }

    /// Puts several values in, in slots that are claimed at once; or as many as there are slots.
    fn put_run(&self, run: &mut Vec<V>, keys: &mut impl Extend<K>) -> Result<(), Error> {
        let mut put = |run: &mut Vec<V>, count: usize, first: usize| {
            for (ticket, value) in (first..).zip(run.drain(..count)) {
                // SAFETY: just claimed.
                unsafe { self.fill(ticket, value) };
            }
            let mint = self.ground.mint();
            keys.extend((first..first + count).map(|ticket| {
                // SAFETY: it has its slot.
                let (index, generation) = unsafe { self.ground.dealt::<V>(ticket) };
                mint.key(index, generation)
            }));
            self.note(first, first + count - 1);
        };
        if let Ok(first) = self.claim_many(run.len()) {
            put(run, run.len(), first);
        }
        // There may be some all the same.
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
            claim => self.claim_slowly(&claim).map(|ticket| ticket.expect("not one alone")),
        }
    }

    /// Takes so many tickets, one behind the other, and returns the first.
    fn claim_many(&self, count: usize) -> Result<usize, Error> {
        match self.places.claim_many(count) {
            Claim::Place(ticket) => Ok(ticket),
            claim => self.claim_slowly(&claim).map(|ticket| ticket.expect("not one alone")),
        }
    }

    /// Takes a ticket if it is the next one; whether it was.
    fn claim_exactly(&self, ticket: usize) -> Result<bool, Error> {
        match self.places.claim_exactly(ticket) {
            Ok(is_taken) => Ok(is_taken),
            Err(claim) => Ok(self.claim_slowly(&claim)?.is_some()),
        }
    }

    /// Fills the slot of a ticket, and makes its key.
    ///
    /// # Safety
    ///
    /// - The caller has claimed the ticket, and uses it once.
    #[inline]
    unsafe fn put(&self, ticket: usize, value: V) -> (K, &V) {
        // SAFETY: the caller's promise.
        let (index, generation, value) = unsafe { self.fill(ticket, value) };
        if ticket % RUN == RUN - 1 {
            self.note(ticket, ticket);
        }
        (self.ground.mint().key(index, generation), value)
    }

    /// Fills the slot of a ticket, and has others see it.
    ///
    /// # Safety
    ///
    /// - As for [`put`](Self::put).
    #[inline]
    unsafe fn fill(&self, ticket: usize, value: V) -> (u32, u32, &V) {
        // SAFETY: claimed, so it has its slot, which is known by acquire, or by the lock.
        let (index, generation) = unsafe { self.ground.dealt::<V>(ticket) };
        // SAFETY: the same.
        let slot = unsafe { self.ground.dealt_slot::<V>(index) };
        unpoison(slot.value().as_ptr(), 1);
        // SAFETY: memory for a value, which is the caller's alone, as the ticket is; it is vacant, so no reference is to
        // it.
        unsafe { slot.value().write(value) };
        // SAFETY: it is a ticket's.
        let state = unsafe { state_of(slot) };
        deal::publish(state, State::live(generation).to_bits());
        // SAFETY: just written, and live from now on.
        (index, generation, unsafe { self.value(slot) })
    }
}
