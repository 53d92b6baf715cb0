//! Making pages resident by touching them.

use std::ptr::NonNull;

/// Whether pages may be touched that others read and write at the same time.
///
/// A processor's instruction that adds nothing to a byte, atomically, loses nobody's write, whatever
/// else is done to the byte. In Rust's terms an atomic addition would still be a data race with
/// others' plain accesses; an instruction of our own is not an access at all, since it changes
/// nothing that a program can see. Miri runs no such instruction.
pub(super) const IS_SHARED: bool =
    cfg!(all(not(miri), any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64")));

/// Touches every page of a range, so that it has memory. What it holds stays.
///
/// # Safety
///
/// - The range is readable and writable, and whole pages.
/// - Unless [`IS_SHARED`], no other thread accesses it non-atomically meanwhile.
pub(super) unsafe fn pages(start: NonNull<u8>, bytes: usize, page_bytes: usize) {
    for offset in (0..bytes).step_by(page_bytes) {
        // SAFETY: inside the range.
        let byte = unsafe { start.add(offset) };
        // SAFETY: the same, by the caller's promise.
        unsafe { add_nothing(byte) }
    }
}

/// # Safety
///
/// - As for [`pages`].
#[cfg(all(not(miri), any(target_arch = "x86", target_arch = "x86_64")))]
unsafe fn add_nothing(byte: NonNull<u8>) {
    // SAFETY: the byte is writable by the caller's promise. The locked addition of zero writes back
    // what is there, which nobody else can change in between, and changes nothing but flags.
    unsafe {
        std::arch::asm!("lock add byte ptr [{byte}], 0", byte = in(reg) byte.as_ptr(), options(nostack));
    }
}

/// # Safety
///
/// - As for [`pages`].
#[cfg(all(not(miri), target_arch = "aarch64"))]
unsafe fn add_nothing(byte: NonNull<u8>) {
    // SAFETY: the byte is writable by the caller's promise. The exclusive store writes back what was
    // loaded, and only if nobody has written in between.
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
    // SAFETY: writable by the caller's promise; one byte has no alignment to miss, and the caller
    // keeps other threads to atomic accesses.
    let byte = unsafe { AtomicU8::from_ptr(byte.as_ptr()) };
    // The compiler is not to see that it adds nothing, or it would not be done.
    byte.fetch_add(std::hint::black_box(0), Ordering::Relaxed);
}
