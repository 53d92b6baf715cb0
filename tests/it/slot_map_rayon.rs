//! Maps in parallel: each value is seen once, by whoever it is.

use rayon::prelude::*;
use stayput::{DefaultKey, Key, SlotMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

type Map<V> = SlotMap<DefaultKey, V>;

/// Maps of all lengths near the edges of words, with no, some, many and all slots empty, in runs
/// and scattered, some of them detached.
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
fn each_value_is_seen_once_and_with_its_key() {
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
    }
}

#[test]
fn looking_may_end_early() {
    let map: Map<u32> = (0..100_000).collect();
    let found = map.par_iter().find_any(|(_, value)| **value == 77_777).map(|(key, _)| key.index());
    assert_eq!(found, Some(77_777));
    assert_eq!(map.par_iter().find_first(|(_, value)| **value > 500).map(|(_, n)| *n), Some(501));
    assert!(map.par_iter().any(|(_, value)| *value == 3));
    assert!(map.par_iter().clone().all(|(_, value)| *value < 100_000));
}

#[test]
fn a_panic_in_one_task_leaves_the_map() {
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

/// Everything of the crate and of rayon by a glob, as programs have it: no name of a module of the
/// one is that of the other.
mod by_globs {
    use rayon::prelude::*;
    use stayput::*;

    #[test]
    fn the_crate_and_rayon_go_together_by_globs() {
        let map: SlotMap<DefaultKey, u64> = (0..100).collect();
        let mut second: SecondaryMap<_, u64> = map.iter().map(|(key, n)| (key, *n)).collect();
        second.par_iter_mut().for_each(|(key, n)| *n += map[key]);
        let sum: u64 = rayon::join(|| 0, || second.par_iter().map(|(_, n)| n).sum()).1;
        assert_eq!(sum, 9900);
    }
}
