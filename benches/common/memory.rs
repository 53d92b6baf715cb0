//! What memory is made of, and what it is filled with.

use std::fmt::Debug;
use std::hint::black_box;

use stayput::{Error, HugePages, Reservation, VmVec};

/// 64 bytes, a cache line, as in `frame_stalls`.
pub type Entity = [u64; 8];

/// An entity written whole, each field from its number.
pub fn entity(n: u64) -> Entity {
    [n, n ^ 1, n ^ 2, n ^ 3, n ^ 4, n ^ 5, n ^ 6, n ^ 7]
}

/// What is in an array: numbers.
#[expect(missing_docs, reason = "the names say it")]
pub trait Element: Copy + Debug + 'static {
    fn of(number: u64) -> Self;
    fn number(&self) -> u64;
}

impl Element for u64 {
    #[inline]
    fn of(number: u64) -> Self {
        number
    }

    #[inline]
    fn number(&self) -> u64 {
        *self
    }
}

impl Element for Entity {
    #[inline]
    fn of(number: u64) -> Self {
        entity(number)
    }

    #[inline]
    fn number(&self) -> u64 {
        self[0]
    }
}

/// Touches so many bytes and gives them back. Under a hypervisor that takes free memory back, the
/// first touch of a page after a pause costs several times as much as the kernel's own work. Done
/// before each repetition, this has all begin with memory at hand.
pub fn touch(bytes: usize) -> Result<(), Error> {
    Reservation::builder().bytes(bytes).huge_pages(HugePages::Always).reserve()?.prefault(..)
}

/// Something for each row or slot, in huge pages, so that what a measurement itself remembers takes little from what
/// is measured: of the processor's memory of addresses as of time between operations.
pub type List<T> = VmVec<T>;

/// A list with every page touched.
pub fn list<T>(values: impl IntoIterator<Item = T>) -> List<T> {
    let mut list = List::builder().huge_pages(HugePages::Always).build();
    list.extend(values);
    list
}

/// Room for so many, its pages touched, so that adding one takes no page fault.
pub fn resident<T: Copy>(count: usize, filler: T) -> Vec<T> {
    // Of zeroes a vector could be made without touching pages.
    let mut values = vec![black_box(filler); count];
    black_box(&mut values).clear();
    values
}

/// Bytes by the largest unit that leaves a whole number.
pub fn size_text(bytes: usize) -> String {
    match bytes {
        _ if bytes % (1 << 20) == 0 => format!("{} MiB", bytes >> 20),
        _ => format!("{} KiB", bytes >> 10),
    }
}
