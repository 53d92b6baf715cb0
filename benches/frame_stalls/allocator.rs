//! The allocators that a process can run under.

use std::alloc::System;

use bench_common::allocator::Switch;
use mimalloc::MiMalloc;
use stayput::alloc::GlobalVm;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Allocator {
    System,
    Mimalloc,
    /// [`GlobalVm`] over the system's allocator.
    VmSystem,
}

/// Each allocator is at the index that is its number.
#[global_allocator]
pub(crate) static GLOBAL: Switch = Switch::new(&[&System, &MiMalloc, const { &GlobalVm::new() }]);
