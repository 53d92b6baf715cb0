//! Whether arrays use the thread without an option, once they are large.

#![forbid(unsafe_code)]

use super::registry::is_memory_left;
use super::{is_starting, starting};
use crate::os;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;

const UNKNOWN: u8 = 0;
const NO: u8 = 1;
const YES: u8 = 2;

static AUTOMATIC: AtomicU8 = AtomicU8::new(UNKNOWN);

/// Sets whether the background thread serves arrays with [`CommitAhead::Large`](crate::CommitAhead::Large), the default,
/// once they have used 4 MiB and grow, and whether it is started to return the memory in the [region
/// cache](crate::region_cache). Arrays that it serves already stay served.
///
/// The default is `true` if the process may use more than one processor. A program that must not have a second thread,
/// for example because it calls `unshare`, passes `false` before it fills an array.
///
/// # Examples
///
/// ```standalone_crate
/// use stayput::{VmVec, service};
///
/// service::set_automatic(false);
/// let mut numbers = VmVec::new();
/// (0..10_000_000_u64).for_each(|n| numbers.push(n));
/// assert!(!service::stats().running);
/// ```
pub fn set_automatic(is_automatic: bool) {
    AUTOMATIC.store(if is_automatic { YES } else { NO }, Ordering::Relaxed);
}

/// Whether arrays with [`CommitAhead::Large`](crate::CommitAhead::Large) use the thread once they are large.
pub(crate) fn is_automatic() -> bool {
    match AUTOMATIC.load(Ordering::Relaxed) {
        // In the call of an allocator that `find` makes.
        UNKNOWN if is_starting() => false,
        UNKNOWN => find(),
        set => set == YES,
    }
}

#[cold]
fn find() -> bool {
    // Unit tests have calls refused, and count what is left.
    if !os::IS_SUPPORTED || cfg!(test) {
        return false;
    }
    // Std allocates in order to count processors, and the allocator may be one that uses arrays.
    let processors = starting(|| is_memory_left().then(thread::available_parallelism));
    let Some(processors) = processors else { return false };
    // A single processor has no time to spare before a frame needs the memory.
    let is_alone = processors.is_ok_and(|processors| processors.get() == 1);
    let (found, order) = (if is_alone { NO } else { YES }, Ordering::Relaxed);
    AUTOMATIC.compare_exchange(UNKNOWN, found, order, order).err().unwrap_or(found) == YES
}
