//! Compaction: values move to the front and get new keys, and the memory after them is released.

use stayput::{DefaultKey, HugePages, Key, Reuse, SecondaryMap, SlotMap, SparseSecondaryMap};

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn compacting_frees_the_tail_and_keys_stay_correct() {
    for reuse in [Reuse::Recent, Reuse::Lowest, Reuse::Rotating { min_free: 500 }] {
        let mut map: SlotMap<DefaultKey, [u64; 64]> =
            SlotMap::builder().huge_pages(HugePages::Never).reuse(reuse).build();
        map.extend((0..20_000).map(|n| [n; 64]));
        let old: Vec<_> = map.keys().collect();
        map.retain(|_, value| value[0] % 20 == 0);
        let weak: Vec<_> = map.keys().filter_map(|key| map.downgrade(key)).collect();
        let mut dense: SecondaryMap<_, u64> = map.iter().map(|(key, v)| (key, v[0])).collect();
        let mut sparse: SparseSecondaryMap<_, u64> =
            map.iter().map(|(key, v)| (key, v[0])).collect();
        map.shrink_to_fit();
        assert!(map.capacity() > 19_000);

        let mut moves = 0;
        map.compact(|old, new| {
            let values = (dense.remove(old).expect("moves once"), sparse.remove(old).unwrap());
            assert_eq!((dense.insert(new, values.0), sparse.insert(new, values.1)), (None, None));
            moves += 1;
        });
        // 950 of the 1000 values were past the first thousand slots.
        assert_eq!(
            (moves, map.len(), map.keys().next_back().map(|key| key.index())),
            (950, 1000, Some(999))
        );
        map.shrink_to_fit();
        assert!(map.capacity() < 1200, "{}", map.capacity());
        assert!(map.iter().all(|(key, v)| dense[key] == v[0] && sparse[key] == v[0]));
        assert_eq!((dense.len(), sparse.len()), (1000, 1000));
        let stayed = |n: usize| n < 1000 && n % 20 == 0;
        assert!(old.iter().enumerate().all(|(n, key)| map.contains_key(*key) == stayed(n)));
        assert_eq!(weak.iter().filter(|weak| map.upgrade(weak).is_some()).count(), 50);
        map.compact(|_, _| panic!("nothing is left to move"));
    }
}

#[test]
fn compacting_fills_holes_whose_memory_was_returned() {
    let mut map: SlotMap<DefaultKey, [u8; 1000]> = (0..2000).map(|_| [7; 1000]).collect();
    let last = map.keys().next_back().expect("there are many");
    let old: Vec<_> = map.keys().collect();
    map.retain(|key, _| key == last);
    map.trim();
    assert!(map.stats().trimmed > 1500);
    let mut new = last;
    map.compact(|_, key| new = key);
    assert_eq!((new.index(), map[new], map.get(last)), (0, [7; 1000], None));
    assert!(old.iter().all(|key| !map.contains_key(*key)));
    map.trim();
    let stats = map.stats();
    assert_eq!((stats.live, stats.trimmed <= stats.holes), (1, true));
    assert!(stats.capacity < 200, "{stats:?}");
}
