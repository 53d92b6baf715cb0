//! Rows of columns, for the model test and the fuzz target `columns_model`.

use stayput::Row;
use stayput::columns::{CloneFields, Concat, Fields};
use std::fmt::Debug;

/// A row that is made from a number, and identified by it.
pub(crate) trait Record: Row<Fields: CloneFields> + Clone + Ord + Debug {
    /// The maximum number of rows in a run.
    const MOST: usize;

    /// Whether rows may be leaked: not if a leak checker would report them.
    const MAY_LEAK: bool = true;

    fn make(n: u32) -> Self;

    /// Returns the number of a row, after asserting that all fields agree on it.
    fn seen(row: Self::Ref<'_>) -> u32;

    /// The number of a row that may be changed.
    fn number(row: &Self::Mut<'_>) -> u32;

    fn change(row: Self::Mut<'_>, n: u32);

    /// The numbers of all rows, from each column.
    fn columns(slices: Self::Slices<'_>) -> Vec<u32>;

    /// The same, after increasing the number of each field by one.
    fn count_up(slices: Self::SlicesMut<'_>);
}

/// A value with the size and alignment of a page.
#[repr(align(4096))]
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Page(u32);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Nothing;

/// Columns of all kinds.
pub(crate) type Mixed = (u8, String, Nothing, u64, Page, [u16; 3]);

fn low(n: u32) -> u8 {
    n.to_le_bytes()[0]
}

fn shorts(n: u32) -> [u16; 3] {
    [u16::from(low(n)), 7, 9]
}

impl Record for Mixed {
    const MOST: usize = 300;
    const MAY_LEAK: bool = false;

    fn make(n: u32) -> Self {
        (low(n), n.to_string(), Nothing, u64::from(n), Page(n), shorts(n))
    }

    fn seen((byte, text, _, number, page, short): Self::Ref<'_>) -> u32 {
        let n = page.0;
        let expected = (low(n), n.to_string(), u64::from(n), shorts(n));
        assert_eq!((*byte, text.clone(), *number, *short), expected);
        assert_eq!(std::ptr::from_ref(page).addr() % 4096, 0);
        n
    }

    fn number(row: &Self::Mut<'_>) -> u32 {
        row.4.0
    }

    fn change((byte, text, _, number, page, short): Self::Mut<'_>, n: u32) {
        (*byte, *text, *number, *page, *short) =
            (low(n), n.to_string(), u64::from(n), Page(n), shorts(n));
    }

    fn columns((bytes, texts, nothing, numbers, pages, short): Self::Slices<'_>) -> Vec<u32> {
        assert_eq!(
            [texts.len(), nothing.len(), numbers.len(), pages.len(), short.len()],
            [bytes.len(); 5]
        );
        let rows = bytes.iter().zip(texts).zip(numbers).zip(pages).zip(short);
        rows.map(|((((byte, text), number), page), short)| {
            Self::seen((byte, text, &Nothing, number, page, short))
        })
        .collect()
    }

    fn count_up((bytes, texts, _, numbers, pages, short): Self::SlicesMut<'_>) {
        for page in pages.iter_mut() {
            page.0 = page.0.wrapping_add(1);
        }
        let numbers_of = || pages.iter().map(|page| page.0);
        bytes.iter_mut().zip(numbers_of()).for_each(|(byte, n)| *byte = low(n));
        texts.iter_mut().zip(numbers_of()).for_each(|(text, n)| *text = n.to_string());
        numbers.iter_mut().zip(numbers_of()).for_each(|(number, n)| *number = n.into());
        short.iter_mut().zip(numbers_of()).for_each(|(short, n)| *short = shorts(n));
    }
}

/// One column.
impl Record for (u32,) {
    const MOST: usize = 60_000;

    fn make(n: u32) -> Self {
        (n,)
    }

    fn seen((n,): Self::Ref<'_>) -> u32 {
        *n
    }

    fn number(row: &Self::Mut<'_>) -> u32 {
        *row.0
    }

    fn change((number,): Self::Mut<'_>, n: u32) {
        *number = n;
    }

    fn columns((numbers,): Self::Slices<'_>) -> Vec<u32> {
        numbers.to_vec()
    }

    fn count_up((numbers,): Self::SlicesMut<'_>) {
        for n in numbers {
            *n = n.wrapping_add(1);
        }
    }
}

pub(crate) type Twelve = (u32, u8, u16, u64, u32, u8, u16, u64, [u8; 3], u8, u16, u128);

fn twelve(n: u32) -> Twelve {
    let (byte, short, long) = (low(n), u16::from(low(n)), u64::from(n));
    (n, byte, short, long, n, byte, short, long, [byte; 3], byte, short, u128::from(n))
}

#[expect(clippy::many_single_char_names, reason = "there are twelve of them")]
impl Record for Twelve {
    const MOST: usize = 10_000;

    fn make(n: u32) -> Self {
        twelve(n)
    }

    fn seen((a, b, c, d, e, f, g, h, i, j, k, l): Self::Ref<'_>) -> u32 {
        assert_eq!((*a, *b, *c, *d, *e, *f, *g, *h, *i, *j, *k, *l), twelve(*a));
        *a
    }

    fn number(row: &Self::Mut<'_>) -> u32 {
        *row.0
    }

    fn change((a, b, c, d, e, f, g, h, i, j, k, l): Self::Mut<'_>, n: u32) {
        (*a, *b, *c, *d, *e, *f, *g, *h, *i, *j, *k, *l) = twelve(n);
    }

    fn columns((a, _, _, _, _, _, _, _, _, _, _, l): Self::Slices<'_>) -> Vec<u32> {
        assert!(a.iter().map(|n| u128::from(*n)).eq(l.iter().copied()));
        a.to_vec()
    }

    fn count_up((a, b, c, d, e, f, g, h, i, j, k, l): Self::SlicesMut<'_>) {
        for at in 0..a.len() {
            (a[at], b[at], c[at], d[at], e[at], f[at], g[at], h[at], i[at], j[at], k[at], l[at]) =
                twelve(a[at].wrapping_add(1));
        }
    }
}

type Left = (u32, String);
type Right = (Nothing, u64, [u8; 3]);

/// A row with two lists of fields, as `#[derive(Row)]` makes of more than twelve.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Joined(Left, Right);

type Both = Concat<Left, Right>;

impl Row for Joined {
    type Fields = Both;
    type Ref<'a> = <Both as Fields>::Refs<'a>;
    type Mut<'a> = <Both as Fields>::Muts<'a>;
    type Slices<'a> = <Both as Fields>::Slices<'a>;
    type SlicesMut<'a> = <Both as Fields>::SlicesMut<'a>;

    fn into_fields(self) -> Both {
        Concat(self.0, self.1)
    }

    fn from_fields(fields: Both) -> Self {
        Self(fields.0, fields.1)
    }

    fn by_ref(fields: <Both as Fields>::Refs<'_>) -> Self::Ref<'_> {
        fields
    }

    fn by_mut(fields: <Both as Fields>::Muts<'_>) -> Self::Mut<'_> {
        fields
    }

    fn by_slices(columns: <Both as Fields>::Slices<'_>) -> Self::Slices<'_> {
        columns
    }

    fn by_slices_mut(columns: <Both as Fields>::SlicesMut<'_>) -> Self::SlicesMut<'_> {
        columns
    }
}

impl Record for Joined {
    const MOST: usize = 2_000;
    const MAY_LEAK: bool = false;

    fn make(n: u32) -> Self {
        Self((n, n.to_string()), (Nothing, n.into(), [low(n); 3]))
    }

    fn seen(((n, text), (_, long, bytes)): Self::Ref<'_>) -> u32 {
        assert_eq!((text.clone(), *long, *bytes), (n.to_string(), u64::from(*n), [low(*n); 3]));
        *n
    }

    fn number(row: &Self::Mut<'_>) -> u32 {
        *row.0.0
    }

    fn change(((number, text), (_, long, bytes)): Self::Mut<'_>, n: u32) {
        (*number, *text, *long, *bytes) = (n, n.to_string(), n.into(), [low(n); 3]);
    }

    fn columns(((numbers, texts), (nothing, longs, bytes)): Self::Slices<'_>) -> Vec<u32> {
        assert_eq!([texts.len(), nothing.len(), longs.len(), bytes.len()], [numbers.len(); 4]);
        let rows = numbers.iter().zip(texts).zip(longs).zip(bytes);
        rows.map(|(((n, text), long), bytes)| Self::seen(((n, text), (&Nothing, long, bytes))))
            .collect()
    }

    fn count_up(((numbers, texts), (_, longs, bytes)): Self::SlicesMut<'_>) {
        let rows = numbers.iter_mut().zip(texts).zip(longs).zip(bytes);
        for (((number, text), long), bytes) in rows {
            let n = number.wrapping_add(1);
            Self::change(((number, text), (&mut Nothing, long, bytes)), n);
        }
    }
}
