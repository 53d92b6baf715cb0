//! Tells `AddressSanitizer` which memory must not be accessed.
//!
//! The sanitizer regards all of a committed page as accessible. Arrays, maps and arenas know more: memory past a
//! length, in a vacant slot, or returned to an arena is not in use. Under `--cfg stayput_asan` they poison it here,
//! and a read or write through a stray pointer ends in a report. Without that cfg these functions are empty.
//!
//! The sanitizer keeps one mark for each eight bytes: how many of them, from the first, are accessible. Poisoned
//! ranges are therefore rounded inwards and unpoisoned ones outwards: a few bytes may count as accessible that are
//! not, never the other way round.
//!
//! The marks belong to addresses. `mmap` and `munmap` clear them, since the sanitizer intercepts both, so releasing
//! memory needs no call here. Kernels, and the crate's own instructions that [touch](crate::os) pages, ignore them.

use std::marker::PhantomData;

/// Whether the sanitizer is on, for loops that would otherwise do nothing.
pub(crate) const IS_ON: bool = cfg!(stayput_asan);

/// Marks `count` elements from `first` on as inaccessible, until they are [unpoisoned](unpoison).
#[inline(always)]
pub(crate) fn poison<T>(first: *const T, count: usize) {
    sys::poison(first.cast(), count * size_of::<T>());
}

/// [Poisons](poison) a place when it is dropped, for a function whose last step is to move the value out.
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

/// Marks `count` elements from `first` on as accessible.
#[inline(always)]
pub(crate) fn unpoison<T>(first: *const T, count: usize) {
    sys::unpoison(first.cast(), count * size_of::<T>());
}

/// Returns `true` if the first byte is inaccessible.
#[inline(always)]
pub(crate) fn is_poisoned<T>(first: *const T) -> bool {
    sys::is_poisoned(first.cast())
}

/// Unpoisons what is poisoned from `first` on without a gap, up to `most` elements. Linear in what it unpoisons, not
/// in `most`.
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

    /// The number of bytes that share one mark.
    const GRANULE_BYTES: usize = 8;

    // SAFETY: these are the declarations in the sanitizer's header `asan_interface.h`. They are safe to call with any
    // address: they read and write marks, not memory of the program; and if there are no marks for an address, the
    // process ends.
    unsafe extern "C" {
        safe fn __asan_poison_memory_region(start: *const c_void, bytes: usize);
        safe fn __asan_unpoison_memory_region(start: *const c_void, bytes: usize);
        safe fn __asan_address_is_poisoned(address: *const c_void) -> c_int;
    }

    pub(super) fn poison(start: *const u8, bytes: usize) {
        __asan_poison_memory_region(start.cast(), bytes);
    }

    pub(super) fn unpoison(start: *const u8, bytes: usize) {
        __asan_unpoison_memory_region(start.cast(), bytes);
    }

    pub(super) fn is_poisoned(address: *const u8) -> bool {
        __asan_address_is_poisoned(address.cast()) != 0
    }

    pub(super) fn unpoison_run(start: *const u8, most: usize) {
        let mut bytes = 0;
        while bytes < most && is_poisoned(start.wrapping_add(bytes)) {
            bytes += GRANULE_BYTES - (start.addr() + bytes) % GRANULE_BYTES;
        }
        unpoison(start, bytes.min(most));
    }
}
