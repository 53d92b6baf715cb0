//! What a `DenseSlotMap` guarantees, and what it refuses.

use crate::ledger::panic_message;
use crate::slot_map_op::{Compact, Once, Tagged};
use stayput::slot_map::DisjointError;
use stayput::{Budget, Columns, DefaultKey, DenseSlotMap, ErrorKind, Key, KeyData};
use std::cmp::Ordering;

type Map<V> = DenseSlotMap<DefaultKey, V>;

#[test]
fn only_the_last_row_moves_into_a_hole() {
    let mut map = Map::new();
    let keys: Vec<_> = (0..5).map(|n| map.insert(n)).collect();
    let first = map.as_slice().as_ptr();
    assert_eq!(map.remove(keys[1]), Some(1));
    assert_eq!(map.as_slice(), [0, 4, 2, 3]);
    assert_eq!(map.detach(keys[3]), Some(3));
    assert_eq!(map.as_slice(), [0, 4, 2]);
    map.reattach(keys[3], 30);
    assert_eq!(map.as_slice(), [0, 4, 2, 30]);
    assert_eq!(map.keys_as_slice(), [keys[0], keys[4], keys[2], keys[3]]);
    map.extend(0..100_000);
    assert_eq!(map.as_slice().as_ptr(), first, "values have moved");
    assert_eq!(map.key_of(&map.as_slice()[1]), Some(keys[4]));
}

#[test]
fn max_len_is_exact_whatever_the_page_size() {
    for max_len in [0, 1, 5, 512, 513, 1024, 5000] {
        let mut map = DenseSlotMap::<Compact, u64>::with_max_len_and_key(max_len);
        map.extend(0..max_len as u64);
        let refused = map.try_insert(7).unwrap_err();
        assert_eq!((refused.error.kind(), refused.value), (ErrorKind::MaxLen, 7));
        assert_eq!((map.len(), map.max_len()), (max_len, max_len));
        assert_eq!(map.try_reserve(1).unwrap_err().kind(), ErrorKind::MaxLen);
        if let Some(key) = map.keys().next() {
            map.remove(key);
            let key = map.insert_with_key(|_| 1);
            assert_eq!(map.row_of(key), Some(max_len - 1));
        }
        assert_eq!(map.try_insert(7).unwrap_err().value, 7);
        let mut columns =
            DenseSlotMap::<DefaultKey, (u8, u64), Columns<_>>::builder().max_len(max_len).build();
        columns.extend((0..max_len).map(|n| (1, n as u64)));
        assert_eq!(columns.try_insert((1, 7)).unwrap_err().value, (1, 7));
        assert_eq!(columns.len(), max_len);
    }
}

#[test]
fn values_of_size_zero_are_counted_and_have_keys() {
    let mut map: Map<()> = (0..1000).map(|_| ()).collect();
    let keys = map.keys_as_slice().to_vec();
    assert_eq!((map.len(), map.as_slice().len(), map.stats().live), (1000, 1000, 1000));
    assert_eq!(map.remove(keys[5]), Some(()));
    assert_eq!((map.remove(keys[5]), map.row_of(keys[999])), (None, Some(5)));
    map.sort_by(|(), ()| Ordering::Less);
    while !map.defragment_by(|(), ()| Ordering::Equal, Budget::swaps(10)) {}
    let mut left = 0;
    map.retain(|_, ()| {
        left += 1;
        left % 2 == 0
    });
    assert_eq!(map.len(), 499);
    assert_eq!(map.get_disjoint_mut([map.keys_as_slice()[0]; 2]), None);
    assert_eq!(map.key_of(&()), None);
    assert_eq!(map.drain().count(), 499);
}

#[test]
fn values_are_aligned() {
    #[derive(Clone, Debug, PartialEq)]
    #[repr(align(256))]
    struct Wide(u8);

    #[derive(Clone, Copy)]
    #[repr(align(64))]
    struct Nothing;

    let mut map: Map<Wide> = (0..100).map(Wide).collect();
    for key in map.keys().step_by(3).collect::<Vec<_>>() {
        map.remove(key);
    }
    map.sort_by_key(|wide| std::cmp::Reverse(wide.0));
    assert!(map.values().all(|wide| std::ptr::from_ref(wide).addr() % 256 == 0));
    assert!(
        map.iter().all(|(key, wide)| map.row_of(key).map(|row| &map.as_slice()[row]) == Some(wide))
    );
    let nothing: Map<Nothing> = [Nothing; 3].into();
    assert!(nothing.values().all(|nothing| std::ptr::from_ref(nothing).addr() % 64 == 0));
}

#[test]
fn sorting_an_ordered_map_again_changes_nothing() {
    // Neither of these is a valid order: whatever the result, no value is lost.
    let by: [fn(&u32, &u32) -> Ordering; 3] =
        [|_, _| Ordering::Greater, |_, _| Ordering::Less, |a, b| (a % 3).cmp(&((b + 1) % 3))];
    for compare in by {
        let mut map: Map<u32> = (0..500).collect();
        let keys = map.keys_as_slice().to_vec();
        let mut calls = 0;
        while !map.defragment_by(compare, Budget::swaps(9)) {
            calls += 1;
            assert!(calls < 5000, "it does not end");
        }
        // This call may panic.
        let sorted =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| map.sort_by(compare)));
        drop(sorted);
        assert!(keys.iter().zip(0..).all(|(key, n)| map[*key] == n));
        assert!(map.keys().enumerate().all(|(row, key)| map.row_of(key) == Some(row)));
        assert_eq!(map.len(), 500);
    }
}

#[test]
fn errors_of_full_maps_name_the_map_type() {
    let mut map: DenseSlotMap<Once, u32> = (0..8).collect();
    let runs: [fn(&mut DenseSlotMap<Once, u32>); 4] = [
        |map| _ = map.insert(1),
        |map| _ = map.insert_with_key(|_| unreachable!("no key is created")),
        |map| map.extend([1]),
        |map| map.reserve(1),
    ];
    for run in runs {
        let text = panic_message(|| run(&mut map));
        assert!(text.contains("DenseSlotMap"), "{text}");
    }
    let mut map = DenseSlotMap::with_max_len(1);
    let key = map.insert(1);
    assert_eq!(panic_message(|| map.reattach(key, 2)), "key is not detached");
    map.detach(key);
    map.reattach(key, 3);
    map.clear();
    assert_eq!(panic_message(|| map.reattach(key, 2)), "key is not detached");
}

#[test]
fn maps_can_contain_maps_of_their_own_type() {
    #[derive(Clone, Debug, Default, PartialEq)]
    struct Tree {
        below: Map<Tree>,
    }
    fn check<T: Send + Sync>() {}
    check::<Tree>();
    let mut tree = Tree::default();
    let key = tree.below.insert(Tree::default());
    tree.below[key].below.insert(Tree::default());
    assert_eq!(tree.clone(), tree);
    let shown = "Tree { below: {DefaultKey(0v1): Tree { below: {DefaultKey(0v1): \
                 Tree { below: {} }} }} }";
    assert_eq!(format!("{tree:?}"), shown);
}

#[test]
fn consuming_iterators_clone_their_remaining_items() {
    let mut all =
        ["a", "b", "c", "d"].into_iter().map(String::from).collect::<Map<_>>().into_iter();
    assert!(all.next().is_some() && all.next_back().is_some());
    let copy = all.clone();
    assert!(all.map(|(_, text)| text).eq(["b", "c"]));
    assert!(copy.map(|(_, text)| text).eq(["b", "c"]));
    let values = Map::from([1, 2]).into_values();
    assert!(values.clone().eq([1, 2]) && values.eq([1, 2]));
    let keys = Map::from([1, 2]).into_keys();
    assert!(keys.clone().eq(keys));
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn an_emptied_map_has_nothing_left_to_sort() {
    let mut map: Map<u32> = (0..100_000).rev().collect();
    assert!(!map.defragment_by(Ord::cmp, Budget::swaps(50_000)));
    map.clear();
    map.extend([3, 1, 2]);
    assert!(map.defragment_by(Ord::cmp, Budget::swaps(10)));
    assert_eq!(map.as_slice(), [1, 2, 3]);
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn every_change_of_order_is_noticed() {
    type Change = fn(&mut Map<u32>, &[DefaultKey]);
    let ways: [Change; 19] = [
        |map, keys| *map.get_mut(keys[3]).unwrap() = 99,
        |map, keys| map[keys[3]] = 99,
        |map, _| *map.iter_mut().next().unwrap().1 = 99,
        |map, _| *map.values_mut().next().unwrap() = 99,
        |map, _| *(&mut *map).into_iter().next().unwrap().1 = 99,
        |map, _| map.as_mut_slice()[4] = 99,
        |map, _| map.values_as_mut_slice().swap(1, 5),
        |map, _| map.as_mut_slices().1[4] = 99,
        |map, keys| map.get_many_mut([keys[3]], |_, n| *n.unwrap() = 99),
        |map, keys| *map.get_disjoint_mut([keys[3]]).unwrap()[0] = 99,
        |map, _| {
            map.retain(|_, n| {
                *n = 99 - *n;
                true
            });
        },
        |map, _| {
            let all = map.extract_if(|_, n| {
                *n = 99 - *n;
                false
            });
            assert_eq!(all.count(), 0);
        },
        |map, _| _ = map.insert(0),
        |map, _| _ = map.insert_with_key(|_| 0),
        |map, _| map.extend([0]),
        |map, _| map.insert_many([0], &mut Vec::new()),
        |map, keys| assert_eq!(map.remove(keys[3]), Some(4)),
        |map, keys| {
            map.detach(keys[3]);
            map.reattach(keys[3], 4);
        },
        |map, _| map.sort_by(|a, b| b.cmp(a)),
    ];
    let sort = |map: &mut Map<u32>| {
        while !map.defragment_by(Ord::cmp, Budget::swaps(1)) {}
        assert!(map.as_slice().is_sorted());
    };
    for (number, way) in ways.into_iter().enumerate() {
        let mut map: Map<u32> = (1..11).collect();
        let keys = map.keys_as_slice().to_vec();
        sort(&mut map);
        way(&mut map, &keys);
        assert!(!map.as_slice().is_sorted(), "way {number}");
        sort(&mut map);
        // In the middle of a pass.
        for calls in 0..20 {
            let mut map: Map<u32> = [5, 2, 8, 4, 1, 7, 10, 9, 3, 6].into();
            let keys: Vec<_> = {
                let mut keys = map.keys_as_slice().to_vec();
                keys.sort_by_key(|key| map[*key]);
                keys
            };
            for _ in 0..calls {
                let _ = map.defragment_by(Ord::cmp, Budget::swaps(1));
            }
            way(&mut map, &keys);
            sort(&mut map);
        }
    }
}

/// A key that loses the lowest bit of its index, so pairs of keys are equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Liar(DefaultKey);

impl From<KeyData> for Liar {
    fn from(data: KeyData) -> Self {
        Self(KeyData::from_parts(data.index() & !1, data.generation(), 0).unwrap().into())
    }
}

impl Key for Liar {
    type Layout = stayput::Plain64;

    fn data(&self) -> KeyData {
        self.0.data()
    }
}

#[test]
fn misbehaving_keys_harm_only_their_own_map() {
    let mut map: DenseSlotMap<Liar, String> = DenseSlotMap::with_key();
    let mut random = 7_u32;
    for step in 0..3000 {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let place = (random >> 8) as usize;
        let run = || {
            let key = map.keys_as_slice().get(place % map.len().max(1)).copied();
            let key = key.unwrap_or_default();
            match random >> 28 {
                0..6 => _ = map.insert(step.to_string()),
                6 | 7 => _ = map.remove(key),
                8 => map.retain(|_, text| !text.ends_with('7')),
                9 => _ = map.defragment_by(Ord::cmp, Budget::swaps(20)),
                10 => map.sort_by(Ord::cmp),
                11 => _ = map.detach(key).map(|text| map.try_reattach(key, text)),
                12 => _ = map.get_mut(key).map(|text| text.push('x')),
                13 => _ = map.get_disjoint_mut([key, Liar::default(), key]),
                14 => _ = map.extract_if(|_, text| text.ends_with('3')).count(),
                _ if step % 50 == 0 => map.clear(),
                _ => _ = map.drain().next(),
            }
        };
        // Some calls do not find the row.
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
        assert_eq!(map.keys_as_slice().len(), map.as_slice().len());
        assert!(map.values().all(|text| text.trim_end_matches('x').parse::<u32>().is_ok()));
    }
}

#[test]
fn a_map_is_covariant_and_can_be_sent() {
    fn shorter<'a>(map: Map<&'static str>) -> Map<&'a str> {
        map
    }
    fn check<T: Send + Sync + Unpin>() {}
    assert_eq!(shorter(["a"].into()).as_slice(), ["a"]);
    check::<Map<String>>();
    check::<DenseSlotMap<DefaultKey, (u8, String), Columns<(u8, String)>>>();
}

#[test]
fn keys_with_different_tags_differ() {
    let mut map = DenseSlotMap::<Tagged, u32>::builder().type_id(1).build();
    let key = map.insert(5);
    assert_eq!((Key::type_id(&key), map.type_id()), (1, Some(1)));
    let pair = map.try_get_disjoint_mut([key, key.with_tag(2)]);
    assert_eq!(pair, Err(DisjointError::Missing { at: 1 }));
    assert_eq!(map.remove(key.with_tag(2)), None);
    assert_eq!(map.get(key.with_tag(0)), None);
    assert_eq!((map.remove(key), map.len()), (Some(5), 0));
    assert!(DenseSlotMap::<Tagged, u32>::builder().type_id(1 << 12).try_build().is_err());
}

#[test]
fn keys_stay_valid_while_their_table_moves_out_of_the_heap() {
    const COUNT: usize = 20_000;
    let mut map = DenseSlotMap::with_capacity(1);
    let first = map.insert(0);
    let value = &raw const map[first];
    let mut keys = vec![first];
    let mut capacity = 0;
    for n in 1..COUNT {
        keys.push(map.insert(n));
        if map.capacity() != capacity {
            capacity = map.capacity();
            assert!(keys.iter().enumerate().all(|(n, key)| map[*key] == n));
        }
    }
    assert_eq!(&raw const map[first], value);
    let grown = map.stats().committed_bytes;
    assert_eq!(map.remove_many(keys.drain(10..)), COUNT - 10);
    map.shrink_to_fit();
    let stats = map.stats();
    assert!(stats.committed_bytes < grown && stats.live == 10, "{stats:?} of {grown}");
    keys.extend((10..COUNT).map(|n| map.insert(n)));
    assert!(keys.iter().enumerate().all(|(n, key)| map[*key] == n));
}

#[test]
fn references_in_a_grow_only_scope_outlive_insertions() {
    let mut map: DenseSlotMap<DefaultKey, u32> = DenseSlotMap::with_max_len(10_000);
    let gone = [map.insert(0), map.insert(1)];
    map.remove(gone[0]);
    let scope = map.grow_only();
    assert_eq!((scope.len(), scope.get(gone[0]), scope.contains_key(gone[1])), (1, None, true));
    scope.reserve(100);
    let made: Vec<_> = (2..10_001).map(|n| scope.insert(n)).collect();
    assert!(made.iter().zip(2..).all(|((key, value), n)| {
        **value == n && std::ptr::eq(*value, scope.get(*key).unwrap()) && scope[*key] == n
    }));
    let refused = scope.try_insert(7).unwrap_err();
    assert_eq!((refused.error.kind(), refused.value), (ErrorKind::MaxLen, 7));
    assert!(refused.error.to_string().contains("DenseSlotMap"));
    assert!(scope.try_reserve(1).is_err() && !scope.is_empty());
    assert_eq!(format!("{scope:?}"), "GrowOnlyDenseMap { len: 10000, .. }");
    let keys: Vec<_> = made.iter().map(|(key, _)| *key).collect();
    assert!(map.as_slice().iter().copied().eq(1..10_001));
    assert!(map.keys().eq([gone[1]].into_iter().chain(keys.iter().copied())));
    assert_eq!(map.remove(keys[0]), Some(2));
    assert_eq!((map.get(keys[0]), map[keys[1]], map.as_slice()[1]), (None, 3, 10_000));
}
