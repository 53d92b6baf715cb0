//! Large values on a small stack, in builds without optimisation.

use crate::KIB;
use crate::linux::in_child_limiting;
use stayput::{Arena, VmVec};
use std::hint::black_box;
use std::thread;

/// Runs on a thread with a stack of 2 MiB, which is the default. An overflow ends the process.
fn on_a_thread(run: fn()) {
    thread::Builder::new().stack_size(2048 * KIB).spawn(run).unwrap().join().unwrap();
}

/// `Vec` has room for 960 KiB, `bumpalo` for 384 by value and for 1,792 by a closure.
#[test]
#[expect(clippy::large_stack_arrays, reason = "it is what this is about")]
fn the_stack_of_a_thread_has_room_for_large_values() {
    in_child_limiting("the stack", || {
        on_a_thread(|| {
            let mut array = VmVec::new();
            array.push([1_u8; 960 * KIB]);
            black_box(&array);
        });
        on_a_thread(|| {
            let mut array = VmVec::new();
            array.try_push([1_u8; 384 * KIB]).unwrap();
            black_box(&array);
        });
        on_a_thread(|| _ = black_box(Arena::new().alloc([1_u8; 448 * KIB])));
        on_a_thread(|| _ = black_box(Arena::new().alloc_with(|| [1_u8; 1920 * KIB])));
    });
}
