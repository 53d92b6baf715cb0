//! [`Block`]: a heap allocation as a [`Backing`], for arrays so short that a reservation would cost more than their
//! elements.

use super::Backing;
use crate::error::{Error, ErrorKind};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ops::Range;
use std::ptr::NonNull;

/// A heap allocation. Bytes that are not committed are zero.
#[derive(Debug)]
pub(crate) struct Block {
    start: NonNull<u8>,
    layout: Layout,
}

// SAFETY: a `Block` is the only owner of its allocation, which holds plain bytes.
unsafe impl Send for Block {}
// SAFETY: as above; no method reads or writes the bytes through a shared reference.
unsafe impl Sync for Block {}

impl Block {
    /// Allocates at least one and at least `bytes` zeroed bytes at a multiple of `align`, which is a power of two.
    pub(crate) fn try_new(bytes: usize, align: usize) -> Result<Self, Error> {
        let refused = || Error::new(ErrorKind::Memory, bytes);
        let layout = Layout::from_size_align(bytes.max(1), align).map_err(|_| refused())?;
        // SAFETY: the size of `layout` is not 0.
        let block = unsafe { alloc_zeroed(layout) };
        let start = NonNull::new(block).ok_or_else(refused)?;
        Ok(Self { start, layout })
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: `try_new` allocated it with this layout, and the bytes are not used after the drop of their owner.
        unsafe { dealloc(self.start.as_ptr(), self.layout) };
    }
}

// SAFETY: the start and the layout never change. The bytes are not inside the value, exist until it is dropped, and belong
// to it alone; all of them are readable and writable. `commit` is called for bytes that are not committed, and those are
// zero: they were allocated zeroed, or zeroed when they were decommitted. Only `decommit` and `discard` write, and only to
// their range. No call returns an error or unwinds.
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
        // SAFETY: the caller's guarantee covers the requirements of `discard`.
        unsafe { self.discard(range) }
    }
}
