//! What the system says this process has used.

#![cfg_attr(
    unix,
    expect(unsafe_code, reason = "getrusage is a C call that fills a structure it is given")
)]

/// Page faults of this process so far, without disk access; `None` where the system does not say.
#[cfg(unix)]
pub(crate) fn page_faults() -> Option<u64> {
    u64::try_from(resource_usage()?.ru_minflt).ok()
}

#[cfg(not(unix))]
pub(crate) fn page_faults() -> Option<u64> {
    None
}

/// The most memory that was ever resident in this process. On Linux this is not `ru_maxrss`,
/// which a child process inherits from its parent.
#[cfg(target_os = "linux")]
pub(crate) fn peak_rss_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kib * 1024)
}

#[cfg(all(unix, not(target_os = "linux")))]
pub(crate) fn peak_rss_bytes() -> Option<u64> {
    let unit = if cfg!(target_vendor = "apple") { 1 } else { 1024 };
    Some(u64::try_from(resource_usage()?.ru_maxrss).ok()? * unit)
}

#[cfg(not(unix))]
pub(crate) fn peak_rss_bytes() -> Option<u64> {
    None
}

#[cfg(unix)]
fn resource_usage() -> Option<libc::rusage> {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the pointer is to a structure of the type that the call fills.
    let result = unsafe { libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr()) };
    // SAFETY: the structure consists of integers, for which the zeroes it was made of are valid.
    let usage = unsafe { usage.assume_init() };
    (result == 0).then_some(usage)
}
