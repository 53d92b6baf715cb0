//! Constructors, and [`SharedVecBuilder`]: the options of a `SharedVec`.

#![forbid(unsafe_code)]

use super::{SharedVec, memory};
use crate::backing::Backing;
use crate::container::{Builder, Container, ContainerIn, constructors};
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

impl<T> SharedVec<T> {
    /// Creates an empty array. Nothing is reserved or allocated, and the kernel is not entered, until the first push;
    /// see [`VmVec::new`].
    #[must_use]
    pub const fn new() -> Self {
        Self::over(VmVec::with_options(&memory::OPTIONS))
    }

    constructors! {
        /// Creates an empty array with memory committed for `capacity` elements.
        with_capacity, try_with_capacity, capacity
    }

    constructors! {
        /// Creates an empty array that can hold at most `max_len` elements, and reserves their addresses now. Addresses
        /// for the flags are reserved with the first memory.
        with_max_len, try_with_max_len, max_len;
        /// # Examples
        ///
        /// ```
        /// let pair = stayput::SharedVec::with_max_len(2);
        /// pair.extend([1, 2]);
        /// assert!(pair.try_push(3).is_err());
        /// ```
    }

    /// Returns a builder for an array with options: maximum, capacity, growth, huge pages, background work.
    pub const fn builder() -> SharedVecBuilder<T> {
        SharedVecBuilder::new()
    }
}

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
