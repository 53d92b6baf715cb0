//! Which processor a thread runs on.

#![cfg_attr(
    target_os = "linux",
    expect(unsafe_code, reason = "affinity is set by C calls that read and fill a structure")
)]

/// Two processors, not likely to be halves of one core: these are numbered side by side, or half of
/// all apart. `None` where there is but one, or the system does not tell; threads then run where
/// they may.
pub fn two() -> [Option<usize>; 2] {
    let allowed = allowed();
    match *allowed.as_slice() {
        [first, .., last] => [Some(first), Some(last)],
        _ => [None, None],
    }
}

/// Keeps the calling thread, and those it will start, on one processor.
pub fn pin_to_one() -> Result<(), &'static str> {
    let last = *allowed().last().ok_or("only Linux can keep a process on one processor")?;
    if pin(last) { Ok(()) } else { Err("the system refuses to keep the process on one processor") }
}

/// The processors that the calling thread may run on, in order.
#[cfg(target_os = "linux")]
pub fn allowed() -> Vec<usize> {
    // SAFETY: all zero is a valid value of a set of bits.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: the call fills a set of the size that it is told. 0 stands for the calling thread.
    let result = unsafe { libc::sched_getaffinity(0, size_of_val(&set), &raw mut set) };
    if result != 0 {
        return Vec::new(); // more processors than the set has bits
    }
    // SAFETY: the number is within the set's bits.
    let has = |&processor: &usize| unsafe { libc::CPU_ISSET(processor, &set) };
    (0..8 * size_of_val(&set)).filter(has).collect()
}

#[cfg(not(target_os = "linux"))]
pub fn allowed() -> Vec<usize> {
    Vec::new()
}

/// Keeps the calling thread on a processor, one of those allowed. Whether the system did so.
pub fn pin(processor: usize) -> bool {
    allow(&[processor])
}

/// Has one of so many threads begin on a processor of its own, if there are as many, and then go where it may.
pub fn settle(thread: usize, threads: usize, allowed: &[usize]) {
    if threads <= allowed.len() {
        let _ = pin(allowed[thread]) && allow(allowed);
    }
}

#[cfg(target_os = "linux")]
fn allow(processors: &[usize]) -> bool {
    // SAFETY: all zero is a valid value of a set of bits.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    for processor in processors {
        // SAFETY: those allowed are within the set's bits.
        unsafe { libc::CPU_SET(*processor, &mut set) };
    }
    // SAFETY: the call reads a set of the size that it is told. 0 stands for the calling thread.
    unsafe { libc::sched_setaffinity(0, size_of_val(&set), &raw const set) == 0 }
}

#[cfg(not(target_os = "linux"))]
fn allow(_: &[usize]) -> bool {
    false
}
