//! [`SharedVecBuilder`]: options for a `SharedVec`.

#![forbid(unsafe_code)]

use super::{SharedVec, memory};
use crate::backing::Backing;
use crate::container::{Builder, Container, ContainerIn};
use crate::error::{Error, Refused};
use crate::raw_vec::Options;
use crate::vec::VmVec;

/// Options for a [`SharedVec`]; see [`SharedVec::builder`].
///
/// # Examples
///
/// ```
/// use stayput::{CommitAhead, SharedVec};
///
/// let samples: SharedVec<f32> = SharedVec::builder()
///     .max_len(1 << 24)
///     .capacity(1 << 16)
///     .commit_ahead(CommitAhead::Auto)
///     .build();
/// assert_eq!(samples.max_len(), 1 << 24);
/// ```
pub type SharedVecBuilder<T> = Builder<SharedVec<T>>;

impl<T> Container for SharedVec<T> {
    const BUILDER: &'static str = "SharedVecBuilder";
    const DEFAULTS: Options = memory::OPTIONS;

    fn try_from_builder(builder: SharedVecBuilder<T>) -> Result<Self, Error> {
        let shared = Self::over(VmVec::try_with_options(builder.options, 0)?);
        shared.try_reserve(builder.capacity)?;
        Ok(shared)
    }
}

impl<T> ContainerIn for SharedVec<T> {
    fn try_from_builder_in<B: Backing>(
        builder: SharedVecBuilder<T>,
        backing: B,
    ) -> Result<Self, Refused<B>> {
        let shared = Self::over(VmVec::try_new_in(backing, builder.options, 0)?);
        match shared.try_reserve(builder.capacity) {
            Ok(()) => Ok(shared),
            Err(error) => Err(Refused { error, value: shared.into_inner().into_backing() }),
        }
    }
}
