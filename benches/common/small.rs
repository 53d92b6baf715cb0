//! Small structures are measured in groups, with several passes, so that a measurement takes long enough to be
//! timed.

/// From this number of entries on, one structure and one pass suffice.
const ENOUGH: usize = 1 << 16;
const STRUCTURES_MAX: usize = 64;
const PASSES_MAX: usize = 16;

/// The number of structures with `entries` entries that one measurement uses.
pub fn structures(entries: usize) -> usize {
    times(entries).min(STRUCTURES_MAX)
}

/// The number of passes over one structure before the next one's turn, for operations that leave it as it was.
pub fn passes(entries: usize) -> usize {
    times(entries).min(PASSES_MAX)
}

/// How many times the entries fit into [`ENOUGH`].
fn times(entries: usize) -> usize {
    (ENOUGH / entries.max(1)).max(1)
}
