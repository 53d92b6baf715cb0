//! [`Blocks`] maps cells to buckets; [`Runs`] lists the buckets of an area.
//!
//! The cells of a block (8 by 8, or 4 by 4 by 4) have 64 adjacent buckets, so neighbouring cells share cache lines.
//! Which 64 depends on the hash of the block, by linear hashing as for values: the number of blocks of buckets grows by
//! one at a time. Several blocks of cells may share a block of buckets.

use super::cells::{Area, bits, block_of};
use std::ops::Range;

/// The number of buckets, or cells, in a block.
pub(super) const BLOCK: usize = 64;

#[derive(Clone, Copy, Debug)]
pub(super) struct Blocks {
    count: usize,
    /// Selects the bits of a hash that number a block; the highest is dropped from a number past the last block.
    mask: usize,
}

/// Two blocks of buckets that are about to be merged, or were just split. `last` is the last block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Halves {
    pub(super) first: usize,
    pub(super) last: usize,
    /// The bit that is set in the hashes of the last block.
    bit: usize,
}

impl Blocks {
    pub(super) const NONE: Self = Self { count: 0, mask: 0 };
    pub(super) const ONE: Self = Self { count: 1, mask: 0 };

    #[inline]
    pub(super) const fn count(self) -> usize {
        self.count
    }

    #[inline]
    pub(super) const fn buckets(self) -> usize {
        self.count * BLOCK
    }

    /// Returns the first bucket of a block of cells.
    #[inline]
    fn first_bucket<const D: usize>(self, block: &[i32; D]) -> usize {
        let number = hash(block) as usize & self.mask;
        let number = if number < self.count { number } else { number & (self.mask >> 1) };
        number * BLOCK
    }

    #[inline]
    pub(super) fn bucket<const D: usize>(self, cell: &[i32; D]) -> usize {
        self.first_bucket(&block_of(cell)) + place(cell)
    }

    /// Adds a block. Returns it together with the block to split.
    pub(super) const fn grow(&mut self) -> Halves {
        self.count += 1;
        self.mask = self.count.next_power_of_two() - 1;
        self.halves()
    }

    /// Removes the last block. Returns it together with the block to merge it into.
    pub(super) const fn shrink(&mut self) -> Halves {
        let halves = self.halves();
        self.count -= 1;
        self.mask = self.count.next_power_of_two() - 1;
        halves
    }

    /// Returns the last of at least two blocks, and the block it is split off from.
    const fn halves(self) -> Halves {
        let last = self.count - 1;
        let bit = 1 << last.ilog2();
        Halves { first: last - bit, last, bit }
    }
}

impl Halves {
    /// Returns `true` if the points of a cell are in the last block, provided that they are in one of the two.
    #[inline]
    pub(super) fn is_last<const D: usize>(&self, cell: &[i32; D]) -> bool {
        hash(&block_of(cell)) as usize & self.bit != 0
    }
}

/// Returns the number of a cell within its block.
#[inline]
fn place<const D: usize>(cell: &[i32; D]) -> usize {
    let bits = const { bits::<D>() };
    cell.iter().fold(0, |place, x| place << bits | (unsigned(*x) & ((1 << bits) - 1)) as usize)
}

/// Not seeded: code that chooses the positions of points could place all of them in one cell anyway.
#[inline]
fn hash<const D: usize>(block: &[i32; D]) -> u32 {
    /// 2^64 divided by the golden ratio, which is odd.
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let hash = block.iter().fold(0_u64, |hash, x| {
        // The upper bits of a product depend on all bits: they become the lower ones for the next step, and the result.
        (hash.rotate_left(32) ^ u64::from(unsigned(*x))).wrapping_mul(ODD)
    });
    let [.., a, b, c, d] = hash.to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}

#[inline]
const fn unsigned(x: i32) -> u32 {
    u32::from_le_bytes(x.to_le_bytes())
}

/// Adjacent buckets of cells in one block.
#[derive(Clone, Debug)]
pub(super) struct Run<const D: usize> {
    pub(super) buckets: Range<usize>,
    pub(super) block: [i32; D],
}

#[derive(Clone, Debug)]
pub(super) struct Runs<const D: usize> {
    blocks: Blocks,
    area: Area<D>,
    block: [i32; D],
    first_bucket: usize,
    part: Area<D>,
    cell: [i32; D],
    is_done: bool,
}

impl<const D: usize> Runs<D> {
    #[inline]
    pub(super) fn new(blocks: Blocks, area: Area<D>) -> Self {
        let block = block_of(&area.low);
        let (part, cell) = (area, area.low);
        let mut runs = Self { blocks, area, block, first_bucket: 0, part, cell, is_done: false };
        runs.enter_block();
        runs
    }

    #[inline]
    fn enter_block(&mut self) {
        let bits = const { bits::<D>() };
        self.first_bucket = self.blocks.first_bucket(&self.block);
        for axis in 0..D {
            let first = self.block[axis] << bits;
            self.part.low[axis] = self.area.low[axis].max(first);
            self.part.high[axis] = self.area.high[axis].min(first | ((1 << bits) - 1));
        }
        self.cell = self.part.low;
    }

    #[inline]
    pub(super) fn run(&self) -> Option<Run<D>> {
        if self.is_done {
            return None;
        }
        let first = self.first_bucket + place(&self.cell);
        let count = self.part.high[D - 1].abs_diff(self.part.low[D - 1]) as usize + 1;
        Some(Run { buckets: first..first + count, block: self.block })
    }

    #[inline]
    pub(super) fn advance(&mut self) {
        for axis in (0..D - 1).rev() {
            if self.cell[axis] < self.part.high[axis] {
                self.cell[axis] += 1;
                return;
            }
            self.cell[axis] = self.part.low[axis];
        }
        for axis in (0..D).rev() {
            if self.block[axis] < self.area.high[axis] >> const { bits::<D>() } {
                self.block[axis] += 1;
                return self.enter_block();
            }
            self.block[axis] = self.area.low[axis] >> const { bits::<D>() };
        }
        self.is_done = true;
    }
}

impl<const D: usize> Iterator for Runs<D> {
    type Item = Run<D>;

    #[inline]
    fn next(&mut self) -> Option<Run<D>> {
        let run = self.run()?;
        self.advance();
        Some(run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn blocks(count: usize) -> Blocks {
        let mut blocks = Blocks::ONE;
        while blocks.count() < count {
            blocks.grow();
        }
        blocks
    }

    #[test]
    fn growth_moves_cells_to_the_last_block_and_shrinking_moves_them_back() {
        let mut blocks = Blocks::ONE;
        let cells: Vec<[i32; 2]> = (0..400).map(|n| [n % 20 * 9 - 90, n / 20 * 7 - 70]).collect();
        let numbers = |blocks: Blocks| -> Vec<usize> {
            cells.iter().map(|cell| blocks.bucket(cell)).collect()
        };
        let mut all = vec![numbers(blocks)];
        for count in 2..70 {
            let before = numbers(blocks);
            let Halves { first, last, .. } = blocks.grow();
            assert_eq!((last, blocks.count()), (count - 1, count));
            let after = numbers(blocks);
            for ((cell, before), after) in cells.iter().zip(before).zip(&after) {
                let goes = before / BLOCK == first && blocks.halves().is_last(cell);
                let expected = if goes { last * BLOCK + before % BLOCK } else { before };
                assert_eq!(*after, expected);
            }
            all.push(after);
        }
        while let Some(numbers_then) = all.pop() {
            assert_eq!(numbers(blocks), numbers_then);
            if blocks.count() > 1 {
                assert_eq!(blocks.shrink().last, blocks.count());
            }
        }
    }

    fn assert_covered<const D: usize>(area: Area<D>, blocks: Blocks) {
        let mut expected = Vec::new();
        let mut cell = area.low;
        'cells: loop {
            expected.push((blocks.bucket(&cell), block_of(&cell)));
            for (axis, x) in cell.iter_mut().enumerate() {
                if *x < area.high[axis] {
                    *x += 1;
                    continue 'cells;
                }
                *x = area.low[axis];
            }
            break;
        }
        let runs = Runs::new(blocks, area);
        let mut found: Vec<_> =
            runs.flat_map(|run| run.buckets.map(move |bucket| (bucket, run.block))).collect();
        assert_eq!(found.len() as u64, area.count());
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected);
    }

    #[test]
    fn runs_cover_each_bucket_of_an_area_once() {
        for count in [1, 3, 8] {
            let blocks = blocks(count);
            assert_covered(Area { low: [0, 0], high: [0, 0] }, blocks);
            assert_covered(Area { low: [-9, 5], high: [3, 30] }, blocks);
            assert_covered(Area { low: [7, -1], high: [8, 0] }, blocks);
            assert_covered(Area { low: [-3, 2, -5], high: [5, 4, 5] }, blocks);
            assert_covered(Area { low: [i32::MIN; 2], high: [i32::MIN + 8; 2] }, blocks);
            assert_covered(Area { low: [i32::MAX - 4; 3], high: [i32::MAX; 3] }, blocks);
        }
    }

    #[test]
    fn hashes_of_blocks_are_well_distributed() {
        let many = blocks(4096);
        let numbers = |cells: &mut dyn Iterator<Item = [i32; 3]>| -> usize {
            let all: BTreeSet<usize> = cells.map(|block| many.first_bucket(&block)).collect();
            all.len()
        };
        // A random function would reach 2589 of 4096.
        let form = |f: fn(i32) -> [i32; 3]| numbers(&mut (-2048..2048).map(f));
        for (spread, name) in [
            (form(|n| [n, 0, 0]), "x"),
            (form(|n| [0, n, 0]), "y"),
            (form(|n| [0, 0, n]), "z"),
            (form(|n| [n % 64, n / 64, 0]), "flat"),
            (form(|n| [0, n % 64, n / 64]), "wall"),
            (form(|n| [n % 16, n / 16 % 16, n / 256]), "cube"),
            (form(|n| [n, n, n]), "diagonal"),
            (form(|n| [n, -n, 0]), "other diagonal"),
            (form(|n| [n << 12, 0, 0]), "far"),
            (form(|n| [0, n << 16, n << 16]), "far diagonal"),
        ] {
            assert!(spread > 2200, "{name}: {spread}");
        }
    }
}
