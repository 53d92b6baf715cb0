//! What a process can be run under.

use std::alloc::System;

use bench_common::allocator::Switch;
use mimalloc::MiMalloc;
use serde::{Deserialize, Serialize};
use stayput::HugePages;
use stayput::alloc::GlobalVm;
#[cfg(unix)]
use tikv_jemallocator::Jemalloc;

/// The system's allocator or a peer's, or `GlobalVm` over it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Allocator {
    System,
    Mimalloc,
    VmSystem,
    /// The same, without huge pages.
    VmSmallPages,
    VmMimalloc,
    #[cfg(unix)]
    Jemalloc,
    #[cfg(unix)]
    VmJemalloc,
}

/// Each at the place that its number says.
#[global_allocator]
pub(crate) static GLOBAL: Switch = Switch::new(&[
    &System,
    &MiMalloc,
    const { &GlobalVm::new() },
    const { &GlobalVm::new().huge_pages(HugePages::Never) },
    const { &GlobalVm::with_parent(MiMalloc) },
    #[cfg(unix)]
    &Jemalloc,
    #[cfg(unix)]
    const {
        &GlobalVm::with_parent(Jemalloc)
    },
]);
