//! The contenders: allocators and their settings.

use std::fmt::{self, Display};
use std::process::Command;

use bench_common::allocator;
use bench_common::harness::Result;
use bench_common::jobs::Job;
use serde::{Deserialize, Serialize};

use crate::allocator::{Allocator, GLOBAL};

/// An allocator with its settings.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Contender {
    /// For tables.
    pub name: &'static str,
    pub allocator: Allocator,
    /// Set in the child's environment.
    pub variables: &'static [(&'static str, &'static str)],
    #[serde(skip)]
    pub is_base: bool,
}

impl Contender {
    /// Whether it is the system's allocator with default settings.
    #[must_use]
    pub fn is_system(&self) -> bool {
        self.allocator == Allocator::System && self.variables.is_empty()
    }

    /// Whether it is a `GlobalVm`.
    #[must_use]
    pub fn is_ours(&self) -> bool {
        self.name.starts_with(GLOBAL_VM.name)
    }

    /// Runs a job under it in a new process.
    pub fn outcome<J: Job>(&self, job: J) -> Result<J::Outcome> {
        let Self { name, allocator, variables, .. } = *self;
        let found = Under { allocator, variables, job }.outcome();
        found.map_err(|error| format!("measuring {name}: {error}").into())
    }
}

/// A job with its allocator, done in a process of its own.
#[derive(Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Under<J: Job> {
    allocator: Allocator,
    #[serde(skip)]
    variables: &'static [(&'static str, &'static str)],
    job: J,
}

impl<J: Job> Job for Under<J> {
    type Outcome = J::Outcome;

    fn run(&self) -> Result<J::Outcome> {
        assert_eq!(GLOBAL.number(), self.allocator as usize, "a different allocator");
        self.job.run()
    }

    fn set_up(&self, child: &mut Command) {
        allocator::set_for(child, self.allocator as usize);
        child.envs(self.variables.iter().copied());
    }
}

/// A job under a contender.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Case<J> {
    #[serde(flatten)]
    pub job: J,
    pub contender: Contender,
}

impl<J: Job + Clone> Case<J> {
    /// Does the job in a new process.
    pub fn outcome(&self) -> Result<J::Outcome> {
        self.contender.outcome(self.job.clone())
    }
}

impl<J: Display> Display for Case<J> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.job, self.contender.name)
    }
}

/// Iterates over all jobs, each under all contenders.
pub fn cases<J: Clone>(
    jobs: impl IntoIterator<Item = J>,
    contenders: &[Contender],
) -> impl Iterator<Item = Case<J>> {
    let under =
        |job: J| contenders.iter().map(move |&contender| Case { job: job.clone(), contender });
    jobs.into_iter().flat_map(under)
}

/// The name its users know.
const SYSTEM_NAME: &str =
    if cfg!(all(target_os = "linux", target_env = "gnu")) { "glibc" } else { "system" };

const fn plain(name: &'static str, allocator: Allocator) -> Contender {
    Contender { name, allocator, variables: &[], is_base: false }
}

const GLOBAL_VM: Contender = Contender { is_base: true, ..plain("GlobalVm", Allocator::VmSystem) };

const OVER_MIMALLOC: Contender = plain("GlobalVm over mimalloc", Allocator::VmMimalloc);

/// The system's allocator with default settings.
pub const SYSTEM: &Contender = &plain(SYSTEM_NAME, Allocator::System);

const MIMALLOC: Contender = plain("mimalloc", Allocator::Mimalloc);

#[cfg(unix)]
const JEMALLOC: Contender = plain("jemalloc", Allocator::Jemalloc);

/// `GlobalVm`, then its peers, with default settings.
pub const AS_THEY_COME: &[Contender] = &[
    GLOBAL_VM,
    *SYSTEM,
    MIMALLOC,
    #[cfg(unix)]
    JEMALLOC,
];

/// `GlobalVm`, also with options, then its peers with default settings, and jemalloc as it keeps the most memory.
pub const WITH_KEEPING: &[Contender] = &[
    GLOBAL_VM,
    plain("GlobalVm, Background", Allocator::VmBackground),
    OVER_MIMALLOC,
    *SYSTEM,
    MIMALLOC,
    #[cfg(unix)]
    JEMALLOC,
    #[cfg(unix)]
    Contender {
        variables: &[(
            "_RJEM_MALLOC_CONF",
            "retain:true,thp:always,dirty_decay_ms:-1,muzzy_decay_ms:-1",
        )],
        ..plain("jemalloc, tuned", Allocator::Jemalloc)
    },
];

/// All with default settings; peers that take huge pages only on request, also with them.
pub const ALL: &[Contender] = &[
    GLOBAL_VM,
    plain("GlobalVm, small pages", Allocator::VmSmallPages),
    OVER_MIMALLOC,
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
