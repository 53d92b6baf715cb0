//! Fuzzes the model test of blocks: after any operations, each block of a `GlobalVm` holds what was written to it.

#![no_main]

include!("../../tests/common/arbitrary.rs");
#[path = "../../tests/it/block_adapted.rs"]
mod block_adapted;
#[path = "../../tests/it/block_op.rs"]
mod block_op;
#[path = "../rest.rs"]
mod rest;

use block_adapted::Adapted;
use block_op::{Blocks, Op, tried};
use libfuzzer_sys::fuzz_target;
use rest::Rest;
use stayput::Arena;
use stayput::alloc::VmAlloc;

arbitrary! {
    /// How much room blocks have to grow.
    enum Kind {
        Roomy,
        Tight,
        Bare,
        Huge,
        Handle(u8),
        Arena,
    }
}

fuzz_target!(|input: (Kind, Rest<Op>)| {
    let (kind, Rest(ops)) = input;
    let alloc = match kind {
        Kind::Roomy => &tried::ROOMY,
        Kind::Tight => &tried::TIGHT,
        Kind::Bare => &tried::BARE,
        Kind::Huge => &tried::HUGE,
        Kind::Handle(room) => {
            let alloc = VmAlloc::new().threshold_bytes(0).reserve_bytes((1 << (room % 25)) - 1);
            return Blocks::run(&Adapted(alloc), &ops);
        }
        Kind::Arena => {
            let arena = Arena::with_max_bytes(1 << 30);
            // Blocks of an arena are only freed at its end.
            return Blocks::run(&Adapted(&arena), &ops[..ops.len().min(80)]);
        }
    };
    Blocks::run(alloc, &ops);
});
