//! [`SharedVecBuilder`]: options for a `SharedVec`.

#![forbid(unsafe_code)]

use super::{SharedVec, memory};
use crate::backing::Backing;
use crate::error::{Error, Refused, give_up, or_give_up};
use crate::raw_vec::{Options, option_methods};
use crate::vec::VmVec;
use std::fmt;
use std::marker::PhantomData;

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
#[must_use = "nothing is made before `build` is called"]
pub struct SharedVecBuilder<T> {
    options: Options,
    capacity: usize,
    element: PhantomData<fn() -> T>,
}

impl<T> SharedVecBuilder<T> {
    pub(super) const fn new() -> Self {
        Self { options: memory::OPTIONS, capacity: 0, element: PhantomData }
    }

    /// The number of elements that the array can ever hold; addresses for them are reserved at once.
    ///
    /// If it is not said, as for [`VmVec::new`].
    pub const fn max_len(mut self, max_len: usize) -> Self {
        self.options.max_len = Some(max_len);
        self
    }

    /// For how many elements to commit memory at once. None, if not said.
    pub const fn capacity(mut self, capacity: usize) -> Self {
        self.capacity = capacity;
        self
    }

    option_methods!();

    /// Makes the array.
    ///
    /// # Panics
    ///
    /// Where [`try_build`](Self::try_build) has an error.
    #[track_caller]
    pub fn build(self) -> SharedVec<T> {
        or_give_up(self.try_build())
    }

    /// Makes the array. Enters the kernel if a maximum or a capacity was asked for.
    ///
    /// # Errors
    ///
    /// As for [`VecBuilder::try_build`](crate::VecBuilder::try_build).
    pub fn try_build(self) -> Result<SharedVec<T>, Error> {
        let shared = SharedVec::over(VmVec::try_with_options(self.options, 0)?);
        shared.try_reserve(self.capacity)?;
        Ok(shared)
    }

    /// Makes the array in memory that is supplied, but for the flags of elements: it holds what fits there, or the
    /// maximum if that is less. See [`Backing`] for what else is different.
    ///
    /// Its methods are called with the array's lock held: a thread that needs more memory for the array waits for them. So
    /// they must not wait for such a thread; a call that comes back to the array itself is refused.
    ///
    /// # Panics
    ///
    /// Where [`try_build_in`](Self::try_build_in) has an error.
    #[track_caller]
    pub fn build_in(self, backing: impl Backing) -> SharedVec<T> {
        match self.try_build_in(backing) {
            Ok(vec) => vec,
            Err(refused) => give_up(refused.error),
        }
    }

    /// [`build_in`](Self::build_in), or the error and the backing. Calls the backing to commit memory if a capacity was
    /// asked for.
    ///
    /// # Errors
    ///
    /// As for [`VecBuilder::try_build_in`](crate::VecBuilder::try_build_in).
    pub fn try_build_in<B: Backing>(self, backing: B) -> Result<SharedVec<T>, Refused<B>> {
        let shared = SharedVec::over(VmVec::try_new_in(backing, self.options, 0)?);
        match shared.try_reserve(self.capacity) {
            Ok(()) => Ok(shared),
            Err(error) => Err(Refused { error, value: shared.into_inner().into_backing() }),
        }
    }
}

impl<T> Clone for SharedVecBuilder<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for SharedVecBuilder<T> {}

impl<T> fmt::Debug for SharedVecBuilder<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("SharedVecBuilder");
        self.options.show(&mut shown).field("capacity", &self.capacity).finish()
    }
}
