//! [`GrowOnlyMap`]: insert through `&self`, while references to values live.
//!
//! # Why this is sound
//!
//! As for the grow-only scope of a vector, see `vec/grow_only.rs`: the scope has the one mutable
//! borrow of the map for `'m`, on one thread, and never moves, drops, or lends mutably a value
//! that is in the map. Here values also go into holes: an insertion writes, by raw pointer, to one
//! slot that was not live, so no reference points to it; and no reference to a slice of slots is
//! ever made, see [`array`](crate::slots::array).
//!
//! The map's own fields are borrowed mutably one at a time, for which [`Lent`] answers: whatever
//! runs while the map takes memory and comes back to the scope is refused. All else here runs no user
//! code while they are borrowed: not the key's conversions either, which are a user's if the key type
//! is.

#![expect(unsafe_code, reason = "changes the map through a shared reference")]

use super::{SlotMap, Weak};
use crate::error::{Error, Refused, give_up, or_give_up};
use crate::key::{Key, no_such_key};
use crate::raw_vec::Options;
use crate::slots::array::Slots;
use crate::slots::vacancy::Vacancy;
use crate::vec::lent::{Lend, Lent, busy};
use std::fmt;
use std::ops::Index;
use std::ptr::NonNull;

/// A scope in which a [`SlotMap`] can only grow, made by [`SlotMap::grow_only`].
///
/// Its `insert` takes `&self` and returns, with the key, a reference that lives as long as the
/// scope's borrow of the map: across any number of further insertions. It costs what
/// [`SlotMap::insert`] costs.
///
/// Values can neither be removed nor changed inside the scope (use [`Cell`](std::cell::Cell) and
/// the like for what must change), and it stays on one thread. Code that runs while the map takes
/// memory (a [`Backing`](crate::Backing), a global allocator, the hook of a panic in one of them)
/// cannot use it, as that of a [`GrowOnly`](crate::GrowOnly) cannot.
///
/// # Examples
///
/// ```
/// use stayput::SlotMap;
///
/// let mut things = SlotMap::new();
/// let scope = things.grow_only();
/// let (_, bomb) = scope.insert("bomb".to_string());
/// for n in 0..1000 {
///     scope.insert(format!("explosion {n} of {bomb}")); // `bomb` stays good
/// }
/// ```
///
/// References end with the borrow:
///
/// ```compile_fail,E0499
/// let mut map = stayput::SlotMap::new();
/// let (key, one) = map.grow_only().insert(1);
/// map.remove(key);
/// println!("{one}");
/// ```
///
/// ```compile_fail,E0597
/// let one = {
///     let mut map = stayput::SlotMap::new();
///     map.grow_only().insert(1).1
/// };
/// println!("{one}");
/// ```
///
/// No other thread can have the scope:
///
/// ```compile_fail,E0277
/// let mut map = stayput::SlotMap::new();
/// let scope = map.grow_only();
/// std::thread::scope(|threads| {
///     threads.spawn(|| scope.insert(2).1);
///     threads.spawn(|| scope.insert(3).1);
/// });
/// ```
///
/// and no value can be put in that does not live as long as the map's must:
///
/// ```compile_fail
/// use stayput::{DefaultKey, GrowOnlyMap};
///
/// fn shorten<'m, 's>(
///     scope: GrowOnlyMap<'m, DefaultKey, &'static str>,
/// ) -> GrowOnlyMap<'m, DefaultKey, &'s str> {
///     scope
/// }
/// ```
pub struct GrowOnlyMap<'m, K: Key, V> {
    /// It keeps the scope on one thread, too.
    map: Lent<'m, SlotMap<K, V>>,
}

impl<K: Key, V> SlotMap<K, V> {
    /// Opens a scope in which the map can only grow, so that references to values stay good
    /// across insertions.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::SlotMap;
    /// let mut map = SlotMap::new();
    /// let scope = map.grow_only();
    /// let (_, bomb) = scope.insert("bomb".to_string());
    /// let (key, debris) = scope.insert(format!("debris of {bomb}")); // `bomb` is still good
    /// assert_eq!(bomb, "bomb");
    /// # let _ = debris;
    /// assert_eq!(map[key], "debris of bomb");
    /// ```
    #[inline]
    pub fn grow_only(&mut self) -> GrowOnlyMap<'_, K, V> {
        GrowOnlyMap::new(self)
    }
}

impl<K: Key, V> Lend for SlotMap<K, V> {
    fn in_place() -> Self {
        Self::with_slots(Slots::new(&Options::FULL))
    }

    #[inline]
    fn is_in_place(&self) -> bool {
        self.slots.is_full_for_good()
    }
}

impl<'m, K: Key, V> GrowOnlyMap<'m, K, V> {
    #[inline]
    pub(super) fn new(map: &'m mut SlotMap<K, V>) -> Self {
        Self { map: Lent::new(map) }
    }

    /// Puts a value in and returns its key, and where it lies for good. O(1), no copy; enters the
    /// kernel if committed memory is used up.
    ///
    /// # Panics
    ///
    /// Where [`SlotMap::try_insert`] has an error.
    #[inline]
    #[track_caller]
    pub fn insert(&self, value: V) -> (K, &'m V) {
        match self.try_insert(value) {
            Ok(inserted) => inserted,
            Err(refused) => give_up(refused.error),
        }
    }

    /// [`insert`](Self::insert), or the error and the value.
    ///
    /// # Errors
    ///
    /// As for [`SlotMap::try_insert`].
    #[inline]
    pub fn try_insert(&self, value: V) -> Result<(K, &'m V), Refused<V>> {
        // Apart from filling it: where a backing unwinds, the value is dropped, and that is user code.
        let vacancy = match self.vacancy() {
            Ok(vacancy) => vacancy,
            Err(error) => return Err(Refused { error, value }),
        };
        let fill = |map: &mut SlotMap<K, V>| {
            map.occupy(vacancy, value);
            // SAFETY: just filled.
            (NonNull::from(unsafe { map.slots.get_unchecked(vacancy.index) }), map.mint())
        };
        // SAFETY: it moves a value, and marks its slot. What is seen has a vacancy, so it is the map.
        let (value, mint) = unsafe { self.map.lend_seen(fill) };
        // SAFETY: initialised, and it stays where and what it is for `'m`: see above.
        Ok((vacancy.key(mint), unsafe { value.as_ref() }))
    }

    #[inline]
    fn vacancy(&self) -> Result<Vacancy, Error> {
        // What is in the map's place while that is lent is full.
        // SAFETY: it reads numbers and bits.
        match unsafe { self.map.lend_seen(|map| map.vacancy_at_hand()) } {
            Some(vacancy) => Ok(vacancy),
            None => self.vacancy_by_growth(),
        }
    }

    #[cold]
    #[inline(never)]
    fn vacancy_by_growth(&self) -> Result<Vacancy, Error> {
        self.map.lend(SlotMap::vacancy)?
    }

    /// The value of a key, for as long as the scope's borrow. O(1).
    #[inline]
    #[track_caller]
    pub fn get(&self, key: K) -> Option<&'m V> {
        let data = key.data();
        let find = |map: &mut SlotMap<K, V>| {
            let (index, generation) = map.number.parts(data);
            map.slots.get(index, generation).map(NonNull::from)
        };
        // SAFETY: it compares words.
        let value = unsafe { self.map.lend_briefly(find) }.unwrap_or_else(|| busy())?;
        // SAFETY: live, and it stays where and what it is for `'m`: see above.
        Some(unsafe { value.as_ref() })
    }

    /// See [`SlotMap::contains_key`].
    #[inline]
    #[track_caller]
    pub fn contains_key(&self, key: K) -> bool {
        self.get(key).is_some()
    }

    /// See [`SlotMap::key_of`].
    #[track_caller]
    pub fn key_of(&self, value: &V) -> Option<K> {
        let address = std::ptr::from_ref(value).addr();
        let find = |map: &mut SlotMap<K, V>| {
            let index = map.slots.index_at(address)?;
            Some((index, map.slots.at_index(index)?.0, map.mint()))
        };
        // SAFETY: it compares addresses, and reads a word.
        let found = unsafe { self.map.lend_briefly(find) };
        let (index, generation, mint) = found.unwrap_or_else(|| busy())?;
        Some(mint.key(index, generation))
    }

    /// See [`SlotMap::downgrade`].
    #[track_caller]
    pub fn downgrade(&self, key: K) -> Option<Weak<K, V>> {
        let data = key.data();
        let downgrade = |map: &mut SlotMap<K, V>| {
            let (index, generation) = map.number.parts(data);
            map.downgrade_at(index, generation)
        };
        // SAFETY: it compares words, and takes a number.
        let weak = unsafe { self.map.lend_briefly(downgrade) };
        weak.unwrap_or_else(|| busy())
    }

    /// Makes room for `additional` more values; see [`SlotMap::reserve`].
    ///
    /// # Panics
    ///
    /// As for [`SlotMap::reserve`].
    #[track_caller]
    pub fn reserve(&self, additional: usize) {
        or_give_up(self.try_reserve(additional));
    }

    /// [`reserve`](Self::reserve), or the error.
    ///
    /// # Errors
    ///
    /// As for [`SlotMap::try_reserve`].
    pub fn try_reserve(&self, additional: usize) -> Result<(), Error> {
        self.map.lend(|map| map.try_reserve(additional))?
    }

    /// The number of values. O(1).
    #[inline]
    #[track_caller]
    pub fn len(&self) -> usize {
        // SAFETY: it reads numbers.
        unsafe { self.map.lend_briefly(|map| map.len()) }.unwrap_or_else(|| busy())
    }

    /// Whether there are no values. O(1).
    #[inline]
    #[track_caller]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<K: Key, V> Index<K> for GrowOnlyMap<'_, K, V> {
    type Output = V;

    /// # Panics
    ///
    /// If the key's value is not in the map.
    #[track_caller]
    fn index(&self, key: K) -> &V {
        match self.get(key) {
            Some(value) => value,
            None => no_such_key(key),
        }
    }
}

impl<K: Key, V> fmt::Debug for GrowOnlyMap<'_, K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The values are not shown: to do so could insert more.
        f.debug_struct("GrowOnlyMap").field("len", &self.len()).finish_non_exhaustive()
    }
}
