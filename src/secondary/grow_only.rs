//! [`GrowOnlySecondaryMap`]: insert through `&self`, while references to values live.

use super::{SecondaryMap, Slots, give_up};
use crate::error::{Error, ErrorKind, Refused};
use crate::key::{Key, no_such_key};
use crate::slots::growing_slots::GrowingSlots;
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Index;

/// A scope in which a [`SecondaryMap`] can only grow, made by [`SecondaryMap::grow_only`].
///
/// Its `insert` takes `&self` and returns a reference that lives as long as the scope's borrow of the
/// map: across any number of further insertions. So values can be computed from those of other keys,
/// and be kept for the next who asks.
///
/// A value that is there stays, whoever wants to put in another: of the same key, or of a newer one.
/// Values can neither be removed nor changed inside the scope (use [`Cell`] and the like for what must
/// change), and it stays on one thread. Code that runs while the map takes memory (a
/// [`Backing`](crate::Backing), the hook of a panic in it) cannot use it, as that of a
/// [`GrowOnly`](crate::GrowOnly) cannot.
///
/// There is none for a [`SparseSecondaryMap`](super::SparseSecondaryMap), whose values move.
///
/// # Examples
///
/// ```
/// use stayput::{DefaultKey, SecondaryMap, SlotMap};
///
/// /// A node of a tree, with the key of its parent.
/// let mut parents: SlotMap<DefaultKey, Option<DefaultKey>> = SlotMap::new();
/// let root = parents.insert(None);
/// let branch = parents.insert(Some(root));
/// let leaf = parents.insert(Some(branch));
///
/// let mut paths = SecondaryMap::new();
/// let scope = paths.grow_only();
/// let of_root: &String = scope.insert(root, "/".to_string()).unwrap();
/// let of_branch = scope.insert(branch, format!("{of_root}b/")).unwrap();
/// let of_leaf = scope.insert(leaf, format!("{of_branch}l")).unwrap(); // all stay good
/// assert_eq!((&**of_root, &**of_branch, &**of_leaf), ("/", "/b/", "/b/l"));
/// assert_eq!(scope.insert(leaf, "another".to_string()), Err("another".to_string()));
/// ```
///
/// References end with the borrow:
///
/// ```compile_fail,E0499
/// # use stayput::{SecondaryMap, SlotMap};
/// let key = SlotMap::new().insert(());
/// let mut map = SecondaryMap::new();
/// let one = map.grow_only().insert(key, 1).unwrap();
/// map.remove(key);
/// println!("{one}");
/// ```
///
/// No other thread can have the scope:
///
/// ```compile_fail,E0277
/// # use stayput::{SecondaryMap, SlotMap};
/// let key = SlotMap::new().insert(());
/// let mut map = SecondaryMap::new();
/// let scope = map.grow_only();
/// std::thread::scope(|threads| {
///     threads.spawn(|| scope.insert(key, 2).is_ok());
/// });
/// ```
///
/// and no value can be put in that does not live as long as the map's must:
///
/// ```compile_fail
/// use stayput::DefaultKey;
/// use stayput::secondary::GrowOnlySecondaryMap;
///
/// fn shorten<'m, 's>(
///     scope: GrowOnlySecondaryMap<'m, DefaultKey, &'static str>,
/// ) -> GrowOnlySecondaryMap<'m, DefaultKey, &'s str> {
///     scope
/// }
/// ```
pub struct GrowOnlySecondaryMap<'m, K: Key, V> {
    slots: GrowingSlots<'m, V>,
    /// How many slots are live.
    live: &'m Cell<usize>,
    /// See [`SecondaryMap`].
    announced: usize,
    key: PhantomData<fn(K) -> K>,
}

impl<'m, K: Key, V> GrowOnlySecondaryMap<'m, K, V> {
    #[inline]
    pub(super) fn new(map: &'m mut SecondaryMap<K, V>) -> Self {
        Self {
            slots: GrowingSlots::new(&mut map.slots),
            live: Cell::from_mut(&mut map.live),
            announced: map.announced,
            key: PhantomData,
        }
    }

    /// Puts in the value of a key, and returns where it lies for good. O(1), no copy; enters the kernel
    /// if committed memory is used up.
    ///
    /// # Errors
    ///
    /// The value, if the key is null, or its slot has one: of the same key, an older or a newer one.
    ///
    /// # Panics
    ///
    /// Where [`try_insert`](Self::try_insert) has any other error.
    #[inline]
    #[track_caller]
    pub fn insert(&self, key: K, value: V) -> Result<&'m V, V> {
        self.try_insert(key, value).map_err(|refused| match refused.error.kind() {
            ErrorKind::StaleKey | ErrorKind::Occupied => refused.value,
            _ => give_up(refused.error),
        })
    }

    /// [`insert`](Self::insert), or the error and the value. O(1).
    ///
    /// # Errors
    ///
    /// If the key is null, or older than the one whose value is in its slot
    /// ([`StaleKey`](ErrorKind::StaleKey)); if it is that one, or newer
    /// ([`Occupied`](ErrorKind::Occupied)); if its index is [far](SecondaryMap#far-indices) behind all
    /// that is there ([`FarIndex`](ErrorKind::FarIndex)), or not below `max_len`
    /// ([`MaxLen`](ErrorKind::MaxLen)); if the call comes out of another that takes memory
    /// ([`Busy`](ErrorKind::Busy)); or if the system refuses memory. The map is unchanged then.
    #[inline]
    pub fn try_insert(&self, key: K, value: V) -> Result<&'m V, Refused<V>> {
        let data = key.data();
        let (index, generation) = (data.index(), data.generation());
        if generation == 0 {
            return Err(Refused { error: Error::new(ErrorKind::StaleKey, 0), value });
        }
        if index as usize >= self.slots.len() {
            if let Err(error) = self.extend_to(index) {
                return Err(Refused { error, value });
            }
        }
        match self.slots.fill(index, generation, value) {
            Ok(value) => {
                self.live.set(self.live.get() + 1);
                Ok(value)
            }
            Err(value) => Err(Refused { error: self.why_not(index, generation), value }),
        }
    }

    #[cold]
    #[inline(never)]
    fn extend_to(&self, index: u32) -> Result<(), Error> {
        let need = (index as usize).saturating_add(1);
        let (live, announced) = (self.live.get(), self.announced);
        let check =
            |slots: &Slots<V>| SecondaryMap::<K, V>::check_near(slots, need, live + 1, announced);
        self.slots.try_reach(need, check).map_err(SecondaryMap::<K, V>::explain)
    }

    /// Why a value was not put into a slot that there is.
    #[cold]
    fn why_not(&self, index: u32, generation: u32) -> Error {
        let kind = match self.slots.live_generation(index) {
            Some(there) if there > generation => ErrorKind::StaleKey,
            Some(_) => ErrorKind::Occupied,
            None => ErrorKind::Busy,
        };
        Error::new(kind, 0)
    }

    /// The value of a key, for as long as the scope's borrow. O(1).
    #[inline]
    #[track_caller]
    pub fn get(&self, key: K) -> Option<&'m V> {
        let data = key.data();
        self.slots.get(data.index(), data.generation())
    }

    /// Whether the key has a value here. O(1).
    #[inline]
    #[track_caller]
    pub fn contains_key(&self, key: K) -> bool {
        self.get(key).is_some()
    }

    /// The number of values. O(1).
    #[inline]
    pub fn len(&self) -> usize {
        self.live.get()
    }

    /// Whether there are no values. O(1).
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<K: Key, V> Index<K> for GrowOnlySecondaryMap<'_, K, V> {
    type Output = V;

    /// # Panics
    ///
    /// If the key has no value here.
    #[track_caller]
    fn index(&self, key: K) -> &V {
        match self.get(key) {
            Some(value) => value,
            None => no_such_key(key),
        }
    }
}

impl<K: Key, V> fmt::Debug for GrowOnlySecondaryMap<'_, K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The values are not shown: to do so could insert more.
        f.debug_struct("GrowOnlySecondaryMap").field("len", &self.len()).finish_non_exhaustive()
    }
}
