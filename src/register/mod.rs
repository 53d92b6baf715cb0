//! The register of all reservations in the process, from which a memory map is built.
//!
//! `records.rs` and `absent.rs` define the same types. Without the feature `memory-map`, `absent.rs` is used: its types hold
//! nothing and do nothing, so callers need no `cfg`.

#[cfg(feature = "memory-map")]
mod version;
#[cfg(not(feature = "memory-map"))]
#[path = "absent.rs"]
mod which;
#[cfg(feature = "memory-map")]
#[path = "records.rs"]
mod which;

#[cfg(feature = "memory-map")]
mod sync {
    //! What [`version`](super::version) is built on. `loom/` replaces it.
    pub(super) use std::sync::atomic;
}

/// Whether reservations are recorded.
pub(crate) const IS_ENABLED: bool = cfg!(feature = "memory-map");

pub(crate) use which::{Label, Name, Place, Registration, TypeName};
#[cfg(feature = "memory-map")]
pub(crate) use which::{NO_COUNT, Snapshot, UNUSED, find_all};
