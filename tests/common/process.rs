//! Limits, statistics and forks of a process on Linux.

#![allow(dead_code, reason = "no test binary uses all of it")]
#![expect(unsafe_code, reason = "sets limits and timers, and forks")]

use stayput::page_size;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{fs, io, mem, panic, ptr};

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

/// Sets a limit that can be raised again, or raises it as far as this process may.
pub(crate) fn limit_softly(resource: Resource, bytes: Option<usize>) {
    let mut before = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: this writes one `rlimit`.
    let result = unsafe { libc::getrlimit(resource, &raw mut before) };
    assert_eq!(result, 0, "{}", io::Error::last_os_error());
    let most = before.rlim_max;
    limit(resource, bytes.map_or(most, |bytes| bytes as libc::rlim_t), most);
}

/// Returns a field of `/proc/self/statm`, in bytes.
pub(crate) fn statm(field: usize) -> usize {
    let text = fs::read_to_string("/proc/self/statm").expect("it is Linux");
    let pages = text.split_whitespace().nth(field).expect("it is listed");
    pages.parse::<usize>().expect("a number") * page_size()
}

/// Returns the number of open files.
pub(crate) fn open_files() -> usize {
    fs::read_dir("/proc/self/fd").expect("it is Linux").count()
}

/// Runs a closure while timers interrupt this thread every few dozen microseconds: more often, and it would do
/// nothing else. The handlers do not restart system calls.
pub(crate) fn interrupted<R>(run: impl FnOnce() -> R) -> R {
    static COUNT: AtomicUsize = AtomicUsize::new(0);

    extern "C" fn count(_: libc::c_int) {
        COUNT.fetch_add(1, Ordering::Relaxed);
    }

    // A sanitizer takes longer for a signal than there is between two.
    if statm(0) >> 20 > 1 << 20 {
        return run();
    }
    let handler: extern "C" fn(libc::c_int) = count;
    let mut timers: [libc::timer_t; 2] = [ptr::null_mut(); 2];
    let before = COUNT.load(Ordering::Relaxed);
    for ((timer, signal), nanoseconds) in
        timers.iter_mut().zip([libc::SIGALRM, libc::SIGPROF]).zip([40_000, 70_000])
    {
        // SAFETY: all zeros are a valid action: no flags, and an empty mask.
        let mut action: libc::sigaction = unsafe { mem::zeroed() };
        action.sa_sigaction = handler as libc::sighandler_t;
        // SAFETY: the handler only adds to an atomic.
        let result = unsafe { libc::sigaction(signal, &raw const action, ptr::null_mut()) };
        assert_eq!(result, 0, "{}", io::Error::last_os_error());
        // SAFETY: all zeros are a valid `sigevent`.
        let mut event: libc::sigevent = unsafe { mem::zeroed() };
        (event.sigev_notify, event.sigev_signo) = (libc::SIGEV_THREAD_ID, signal);
        // SAFETY: the call takes no arguments.
        event.sigev_notify_thread_id = unsafe { libc::gettid() };
        let clock = libc::CLOCK_MONOTONIC;
        // SAFETY: the call reads the event, and writes the timer.
        let result = unsafe { libc::timer_create(clock, &raw mut event, timer) };
        assert_eq!(result, 0, "{}", io::Error::last_os_error());
        let period = libc::timespec { tv_sec: 0, tv_nsec: nanoseconds };
        let time = libc::itimerspec { it_interval: period, it_value: period };
        // SAFETY: the timer was just created; the call reads the time.
        let result = unsafe { libc::timer_settime(*timer, 0, &raw const time, ptr::null_mut()) };
        assert_eq!(result, 0, "{}", io::Error::last_os_error());
    }
    let result = run();
    for timer in timers {
        // SAFETY: it is deleted once.
        assert_eq!(unsafe { libc::timer_delete(timer) }, 0);
    }
    assert!(COUNT.load(Ordering::Relaxed) > before + 10, "there were hardly any signals");
    result
}

/// Runs a closure in a forked child, and returns the signal that has ended it, if one has. No other thread may be in the
/// middle of using anything that the closure uses.
pub(crate) fn signal_of(run: impl FnOnce()) -> Option<libc::c_int> {
    // SAFETY: the caller guarantees that no other thread is using what the child uses.
    let child = unsafe { libc::fork() };
    assert!(child >= 0, "{}", io::Error::last_os_error());
    if child == 0 {
        let result = panic::catch_unwind(panic::AssertUnwindSafe(run));
        // SAFETY: as in `forked`.
        unsafe { libc::_exit(i32::from(result.is_err())) };
    }
    let mut status = 0;
    // SAFETY: this writes one number.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    libc::WIFSIGNALED(status).then(|| libc::WTERMSIG(status))
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
