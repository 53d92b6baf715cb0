//! Blocks of memory without a type.

#![expect(unsafe_code, reason = "reads and writes memory by pointers")]

use super::Model;
use super::frame::{Frame, Held};
use super::place::{Place, on};
use super::room::Room;
use std::alloc::Layout;
use std::ops::Range;
use std::ptr::NonNull;
use std::slice;

arbitrary! {
    /// A number of bytes from 0 to 256 KiB, near a power of two.
    pub(crate) struct Size {
        power: u8,
        less: u8,
    }

    /// An alignment from 1 to 1 MiB, mostly small.
    pub(crate) struct Align(u8);
}

impl Size {
    fn get(self) -> usize {
        (1_usize << (self.power % 19)).saturating_sub(self.less.into())
    }
}

impl Align {
    fn get(self) -> usize {
        let power = self.0 % 48;
        1 << if power < 21 { power } else { power % 6 }
    }
}

pub(crate) fn layout(size: Size, align: Align) -> Layout {
    Layout::from_size_align(size.get(), align.get()).expect("it is small")
}

/// A block in use, and the pattern of its bytes. It is dropped before its memory is freed.
pub(crate) struct Block {
    start: NonNull<u8>,
    layout: Layout,
    mark: u8,
}

impl Block {
    /// The distance between marked bytes; the first and the last 16 are marked, too.
    const STRIDE: usize = 251;

    /// Takes a block that nothing else uses.
    ///
    /// # Safety
    ///
    /// - As long as the result is used, the block is valid for reads and writes, and nothing else uses it.
    pub(crate) unsafe fn new(start: NonNull<u8>, layout: Layout) -> Self {
        assert_eq!(start.addr().get() % layout.align(), 0, "{layout:?}");
        Self { start, layout, mark: 0 }
    }

    /// The same block, with as much of the pattern, elsewhere or in another size.
    ///
    /// # Safety
    ///
    /// - As for [`new`](Self::new).
    #[cfg(feature = "allocator-api2-02")]
    pub(crate) unsafe fn resized(self, start: NonNull<u8>, layout: Layout) -> Self {
        let Self { mark, layout: old, .. } = self;
        // SAFETY: the caller makes the same guarantee.
        let resized = Self { mark, ..unsafe { Self::new(start, layout) } };
        let kept = old.size().min(layout.size());
        for at in Self::places(old.size()).filter(|at| *at < kept) {
            assert_eq!(resized.read(at), resized.byte(at), "{at} of {old:?}, as {layout:?}");
        }
        resized
    }

    #[cfg(feature = "allocator-api2-02")]
    pub(crate) fn start(&self) -> NonNull<u8> {
        self.start
    }

    #[cfg(feature = "allocator-api2-02")]
    pub(crate) fn layout(&self) -> Layout {
        self.layout
    }

    fn places(bytes: usize) -> impl Iterator<Item = usize> {
        let ends = [0..bytes.min(16), bytes.saturating_sub(16)..bytes];
        ends.into_iter().flatten().chain((0..bytes).step_by(Self::STRIDE))
    }

    fn read(&self, at: usize) -> u8 {
        assert!(at < self.layout.size());
        // SAFETY: the byte is inside the block.
        let byte = unsafe { self.start.add(at) };
        // SAFETY: the block is valid for reads, and all callers read what was written, or is zeroed.
        unsafe { byte.read() }
    }

    #[expect(clippy::cast_possible_truncation, reason = "any byte will do")]
    fn byte(&self, at: usize) -> u8 {
        self.mark ^ (at / 7) as u8
    }

    /// Asserts that the block is zero from a byte on.
    pub(crate) fn check_zero(&self, from: usize) {
        let Some(bytes) = self.layout.size().checked_sub(from) else { return };
        // SAFETY: the byte is inside the block, or its end.
        let start = unsafe { self.start.add(from) };
        // SAFETY: the bytes are in the block, which nothing else uses, and are zeroed.
        let bytes = unsafe { slice::from_raw_parts(start.as_ptr(), bytes) };
        assert!(
            bytes.chunks(1024).all(|some| *some == [0; 1024][..some.len()]),
            "{:?}",
            self.layout
        );
    }
}

impl Held for Block {
    fn check(&self) {
        for at in Self::places(self.layout.size()) {
            assert_eq!(self.read(at), self.byte(at), "{at} of {:?}", self.layout);
        }
    }

    fn change(&mut self, number: u32) {
        [self.mark, ..] = number.to_le_bytes();
        for at in Self::places(self.layout.size()) {
            // SAFETY: the byte is inside the block.
            let byte = unsafe { self.start.add(at) };
            // SAFETY: the block is valid for writes.
            unsafe { byte.write(self.byte(at)) };
        }
    }

    fn range(&self) -> Range<usize> {
        let start = self.start.addr().get();
        start..start + self.layout.size()
    }
}

impl Model<'_> {
    pub(crate) fn block<'v>(
        &mut self,
        place: Place<'_, 'v>,
        frame: &mut Frame<'v>,
        layout: Layout,
        zeroed: bool,
    ) {
        let room = Room::before(self, place, layout);
        let block = if zeroed {
            on!(place, s => s.try_alloc_layout_zeroed(layout))
        } else if room.is_sure(self) {
            Ok(on!(place, s => s.alloc_layout(layout)))
        } else {
            on!(place, s => s.try_alloc_layout(layout))
        };
        match block {
            Ok(start) => {
                room.stored(self, place, Some(start.addr().get()), true);
                // SAFETY: the block was just handed out, for as long as the frame holds references to values.
                let mut block = unsafe { Block::new(start, layout) };
                if zeroed {
                    block.check_zero(0);
                }
                block.change(self.number());
                frame.keep(block);
            }
            Err(error) => room.refused(self, place, &error, true),
        }
    }

    /// The largest layout, and a slice whose size overflows: nothing changes.
    pub(crate) fn absurd(&mut self, place: Place<'_, '_>, align: Align) {
        let align = align.get();
        let most = isize::MAX as usize - (align - 1);
        let layout = Layout::from_size_align(most, align).expect("the most there can be");
        let room = Room::before(self, place, layout);
        let error = on!(place, s => s.try_alloc_layout(layout)).expect_err("it is too large");
        room.refused(self, place, &error, true);
        let slice = on!(place, s => s.try_alloc_slice_uninit::<u64>(most)).map(|slice| slice.len());
        room.refused(self, place, &slice.expect_err("it is too large"), true);
    }
}
