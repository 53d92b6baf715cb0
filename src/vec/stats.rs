//! Sums of [`VecStats`].

use super::VecStats;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

impl VecStats {
    /// Those of no array.
    const NOTHING: Self = Self {
        len: 0,
        capacity: 0,
        max_len: 0,
        reserved_bytes: 0,
        committed_bytes: 0,
        ahead_bytes: 0,
        late: 0,
        resident_bytes: Some(0),
    };
}

impl AddAssign for VecStats {
    /// Adds what another array holds and takes up. [`resident_bytes`](Self::resident_bytes) is `None` if it is for one
    /// of the two; all other figures are sums, or `usize::MAX` where a sum is larger.
    fn add_assign(&mut self, other: Self) {
        let Self {
            len, capacity, max_len, reserved_bytes, committed_bytes, ahead_bytes, late, ..
        } = self;
        for (sum, more) in [
            (len, other.len),
            (capacity, other.capacity),
            (max_len, other.max_len),
            (reserved_bytes, other.reserved_bytes),
            (committed_bytes, other.committed_bytes),
            (ahead_bytes, other.ahead_bytes),
            (late, other.late),
        ] {
            *sum = sum.saturating_add(more);
        }
        let resident = self.resident_bytes.zip(other.resident_bytes);
        self.resident_bytes = resident.map(|(bytes, more)| bytes.saturating_add(more));
    }
}

impl Add for VecStats {
    type Output = Self;

    /// What two arrays hold and take up together; see [`add_assign`](Self::add_assign).
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::VmVec;
    ///
    /// let (names, ages) = (VmVec::from(["Ann", "Ben"]), VmVec::from([30, 40]));
    /// let both = names.stats() + ages.stats();
    /// assert_eq!(both.len, 4);
    /// assert_eq!([names.stats(), ages.stats()].into_iter().sum::<stayput::vec::VecStats>(), both);
    /// ```
    fn add(mut self, other: Self) -> Self {
        self += other;
        self
    }
}

impl Sum for VecStats {
    /// What all arrays hold and take up together.
    fn sum<I: Iterator<Item = Self>>(stats: I) -> Self {
        stats.fold(Self::NOTHING, Self::add)
    }
}
