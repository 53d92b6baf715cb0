//! [`FarRule`]: which indices are refused because no honest caller is likely to have made them.
//!
//! Room for an index takes memory for all slots below it, so a forged one could take gigabytes. An index is near, and
//! accepted, below a fixed number of bytes, below a multiple of the number of values, and below what was reserved.

#![forbid(unsafe_code)]

use crate::error::{Error, ErrorKind, Holder};

/// How many bytes of slots are near, however few values there are.
pub(crate) const NEAR_BYTES: usize = 64 << 20;

/// How many slots are near for each value.
const SLOTS_A_VALUE: usize = 16;

/// The rule for containers of one kind.
#[derive(Clone, Copy)]
pub(crate) struct FarRule {
    slot_bytes: usize,
    holder: Holder,
}

impl FarRule {
    /// Creates the rule for a container that takes `slot_bytes` for each slot.
    pub(crate) const fn new(slot_bytes: usize, holder: Holder) -> Self {
        Self { slot_bytes, holder }
    }

    /// Returns how many slots are near, whatever the number of values.
    #[inline]
    pub(crate) const fn near_slots(self, near_bytes: usize) -> usize {
        near_bytes / self.slot_bytes
    }

    /// Returns the first index that is far among `values` values, if slots below `reserved` are near in any case.
    pub(crate) fn near(self, near_bytes: usize, values: usize, reserved: usize) -> usize {
        let more = values.saturating_mul(SLOTS_A_VALUE);
        self.near_slots(near_bytes).saturating_add(more).max(reserved)
    }

    /// Refuses to make `need` slots for `values` values if the last of them is far.
    ///
    /// What is beyond `max_len` passes: it is refused for that reason, since to reserve it would not help.
    pub(crate) fn check(
        self,
        need: usize,
        values: usize,
        reserved: usize,
        max_len: Option<usize>,
    ) -> Result<(), Error> {
        let near = self.near(NEAR_BYTES, values, reserved);
        let is_far = need > near && max_len.is_none_or(|max_len| need <= max_len);
        if is_far { Err(self.error(need, near)) } else { Ok(()) }
    }

    /// Returns the error for `need` slots where the first far index is `near`.
    #[cold]
    pub(crate) fn error(self, need: usize, near: usize) -> Error {
        let bytes = need.saturating_mul(self.slot_bytes);
        Error::new(ErrorKind::FarIndex, bytes).with_limit(near as u64).of(self.holder)
    }
}
