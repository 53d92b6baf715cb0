//! What may be done to elements that are in a file.

#![forbid(unsafe_code)]

/// What may be done to the elements of a [`FileVec`](crate::FileVec) once they are there: [`Mutable`] or
/// [`AppendOnly`]. It is fixed when the file is made, and kept in it.
pub trait Mode: sealed::Sealed + 'static {
    #[doc(hidden)]
    const IS_APPEND_ONLY: bool;
}

/// Elements can be changed, and removed from the end.
///
/// A process that [follows](crate::Follow) may find an element that is changed in place half changed.
#[derive(Clone, Copy, Debug)]
pub enum Mutable {}

/// Elements never change, and none is ever removed. So who [follows](crate::Follow) never sees one half written,
/// and what was flushed is there after a loss of power as it was.
#[derive(Clone, Copy, Debug)]
pub enum AppendOnly {}

impl Mode for Mutable {
    const IS_APPEND_ONLY: bool = false;
}

impl Mode for AppendOnly {
    const IS_APPEND_ONLY: bool = true;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Mutable {}
    impl Sealed for super::AppendOnly {}
}
