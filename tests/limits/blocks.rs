//! Large blocks where there are very many of them, and where the system refuses.

#![expect(unsafe_code, reason = "plays the part of containers")]
#![expect(clippy::cast_possible_truncation, reason = "any byte is a mark")]

use crate::linux::{in_child, mapping_limit, mappings, set_limit, statm, under_sanitizer};
use stayput::alloc::{GlobalVm, stats, trim};
use stayput::page_size;
use std::alloc::{GlobalAlloc, Layout};
use std::fs;
use std::ptr::NonNull;

const MIB: usize = 1 << 20;
const GIB: usize = 1 << 30;

static ALLOC: GlobalVm = GlobalVm::new();

fn layout(bytes: usize) -> Layout {
    Layout::from_size_align(bytes, 8).expect("small")
}

/// A block whose first and last bytes are a number.
struct Marked {
    start: NonNull<u8>,
    bytes: usize,
    mark: u8,
}

impl Marked {
    fn new(bytes: usize, mark: u8) -> Option<Self> {
        // SAFETY: the size is not zero.
        let start = NonNull::new(unsafe { ALLOC.alloc(layout(bytes)) })?;
        let block = Self { start, bytes, mark };
        block.mark();
        Some(block)
    }

    fn ends(&self) -> [NonNull<u8>; 2] {
        // SAFETY: inside the block.
        [self.start, unsafe { self.start.add(self.bytes - 1) }]
    }

    fn mark(&self) {
        for end in self.ends() {
            // SAFETY: inside the block, which nobody else uses.
            unsafe { end.write(self.mark) };
        }
    }

    fn holds(&self) -> bool {
        // SAFETY: as above, and written by `mark`.
        self.ends().iter().all(|end| unsafe { end.read() } == self.mark)
    }

    fn resize(&mut self, bytes: usize) -> bool {
        // SAFETY: a block of that layout.
        let moved = unsafe { ALLOC.realloc(self.start.as_ptr(), layout(self.bytes), bytes) };
        let Some(moved) = NonNull::new(moved) else { return false };
        self.start = moved;
        // SAFETY: the first byte of the block.
        assert_eq!(unsafe { moved.read() }, self.mark);
        self.bytes = bytes;
        self.mark();
        true
    }
}

impl Drop for Marked {
    fn drop(&mut self) {
        assert!(self.holds());
        // SAFETY: a block of that layout, which is used no more.
        unsafe { ALLOC.dealloc(self.start.as_ptr(), layout(self.bytes)) };
    }
}

#[test]
fn tens_of_thousands_of_blocks_leave_addresses_and_mappings_to_others() {
    in_child("blocks::tens_of_thousands_of_blocks_leave_addresses_and_mappings_to_others", || {
        const BLOCKS: usize = 40_000;
        let Some(limit) = mapping_limit() else { return };
        if limit < 65_000 {
            eprintln!("SKIPPED: vm.max_map_count is {limit}, and the arithmetic is for 65,530");
            return;
        }
        let mut blocks: Vec<_> = (0..BLOCKS)
            .map(|n| Marked::new(MIB + n % 3 * 100_000, n as u8).expect("there is room"))
            .collect();
        let stats = stats();
        assert!(stats.roomy_blocks <= 8192, "{stats:?}");
        assert!(stats.reserved_bytes <= 32 << 40, "{stats:?}");
        // Blocks without room merge with their neighbours.
        let mapped = mappings();
        assert!(mapped < 24_576 + 200, "{mapped} of {limit}");
        // Those with room and those without grow, and all hold what they should.
        for n in (0..BLOCKS).step_by(97) {
            assert!(blocks[n].resize(3 * MIB), "block {n}");
            assert!(blocks[n].resize(20 * MIB), "block {n}");
        }
        assert!(blocks.iter().all(Marked::holds));
        for n in (0..BLOCKS).step_by(97) {
            assert!(blocks[n].resize(2 * MIB));
        }
        // There are addresses for others.
        let other = stayput::Reservation::new(32 << 40).expect("a quarter of them");
        drop(other);
        drop(blocks);
        trim();
        let stats = stayput::alloc::stats();
        assert_eq!((stats.roomy_blocks, stats.reserved_bytes), (0, 0));
        assert!(mappings() < 200, "{}", mappings());
    });
}

/// Bytes of page tables.
fn page_tables() -> usize {
    let status = fs::read_to_string("/proc/self/status").expect("it is Linux");
    let kib = status.lines().find_map(|line| line.strip_prefix("VmPTE:")?.strip_suffix("kB"));
    kib.expect("it says").trim().parse::<usize>().expect("a number") << 10
}

#[test]
fn thousands_of_blocks_share_page_tables() {
    const BLOCKS: usize = 2000;
    in_child("blocks::thousands_of_blocks_share_page_tables", || {
        if page_size() != 4096 || usize::BITS < 64 {
            eprintln!("SKIPPED: the arithmetic is for pages of 4 KiB");
            return;
        }
        // It has memory of its own for each page.
        if under_sanitizer("page tables") {
            return;
        }
        let before = page_tables();
        let blocks: Vec<_> =
            (0..BLOCKS).map(|n| Marked::new(256 << 10, n as u8).expect("there is room")).collect();
        let taken = page_tables() - before;
        assert_eq!(stats().roomy_blocks, BLOCKS);
        // It would be 16 MiB for blocks that lie far from each other.
        assert!(taken <= 5 * MIB, "{taken} bytes");
        drop(blocks);
    });
}

#[test]
fn under_an_address_limit_blocks_have_less_room() {
    in_child("blocks::under_an_address_limit_blocks_have_less_room", || {
        if under_sanitizer("address space") {
            return;
        }
        set_limit(libc::RLIMIT_AS, GIB);
        let mut blocks = Vec::new();
        // As many as there are addresses for, and no room is taken from them for growing.
        while let Some(block) = Marked::new(4 * MIB, blocks.len() as u8) {
            blocks.push(block);
        }
        assert!(blocks.len() > 200, "only {}", blocks.len());
        assert!(stats().reserved_bytes <= GIB / 4);
        assert!(!blocks[0].resize(GIB / 2));
        assert!(blocks.iter().all(Marked::holds));
        blocks.truncate(50);
        trim();
        assert!(blocks[0].resize(GIB / 4));
        assert!(blocks[0].resize(GIB / 2));
        assert!(blocks.iter().all(Marked::holds));
    });
}

#[test]
fn where_memory_is_refused_blocks_are_as_they_were() {
    in_child("blocks::where_memory_is_refused_blocks_are_as_they_were", || {
        if under_sanitizer("writable memory") {
            return;
        }
        let limit = (statm(5) + 64 * MIB) / page_size() * page_size();
        set_limit(libc::RLIMIT_DATA, limit);
        let mut block = Marked::new(2 * MIB, 1).expect("some MiB");
        let mut bytes = 2 * MIB;
        while block.resize(bytes + MIB) {
            bytes += MIB;
        }
        assert!(block.holds() && bytes > 40 * MIB, "{bytes}");
        assert!(Marked::new(32 * MIB, 2).is_none());
        assert!(block.resize(8 * MIB));
        assert!(Marked::new(32 * MIB, 2).is_some_and(|other| other.holds()));
        // With std's containers, the error comes to the caller, and nothing is lost.
        let mut vec = vec![3_u8; MIB];
        vec.try_reserve(100 * MIB).unwrap_err();
        assert!(vec.iter().all(|byte| *byte == 3));
    });
}
