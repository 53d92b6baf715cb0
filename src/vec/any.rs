//! [`AnyVec`]: the memory of an array of any element type, for code that is compiled once.

#![forbid(unsafe_code)]

use super::VmVec;
use crate::error::{Error, Holder};
use crate::raw_vec::{Amount, Element, RawVec};
use std::ptr::NonNull;

/// The memory of a [`VmVec`], whose length does not change.
#[derive(Debug)]
pub(crate) struct AnyVec<'v> {
    raw: &'v mut RawVec,
    len: usize,
    element: Element,
}

impl<T> VmVec<T> {
    pub(crate) fn any(&mut self) -> AnyVec<'_> {
        AnyVec { raw: &mut self.raw, len: self.len, element: Self::ELEMENT }
    }
}

impl AnyVec<'_> {
    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    pub(crate) const fn start(&self) -> NonNull<u8> {
        self.raw.start()
    }

    /// The distance from one element to the next.
    pub(crate) const fn stride_bytes(&self) -> usize {
        self.element.size()
    }

    pub(crate) const fn capacity(&self) -> usize {
        self.raw.capacity()
    }

    pub(crate) fn max_len(&self) -> usize {
        self.raw.max_len(self.element)
    }

    /// The container type that errors name.
    pub(crate) const fn holder(&self) -> Holder {
        self.raw.options().holder
    }

    #[cfg_attr(debug_assertions, track_caller)]
    pub(crate) fn try_reserve(&mut self, additional: usize) -> Result<(), Error> {
        self.raw.grow(self.element, self.len, additional, Amount::AtLeast)
    }
}
