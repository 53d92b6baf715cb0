//! Operations on `Columns` and a `Vec` of rows, shared by the model test and the fuzz target `columns_model`.

use crate::columns_record::Record;
use stayput::{Budget, Columns, CommitAhead, ErrorKind, Growth, HugePages, Release};
use std::cell::Cell;
use std::hash::{Hash, Hasher};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

#[path = "columns_op_whole.rs"]
mod whole;

arbitrary! {
    /// How columns are created.
    pub(crate) struct Config {
        max_len: Option<u16>,
        fixed_steps: bool,
        huge_pages: u8,
        is_ahead: bool,
        release: u8,
    }

    pub(crate) enum Op {
        Push(u32),
        /// Rows that are modified at their new place.
        PushMut(u32),
        InsertMut(u16, u32),
        Pop,
        PopIf(u8),
        Extend(u32, u16),
        /// With a size hint that is too large.
        ExtendMore(u32, u8),
        Insert(u16, u32),
        Remove(u16),
        SwapRemove(u16),
        Replace(u16, u32),
        Swap(u16, u16),
        Change(u16, u32),
        /// The first row and the last.
        ChangeEnds(u32),
        CountUp,
        Truncate(u16),
        Clear,
        Resize(u16, u32),
        Retain(u8),
        /// With a panic after a number of calls.
        PanicRetain(u8, u8),
        Dedup(u8),
        Sort(u8),
        /// From a range, from both ends.
        Drain(u16, u16, u8, u8),
        /// Leaks the iterator after some rows.
        ForgetDrain(u16, u16, u8),
        ForgetExtractIf(u16, u16, u8, u8),
        /// Removes up to a number of the selected rows of a range.
        ExtractIf(u16, u16, u8, u8),
        /// Rows of other columns.
        Append(u32, u16),
        /// The part that is split off replaces the original, or is dropped.
        SplitOff(u16, bool),
        /// A clone replaces the original.
        Clone,
        /// The same, by overwriting existing rows.
        CloneFrom(u32, u16),
        /// With a clone in which one row differs.
        Compare(u16, u32),
        Slices(u16, u16),
        /// From the front and the back, as the bits say, and from one place on.
        Iterate(u64, u16),
        /// In a scope in which columns only grow.
        GrowOnly(u32, u8),
        /// In columns for one pass, possibly with a panic after a number of calls.
        Moment(Option<u8>),
        /// Columns made of a `Vec`, an array, and an iterator.
        Collect(u32, u16),
        Reserve(u16),
        ReserveExact(u16),
        Prefault(u16),
        PrefaultAhead,
        Shrink,
        ShrinkTo(u16),
        ShrinkWithin(u16),
        /// Moves rows out from both ends, and the rest into other columns.
        TakeOut(u8, u8),
        /// Drops the columns, and creates new ones.
        Anew,
    }
}

pub(crate) struct Model<R: Record> {
    config: Config,
    columns: Columns<R>,
    rows: Vec<R>,
}

impl<R: Record> Model<R>
where
    Columns<R>: Ord + Hash,
{
    fn made(config: Config) -> Columns<R> {
        let mut builder = Columns::builder();
        if let Some(max_len) = config.max_len {
            builder = builder.max_len(max_len.into());
        }
        if config.fixed_steps {
            builder = builder.growth(Growth::Fixed { step_bytes: 10_000 });
        }
        builder = builder.huge_pages(match config.huge_pages % 3 {
            0 => HugePages::Auto,
            1 => HugePages::Always,
            _ => HugePages::Never,
        });
        if config.is_ahead {
            builder = builder.commit_ahead(CommitAhead::Auto);
        }
        builder
            .release(match config.release % 3 {
                0 => Release::Now,
                1 => Release::Keep,
                _ => Release::Background,
            })
            .build()
    }

    pub(crate) fn run(config: Config, ops: &[Op]) {
        let mut model = Self { config, columns: Self::made(config), rows: Vec::new() };
        for op in ops {
            model.apply(*op);
            assert_eq!(model.columns.len(), model.rows.len());
            if let Some(last) = model.columns.last() {
                assert_eq!(R::make(R::seen(last)), model.rows[model.rows.len() - 1]);
            }
        }
        model.compare();
    }

    fn compare(&self) {
        assert!(self.columns.iter().map(|row| R::make(R::seen(row))).eq(self.rows.iter().cloned()));
        let numbers = R::columns(self.columns.as_slices());
        assert!(numbers.into_iter().map(R::make).eq(self.rows.iter().cloned()));
        assert!(self.columns.get(self.rows.len()).is_none());
        let stats = self.columns.stats();
        assert!(stats.len <= stats.capacity && stats.capacity <= stats.max_len);
    }

    fn most(&self) -> usize {
        self.config.max_len.map_or(usize::MAX, usize::from)
    }

    fn push(&mut self, row: R) -> bool {
        match self.columns.try_push(row.clone()) {
            Ok(()) => {
                self.rows.push(row);
                true
            }
            Err(refused) => {
                assert_eq!((refused.error.kind(), &refused.value), (ErrorKind::MaxLen, &row));
                assert_eq!(self.rows.len(), self.most());
                false
            }
        }
    }

    fn extend(&mut self, first: u32, count: usize, more: usize) {
        let count = count.min(R::MOST.saturating_sub(self.rows.len()));
        let rows = || (0..count).zip(first % 1_000_000..).map(|(_, n)| R::make(n % 1_000_000));
        let room = self.most() - self.rows.len();
        match self.columns.try_extend(Hinted { rows: rows(), more }) {
            Ok(()) => assert!(count <= room),
            Err(refused) => {
                assert_eq!(refused.error.kind(), ErrorKind::MaxLen);
                assert!(refused.value.eq(rows().skip(room)));
            }
        }
        self.rows.extend(rows().take(room));
    }

    /// Other columns and rows, within the maximum.
    fn others(&self, first: u32, count: u16) -> (Columns<R>, Vec<R>) {
        let count = usize::from(count) % (R::MOST / 2).min(self.most() / 2 + 1);
        let rows: Vec<_> =
            (0..count).zip(first % 1_000_000..).map(|(_, n)| R::make(n % 1_000_000)).collect();
        let mut columns = Self::made(self.config);
        columns.extend(rows.iter().cloned());
        (columns, rows)
    }

    fn apply(&mut self, op: Op) {
        let len = self.rows.len();
        let at = |place: u16| usize::from(place) % len.max(1);
        match op {
            Op::PushMut(n) if len < self.most().min(R::MOST) => {
                let n = n % 1_000_000;
                R::change(self.columns.push_mut(R::make(7)), n);
                self.rows.push(R::make(n));
            }
            Op::InsertMut(place, n) if len < self.most().min(R::MOST) => {
                let (at, n) = (usize::from(place) % (len + 1), n % 1_000_000);
                R::change(self.columns.insert_mut(at, R::make(7)), n);
                self.rows.insert(at, R::make(n));
            }
            Op::Push(n) => {
                if len < R::MOST {
                    self.push(R::make(n % 1_000_000));
                }
            }
            Op::Pop => assert_eq!(self.columns.pop(), self.rows.pop()),
            Op::PopIf(which) => {
                let divisor = u32::from(which % 5) + 2;
                let last = self.columns.last().map(R::seen);
                let popped = self.columns.pop_if(|row| R::number(&row) % divisor == 0);
                let is_gone = last.is_some_and(|n| n % divisor == 0);
                assert_eq!(popped, if is_gone { self.rows.pop() } else { None });
            }
            Op::Extend(first, count) => self.extend(first, count.into(), 0),
            Op::ExtendMore(first, count) => self.extend(first, count.into(), 1 << 20),
            Op::SwapRemove(place) if len > 0 => {
                assert_eq!(self.columns.swap_remove(at(place)), self.rows.swap_remove(at(place)));
            }
            Op::Replace(place, n) if len > 0 => {
                let row = R::make(n % 1_000_000);
                let old = mem::replace(&mut self.rows[at(place)], row.clone());
                assert_eq!(self.columns.replace(at(place), row), old);
            }
            Op::Swap(a, b) if len > 0 => {
                self.columns.swap(at(a), at(b));
                self.rows.swap(at(a), at(b));
            }
            Op::Change(place, n) if len > 0 => {
                let n = n % 1_000_000;
                R::change(self.columns.get_mut(at(place)).unwrap(), n);
                self.rows[at(place)] = R::make(n);
            }
            Op::ChangeEnds(n) if len > 0 => {
                let n = n % 1_000_000;
                R::change(self.columns.last_mut().unwrap(), n + 1);
                R::change(self.columns.first_mut().unwrap(), n);
                self.rows[len - 1] = R::make(n + 1);
                self.rows[0] = R::make(n);
                assert_eq!(self.columns.first().map(R::seen), Some(n));
            }
            Op::Insert(place, n) if len < R::MOST => {
                let (at, row) = (usize::from(place) % (len + 1), R::make(n % 1_000_000));
                match self.columns.try_insert(at, row.clone()) {
                    Ok(()) => self.rows.insert(at, row),
                    Err(refused) => {
                        assert_eq!(refused.error.kind(), ErrorKind::MaxLen);
                        assert_eq!((refused.value, len), (row, self.most()));
                    }
                }
            }
            Op::Remove(place) if len > 0 => {
                assert_eq!(self.columns.remove(at(place)), self.rows.remove(at(place)));
            }
            Op::Insert(..) | Op::PushMut(_) | Op::InsertMut(..) => {}
            Op::Remove(_)
            | Op::SwapRemove(_)
            | Op::Replace(..)
            | Op::Swap(..)
            | Op::Change(..)
            | Op::ChangeEnds(_) => {
                assert!(self.columns.get_mut(0).is_none() && self.columns.last_mut().is_none());
            }
            Op::CountUp => {
                let numbers = R::columns(self.columns.as_slices());
                R::count_up(self.columns.as_mut_slices());
                self.rows = numbers.into_iter().map(|n| R::make(n.wrapping_add(1))).collect();
            }
            Op::Truncate(len) => {
                self.columns.truncate(len.into());
                self.rows.truncate(len.into());
            }
            Op::Clear => {
                self.columns.clear();
                self.rows.clear();
            }
            Op::Retain(which) => self.retain(which),
            Op::PanicRetain(which, after) => self.panic_in_retain(which, after),
            Op::Dedup(which) => self.dedup(which),
            Op::Sort(which) => self.sort(which),
            _ => self.apply_to_many(op),
        }
    }

    fn retain(&mut self, which: u8) {
        let divisor = u32::from(which % 5) + 2;
        let numbers = R::columns(self.columns.as_slices());
        let mut turn = numbers.iter();
        self.columns.retain(|_| turn.next().unwrap() % divisor != 0);
        let kept = numbers.into_iter().filter(|n| n % divisor != 0);
        self.rows = kept.map(R::make).collect();
    }

    /// Rows after the panic stay.
    fn panic_in_retain(&mut self, which: u8, after: u8) {
        let divisor = u32::from(which % 5) + 2;
        let calls = Calls::new(Some(after));
        let numbers = R::columns(self.columns.as_slices());
        let run = || {
            self.columns.retain(|row| {
                calls.count();
                R::number(&row) % divisor != 0
            });
        };
        let panicked = catch_unwind(AssertUnwindSafe(run)).is_err();
        assert_eq!(panicked, numbers.len() > after.into());
        let (seen, rest) = numbers.split_at(numbers.len().min(after.into()));
        let kept = seen.iter().filter(|n| *n % divisor != 0).chain(rest);
        self.rows = kept.copied().map(R::make).collect();
        self.compare();
    }

    fn dedup(&mut self, which: u8) {
        let divisor = u32::from(which) + 1;
        let numbers = R::columns(self.columns.as_slices());
        let mut turn = numbers.iter();
        self.columns.dedup_by_key(|_| turn.next().unwrap() / divisor);
        let mut kept = numbers;
        kept.dedup_by_key(|n| *n / divisor);
        self.rows = kept.into_iter().map(R::make).collect();
    }

    fn apply_to_many(&mut self, op: Op) {
        let len = self.rows.len();
        // A valid range.
        let range = |a: u16, b: u16| {
            let (a, b) = (usize::from(a) % (len + 1), usize::from(b) % (len + 1));
            a.min(b)..a.max(b)
        };
        match op {
            Op::Resize(count, n) => {
                let count = usize::from(count) % R::MOST;
                let row = || R::make(n % 1_000_000);
                match self.columns.try_resize_with(count, row) {
                    Ok(()) => self.rows.resize_with(count, row),
                    Err(error) => {
                        assert_eq!(error.kind(), ErrorKind::MaxLen);
                        assert!(count > self.most());
                    }
                }
            }
            Op::Drain(a, b, front, back) => {
                let mut drain = self.columns.drain(range(a, b));
                let mut expected = self.rows.drain(range(a, b));
                assert!((0..front).all(|_| drain.next() == expected.next()));
                assert!((0..back).all(|_| drain.next_back() == expected.next_back()));
                assert_eq!(drain.len(), expected.len());
                let left = R::columns(drain.as_slices()).into_iter().map(R::make);
                assert!(left.eq(expected.as_slice().iter().cloned()));
            }
            Op::ExtractIf(a, b, which, steps) => {
                let divisor = u32::from(which % 5) + 2;
                let (mut steps, mut seen) = (usize::from(steps), range(a, b).start);
                let numbers = R::columns(self.columns.as_slices());
                let is_named = |n: &u32| n % divisor == 0;
                let mut rows = Vec::new();
                let mut named = self.columns.extract_if(range(a, b), |_| {
                    seen += 1;
                    is_named(&numbers[seen - 1])
                });
                while steps > 0 {
                    let Some(row) = named.next() else { break };
                    rows.push(row);
                    steps -= 1;
                }
                drop(named);
                let (before, rest) = numbers.split_at(range(a, b).start);
                let (looked_at, rest) = rest.split_at(seen - before.len());
                assert!(looked_at.iter().filter(|n| is_named(n)).copied().map(R::make).eq(rows));
                let kept = looked_at.iter().filter(|n| !is_named(n));
                self.rows = before.iter().chain(kept).chain(rest).copied().map(R::make).collect();
                self.compare();
            }
            Op::Append(first, count) => {
                let (mut columns, mut rows) = self.others(first, count);
                if len + rows.len() > R::MOST {
                    return;
                }
                match self.columns.try_append(&mut columns) {
                    Ok(()) => self.rows.append(&mut rows),
                    Err(error) => {
                        assert_eq!(error.kind(), ErrorKind::MaxLen);
                        assert!(len + rows.len() > self.most());
                    }
                }
                assert!(columns.into_iter().eq(rows));
            }
            Op::SplitOff(place, is_kept) => {
                let at = usize::from(place) % (len + 1);
                let (columns, rows) = (self.columns.split_off(at), self.rows.split_off(at));
                self.compare();
                if is_kept {
                    (self.columns, self.rows) = (columns, rows);
                }
            }
            Op::Clone => self.columns = self.columns.clone(),
            Op::CloneFrom(first, count) => {
                let (mut columns, _) = self.others(first, count);
                columns.clone_from(&self.columns);
                self.columns = columns;
            }
            Op::Compare(place, n) => self.compare_with_another(place, n),
            Op::Slices(a, b) => {
                let numbers = R::columns(self.columns.slices(range(a, b)));
                R::count_up(self.columns.slices_mut(range(a, b)));
                for (row, n) in self.rows[range(a, b)].iter_mut().zip(numbers) {
                    assert_eq!(*row, R::make(n));
                    *row = R::make(n.wrapping_add(1));
                }
            }
            _ => self.go_over(op),
        }
    }

    fn sort(&mut self, which: u8) {
        let divisor = u32::from(which) + 1;
        let mut numbers = R::columns(self.columns.as_slices());
        numbers.sort_by_key(|n| n / divisor);
        self.columns.sort_by_key(|row| R::seen(row) / divisor);
        self.rows = numbers.into_iter().map(R::make).collect();
    }

    fn apply_to_memory(&mut self, op: Op) {
        let room = self.most() - self.rows.len();
        // No more than fits on a small system.
        let rows = |count: u16| usize::from(count) % R::MOST;
        match op {
            Op::Reserve(count) => {
                let reserved = self.columns.try_reserve(rows(count));
                assert_eq!(reserved.is_ok(), rows(count) <= room);
            }
            Op::ReserveExact(count) => {
                let reserved = self.columns.try_reserve_exact(rows(count));
                assert_eq!(reserved.is_ok(), rows(count) <= room);
            }
            Op::Prefault(count) => {
                let prefaulted = self.columns.try_prefault(rows(count));
                assert_eq!(prefaulted.is_ok(), rows(count) <= room);
            }
            Op::PrefaultAhead => {
                let done = self.columns.prefault_ahead(Budget::bytes(1 << 18));
                assert!(done.refused.is_none());
            }
            Op::Shrink => self.columns.try_shrink_to_fit().unwrap(),
            Op::ShrinkTo(count) => self.columns.try_shrink_to(count.into()).unwrap(),
            Op::ShrinkWithin(bytes) => {
                let budget = Budget::bytes(usize::from(bytes) << 4);
                let _ = self.columns.shrink_to_fit_within(budget).unwrap();
            }
            Op::TakeOut(front, back) => {
                let mut rows = mem::replace(&mut self.columns, Self::made(self.config)).into_iter();
                let mut expected = mem::take(&mut self.rows).into_iter();
                let left = R::columns(rows.as_slices()).into_iter().map(R::make);
                assert!(left.eq(expected.as_slice().iter().cloned()));
                assert_eq!(rows.len(), expected.len());
                for _ in 0..front {
                    assert_eq!(rows.next(), expected.next());
                }
                for _ in 0..back {
                    assert_eq!(rows.next_back(), expected.next_back());
                }
                if front & 1 == 0 {
                    self.columns.extend(rows);
                    self.rows.extend(expected);
                }
            }
            Op::Anew => {
                self.columns = Self::made(self.config);
                self.rows.clear();
            }
            _ => unreachable!("done elsewhere"),
        }
    }
}

/// Calls of user code, which panics after a number of them.
struct Calls(Cell<Option<u8>>);

impl Calls {
    fn new(panics_after: Option<u8>) -> Self {
        Self(Cell::new(panics_after))
    }

    fn count(&self) {
        match self.0.get() {
            Some(0) => resume_unwind(Box::new(())),
            Some(left) => self.0.set(Some(left - 1)),
            None => {}
        }
    }
}

/// Rows with a size hint that is too large.
struct Hinted<I> {
    rows: I,
    more: usize,
}

impl<I: Iterator> Iterator for Hinted<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        self.rows.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.rows.size_hint().0 + self.more, None)
    }
}
