//! Tells `AddressSanitizer` what memory nobody is to touch.
//!
//! To the sanitizer all of a committed page is good. Arrays, maps and arenas know better: what lies behind a length,
//! in a vacant slot, or was given back to an arena, is nobody's. Under `--cfg stayput_asan` they say so here, and whoever
//! reads or writes there by a stray pointer is stopped by a report. Without it these functions are empty.
//!
//! The sanitizer counts in eights of bytes, of which it knows up to which one they are good. So what is poisoned is
//! rounded inwards, and what is not any more outwards: a few bytes may be taken for good that are not, and never the
//! other way round.
//!
//! The mark is on addresses. `mmap` and `munmap` take it off, since the sanitizer hears of them; so what is released needs
//! no call here. Kernels, and instructions of our own ([touch](crate::os)), do not look at it.

use std::marker::PhantomData;

/// Whether there is a sanitizer to be told: for loops that would do nothing.
pub(crate) const IS_ON: bool = cfg!(stayput_asan);

/// Nobody is to touch `count` elements from `first` on until they are [unpoisoned](unpoison).
#[inline(always)]
pub(crate) fn poison<T>(first: *const T, count: usize) {
    sys::poison(first.cast(), count * size_of::<T>());
}

/// [Poisons](poison) a place when it is dropped: once the value there is moved out, which so can be the last that is done.
#[must_use = "it is for its drop"]
pub(crate) struct AtEnd<T>(#[cfg(stayput_asan)] *const T, PhantomData<*const T>);

impl<T> AtEnd<T> {
    #[inline(always)]
    pub(crate) fn of(place: *const T) -> Self {
        let _ = place;
        Self(
            #[cfg(stayput_asan)]
            place,
            PhantomData,
        )
    }
}

#[cfg(stayput_asan)]
impl<T> Drop for AtEnd<T> {
    fn drop(&mut self) {
        poison(self.0, 1);
    }
}

/// `count` elements from `first` on may be touched.
#[inline(always)]
pub(crate) fn unpoison<T>(first: *const T, count: usize) {
    sys::unpoison(first.cast(), count * size_of::<T>());
}

/// Whether nobody is to touch the first byte.
#[inline(always)]
pub(crate) fn is_poisoned<T>(first: *const T) -> bool {
    sys::is_poisoned(first.cast())
}

/// All that is poisoned from `first` on without a gap may be touched, but no more than `most` elements. Takes time by
/// how much that is, and not by `most`.
#[cfg(stayput_asan)]
pub(crate) fn unpoison_run<T>(first: *const T, most: usize) {
    sys::unpoison_run(first.cast(), most * size_of::<T>());
}

#[cfg(not(stayput_asan))]
mod sys {
    #[inline(always)]
    pub(super) const fn poison(_: *const u8, _: usize) {}

    #[inline(always)]
    pub(super) const fn unpoison(_: *const u8, _: usize) {}

    #[inline(always)]
    pub(super) const fn is_poisoned(_: *const u8) -> bool {
        false
    }
}

#[cfg(stayput_asan)]
mod sys {
    #![expect(unsafe_code, reason = "calls the sanitizer")]

    use std::ffi::{c_int, c_void};

    /// So many bytes have one mark.
    const GRANULE_BYTES: usize = 8;

    // SAFETY: so the sanitizer's header `asan_interface.h` declares them.
    unsafe extern "C" {
        fn __asan_poison_memory_region(start: *const c_void, bytes: usize);
        fn __asan_unpoison_memory_region(start: *const c_void, bytes: usize);
        fn __asan_address_is_poisoned(address: *const c_void) -> c_int;
    }

    pub(super) fn poison(start: *const u8, bytes: usize) {
        // SAFETY: it changes marks, and none of the memory.
        unsafe { __asan_poison_memory_region(start.cast(), bytes) };
    }

    pub(super) fn unpoison(start: *const u8, bytes: usize) {
        // SAFETY: it changes marks, and none of the memory.
        unsafe { __asan_unpoison_memory_region(start.cast(), bytes) };
    }

    pub(super) fn is_poisoned(address: *const u8) -> bool {
        // SAFETY: it looks at a mark.
        unsafe { __asan_address_is_poisoned(address.cast()) != 0 }
    }

    pub(super) fn unpoison_run(start: *const u8, most: usize) {
        let mut bytes = 0;
        while bytes < most && is_poisoned(start.wrapping_add(bytes)) {
            bytes += GRANULE_BYTES - (start.addr() + bytes) % GRANULE_BYTES;
        }
        unpoison(start, bytes.min(most));
    }
}
