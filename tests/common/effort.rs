//! How much is tried: what takes a minute in all, or as many times that as `STAYPUT_TEST_EFFORT` says.
//! Threads are let at each other for a second, or as many as `STAYPUT_STRESS_SECONDS` says.

#![allow(dead_code, reason = "no test binary uses all of it")]

use proptest::test_runner::Config;
use std::thread;
use std::time::{Duration, Instant};

/// What is found by chance is looked for so many times, times the effort.
pub(crate) fn rounds(rounds: u32) -> u32 {
    let effort = number("STAYPUT_TEST_EFFORT");
    // Miri takes some hundred times as long.
    if cfg!(miri) { (rounds / 10).clamp(1, 3) * effort } else { rounds * effort }
}

/// The same for what is compared with a model.
pub(crate) fn cases(cases: u32) -> Config {
    Config { cases: rounds(cases), failure_persistence: None, ..Config::default() }
}

pub(crate) fn stress_duration() -> Duration {
    Duration::from_secs(number("STAYPUT_STRESS_SECONDS").into())
}

/// Waits for what happens by itself.
#[track_caller]
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}: it does not come to be");
        thread::sleep(Duration::from_millis(1));
    }
}

fn number(variable: &str) -> u32 {
    let Ok(text) = std::env::var(variable) else { return 1 };
    text.parse().unwrap_or_else(|_| panic!("{variable}={text} is not a number"))
}
