//! The allocators that a process can run under.

use std::alloc::System;

use bench_common::allocator::Switch;
use mimalloc::MiMalloc;
use serde::{Deserialize, Serialize};
use stayput::alloc::GlobalVm;
use stayput::{HugePages, Release};
#[cfg(unix)]
use tikv_jemallocator::Jemalloc;

/// The system's allocator, a peer's, or `GlobalVm` over one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Allocator {
    System,
    Mimalloc,
    VmSystem,
    /// `GlobalVm` over the system's allocator, without huge pages.
    VmSmallPages,
    /// `GlobalVm` over the system's allocator, whose background thread releases memory.
    VmBackground,
    VmMimalloc,
    #[cfg(unix)]
    Jemalloc,
    #[cfg(unix)]
    VmJemalloc,
}

/// Each allocator is at the index that is its number.
#[global_allocator]
pub static GLOBAL: Switch = Switch::new(&[
    &System,
    &MiMalloc,
    const { &GlobalVm::new() },
    const { &GlobalVm::new().huge_pages(HugePages::Never) },
    const { &GlobalVm::new().release(Release::Background) },
    const { &GlobalVm::with_parent(MiMalloc) },
    #[cfg(unix)]
    &Jemalloc,
    #[cfg(unix)]
    const {
        &GlobalVm::with_parent(Jemalloc)
    },
]);
