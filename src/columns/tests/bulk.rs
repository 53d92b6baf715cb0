//! Tests of methods that clone, move and remove many rows.

use super::*;
use crate::error::Error;
use crate::service::Release;
use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::cmp::Ordering;
use std::mem;

assert_impl_all!(Drain<'static, Mixed>: Send, Sync);
assert_not_impl_any!(Drain<'static, (Rc<u8>, u8)>: Send, Sync);
assert_impl_all!(Drain<'static, (Cell<u8>, u8)>: Send);
assert_not_impl_any!(Drain<'static, (Cell<u8>, u8)>: Sync);

/// Counts living entries, and after how many more clones or drops one panics.
#[derive(Default)]
struct Ledger {
    living: Cell<usize>,
    clones: Cell<Option<usize>>,
    drops: Cell<Option<usize>>,
}

impl Ledger {
    fn entry(&self, n: u64) -> Entry<'_> {
        self.living.set(self.living.get() + 1);
        Entry { n, ledger: self }
    }

    fn rows(&self, count: u64) -> Columns<Noting<'_>> {
        (0..count).map(|n| (self.entry(n), (), Wide(n), self.entry(n), 0)).collect()
    }

    /// Counts down, and panics at zero.
    fn count_down(left: &Cell<Option<usize>>, what: &str) {
        if let Some(now) = left.get() {
            left.set(now.checked_sub(1));
            assert!(now > 0, "{what}");
        }
    }
}

/// Owns no heap memory, so that it can be leaked.
struct Entry<'l> {
    n: u64,
    ledger: &'l Ledger,
}

impl Clone for Entry<'_> {
    fn clone(&self) -> Self {
        Ledger::count_down(&self.ledger.clones, "a clone that panics");
        self.ledger.entry(self.n)
    }
}

impl Drop for Entry<'_> {
    fn drop(&mut self) {
        self.ledger.living.set(self.ledger.living.get() - 1);
        if !std::thread::panicking() {
            Ledger::count_down(&self.ledger.drops, "a drop that panics");
        }
    }
}

type Noting<'l> = (Entry<'l>, (), Wide, Entry<'l>, u8);

fn numbers(columns: &Columns<Noting<'_>>) -> Vec<u64> {
    columns
        .iter()
        .map(|(first, (), wide, second, _)| {
            assert_eq!((wide.0, second.n), (first.n, first.n));
            first.n
        })
        .collect()
}

fn panics(call: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(call)).is_err()
}

#[test]
fn clones_are_dropped_if_a_later_clone_panics() {
    let ledger = Ledger::default();
    let columns = ledger.rows(20);
    for call in 0..40 {
        ledger.clones.set(Some(call));
        assert!(panics(|| drop(columns.clone())));
        assert_eq!(ledger.living.get(), 40);
    }
    ledger.clones.set(Some(40));
    let clone = columns.clone();
    assert_eq!((numbers(&clone), ledger.living.get()), ((0..20).collect(), 80));
    drop((clone, columns));
    assert_eq!(ledger.living.get(), 0);
}

#[test]
fn rows_stay_valid_if_clone_from_panics() {
    let ledger = Ledger::default();
    for (there, source) in [(5, 12), (12, 5), (0, 5), (5, 0), (7, 7)] {
        let source = ledger.rows(source);
        for call in 0..=2 * source.len() {
            let mut columns = ledger.rows(there);
            ledger.clones.set(Some(call));
            let has_panicked = panics(|| columns.clone_from(&source));
            ledger.clones.set(None);
            assert_eq!(has_panicked, call < 2 * source.len());
            if has_panicked {
                assert_eq!(columns.len(), source.len().min(usize::try_from(there).unwrap()));
            } else {
                assert_eq!(numbers(&columns), numbers(&source));
            }
            assert_eq!(ledger.living.get(), 2 * (columns.len() + source.len()));
        }
    }
    assert_eq!(ledger.living.get(), 0);
}

#[test]
fn clone_keeps_the_options_and_clone_from_does_not() {
    let columns = Columns::<Mixed>::builder().max_len(7).build();
    assert_eq!(columns.clone().max_len(), 7);
    assert_eq!(columns.clone().stats().committed_bytes, 0);
    let mut other = Columns::<Mixed>::with_max_len(3);
    other.clone_from(&columns);
    assert_eq!(other.max_len(), 3);
    let more: Columns<Mixed> = (0..4).map(mixed).collect();
    assert!(panics(|| other.clone_from(&more)), "the memory is refused");
    assert!(other.is_empty());
}

#[test]
fn rows_of_any_layout_are_inserted_removed_and_cloned_whole() {
    let mut columns = Columns::<Mixed>::new();
    let mut rows = Vec::new();
    for n in 0..500 {
        let at = usize::try_from(n * 7919).unwrap() % (rows.len() + 1);
        columns.insert(at, mixed(n));
        rows.insert(at, mixed(n));
    }
    let start = columns.as_slices().3.as_ptr();
    for n in 0..100 {
        assert_eq!(columns.remove(n * 3), rows.remove(n * 3));
    }
    assert_eq!(columns.as_slices().3.as_ptr(), start);
    let mut clone = columns.clone();
    assert_eq!(clone, columns);
    clone.append(&mut columns.split_off(50));
    rows.extend_from_within(50..);
    assert!(clone.into_iter().eq(rows.iter().copied()));
    assert!(columns.into_iter().eq(rows.into_iter().take(50)));
}

#[test]
fn zero_sized_rows_are_moved_as_others_are() {
    let mut columns = Columns::<((), [u32; 0])>::from([((), []); 10]);
    columns.insert(10, ((), []));
    assert_eq!(columns.drain(2..5).len(), 3);
    let mut clone = columns.clone();
    assert_eq!((clone.len(), clone == columns, clone.cmp(&columns)), (8, true, Ordering::Equal));
    clone.append(&mut columns.split_off(3));
    assert_eq!((columns.len(), clone.len()), (3, 13));
    columns.remove(2);
    assert_eq!(columns.slices(1..).0.len(), 1);
    assert_eq!(columns.stats().reserved_bytes, 0);
}

#[test]
fn the_gap_is_closed_whatever_was_drained() {
    let ledger = Ledger::default();
    for (start, end) in [(0, 0), (0, 4), (3, 7), (6, 10), (10, 10), (0, 10)] {
        for (front, back) in [(0, 0), (1, 0), (0, 1), (1, 1), (9, 9)] {
            let mut columns = ledger.rows(10);
            let mut drain = columns.drain(start..end);
            let mut expected = (start..end).map(|n| n as u64);
            for _ in 0..front {
                assert_eq!(drain.next().map(|row| row.0.n), expected.next());
            }
            for _ in 0..back {
                assert_eq!(drain.next_back().map(|row| row.3.n), expected.next_back());
            }
            assert_eq!(drain.len(), expected.len());
            drop(drain);
            let kept = (0..10).filter(|n| !(start..end).contains(n)).map(|n| n as u64);
            assert_eq!(numbers(&columns), kept.collect::<Vec<_>>());
            assert_eq!(ledger.living.get(), 2 * columns.len());
        }
    }
}

#[test]
fn the_gap_is_closed_if_a_drop_panics() {
    let ledger = Ledger::default();
    for call in 0..6 {
        let mut columns = ledger.rows(10);
        let mut drain = columns.drain(2..6);
        drop(drain.next());
        ledger.drops.set(Some(call));
        assert!(panics(|| drop(drain)));
        assert_eq!(ledger.drops.take(), None);
        assert_eq!(numbers(&columns), [0, 1, 6, 7, 8, 9]);
        assert_eq!(ledger.living.get(), 12);
    }
}

#[test]
fn columns_end_before_the_range_of_a_leaked_drain() {
    let ledger = Ledger::default();
    let mut columns = ledger.rows(10);
    let mut drain = columns.drain(2..6);
    let row = drain.next().unwrap();
    mem::forget(drain);
    assert_eq!((numbers(&columns), row.0.n), (vec![0, 1], 2));
    columns.push((ledger.entry(7), (), Wide(7), ledger.entry(7), 0));
    assert_eq!(numbers(&columns), [0, 1, 7]);
    drop((columns, row));
    assert_eq!(ledger.living.get(), 2 * 7, "the leaked rows and those after them");
}

#[test]
fn rows_made_before_a_panic_stay() {
    let ledger = Ledger::default();
    let mut columns = ledger.rows(2);
    let mut n = 2;
    let make = || {
        assert!(n < 5, "no more");
        n += 1;
        (ledger.entry(n - 1), (), Wide(n - 1), ledger.entry(n - 1), 0)
    };
    assert!(panics(|| columns.resize_with(10, make)));
    assert_eq!(numbers(&columns), [0, 1, 2, 3, 4]);
    columns.resize_with(1, || unreachable!("there are more"));
    assert_eq!((numbers(&columns), ledger.living.get()), (vec![0], 2));
}

#[test]
fn a_refused_call_changes_nothing() {
    fn is_refused<T>(result: Result<T, Error>) -> bool {
        result.is_err_and(|error| error.kind() != ErrorKind::MaxLen)
    }

    // Disables the region cache, whose memory a clone could receive instead of new memory.
    let builder = Columns::<Five>::builder().huge_pages(HugePages::Never).release(Release::Now);
    let mut columns = builder.build();
    columns.extend((0..1000).map(five));
    let spare = columns.capacity() - 1000;
    let mut others: Columns<Five> = (0..=spare as u64).map(five).collect();
    let fault = Fault::from_nth(Call::Commit, 0);
    assert!(is_refused(columns.try_clone()));
    assert!(is_refused(columns.try_append(&mut others)));
    assert!(is_refused(columns.try_split_off(10)));
    assert!(is_refused(columns.try_resize_with(1001 + spare, || unreachable!("not asked"))));
    assert!(fault.failures() > 3);
    drop(fault);
    assert_five(&columns, 1000);
    assert_five(&others, spare as u64 + 1);

    columns.extend((1000..1000 + spare as u64).map(five));
    let fault = Fault::from_nth(Call::Commit, 0);
    let refused = columns.try_insert(3, five(1)).unwrap_err();
    assert!(fault.failures() > 0);
    drop(fault);
    assert_eq!(refused.value, five(1));
    assert_five(&columns, 1000 + spare as u64);
}

#[test]
fn a_maximum_also_limits_insertion() {
    let mut columns = Columns::<(u8, Wide)>::with_max_len(2);
    columns.resize_with(2, || (1, Wide(1)));
    let refused = columns.try_insert(0, (2, Wide(2))).unwrap_err();
    assert_eq!((refused.error.kind(), refused.value), (ErrorKind::MaxLen, (2, Wide(2))));
    let mut other = Columns::from([(3, Wide(3))]);
    assert_eq!(columns.try_append(&mut other).unwrap_err().kind(), ErrorKind::MaxLen);
    assert_eq!((columns.len(), other.len()), (2, 1));
    assert_eq!(columns.try_resize_with(3, || (0, Wide(0))).unwrap_err().limit(), Some(2));
}

#[test]
fn nan_is_not_equal_to_itself() {
    let columns = Columns::from([(1, f32::NAN)]);
    assert_ne!(columns, columns.clone());
    assert_eq!(columns.partial_cmp(&columns), None);
    assert_eq!(columns.partial_cmp(&Columns::from([(2, 0.0)])), Some(Ordering::Less));
    let mut columns = Columns::from([(f32::NAN, 1), (f32::NAN, 2), (1.0, 3), (1.0, 4)]);
    columns.dedup_by_key(|(number, _)| *number);
    assert_eq!(columns.as_slices().1, [1, 2, 3]);
}

#[test]
fn invalid_ranges_and_indices_panic() {
    let mut columns = Columns::from([(1, 'a'), (2, 'b')]);
    assert!(panics(|| drop(columns.drain(1..3))));
    #[expect(clippy::reversed_empty_ranges, reason = "the range is invalid")]
    let backwards = 2..1;
    assert!(panics(|| drop(columns.drain(backwards))));
    assert!(panics(|| _ = columns.slices(..=2)));
    assert!(panics(|| _ = columns.slices_mut(3..)));
    assert!(panics(|| columns.insert(3, (0, ' '))));
    assert!(panics(|| _ = columns.remove(2)));
    assert!(panics(|| _ = columns.split_off(3)));
    assert_eq!(columns.slices(2..).0, []);
    assert_eq!(columns.pop_if(|(number, _)| *number == 1), None);
    assert_eq!(columns.pop_if(|(_, letter)| *letter == 'b'), Some((2, 'b')));
    *columns.first_mut().unwrap().0 = 7;
    assert_eq!(columns.last(), Some((&7, &'a')));
    columns.clear();
    assert!(columns.first_mut().is_none() && columns.last_mut().is_none());
    assert_eq!(columns.pop_if(|_| unreachable!("the columns are empty")), None);
}
