//! Memory: touching it, filling it, and printing its size.

use std::fmt::Debug;
use std::hint::black_box;

use stayput::{Error, HugePages, Reservation, VmVec};

/// 64 bytes, a cache line, as in `frame_stalls`.
pub type Entity = [u64; 8];

/// Returns an entity, each field computed from its number.
pub fn entity(n: u64) -> Entity {
    [n, n ^ 1, n ^ 2, n ^ 3, n ^ 4, n ^ 5, n ^ 6, n ^ 7]
}

/// The elements of an array: numbers.
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

impl Element for u8 {
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "few numbers are used, or it makes no difference"
    )]
    fn of(number: u64) -> Self {
        number as Self
    }

    #[inline]
    fn number(&self) -> u64 {
        (*self).into()
    }
}

/// 200 bytes.
pub type Record = [u64; 25];

impl Element for Record {
    #[inline]
    fn of(number: u64) -> Self {
        std::array::from_fn(|index| number ^ index as u64)
    }

    #[inline]
    fn number(&self) -> u64 {
        self[0]
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

/// Touches `bytes` bytes and returns them to the system. Under a hypervisor that takes free memory back, the
/// first touch of a page after a pause takes several times as long as the kernel's own work. This call before
/// each repetition gives all contenders the same memory at hand.
pub fn touch(bytes: usize) -> Result<(), Error> {
    Reservation::builder().bytes(bytes).huge_pages(HugePages::Always).reserve()?.prefault(..)
}

/// A list with an element for each row or slot, in huge pages, so that the bench's own data takes little from
/// what is measured: neither TLB entries nor time between operations.
pub type List<T> = VmVec<T>;

/// Returns a list with every page touched.
pub fn list<T>(values: impl IntoIterator<Item = T>) -> List<T> {
    let mut list = List::builder().huge_pages(HugePages::Always).build();
    list.extend(values);
    list
}

/// Returns an empty vector with capacity for `count` elements and its pages touched, so that a push takes no
/// page fault.
pub fn resident<T: Copy>(count: usize, filler: T) -> Vec<T> {
    // A vector of zeroes could be created without touching pages.
    let mut values = vec![black_box(filler); count];
    black_box(&mut values).clear();
    values
}

/// Formats bytes in the largest unit that leaves a whole number.
pub fn size_text(bytes: usize) -> String {
    match bytes {
        _ if bytes % (1 << 20) == 0 => format!("{} MiB", bytes >> 20),
        _ => format!("{} KiB", bytes >> 10),
    }
}
