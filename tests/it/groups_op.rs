//! Operations on `Groups` and a `Vec` of rows, shared by the model test and the fuzz target `columns_model`.

use crate::slot_map_value::walks;
use stayput::columns::Fields;
use stayput::{Budget, ErrorKind, Groups, Pad, Row, VmVec};
use std::fmt::Debug;
use std::mem;

/// `N` rows.
type Record<R, const N: usize> = <<R as Row>::Fields as Fields>::Group<N>;

/// A row that is made from a number, and identified by it.
pub(crate) trait Lane: Row + Pad + Clone + PartialEq + Debug {
    fn make(n: u32) -> Self;

    /// Returns the number of a row, after asserting that all fields agree on it.
    fn seen(row: Self::Ref<'_>) -> u32;

    /// The number of a row that may be changed.
    fn number(row: &Self::Mut<'_>) -> u32;

    fn change(row: Self::Mut<'_>, n: u32);

    /// Whether a lane has the padding value.
    fn is_pad<const N: usize>(record: &Record<Self, N>, lane: usize) -> bool;

    /// Changes a lane.
    fn put<const N: usize>(record: &mut Record<Self, N>, lane: usize, n: u32);
}

/// With a drop.
pub(crate) type Boxed = (u32, Option<Box<u32>>);

impl Lane for Boxed {
    fn make(n: u32) -> Self {
        (n, Some(Box::new(n)))
    }

    fn seen((n, boxed): Self::Ref<'_>) -> u32 {
        assert_eq!(boxed.as_deref(), Some(n));
        *n
    }

    fn number((n, _): &Self::Mut<'_>) -> u32 {
        **n
    }

    fn change((number, boxed): Self::Mut<'_>, n: u32) {
        (*number, *boxed) = (n, Some(Box::new(n)));
    }

    fn is_pad<const N: usize>((numbers, boxes): &Record<Self, N>, lane: usize) -> bool {
        (numbers[lane], &boxes[lane]) == (0, &None)
    }

    fn put<const N: usize>((numbers, boxes): &mut Record<Self, N>, lane: usize, n: u32) {
        (numbers[lane], boxes[lane]) = Self::make(n);
    }
}

/// Of different sizes and alignments, one of them zero.
pub(crate) type Plain = (u8, (), u128, u32);

impl Lane for Plain {
    fn make(n: u32) -> Self {
        (n.to_le_bytes()[0], (), n.into(), n)
    }

    fn seen((byte, (), long, n): Self::Ref<'_>) -> u32 {
        assert_eq!((*byte, *long), (n.to_le_bytes()[0], u128::from(*n)));
        *n
    }

    fn number((_, (), _, n): &Self::Mut<'_>) -> u32 {
        **n
    }

    fn change((byte, (), long, number): Self::Mut<'_>, n: u32) {
        (*byte, *long, *number) = (n.to_le_bytes()[0], n.into(), n);
    }

    fn is_pad<const N: usize>((bytes, _, longs, numbers): &Record<Self, N>, lane: usize) -> bool {
        (bytes[lane], longs[lane], numbers[lane]) == (0, 0, 0)
    }

    fn put<const N: usize>((bytes, _, longs, numbers): &mut Record<Self, N>, lane: usize, n: u32) {
        (bytes[lane], (), longs[lane], numbers[lane]) = Self::make(n);
    }
}

/// Of size zero.
pub(crate) type Empty = ((),);

impl Lane for Empty {
    fn make(_: u32) -> Self {
        ((),)
    }

    fn seen(_: Self::Ref<'_>) -> u32 {
        0
    }

    fn number(_: &Self::Mut<'_>) -> u32 {
        0
    }

    fn change(_: Self::Mut<'_>, _: u32) {}

    fn is_pad<const N: usize>(_: &Record<Self, N>, _: usize) -> bool {
        true
    }

    fn put<const N: usize>(_: &mut Record<Self, N>, _: usize, _: u32) {}
}

arbitrary! {
    pub(crate) enum Op {
        Push(u32),
        Extend(u32, u8),
        ExtendMuch(u32, u16),
        Pop,
        SwapRemove(u16),
        Truncate(u16),
        Clear,
        Change(u16, u32),
        /// In the records.
        ChangeLanes(u32),
        ChangeAll(u32),
        /// From the front and the back, as the bits say.
        Iterate(u64),
        /// Moves rows out from both ends, and possibly the rest into other groups.
        TakeOut(u8, u8, bool),
        Clone,
        /// With a clone in which one row differs.
        Compare(u16, u32),
        Reserve(u16),
        ReserveExact(u16),
        Prefault(u16),
        PrefaultAhead(u16),
        Shrink,
        ShrinkTo(u16),
        ShrinkWithin(u16),
        Anew,
    }
}

pub(crate) struct Model<R: Lane, const N: usize> {
    /// The maximum number of records.
    max_len: Option<u8>,
    groups: Groups<R, N>,
    rows: Vec<R>,
}

impl<R: Lane, const N: usize> Model<R, N>
where
    Groups<R, N>: Clone + PartialEq,
{
    /// The maximum number of rows in a run.
    const MOST: usize = 3_000;

    fn made(max_len: Option<u8>) -> Groups<R, N> {
        match max_len {
            Some(max_len) => Groups::over(VmVec::with_max_len(max_len.into())),
            None => Groups::new(),
        }
    }

    pub(crate) fn run(max_len: Option<u8>, ops: &[Op]) {
        let mut model = Self { max_len, groups: Self::made(max_len), rows: Vec::new() };
        for op in ops {
            model.apply(*op);
            assert_eq!(model.groups.len(), model.rows.len());
            model.compare();
        }
    }

    fn compare(&self) {
        let Self { groups, rows, .. } = self;
        let len = rows.len();
        assert!(groups.iter().map(|row| R::make(R::seen(row))).eq(rows.iter().cloned()));
        assert_eq!(groups.is_empty(), rows.is_empty());
        assert!(groups.get(len).is_none());
        assert_eq!(groups.as_slice().len(), len.div_ceil(N));
        if let Some(last) = groups.as_slice().last() {
            let used = (len - 1) % N + 1;
            assert!((used..N).all(|lane| R::is_pad::<N>(last, lane)));
        }
        assert!(len <= groups.capacity() && groups.capacity() <= groups.max_len());
        assert_eq!(groups.stats().len, groups.as_slice().len());
    }

    /// The maximum number of rows.
    fn most(&self) -> usize {
        self.max_len.map_or(usize::MAX, |max_len| usize::from(max_len) * N)
    }

    fn push(&mut self, n: u32) -> bool {
        if self.rows.len() >= Self::MOST {
            return false;
        }
        match self.groups.try_push(R::make(n)) {
            Ok(()) => self.rows.push(R::make(n)),
            Err(refused) => {
                assert_eq!(
                    (refused.error.kind(), self.rows.len()),
                    (ErrorKind::MaxLen, self.most())
                );
                assert_eq!(refused.value, R::make(n));
                return false;
            }
        }
        true
    }

    fn apply(&mut self, op: Op) {
        let len = self.rows.len();
        let at = |place: u16| usize::from(place) % len.max(1);
        match op {
            Op::Push(n) => _ = self.push(n),
            Op::Extend(first, count) => {
                let room = self.most().min(Self::MOST).saturating_sub(len);
                let rows = || (0..u32::from(count % 40)).map(|n| R::make(first.wrapping_add(n)));
                self.groups.extend(rows().take(room));
                self.rows.extend(rows().take(room));
            }
            Op::ExtendMuch(first, count) => {
                let all = (0..count % 1500).all(|n| self.push(first.wrapping_add(n.into())));
                assert!(all || self.rows.len() >= self.most().min(Self::MOST));
            }
            Op::Pop => assert_eq!(self.groups.pop(), self.rows.pop()),
            Op::SwapRemove(place) if len > 0 => {
                let expected = self.rows.swap_remove(at(place));
                assert_eq!(self.groups.swap_remove(at(place)), expected);
            }
            Op::Change(place, n) if len > 0 => {
                R::change(self.groups.get_mut(at(place)).unwrap(), n);
                self.rows[at(place)] = R::make(n);
            }
            Op::SwapRemove(_) | Op::Change(..) => assert!(self.groups.get_mut(0).is_none()),
            Op::Truncate(to) => {
                self.groups.truncate(to.into());
                self.rows.truncate(to.into());
            }
            Op::Clear => {
                self.groups.clear();
                self.rows.clear();
            }
            Op::ChangeLanes(first) => {
                for (at, n) in (0..len).zip(0..) {
                    let record = &mut self.groups.as_mut_slice()[at / N];
                    R::put::<N>(record, at % N, first.wrapping_add(n));
                    self.rows[at] = R::make(first.wrapping_add(n));
                }
            }
            Op::ChangeAll(by) => {
                for (row, expected) in self.groups.iter_mut().zip(&mut self.rows) {
                    let n = R::number(&row).wrapping_add(by);
                    R::change(row, n);
                    *expected = R::make(n);
                }
            }
            _ => self.apply_to_all(op),
        }
    }

    fn apply_to_all(&mut self, op: Op) {
        match op {
            Op::Iterate(pattern) => {
                let numbers: Vec<u32> = self.groups.iter().map(R::seen).collect();
                walks(self.groups.iter().map(R::seen), &numbers, pattern);
                let rows = self.groups.iter_mut().map(|row| R::number(&row));
                walks(rows, &numbers, pattern.rotate_left(7));
            }
            Op::TakeOut(front, back, is_kept) => {
                let mut rows = mem::replace(&mut self.groups, Self::made(self.max_len)).into_iter();
                let mut expected = mem::take(&mut self.rows).into_iter();
                assert!((0..front).all(|_| rows.next() == expected.next()));
                assert!((0..back).all(|_| rows.next_back() == expected.next_back()));
                assert_eq!((rows.len(), rows.size_hint()), (expected.len(), expected.size_hint()));
                if is_kept {
                    self.groups.extend(rows);
                    self.rows.extend(expected);
                }
            }
            Op::Clone => self.groups = self.groups.clone(),
            Op::Compare(place, n) => {
                let mut clone = self.groups.clone();
                assert!(clone == self.groups);
                let at = usize::from(place) % self.rows.len().max(1);
                if at < self.rows.len() {
                    R::change(clone.get_mut(at).unwrap(), n);
                    assert_eq!(clone == self.groups, self.rows[at] == R::make(n));
                    assert!(clone.pop().is_some() && clone != self.groups);
                }
            }
            Op::Anew => {
                self.groups = Self::made(self.max_len);
                self.rows.clear();
            }
            _ => self.apply_to_memory(op),
        }
    }

    fn apply_to_memory(&mut self, op: Op) {
        let room = self.most() - self.rows.len();
        let rows = |count: u16| usize::from(count) % Self::MOST;
        let (groups, len) = (&mut self.groups, self.rows.len());
        match op {
            Op::Reserve(count) => {
                let reserved = groups.try_reserve(rows(count));
                assert_eq!(reserved.is_ok(), rows(count) <= room);
                assert!(reserved.is_err() || groups.capacity() - len >= rows(count));
            }
            Op::ReserveExact(count) => {
                let reserved = groups.try_reserve_exact(rows(count));
                assert_eq!(reserved.is_ok(), rows(count) <= room);
                assert!(reserved.is_err() || groups.capacity() - len >= rows(count));
            }
            Op::Prefault(count) => {
                assert_eq!(groups.try_prefault(rows(count)).is_ok(), rows(count) <= room);
            }
            Op::PrefaultAhead(bytes) => {
                let done = groups.prefault_ahead(Budget::bytes(bytes.into()));
                assert!(done.refused.is_none());
            }
            Op::Shrink => groups.try_shrink_to_fit().unwrap(),
            Op::ShrinkTo(count) => {
                let kept = groups.capacity().min(count.into());
                groups.try_shrink_to(count.into()).unwrap();
                assert!(groups.capacity() >= kept);
            }
            Op::ShrinkWithin(bytes) => {
                let budget = Budget::bytes(usize::from(bytes) << 4);
                let _ = groups.shrink_to_fit_within(budget).unwrap();
            }
            _ => unreachable!("done elsewhere"),
        }
    }
}
