//! The part of the model about all rows at once.

use super::*;
use crate::slot_map_value::walks;
use stayput::columns::in_columns;
use std::hash::DefaultHasher;

impl<R: Record> Model<R>
where
    Columns<R>: Ord + Hash,
{
    pub(super) fn go_over(&mut self, op: Op) {
        let len = self.rows.len();
        match op {
            Op::Iterate(pattern, place) => {
                let numbers = R::columns(self.columns.as_slices());
                if place & 1 == 0 {
                    walks(self.columns.iter().map(R::seen), &numbers, pattern);
                } else {
                    let rows = self.columns.iter_mut().map(|row| R::number(&row));
                    walks(rows, &numbers, pattern);
                }
                let at = usize::from(place) % (len + 1);
                let found = self.columns.iter().nth(at).map(R::seen);
                assert_eq!(found, numbers.get(at).copied());
                let found = self.columns.iter_mut().nth(at).map(|row| R::number(&row));
                assert_eq!(found, numbers.get(at).copied());
            }
            Op::ForgetDrain(a, b, steps) => {
                let (start, end) = span(a, b, len);
                let mut drain = self.columns.drain(start..end);
                let front: Vec<R> = drain.by_ref().take(steps.into()).collect();
                assert!(front.iter().eq(self.rows[start..end].iter().take(steps.into())));
                if R::MAY_LEAK {
                    mem::forget(drain);
                    self.keep_prefix(start);
                } else {
                    drop(drain);
                    self.rows.drain(start..end);
                }
            }
            Op::ForgetExtractIf(a, b, which, steps) if R::MAY_LEAK => {
                let divisor = u32::from(which % 5) + 2;
                let (start, end) = span(a, b, len);
                let mut named =
                    self.columns.extract_if(start..end, |row| R::number(&row) % divisor == 0);
                named.by_ref().take(steps.into()).for_each(drop);
                mem::forget(named);
                self.keep_prefix(start);
            }
            Op::GrowOnly(first, count) if len < R::MOST => {
                self.grow_only(first % 1_000_000, count % 40);
            }
            Op::ForgetExtractIf(..) | Op::GrowOnly(..) => {}
            Op::Moment(panics_after) => self.moment(panics_after),
            Op::Collect(first, count) => {
                let (columns, rows) = self.others(first, count);
                let made: Columns<R> = if first & 1 == 0 {
                    rows.clone().into()
                } else {
                    rows.iter().cloned().collect()
                };
                assert!(columns == made);
                if let [one, two, ..] = &rows[..] {
                    let (two, columns) = ([one.clone(), two.clone()], columns.slices(..2));
                    assert!(R::columns(Columns::from(two).as_slices()) == R::columns(columns));
                }
            }
            _ => self.apply_to_memory(op),
        }
    }

    /// An iterator over rows from `start` on was leaked, and with it rows.
    fn keep_prefix(&mut self, start: usize) {
        assert!(self.columns.len() <= self.rows.len());
        self.rows.truncate(start.min(self.columns.len()));
        self.columns.truncate(start);
        self.compare();
    }

    fn grow_only(&mut self, first: u32, count: u8) {
        let (before, most) = (self.rows.len(), self.most());
        let scope = self.columns.grow_only();
        let (old, mut kept) = (scope.as_slices(), Vec::new());
        for n in (first..).take(count.into()) {
            match scope.try_push(R::make(n)) {
                Ok(row) => {
                    kept.push(row);
                    self.rows.push(R::make(n));
                }
                Err(refused) => {
                    assert_eq!(refused.error.kind(), ErrorKind::MaxLen);
                    assert_eq!((refused.value, scope.len()), (R::make(n), most));
                }
            }
        }
        let room = most - scope.len();
        assert_eq!(scope.try_reserve(count.into()).is_ok(), usize::from(count) <= room);
        assert_eq!((scope.len(), scope.is_empty()), (self.rows.len(), self.rows.is_empty()));
        assert!(scope.get(self.rows.len()).is_none());
        for at in [0, before, before / 2] {
            let expected = self.rows.get(at).cloned();
            assert_eq!(scope.get(at).map(|row| R::make(R::seen(row))), expected);
        }
        let made = |numbers: Vec<u32>| numbers.into_iter().map(R::make);
        assert!(made(R::columns(old)).eq(self.rows[..before].iter().cloned()));
        assert!(made(R::columns(scope.as_slices())).eq(self.rows.iter().cloned()));
        let kept = kept.into_iter().map(R::seen).collect();
        assert!(made(kept).eq(self.rows[before..].iter().cloned()));
    }

    /// Counts all numbers up. After a panic, rows stay that were not yet written.
    fn moment(&mut self, panics_after: Option<u8>) {
        let calls = Calls::new(panics_after);
        let numbers = R::columns(self.columns.as_slices());
        let mut written = 0;
        let run = || {
            in_columns(
                &mut self.columns,
                |row| {
                    calls.count();
                    let n = R::number(row);
                    (n, Some(Box::new(n)))
                },
                |(numbers, boxes)| {
                    calls.count();
                    assert_eq!((numbers.len(), boxes.len()), (64, 64));
                    for (number, boxed) in numbers.iter_mut().zip(boxes) {
                        assert_eq!(boxed.as_deref().copied().unwrap_or(0), *number);
                        *number = number.wrapping_add(1);
                    }
                },
                |row, (n, boxed)| {
                    calls.count();
                    assert_eq!(boxed.map(|boxed| boxed.wrapping_add(1)), Some(n));
                    R::change(row, n);
                    written += 1;
                },
            );
        };
        let panicked = catch_unwind(AssertUnwindSafe(run)).is_err();
        let calls = 2 * numbers.len() + numbers.len().div_ceil(64);
        assert_eq!(panicked, panics_after.is_some_and(|after| calls > after.into()));
        assert!(panicked || written == numbers.len());
        for (row, n) in self.rows.iter_mut().zip(numbers).take(written) {
            *row = R::make(n.wrapping_add(1));
        }
        self.compare();
    }

    pub(super) fn compare_with_another(&self, place: u16, n: u32) {
        fn hash(columns: &impl Hash) -> u64 {
            let mut hasher = DefaultHasher::new();
            columns.hash(&mut hasher);
            hasher.finish()
        }

        let (mut columns, mut rows) = (self.columns.clone(), self.rows.clone());
        assert!(columns == self.columns && hash(&columns) == hash(&self.columns));
        let row = R::make(n % 1_000_000);
        match usize::from(place) % (rows.len() + 2) {
            0 => assert_eq!(columns.pop(), rows.pop()),
            at if at <= rows.len() => {
                columns.replace(at - 1, row.clone());
                rows[at - 1] = row;
            }
            _ if rows.len() < self.most() => {
                columns.push(row.clone());
                rows.push(row);
            }
            _ => {}
        }
        assert_eq!(columns == self.columns, rows == self.rows);
        assert_eq!(columns.cmp(&self.columns), rows.cmp(&self.rows));
        assert_eq!(columns.partial_cmp(&self.columns), rows.partial_cmp(&self.rows));
    }
}

/// A valid range.
fn span(a: u16, b: u16, len: usize) -> (usize, usize) {
    let (a, b) = (usize::from(a) % (len + 1), usize::from(b) % (len + 1));
    (a.min(b), a.max(b))
}
