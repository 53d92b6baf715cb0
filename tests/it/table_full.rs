//! Full tables: an index never holds fewer rows than the table.

use stayput::index::{Grid, ListIndex, SetIndex, UniqueIndex};
use stayput::{Bits32, DefaultKey, Error, ErrorKind, Key, SlotMap, Table, indices, new_key_type};
use std::hash::{BuildHasherDefault, DefaultHasher, Hasher};

/// A hasher with the same hash for all values.
#[derive(Default)]
struct Same;

impl Hasher for Same {
    fn finish(&self) -> u64 {
        7
    }

    fn write(&mut self, _: &[u8]) {}
}

type Spread = BuildHasherDefault<DefaultHasher>;

#[derive(Clone)]
struct Row {
    number: u32,
    set: u32,
    at: [f32; 2],
}

indices! {
    struct By for Row {
        number: Unique<u32, Spread> = |row| &row.number,
        set: Many<u32, Spread> = |row| &row.set,
        list: List<u32, Spread> = |row| &row.set,
        at: Grid<2, cell = 1.0> = |row| row.at,
    }
}

indices! {
    struct BySame for Row {
        number: Unique<u32, BuildHasherDefault<Same>> = |row| &row.number,
        set: Many<u32, BuildHasherDefault<Same>> = |row| &row.set,
        list: List<u32, BuildHasherDefault<Same>> = |row| &row.set,
    }
}

/// A row in a set of `each` rows, all in one place; with 1, every row has a place of its own.
fn row(number: u16, each: u16) -> Row {
    let x = if each == 1 { f32::from(number) * 1e4 } else { 0.0 };
    Row { number: number.into(), set: (number / each).into(), at: [x, -x] }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn rows_that_fill_reserved_holes_take_no_memory() {
    let mut rows: SlotMap<DefaultKey, Row> = (0..8000).map(|n| row(n, 1)).collect();
    let keys: Vec<DefaultKey> = rows.keys().collect();
    // The holes that are filled first are not the lowest.
    keys[1..].iter().for_each(|key| _ = rows.remove(*key));
    let mut table: Table<Row, By> = Table::try_from_rows(rows).unwrap_or_else(|_| unreachable!());
    table.reserve(1000);
    let before = table.stats().committed_bytes;
    let key = table.insert(row(1, 1));
    assert!(key.index() > 4000);
    assert_eq!(table.stats().committed_bytes, before);
}

/// Fills a table, moves its rows to sets of other sizes, and replaces rows; there is always room.
macro_rules! fill {
    ($by:ty, $max_len:expr) => {{
        let max_len: u16 = $max_len;
        let mut table: Table<Row, $by> = Table::with_max_len(max_len.into());
        let sizes = [1, 2, 3, 4, 15, max_len, 4, 1, max_len, 3, 1, 2];
        let mut keys: Vec<DefaultKey> = (0..max_len).map(|n| table.insert(row(n, 1))).collect();
        for (turn, each) in (0..).zip(sizes) {
            for (number, key) in (0..).zip(&keys) {
                table.modify(*key, |old| *old = row(number, each)).unwrap();
            }
            for number in (turn % 3..max_len).step_by(3) {
                table.remove(keys[usize::from(number)]).unwrap();
            }
            table.reserve(usize::from(max_len) - table.len());
            for number in (turn % 3..max_len).step_by(3) {
                keys[usize::from(number)] = table.insert(row(number, each));
            }
            assert_eq!((table.len(), table.check()), (max_len.into(), Ok(())));
            let refused = table.try_insert(row(max_len, 1)).err().unwrap();
            let error = (refused.error.kind(), refused.error.limit());
            assert_eq!(error, (ErrorKind::MaxLen, Some(max_len.into())));
            assert!(refused.error.to_string().starts_with("this Table is full"));
        }
        table.stats()
    }};
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn indices_have_room_for_all_rows_wherever_their_points_are() {
    let stats = fill!(By, 2000);
    // Not guaranteed, but it would show that each array reserves the default.
    assert!(stats.reserved_bytes < 4 << 20, "{}", stats.reserved_bytes);
    fill!(By, 5);
    fill!(By, 1);
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn indices_have_room_for_all_rows_whatever_their_hashes() {
    fill!(BySame, 200);
}

#[test]
fn refusals_of_an_index_name_the_index() {
    fn is_of_index<T>(result: Result<T, Error>, kind: ErrorKind) {
        let error = result.err().unwrap();
        let words = error.to_string();
        assert!(words.contains("an index") && error.kind() == kind, "{error:?}: {words}");
    }
    /// On 32-bit systems other reservations may leave only a small share of the addresses.
    fn is_full(result: Result<(), Error>) {
        let is_share = |error: &Error| error.kind() == ErrorKind::AddressSpace;
        let is_32_bit = cfg!(target_pointer_width = "32");
        let kind = match &result {
            Err(error) if is_32_bit && is_share(error) => ErrorKind::AddressSpace,
            _ => ErrorKind::MaxLen,
        };
        is_of_index(result, kind);
    }
    let (unique, set) = (&mut UniqueIndex::new(), &mut SetIndex::new());
    let (list, grid) = (&mut ListIndex::new(), &mut Grid::<2>::new(1.0));
    is_of_index(unique.try_insert(&1, u32::MAX, |_| true), ErrorKind::KeyBits);
    is_of_index(set.try_insert(&1, u32::MAX, |_| true), ErrorKind::KeyBits);
    is_of_index(list.try_insert(&1, 1 << 31, |_| true), ErrorKind::KeyBits);
    is_of_index(grid.try_insert(u32::MAX, [0.0; 2]), ErrorKind::KeyBits);
    let much = usize::MAX >> 5;
    assert_eq!(unique.insert(&1, 0, |_| false), None);
    set.insert(&1, 0, |_| false);
    list.insert(&1, 0, |_| false);
    grid.insert(0, [0.0; 2]);
    // Larger than tables on the heap: these arrays do not move again.
    unique.reserve(1 << 15);
    set.reserve(1 << 15);
    list.reserve(1 << 15);
    grid.reserve(1 << 15);
    is_full(unique.try_reserve(much));
    is_full(set.try_reserve(much));
    is_full(list.try_reserve(much));
    is_full(grid.try_reserve(much));
}

#[test]
fn a_refused_row_made_from_its_key_is_returned() {
    let mut table: Table<Row, By> = Table::with_max_len(2);
    table.insert(row(1, 1));
    let refused = table.try_insert_with_key(|_| row(1, 1)).err().unwrap();
    assert_eq!((refused.error.kind(), refused.value.unwrap().number), (ErrorKind::Taken, 1));
    table.insert(row(2, 1));
    let refused = table.try_insert_with_key(|_| unreachable!("the table is full")).err().unwrap();
    assert_eq!((refused.error.kind(), refused.value.is_none()), (ErrorKind::MaxLen, true));
    assert_eq!(table.try_nearest(|by| &by.at, [2e4, -2e4], 1).unwrap().count(), 1);
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn holes_count_as_room_if_keys_have_few_slots() {
    new_key_type! { struct Short: Bits32<16, 16>; }
    let mut table: Table<Row, By, Short> = Table::builder().build();
    table.extend((0..60_000).map(|number| row(number, 1)));
    let mut visited = 0;
    table.retain(|_, _| {
        visited += 1;
        visited % 6 == 0
    });
    let most = (1 << 16) - table.len() - 10;
    table.reserve(most);
    let more =
        (0..u16::MAX).map(|number| Row { number: 70_000 + u32::from(number), ..row(number, 1) });
    table.extend(more.take(most));
    assert!(table.try_reserve(1 << 16).is_err());
}
