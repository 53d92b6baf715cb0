//! What the programs of showcases share: they time frames, and print what the runner reads.

use std::fs;
use std::hint::black_box;
use std::time::Instant;

/// The times of a program's frames.
pub struct Frames {
    begun: Instant,
    nanoseconds: Vec<u64>,
}

impl Frames {
    /// Begins the program's time.
    #[expect(clippy::new_without_default, reason = "it has an effect")]
    pub fn new() -> Self {
        // Touched before, so that recording takes no page faults.
        let mut nanoseconds = vec![1; 1 << 16];
        black_box(&mut nanoseconds).clear();
        Self { begun: Instant::now(), nanoseconds }
    }

    /// Calls `frame`, and records the time that it takes.
    pub fn time<T>(&mut self, frame: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = frame();
        self.nanoseconds.push(start.elapsed().as_nanos() as u64);
        result
    }

    /// Ends the program's time, and prints everything, with a number that depends on all results.
    pub fn finish(self, sum: u64) {
        println!("total {}", self.begun.elapsed().as_nanos());
        println!("sum {sum:x}");
        println!("peak {}", peak_kib());
        for time in self.nanoseconds {
            println!("frame {time}");
        }
    }
}

/// The most memory that this process has had resident.
fn peak_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("Linux has this file");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB"));
    kib.and_then(|kib| kib.parse().ok()).expect("Linux writes this line")
}
