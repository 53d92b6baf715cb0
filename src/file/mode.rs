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

/// Elements never change, and no method removes any, so a [`Follow`](crate::Follow) never reads one that is half written, and
/// flushed elements are the same after a loss of power. Elements that were not flushed may be gone after a restart of the
/// system or a failed flush.
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
