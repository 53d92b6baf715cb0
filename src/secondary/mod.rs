//! [`SecondaryMap`] and [`SparseSecondaryMap`]: additional data for the keys of a [`SlotMap`](crate::SlotMap).

// A `SecondaryMap` stores its values in the same slots as a `SlotMap`, on which memory safety depends. This module
// decides which value is in which slot. A mistake here could lose a value or miscount, but never reach memory that
// holds no value.
//
// Between calls, a slot is either live, with the generation of the key of its value, or empty; `live` is the number of
// live slots.

#![forbid(unsafe_code)]

// In the order in which the documentation lists their methods.
mod builder;

mod access;
mod change;
mod join;
mod memory;

pub(crate) mod deferred;
mod drain;
mod entry;
mod extract_if;
mod grow_only;
pub mod sparse;
mod traits;
mod type_id;

pub use crate::slot_map::{IntoIter, IntoKeys, IntoValues, Iter, IterMut, Keys, Values, ValuesMut};
pub use builder::SecondaryMapBuilder;
pub use drain::Drain;
pub use entry::{Entry, OccupiedEntry, VacantEntry};
pub use extract_if::ExtractIf;
pub use grow_only::GrowOnlySecondaryMap;
pub use join::{Column, Join, JoinMut};
pub use memory::SecondaryMapStats;
#[doc(no_inline)]
pub use sparse::SparseSecondaryMap;

use crate::error::{Error, ErrorKind, Holder, handle_error, unwrap_or_panic};
use crate::key::Key;
use crate::raw_vec::Options;
use crate::slots::array::Slots;
use crate::slots::cursor::{Cursor, HoleBits};
use crate::slots::gapped_slots::GappedSlots;
use crate::slots::key_bits::most_slots;
use crate::slots::key_tag::Mint;

/// Associates additional data with the keys of a [`SlotMap`](crate::SlotMap), stored in a parallel array.
///
/// The slot map makes the keys. Each secondary map associates values of one type with some of them. It has the API of
/// the `slotmap` crate's map of the same name. In addition:
///
/// - **Addresses are stable.** The address of a value never changes while it is in the map, and growing copies nothing.
///   References to values can be held across insertions in a [grow-only scope](Self::grow_only).
/// - **Joins.** [`join`](Self::join) and [`join_mut`](Self::join_mut), also of slot maps, iterate over the values that
///   several maps have for the same keys.
/// - **Operations on many keys.** [`get_many`](Self::get_many) and [`get_many_mut`](Self::get_many_mut) prefetch in
///   large maps.
/// - **Gaps are cheap.** Whole pages of slots that were never filled take no memory except one bit per slot, and
///   iteration skips gaps without reading them.
///
/// Use a [`SparseSecondaryMap`] if only few keys have a value: this map has a slot for each index up to the highest.
///
/// # Keys
///
/// A key finds the value that was inserted under it and no other. If the slot has the value of another key, the newer
/// key wins, since the slot map has already removed the value of the older one: inserting under an older key is
/// refused, and inserting under a newer key replaces the value. Generations never wrap around, so the older key has the
/// lower generation. Tags are ignored; keys that this map returns have tag 0, or the one set by
/// [`set_type_id`](Self::set_type_id).
///
/// Only [`SlotMap::reset`](crate::SlotMap::reset) makes keys that are equal to earlier ones. [`clear`](Self::clear)
/// this map then: otherwise new keys find old values, or are refused as older than the keys stored there.
///
/// # Far indices
///
/// A forged key can carry any index up to `u32::MAX`, and slots for it could take gigabytes. So an index that is *far*
/// is refused ([`FarIndex`](ErrorKind::FarIndex)). An index is not far if it is below
///
/// - the number of slots that fit in 64 MiB, plus 16 more for each value in the map, including the new one; or
/// - what was announced: by [`set_capacity`](Self::set_capacity), [`reserve`](Self::reserve) or
///   [`with_capacity`](Self::with_capacity), or by the slots that the map had before [`clear`](Self::clear).
///
/// In a bulk insertion, by `extend` or `collect`, all values count together, one for each slot: pairs with far indices
/// wait, in memory of the allocator, until there are enough of them. So pairs may come in any order, even with the
/// highest index first. The same is true when `serde` reads a map, but with 4 MiB in place of 64.
///
/// If you trust the keys and insert them one by one out of order, announce them:
/// `secondary.set_capacity(map.capacity())`. If fewer than one in sixteen of them have a value, a
/// [`SparseSecondaryMap`] is also smaller.
///
/// # Memory
///
/// A slot is the value plus 4 bytes, padded to the alignment of the value. Gaps take one bit per slot. Address space is
/// reserved as for a [`VmVec`](crate::VmVec) of slots. Set [`max_len`](Self::with_max_len) if addresses are scarce, or
/// without virtual memory, as for the [slot map](crate::SlotMap#memory).
///
/// # Time complexity
///
/// Looking up, inserting and removing take O(1), without hashing. Inserting past the highest slot takes in addition 1/64 of
/// the gaps that it makes, or all of them where there were slots before. Insertion enters the kernel when committed memory is
/// used up (see [`reserve`](Self::reserve)); looking up and removing never do. Iteration is O(n) in the values, plus
/// 1/64 of the gaps up to the highest slot that was filled. Without announced indices, there are at most 64 MiB of
/// gaps, plus 16 for each value that was in the map at once.
///
/// # Examples
///
/// ```
/// use stayput::{SecondaryMap, SlotMap};
///
/// let mut players = SlotMap::new();
/// let alice = players.insert("Alice");
/// let bob = players.insert("Bob");
///
/// let mut health = SecondaryMap::new();
/// health.insert(alice, 100);
/// health.insert(bob, 80);
/// health[bob] -= 30;
/// assert_eq!(health[bob], 50);
///
/// // The next player in the same slot has health of their own.
/// players.remove(bob);
/// let carol = players.insert("Carol");
/// assert_eq!(health.get(carol), None);
/// health.insert(carol, 90);
/// assert_eq!(health.get(bob), None);
/// ```
pub struct SecondaryMap<K: Key, V> {
    slots: GappedSlots<V>,
    /// The number of live slots.
    live: usize,
    /// Indices below this are not far, since the user has announced them.
    announced: usize,
    /// If the next slot has an index below this, there is memory for it, and it is not far. Only a bound: set when
    /// slots are added.
    next_below: usize,
    /// Makes the keys that the map returns.
    mint: Mint<K>,
}

impl<K: Key, V> SecondaryMap<K, V> {
    /// How many slots the index of a key can distinguish.
    const BOUND: usize = most_slots::<K>();

    /// The options of a map that was created without a builder.
    const OPTIONS: &'static Options = &Self::bounded(Options::DEFAULT);

    /// Returns the options, with no more slots than keys have bits for.
    const fn bounded(options: Options) -> Options {
        Options { bound: Self::BOUND, holder: Holder::SecondaryMap, ..options }
    }

    const fn with_slots(slots: GappedSlots<V>) -> Self {
        Self { slots, live: 0, announced: 0, next_below: 0, mint: Mint::PLAIN }
    }

    /// Returns an error if there would be more slots than keys have bits for.
    fn check_key_bits(slots: usize) -> Result<(), Error> {
        if slots <= Self::BOUND {
            return Ok(());
        }
        let bytes = slots.saturating_mul(Slots::<V>::STRIDE_BYTES);
        let error = Error::new(ErrorKind::KeyBits, bytes).with_limit(Self::BOUND as u64);
        Err(error.of(Holder::SecondaryMap))
    }

    #[inline]
    pub(crate) const fn mint(&self) -> Mint<K> {
        self.mint
    }

    /// Returns a cursor over the indices of all slots, which skips gaps.
    fn candidates(&self) -> Cursor {
        self.slots.candidates()
    }

    fn hole_words(&self) -> HoleBits<'_> {
        self.slots.gaps()
    }
}

impl<K: Key, V> Drop for SecondaryMap<K, V> {
    fn drop(&mut self) {
        self.slots.drop_values();
    }
}

/// Returns the result; `None` if the key was stale.
///
/// # Panics
///
/// If there is any other error.
#[inline]
#[track_caller]
fn unless_stale<T>(result: Result<T, Error>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(error) if error.kind() == ErrorKind::StaleKey => None,
        Err(error) => handle_error(error),
    }
}

/// Returns the index and generation of a key, which is converted once.
#[inline]
fn parts<K: Key>(key: K) -> (u32, u32) {
    let data = key.data();
    (data.index(), data.generation())
}
