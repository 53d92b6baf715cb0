//! [`BlockVecBuilder`]: options for a `BlockVec`.

#![forbid(unsafe_code)]

use super::raw::Raw;
use super::{BlockVec, Blocks, unwrap_or_panic};
use crate::error::{Error, ErrorKind};
use std::fmt;
use std::marker::PhantomData;

/// Options for a [`BlockVec`]; see [`BlockVec::builder`].
///
/// # Examples
///
/// ```
/// use stayput::{BlockVec, Blocks};
///
/// let samples: BlockVec<f32> = BlockVec::builder()
///     .max_len(1 << 28)
///     .capacity(1 << 16)
///     .blocks(Blocks::Fixed { bytes: 64 << 10 })
///     .build();
/// assert_eq!(samples.max_len(), 1 << 28);
/// assert_eq!(samples.stats().blocks, 4);
/// ```
#[must_use = "a builder does nothing until `build` is called"]
pub struct BlockVecBuilder<T> {
    max_len: Option<usize>,
    capacity: usize,
    blocks: Blocks,
    element: PhantomData<fn() -> T>,
}

impl<T> BlockVecBuilder<T> {
    pub(super) const fn new() -> Self {
        Self { max_len: None, capacity: 0, blocks: Blocks::DEFAULT, element: PhantomData }
    }

    /// Sets the maximum number of elements. Defaults to what `isize::MAX` bytes can hold.
    pub const fn max_len(mut self, max_len: usize) -> Self {
        self.max_len = Some(max_len);
        self
    }

    /// Sets how many elements [`build`](Self::build) allocates memory for. Defaults to 0.
    pub const fn capacity(mut self, capacity: usize) -> Self {
        self.capacity = capacity;
        self
    }

    /// Sets the sizes of blocks. Defaults to 16 KiB each.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{BlockVec, Blocks};
    ///
    /// let small = BlockVec::builder().blocks(Blocks::Doubling { first_bytes: 256 });
    /// let mut inboxes: Vec<BlockVec<u64>> = (0..1000).map(|_| small.build()).collect();
    /// inboxes[3].push(7);
    /// assert_eq!(inboxes[3].stats().block_bytes, 256);
    /// assert_eq!(inboxes[4].stats().block_bytes, 0);
    /// ```
    pub const fn blocks(mut self, blocks: Blocks) -> Self {
        self.blocks = blocks;
        self
    }

    /// Builds the array.
    ///
    /// # Panics
    ///
    /// If [`try_build`](Self::try_build) returns an error.
    #[track_caller]
    pub fn build(self) -> BlockVec<T> {
        unwrap_or_panic(self.try_build())
    }

    /// Builds the array, or returns the error. Calls the allocator only if a capacity was set.
    ///
    /// # Errors
    ///
    /// If the memory is refused ([`Memory`](ErrorKind::Memory)); if the capacity exceeds the maximum
    /// ([`MaxLen`](ErrorKind::MaxLen)); or if either exceeds `isize::MAX` bytes
    /// ([`CapacityOverflow`](ErrorKind::CapacityOverflow)).
    pub fn try_build(self) -> Result<BlockVec<T>, Error> {
        let max_len = self.max_len.unwrap_or(Raw::<T>::MOST);
        if max_len > Raw::<T>::MOST {
            let bytes = max_len.saturating_mul(size_of::<T>());
            return Err(Error::new(ErrorKind::CapacityOverflow, bytes));
        }
        let mut vec = BlockVec { raw: Raw::new(self.blocks, max_len) };
        vec.try_reserve(self.capacity)?;
        Ok(vec)
    }
}

impl<T> Clone for BlockVecBuilder<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for BlockVecBuilder<T> {}

impl<T> fmt::Debug for BlockVecBuilder<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BlockVecBuilder")
            .field("max_len", &self.max_len)
            .field("blocks", &self.blocks)
            .field("capacity", &self.capacity)
            .finish()
    }
}
