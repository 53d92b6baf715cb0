//! [`VecBuilder`]: options for a `VmVec`.

use super::{VmVec, give_up};
use crate::backing::Backing;
use crate::error::{Error, Refused};
use crate::raw_vec::{Options, option_methods};
use std::fmt;
use std::marker::PhantomData;

/// Options for a [`VmVec`]; see [`VmVec::builder`].
///
/// # Examples
///
/// ```
/// use stayput::{Growth, HugePages, VmVec};
///
/// let samples: VmVec<f32> = VmVec::builder()
///     .max_len(1 << 28)
///     .capacity(1 << 16)
///     .growth(Growth::Fixed { step_bytes: 1 << 20 })
///     .huge_pages(HugePages::Never)
///     .build();
/// assert_eq!(samples.max_len(), 1 << 28);
/// assert!(samples.capacity() >= 1 << 16);
/// ```
#[must_use = "nothing is made before `build` is called"]
pub struct VecBuilder<T> {
    options: Options,
    capacity: usize,
    element: PhantomData<fn() -> T>,
}

impl<T> VecBuilder<T> {
    pub(super) const fn new() -> Self {
        Self { options: Options::DEFAULT, capacity: 0, element: PhantomData }
    }

    /// The number of elements that the array can ever hold; addresses for them are reserved at
    /// once.
    ///
    /// If it is not said, as much is reserved as the machine has memory, but each of very many arrays has
    /// less; see [`VmVec::new`]. Where there is [no virtual memory](crate#systems) that is little, so there say it.
    pub const fn max_len(mut self, max_len: usize) -> Self {
        self.options.max_len = Some(max_len);
        self
    }

    /// Sets the number of elements to commit memory for at once. Defaults to 0.
    ///
    /// Without [`max_len`](Self::max_len), enough addresses are reserved for them, even if that is more than the default.
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
    pub fn build(self) -> VmVec<T> {
        match self.try_build() {
            Ok(vec) => vec,
            Err(error) => give_up(error),
        }
    }

    /// Makes the array. Enters the kernel if a maximum or a capacity was asked for.
    ///
    /// # Errors
    ///
    /// If the addresses or the memory cannot be had; if the capacity is more than the maximum
    /// ([`MaxLen`](crate::ErrorKind::MaxLen)); if either has more than `isize::MAX` bytes
    /// ([`CapacityOverflow`](crate::ErrorKind::CapacityOverflow)).
    pub fn try_build(self) -> Result<VmVec<T>, Error> {
        VmVec::try_with_options(self.options, self.capacity)
    }

    /// Makes the array in memory that is supplied; it holds what fits there, or the maximum if that
    /// is less. See [`Backing`] for what else is different.
    ///
    /// # Panics
    ///
    /// Where [`try_build_in`](Self::try_build_in) has an error.
    #[track_caller]
    pub fn build_in(self, backing: impl Backing) -> VmVec<T> {
        match self.try_build_in(backing) {
            Ok(vec) => vec,
            Err(refused) => give_up(refused.error),
        }
    }

    /// [`build_in`](Self::build_in), or the error and the backing. Calls the backing to commit
    /// memory if a capacity was asked for.
    ///
    /// # Errors
    ///
    /// If the memory is less aligned than the elements must be, or its runs are no power of two
    /// ([`Alignment`](crate::ErrorKind::Alignment)); if it has more than `isize::MAX` bytes
    /// ([`CapacityOverflow`](crate::ErrorKind::CapacityOverflow)); if the capacity does not fit
    /// there or is more than the maximum ([`MaxLen`](crate::ErrorKind::MaxLen)); if the backing
    /// refuses; if the allocator refuses the small blocks that an array takes besides
    /// ([`Memory`](crate::ErrorKind::Memory)). None of the backing's memory is committed then, unless it
    /// refused to take that back.
    pub fn try_build_in<B: Backing>(self, backing: B) -> Result<VmVec<T>, Refused<B>> {
        VmVec::try_new_in(backing, self.options, self.capacity)
    }
}

impl<T> Clone for VecBuilder<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for VecBuilder<T> {}

impl<T> fmt::Debug for VecBuilder<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("VecBuilder");
        self.options.show(&mut shown).field("capacity", &self.capacity).finish()
    }
}
