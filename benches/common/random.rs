//! Random numbers that are equal in every run.

/// `SplitMix64`.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Creates a generator. Different seeds give different numbers.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns a number below `bound`.
    #[inline]
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^= bits >> 31;
        // The high half of the product is as good as a remainder, and needs no division.
        let high = (u128::from(bits) * bound as u128) >> 64;
        #[expect(clippy::cast_possible_truncation, reason = "less than `bound`, a usize")]
        let number = high as usize;
        number
    }
}
