//! Tests of dense maps of rows in columns.

use crate::columns::Columns;
use crate::dense::DenseSlotMap;
use crate::dense::tests::check;
use crate::growing::Budget;
use crate::key::DefaultKey;
use std::panic::{AssertUnwindSafe, catch_unwind};

#[test]
fn rows_can_be_columns() {
    let mut map: DenseSlotMap<DefaultKey, (u32, String), Columns<_>> = DenseSlotMap::default();
    let keys: Vec<_> = (0..100_u32).rev().map(|n| map.insert((n, n.to_string()))).collect();
    map.remove(keys[3]);
    map.retain(|_, (n, _)| *n % 2 == 0);
    map.sort_by(|a, b| a.0.cmp(b.0));
    check(&map);
    let (numbers, texts) = map.as_slice();
    assert!(numbers.is_sorted() && texts[1] == "2");
    assert_eq!(map.get(keys[99]).map(|(n, text)| (*n, &**text)), Some((0, "0")));
    map.get_many_mut([keys[99]], |_, row| *row.unwrap().0 = 1000);
    while !map.defragment_by(|a, b| a.0.cmp(b.0), Budget::swaps(3)) {}
    assert_eq!(map.as_slice().0.last(), Some(&1000));
    check(&map);
}

/// A row whose conversions panic while a flag is set.
mod fragile {
    use crate::columns::Row;
    use std::cell::Cell;

    thread_local! {
        pub(super) static IS_BROKEN: Cell<bool> = const { Cell::new(false) };
    }

    #[derive(Debug, PartialEq)]
    pub(super) struct Fragile(pub(super) u32);

    impl Row for Fragile {
        type Fields = (u32,);
        type Ref<'a> = &'a u32;
        type Mut<'a> = &'a mut u32;
        type Slices<'a> = &'a [u32];
        type SlicesMut<'a> = &'a mut [u32];

        fn into_fields(self) -> (u32,) {
            assert!(!IS_BROKEN.get(), "set to panic");
            (self.0,)
        }

        fn from_fields((number,): (u32,)) -> Self {
            assert!(!IS_BROKEN.get(), "set to panic");
            Self(number)
        }

        fn by_ref<'a>((number,): (&'a u32,)) -> &'a u32
        where
            Self: 'a,
        {
            number
        }

        fn by_mut<'a>((number,): (&'a mut u32,)) -> &'a mut u32
        where
            Self: 'a,
        {
            number
        }

        fn by_slices<'a>((numbers,): (&'a [u32],)) -> &'a [u32]
        where
            Self: 'a,
        {
            numbers
        }

        fn by_slices_mut<'a>((numbers,): (&'a mut [u32],)) -> &'a mut [u32]
        where
            Self: 'a,
        {
            numbers
        }
    }
}

#[test]
fn panicking_rows_leave_keys_and_rows_consistent() {
    use fragile::{Fragile, IS_BROKEN};

    type Fragiles = DenseSlotMap<DefaultKey, Fragile, Columns<Fragile>>;
    let broken = |map: &mut Fragiles, call: fn(&mut Fragiles, DefaultKey), key| {
        IS_BROKEN.set(true);
        let result = catch_unwind(AssertUnwindSafe(|| call(map, key)));
        IS_BROKEN.set(false);
        assert!(result.is_err(), "it was set to panic");
        check(map);
    };
    let mut map = Fragiles::default();
    let keys: Vec<_> = (0..6).map(|n| map.insert(Fragile(n))).collect();
    broken(&mut map, |map, _| _ = map.insert(Fragile(9)), keys[0]);
    broken(&mut map, |map, _| _ = map.insert_with_key(|_| Fragile(9)), keys[0]);
    // The removed row is lost, because the panic prevents its return.
    broken(&mut map, |map, key| _ = map.remove(key), keys[1]);
    broken(&mut map, |map, key| _ = map.detach(key), keys[5]);
    broken(&mut map, |map, _| _ = map.drain().next(), keys[0]);
    map.insert(Fragile(7));
    check(&map);
    for (n, key) in keys.iter().enumerate() {
        assert!(map.get(*key).is_none_or(|found| *found as usize == n));
    }
    assert_eq!(map.len(), 1);
}
