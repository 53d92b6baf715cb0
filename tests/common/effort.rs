//! How much the tests try. By default they take a minute in all; `STAYPUT_TEST_EFFORT` multiplies that. Threads compete
//! for one second, or for `STAYPUT_STRESS_SECONDS`.

#![allow(dead_code, reason = "no test binary uses all of it")]

use proptest::test_runner::Config;
use std::thread;
use std::time::{Duration, Instant};

/// The number of rounds of a randomized test, or one under Miri, times the effort.
pub(crate) fn rounds(rounds: u32) -> u32 {
    let effort = number("STAYPUT_TEST_EFFORT");
    // Miri is some hundred times slower than a debug build.
    if cfg!(miri) { effort } else { rounds * effort }
}

/// `count`, or a hundredth of it under Miri: how often a loop is repeated that shows nothing new in each round.
pub(crate) const fn few(count: usize) -> usize {
    if cfg!(miri) { count.div_ceil(100) } else { count }
}

/// The number of rounds of a model test, times the effort.
pub(crate) fn cases(cases: u32) -> Config {
    Config { cases: rounds(cases), failure_persistence: None, ..Config::default() }
}

pub(crate) fn stress_duration() -> Duration {
    Duration::from_secs(number("STAYPUT_STRESS_SECONDS").into())
}

/// Waits until a condition holds that becomes true by itself.
#[track_caller]
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}: it does not happen");
        thread::sleep(Duration::from_millis(1));
    }
}

fn number(variable: &str) -> u32 {
    let Ok(text) = std::env::var(variable) else { return 1 };
    text.parse().unwrap_or_else(|_| panic!("{variable}={text} is not a number"))
}
