//! [`Recent`]: how fast an array has grown of late, and so how far ahead to be ready.

#![forbid(unsafe_code)]

use crate::service::{LEAST_WINDOW_BYTES, UNIT_BYTES};
use std::time::{Duration, Instant};

/// What counts as a frame. Shorter ones share one; what one needs that is longer is spread over
/// several.
const FRAME: Duration = Duration::from_micros(16_667);
/// How many frames it takes to forget the busiest one.
const MEMORY_FRAMES: u32 = 64;
/// How many of the busiest frames to be ahead.
const FRAMES_AHEAD: usize = 2;

/// No more is made ready on speculation.
const LARGEST_WINDOW_BYTES: usize = 256 << 20;

/// The growth of an array over frames: no number from the user is needed, nor when frames begin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recent {
    /// When the frame began, and what was used then.
    frame: Option<(Instant, usize)>,
    /// What the busiest frame used, less what has been forgotten of it.
    busiest: usize,
}

impl Recent {
    pub(super) const NONE: Self = Self { frame: None, busiest: 0 };

    /// As if growth had been such that so many bytes are to be ready.
    pub(super) fn beginning(window: usize) -> Self {
        Self { frame: None, busiest: window / FRAMES_AHEAD }
    }

    /// Takes note that `used` bytes are in use, and returns how many to have ready ahead of them.
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
        let window = self.busiest.saturating_mul(FRAMES_AHEAD);
        window.clamp(LEAST_WINDOW_BYTES, LARGEST_WINDOW_BYTES).next_multiple_of(UNIT_BYTES)
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
            // In four steps, the last of them at the frame's end.
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
    fn a_window_that_was_said_at_first_is_forgotten_as_others_are() {
        let begun = Instant::now();
        let mut recent = Recent::beginning(16 * MIB);
        assert_eq!(recent.note(UNIT_BYTES, begun), 16 * MIB);
        let mut used = 0;
        for frame in 1..20 {
            used += UNIT_BYTES;
            let window = recent.note(used, begun + FRAME * frame);
            assert!((10 * MIB..16 * MIB).contains(&window), "{window}");
        }
        assert_eq!(recent.note(used, begun + FRAME * 1000), LEAST_WINDOW_BYTES);
        assert_eq!(recent.note(used + 20 * MIB, begun + FRAME * 1000), 40 * MIB);
    }

    #[test]
    fn the_window_has_bounds() {
        let mut recent = Recent::NONE;
        let now = Instant::now();
        assert_eq!(recent.note(0, now), LEAST_WINDOW_BYTES);
        assert_eq!(recent.note(usize::MAX / 2, now), LARGEST_WINDOW_BYTES);
        assert_eq!(recent.note(0, now), LARGEST_WINDOW_BYTES);
    }
}
