//! What memory is made of, and what it is filled with.

use stayput::{Error, HugePages, Reservation};

/// 64 bytes, a cache line, as in `frame_stalls`.
pub type Entity = [u64; 8];

/// An entity written whole, each field from its number.
pub fn entity(n: u64) -> Entity {
    [n, n ^ 1, n ^ 2, n ^ 3, n ^ 4, n ^ 5, n ^ 6, n ^ 7]
}

/// Touches so many bytes and gives them back. Under a hypervisor that takes free memory back, the
/// first touch of a page after a pause costs several times as much as the kernel's own work. Done
/// before each repetition, this has all begin with memory at hand.
pub fn touch(bytes: usize) -> Result<(), Error> {
    Reservation::builder().bytes(bytes).huge_pages(HugePages::Always).reserve()?.prefault(..)
}

/// Bytes by the largest unit that leaves a whole number.
pub fn size_text(bytes: usize) -> String {
    match bytes {
        _ if bytes % (1 << 20) == 0 => format!("{} MiB", bytes >> 20),
        _ => format!("{} KiB", bytes >> 10),
    }
}
