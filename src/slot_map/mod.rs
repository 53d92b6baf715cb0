//! [`SlotMap`]: values that never move, found by keys that are never mistaken; and its iterators.

// Memory safety is that of `crate::slots`. This module keeps the promise about keys: a mistake here could lose a
// value, or resolve a key to the wrong one, but never reach a value that is not there.
//
// # What holds between calls
//
// - Each slot below the length is one of: live; a hole, and marked so; detached (vacant with its
//   generation, not marked); retired (empty, not marked). The counts of the last two are kept.
// - The next generation of a hole, if it is not put in by a key made elsewhere, is one more than the
//   one its state has, or, if that is empty, than the floor of its block. It is never more than `K::Layout::MAX_GENERATION`: a slot whose
//   value had that generation is retired when the value goes.
// - Slots behind the last one start above the floor of the tail.

// In the order in which the docs are to list their methods.
mod access;
mod change;
mod iterate;
mod memory;

mod builder;
mod by_slot;
mod grow_only;
#[cfg(any(feature = "serde", feature = "file"))]
pub(crate) mod parts;
mod sharing;
#[cfg(test)]
mod tests;
mod traits;
mod vacancy;
mod weak;

pub use crate::slots::disjoint::DisjointError;
pub use crate::slots::holes::reuse::Reuse;
pub use crate::slots::walk::blocks::{Block, BlockMut, Blocks, BlocksMut};
pub use crate::slots::walk::iter::{
    IntoIter, IntoKeys, IntoValues, Iter, IterMut, Keys, Values, ValuesMut,
};
pub use builder::SlotMapBuilder;
pub use change::entry::VacantEntry;
pub use grow_only::GrowOnlyMap;
pub use iterate::{Drain, ExtractIf};
pub use memory::SlotMapStats;
pub(crate) use sharing::{Baseline, Extent, Sharing, UnusedTickets};
pub use weak::Weak;

use crate::error::Holder;
use crate::key::{DefaultKey, Key};
use crate::raw_vec::Options;
use crate::slots::array::Slots;
use crate::slots::cursor::Cursor;
use crate::slots::holes::Holes;
use crate::slots::key_bits::most_slots;
use crate::slots::key_tag::{Mint, TypeNumber};
use crate::slots::vacancy::Fresh;

/// A map that makes the keys for its values, and whose values never move.
///
/// It has all that the map of the same name in the `slotmap` crate has, by the same names, so that
/// changing an import is most of moving to it. Besides:
///
/// - **Values stay put.** The address of a value never changes while it is in the map, whatever is
///   inserted or removed; [`compact`](Self::compact) alone moves values, and tells which. Growing copies
///   nothing. A [grow-only scope](Self::grow_only) makes that
///   usable for references, [`Weak`] and [`key_of`](Self::key_of) for pointers.
/// - **Keys are never mistaken.** A key resolves to the value it was made for, and never to
///   another: not after its slot is reused, cleared, trimmed, or went through `serde`. A slot
///   whose generations are spent is retired. Bits that somebody made up find nothing, or a value
///   that is there. Only [`reset`](Self::reset) forgets which keys there were. (Another map of the same type
///   has keys of its own that look the same; a [key type](crate::new_key_type) for each map has
///   the compiler tell them apart, and a [type number](SlotMapBuilder::type_id) the map itself.)
/// - **Holes cost little.** They are kept beside the values: in a bitmap, about one bit a slot, and those
///   of late on a stack with the generations that come next. To fill one reads no dead slot, and to go
///   over the values skips stretches of holes by their bits.
/// - **Memory goes back** by [`trim`](Self::trim), wherever the holes lie.
/// - **Many at once.** [`join`](Self::join) goes over the values that several maps have for the same keys;
///   [`get_many`](Self::get_many), [`get_many_mut`](Self::get_many_mut) and
///   [`remove_many`](Self::remove_many) have memory fetched ahead where the map is large.
///
/// # Complexity
///
/// Looking up, inserting and removing are O(1). Insertion enters the kernel when committed memory
/// is used up; see [`reserve`](Self::reserve). Looking up and removing do not. To iterate is
/// linear in the values, the slots that are retired or detached, recent holes (16,384 at most), and
/// 1/64 of the other holes.
///
/// # Memory
///
/// A slot is the value and 4 bytes, padded to the alignment of the value; there is up to 1.02 bits
/// a slot for holes. Recent holes take 8 bytes each from the allocator: there is room for half as many
/// as a small map has slots, and for 16,384 at most. Address space is reserved as for a [`VmVec`](crate::VmVec) of slots.
///
/// Where addresses are few (32 bits), or there is no virtual memory (WebAssembly), name
/// [`max_len`](Self::with_max_len): without virtual memory a map is one block of the heap, of so many slots, and of
/// 4 MiB if nobody said how many; see [what holds there](crate#systems). Looking up costs the same. For thousands of
/// small maps, one map for all of them takes the least.
///
/// # Order
///
/// Iteration is in the order of addresses, that is, of the keys' indices. Insertion takes the hole that
/// came last, if it lies near the front, else the lowest, so that memory is in the cache and a map stays
/// dense; and a slot behind all others only where there is no hole. See [`Reuse`] for other ways.
///
/// # Examples
///
/// ```
/// use stayput::{SlotMap, new_key_type};
///
/// new_key_type! { struct SoundKey; }
///
/// let mut sounds: SlotMap<SoundKey, String> = SlotMap::with_key();
/// let bang = sounds.insert("bang".to_string());
/// let hiss = sounds.insert("hiss".to_string());
/// assert_eq!(sounds[bang], "bang");
///
/// sounds.remove(bang);
/// let boom = sounds.insert("boom".to_string()); // into the same slot
/// assert_eq!(sounds.get(bang), None);
/// assert!(sounds.values().eq(["boom", "hiss"]));
/// # let _ = (hiss, boom);
/// ```
pub struct SlotMap<K: Key, V> {
    slots: Slots<V>,
    /// Slots below the length that may be filled again.
    holes: Holes,
    /// Slots behind the last one, where no hole is to be filled before them.
    fresh: Fresh,
    /// No value had a later generation than this that is not there any more, but for the last that keys can
    /// have; nor has one that is there a later one than the next. The last but one, where keys came from
    /// another map.
    highest: u32,
    /// Slots below the length that hold nothing but are kept for their key.
    detached: usize,
    number: TypeNumber<K>,
}

impl<V> SlotMap<DefaultKey, V> {
    /// An empty map with keys of type [`DefaultKey`]. Reserves nothing and does not enter the
    /// kernel until the first insertion.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = stayput::SlotMap::new();
    /// let key = map.insert(7);
    /// assert_eq!(map[key], 7);
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self::with_slots(Slots::new(Self::OPTIONS))
    }

    with_capacity!(with_capacity, try_with_capacity, new, "values");

    with_max_len! {
        with_max_len, try_with_max_len, "slots",
        ///
        /// # Examples
        ///
        /// ```
        /// let mut map = stayput::SlotMap::with_max_len(2);
        /// map.extend(["a", "b"]);
        /// assert!(map.try_insert("c").is_err());
        /// ```
    }
}

impl<K: Key, V> SlotMap<K, V> {
    /// An empty map with keys of any type; see [`new`](SlotMap::new).
    #[must_use]
    pub const fn with_key() -> Self {
        Self::with_slots(Slots::new(Self::OPTIONS))
    }

    with_capacity!(with_capacity_and_key, try_with_capacity_and_key, with_key, "values");

    with_max_len! {
        with_max_len_and_key, try_with_max_len_and_key, "slots, retired ones included",
        ///
        /// # Examples
        ///
        /// ```
        /// use stayput::{SlotMap, new_key_type};
        ///
        /// new_key_type! { struct SoundKey; }
        ///
        /// let sounds: SlotMap<SoundKey, String> = SlotMap::with_max_len_and_key(1 << 16);
        /// assert_eq!(sounds.max_len(), 1 << 16);
        /// ```
    }

    /// Those of a map for which nobody chose anything.
    const OPTIONS: &'static Options =
        &Options { bound: most_slots::<K>(), holder: Holder::SlotMap, ..Options::DEFAULT };

    /// An empty map that is private to a container: growth moves its slots while they are few.
    pub(crate) const fn internal() -> Self {
        Self::with_slots(Slots::new(const { &Self::OPTIONS.internal() }))
    }

    const fn with_slots(slots: Slots<V>) -> Self {
        Self {
            slots,
            holes: Holes::new(),
            fresh: Fresh::NONE,
            highest: 0,
            detached: 0,
            number: TypeNumber::NONE,
        }
    }

    /// Makes the keys of this map.
    #[inline]
    pub(crate) const fn mint(&self) -> Mint<K> {
        self.number.mint()
    }

    /// Index and generation of a key; generation 0, which no value has, if its tag is not this map's type
    /// number.
    #[inline]
    pub(crate) fn parts_of(&self, key: K) -> (u32, u32) {
        self.number.parts(key.data())
    }

    /// Indices to visit: all but holes. (What is detached or retired is among them.)
    pub(crate) fn candidates(&self) -> Cursor {
        Cursor::new(self.slots.len())
    }

    pub(crate) fn hole_words(&self) -> &[u64] {
        self.holes.words()
    }
}

impl<K: Key, V> Drop for SlotMap<K, V> {
    fn drop(&mut self) {
        self.slots.drop_values(self.candidates(), self.holes.words());
    }
}
