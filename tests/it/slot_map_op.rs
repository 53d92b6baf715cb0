//! Operations on a `SlotMap`, and those that other maps share with it, for the model tests and their fuzz targets.

use stayput::slot_map::DisjointError;
use stayput::{Bits32, Compact32, Key, Tagged64, new_key_type};

new_key_type! {
    pub(crate) struct Plain;
    pub(crate) struct Tagged: Tagged64;
    pub(crate) struct Compact: Compact32;
    /// 256 slots, each used 7 times.
    pub(crate) struct Medium: Bits32<8, 3>;
    /// 64 slots, each used 7 times.
    pub(crate) struct Small: Bits32<6, 3>;
    pub(crate) struct SmallTagged: Bits32<6, 3, 2>;
    /// 8 slots, each used once.
    pub(crate) struct Once: Bits32<3, 1>;
}

arbitrary! {
    /// A number of values: mostly few, sometimes more than a block of slots.
    pub(crate) struct Count(u8);
}

impl Count {
    pub(crate) fn get(self) -> u32 {
        match u32::from(self.0) {
            few @ 0..224 => few % 12,
            many => (many - 223) * 5,
        }
    }
}

arbitrary! {
    /// A key, valid or not.
    pub(crate) enum Pick {
        Live(u16),
        /// With a tag.
        LiveTagged(u16, u32),
        Detached(u16),
        /// With a tag.
        DetachedTagged(u16, u32),
        /// Any key that was ever created.
        Old(u16),
        /// The next generation of a slot, whatever that is.
        Next(u16),
        /// A small index and a small generation.
        Near(u8, u8),
        Bits(u64),
        Null(u32),
    }

    /// How many items a consuming iterator yields from the front and the back, and how it then ends.
    pub(crate) struct Partly {
        pub(crate) front: Count,
        pub(crate) back: Count,
        pub(crate) forget: bool,
    }

    /// Selects some of the values.
    pub(crate) struct Choice(u8);
}

impl Choice {
    pub(crate) fn names(self, id: u32) -> bool {
        (id ^ u32::from(self.0)) % (u32::from(self.0) % 5 + 1) != 0
    }
}

arbitrary! {
    pub(crate) enum Make {
        Value,
        Error,
        Panic,
    }
}

/// Checks the result of looking up several keys at once, given which of them exist.
pub(crate) fn at_fault<K: Key, T>(keys: &[K], found: &[Option<T>]) -> Option<DisjointError> {
    (0..keys.len()).find_map(|at| {
        let first = keys[..at].iter().position(|key| key.index() == keys[at].index());
        match (&found[at], first) {
            (None, _) => Some(DisjointError::Missing { at }),
            (_, Some(first)) => Some(DisjointError::Same { first, second: at }),
            _ => None,
        }
    })
}

arbitrary! {
    /// An operation with keys that are known before the value, come from other maps, or change; or with selected values.
    pub(crate) enum Keyed {
        /// Under a key that may come from another map.
        InsertAt(Pick),
        /// In a slot that a run may have, with a generation that many above its last one.
        InsertAhead(u16, u8),
        /// And perhaps fill it.
        VacantEntry(bool),
        Invalidate(Pick),
        /// With a budget in bytes, if counted, and possibly a panic after a number of calls.
        Compact(Option<u16>, Option<Count>),
        /// At most this many of the selected values.
        ExtractIf(Choice, Count),
    }

    #[derive(Clone, Debug)]
    pub(crate) enum Op {
        Insert,
        InsertWithKey(Make),
        InsertMany(Count),
        GrowOnly(Count),
        /// If there is room for that many.
        Extend(Count),
        /// Another map of a few values.
        Collect(Count),
        /// Until the map is full, or has the maximum of a run.
        Fill,
        Remove(Pick),
        RemoveMany([Pick; 4]),
        /// Adjacent slots.
        RemoveSpan(u8, Count),
        /// Inserts and removes, this many times.
        Churn(u8),
        Detach(Pick),
        Reattach(Pick),
        Keyed(Keyed),
        /// Possibly with a panic after a number of calls.
        Retain(Choice, Option<Count>),
        Drain(Partly),
        Clear,
        Reset,
        Clone(bool),
        /// A clone, from the front and the back, as the bits say.
        IntoIter(u64),
        Trim,
        /// With a budget in bytes, possibly only to shrink.
        TrimWithin(u32, bool),
        ShrinkToFit,
        PrefaultAhead(u16),
        Reserve(Count),
        ReserveExact(Count),
        Prefault(Count),
        Move,
        Look(Pick),
        /// These keys, and all that ever existed.
        Many([Pick; 3]),
        Disjoint([Pick; 3]),
        /// From the front and the back, as the bits say.
        Iterate(u64),
        Blocks,
        Downgrade(Pick),
    }

    /// The options of the map.
    pub(crate) struct Config {
        pub(crate) max_len: Option<u8>,
        pub(crate) capacity: Count,
        /// How many holes to keep with rotation.
        pub(crate) rotate: Option<Count>,
        /// Without rotation, whether the lowest hole is always filled.
        pub(crate) lowest: bool,
        /// How many KiB to commit ahead, and whether to release in the background.
        pub(crate) served: Option<(u8, bool)>,
        /// In caller-provided memory, in runs of 64 bytes to 64 KiB: as much as needed, or more.
        pub(crate) backed: Option<u8>,
        /// A type id, reduced to the bits of the tag.
        pub(crate) type_id: Option<u32>,
    }
}
