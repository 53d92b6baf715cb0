//! `Columns`: what the model does not see.

use static_assertions::assert_not_impl_any;
use stayput::{Columns, Row};

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
fn both_ends_meet() {
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

/// A row that gives other fields than it has, and other references.
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

/// Is there once.
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

#[test]
fn rows_that_cannot_be_cloned_are_moved() {
    let mut tickets = Columns::from([1, 2, 3].map(Ticket));
    let mut rest = tickets.split_off(1);
    assert_eq!(rest.remove(0), Ticket(2));
    tickets.append(&mut rest);
    assert_eq!((tickets.as_slices(), rest.pop()), (&[1, 3][..], None));
}

#[test]
fn a_row_that_lies_harms_only_itself() {
    let mut columns: Columns<Liar> =
        ["a", "b", "c"].map(|text| Liar(text.into())).into_iter().collect();
    let push = std::panic::AssertUnwindSafe(|| columns.push(Liar("panics".into())));
    assert!(std::panic::catch_unwind(push).is_err());
    assert_eq!(
        (columns.len(), columns.as_slices()),
        (3, ["b!", "c!"].map(String::from).as_slice())
    );
    let insert = std::panic::AssertUnwindSafe(|| columns.insert(1, Liar("panics".into())));
    assert!(std::panic::catch_unwind(insert).is_err());
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
