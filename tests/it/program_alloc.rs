//! `Global`: the program's allocator as a parent.

#![expect(unsafe_code, reason = "calls an allocator")]

use stayput::alloc::{Global, GlobalVm};
use std::alloc::{GlobalAlloc, Layout};
use std::slice;

fn layout(bytes: usize) -> Layout {
    Layout::from_size_align(bytes, 64).unwrap()
}

#[test]
fn its_blocks_are_those_of_the_program() {
    // SAFETY: the size is not zero.
    let start = unsafe { Global.alloc_zeroed(layout(100)) };
    // SAFETY: the block has this size, and is zeroed.
    assert_eq!(unsafe { slice::from_raw_parts(start, 100) }, [0; 100]);
    // SAFETY: `Global` allocates with the program's allocator.
    let start = unsafe { std::alloc::realloc(start, layout(100), 200) };
    // SAFETY: as above.
    unsafe { Global.dealloc(start, layout(200)) };
}

#[test]
fn a_library_can_have_an_allocator_over_it() {
    static BUFFERS: GlobalVm<Global> = GlobalVm::with_parent(Global).reserve_bytes(32 << 20);
    const SIZES: [usize; 6] = [100, 5_000, 1 << 20, 3 << 20, 300 << 10, 100];
    // SAFETY: the size is not zero.
    let mut start = unsafe { BUFFERS.alloc(layout(SIZES[0])) };
    // SAFETY: the block has 100 bytes.
    unsafe { start.write_bytes(7, 100) };
    for sizes in SIZES.windows(2) {
        // SAFETY: the block has this layout, and the new size is not zero.
        start = unsafe { BUFFERS.realloc(start, layout(sizes[0]), sizes[1]) };
        assert_eq!(start.addr() % 64, 0);
        // SAFETY: no size is less than 100 bytes, which were written.
        assert_eq!(unsafe { slice::from_raw_parts(start, 100) }, [7; 100]);
    }
    // SAFETY: the block has this layout, which is small, so it is the program's.
    unsafe { std::alloc::dealloc(start, layout(100)) };
}
