//! Operations on a global allocator that check the contents of blocks, shared by the model test, the stress test and
//! the fuzz target `block_model`.

#![expect(unsafe_code, reason = "plays the part of containers")]

use std::alloc::{GlobalAlloc, Layout};
use std::ptr::NonNull;
use std::thread;

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

arbitrary! {
    /// A number of bytes near a power of two from 1 to 4 MiB.
    pub(crate) struct Size {
        power: u8,
        beside: i8,
    }
}

impl Size {
    fn get(self) -> usize {
        let power = 1_usize << (self.power % 23);
        let beside = isize::from(self.beside) * isize::try_from(power / 256).expect("small");
        power
            .saturating_add_signed(beside)
            .saturating_add_signed(isize::from(self.beside % 3))
            .max(1)
    }

    /// At least 64 KiB.
    fn large(self) -> Self {
        Self { power: 16 + self.power % 7, ..self }
    }
}

arbitrary! {
    /// An alignment from 1 to 2 MiB, mostly small.
    pub(crate) struct Align(u8);
}

impl Align {
    fn get(self) -> usize {
        let power = self.0 % 64;
        1 << if power < 22 { power } else { power % 5 }
    }
}

arbitrary! {
    pub(crate) enum Op {
        Alloc(Size, Align),
        AllocZeroed(Size, Align),
        /// Resizes one of the blocks.
        Realloc(u8, Size),
        Free(u8),
        /// Frees a block, then allocates another, zeroed or not, and grows it: most likely in cached memory.
        Again(u8, Size, Size, bool),
        /// A size near `isize::MAX`, which is refused and changes nothing.
        Absurd(u8, Align),
    }
}

/// A block in use, and the pattern of its bytes.
struct Live {
    start: NonNull<u8>,
    layout: Layout,
    mark: u8,
}

// SAFETY: the value owns its memory.
unsafe impl Send for Live {}

impl Live {
    /// The distance between marked bytes; the last byte is marked, too.
    const STRIDE: usize = 509;

    fn places(bytes: usize) -> impl Iterator<Item = usize> {
        (0..bytes).step_by(Self::STRIDE).chain([bytes - 1])
    }

    fn mark(&self, from: usize) {
        for at in Self::places(self.layout.size()).filter(|at| *at >= from) {
            // SAFETY: the byte is inside the block.
            let byte = unsafe { self.start.add(at) };
            // SAFETY: as above, and nothing else uses the byte.
            unsafe { byte.write(self.byte(at)) };
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "any byte will do")]
    fn byte(&self, at: usize) -> u8 {
        self.mark ^ (at / Self::STRIDE) as u8
    }

    /// Asserts that the marks of a block are intact; the last byte may have been cut off.
    #[track_caller]
    fn check(&self, bytes: usize) {
        let kept = self.layout.size();
        let there = Self::places(bytes).filter(|at| *at < kept);
        for at in there {
            // SAFETY: the byte is inside the block.
            let byte = unsafe { self.start.add(at) };
            // SAFETY: as above, and written by `mark`.
            assert_eq!(unsafe { byte.read() }, self.byte(at), "{at} of {:?}", self.layout);
        }
    }
}

/// The blocks of an allocator.
pub(crate) struct Blocks<'a, A: GlobalAlloc> {
    alloc: &'a A,
    live: Vec<Live>,
    next: u8,
}

impl<'a, A: GlobalAlloc> Blocks<'a, A> {
    const MOST: usize = 24;

    fn new(alloc: &'a A) -> Self {
        Self { alloc, live: Vec::new(), next: 1 }
    }

    pub(crate) fn run(alloc: &'a A, ops: &[Op]) {
        let mut blocks = Self::new(alloc);
        for op in ops {
            blocks.apply(*op);
        }
        blocks.check();
    }

    fn apply(&mut self, op: Op) {
        match op {
            Op::Alloc(size, align) => self.alloc(size.get(), align.get(), false),
            Op::AllocZeroed(size, align) => self.alloc(size.get(), align.get(), true),
            Op::Realloc(which, size) => self.realloc(which, size),
            Op::Free(which) => {
                self.free(which);
            }
            Op::Again(which, first, then, zeroed) => self.again(which, first, then, zeroed),
            Op::Absurd(which, align) => self.absurd(which, align),
        }
    }

    fn alloc(&mut self, bytes: usize, align: usize, zeroed: bool) {
        if self.live.len() == Self::MOST {
            self.free(self.next);
        }
        let layout = Layout::from_size_align(bytes, align).expect("small");
        let start = if zeroed {
            // SAFETY: the size is not zero.
            unsafe { self.alloc.alloc_zeroed(layout) }
        } else {
            // SAFETY: as above.
            unsafe { self.alloc.alloc(layout) }
        };
        let start = NonNull::new(start).expect("some MiB are available");
        assert_eq!(start.addr().get() % layout.align(), 0, "{layout:?}");
        if zeroed {
            // SAFETY: the block has this size, and is zeroed.
            let bytes = unsafe { std::slice::from_raw_parts(start.as_ptr(), layout.size()) };
            assert!(bytes.iter().all(|byte| *byte == 0), "{layout:?}");
        }
        let live = Live { start, layout, mark: self.next };
        self.next = self.next.wrapping_add(37);
        live.mark(0);
        self.live.push(live);
        self.check_apart();
    }

    fn realloc(&mut self, which: u8, size: Size) {
        let Some(live) = pick(&mut self.live, which) else { return };
        live.check(live.layout.size());
        let (old, bytes) = (live.layout, size.get());
        // SAFETY: the block has that layout; the new size is neither zero nor too large.
        let start = unsafe { self.alloc.realloc(live.start.as_ptr(), old, bytes) };
        live.start = NonNull::new(start).expect("some MiB are available");
        live.layout = Layout::from_size_align(bytes, old.align()).expect("small");
        assert_eq!(live.start.addr().get() % old.align(), 0, "{:?}", live.layout);
        live.check(old.size());
        live.mark(0);
        self.check_apart();
    }

    /// Frees one of the blocks with this layout, if there is any.
    fn free(&mut self, which: u8) -> Option<Layout> {
        if self.live.is_empty() {
            return None;
        }
        let live = self.live.swap_remove(usize::from(which) % self.live.len());
        live.check(live.layout.size());
        // SAFETY: the block has that layout, and is not used any more.
        unsafe { self.alloc.dealloc(live.start.as_ptr(), live.layout) };
        Some(live.layout)
    }

    fn again(&mut self, which: u8, first: Size, then: Size, zeroed: bool) {
        let Some(freed) = self.free(which) else { return };
        self.alloc(first.large().get(), freed.align(), zeroed);
        let last = u8::try_from(self.live.len() - 1).expect("few");
        self.realloc(last, then.large());
    }

    fn absurd(&mut self, which: u8, align: Align) {
        let most = isize::MAX as usize - (align.get() - 1);
        let layout = Layout::from_size_align(most, align.get()).expect("the most there can be");
        // SAFETY: the size is not zero.
        assert!(unsafe { self.alloc.alloc(layout) }.is_null());
        if let Some(live) = pick(&mut self.live, which) {
            let most = isize::MAX as usize - (live.layout.align() - 1);
            // SAFETY: the block has that layout, and the size does not overflow.
            let moved = unsafe { self.alloc.realloc(live.start.as_ptr(), live.layout, most) };
            assert!(moved.is_null());
            live.check(live.layout.size());
        }
    }

    /// Asserts that no two blocks overlap.
    #[track_caller]
    fn check_apart(&self) {
        let mut ranges: Vec<_> = self
            .live
            .iter()
            .map(|live| {
                let start = live.start.addr().get();
                (start, start + live.layout.size())
            })
            .collect();
        ranges.sort_unstable();
        assert!(ranges.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{ranges:?}");
    }

    #[track_caller]
    fn check(&self) {
        self.live.iter().for_each(|live| live.check(live.layout.size()));
    }
}

fn pick(live: &mut [Live], which: u8) -> Option<&mut Live> {
    let len = live.len().max(1);
    live.get_mut(usize::from(which) % len)
}

impl<A: GlobalAlloc> Drop for Blocks<'_, A> {
    fn drop(&mut self) {
        // A call that panicked may have freed or moved a block: freeing it again would hide the message by a crash.
        if thread::panicking() {
            return;
        }
        for live in self.live.drain(..) {
            // SAFETY: the block has that layout, and is not used any more.
            unsafe { self.alloc.dealloc(live.start.as_ptr(), live.layout) };
        }
    }
}

/// The allocators: all with blocks from 64 KiB on, which have the default room, little room, or none.
pub(crate) mod tried {
    use super::{KIB, MIB};
    use stayput::HugePages;
    use stayput::alloc::GlobalVm;

    pub(crate) static ROOMY: GlobalVm = GlobalVm::new().threshold_bytes(0).reserve_bytes(16 * MIB);
    pub(crate) static TIGHT: GlobalVm =
        GlobalVm::new().threshold_bytes(64 * KIB).reserve_bytes(MIB).huge_pages(HugePages::Never);
    pub(crate) static BARE: GlobalVm = GlobalVm::new().threshold_bytes(64 * KIB).reserve_bytes(0);
    pub(crate) static HUGE: GlobalVm = GlobalVm::new()
        .threshold_bytes(128 * KIB)
        .reserve_bytes(8 * MIB)
        .huge_pages(HugePages::Always);
}
