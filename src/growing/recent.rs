//! [`Recent`]: how fast an array has grown recently, which decides how much to make ready ahead.

#![forbid(unsafe_code)]

use crate::service::{LEAST_WINDOW_BYTES, UNIT_BYTES};
use std::time::{Duration, Instant};

/// The length of a frame. Shorter frames of the program are counted together, longer ones as several.
const FRAME: Duration = Duration::from_micros(16_667);
/// In each frame, one part in this many of the busiest frame is forgotten.
const MEMORY_FRAMES: u32 = 64;
/// How many times the growth of the busiest frame to make ready.
const FRAMES_AHEAD: usize = 2;

/// The most that is made ready ahead.
const LARGEST_WINDOW_BYTES: usize = 256 << 20;

/// Measures the growth of an array by frames, without a figure from the user and without knowing when frames begin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recent {
    /// When the current frame began, and how many bytes were used then.
    frame: Option<(Instant, usize)>,
    /// How many bytes the busiest frame used, less what has been forgotten of it.
    busiest: usize,
    bounds: Bounds,
}

/// How much is ready at least and at most, whatever was used recently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bounds {
    /// As much as is used, or the smallest window if that is less; and the smallest window before anything is used.
    Usual,
    /// The same, but little before anything is used.
    SmallStart,
    /// The smallest window; and half as much as is used if that is more.
    WithinHalf,
}

impl Recent {
    pub(super) const NONE: Self = Self { frame: None, busiest: 0, bounds: Bounds::Usual };

    /// Starts without past growth, and with little ahead.
    pub(super) const SMALL_START: Self = Self { bounds: Bounds::SmallStart, ..Self::NONE };

    /// Starts without past growth, and calls for at most half as much as is used.
    pub(super) const WITHIN_HALF: Self = Self { bounds: Bounds::WithinHalf, ..Self::NONE };

    pub(super) fn starts_small(&self) -> bool {
        self.bounds == Bounds::SmallStart
    }

    /// Continues as if past growth had called for `window` bytes ahead.
    pub(super) const fn begin_with(&mut self, window: usize) {
        self.busiest = window / FRAMES_AHEAD;
    }

    /// Sets whether at most half as much is called for as is used.
    pub(super) fn bind_to_half(&mut self, is_bound: bool) {
        if is_bound {
            self.bounds = Bounds::WithinHalf;
        } else if self.bounds == Bounds::WithinHalf {
            self.bounds = Bounds::Usual;
        }
    }

    /// Records that `used` bytes are in use, and returns how many bytes to make ready past them.
    pub(super) fn note(&mut self, used: usize, now: Instant) -> usize {
        let (begun, at) = *self.frame.get_or_insert((now, used));
        let grown = used.saturating_sub(at);
        let frames = now.duration_since(begun).as_micros() / FRAME.as_micros();
        if frames > 0 {
            let frames = u32::try_from(frames).unwrap_or(u32::MAX).min(MEMORY_FRAMES);
            let forgotten = self.busiest / MEMORY_FRAMES as usize * frames as usize;
            self.busiest -= forgotten;
            self.frame = Some((now, used));
        }
        self.busiest = self.busiest.max(grown);
        let usual = used.clamp(UNIT_BYTES, LEAST_WINDOW_BYTES);
        let (least, most) = match self.bounds {
            Bounds::Usual if used == 0 => (LEAST_WINDOW_BYTES, LARGEST_WINDOW_BYTES),
            Bounds::Usual | Bounds::SmallStart => (usual, LARGEST_WINDOW_BYTES),
            Bounds::WithinHalf => {
                let half = (used / 2).clamp(LEAST_WINDOW_BYTES, LARGEST_WINDOW_BYTES);
                (LEAST_WINDOW_BYTES, half)
            }
        };
        let window = self.busiest.saturating_mul(FRAMES_AHEAD);
        window.clamp(least, most).next_multiple_of(UNIT_BYTES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1 << 20;

    #[test]
    fn the_window_is_twice_the_busiest_frame() {
        let mut recent = Recent::NONE;
        let mut now = Instant::now();
        let mut used = 0;
        for _ in 0..10 {
            // In four steps, the last one at the end of the frame.
            for _ in 0..4 {
                now += FRAME / 4;
                used += 2 * MIB;
                recent.note(used, now);
            }
        }
        let window = recent.note(used, now);
        assert!((12 * MIB..=20 * MIB).contains(&window), "{window}");
    }

    #[test]
    fn quiet_is_noticed_within_two_seconds() {
        let mut recent = Recent::NONE;
        let begun = Instant::now();
        recent.note(0, begun);
        let window = recent.note(64 * MIB, begun + FRAME / 2);
        assert_eq!(window, 128 * MIB);
        for frame in 1..200 {
            recent.note(64 * MIB, begun + FRAME * frame);
        }
        let window = recent.note(64 * MIB, begun + FRAME * 200);
        assert!(window <= 8 * MIB, "{window}");
        assert_eq!(recent.note(64 * MIB, begun + FRAME * 1000), LEAST_WINDOW_BYTES);
    }

    #[test]
    fn an_initial_window_is_forgotten_like_others() {
        let begun = Instant::now();
        let mut recent = Recent::NONE;
        recent.begin_with(16 * MIB);
        assert_eq!(recent.note(UNIT_BYTES, begun), 16 * MIB);
        let mut used = 0;
        for frame in 1..20 {
            used += UNIT_BYTES;
            let window = recent.note(used, begun + FRAME * frame);
            assert!((10 * MIB..16 * MIB).contains(&window), "{window}");
        }
        assert_eq!(recent.note(used, begun + FRAME * 1000), used);
        assert_eq!(recent.note(used + 20 * MIB, begun + FRAME * 1000), 40 * MIB);
    }

    #[test]
    fn half_as_much_is_ready_as_is_used_if_that_is_the_bound() {
        let mut recent = Recent::WITHIN_HALF;
        let begun = Instant::now();
        let mut note = |used| recent.note(used * MIB, begun) / MIB;
        assert_eq!([note(4), note(5), note(26), note(400), note(900)], [4, 4, 13, 200, 256]);
    }

    #[test]
    fn as_much_is_ready_as_is_used_and_little_before_that_if_it_starts_small() {
        let now = Instant::now();
        for (mut recent, first) in [(Recent::NONE, 4 * MIB), (Recent::SMALL_START, UNIT_BYTES)] {
            assert_eq!([0, 1].map(|used| recent.note(used, now)), [first, UNIT_BYTES]);
            recent = Recent { busiest: 0, ..recent };
            assert_eq!(
                [MIB, 9 * MIB].map(|used| Recent { frame: None, ..recent }.note(used, now)),
                [MIB, 4 * MIB]
            );
        }
    }

    #[test]
    fn the_window_has_bounds() {
        let mut recent = Recent::NONE;
        let now = Instant::now();
        assert_eq!(recent.note(0, now), LEAST_WINDOW_BYTES);
        assert_eq!(recent.note(usize::MAX / 2, now), LARGEST_WINDOW_BYTES);
        assert_eq!(recent.note(0, now), LARGEST_WINDOW_BYTES);
    }

    #[test]
    fn only_the_bound_of_a_half_can_be_lifted() {
        let mut recent = Recent::SMALL_START;
        let bounds = [false, true, false, false].map(|is_bound| {
            recent.bind_to_half(is_bound);
            recent.bounds
        });
        let (small, half, usual) = (Bounds::SmallStart, Bounds::WithinHalf, Bounds::Usual);
        assert_eq!(bounds, [small, half, usual, usual]);
        assert!(Recent::SMALL_START.starts_small() && !recent.starts_small());
    }
}
