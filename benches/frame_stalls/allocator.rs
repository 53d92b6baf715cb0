//! What a process can be run under.

use std::alloc::System;
use std::process::Command;

use bench_common::allocator::{self, Switch};
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
static GLOBAL: Switch = Switch::new(&[&System, &MiMalloc, const { &GlobalVm::new() }]);

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
