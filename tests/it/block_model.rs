//! After any operations on blocks of a `GlobalVm`, each holds what was written to it, and no two overlap.

use crate::block_op::{Blocks, Op, tried};
use crate::made;
use stayput::alloc::GlobalVm;

fn holds(alloc: &'static GlobalVm) {
    made::run_with(15, 1..60, |(), ops: &[Op]| {
        Blocks::run(alloc, ops);
    });
}

#[test]
fn blocks_with_room_keep_their_contents() {
    holds(&tried::ROOMY);
}

#[test]
fn blocks_with_little_room_keep_their_contents() {
    holds(&tried::TIGHT);
}

#[test]
fn blocks_without_room_keep_their_contents() {
    holds(&tried::BARE);
}

#[test]
fn blocks_of_huge_pages_keep_their_contents() {
    holds(&tried::HUGE);
}

#[cfg(feature = "allocator-api2-02")]
mod adapted {
    use super::*;
    use crate::block_adapted::Adapted;
    use stayput::alloc::VmAlloc;
    use stayput::{Arena, HugePages};

    #[test]
    fn blocks_of_a_container_allocator_keep_their_contents() {
        made::run_with(8, 1..60, |room: u8, ops: &[Op]| {
            let room = 12 + room % 14;
            let alloc = VmAlloc::new().threshold_bytes(0).reserve_bytes((1 << room) - 1);
            Blocks::run(&Adapted(alloc), ops);
        });
    }

    #[test]
    fn blocks_in_an_arena_keep_their_contents() {
        made::run_with(5, 1..40, |never: bool, ops: &[Op]| {
            // Blocks of an arena are only freed at its end, so it must have room for all of them.
            let huge_pages = if never { HugePages::Never } else { HugePages::Auto };
            let arena = Arena::builder().max_bytes(512 << 20).huge_pages(huge_pages).build();
            Blocks::run(&Adapted(&arena), ops);
        });
    }
}
