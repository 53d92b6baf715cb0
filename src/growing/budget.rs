//! [`Budget`]: limits how much one call does, so that work can be spread over frames; and the results of such calls.

#![forbid(unsafe_code)]

use crate::error::Error;
use std::time::{Duration, Instant};

/// A limit on the work of one call: a number of bytes, a number of swaps, or a duration.
///
/// # Examples
///
/// ```
/// use stayput::{Budget, VmVec};
/// use std::time::Duration;
///
/// let mut log: VmVec<u64> = (0..1_000_000).collect();
/// log.truncate(1000);
/// // In the idle time of each frame, return memory for half a millisecond:
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
    /// No limit.
    pub const UNLIMITED: Self = Self::bytes(usize::MAX);

    /// Limits a call to about `bytes` bytes. 0 does nothing.
    ///
    /// Work is done in pieces of 64 KiB or more (2 MiB with huge pages). The first piece is done whatever its size.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{Budget, VmVec};
    ///
    /// let mut log: VmVec<u64> = (0..1_000_000).collect();
    /// log.clear();
    /// let mut frames = 1;
    /// while !log.shrink_to_fit_within(Budget::bytes(1 << 20))?.is_done {
    ///     frames += 1;
    /// }
    /// assert!(frames > 1);
    /// # Ok::<(), stayput::Error>(())
    /// ```
    pub const fn bytes(bytes: usize) -> Self {
        Self { bytes, swaps: usize::MAX, until: None }
    }

    /// Limits a call to `swaps` swaps of two values, if swaps are what it does
    /// ([`DenseSlotMap::defragment_by`](crate::DenseSlotMap::defragment_by)). 0 does nothing.
    ///
    /// For other calls this is [`UNLIMITED`](Self::UNLIMITED), except for 0.
    pub const fn swaps(swaps: usize) -> Self {
        let bytes = if swaps == 0 { 0 } else { usize::MAX };
        Self { bytes, swaps, until: None }
    }

    /// Returns what is left of the budget after `bytes` bytes.
    pub(crate) const fn less(self, bytes: usize) -> Self {
        match self.bytes {
            usize::MAX => self,
            all => Self { bytes: all.saturating_sub(bytes), ..self },
        }
    }

    /// Calls `give_back`, which returns memory within the budget, and returns whether it is done.
    pub(crate) fn spend(
        self,
        give_back: impl FnOnce(&mut BudgetMeter) -> Result<bool, Error>,
    ) -> Result<GivenBack, Error> {
        let mut meter = BudgetMeter::new(self);
        let is_done = give_back(&mut meter)?;
        Ok(GivenBack { bytes: meter.spent(), is_done })
    }

    /// Limits a call to `time`, counted from now: create one for each call. [`Duration::ZERO`] does nothing.
    ///
    /// A piece of work does not begin if it would reach the limit by taking as long as the longest piece before it.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{Budget, VmVec};
    /// use std::time::{Duration, Instant};
    ///
    /// let mut sparks = VmVec::new();
    /// let end_of_frame = Instant::now() + Duration::from_millis(16);
    /// sparks.extend([[0.0_f32; 4]; 1000]);
    /// let rest = end_of_frame.saturating_duration_since(Instant::now());
    /// assert!(sparks.prefault_ahead(Budget::time(rest)).refused.is_none());
    /// ```
    pub fn time(time: Duration) -> Self {
        // A time that `Instant` cannot express sets no limit.
        let until = if time.is_zero() { None } else { Instant::now().checked_add(time) };
        let bytes = if time.is_zero() { 0 } else { usize::MAX };
        Self { bytes, swaps: usize::MAX, until }
    }
}

/// The result of [`prefault_ahead`](crate::VmVec::prefault_ahead).
///
/// # Examples
///
/// ```
/// use stayput::{Budget, VmVec};
///
/// let mut sparks = VmVec::from([[0.0_f32; 4]; 1000]);
/// let done = sparks.prefault_ahead(Budget::bytes(1 << 20));
/// if let Some(error) = done.refused {
///     eprintln!("only {} bytes are ready: {error}", done.ahead_bytes);
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Prefaulted {
    /// The number of bytes that the call has made resident. Pages that were resident before are skipped, and do not
    /// count against a budget of bytes.
    ///
    /// On OpenBSD, and in memory that a [`Backing`](crate::Backing) supplies, residency is unknown, and such pages are
    /// counted, too. 0 without virtual memory (WebAssembly), where committing writes to memory.
    pub bytes: usize,
    /// The number of bytes that are resident ahead of the used ones.
    pub ahead_bytes: usize,
    /// Why there are not more, if the system refused.
    pub refused: Option<Error>,
}

/// The result of a call that returns memory within a [`Budget`].
///
/// # Examples
///
/// ```
/// use stayput::{Budget, GivenBack, VmVec};
///
/// let mut log = VmVec::from(vec![1_u8; 4 << 20]);
/// log.truncate(1000);
/// let mut returned = 0;
/// loop {
///     // In the idle time of each frame:
///     let result = log.shrink_to_fit_within(Budget::bytes(1 << 20))?;
///     let GivenBack { bytes, is_done, .. } = result;
///     returned += bytes;
///     if is_done {
///         break;
///     }
/// }
/// assert!(returned > 3 << 20);
/// # Ok::<(), stayput::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GivenBack {
    /// The number of bytes that the call returned to the system.
    pub bytes: usize,
    /// Whether there is nothing more to return.
    pub is_done: bool,
}

impl Prefaulted {
    pub(crate) const fn refused(error: Error) -> Self {
        Self { bytes: 0, ahead_bytes: 0, refused: Some(error) }
    }

    /// The combined result for two arrays.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            bytes: self.bytes + other.bytes,
            ahead_bytes: self.ahead_bytes + other.ahead_bytes,
            refused: self.refused.or(other.refused),
        }
    }
}

impl GivenBack {
    /// The combined result for two arrays.
    pub(crate) const fn and(self, other: Self) -> Self {
        Self { bytes: self.bytes + other.bytes, is_done: self.is_done && other.is_done }
    }
}

/// A [`Budget`], and how much of it is used.
#[derive(Debug)]
pub(crate) struct BudgetMeter {
    budget: Budget,
    spent: usize,
    swapped: usize,
    /// Bytes of the last piece.
    last: usize,
    /// When the last piece began.
    begun: Option<Instant>,
    /// How long the longest piece took.
    longest: Duration,
}

impl BudgetMeter {
    pub(crate) const fn new(budget: Budget) -> Self {
        Self { budget, spent: 0, swapped: 0, last: 0, begun: None, longest: Duration::ZERO }
    }

    pub(crate) const fn unlimited() -> Self {
        Self::new(Budget::UNLIMITED)
    }

    /// Whether nothing is left.
    pub(crate) fn is_spent(&self) -> bool {
        self.spent >= self.budget.bytes
            || self.budget.until.is_some_and(|until| Instant::now() >= until)
    }

    /// Whether neither bytes nor time are limited.
    pub(crate) const fn is_unlimited(&self) -> bool {
        self.budget.bytes == usize::MAX && self.budget.until.is_none()
    }

    pub(crate) const fn spent(&self) -> usize {
        self.spent
    }

    /// Pays for a piece of `bytes` bytes that begins now. Returns `false`, and pays nothing, if the rest of the budget
    /// does not cover it.
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

    /// [`pay`](Self::pay) for a swap of `bytes` bytes.
    pub(crate) fn pay_swap(&mut self, bytes: usize) -> bool {
        let pays = self.swapped < self.budget.swaps && self.pay(bytes);
        self.swapped += usize::from(pays);
        pays
    }

    /// Takes back the payment for the last piece, which was refused.
    pub(crate) fn refund(&mut self) {
        self.spent -= std::mem::take(&mut self.last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_spent_in_whole_pieces_and_the_first_may_exceed_them() {
        let mut meter = BudgetMeter::new(Budget::bytes(100));
        assert!(meter.pay(60));
        assert!(!meter.pay(41));
        assert!(meter.pay(40));
        assert!(!meter.pay(1));
        assert_eq!(meter.spent(), 100);
        meter.refund();
        assert_eq!(meter.spent(), 60);
        let mut small = BudgetMeter::new(Budget::bytes(1));
        assert!(small.pay(64 << 10));
        assert!(!small.pay(1));
    }

    #[test]
    fn a_limit_of_swaps_applies_to_swaps_only() {
        let mut meter = BudgetMeter::new(Budget::swaps(2));
        assert!([true, true, false] == [(); 3].map(|()| meter.pay_swap(1 << 20)));
        assert!(BudgetMeter::new(Budget::swaps(1)).pay(usize::MAX));
        let mut bytes = BudgetMeter::new(Budget::bytes(100));
        assert!([true, true, false] == [(); 3].map(|()| bytes.pay_swap(50)));
    }

    #[test]
    fn an_empty_budget_pays_for_nothing() {
        for budget in [Budget::bytes(0), Budget::swaps(0), Budget::time(Duration::ZERO)] {
            assert!(!BudgetMeter::new(budget).pay(1));
        }
    }

    #[test]
    fn time_runs_out() {
        let mut meter = BudgetMeter::new(Budget::time(Duration::from_millis(20)));
        assert!(meter.pay(1));
        std::thread::sleep(Duration::from_millis(15));
        assert!(!meter.pay(1), "another piece as long would end too late");
        let mut long = BudgetMeter::new(Budget::time(Duration::MAX));
        assert!(long.pay(usize::MAX));
    }

    #[test]
    fn an_unlimited_budget_pays_for_everything() {
        assert!(!BudgetMeter::new(Budget::bytes(1 << 30)).is_unlimited());
        assert!(!BudgetMeter::new(Budget::time(Duration::from_secs(1))).is_unlimited());
        let mut meter = BudgetMeter::unlimited();
        assert!(meter.is_unlimited());
        assert!(meter.pay(usize::MAX / 2));
        assert!(meter.pay(1));
    }

    #[test]
    fn the_result_for_two_arrays_is_the_sum_of_both() {
        let refused = Error::new(crate::error::ErrorKind::Memory, 1);
        let one = Prefaulted { bytes: 3, ahead_bytes: 5, refused: None };
        let two = Prefaulted { bytes: 4, ahead_bytes: 6, refused: Some(refused) };
        let sum = Prefaulted { bytes: 7, ahead_bytes: 11, refused: Some(refused) };
        assert_eq!([one.and(two), two.and(one)], [sum, sum]);
        let given = |bytes, is_done| GivenBack { bytes, is_done };
        assert_eq!(given(3, true).and(given(4, true)), given(7, true));
        assert_eq!(given(3, true).and(given(4, false)), given(7, false));
        assert_eq!(given(3, false).and(given(4, true)), given(7, false));
    }
}
