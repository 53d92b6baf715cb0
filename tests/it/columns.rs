//! `Columns`, apart from what the model test covers.

use crate::ledger::leak;
use static_assertions::{assert_impl_all, assert_not_impl_any};
use stayput::columns::{Drain, IntoIter, Iter, IterMut};
use stayput::{Columns, ErrorKind, Groups, GrowOnlyColumns, Growth, Pad, Row};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, RefUnwindSafe, UnwindSafe, catch_unwind};

#[test]
fn rows_may_borrow() {
    let text = String::from("one two three");
    let mut columns: Columns<(&str, usize)> =
        text.split(' ').map(|word| (word, word.len())).collect();
    assert_eq!(columns.swap_remove(0), ("one", 3));
    for (word, length) in &mut columns {
        *word = &word[..2];
        *length += 1;
    }
    assert_eq!(columns.as_slices(), (&["th", "tw"][..], &[6, 4][..]));
    let clone = columns.clone();
    columns.insert(1, ("on", 4));
    assert!(columns.drain(..=1).eq([("th", 6), ("on", 4)]));
    assert_eq!(clone.as_slices().0, ["th", "tw"]);
}

#[test]
fn rows_are_kept_and_sorted_by_closures() {
    let mut columns: Columns<(&str, usize)> =
        ["one", "two", "three"].map(|word| (word, word.len())).into_iter().collect();
    columns.retain(|(word, _)| *word != "two");
    columns.sort_by(|(a, _), (b, _)| b.cmp(a));
    columns.sort_by_key(|(_, length)| *length);
    assert_eq!(columns.as_slices().0, ["one", "three"]);
    assert_eq!(format!("{columns:?}"), r#"[("one", 3), ("three", 5)]"#);
}

#[test]
fn iterators_from_both_ends_meet() {
    let mut columns: Columns<(u32, u8)> = (0..10).map(|n| (n, 0)).collect();
    let mut rows = columns.iter_mut();
    let (first, last) = (rows.next().unwrap(), rows.next_back().unwrap());
    std::mem::swap(first.0, last.0);
    assert_eq!((*rows.nth(2).unwrap().0, rows.len()), (3, 5));
    assert_eq!(rows.by_ref().count(), 5);
    assert!(rows.next().is_none() && rows.next_back().is_none());
    let rows = columns.iter();
    assert!(rows.clone().rev().map(|row| *row.0).eq([0, 8, 7, 6, 5, 4, 3, 2, 1, 9]));
    assert!((&columns).into_iter().len() == 10 && columns.first() == Some((&9, &0)));
}

/// A row that returns other fields than it has, and other references.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Liar(String);

impl Row for Liar {
    type Fields = (String, u8);
    type Ref<'a> = &'a String;
    type Mut<'a> = Option<&'a mut String>;
    type Slices<'a> = &'a [String];
    type SlicesMut<'a> = ();

    fn into_fields(self) -> (String, u8) {
        assert_ne!(self.0, "panics", "as it says");
        (self.0 + "!", 3)
    }

    fn from_fields(_: (String, u8)) -> Self {
        Self("another".into())
    }

    fn by_ref<'a>(fields: (&'a String, &'a u8)) -> &'a String
    where
        Self: 'a,
    {
        fields.0
    }

    fn by_mut<'a>(_: (&'a mut String, &'a mut u8)) -> Option<&'a mut String>
    where
        Self: 'a,
    {
        None
    }

    fn by_slices<'a>((texts, _): (&'a [String], &'a [u8])) -> &'a [String]
    where
        Self: 'a,
    {
        &texts[1..]
    }

    fn by_slices_mut<'a>(_: (&'a mut [String], &'a mut [u8]))
    where
        Self: 'a,
    {
    }
}

/// Exists once.
#[derive(Debug, PartialEq, Eq)]
struct Ticket(u32);

impl Row for Ticket {
    type Fields = (u32,);
    type Ref<'a> = &'a u32;
    type Mut<'a> = ();
    type Slices<'a> = &'a [u32];
    type SlicesMut<'a> = ();

    fn into_fields(self) -> (u32,) {
        (self.0,)
    }

    fn from_fields((number,): (u32,)) -> Self {
        Self(number)
    }

    fn by_ref<'a>((number,): (&'a u32,)) -> &'a u32
    where
        Self: 'a,
    {
        number
    }

    fn by_mut<'a>(_: (&'a mut u32,))
    where
        Self: 'a,
    {
    }

    fn by_slices<'a>((numbers,): (&'a [u32],)) -> &'a [u32]
    where
        Self: 'a,
    {
        numbers
    }

    fn by_slices_mut<'a>(_: (&'a mut [u32],))
    where
        Self: 'a,
    {
    }
}

assert_not_impl_any!(Columns<Ticket>: Clone);
assert_not_impl_any!(Columns<(u32, std::cell::RefCell<u8>)>: std::hash::Hash, Sync);

/// Iterators can be sent and shared as references to rows, or rows, can be.
mod threads {
    use super::*;
    use std::rc::Rc;

    type Plain = (u8, u16);
    type Cells = (Cell<u8>, u16);
    type Counted = (u8, Rc<u8>);

    assert_impl_all!(Columns<Plain>: Send, Sync);
    assert_impl_all!(Iter<'static, Plain>: Send, Sync);
    assert_impl_all!(IterMut<'static, Plain>: Send, Sync);
    assert_impl_all!(Drain<'static, Plain>: Send, Sync);
    assert_impl_all!(IntoIter<Plain>: Send, Sync);

    assert_impl_all!(Columns<Cells>: UnwindSafe);
    assert_impl_all!(Drain<'static, Plain>: RefUnwindSafe);
    assert_impl_all!(IntoIter<Cells>: UnwindSafe);

    assert_impl_all!(Columns<Cells>: Send);
    assert_impl_all!(IterMut<'static, Cells>: Send);
    assert_impl_all!(Drain<'static, Cells>: Send);
    assert_impl_all!(IntoIter<Cells>: Send);
    assert_not_impl_any!(Columns<Cells>: Sync);
    assert_not_impl_any!(Iter<'static, Cells>: Send, Sync);
    assert_not_impl_any!(IterMut<'static, Cells>: Sync);
    assert_not_impl_any!(Drain<'static, Cells>: Sync);
    assert_not_impl_any!(IntoIter<Cells>: Sync);

    assert_not_impl_any!(Columns<Counted>: Send, Sync);
    assert_not_impl_any!(Iter<'static, Counted>: Send, Sync);
    assert_not_impl_any!(IterMut<'static, Counted>: Send, Sync);
    assert_not_impl_any!(Drain<'static, Counted>: Send, Sync);
    assert_not_impl_any!(IntoIter<Counted>: Send, Sync);
}

#[test]
fn rows_that_cannot_be_cloned_are_moved() {
    let mut tickets = Columns::from([1, 2, 3].map(Ticket));
    let mut rest = tickets.split_off(1);
    assert_eq!(rest.remove(0), Ticket(2));
    tickets.append(&mut rest);
    assert_eq!((tickets.as_slices(), rest.pop()), (&[1, 3][..], None));
}

#[test]
fn a_row_with_wrong_fields_harms_only_itself() {
    let mut columns: Columns<Liar> =
        ["a", "b", "c"].map(|text| Liar(text.into())).into_iter().collect();
    let push = AssertUnwindSafe(|| columns.push(Liar("panics".into())));
    assert!(catch_unwind(push).is_err());
    assert_eq!(
        (columns.len(), columns.as_slices()),
        (3, ["b!", "c!"].map(String::from).as_slice())
    );
    let insert = AssertUnwindSafe(|| columns.insert(1, Liar("panics".into())));
    assert!(catch_unwind(insert).is_err());
    assert_eq!(columns.as_slices(), ["b!", "c!"].map(String::from).as_slice());
    columns.insert(1, Liar("d".into()));
    assert!(columns.clone() == columns);
    assert_eq!(columns.remove(1), Liar("another".into()));
    assert!(columns.drain(1..1).next().is_none());
    assert_eq!(columns.swap_remove(0), Liar("another".into()));
    assert_eq!(columns.get(0).unwrap(), "c!");
    columns.retain(|row| row.is_some());
    assert!(columns.is_empty());
}

impl Pad for Liar {
    const PAD: Self = Self(String::new());
}

#[test]
fn a_row_that_panics_when_split_begins_no_record() {
    let mut groups: Groups<Liar, 2> =
        ["a", "b"].map(|text| Liar(text.into())).into_iter().collect();
    let push = AssertUnwindSafe(|| groups.push(Liar("panics".into())));
    assert!(catch_unwind(push).is_err());
    assert_eq!((groups.len(), groups.as_slice().len()), (2, 1));
    groups.push(Liar("c".into()));
    assert_eq!((groups.len(), groups.as_slice().len()), (3, 2));
}

#[test]
fn a_refused_row_is_returned_as_it_was() {
    let mut columns: Columns<Liar> = Columns::with_max_len(1);
    let scope = columns.grow_only();
    scope.push(Liar("a".into()));
    assert_eq!(scope.try_push(Liar("panics".into())).unwrap_err().value, Liar("panics".into()));
}

#[test]
fn rows_that_an_extraction_did_not_visit_stay() {
    let of =
        |range: std::ops::Range<u32>| range.map(|n| (n, n.to_string())).collect::<Columns<_>>();
    let mut columns = of(0..6);
    let mut named = columns.extract_if(2..5, |(n, text)| {
        text.push('!');
        *n % 2 == 0
    });
    assert_eq!((named.next(), named.size_hint()), (Some((2, "2!".to_owned())), (0, Some(2))));
    drop(named);
    assert_eq!(columns.as_slices().0, [0, 1, 3, 4, 5]);
    assert_eq!(columns.as_slices().1[2..], ["3", "4", "5"]);
    assert_eq!(columns.extract_if(.., |_| true).count(), 5);
    assert!(columns.is_empty());

    // Of numbers, since what is forgotten is leaked.
    let mut columns: Columns<(u32, u8)> = (0..6).zip(10..).collect();
    std::mem::forget(columns.extract_if(2.., |_| true));
    assert_eq!(columns.as_slices().0, [0, 1]);
}

#[test]
#[should_panic(expected = "range end index 7 out of range")]
fn a_range_to_extract_from_lies_within_the_length() {
    let mut columns: Columns<(u8, u8)> = (0..6).map(|n| (n, n)).collect();
    let _ = columns.extract_if(..7, |_| true);
}

/// Closures over rows cannot borrow, so calls are counted here.
#[test]
fn a_predicate_or_a_drop_that_panics_at_any_step_loses_no_row_and_drops_none_twice() {
    thread_local! {
        static LIVE: Cell<usize> = const { Cell::new(0) };
        /// The number of calls of user code before one panics.
        static LEFT: Cell<usize> = const { Cell::new(usize::MAX) };
    }

    fn step() {
        let left = LEFT.get();
        LEFT.set(left.wrapping_sub(1));
        assert!(left != 0, "as planned");
    }

    struct Counted(u32);

    type IsOdd = fn((&mut Counted, &mut u8)) -> bool;
    type Case = fn(&mut Columns<(Counted, u8)>, IsOdd);

    impl Drop for Counted {
        fn drop(&mut self) {
            LIVE.set(LIVE.get() - 1);
            step();
        }
    }

    let is_odd = |(n, _): (&mut Counted, &mut u8)| {
        step();
        n.0 % 2 == 1
    };
    let cases: [Case; 2] = [
        |columns, is_odd| columns.retain(|row| !is_odd(row)),
        |columns, is_odd| columns.extract_if(1..8, is_odd).for_each(drop),
    ];
    for case in cases {
        for steps in 0.. {
            LIVE.set(10);
            let mut columns: Columns<_> = (0..10).map(|n| (Counted(n), 0_u8)).collect();
            LEFT.set(steps);
            let result = catch_unwind(AssertUnwindSafe(|| case(&mut columns, is_odd)));
            LEFT.set(usize::MAX);
            assert_eq!(columns.len(), LIVE.get());
            assert!(columns.as_slices().0.iter().map(|n| n.0).is_sorted_by(|a, b| a < b));
            drop(columns);
            assert_eq!(LIVE.get(), 0);
            if result.is_ok() {
                assert!(steps > 10, "user code is not run");
                break;
            }
        }
    }
}

#[test]
fn references_into_a_grow_only_scope_outlive_pushes_and_user_code_may_push() {
    let mut columns: Columns<(u32, String)> = Columns::with_max_len(10_000);
    columns.push((0, "0".to_owned()));
    let scope = columns.grow_only();
    let first = scope.get(0).unwrap();
    scope.reserve(10);
    let rows: Vec<_> = (1..10_000).map(|n| scope.push((n, n.to_string()))).collect();
    assert!([first].iter().chain(&rows).zip(0..).all(|((n, text), expected)| {
        **n == expected
            && **text == expected.to_string()
            && scope.get(expected as usize) == Some((n, text))
    }));
    let refused = scope.try_push((7, "seven".to_owned())).unwrap_err();
    assert_eq!((refused.error.kind(), refused.value), (ErrorKind::MaxLen, (7, "seven".to_owned())));
    assert_eq!((scope.len(), scope.is_empty(), scope.get(10_000)), (10_000, false, None));
    assert!(scope.get(usize::MAX).is_none() && scope.try_reserve(1).is_err());
    assert!(scope.as_slices().0.iter().copied().eq(0..10_000));
    assert_eq!(format!("{scope:?}"), "GrowOnlyColumns { len: 10000, .. }");
    assert!(columns.iter().zip(0..).all(|((n, text), at)| *n == at && *text == at.to_string()));

    let mut nothing: Columns<((), [u8; 0])> = Columns::new();
    let scope = nothing.grow_only();
    assert_eq!([scope.push(((), [])), scope.push(((), []))], [(&(), &[]); 2]);
    assert_eq!((scope.len(), nothing.len()), (2, 2));
}

/// A row that pushes another one into the scope while it is split into fields.
struct Pushing(Option<&'static GrowOnlyColumns<'static, Pushing>>, u32);

impl Row for Pushing {
    type Fields = (u32,);
    type Ref<'a> = &'a u32;
    type Mut<'a> = &'a mut u32;
    type Slices<'a> = &'a [u32];
    type SlicesMut<'a> = &'a mut [u32];

    fn into_fields(self) -> (u32,) {
        if let Some(scope) = self.0 {
            // Uses up the capacity.
            (0..1000).for_each(|_| _ = scope.push(Pushing(None, 1)));
        }
        (self.1,)
    }

    fn from_fields((n,): (u32,)) -> Self {
        Self(None, n)
    }

    fn by_ref<'a>((n,): (&'a u32,)) -> &'a u32
    where
        Self: 'a,
    {
        n
    }

    fn by_mut<'a>((n,): (&'a mut u32,)) -> &'a mut u32
    where
        Self: 'a,
    {
        n
    }

    fn by_slices<'a>((all,): (&'a [u32],)) -> &'a [u32]
    where
        Self: 'a,
    {
        all
    }

    fn by_slices_mut<'a>((all,): (&'a mut [u32],)) -> &'a mut [u32]
    where
        Self: 'a,
    {
        all
    }
}

#[test]
fn a_row_that_pushes_while_it_is_split_comes_after_the_pushed_one() {
    let columns = Columns::builder().growth(Growth::Fixed { step_bytes: 1 }).build();
    let scope: &'static GrowOnlyColumns<'static, Pushing> = leak(leak(columns).grow_only());
    for n in 1..10 {
        assert_eq!(*scope.push(Pushing(Some(scope), n)), n);
        assert_eq!(scope.len(), n as usize * 1001);
        assert_eq!(scope.as_slices().last(), Some(&n));
    }
}
