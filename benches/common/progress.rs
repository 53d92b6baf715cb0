//! Progress on standard error: what is being measured, and how much is left.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// The least time between two lines, if they do not replace each other.
const LINES_APART: Duration = Duration::from_secs(5);

/// Writes between measurements only, since a thread of its own would compete with them.
#[derive(Debug)]
pub struct Progress {
    steps: usize,
    begun: usize,
    start: Instant,
    on_terminal: bool,
    written: Option<Instant>,
}

impl Progress {
    /// Creates the progress of that many steps.
    pub fn new(steps: usize) -> Self {
        let on_terminal = io::stderr().is_terminal();
        Self { steps, begun: 0, start: Instant::now(), on_terminal, written: None }
    }

    /// Announces the next step. On a terminal the line replaces the previous one; elsewhere some of the steps
    /// get a line.
    pub fn begin(&mut self, what: impl std::fmt::Display) {
        self.begun += 1;
        let line = format!(
            "{} of {}, {} s: {what}",
            self.begun,
            self.steps,
            self.start.elapsed().as_secs()
        );
        // An error does not affect the measurement.
        let _ = if self.on_terminal {
            write!(io::stderr(), "\r\x1b[2K{line}")
        } else if self.written.is_none_or(|written| written.elapsed() >= LINES_APART) {
            self.written = Some(Instant::now());
            writeln!(io::stderr(), "{line}")
        } else {
            Ok(())
        };
    }
}

/// Clears the line.
impl Drop for Progress {
    fn drop(&mut self) {
        if self.on_terminal {
            // An error does not affect the measurement.
            let _ = write!(io::stderr(), "\r\x1b[2K");
        }
    }
}
