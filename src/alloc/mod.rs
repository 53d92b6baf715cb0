//! Memory for other people's containers: arenas, allocators, the program's allocator.
//!
//! | type | what it is | how it is put under a container |
//! |---|---|---|
//! | [`Arena`] | a bump allocator in one reservation, with scopes | `arena.alloc(value)`; `&arena` is an allocator |
//! | [`VmAlloc`] | an allocator whose large blocks grow in place | `Vec::new_in(VmAlloc::new())` |
//! | [`GlobalVm`] | the same for the whole program | `#[global_allocator]` |
//!
//! The trait `Allocator` exists three times over: two versions of the crate `allocator-api2`, and an
//! unstable one in std. The first two are implemented with the feature of their name
//! (`allocator-api2-02`, `allocator-api2-04`), std's where the compiler is given `--cfg stayput_nightly`.

pub(crate) mod arena;
mod block;
mod global;
mod vm_alloc;

// What makes the traits `Allocator`.
#[cfg(any(feature = "allocator-api2-02", feature = "allocator-api2-04", stayput_nightly))]
mod handle;
#[cfg(any(feature = "allocator-api2-02", feature = "allocator-api2-04", stayput_nightly))]
mod raw;
#[cfg(any(feature = "allocator-api2-02", feature = "allocator-api2-04", stayput_nightly))]
mod traits;

pub use arena::{Arena, ArenaBox, ArenaBuilder, ArenaStats, Scope, ScopeGuard, Unsizing};
pub use global::GlobalVm;
pub use vm_alloc::{AllocStats, VmAlloc, stats, trim};

use std::alloc::{GlobalAlloc, Layout};
use std::ptr::NonNull;

/// What memory is to hold that is handed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Contents {
    Any,
    Zeroed,
}

#[expect(unsafe_code, reason = "passes on the caller's promise")]
impl Contents {
    /// Such memory of an allocator.
    ///
    /// # Safety
    ///
    /// - The size of the layout is not zero.
    #[inline]
    unsafe fn of(self, parent: &impl GlobalAlloc, layout: Layout) -> Option<NonNull<u8>> {
        NonNull::new(match self {
            // SAFETY: the caller's promise is the same.
            Self::Any => unsafe { parent.alloc(layout) },
            // SAFETY: the caller's promise is the same.
            Self::Zeroed => unsafe { parent.alloc_zeroed(layout) },
        })
    }
}
