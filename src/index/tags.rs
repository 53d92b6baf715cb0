//! Compares twelve bytes with a given one: the only comparison in a hash table look-up, apart from values.
//!
//! # Why this is sound
//!
//! The intrinsics take values, not pointers, so they are sound on every processor that has the instructions, which all
//! processors of this architecture do. This is the only unsafe code of the module; it saves a third of the instructions
//! of a look-up.

#![cfg_attr(
    all(target_arch = "x86_64", not(miri)),
    expect(unsafe_code, reason = "compares sixteen bytes at once")
)]

/// Returns a bit for each byte that equals `byte`: the lowest eight bits for `lower`, the next four for `upper`.
///
/// Bytes that differ from `byte` only in the lowest bit may be reported as equal. `byte` must not be zero.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline]
pub(super) fn equal(lower: u64, upper: u32, byte: u8) -> u32 {
    use std::arch::x86_64::{_mm_cmpeq_epi8, _mm_movemask_epi8, _mm_set_epi64x, _mm_set1_epi8};
    debug_assert!(byte != 0, "zero would match the bytes past those of `upper`");
    let lower = i64::from_le_bytes(lower.to_le_bytes());
    // SAFETY: the intrinsic needs SSE2, which is part of x86-64.
    let bytes = unsafe { _mm_set_epi64x(i64::from(upper), lower) };
    // SAFETY: the intrinsic needs SSE2, which is part of x86-64.
    let byte = unsafe { _mm_set1_epi8(i8::from_le_bytes([byte])) };
    // SAFETY: the intrinsic needs SSE2, which is part of x86-64.
    let equal = unsafe { _mm_cmpeq_epi8(bytes, byte) };
    // SAFETY: the intrinsic needs SSE2, which is part of x86-64.
    let bits = unsafe { _mm_movemask_epi8(equal) };
    u32::from_le_bytes(bits.to_le_bytes())
}

/// Compares word by word.
#[cfg(not(all(target_arch = "x86_64", not(miri))))]
#[inline]
pub(super) fn equal(lower: u64, upper: u32, byte: u8) -> u32 {
    by_words(lower, upper, byte)
}

#[cfg(any(test, not(all(target_arch = "x86_64", not(miri)))))]
#[inline]
fn by_words(lower: u64, upper: u32, byte: u8) -> u32 {
    const LOW: u64 = 0x0101_0101_0101_0101;
    let bits = |word: u64| {
        let differences = word ^ (LOW * u64::from(byte));
        // A zero byte borrows from the next, which then looks like zero if it is 1.
        let zeros = differences.wrapping_sub(LOW) & !differences & (LOW << 7);
        // Gathers the highest bit of each byte in the highest byte.
        (zeros >> 7).wrapping_mul(0x0102_0408_1020_4080).to_be_bytes()[0]
    };
    u32::from(bits(lower)) | u32::from(bits(upper.into())) << 8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_bytes_are_found_and_others_only_if_they_differ_in_the_lowest_bit() {
        let mut random = 1_u64;
        for _ in 0..10_000 {
            let bytes = [0; 12].map(|_: u8| {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                // Many bytes are equal, and some are zero.
                (random >> 60).to_le_bytes()[0] * 17
            });
            let lower = u64::from_le_bytes(*bytes.first_chunk().unwrap());
            let upper = u32::from_le_bytes(*bytes.last_chunk().unwrap());
            for byte in [2, 17, 34, 254, 255] {
                for found in [equal(lower, upper, byte), by_words(lower, upper, byte)] {
                    for (at, is) in bytes.iter().enumerate() {
                        let is_found = found >> at & 1 == 1;
                        assert!(is_found || *is != byte, "{bytes:?} {byte} {at}");
                        assert!(!is_found || is ^ byte <= 1, "{bytes:?} {byte} {at}");
                    }
                    assert_eq!(found >> 12, 0);
                }
            }
        }
    }
}
