//! Allocators for std and third-party containers.
//!
//! | type | what it is | how a container uses it |
//! |---|---|---|
//! | [`Arena`] | a bump allocator in one reservation, with scopes | `arena.alloc(value)`; `&arena` is an allocator |
//! | [`VmAlloc`] | an allocator whose large blocks grow in place | `Vec::new_in(VmAlloc::new())` |
//! | [`GlobalVm`] | the same allocator for the whole program | `#[global_allocator]` |
//! | [`Global`] | the program's allocator, for use as the parent of a library's allocator | `GlobalVm::with_parent(Global)` |
//!
//! There are three traits `Allocator`: those of two versions of the crate `allocator-api2`, and the unstable one in
//! std. The features `allocator-api2-02` and `allocator-api2-04` implement the first two, and `--cfg stayput_nightly`
//! std's.

pub(crate) mod arena;
mod block;
mod global;
mod layout;
mod program;
mod vm_alloc;

// The implementations of the `Allocator` traits.
#[cfg(any(feature = "allocator-api2-02", feature = "allocator-api2-04", stayput_nightly))]
mod handle;
#[cfg(any(feature = "allocator-api2-02", feature = "allocator-api2-04", stayput_nightly))]
mod raw;
#[cfg(any(feature = "allocator-api2-02", feature = "allocator-api2-04", stayput_nightly))]
mod traits;

pub use arena::{Arena, ArenaBox, ArenaBuilder, ArenaStats, Scope, ScopeGuard, Unsizing};
pub use global::GlobalVm;
pub use program::Global;
pub use vm_alloc::{AllocStats, SizeClassStats, VmAlloc, stats, trim};

use layout::NonZeroLayout;
use std::alloc::{GlobalAlloc, Layout};
use std::ptr::NonNull;

/// What allocated memory is required to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Contents {
    Any,
    Zeroed,
}

/// How the size of a block changes. Callers know this, so the code for the other case is not compiled into them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    /// It does not become smaller. The memory past the old size is required to hold this.
    Grow(Contents),
    /// It does not become larger.
    #[cfg_attr(
        not(any(feature = "allocator-api2-02", feature = "allocator-api2-04", stayput_nightly)),
        allow(dead_code, reason = "only the `Allocator` traits shrink blocks")
    )]
    Shrink,
}

#[expect(unsafe_code, reason = "allocates from the parent")]
impl Contents {
    /// Allocates memory with these contents.
    #[inline]
    fn of<P: GlobalAlloc>(self, parent: &P, layout: NonZeroLayout) -> Option<NonNull<u8>> {
        let alloc: unsafe fn(&P, Layout) -> *mut u8 = match self {
            Self::Any => P::alloc,
            Self::Zeroed => P::alloc_zeroed,
        };
        // SAFETY: a `NonZeroLayout` has "non-zero size", which is all that both functions require.
        NonNull::new(unsafe { alloc(parent, layout.get()) })
    }
}
