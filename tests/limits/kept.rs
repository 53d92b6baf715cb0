//! Memory of freed blocks that is cached: it is available to any thread and process that needs memory, and stays within
//! the limit set.

use crate::block::{Block, Marks};
use crate::child::{argument, child, test_of};
use crate::effort;
use crate::linux::{beside, forked, in_child, in_child_limiting, limit_softly, statm};
use crate::random::Random;
use crate::{KIB, MIB};
use stayput::alloc::GlobalVm;
use stayput::{HugePages, Release, VmVec, region_cache, service};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Barrier, PoisonError, RwLock};
use std::thread;
use std::time::{Duration, Instant};

/// A heap whose small blocks come from the system's allocator.
static ALLOC: GlobalVm = GlobalVm::new();
/// A heap that cannot use the cached memory of the others' blocks.
static OTHER: GlobalVm = GlobalVm::new().huge_pages(HugePages::Never);
/// A heap with only large blocks here.
static LARGE: GlobalVm = GlobalVm::new().threshold_bytes(64 * KIB);

fn block(alloc: &'static GlobalVm, bytes: usize, number: usize) -> Option<Block> {
    Block::new(alloc, bytes, 16, number, Marks::EveryKib)
}

/// Makes the region cache keep 56 MiB, in seven regions.
fn keep_much() {
    // Also if the machine has little memory.
    region_cache::set_most_bytes(64 * MIB);
    let blocks = [(); 7].map(|()| block(&ALLOC, 8 * MIB - 64 * KIB, 7).expect("some MiB"));
    drop(blocks);
    let stats = region_cache::stats();
    assert!(stats.kept_bytes >= 55 * MIB, "{stats:?}");
}

#[test]
fn small_blocks_of_the_parent_get_what_was_kept() {
    in_child_limiting("writable memory", || {
        keep_much();
        limit_softly(libc::RLIMIT_DATA, Some(statm(5) + MIB));
        let mut blocks: Vec<_> = Vec::with_capacity(80);
        for number in 0..80 {
            blocks.push(block(&ALLOC, 100 * KIB, number).expect("there was much kept"));
        }
        assert_eq!(region_cache::stats().kept_blocks, 0);
    });
}

#[test]
fn all_who_are_refused_at_once_get_what_was_kept() {
    in_child_limiting("writable memory", || {
        const THREADS: usize = 8;
        const EACH: usize = 6 * MIB + 512 * KIB;
        const ROUNDS: u32 = 20;
        let (barrier, refused) = (Barrier::new(THREADS + 1), AtomicUsize::new(0));
        let work = || {
            for round in 0..effort::rounds(ROUNDS) as usize {
                barrier.wait();
                barrier.wait();
                // None of the cached regions suits it.
                let is_refused = block(&OTHER, EACH, round).is_none();
                refused.fetch_add(usize::from(is_refused), Ordering::Relaxed);
                barrier.wait();
            }
        };
        thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(work);
            }
            for _ in 0..effort::rounds(ROUNDS) {
                barrier.wait();
                limit_softly(libc::RLIMIT_DATA, None);
                region_cache::trim();
                keep_much();
                limit_softly(libc::RLIMIT_DATA, Some(statm(5) + MIB));
                barrier.wait();
                barrier.wait();
            }
        });
        assert_eq!(refused.into_inner(), 0);
    });
}

#[test]
fn limits_that_are_lowered_while_blocks_are_kept_leave_what_was_kept_to_others() {
    in_child_limiting("addresses", || {
        for (resource, field) in [(libc::RLIMIT_AS, 0), (libc::RLIMIT_DATA, 5)] {
            for room in [0, MIB, 3 * MIB] {
                keep_much();
                limit_softly(resource, Some(statm(field) - 20 * MIB + room));
                // Cached memory covers the rest.
                let large = block(&OTHER, 20 * MIB, 1).expect("what was kept");
                assert_eq!(region_cache::stats().kept_blocks, 0, "{room}");
                let small: Vec<_> = (0..40).map(|n| block(&ALLOC, 100 * KIB, n)).collect();
                assert!(small.iter().all(Option::is_some));
                let mut array = VmVec::<u64>::with_max_len(MIB);
                array.extend(0..MIB as u64 / 8);
                drop((large, small));
                limit_softly(resource, None);
                region_cache::trim();
            }
            // No block fits below what is in use, whatever is cached.
            keep_much();
            let used = block(&ALLOC, 40 * MIB, 2).expect("some MiB");
            // Spare addresses are not in use.
            let least =
                if resource == libc::RLIMIT_AS { 32 * MIB } else { statm(field) - 50 * MIB };
            limit_softly(resource, Some(least));
            assert!(block(&OTHER, 40 * MIB, 3).is_none());
            assert_eq!(region_cache::stats().kept_blocks, 0);
            used.check();
            drop(used);
            limit_softly(resource, None);
        }
    });
}

impl Random {
    /// Returns a size of any magnitude from 64 KiB up to `most`.
    fn bytes(&mut self, most: usize) -> usize {
        let most = most >> self.below(10);
        (64 * KIB + self.below(most)).min(most.max(64 * KIB))
    }
}

/// Allocates, grows or frees a block of at most `most` bytes.
fn come_or_go(random: &mut Random, blocks: &mut Vec<Block>, most: usize) {
    let (bytes, number) = (random.bytes(most), random.below(usize::MAX));
    let which = random.below(blocks.len().max(1));
    match random.below(8) {
        0..4 if blocks.len() < 4 => {
            blocks.push(block(&LARGE, bytes, number).expect("some MiB"));
        }
        4 if blocks.len() < 4 => {
            blocks.push(Block::zeroed(&LARGE, bytes, number, Marks::EveryKib).expect("some MiB"));
        }
        5 if blocks.get(which).is_some_and(|block| block.bytes() < bytes) => {
            assert!(blocks[which].resize(bytes));
        }
        _ if !blocks.is_empty() => drop(blocks.swap_remove(which)),
        _ => {}
    }
}

fn bytes(blocks: &[Block]) -> usize {
    blocks.iter().map(Block::bytes).sum()
}

#[test]
fn children_forked_while_others_put_and_take_have_blocks_of_their_own() {
    in_child_limiting("threads of a forked child", || {
        let use_blocks = |seed, times| {
            let (mut random, mut blocks) = (Random(seed as u64), Vec::new());
            for _ in 0..times {
                come_or_go(&mut random, &mut blocks, MIB);
            }
        };
        let live_on = || {
            use_blocks(7, 60);
            assert!(block(&LARGE, isize::MAX as usize / 2, 1).is_none());
            use_blocks(8, 20);
            region_cache::set_most_bytes(0);
            region_cache::trim();
            use_blocks(9, 20);
            region_cache::set_most_bytes(64 * MIB);
            use_blocks(10, 20);
        };
        let put_and_take = |worker, is_done: &dyn Fn() -> bool| {
            while !is_done() {
                use_blocks(worker, 50);
                if worker == 0 {
                    region_cache::trim();
                }
            }
        };
        beside(3, put_and_take, || {
            for _ in 0..effort::rounds(40) {
                forked(live_on);
                use_blocks(99, 10);
            }
        });
        // Nothing was moved permanently here.
        region_cache::trim();
        let stats = region_cache::stats();
        assert_eq!((stats.kept_blocks, stats.kept_bytes, stats.lent_bytes), (0, 0, 0));
    });
}

#[test]
fn what_is_in_memory_is_what_is_live_and_a_bound() {
    in_child_limiting("memory", || {
        const TIME: Duration = Duration::from_millis(50);
        region_cache::set_most_bytes(64 * MIB);
        region_cache::set_time(TIME);
        let until = Instant::now() + effort::stress_duration();
        let live = AtomicUsize::new(0);
        // Reading the statistics makes all others wait between two steps.
        let step = RwLock::new(());
        let floor = statm(1);
        let work = |worker, is_done: &dyn Fn() -> bool| {
            let (mut random, mut blocks) = (Random(worker as u64), Vec::new());
            while !is_done() {
                let _step = step.read().unwrap_or_else(PoisonError::into_inner);
                let before = bytes(&blocks);
                come_or_go(&mut random, &mut blocks, 40 * MIB);
                // Wraps if it is less, and so does the sum.
                live.fetch_add(bytes(&blocks).wrapping_sub(before), Ordering::Relaxed);
            }
            let left = bytes(&blocks);
            drop(blocks);
            live.fetch_sub(left, Ordering::Relaxed);
        };
        let mut looks = 0;
        beside(8, work, || {
            while Instant::now() < until || looks < 10 {
                thread::sleep(Duration::from_millis(2));
                let _step = step.write().unwrap_or_else(PoisonError::into_inner);
                let (live, resident) = (live.load(Ordering::Relaxed), statm(1) - floor);
                let stats = region_cache::stats();
                assert!(stats.kept_bytes + stats.lent_bytes <= 64 * MIB, "{stats:?}");
                // Headers, stacks of threads, and what the system has not counted yet.
                let bound = live / 4 * 5 + 64 * MIB + 8 * MIB;
                assert!(resident <= bound, "{resident} where {live} are live: {stats:?}");
                looks += 1;
            }
        });
        assert_eq!(live.into_inner(), 0);
        // Old regions are released while others are cached, one per tick.
        thread::sleep(TIME);
        let deadline = Instant::now() + 200 * TIME;
        let stats = loop {
            drop(block(&LARGE, 64 * KIB, 1));
            let stats = region_cache::stats();
            if stats.kept_blocks <= 1 || Instant::now() > deadline {
                break stats;
            }
        };
        assert!(stats.kept_blocks <= 1 && stats.lent_bytes == 0, "{stats:?}");
        assert!(statm(1) < floor + 8 * MIB, "{} stay", statm(1) - floor);
    });
}

#[test]
fn small_blocks_where_large_ones_were_have_little_more_than_they_need() {
    in_child_limiting("memory", || {
        const BLOCKS: usize = 40;
        region_cache::set_most_bytes(64 * MIB);
        let floor = statm(1);
        let small: Vec<_> = (0..BLOCKS)
            .map(|n| {
                // In huge pages, once it has grown.
                let mut large = block(&ALLOC, 4 * MIB, n).expect("some MiB");
                assert!(large.resize(16 * MIB));
                drop(large);
                block(&ALLOC, 256 * KIB, n).expect("some KiB")
            })
            .collect();
        let resident = statm(1) - floor;
        let live = bytes(&small);
        assert!(resident <= live / 4 * 5 + 68 * MIB, "{resident}: {:?}", region_cache::stats());
    });
}

/// Runs a test in a child process with two environment variables.
#[track_caller]
fn with_variables<F: FnOnce()>(bytes: &str, seconds: &str, run: F) {
    if argument().is_some() {
        return run();
    }
    let variables = [("STAYPUT_KEEP_BYTES", bytes), ("STAYPUT_KEEP_SECONDS", seconds)];
    let output = child(test_of::<F>(), "child").envs(variables).output().expect("it runs again");
    let words = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && words.contains("1 passed"), "{words}\n{output:?}");
}

/// Frees blocks of a MiB, and returns how many of them are cached.
fn keep_mibs(count: usize) -> usize {
    region_cache::trim();
    drop((0..count).map(|n| block(&ALLOC, MIB, n).expect("some MiB")).collect::<Vec<_>>());
    region_cache::stats().kept_blocks
}

#[test]
fn the_environment_limits_what_is_kept_until_the_program_does() {
    with_variables("5000000", "0.6", || {
        assert_eq!(keep_mibs(10), 4);
        // Arrays share the limit.
        let arrays: Vec<_> = (0..10).map(|_| VmVec::from(vec![1_u8; MIB])).collect();
        drop(arrays);
        assert_eq!(region_cache::stats().kept_blocks, 4);
        // Old regions make room for others.
        thread::sleep(Duration::from_millis(650));
        let large = block(&ALLOC, 4 * MIB, 1);
        drop(large);
        assert!(region_cache::stats().kept_bytes >= 4 * MIB);
        region_cache::set_most_bytes(64 * MIB);
        assert_eq!(keep_mibs(10), 10);
        region_cache::set_time(Duration::ZERO);
        assert_eq!(keep_mibs(10), 0);
    });
}

#[test]
fn the_environment_turns_the_cache_off_until_the_program_turns_it_on() {
    with_variables("67108864", "0", || {
        assert_eq!(keep_mibs(3), 0);
        region_cache::set_time(Duration::from_secs(10));
        assert_eq!(keep_mibs(3), 3);
        region_cache::set_most_bytes(0);
        assert_eq!(keep_mibs(3), 0);
    });
}

#[test]
fn text_in_the_environment_that_is_no_number_is_ignored() {
    with_variables("none", "10s", || {
        assert_eq!(keep_mibs(10), 10);
        thread::sleep(Duration::from_millis(1100));
        // After the usual second they are returned when the next one comes.
        drop(block(&ALLOC, MIB, 1));
        assert!(region_cache::stats().kept_blocks < 11);
    });
}

#[test]
fn trim_also_releases_what_waits_for_the_background_thread() {
    static BACKGROUND: GlobalVm = GlobalVm::new().release(Release::Background);
    in_child(|| {
        region_cache::set_most_bytes(0);
        let before = statm(1);
        drop((0..10).map(|n| block(&BACKGROUND, 32 * MIB, n)).collect::<Vec<_>>());
        BACKGROUND.trim();
        // The thread may be releasing one.
        assert!(statm(1) < before + 40 * MIB);
        service::drain();
        assert_eq!(service::stats().waiting_bytes, 0);
    });
}

#[test]
fn small_blocks_get_what_waits_for_the_background_thread() {
    static BACKGROUND: GlobalVm = GlobalVm::new().release(Release::Background);
    in_child_limiting("writable memory", || {
        region_cache::set_most_bytes(0);
        let large: Vec<_> = (0..3).map(|n| block(&BACKGROUND, 32 * MIB, n)).collect();
        limit_softly(libc::RLIMIT_DATA, Some(statm(5) + MIB));
        drop(large);
        for number in 0..80 {
            let small = block(&BACKGROUND, 100 * KIB, number).expect("much memory waits");
            std::mem::forget(small);
        }
    });
}
