//! Address limits that are lowered while blocks have many spare addresses to grow into.

use crate::block::{Block, Marks};
use crate::effort;
use crate::linux::{beside, forked, in_child_limiting, limit_softly, set_limit, statm};
use crate::random::Random;
use crate::{GIB, KIB, MIB};
use stayput::alloc::{GlobalVm, stats};
use stayput::{Reservation, VmVec, region_cache};
use std::sync::{Mutex, PoisonError};
use std::thread;

static ALLOC: GlobalVm = GlobalVm::new();

fn block(bytes: usize, align: usize, number: usize) -> Option<Block> {
    Block::new(&ALLOC, bytes, align, number, Marks::EveryKib)
}

#[test]
fn a_child_that_may_have_fewer_addresses_has_those_that_blocks_were_to_grow_into() {
    in_child_limiting("addresses", || {
        for which in 0..6 {
            let mut live: Vec<_> = (0..20).map(|n| block(MIB, 8, n).expect("a MiB")).collect();
            live.push(block(MIB, 2 * MIB, 20).expect("a MiB"));
            assert!(stats().reserved_bytes > 16 * GIB);
            forked(|| {
                set_limit(libc::RLIMIT_AS, 4 * GIB);
                // Whichever comes first.
                match which {
                    0 => drop(block(MIB, 8, 1).expect("a block")),
                    1 => (0..1500).for_each(|n| {
                        let small = block(100 * KIB, 8, n).expect("a small block");
                        std::mem::forget(small);
                    }),
                    2 => drop(Reservation::new(GIB).map_err(|_| region_cache::trim())),
                    3 => VmVec::new().try_push(1).expect("an array"),
                    4 => drop(block(64 * MIB, 2 * MIB, 1).expect("a block")),
                    _ => {
                        thread::Builder::new().spawn(|| ()).map(drop).unwrap_err();
                        region_cache::trim();
                    }
                }
                assert!(statm(0) < GIB, "{}", statm(0));
                let thread = thread::Builder::new().spawn(|| 7).expect("a thread");
                assert_eq!(thread.join().expect("it ends"), 7);
                let mut array = VmVec::new();
                array.try_push(1_u64).expect("an array");
                assert!(array.max_len() >= 64 * MIB / 8, "{}", array.max_len());
                // Existing blocks grow, shrink and are freed.
                for (n, block) in live.iter_mut().enumerate().filter(|(n, _)| n % 3 < 2) {
                    assert!(block.resize(3 * MIB + n));
                    assert!(block.resize(6 * MIB));
                    assert!(block.resize(300 * KIB));
                    assert!(block.resize(2 * MIB));
                }
                for mut block in live.drain(..10) {
                    assert!(block.resize(300 * KIB));
                }
                let more: Vec<_> = (0..100).map(|n| block(MIB, 8, n).expect("a MiB")).collect();
                assert!(stats().reserved_bytes <= GIB);
                drop((more, std::mem::take(&mut live)));
                region_cache::trim();
                assert_eq!((stats().roomy_blocks, stats().reserved_bytes), (0, 0));
            });
            // The parent's blocks are unchanged.
            let start = live[0].start;
            assert!(live[0].resize(40 * MIB));
            assert_eq!(live[0].start, start);
        }
    });
}

#[test]
fn rooms_are_taken_while_others_use_blocks_pass_them_on_and_fork() {
    in_child_limiting("addresses", || {
        let shared = Mutex::new(Vec::new());
        let use_blocks = |worker, is_done: &dyn Fn() -> bool| {
            let mut random = Random(worker as u64 + 1);
            while !is_done() {
                let align = [8, 8, 8, 4 * KIB, 16 * KIB][random.below(5)];
                let bytes = 256 * KIB + random.below(MIB);
                let mut block = block(bytes, align, random.below(usize::MAX));
                if let Some(block) = &mut block {
                    for _ in 0..random.below(4) {
                        block.resize(256 * KIB + random.below(4 * MIB));
                    }
                }
                let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
                shared.extend(block);
                let passed = if shared.len() > 12 {
                    let which = random.below(shared.len());
                    Some(shared.swap_remove(which))
                } else {
                    None
                };
                drop(shared);
                if let Some(mut block) = passed {
                    block.resize(256 * KIB + random.below(2 * MIB));
                }
            }
        };
        beside(3, use_blocks, || {
            for round in 0..effort::rounds(60) {
                limit_softly(libc::RLIMIT_AS, Some(6 * GIB));
                region_cache::trim();
                let _ = block(5 * MIB, 8, 1);
                if round % 8 == 0 {
                    // In the child, spare addresses that other threads were just handling have no owner: there may be
                    // none left, but nothing is lost, and no call waits.
                    forked(|| {
                        let own = block(MIB, 8, 3);
                        region_cache::trim();
                        if let Some(mut own) = own {
                            own.resize(20 * MIB);
                        }
                        limit_softly(libc::RLIMIT_AS, None);
                        let mut own = block(2 * MIB, 8, 4).expect("some MiB");
                        assert!(own.resize(20 * MIB));
                    });
                }
                limit_softly(libc::RLIMIT_AS, None);
                thread::yield_now();
            }
        });
        drop(shared);
        region_cache::trim();
        assert_eq!((stats().blocks, stats().roomy_blocks, stats().reserved_bytes), (0, 0, 0));
        assert!(statm(0) < 2 * GIB, "{}", statm(0));
    });
}
