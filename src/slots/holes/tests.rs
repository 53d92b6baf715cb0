//! Holes against a list of those in front and a set of the others.

use super::*;
use crate::made;
use crate::os::Call;
use crate::os::fault::Fault;
use std::collections::BTreeSet;

/// The maximum number of slots.
const MAX_LEN: usize = 1000;

arbitrary! {
    enum Op {
        Cover(u16),
        /// Removes a value that had a generation.
        Remove(u16, u16),
        /// Removes this many adjacent ones.
        RemoveMany(u16, u8),
        Mark(u16),
        Pop(u8),
        /// Moves some of a word to the front, if no hole is there.
        Bring(u8),
        Unmark(u16),
        Settle,
        /// Down to the highest hole, once no hole is in front.
        Uncover,
        Clear,
        SetNear(u16),
        Turn(u16),
        Clone,
    }
}

#[derive(Debug)]
struct Model {
    holes: Holes,
    /// Index and last generation of each, the next one last.
    front: Vec<(u32, u32)>,
    /// Whether the last of them is kept outside the stack.
    is_beside: bool,
    marked: BTreeSet<u32>,
    covered: usize,
}

impl Model {
    fn is_hole(&self, index: u32) -> bool {
        self.marked.contains(&index) || self.front.iter().any(|(front, _)| *front == index)
    }

    /// Returns a slot that is covered.
    fn at(&self, which: u16) -> Option<u32> {
        u32::try_from(usize::from(which).checked_rem(self.covered)?).ok()
    }

    fn remove(&mut self, index: u32, last: u32) {
        if self.is_hole(index) {
            return;
        }
        if self.holes.push(index, last) {
            return self.push(index, last);
        }
        let (slots, count) = (self.covered, self.holes.count());
        let before = self.holes.stack.capacity();
        self.holes.set_aside(index, last, States::all(&State::live(1), slots));
        if self.holes.order() != Reuse::Recent {
            self.marked.insert(index);
            return;
        }
        let near = 2 * (slots - count) + 128;
        let on_stack = self.front.len() - usize::from(self.is_beside);
        let room = self.holes.stack.capacity();
        let marked = if on_stack > near {
            on_stack
        } else if on_stack == before && room == before {
            on_stack.div_ceil(2)
        } else {
            0
        };
        self.marked.extend(self.front.drain(..marked).map(|(index, _)| index));
        if (index as usize) < near && room > 0 {
            self.push(index, last);
        } else {
            self.marked.insert(index);
        }
    }

    fn push(&mut self, index: u32, last: u32) {
        self.front.push((index, last));
        self.is_beside = true;
    }

    fn mark(&mut self, index: u32) {
        self.holes.mark(index);
        self.marked.insert(index);
    }

    fn bring(&mut self, most: u8) {
        let Some(first) = self.holes.first_marked().filter(|_| self.front.is_empty()) else {
            return;
        };
        let bits = self.holes.bitmap_mut().take_word(first, usize::from(most % 64) + 1);
        let taken = (first / 64 * 64..).take(64).filter(|index| bits >> (index % 64) & 1 == 1);
        // In a strict order, as many as there is room for.
        let room = self.holes.stack.capacity();
        for (n, index) in taken.enumerate() {
            assert!(self.marked.remove(&index));
            if n < room {
                // Some have had no value.
                self.holes.put_in_front(Hole::after(index, index % 3));
                self.front.push((index, index % 3));
            } else {
                self.mark(index);
            }
        }
    }

    fn apply(&mut self, op: Op) {
        match op {
            Op::Cover(len) => {
                let len = usize::from(len) % (MAX_LEN + 1);
                self.holes.cover(len, MAX_LEN).unwrap();
                self.covered = self.covered.max(len);
            }
            Op::Remove(which, last) => {
                let Some(index) = self.at(which) else { return };
                self.remove(index, u32::from(last) + 1);
            }
            Op::RemoveMany(which, count) => {
                let Some(index) = self.at(which) else { return };
                let end = u32::try_from(self.covered).unwrap().min(index + u32::from(count));
                (index..end).for_each(|index| self.remove(index, 7));
            }
            Op::Mark(which) => {
                if let Some(index) = self.at(which).filter(|index| !self.is_hole(*index)) {
                    self.mark(index);
                }
            }
            Op::Pop(count) => {
                for _ in 0..=count {
                    let expected = self.front.pop();
                    self.is_beside = false;
                    assert_eq!(
                        self.holes.first(),
                        self.holes.pop().inspect(|hole| {
                            let (index, last) = expected.unwrap();
                            assert_eq!((hole.index(), hole.generation()), (index, last + 1));
                        })
                    );
                }
            }
            Op::Bring(most) => self.bring(most),
            Op::Unmark(which) => {
                let Some(index) = self.at(which) else { return };
                let was_there = self.holes.bitmap_mut().clear(index);
                assert_eq!(was_there, self.marked.remove(&index));
            }
            Op::Settle => {
                while let Some(hole) = self.holes.pop() {
                    self.holes.mark(hole.index());
                }
                self.marked.extend(self.front.drain(..).map(|(index, _)| index));
                self.is_beside = false;
            }
            Op::Uncover => {
                self.apply(Op::Settle);
                self.covered = self.marked.last().map_or(0, |last| *last as usize + 1);
                self.holes.uncover(self.covered);
            }
            Op::Clear => {
                self.holes.clear();
                self.front.clear();
                self.marked.clear();
                self.is_beside = false;
            }
            Op::SetNear(slots) => self.holes.set_near(slots.into()),
            // The turn is stored with the first memory.
            Op::Turn(which) if self.covered > 0 => self.holes.set_turn(which.into()),
            Op::Turn(_) => {}
            Op::Clone => {
                let clone = self.holes.try_clone(self.covered, MAX_LEN).unwrap();
                assert_eq!((clone.near, clone.turn()), (self.holes.near, self.holes.turn()));
                assert!(clone.bitmap().covered() >= self.covered);
                self.holes = clone;
            }
        }
    }

    fn check(&self) {
        let Self { holes, front, marked, covered, .. } = self;
        assert_eq!(holes.count(), front.len() + marked.len());
        let there: Vec<_> =
            holes.front().map(|hole| (hole.index(), hole.generation() - 1)).collect();
        assert_eq!(there, *front);
        assert_eq!(holes.is_settled(), front.is_empty());
        holes.bitmap().check();
        assert!(
            front.iter().all(|(index, _)| !holes.bitmap().contains(*index)),
            "a hole is both in front and marked"
        );
        assert!(marked.iter().all(|index| holes.bitmap().contains(*index)));
        assert_eq!(holes.bitmap().count(), marked.len());
        assert!(holes.bitmap().covered() >= *covered);
        let next = match holes.order() {
            Reuse::Rotating { .. } => marked.range(holes.turn()..).next().or(marked.first()),
            _ => marked.first(),
        };
        assert_eq!(holes.first_marked(), next.copied());
        if !matches!(holes.order(), Reuse::Recent) {
            assert!(front.len() <= 1 && holes.near == 0, "a strict order has no hole in front");
        }
    }
}

#[test]
fn each_hole_is_either_in_front_or_marked() {
    for order in [Reuse::Recent, Reuse::Lowest, Reuse::Rotating { min_free: 3 }] {
        made::run_with(50, 1..60, |(), ops: &[Op]| {
            let holes = Holes::try_in(order).unwrap();
            let (front, marked) = (Vec::new(), BTreeSet::new());
            let mut model = Model { holes, front, is_beside: false, marked, covered: 0 };
            for op in ops {
                model.apply(*op);
                model.check();
            }
        });
    }
}

#[test]
fn holes_are_marked_when_values_have_become_few() {
    let (holes, front, marked) = (Holes::new(), Vec::new(), BTreeSet::new());
    let mut model = Model { holes, front, is_beside: false, marked, covered: 0 };
    let removed = [500, 0, 255].map(|first| Op::RemoveMany(first, 255));
    // The limit for near ones is renewed after one is marked.
    for op in [Op::Cover(1000)]
        .into_iter()
        .chain(removed)
        .chain([Op::Mark(999), Op::RemoveMany(800, 100)])
    {
        model.apply(op);
        model.check();
    }
    assert!(model.marked.contains(&700), "only {:?} are marked", model.marked);
}

#[test]
fn a_hole_has_its_index_and_next_generation() {
    let last = (1 << 31) - 2;
    for (index, last) in [(0, 0), (0, 1), (0, last), (u32::MAX, 0), (u32::MAX, last)] {
        let hole = Hole::after(index, last);
        assert_eq!((hole.index(), hole.generation()), (index, last + 1));
        assert_eq!(hole.is_none(), (index, last) == (0, 0));
    }
}

#[test]
#[cfg_attr(no_vm, ignore = "the bits are a heap block there")]
fn refused_memory_covers_nothing() {
    for call in [Call::Reserve, Call::Commit] {
        let mut holes = Holes::new();
        let fault = Fault::from_nth(call, 0);
        // So many that their bits are not a heap block.
        assert!(holes.cover(1_000_000, 1_000_000).is_err());
        assert!(fault.failures() > 0);
        drop(fault);
        assert_eq!(holes.bitmap().covered(), 0);
        holes.cover(1_000_000, 1_000_000).unwrap();
        holes.set_near(usize::MAX);
        assert!((0..129).all(|index| holes.push(index, 1)));
        assert!(!holes.push(129, 1), "there is room for 128 holes, and one more");
        assert_eq!(holes.count(), 129);
    }
}
