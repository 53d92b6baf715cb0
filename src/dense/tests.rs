//! Tests of dense maps.

use super::DenseSlotMap;
use crate::growing::{Budget, Growth};
use crate::key::{DefaultKey, Key};
use crate::os::Call;
use crate::os::fault::Fault;
use crate::reservation::HugePages;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

type Map<V> = DenseSlotMap<DefaultKey, V>;

/// Asserts that the table, the keys and the rows agree.
pub(super) fn check<K: Key, V, S: super::Rows<Value = V>>(map: &DenseSlotMap<K, V, S>) {
    assert_eq!((map.table.len(), map.rows.count()), (map.keys.len(), map.keys.len()));
    for (row, key) in map.keys.iter().enumerate() {
        assert_eq!(map.row_of(*key), Some(row));
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn keys_find_their_values_whatever_moves() {
    let mut map = Map::new();
    let mut model = HashMap::new();
    let mut random = 1_u64;
    for step in 0..20_000_u64 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let pick = (random >> 33) as usize;
        if pick % 5 < 3 || map.is_empty() {
            assert!(model.insert(map.insert(step), step).is_none());
        } else {
            let key = map.keys_as_slice()[pick % map.len()];
            assert_eq!(map.remove(key), model.remove(&key));
            assert_eq!(map.remove(key), None);
        }
    }
    check(&map);
    assert!(map.iter().all(|(key, n)| model[&key] == *n));
    assert_eq!(map.len(), model.len());
    map.sort_by(|a, b| b.cmp(a));
    check(&map);
    assert!(map.as_slice().is_sorted_by(|a, b| a > b));
    assert!(model.iter().all(|(key, n)| map[*key] == *n));
    map.retain(|_, n| *n % 3 == 0);
    check(&map);
    assert_eq!(map.len(), model.values().filter(|n| *n % 3 == 0).count());
    assert_eq!(map.extract_if(|_, n| *n % 2 == 0).filter(|(_, n)| *n % 2 == 0).count(), {
        model.values().filter(|n| *n % 6 == 0).count()
    });
    check(&map);
    let left = map.len();
    assert_eq!(map.drain().take(left / 2).count(), left / 2);
    assert!(map.is_empty());
    check(&map);
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn incremental_sorting_gives_the_order_of_sort_by() {
    for len in [0, 1, 2, 3, 100, 1000] {
        let mut map: Map<(u32, u32)> = Map::new();
        let mut random = 7_u32;
        for n in 0..len {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            map.insert(((random >> 24) % 40, n));
        }
        let mut sorted = map.clone();
        sorted.sort_by(|a, b| a.0.cmp(&b.0));
        let (mut calls, mut swapped) = (0, 0);
        loop {
            let before = map.as_slice().to_vec();
            let is_done = map.defragment_by(|a, b| a.0.cmp(&b.0), Budget::swaps(10));
            let moved = before.iter().zip(map.as_slice()).filter(|(a, b)| a != b).count();
            assert!(moved <= 20);
            (calls, swapped) = (calls + 1, swapped + moved);
            check(&map);
            if is_done {
                break;
            }
        }
        assert_eq!(map.as_slice(), sorted.as_slice());
        let n = len as usize;
        let times = n.max(2).next_power_of_two().trailing_zeros() as usize + 1;
        assert!(calls <= (n * times / 8 + n) / 10 + 2, "{calls} calls for {n}");
        // Nothing has been changed since.
        let mut asked = 0;
        let count = |_: &_, _: &_| {
            asked += 1;
            std::cmp::Ordering::Equal
        };
        assert!(map.defragment_by(count, Budget::swaps(1)));
        assert_eq!(asked, 0);
        if let Some(key) = map.keys().next() {
            map[key].0 = 99;
            assert!(map.defragment_by(|a, b| a.0.cmp(&b.0), Budget::UNLIMITED));
            assert!(map.as_slice().is_sorted_by_key(|value| value.0));
        }
    }
}

#[test]
fn no_budget_does_nothing() {
    let mut map: Map<u32> = [3, 1, 2].into();
    for budget in [Budget::swaps(0), Budget::bytes(0), Budget::time(std::time::Duration::ZERO)] {
        assert!(!map.defragment_by(|_, _| unreachable!(), budget));
    }
    assert_eq!(map.as_slice(), [3, 1, 2]);
}

#[test]
fn incremental_sorting_continues_while_values_are_inserted_and_removed() {
    let mut map: Map<u32> = Map::new();
    let mut random = 7_u32;
    let mut next = || {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        random >> 8
    };
    for _ in 0..500 {
        map.insert(next());
    }
    for frame in 0..400 {
        let is_done = map.defragment_by(Ord::cmp, Budget::swaps(20));
        assert!(!is_done || map.as_slice().is_sorted());
        match frame % 7 {
            0 => drop(map.insert(next())),
            1 => drop(map.remove(map.keys_as_slice()[next() as usize % map.len()])),
            2 => *map.values_mut().next().unwrap() = next(),
            3 if frame % 50 == 3 => map.retain(|_, n| *n % 5 > 0),
            4 if frame == 200 => map.reset(),
            5 if map.len() < 100 => map.extend([9, 8, 7]),
            _ => {}
        }
        check(&map);
        if map.is_empty() {
            map.insert(1);
        }
    }
    while !map.defragment_by(Ord::cmp, Budget::swaps(20)) {}
    assert!(map.as_slice().is_sorted());
    check(&map);
}

#[test]
fn sorting_by_an_inconsistent_comparison_ends_and_loses_nothing() {
    let mut map: Map<u32> = (0..300).collect();
    let mut flip = 0_u32;
    let mut wild = |_: &u32, _: &u32| {
        flip = flip.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (flip >> 30).cmp(&1)
    };
    while !map.defragment_by(&mut wild, Budget::swaps(7)) {}
    check(&map);
    map.sort_by_key(|n| *n);
    assert!(map.as_slice().iter().copied().eq(0..300));
}

#[test]
fn disjoint_values_are_those_of_their_keys() {
    use crate::slot_map::DisjointError;
    let mut map = Map::new();
    let keys = [5, 6, 7, 8].map(|n| map.insert(n));
    let [a, b, c] = map.get_disjoint_mut([keys[3], keys[0], keys[2]]).unwrap();
    assert_eq!((*a, *b, *c), (8, 5, 7));
    let same = map.try_get_disjoint_mut([keys[1], keys[0], keys[1]]);
    assert_eq!(same, Err(DisjointError::Same { first: 0, second: 2 }));
    map.remove(keys[0]);
    let missing = map.try_get_disjoint_mut([keys[1], keys[0], keys[1]]);
    assert_eq!(missing, Err(DisjointError::Missing { at: 1 }));
    assert_eq!(map.get_disjoint_mut([]), Some([]));
}

#[test]
fn a_refused_value_comes_back() {
    let mut map = DenseSlotMap::with_max_len(2);
    map.extend(["a", "b"].map(String::from));
    let refused = map.try_insert("c".to_owned()).unwrap_err();
    assert_eq!(refused.value, "c");
    assert!(refused.error.to_string().contains("DenseSlotMap"), "{}", refused.error);
    let mut keys = Vec::new();
    let rest = map.try_insert_many(["d".to_owned(), "e".to_owned()], &mut keys).unwrap_err();
    assert!(rest.value.eq(["d", "e"]));
    check(&map);
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn refused_memory_for_any_array_returns_the_value_and_changes_nothing() {
    // Each array has an element size of its own, so that they grow at different times.
    type Wide = (u64, String, [u8; 50]);
    let value = |n: u64| (n, n.to_string(), [0; 50]);
    let mut full = [0; 3];
    for is_last in [false, true] {
        for call in 0..60 {
            let steps = Growth::Fixed { step_bytes: 4096 };
            let mut map: Map<Wide> =
                DenseSlotMap::builder().huge_pages(HugePages::Never).growth(steps).build();
            let mut keys = Vec::new();
            let fault = if is_last {
                Fault::from_nth(Call::Commit, call)
            } else {
                Fault::nth(Call::Commit, call)
            };
            let mut refusals = 0;
            for _ in 0..2_000 {
                let n = keys.len() as u64;
                match map.try_insert(value(n)) {
                    Ok(key) => keys.push(key),
                    Err(refused) => {
                        assert_eq!(refused.value, value(n));
                        assert_eq!(map.len(), keys.len());
                        refusals += 1;
                        full[0] += usize::from(map.table.capacity() == map.len());
                        full[1] += usize::from(map.keys.capacity() == map.len());
                        full[2] += usize::from(map.rows.capacity() == map.len());
                        if refusals > 3 {
                            break;
                        }
                    }
                }
            }
            assert!(refusals == 0 || fault.failures() > 0);
            drop(fault);
            check(&map);
            assert!(keys.iter().zip(0..).all(|(key, n)| map[*key] == value(n)));
            let n = keys.len() as u64;
            let key = map.insert(value(n));
            assert_eq!((map.row_of(key), &map[key]), (Some(keys.len()), &value(n)));
        }
    }
    assert!(full.iter().all(|count| *count > 0), "{full:?}");
}

#[test]
fn reattach_and_insert_with_key_are_refused_as_well() {
    for call in 0..3 {
        let mut map: Map<[u64; 3]> = DenseSlotMap::builder().huge_pages(HugePages::Never).build();
        let detached = map.insert([1; 3]);
        map.detach(detached);
        while map.len() < map.capacity().min(map.rows.capacity()).min(map.keys.capacity()) {
            map.insert([2; 3]);
        }
        let len = map.len();
        let fault = Fault::from_nth(Call::Commit, call);
        let made = catch_unwind(AssertUnwindSafe(|| map.insert_with_key(|_| [3; 3])));
        let put = map.try_reattach(detached, [4; 3]);
        if put.is_err() {
            let panic = catch_unwind(AssertUnwindSafe(|| map.reattach(detached, [4; 3])));
            let panic = panic.unwrap_err().downcast::<String>().unwrap();
            assert!(panic.contains("commit"), "{panic}");
        }
        assert!(map.try_reserve(1 << 16).is_err());
        assert!(map.try_prefault(1 << 16).is_err());
        drop(fault);
        check(&map);
        assert_eq!(map.len(), len + usize::from(made.is_ok()) + usize::from(put.is_ok()));
        if let Err(value) = put {
            assert_eq!(value, [4; 3]);
            map.reattach(detached, value);
        }
        assert_eq!(map[detached], [4; 3]);
        check(&map);
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn a_sorting_pass_refused_memory_continues_where_it_was() {
    for call in 0..12 {
        let mut map: Map<(u32, u32)> = (0..20_000).map(|n: u32| (n * 7919 % 100, n)).collect();
        let mut sorted = map.clone();
        sorted.sort_by_key(|value| value.0);
        let fault = Fault::plan(Call::Commit, call, 4);
        let mut refusals = 0;
        loop {
            match map.try_defragment_by(|a, b| a.0.cmp(&b.0), Budget::swaps(5000)) {
                Ok(true) => break,
                Ok(false) => {}
                Err(_) => refusals += 1,
            }
            check(&map);
        }
        assert!(refusals > 0 || fault.failures() == 0, "call {call}");
        drop(fault);
        assert_eq!(map.as_slice(), sorted.as_slice());
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn a_refusal_while_shrinking_changes_no_value() {
    for call in 0..6 {
        let mut map: Map<u64> = (0..50_000).collect();
        let keys: Vec<_> = map.keys().collect();
        assert_eq!(map.remove_many(keys[100..].iter().copied()), 49_900);
        let fault = Fault::nth(Call::Decommit, call);
        let shrunk = map.try_trim();
        assert!(shrunk.is_ok() || fault.failures() == 1);
        drop(fault);
        check(&map);
        map.extend(100..50_000);
        check(&map);
        assert!(map.as_slice().iter().copied().eq(0..50_000));
    }
}
