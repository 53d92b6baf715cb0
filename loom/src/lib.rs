//! Explores with loom the interleavings of an array and the service on the pages that they share, and of threads that
//! use the region cache, an array or a map at the same time, read the register while it changes, or offer and take
//! ranges of addresses.
//!
//! The files below `src` that the modules name are compiled here with loom's atomics. [Pages](reservation) record whether
//! they are accessible: using an inaccessible page fails, and so does access by two threads at once.

#![cfg(test)]

#[path = "../../src/error/mod.rs"]
#[expect(dead_code, reason = "only created and passed on")]
mod error;
mod kept_ranges;
mod mapping;
mod os;
#[path = "../../src/page.rs"]
mod page;
mod region_cache;
mod register;
mod reservation;
mod room_offers;
mod service;
mod shared;
mod statics;

use loom::sync::Arc;
use loom::thread;
use reservation::{PAGE_BYTES, Pages, Refusal};
use service::{Shared, UNIT_BYTES, Work};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A reservation that the array and the service share.
struct Memory {
    shared: Shared,
    pages: std::sync::Arc<Pages>,
    /// Up to where the previous array may have written. Used only by the array's thread.
    warm: AtomicUsize,
}

impl Memory {
    /// Creates a reservation with `ready` units ready, none of which the array has taken, and plans a refusal.
    fn new(ready: usize, refusal: Refusal) -> Arc<Self> {
        made(move || Arc::new(Self::of_one_thread(ready, refusal)))
    }

    fn of_one_thread(ready: usize, refusal: Refusal) -> Self {
        let (shared, pages) = service::shared();
        while shared.ahead_bytes() < ready * UNIT_BYTES {
            shared.set_window((shared.ahead_bytes() / UNIT_BYTES + 1) * UNIT_BYTES);
            assert!(matches!(shared.step(&mut |_| true), Ok(true)));
        }
        pages.plan(refusal);
        shared.set_window(4 * UNIT_BYTES);
        let warm = AtomicUsize::new(0);
        Self { shared, pages, warm }
    }

    // Methods for the array, as in `GrowingReservation`. The array itself knows how much it can use.

    /// Grows to at least `pages`, and writes to what it got. Returns whether it grew. It wishes for more, but commits
    /// only what it needs, as near a limit.
    fn grow(&self, usable: &mut usize, pages: usize) -> bool {
        let need = pages * PAGE_BYTES;
        if need <= *usable {
            return true;
        }
        let desired = need + UNIT_BYTES;
        let now = match self.shared.take(need, desired) {
            Some(now) => now,
            None => {
                let commit = |missing: std::ops::Range<usize>| {
                    self.pages.commit(missing.clone()).map(|()| missing.end)
                };
                match self.shared.take_unready(need, desired, desired, commit) {
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

    /// Grows only into memory that is ready, and returns whether there was enough.
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

    fn shrink(&self, usable: &mut usize, units: usize) {
        // If this is refused, the memory stays.
        let (left, _) = self.shared.give_back(units * UNIT_BYTES, true, &mut |_| true);
        *usable = left.min(*usable);
    }

    /// Checks that usable pages are accessible and hold what was written.
    fn check(&self, usable: usize) {
        self.pages.check(usable);
    }

    fn end(&self) {
        let (reservation, _) = self.shared.end().expect("once");
        reservation.release();
    }

    // Methods for the service.

    fn step(&self, work: Work) {
        // The array does not learn whether this was refused or done.
        let _ = self.shared.step_by(work, &mut |_| true);
    }

    fn take_back(&self) {
        let _ = self.shared.take_back_any();
    }

    /// Checks the invariants while no work is in progress.
    fn settle(&self) {
        let (committed, reach) = self.shared.extent();
        self.pages.check_extent(committed, reach);
    }
}

/// Explores the interleavings with at most `preemptions` preemptions. In most models, all of them would take hours, and
/// faults that need more preemptions are rare.
///
/// Loom skips interleavings that it believes to be equal to others, and it remembers only the last access to each atomic.
/// If a thread reads one and then writes to it, loom does not try a write of another thread before that read. So each
/// model is explored twice: with the main thread first, and with the [others](spawn) first.
fn explore(preemptions: impl Into<Option<usize>>, interleaving: impl Fn() + Send + Sync + 'static) {
    let (preemptions, interleaving) = (preemptions.into(), std::sync::Arc::new(interleaving));
    for others_first in [false, true] {
        let interleaving = std::sync::Arc::clone(&interleaving);
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = preemptions;
        builder.check(move || {
            OTHERS_FIRST.set(others_first);
            interleaving();
        });
    }
}

thread_local! {
    // The threads of a model all run on this one.
    static OTHERS_FIRST: Cell<bool> = const { Cell::new(false) };
}

/// Makes what the threads of a model share, in a thread of its own: loom does not let a thread that has yielded read
/// again what it wrote or read before.
fn made<R: 'static>(make: impl FnOnce() -> R + 'static) -> R {
    thread::spawn(make).join().unwrap()
}

/// Spawns a thread, which runs before the main thread or after it, see [`explore`].
fn spawn<R: 'static>(run: impl FnOnce() -> R + 'static) -> thread::JoinHandle<R> {
    let thread = thread::spawn(run);
    if OTHERS_FIRST.get() {
        thread::yield_now();
    }
    thread
}

/// Runs the array's actions on one thread and the service's on another.
fn model(
    memory: impl Fn() -> Arc<Memory> + Send + Sync + 'static,
    array: impl Fn(&Memory) + Send + Sync + Copy + 'static,
    service: impl Fn(&Memory) + Send + Sync + Copy + 'static,
) {
    explore(4, move || {
        let memory = memory();
        let other = Arc::clone(&memory);
        let thread = spawn(move || service(&other));
        array(&memory);
        thread.join().unwrap();
        memory.settle();
    });
}

const BOTH: [Work; 2] = [Work::Shared, Work::Exclusive];

#[test]
fn an_array_grows_into_ready_memory_and_past_it() {
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
fn memory_of_the_array_is_never_taken_back() {
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
fn an_array_can_shrink_and_grow_during_work_of_the_service() {
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

/// The refused commit can be the array's or the service's, and can have been done in part.
#[test]
fn a_refused_commit_does_not_affect_the_other_side() {
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
fn pages_are_discarded_while_no_work_is_in_progress() {
    for work in BOTH {
        model(
            || Memory::new(1, Refusal::None),
            |memory| {
                let mut usable = 0;
                assert!(memory.grow(&mut usable, 4));
                // Includes pages that were claimed while they were being made ready.
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
fn a_third_thread_can_take_everything_back() {
    explore(3, || {
        let memory = Memory::new(2, Refusal::None);
        let [first, second] = [0; 2].map(|_| Arc::clone(&memory));
        let service = spawn(move || first.step(Work::Shared));
        let other = spawn(move || second.take_back());
        let mut usable = 0;
        assert!(memory.grow(&mut usable, 5));
        memory.check(usable);
        service.join().unwrap();
        other.join().unwrap();
        memory.settle();
    });
}

#[test]
fn no_work_is_in_progress_once_the_reservation_has_ended() {
    for work in BOTH {
        explore(4, move || {
            let memory = Memory::new(1, Refusal::None);
            let other = Arc::clone(&memory);
            let thread = spawn(move || {
                other.step(work);
                other.take_back();
                other.step(work);
            });
            memory.grow(&mut 0, 1);
            memory.end();
            assert!(memory.shared.end().is_none());
            thread.join().unwrap();
        });
    }
}

/// Whoever is at work last ends the reservation, once.
#[test]
fn an_array_can_retire_during_work_of_the_service() {
    for work in BOTH {
        for is_taken_back_first in [false, true] {
            explore(4, move || {
                let memory = Memory::new(1, Refusal::None);
                let other = Arc::clone(&memory);
                let thread = spawn(move || {
                    if is_taken_back_first {
                        other.take_back();
                        other.step(work);
                    } else {
                        other.step(work);
                        other.take_back();
                    }
                });
                let mut usable = 0;
                assert!(memory.grow(&mut usable, 4));
                memory.check(usable);
                memory.shared.retire();
                thread.join().unwrap();
                // Nothing is accessible any more.
                memory.pages.check_extent(0, 0);
                assert!(memory.shared.end().is_none());
            });
        }
    }
}

/// A claim may get less than was desired. The rest has no owner.
#[test]
fn the_missing_part_of_a_claim_is_not_used() {
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

/// The array grows while the service has begun to make the same pages ready, and has not looked yet which are committed.
#[test]
fn work_may_use_what_the_array_commits_meanwhile() {
    explore(3, || {
        let memory = Memory::new(1, Refusal::None);
        // Without it, loom does not let the array run at that moment, see `explore`.
        let turns = Arc::new(loom::sync::atomic::AtomicUsize::new(0));
        let others = (Arc::clone(&memory), Arc::clone(&turns));
        let thread = spawn(move || {
            let (memory, turns) = others;
            let mut take_turn = |_| turns.fetch_add(1, Ordering::Relaxed) < 2;
            assert!(memory.shared.step_by(Work::Shared, &mut take_turn).is_ok());
        });
        let mut usable = 0;
        assert!(memory.grow(&mut usable, 6));
        turns.fetch_add(1, Ordering::Relaxed);
        memory.check(usable);
        thread.join().unwrap();
        memory.settle();
    });
}

/// If the service could sleep although it was asked, loom would report a deadlock.
#[test]
fn the_service_notices_each_request() {
    explore(4, || {
        let mut memory = Memory::of_one_thread(3, Refusal::None);
        service::be_served_by(&mut memory.shared, thread::current());
        let memory = Arc::new(memory);
        let other = Arc::clone(&memory);
        // It is not joined: loom cannot wake a thread that waits for another's end.
        let _array = spawn(move || {
            let mut usable = 0;
            // A part of what is ready, and all of it.
            for pages in [1, 5] {
                other.grow(&mut usable, pages);
                service::request_work(&other.shared);
            }
        });
        // Until one look, after a request, finds that all was taken.
        loop {
            if !service::take_request(&memory.shared) {
                thread::park();
            } else if memory.shared.ahead_bytes() == 0 {
                return;
            }
        }
    });
}
