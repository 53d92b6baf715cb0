//! [`VecBuilder`]: options for a `VmVec`.

use super::VmVec;
use crate::backing::Backing;
use crate::container::{Builder, Container, ContainerIn};
use crate::error::{Error, Refused};

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
pub type VecBuilder<T> = Builder<VmVec<T>>;

impl<T> Container for VmVec<T> {
    const BUILDER: &'static str = "VecBuilder";

    fn try_from_builder(builder: VecBuilder<T>) -> Result<Self, Error> {
        Self::try_with_options(builder.options, builder.capacity)
    }
}

impl<T> ContainerIn for VmVec<T> {
    fn try_from_builder_in<B: Backing>(
        builder: VecBuilder<T>,
        backing: B,
    ) -> Result<Self, Refused<B>> {
        Self::try_new_in(backing, builder.options, builder.capacity)
    }
}
