//! [`SecondaryMap`] and [`SparseSecondaryMap`]: more about what a [`SlotMap`](crate::SlotMap) holds, by its keys.

// The values of a `SecondaryMap` are in the same slots as those of a `SlotMap`, which answer for
// memory safety. This module decides which value is in which slot; a mistake here could lose a
// value, or count one too many, but not reach one that is not there.
//
// Between calls a slot is either live, with the generation of the key that its value was put in
// under, or empty; and as many are live as `live` says.

#![forbid(unsafe_code)]

// In the order in which the docs are to list their methods.
mod access;
mod change;
mod join;

mod memory;

mod builder;
mod drain;
mod entry;
mod extract_if;
mod grow_only;
pub mod sparse;
mod traits;
mod type_id;
pub(crate) mod waiting;

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

use crate::container::max_len_constructors;
use crate::error::{Error, ErrorKind, Holder, give_up, or_give_up};
use crate::key::Key;
use crate::raw_vec::Options;
use crate::slots::array::Slots;
use crate::slots::cursor::Cursor;
use crate::slots::gapped_slots::GappedSlots;
use crate::slots::key_bits::most_slots;
use crate::slots::key_tag::Mint;

/// More values for the keys of a [`SlotMap`](crate::SlotMap): one array beside it, by the same indices.
///
/// The slot map makes the keys, and says what there is; secondary maps hold more about it, each a
/// kind of value that not all need to have or that others shall not see. It has what the map of
/// the same name in the `slotmap` crate has, by the same names. Besides:
///
/// - **Values stay put.** The address of a value never changes while it is in the map. Growing
///   copies nothing. A [grow-only scope](Self::grow_only) makes that usable for references.
/// - **Keys are never mistaken.** A key finds the value that was put in under it, and no other. A
///   key that is older than the one whose value is there is refused, and one that is newer takes
///   its place: the slot map has removed the older one, so nobody will ask for it. Generations
///   never wrap around, so older is less. Tags take no part (of keys that are
///   given out they are 0, or what [`set_type_id`](Self::set_type_id) says). Only [`SlotMap::reset`](crate::SlotMap::reset) makes keys anew
///   that there were before: [`clear`](Self::clear) this map then, or it takes them for the old
///   ones, and refuses those that look older than what it holds.
/// - **Side by side.** [`join`](Self::join) and [`join_mut`](Self::join_mut), of a slot map also, give the
///   values of keys that have one in each of several maps. [`get_many`](Self::get_many) and
///   [`get_many_mut`](Self::get_many_mut) have memory fetched ahead where the map is large.
/// - **Gaps take no memory** where whole pages of them were never filled, but for a bit each; and to go
///   over them is to go over those bits.
///
/// Take a [`SparseSecondaryMap`] if only few of the keys have a value: this one has a slot for each
/// index up to the highest.
///
/// # Far indices
///
/// A key that somebody made up can have an index of four thousand million. To make room up to it
/// would take gigabytes, and a bit for each slot that is not filled. So an index that is *far*
/// is refused ([`FarIndex`](ErrorKind::FarIndex)). None is far below
///
/// - as many slots as take 64 MiB, and 16 more for each value that is in the map, the new one with
///   them; or
/// - what was announced: [`set_capacity`](Self::set_capacity), [`reserve`](Self::reserve) and
///   [`with_capacity`](Self::with_capacity) say how far indices will go; and so does what there was
///   before [`clear`](Self::clear).
///
/// Values that come together, by `extend` or `collect`, count together, one for each slot: where an
/// index is far they wait, in memory of the allocator, until there are enough of them. So they may come in any order,
/// also if the first has the highest index. It is the same where serde reads a map, but with 4 MiB
/// in place of 64.
///
/// If the keys are right, and come one by one out of order, announce them:
/// `secondary.set_capacity(map.capacity())`. If there is a value for fewer than a sixteenth of them, a
/// [`SparseSecondaryMap`] is smaller, too.
///
/// # Complexity
///
/// Looking up, inserting and removing are O(1), without hashing. Insertion enters the kernel when
/// committed memory is used up; see [`reserve`](Self::reserve). Looking up and removing do not. To
/// iterate is linear in the values, and 1/64 of the gaps up to the highest slot that was filled: of which
/// there are, beside 64 MiB, no more than 16 for each value that was in the map at once, if none were
/// announced.
///
/// # Memory
///
/// A slot is the value and 4 bytes, padded to the alignment of the value; there is a bit a slot for
/// gaps. Address space is reserved as for a [`VmVec`](crate::VmVec) of slots; where addresses are few, or there is no
/// virtual memory, name [`max_len`](Self::with_max_len), as for the [slot map](crate::SlotMap#memory).
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
/// // Whoever comes into the same slot has health of their own.
/// players.remove(bob);
/// let carol = players.insert("Carol");
/// assert_eq!(health.get(carol), None);
/// health.insert(carol, 90);
/// assert_eq!(health.get(bob), None);
/// ```
pub struct SecondaryMap<K: Key, V> {
    slots: GappedSlots<V>,
    /// How many slots are live.
    live: usize,
    /// No index below this is far, since the user has said that it will come.
    announced: usize,
    /// Makes the keys that are given out.
    mint: Mint<K>,
}

impl<K: Key, V> SecondaryMap<K, V> {
    /// An empty map. Reserves nothing and does not enter the kernel until the first insertion.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{DefaultKey, SecondaryMap};
    ///
    /// let map: SecondaryMap<DefaultKey, u32> = SecondaryMap::new();
    /// assert!(map.is_empty());
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self::with_slots(GappedSlots::new(Self::OPTIONS))
    }

    /// [`new`](Self::new), with memory committed for indices below `capacity`.
    ///
    /// # Panics
    ///
    /// If the addresses or the memory cannot be had, or keys cannot number so many.
    #[must_use]
    #[track_caller]
    pub fn with_capacity(capacity: usize) -> Self {
        or_give_up(Self::try_with_capacity(capacity))
    }

    /// [`with_capacity`](Self::with_capacity), or the error.
    ///
    /// # Errors
    ///
    /// If the addresses or the memory cannot be had, or keys cannot number so many slots
    /// ([`KeyBits`](ErrorKind::KeyBits)).
    pub fn try_with_capacity(capacity: usize) -> Result<Self, Error> {
        let mut map = Self::new();
        map.try_set_capacity(capacity)?;
        Ok(map)
    }

    max_len_constructors! {
        "map" of "slots", "Refuses indices from `max_len` on. Reserves the addresses now.";
        /// # Examples
        ///
        /// ```
        /// use stayput::{DefaultKey, SecondaryMap};
        ///
        /// let map: SecondaryMap<DefaultKey, u32> = SecondaryMap::with_max_len(1 << 20);
        /// assert_eq!(map.max_len(), 1 << 20);
        /// ```
    }

    /// Options: maximum, capacity, growth, huge pages, what is done in the background.
    pub const fn builder() -> SecondaryMapBuilder<K, V> {
        SecondaryMapBuilder::new()
    }

    /// As many slots as the index in a key can number.
    const BOUND: usize = most_slots::<K>();

    /// Those of a map for which nobody chose anything.
    const OPTIONS: &'static Options = &Self::bounded(Options::DEFAULT);

    /// The options, for no more slots than keys can number.
    const fn bounded(options: Options) -> Options {
        Options { bound: Self::BOUND, holder: Holder::SecondaryMap, ..options }
    }

    const fn with_slots(slots: GappedSlots<V>) -> Self {
        Self { slots, live: 0, announced: 0, mint: Mint::PLAIN }
    }

    /// Refuses more slots than keys can number.
    fn check_key_bits(slots: usize) -> Result<(), Error> {
        if slots <= Self::BOUND {
            return Ok(());
        }
        let bytes = slots.saturating_mul(Slots::<V>::STRIDE_BYTES);
        let error = Error::new(ErrorKind::KeyBits, bytes).with_limit(Self::BOUND as u64);
        Err(error.of(Holder::SecondaryMap))
    }

    /// Makes the keys that are given out.
    #[inline]
    pub(crate) const fn mint(&self) -> Mint<K> {
        self.mint
    }

    /// Indices to visit: all but gaps.
    fn candidates(&self) -> Cursor {
        self.slots.candidates()
    }

    fn hole_words(&self) -> &[u64] {
        self.slots.gaps()
    }
}

impl<K: Key, V> Drop for SecondaryMap<K, V> {
    fn drop(&mut self) {
        self.slots.drop_values();
    }
}

/// What there is, `None` if the key was stale.
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
        Err(error) => give_up(error),
    }
}

/// Index and generation of each key.
#[inline]
fn parts<K: Key, const N: usize>(keys: [K; N]) -> [(u32, u32); N] {
    keys.map(|key| {
        let data = key.data();
        (data.index(), data.generation())
    })
}
