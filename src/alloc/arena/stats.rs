//! [`ArenaStats`]: what an arena takes up.

use super::Arena;
use crate::growing::GrowingReservation;

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

impl Arena {
    /// What the arena holds and takes up.
    ///
    /// Asks the system which pages are resident, linear in the committed pages: for looking, not
    /// for a hot path.
    ///
    /// # Examples
    ///
    /// ```
    /// let arena = stayput::Arena::with_max_bytes(1 << 20);
    /// arena.alloc([1_u8; 100]);
    /// let stats = arena.stats();
    /// assert_eq!((stats.used_bytes, stats.reserved_bytes), (100, 1 << 20));
    /// ```
    pub fn stats(&self) -> ArenaStats {
        let look = |look| self.bump.look(look).unwrap_or(0);
        let resident = self.bump.look(GrowingReservation::resident_bytes);
        ArenaStats {
            used_bytes: self.used_bytes(),
            high_water_bytes: self.bump.high_water_bytes(),
            capacity_bytes: self.capacity_bytes(),
            max_bytes: self.max_bytes(),
            reserved_bytes: look(GrowingReservation::reserved_bytes),
            committed_bytes: look(GrowingReservation::committed_bytes),
            ahead_bytes: look(GrowingReservation::ahead_bytes),
            late: look(GrowingReservation::late),
            resident_bytes: resident.unwrap_or(Some(0)),
        }
    }
}

debug_fields! {
    [] Arena, "Arena", |arena|
    used_bytes: arena.used_bytes(), capacity_bytes: arena.capacity_bytes(),
    max_bytes: arena.max_bytes()
}
