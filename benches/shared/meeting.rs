//! Threads that begin together, on one array after the other.

use std::hint;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, RwLock};
use std::thread;
use std::time::{Duration, Instant};

use bench_common::cores;

/// Where all wait for the last. It does not sleep: who is woken begins much later than who was last.
struct Meeting {
    threads: usize,
    arrived: AtomicUsize,
}

impl Meeting {
    /// So many looks before others get the processor.
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

/// A round that has ended.
pub(crate) struct Round<A, R> {
    pub(crate) array: A,
    pub(crate) made_in: Duration,
    /// From when the first thread began to when the last was done.
    pub(crate) worked_for: Duration,
    /// What each thread found.
    pub(crate) found: Vec<R>,
}

/// In each round makes an array, has all threads work on it, and hands it on.
///
/// Each thread begins on a processor of its own, if there are as many: else two may begin on one, and take turns, until
/// the system sees it.
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
        let guard = place.read().expect("nobody panicked");
        let array = guard.as_ref().expect("it was made");
        meeting.wait();
        let begun = Instant::now();
        let found = work(thread, array);
        let ended = Instant::now();
        drop(guard);
        done.lock().expect("nobody panicked").push((begun, ended, found));
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
            *place.write().expect("nobody panicked") = Some(array);
            take_part(0);
            let array = place.write().expect("nobody panicked").take().expect("it was made");
            let done: Vec<_> = done.lock().expect("nobody panicked").drain(..).collect();
            let first = done.iter().map(|(begun, ..)| *begun).min().expect("there are threads");
            let last = done.iter().map(|(_, ended, _)| *ended).max().expect("there are threads");
            let found = done.into_iter().map(|(.., found)| found).collect();
            end(Round { array, made_in, worked_for: last - first, found });
        }
    });
}

/// What of so many numbers is one thread's.
pub(crate) fn share(total: usize, threads: usize, thread: usize) -> Range<u64> {
    (total * thread / threads) as u64..(total * (thread + 1) / threads) as u64
}
