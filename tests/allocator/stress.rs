//! Blocks on many threads, some of them freed by other threads than those that allocated them, for one second or
//! `STAYPUT_STRESS_SECONDS`.

use super::MIB;
use super::block_op::{Blocks, Op, tried};
use super::effort;
use super::made::made;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use stayput::alloc::{GlobalVm, trim};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::thread;
use std::time::{Duration, Instant};

const THREADS: u8 = 8;

fn work(thread: u8, alloc: &'static GlobalVm, until: Instant) {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[thread; 32]);
    let mut runner = TestRunner::new_with_rng(ProptestConfig::default(), rng);
    let ops = vec(made::<Op>(), 40);
    while Instant::now() < until {
        let ops = ops.new_tree(&mut runner).expect("nothing is rejected").current();
        Blocks::run(alloc, &ops);
    }
}

#[test]
fn stress_blocks_keep_their_contents_on_all_threads() {
    let until = Instant::now() + effort::stress_duration();
    thread::scope(|scope| {
        for n in 0..THREADS {
            let allocs = [&tried::ROOMY, &tried::TIGHT, &tried::BARE, &tried::HUGE];
            let alloc = allocs[usize::from(n) % 4];
            scope.spawn(move || work(n, alloc, until));
        }
        scope.spawn(|| {
            while Instant::now() < until {
                trim();
                thread::sleep(Duration::from_millis(3));
            }
        });
    });
}

/// A place to pass a `Vec` to another thread. (Not a lock of std's, which the thread sanitizer does not see.)
struct Mailbox(AtomicPtr<Vec<u64>>);

impl Mailbox {
    fn exchange(&self, vec: Option<Vec<u64>>) -> Option<Vec<u64>> {
        let next = vec.map_or(ptr::null_mut(), |vec| Box::into_raw(Box::new(vec)));
        let before = self.0.swap(next, Ordering::AcqRel);
        // SAFETY: it is null, or was stored by the line above and is taken out once.
        (!before.is_null()).then(|| *unsafe { Box::from_raw(before) })
    }
}

#[test]
fn stress_blocks_may_be_freed_by_other_threads() {
    let until = Instant::now() + effort::stress_duration();
    let places = [const { Mailbox(AtomicPtr::new(ptr::null_mut())) }; 6];
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let places = &places;
            scope.spawn(move || {
                for n in u64::from(thread).. {
                    if Instant::now() > until {
                        break;
                    }
                    let bytes = MIB >> (n % 5);
                    let mine = vec![n; bytes / 8];
                    let found = places[usize::from(thread) % places.len()].exchange(Some(mine));
                    let Some(mut vec) = found else { continue };
                    let (len, mark) = (vec.len(), vec[0]);
                    assert!(vec.iter().all(|word| *word == mark));
                    // Other threads may have grown it often: its size is kept between a word and some MiB.
                    vec.resize((len + len / 2).min(MIB / 2), mark);
                    if mark % 2 == 0 {
                        vec.truncate(len / 4 + 1);
                        vec.shrink_to_fit();
                    }
                    assert!(vec.iter().all(|word| *word == mark));
                    let next = &places[usize::from(thread + 1) % places.len()];
                    drop(next.exchange((n % 3 > 0).then_some(vec)));
                }
            });
        }
    });
    for place in &places {
        drop(place.exchange(None));
    }
}
