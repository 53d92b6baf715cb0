//! [`Reuse`]: the order in which holes are filled.

#![forbid(unsafe_code)]

/// Which hole of a [`SlotMap`](crate::SlotMap) an insertion fills.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reuse {
    /// One of those that came to be last, whose memory is in the cache, if it lies among the first slots,
    /// about twice as many as there are values; else the lowest. So values gather at the front as far as
    /// that, and all the way once the holes are filled.
    ///
    /// The map remembers up to 8,192 recent holes, fewer if it has few slots: one in 32, and at least 129.
    /// These are filled in LIFO order, as by `slotmap`. Slots that are freed in index order, by
    /// [`retain`](crate::SlotMap::retain), [`drain`](crate::SlotMap::drain) and the like, are filled in that order. The same
    /// insertions and removals make the same keys, also in a clone and after a round trip through `serde` or a
    /// file.
    #[default]
    Recent,
    /// The one with the lowest index, always: values gather at the front, and the tail comes free to be
    /// handed back. The same insertions and removals make the same keys.
    Lowest,
    /// One after the other, round and round, and none before more than `min_free` of them have
    /// gathered (or there is no other room).
    ///
    /// It has generations spent evenly and late, so that few slots are ever retired; values are
    /// more spread out.
    Rotating {
        /// How many holes to keep.
        min_free: usize,
    },
}
