//! More large blocks than the process has mappings for.

#![expect(unsafe_code, reason = "writes to blocks")]

use crate::block::{Block, Marks};
use crate::linux::{forked, in_child, mapping_limit, mappings, statm, use_up_mappings};
use crate::{GIB, KIB, MIB};
use stayput::alloc::{GlobalVm, stats, trim};
use stayput::{Reservation, VmVec, page_size};
use std::thread;

static ALLOC: GlobalVm = GlobalVm::new();
/// A heap whose blocks have no spare addresses.
static BARE: GlobalVm = GlobalVm::new().reserve_bytes(0);

/// A block that begins with its number.
fn block(bytes: usize, number: usize) -> Option<Block> {
    Block::new(&ALLOC, bytes, 8, number, Marks::Start)
}

fn blocks(bytes: usize, count: usize) -> Vec<Option<Block>> {
    (0..count).map(|n| block(bytes, n)).collect()
}

fn free_every_second(blocks: &mut [Option<Block>]) {
    blocks.iter_mut().step_by(2).for_each(|block| *block = None);
}

/// The limit of mappings, if it has its usual value and pages are small.
fn usual_limit() -> Option<usize> {
    let limit = mapping_limit()?;
    let is_usual = (65_000..70_000).contains(&limit) && page_size() == 4 * KIB;
    if !is_usual {
        eprintln!("SKIPPED: vm.max_map_count is {limit}, and the arithmetic is for 65,530");
    }
    is_usual.then_some(limit)
}

/// Asserts that a thread, an array and a small block can be created, which need mappings.
#[track_caller]
fn assert_others_have_mappings(limit: usize) {
    assert!(mappings() < limit - limit / 16, "{}", mappings());
    thread::Builder::new().spawn(|| vec![1; 500].len()).expect("a thread").join().expect("it ends");
    let mut array = VmVec::new();
    array.try_push(1_u64).map_err(|refused| refused.error).expect("an array");
}

#[test]
fn blocks_that_are_made_and_half_freed_again_and_again_take_no_more_each_time() {
    in_child(|| {
        const BLOCKS: usize = 130_000;
        let Some(limit) = usual_limit() else { return };
        let before = mappings();
        let mut all: Vec<Option<Block>> = (0..BLOCKS).map(|_| None).collect();
        let mut data = Vec::new();
        for _ in 0..3 {
            for (n, block) in all.iter_mut().enumerate().filter(|(_, block)| block.is_none()) {
                *block = self::block(256 * KIB, n);
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
    });
}

#[test]
fn large_blocks_leave_mappings_to_small_ones() {
    in_child(|| {
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
    in_child(|| {
        if usual_limit().is_none() {
            return;
        }
        let many = blocks(256 * KIB, 20_000);
        let counted = stats();
        assert!(counted.blocks < 20_000, "none is the parent's");
        let work = |align: usize| {
            let mut blocks: Vec<_> = (0..20)
                .map(|n| Block::new(&ALLOC, 256 * KIB + n, align, n, Marks::Start))
                .map(|block| block.expect("the parent's"))
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
        // Zeros in place of other contents.
        for _ in 0..10 {
            drop(Block::zeroed(&ALLOC, MIB, 7, Marks::EveryKib).expect("a MiB"));
        }
        // With fewer blocks, others can be allocated again.
        drop(many);
        let before = stats().blocks;
        let own = block(256 * KIB, 1);
        assert_eq!((own.is_some(), stats().blocks), (true, before + 1));
    });
}

#[test]
fn what_is_freed_without_mappings_holds_no_memory_and_is_released_when_there_are_some() {
    in_child(|| {
        const BLOCKS: usize = 16_000;
        const BYTES: usize = 256 * KIB;
        let Some(limit) = usual_limit() else { return };
        let make = |n| {
            let block = Block::new(&BARE, BYTES, 8, n, Marks::Start)?;
            // SAFETY: inside the block, after its number.
            let rest = unsafe { block.start.add(size_of::<usize>()) };
            // SAFETY: as above.
            unsafe { rest.write_bytes(0, 64 * KIB - size_of::<usize>()) };
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

        // The number does not grow, whatever is allocated and freed meanwhile.
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
            assert!(statm(5) < base + BLOCKS / 2 * (BYTES + 4 * KIB) + 16 * MIB, "{}", statm(5));
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
    });
}
