//! [`Weak`]: a pointer to a value that may be gone.
//!
//! # Why this is sound
//!
//! A `Weak` is three numbers that anyone may copy, keep for ever, send anywhere, and hand to any
//! map of the same key and value types. What it points to may have been removed and the slot
//! reused; its map may have been dropped and another been made at the same address, with slots at
//! other offsets; the map may have shrunk, so that the memory there is not accessible; threads
//! may look on. So a map believes nothing that a `Weak` says:
//!
//! 1. **Its address is never dereferenced.** [`SlotMap::find_weak`] takes the *distance* of that
//!    address from the start of the map's own slots, as a number, and what it hands on is the
//!    index of a slot of its own. Wherever the pointer came from, no memory is touched by way of
//!    it, so whether its allocation still exists does not matter.
//! 2. **The index is checked like any other.** The distance must be a multiple of a slot's size,
//!    and the index goes through [`Slots::get`](crate::slots::array::Slots::get), which takes any index:
//!    it must be below the length, which slots that were handed back are not.
//! 3. **The generation is compared with the one in the slot**, by the same call. It is equal only
//!    if the slot is live, and then holds an initialised value of type `V`. What is returned is a
//!    reference to that, with the lifetime of the map's borrow, as from `get`.
//!
//! This much makes any `Weak` safe in any map, at any time; nothing about identities or
//! generations needs to be true for it. That it also finds *the right value*, and not another of
//! the same map or of another, is a promise on top, kept by
//!
//! 4. **The generation** within one map: a slot never has one twice.
//! 5. **The identity** between maps: each map that gives out `Weak`s has a number of its own, from
//!    a counter that does not wrap. Only a process that has made 4,294,967,294 such maps begins to give all
//!    later ones one and the same; then a `Weak` of one of those may find a value in another, as
//!    a key may. [`SlotMap::reset`], which lets generations start over, takes a new identity.
//!
//! A [`Weak`] that nobody made for a value has generation 0, which no slot is live with.
//!
//! `Weak` is `Send` and `Sync` whatever `V` is, and covariant in `V`: without a map there is no
//! way from it to a value, and a map's own type says what may be done with its values where.

#![expect(unsafe_code, reason = "says that it may go to other threads")]

use super::SlotMap;
use crate::key::Key;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::num::NonZeroU32;
use std::ptr::NonNull;

/// A pointer to a value of a [`SlotMap`], which may be gone by the time it is used.
///
/// [`SlotMap::downgrade`] makes it, [`SlotMap::upgrade`] gives the value, if it is still there.
/// It finds that value and no other: not one that came to be in the same slot later, nor one of
/// another map, even if that came to be at the same address. (A value that was
/// [detached](SlotMap::detach) is found again when something is put back under its key.) It takes
/// 16 bytes (12 on 32-bit systems), and keeps nothing alive.
///
/// A key does the same job in 8 bytes or 4, and can be stored and sent elsewhere. A weak pointer
/// knows which map it belongs to, and where its value lies, for those who need the address itself.
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
/// sounds.insert("boom"); // into the same slot
/// assert_eq!(sounds.upgrade(&weak), None);
/// ```
pub struct Weak<K: Key, V> {
    /// Where the value lies, or lay.
    value: NonNull<V>,
    generation: u32,
    map: NonZeroU32,
    key: PhantomData<fn(K) -> K>,
}

// SAFETY: it is an address and numbers; see the top of this file.
unsafe impl<K: Key, V> Send for Weak<K, V> {}
// SAFETY: as for `Send`.
unsafe impl<K: Key, V> Sync for Weak<K, V> {}

impl<K: Key, V> Weak<K, V> {
    /// A pointer to no value: no map finds one for it. It is what [`Default`] gives.
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

    /// The value, if it is still in this map, which is the one that made the pointer: the same as
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

    /// [`upgrade`](Self::upgrade), to change the value. O(1).
    #[inline]
    pub fn upgrade_mut<'m>(&self, map: &'m mut SlotMap<K, V>) -> Option<&'m mut V> {
        map.upgrade_mut(self)
    }

    /// Where the value lies, if it is still there.
    ///
    /// As long as it is in the map, that is its address. Whoever reads it must know that it is,
    /// and that nobody writes to it meanwhile. Of a pointer to [no value](Self::new) it is no
    /// address of anything.
    #[inline]
    pub const fn as_ptr(&self) -> *const V {
        self.value.as_ptr()
    }

    /// What tells one from another.
    fn parts(&self) -> (NonZeroU32, NonNull<V>, u32) {
        (self.map, self.value, self.generation)
    }
}

impl<K: Key, V> SlotMap<K, V> {
    /// A weak pointer to the value of a key, if that is in the map. O(1).
    pub fn downgrade(&self, key: K) -> Option<Weak<K, V>> {
        let (index, generation) = self.parts_of(key);
        self.downgrade_at(index, generation)
    }

    pub(super) fn downgrade_at(&self, index: u32, generation: u32) -> Option<Weak<K, V>> {
        let value = self.slots.pointer_to(index, generation)?;
        Some(Weak { value, generation, map: self.holes.identity(), key: PhantomData })
    }

    /// The value of a weak pointer, if it is still in the map. O(1).
    #[inline]
    pub fn upgrade(&self, weak: &Weak<K, V>) -> Option<&V> {
        self.slots.get(self.find_weak(weak)?, weak.generation)
    }

    /// The value of a weak pointer, to be changed, if it is still in the map. O(1).
    #[inline]
    pub fn upgrade_mut(&mut self, weak: &Weak<K, V>) -> Option<&mut V> {
        self.slots.get_mut(self.find_weak(weak)?, weak.generation)
    }

    /// The key of a weak pointer, if its value is still in the map. O(1), one division.
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

    /// The index of the slot that a weak pointer of this map points to.
    #[inline]
    fn find_weak(&self, weak: &Weak<K, V>) -> Option<u32> {
        if !self.holes.cold().identity.is(weak.map) {
            return None;
        }
        self.slots.index_at(weak.value.addr().get())
    }
}

impl<K: Key, V> Default for Weak<K, V> {
    /// A pointer to no value; see [`Weak::new`].
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Key, V> Clone for Weak<K, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K: Key, V> Copy for Weak<K, V> {}

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
    /// By map, then address, then generation.
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

/// The niche, and the size that the docs promise.
const _: () = {
    use crate::key::DefaultKey;
    assert!(size_of::<Weak<DefaultKey, String>>() == size_of::<usize>() + 8);
    assert!(size_of::<Option<Weak<DefaultKey, u8>>>() == size_of::<Weak<DefaultKey, u8>>());
};
