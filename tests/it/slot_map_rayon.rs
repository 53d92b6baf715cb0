//! Maps in parallel: each value is visited once, by any thread.

use rayon::prelude::*;
use stayput::{DefaultKey, Key, KeyData, SecondaryMap, SlotMap, SparseSecondaryMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

type Map<V> = SlotMap<DefaultKey, V>;

/// Maps of all lengths near word boundaries, with no, some, many and all slots vacant, in runs and scattered, some of
/// them detached.
fn maps() -> impl Iterator<Item = Map<AtomicU32>> {
    let lens = [0, 1, 2, 63, 64, 65, 127, 128, 129, 192, 193, 1000, 20_000];
    let holes: [fn(u32) -> bool; 6] =
        [|_| false, |_| true, |n| n % 3 == 0, |n| n % 64 != 63, |n| n % 500 < 450, |n| n < 300];
    lens.into_iter().flat_map(move |len| {
        holes.into_iter().map(move |is_hole| {
            let mut map: Map<AtomicU32> = (0..len).map(AtomicU32::new).collect();
            let keys: Vec<_> = map.keys().collect();
            for key in keys.into_iter().filter(|key| is_hole(key.index())) {
                if key.index() % 7 == 6 {
                    map.detach(key);
                } else {
                    map.remove(key);
                }
            }
            map
        })
    })
}

#[test]
fn each_value_is_visited_once_with_its_key() {
    const SEEN: u32 = 1 << 20;
    for mut map in maps() {
        map.par_iter().for_each(|(key, value)| {
            assert_eq!(value.fetch_add(SEEN, Relaxed), key.index());
        });
        map.par_iter_mut().for_each(|(key, value)| {
            assert_eq!(*value.get_mut(), key.index() + SEEN);
            *value.get_mut() += SEEN;
        });
        assert!(map.iter().all(|(key, value)| value.load(Relaxed) == key.index() + 2 * SEEN));
        assert_eq!(map.par_iter().count(), map.len());
        assert_eq!((&map).into_par_iter().map(|(key, _)| key).collect::<Vec<_>>().len(), map.len());
        let mut keys: Vec<_> = map.par_iter().map(|(key, _)| key).collect();
        assert!(keys.is_sorted(), "what is collected is in the order of addresses");
        keys.dedup();
        assert!(keys.into_iter().eq(map.keys()));
        assert!(map.par_keys().collect::<Vec<_>>().into_iter().eq(map.keys()));
        map.par_values_mut().for_each(|value| *value.get_mut() -= 2 * SEEN);
        let values: Vec<u32> = map.par_values().map(|value| value.load(Relaxed)).collect();
        assert!(values.into_iter().eq(map.keys().map(|key| key.index())));
    }
}

#[test]
fn searches_may_end_early() {
    let map: Map<u32> = (0..100_000).collect();
    let found = map.par_iter().find_any(|(_, value)| **value == 77_777).map(|(key, _)| key.index());
    assert_eq!(found, Some(77_777));
    assert_eq!(map.par_iter().find_first(|(_, value)| **value > 500).map(|(_, n)| *n), Some(501));
    assert!(map.par_iter().any(|(_, value)| *value == 3));
    assert!(map.par_iter().clone().all(|(_, value)| *value < 100_000));
}

#[test]
fn secondary_maps_are_iterated_in_parallel() {
    let map: Map<u32> = (0..10_000).collect();
    let some = || map.iter().filter(|(_, n)| *n % 7 < 3).map(|(key, n)| (key, *n));
    let mut second: SecondaryMap<_, u32> = some().collect();
    let mut sparse: SparseSecondaryMap<_, u32> = some().collect();
    let len = some().count();
    assert_eq!((second.par_iter().count(), sparse.par_iter().count()), (len, len));
    second.par_iter_mut().for_each(|(key, n)| *n += map[key]);
    sparse.par_iter_mut().for_each(|(key, n)| *n += map[key]);
    second.par_values_mut().for_each(|n| *n += 1);
    sparse.par_values_mut().for_each(|n| *n += 1);
    assert!(second.par_iter().all(|(key, n)| *n == 2 * map[key] + 1));
    assert!(sparse.par_iter().all(|(key, n)| *n == 2 * map[key] + 1));
    assert!(second.par_keys().clone().collect::<Vec<_>>().into_iter().eq(second.keys()));
    let mut keys: Vec<_> = sparse.par_keys().clone().collect();
    keys.sort();
    assert!(keys.into_iter().eq(second.keys()));
    let sum: u32 = second.values().sum();
    assert_eq!((second.par_values().sum::<u32>(), sparse.par_values().sum::<u32>()), (sum, sum));
}

#[test]
fn by_value_each_is_yielded_once_with_its_key() {
    for map in maps() {
        let expected: Vec<_> = map.iter().map(|(key, value)| (key, value.load(Relaxed))).collect();
        let second: SecondaryMap<_, u32> = expected.iter().copied().collect();
        let sparse: SparseSecondaryMap<_, u32> = expected.iter().copied().collect();
        let given: Vec<_> =
            map.into_par_iter().map(|(key, value)| (key, value.into_inner())).collect();
        assert_eq!(given, expected);
        assert_eq!(second.into_par_iter().collect::<Vec<_>>(), expected);
        let mut given: Vec<_> = sparse.into_par_iter().collect();
        given.sort_unstable();
        assert_eq!(given, expected);
    }
}

#[test]
fn by_value_items_not_taken_are_dropped_once() {
    for panics in [false, true] {
        let count = Arc::new(());
        let mut map: Map<(u32, Arc<()>)> = (0..10_000).map(|n| (n, count.clone())).collect();
        let keys: Vec<_> = map.keys().collect();
        keys.iter().step_by(3).for_each(|key| _ = map.remove(*key));
        assert_eq!(Arc::strong_count(&count), 1 + map.len());
        let second: SecondaryMap<_, _> = map.iter().map(|(key, v)| (key, v.clone())).collect();
        let run = AssertUnwindSafe(|| {
            let is_wanted = |n: u32| {
                assert!(!panics || n != 7001, "planned");
                // Otherwise another task may finish first.
                !panics && n == 8000
            };
            let found = map.into_par_iter().find_any(|(_, value)| is_wanted(value.0));
            assert_eq!(found.unwrap().0, keys[8000]);
        });
        assert_eq!(catch_unwind(run).is_err(), panics);
        assert_eq!(Arc::strong_count(&count), 1 + second.len());
        // Not even started.
        drop(second.into_par_iter());
        assert_eq!(Arc::strong_count(&count), 1);
    }
}

#[test]
fn two_maps_are_joined_by_the_keys_that_both_have() {
    for map in maps() {
        let mut one: Map<u32> = map.iter().map(|(_, n)| n.load(Relaxed)).collect();
        // The values of every third slot are removed, and some of these slots are reused.
        let keys: Vec<_> = one.keys().collect();
        let mut other: SecondaryMap<DefaultKey, u32> =
            one.iter().filter(|(key, _)| key.index() % 5 != 1).map(|(key, n)| (key, *n)).collect();
        keys.iter().step_by(3).for_each(|key| _ = one.remove(*key));
        (0..one.len() / 4).for_each(|_| _ = one.insert(1));
        // Past the end of the first map.
        other.extend((0..300).filter_map(|n| {
            let index = u32::try_from(keys.len()).unwrap() + n;
            (n % 2 == 0).then(|| (KeyData::from_parts(index, 1, 0).unwrap().into(), n))
        }));
        let expected: Vec<_> = one.keys().filter(|key| other.contains_key(*key)).collect();
        let seen: Vec<_> = one
            .par_join_mut(&mut other)
            .map(|(key, a, b)| {
                assert_eq!(a, b);
                *a += 1;
                *b += 2;
                key
            })
            .collect();
        assert_eq!(seen, expected);
        assert!(seen.iter().all(|key| one[*key] + 1 == other[*key]));
        // In both orders, and with an empty map.
        let mut third: SecondaryMap<_, u32> = one.iter().map(|(key, n)| (key, *n)).collect();
        assert_eq!(other.par_join_mut(&mut third).count(), expected.len());
        assert_eq!(third.par_join_mut(&mut other).count(), expected.len());
        assert_eq!(one.par_join_mut(&mut SecondaryMap::<_, u8>::new()).count(), 0);
        let found = one.par_join_mut(&mut other).find_first(|_| true).map(|(key, ..)| key);
        assert_eq!(found, expected.first().copied());
        // Some of them in both maps.
        let sum = |sum: u32, (_, a, (b, _)): (_, &u32, (&u32, &mut u32))| sum.wrapping_add(a ^ b);
        let all = one.join((&other, &mut third)).fold(0, sum);
        let parts = one.par_join((&other, &mut third)).fold(|| 0, sum);
        assert_eq!(parts.reduce(|| 0, u32::wrapping_add), all);
        let shared = third.par_join(&other);
        assert_eq!(shared.clone().count() + shared.count(), 2 * expected.len());
    }
}

#[test]
fn a_panic_in_one_task_leaves_the_map_usable() {
    let mut map: Map<String> = (0..5000).map(|n| n.to_string()).collect();
    let run = AssertUnwindSafe(|| {
        map.par_iter_mut().for_each(|(_, text)| {
            assert_ne!(text, "4321", "planned");
            text.push('!');
        });
    });
    assert!(catch_unwind(run).is_err());
    assert_eq!(map.len(), 5000);
    assert_eq!(map.into_values().filter(|text| text == "4321").count(), 1);
}

/// Imports everything of the crate and of rayon by globs, as programs do: no module names conflict.
mod by_globs {
    use rayon::prelude::*;
    use stayput::*;

    #[test]
    fn glob_imports_of_the_crate_and_rayon_do_not_conflict() {
        let map: SlotMap<DefaultKey, u64> = (0..100).collect();
        let mut second: SecondaryMap<_, u64> = map.iter().map(|(key, n)| (key, *n)).collect();
        second.par_iter_mut().for_each(|(key, n)| *n += map[key]);
        let sum: u64 = rayon::join(|| 0, || second.par_iter().map(|(_, n)| n).sum()).1;
        assert_eq!(sum, 9900);
    }
}
