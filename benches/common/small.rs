//! Small structures, which an operation is done to many of, many times, so that a measurement takes long
//! enough to be timed.

/// With fewer entries there are several structures, and passes over each.
const ENOUGH: usize = 1 << 16;
const STRUCTURES_MAX: usize = 64;
const PASSES_MAX: usize = 16;

/// How many structures of so many entries an operation is done to in one measurement.
pub fn structures(entries: usize) -> usize {
    times(entries).min(STRUCTURES_MAX)
}

/// How often it is done to one of them before the next has its turn, if it leaves it as it needs it.
pub fn passes(entries: usize) -> usize {
    times(entries).min(PASSES_MAX)
}

/// How many times smaller than what need not be done several times.
fn times(entries: usize) -> usize {
    (ENOUGH / entries.max(1)).max(1)
}
