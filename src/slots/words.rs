//! [`Words`]: bits of slots, in words.

#![forbid(unsafe_code)]

use crate::error::{Error, ErrorKind};
use crate::raw_vec::Options;
use crate::vec::{VecStats, VmVec};
use std::mem;
use std::ops::{Deref, DerefMut};

/// Few words in a `Vec`, which most maps can do with and which costs little to make and to drop; or many, which never
/// move and whose pages are not touched until they are written to.
#[derive(Debug)]
pub(crate) enum Words {
    Few(Vec<u64>),
    Many(VmVec<u64>),
}

impl Words {
    pub(crate) const NONE: Self = Self::Few(Vec::new());

    /// The most words that are few: copying that many takes less time than a few page faults.
    const MOST_FEW: usize = (64 << 10) / size_of::<u64>();

    /// Appends zeros until there are `len` words, of at most `max_len`. After an error nothing has changed.
    pub(crate) fn try_extend(&mut self, len: usize, max_len: Option<usize>) -> Result<(), Error> {
        match self {
            Self::Few(words) if len <= Self::MOST_FEW.min(max_len.unwrap_or(usize::MAX)) => {
                let additional = len.saturating_sub(words.len());
                let refused = |_| Error::new(ErrorKind::Memory, additional * size_of::<u64>());
                words.try_reserve(additional).map_err(refused)?;
                words.resize(words.len() + additional, 0);
            }
            Self::Few(words) => {
                let options = Options { max_len, ..Options::BITS };
                let mut many = VmVec::try_unreserved(options)?;
                many.try_extend_zero_words(len).map_err(Error::of_request)?;
                many[..words.len()].copy_from_slice(words);
                // An assignment would drop the words first. If they belong to a map that threads share, a child forked in
                // between would find them freed.
                drop(mem::replace(self, Self::Many(many)));
            }
            Self::Many(words) => {
                let additional = len.saturating_sub(words.len());
                if let Some(max_len) = max_len {
                    words.limit(max_len);
                }
                words.try_extend_zero_words(additional).map_err(Error::of_request)?;
            }
        }
        Ok(())
    }

    /// Removes the words after the first `len`, and returns memory that [`VmVec::shrink_to_fit`] would return. That of
    /// few stays, since an allocator that refuses to shrink an allocation would abort the process.
    pub(crate) fn truncate(&mut self, len: usize) {
        match self {
            Self::Few(words) => words.truncate(len),
            Self::Many(words) => {
                words.truncate(len);
                words.shrink_to(0);
            }
        }
    }

    pub(crate) fn stats(&self) -> VecStats {
        match self {
            Self::Few(words) => {
                let (len, capacity) = (words.len(), words.capacity());
                let bytes = capacity * size_of::<u64>();
                VecStats {
                    len,
                    capacity,
                    max_len: Self::MOST_FEW,
                    reserved_bytes: bytes,
                    committed_bytes: bytes,
                    ahead_bytes: 0,
                    late: 0,
                    resident_bytes: Some(bytes),
                }
            }
            Self::Many(words) => words.stats(),
        }
    }
}

impl From<VmVec<u64>> for Words {
    fn from(words: VmVec<u64>) -> Self {
        Self::Many(words)
    }
}

impl Deref for Words {
    type Target = [u64];

    #[inline]
    fn deref(&self) -> &[u64] {
        match self {
            Self::Few(words) => words,
            Self::Many(words) => words,
        }
    }
}

impl DerefMut for Words {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u64] {
        match self {
            Self::Few(words) => words,
            Self::Many(words) => words,
        }
    }
}
