//! Arrays, maps and arenas with all options, created, grown and dropped on many threads, with limits that change,
//! forks, and threads that read statistics and return memory: for `STAYPUT_STRESS_SECONDS` seconds, or one. Every
//! refusal is an [`Error`], and in the end nothing is left.

#![expect(unsafe_code, reason = "sets up the allocator")]

use crate::MIB;
use crate::containers::{Container, Containers};
use crate::effort::{self, wait_until};
use crate::linux::{beside, forked, in_child, limit_softly, statm, under_sanitizer};
use crate::random::Random;
use stayput::{Error, ErrorKind, alloc, service};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

const THREADS: usize = 8;

/// Asserts that the error names a limit, and how much was requested.
fn check_refusal(error: Error) {
    let kinds = [
        ErrorKind::AddressLimit,
        ErrorKind::AddressSpace,
        ErrorKind::DataLimit,
        ErrorKind::Memory,
        ErrorKind::MaxLen,
    ];
    assert!(kinds.contains(&error.kind()), "{error}");
    assert!(error.bytes() > 0 || error.kind() == ErrorKind::MaxLen, "{error}");
}

fn work(seed: u64, until: Instant, refusals: &AtomicUsize) {
    let (mut random, mut containers) = (Random(seed), Containers::default());
    while Instant::now() < until {
        if let Err(error) = containers.step(&mut random, seed) {
            check_refusal(error);
            refusals.fetch_add(1, Ordering::Relaxed);
        }
        for (id, container) in &containers.all {
            container.check(*id);
        }
    }
}

/// Reads statistics, returns memory, and sets tight limits from time to time.
fn disturb(until: Instant) {
    let mut random = Random(99);
    while Instant::now() < until {
        service::stats();
        alloc::trim();
        if !under_sanitizer("memory") {
            let some = random.below(24) * MIB;
            match random.below(4) {
                0 => limit_softly(libc::RLIMIT_DATA, Some(statm(5) + some)),
                1 => limit_softly(libc::RLIMIT_AS, Some(statm(0) + some)),
                _ => {
                    limit_softly(libc::RLIMIT_DATA, None);
                    limit_softly(libc::RLIMIT_AS, None);
                }
            }
        }
        thread::sleep(Duration::from_millis(3));
        if random.below(10) == 0 {
            service::drain();
        }
    }
    limit_softly(libc::RLIMIT_DATA, None);
    limit_softly(libc::RLIMIT_AS, None);
}

/// Checks what a child does that was forked at any moment.
fn live_on() {
    limit_softly(libc::RLIMIT_DATA, None);
    limit_softly(libc::RLIMIT_AS, None);
    service::stats();
    service::drain();
    let mut random = Random(7);
    for _ in 0..4 {
        let mut kind = Container::any(&mut random).expect("no limit is set");
        for _ in 0..4 {
            if let Err(error) = kind.grow(&mut random, 7).and_then(|()| kind.shrink(&mut random)) {
                assert_eq!(error.kind(), ErrorKind::MaxLen);
            }
        }
        kind.check(7);
    }
    service::drain();
    assert_eq!(service::stats().waiting_bytes, 0);
}

/// Makes the allocator keep what it will need, so that tests are not refused memory as arrays are: one heap for all
/// threads, which never shrinks.
fn settle_the_allocator() {
    #[cfg(target_env = "gnu")]
    for (parameter, value) in
        [(libc::M_ARENA_MAX, 1), (libc::M_TRIM_THRESHOLD, i32::MAX), (libc::M_MMAP_MAX, 0)]
    {
        // SAFETY: it takes two numbers.
        assert_eq!(unsafe { libc::mallopt(parameter, value) }, 1);
    }
    drop(std::hint::black_box(vec![1_u8; 128 * MIB]));
}

#[test]
fn nothing_is_left_of_all_that_came_and_went() {
    in_child(|| {
        // A sanitizer has an allocator of its own, which retains freed memory for a while.
        let is_sanitized = under_sanitizer("the allocator");
        if !is_sanitized {
            settle_the_allocator();
        }
        let run = |seconds: Duration| {
            let until = Instant::now() + seconds;
            let refusals = AtomicUsize::new(0);
            let work = |n: usize, is_done: &dyn Fn() -> bool| {
                if n > 0 {
                    return work(n as u64, until, &refusals);
                }
                while !is_done() && !under_sanitizer("a fork") {
                    forked(live_on);
                    thread::sleep(Duration::from_millis(20));
                }
            };
            // No limit is set before all threads have started.
            beside(1 + THREADS, work, || disturb(until));
            service::drain();
            alloc::trim();
            let stats = service::stats();
            assert_eq!((stats.arrays, stats.waiting_bytes, stats.ahead_bytes), (0, 0, 0));
            refusals.into_inner()
        };
        // Permanent allocations exist after a while: cached stacks of threads, tables of files.
        run(Duration::from_millis(300));
        let (addresses, writable) = (statm(0), statm(5));
        let refusals = run(effort::stress_duration());
        if is_sanitized {
            return;
        }
        assert!(refusals > 0, "there was nothing to be refused");
        // The background thread may be releasing a part at this moment.
        wait_until("all is returned", || {
            statm(0) < addresses + 64 * MIB && statm(5) < writable + 64 * MIB
        });
    });
}
