//! Operations on a `Bitmap` and on std's `BTreeSet` side by side: what the model test and the fuzz target `holes`
//! share.

use super::Bitmap;
use std::collections::BTreeSet;

arbitrary! {
    /// An index or a length, mostly near the edge of a word of some level.
    pub(crate) struct BitIndex(u8, u16);
}

impl BitIndex {
    const EDGES: [u32; 7] = [0, 64, 4096, 4096 * 5, 262_144, 16_777_216, 40_000_000];

    fn index(self) -> u32 {
        let Self(kind, by) = self;
        match Self::EDGES.get(usize::from(kind % 11)) {
            Some(edge) => (edge + u32::from(by % 6)).saturating_sub(3),
            // Anywhere below the last edge, or among the first.
            None if kind % 11 == 7 => u32::from(by) * 610,
            None => u32::from(by) % 300,
        }
    }

    fn len(self) -> usize {
        self.index() as usize
    }
}

arbitrary! {
    pub(crate) enum Op {
        Cover(BitIndex),
        /// Down to the last index in the set, or to a place after it.
        Uncover(Option<BitIndex>),
        Set(BitIndex),
        /// The number of indices, and their distance.
        SetAll(BitIndex, u8, u16),
        Clear(BitIndex),
        TakeFirst(u8),
        /// From a place on, at most this many of its word.
        TakeWord(BitIndex, u8),
        /// From a place on, this many.
        SetRange(BitIndex, u16),
        ClearRange(BitIndex, BitIndex),
        ClearAll,
        Clone,
        Lookup(BitIndex),
    }
}

#[derive(Debug)]
pub(crate) struct Model {
    bitmap: Bitmap,
    set: BTreeSet<u32>,
    covered: usize,
}

impl Model {
    /// The words are not compared after each operation if there are more.
    const FEW: usize = 1 << 13;

    pub(crate) fn run(ops: &[Op]) {
        let mut model = Self { bitmap: Bitmap::new(), set: BTreeSet::new(), covered: 0 };
        for op in ops {
            model.apply(*op);
            model.compare();
            if model.bitmap.words().len() <= Self::FEW {
                model.bitmap.check();
            }
        }
        model.compare_all();
    }

    fn apply(&mut self, op: Op) {
        match op {
            Op::Cover(place) => self.cover(place.len()),
            Op::Uncover(place) => {
                let used = self.set.last().map_or(0, |last| *last as usize + 1);
                let len = place.map_or(used, |place| place.len().max(used));
                self.bitmap.uncover(len);
                self.covered = self.covered.min(len.next_multiple_of(64));
            }
            Op::Set(place) => {
                let index = place.index();
                // Sometimes the first of many that are covered.
                self.cover(index as usize + 1);
                self.set(index);
            }
            Op::SetAll(place, count, step) => {
                let indices = (place.index()..).step_by(usize::from(step) + 1);
                let new: Vec<u32> =
                    indices.take(count.into()).filter(|index| !self.set.contains(index)).collect();
                self.cover(new.last().map_or(0, |last| *last as usize + 1));
                self.bitmap.set_all(new.iter().copied());
                self.set.extend(new);
            }
            Op::Clear(place) => {
                let index = place.index();
                assert_eq!(self.bitmap.clear(index), self.set.remove(&index));
            }
            Op::TakeFirst(count) => {
                for _ in 0..=count {
                    let first = self.bitmap.first();
                    assert!(first.is_none_or(|first| self.bitmap.clear(first)));
                    assert_eq!(first, self.set.pop_first());
                }
            }
            Op::TakeWord(place, most) => {
                let from = place.index();
                let bits = self.bitmap.take_word(from, most.into());
                let word = from / 64 * 64;
                let there = self.set.range(from..word.saturating_add(64));
                let expected: Vec<u32> = there.copied().take(most.into()).collect();
                let taken = (0..64).filter(|bit| bits >> bit & 1 == 1).map(|bit| word + bit);
                assert!(taken.eq(expected.iter().copied()));
                self.set.retain(|index| !expected.contains(index));
            }
            Op::SetRange(from, count) => {
                let count = u32::from(count);
                // Mostly few, and sometimes enough to fill words of the first summary.
                let count = if count % 16 == 0 { count / 6 } else { count % 200 };
                let to = from.index() + count;
                self.cover(to as usize);
                // Between those in the set, in one call.
                let (mut next, first) = (from.index(), from.index());
                for index in self.set.range(first..to).copied().chain([to]).collect::<Vec<_>>() {
                    self.bitmap.set_range(next as usize, index as usize);
                    next = index + 1;
                }
                self.set.extend(first..to);
            }
            Op::ClearRange(from, to) => {
                self.bitmap.clear_range(from.len(), to.len());
                self.set.retain(|index| !(from.index()..to.index()).contains(index));
            }
            Op::ClearAll => {
                self.bitmap.clear_all();
                self.set.clear();
            }
            Op::Clone => {
                let factor = if self.set.len() % 2 == 0 { 1 } else { 3 };
                let len = (self.covered * factor / 2).min(1 << 27);
                self.bitmap = self.bitmap.try_clone(len, 1 << 27).unwrap();
                let used = self.set.last().map_or(0, |last| *last as usize + 1);
                self.covered = used.max(len).next_multiple_of(64);
                self.compare_all();
            }
            Op::Lookup(place) => {
                let index = place.index();
                assert_eq!(self.bitmap.contains(index), self.set.contains(&index));
                let next = self.set.range(index..).next().copied();
                assert_eq!(self.bitmap.first_at_or_after(index), next);
            }
        }
    }

    fn set(&mut self, index: u32) {
        if self.set.insert(index) {
            assert!(self.bitmap.set(index));
        }
    }

    fn cover(&mut self, len: usize) {
        self.bitmap.cover(len).unwrap();
        self.covered = self.covered.max(len.next_multiple_of(64));
    }

    fn compare(&self) {
        assert_eq!(self.bitmap.covered(), self.covered);
        assert_eq!(self.bitmap.count(), self.set.len());
        assert_eq!(self.bitmap.first(), self.set.first().copied());
        assert_eq!(self.bitmap.last(), self.set.last().copied());
    }

    fn compare_all(&self) {
        self.bitmap.check();
        let mut next = 0;
        for index in &self.set {
            assert!(self.bitmap.contains(*index));
            assert_eq!(self.bitmap.first_at_or_after(next), Some(*index));
            next = index + 1;
        }
        assert_eq!(self.bitmap.first_at_or_after(next), None);
    }
}
