//! Small blocks: what asking for the size costs before the parent is asked for memory.
//!
//! Both are called directly, not as the global allocator, and take turns within one process, in
//! batches too short for the machine to change in between.

#![expect(unsafe_code, reason = "calls allocators directly")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::ptr;
use std::time::Instant;

use bench_common::random::Random;
use bench_common::spread::{Spread, each, nanoseconds};
use bench_common::table::{Table, short, words};
use mimalloc::MiMalloc;
use serde::Serialize;
use stayput::alloc::GlobalVm;
#[cfg(unix)]
use tikv_jemallocator::Jemalloc;

/// How much is measured.
#[derive(Debug)]
pub(crate) struct Extent {
    pub(crate) batches: usize,
    /// Calls in each.
    pub(crate) calls: usize,
}

const SMALLEST_BYTES: usize = 8;
const LARGEST_BYTES: usize = 64 << 10;
const ALIGN: usize = 8;

/// Places for blocks. About two thirds have one at any time.
const PLACES: usize = 4096;

/// What is done at a place, drawn beforehand.
#[derive(Clone, Copy, Debug)]
struct Call {
    place: usize,
    /// What a new block gets, or one that is there, if it is to be resized.
    bytes: usize,
    /// For a block that is there.
    then: Then,
}

#[derive(Clone, Copy, Debug)]
enum Then {
    Free,
    Resize,
}

/// What came of one parent.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    parent: &'static str,
    parent_ns: Spread,
    global_vm_ns: Spread,
    /// Of two batches that follow each other.
    ratio: Spread,
}

pub(crate) fn measure(extent: &Extent) -> Vec<Row> {
    let mut random = Random::new(0x5EED);
    let calls: Vec<Call> = (0..extent.calls).map(|_| call(&mut random)).collect();
    vec![
        compare("system", &System, &GlobalVm::new(), &calls, extent.batches),
        compare("mimalloc", &MiMalloc, &GlobalVm::with_parent(MiMalloc), &calls, extent.batches),
        #[cfg(unix)]
        compare("jemalloc", &Jemalloc, &GlobalVm::with_parent(Jemalloc), &calls, extent.batches),
    ]
}

fn call(random: &mut Random) -> Call {
    // Half as many of twice the size: 1 / u has that distribution.
    let share = random.below(1 << 16) + 1;
    Call {
        place: random.below(PLACES),
        bytes: ((SMALLEST_BYTES << 16) / share).min(LARGEST_BYTES),
        then: if random.below(4) == 0 { Then::Resize } else { Then::Free },
    }
}

fn compare<A: GlobalAlloc, B: GlobalAlloc>(
    parent: &'static str,
    alone: &A,
    above: &B,
    calls: &[Call],
    batches: usize,
) -> Row {
    let mut places = vec![Block::NONE; PLACES];
    let (mut parent_ns, mut global_vm_ns) = (Vec::new(), Vec::new());
    // One more, which brings the memory.
    for batch in 0..=batches {
        let times = if batch % 2 == 0 {
            let first = time(alone, calls, &mut places);
            [first, time(above, calls, &mut places)]
        } else {
            let first = time(above, calls, &mut places);
            [time(alone, calls, &mut places), first]
        };
        if batch > 0 {
            parent_ns.push(each(times[0], calls.len()));
            global_vm_ns.push(each(times[1], calls.len()));
        }
    }
    let ratios = parent_ns.iter().zip(&global_vm_ns).map(|(parent, above)| above / parent);
    Row {
        parent,
        ratio: Spread::of(ratios),
        parent_ns: Spread::of(parent_ns),
        global_vm_ns: Spread::of(global_vm_ns),
    }
}

/// Of one batch, which frees in the end all that it took.
fn time<A: GlobalAlloc>(alloc: &A, calls: &[Call], places: &mut [Block]) -> u64 {
    let start = Instant::now();
    let sum = batch(alloc, calls, places);
    let ns = nanoseconds(start.elapsed());
    black_box(sum);
    ns
}

/// A block of the allocator under test, or none.
#[derive(Clone, Copy, Debug)]
struct Block {
    start: *mut u8,
    bytes: usize,
}

impl Block {
    const NONE: Self = Self { start: ptr::null_mut(), bytes: 0 };
}

/// Never inlined, so that the loop is compiled alike for all.
#[inline(never)]
fn batch<A: GlobalAlloc>(alloc: &A, calls: &[Call], places: &mut [Block]) -> u64 {
    let mut sum = 0;
    for call in calls {
        let block = &mut places[call.place];
        if block.start.is_null() {
            // SAFETY: no size is zero.
            let start = unsafe { alloc.alloc(layout(call.bytes)) };
            *block = written(start, call.bytes);
            continue;
        }
        // SAFETY: a block that is there has bytes that were written.
        sum += u64::from(unsafe { block.start.read() });
        match call.then {
            Then::Free => {
                // SAFETY: taken from the same allocator by that layout, and forgotten here.
                unsafe { alloc.dealloc(block.start, layout(block.bytes)) };
                *block = Block::NONE;
            }
            Then::Resize => {
                // SAFETY: as above, and the new size is not zero and no more than 64 KiB.
                let start = unsafe { alloc.realloc(block.start, layout(block.bytes), call.bytes) };
                *block = written(start, call.bytes);
            }
        }
    }
    for block in places {
        if !block.start.is_null() {
            // SAFETY: as above.
            unsafe { alloc.dealloc(block.start, layout(block.bytes)) };
            *block = Block::NONE;
        }
    }
    sum
}

/// A block that has a byte written at both ends, as users do sooner or later.
#[inline]
fn written(start: *mut u8, bytes: usize) -> Block {
    assert!(!start.is_null(), "no memory");
    // SAFETY: the block has at least one byte.
    unsafe { start.write(1) };
    // SAFETY: inside the block.
    let last = unsafe { start.add(bytes - 1) };
    // SAFETY: inside the block.
    unsafe { last.write(1) };
    Block { start, bytes }
}

#[inline]
fn layout(bytes: usize) -> Layout {
    // SAFETY: the alignment is a power of two, and no size is more than 64 KiB.
    unsafe { Layout::from_size_align_unchecked(bytes, ALIGN) }
}

pub(crate) fn table(rows: &[Row]) -> Table {
    let header = words(["parent", "ns a call", "with GlobalVm", "ratio", "quartiles"]);
    let cells = |row: &Row| {
        let mut cells = vec![row.parent.to_owned(), short(row.parent_ns.median)];
        cells.push(short(row.global_vm_ns.median));
        cells.extend(row.ratio.quartiles());
        cells
    };
    bench_common::table::table(1, header, rows.iter().map(cells).collect())
}
