//! The cursor against a plain list of the slots that are not holes.

use super::*;
use crate::effort;
use crate::made::made;
use proptest::collection::vec;
use proptest::proptest;

arbitrary! {
    /// An operation on one of the cursors.
    enum Op {
        Next,
        /// This many times.
        NextMany(u8),
        NextBack,
        NextWord,
        /// Takes a run or a word, and puts back what follows the given number of slots.
        Run(u8),
        WithoutRun,
        /// Takes a run, and the word after it.
        TakeBoth,
        #[cfg(feature = "rayon")]
        Split,
        /// Continues with a clone.
        Clone,
        /// Makes a slot that was returned a hole, or unmarks it.
        Toggle(u16),
    }

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    /// The kinds of slots, in runs: live, empty without being marked, or holes.
    enum Kind {
        Live,
        Dead,
        Hole,
    }
}

/// A cursor and what it has returned, from the front and from the back.
struct Part {
    cursor: Cursor,
    front: Vec<u32>,
    back: Vec<u32>,
}

struct Model {
    kinds: Vec<Kind>,
    words: Vec<u64>,
    /// Which of them are full; empty if cursors do not get to know.
    full: Vec<u64>,
    /// In the order of their slots.
    parts: Vec<Part>,
}

impl Model {
    fn new(runs: &[(Kind, u8)], words: usize, knows_full: bool) -> Self {
        let kinds: Vec<Kind> = runs
            .iter()
            // Single slots, and more than some words have.
            .flat_map(|(kind, count)| {
                let count = usize::from(*count);
                iter::repeat_n(
                    *kind,
                    match count {
                        0..180 => count % 8,
                        180..250 => count,
                        _ => count * 40,
                    },
                )
            })
            .collect();
        let full = vec![0; if knows_full { words.div_ceil(WORD_SLOTS) } else { 0 }];
        let mut model = Self { words: vec![0; words], full, parts: Vec::new(), kinds };
        for (index, kind) in model.kinds.iter().enumerate() {
            // The last slots may have no words. They are not holes then.
            if let (Kind::Hole, Some(word)) = (kind, model.words.get_mut(index / WORD_SLOTS)) {
                *word |= 1 << (index % WORD_SLOTS);
            }
        }
        model.find_full();
        let cursor = Cursor::new(model.kinds.len());
        model.parts.push(Part { cursor, front: Vec::new(), back: Vec::new() });
        model
    }

    fn find_full(&mut self) {
        for (full, words) in self.full.iter_mut().zip(self.words.chunks(WORD_SLOTS)) {
            let bits = words.iter().rev();
            *full = bits.fold(0, |full, word| full << 1 | u64::from(*word == u64::MAX));
        }
    }

    fn is_marked(&self, index: u32) -> bool {
        let word = self.words.get(index as usize / WORD_SLOTS).copied().unwrap_or(0);
        word >> (index as usize % WORD_SLOTS) & 1 == 1
    }

    /// Returns whether the cursor returned a slot.
    fn next(&mut self, part: usize) -> bool {
        let Some(index) = self.parts[part]
            .cursor
            .next(HoleBits { full: &self.full, ..HoleBits::of(&self.words) })
        else {
            return false;
        };
        self.parts[part].front.push(index);
        true
    }

    fn next_back(&mut self, part: usize) -> bool {
        let index = self.parts[part]
            .cursor
            .next_back(HoleBits { full: &self.full, ..HoleBits::of(&self.words) });
        assert!(index.is_none_or(|index| !self.is_marked(index)), "{index:?} is a hole");
        self.parts[part].back.extend(index);
        index.is_some()
    }

    fn next_word(&mut self, part: usize) -> bool {
        let Some(word) = self.parts[part]
            .cursor
            .next_word(HoleBits { full: &self.full, ..HoleBits::of(&self.words) })
        else {
            return false;
        };
        let (mut rest, mut there) = (word, Vec::new());
        there.extend(iter::from_fn(|| rest.pop_front().map(low_half)));
        assert!(there.iter().all(|index| !self.is_marked(*index)));
        assert!(there.iter().all(|index| index / 64 * 64 == word.start()));
        assert_eq!(there.len(), word.left().count_ones() as usize);
        assert!(word.bits().eq(there.iter().map(|index| *index as usize)));
        // The others between them are holes, and were not returned before.
        if let Some(run) = word.as_run() {
            let Part { front, back, .. } = &self.parts[part];
            let (others, same): (Vec<u32>, Vec<u32>) =
                run.map(low_half).partition(|index| !there.contains(index));
            assert!(others.iter().all(|index| self.is_marked(*index)));
            assert!(!others.iter().any(|index| front.contains(index) || back.contains(index)));
            assert_eq!(same, there);
        }
        self.parts[part].front.extend(there);
        true
    }

    /// As callers that visit runs do.
    fn run(&mut self, part: usize, most: usize) {
        let Part { cursor, front, .. } = &mut self.parts[part];
        let mut run = cursor.take_run();
        let mut word = cursor.take_word();
        if run.is_empty()
            && word.left() == 0
            && cursor.read_on(HoleBits { full: &self.full, ..HoleBits::of(&self.words) })
        {
            (run, word) = (cursor.take_run(), cursor.take_word());
        }
        front.extend(run.by_ref().take(most).map(low_half));
        let start = word.start() as usize;
        let places = iter::from_fn(|| word.pop_place()).take(most);
        front.extend(places.map(|place| low_half(start + place)));
        cursor.put_back(run, word);
    }

    fn take_both(&mut self, part: usize) {
        let Part { cursor, front, .. } = &mut self.parts[part];
        front.extend(cursor.take_run().map(low_half));
        front.extend(cursor.take_word().bits().map(low_half));
        cursor.read_on(HoleBits { full: &self.full, ..HoleBits::of(&self.words) });
    }

    fn apply(&mut self, op: Op, which: u8) {
        let at = usize::from(which) % self.parts.len();
        match op {
            Op::Next => _ = self.next(at),
            Op::NextMany(count) => _ = (0..count).take_while(|_| self.next(at)).count(),
            Op::NextBack => _ = self.next_back(at),
            Op::NextWord => _ = self.next_word(at),
            Op::Run(most) => self.run(at, usize::from(most)),
            Op::WithoutRun => {
                self.parts[at].cursor = self.parts[at].cursor.clone().without_run();
            }
            Op::TakeBoth => self.take_both(at),
            #[cfg(feature = "rayon")]
            Op::Split => self.split(at),
            Op::Clone => self.parts[at].cursor = self.parts[at].cursor.clone(),
            Op::Toggle(which) => {
                let part = &self.parts[at];
                let given: Vec<u32> = part.front.iter().chain(&part.back).copied().collect();
                let index = given.get(usize::from(which) % given.len().max(1));
                let Some(index) = index.map(|index| *index as usize) else { return };
                if let Some(word) = self.words.get_mut(index / WORD_SLOTS) {
                    *word ^= 1 << (index % WORD_SLOTS);
                }
                self.find_full();
            }
        }
    }

    #[cfg(feature = "rayon")]
    fn split(&mut self, at: usize) {
        let Part { cursor, front, back } = self.parts.remove(at);
        match cursor.split() {
            (cursor, None) => self.parts.insert(at, Part { cursor, front, back }),
            (left, Some(right)) => {
                self.parts.insert(at, Part { cursor: right, front: Vec::new(), back });
                self.parts.insert(at, Part { cursor: left, front, back: Vec::new() });
            }
        }
    }

    /// Takes the rest in one way or another, and checks that each slot was returned once, except for holes.
    fn finish(mut self, holes: &[u32], how: u8) {
        for part in 0..self.parts.len() {
            while match (usize::from(how) + part) % 3 {
                0 => self.next(part),
                1 => self.next_back(part),
                _ => self.next_word(part),
            } {}
            assert!(!self.next(part) && !self.next_back(part) && !self.next_word(part));
        }
        let given = |part: Part| part.front.into_iter().chain(part.back.into_iter().rev());
        let given: Vec<u32> = self.parts.into_iter().flat_map(given).collect();
        assert!(given.is_sorted_by(|one, next| one < next), "{given:?}");
        let all = (0..).zip(&self.kinds).map(|(index, _)| index);
        assert!(
            all.filter(|index| holes.binary_search(index).is_err())
                .all(|index| { given.binary_search(&index).is_ok() })
        );
    }
}

#[test]
fn after_any_operations_each_slot_that_is_not_a_hole_was_returned_once() {
    let runs = vec(made::<(Kind, u8)>(), 0..20);
    let ops = vec(made::<(Op, u8)>(), 0..60);
    proptest!(effort::cases(150), |(
        runs in runs, words in 0..500_usize, knows_full: bool, ops in ops, how: u8
    )| {
        let mut model = Model::new(&runs, words, knows_full);
        let len = u32::try_from(model.kinds.len()).unwrap();
        let holes: Vec<u32> = (0..len).filter(|index| model.is_marked(*index)).collect();
        for (op, which) in ops {
            model.apply(op, which);
        }
        model.finish(&holes, how);
    });
}

#[test]
fn words_of_only_holes_are_skipped_at_once() {
    let mut words = vec![u64::MAX; 1000];
    words[0] = !1;
    words[999] = u64::MAX >> 1;
    let mut full = [u64::MAX; 16];
    full[0] = !1;
    full[15] = (1 << (999 % 64)) - 1;
    for full in [&full[..], &[]] {
        let holes = HoleBits { full, ..HoleBits::of(&words) };
        let cursor = Cursor::new(64_000);
        let mut front = cursor.clone();
        assert!(iter::from_fn(|| front.next(holes)).eq([0, 63_999]));
        let mut back = cursor.clone();
        assert!(iter::from_fn(|| back.next_back(holes)).eq([63_999, 0]));
        let mut by_word = cursor;
        let lefts = iter::from_fn(|| by_word.next_word(holes)).map(Word::left);
        assert!(lefts.eq([1, 1 << 63]));
        for from in [64, 66, 100 * 64, 998 * 64, 999 * 64] {
            assert_eq!(holes.skip(from..64_000), 999 * 64);
            assert_eq!(holes.skip(from..998 * 64 + 1), from.max(998 * 64));
        }
    }
}

#[test]
#[cfg(feature = "rayon")]
fn slots_are_halved_at_a_word_if_there_are_two_words_of_them() {
    for start in [0, 1, 63, 64 * 7 + 5] {
        for len in [0, 1, 63, 65, 127, 128, 129, 191, 1000, 10_000] {
            let whole = start..start + len;
            let cursor = Cursor { rest: whole.clone(), ..Cursor::new(0) };
            let (Cursor { rest: left, .. }, right) = cursor.split();
            let Some(Cursor { rest: right, .. }) = right else {
                assert!(left == whole && len < 2 * WORD_SLOTS, "{whole:?}");
                continue;
            };
            assert_eq!((left.start..right.end, left.end), (whole, right.start));
            assert!(len >= 2 * WORD_SLOTS && !left.is_empty());
            assert!(right.start % WORD_SLOTS == 0 && right.len() - left.len() < 2 * WORD_SLOTS);
        }
    }
}

#[test]
fn slots_with_few_holes_between_them_are_a_run() {
    for holes in 0..=2 * FEW {
        // The holes at the ends are not between them.
        let left = (u64::MAX >> 2 << 2) & !(((1 << holes) - 1) << 20);
        let run = Word { start: 64, left }.as_run();
        assert_eq!(run, (holes < FEW).then_some(66..128), "{holes} holes");
    }
    assert_eq!(Word { start: 64, left: u64::MAX }.as_run(), Some(64..128));
    assert!(Word::NONE.as_run().is_some_and(|run| run.is_empty()));
}

#[test]
fn a_word_without_values_is_no_run() {
    let holes = HoleBits { lack_bits: true, ..HoleBits::of(&[0, 0]) };
    let mut cursor = Cursor::new(100);
    for end in [64, 100] {
        assert!(cursor.read_on_by(holes, |_| 0));
        assert_eq!((cursor.take_run().len(), cursor.take_word().left()), (0, 0));
        assert_eq!(cursor.rest, end..100);
    }
    assert!(!cursor.read_on_by(holes, |_| 0));
}
