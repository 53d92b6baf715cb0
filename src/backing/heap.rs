//! [`Block`]: a block of the heap as a [`Backing`], for arrays so short that addresses of their own cost more
//! than they do.

use super::Backing;
use crate::error::{Error, ErrorKind};
use std::alloc::{Layout, alloc, dealloc};
use std::ops::Range;
use std::ptr::NonNull;

/// A block, aligned for words.
#[derive(Debug)]
pub(crate) struct Block {
    start: NonNull<u8>,
    layout: Layout,
}

// SAFETY: the block is this one's alone, and plain bytes.
unsafe impl Send for Block {}
// SAFETY: as above; nothing is read or written by a shared reference.
unsafe impl Sync for Block {}

impl Block {
    /// Room for so many words, at least one.
    pub(crate) fn try_new(words: usize) -> Result<Self, Error> {
        let refused = || Error::new(ErrorKind::Memory, words.saturating_mul(size_of::<u64>()));
        let layout = Layout::array::<u64>(words.max(1)).map_err(|_| refused())?;
        // SAFETY: its size is not 0, for there is a word.
        let block = unsafe { alloc(layout) };
        let start = NonNull::new(block).ok_or_else(refused)?;
        Ok(Self { start, layout })
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, and nobody uses what goes with it.
        unsafe { dealloc(self.start.as_ptr(), self.layout) };
    }
}

// SAFETY: the bytes are there until this is dropped, outside of it, and nobody else's. What is committed is
// zeroed before, and nothing else is done to it. No call is refused, nor can one unwind.
unsafe impl Backing for Block {
    fn start(&self) -> NonNull<u8> {
        self.start
    }

    fn reserved_bytes(&self) -> usize {
        self.layout.size()
    }

    unsafe fn commit(&mut self, range: Range<usize>) -> Result<(), Error> {
        // SAFETY: the range lies inside the block, as the caller promises.
        let first = unsafe { self.start.add(range.start) };
        // SAFETY: as above, and nobody uses it.
        unsafe { first.write_bytes(0, range.len()) };
        Ok(())
    }

    unsafe fn decommit(&mut self, _: Range<usize>) -> Result<(), Error> {
        Ok(())
    }
}
