//! [`ArenaStats`]: statistics about an arena.

use super::Arena;

/// Statistics of an [`Arena`], returned by [`Arena::stats`].
///
/// # Examples
///
/// ```
/// let mut arena = stayput::Arena::with_max_bytes(1 << 20);
/// arena.alloc([1_u8; 1000]);
/// arena.reset();
/// let stats = arena.stats();
/// assert_eq!((stats.used_bytes, stats.high_water_bytes), (0, 1000));
/// assert_eq!(stats.reserved_bytes, 1 << 20);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ArenaStats {
    /// Bytes in use, including alignment padding.
    pub used_bytes: usize,
    /// The largest number of bytes that were in use, not counting memory that was released since.
    pub high_water_bytes: usize,
    /// Bytes that can be in use before more memory is committed, including those in use.
    pub capacity_bytes: usize,
    /// The maximum number of bytes that can be in use at once.
    pub max_bytes: usize,
    /// Reserved bytes of address space.
    pub reserved_bytes: usize,
    /// Committed bytes, including those past `capacity_bytes` that the [background thread](crate::service) committed
    /// ahead or that the region cache provided.
    pub committed_bytes: usize,
    /// Bytes past the usable ones that are ready, so that growth into them takes no page fault.
    pub ahead_bytes: usize,
    /// How many times growth outran commit-ahead.
    pub late: usize,
    /// Bytes resident in memory, if the system reports them.
    pub resident_bytes: Option<usize>,
}

debug_fields! {
    [] Arena, "Arena", |arena|
    used_bytes: arena.used_bytes(), capacity_bytes: arena.capacity_bytes(),
    max_bytes: arena.max_bytes()
}
