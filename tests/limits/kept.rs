//! What blocks had and is kept: it goes to whoever needs memory, on any thread and in any process, and is no
//! more than was said.

#![expect(unsafe_code, reason = "plays the part of containers")]

use crate::effort;
use crate::linux::{forked, in_child, statm, under_sanitizer};
use crate::random::Random;
use crate::refused::{Done, limit_softly};
use stayput::alloc::GlobalVm;
use stayput::{HugePages, VmVec, keeper};
use std::alloc::{GlobalAlloc, Layout};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Barrier, PoisonError, RwLock};
use std::thread;
use std::time::{Duration, Instant};

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

/// Its small blocks are the system's allocator's.
static ALLOC: GlobalVm = GlobalVm::new();
/// What the others' blocks had does not suit these.
static OTHER: GlobalVm = GlobalVm::new().huge_pages(HugePages::Never);
/// Has none but large blocks here.
static LARGE: GlobalVm = GlobalVm::new().threshold_bytes(64 * KIB);

fn layout(bytes: usize) -> Layout {
    Layout::from_size_align(bytes, 16).expect("small")
}

/// A block with a number in every page.
struct Numbered {
    alloc: &'static GlobalVm,
    start: NonNull<u8>,
    bytes: usize,
    number: usize,
}

// SAFETY: whoever has it has the memory.
unsafe impl Send for Numbered {}

impl Numbered {
    fn new(alloc: &'static GlobalVm, bytes: usize, number: usize) -> Option<Self> {
        // SAFETY: the size is not zero.
        let start = NonNull::new(unsafe { alloc.alloc(layout(bytes)) })?;
        let block = Self { alloc, start, bytes, number };
        block.number(0);
        Some(block)
    }

    fn zeroed(alloc: &'static GlobalVm, bytes: usize, number: usize) -> Option<Self> {
        // SAFETY: the size is not zero.
        let start = NonNull::new(unsafe { alloc.alloc_zeroed(layout(bytes)) })?;
        let block = Self { alloc, start, bytes, number };
        // SAFETY: all of it is initialised; a `u64` needs no more alignment than it has.
        let words = unsafe { std::slice::from_raw_parts(start.cast::<u64>().as_ptr(), bytes / 8) };
        assert!(words.iter().all(|word| *word == 0), "{bytes}");
        block.number(0);
        Some(block)
    }

    fn places(&self, from: usize) -> impl Iterator<Item = NonNull<usize>> + use<> {
        let start = self.start;
        (from.next_multiple_of(KIB)..self.bytes - size_of::<usize>())
            .step_by(KIB)
            // SAFETY: inside the block.
            .map(move |at| unsafe { start.add(at) }.cast())
    }

    fn number(&self, from: usize) {
        for place in self.places(from) {
            // SAFETY: inside the block, which nobody else uses, and aligned.
            unsafe { place.write(self.number) };
        }
    }

    #[track_caller]
    fn check(&self) {
        // SAFETY: as above, and written by `number`.
        let is_mine = |place: NonNull<usize>| unsafe { place.read() } == self.number;
        assert!(self.places(0).all(is_mine), "{}", self.bytes);
    }

    fn grow(&mut self, bytes: usize) -> bool {
        // SAFETY: a block of that layout.
        let start = unsafe { self.alloc.realloc(self.start.as_ptr(), layout(self.bytes), bytes) };
        let Some(start) = NonNull::new(start) else { return false };
        let before = self.bytes;
        (self.start, self.bytes) = (start, bytes);
        self.number(before.saturating_sub(size_of::<usize>()));
        true
    }
}

impl Drop for Numbered {
    fn drop(&mut self) {
        self.check();
        // SAFETY: a block of that layout, which is used no more.
        unsafe { self.alloc.dealloc(self.start.as_ptr(), layout(self.bytes)) };
    }
}

/// Has 56 MiB kept, in seven pieces.
fn keep_much() {
    // Also where the machine has little memory.
    keeper::set_most_bytes(64 * MIB);
    let blocks = [(); 7].map(|()| Numbered::new(&ALLOC, 8 * MIB - 64 * KIB, 7).expect("some MiB"));
    drop(blocks);
    let stats = keeper::stats();
    assert!(stats.kept_bytes >= 55 * MIB, "{stats:?}");
}

#[test]
fn small_blocks_of_the_parent_get_what_was_kept() {
    in_child("kept::small_blocks_of_the_parent_get_what_was_kept", || {
        if under_sanitizer("writable memory") {
            return;
        }
        keep_much();
        limit_softly(libc::RLIMIT_DATA, Some(statm(5) + MIB));
        let mut blocks: Vec<_> = Vec::with_capacity(80);
        for number in 0..80 {
            blocks.push(Numbered::new(&ALLOC, 100 * KIB, number).expect("there was much kept"));
        }
        assert_eq!(keeper::stats().kept_blocks, 0);
    });
}

#[test]
fn all_who_are_refused_at_once_get_what_was_kept() {
    in_child("kept::all_who_are_refused_at_once_get_what_was_kept", || {
        const THREADS: usize = 8;
        const EACH: usize = 6 * MIB + 512 * KIB;
        const ROUNDS: u32 = 20;
        if under_sanitizer("writable memory") {
            return;
        }
        let (barrier, refused) = (Barrier::new(THREADS + 1), AtomicUsize::new(0));
        let work = || {
            for round in 0..effort::rounds(ROUNDS) as usize {
                barrier.wait();
                barrier.wait();
                // None of those kept suits it.
                let block = Numbered::new(&OTHER, EACH, round);
                refused.fetch_add(usize::from(block.is_none()), Ordering::Relaxed);
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
                keeper::trim();
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
    in_child(
        "kept::limits_that_are_lowered_while_blocks_are_kept_leave_what_was_kept_to_others",
        || {
            if under_sanitizer("addresses") {
                return;
            }
            for (resource, field) in [(libc::RLIMIT_AS, 0), (libc::RLIMIT_DATA, 5)] {
                for room in [0, MIB, 3 * MIB] {
                    keep_much();
                    limit_softly(resource, Some(statm(field) - 20 * MIB + room));
                    // What was kept covers the rest.
                    let large = Numbered::new(&OTHER, 20 * MIB, 1).expect("what was kept");
                    assert_eq!(keeper::stats().kept_blocks, 0, "{room}");
                    let small: Vec<_> =
                        (0..40).map(|n| Numbered::new(&ALLOC, 100 * KIB, n)).collect();
                    assert!(small.iter().all(Option::is_some));
                    let mut array = VmVec::<u64>::with_max_len(MIB);
                    array.extend(0..MIB as u64 / 8);
                    drop((large, small));
                    limit_softly(resource, None);
                    keeper::trim();
                }
                // Nothing is to be had below what is in use, whatever is kept.
                keep_much();
                let used = Numbered::new(&ALLOC, 40 * MIB, 2).expect("some MiB");
                // Room to grow is not in use.
                let least =
                    if resource == libc::RLIMIT_AS { 32 * MIB } else { statm(field) - 90 * MIB };
                limit_softly(resource, Some(least));
                assert!(Numbered::new(&OTHER, 40 * MIB, 3).is_none());
                assert_eq!(keeper::stats().kept_blocks, 0);
                used.check();
                drop(used);
                limit_softly(resource, None);
            }
        },
    );
}

impl Random {
    /// Of any magnitude up to `most`, 64 KiB at least.
    fn bytes(&mut self, most: usize) -> usize {
        let most = most >> self.below(10);
        (64 * KIB + self.below(most)).min(most.max(64 * KIB))
    }
}

/// Has a block come, grow or go, of `most` bytes at most.
fn come_or_go(random: &mut Random, blocks: &mut Vec<Numbered>, most: usize) {
    let (bytes, number) = (random.bytes(most), random.below(usize::MAX));
    let which = random.below(blocks.len().max(1));
    match random.below(8) {
        0..4 if blocks.len() < 4 => {
            blocks.push(Numbered::new(&LARGE, bytes, number).expect("some MiB"));
        }
        4 if blocks.len() < 4 => {
            blocks.push(Numbered::zeroed(&LARGE, bytes, number).expect("some MiB"));
        }
        5 if blocks.get(which).is_some_and(|block| block.bytes < bytes) => {
            assert!(blocks[which].grow(bytes));
        }
        _ if !blocks.is_empty() => drop(blocks.swap_remove(which)),
        _ => {}
    }
}

fn bytes(blocks: &[Numbered]) -> usize {
    blocks.iter().map(|block| block.bytes).sum()
}

#[test]
fn children_forked_while_others_put_and_take_have_blocks_of_their_own() {
    in_child("kept::children_forked_while_others_put_and_take_have_blocks_of_their_own", || {
        const THREADS: u64 = 3;
        if under_sanitizer("threads of a forked child") {
            return;
        }
        let use_blocks = |seed, times| {
            let (mut random, mut blocks) = (Random(seed), Vec::new());
            for _ in 0..times {
                come_or_go(&mut random, &mut blocks, MIB);
            }
        };
        let live_on = || {
            use_blocks(7, 60);
            assert!(Numbered::new(&LARGE, isize::MAX as usize / 2, 1).is_none());
            use_blocks(8, 20);
            keeper::set_most_bytes(0);
            keeper::trim();
            use_blocks(9, 20);
            keeper::set_most_bytes(64 * MIB);
            use_blocks(10, 20);
        };
        let is_done = AtomicBool::new(false);
        thread::scope(|scope| {
            for seed in 0..THREADS {
                let is_done = &is_done;
                scope.spawn(move || {
                    while !is_done.load(Ordering::Relaxed) {
                        use_blocks(seed, 50);
                        if seed == 0 {
                            keeper::trim();
                        }
                    }
                });
            }
            let _done = Done(&is_done);
            for _ in 0..effort::rounds(40) {
                forked(live_on);
                use_blocks(99, 10);
            }
        });
        // Here nothing was out of its place for good.
        keeper::trim();
        let stats = keeper::stats();
        assert_eq!((stats.kept_blocks, stats.kept_bytes, stats.lent_bytes), (0, 0, 0));
    });
}

#[test]
fn what_is_in_memory_is_what_is_live_and_a_bound() {
    in_child("kept::what_is_in_memory_is_what_is_live_and_a_bound", || {
        const THREADS: u64 = 8;
        const TIME: Duration = Duration::from_millis(50);
        if under_sanitizer("memory") {
            return;
        }
        keeper::set_most_bytes(64 * MIB);
        keeper::set_time(TIME);
        let until = Instant::now() + effort::stress_duration();
        let (live, is_done) = (AtomicUsize::new(0), AtomicBool::new(false));
        // Who looks has all others wait between two steps.
        let step = RwLock::new(());
        let floor = statm(1);
        let work = |seed| {
            let (mut random, mut blocks) = (Random(seed), Vec::new());
            while !is_done.load(Ordering::Relaxed) {
                let _step = step.read().unwrap_or_else(PoisonError::into_inner);
                let before = bytes(&blocks);
                come_or_go(&mut random, &mut blocks, 40 * MIB);
                // Wraps where it is less, and so does the sum.
                live.fetch_add(bytes(&blocks).wrapping_sub(before), Ordering::Relaxed);
            }
            let left = bytes(&blocks);
            drop(blocks);
            live.fetch_sub(left, Ordering::Relaxed);
        };
        let mut looks = 0;
        thread::scope(|scope| {
            for seed in 0..THREADS {
                let work = &work;
                scope.spawn(move || work(seed));
            }
            let _done = Done(&is_done);
            while Instant::now() < until || looks < 10 {
                thread::sleep(Duration::from_millis(2));
                let _step = step.write().unwrap_or_else(PoisonError::into_inner);
                let (live, resident) = (live.load(Ordering::Relaxed), statm(1) - floor);
                let stats = keeper::stats();
                assert!(stats.kept_bytes + stats.lent_bytes <= 64 * MIB, "{stats:?}");
                // Headers, stacks of threads, and what the system has not counted yet.
                let beside = 8 * MIB;
                let bound = live / 4 * 5 + 64 * MIB + beside;
                assert!(resident <= bound, "{resident} where {live} are live: {stats:?}");
                looks += 1;
            }
        });
        assert_eq!(live.into_inner(), 0);
        // What is old goes while others come, a piece a tick.
        thread::sleep(TIME);
        let give_up = Instant::now() + 200 * TIME;
        let stats = loop {
            drop(Numbered::new(&LARGE, 64 * KIB, 1));
            let stats = keeper::stats();
            if stats.kept_blocks <= 1 || Instant::now() > give_up {
                break stats;
            }
        };
        assert!(stats.kept_blocks <= 1 && stats.lent_bytes == 0, "{stats:?}");
        assert!(statm(1) < floor + 8 * MIB, "{} stay", statm(1) - floor);
    });
}

#[test]
fn small_blocks_where_large_ones_were_have_little_more_than_they_need() {
    in_child("kept::small_blocks_where_large_ones_were_have_little_more_than_they_need", || {
        const BLOCKS: usize = 40;
        if under_sanitizer("memory") {
            return;
        }
        keeper::set_most_bytes(64 * MIB);
        let floor = statm(1);
        let small: Vec<_> = (0..BLOCKS)
            .map(|n| {
                // Of huge pages, once it has grown.
                let mut large = Numbered::new(&ALLOC, 4 * MIB, n).expect("some MiB");
                assert!(large.grow(16 * MIB));
                drop(large);
                Numbered::new(&ALLOC, 256 * KIB, n).expect("some KiB")
            })
            .collect();
        let resident = statm(1) - floor;
        let live = bytes(&small);
        assert!(resident <= live / 4 * 5 + 68 * MIB, "{resident}: {:?}", keeper::stats());
    });
}
