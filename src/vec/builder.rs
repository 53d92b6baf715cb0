//! [`VecBuilder`]: options for a `VmVec`.

use super::{VmVec, give_up};
use crate::error::Error;
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
    /// If it is not said, as much is reserved as the machine has memory; see [`VmVec::new`].
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
