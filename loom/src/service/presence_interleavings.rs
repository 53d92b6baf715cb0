//! Interleavings of the background thread, which sleeps or ends, and threads that cache something.

use super::presence::Presence;
use crate::{explore, made, spawn};
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;

/// How many regions are cached stands for the cache, whose own accesses order nothing here.
struct World {
    presence: Presence,
    kept: AtomicUsize,
}

impl World {
    fn new() -> Arc<Self> {
        made(|| Arc::new(Self { presence: Presence::default(), kept: AtomicUsize::new(0) }))
    }

    fn keep(&self) {
        self.kept.fetch_add(1, Ordering::Relaxed);
        self.presence.note_kept(|| true);
    }

    fn kept(&self) -> usize {
        self.kept.load(Ordering::Relaxed)
    }
}

/// If a region could be cached without the thread noticing, loom would report a deadlock.
#[test]
fn the_thread_does_not_sleep_while_something_is_cached() {
    for threads in 1..=2 {
        explore(3, move || {
            let world = World::new();
            for _ in 0..threads {
                let world = Arc::clone(&world);
                // Not joined: loom cannot wake a thread that waits for another's end.
                spawn(move || world.keep());
            }
            let mut seen = 0;
            while seen < threads {
                let before = seen;
                let sleep = |kept| {
                    seen = kept;
                    if kept == before {
                        thread::park();
                    }
                };
                world.presence.sleep_until_kept(|| world.kept(), sleep);
            }
        });
    }
}

#[test]
fn either_the_thread_stays_or_a_thread_that_caches_something_sees_that_it_ends() {
    explore(3, || {
        let world = World::new();
        world.presence.begin();
        let other = spawn({
            let world = Arc::clone(&world);
            move || {
                world.keep();
                world.presence.runs()
            }
        });
        let ends = world.presence.end_unless(|| world.kept() > 0);
        let seems_to_run = other.join().unwrap();
        assert!(!(ends && seems_to_run), "nothing returns what was cached");
    });
}

#[test]
fn a_thread_that_waits_for_retiring_arrays_sees_their_memory() {
    explore(3, || {
        let world = World::new();
        let memory = Arc::new(UnsafeCell::new(0));
        world.presence.note_retiring();
        let other = spawn({
            let (world, memory) = (Arc::clone(&world), Arc::clone(&memory));
            move || {
                // SAFETY: loom checks that no other thread accesses it.
                memory.with_mut(|memory| unsafe { *memory = 1 });
                world.presence.note_retired();
            }
        });
        if !world.presence.is_any_retiring() {
            // SAFETY: loom checks that no other thread writes to it.
            assert_eq!(memory.with(|memory| unsafe { *memory }), 1);
        }
        other.join().unwrap();
    });
}
