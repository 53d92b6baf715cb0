//! Values are inserted under keys of another map, and no key finds a wrong value afterwards.

use crate::helpers::key;
use crate::made;
use crate::slot_map_op::Small;
use stayput::{DefaultKey, Error, ErrorKind, HugePages, Key, Reuse, SlotMap};
use std::collections::BTreeSet;

#[track_caller]
fn refusal<K: Key, V: PartialEq + Copy + std::fmt::Debug>(
    map: &mut SlotMap<K, V>,
    key: K,
    value: V,
) -> Error {
    let all = |map: &SlotMap<K, V>| {
        let stats = map.stats();
        (map.len(), stats.holes, stats.trimmed, stats.retired, stats.committed_bytes)
    };
    let before = (all(map), next_keys(map, value));
    let refused = map.try_insert_at(key, value).expect_err("it is to be refused");
    assert_eq!((refused.value, (all(map), next_keys(map, value))), (value, before));
    refused.error
}

/// The keys that a map would return for five more values.
fn next_keys<K: Key, V: Copy>(map: &SlotMap<K, V>, value: V) -> Vec<K> {
    let mut map = map.clone();
    (0..5).map_while(|_| map.try_insert(value).ok()).collect()
}

#[test]
fn refused_insertions_change_no_later_key() {
    let mut map = SlotMap::new();
    let keys: Vec<DefaultKey> = (0..400).map(|n| map.insert(n)).collect();
    map.detach(keys[399]);
    for n in [300, 20, 250, 7, 111] {
        map.remove(keys[n]);
    }
    let expected = next_keys(&map, 0);
    assert_eq!(map.try_reattach(keys[20], 1), Err(1));
    assert_eq!(refusal(&mut map, keys[1], 1).kind(), ErrorKind::Occupied);
    assert_eq!(refusal(&mut map, keys[20], 1).kind(), ErrorKind::StaleKey);
    assert_eq!(next_keys(&map, 0), expected);
}

#[test]
fn skipped_slots_become_holes() {
    for reuse in [Reuse::Recent, Reuse::Lowest, Reuse::Rotating { min_free: 0 }] {
        let mut map: SlotMap<DefaultKey, u32> = SlotMap::builder().reuse(reuse).build();
        map.insert_at(key(100, 3), 100);
        let stats = map.stats();
        assert_eq!((stats.live, stats.holes, stats.trimmed), (1, 100, 100));
        for index in 0..100 {
            assert!(!map.contains_key(key(index, 1)));
            assert_eq!(map.insert(index), key(index, 1));
        }
        assert_eq!(map.insert(101), key(101, 1));
        assert_eq!((map.stats().holes, map.stats().trimmed), (0, 0));
        assert!(map.values().copied().eq(0..102));
        assert_eq!(map.blocks().map(|block| block.mask().count_ones()).sum::<u32>(), 102);
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn a_map_that_forgot_generations_refuses_keys_it_may_have_returned() {
    let mut map: SlotMap<DefaultKey, [u8; 1000]> = (0..1000).map(|_| [1; 1000]).collect();
    let old: Vec<DefaultKey> = map.keys().collect();
    map.retain(|_, _| false);
    // One of the removed slots was used often.
    for _ in 0..10 {
        let key = map.insert([2; 1000]);
        map.remove(key);
    }
    map.trim();
    assert!(map.capacity() < 1000);
    for key in &old {
        assert_eq!(refusal(&mut map, *key, [3; 1000]).kind(), ErrorKind::StaleKey);
    }
    // Next to the slot used often, all of them may have been.
    assert_eq!(refusal(&mut map, key(1, 2), [3; 1000]).kind(), ErrorKind::StaleKey);
    map.insert_at(key(1, 12), [4; 1000]);
    map.insert_at(key(900, 2), [5; 1000]);
    assert_eq!(map.values().map(|value| value[0]).collect::<Vec<_>>(), [4, 5]);
    assert!(old.iter().all(|key| !map.contains_key(*key)));
}

/// Slots of values without a drop may be forgotten at once, and treated as if they had had one generation.
#[test]
fn a_replica_accepts_keys_of_its_original_after_both_are_cleared() {
    let empty: [fn(&mut SlotMap<DefaultKey, u32>); 3] =
        [SlotMap::clear, |map| map.retain(|_, _| false), |map| drop(map.drain())];
    for empty in empty {
        let mut server = SlotMap::new();
        let mut client = SlotMap::new();
        client.clear();
        for round in 0..5 {
            for n in 0..100 * (1 + round) {
                let key = server.insert(n);
                client.insert_at(key, n);
                if n % 7 < round {
                    server.remove(key);
                    client.remove(key);
                }
            }
            assert_eq!(client, server);
            // A late one works as well.
            if round == 2 {
                client = SlotMap::new();
                server.iter().for_each(|(key, n)| client.insert_at(key, *n));
            }
            empty(&mut server);
            client.clear();
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn far_keys_are_refused_unless_they_are_announced() {
    let mut map: SlotMap<DefaultKey, [u8; 60]> = SlotMap::new();
    let near = (1 << 20) + 16;
    for index in [near, 2 * near, u32::MAX] {
        let error = refusal(&mut map, key(index, 1), [0; 60]);
        assert_eq!((error.kind(), error.limit()), (ErrorKind::FarIndex, Some(near.into())));
        assert!(error.bytes() >= (index as usize).saturating_mul(64));
    }
    assert_eq!(map.stats().committed_bytes, 0);
    let announced = 3 << 20;
    map.reserve(announced as usize);
    map.insert_at(key(announced - 1, 1), [1; 60]);
    assert_eq!((map.len(), map.stats().holes), (1, announced as usize - 1));

    let mut small: SlotMap<DefaultKey, [u8; 60]> = SlotMap::with_max_len(50);
    assert_eq!(refusal(&mut small, key(50, 1), [0; 60]).kind(), ErrorKind::MaxLen);
    assert_eq!(refusal(&mut small, key(4 << 20, 1), [0; 60]).kind(), ErrorKind::MaxLen);
    // Sizes beyond the address space are reported as the largest number, where they exist.
    let kind = refusal(&mut small, key(u32::MAX, 1), [0; 60]).kind();
    let overflows = cfg!(target_pointer_width = "32");
    assert_eq!(kind, if overflows { ErrorKind::CapacityOverflow } else { ErrorKind::MaxLen });
    small.insert_at(key(49, 1), [0; 60]);
}

/// Each as far as possible, repeatedly: committed memory does not double each time.
#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn forged_keys_commit_bounded_memory() {
    let mut map: SlotMap<DefaultKey, [u8; 60]> =
        SlotMap::builder().huge_pages(HugePages::Never).build();
    let mut taken = 0;
    for _ in 0..100 {
        let mut far = 1 << 31;
        while far > 0 && map.try_insert_at(key(far, 1), [1; 60]).is_err() {
            far -= far.div_ceil(16);
        }
        taken += 1;
    }
    let stats = map.stats();
    assert_eq!(stats.live, taken);
    assert!(stats.committed_bytes < 160 << 20, "{stats:?}");
    #[cfg(target_os = "linux")]
    assert!(stats.resident_bytes < Some(16 << 20), "{stats:?}");
}

#[test]
fn zero_sized_and_aligned_values_can_be_inserted_anywhere() {
    #[derive(Clone, Copy, PartialEq, Debug)]
    #[repr(align(8192))]
    struct Wide(u8);

    let mut map: SlotMap<DefaultKey, ()> = SlotMap::new();
    map.insert_at(key(1000, 2), ());
    map.insert_at(key(3, 4), ());
    assert_eq!((map.len(), map.iter().count(), map.stats().holes), (2, 2, 999));
    let mut moves = Vec::new();
    map.compact(|old, new| moves.push((old, new)));
    assert_eq!(moves, [(key(1000, 2), key(0, 1)), (key(3, 4), key(1, 1))]);
    assert_eq!(map.keys().collect::<Vec<_>>(), [key(0, 1), key(1, 1)]);

    let mut map: SlotMap<DefaultKey, Wide> = SlotMap::new();
    map.insert_at(key(20, 2), Wide(7));
    assert_eq!(map.insert(Wide(8)), key(0, 1));
    assert!(map.values().all(|value| std::ptr::from_ref(value).addr() % 8192 == 0));
    assert_eq!(map.values().map(|value| value.0).collect::<Vec<_>>(), [8, 7]);
}

/// A client repeats what a server does, in any order: both are equal afterwards.
#[test]
fn a_replica_equals_its_original() {
    made::run_with(60, 1..200, |order: u64, steps: &[(bool, u16)]| {
        let mut server: SlotMap<Small, u32> = SlotMap::with_key();
        let mut client = SlotMap::with_key();
        let mut given: Vec<Small> = Vec::new();
        for (number, (is_new, nth)) in (0..).zip(steps) {
            let there = server.keys().nth(usize::from(*nth) % server.len().max(1));
            match there.filter(|_| !is_new) {
                Some(key) => drop(server.remove(key)),
                None => given.extend(server.try_insert(number).ok()),
            }
        }
        let mut messages: Vec<_> = server.iter().map(|(key, value)| (key, *value)).collect();
        let turn = usize::try_from(order % 64).expect("it is small") % messages.len().max(1);
        messages.rotate_left(turn);
        if order % 2 == 0 {
            messages.reverse();
        }
        for (key, value) in messages {
            client.insert_at(key, value);
        }
        assert_eq!(&client, &server);
        let live: BTreeSet<_> = server.keys().collect();
        assert!(given.iter().all(|key| client.contains_key(*key) == live.contains(key)));
    });
}
