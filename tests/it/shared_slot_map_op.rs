//! Operations on a `SharedSlotMap`, shared by the model test and the fuzz target `shared_slot_map_model`.

use crate::slot_map_op::Count;

arbitrary! {
    /// Operations of threads.
    pub(crate) enum Op {
        Insert,
        InsertMany(Count),
        /// Values whose iterator panics after some.
        InsertManyPanic(Count, Count),
        /// Values whose iterator inserts others.
        InsertNested(Count),
        InsertWithKey(Making),
        /// One of the returned keys.
        Remove(u16),
        RemoveSpan(u16, Count),
        /// The bits of any key.
        RemoveBits(u64),
        Reserve(Count),
        Prefault(Count),
        PrefaultAhead(u16),
        Iterate,
        ByIndex(u16),
        Stats,
    }

    /// How a closure that makes a value for its key ends.
    pub(crate) enum Making {
        Value,
        Error,
        Panic,
        /// Returns the value, after inserting another.
        Two,
    }

    /// Operations of the owner.
    pub(crate) enum Owned {
        Nothing,
        Insert(Count),
        /// If there is room for that many.
        Extend(Count),
        Remove(u16),
        /// Retains values whose number is not a multiple.
        Retain(u8),
        Detach(u16),
        Reattach,
        Trim,
        Shrink,
        Clear,
        Drain(Count),
        Forget,
        IntoInner,
        /// Moves the values out, of another map, too, and replaces the map.
        IntoIter(Count),
        Replace,
        /// Replaces the map by another.
        Swap,
        /// Lets the drop of a removed value panic, after this many.
        DropPanics(u8),
        GetMut(u16),
    }

    pub(crate) enum MemorySource {
        System,
        /// Commits memory ahead.
        Ahead,
        /// A buffer, with the number of commits granted first, and refused then.
        Buffer(u8, u8),
    }

    pub(crate) struct Config {
        pub(crate) max_len: Option<u8>,
        pub(crate) rotate: Option<Count>,
        pub(crate) lowest: bool,
        pub(crate) type_id: Option<bool>,
        pub(crate) memory: MemorySource,
    }
}
