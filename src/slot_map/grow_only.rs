//! [`GrowOnlyMap`]: insert through `&self`, while references to values live.
//!
//! # Why this is sound
//!
//! - **In place**: as for the grow-only scope of a vector (`vec/grow_only.rs`), the scope holds the only mutable borrow
//!   of the map for `'m`, stays on one thread, and never moves, drops or mutably borrows a value in the map. An
//!   insertion writes to one slot, which is not live: it is past the last one, or the map's record of holes has it, and
//!   a hole is vacant (see `slot_map/mod.rs`), so no reference points there. No reference to a slice of slots is ever
//!   made; see [`array`](crate::slots::array). So what is initialized stays so, in place and unchanged, for `'m`. Small
//!   maps inside of other containers move when they grow: their scopes insert by `try_insert_key`, and use what `get`
//!   returns at once.
//! - **Brief**: the map's own fields are mutably borrowed one call at a time. [`LendCell`] guarantees that for calls
//!   that take memory: a re-entrant one is refused. The closures of all others run no user code, not even the key's
//!   conversions, which may be a user's, do not allocate, and do not panic.

#![expect(unsafe_code, reason = "changes the map through a shared reference")]

use super::{SlotMap, Weak};
use crate::error::{Error, Refused, handle_error, unwrap_or_panic};
use crate::key::Key;
use crate::raw_vec::Options;
use crate::slots::array::Slots;
use crate::slots::vacancy::Vacancy;
use crate::vec::lend_cell::{Lend, LendCell, busy};
use std::ptr::NonNull;

/// A scope in which a [`SlotMap`] can only grow; created by [`SlotMap::grow_only`].
///
/// Its `insert` takes `&self`, costs as much as [`SlotMap::insert`], and returns a reference with the key. The
/// reference lives as long as the scope's borrow of the map, across any number of insertions.
///
/// Inside the scope, values can be neither removed nor changed (use [`Cell`](std::cell::Cell) and similar types for
/// that), and the scope stays on one thread. Code that runs while the map takes memory (a [`Backing`](crate::Backing),
/// a global allocator, or the panic hook in one of them) cannot use the scope; see [`GrowOnly`](crate::GrowOnly).
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
///     scope.insert(format!("explosion {n} of {bomb}")); // `bomb` stays valid
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
/// The scope cannot be shared between threads:
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
/// A value that does not live as long as those of the map cannot be inserted:
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
    /// Also keeps the scope on one thread.
    map: LendCell<'m, SlotMap<K, V>>,
}

impl<K: Key, V> SlotMap<K, V> {
    /// Opens a scope in which the map can only grow, and in which references to values stay valid across insertions.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::SlotMap;
    /// let mut map = SlotMap::new();
    /// let scope = map.grow_only();
    /// let (_, bomb) = scope.insert("bomb".to_string());
    /// let (key, debris) = scope.insert(format!("debris of {bomb}")); // `bomb` is still valid
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
    fn placeholder() -> Self {
        Self::with_slots(Slots::new(&Options::FULL))
    }

    #[inline]
    fn is_placeholder(&self) -> bool {
        self.slots.is_full_for_good()
    }
}

impl<'m, K: Key, V> GrowOnlyMap<'m, K, V> {
    #[inline]
    pub(super) fn new(map: &'m mut SlotMap<K, V>) -> Self {
        Self { map: LendCell::new(map) }
    }

    /// Inserts a value, and returns its key and a reference to it. The value does not move while it is in the map.
    /// O(1); enters the kernel if committed memory is used up.
    ///
    /// # Panics
    ///
    /// If [`SlotMap::try_insert`] returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::SlotMap;
    /// let mut names = SlotMap::new();
    /// let scope = names.grow_only();
    /// let (_, ann) = scope.insert("Ann".to_string());
    /// let (key, _) = scope.insert(format!("{ann}'s cat")); // `ann` stays valid
    /// assert_eq!((ann.as_str(), scope[key].as_str()), ("Ann", "Ann's cat"));
    /// ```
    #[inline]
    #[track_caller]
    pub fn insert(&self, value: V) -> (K, &'m V) {
        match self.try_insert(value) {
            Ok(inserted) => inserted,
            Err(refused) => handle_error(refused.error),
        }
    }

    /// [`insert`](Self::insert), or the error and the value.
    ///
    /// # Errors
    ///
    /// As for [`SlotMap::try_insert`].
    #[inline]
    pub fn try_insert(&self, value: V) -> Result<(K, &'m V), Refused<V>> {
        // In a call of its own: if a backing unwinds, the value is dropped, which is user code.
        let vacancy = match self.vacancy() {
            Ok(vacancy) => vacancy,
            Err(error) => return Err(Refused { error, value }),
        };
        let fill = |map: &mut SlotMap<K, V>| {
            map.occupy(vacancy, value);
            // Not by the reference that an insertion returns: it would end once another is used to change the value.
            (map.slots.place(vacancy.index), map.mint())
        };
        // SAFETY: **Brief**: `fill` moves a value, and marks its slot. A vacancy was found, and no code ran since then
        // that could lend the map, so `fill` gets the map itself, in which the slot is below the length or within
        // capacity: nothing panics.
        let (value, mint) = unsafe { self.map.lend_seen(fill) };
        // SAFETY: `occupy` has just moved the value into the vacancy's slot, so it is initialized; and it stays so for
        // `'m`: **In place**.
        Ok((vacancy.key(mint), unsafe { value.as_ref() }))
    }

    #[inline]
    fn vacancy(&self) -> Result<Vacancy, Error> {
        // The placeholder for a lent map is full, so it has no vacancy.
        // SAFETY: **Brief**: the closure reads numbers and bits.
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

    /// Returns the value of a key; `None` if it is not in the map. The reference lives as long as the scope's borrow.
    /// O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::SlotMap;
    /// let mut words = SlotMap::new();
    /// let key = words.insert("echo".to_string());
    /// let scope = words.grow_only();
    /// let word = scope.get(key).unwrap();
    /// scope.insert(format!("{word}, {word}")); // `word` stays valid
    /// assert_eq!(word, "echo");
    /// ```
    #[inline]
    #[track_caller]
    pub fn get(&self, key: K) -> Option<&'m V> {
        let data = key.data();
        let find = |map: &mut SlotMap<K, V>| {
            let (index, generation) = map.type_id.parts(data);
            map.slots.get(index, generation).map(NonNull::from)
        };
        // SAFETY: **Brief**: the closure compares words.
        let value = unsafe { self.map.lend_briefly(find) }.unwrap_or_else(|| busy())?;
        // SAFETY: `get` returned a reference to the value, so it is initialized; and it stays so for `'m`: **In
        // place**.
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
        // SAFETY: **Brief**: the closure compares addresses and reads a word.
        let found = unsafe { self.map.lend_briefly(find) };
        let (index, generation, mint) = found.unwrap_or_else(|| busy())?;
        Some(mint.key(index, generation))
    }

    /// See [`SlotMap::downgrade`].
    #[track_caller]
    pub fn downgrade(&self, key: K) -> Option<Weak<K, V>> {
        let data = key.data();
        let downgrade = |map: &mut SlotMap<K, V>| {
            let (index, generation) = map.type_id.parts(data);
            map.downgrade_at(index, generation)
        };
        // SAFETY: **Brief**: the closure compares words, and takes a number from a counter.
        let weak = unsafe { self.map.lend_briefly(downgrade) };
        weak.unwrap_or_else(|| busy())
    }

    /// Reserves memory for `additional` more values; see [`SlotMap::reserve`].
    ///
    /// # Panics
    ///
    /// As for [`SlotMap::reserve`].
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::SlotMap;
    /// let mut lines = SlotMap::new();
    /// let scope = lines.grow_only();
    /// let (_, first) = scope.insert("first".to_string());
    /// scope.reserve(100); // `first` stays valid
    /// assert_eq!(first, "first");
    /// assert!(lines.capacity() >= 101);
    /// ```
    #[track_caller]
    pub fn reserve(&self, additional: usize) {
        unwrap_or_panic(self.try_reserve(additional));
    }

    /// [`reserve`](Self::reserve), or the error.
    ///
    /// # Errors
    ///
    /// As for [`SlotMap::try_reserve`].
    pub fn try_reserve(&self, additional: usize) -> Result<(), Error> {
        self.map.lend(|map| map.try_reserve(additional))?
    }

    /// Returns the number of values. O(1).
    #[inline]
    #[track_caller]
    pub fn len(&self) -> usize {
        // SAFETY: **Brief**: the closure reads numbers.
        unsafe { self.map.lend_briefly(|map| map.len()) }.unwrap_or_else(|| busy())
    }

    /// Returns `true` if the map has no values. O(1).
    #[inline]
    #[track_caller]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

index_by_key!([K: Key, V] GrowOnlyMap<'_, K, V> => V);

// Values are not printed, since printing one could insert more.
debug_fields!([K: Key, V] GrowOnlyMap<'_, K, V>, "GrowOnlyMap", |map| len: map.len());

/// For maps inside of other containers.
impl<K: Key, V: Copy> GrowOnlyMap<'_, K, V> {
    /// Inserts what `make` returns, and returns the key only. The key's conversion, which may be a user's, is called
    /// first, and may insert into the container that this map is a part of: then it begins anew.
    #[inline]
    pub(crate) fn try_insert_key(
        &self,
        mut make: impl FnMut() -> Result<V, Error>,
    ) -> Result<K, Error> {
        // What each insertion changes.
        let stamp = |map: &SlotMap<K, V>| (map.slots.len(), map.holes.count());
        let look = |map: &mut SlotMap<K, V>| (map.vacancy_at_hand(), stamp(map), map.mint());
        loop {
            // SAFETY: **Brief**: the closure reads numbers and bits.
            let (at_hand, mut before, mint) = unsafe { self.map.lend_seen(look) };
            let vacancy = if let Some(vacancy) = at_hand {
                vacancy
            } else {
                let vacancy = self.vacancy_by_growth()?;
                // SAFETY: **Brief**: as above.
                before = unsafe { self.map.lend_seen(|map| stamp(map)) };
                vacancy
            };
            let key = vacancy.key(mint);
            let value = make()?;
            let fill = |map: &mut SlotMap<K, V>| {
                let is_vacant = stamp(map) == before;
                if is_vacant {
                    map.occupy(vacancy, value);
                }
                is_vacant
            };
            // SAFETY: **Brief**: `fill` moves a value that needs no drop, and marks its slot. Nothing was inserted since the
            // vacancy was found, and nothing is removed in a scope, so it is still one: nothing panics.
            if unsafe { self.map.lend_seen(fill) } {
                return Ok(key);
            }
        }
    }
}
