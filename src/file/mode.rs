//! [`Mode`]: which changes to the elements in a file are allowed.

#![forbid(unsafe_code)]

/// Which changes the elements of a [`FileVec`](crate::FileVec) allow: [`Mutable`] or [`AppendOnly`]. The mode is fixed
/// when the file is created, and recorded in it.
///
/// # Examples
///
/// ```
/// use stayput::FileVec;
/// use stayput::file::{AppendOnly, Mode, Mutable};
///
/// fn mean<M: Mode>(samples: &FileVec<f64, M>) -> f64 {
///     samples.iter().sum::<f64>() / samples.len() as f64
/// }
///
/// let mut log: FileVec<f64, AppendOnly> = FileVec::temporary_in(std::env::temp_dir())?;
/// let mut scratch: FileVec<f64, Mutable> = FileVec::temporary_in(std::env::temp_dir())?;
/// log.extend([1.0, 2.0]);
/// scratch.extend([3.0, 4.0]);
/// assert_eq!(mean(&log) + mean(&scratch), 5.0);
/// # Ok::<(), stayput::file::FileError>(())
/// ```
pub trait Mode: sealed::Sealed + 'static {
    #[doc(hidden)]
    const IS_APPEND_ONLY: bool;
}

/// Elements can be changed, and removed from the end.
///
/// A process that [follows](crate::Follow) the file may read an element half changed while it is changed in place.
///
/// # Examples
///
/// ```
/// use stayput::FileVec;
/// use stayput::file::Mutable;
///
/// // `Mutable` is the default.
/// let mut health: FileVec<u32, Mutable> = FileVec::temporary_in(std::env::temp_dir())?;
/// health.extend([100, 80]);
/// health[1] -= 30;
/// health.swap_remove(0);
/// assert_eq!(*health, [50]);
/// # Ok::<(), stayput::file::FileError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Mutable {}

/// Elements never change, and no method removes any. A [`Follow`](crate::Follow) therefore never reads an element that
/// is half written, and flushed elements are unchanged after a loss of power. Elements that were not flushed may be
/// lost by a restart of the system or a failed flush.
///
/// # Examples
///
/// ```
/// use stayput::FileVec;
/// use stayput::file::AppendOnly;
///
/// let mut ledger: FileVec<i64, AppendOnly> = FileVec::temporary_in(std::env::temp_dir())?;
/// ledger.extend([100, -30]);
/// assert_eq!(ledger.iter().sum::<i64>(), 70);
/// # Ok::<(), stayput::file::FileError>(())
/// ```
///
/// ```compile_fail
/// # use stayput::FileVec;
/// # use stayput::file::AppendOnly;
/// fn forge(ledger: &mut FileVec<i64, AppendOnly>) {
///     ledger[0] = 1_000_000;
/// }
/// ```
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
