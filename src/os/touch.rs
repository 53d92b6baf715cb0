//! Makes pages resident by touching them.

use super::Pages;

/// Whether pages may be touched while other threads read and write them.
///
/// An instruction that atomically adds 0 to a byte loses no write of another thread, whatever else is done to the byte.
/// In Rust's terms an atomic addition would still race with plain accesses. An instruction in inline assembly is not an
/// access at all, since it changes nothing that a program can observe. Miri cannot run inline assembly.
pub(super) const IS_SHARED: bool =
    cfg!(all(not(miri), any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64")));

/// Touches each page, so that it becomes resident. The contents do not change.
///
/// # Safety
///
/// - The pages are committed, and stay so during the call.
/// - Unless [`IS_SHARED`], no other thread accesses them non-atomically during the call.
pub(super) unsafe fn pages(pages: Pages<'_>, page_bytes: usize) {
    for offset in (0..pages.bytes().get()).step_by(page_bytes) {
        // SAFETY: `offset` is less than the size of `pages`, so the byte is in one of them. The caller promises that they
        // are writable, being committed, and not accessed unless `IS_SHARED`.
        unsafe { add_nothing(pages.start().as_ptr().wrapping_add(offset)) }
    }
}

/// # Safety
///
/// - The byte is readable and writable.
/// - Unless [`IS_SHARED`], no other thread accesses it non-atomically during the call.
#[cfg(all(not(miri), any(target_arch = "x86", target_arch = "x86_64")))]
unsafe fn add_nothing(byte: *mut u8) {
    // SAFETY: the instruction is "valid for the memory it accesses", as the caller promises that the byte is writable. It
    // writes back the byte's value, which no other thread can change in between, and changes no register but flags.
    unsafe {
        std::arch::asm!("lock add byte ptr [{byte}], 0", byte = in(reg) byte, options(nostack));
    }
}

/// # Safety
///
/// - The byte is readable and writable.
/// - Unless [`IS_SHARED`], no other thread accesses it non-atomically during the call.
#[cfg(all(not(miri), target_arch = "aarch64"))]
unsafe fn add_nothing(byte: *mut u8) {
    // SAFETY: the caller promises that the byte is writable. The exclusive store writes back the value that was loaded,
    // and only if no other thread has written in between. The registers that change are named as outputs.
    unsafe {
        std::arch::asm!(
            "2:",
            "ldxrb {value:w}, [{byte}]",
            "stxrb {failed:w}, {value:w}, [{byte}]",
            "cbnz {failed:w}, 2b",
            byte = in(reg) byte,
            value = out(reg) _,
            failed = out(reg) _,
            options(nostack, preserves_flags),
        );
    }
}

/// # Safety
///
/// - The byte is readable and writable.
/// - Unless [`IS_SHARED`], no other thread accesses it non-atomically during the call.
#[cfg(any(miri, not(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64"))))]
unsafe fn add_nothing(byte: *mut u8) {
    use std::sync::atomic::{AtomicU8, Ordering};
    // SAFETY: "valid for both reads and writes", and accessed by other threads only atomically, as the caller promises,
    // since `IS_SHARED` is false here. A byte has no alignment to violate.
    let byte = unsafe { AtomicU8::from_ptr(byte) };
    // `black_box`, so that the compiler does not remove an addition of 0.
    byte.fetch_add(std::hint::black_box(0), Ordering::Relaxed);
}
