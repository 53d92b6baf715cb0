//! The allocator of a child process: the system's, or mimalloc where the environment asks for it.
//!
//! One binary serves every container, so the choice is made when a process first allocates and
//! holds for its life: whatever is freed goes back to the allocator that it came from. The choice
//! costs one relaxed load and a predictable branch a call, and a growing array calls its
//! allocator a few dozen times in a run.

#![expect(
    unsafe_code,
    reason = "a global allocator is an unsafe trait, and so is reading the C environment"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::CStr;
use std::sync::atomic::{AtomicU8, Ordering};

use mimalloc::MiMalloc;
use serde::{Deserialize, Serialize};

/// Set in a child's environment, to anything, to run it under mimalloc.
pub(crate) const MIMALLOC_VARIABLE: &str = "FRAME_STALLS_MIMALLOC";

const MIMALLOC_VARIABLE_C: &CStr = c"FRAME_STALLS_MIMALLOC";

/// Which allocator a container is measured under.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Allocator {
    System,
    Mimalloc,
}

impl Allocator {
    /// The allocator of this process.
    pub(crate) fn current() -> Self {
        if uses_mimalloc() { Self::Mimalloc } else { Self::System }
    }
}

#[global_allocator]
static GLOBAL: Switch = Switch;

struct Switch;

const UNDECIDED: u8 = 0;
const SYSTEM: u8 = 1;
const MIMALLOC: u8 = 2;

static CHOICE: AtomicU8 = AtomicU8::new(UNDECIDED);

// Relaxed suffices: the value guards no other memory, and every thread would decide alike.
fn uses_mimalloc() -> bool {
    match CHOICE.load(Ordering::Relaxed) {
        SYSTEM => false,
        MIMALLOC => true,
        _ => decide(),
    }
}

/// Reads the environment through C, since std's way of reading it allocates.
#[cold]
fn decide() -> bool {
    // SAFETY: the name is a C string. The first allocation of a process comes from the start-up
    // of its main thread, before any thread exists that could write to the environment.
    let value = unsafe { libc::getenv(MIMALLOC_VARIABLE_C.as_ptr()) };
    let mimalloc = !value.is_null();
    CHOICE.store(if mimalloc { MIMALLOC } else { SYSTEM }, Ordering::Relaxed);
    mimalloc
}

// SAFETY: every call goes to one of two sound allocators, and always to the same one, since
// `uses_mimalloc` never changes its answer within a process.
unsafe impl GlobalAlloc for Switch {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if uses_mimalloc() {
            // SAFETY: the caller keeps `alloc`'s contract.
            unsafe { MiMalloc.alloc(layout) }
        } else {
            // SAFETY: as above.
            unsafe { System.alloc(layout) }
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if uses_mimalloc() {
            // SAFETY: the caller keeps `alloc_zeroed`'s contract.
            unsafe { MiMalloc.alloc_zeroed(layout) }
        } else {
            // SAFETY: as above.
            unsafe { System.alloc_zeroed(layout) }
        }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        if uses_mimalloc() {
            // SAFETY: the caller keeps `dealloc`'s contract, and the block came from mimalloc.
            unsafe { MiMalloc.dealloc(ptr, layout) }
        } else {
            // SAFETY: as above, and the block came from the system.
            unsafe { System.dealloc(ptr, layout) }
        }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        if uses_mimalloc() {
            // SAFETY: the caller keeps `realloc`'s contract, and the block came from mimalloc.
            unsafe { MiMalloc.realloc(ptr, layout, new_size) }
        } else {
            // SAFETY: as above, and the block came from the system.
            unsafe { System.realloc(ptr, layout, new_size) }
        }
    }
}
