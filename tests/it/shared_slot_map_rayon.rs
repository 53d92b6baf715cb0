//! `SharedSlotMap` in parallel, in tasks.

use rayon::prelude::*;
use stayput::{DefaultKey, Key, SharedSlotMap, SlotMap};
use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

#[test]
fn every_value_is_visited_once_with_its_key() {
    for len in [0_usize, 1, 63, 64, 127, 128, 129, 5000, 40_000] {
        let mut map = SharedSlotMap::new();
        (0..len).into_par_iter().for_each(|n| _ = map.insert(n));
        let keys: HashSet<_> = map.keys().collect();
        assert_eq!((map.len(), keys.len()), (len, len));
        let pairs: Vec<_> = map.par_iter().map(|(key, n)| (key, *n)).collect();
        assert!(pairs.iter().all(|(key, n)| map[*key] == *n));
        assert!(pairs.iter().map(|(key, _)| *key).eq(map.keys()));
        // By the tasks that visit them.
        map.par_iter().filter(|(_, n)| **n % 3 == 0).for_each(|(key, _)| {
            assert!(map.remove(key).is_some());
        });
        let left = len - len.div_ceil(3);
        assert_eq!((map.len(), map.par_iter().clone().count()), (left, left));
        assert!(map.par_iter().all(|(key, n)| n % 3 != 0 && keys.contains(&key)));
        map.as_mut_map().par_values_mut().for_each(|n| *n += 1);
        let sum: usize = map.into_par_iter().map(|(_, n)| n - 1).sum();
        assert_eq!(sum, (0..len).filter(|n| n % 3 != 0).sum());
    }
}

#[test]
fn earlier_values_are_visited_while_others_insert_and_remove() {
    let old: SlotMap<DefaultKey, usize> = (0..10_000).collect();
    let map = SharedSlotMap::from(old);
    let seen = AtomicUsize::new(0);
    rayon::join(
        || {
            for n in 0..20_000 {
                let (key, _) = map.insert(1 << 20 | n);
                if n % 2 == 0 {
                    map.remove(key);
                }
            }
        },
        || {
            for _ in 0..10 {
                let old = map.par_iter().filter(|(_, n)| **n < 1 << 20);
                seen.fetch_add(old.map(|(key, _)| usize::from(!key.is_null())).sum(), Relaxed);
            }
        },
    );
    assert_eq!(seen.into_inner(), 100_000);
    assert_eq!(map.par_iter().count(), 20_000);
}
