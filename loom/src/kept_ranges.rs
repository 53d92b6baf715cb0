//! The surroundings of `range_slot.rs` of reservations, and interleavings of threads that put ranges into a slot and take
//! them out.

mod sync {
    pub(super) mod atomic {
        use crate::statics::Static;
        pub(crate) use crate::statics::{AtomicPtr, Ordering};
        use loom::cell::UnsafeCell;
        use loom::sync::atomic;

        /// The size of a range: a word that only the owner of a slot may access, so that loom reports accesses by two
        /// threads at once.
        pub(crate) type AtomicUsize = Static<OwnedWord>;

        pub(crate) struct OwnedWord {
            word: atomic::AtomicUsize,
            access: UnsafeCell<()>,
        }

        impl Static<OwnedWord> {
            pub(crate) const fn new(first: usize) -> Self {
                assert!(first == 0);
                Self::of(|| OwnedWord {
                    word: atomic::AtomicUsize::new(0),
                    access: UnsafeCell::new(()),
                })
            }
        }

        impl OwnedWord {
            pub(crate) fn load(&self, order: Ordering) -> usize {
                self.access.with(|_| ());
                self.word.load(order)
            }

            pub(crate) fn store(&self, to: usize, order: Ordering) {
                self.access.with_mut(|_| ());
                self.word.store(to, order);
            }
        }
    }
}

#[path = "../../src/reservation/range_slot.rs"]
#[expect(dead_code, reason = "`holds` is for the crate's unit tests")]
mod range_slot;

/// The list of slots is not modelled.
mod unreleased {
    pub(super) static COUNT: crate::statics::AtomicUsize = crate::statics::AtomicUsize::new(0);
}

use crate::mapping::{self, Mapping};
use crate::{explore, made, spawn};
use range_slot::RangeSlot;
use std::ops::Range;
use std::sync::atomic::Ordering;
use unreleased::COUNT;

static SLOT: RangeSlot = RangeSlot::empty();

/// The pages whose first one is inaccessible if commits are refused.
const FIRST: Range<usize> = 0..1;
const SECOND: Range<usize> = 1..3;
const THIRD: Range<usize> = 3..6;

/// Starts with an empty slot, all of which a thread has accessed.
fn begin() {
    mapping::refuse_commits(false);
    made(|| {
        assert_eq!((mapping::released(), COUNT.load(Ordering::Relaxed)), (0, 0));
        put(FIRST).unwrap();
        assert_eq!(take().unwrap().numbers(), FIRST);
    });
}

/// Returns pages that their owner has used.
fn used(pages: Range<usize>) -> Mapping {
    let range = Mapping::of(pages);
    range.access();
    range
}

fn put(pages: Range<usize>) -> Result<(), Mapping> {
    SLOT.put(used(pages))
}

fn put_before(pages: Range<usize>) -> Result<(), Mapping> {
    SLOT.put_before(used(pages))
}

fn take() -> Option<Mapping> {
    SLOT.take(Ok)
}

fn release(range: Option<Mapping>) {
    if let Some(range) = range {
        range.release().unwrap();
    }
}

/// Releases what is in the slot. The counts agree with it, and all `pages` were released, each once.
#[track_caller]
fn settle(pages: usize) {
    while let Some(range) = take() {
        range.release().unwrap();
    }
    assert!(SLOT.is_empty());
    assert_eq!(COUNT.load(Ordering::Relaxed), 0);
    assert_eq!(mapping::released(), pages, "pages are lost");
}

#[test]
fn a_range_that_is_put_into_a_slot_is_taken_by_one_thread() {
    explore(None, || {
        begin();
        let giver = spawn(|| put(SECOND).unwrap());
        let taker = spawn(|| release(take()));
        release(take());
        giver.join().unwrap();
        taker.join().unwrap();
        settle(SECOND.len());
    });
}

/// `bytes` is that of the range that is taken, while the slot gets another.
#[test]
fn a_slot_is_reused_after_its_range_was_taken() {
    explore(None, || {
        begin();
        put(SECOND).unwrap();
        let taker = spawn(|| {
            let taken = take();
            assert!(taken.as_ref().is_none_or(|range| [SECOND, THIRD].contains(&range.numbers())));
            release(taken);
        });
        release(put(THIRD).err());
        release(take());
        taker.join().unwrap();
        settle(SECOND.len() + THIRD.len());
    });
}

#[test]
fn ranges_that_are_written_down_in_others_are_taken_after_them() {
    explore(3, || {
        begin();
        put(FIRST).unwrap();
        let giver = spawn(|| release(put_before(SECOND).err()));
        let taker = spawn(|| [(); 2].map(|()| take()).map(release));
        release(put_before(THIRD).err());
        giver.join().unwrap();
        taker.join().unwrap();
        settle(6);
    });
}

#[test]
fn a_range_that_has_no_page_to_write_to_replaces_nothing() {
    explore(None, || {
        begin();
        put(FIRST).unwrap();
        mapping::refuse_commits(true);
        let giver = spawn(|| {
            let refused = put_before(SECOND).unwrap_err();
            refused.release().unwrap();
        });
        release(take());
        giver.join().unwrap();
        settle(FIRST.len() + SECOND.len());
    });
}

#[test]
fn a_range_that_is_refused_again_stays_in_its_slot() {
    explore(None, || {
        begin();
        put(FIRST).unwrap();
        put_before(SECOND).unwrap();
        let other = spawn(|| {
            let kept = SLOT.take(|range| {
                range.access();
                Err::<(), _>(range)
            });
            assert!(kept.is_none());
        });
        release(take());
        other.join().unwrap();
        settle(FIRST.len() + SECOND.len());
    });
}
