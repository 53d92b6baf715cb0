//! [`SlotMap`]: values that never move, found by keys that never find another value; and its iterators.

// Memory safety is that of `crate::slots`. This module guarantees what keys find: a mistake here could lose a value, or
// resolve a key to the wrong one, but never reach memory that holds no value. The exceptions are grow-only scopes and
// maps that threads share. They fill a hole without a look at its state, while there may be references to the values in
// other slots: they rely on a hole being vacant, and on it being recorded once.
//
// # What holds between calls
//
// - Each slot below the length is in one of four states: live; a hole (vacant), and recorded as one, in front or in the
//   bitmap; detached (vacant with its generation, not recorded); or retired (empty, not recorded). The last two are
//   counted.
// - The next generation of a hole, unless a key from elsewhere brings it, is one more than that of its state, or, if
//   the state is empty, than the floor of its block. It is at most `K::Layout::MAX_GENERATION`: a slot whose value had
//   that generation is retired when the value is removed.
// - Slots past the last one start above the floor of the tail.

// In the order in which the documentation lists their methods.
mod builder;

mod access;
mod change;
mod iterate;
mod memory;

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
use crate::key::Key;
use crate::raw_vec::Options;
use crate::slots::array::Slots;
use crate::slots::cursor::{Cursor, HoleBits};
use crate::slots::holes::Holes;
use crate::slots::key_bits::most_slots;
use crate::slots::key_tag::{MapTypeId, Mint};
use crate::slots::vacancy::Fresh;

/// A map that returns a key for each inserted value, and never moves its values.
///
/// It has the API of the `slotmap` crate's map of the same name, so that moving to it usually means changing an import.
/// In addition:
///
/// - **Addresses are stable.** The address of a value never changes while it is in the map, whatever is inserted or
///   removed. Only [`compact`](Self::compact) moves values, and reports which. Growing copies nothing. References to
///   values can be held across insertions in a [grow-only scope](Self::grow_only), and pointers as [`Weak`] or by
///   [`key_of`](Self::key_of).
/// - **Holes cost little.** They are recorded next to the values: recent ones on a stack with the generation of their
///   next value, all others in a bitmap of about one bit per slot. Filling a hole reads no vacant slot, and iteration
///   skips holes without reading them.
/// - **Memory can be returned** by [`trim`](Self::trim), wherever the holes are.
/// - **Operations on many keys.** [`join`](Self::join) iterates over the values that several maps have for the same
///   keys. [`get_many`](Self::get_many), [`get_many_mut`](Self::get_many_mut) and [`remove_many`](Self::remove_many)
///   prefetch in large maps.
///
/// # Keys
///
/// A key finds the value that it was made for and never another one: neither after its slot was reused, nor after the
/// map was cleared, trimmed, or written and read by `serde`. A slot whose generations are used up is retired. A forged
/// key finds nothing, or a value that is in the map. Only [`reset`](Self::reset) makes the map forget its earlier keys.
///
/// Another map with the same key type makes keys that look the same. Declare a [key type](crate::new_key_type) for each
/// map to have the compiler tell them apart, or set a [type id](SlotMapBuilder::type_id) to have the map do so.
///
/// # Memory
///
/// A slot is the value plus 4 bytes, padded to the alignment of the value. Holes take up to 1.04 bits per slot, and
/// recent holes 8 bytes each from the allocator. In a map of up to 8,192 slots, all holes can be recent; in a larger
/// one, as many as a 32nd of its slots (from 2,048 to 8,192). Address space is reserved as for a
/// [`VmVec`](crate::VmVec) of slots.
///
/// Set [`max_len`](Self::with_max_len) if addresses are scarce (32 bits), or without virtual memory (WebAssembly): a
/// map is then a single heap block of `max_len` slots, or of 4 MiB by default; see [the web](crate::guide::the_web).
/// Looking up takes as long there as elsewhere. One map for all values takes less memory than thousands of small ones.
///
/// # Order
///
/// Iteration visits values in the order of addresses, which is that of the keys' indices. Insertion fills the most
/// recent hole if it is near the front, and otherwise the lowest, so that memory is in the cache and the map stays
/// dense. A slot is added only if no hole is left. [`Reuse`] selects other orders.
///
/// # Time complexity
///
/// Looking up, inserting and removing take O(1). Insertion enters the kernel when committed memory is used up (see
/// [`reserve`](Self::reserve)); looking up never does, nor does removing, except for what the program's allocator may do
/// when the list of recent holes grows. Iteration is O(n) in the values, the retired and
/// detached slots, the recent holes (at most 8,193), and 1/64 of the other holes.
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
/// let boom = sounds.insert("boom".to_string()); // reuses the slot
/// assert_eq!(sounds.get(bang), None);
/// assert!(sounds.values().eq(["boom", "hiss"]));
/// # let _ = (hiss, boom);
/// ```
pub struct SlotMap<K: Key, V> {
    slots: Slots<V>,
    /// Slots below the length that later values can fill.
    holes: Holes,
    /// Slots past the last one, if no hole is to be filled before them.
    fresh: Fresh,
    /// No removed value had a later generation than this, except for the last that keys can have, and no live value has
    /// a later one than the next. If keys came from another map, this is the last generation but one.
    highest: u32,
    /// Slots below the length that are vacant, and kept for their key.
    detached: usize,
    type_id: MapTypeId<K>,
}

impl<K: Key, V> SlotMap<K, V> {
    /// The options of a map that was created without a builder.
    const OPTIONS: &'static Options =
        &Options { bound: most_slots::<K>(), holder: Holder::SlotMap, ..Options::DEFAULT };

    /// Creates an empty map that is private to a container. While it has few slots, growth moves them.
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
            type_id: MapTypeId::NONE,
        }
    }

    #[inline]
    pub(crate) const fn mint(&self) -> Mint<K> {
        self.type_id.mint()
    }

    /// Returns the index and generation of a key. If its tag is not the map's type id, the generation is 0, which no
    /// value has.
    #[inline]
    pub(crate) fn parts_of(&self, key: K) -> (u32, u32) {
        self.type_id.parts(key.data())
    }

    /// Returns a cursor over the indices of all slots except holes; detached and retired slots are included.
    pub(crate) fn candidates(&self) -> Cursor {
        Cursor::new(self.slots.len())
    }

    pub(crate) fn hole_words(&self) -> HoleBits<'_> {
        self.holes.words()
    }
}

impl<K: Key, V> Drop for SlotMap<K, V> {
    fn drop(&mut self) {
        self.slots.drop_values(self.candidates(), self.holes.words());
    }
}
