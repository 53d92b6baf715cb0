//! What a `SlotMap` guarantees, case by case, and faults that were found in other crates.

use crate::helpers::{self, Boast};
use crate::ledger::{panic_file, panic_message};
use crate::slot_map_op::{Compact, Once, Small, SmallTagged};
use stayput::slot_map::DisjointError;
use stayput::{
    DefaultKey, DenseSlotMap, Error, ErrorKind, Key, Layout, Reuse, SecondaryMap, SlotMap,
    new_key_type,
};
use std::fmt::Debug;

/// A map with values in all slots except these.
fn with_holes<K: Key>(len: u32, holes: &[u32]) -> SlotMap<K, u32> {
    let mut map: SlotMap<K, u32> = (0..len).collect();
    for index in holes {
        let key = map.get_by_index(*index).expect("it is there").0;
        assert_eq!(map.remove(key), Some(*index));
    }
    map
}

/// Asserts that a key finds nothing in any call, and that no call changes anything.
#[track_caller]
pub(crate) fn assert_finds_nothing<K: Key>(map: &mut SlotMap<K, u32>, key: K) {
    let before: Vec<_> = map.iter().map(|(key, value)| (key, *value)).collect();
    let stats = map.stats();
    assert!(!map.contains_key(key));
    assert_eq!(map.get(key), None);
    assert_eq!(map.get_mut(key), None);
    let mut found = Vec::new();
    map.get_many([key], |key, value| found.push((key, value.copied())));
    map.get_many_mut([key], |key, value| found.push((key, value.copied())));
    assert_eq!(found, [(key, None); 2]);
    for (other, _) in &before {
        let missing = Err(DisjointError::Missing { at: 1 });
        assert_eq!(map.get_disjoint_mut([*other, key]), None);
        assert_eq!(map.try_get_disjoint_mut([*other, key]), missing);
    }
    assert!(map.downgrade(key).is_none());
    assert_eq!(map.try_invalidate(key), Ok(None));
    assert_eq!(map.remove(key), None);
    assert_eq!(map.remove_many([key, key]), 0);
    assert_eq!(map.detach(key), None);
    assert_eq!(map.try_reattach(key, 99), Err(99));
    assert_eq!(panic_message(|| map.reattach(key, 99)), "key is not detached");
    let words = panic_message(|| map[key]);
    assert!(words.contains(&format!("no value has the key {key:?}")), "{words}");
    panic_message(|| map[key] = 7);
    let scope = map.grow_only();
    assert_eq!((scope.get(key), scope.contains_key(key)), (None, false));
    assert!(scope.downgrade(key).is_none());
    panic_message(|| scope[key]);
    assert!(map.iter().map(|(key, value)| (key, *value)).eq(before));
    assert_eq!(map.stats(), stats);
}

#[test]
fn the_last_key_of_a_retired_slot_finds_nothing_after_its_removal() {
    let mut map: SlotMap<Small, u32> = SlotMap::with_key();
    let mut keys = Vec::new();
    for n in 0..7 {
        let key = map.insert(n);
        assert_eq!((key.index(), key.generation()), (0, n + 1));
        assert_eq!(map.remove(key), Some(n));
        keys.push(key);
    }
    assert_eq!((map.stats().retired, map.stats().holes), (1, 0));
    let next = map.insert(7);
    assert_eq!(next.index(), 1, "a retired slot was filled again");
    for key in keys {
        assert_finds_nothing(&mut map, key);
    }
    assert_eq!(map[next], 7);
}

#[test]
fn a_forged_key_of_a_hole_finds_nothing_until_it_is_returned() {
    for trimmed in [false, true] {
        let mut map: SlotMap<SmallTagged, u32> = with_holes(5, &[2]);
        if trimmed {
            map.trim();
        }
        let next: SmallTagged = helpers::key(2, 2);
        for key in
            [next, next.with_tag(3), helpers::key(2, 1), helpers::key(2, 7), helpers::key(5, 1)]
        {
            assert_finds_nothing(&mut map, key);
        }
        assert_eq!(map.insert(77), next);
        assert_eq!((map[next], map[next.with_tag(3)]), (77, 77));
        assert_finds_nothing(&mut map, helpers::key(2, 1));
    }
}

#[test]
fn null_finds_nothing_even_where_its_index_is_in_use() {
    let mut map: SlotMap<Once, u32> = (0..8).collect();
    assert_eq!(Once::null().index(), 7);
    assert_finds_nothing(&mut map, Once::null());
    let key = map.get_by_index(7).expect("it is there").0;
    map.remove(key);
    assert_finds_nothing(&mut map, Once::null());
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn the_slot_past_the_last_that_an_index_of_20_bits_can_number_is_refused() {
    const MOST: u32 = 1 << 20;
    let mut map: SlotMap<Compact, u32> = SlotMap::with_key();
    map.extend(0..MOST - 1);
    let last = map.insert(MOST - 1);
    assert_eq!((last.index(), last.generation()), (MOST - 1, 1));
    assert_eq!((map[last], map.len(), map.max_len()), (MOST - 1, MOST as usize, MOST as usize));

    let assert_full = |error: Error| {
        assert_eq!((error.kind(), error.limit()), (ErrorKind::KeyBits, Some(MOST.into())));
        assert!(error.to_string().contains("1048576"), "{error}");
    };
    let refused = map.try_insert(7).unwrap_err();
    assert_full(refused.error);
    assert_eq!(refused.value, 7);
    assert_full(map.grow_only().try_insert(7).map(drop).unwrap_err().error);
    assert_full(map.try_reserve(1).unwrap_err());
    let mut keys = Vec::new();
    let refused = map.try_insert_many(7..10, &mut keys).unwrap_err();
    assert_full(refused.error);
    assert!(refused.value.eq(7..10) && keys.is_empty());
    assert!(panic_message(|| map.insert(7)).contains("bits of index"));
    assert!(panic_message(|| map.insert_with_key(|_| unreachable!("no room"))).contains("1048576"));

    // The first key is still that of the first value.
    assert_eq!(map[helpers::key::<Compact>(0, 1)], 0);
    assert_eq!(map.remove(last), Some(MOST - 1));
    assert_eq!(map.insert(8), helpers::key(MOST - 1, 2));
    assert!(map.try_insert(9).is_err());
}

#[test]
fn more_slots_than_keys_can_index_are_refused() {
    let builder = SlotMap::<Small, u8>::builder();
    for error in [
        builder.max_len(65).try_build().unwrap_err(),
        builder.capacity(65).try_build().unwrap_err(),
        builder.max_len(usize::MAX).try_build().unwrap_err(),
    ] {
        assert_eq!((error.kind(), error.limit()), (ErrorKind::KeyBits, Some(64)));
    }
    let error = builder.max_len(10).capacity(11).try_build().unwrap_err();
    assert_eq!((error.kind(), error.limit()), (ErrorKind::MaxLen, Some(10)));
    assert!(panic_message(|| SlotMap::<Small, u8>::with_capacity_and_key(65)).contains("64"));
    assert_eq!(builder.max_len(64).build().max_len(), 64);
    assert_eq!(SlotMap::<Once, u8>::with_key().max_len(), 8);
}

#[test]
fn rotating_uses_the_generations_of_all_slots_before_it_retires_one() {
    for min_free in [0, 10] {
        let mut map: SlotMap<Small, u32> =
            SlotMap::builder().reuse(Reuse::Rotating { min_free }).build();
        map.extend(0..64);
        map.clear();
        // The first generation is used up already, and the last one retires the slot.
        for n in 0..6 * 64 {
            assert!(n > 5 * 64 || map.stats().retired == 0, "after {n}");
            let key = map.insert(n);
            map.remove(key);
        }
        assert_eq!(map.stats().retired, 64);
    }
    // The same slot, repeatedly.
    let mut map: SlotMap<Small, u32> = (0..64).collect();
    map.clear();
    for n in 0..6 {
        let key = map.insert(n);
        assert_eq!(key.index(), 0);
        map.remove(key);
    }
    assert_eq!(map.stats().retired, 1);
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn reinserting_after_churn_keeps_the_range_of_slots() {
    const COUNT: u32 = 20_000;
    let mut map: SlotMap<DefaultKey, u32> = (0..COUNT).collect();
    for round in 1..6 {
        map.retain(|_, value| value.wrapping_mul(0x9e37_79b9) >> (32 - round) == 0);
        let missing = COUNT - u32::try_from(map.len()).unwrap();
        map.extend(0..missing);
        assert!(map.keys().map(|key| key.index()).eq(0..COUNT));
    }
}

/// Runs various operations with values made from numbers, and checks all values.
fn exercise<V: Clone + PartialEq + Debug>(count: u32, make: fn(u32) -> V) {
    let mut map: SlotMap<DefaultKey, V> = SlotMap::new();
    let keys: Vec<_> = (0..count).map(|n| map.insert(make(n))).collect();
    assert_eq!(SlotMap::<DefaultKey, V>::STRIDE_BYTES % align_of::<V>(), 0);
    assert!(SlotMap::<DefaultKey, V>::STRIDE_BYTES >= size_of::<V>() + 4);
    let addresses: Vec<_> = keys.iter().map(|key| &raw const map[*key]).collect();
    assert!(addresses.iter().all(|address| address.is_aligned()));
    for (n, key) in (0..count).zip(&keys) {
        assert_eq!(map.key_of(&map[*key]), Some(*key));
        assert_eq!(map[*key], make(n));
    }
    for key in keys.iter().step_by(3) {
        assert!(map.remove(*key).is_some());
    }
    map.trim();
    let again: Vec<_> = (0..count).map(|n| map.insert(make(n + count))).collect();
    for (n, key) in (0..count).zip(&keys) {
        let expected = if n % 3 == 0 { None } else { Some(make(n)) };
        assert_eq!(map.get(*key), expected.as_ref());
        assert!(expected.is_none() || std::ptr::eq(&raw const map[*key], addresses[n as usize]));
    }
    assert!((0..count).zip(&again).all(|(n, key)| map[*key] == make(n + count)));
    let weak: Vec<_> = map.keys().map(|key| map.downgrade(key).expect("it is there")).collect();
    assert!(weak.iter().zip(map.values()).all(|(weak, value)| map.upgrade(weak) == Some(value)));
    let clone = map.clone();
    assert!(clone.iter().eq(map.iter()));
    for key in &again {
        map.remove(*key);
    }
    assert!(map.into_values().eq((0..count).filter(|n| n % 3 != 0).map(make)));
    assert_eq!(clone.len(), count as usize + keys.len() - keys.len().div_ceil(3));
}

#[repr(align(128))]
#[derive(Clone, PartialEq, Debug)]
struct Lines(u8);

#[repr(align(8192))]
#[derive(Clone, PartialEq, Debug)]
struct Pages(u32);

#[repr(align(64))]
#[derive(Clone, PartialEq, Debug)]
struct AlignedNothing;

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn values_of_all_sizes_and_alignments() {
    exercise(20_000, |n| n.to_le_bytes()[0]);
    exercise(10_000, |n| [n.to_le_bytes()[0]; 3]);
    exercise(10_000, |n| n);
    exercise(10_000, |n| [n; 3]);
    exercise(3_000, |n| [u64::from(n); 7]);
    exercise(3_000, |n| [u64::from(n); 8]);
    exercise(2_000, |n| n.to_string());
    exercise(2_000, |n| Lines(n.to_le_bytes()[0]));
    exercise(300, |n| [n; 3000]);
    exercise(300, Pages);
}

#[test]
fn values_of_size_zero_have_keys_and_addresses_of_their_own() {
    exercise(1_000, |_| ());
    exercise(1_000, |_| AlignedNothing);
    let mut map = SlotMap::new();
    let keys = [map.insert(()), map.insert(())];
    assert_eq!(map.key_of(&map[keys[1]]), Some(keys[1]));
    map.remove(keys[0]);
    assert_eq!((map.get(keys[0]), map.get(keys[1]), map.len()), (None, Some(&()), 1));
}

#[test]
fn key_of_finds_only_references_into_the_map() {
    let mut map = SlotMap::new();
    let key = map.insert([1_u32, 2]);
    let gone = map.insert([3, 4]);
    let clone = map.clone();
    assert_eq!(map.key_of(&map[key]), Some(key));
    assert_eq!(map.key_of(&clone[key]), None);
    assert_eq!(map.key_of(&[1, 2]), None);
    assert_eq!(SlotMap::<DefaultKey, _>::new().key_of(&map[key]), None);
    map.remove(gone);
    // Of the same type, but not at the address of a value.
    let mut pairs = SlotMap::new();
    let pair = pairs.insert([[1_u32, 2], [3, 4]]);
    let inside = &pairs[pair][1];
    assert_eq!(map.key_of(inside), None);
}

#[test]
fn unchecked_look_ups_match_checked_ones() {
    #![expect(unsafe_code, reason = "that is what is tested")]
    let mut map: SlotMap<DefaultKey, u32> = with_holes(6, &[2]);
    let keys: Vec<_> = map.keys().collect();
    for (key, value) in keys.iter().zip([0, 1, 3, 4, 5]) {
        // SAFETY: it is the key of a value.
        assert_eq!(unsafe { *map.get_unchecked(*key) }, value);
        // SAFETY: the same.
        unsafe { *map.get_unchecked_mut(*key) += 10 };
    }
    // SAFETY: these are the keys of two values.
    let [a, b] = unsafe { map.get_disjoint_unchecked_mut([keys[4], keys[0]]) };
    std::mem::swap(a, b);
    assert!(map.values().eq(&[15, 11, 13, 14, 10]));
}

#[test]
fn an_extend_may_ask_for_more_keys_after_the_last() {
    /// Asks once more after each end.
    struct Curious<K>(Vec<K>);

    impl<K> Extend<K> for Curious<K> {
        fn extend<I: IntoIterator<Item = K>>(&mut self, keys: I) {
            let mut keys = keys.into_iter();
            for _ in 0..2 {
                self.0.extend(keys.by_ref());
            }
        }
    }

    let mut map: SlotMap<Once, u32> = SlotMap::builder().max_len(3).build();
    let mut keys = Curious(Vec::new());
    let refused = map.try_insert_many(0..6, &mut keys).unwrap_err();
    assert_eq!(keys.0.len(), 3);
    assert!(refused.value.eq(3..6), "a value was lost");
}

#[test]
fn reserving_makes_room_and_never_beyond_the_maximum() {
    let mut map: SlotMap<Small, u64> = SlotMap::with_key();
    assert_eq!((map.capacity(), map.stats().reserved_bytes), (0, 0));
    map.try_reserve(0).unwrap();
    assert_eq!(map.stats().reserved_bytes, 0);
    map.reserve(64);
    assert!(map.capacity() == 64 && map.is_empty());
    for requested in [65, 1 << 20, usize::MAX / 16, usize::MAX] {
        assert!(map.try_reserve(requested).is_err(), "{requested}");
        assert!(map.try_prefault(requested).is_err(), "{requested}");
        assert!(map.grow_only().try_reserve(requested).is_err(), "{requested}");
    }
    map.extend(0..60);
    map.retain(|_, value| *value < 50);
    // Ten holes, and four slots past the end.
    map.try_reserve(14).unwrap();
    map.try_prefault(14).unwrap();
    assert_eq!(map.try_reserve(15).unwrap_err().kind(), ErrorKind::KeyBits);
    assert!(panic_message(|| map.reserve(15)).starts_with("stayput: "));
    assert!(panic_message(|| map.prefault(15)).starts_with("stayput: "));
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn a_wrong_size_hint_does_no_harm() {
    for hint in [1, 100, usize::MAX / 4, usize::MAX] {
        let mut map: SlotMap<Small, u32> = Boast(0..3, (hint, None)).collect();
        let mut keys = Vec::new();
        map.insert_many(Boast(3..5, (hint, None)), &mut keys);
        assert!(map.values().copied().eq(0..5));
        assert_eq!(keys, [helpers::key(3, 1), helpers::key(4, 1)]);
        let map: SlotMap<DefaultKey, u32> = Boast(0..3, (hint.min(1 << 30), None)).collect();
        assert_eq!(map.len(), 3);
    }
}

#[test]
fn debug_shows_keys_and_values() {
    let mut map: SlotMap<DefaultKey, u32> = with_holes(3, &[1]);
    assert_eq!(format!("{map:?}"), "{DefaultKey(0v1): 0, DefaultKey(2v1): 2}");
    assert!(format!("{:?}", map.grow_only()).contains('2'));
    assert!(format!("{:?} {:?}", map.iter(), map.blocks()).contains('2'));
    assert!(format!("{:?}", map.drain()).contains('2'));
}

#[test]
fn infallible_calls_panic_at_their_callers() {
    let calls: [fn(&mut SlotMap<Once, u32>); 13] = [
        |map| assert_eq!(map.insert(2).index(), 0),
        |map| assert_eq!(map.insert_with_key(|_| 2).index(), 0),
        |map| assert!(map.try_insert_with_key(|_| Err::<u32, ()>(())).is_ok()),
        |map| map.insert_many([2], &mut Vec::new()),
        |map| map.extend([2]),
        |map| map.reattach(Once::null(), 2),
        |map| map.reserve(2),
        |map| map.prefault(2),
        |map| assert_eq!(map[Once::null()], 2),
        |map| map[Once::null()] = 2,
        |map| assert_eq!(map.grow_only().insert(2).1, &2),
        |map| assert_eq!(map.grow_only()[Once::null()], 2),
        |_| drop(SlotMap::<Once, u32>::with_capacity_and_key(9)),
    ];
    let mut full: SlotMap<Once, u32> = (0..8).collect();
    for (i, call) in calls.into_iter().enumerate() {
        let file = panic_file(|| call(&mut full));
        assert!(file.ends_with("slot_map.rs"), "call {i} blames {file}");
    }
}

#[test]
fn maps_can_be_created_in_constants() {
    static NONE: SlotMap<DefaultKey, u32> = SlotMap::new();
    assert_eq!((NONE.len(), NONE.get(helpers::key(0, 1)), NONE.iter().len()), (0, None, 0));
    assert_eq!(NONE.blocks().count(), 0);
    assert!(NONE.get_by_index(0).is_none() && NONE.downgrade(DefaultKey::null()).is_none());
    let none: SlotMap<DefaultKey, u32> = NONE.clone();
    assert_eq!(none.into_iter().count(), 0);
    assert_eq!(SlotMap::<DefaultKey, u32>::default().into_values().next_back(), None);
}

#[test]
fn indices_use_all_bits_of_the_layout() {
    new_key_type! { struct Wide: stayput::Bits64<20, 31, 13>; }
    let mut map: SlotMap<Wide, u8> = SlotMap::with_key();
    assert_eq!(map.max_len(), 1 << 20);
    let key = map.insert(1).with_tag(8191);
    assert_eq!((map[key], <Wide as Key>::Layout::MAX_GENERATION), (1, (1 << 31) - 1));
}

#[test]
fn used_slots_are_counted_including_holes() {
    let mut map: SlotMap<DefaultKey, String> = (0..10).map(|n| n.to_string()).collect();
    let keys: Vec<_> = map.keys().collect();
    map.remove(keys[9]);
    map.detach(keys[3]);
    assert_eq!((map.len(), map.slots_len()), (8, 10));
    map.clear();
    map.trim();
    assert_eq!(map.slots_len(), 10);
    map.reset();
    assert_eq!(map.slots_len(), 0);

    let mut dense: DenseSlotMap<DefaultKey, u8> = (0..10).collect();
    dense.remove(dense.keys().next().unwrap());
    assert_eq!((dense.len(), dense.slots_len()), (9, 10));

    let mut second = SecondaryMap::new();
    second.insert(keys[6], 1);
    second.insert(keys[8], 2);
    second.remove(keys[8]);
    assert_eq!((second.len(), second.slots_len()), (1, 9));
    second.shrink_to_fit();
    assert_eq!(second.slots_len(), 7);
}
