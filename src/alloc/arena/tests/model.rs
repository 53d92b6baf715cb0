//! After any operations on an arena, some of them refused, blocks keep their contents, are disjoint, aligned as
//! requested, and zero where that is promised.

use super::{Bump, Change, Contents, KIB, MIB, Options, layout};
use crate::growing::Budget;
use crate::made;
use crate::os::{Call, fault::Fault};
use crate::reservation::HugePages;
use crate::service::CommitAhead;
use std::alloc::Layout;
use std::ptr::NonNull;

arbitrary! {
    enum Op {
        Allocate(u16, u8),
        AllocateZeroed(u16, u8),
        AllocateMuch(u8, u8),
        Free(u8),
        FreeLast,
        Grow(u8, u16, u8),
        GrowLast(u16),
        GrowZeroed(u8, u16, u8),
        GrowLastZeroed(u16),
        Shrink(u8, u16, u8),
        ShrinkLast(u16),
        Enter,
        Leave,
        Reset,
        ResetKeeping(u8),
        Trim(u8, u8),
        Prefault(u8),
        PrefaultAhead(u8),
        Limit(Option<u8>),
    }

    enum Refused {
        Nothing,
        NothingToo,
        NorNow,
        Commits(u8, u8),
        Decommits(u8, u8),
    }
}

#[derive(Clone, Copy)]
struct Block {
    start: NonNull<u8>,
    layout: Layout,
    byte: u8,
}

impl Block {
    fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the block was handed out in that size, and was filled by the model or promised to be zero.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.layout.size()) }
    }
}

fn all(bytes: &[u8], byte: u8) -> bool {
    // Loops are slow in a test build.
    bytes.is_empty() || bytes[0] == byte && bytes[1..] == bytes[..bytes.len() - 1]
}

struct Model {
    bump: Bump,
    blocks: Vec<Block>,
    /// For each scope: the number of blocks when it began, and its mark.
    scopes: Vec<(usize, super::super::bump::Mark)>,
    next: u8,
}

const MAX_BYTES: usize = 24 * MIB + 1;

impl Model {
    fn run(max_bytes: usize, served: bool, ops: &[(Op, Refused)]) {
        let commit_ahead = if served { CommitAhead::Auto } else { CommitAhead::Off };
        let options = Options {
            max_bytes: Some(max_bytes),
            huge_pages: HugePages::Never,
            commit_ahead,
            ..Options::DEFAULT
        };
        let bump = Bump::new(options);
        let mut model = Self { bump, blocks: Vec::new(), scopes: Vec::new(), next: 0 };
        for (op, refused) in ops {
            let fault = match refused {
                Refused::Commits(pass, few) => Some((Call::Commit, pass % 3, few % 6)),
                Refused::Decommits(pass, few) => Some((Call::Decommit, pass % 4, few % 3)),
                _ => None,
            };
            let fault = fault.map(|(call, pass, few)| Fault::plan(call, pass.into(), few.into()));
            model.apply(*op);
            drop(fault);
            model.check();
        }
    }

    /// Mostly small, up to 64 KiB; alignments up to 2 MiB, large ones rarely.
    fn layout(size: u16, align: u8) -> Layout {
        let size = usize::from(size) >> (align % 3 * 5);
        let most = if align < 8 { 22 } else { 7 };
        layout(size, 1 << (align % most))
    }

    fn keep(&mut self, start: NonNull<u8>, layout: Layout) {
        self.next = self.next.wrapping_add(1).max(1);
        let mut block = Block { start, layout, byte: self.next };
        if layout.size() > 0 {
            block.bytes().fill(self.next);
        }
        self.blocks.push(block);
    }

    /// A block of the innermost scope; only those may change.
    fn pick(&self, which: u8) -> Option<usize> {
        let from = self.scopes.last().map_or(0, |scope| scope.0);
        let count = self.blocks.len() - from;
        (count > 0).then(|| from + usize::from(which) % count)
    }

    fn last(&self) -> Option<usize> {
        self.pick(0).map(|_| self.blocks.len() - 1)
    }

    fn allocate(&mut self, layout: Layout, zeroed: bool) {
        let used = self.bump.used_bytes();
        let block = if zeroed {
            self.bump.try_allocate_zeroed(layout)
        } else {
            self.bump.try_allocate(layout)
        };
        let Ok(start) = block else {
            assert_eq!(self.bump.used_bytes(), used);
            return;
        };
        let limit = self.bump.allocation_limit().unwrap_or(usize::MAX);
        assert!(self.bump.used_bytes() <= limit.max(used));
        if zeroed && layout.size() > 0 {
            let mut block = Block { start, layout, byte: 0 };
            assert!(all(block.bytes(), 0), "{layout:?} is not zero");
        }
        self.keep(start, layout);
    }

    fn grow(&mut self, which: Option<usize>, new: Layout, zeroed: bool) {
        let Some(which) = which else { return };
        let Block { start, layout: old, byte } = self.blocks[which];
        if new.size() < old.size() {
            return;
        }
        let contents = if zeroed { Contents::Zeroed } else { Contents::Any };
        // SAFETY: it is one of the model's blocks, of that layout, and becomes larger.
        let grown = unsafe { self.bump.try_resize(start, old, new, Change::Grow(contents)) };
        let Ok(start) = grown else { return };
        let mut block = Block { start, layout: new, byte };
        if new.size() > 0 {
            assert!(all(&block.bytes()[..old.size()], byte));
            assert!(!zeroed || all(&block.bytes()[old.size()..], 0), "{old:?} to {new:?}");
        }
        self.blocks.remove(which);
        self.keep(start, new);
    }

    fn shrink(&mut self, which: Option<usize>, new: Layout) {
        let Some(which) = which else { return };
        let Block { start, layout: old, byte } = self.blocks[which];
        if new.size() > old.size() {
            return;
        }
        // SAFETY: it is one of the model's blocks, of that layout, and becomes smaller.
        let shrunk = unsafe { self.bump.try_resize(start, old, new, Change::Shrink) };
        let Ok(start) = shrunk else { return };
        let mut block = Block { start, layout: new, byte };
        assert!(new.size() == 0 || all(block.bytes(), byte));
        // The last block in the model stays the last block of the arena.
        self.blocks[which] = block;
    }

    fn free(&mut self, which: Option<usize>) {
        let Some(which) = which else { return };
        let block = self.blocks.remove(which);
        // SAFETY: it is one of the model's blocks, of that layout, and not used any more.
        unsafe { self.bump.shrink(block.start, block.layout.size(), 0) };
    }

    fn apply(&mut self, op: Op) {
        match op {
            Op::Allocate(size, align) => self.allocate(Self::layout(size, align), false),
            Op::AllocateZeroed(size, align) => self.allocate(Self::layout(size, align), true),
            Op::AllocateMuch(size, zeroed) => {
                self.allocate(layout(usize::from(size) * 16 * KIB, 8), zeroed % 2 == 0);
            }
            Op::Free(which) => self.free(self.pick(which)),
            Op::FreeLast => self.free(self.last()),
            Op::Grow(which, size, align) => {
                self.grow(self.pick(which), Self::layout(size, align), false);
            }
            Op::GrowZeroed(which, size, align) => {
                self.grow(self.pick(which), Self::layout(size, align), true);
            }
            Op::GrowLast(size) => self.grow(self.last(), Self::layout(size, 9), false),
            Op::GrowLastZeroed(size) => self.grow(self.last(), Self::layout(size, 9), true),
            Op::Shrink(which, size, align) => {
                self.shrink(self.pick(which), Self::layout(size, align));
            }
            Op::ShrinkLast(size) => self.shrink(self.last(), Self::layout(size, 8)),
            Op::Enter => self.scopes.push((self.blocks.len(), self.bump.mark())),
            Op::Leave => {
                if let Some((blocks, mark)) = self.scopes.pop() {
                    self.blocks.truncate(blocks);
                    // SAFETY: blocks that were handed out since are not used any more.
                    unsafe { self.bump.rewind(mark) };
                }
            }
            Op::Reset | Op::ResetKeeping(_) => {
                self.blocks.clear();
                self.scopes.clear();
                self.bump.reset();
                if let Op::ResetKeeping(keep) = op {
                    let _ = self.bump.trim(usize::from(keep) * 16 * KIB, Budget::UNLIMITED);
                }
            }
            Op::Trim(keep, money) => {
                let money = Budget::bytes(usize::from(money) * 16 * KIB);
                let _ = self.bump.trim(usize::from(keep) * 16 * KIB, money);
            }
            Op::Prefault(much) => {
                let _ = self.bump.try_prefault(usize::from(much) * 4 * KIB);
            }
            Op::PrefaultAhead(money) => {
                self.bump.prefault_ahead(Budget::bytes(usize::from(money) * 16 * KIB));
            }
            Op::Limit(limit) => {
                // No whole number of pages; many are below the used bytes, and the highest is above the maximum.
                let limit = limit.map(|limit| usize::from(limit).pow(2) * 400 + 1);
                self.bump.set_allocation_limit(limit);
            }
        }
    }

    fn check(&mut self) {
        let bump = &self.bump;
        assert!(bump.used_bytes() <= bump.capacity_bytes());
        assert!(bump.capacity_bytes() <= bump.max_bytes());
        let limit = bump.allocation_limit().unwrap_or(usize::MAX);
        assert!(bump.capacity_bytes() <= limit.max(bump.used_bytes()));
        let mut ranges = Vec::new();
        for block in &mut self.blocks {
            let start = block.start.addr().get();
            assert_eq!(start % block.layout.align(), 0);
            if block.layout.size() > 0 {
                let byte = block.byte;
                assert!(all(block.bytes(), byte), "overwritten");
                assert!(bump.contains(start) && bump.contains(start + block.layout.size() - 1));
                ranges.push((start, start + block.layout.size()));
            }
        }
        ranges.sort_unstable();
        assert!(ranges.windows(2).all(|pair| pair[0].1 <= pair[1].0), "blocks overlap");
    }
}

#[test]
fn whatever_is_refused_blocks_agree_with_the_model() {
    made::run_with(75, 1..60, |small: bool, ops: &[(Op, Refused)]| {
        Model::run(if small { 300_001 } else { MAX_BYTES }, false, ops);
    });
}

#[test]
fn with_a_background_thread_blocks_agree_too() {
    made::run_with(10, 1..60, |(), ops: &[Op]| {
        let ops: Vec<_> = ops.iter().map(|op| (*op, Refused::Nothing)).collect();
        Model::run(MAX_BYTES, true, &ops);
    });
}
