//! [`Mode`]: which changes to the elements in a file are allowed.

#![forbid(unsafe_code)]

/// Which changes the elements of a [`FileVec`](crate::FileVec) allow: [`Mutable`] or [`AppendOnly`]. The mode is fixed
/// when the file is created, and recorded in it.
pub trait Mode: sealed::Sealed + 'static {
    #[doc(hidden)]
    const IS_APPEND_ONLY: bool;
}

/// Elements can be changed, and removed from the end.
///
/// A process that [follows](crate::Follow) the file may read an element half changed while it is changed in place.
#[derive(Clone, Copy, Debug)]
pub enum Mutable {}

/// Elements never change, and no method removes any. A [`Follow`](crate::Follow) therefore never reads an element that
/// is half written, and flushed elements are unchanged after a loss of power. Elements that were not flushed may be
/// lost by a restart of the system or a failed flush.
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
