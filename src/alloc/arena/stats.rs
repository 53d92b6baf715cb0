//! [`ArenaStats`]: what an arena takes up.

use super::Arena;

/// What an [`Arena`] holds and takes up, given by [`Arena::stats`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ArenaStats {
    /// Bytes handed out, with those that align them.
    pub used_bytes: usize,
    /// The most bytes that were used at once, as far as their memory was not given back since.
    pub high_water_bytes: usize,
    /// Bytes that can be used before more memory is committed, with those that are.
    pub capacity_bytes: usize,
    /// Bytes that can ever be used at once.
    pub max_bytes: usize,
    /// Bytes of address space.
    pub reserved_bytes: usize,
    /// Bytes that the system has promised; also those ahead of `capacity_bytes` that the
    /// [service](crate::service) has asked for, or others have left ([`keeper`](crate::keeper)).
    pub committed_bytes: usize,
    /// Of those, bytes that lie ready behind `capacity_bytes`.
    pub ahead_bytes: usize,
    /// How often growth needed more than lay ready, if it was to.
    pub late: usize,
    /// Bytes that are in memory now, if the system tells.
    pub resident_bytes: Option<usize>,
}

debug_fields! {
    [] Arena, "Arena", |arena|
    used_bytes: arena.used_bytes(), capacity_bytes: arena.capacity_bytes(),
    max_bytes: arena.max_bytes()
}
