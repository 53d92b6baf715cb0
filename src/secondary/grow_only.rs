//! [`GrowOnlySecondaryMap`]: insert through `&self`, while references to values live.

use super::{SecondaryMap, Slots, handle_error, parts};
use crate::error::{Error, ErrorKind, Refused};
use crate::key::Key;
use crate::slots::growing_slots::GrowingSlots;
use std::cell::Cell;
use std::marker::PhantomData;

/// A scope in which a [`SecondaryMap`] can only grow; created by [`SecondaryMap::grow_only`].
///
/// Its `insert` takes `&self`, and returns a reference that lives as long as the scope's borrow of the map, across any
/// number of insertions. So values can be computed from those of other keys and cached in the map.
///
/// Inside the scope, values can be neither replaced, by those of equal or newer keys, nor removed or changed (use
/// [`Cell`] and similar types for that), and the scope stays on one thread. Code that runs while the map takes memory
/// (a [`Backing`](crate::Backing) or the panic hook in it) cannot use the scope; see [`GrowOnly`](crate::GrowOnly).
///
/// A [`SparseSecondaryMap`](super::SparseSecondaryMap) has no such scope, since its values move.
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
/// let of_leaf = scope.insert(leaf, format!("{of_branch}l")).unwrap(); // all stay valid
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
/// The scope cannot be shared between threads:
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
/// A value that does not live as long as those of the map cannot be inserted:
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
    live: &'m Cell<usize>,
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

    /// Inserts the value of a key, and returns a reference to it. The value never moves. O(1); enters the kernel if
    /// committed memory is used up.
    ///
    /// # Panics
    ///
    /// If [`try_insert`](Self::try_insert) returns an error other than [`StaleKey`](ErrorKind::StaleKey) or
    /// [`Occupied`](ErrorKind::Occupied).
    ///
    /// # Errors
    ///
    /// Returns the value if the key is null, or its slot has a value: of this key, an older or a newer one.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{SecondaryMap, SlotMap};
    /// let mut map = SlotMap::new();
    /// let [ann, cat] = [map.insert(()), map.insert(())];
    /// let mut names = SecondaryMap::new();
    /// let scope = names.grow_only();
    /// let name = scope.insert(ann, "Ann".to_string()).unwrap();
    /// scope.insert(cat, format!("{name}'s cat")).unwrap(); // `name` stays valid
    /// assert_eq!((name.as_str(), scope[cat].as_str()), ("Ann", "Ann's cat"));
    /// assert!(scope.insert(ann, "Bea".to_string()).is_err()); // values are not replaced
    /// ```
    #[inline]
    #[track_caller]
    pub fn insert(&self, key: K, value: V) -> Result<&'m V, V> {
        self.try_insert(key, value).map_err(|refused| match refused.error.kind() {
            ErrorKind::StaleKey | ErrorKind::Occupied => refused.value,
            _ => handle_error(refused.error),
        })
    }

    /// [`insert`](Self::insert), or the error and the value. O(1).
    ///
    /// # Errors
    ///
    /// If the key is null, or older than the one whose value is in its slot ([`StaleKey`](ErrorKind::StaleKey)); if its
    /// slot has a value of this key or an older one ([`Occupied`](ErrorKind::Occupied)); if its index is
    /// [far](SecondaryMap#far-indices) past the others ([`FarIndex`](ErrorKind::FarIndex)), or not below `max_len`
    /// ([`MaxLen`](ErrorKind::MaxLen)); for a re-entrant call while the map takes memory ([`Busy`](ErrorKind::Busy));
    /// or if the system refuses memory. The map is unchanged then.
    #[inline]
    pub fn try_insert(&self, key: K, value: V) -> Result<&'m V, Refused<V>> {
        let (index, generation) = parts(key);
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
            Err(value) => Err(Refused { error: self.refusal(index, generation), value }),
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

    /// Returns why a value could not be inserted into a slot that exists.
    #[cold]
    fn refusal(&self, index: u32, generation: u32) -> Error {
        let kind = match self.slots.live_generation(index) {
            Some(there) if there > generation => ErrorKind::StaleKey,
            Some(_) => ErrorKind::Occupied,
            None => ErrorKind::Busy,
        };
        Error::new(kind, 0)
    }

    /// Returns the value of a key; `None` if it has none in this map. The reference lives as long as the scope's
    /// borrow. O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{SecondaryMap, SlotMap};
    /// let mut map = SlotMap::new();
    /// let [ann, cat] = [map.insert(()), map.insert(())];
    /// let mut names = SecondaryMap::from_iter([(ann, "Ann".to_string())]);
    /// let scope = names.grow_only();
    /// let name = scope.get(ann).unwrap();
    /// scope.insert(cat, format!("{name}'s cat")).unwrap(); // `name` stays valid
    /// assert_eq!(name, "Ann");
    /// ```
    #[inline]
    #[track_caller]
    pub fn get(&self, key: K) -> Option<&'m V> {
        let (index, generation) = parts(key);
        self.slots.get(index, generation)
    }

    /// Returns `true` if the map has a value for a key. O(1).
    #[inline]
    #[track_caller]
    pub fn contains_key(&self, key: K) -> bool {
        self.get(key).is_some()
    }

    /// Returns the number of values. O(1).
    #[inline]
    pub fn len(&self) -> usize {
        self.live.get()
    }

    /// Returns `true` if the map has no values. O(1).
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

index_by_key!([K: Key, V] GrowOnlySecondaryMap<'_, K, V> => V);

// Values are not printed, since printing one could insert more.
debug_fields!([K: Key, V] GrowOnlySecondaryMap<'_, K, V>, "GrowOnlySecondaryMap", |map| len: map.len());
