//! Real limits of the system, each in a process of its own: what is refused is an `Error` that
//! names the limit, and the array is as it was.
#![cfg(target_os = "linux")]

mod block;
mod blocks;
#[path = "../common/child.rs"]
mod child;
mod containers;
#[cfg(target_pointer_width = "64")]
mod crowds;
#[path = "../common/effort.rs"]
mod effort;
mod forks;
mod groups;
#[cfg(target_pointer_width = "64")]
mod hostile;
// With 32 bits, blocks have no room, and are not kept.
#[cfg(target_pointer_width = "64")]
mod kept;
mod linux;
mod locked;
mod many;
#[cfg(feature = "memory-map")]
mod memory_map;
#[path = "../common/process.rs"]
mod process;
#[path = "../common/random.rs"]
mod random;
mod reentry;
mod refused;
#[cfg(target_pointer_width = "64")]
mod rooms;
mod service;
mod signals;
mod sizes;
mod small;
mod soak;
mod stack;
mod stress;
mod supplied;
#[cfg(target_pointer_width = "64")]
mod system;

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;
const GIB: usize = 1 << 30;
