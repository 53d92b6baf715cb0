//! So many large blocks that the mappings of the process do not suffice for all.

#![expect(unsafe_code, reason = "plays the part of containers")]

use crate::linux::{forked, in_child, mapping_limit, mappings, statm, use_up_mappings};
use stayput::alloc::{GlobalVm, stats, trim};
use stayput::{Reservation, VmVec, page_size};
use std::alloc::{GlobalAlloc, Layout};
use std::ptr::NonNull;
use std::thread;

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;
const GIB: usize = 1 << 30;

static ALLOC: GlobalVm = GlobalVm::new();
/// Its blocks have no room to grow.
static BARE: GlobalVm = GlobalVm::new().reserve_bytes(0);

/// A block that begins with its number.
struct Block {
    start: NonNull<usize>,
    layout: Layout,
    alloc: &'static GlobalVm,
    number: usize,
}

impl Block {
    fn new(alloc: &'static GlobalVm, bytes: usize, align: usize, number: usize) -> Option<Self> {
        let layout = Layout::from_size_align(bytes, align).expect("small");
        // SAFETY: the size is not zero.
        let start = NonNull::new(unsafe { alloc.alloc(layout) })?.cast::<usize>();
        assert_eq!(start.addr().get() % align, 0);
        // SAFETY: inside the block, which is aligned to as much as a number.
        unsafe { start.write(number) };
        Some(Self { start, layout, alloc, number })
    }

    fn resize(&mut self, bytes: usize) -> bool {
        let start = self.start.as_ptr().cast();
        // SAFETY: a block of that layout.
        let moved = NonNull::new(unsafe { self.alloc.realloc(start, self.layout, bytes) });
        if let Some(moved) = moved {
            self.start = moved.cast();
            self.layout =
                Layout::from_size_align(bytes, self.layout.align()).expect("as it was given");
            assert_eq!(moved.addr().get() % self.layout.align(), 0);
        }
        moved.is_some()
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: written by `new`.
        assert_eq!(unsafe { self.start.read() }, self.number);
        // SAFETY: a block of that layout, which is used no more.
        unsafe { self.alloc.dealloc(self.start.as_ptr().cast(), self.layout) };
    }
}

// SAFETY: a block is its owner's alone.
unsafe impl Send for Block {}

fn blocks(bytes: usize, count: usize) -> Vec<Option<Block>> {
    (0..count).map(|n| Block::new(&ALLOC, bytes, 8, n)).collect()
}

fn free_every_second(blocks: &mut [Option<Block>]) {
    blocks.iter_mut().step_by(2).for_each(|block| *block = None);
}

/// The limit of mappings, where it is what it is nearly everywhere, and pages are small.
fn usual_limit() -> Option<usize> {
    let limit = mapping_limit()?;
    let is_usual = (65_000..70_000).contains(&limit) && page_size() == 4 * KIB;
    if !is_usual {
        eprintln!("SKIPPED: vm.max_map_count is {limit}, and the arithmetic is for 65,530");
    }
    is_usual.then_some(limit)
}

/// A thread, an array, a small block: whoever is refused a mapping cannot make them.
#[track_caller]
fn assert_others_have_mappings(limit: usize) {
    assert!(mappings() < limit - limit / 16, "{}", mappings());
    thread::Builder::new().spawn(|| vec![1; 500].len()).expect("a thread").join().expect("it ends");
    let mut array = VmVec::new();
    array.try_push(1_u64).map_err(|refused| refused.error).expect("an array");
}

#[test]
fn blocks_that_are_made_and_half_freed_again_and_again_take_no_more_each_time() {
    in_child(
        "crowds::blocks_that_are_made_and_half_freed_again_and_again_take_no_more_each_time",
        || {
            const BLOCKS: usize = 130_000;
            let Some(limit) = usual_limit() else { return };
            let before = mappings();
            let mut all: Vec<Option<Block>> = (0..BLOCKS).map(|_| None).collect();
            let mut data = Vec::new();
            for _ in 0..3 {
                for (n, block) in all.iter_mut().enumerate().filter(|(_, block)| block.is_none()) {
                    *block = Block::new(&ALLOC, 256 * KIB, 8, n);
                    assert!(block.is_some(), "block {n}");
                }
                assert!(stats().blocks < 20_000, "{:?}", stats());
                assert_others_have_mappings(limit);
                free_every_second(&mut all);
                assert_others_have_mappings(limit);
                data.push(statm(5));
            }
            assert!(data[2] < data[0] + 64 * MIB, "{data:?}");
            drop(all);
            trim();
            assert_eq!((stats().blocks, stats().roomy_blocks), (0, 0));
            assert!(mappings() < before + 200, "{}", mappings());
        },
    );
}

#[test]
fn large_blocks_leave_mappings_to_small_ones() {
    in_child("crowds::large_blocks_leave_mappings_to_small_ones", || {
        let Some(limit) = usual_limit() else { return };
        let mut first = blocks(256 * KIB, 100_000);
        assert!(first.iter().all(Option::is_some));
        free_every_second(&mut first);
        let second = blocks(300 * KIB, 50_000);
        assert!(second.iter().all(Option::is_some));
        let small: Vec<_> = (0..50_000).map(|_| Box::new([7_u8; 528])).collect();
        assert_others_have_mappings(limit);
        drop((second, small));
    });
}

#[test]
fn blocks_of_the_parent_grow_shrink_and_are_freed_by_whoever_has_them() {
    in_child("crowds::blocks_of_the_parent_grow_shrink_and_are_freed_by_whoever_has_them", || {
        if usual_limit().is_none() {
            return;
        }
        let many = blocks(256 * KIB, 20_000);
        let counted = stats();
        assert!(counted.blocks < 20_000, "none is the parent's");
        let work = |align: usize| {
            let mut blocks: Vec<_> = (0..20)
                .map(|n| Block::new(&ALLOC, 256 * KIB + n, align, n).expect("the parent's"))
                .collect();
            for (n, block) in blocks.iter_mut().enumerate() {
                for bytes in [300 * KIB, 20 * MIB + n, 2 * MIB, KIB, 8 * MIB, 256 * KIB] {
                    assert!(block.resize(bytes));
                }
                assert!(!block.resize(1 << 60));
            }
            blocks
        };
        for align in [8, 64, 512, 4 * KIB, 2 * MIB] {
            let blocks = thread::spawn(move || work(align)).join().expect("it ends");
            assert_eq!(stats().blocks, counted.blocks);
            forked(|| drop(work(align)));
            drop(blocks);
        }
        // Zeroes, where others were.
        let layout = Layout::from_size_align(MIB, 8).expect("small");
        for _ in 0..10 {
            // SAFETY: the size is not zero.
            let zeroes = NonNull::new(unsafe { ALLOC.alloc_zeroed(layout) }).expect("a MiB");
            // SAFETY: so many bytes, which are zero.
            let zeroes = unsafe { NonNull::slice_from_raw_parts(zeroes, MIB).as_mut() };
            assert!(zeroes.iter().all(|byte| *byte == 0));
            zeroes.fill(7);
            // SAFETY: a block of that layout.
            unsafe { ALLOC.dealloc(zeroes.as_mut_ptr(), layout) };
        }
        // With fewer, there are blocks again.
        drop(many);
        let before = stats().blocks;
        let own = Block::new(&ALLOC, 256 * KIB, 8, 1);
        assert_eq!((own.is_some(), stats().blocks), (true, before + 1));
    });
}

#[test]
fn what_is_freed_without_mappings_holds_no_memory_and_is_released_when_there_are_some() {
    in_child(
        "crowds::what_is_freed_without_mappings_holds_no_memory_and_is_released_when_there_are_some",
        || {
            const BLOCKS: usize = 16_000;
            const BYTES: usize = 256 * KIB;
            let Some(limit) = usual_limit() else { return };
            let make = |n| {
                let block = Block::new(&BARE, BYTES, 8, n)?;
                // SAFETY: inside the block.
                unsafe { block.start.cast::<u8>().write_bytes(0, 64 * KIB) };
                // SAFETY: as above.
                unsafe { block.start.write(n) };
                Some(block)
            };
            let range = Reservation::new((limit + 8) * page_size()).expect("addresses");
            let base = statm(5);
            let mut all: Vec<_> = (0..BLOCKS).map(make).collect();
            assert!(all.iter().all(Option::is_some));
            assert_eq!(stats().roomy_blocks, 0);
            let _ = use_up_mappings(&range);
            let (data, resident) = (statm(5), statm(1));
            free_every_second(&mut all);
            assert!(statm(5) > data - GIB / 4, "nothing was refused");
            assert!(statm(1) + BLOCKS / 2 * 56 * KIB < resident, "{} of {resident}", statm(1));

            // No more becomes of it, whatever comes and goes meanwhile.
            for _ in 0..3 {
                let mut more: Vec<_> = (0..1000).map(make).collect();
                free_every_second(&mut more);
            }
            assert!(statm(5) < data + GIB / 16, "{} after {data}", statm(5));

            let last = |range: Reservation, all: Vec<Option<Block>>| {
                drop(range);
                for _ in 0..100 {
                    drop(Reservation::new(1));
                }
                assert!(
                    statm(5) < base + BLOCKS / 2 * (BYTES + 4 * KIB) + 16 * MIB,
                    "{}",
                    statm(5)
                );
                drop(all);
                assert!(statm(5) < base + 16 * MIB, "{} stay", statm(5) - base);
            };
            let mut own = Some((range, all));
            forked(|| {
                let (range, all) = own.take().expect("it is there");
                last(range, all);
            });
            let (range, all) = own.take().expect("it is the parent's");
            last(range, all);
            assert!(mappings() < 200, "{}", mappings());
        },
    );
}
