//! Containers and blocks of an arena or a scope as an allocator.

#![expect(unsafe_code, reason = "calls allocators by hand")]

use super::blocks::{self, Align, Block, Size};
use super::frame::{Frame, Held};
use super::items::{Counted, Item};
use super::place::Place;
use super::room::Room;
use super::{Model, Op};
use allocator_api2_02::alloc::Allocator;
use allocator_api2_02::vec::Vec as VecIn;
use std::alloc::Layout;

arbitrary! {
    /// What is done with a vector or a block, each picked by a number.
    pub(crate) enum ContainerOp {
        New(u8),
        Push(u8, u8),
        Truncate(u8, u8),
        Reserve(u8, u8),
        Shrink(u8),
        Drop(u8),
        Allocate(Size, Align, bool),
        Resize(u8, Size, Align, bool),
        Free(u8),
    }
}

/// As long as there are some, the allocator is borrowed, and no scope can be opened.
struct Containers<A: Allocator> {
    alloc: A,
    /// With the number of the first value.
    vecs: Vec<(VecIn<Counted, A>, u32)>,
    blocks: Vec<Block>,
}

impl<A: Allocator + Copy> Containers<A> {
    const MOST: usize = 8;

    fn values(&self) -> usize {
        self.vecs.iter().map(|(vec, _)| vec.len()).sum()
    }

    fn check(&self) {
        for (vec, first) in &self.vecs {
            assert!(vec.iter().zip(*first..).all(|(value, number)| value.is(number)), "{vec:?}");
        }
        self.blocks.iter().for_each(Held::check);
    }

    fn pick(&mut self, pick: u8) -> Option<&mut (VecIn<Counted, A>, u32)> {
        let nth = usize::from(pick).checked_rem(self.vecs.len())?;
        self.vecs.get_mut(nth)
    }

    fn take_block(&mut self, pick: u8) -> Option<Block> {
        let nth = usize::from(pick).checked_rem(self.blocks.len())?;
        Some(self.blocks.swap_remove(nth))
    }

    fn free(&self, block: &Block) {
        block.check();
        // SAFETY: the block has this layout, and is not used any more.
        unsafe { self.alloc.deallocate(block.start(), block.layout()) };
    }

    /// Changes a vector. Refused memory changes nothing.
    fn change(&mut self, op: ContainerOp, number: u32) {
        match op {
            ContainerOp::New(capacity) if self.vecs.len() < Self::MOST => {
                let mut vec = VecIn::new_in(self.alloc);
                let _ = vec.try_reserve(usize::from(capacity % 32));
                self.vecs.push((vec, number));
            }
            ContainerOp::Push(pick, count) => {
                let Some((vec, first)) = self.pick(pick) else { return };
                for _ in 0..count % 16 {
                    let number = *first + u32::try_from(vec.len()).expect("there are few");
                    if vec.len() < 1000 && vec.try_reserve(1).is_ok() {
                        vec.push(Counted::make(number));
                    }
                }
            }
            ContainerOp::Truncate(pick, len) => {
                if let Some((vec, _)) = self.pick(pick) {
                    vec.truncate(len.into());
                }
            }
            ContainerOp::Reserve(pick, additional) => {
                if let Some((vec, _)) = self.pick(pick) {
                    let _ = vec.try_reserve_exact(additional.into());
                }
            }
            ContainerOp::Shrink(pick) => {
                if let Some((vec, _)) = self.pick(pick) {
                    vec.shrink_to_fit();
                }
            }
            ContainerOp::Drop(pick) => {
                if let Some(nth) = usize::from(pick).checked_rem(self.vecs.len()) {
                    self.vecs.swap_remove(nth);
                }
            }
            ContainerOp::Resize(pick, size, align, zeroed) => {
                if let Some(block) = self.take_block(pick) {
                    let block = self.resize(block, blocks::layout(size, align), zeroed, number);
                    self.blocks.push(block);
                }
            }
            ContainerOp::Free(pick) => {
                if let Some(block) = self.take_block(pick) {
                    self.free(&block);
                }
            }
            ContainerOp::New(_) | ContainerOp::Allocate(..) => {}
        }
    }

    /// Returns the block as it is if memory is refused.
    fn resize(&self, block: Block, new: Layout, zeroed: bool, number: u32) -> Block {
        let (start, old) = (block.start(), block.layout());
        let resized = if new.size() < old.size() {
            // SAFETY: the block has the layout `old`, and the new one is smaller.
            unsafe { self.alloc.shrink(start, old, new) }
        } else if zeroed {
            // SAFETY: the block has the layout `old`, and the new one is not smaller.
            unsafe { self.alloc.grow_zeroed(start, old, new) }
        } else {
            // SAFETY: as above.
            unsafe { self.alloc.grow(start, old, new) }
        };
        let Ok(resized) = resized else {
            block.check();
            return block;
        };
        assert_eq!(resized.len(), new.size());
        // SAFETY: the block was just handed out, until it is freed.
        let mut resized = unsafe { block.resized(resized.cast(), new) };
        if zeroed {
            resized.check_zero(old.size());
        }
        resized.change(number);
        resized
    }
}

impl Model<'_> {
    /// Runs operations as long as they need no other access than containers leave.
    pub(crate) fn contain<'v, A: Allocator + Copy>(
        &mut self,
        alloc: A,
        place: Place<'_, 'v>,
        frame: &mut Frame<'v>,
        first: ContainerOp,
    ) {
        let mut containers = Containers { alloc, vecs: Vec::new(), blocks: Vec::new() };
        let mut op = Op::Container(first);
        loop {
            let before = containers.values();
            match op {
                Op::Container(ContainerOp::Allocate(size, align, zeroed)) => {
                    self.allocate(&mut containers, place, (size, align), zeroed);
                }
                Op::Container(op) => containers.change(op, self.number()),
                op => self.apply(place, frame, op),
            }
            self.live = self.live + containers.values() - before;
            containers.check();
            self.check(place, frame);
            match self.next_if(|op| !matches!(op, Op::Scope(_) | Op::Free(_))) {
                Some(next) => op = next,
                None => break,
            }
        }
        self.live -= containers.values();
        containers.vecs.clear();
        while let Some(block) = containers.blocks.pop() {
            containers.free(&block);
        }
    }

    fn allocate<A: Allocator + Copy>(
        &mut self,
        containers: &mut Containers<A>,
        place: Place<'_, '_>,
        (size, align): (Size, Align),
        zeroed: bool,
    ) {
        if containers.blocks.len() == Containers::<A>::MOST {
            return;
        }
        let layout = blocks::layout(size, align);
        let room = Room::before(self, place, layout);
        let block = if zeroed {
            containers.alloc.allocate_zeroed(layout)
        } else {
            containers.alloc.allocate(layout)
        };
        let Ok(block) = block else {
            assert!(!room.is_sure(self));
            return room.freed(place, true);
        };
        assert_eq!(block.len(), layout.size());
        room.stored(self, place, Some(block.cast::<u8>().addr().get()), true);
        // SAFETY: the block was just handed out, until it is freed.
        let mut block = unsafe { Block::new(block.cast(), layout) };
        if zeroed {
            block.check_zero(0);
        }
        block.change(self.number());
        containers.blocks.push(block);
    }
}
