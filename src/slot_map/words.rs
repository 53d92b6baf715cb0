//! [`Words`]: the memory that a [`Bitmap`](super::bitmap::Bitmap) lies in.
//!
//! It is an array like others. Where there is no virtual memory, maps are made in memory of the user's, and the
//! bitmap, which is not, is in memory of the allocator's.

#![forbid(unsafe_code)]

#[cfg(not(no_vm))]
pub(super) type Words = crate::vec::VmVec<u64>;
#[cfg(no_vm)]
pub(super) use heap::Words;

#[cfg(no_vm)]
mod heap {
    use crate::error::{Error, ErrorKind};
    use crate::raw_vec::Options;
    use crate::vec::VecStats;
    use std::ops::{Deref, DerefMut};

    /// What a bitmap asks of a `VmVec<u64>`, made of a `Vec`.
    #[derive(Debug)]
    pub(in crate::slot_map) struct Words(Vec<u64>);

    impl Words {
        /// The options are about virtual memory.
        pub(in crate::slot_map) const fn with_options(_: &'static Options) -> Self {
            Self(Vec::new())
        }

        /// As above.
        pub(in crate::slot_map) const fn try_unreserved(_: Options) -> Result<Self, Error> {
            Ok(Self(Vec::new()))
        }

        pub(in crate::slot_map) fn try_extend_zero_words(
            &mut self,
            additional: usize,
        ) -> Result<(), Error> {
            self.try_resize(self.0.len() + additional, 0)
        }

        pub(in crate::slot_map) fn try_reserve(&mut self, additional: usize) -> Result<(), Error> {
            self.0.try_reserve(additional).map_err(|_| {
                Error::new(ErrorKind::Memory, additional.saturating_mul(size_of::<u64>()))
            })
        }

        pub(in crate::slot_map) fn try_resize(
            &mut self,
            new_len: usize,
            word: u64,
        ) -> Result<(), Error> {
            self.try_reserve(new_len.saturating_sub(self.0.len()))?;
            self.0.resize(new_len, word);
            Ok(())
        }

        pub(in crate::slot_map) fn capacity(&self) -> usize {
            self.0.capacity()
        }

        pub(in crate::slot_map) fn truncate(&mut self, len: usize) {
            self.0.truncate(len);
        }

        /// Nothing: an allocator that refuses to make an allocation smaller would end the process.
        pub(in crate::slot_map) const fn shrink_to_fit(&mut self) {}

        /// Nothing, too.
        pub(in crate::slot_map) const fn shrink_to(&mut self, _: usize) {}

        pub(in crate::slot_map) fn as_slice(&self) -> &[u64] {
            &self.0
        }

        pub(in crate::slot_map) fn stats(&self) -> VecStats {
            VecStats {
                len: self.0.len(),
                capacity: self.0.capacity(),
                max_len: isize::MAX as usize / size_of::<u64>(),
                reserved_bytes: 0,
                committed_bytes: self.0.capacity() * size_of::<u64>(),
                ahead_bytes: 0,
                late: 0,
                resident_bytes: None,
            }
        }
    }

    impl Deref for Words {
        type Target = [u64];

        fn deref(&self) -> &[u64] {
            &self.0
        }
    }

    impl DerefMut for Words {
        fn deref_mut(&mut self) -> &mut [u64] {
            &mut self.0
        }
    }
}
