//! [`Weak`]: a pointer to a value that may have been removed.
//!
//! # Why this is sound
//!
//! A `Weak` consists of three numbers that can be copied, kept forever, sent to any thread, and passed to any map of
//! the same key and value types. Its value may have been removed and the slot reused. Its map may have been dropped and
//! another one created at the same address, with slots at other offsets. The map may have shrunk, so that the memory is
//! not accessible. Other threads may be reading. So a map trusts nothing that a `Weak` says:
//!
//! 1. **Its address is never dereferenced.** [`SlotMap::find_weak`] computes the *distance* of that address from the
//!    start of the map's own slots, as a number, and from it the index of one of the map's own slots. No memory is
//!    accessed through the pointer, so it does not matter whether its allocation still exists.
//! 2. **The index is checked like any other.** The distance must be a multiple of a slot's size, and the index is
//!    passed to [`Slots::get`](crate::slots::array::Slots::get), which accepts any index: it must be below the length,
//!    which slots whose memory was released are not.
//! 3. **The generation is compared with that in the slot**, by the same call. They are equal only if the slot is live,
//!    and then it holds an initialized value of type `V`. The result is a reference to that value with the lifetime of
//!    the map's borrow, as from `get`.
//!
//! This makes any `Weak` safe in any map at any time, whatever its identity and generation are. That it finds *the
//! right value*, and not another one of the same map or of another, is an additional guarantee, by
//!
//! 4. **The generation** within one map: no slot has the same generation twice.
//! 5. **The identity** between maps: each map that has made a `Weak` has a number of its own, from a counter that does
//!    not wrap. A process that has made 4,294,967,294 such maps gives all later ones the same number; a `Weak` of one
//!    of those may find a value in another, as a key may. [`SlotMap::reset`], after which generations start over, takes
//!    a new identity.
//!
//! A [`Weak`] that was not made for a value has generation 0, which no live slot has.
//!
//! `Weak` is `Send` and `Sync` for every `V`, and covariant in `V`: without a map it gives no access to a value, and
//! the type of the map decides what threads may do with its values.

#![expect(unsafe_code, reason = "implements `Send` and `Sync`")]

use super::SlotMap;
use crate::key::Key;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::num::NonZeroU32;
use std::ptr::NonNull;

/// A pointer to a value of a [`SlotMap`] that notices when the value was removed.
///
/// [`SlotMap::downgrade`] creates it, and [`SlotMap::upgrade`] returns the value if it is still in the map. It never
/// finds another value: neither a later one in the same slot, nor one of another map, even at the same address. (If its
/// value was [detached](SlotMap::detach), it finds the value that is reattached under the same key.) It takes 16 bytes
/// (12 on 32-bit systems), and does not keep the value alive.
///
/// A key serves the same purpose in 8 or 4 bytes, and can be stored and sent to other processes. A weak pointer also
/// knows which map it belongs to, and the address of its value.
///
/// # Examples
///
/// ```
/// use stayput::SlotMap;
///
/// let mut sounds = SlotMap::new();
/// let key = sounds.insert("bang");
/// let weak = sounds.downgrade(key).unwrap();
/// assert_eq!(sounds.upgrade(&weak), Some(&"bang"));
///
/// sounds.remove(key);
/// sounds.insert("boom"); // reuses the slot
/// assert_eq!(sounds.upgrade(&weak), None);
/// ```
pub struct Weak<K: Key, V> {
    /// The address that the value has or had.
    value: NonNull<V>,
    generation: u32,
    map: NonZeroU32,
    key: PhantomData<fn(K) -> K>,
}

// SAFETY: it is an address and numbers, and the address is never dereferenced; see the top of this file.
unsafe impl<K: Key, V> Send for Weak<K, V> {}
// SAFETY: as for `Send`.
unsafe impl<K: Key, V> Sync for Weak<K, V> {}

impl<K: Key, V> Weak<K, V> {
    /// Creates a pointer to no value, which no map finds. It is the [`Default`].
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{DefaultKey, SlotMap, Weak};
    ///
    /// let map: SlotMap<DefaultKey, u32> = (0..3).collect();
    /// let mut target = Weak::new();
    /// assert_eq!(target.upgrade(&map), None);
    /// target = map.keys().last().and_then(|key| map.downgrade(key)).unwrap_or_default();
    /// assert_eq!(target.upgrade(&map), Some(&2));
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        let (value, map) = (NonNull::dangling(), NonZeroU32::MIN);
        Self { value, generation: 0, map, key: PhantomData }
    }

    /// Returns the value if it is still in the map, which must be the one that made the pointer: as
    /// [`SlotMap::upgrade`]. O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::SlotMap;
    /// let mut map = SlotMap::new();
    /// let key = map.insert("bang");
    /// let weak = map.downgrade(key).unwrap();
    /// assert_eq!(weak.upgrade(&map), Some(&"bang"));
    /// map.remove(key);
    /// assert_eq!(weak.upgrade(&map), None);
    /// ```
    #[inline]
    pub fn upgrade<'m>(&self, map: &'m SlotMap<K, V>) -> Option<&'m V> {
        map.upgrade(self)
    }

    /// [`upgrade`](Self::upgrade), with a mutable reference. O(1).
    #[inline]
    pub fn upgrade_mut<'m>(&self, map: &'m mut SlotMap<K, V>) -> Option<&'m mut V> {
        map.upgrade_mut(self)
    }

    /// Returns the address of the value, or the address that it had before it was removed.
    ///
    /// Code that reads from it must ensure that the value is in the map, and that nothing writes to it meanwhile. For a
    /// pointer to [no value](Self::new), the address is arbitrary.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::SlotMap;
    /// let mut map = SlotMap::new();
    /// let key = map.insert("bang");
    /// let weak = map.downgrade(key).unwrap();
    /// assert_eq!(weak.as_ptr(), &raw const map[key]);
    /// ```
    #[inline]
    pub const fn as_ptr(&self) -> *const V {
        self.value.as_ptr()
    }

    /// What equality, order and hash depend on.
    fn parts(&self) -> (NonZeroU32, NonNull<V>, u32) {
        (self.map, self.value, self.generation)
    }
}

impl<K: Key, V> SlotMap<K, V> {
    /// Returns a weak pointer to the value of a key; `None` if it is not in the map. O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::SlotMap;
    /// let mut ships = SlotMap::new();
    /// let frigate = ships.insert("frigate");
    /// let target = ships.downgrade(frigate).unwrap();
    /// assert_eq!(ships.upgrade(&target), Some(&"frigate"));
    ///
    /// ships.remove(frigate);
    /// assert_eq!(ships.downgrade(frigate), None);
    /// ```
    pub fn downgrade(&self, key: K) -> Option<Weak<K, V>> {
        let (index, generation) = self.parts_of(key);
        self.downgrade_at(index, generation)
    }

    pub(super) fn downgrade_at(&self, index: u32, generation: u32) -> Option<Weak<K, V>> {
        let value = self.slots.pointer_to(index, generation)?;
        Some(Weak { value, generation, map: self.holes.identity(), key: PhantomData })
    }

    /// Returns the value of a weak pointer; `None` if it was removed. O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::SlotMap;
    /// let mut ships = SlotMap::new();
    /// let frigate = ships.insert("frigate");
    /// let target = ships.downgrade(frigate).unwrap();
    /// assert_eq!(ships.upgrade(&target), Some(&"frigate"));
    ///
    /// ships.remove(frigate);
    /// ships.insert("galleon"); // reuses the slot
    /// assert_eq!(ships.upgrade(&target), None);
    /// ```
    #[inline]
    pub fn upgrade(&self, weak: &Weak<K, V>) -> Option<&V> {
        self.slots.get(self.find_weak(weak)?, weak.generation)
    }

    /// Returns a mutable reference to the value of a weak pointer; `None` if it was removed. O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::SlotMap;
    /// let mut health = SlotMap::new();
    /// let orc = health.insert(100);
    /// let target = health.downgrade(orc).unwrap();
    /// if let Some(health) = health.upgrade_mut(&target) {
    ///     *health -= 30;
    /// }
    /// assert_eq!(health[orc], 70);
    /// ```
    #[inline]
    pub fn upgrade_mut(&mut self, weak: &Weak<K, V>) -> Option<&mut V> {
        self.slots.get_mut(self.find_weak(weak)?, weak.generation)
    }

    /// Returns the key of a weak pointer; `None` if its value was removed. O(1), with one division.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::SlotMap;
    /// let mut map = SlotMap::new();
    /// let key = map.insert(1);
    /// let weak = map.downgrade(key).unwrap();
    /// assert_eq!(map.upgrade_key(&weak), Some(key));
    /// ```
    pub fn upgrade_key(&self, weak: &Weak<K, V>) -> Option<K> {
        let index = self.find_weak(weak)?;
        let is_live = self.slots.contains(index, weak.generation);
        is_live.then(|| self.mint().key(index, weak.generation))
    }

    /// Returns the index of the slot that a weak pointer of this map points to.
    #[inline]
    fn find_weak(&self, weak: &Weak<K, V>) -> Option<u32> {
        if !self.holes.cold().identity.is(weak.map) {
            return None;
        }
        self.slots.index_at(weak.value.addr().get())
    }
}

impl<K: Key, V> Default for Weak<K, V> {
    /// Creates a pointer to no value; see [`Weak::new`].
    fn default() -> Self {
        Self::new()
    }
}

copy!([K: Key, V] Weak<K, V>);

impl<K: Key, V> PartialEq for Weak<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.parts() == other.parts()
    }
}

impl<K: Key, V> Eq for Weak<K, V> {}

impl<K: Key, V> PartialOrd for Weak<K, V> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<K: Key, V> Ord for Weak<K, V> {
    /// Compares by map, then address, then generation.
    fn cmp(&self, other: &Self) -> Ordering {
        self.parts().cmp(&other.parts())
    }
}

impl<K: Key, V> Hash for Weak<K, V> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.parts().hash(state);
    }
}

impl<K: Key, V> fmt::Debug for Weak<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Weak({:?} v{})", self.value, self.generation)
    }
}

/// The niche, and the size that the documentation states.
const _: () = {
    use crate::key::DefaultKey;
    assert!(size_of::<Weak<DefaultKey, String>>() == size_of::<usize>() + 8);
    assert!(size_of::<Option<Weak<DefaultKey, u8>>>() == size_of::<Weak<DefaultKey, u8>>());
};
