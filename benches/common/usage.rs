//! The memory and page faults of this process, as reported by the system.

#![cfg_attr(
    unix,
    expect(unsafe_code, reason = "getrusage is a C call that fills a structure it is given")
)]

/// Returns the number of page faults without disk access; `None` if the system does not say. On Linux those of
/// this thread only, since other threads may run at the same time.
#[cfg(unix)]
pub fn page_faults() -> Option<u64> {
    #[cfg(target_os = "linux")]
    const WHO: libc::c_int = libc::RUSAGE_THREAD;
    #[cfg(not(target_os = "linux"))]
    const WHO: libc::c_int = libc::RUSAGE_SELF;
    u64::try_from(resource_usage(WHO)?.ru_minflt).ok()
}

/// Returns the number of page faults, which this system does not report.
#[cfg(not(unix))]
pub fn page_faults() -> Option<u64> {
    None
}

/// Returns the number of page faults of all threads without disk access; `None` if the system does not say.
#[cfg(unix)]
pub fn page_faults_of_all() -> Option<u64> {
    u64::try_from(resource_usage(libc::RUSAGE_SELF)?.ru_minflt).ok()
}

/// Returns the number of page faults of all threads, which this system does not report.
#[cfg(not(unix))]
pub fn page_faults_of_all() -> Option<u64> {
    None
}

/// Returns the memory that programs can take before the system has to swap.
#[cfg(target_os = "linux")]
pub fn available_bytes() -> Option<u64> {
    bytes_in("/proc/meminfo", "MemAvailable:")
}

/// Returns the memory that programs can take, which this system does not report.
#[cfg(not(target_os = "linux"))]
pub fn available_bytes() -> Option<u64> {
    None
}

/// Returns the most memory that was ever resident in this process. On Linux this is not `ru_maxrss`, which a
/// child process inherits from its parent.
#[cfg(target_os = "linux")]
pub fn peak_rss_bytes() -> Option<u64> {
    bytes_in("/proc/self/status", "VmHWM:")
}

/// Reads the number of KiB in the line of a file that begins with `name`.
#[cfg(target_os = "linux")]
fn bytes_in(path: &str, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(path).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kib * 1024)
}

/// Returns the most memory that was ever resident in this process.
#[cfg(all(unix, not(target_os = "linux")))]
pub fn peak_rss_bytes() -> Option<u64> {
    let unit = if cfg!(target_vendor = "apple") { 1 } else { 1024 };
    Some(u64::try_from(resource_usage(libc::RUSAGE_SELF)?.ru_maxrss).ok()? * unit)
}

/// Returns the most memory that was ever resident, which this system does not report.
#[cfg(not(unix))]
pub fn peak_rss_bytes() -> Option<u64> {
    None
}

/// Returns the resident memory of this process, exactly: by walking the page tables, since the counters in
/// `status` may lag by some pages.
#[cfg(target_os = "linux")]
pub fn resident_bytes() -> Option<u64> {
    bytes_in("/proc/self/smaps_rollup", "Rss:")
}

/// Returns the resident memory of this process, which this system does not report.
#[cfg(not(target_os = "linux"))]
pub fn resident_bytes() -> Option<u64> {
    None
}

/// Reads the resident memory of this process without allocating.
#[derive(Debug)]
pub struct Resident {
    #[cfg(target_os = "linux")]
    statm: std::fs::File,
    #[cfg(target_os = "linux")]
    page_bytes: u64,
}

/// Reads `/proc/self/statm`, whose second number is in pages. The kernel's count lags by some dozens of pages a
/// core.
#[cfg(target_os = "linux")]
impl Resident {
    /// Opens the file; `None` if the system has none.
    pub fn open() -> Option<Self> {
        // SAFETY: the call takes a number, and no pointer.
        let page_bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        Some(Self {
            statm: std::fs::File::open("/proc/self/statm").ok()?,
            page_bytes: page_bytes.try_into().ok()?,
        })
    }

    /// Returns the resident bytes.
    pub fn bytes(&self) -> Option<u64> {
        let mut text = [0; 128];
        let length = std::os::unix::fs::FileExt::read_at(&self.statm, &mut text, 0).ok()?;
        let text = std::str::from_utf8(text.get(..length)?).ok()?;
        let pages: u64 = text.split(' ').nth(1)?.parse().ok()?;
        Some(pages * self.page_bytes)
    }
}

#[cfg(not(target_os = "linux"))]
impl Resident {
    /// Returns `None`, because this system does not report it.
    pub fn open() -> Option<Self> {
        None
    }

    /// Returns the resident bytes.
    pub fn bytes(&self) -> Option<u64> {
        None
    }
}

#[cfg(unix)]
fn resource_usage(who: libc::c_int) -> Option<libc::rusage> {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the pointer is to a structure of the type that the call fills.
    let result = unsafe { libc::getrusage(who, usage.as_mut_ptr()) };
    // SAFETY: the structure consists of integers, for which its initial zeroes are valid.
    let usage = unsafe { usage.assume_init() };
    (result == 0).then_some(usage)
}
