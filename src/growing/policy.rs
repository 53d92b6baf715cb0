//! How much to reserve and how much to commit.

use super::round_up;
use crate::os;
use crate::reservation::page_size;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How much memory an array commits when it grows beyond what is committed.
///
/// Committing takes no memory, it only has the system promise it, and every commit is a call to
/// the kernel: steps of single pages make growth 1.5 to 2 times as slow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Growth {
    /// Steps of 64 KiB at first, each twice the one before, up to 32 MiB.
    #[default]
    Doubling,
    /// Steps of always as many bytes, rounded up to whole runs of 64 KiB (2 MiB where huge pages
    /// are asked for). 0 means one such run.
    Fixed {
        /// The size of a step in bytes.
        step_bytes: usize,
    },
}

/// Whether to commit ahead of what is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Amount {
    AtLeast,
    Exact,
}

/// The size of the next step of growth.
///
/// It starts over when memory was given back, so that an array that was shrunk and grows a little
/// does not commit as much again as it had.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    bytes: usize,
}

impl Step {
    pub(super) const FIRST: Self = Self { bytes: 64 << 10 };

    /// Larger steps save nothing that can be measured, and ask for more than may be needed.
    const LARGEST_BYTES: usize = 32 << 20;

    /// How far to commit if `committed` bytes are.
    fn target(self, committed: usize, growth: Growth) -> usize {
        let step = match growth {
            Growth::Doubling => self.bytes,
            Growth::Fixed { step_bytes } => step_bytes.max(1),
        };
        // At most what rounding up can take.
        committed.saturating_add(step).min(isize::MAX as usize / 2)
    }

    /// Up to where to commit for `need` bytes if `committed` are, before it is rounded to whole
    /// runs.
    pub(super) fn wish(self, committed: usize, need: usize, growth: Growth) -> usize {
        need.max(self.target(committed, growth))
    }

    /// Takes note that memory grew by `grown_bytes`, which is less than a step only where a step
    /// was refused.
    pub(super) fn advance(&mut self, grown_bytes: usize, growth: Growth) {
        if growth == Growth::Doubling {
            self.bytes = if grown_bytes < self.bytes {
                grown_bytes.max(Self::FIRST.bytes)
            } else {
                (self.bytes * 2).min(Self::LARGEST_BYTES)
            };
        }
    }
}

/// How small a default reservation may become before the error is passed on.
pub(crate) const FLOOR_BYTES: usize = 1 << 20;

/// How much to reserve for an array of elements of `element_bytes` whose maximum nobody named.
///
/// As much as the machine has memory, since the array cannot outgrow that, but no more than a
/// share of the address space that leaves room for many such arrays. It may not be to be had:
/// callers halve it down to [`FLOOR_BYTES`].
pub(crate) fn default_reservation_bytes(element_bytes: usize) -> usize {
    const LARGEST_BYTES: usize = if usize::BITS >= 64 { 1 << 40 } else { 128 << 20 };
    /// Of `RLIMIT_AS`, which everything else in the process has to fit under too.
    const SHARE_OF_LIMIT: u64 = 8;
    static NAMED_OR_MEMORY: OnceLock<usize> = OnceLock::new();

    let bytes = *NAMED_OR_MEMORY.get_or_init(|| {
        let named = std::env::var("STAYPUT_RESERVE_BYTES").ok().and_then(|text| text.parse().ok());
        named.unwrap_or_else(|| {
            let memory = os::memory_bytes().and_then(u64::checked_next_power_of_two);
            memory.and_then(|m| usize::try_from(m).ok()).unwrap_or(LARGEST_BYTES).min(LARGEST_BYTES)
        })
    });
    let limit = os::address_limit_bytes().and_then(|l| usize::try_from(l / SHARE_OF_LIMIT).ok());
    // Room for one element at least, and never so much that rounding could pass `isize::MAX`.
    let bytes = bytes.min(limit.unwrap_or(bytes)).max(FLOOR_BYTES).max(element_bytes);
    round_up(bytes.min(isize::MAX as usize / 2), page_size())
}

/// How many addresses one of many may reserve, if so many are reserved for all of them already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Share {
    /// At most: what is left of a quarter of all addresses that the process can, or may, have.
    pub(crate) most_bytes: usize,
    /// If nobody says more: as much as the machine has memory, but at most a small part of what is
    /// left. So however many ask, there is always something left.
    pub(crate) usual_bytes: usize,
}

impl Share {
    /// What is left where `taken` bytes are reserved. Does not allocate, and takes no lock.
    pub(crate) fn beside(taken: usize) -> Self {
        const PART: usize = if usize::BITS >= 64 { 1 << 10 } else { 1 << 4 };
        static MEMORY: AtomicUsize = AtomicUsize::new(0);

        let mut memory = MEMORY.load(Ordering::Relaxed);
        if memory == 0 {
            let told = os::memory_bytes().and_then(u64::checked_next_power_of_two);
            memory = told.and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(usize::MAX);
            // Threads that race here store the same answer.
            MEMORY.store(memory, Ordering::Relaxed);
        }
        let limit = os::address_limit_bytes().and_then(|limit| usize::try_from(limit).ok());
        let all = os::address_space_bytes().min(limit.unwrap_or(usize::MAX));
        let most_bytes = (all / 4).saturating_sub(taken);
        Self { most_bytes, usual_bytes: (most_bytes / PART).min(memory) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_double_up_to_the_cap_and_fall_to_what_was_had() {
        let mut step = Step::FIRST;
        let mut steps = Vec::new();
        for _ in 0..12 {
            steps.push(step.target(0, Growth::Doubling) >> 10);
            step.advance(step.target(0, Growth::Doubling), Growth::Doubling);
        }
        assert_eq!(&steps[..4], [64, 128, 256, 512]);
        assert_eq!(&steps[9..], [32 << 10; 3]);
        step.advance(1 << 20, Growth::Doubling);
        assert_eq!(step.target(0, Growth::Doubling), 1 << 20);
        step.advance(1, Growth::Doubling);
        assert_eq!(step.target(0, Growth::Doubling), 64 << 10);
    }

    #[test]
    fn fixed_steps_stay() {
        let growth = Growth::Fixed { step_bytes: 1000 };
        let mut step = Step::FIRST;
        step.advance(1000, growth);
        assert_eq!(step.target(5000, growth), 6000);
        assert!(Step::FIRST.target(0, Growth::Fixed { step_bytes: 0 }) > 0);
        let huge = Step::FIRST.target(1 << 20, Growth::Fixed { step_bytes: usize::MAX });
        assert!(isize::try_from(round_up(huge, 2 << 20)).is_ok());
    }

    #[test]
    fn shares_of_addresses_never_come_to_more_than_a_quarter_of_them() {
        let all = Share::beside(0).most_bytes;
        assert!((1 << 29..=usize::MAX / 4 + 1).contains(&all), "{all}");
        let mut taken = 0;
        for _ in 0..100_000 {
            taken += Share::beside(taken).usual_bytes;
        }
        assert!(taken <= all);
        assert_eq!(Share::beside(usize::MAX), Share { most_bytes: 0, usual_bytes: 0 });
    }
}
