//! Makes pages resident by touching them.

use std::ptr::NonNull;

/// Whether pages may be touched while other threads read and write them.
///
/// An instruction that atomically adds 0 to a byte loses no write of another thread, whatever else is done to the byte.
/// In Rust's terms an atomic addition would still race with plain accesses. An instruction in inline assembly is not an
/// access at all, since it changes nothing that a program can observe. Miri cannot run inline assembly.
pub(super) const IS_SHARED: bool =
    cfg!(all(not(miri), any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64")));

/// Touches each page of a range, so that it becomes resident. The contents do not change.
///
/// # Safety
///
/// - The range is readable and writable, and consists of whole pages.
/// - Unless [`IS_SHARED`], no other thread accesses the range non-atomically during the call.
pub(super) unsafe fn pages(start: NonNull<u8>, bytes: usize, page_bytes: usize) {
    for offset in (0..bytes).step_by(page_bytes) {
        // SAFETY: `offset < bytes`, so the byte is inside the range.
        let byte = unsafe { start.add(offset) };
        // SAFETY: the byte is inside the range, for which the caller gives the guarantees that `add_nothing` requires.
        unsafe { add_nothing(byte) }
    }
}

/// # Safety
///
/// - As for [`pages`].
#[cfg(all(not(miri), any(target_arch = "x86", target_arch = "x86_64")))]
unsafe fn add_nothing(byte: NonNull<u8>) {
    // SAFETY: the caller guarantees that the byte is writable. The locked addition of 0 writes back the byte's value,
    // which no other thread can change in between, and changes nothing except flags.
    unsafe {
        std::arch::asm!("lock add byte ptr [{byte}], 0", byte = in(reg) byte.as_ptr(), options(nostack));
    }
}

/// # Safety
///
/// - As for [`pages`].
#[cfg(all(not(miri), target_arch = "aarch64"))]
unsafe fn add_nothing(byte: NonNull<u8>) {
    // SAFETY: the caller guarantees that the byte is writable. The exclusive store writes back the value that was
    // loaded, and only if no other thread has written in between.
    unsafe {
        std::arch::asm!(
            "2:",
            "ldxrb {value:w}, [{byte}]",
            "stxrb {failed:w}, {value:w}, [{byte}]",
            "cbnz {failed:w}, 2b",
            byte = in(reg) byte.as_ptr(),
            value = out(reg) _,
            failed = out(reg) _,
            options(nostack, preserves_flags),
        );
    }
}

/// # Safety
///
/// - As for [`pages`].
#[cfg(any(miri, not(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64"))))]
unsafe fn add_nothing(byte: NonNull<u8>) {
    use std::sync::atomic::{AtomicU8, Ordering};
    // SAFETY: the caller guarantees that the byte is writable, and that other threads access it only atomically. A byte
    // has no alignment to violate.
    let byte = unsafe { AtomicU8::from_ptr(byte.as_ptr()) };
    // `black_box`, so that the compiler does not remove an addition of 0.
    byte.fetch_add(std::hint::black_box(0), Ordering::Relaxed);
}
