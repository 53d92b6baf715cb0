//! What is being measured, and how much is left, to standard error.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Between two lines, where they do not replace each other.
const LINES_APART: Duration = Duration::from_secs(5);

/// Writes between measurements only: a thread of its own would compete with what is measured.
#[derive(Debug)]
pub struct Progress {
    steps: usize,
    begun: usize,
    start: Instant,
    on_terminal: bool,
    written: Option<Instant>,
}

impl Progress {
    /// For so many steps.
    pub fn new(steps: usize) -> Self {
        let on_terminal = io::stderr().is_terminal();
        Self { steps, begun: 0, start: Instant::now(), on_terminal, written: None }
    }

    /// Says that a step begins. On a terminal it takes the place of what was said before, elsewhere
    /// some of the steps have a line.
    pub fn begin(&mut self, what: impl std::fmt::Display) {
        self.begun += 1;
        let line = format!(
            "{} of {}, {} s: {what}",
            self.begun,
            self.steps,
            self.start.elapsed().as_secs()
        );
        // Whether it is seen has no bearing on what is measured.
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
            // As above.
            let _ = write!(io::stderr(), "\r\x1b[2K");
        }
    }
}
