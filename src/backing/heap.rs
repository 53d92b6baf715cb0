//! [`Block`]: a block of the heap as a [`Backing`], for arrays so short that addresses of their own cost more
//! than they do.

use super::Backing;
use crate::error::{Error, ErrorKind};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ops::Range;
use std::ptr::NonNull;

/// A block, zero where nothing is committed.
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
    /// A block of at least one byte, at a multiple of `align`, which is a power of two.
    pub(crate) fn try_new(bytes: usize, align: usize) -> Result<Self, Error> {
        let refused = || Error::new(ErrorKind::Memory, bytes);
        let layout = Layout::from_size_align(bytes.max(1), align).map_err(|_| refused())?;
        // SAFETY: its size is not 0.
        let block = unsafe { alloc_zeroed(layout) };
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

// SAFETY: the bytes are there until this is dropped, outside of it, and nobody else's. What is not committed is zero:
// it was allocated so, or was zeroed when it was taken back. No call is refused, nor can one unwind.
unsafe impl Backing for Block {
    fn start(&self) -> NonNull<u8> {
        self.start
    }

    fn reserved_bytes(&self) -> usize {
        self.layout.size()
    }

    unsafe fn commit(&mut self, _: Range<usize>) -> Result<(), Error> {
        Ok(())
    }

    unsafe fn decommit(&mut self, range: Range<usize>) -> Result<(), Error> {
        // SAFETY: the caller's promise is the same.
        unsafe { self.discard(range) }
    }
}
