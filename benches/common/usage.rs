//! What the system says this process has used.

#![cfg_attr(
    unix,
    expect(unsafe_code, reason = "getrusage is a C call that fills a structure it is given")
)]

/// Page faults so far, without disk access; `None` where the system does not say. On Linux those of
/// this thread alone, for others may work beside it.
#[cfg(unix)]
pub fn page_faults() -> Option<u64> {
    #[cfg(target_os = "linux")]
    const WHO: libc::c_int = libc::RUSAGE_THREAD;
    #[cfg(not(target_os = "linux"))]
    const WHO: libc::c_int = libc::RUSAGE_SELF;
    u64::try_from(resource_usage(WHO)?.ru_minflt).ok()
}

/// Page faults so far: the system does not say.
#[cfg(not(unix))]
pub fn page_faults() -> Option<u64> {
    None
}

/// The most memory that was ever resident in this process. On Linux this is not `ru_maxrss`,
/// which a child process inherits from its parent.
#[cfg(target_os = "linux")]
pub fn peak_rss_bytes() -> Option<u64> {
    bytes_in("/proc/self/status", "VmHWM:")
}

/// By the line of a file that begins so, and has a number of KiB.
#[cfg(target_os = "linux")]
fn bytes_in(path: &str, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(path).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kib * 1024)
}

/// The most memory that was ever resident in this process.
#[cfg(all(unix, not(target_os = "linux")))]
pub fn peak_rss_bytes() -> Option<u64> {
    let unit = if cfg!(target_vendor = "apple") { 1 } else { 1024 };
    Some(u64::try_from(resource_usage(libc::RUSAGE_SELF)?.ru_maxrss).ok()? * unit)
}

/// The most memory that was ever resident in this process: the system does not say.
#[cfg(not(unix))]
pub fn peak_rss_bytes() -> Option<u64> {
    None
}

/// What this process has resident, exactly: by walking the page tables, since the counters in `status` may
/// be some pages behind.
#[cfg(target_os = "linux")]
pub fn resident_bytes() -> Option<u64> {
    bytes_in("/proc/self/smaps_rollup", "Rss:")
}

/// What this process has resident: the system does not say.
#[cfg(not(target_os = "linux"))]
pub fn resident_bytes() -> Option<u64> {
    None
}

/// Tells what this process has resident, without allocating.
#[derive(Debug)]
pub struct Resident {
    #[cfg(target_os = "linux")]
    statm: std::fs::File,
    #[cfg(target_os = "linux")]
    page_bytes: u64,
}

/// By `/proc/self/statm`, whose second number is in pages. The kernel counts a little late, by some
/// dozens of pages a core.
#[cfg(target_os = "linux")]
impl Resident {
    /// `None` where the system does not say.
    pub fn open() -> Option<Self> {
        // SAFETY: the call takes a number, and no pointer.
        let page_bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        Some(Self {
            statm: std::fs::File::open("/proc/self/statm").ok()?,
            page_bytes: page_bytes.try_into().ok()?,
        })
    }

    /// What is resident now.
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
    /// `None` where the system does not say.
    pub fn open() -> Option<Self> {
        None
    }

    /// What is resident now.
    pub fn bytes(&self) -> Option<u64> {
        None
    }
}

#[cfg(unix)]
fn resource_usage(who: libc::c_int) -> Option<libc::rusage> {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the pointer is to a structure of the type that the call fills.
    let result = unsafe { libc::getrusage(who, usage.as_mut_ptr()) };
    // SAFETY: the structure consists of integers, for which the zeroes it was made of are valid.
    let usage = unsafe { usage.assume_init() };
    (result == 0).then_some(usage)
}
