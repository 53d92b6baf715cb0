//! Dense maps in parallel: each row is visited once, with its key, and iterators know their length.

use rayon::prelude::*;
use stayput::{Columns, DefaultKey, DenseSlotMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

type Map<V> = DenseSlotMap<DefaultKey, V>;

fn map(len: u32) -> Map<u32> {
    let mut map: Map<u32> = (0..2 * len).collect();
    map.retain(|_, n| *n % 2 == 0);
    map
}

#[test]
fn each_row_is_seen_once_with_its_key_and_in_order() {
    for len in [0, 1, 2, 63, 1000, 20_000] {
        let mut map = map(len);
        let copy = map.clone();
        assert_eq!(map.par_iter().len(), map.len());
        assert!(map.par_iter().all(|(key, n)| copy[key] == *n));
        assert_eq!(map.par_iter().collect::<Vec<_>>(), copy.iter().collect::<Vec<_>>());
        assert_eq!(map.par_keys().collect::<Vec<_>>(), copy.keys_as_slice());
        assert_eq!(map.par_values().copied().collect::<Vec<_>>(), copy.as_slice());
        map.par_iter_mut().for_each(|(key, n)| *n += copy[key]);
        map.par_values_mut().enumerate().for_each(|(row, n)| *n += copy.as_slice()[row]);
        assert!(map.iter().all(|(key, n)| *n == 3 * copy[key]));
        let pairs: Vec<_> = map.clone().into_par_iter().collect();
        assert!(pairs.into_iter().eq(map.iter().map(|(key, n)| (key, *n))));
        let zipped = map.par_iter().zip(copy.par_values()).rev().skip(1);
        assert_eq!(
            zipped.filter(|((_, a), b)| **a == 3 * **b).count(),
            map.len().saturating_sub(1)
        );
    }
}

#[test]
fn values_changed_in_parallel_are_sorted_again() {
    let mut map = map(1000);
    let sort =
        |map: &mut Map<u32>| while !map.defragment_by(Ord::cmp, stayput::Budget::UNLIMITED) {};
    sort(&mut map);
    map.par_values_mut().for_each(|n| *n = 5000 - *n);
    sort(&mut map);
    assert!(map.as_slice().is_sorted());
    map.par_iter_mut().for_each(|(_, n)| *n = 5000 - *n);
    sort(&mut map);
    assert!(map.as_slice().is_sorted());
}

#[test]
fn parallel_iteration_over_columns_visits_rows() {
    let mut map: DenseSlotMap<DefaultKey, (u32, u64), Columns<_>> = DenseSlotMap::default();
    map.extend((0..10_000).map(|n| (n, 0)));
    map.remove(map.keys_as_slice()[17]);
    map.par_iter_mut().for_each(|(_, (n, square))| *square = u64::from(*n) * u64::from(*n));
    map.par_values_mut().for_each(|(_, square)| *square += 1);
    assert!(map.par_values().all(|(n, square)| *square == u64::from(*n) * u64::from(*n) + 1));
    assert_eq!(map.par_iter().len(), 9999);
    assert!(map.par_iter().all(|(key, row)| map.get(key) == Some(row)));
}

#[test]
fn items_not_taken_are_dropped_once() {
    let token = Arc::new(());
    let map: Map<_> = (0..5000).map(|_| Arc::clone(&token)).collect();
    let copy = map.clone();
    assert!(map.into_par_iter().any(|(_, value)| Arc::ptr_eq(&value, &token)));
    assert_eq!(Arc::strong_count(&token), 5001);
    let run = || copy.into_par_iter().enumerate().for_each(|(n, _)| assert!(n != 1234, "planned"));
    assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
    assert_eq!(Arc::strong_count(&token), 1);
}
