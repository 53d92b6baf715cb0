//! The allocator of a process, chosen by an environment variable.
//!
//! One binary serves every measurement, so the choice is made at a process's first allocation and holds for its
//! life: each block is freed by the allocator that it came from. It costs one relaxed load and an indirect
//! call, for all allocators alike, and a growing array calls its allocator a few dozen times in a run.

#![expect(
    unsafe_code,
    reason = "a global allocator is an unsafe trait, and so is reading the C environment"
)]

use std::alloc::{GlobalAlloc, Layout};
use std::ffi::CStr;
use std::fmt;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The variable in a child's environment; its value is the digit of the allocator.
const VARIABLE: &str = "STAYPUT_BENCH_ALLOCATOR";

const VARIABLE_C: &CStr = c"STAYPUT_BENCH_ALLOCATOR";

/// Selects the allocator with that number for a child.
pub fn set_for(child: &mut Command, number: usize) {
    child.env(VARIABLE, number.to_string());
}

/// A global allocator that delegates to one of several, numbered by their places. Defaults to the first.
pub struct Switch {
    allocators: &'static [&'static (dyn GlobalAlloc + Sync)],
    choice: AtomicUsize,
}

/// Larger than the number of any allocator.
const UNDECIDED: usize = usize::MAX;

impl Switch {
    /// Creates a switch between these allocators.
    ///
    /// # Panics
    ///
    /// Panics if there are none, or more than ten.
    pub const fn new(allocators: &'static [&'static (dyn GlobalAlloc + Sync)]) -> Self {
        assert!(!allocators.is_empty() && allocators.len() <= 10, "the number must be a digit");
        Self { allocators, choice: AtomicUsize::new(UNDECIDED) }
    }

    /// Returns the number of this process's allocator.
    // Relaxed suffices: the value guards no other memory, and every thread would choose alike.
    pub fn number(&self) -> usize {
        match self.choice.load(Ordering::Relaxed) {
            UNDECIDED => self.decide(),
            decided => decided,
        }
    }

    /// Reads the environment through C, because std's functions allocate.
    #[cold]
    fn decide(&self) -> usize {
        // SAFETY: the name is a C string. A process's first allocation comes from the start-up of its main
        // thread, before any thread exists that could change the environment.
        let value = unsafe { libc::getenv(VARIABLE_C.as_ptr()) };
        let digit = if value.is_null() {
            b'0'
        } else {
            // SAFETY: a C string has at least one byte: the zero that ends it.
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

// SAFETY: every call goes to one of several sound allocators, and always to the same one, since `number`
// returns the same value throughout a process.
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
