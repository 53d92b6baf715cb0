//! [`Reuse`]: the order in which holes are filled.

#![forbid(unsafe_code)]

/// Selects the hole of a [`SlotMap`](crate::SlotMap) that an insertion fills.
///
/// # Examples
///
/// ```
/// use stayput::{DefaultKey, Reuse, SlotMap};
///
/// let mut map: SlotMap<DefaultKey, u32> = SlotMap::builder().reuse(Reuse::Lowest).build();
/// let keys = [0, 1, 2].map(|value| map.insert(value));
/// map.remove(keys[0]);
/// map.remove(keys[2]);
/// let key = map.insert(3);
/// assert_eq!(map.keys().next(), Some(key)); // in the first slot
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reuse {
    /// Fills the most recent hole, whose memory is in the cache, if it is among the first slots, about twice as many as
    /// there are values; otherwise the lowest hole. Values gather among these first slots, and entirely at the front
    /// once the holes are filled.
    ///
    /// A map of up to 8,192 slots remembers all its holes as recent; a larger one, as many as a 32nd of its slots (from
    /// 2,048 to 8,192). These are filled in LIFO order, as by `slotmap`. Slots that are freed in index order, by
    /// [`retain`](crate::SlotMap::retain), [`drain`](crate::SlotMap::drain) and the like, are filled in that order. Once
    /// there are about twice as many recent holes as values, all but the last one are forgotten.
    ///
    /// The same calls make the same keys, also in a clone, and after a round trip through `serde` or a file unless memory
    /// was returned (the module `saved` says when).
    /// [`blocks_mut`](crate::SlotMap::blocks_mut), [`compact`](crate::SlotMap::compact),
    /// [`shrink_to_fit`](crate::SlotMap::shrink_to_fit), [`trim`](crate::SlotMap::trim),
    /// [`insert_at`](crate::SlotMap::insert_at) and [`reattach`](crate::SlotMap::reattach) may forget which holes are
    /// recent, even if they change nothing else; and so may a phase as a [`SharedSlotMap`](crate::SharedSlotMap).
    #[default]
    Recent,
    /// Fills the hole with the lowest index: values gather at the front, and memory at the end becomes free to be
    /// returned. The same insertions and removals make the same keys.
    Lowest,
    /// Fills the holes in ascending order, starting again at the front after the last one, but only while there are
    /// more than `min_free` of them (or no other slot is available).
    ///
    /// Generations are used up evenly and late, so few slots are ever retired. Values are more spread out.
    Rotating {
        /// The number of holes to keep.
        min_free: usize,
    },
}
