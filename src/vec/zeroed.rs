//! Growing by elements that are all zero.

#![expect(unsafe_code, reason = "says that zero pages hold elements")]

use super::VmVec;
#[cfg(any(feature = "bytemuck", feature = "file"))]
use super::or_give_up;
use crate::error::Error;
#[cfg(any(feature = "bytemuck", feature = "file"))]
use bytemuck::Zeroable;

impl<T> VmVec<T> {
    /// Appends `additional` elements that are all zero, without touching their memory where it is
    /// fresh from the system.
    ///
    /// On failure no element has changed, but there may be less capacity.
    ///
    /// # Safety
    ///
    /// - All zero is a value of `T`.
    pub(crate) unsafe fn try_extend_zeroed_unchecked(
        &mut self,
        additional: usize,
    ) -> Result<(), Error> {
        let before = self.capacity();
        let zero_from = self.raw.grow_zeroed(Self::ELEMENT, self.len, additional)?;
        self.close_new(before);
        // SAFETY: there is room for them, which is zero from there on; the rest is the caller's promise.
        unsafe { self.extend_zeroed_within(additional, zero_from) };
        Ok(())
    }

    /// Appends `additional` elements that are all zero, for which there is room that was not written to
    /// from `zero_from` bytes behind the start on.
    ///
    /// # Safety
    ///
    /// - There is room for them, and bytes of it from there on are zero.
    /// - All zero is a value of `T`.
    unsafe fn extend_zeroed_within(&mut self, additional: usize, zero_from: usize) {
        debug_assert!(additional <= self.capacity() - self.len, "no memory was committed");
        // `len + additional` is within capacity now, so none of this overflows.
        let first_byte = self.len * size_of::<T>();
        let end_byte = (self.len + additional) * size_of::<T>();
        let unknown = zero_from.min(end_byte).saturating_sub(first_byte);
        self.open(additional);
        // SAFETY: `len` is within capacity.
        let first = unsafe { self.first().add(self.len) };
        // SAFETY: `unknown` bytes lie before the end of the room, and behind all elements.
        unsafe { first.cast::<u8>().write_bytes(0, unknown) };
        // All bytes of the room are zero now: those behind `zero_from` are untouched pages.
        // SAFETY: within capacity, and all zero is a value of `T`, as the caller promises.
        unsafe { self.set_len(self.len + additional) };
    }
}

impl VmVec<u64> {
    /// Appends `additional` zeros, without touching memory that is fresh from the system. (What was written
    /// to is written to again, so that is to be little.)
    ///
    /// On failure nothing has changed.
    pub(crate) fn try_extend_zero_words(&mut self, additional: usize) -> Result<(), Error> {
        let usable = self.raw.usable_bytes();
        self.try_reserve(additional)?;
        // Only now: if there was no memory yet, others may have had what there is.
        let zero_from = usable.max(self.raw.warm_bytes());
        // SAFETY: room was just made; what was not usable before, nor had by others, is fresh from the system,
        // so it is zero, as is a `u64` then.
        unsafe { self.extend_zeroed_within(additional, zero_from) };
        Ok(())
    }
}

impl VmVec<u8> {
    /// Appends `additional` zeros and as many more as there is capacity for then, without touching memory that is
    /// fresh from the system. (What there was capacity for before is written to.)
    ///
    /// On failure nothing has changed.
    pub(crate) fn try_extend_by_zeros(&mut self, additional: usize) -> Result<(), Error> {
        let usable = self.raw.usable_bytes();
        self.try_reserve(additional)?;
        // As above.
        let zero_from = usable.max(self.raw.warm_bytes());
        // SAFETY: as above, and there is room for what is within capacity.
        unsafe { self.extend_zeroed_within(self.capacity() - self.len, zero_from) };
        Ok(())
    }
}

#[cfg(any(feature = "bytemuck", feature = "file"))]
impl<T: Zeroable> VmVec<T> {
    /// Appends `additional` elements that are all zero, without touching their memory where it is
    /// fresh from the system: they take memory only when they are used.
    ///
    /// O(1) but for the first, partly used page; room of 64 KiB and more that held elements before
    /// is handed back and taken anew rather than written to.
    ///
    /// # Panics
    ///
    /// Where [`try_extend_zeroed`](Self::try_extend_zeroed) has an error.
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
        or_give_up(self.try_extend_zeroed(additional));
    }

    /// [`extend_zeroed`](Self::extend_zeroed), or the error; then no element has changed, but
    /// there may be less capacity.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    pub fn try_extend_zeroed(&mut self, additional: usize) -> Result<(), Error> {
        // SAFETY: all zero is a value of `T`, which is what `Zeroable` says.
        unsafe { self.try_extend_zeroed_unchecked(additional) }
    }

    /// Makes the length `new_len`, dropping elements from the end or adding such as are all zero.
    ///
    /// # Panics
    ///
    /// Where [`try_resize_zeroed`](Self::try_resize_zeroed) has an error.
    #[track_caller]
    pub fn resize_zeroed(&mut self, new_len: usize) {
        or_give_up(self.try_resize_zeroed(new_len));
    }

    /// [`resize_zeroed`](Self::resize_zeroed), or the error; then no element has changed, but
    /// there may be less capacity.
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
