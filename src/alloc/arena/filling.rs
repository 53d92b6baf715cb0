//! [`Filling`]: a slice in an arena that is not complete.

#![expect(unsafe_code, reason = "writes values to memory that it was handed")]

use super::bump::Bump;
use super::values::array_layout;
use crate::error::{Error, ErrorKind};
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ptr::{self, NonNull};
use std::slice;

/// Values that will be a slice: `len` of them are there. Dropped before it is finished, as where
/// user code panics, it drops them and gives its block back.
///
/// It grows in place as long as its block is the arena's last. User code that makes a value may
/// take blocks itself; then it moves when it grows.
pub(super) struct Filling<'b, T> {
    bump: &'b Bump,
    /// A block of `capacity`, handed out by the layout of such an array.
    start: NonNull<T>,
    len: usize,
    capacity: usize,
    values: PhantomData<T>,
}

impl<'b, T> Filling<'b, T> {
    /// More is not taken before there are values for it, whatever is promised.
    const TRUSTED_BYTES: usize = 1 << 20;
    /// In place, room is taken for so much more at a time at most: to double would only commit
    /// memory for nothing.
    const SPARE_BYTES: usize = 4 << 10;

    #[inline]
    pub(super) fn with_capacity(bump: &'b Bump, capacity: usize) -> Result<Self, Error> {
        let start = bump.try_allocate(array_layout::<T>(capacity)?)?.cast();
        Ok(Self { bump, start, len: 0, capacity, values: PhantomData })
    }

    /// With room for as many values as are promised, within reason.
    #[inline]
    pub(super) fn expecting(bump: &'b Bump, promised: usize) -> Result<Self, Error> {
        let trusted = Self::TRUSTED_BYTES / size_of::<T>().max(1);
        let filling = Self::with_capacity(bump, promised.min(trusted));
        // It was only a promise.
        filling.or_else(|_| Self::with_capacity(bump, 0))
    }

    #[inline]
    pub(super) fn try_push(&mut self, value: T) -> Result<(), Error> {
        if self.len == self.capacity {
            self.try_grow(1)?;
        }
        // SAFETY: `len` is less than `capacity`, so it lies in the block.
        let place = unsafe { self.start.add(self.len) };
        // SAFETY: within the block, which nobody else has.
        unsafe { place.write(value) };
        self.len += 1;
        Ok(())
    }

    /// Makes room for so many more.
    #[inline]
    fn try_grow(&mut self, additional: usize) -> Result<(), Error> {
        let Self { bump, start, len, capacity, .. } = *self;
        (self.start, self.capacity) = Self::grown(bump, start, len, capacity, additional)?;
        Ok(())
    }

    /// The block, with room for so many more. It is not handed `self`, whose fields are in
    /// registers as long as nobody is.
    #[cold]
    #[inline(never)]
    fn grown(
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
            // SAFETY: handed out by the `old` layout, its owner has called, and it gets larger.
            let start = unsafe { bump.try_grow(start.cast(), old, new) }?;
            Ok((start.cast(), capacity))
        };
        grow_to(need.saturating_add(spare)).or_else(|_: Error| grow_to(need))
    }

    /// Pushes all values, up to the first error of theirs.
    #[inline]
    pub(super) fn fill<E>(
        mut self,
        values: impl Iterator<Item = Result<T, E>>,
    ) -> Result<Result<&'b mut [T], E>, Error> {
        for value in values {
            match value {
                Ok(value) => self.try_push(value)?,
                Err(error) => {
                    // Before the error is in place to be returned: a drop that panics then would leak it.
                    drop(self);
                    return Ok(Err(error));
                }
            }
        }
        Ok(Ok(self.finish()))
    }

    /// The slice. Room that it did not need is free again if it is at the arena's end.
    #[inline]
    pub(super) fn finish(self) -> &'b mut [T] {
        let full = ManuallyDrop::new(self);
        full.shrink(full.len);
        // SAFETY: so many values are there, in a block that is the slice's alone from now on.
        unsafe { slice::from_raw_parts_mut(full.start.as_ptr(), full.len) }
    }

    /// Gives up room behind `len`, which is no more than the capacity.
    #[inline]
    fn shrink(&self, len: usize) {
        let layouts = (array_layout::<T>(self.capacity), array_layout::<T>(len));
        let (Ok(old), Ok(new)) = layouts else { unreachable!("such a block was handed out") };
        // SAFETY: handed out by the `old` layout, this is its owner, and it gets no larger.
        let shrunk = unsafe { self.bump.try_shrink(self.start.cast(), old, new) };
        debug_assert_eq!(shrunk, Ok(self.start.cast()), "of the same alignment");
    }
}

impl Filling<'_, u8> {
    pub(super) fn try_extend_from_slice(&mut self, bytes: &[u8]) -> Result<(), Error> {
        if bytes.len() > self.capacity - self.len {
            self.try_grow(bytes.len())?;
        }
        // SAFETY: `len` is at most `capacity`, so it lies in the block, or at its end.
        let place = unsafe { self.start.add(self.len) };
        // SAFETY: so many fit behind `len`, in a block that nobody else has.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), place.as_ptr(), bytes.len()) };
        self.len += bytes.len();
        Ok(())
    }
}

impl<T> Drop for Filling<'_, T> {
    #[inline]
    fn drop(&mut self) {
        let values = ptr::slice_from_raw_parts_mut(self.start.as_ptr(), self.len);
        // SAFETY: so many values are there, and nobody sees them again. Should one of them panic,
        // the block stays taken.
        unsafe { ptr::drop_in_place(values) };
        self.shrink(0);
    }
}
