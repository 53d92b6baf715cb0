//! The memory that a `SlotMap` takes from the system and returns, while keys stay stale.

use crate::slot_map_op::Medium;
use stayput::{
    Bits32, Budget, Compact32, DefaultKey, HugePages, Key, SecondaryMap, SlotMap, SlotMapBuilder,
    new_key_type,
};
use std::time::Duration;

new_key_type! {
    struct Compact: Compact32;
    /// Each slot is used once.
    struct Once: Bits32<24, 1>;
}

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

/// 64 slots of these are a block that can be returned.
type Large = [u8; 1020];

type Map = SlotMap<DefaultKey, Large>;

fn large(n: usize) -> Large {
    [n.to_le_bytes()[0]; 1020]
}

/// A map without huge pages, so that memory is returned in units of 64 KiB.
fn map_of<K: Key>(count: usize) -> SlotMap<K, Large> {
    let builder: SlotMapBuilder<K, Large> = SlotMap::builder();
    let mut map = builder.huge_pages(HugePages::Never).build();
    map.extend((0..count).map(large));
    map
}

fn resident<K: Key, V>(map: &SlotMap<K, V>) -> usize {
    map.stats().resident_bytes.unwrap_or(0)
}

/// Removes the values of slots.
fn remove<K: Key>(map: &mut SlotMap<K, Large>, slots: impl IntoIterator<Item = u32>) {
    for index in slots {
        let key = map.get_by_index(index).expect("it is there").0;
        assert!(map.remove(key).is_some());
    }
}

#[test]
#[cfg_attr(no_vm, ignore = "resident pages are not reported there")]
fn without_values_trim_returns_all_memory_and_no_key_repeats() {
    let mut map = map_of::<DefaultKey>(20_000);
    let keys: Vec<_> = map.keys().collect();
    let full = map.stats();
    assert!(full.committed_bytes >= 20_000 * KIB);
    map.clear();
    assert_eq!(map.stats().committed_bytes, full.committed_bytes, "only when asked to");
    map.trim();
    let stats = map.stats();
    assert!(stats.committed_bytes <= 512 * KIB, "{stats:?}");
    assert_eq!((stats.live, stats.holes, stats.trimmed), (0, 0, 0));
    assert_eq!(stats.reserved_bytes, full.reserved_bytes);
    if cfg!(target_os = "linux") {
        assert!(resident(&map) <= 512 * KIB && full.resident_bytes >= Some(20_000 * KIB));
    }
    assert!(keys.iter().all(|key| !map.contains_key(*key)));

    map.extend((0..20_000).map(large));
    assert!(keys.iter().all(|key| !map.contains_key(*key)), "an old key found a new value");
    assert!(map.keys().zip(&keys).all(|(new, old)| new.index() == old.index() && new > *old));
}

#[test]
#[cfg_attr(no_vm, ignore = "resident pages are not reported there")]
fn trim_returns_memory_between_remaining_values() {
    let mut map = map_of::<DefaultKey>(10_000);
    let keys: Vec<_> = map.keys().collect();
    let addresses: Vec<_> = map.values().map(|value| std::ptr::from_ref(value).addr()).collect();
    // Both ends stay, and a few values in the middle, each of which keeps its block.
    let is_kept = |n: usize| !(100..9_900).contains(&n) || n == 5_000 || n == 7_777;
    remove(&mut map, (0..10_000).filter(|n| !is_kept(*n as usize)));
    let before = resident(&map);
    map.trim();
    let stats = map.stats();
    assert_eq!((stats.live, stats.holes, stats.retired), (202, 9_798, 0));
    assert!(stats.trimmed > 9_300 && stats.trimmed <= stats.holes, "{stats:?}");
    if cfg!(target_os = "linux") {
        let after = resident(&map);
        assert!(before > 10_000 * KIB && after < MIB, "{before} to {after}");
    }
    // A second call changes nothing.
    map.trim();
    assert_eq!(map.stats(), stats);
    for (n, key) in keys.iter().enumerate() {
        assert_eq!(map.get(*key), is_kept(n).then(|| large(n)).as_ref());
        if is_kept(n) {
            assert_eq!(std::ptr::from_ref(&map[*key]).addr(), addresses[n]);
        }
    }
    assert_eq!(map.iter().count(), 202);

    // Slots are committed again, one block after the other.
    let again: Vec<_> = (0..9_798).map(|n| map.insert(large(n))).collect();
    assert!(again.is_sorted());
    let stats = map.stats();
    assert_eq!((stats.live, stats.holes, stats.trimmed), (10_000, 0, 0));
    assert!(again.iter().enumerate().all(|(n, key)| map[*key] == large(n)));
    assert!(keys.iter().enumerate().all(|(n, key)| map.contains_key(*key) == is_kept(n)));
}

#[test]
fn recommitted_slots_start_above_the_highest_generation_of_their_block() {
    let mut map = map_of::<DefaultKey>(256);
    // One slot of the second block is used often.
    let mut busy = map.get_by_index(100).expect("it is there").0;
    for n in 0..1000 {
        map.remove(busy);
        busy = map.insert(large(n));
    }
    assert_eq!((busy.index(), busy.generation()), (100, 1001));
    remove(&mut map, 64..128);
    map.trim();
    assert_eq!(map.stats().trimmed, 64);
    let clone = map.clone();
    for mut map in [map, clone] {
        let first = map.insert(large(1));
        assert_eq!((first.index(), first.generation()), (64, 1002));
        assert_eq!(map.stats().trimmed, 63);
        assert!(!map.contains_key(busy));
        remove(&mut map, [0]);
        let other = map.insert(large(2));
        assert_eq!((other.index(), other.generation()), (0, 2), "other blocks are not concerned");
        // There is nothing to return, but the holes leave the front.
        map.shrink_to_fit();
        assert_eq!((map.stats().holes, map.stats().trimmed), (63, 63));
    }
}

#[test]
fn a_recommitted_tail_starts_above_the_highest_generation_of_its_block() {
    for trim in [false, true] {
        let mut map = map_of::<DefaultKey>(256);
        let mut busy = map.get_by_index(200).expect("it is there").0;
        for n in 0..50 {
            map.remove(busy);
            busy = map.insert(large(n));
        }
        remove(&mut map, 70..256);
        if trim {
            map.trim();
        } else {
            map.shrink_to_fit();
        }
        let stats = map.stats();
        assert_eq!((stats.live, stats.trimmed), (70, 0));
        // The slots next to the last value, whose memory stays.
        assert!(stats.holes < 64, "{stats:?}");
        assert!(stats.committed_bytes < 256 * KIB, "{stats:?}");
        map.extend((0..186).map(large));
        assert!(!map.contains_key(busy));
        for key in map.keys().skip(70) {
            let expected = if key.index() < 192 { 2 } else { 52 };
            assert_eq!(key.generation(), expected, "{key:?}");
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn repeated_shrinking_uses_no_generations_of_remaining_slots() {
    let mut map: SlotMap<Compact, u64> = SlotMap::with_key();
    for n in 0..10_000 {
        let key = map.insert(n);
        map.remove(key);
        map.shrink_to_fit();
        map.trim();
    }
    // One slot after the other is exhausted, after 1,023 values each.
    assert_eq!(map.stats().retired, 9);
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn memory_of_retired_slots_is_returned() {
    let mut map: SlotMap<Once, [u64; 8]> = (0..100_000).map(|n| [n; 8]).collect();
    map.clear();
    assert_eq!(map.stats().retired, 100_000);
    map.trim();
    assert!(map.stats().resident_bytes < Some(MIB), "{:?}", map.stats());
    assert_eq!(map.insert([0; 8]).index(), 100_000);
}

#[test]
fn trimmed_blocks_at_the_tail_are_removed_with_it() {
    let mut map = map_of::<DefaultKey>(512);
    let keys: Vec<_> = map.keys().collect();
    remove(&mut map, 64..256);
    map.trim();
    assert_eq!((map.stats().holes, map.stats().trimmed), (192, 192));
    remove(&mut map, 256..512);
    map.shrink_to_fit();
    assert_eq!((map.stats().holes, map.stats().trimmed), (0, 0));
    assert!(map.stats().committed_bytes < 256 * KIB);
    map.extend((0..448).map(large));
    assert!(keys[64..].iter().all(|key| !map.contains_key(*key)));
    assert!(map.keys().skip(64).all(|key| key.generation() == 2));
}

#[test]
fn retired_slots_in_returned_blocks_stay_retired() {
    let mut map = map_of::<Medium>(256);
    let mut made: Vec<Medium> = map.keys().collect();
    // Every third slot of the two middle blocks is exhausted, and the others are not.
    for index in (64..192).step_by(3) {
        remove(&mut map, [index]);
        for n in 2..=7 {
            let key = map.insert(large(n));
            assert_eq!((key.index(), key.generation() as usize), (index, n));
            made.push(key);
            map.remove(key);
        }
    }
    let retired = map.stats().retired;
    assert_eq!(retired, 43);
    remove(&mut map, (64..192).filter(|index| index % 3 != 1));
    map.trim();
    let stats = map.stats();
    assert_eq!((stats.retired, stats.holes, stats.trimmed), (43, 85, 85));

    // Inserts, removes and trims until all slots of these blocks are exhausted.
    for round in 0.. {
        assert!(round < 10, "slots come back for ever");
        let mut keys = Vec::new();
        while map.stats().holes > 0 {
            keys.push(map.insert(large(round)));
        }
        assert!(keys.iter().all(|key| (64..192).contains(&key.index()) && key.index() % 3 != 1));
        assert!(made.iter().all(|key| !keys.contains(key)), "a key came again");
        assert_eq!(map.len(), 128 + keys.len());
        if keys.is_empty() {
            break;
        }
        assert_eq!(map.remove_many(keys.iter().copied()), keys.len());
        made.extend(keys);
        map.trim();
    }
    assert_eq!(map.stats().retired, 128);
    assert!(map.try_insert(large(0)).is_err());
    let live = made.iter().filter(|key| map.contains_key(**key)).count();
    assert_eq!((live, map.len()), (128, 128));
}

#[test]
fn detached_slots_keep_their_memory_and_their_keys() {
    let mut map = map_of::<DefaultKey>(256);
    let key = map.get_by_index(100).expect("it is there").0;
    map.detach(key);
    remove(&mut map, (64..192).filter(|index| *index != 100));
    map.trim();
    assert_eq!(map.stats().trimmed, 64, "the block of the detached slot stays");
    map.reattach(key, large(5));
    assert_eq!(map[key], large(5));

    let last = map.get_by_index(255).expect("it is there").0;
    map.detach(last);
    remove(&mut map, 192..255);
    map.shrink_to_fit();
    map.reattach(last, large(6));
    assert_eq!(map[last], large(6));

    // Also next to retired slots.
    let mut map = map_of::<Once>(128);
    let key = map.get_by_index(20).expect("it is there").0;
    map.detach(key);
    remove(&mut map, (0..64).filter(|index| *index != 20));
    map.trim();
    assert_eq!((map.stats().retired, map.stats().detached), (63, 1));
    map.reattach(key, large(7));
    assert_eq!(map[key], large(7));
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn maps_with_huge_pages_return_whole_huge_pages() {
    let mut map: Map = SlotMap::builder().huge_pages(HugePages::Always).build();
    map.extend((0..16_384).map(large));
    let keys: Vec<_> = map.keys().collect();
    remove(&mut map, (0..16_384).filter(|n| *n != 8_000));
    map.trim();
    assert!(map.stats().committed_bytes <= 16 * MIB);
    if cfg!(target_os = "linux") {
        assert!(resident(&map) <= 8 * MIB, "{}", resident(&map));
    }
    map.extend((0..16_383).map(large));
    assert!(keys.iter().enumerate().all(|(n, key)| map.contains_key(*key) == (n == 8_000)));
}

#[test]
#[cfg_attr(no_vm, ignore = "memory does not go back there")]
fn a_huge_page_is_split_where_half_of_it_or_more_is_empty() {
    for (apart, is_split) in [(1000, true), (50, false)] {
        let mut map: Map = SlotMap::builder().huge_pages(HugePages::Always).build();
        map.extend((0..16_000).map(large));
        let keys: Vec<_> = map.keys().collect();
        let mut n = 0;
        map.retain(|_, _| {
            n += 1;
            n % apart == 0
        });
        map.trim();
        let trimmed = map.stats().trimmed;
        if is_split {
            assert!(trimmed > 13_000, "{trimmed} of 16000");
            assert!(resident(&map) < 3 * MIB, "{}", resident(&map));
        } else {
            assert_eq!(trimmed, 0);
        }
        // Keys in returned memory stay stale, and values do not move.
        assert!(keys.iter().zip(1..).all(|(key, n)| map.contains_key(*key) == (n % apart == 0)));
        map.extend((0..16_000 - map.len()).map(large));
        assert!(keys.iter().filter(|key| map.contains_key(**key)).count() == 16_000 / apart);
    }
}

#[test]
#[cfg_attr(no_vm, ignore = "resident pages are not reported there")]
fn memory_of_small_values_is_returned_in_larger_blocks() {
    let mut map: SlotMap<DefaultKey, u32> = SlotMap::builder().huge_pages(HugePages::Never).build();
    map.extend(0..1_000_000);
    let keys: Vec<_> = map.keys().collect();
    let before = resident(&map);
    map.retain(|_, value| *value < 10 || *value >= 999_990);
    map.trim();
    let stats = map.stats();
    assert!(stats.trimmed > 950_000, "{stats:?}");
    if cfg!(target_os = "linux") {
        assert!(before > 8_000_000 && resident(&map) < MIB, "{before} to {stats:?}");
    }
    map.extend(0..999_980);
    let old = keys.iter().filter(|key| map.contains_key(**key)).count();
    assert_eq!((old, map.len(), map.stats().trimmed), (20, 1_000_000, 0));
}

#[test]
#[cfg_attr(no_vm, ignore = "resident pages are not reported there")]
#[cfg(target_pointer_width = "64")] // where a `u64` has the alignment of its size
fn a_map_takes_its_slots_and_a_bit_for_each() {
    const COUNT: usize = 1_000_000;
    let mut map: SlotMap<DefaultKey, [u64; 7]> = SlotMap::new();
    map.reserve(COUNT);
    map.extend((0..COUNT as u64).map(|n| [n; 7]));
    assert_eq!(SlotMap::<DefaultKey, [u64; 7]>::STRIDE_BYTES, 64);
    map.retain(|_, value| value[0] % 2 == 0);
    let stats = map.stats();
    // The last part of the memory is committed in whole steps.
    let most = COUNT * 643 / 10 + 64 * MIB;
    assert!(stats.committed_bytes < most, "{stats:?}");
    if cfg!(target_os = "linux") {
        assert!(stats.resident_bytes.is_some_and(|bytes| bytes < COUNT * 643 / 10 + 4 * MIB));
    }
}

#[test]
fn an_empty_map_takes_no_memory() {
    let mut map: Map = SlotMap::new();
    map.clear();
    map.trim();
    map.shrink_to_fit();
    map.reserve(0);
    map.prefault(0);
    map.reset();
    map.retain(|_, _| true);
    assert_eq!((map.drain().count(), map.iter().count(), map.remove_many([])), (0, 0, 0));
    map.extend([]);
    let clone = map.clone();
    for map in [map, clone, SlotMap::with_capacity(0), std::iter::empty().collect()] {
        let stats = map.stats();
        assert_eq!((stats.reserved_bytes, stats.committed_bytes, stats.capacity), (0, 0, 0));
    }
}

#[test]
#[cfg_attr(no_vm, ignore = "resident pages are not reported there")]
fn prefaulting_makes_memory_resident() {
    let mut map = map_of::<DefaultKey>(1);
    map.prefault(2_000);
    assert!(map.capacity() > 2_000);
    let mut second: SecondaryMap<DefaultKey, Large> = SecondaryMap::new();
    second.prefault(2_000);
    if cfg!(target_os = "linux") {
        assert!(resident(&map) >= 2_000 * KIB);
        assert!(second.stats().resident_bytes >= Some(2_000 * KIB));
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn trimming_in_steps_returns_the_same_as_at_once() {
    for huge_pages in [HugePages::Never, HugePages::Auto] {
        let maps = [0; 2].map(|_| {
            // On 32-bit systems the second map has fewer addresses than the first by default, and a smaller bitmap.
            let builder = SlotMap::builder().max_len(30_001).huge_pages(huge_pages);
            let mut map: Map = builder.build();
            map.extend((0..30_000).map(large));
            remove(&mut map, (50..14_000).chain(14_003..26_000).chain(27_000..30_000));
            map
        });
        let [mut at_once, mut by_and_by] = maps;
        at_once.trim();
        let mut calls = 0;
        let mut bytes = 0;
        loop {
            let given = by_and_by.trim_within(Budget::bytes(MIB)).unwrap();
            bytes += given.bytes;
            calls += 1;
            // The map can be used between two calls.
            let key = by_and_by.insert(large(calls));
            assert_eq!(by_and_by.remove(key), Some(large(calls)));
            if given.is_done {
                break;
            }
        }
        assert!(calls > 5 && bytes >= 20 * MIB, "{calls} calls, {bytes} bytes");
        let [at_once, by_and_by] = [at_once.stats(), by_and_by.stats()];
        assert_eq!(by_and_by.committed_bytes, at_once.committed_bytes);
        // The slot used in between has its own record again; and where huge pages begin, runs depend on where stretches
        // end.
        let most = if huge_pages == HugePages::Never { 1 } else { 2 * MIB / KIB };
        let trimmed = at_once.trimmed.abs_diff(by_and_by.trimmed);
        assert!(trimmed <= most, "{at_once:?} {by_and_by:?}");
        if cfg!(target_os = "linux") {
            let most = at_once.resident_bytes.map(|bytes| bytes + 2 * MIB);
            assert!(by_and_by.resident_bytes <= most, "{at_once:?} {by_and_by:?}");
        }
    }
}

/// Returns how many calls with this budget visit all slots of a map that has nothing to return.
macro_rules! visits {
    ($map:expr, $bytes:expr) => {{
        let mut map = $map;
        map.shrink_to_fit();
        let mut calls = 1;
        loop {
            let given = map.trim_within(Budget::bytes($bytes)).unwrap();
            assert_eq!(given.bytes, 0);
            if given.is_done {
                break calls;
            }
            calls += 1;
        }
    }};
}

#[test]
fn visiting_a_slot_counts_as_a_sixty_fourth_of_its_bytes() {
    // 128 KiB for all slots, in pieces of 17 KiB.
    let map = map_of::<DefaultKey>(8 * MIB / KIB);
    let builder = SecondaryMap::builder().huge_pages(HugePages::Never);
    let mut second: SecondaryMap<DefaultKey, Large> = builder.build();
    second.extend(&map);
    for calls in [visits!(map, 64 * KIB), visits!(second, 64 * KIB)] {
        assert!((2..=3).contains(&calls), "{calls}");
    }
}

#[test]
#[cfg_attr(no_vm, ignore = "resident pages are not reported there")]
fn secondary_maps_return_memory_between_values() {
    let map = map_of::<DefaultKey>(4096);
    for in_steps in [false, true] {
        let builder = SecondaryMap::builder().huge_pages(HugePages::Never);
        let mut second: SecondaryMap<DefaultKey, Large> = builder.build();
        second.extend(&map);
        second.shrink_to_fit();
        second.retain(|key, _| !(64..4032).contains(&key.index()));
        if in_steps {
            let (mut calls, mut bytes, mut is_done) = (0, 0, false);
            while !is_done {
                let given = second.trim_within(Budget::bytes(MIB)).unwrap();
                (calls, bytes, is_done) = (calls + 1, bytes + given.bytes, given.is_done);
            }
            assert!((4..=5).contains(&calls) && bytes == 3968 * KIB, "{calls} calls, {bytes}");
        } else {
            second.trim();
        }
        if cfg!(target_os = "linux") {
            assert!(second.stats().resident_bytes <= Some(192 * KIB), "{:?}", second.stats());
        }
        assert!(second.iter().all(|(key, value)| map[key] == *value) && second.len() == 128);
    }
}

#[test]
fn bits_of_holes_are_returned_with_their_slots() {
    let mut map: SlotMap<DefaultKey, ()> = SlotMap::new();
    map.reserve(4 << 20);
    assert!(map.stats().committed_bytes > 16 * MIB);
    map.shrink_to_fit();
    assert!(map.stats().committed_bytes <= 128 * KIB, "{:?}", map.stats());
}

#[test]
fn a_budget_of_zero_returns_nothing() {
    let mut map = map_of::<DefaultKey>(2_000);
    remove(&mut map, 10..2_000);
    let before = map.stats();
    for _ in 0..3 {
        let given = map.trim_within(Budget::bytes(0)).unwrap();
        assert_eq!((given.bytes, given.is_done), (0, false));
        let given = map.shrink_to_fit_within(Budget::time(Duration::ZERO)).unwrap();
        assert_eq!((given.bytes, given.is_done), (0, false));
    }
    assert_eq!(map.stats(), before);
}
