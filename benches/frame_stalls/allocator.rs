//! What a process can be run under.

use std::alloc::System;

use bench_common::allocator::Switch;
use mimalloc::MiMalloc;
use stayput::alloc::GlobalVm;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Allocator {
    System,
    Mimalloc,
    /// [`GlobalVm`], over the system's.
    VmSystem,
}

/// Each at the place that its number says.
#[global_allocator]
pub(crate) static GLOBAL: Switch = Switch::new(&[&System, &MiMalloc, const { &GlobalVm::new() }]);
