//! [`SliceBuilder`]: a slice in an arena while its values are being stored.
//!
//! # Why this is sound
//!
//! The fields of both types are only visible here. An [`ArrayBlock`] is never copied, so nothing else uses its memory,
//! and `len` is only increased after as many values were written.

#![expect(unsafe_code, reason = "writes values to blocks of an arena")]

use super::bump::Bump;
use crate::alloc::{Change, Contents};
use crate::error::{Error, ErrorKind};
use std::alloc::Layout;
use std::marker::PhantomData;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::ptr::{self, NonNull};
use std::slice;

/// A block of an arena for `capacity` values. It stays in use when this is dropped.
///
/// # Invariants
///
/// - `bump` handed `start` out for the layout of an array of `capacity` values of type `T`, and has not freed it. So it
///   is aligned, not null, and valid for reads and writes of `capacity` values during `'b`.
/// - Only this `ArrayBlock` uses that memory.
pub(super) struct ArrayBlock<'b, T> {
    bump: &'b Bump,
    start: NonNull<T>,
    capacity: usize,
}

impl<'b, T> ArrayBlock<'b, T> {
    #[inline]
    pub(super) fn new(bump: &'b Bump, capacity: usize) -> Result<Self, Error> {
        let start = bump.try_allocate(array_layout::<T>(capacity)?)?.cast();
        Ok(Self { bump, start, capacity })
    }

    /// Creates a block for the `promised` number of values, within reason.
    #[inline]
    pub(super) fn expecting(bump: &'b Bump, promised: usize) -> Result<Self, Error> {
        /// The largest block that is allocated on the word of a size hint.
        const TRUSTED_BYTES: usize = 1 << 20;
        let trusted = TRUSTED_BYTES / size_of::<T>().max(1);
        // A size hint that cannot be met is ignored.
        Self::new(bump, promised.min(trusted)).or_else(|_| Self::new(bump, 0))
    }

    /// Hands the block out for good.
    #[inline]
    pub(super) fn into_places(self) -> &'b mut [MaybeUninit<T>] {
        // SAFETY: as in `places`, and nothing else uses the memory during `'b`, since `self` is consumed.
        unsafe { slice::from_raw_parts_mut(self.start.cast().as_ptr(), self.capacity) }
    }

    /// The places of the values, which may be initialized or not.
    #[inline]
    fn places(&mut self) -> &mut [MaybeUninit<T>] {
        // SAFETY: "valid for both reads and writes" of `capacity` values, "aligned" and not accessed "through any other
        // pointer": by the invariants, and `self` is borrowed mutably. `MaybeUninit` needs no initialization.
        unsafe { slice::from_raw_parts_mut(self.start.cast().as_ptr(), self.capacity) }
    }

    /// Frees the capacity past `kept` values, if the block is the arena's last.
    #[inline]
    fn shrink(&mut self, kept: usize) {
        let kept = kept.min(self.capacity);
        // Does not overflow: an array with this capacity was handed out.
        let bytes = |values| values * size_of::<T>();
        // SAFETY: the block was handed out by this arena for an array of `capacity` values, and only `self` uses it, by the
        // invariants. As the capacity becomes `kept`, which is not larger, the rest is not used any more.
        unsafe { self.bump.shrink(self.start.cast(), bytes(self.capacity), bytes(kept)) };
        self.capacity = kept;
    }

    /// Makes room for `additional` values after the first `len`, and some more. The values that are there, initialized or
    /// not, are preserved.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, len: usize, additional: usize) -> Result<(), Error> {
        /// The largest spare capacity when growing in place: doubling would commit memory without need.
        const SPARE_BYTES: usize = 4 << 10;
        let Some(need) = len.checked_add(additional) else {
            return Err(Error::new(ErrorKind::CapacityOverflow, usize::MAX));
        };
        let old = array_layout::<T>(self.capacity)?;
        let in_place = self.bump.is_last(self.start.cast(), old.size());
        let spare = match size_of::<T>() {
            size if in_place => self.capacity.min(SPARE_BYTES / size.max(1)),
            _ => self.capacity,
        };
        let mut grow_to = |capacity: usize| {
            let capacity = capacity.max(self.capacity);
            let new = array_layout::<T>(capacity)?;
            let (start, change) = (self.start.cast(), Change::Grow(Contents::Any));
            // SAFETY: the block was handed out by this arena for the layout `old`, and only `self` uses it, by the
            // invariants. `new` is not smaller, since it is for as many values or more.
            let grown = unsafe { self.bump.try_resize(start, old, new, change) };
            (self.start, self.capacity) = (grown?.cast(), capacity);
            Ok(())
        };
        grow_to(need.saturating_add(spare)).or_else(|_: Error| grow_to(need))
    }
}

/// A slice of which `len` values are stored. If it is dropped before it is finished, because user code panics or fails,
/// it drops them and frees its block.
///
/// It grows in place while its block is the arena's last. User code that makes a value may allocate from the arena; the
/// slice then moves when it grows.
///
/// # Invariants
///
/// - The first `len` places of `block` are initialized, and `len` is at most its capacity. This slice owns the values.
pub(super) struct SliceBuilder<'b, T> {
    block: ArrayBlock<'b, T>,
    len: usize,
    values: PhantomData<T>,
}

impl<'b, T> SliceBuilder<'b, T> {
    #[inline]
    pub(super) const fn new(block: ArrayBlock<'b, T>) -> Self {
        Self { block, len: 0, values: PhantomData }
    }

    #[inline]
    pub(super) fn try_push(&mut self, value: T) -> Result<(), Error> {
        loop {
            if let Some(place) = self.block.places().get_mut(self.len) {
                place.write(value);
                self.len += 1;
                return Ok(());
            }
            self.block.grow(self.len, 1)?;
        }
    }

    /// Stores as many values as there is capacity for, made from their indices, up to the first error.
    #[inline]
    pub(super) fn fill_with<E>(
        mut self,
        mut make: impl FnMut(usize) -> Result<T, E>,
    ) -> Result<&'b mut [T], E> {
        while let Some(place) = self.block.places().get_mut(self.len) {
            match make(self.len) {
                Ok(value) => {
                    place.write(value);
                    self.len += 1;
                }
                Err(error) => {
                    // As in `fill`.
                    drop(self);
                    return Err(error);
                }
            }
        }
        Ok(self.finish())
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
        let mut full = ManuallyDrop::new(self);
        let len = full.len;
        if len < full.block.capacity {
            full.block.shrink(len);
        }
        // SAFETY: the first `len` values are initialized, by the invariants, and the rest of what is required holds for a
        // block, see `places`. As `self` is consumed without a drop, nothing else uses the memory during `'b`.
        unsafe { slice::from_raw_parts_mut(full.block.start.as_ptr(), len) }
    }
}

impl<T: Copy> SliceBuilder<'_, T> {
    #[inline]
    pub(super) fn try_extend_from_slice(&mut self, values: &[T]) -> Result<(), Error> {
        if values.len() > self.block.capacity - self.len {
            self.block.grow(self.len, values.len())?;
        }
        let place = self.block.start.as_ptr().wrapping_add(self.len);
        // SAFETY: "valid for reads": `values` is a slice. "Valid for writes": the values fit between `len` and the
        // capacity, as checked, or since `grow` made room for them. "Not overlap": only this slice uses its block, so
        // `values` is not in it. "Aligned": both are places of a `T`.
        unsafe { ptr::copy_nonoverlapping(values.as_ptr(), place, values.len()) };
        self.len += values.len();
        Ok(())
    }
}

impl<'b, T: Copy> SliceBuilder<'b, T> {
    /// Fills all capacity with copies.
    #[inline]
    pub(super) fn fill_copy(mut self, value: T) -> &'b mut [T] {
        self.block.places().fill(MaybeUninit::new(value));
        self.len = self.block.capacity;
        self.finish()
    }
}

#[cfg(feature = "bytemuck")]
impl<'b, T: bytemuck::Zeroable> SliceBuilder<'b, T> {
    /// Stores `len` values whose bytes are all zero, which are initialized by `Zeroable`.
    #[inline]
    pub(super) fn zeroed(bump: &'b Bump, len: usize) -> Result<&'b mut [T], Error> {
        let start = bump.try_allocate_zeroed(array_layout::<T>(len)?)?.cast();
        let block = ArrayBlock { bump, start, capacity: len };
        Ok(Self { block, len, values: PhantomData }.finish())
    }
}

impl<T> Drop for SliceBuilder<'_, T> {
    #[inline]
    fn drop(&mut self) {
        let values = ptr::slice_from_raw_parts_mut(self.block.start.as_ptr(), self.len);
        // SAFETY: the first `len` values are initialized and owned by this slice, by the invariants, and not used again.
        // The block is aligned and valid for reads and writes. If one of the drops panics, the block stays in use.
        unsafe { ptr::drop_in_place(values) };
        self.block.shrink(0);
    }
}

#[inline]
fn array_layout<T>(len: usize) -> Result<Layout, Error> {
    Layout::array::<T>(len)
        .map_err(|_| Error::new(ErrorKind::CapacityOverflow, len.saturating_mul(size_of::<T>())))
}
