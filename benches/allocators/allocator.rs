//! What a process can be run under.

use std::alloc::System;
use std::process::Command;

use bench_common::allocator::{self, Switch};
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
static GLOBAL: Switch = Switch::new(&[
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

impl Allocator {
    /// Whether it is that of this process.
    pub(crate) fn is_current(self) -> bool {
        GLOBAL.number() == self as usize
    }

    /// Has a child be run under it.
    pub(crate) fn set_for(self, child: &mut Command) {
        allocator::set_for(child, self as usize);
    }
}
