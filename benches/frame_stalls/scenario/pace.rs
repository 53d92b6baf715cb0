//! When frames begin.

use std::thread;
use std::time::{Duration, Instant};

/// Starts frames at a distance from each other; at once where that is zero.
pub(super) struct Pace {
    period: Duration,
    next: Instant,
}

impl Pace {
    pub(super) fn new(period: Duration) -> Self {
        Self { period, next: Instant::now() + period }
    }

    /// Sleeps, since a loop that waits would keep a core from the threads that prepare for the next
    /// frame. A frame that is late starts at once, and those after it keep their distance from it,
    /// as in a game that drops frames instead of catching up.
    pub(super) fn wait(&mut self) {
        if self.period > Duration::ZERO {
            thread::sleep(self.next.saturating_duration_since(Instant::now()));
            self.next = Instant::now().max(self.next) + self.period;
        }
    }
}
