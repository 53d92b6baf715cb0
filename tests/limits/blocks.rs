//! Very many large blocks, and blocks that the system refuses.

use crate::block::{Block, Marks};
use crate::linux::{
    in_child, in_child_limiting, leave_writable, mappings, set_limit, usual_mapping_limit,
};
use crate::soak::page_tables;
use crate::{GIB, KIB, MIB};
use stayput::alloc::{GlobalVm, stats, trim};
use stayput::page_size;
static ALLOC: GlobalVm = GlobalVm::new();

fn block(bytes: usize, number: usize) -> Option<Block> {
    Block::new(&ALLOC, bytes, 8, number, Marks::Ends)
}

#[test]
fn tens_of_thousands_of_blocks_leave_addresses_and_mappings_to_others() {
    in_child(|| {
        const BLOCKS: usize = 40_000;
        let Some(limit) = usual_mapping_limit() else { return };
        let mut blocks: Vec<_> =
            (0..BLOCKS).map(|n| block(MIB + n % 3 * 100_000, n).expect("there is room")).collect();
        let stats = stats();
        assert!(stats.roomy_blocks <= 8192, "{stats:?}");
        assert!(stats.reserved_bytes <= 32 << 40, "{stats:?}");
        // Blocks without room merge with their neighbours.
        let mapped = mappings();
        assert!(mapped < 24_576 + 200, "{mapped} of {limit}");
        // Blocks with and without spare addresses grow, and all keep their contents.
        for n in (0..BLOCKS).step_by(97) {
            assert!(blocks[n].resize(3 * MIB), "block {n}");
            assert!(blocks[n].resize(20 * MIB), "block {n}");
        }
        blocks.iter().for_each(Block::check);
        for n in (0..BLOCKS).step_by(97) {
            assert!(blocks[n].resize(2 * MIB));
        }
        // Addresses are left for other code.
        let other = stayput::Reservation::new(32 << 40).expect("a quarter of them");
        drop(other);
        drop(blocks);
        trim();
        let stats = stayput::alloc::stats();
        assert_eq!((stats.roomy_blocks, stats.reserved_bytes), (0, 0));
        assert!(mappings() < 200, "{}", mappings());
    });
}

#[test]
fn thousands_of_blocks_share_page_tables() {
    const BLOCKS: usize = 2000;
    // A sanitizer has memory of its own for each page.
    in_child_limiting("page tables", || {
        if page_size() != 4096 || usize::BITS < 64 {
            eprintln!("SKIPPED: the arithmetic is for pages of 4 KiB");
            return;
        }
        let before = page_tables();
        let blocks: Vec<_> =
            (0..BLOCKS).map(|n| block(256 * KIB, n).expect("there is room")).collect();
        let taken = page_tables() - before;
        assert_eq!(stats().roomy_blocks, BLOCKS);
        // It would be 16 MiB if the blocks were far from each other.
        assert!(taken <= 5 * MIB, "{taken} bytes");
        drop(blocks);
    });
}

#[test]
fn under_an_address_limit_blocks_have_less_room() {
    in_child_limiting("address space", || {
        set_limit(libc::RLIMIT_AS, GIB);
        let mut blocks = Vec::new();
        // As many as there are addresses for, without spare addresses.
        while let Some(block) = block(4 * MIB, blocks.len()) {
            blocks.push(block);
        }
        assert!(blocks.len() > 200, "only {}", blocks.len());
        assert!(stats().reserved_bytes <= GIB / 4);
        assert!(!blocks[0].resize(GIB / 2));
        blocks.iter().for_each(Block::check);
        blocks.truncate(50);
        trim();
        assert!(blocks[0].resize(GIB / 4));
        assert!(blocks[0].resize(GIB / 2));
        blocks.iter().for_each(Block::check);
    });
}

#[test]
fn where_memory_is_refused_blocks_are_as_they_were() {
    in_child_limiting("writable memory", || {
        leave_writable(64 * MIB);
        let mut large = block(2 * MIB, 1).expect("some MiB");
        let mut bytes = 2 * MIB;
        while large.resize(bytes + MIB) {
            bytes += MIB;
        }
        assert!(bytes > 40 * MIB, "{bytes}");
        assert!(block(32 * MIB, 2).is_none());
        large.check();
        assert!(large.resize(8 * MIB));
        assert!(block(32 * MIB, 2).is_some());
        // With std's containers, the caller gets the error, and nothing is lost.
        let mut vec = vec![3_u8; MIB];
        vec.try_reserve(100 * MIB).unwrap_err();
        assert!(vec.iter().all(|byte| *byte == 3));
    });
}
