//! The maps' values: plain values of three sizes, all fields computed from a number.

/// A value of a map.
pub(crate) trait Value: Copy + 'static {
    /// Returns the value with that number.
    fn of(number: u64) -> Self;

    /// Returns the number of the value.
    fn number(&self) -> u64;

    /// Adds the other value, all of it.
    fn add(&mut self, other: &Self);

    /// Subtracts the other value.
    fn subtract(&mut self, other: &Self);

    /// A number that depends on both ends of the value, so that a value across two cache lines costs both.
    fn digest(&self) -> u64;
}

impl Value for u32 {
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "numbers stay far below 2^32")]
    fn of(number: u64) -> Self {
        number as u32
    }

    #[inline]
    fn number(&self) -> u64 {
        u64::from(*self)
    }

    #[inline]
    fn add(&mut self, other: &Self) {
        *self = self.wrapping_add(*other);
    }

    #[inline]
    fn subtract(&mut self, other: &Self) {
        *self = self.wrapping_sub(*other);
    }

    #[inline]
    fn digest(&self) -> u64 {
        u64::from(*self)
    }
}

impl<const WORDS: usize> Value for [u64; WORDS] {
    #[inline]
    fn of(number: u64) -> Self {
        std::array::from_fn(|index| number ^ index as u64)
    }

    #[inline]
    fn number(&self) -> u64 {
        self[0]
    }

    #[inline]
    fn add(&mut self, other: &Self) {
        for (word, other) in self.iter_mut().zip(other) {
            *word = word.wrapping_add(*other);
        }
    }

    #[inline]
    fn subtract(&mut self, other: &Self) {
        for (word, other) in self.iter_mut().zip(other) {
            *word = word.wrapping_sub(*other);
        }
    }

    #[inline]
    fn digest(&self) -> u64 {
        self[0].wrapping_add(self[WORDS - 1])
    }
}

/// Returns the sum of the digests of these numbers' values.
pub(crate) fn sum_of<V: Value>(numbers: impl IntoIterator<Item = u32>) -> u64 {
    numbers.into_iter().map(|number| V::of(number.into()).digest()).fold(0, u64::wrapping_add)
}

/// Returns the sum over values, by `fold`.
#[inline]
pub(crate) fn sum<'a, V: Value>(values: impl Iterator<Item = &'a V>) -> u64 {
    values.map(V::digest).fold(0, u64::wrapping_add)
}

/// Returns the sum over values, in a loop that calls `next` for each.
#[inline]
pub(crate) fn sum_by_loop<'a, V: Value>(values: impl Iterator<Item = &'a V>) -> u64 {
    let mut sum = 0u64;
    for value in values {
        sum = sum.wrapping_add(value.digest());
    }
    sum
}
