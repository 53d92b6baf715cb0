//! Limits, statistics and forks of a process on Linux.

#![allow(dead_code, reason = "no test binary uses all of it")]
#![expect(unsafe_code, reason = "sets limits, and forks")]

use stayput::page_size;
use std::{fs, io, panic};

// glibc has its own type for these numbers; other C libraries use `int`.
#[cfg(target_env = "gnu")]
pub(crate) type Resource = libc::__rlimit_resource_t;
#[cfg(not(target_env = "gnu"))]
pub(crate) type Resource = libc::c_int;

/// Sets a limit, and whether it can be raised again.
fn limit(resource: Resource, rlim_cur: libc::rlim_t, rlim_max: libc::rlim_t) {
    let limit = libc::rlimit { rlim_cur, rlim_max };
    // SAFETY: this reads one `rlimit`.
    let result = unsafe { libc::setrlimit(resource, &raw const limit) };
    assert_eq!(result, 0, "{}", io::Error::last_os_error());
}

pub(crate) fn set_limit(resource: Resource, bytes: usize) {
    let bytes = libc::rlim_t::try_from(bytes).expect("it fits");
    limit(resource, bytes, bytes);
}

/// Sets a limit that can be raised again, or removes it.
pub(crate) fn limit_softly(resource: Resource, bytes: Option<usize>) {
    let most = libc::RLIM_INFINITY;
    limit(resource, bytes.map_or(most, |bytes| bytes as libc::rlim_t), most);
}

/// Returns a field of `/proc/self/statm`, in bytes.
pub(crate) fn statm(field: usize) -> usize {
    let text = fs::read_to_string("/proc/self/statm").expect("it is Linux");
    let pages = text.split_whitespace().nth(field).expect("it is listed");
    pages.parse::<usize>().expect("a number") * page_size()
}

/// Runs a closure in a forked child, which must not fail or hang. No other thread may be in the middle of using
/// anything that the closure uses.
#[track_caller]
pub(crate) fn forked(run: impl FnOnce()) {
    const SECONDS: libc::c_uint = 60;
    // SAFETY: the caller guarantees that no other thread is using what the child uses.
    let child = unsafe { libc::fork() };
    assert!(child >= 0, "{}", io::Error::last_os_error());
    if child == 0 {
        // SAFETY: no memory is passed. The signal ends the child.
        unsafe { libc::alarm(SECONDS) };
        let result = panic::catch_unwind(panic::AssertUnwindSafe(run));
        // SAFETY: this ends the child at once, without the destructors and exit handlers of the parent.
        unsafe { libc::_exit(i32::from(result.is_err())) };
    }
    let mut status = 0;
    // SAFETY: this writes one number.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    assert!(!libc::WIFSIGNALED(status) || libc::WTERMSIG(status) != libc::SIGALRM, "it hangs");
    assert!(libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0, "{status:#x}");
}
