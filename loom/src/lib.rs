//! The interleavings of what an array and the service do with the pages they share, by loom.
//!
//! `src/service/handover.rs` is compiled here over loom's atomics. Pages are modelled around it as
//! `src/service/shared.rs` treats them, a unit each, so that loom sees two threads at one page,
//! and a use of a page that is not accessible fails.

#![cfg(test)]

mod atomic {
    //! What [`handover`](super::handover) is made of.
    pub(super) use loom::sync::atomic::{AtomicUsize, Ordering};
}

#[path = "../../src/service/handover.rs"]
#[expect(dead_code, reason = "what a forked child does is not modelled")]
mod handover;

use handover::{Handover, Work};
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use loom::thread;

const UNITS: usize = 4;

/// A unit of memory: whether it is accessible is the system's, and so never a race; what it holds is
/// one if two threads are there.
struct Page {
    accessible: AtomicBool,
    contents: UnsafeCell<u8>,
}

struct Memory {
    handover: Handover,
    committed: AtomicUsize,
    pages: [Page; UNITS],
    asked: AtomicBool,
}

impl Memory {
    fn new(taken: usize, ready: usize) -> Arc<Self> {
        let page =
            |unit| Page { accessible: AtomicBool::new(unit < ready), contents: UnsafeCell::new(0) };
        let memory = Self {
            handover: Handover::new(taken),
            committed: AtomicUsize::new(ready),
            pages: [page(0), page(1), page(2), page(3)],
            asked: AtomicBool::new(false),
        };
        memory.handover.begin(Work::Shared).unwrap();
        memory.handover.finish(Work::Shared, ready);
        Arc::new(memory)
    }

    fn commit(&self, end: usize) {
        let from = self.committed.load(Ordering::Acquire);
        for page in self.pages.get(from..end).unwrap_or_default() {
            page.accessible.store(true, Ordering::Relaxed);
        }
        self.committed.fetch_max(end, Ordering::Release);
    }

    fn decommit(&self, keep: usize, end: usize) {
        self.committed.fetch_min(keep, Ordering::Relaxed);
        for page in self.pages.get(keep..end).unwrap_or_default() {
            // SAFETY: loom tells if anybody else is here.
            page.contents.with_mut(|contents| unsafe { *contents = 0 });
            page.accessible.store(false, Ordering::Relaxed);
        }
    }

    // The array's part, as in `Shared`.

    /// Takes units up to `need`, ready or not, and writes to them.
    fn grow(&self, need: usize) {
        let before = self.handover.state().taken;
        if self.handover.take(need, need).is_none() {
            while self.handover.claim(need).is_err() {
                thread::yield_now();
            }
            if need > self.committed.load(Ordering::Acquire) {
                self.commit(need);
            }
            self.handover.disown();
        }
        self.write(before, need);
    }

    /// Grows only into what lies ready; whether it did.
    fn grow_if_ready(&self, need: usize) -> bool {
        let before = self.handover.state().taken;
        let is_ready = self.handover.take(need, need).is_some();
        if is_ready {
            self.write(before, need);
        }
        is_ready
    }

    fn write(&self, from: usize, to: usize) {
        for (unit, page) in self.pages.iter().enumerate().take(to).skip(from) {
            assert!(page.accessible.load(Ordering::Relaxed), "unit {unit} is not accessible");
            // SAFETY: loom tells if anybody else is here.
            page.contents.with_mut(|contents| unsafe { *contents = 7 });
        }
    }

    /// What was written below `end` is there, and can be used.
    fn check(&self, end: usize) {
        for (unit, page) in self.pages.iter().enumerate().take(end) {
            assert!(page.accessible.load(Ordering::Relaxed), "unit {unit} is not accessible");
            // SAFETY: loom tells if anybody else is here.
            page.contents.with(|contents| assert_eq!(unsafe { *contents }, 7, "unit {unit}"));
        }
    }

    fn shrink(&self, keep: usize) {
        while self.handover.lock().is_err() {
            thread::yield_now();
        }
        self.decommit(keep, UNITS);
        self.handover.unlock(keep);
    }

    fn ask(&self, service: &thread::Thread) {
        if !self.asked.swap(true, Ordering::AcqRel) {
            service.unpark();
        }
    }

    // The service's part.

    /// Makes a unit more ready; whether there was one, and nobody in the way.
    fn step(&self, work: Work) -> bool {
        let Ok(state) = self.handover.begin(work) else { return false };
        if state.ready >= UNITS {
            self.handover.finish(work, 0);
            return false;
        }
        let to = state.ready + 1;
        if to > self.committed.load(Ordering::Acquire) {
            self.commit(UNITS);
        }
        if work == Work::Alone {
            for page in &self.pages[state.ready..to] {
                assert!(page.accessible.load(Ordering::Relaxed));
                // SAFETY: loom tells if anybody else is here.
                page.contents.with_mut(|contents| unsafe { *contents += 0 });
            }
        }
        self.handover.finish(work, to);
        true
    }

    /// Takes away what lies behind `keep` units.
    fn take_back(&self, keep: usize) {
        let Ok(state) = self.handover.begin_taking_back(keep) else { return };
        self.decommit(keep.max(state.taken).max(state.ready), UNITS);
        self.handover.finish(Work::Alone, 0);
    }
}

/// All interleavings with at most that many preemptions. (Without a bound it takes hours, and faults
/// that need more are unheard of.)
fn explore(interleaving: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(4);
    builder.check(interleaving);
}

/// The array's actions on one thread, the service's on another.
fn model(
    memory: fn() -> Arc<Memory>,
    array: impl Fn(&Memory) + Send + Sync + Copy + 'static,
    service: impl Fn(&Memory) + Send + Sync + Copy + 'static,
) {
    explore(move || {
        let memory = memory();
        let other = Arc::clone(&memory);
        let thread = thread::spawn(move || service(&other));
        array(&memory);
        thread.join().unwrap();
    });
}

#[test]
fn an_array_grows_into_what_is_made_ready_and_past_it() {
    for work in [Work::Shared, Work::Alone] {
        model(
            || Memory::new(0, 1),
            |memory| {
                memory.grow(1);
                memory.grow(3);
                memory.check(3);
            },
            move |memory| {
                memory.step(work);
                memory.step(work);
            },
        );
    }
}

#[test]
fn what_is_taken_back_is_never_what_the_array_has() {
    model(
        || Memory::new(0, 3),
        |memory| {
            memory.grow(1);
            memory.grow_if_ready(2);
            memory.grow(3);
            memory.check(3);
        },
        |memory| {
            memory.take_back(1);
            memory.step(Work::Shared);
        },
    );
}

#[test]
fn an_array_shrinks_and_grows_beside_the_service() {
    for work in [Work::Shared, Work::Alone] {
        model(
            || Memory::new(0, 1),
            |memory| {
                memory.grow(2);
                memory.shrink(1);
                memory.check(1);
                memory.grow(2);
                memory.check(2);
            },
            move |memory| {
                memory.step(work);
                memory.take_back(0);
            },
        );
    }
}

#[test]
fn a_third_that_takes_all_back_does_no_harm() {
    explore(|| {
        let memory = Memory::new(0, 2);
        let [first, second] = [0; 2].map(|_| Arc::clone(&memory));
        let service = thread::spawn(move || {
            first.step(Work::Shared);
        });
        let other = thread::spawn(move || second.take_back(0));
        memory.grow(2);
        memory.check(2);
        service.join().unwrap();
        other.join().unwrap();
    });
}

#[test]
fn a_claim_whose_commit_is_refused_undoes_itself() {
    for work in [Work::Shared, Work::Alone] {
        model(
            || Memory::new(0, 2),
            |memory| {
                let before = loop {
                    match memory.handover.claim(3) {
                        Ok(before) => break before,
                        Err(_) => thread::yield_now(),
                    }
                };
                memory.handover.unclaim(before);
                memory.grow(2);
                memory.check(2);
            },
            move |memory| {
                memory.step(work);
                memory.take_back(0);
            },
        );
    }
}

/// Were it possible that the service sleeps although it was asked, loom would find that all wait.
#[test]
fn who_asks_is_heard() {
    explore(|| {
        let memory = Memory::new(0, 2);
        let other = Arc::clone(&memory);
        let service = thread::spawn(move || {
            // Until it has seen, in one look after having been asked, that all was taken.
            loop {
                if !other.asked.swap(false, Ordering::AcqRel) {
                    thread::park();
                } else if other.handover.state().taken == 2 {
                    return;
                }
            }
        });
        for units in 1..=2 {
            memory.grow(units);
            memory.ask(service.thread());
        }
        service.join().unwrap();
    });
}
