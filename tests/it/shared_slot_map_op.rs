//! Operations on a `SharedSlotMap`: what the model test and the fuzz target `shared_slot_map_model` share.

use crate::slot_map_op::Count;

/// What threads can do.
#[derive(Clone, Copy, Debug, arbitrary::Arbitrary)]
pub(crate) enum Op {
    Insert,
    InsertMany(Count),
    InsertWithKey(bool),
    /// One of those that were given.
    Remove(u16),
    RemoveSpan(u16, Count),
    /// The bits of any key.
    RemoveBits(u64),
    Reserve(Count),
    Prefault(Count),
    Iterate,
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
    Trim,
    Shrink,
    Clear,
    Drain(Count),
    Forget,
    IntoInner,
    Replace,
    GetMut(u16),
}

#[derive(Clone, Copy, Debug, arbitrary::Arbitrary)]
pub(crate) struct Config {
    pub(crate) max_len: Option<u8>,
    pub(crate) rotate: Option<Count>,
    pub(crate) lowest: bool,
    pub(crate) type_id: Option<bool>,
}
