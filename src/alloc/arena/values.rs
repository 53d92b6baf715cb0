//! Stores values in a [`Bump`], individually or as slices.
//!
//! # Why this is sound
//!
//! Each function allocates a block, writes values to it, and returns a reference that lives as long as the borrow of
//! the `Bump`. For that time the block neither moves nor is handed out again: memory is only freed by its owner, or by
//! calls that guarantee that it is not used any more (see `bump.rs`).
//!
//! User code only runs while `top` is past the block, so it may allocate.

#![expect(unsafe_code, reason = "makes references to blocks of an arena")]
#![expect(clippy::mut_from_ref, reason = "each call returns another block")]

use super::bump::Bump;
use super::slice_builder::{ArrayBlock, SliceBuilder};
use crate::error::{Error, Refused, refused, unwrap_or_panic};
use std::convert::Infallible;
use std::fmt;
use std::mem::MaybeUninit;
use std::{ptr, str};

impl Bump {
    /// Not by [`try_alloc`](Self::try_alloc), whose result has room for a value: builds without optimisation would
    /// have it on the stack.
    #[inline]
    #[track_caller]
    pub(super) fn alloc<T>(&self, value: T) -> &mut T {
        store(unwrap_or_panic(self.try_alloc_uninit()), value)
    }

    #[inline]
    pub(super) fn try_alloc<T>(&self, value: T) -> Result<&mut T, Refused<T>> {
        match self.try_alloc_uninit() {
            Ok(place) => Ok(store(place, value)),
            Err(error) => refused(error, value),
        }
    }

    #[inline]
    pub(super) fn try_alloc_with<T>(&self, make: impl FnOnce() -> T) -> Result<&mut T, Error> {
        let place = self.try_alloc_uninit()?;
        // Not by `store`: without optimisation, it would be passed a copy.
        // SAFETY: a mutable reference is "valid for writes" and "properly aligned".
        unsafe { ptr::write(place.as_mut_ptr(), make()) };
        // SAFETY: the value was just written.
        Ok(unsafe { place.assume_init_mut() })
    }

    #[inline]
    pub(super) fn try_alloc_try_with<T, E>(
        &self,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<Result<&mut T, E>, Error> {
        let mut place = SliceBuilder::new(ArrayBlock::new(self, 1)?);
        match make() {
            Ok(value) => {
                place.try_push(value)?;
                Ok(Ok(only(place.finish())))
            }
            Err(error) => {
                // Frees the room.
                drop(place);
                Ok(Err(error))
            }
        }
    }

    #[inline]
    pub(super) fn try_alloc_uninit<T>(&self) -> Result<&mut MaybeUninit<T>, Error> {
        self.try_alloc_slice_uninit(1).map(only)
    }

    #[inline]
    pub(super) fn try_alloc_slice_uninit<T>(
        &self,
        len: usize,
    ) -> Result<&mut [MaybeUninit<T>], Error> {
        Ok(ArrayBlock::new(self, len)?.into_places())
    }

    #[inline]
    pub(super) fn try_alloc_slice_copy<T: Copy>(&self, source: &[T]) -> Result<&mut [T], Error> {
        let mut values = SliceBuilder::new(ArrayBlock::new(self, source.len())?);
        values.try_extend_from_slice(source)?;
        Ok(values.finish())
    }

    #[inline]
    pub(super) fn try_alloc_slice_fill_with<T>(
        &self,
        len: usize,
        mut make: impl FnMut(usize) -> T,
    ) -> Result<&mut [T], Error> {
        let Ok(values) =
            self.try_alloc_slice_try_fill_with(len, |i| Ok::<_, Infallible>(make(i)))?;
        Ok(values)
    }

    /// The inner result is the closure's. After an error, the values made before it are dropped and their memory is
    /// free again.
    #[inline]
    pub(super) fn try_alloc_slice_try_fill_with<T, E>(
        &self,
        len: usize,
        make: impl FnMut(usize) -> Result<T, E>,
    ) -> Result<Result<&mut [T], E>, Error> {
        Ok(SliceBuilder::new(ArrayBlock::new(self, len)?).fill_with(make))
    }

    #[inline]
    pub(super) fn try_alloc_slice_fill_copy<T: Copy>(
        &self,
        len: usize,
        value: T,
    ) -> Result<&mut [T], Error> {
        Ok(SliceBuilder::new(ArrayBlock::new(self, len)?).fill_copy(value))
    }

    #[inline]
    pub(super) fn try_alloc_slice_from_iter<T>(
        &self,
        values: impl IntoIterator<Item = T>,
    ) -> Result<&mut [T], Error> {
        let values = values.into_iter().map(Ok::<_, Infallible>);
        let Ok(values) = self.try_alloc_slice_try_fill_iter(values)?;
        Ok(values)
    }

    /// The inner result is the iterator's. After an error, the values before it are dropped and their memory is free
    /// again.
    #[inline]
    pub(super) fn try_alloc_slice_try_fill_iter<T, E>(
        &self,
        values: impl IntoIterator<Item = Result<T, E>>,
    ) -> Result<Result<&mut [T], E>, Error> {
        let values = values.into_iter();
        let block = ArrayBlock::expecting(self, values.size_hint().0)?;
        SliceBuilder::new(block).fill(values)
    }

    #[inline]
    pub(super) fn try_alloc_str(&self, source: &str) -> Result<&mut str, Error> {
        let bytes = self.try_alloc_slice_copy(source.as_bytes())?;
        // SAFETY: "valid UTF-8": the bytes are a copy of all of a `str`.
        Ok(unsafe { str::from_utf8_unchecked_mut(bytes) })
    }

    #[track_caller]
    pub(super) fn try_alloc_fmt(&self, text: fmt::Arguments<'_>) -> Result<&mut str, Error> {
        if let Some(text) = text.as_str() {
            return self.try_alloc_str(text);
        }
        let bytes = SliceBuilder::new(ArrayBlock::expecting(self, USUAL_TEXT_BYTES)?);
        let mut written = FmtWriter { bytes, refused: None };
        match (fmt::write(&mut written, text), written.refused) {
            (_, Some(refused)) => Err(refused),
            (Ok(()), None) => {
                let bytes = written.bytes.finish();
                // SAFETY: "valid UTF-8": `FmtWriter` was only given whole `str`s, and appended each as a whole, since
                // none was refused.
                Ok(unsafe { str::from_utf8_unchecked_mut(bytes) })
            }
            (Err(fmt::Error), None) => {
                panic!("a formatting trait implementation returned an error")
            }
        }
    }
}

#[cfg(feature = "bytemuck")]
impl Bump {
    #[inline]
    pub(super) fn try_alloc_slice_zeroed<T: bytemuck::Zeroable>(
        &self,
        len: usize,
    ) -> Result<&mut [T], Error> {
        SliceBuilder::zeroed(self, len)
    }

    #[inline]
    pub(super) fn try_alloc_zeroed<T: bytemuck::Zeroable>(&self) -> Result<&mut T, Error> {
        self.try_alloc_slice_zeroed(1).map(only)
    }
}

/// The value of a slice that has one.
#[inline]
fn only<T>(values: &mut [T]) -> &mut T {
    values.first_mut().unwrap_or_else(|| unreachable!("there is one"))
}

/// [`MaybeUninit::write`] with fewer copies on the stack in builds without optimisation.
#[inline]
fn store<T>(place: &mut MaybeUninit<T>, value: T) -> &mut T {
    // SAFETY: a mutable reference is "valid for writes" and "properly aligned".
    unsafe { place.as_mut_ptr().write(value) };
    // SAFETY: the value was just written.
    unsafe { place.assume_init_mut() }
}

/// The initial capacity for formatted text.
const USUAL_TEXT_BYTES: usize = 64;

struct FmtWriter<'b> {
    bytes: SliceBuilder<'b, u8>,
    refused: Option<Error>,
}

impl fmt::Write for FmtWriter<'_> {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        self.bytes.try_extend_from_slice(part.as_bytes()).map_err(|error| {
            self.refused = Some(error);
            fmt::Error
        })
    }
}
