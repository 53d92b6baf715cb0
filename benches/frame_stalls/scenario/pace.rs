//! When frames begin.

use std::thread;
use std::time::{Duration, Instant};

/// Starts frames at a fixed distance from each other; at once if it is zero.
pub(super) struct Pace {
    period: Duration,
    next: Instant,
}

impl Pace {
    pub(super) fn new(period: Duration) -> Self {
        Self { period, next: Instant::now() + period }
    }

    /// Sleeps until the next frame. A loop that spins would keep a core from the threads that prepare the next
    /// frame. A late frame starts at once, and later frames keep their distance from it, as in a game that
    /// drops frames instead of catching up.
    pub(super) fn wait(&mut self) {
        if self.period > Duration::ZERO {
            thread::sleep(self.next.saturating_duration_since(Instant::now()));
            self.next = Instant::now().max(self.next) + self.period;
        }
    }
}
