//! What a program is run under.

use serde::Serialize;

use crate::allocator::Allocator;

/// An allocator with its settings.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Contender {
    /// For people.
    pub(crate) name: &'static str,
    pub(crate) allocator: Allocator,
    /// In the environment.
    pub(crate) variables: &'static [(&'static str, &'static str)],
    /// Whose figures the others are compared with.
    #[serde(skip)]
    pub(crate) is_base: bool,
}

/// What its users call it.
const SYSTEM_NAME: &str =
    if cfg!(all(target_os = "linux", target_env = "gnu")) { "glibc" } else { "system" };

const fn plain(name: &'static str, allocator: Allocator) -> Contender {
    Contender { name, allocator, variables: &[], is_base: false }
}

const GLOBAL_VM: Contender = Contender { is_base: true, ..plain("GlobalVm", Allocator::VmSystem) };

/// The system's allocator, as it comes.
pub(crate) const SYSTEM: &Contender = &plain(SYSTEM_NAME, Allocator::System);

const MIMALLOC: Contender = plain("mimalloc", Allocator::Mimalloc);

#[cfg(unix)]
const JEMALLOC: Contender = plain("jemalloc", Allocator::Jemalloc);

/// `GlobalVm`, and then its peers, with no settings.
pub(crate) const AS_THEY_COME: &[Contender] = &[
    GLOBAL_VM,
    *SYSTEM,
    MIMALLOC,
    #[cfg(unix)]
    JEMALLOC,
];

/// Peers as they come, and those that take no huge pages unless they are told to, also with them.
pub(crate) const ALL: &[Contender] = &[
    GLOBAL_VM,
    plain("GlobalVm, small pages", Allocator::VmSmallPages),
    plain("GlobalVm over mimalloc", Allocator::VmMimalloc),
    #[cfg(unix)]
    plain("GlobalVm over jemalloc", Allocator::VmJemalloc),
    *SYSTEM,
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    Contender {
        variables: &[("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1")],
        ..plain("glibc, huge pages", Allocator::System)
    },
    MIMALLOC,
    #[cfg(unix)]
    JEMALLOC,
    #[cfg(target_os = "linux")]
    Contender {
        variables: &[("_RJEM_MALLOC_CONF", "thp:always")],
        ..plain("jemalloc, huge pages", Allocator::Jemalloc)
    },
];
