//! [`Budget`]: how much a call may do, so that work can be spread over frames.

#![forbid(unsafe_code)]

use super::GivenBack;
use crate::error::Error;
use std::time::{Duration, Instant};

/// How much a call may do: so many bytes, so many swaps, or as long as there is time.
///
/// # Examples
///
/// ```
/// use stayput::{Budget, VmVec};
/// use std::time::Duration;
///
/// let mut log: VmVec<u64> = (0..1_000_000).collect();
/// log.truncate(1000);
/// // In the idle time of each frame, half a millisecond of giving back:
/// while !log.shrink_to_fit_within(Budget::time(Duration::from_micros(500)))?.is_done {}
/// assert!(log.capacity() < 100_000);
/// # Ok::<(), stayput::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    bytes: usize,
    swaps: usize,
    until: Option<Instant>,
}

impl Budget {
    /// No end of it.
    pub const UNLIMITED: Self = Self::bytes(usize::MAX);

    /// About so many bytes: work is done in pieces of 64 KiB and more (2 MiB where there are huge
    /// pages), the first of which is done whatever its size. 0 does nothing.
    pub const fn bytes(bytes: usize) -> Self {
        Self { bytes, swaps: usize::MAX, until: None }
    }

    /// So many swaps of two values, where these are what a call does
    /// ([`DenseSlotMap::defragment_by`](crate::DenseSlotMap::defragment_by)). For others it is
    /// [`UNLIMITED`](Self::UNLIMITED). 0 does nothing.
    pub const fn swaps(swaps: usize) -> Self {
        let bytes = if swaps == 0 { 0 } else { usize::MAX };
        Self { bytes, swaps, until: None }
    }

    /// What is left of it after so many bytes.
    pub(crate) const fn less(self, bytes: usize) -> Self {
        match self.bytes {
            usize::MAX => self,
            all => Self { bytes: all.saturating_sub(bytes), ..self },
        }
    }

    /// Gives memory back as far as there is money, by a call that says whether it is done.
    pub(crate) fn spend(
        self,
        give_back: impl FnOnce(&mut Purse) -> Result<bool, Error>,
    ) -> Result<GivenBack, Error> {
        let mut purse = Purse::new(self);
        let is_done = give_back(&mut purse)?;
        Ok(GivenBack { bytes: purse.spent(), is_done })
    }

    /// As long as that, from now on: make one for each call. No piece is begun that would take longer, if it took as long as
    /// the longest before it. No time does nothing.
    pub fn time(time: Duration) -> Self {
        // What cannot be expressed is no end.
        let until = if time.is_zero() { None } else { Instant::now().checked_add(time) };
        let bytes = if time.is_zero() { 0 } else { usize::MAX };
        Self { bytes, swaps: usize::MAX, until }
    }
}

/// A budget that is being spent.
#[derive(Debug)]
pub(crate) struct Purse {
    budget: Budget,
    spent: usize,
    swapped: usize,
    /// For the last piece.
    last: usize,
    /// When the last piece was begun, and how long the longest took.
    begun: Option<Instant>,
    longest: Duration,
}

impl Purse {
    pub(crate) const fn new(budget: Budget) -> Self {
        Self { budget, spent: 0, swapped: 0, last: 0, begun: None, longest: Duration::ZERO }
    }

    /// That of a call without a budget.
    pub(crate) const fn unlimited() -> Self {
        Self::new(Budget::UNLIMITED)
    }

    /// Whether it never ends.
    pub(crate) const fn is_unlimited(&self) -> bool {
        self.budget.bytes == usize::MAX && self.budget.until.is_none()
    }

    /// How many bytes were paid for.
    pub(crate) const fn spent(&self) -> usize {
        self.spent
    }

    /// Pays for a piece of so many bytes that is begun now, if there is enough left.
    pub(crate) fn pay(&mut self, bytes: usize) -> bool {
        let left = self.budget.bytes - self.spent.min(self.budget.bytes);
        if left == 0 || (self.spent > 0 && bytes > left) {
            return false;
        }
        if let Some(until) = self.budget.until {
            let now = Instant::now();
            if let Some(begun) = self.begun {
                self.longest = self.longest.max(now - begun);
            }
            if now + self.longest >= until {
                return false;
            }
            self.begun = Some(now);
        }
        self.spent = self.spent.saturating_add(bytes);
        self.last = bytes;
        true
    }

    /// Pays for a swap of so many bytes that is done now, if there is enough left.
    pub(crate) fn pay_swap(&mut self, bytes: usize) -> bool {
        let pays = self.swapped < self.budget.swaps && self.pay(bytes);
        self.swapped += usize::from(pays);
        pays
    }

    /// Takes the money for the last piece back, which could not be had.
    pub(crate) fn refund(&mut self) {
        self.spent -= std::mem::take(&mut self.last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_spent_in_whole_pieces_but_for_the_first() {
        let mut purse = Purse::new(Budget::bytes(100));
        assert!(purse.pay(60));
        assert!(!purse.pay(41));
        assert!(purse.pay(40));
        assert!(!purse.pay(1));
        assert_eq!(purse.spent(), 100);
        purse.refund();
        assert_eq!(purse.spent(), 60);
        let mut small = Purse::new(Budget::bytes(1));
        assert!(small.pay(64 << 10));
        assert!(!small.pay(1));
    }

    #[test]
    fn swaps_are_counted_and_no_limit_to_others() {
        let mut purse = Purse::new(Budget::swaps(2));
        assert!([true, true, false] == [(); 3].map(|()| purse.pay_swap(1 << 20)));
        assert!(Purse::new(Budget::swaps(1)).pay(usize::MAX));
        let mut bytes = Purse::new(Budget::bytes(100));
        assert!([true, true, false] == [(); 3].map(|()| bytes.pay_swap(50)));
    }

    #[test]
    fn nothing_buys_nothing() {
        for budget in [Budget::bytes(0), Budget::swaps(0), Budget::time(Duration::ZERO)] {
            assert!(!Purse::new(budget).pay(1));
        }
    }

    #[test]
    fn time_runs_out() {
        let mut purse = Purse::new(Budget::time(Duration::from_millis(20)));
        assert!(purse.pay(1));
        std::thread::sleep(Duration::from_millis(15));
        assert!(!purse.pay(1), "another piece as long would end too late");
        let mut long = Purse::new(Budget::time(Duration::MAX));
        assert!(long.pay(usize::MAX));
    }

    #[test]
    fn what_has_no_limit_never_ends() {
        assert!(!Purse::new(Budget::bytes(1 << 30)).is_unlimited());
        assert!(!Purse::new(Budget::time(Duration::from_secs(1))).is_unlimited());
        let mut purse = Purse::unlimited();
        assert!(purse.is_unlimited());
        assert!(purse.pay(usize::MAX / 2));
        assert!(purse.pay(1));
    }
}
