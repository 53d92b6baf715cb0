//! Allocators on memory that never moves: [`Arena`].

pub(crate) mod arena;
mod raw;
#[cfg(any(feature = "allocator-api2-02", feature = "allocator-api2-04", feature = "nightly"))]
mod traits;

pub use arena::{Arena, ArenaBox, ArenaBuilder, ArenaStats, Scope, ScopeGuard};
