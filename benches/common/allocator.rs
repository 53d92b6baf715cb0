//! The allocator of a process, by its environment: the system's or a peer's, or `GlobalVm` over it.
//!
//! One binary serves every measurement, so the choice is made when a process first allocates and
//! holds for its life: whatever is freed goes back to the allocator that it came from. The choice
//! costs one relaxed load and an indirect call, the same for all, and a growing array calls its
//! allocator a few dozen times in a run.

#![expect(
    unsafe_code,
    reason = "a global allocator is an unsafe trait, and so is reading the C environment"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::CStr;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use mimalloc::MiMalloc;
use serde::{Deserialize, Serialize};
use stayput::HugePages;
use stayput::alloc::GlobalVm;
#[cfg(unix)]
use tikv_jemallocator::Jemalloc;

/// Set in a child's environment, to the digit of the allocator to run it under.
const VARIABLE: &str = "STAYPUT_BENCH_ALLOCATOR";

const VARIABLE_C: &CStr = c"STAYPUT_BENCH_ALLOCATOR";

/// What a process can be run under.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Allocator {
    System,
    Mimalloc,
    #[cfg(unix)]
    Jemalloc,
    VmSystem,
    /// The same, without huge pages.
    VmSmallPages,
    VmMimalloc,
    #[cfg(unix)]
    VmJemalloc,
}

impl Allocator {
    /// Each at the place that its number says.
    const ALL: &[Self] = &[
        Self::System,
        Self::Mimalloc,
        #[cfg(unix)]
        Self::Jemalloc,
        Self::VmSystem,
        Self::VmSmallPages,
        Self::VmMimalloc,
        #[cfg(unix)]
        Self::VmJemalloc,
    ];

    /// The allocator of this process.
    pub(crate) fn current() -> Self {
        Self::ALL[choice()]
    }

    /// Has a child be run under it.
    pub(crate) fn set_for(self, child: &mut Command) {
        child.env(VARIABLE, (self as usize).to_string());
    }

    const fn stands_for(self) -> &'static (dyn GlobalAlloc + Sync) {
        match self {
            Self::System => &System,
            Self::Mimalloc => &MiMalloc,
            #[cfg(unix)]
            Self::Jemalloc => &Jemalloc,
            Self::VmSystem => const { &GlobalVm::new() },
            Self::VmSmallPages => const { &GlobalVm::new().huge_pages(HugePages::Never) },
            Self::VmMimalloc => const { &GlobalVm::with_parent(MiMalloc) },
            #[cfg(unix)]
            Self::VmJemalloc => const { &GlobalVm::with_parent(Jemalloc) },
        }
    }
}

#[global_allocator]
static GLOBAL: Switch = Switch;

struct Switch;

/// The numbers of allocators are below.
const UNDECIDED: usize = usize::MAX;

static CHOICE: AtomicUsize = AtomicUsize::new(UNDECIDED);

// Relaxed suffices: the value guards no other memory, and every thread would decide alike.
fn choice() -> usize {
    match CHOICE.load(Ordering::Relaxed) {
        UNDECIDED => decide(),
        decided => decided,
    }
}

/// Reads the environment through C, since std's way of reading it allocates.
#[cold]
fn decide() -> usize {
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
    let choice = if known < Allocator::ALL.len() { known } else { Allocator::System as usize };
    CHOICE.store(choice, Ordering::Relaxed);
    choice
}

fn chosen() -> &'static (dyn GlobalAlloc + Sync) {
    Allocator::ALL[choice()].stands_for()
}

// SAFETY: every call goes to one of several sound allocators, and always to the same one, since
// `choice` never changes its answer within a process.
unsafe impl GlobalAlloc for Switch {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps `alloc`'s contract.
        unsafe { chosen().alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps `alloc_zeroed`'s contract.
        unsafe { chosen().alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps `dealloc`'s contract, and the block came from the same allocator.
        unsafe { chosen().dealloc(ptr, layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: the caller keeps `realloc`'s contract, and the block came from the same allocator.
        unsafe { chosen().realloc(ptr, layout, new_size) }
    }
}
