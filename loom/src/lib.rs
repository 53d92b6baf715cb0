//! The interleavings of what an array and the service do with the pages they share, and of those who come to
//! the [keeper], by loom.
//!
//! `src/service/handover.rs` and `src/service/shared.rs` are compiled here over loom's atomics, and
//! over [pages](reservation) that know whether they are accessible and who is there: a use of one that
//! is not fails, and so do two threads at one page.

#![cfg(test)]

#[path = "../../src/error/mod.rs"]
#[expect(dead_code, reason = "only made and passed on")]
mod error;
mod keeper;
mod os;
mod reservation;
mod service;
mod shared;

use loom::sync::Arc;
use loom::sync::atomic::{AtomicBool, Ordering};
use loom::thread;
use reservation::{PAGE_BYTES, Pages, Refusal};
use service::{Shared, UNIT_BYTES, Work};

/// The array and the service, of one reservation.
struct Memory {
    shared: Shared,
    pages: std::sync::Arc<Pages>,
    asked: AtomicBool,
    /// What the array before may have written to; only the array's thread looks here.
    warm: std::sync::atomic::AtomicUsize,
}

impl Memory {
    /// With so many units ready, none of which is the array's, and one commit that will be refused, if
    /// that is said.
    fn new(ready: usize, refusal: Refusal) -> Arc<Self> {
        let (shared, pages) = service::shared(0);
        while shared.ahead_bytes() < ready * UNIT_BYTES {
            shared.set_window((shared.ahead_bytes() / UNIT_BYTES + 1) * UNIT_BYTES);
            assert!(matches!(shared.step(&mut |_| true), Ok(true)));
        }
        pages.plan(refusal);
        shared.set_window(4 * UNIT_BYTES);
        let warm = std::sync::atomic::AtomicUsize::new(0);
        Arc::new(Self { shared, pages, asked: AtomicBool::new(false), warm })
    }

    // The array's part, as in `GrowingReservation`. It knows by itself how much it can use.

    /// Grows to `pages` at least, and writes to what it got; whether it did. It wishes for more, and as
    /// near a limit there is no more to be committed than what is needed.
    fn grow(&self, usable: &mut usize, pages: usize) -> bool {
        let need = pages * PAGE_BYTES;
        if need <= *usable {
            return true;
        }
        let wish = need + UNIT_BYTES;
        let now = match self.shared.take(need, wish) {
            Some(now) => now,
            None => {
                let commit = |missing: std::ops::Range<usize>| {
                    self.pages.commit(missing.clone()).map(|()| missing.end)
                };
                match self.shared.take_unready(need, wish, wish, commit) {
                    Ok(now) => now,
                    Err(_) => return false,
                }
            }
        };
        assert!(now >= need);
        if now > *usable {
            self.write(*usable..now);
            *usable = now;
        }
        true
    }

    /// Grows only into what lies ready; whether it did.
    fn grow_if_ready(&self, usable: &mut usize, pages: usize) -> bool {
        let Some(now) = self.shared.take(pages * PAGE_BYTES, 0) else { return false };
        if now > *usable {
            self.write(*usable..now);
            *usable = now;
        }
        true
    }

    fn write(&self, range: std::ops::Range<usize>) {
        self.pages.write(range, self.warm.load(Ordering::Relaxed));
    }

    /// Ends, and leaves all to another array, of which nothing is usable yet.
    fn restart(&self, usable: &mut usize) {
        self.shared.retire();
        self.warm.fetch_max(*usable, Ordering::Relaxed);
        *usable = 0;
        self.shared.restart();
    }

    fn shrink(&self, usable: &mut usize, units: usize) {
        // It may be refused: then that stays.
        let (left, _) = self.shared.give_back(units * UNIT_BYTES, true, &mut |_| true);
        *usable = left.min(*usable);
    }

    /// What was written is there, and can be used.
    fn check(&self, usable: usize) {
        self.pages.check(usable);
    }

    fn end(&self) {
        let (reservation, _) = self.shared.end().expect("once");
        reservation.release();
    }

    fn ask(&self, service: &thread::Thread) {
        if !self.asked.swap(true, Ordering::AcqRel) {
            service.unpark();
        }
    }

    // The service's part.

    fn step(&self, work: Work) {
        // Refused, made, or none of it: the array knows nothing of that.
        let _ = self.shared.step_by(work, &mut |_| true);
    }

    fn take_back(&self) {
        let _ = self.shared.take_back_any();
    }

    /// What holds when nobody is at work.
    fn settle(&self) {
        let (committed, reach) = self.shared.extent();
        self.pages.check_extent(committed, reach);
    }
}

/// All interleavings with at most so many preemptions. (Without a bound it takes hours, and faults
/// that need more are unheard of.)
fn explore(preemptions: usize, interleaving: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(interleaving);
}

/// The array's actions on one thread, the service's on another.
fn model(
    memory: impl Fn() -> Arc<Memory> + Send + Sync + 'static,
    array: impl Fn(&Memory) + Send + Sync + Copy + 'static,
    service: impl Fn(&Memory) + Send + Sync + Copy + 'static,
) {
    explore(4, move || {
        let memory = memory();
        let other = Arc::clone(&memory);
        let thread = thread::spawn(move || service(&other));
        array(&memory);
        thread.join().unwrap();
        memory.settle();
    });
}

const BOTH: [Work; 2] = [Work::Shared, Work::Alone];

#[test]
fn an_array_grows_into_what_is_made_ready_and_past_it() {
    for work in BOTH {
        model(
            || Memory::new(1, Refusal::None),
            |memory| {
                let mut usable = 0;
                assert!(memory.grow(&mut usable, 1) && memory.grow(&mut usable, 6));
                memory.check(usable);
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
        || Memory::new(3, Refusal::None),
        |memory| {
            let mut usable = 0;
            assert!(memory.grow(&mut usable, 1));
            memory.grow_if_ready(&mut usable, 4);
            assert!(memory.grow(&mut usable, 6));
            memory.check(usable);
        },
        |memory| {
            memory.take_back();
            memory.step(Work::Shared);
        },
    );
}

#[test]
fn an_array_shrinks_and_grows_beside_the_service() {
    for work in BOTH {
        model(
            || Memory::new(1, Refusal::None),
            |memory| {
                let mut usable = 0;
                assert!(memory.grow(&mut usable, 3));
                memory.shrink(&mut usable, 1);
                memory.check(usable);
                assert!(memory.grow(&mut usable, 4));
                memory.check(usable);
            },
            move |memory| {
                memory.step(work);
                memory.take_back();
            },
        );
    }
}

/// Whichever commit is the one that is refused, the array's or the service's, and whether a part of it
/// was done.
#[test]
fn a_refused_commit_changes_nothing_for_the_other() {
    for work in BOTH {
        for refusal in [Refusal::Whole, Refusal::Part] {
            model(
                move || Memory::new(1, refusal),
                |memory| {
                    let mut usable = 0;
                    memory.grow(&mut usable, 3);
                    memory.check(usable);
                    memory.grow(&mut usable, 6);
                    memory.check(usable);
                },
                move |memory| {
                    memory.step(work);
                    memory.take_back();
                },
            );
        }
    }
}

#[test]
fn a_refused_decommit_changes_nothing() {
    for work in BOTH {
        model(
            || Memory::new(2, Refusal::Decommit),
            |memory| {
                let mut usable = 0;
                assert!(memory.grow(&mut usable, 3));
                memory.shrink(&mut usable, 1);
                memory.check(usable);
                assert!(memory.grow(&mut usable, 5));
                memory.check(usable);
            },
            move |memory| {
                memory.take_back();
                memory.step(work);
            },
        );
    }
}

#[test]
fn pages_are_discarded_while_nobody_is_at_work() {
    for work in BOTH {
        model(
            || Memory::new(1, Refusal::None),
            |memory| {
                let mut usable = 0;
                assert!(memory.grow(&mut usable, 4));
                // Of pages that were claimed while somebody was making them ready.
                memory.shared.locked(|_| memory.pages.wipe(0..usable));
                memory.shared.locked(|_| memory.write(0..usable));
                memory.check(usable);
            },
            move |memory| {
                memory.step(work);
                memory.step(work);
            },
        );
    }
}

#[test]
fn a_third_that_takes_all_back_does_no_harm() {
    explore(3, || {
        let memory = Memory::new(2, Refusal::None);
        let [first, second] = [0; 2].map(|_| Arc::clone(&memory));
        let service = thread::spawn(move || first.step(Work::Shared));
        let other = thread::spawn(move || second.take_back());
        let mut usable = 0;
        assert!(memory.grow(&mut usable, 5));
        memory.check(usable);
        service.join().unwrap();
        other.join().unwrap();
        memory.settle();
    });
}

#[test]
fn nobody_is_at_work_when_the_reservation_ends_nor_later() {
    for work in BOTH {
        explore(4, move || {
            let memory = Memory::new(1, Refusal::None);
            let other = Arc::clone(&memory);
            let thread = thread::spawn(move || {
                other.step(work);
                other.take_back();
                other.step(work);
            });
            memory.grow(&mut 0, 1);
            memory.shared.retire();
            memory.end();
            assert!(memory.shared.end().is_none());
            thread.join().unwrap();
        });
    }
}

/// What it does not get of that is as it would be without: not there, or zero.
#[test]
fn another_array_begins_where_one_ends_beside_the_service() {
    for work in BOTH {
        for is_taken_back_first in [false, true] {
            model(
                || Memory::new(1, Refusal::None),
                |memory| {
                    let mut usable = 0;
                    assert!(memory.grow(&mut usable, 4));
                    memory.check(usable);
                    memory.restart(&mut usable);
                    memory.grow_if_ready(&mut usable, 2);
                    memory.check(usable);
                    assert!(memory.grow(&mut usable, 6));
                    memory.check(usable);
                },
                move |memory| {
                    if is_taken_back_first {
                        memory.take_back();
                        memory.step(work);
                    } else {
                        memory.step(work);
                        memory.take_back();
                    }
                },
            );
        }
    }
}

/// Of a claim there may be less than was wished for, and the rest of it is nobody's.
#[test]
fn what_was_claimed_in_vain_is_used_by_nobody() {
    for work in BOTH {
        model(
            || Memory::new(0, Refusal::None),
            |memory| {
                let mut usable = 0;
                for pages in 1..=3 {
                    assert!(memory.grow(&mut usable, pages));
                    memory.check(usable);
                }
            },
            move |memory| {
                memory.take_back();
                memory.step(work);
            },
        );
    }
}

/// Were it possible that the service sleeps although it was asked, loom would find that all wait.
#[test]
fn who_asks_is_heard() {
    explore(4, || {
        let memory = Memory::new(2, Refusal::None);
        let other = Arc::clone(&memory);
        let service = thread::spawn(move || {
            // Until it has seen, in one look after having been asked, that all was taken.
            loop {
                if !other.asked.swap(false, Ordering::AcqRel) {
                    thread::park();
                } else if other.shared.ahead_bytes() == 0 {
                    return;
                }
            }
        });
        let mut usable = 0;
        for pages in [1, 4] {
            memory.grow(&mut usable, pages);
            memory.ask(service.thread());
        }
        service.join().unwrap();
    });
}
