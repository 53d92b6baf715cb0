//! [`Plan`]: where a slot goes, determined before anything changes.

#![forbid(unsafe_code)]

#[cfg(test)]
mod tests;

use super::bucket::NONE;

/// Where a slot goes.
///
/// Any change invalidates it, except the removal of the slot itself.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub(super) hash: u32,
    /// The head of the value's set, or [`NONE`] if the value has no set yet.
    pub(super) head: u32,
    /// Whether the slot is in that set already, if there is a set.
    pub(super) is_there: bool,
}

impl Plan {
    #[inline]
    pub(super) const fn has_set(&self) -> bool {
        self.head != NONE
    }
}

/// The head of a set that the last removal replaced.
///
/// A plan made before the removal finds its set through it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moved {
    from: u32,
    to: u32,
}

impl Moved {
    pub(super) const NOTHING: Self = Self { from: NONE, to: NONE };

    /// `to` has become the head of the set that `from` was the head of.
    pub(super) const fn to(from: u32, to: u32) -> Self {
        Self { from, to }
    }

    /// The set that `from` was the head of has become empty.
    pub(super) const fn away(from: u32) -> Self {
        Self { from, to: NONE }
    }

    #[inline]
    pub(super) const fn follow(self, head: u32) -> u32 {
        if head == self.from { self.to } else { head }
    }
}
