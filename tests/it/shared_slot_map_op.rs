//! Operations on a `SharedSlotMap`, shared by the model test and the fuzz target `shared_slot_map_model`.

use crate::slot_map_op::Count;

/// What threads can do.
#[derive(Clone, Copy, Debug, arbitrary::Arbitrary)]
pub(crate) enum Op {
    Insert,
    InsertMany(Count),
    InsertWithKey(Making),
    /// One of those that were given.
    Remove(u16),
    RemoveSpan(u16, Count),
    /// The bits of any key.
    RemoveBits(u64),
    Reserve(Count),
    Prefault(Count),
    Iterate,
}

/// What comes of a value that is made for its key.
#[derive(Clone, Copy, Debug, arbitrary::Arbitrary)]
pub(crate) enum Making {
    Value,
    Error,
    Panic,
    /// The value, while the closure inserts another.
    Two,
}

/// What the owner can do.
#[derive(Clone, Copy, Debug, arbitrary::Arbitrary)]
pub(crate) enum Owned {
    Nothing,
    Insert(Count),
    Remove(u16),
    /// Those whose number is not a multiple.
    Retain(u8),
    Detach(u16),
    Reattach,
    Trim,
    Shrink,
    Clear,
    Drain(Count),
    Forget,
    IntoInner,
    Replace,
    /// What is in another map.
    Swap,
    /// The drop of a removed value, after this many.
    DropPanics(u8),
    GetMut(u16),
}

#[derive(Clone, Copy, Debug, arbitrary::Arbitrary)]
pub(crate) enum Memory {
    System,
    /// Some of it before it is needed.
    Ahead,
    /// A buffer: how many commits it grants at first, and how many it refuses then.
    Buffer(u8, u8),
}

#[derive(Clone, Copy, Debug, arbitrary::Arbitrary)]
pub(crate) struct Config {
    pub(crate) max_len: Option<u8>,
    pub(crate) rotate: Option<Count>,
    pub(crate) lowest: bool,
    pub(crate) type_id: Option<bool>,
    pub(crate) memory: Memory,
}
