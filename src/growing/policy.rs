//! How much to commit.

use super::round_up;
use crate::reservation::page_size;

/// How much memory an array commits when it outgrows what is committed.
///
/// Committing takes no memory: the system only promises it. But each commit is a system call, and with steps of single
/// pages growth takes 1.5 to 2 times as long.
///
/// # Examples
///
/// ```
/// use stayput::{Growth, VmVec};
///
/// let steps = Growth::Fixed { step_bytes: 1 << 20 };
/// let mut log: VmVec<u8> = VmVec::builder().growth(steps).build();
/// log.push(1);
/// assert_eq!(log.capacity(), 1 << 20);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Growth {
    /// Steps of 64 KiB at first, each twice the previous one, up to 32 MiB. The default.
    #[default]
    Doubling,
    /// Steps of a fixed size, rounded up to whole runs of 64 KiB (2 MiB with huge pages). 0 means one such run.
    Fixed {
        /// The size of a step in bytes.
        step_bytes: usize,
    },
}

/// Whether to commit more than is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Amount {
    AtLeast,
    /// Like `AtLeast`, but at most this many bytes, up to the end of their page.
    Within(usize),
    Exact,
}

impl Amount {
    /// Up to where to commit if `needed` bytes, whole pages, are needed, and the policy asks for `by_policy`.
    pub(super) fn preferred(self, needed: usize, by_policy: usize) -> usize {
        match self {
            Self::Within(most) if most < by_policy => round_up(most, page_size()).max(needed),
            Self::AtLeast | Self::Within(_) => by_policy,
            Self::Exact => needed,
        }
    }
}

/// The size of the next step of growth.
///
/// It starts over after a shrink, so that an array that was shrunk and grows a little does not commit as much as
/// before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    bytes: usize,
}

impl Step {
    pub(super) const FIRST: Self = Self { bytes: 64 << 10 };

    /// Larger steps save no measurable time, and commit more than may be needed.
    const LARGEST_BYTES: usize = 32 << 20;

    /// How far to commit if `committed` bytes are.
    fn target(self, committed: usize, growth: Growth) -> usize {
        let step = match growth {
            Growth::Doubling => self.bytes,
            Growth::Fixed { step_bytes } => step_bytes.max(1),
        };
        // A bound that leaves room for rounding up.
        committed.saturating_add(step).min(isize::MAX as usize - Self::LARGEST_BYTES)
    }

    /// Up to where to commit for `need` bytes if `committed` are, before rounding to whole runs.
    pub(super) fn desired(self, committed: usize, need: usize, growth: Growth) -> usize {
        need.max(self.target(committed, growth))
    }

    /// Records growth by `grown_bytes`, which is less than a step only if a step was refused.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_double_up_to_the_cap_and_fall_after_a_refusal() {
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
}
