//! [`SliceBuilder`]: a slice in an arena while its values are being stored.

#![expect(unsafe_code, reason = "writes values to blocks of an arena")]

use super::bump::Bump;
use super::values::array_layout;
use crate::error::{Error, ErrorKind};
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ptr::{self, NonNull};
use std::slice;

/// A slice of which `len` values are stored. If it is dropped before it is finished, because user code panics, it drops
/// them and frees its block.
///
/// It grows in place while its block is the arena's last. User code that makes a value may allocate from the arena; the
/// slice then moves when it grows.
pub(super) struct SliceBuilder<'b, T> {
    bump: &'b Bump,
    /// A block that was handed out for an array of `capacity` values.
    start: NonNull<T>,
    len: usize,
    capacity: usize,
    values: PhantomData<T>,
}

impl<'b, T> SliceBuilder<'b, T> {
    /// The largest block that is allocated on the word of a size hint.
    const TRUSTED_BYTES: usize = 1 << 20;
    /// The largest spare capacity when growing in place: doubling would commit memory without need.
    const SPARE_BYTES: usize = 4 << 10;

    #[inline]
    pub(super) fn with_capacity(bump: &'b Bump, capacity: usize) -> Result<Self, Error> {
        let start = bump.try_allocate(array_layout::<T>(capacity)?)?.cast();
        Ok(Self { bump, start, len: 0, capacity, values: PhantomData })
    }

    /// Creates a slice with capacity for the `promised` number of values, within reason.
    #[inline]
    pub(super) fn expecting(bump: &'b Bump, promised: usize) -> Result<Self, Error> {
        let trusted = Self::TRUSTED_BYTES / size_of::<T>().max(1);
        let filling = Self::with_capacity(bump, promised.min(trusted));
        // A size hint that cannot be met is ignored.
        filling.or_else(|_| Self::with_capacity(bump, 0))
    }

    #[inline]
    pub(super) fn try_push(&mut self, value: T) -> Result<(), Error> {
        if self.len == self.capacity {
            self.try_grow(1)?;
        }
        // SAFETY: `len` is less than `capacity`, or it was increased above.
        unsafe { self.put(value) };
        Ok(())
    }

    /// # Safety
    ///
    /// - `len` is less than `capacity`.
    #[inline]
    unsafe fn put(&mut self, value: T) {
        // SAFETY: `len` is less than `capacity`, so the result lies in the block.
        let place = unsafe { self.start.add(self.len) };
        // SAFETY: `place` lies in the block, which only this slice uses.
        unsafe { place.write(value) };
        self.len += 1;
    }

    /// Stores as many values as there is capacity for, made from their indices, up to the first error.
    #[inline]
    pub(super) fn fill_with<E>(
        mut self,
        mut make: impl FnMut(usize) -> Result<T, E>,
    ) -> Result<&'b mut [T], E> {
        while self.len < self.capacity {
            match make(self.len) {
                // SAFETY: as the loop checked.
                Ok(value) => unsafe { self.put(value) },
                Err(error) => {
                    // As in `fill`.
                    drop(self);
                    return Err(error);
                }
            }
        }
        Ok(self.finish())
    }

    #[inline]
    fn try_grow(&mut self, additional: usize) -> Result<(), Error> {
        let Self { bump, start, len, capacity, .. } = *self;
        assert!(additional > capacity - len, "they fit");
        // SAFETY: the fields are those of `self`, whose block it is. Not all fit, as asserted above.
        let grown = unsafe { Self::grown(bump, start, len, capacity, additional) };
        (self.start, self.capacity) = grown?;
        Ok(())
    }

    /// Returns the block, enlarged for `additional` values. Takes no `self`, so that the caller can keep its fields in
    /// registers.
    ///
    /// # Safety
    ///
    /// - `start` is a block that `bump` handed out for an array of `capacity` values, and only the caller uses it. If this
    ///   returns another, it is not used again.
    /// - `additional` values do not fit after the first `len` of it.
    #[cold]
    #[inline(never)]
    unsafe fn grown(
        bump: &Bump,
        start: NonNull<T>,
        len: usize,
        capacity: usize,
        additional: usize,
    ) -> Result<(NonNull<T>, usize), Error> {
        let old = array_layout::<T>(capacity)?;
        let Some(need) = len.checked_add(additional) else {
            return Err(Error::new(ErrorKind::CapacityOverflow, usize::MAX));
        };
        let in_place = bump.is_last(start.cast(), old.size());
        let spare = match size_of::<T>() {
            size if in_place => capacity.min(Self::SPARE_BYTES / size.max(1)),
            _ => capacity,
        };
        let grow_to = |capacity| {
            let new = array_layout::<T>(capacity)?;
            // SAFETY: the block was handed out for the layout `old` and only the caller uses it, as the caller promises.
            // `need` is more than `capacity` or fails, so it does not become smaller.
            let start = unsafe { bump.try_grow(start.cast(), old, new) }?;
            Ok((start.cast(), capacity))
        };
        grow_to(need.saturating_add(spare)).or_else(|_: Error| grow_to(need))
    }

    /// Stores all values, up to the first error that the iterator returns.
    #[inline]
    pub(super) fn fill<E>(
        mut self,
        values: impl Iterator<Item = Result<T, E>>,
    ) -> Result<Result<&'b mut [T], E>, Error> {
        for value in values {
            match value {
                Ok(value) => self.try_push(value)?,
                Err(error) => {
                    // Drops the values before the error is returned: if a drop panicked later, the error would leak.
                    drop(self);
                    return Ok(Err(error));
                }
            }
        }
        Ok(Ok(self.finish()))
    }

    /// Completes the slice. Spare capacity is free again if it is at the end of the arena.
    #[inline]
    pub(super) fn finish(self) -> &'b mut [T] {
        let full = ManuallyDrop::new(self);
        if full.len < full.capacity {
            full.shrink(full.len);
        }
        // SAFETY: `len` values are initialized, in a block that belongs to the slice from now on.
        unsafe { slice::from_raw_parts_mut(full.start.as_ptr(), full.len) }
    }

    /// Frees the capacity past `len`, which must not exceed the capacity.
    #[inline]
    fn shrink(&self, len: usize) {
        let layouts = (array_layout::<T>(self.capacity), array_layout::<T>(len));
        let (Ok(old), Ok(new)) = layouts else { unreachable!("such a block was handed out") };
        assert!(len <= self.capacity, "shrinking does not grow");
        // SAFETY: the block was handed out for the layout `old`, only `self` uses it, and it does not become larger, as
        // asserted above.
        let shrunk = unsafe { self.bump.try_shrink(self.start.cast(), old, new) };
        debug_assert_eq!(shrunk, Ok(self.start.cast()), "of the same alignment");
    }
}

impl SliceBuilder<'_, u8> {
    pub(super) fn try_extend_from_slice(&mut self, bytes: &[u8]) -> Result<(), Error> {
        if bytes.len() > self.capacity - self.len {
            self.try_grow(bytes.len())?;
        }
        let place = self.start.as_ptr().wrapping_add(self.len);
        // SAFETY: "valid for writes": the bytes fit between `len` and `capacity`. "Not overlap": only this slice uses its
        // block, so `bytes` is not in it.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), place, bytes.len()) };
        self.len += bytes.len();
        Ok(())
    }
}

impl<T> Drop for SliceBuilder<'_, T> {
    #[inline]
    fn drop(&mut self) {
        let values = ptr::slice_from_raw_parts_mut(self.start.as_ptr(), self.len);
        // SAFETY: `len` values are initialized, and are not used again. If one of them panics, the block stays in use.
        unsafe { ptr::drop_in_place(values) };
        self.shrink(0);
    }
}
