//! Buffers that are written whole, and read at one word of each page.

use std::hint::black_box;

/// The page size of most systems.
pub(crate) const PAGE_BYTES: usize = 4 << 10;

/// Returns a buffer of `bytes`, filled with a number.
pub(crate) fn filled(bytes: usize, n: u64) -> Vec<u64> {
    let words = bytes / size_of::<u64>();
    let mut buffer = Vec::with_capacity(words);
    buffer.resize(words, black_box(n));
    buffer
}

/// Returns a buffer of `bytes` that was zeroed, then filled with a number.
pub(crate) fn zeroed_and_filled(bytes: usize, n: u64) -> Vec<u64> {
    let mut buffer = black_box(vec![0; bytes / size_of::<u64>()]);
    buffer.fill(black_box(n));
    buffer
}

/// Panics if the buffer is not filled with the number.
pub(crate) fn check(buffer: &[u64], n: u64) {
    assert_eq!(page_sum(buffer), pages(size_of_val(buffer)) * n, "written data was lost");
}

/// Reads from every page, which takes little compared with writing all bytes.
pub(crate) fn page_sum<T: Copy + Into<u64>>(values: &[T]) -> u64 {
    values.iter().step_by(PAGE_BYTES / size_of::<T>()).map(|&value| value.into()).sum()
}

pub(crate) fn pages(bytes: usize) -> u64 {
    bytes.div_ceil(PAGE_BYTES) as u64
}
