//! Threads that begin together, on one array after the other.

use std::hint;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, RwLock};
use std::thread;
use std::time::{Duration, Instant};

use bench_common::cores;

/// A barrier that spins: a sleeping thread would begin much later than the last one to arrive.
struct Meeting {
    threads: usize,
    arrived: AtomicUsize,
}

impl Meeting {
    /// The number of checks before it yields the processor.
    const LOOKS: usize = 1000;

    fn new(threads: usize) -> Self {
        Self { threads, arrived: AtomicUsize::new(0) }
    }

    fn wait(&self) {
        let number = self.arrived.fetch_add(1, Ordering::AcqRel);
        let all = (number / self.threads + 1) * self.threads;
        let mut looks = 0;
        while self.arrived.load(Ordering::Acquire) < all {
            looks += 1;
            if looks < Self::LOOKS {
                hint::spin_loop();
            } else {
                thread::yield_now();
            }
        }
    }
}

/// A finished round.
pub(crate) struct Round<A, R> {
    pub(crate) array: A,
    pub(crate) made_in: Duration,
    /// From the start of the first thread to the end of the last.
    pub(crate) worked_for: Duration,
    /// The result of each thread.
    pub(crate) found: Vec<R>,
}

/// In each round, creates an array, lets all threads work on it, and passes it to `end`.
///
/// Each thread begins on a processor of its own, if there are enough: otherwise two may begin on one, and take
/// turns until the system moves one.
pub(crate) fn meet<A: Send + Sync, R: Send>(
    threads: usize,
    count: usize,
    make: impl Fn() -> A,
    work: impl Fn(usize, &A) -> R + Sync,
    mut end: impl FnMut(Round<A, R>),
) {
    let meeting = Meeting::new(threads);
    let place: RwLock<Option<A>> = RwLock::new(None);
    let done = Mutex::new(Vec::with_capacity(threads));
    let processors = cores::allowed();
    let take_part = |thread| {
        meeting.wait();
        cores::settle(thread, threads, &processors);
        let guard = place.read().expect("no thread panicked");
        let array = guard.as_ref().expect("the array was created");
        meeting.wait();
        let begun = Instant::now();
        let found = work(thread, array);
        let ended = Instant::now();
        drop(guard);
        done.lock().expect("no thread panicked").push((begun, ended, found));
        meeting.wait();
    };
    thread::scope(|scope| {
        for thread in 1..threads {
            let take_part = &take_part;
            scope.spawn(move || (0..count).for_each(|_| take_part(thread)));
        }
        for _ in 0..count {
            let begun = Instant::now();
            let array = make();
            let made_in = begun.elapsed();
            *place.write().expect("no thread panicked") = Some(array);
            take_part(0);
            let array =
                place.write().expect("no thread panicked").take().expect("the array was created");
            let done: Vec<_> = done.lock().expect("no thread panicked").drain(..).collect();
            let first = done.iter().map(|(begun, ..)| *begun).min().expect("at least one thread");
            let last = done.iter().map(|(_, ended, _)| *ended).max().expect("at least one thread");
            let found = done.into_iter().map(|(.., found)| found).collect();
            end(Round { array, made_in, worked_for: last - first, found });
        }
    });
}

/// Returns the range of numbers that is one thread's share.
pub(crate) fn share(total: usize, threads: usize, thread: usize) -> Range<u64> {
    (total * thread / threads) as u64..(total * (thread + 1) / threads) as u64
}
