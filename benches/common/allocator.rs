//! The allocator of a process, chosen by its environment.
//!
//! One binary serves every measurement, so the choice is made when a process first allocates and
//! holds for its life: whatever is freed goes back to the allocator that it came from. The choice
//! costs one relaxed load and an indirect call, the same for all, and a growing array calls its
//! allocator a few dozen times in a run.

#![expect(
    unsafe_code,
    reason = "a global allocator is an unsafe trait, and so is reading the C environment"
)]

use std::alloc::{GlobalAlloc, Layout};
use std::ffi::CStr;
use std::fmt;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Set in a child's environment, to the digit of the allocator to run it under.
const VARIABLE: &str = "STAYPUT_BENCH_ALLOCATOR";

const VARIABLE_C: &CStr = c"STAYPUT_BENCH_ALLOCATOR";

/// Has a child be run under the allocator of that number.
pub fn set_for(child: &mut Command, number: usize) {
    child.env(VARIABLE, number.to_string());
}

/// A global allocator that is one of several, numbered by their places: the first, unless the
/// environment names another.
pub struct Switch {
    allocators: &'static [&'static (dyn GlobalAlloc + Sync)],
    choice: AtomicUsize,
}

/// The numbers of allocators are below.
const UNDECIDED: usize = usize::MAX;

impl Switch {
    /// One of these.
    ///
    /// # Panics
    ///
    /// If there are none, or more than ten.
    pub const fn new(allocators: &'static [&'static (dyn GlobalAlloc + Sync)]) -> Self {
        assert!(!allocators.is_empty() && allocators.len() <= 10, "a digit names one");
        Self { allocators, choice: AtomicUsize::new(UNDECIDED) }
    }

    /// The number of this process's.
    // Relaxed suffices: the value guards no other memory, and every thread would decide alike.
    pub fn number(&self) -> usize {
        match self.choice.load(Ordering::Relaxed) {
            UNDECIDED => self.decide(),
            decided => decided,
        }
    }

    /// Reads the environment through C, since std's way of reading it allocates.
    #[cold]
    fn decide(&self) -> usize {
        // SAFETY: the name is a C string. The first allocation of a process comes from the start-up
        // of its main thread, before any thread exists that could write to the environment.
        let value = unsafe { libc::getenv(VARIABLE_C.as_ptr()) };
        let digit = if value.is_null() {
            b'0'
        } else {
            // SAFETY: a C string, which has one byte at least: the zero that ends it.
            unsafe { value.cast::<u8>().read() }
        };
        let known = usize::from(digit.wrapping_sub(b'0'));
        let choice = if known < self.allocators.len() { known } else { 0 };
        self.choice.store(choice, Ordering::Relaxed);
        choice
    }

    fn chosen(&self) -> &'static (dyn GlobalAlloc + Sync) {
        self.allocators[self.number()]
    }
}

impl fmt::Debug for Switch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Switch").field("number", &self.number()).finish_non_exhaustive()
    }
}

// SAFETY: every call goes to one of several sound allocators, and always to the same one, since
// `number` never changes its answer within a process.
unsafe impl GlobalAlloc for Switch {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps `alloc`'s contract.
        unsafe { self.chosen().alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps `alloc_zeroed`'s contract.
        unsafe { self.chosen().alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps `dealloc`'s contract, and the block came from the same allocator.
        unsafe { self.chosen().dealloc(ptr, layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: the caller keeps `realloc`'s contract, and the block came from the same allocator.
        unsafe { self.chosen().realloc(ptr, layout, new_size) }
    }
}
