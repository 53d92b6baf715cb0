//! Large blocks that store a number, which identifies them.

#![expect(unsafe_code, reason = "plays the part of containers")]

use crate::KIB;
use stayput::alloc::GlobalVm;
use std::alloc::{GlobalAlloc, Layout};
use std::ptr::NonNull;

/// The offsets at which a block stores its number. Each makes its page resident.
#[derive(Clone, Copy)]
pub(crate) enum Marks {
    Start,
    Ends,
    EveryKib,
}

pub(crate) struct Block {
    alloc: &'static GlobalVm,
    pub(crate) start: NonNull<u8>,
    layout: Layout,
    number: usize,
    marks: Marks,
}

// SAFETY: a block is owned by one thread at a time.
unsafe impl Send for Block {}

impl Block {
    pub(crate) fn new(
        alloc: &'static GlobalVm,
        bytes: usize,
        align: usize,
        number: usize,
        marks: Marks,
    ) -> Option<Self> {
        let layout = Layout::from_size_align(bytes, align).expect("small");
        // SAFETY: the size is not zero.
        let start = NonNull::new(unsafe { alloc.alloc(layout) })?;
        let block = Self { alloc, start, layout, number, marks };
        block.mark();
        Some(block)
    }

    /// Allocates a block of zeroed memory.
    pub(crate) fn zeroed(
        alloc: &'static GlobalVm,
        bytes: usize,
        number: usize,
        marks: Marks,
    ) -> Option<Self> {
        let layout = Layout::from_size_align(bytes, 16).expect("small");
        // SAFETY: the size is not zero.
        let start = NonNull::new(unsafe { alloc.alloc_zeroed(layout) })?;
        // SAFETY: all of it is initialized; a `u64` needs no more alignment than it has.
        let words = unsafe { std::slice::from_raw_parts(start.cast::<u64>().as_ptr(), bytes / 8) };
        assert!(words.iter().all(|word| *word == 0), "{bytes}");
        let block = Self { alloc, start, layout, number, marks };
        block.mark();
        Some(block)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.layout.size()
    }

    /// Returns the offsets of the number in a block of this many bytes, as far as this block reaches.
    fn places(&self, bytes: usize) -> impl Iterator<Item = NonNull<usize>> + use<> {
        let last = |bytes| (bytes - size_of::<usize>()) / align_of::<usize>() * align_of::<usize>();
        let step = match self.marks {
            Marks::Start => usize::MAX,
            Marks::Ends => last(bytes),
            Marks::EveryKib => KIB,
        };
        let (start, end) = (self.start, last(bytes).min(last(self.bytes())));
        // SAFETY: inside the block.
        (0..=end).step_by(step).map(move |at| unsafe { start.add(at) }.cast())
    }

    fn mark(&self) {
        assert_eq!(self.start.addr().get() % self.layout.align(), 0);
        for place in self.places(self.bytes()) {
            // SAFETY: inside the block, which is this one's alone, and aligned.
            unsafe { place.write(self.number) };
        }
    }

    #[track_caller]
    fn check_first(&self, bytes: usize) {
        // SAFETY: inside the block, and written by `mark`.
        let is_mine = |place: NonNull<usize>| unsafe { place.read() } == self.number;
        assert!(self.places(bytes).all(is_mine), "{bytes} of {}", self.bytes());
    }

    #[track_caller]
    pub(crate) fn check(&self) {
        self.check_first(self.bytes());
    }

    /// Changes the size of the block, and returns whether that succeeded. Its contents stay.
    #[track_caller]
    pub(crate) fn resize(&mut self, bytes: usize) -> bool {
        // SAFETY: a block of that layout.
        let start = unsafe { self.alloc.realloc(self.start.as_ptr(), self.layout, bytes) };
        let Some(start) = NonNull::new(start) else { return false };
        let before = self.bytes();
        let layout = Layout::from_size_align(bytes, self.layout.align());
        (self.start, self.layout) = (start, layout.expect("as it was given"));
        self.check_first(before);
        self.mark();
        true
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        self.check();
        // SAFETY: a block of that layout, which is not used again.
        unsafe { self.alloc.dealloc(self.start.as_ptr(), self.layout) };
    }
}
