//! Values get other keys, where they lie or nearer to the front, and the old ones find nothing.

use crate::slot_map_op::{Once, Small};
use stayput::{
    Budget, DefaultKey, ErrorKind, HugePages, Key, Reuse, SecondaryMap, SlotMap, SparseSecondaryMap,
};

#[test]
fn an_invalidated_value_stays_where_it_is_and_only_the_new_key_finds_it() {
    let mut map: SlotMap<DefaultKey, String> = (0..3).map(|n| n.to_string()).collect();
    let old = map.keys().nth(1).expect("there are three");
    let (weak, address) = (map.downgrade(old).expect("it is there"), &raw const map[old]);
    let new = map.invalidate(old).expect("it is there");
    assert_ne!(old, new);
    assert_eq!((&raw const map[new], map.key_of(&map[new])), (address, Some(new)));
    assert_eq!((map.get(old), map.upgrade(&weak), map.upgrade_key(&weak)), (None, None, None));
    assert!(map.downgrade(new).is_some_and(|weak| map.upgrade(&weak) == Some(&"1".to_owned())));
    assert_eq!((map.invalidate(old), map.remove(old), map.detach(old)), (None, None, None));
    assert_eq!((map.len(), map.invalidate(DefaultKey::null())), (3, None));
    // The slot goes on from there.
    map.remove(new);
    let next = map.insert("next".into());
    assert_eq!((next.index(), next.generation()), (new.index(), new.generation() + 1));
}

#[test]
fn a_value_of_the_last_generation_keeps_its_key() {
    let mut map: SlotMap<Small, u8> = SlotMap::with_key();
    let mut key = map.insert(1);
    for generation in 2..=7 {
        key = map.invalidate(key).expect("it is there");
        assert_eq!(key.generation(), generation);
    }
    let error = map.try_invalidate(key).unwrap_err();
    assert_eq!((error.kind(), error.limit()), (ErrorKind::Generations, Some(7)));
    assert_eq!(map[key], 1);
    assert_eq!(map.remove(key), Some(1));
    assert_eq!((map.stats().retired, map.insert(2).index()), (1, 1));

    let mut once: SlotMap<Once, u8> = [1].into();
    let key = once.keys().next().expect("there is one");
    assert!(once.try_invalidate(key).is_err());
}

#[test]
fn compacting_gives_the_tail_free_and_no_key_is_mistaken() {
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
        // 950 of 1000 lay behind the first thousand.
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
fn slots_that_are_detached_or_retired_stay_what_they_are() {
    let mut map: SlotMap<Small, u32> = SlotMap::with_key();
    while map.insert(0).generation() < 7 {
        map.clear();
    }
    map.clear();
    map.extend(1..8);
    let keys: Vec<_> = map.keys().collect();
    assert_eq!((map.stats().retired, keys[0].index()), (1, 1));
    map.detach(keys[6]);
    map.detach(keys[3]);
    map.remove(keys[0]);
    map.remove(keys[1]);
    let mut moves = Vec::new();
    map.compact(|old, new| moves.push((old.index(), new.index())));
    assert_eq!(moves, [(6, 1), (5, 2)]);
    let stats = map.stats();
    assert_eq!((stats.live, stats.detached, stats.retired, stats.holes), (3, 2, 1, 2));
    map.reattach(keys[3], 4);
    map.reattach(keys[6], 7);
    assert_eq!(map.values().copied().collect::<Vec<_>>(), [6, 5, 3, 4, 7]);
}

#[test]
fn a_budget_of_nothing_moves_nothing_and_a_map_in_order_is_done() {
    let mut map: SlotMap<DefaultKey, u32> = (0..10).collect();
    assert!(map.compact_within(Budget::bytes(0), |_, _| {}), "there is nothing to do");
    map.retain(|_, n| *n > 7);
    assert!(!map.compact_within(Budget::bytes(0), |_, _| panic!("nothing is to move")));
    assert!(map.compact_within(Budget::UNLIMITED, |_, _| {}));
    assert_eq!(map.values().copied().collect::<Vec<_>>(), [9, 8]);
    assert!(SlotMap::<DefaultKey, u8>::new().compact_within(Budget::bytes(0), |_, _| {}));
}

#[test]
fn compacting_fills_holes_whose_memory_went() {
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
