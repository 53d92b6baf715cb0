//! Extending by zeroed elements.

#![expect(unsafe_code, reason = "treats zeroed memory as elements")]

use super::VmVec;
#[cfg(any(feature = "bytemuck", feature = "file"))]
use super::unwrap_or_panic;
use crate::error::Error;
#[cfg(feature = "file")]
use crate::raw_vec::RawVec;
#[cfg(any(feature = "bytemuck", feature = "file"))]
use bytemuck::Zeroable;

impl<T> VmVec<T> {
    /// Appends `additional` zeroed elements, without touching their memory if it is fresh from the system.
    ///
    /// After an error no element has changed, but the capacity may be smaller.
    ///
    /// # Safety
    ///
    /// - All zero is a valid value of `T`.
    pub(crate) unsafe fn try_extend_zeroed_unchecked(
        &mut self,
        additional: usize,
    ) -> Result<(), Error> {
        let before = self.capacity();
        let zero_from = self.raw.grow_zeroed(Self::ELEMENT, self.len, additional)?;
        self.close_new(before);
        // SAFETY: `grow_zeroed` has made "room for `additional` elements after the first `len`", and returned "the offset
        // in bytes from which on that room is zero"; the caller guarantees that all zero is a valid value.
        unsafe { self.extend_zeroed_within(additional, zero_from) };
        Ok(())
    }

    /// Appends `additional` zeroed elements as [`try_extend_zeroed_unchecked`](Self::try_extend_zeroed_unchecked) does,
    /// and keeps spare capacity, unless much of it was written to: to return it costs more than memory does if it is
    /// space in a file, and allocating that anew may be refused.
    ///
    /// # Safety
    ///
    /// - All zero is a valid value of `T`.
    /// - The bytes from element `written` on are zero within capacity, and will be when they are committed.
    #[cfg(feature = "file")]
    pub(crate) unsafe fn try_extend_zeroed_past(
        &mut self,
        additional: usize,
        written: usize,
    ) -> Result<(), Error> {
        let written_bytes = written.saturating_mul(size_of::<T>());
        let removed_bytes = written_bytes.saturating_sub(self.len * size_of::<T>());
        if removed_bytes >= RawVec::WORTH_CALLS_BYTES {
            // SAFETY: the caller guarantees that all zero is a valid value.
            return unsafe { self.try_extend_zeroed_unchecked(additional) };
        }
        self.try_reserve(additional)?;
        // SAFETY: memory was just reserved; the caller guarantees that it is zero from element `written` on, and that
        // all zero is a valid value.
        unsafe { self.extend_zeroed_within(additional, written_bytes) };
        Ok(())
    }

    /// Appends `additional` zeroed elements within capacity. Writes only to bytes below `zero_from`, counted from the
    /// start of the array.
    ///
    /// # Safety
    ///
    /// - The capacity suffices, and the bytes of these elements from `zero_from` on are zero.
    /// - All zero is a valid value of `T`.
    unsafe fn extend_zeroed_within(&mut self, additional: usize, zero_from: usize) {
        debug_assert!(additional <= self.capacity() - self.len, "no memory was committed");
        // `len + additional` is within capacity, so none of this overflows.
        let first_byte = self.len * size_of::<T>();
        let end_byte = (self.len + additional) * size_of::<T>();
        let unknown = zero_from.min(end_byte).saturating_sub(first_byte);
        self.open(additional);
        let first = self.place(self.len).cast::<u8>();
        // SAFETY: the `unknown` bytes start past all elements, and end at most at `end_byte`, within capacity by the
        // caller's guarantee.
        unsafe { first.write_bytes(0, unknown) };
        // *elements* holds: all bytes of the new ones are zero, by the write and the caller's guarantee for those from
        // `zero_from` on, which is a valid value by the caller's guarantee.
        self.len += additional;
    }
}

impl VmVec<u64> {
    /// Appends `additional` zeros, without touching memory that is fresh from the system. (Memory that was used before
    /// is overwritten, so there should be little of it.)
    ///
    /// After an error nothing has changed.
    pub(crate) fn try_extend_zero_words(&mut self, additional: usize) -> Result<(), Error> {
        let usable = self.raw.usable_bytes();
        self.try_reserve(additional)?;
        // Only now: the first memory may have come from another array.
        let zero_from = usable.max(self.raw.warm_bytes());
        // SAFETY: memory was just reserved. Bytes from `zero_from` on were not usable before, nor left by another
        // array, so they are fresh and zero (an invariant of `growing`), also if the array has just moved:
        // `RawVec::install` copies only what was usable. Zero is a valid `u64`.
        unsafe { self.extend_zeroed_within(additional, zero_from) };
        Ok(())
    }
}

impl VmVec<u8> {
    /// Appends `additional` zeros, and as many more as the capacity then allows, without touching memory that is fresh
    /// from the system. (Spare capacity from before is overwritten.)
    ///
    /// After an error nothing has changed.
    pub(crate) fn try_extend_by_zeros(&mut self, additional: usize) -> Result<(), Error> {
        let usable = self.raw.usable_bytes();
        self.try_reserve(additional)?;
        // Only now, as above.
        let zero_from = usable.max(self.raw.warm_bytes());
        // SAFETY: as many elements as there is capacity for; bytes from `zero_from` on are fresh and zero, as in
        // `try_extend_zero_words`, which is a valid `u8`.
        unsafe { self.extend_zeroed_within(self.capacity() - self.len, zero_from) };
        Ok(())
    }
}

#[cfg(any(feature = "bytemuck", feature = "file"))]
impl<T: Zeroable> VmVec<T> {
    /// Appends `additional` zeroed elements, without touching their memory if it is fresh from the system: they take
    /// memory only when they are used.
    ///
    /// O(1) except for the first, partly used page; spare capacity of 64 KiB or more that held elements before is
    /// returned and committed anew rather than overwritten.
    ///
    /// # Panics
    ///
    /// If [`try_extend_zeroed`](Self::try_extend_zeroed) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut counts = stayput::VmVec::<u64>::new();
    /// counts.extend_zeroed(1 << 24); // 128 MiB
    /// counts[12_345_678] += 1;
    /// # #[cfg(target_os = "linux")]
    /// assert!(counts.stats().resident_bytes < Some(4 << 20));
    /// ```
    #[track_caller]
    pub fn extend_zeroed(&mut self, additional: usize) {
        unwrap_or_panic(self.try_extend_zeroed(additional));
    }

    /// Like [`extend_zeroed`](Self::extend_zeroed), but returns an error instead of panicking. After an error no
    /// element has changed, but the capacity may be smaller.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    pub fn try_extend_zeroed(&mut self, additional: usize) -> Result<(), Error> {
        // SAFETY: all zero is a valid value of `T`, as `Zeroable` guarantees.
        unsafe { self.try_extend_zeroed_unchecked(additional) }
    }

    /// Resizes the array to `new_len`, dropping elements from the end or appending zeroed ones.
    ///
    /// # Panics
    ///
    /// If [`try_resize_zeroed`](Self::try_resize_zeroed) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut counts = stayput::VmVec::from([7_u32, 8]);
    /// counts.resize_zeroed(4);
    /// assert_eq!(counts, [7, 8, 0, 0]);
    /// counts.resize_zeroed(1);
    /// assert_eq!(counts, [7]);
    /// ```
    #[track_caller]
    pub fn resize_zeroed(&mut self, new_len: usize) {
        unwrap_or_panic(self.try_resize_zeroed(new_len));
    }

    /// Like [`resize_zeroed`](Self::resize_zeroed), but returns an error instead of panicking. After an error no
    /// element has changed, but the capacity may be smaller.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    pub fn try_resize_zeroed(&mut self, new_len: usize) -> Result<(), Error> {
        if let Some(additional) = new_len.checked_sub(self.len) {
            return self.try_extend_zeroed(additional);
        }
        self.truncate(new_len);
        Ok(())
    }
}
