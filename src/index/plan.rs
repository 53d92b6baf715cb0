//! [`Plan`]: where a slot is to go, found out before anything changes.

#![forbid(unsafe_code)]

#[cfg(test)]
mod tests;

use super::bucket::NONE;

/// Where a slot is to go.
///
/// It holds until something changes, but for this: the slot may be removed.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub(super) hash: u32,
    /// What stands for the set of the value, or [`NONE`], if there is no such set.
    pub(super) head: u32,
    /// Whether the slot is in that set already.
    pub(super) is_there: bool,
}

impl Plan {
    /// Whether there is a set of the value.
    #[inline]
    pub(super) const fn has_set(&self) -> bool {
        self.head != NONE
    }
}

/// What stands for a set since the last removal, instead of what did.
///
/// So a plan that was made before it still finds its set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moved {
    from: u32,
    to: u32,
}

impl Moved {
    pub(super) const NOTHING: Self = Self { from: NONE, to: NONE };

    /// One stands for the set of another.
    pub(super) const fn to(from: u32, to: u32) -> Self {
        Self { from, to }
    }

    /// Nothing does any more, for the set is empty.
    pub(super) const fn away(from: u32) -> Self {
        Self { from, to: NONE }
    }

    /// What stands for the set now.
    #[inline]
    pub(super) const fn follow(self, head: u32) -> u32 {
        if head == self.from { self.to } else { head }
    }
}
