//! Heap allocation that returns an error instead of aborting the process. In std only `Vec::try_reserve` and
//! `Vec::try_reserve_exact` do.

#![expect(unsafe_code, reason = "allocates")]

use crate::error::{Error, ErrorKind};
use std::alloc::{Layout, alloc};
use std::mem::MaybeUninit;

/// Uninitialized memory for one value.
///
/// Allocated before the value is created or moved, so that a refusal loses nothing and leaves nothing to undo.
pub(crate) struct UninitBox<T>(Box<MaybeUninit<T>>);

impl<T> UninitBox<T> {
    pub(crate) fn try_new() -> Result<Self, Error> {
        const { assert!(size_of::<T>() > 0, "values of size zero need no block") };
        let layout = Layout::new::<MaybeUninit<T>>();
        // SAFETY: the size is not 0, as asserted above.
        let block = unsafe { alloc(layout) }.cast::<MaybeUninit<T>>();
        if block.is_null() {
            return Err(Error::new(ErrorKind::Memory, layout.size()));
        }
        // SAFETY: just allocated by the global allocator with the layout of `MaybeUninit<T>`, for which any bytes are
        // valid.
        let block = unsafe { Box::from_raw(block) };
        Ok(Self(block))
    }

    #[inline]
    #[expect(clippy::unnecessary_box_returns, reason = "the caller needs the box")]
    pub(crate) fn fill(self, value: T) -> Box<T> {
        let Self(mut block) = self;
        block.write(value);
        // SAFETY: initialized by the write above.
        unsafe { block.assume_init() }
    }
}

/// [`Box::new`] with an [`Error`].
pub(crate) fn try_boxed<T>(value: T) -> Result<Box<T>, Error> {
    UninitBox::try_new().map(|uninit| uninit.fill(value))
}

/// [`Vec::try_reserve_exact`] with an [`Error`].
pub(crate) fn try_reserve_exact<T>(vec: &mut Vec<T>, additional: usize) -> Result<(), Error> {
    vec.try_reserve_exact(additional)
        .map_err(|_| Error::new(ErrorKind::Memory, additional.saturating_mul(size_of::<T>())))
}

/// Deserializes a sequence. Unlike that of serde, it allocates nothing for elements that are announced but never come,
/// and returns an error if memory is refused.
#[cfg(feature = "serde")]
pub(crate) fn deserialize_vec<'de, T, D>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    T: serde::Deserialize<'de>,
    D: serde::Deserializer<'de>,
{
    deserializer.deserialize_seq(Elements(Vec::new()))
}

#[cfg(feature = "serde")]
struct Elements<T>(Vec<T>);

#[cfg(feature = "serde")]
impl<'de, T: serde::Deserialize<'de>> serde::de::Visitor<'de> for Elements<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a sequence")
    }

    fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut from: A) -> Result<Vec<T>, A::Error> {
        let Self(mut elements) = self;
        while let Some(element) = from.next_element()? {
            let bytes = size_of::<T>();
            elements
                .try_reserve(1)
                .map_err(|_| serde::de::Error::custom(Error::new(ErrorKind::Memory, bytes)))?;
            elements.push(element);
        }
        Ok(elements)
    }
}

/// Collects an iterator that knows its length, or returns the error.
#[cfg(feature = "file")]
pub(crate) fn try_collect<T>(iter: impl ExactSizeIterator<Item = T>) -> Result<Vec<T>, Error> {
    let mut vec = Vec::new();
    try_reserve_exact(&mut vec, iter.len())?;
    vec.extend(iter);
    Ok(vec)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;

    #[test]
    fn a_value_is_stored_in_its_room_and_dropped_once() {
        let value = Rc::new(());
        let uninit = UninitBox::try_new().unwrap();
        let at = uninit.0.as_ptr();
        let boxed = uninit.fill(Rc::clone(&value));
        assert_eq!((&raw const *boxed, Rc::strong_count(&value)), (at, 2));
        drop(boxed);
        assert_eq!(Rc::strong_count(&value), 1);
    }

    #[test]
    fn room_is_aligned_for_its_value_and_can_stay_empty() {
        #[repr(align(256))]
        struct Aligned([u8; 256]);
        let boxed = try_boxed(Aligned([7; 256])).unwrap();
        assert_eq!(((&raw const *boxed).addr() % 256, boxed.0[255]), (0, 7));
        drop(UninitBox::<Aligned>::try_new().unwrap());
    }

    #[test]
    fn reserving_more_than_a_vec_can_hold_is_refused() {
        let error = try_reserve_exact(&mut Vec::<u64>::new(), usize::MAX).unwrap_err();
        assert_eq!((error.kind(), error.bytes()), (ErrorKind::Memory, usize::MAX));
    }
}
