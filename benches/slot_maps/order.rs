//! Random order, the same for every map.

/// Odd.
const MULTIPLIER: usize = 0x4F6C_DD1D;

/// `SplitMix64`.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^= bits >> 31;
        // The high half of the product: as good as a remainder here, and no division.
        let high = (u128::from(bits) * bound as u128) >> 64;
        usize::try_from(high).expect("is below a usize")
    }
}

/// The numbers below `length` in random order.
///
/// Each is computed by itself from its place, so that neither making the order nor following it has
/// to wait for memory.
pub(crate) fn permutation(length: usize) -> impl Iterator<Item = usize> {
    let domain = length.next_power_of_two();
    // Both steps can be undone among the numbers of so many bits, so no two have the same outcome.
    let shift = (domain.trailing_zeros() / 2).max(1);
    let scramble = move |number: usize| {
        (0..4).fold(number, |bits, _| {
            let bits = bits.wrapping_mul(MULTIPLIER).wrapping_add(0x632B_E5AB);
            let bits = bits & (domain - 1);
            bits ^ (bits >> shift)
        })
    };
    (0..domain).map(scramble).filter(move |&number| number < length)
}
