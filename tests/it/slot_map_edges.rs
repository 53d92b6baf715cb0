//! Edge cases of slot maps: the last generations, values of unusual sizes, recent holes.

use crate::buffer::{Buffer, Call, Failure};
use crate::effort;
use crate::helpers::key;
use proptest::collection::vec;
use proptest::prelude::*;
use stayput::{
    Bits32, Bits64, Budget, DefaultKey, Growth, HugePages, Key, Layout, Reuse, SlotMap,
    SlotMapStats, new_key_type,
};
use std::collections::HashSet;
use std::mem;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

new_key_type! {
    /// 64 slots, each used three times.
    struct Thrice: Bits32<6, 2>;
    /// Just too few generations for slots to be treated as if they had had those of other slots.
    struct JustFew: Bits64<32, 20>;
    /// Just enough generations for that.
    struct JustMany: Bits64<32, 21>;
    struct Single: Bits64<1, 31>;
}

/// Asserts that the counts match the slots below the length, and that iteration finds all values.
#[track_caller]
fn check<K: Key, V: PartialEq>(map: &SlotMap<K, V>, slots: Option<usize>) {
    let stats = map.stats();
    let SlotMapStats { live, holes, detached, retired, trimmed, .. } = stats;
    if let Some(slots) = slots {
        assert_eq!(live + holes + detached + retired, slots, "{stats:?}");
    }
    assert!(trimmed <= holes, "{stats:?}");
    assert_eq!((map.len(), map.iter().count(), map.iter().rev().count()), (live, live, live));
    assert_eq!(map.keys().fold(0, |count, _| count + 1), live);
    let masked: u32 = map.blocks().map(|block| block.mask().count_ones()).sum();
    assert_eq!(masked as usize, live);
    assert!(map.iter().all(|(key, value)| map.get(key) == Some(value)));
    assert!(map.iter().map(|(key, _)| key.index()).is_sorted_by(|one, next| one < next));
}

/// Repeatedly fills, clears and removes. No key repeats, and no stale key finds a value.
fn spends<K: Key>(start: u32, rounds: u32) {
    let mut map: SlotMap<K, u32> = SlotMap::with_key();
    let last = <K::Layout as Layout>::MAX_GENERATION;
    let mut gone = HashSet::new();
    map.insert_at(key(0, start.min(last)), 0);
    for round in 0..rounds {
        let mut keys: Vec<K> = map.keys().collect();
        for n in 0..10 {
            let Ok(key) = map.try_insert(n) else { break };
            assert!(key.generation() <= last);
            keys.push(key);
        }
        assert!(keys.iter().all(|key| map.contains_key(*key)));
        for key in &keys[keys.len() / 2..] {
            if round % 3 > 0 {
                map.remove(*key);
            }
        }
        match round % 4 {
            0 => map.clear(),
            1 => drop(map.drain()),
            2 => map.trim(),
            _ => map = map.clone(),
        }
        let kept: Vec<K> = map.keys().collect();
        keys.retain(|key| !kept.contains(key));
        assert!(keys.iter().all(|key| gone.insert(*key)), "a key came again");
        assert!(gone.iter().all(|key| !map.contains_key(*key)));
        check(&map, None);
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn no_key_repeats_when_generations_are_exhausted() {
    for start in [1, 2, 3] {
        spends::<Thrice>(start, 100);
    }
    for edge in [1 << 18, 1 << 19, 1 << 20, 1 << 21] {
        for start in edge - 4..edge {
            spends::<JustFew>(start, 30);
            spends::<JustMany>(start, 30);
        }
    }
    let last = (1 << 31) - 1;
    for start in [last / 2 - 3, last - 5, last - 1, last] {
        spends::<DefaultKey>(start, 30);
        spends::<Single>(start, 30);
    }
}

/// Without keys of other maps, so that slots are forgotten at once as long as there are generations.
#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn repeated_clearing_uses_no_more_generations_than_exist() {
    let mut map: SlotMap<JustMany, u8> = SlotMap::with_key();
    let mut last = 0;
    for round in 0..(1 << 20) + 40 {
        let key = map.insert(1);
        assert!(key.index() > 0 || key.generation() > last, "{key:?}");
        if round % 3 == 0 {
            map.remove(key);
        }
        last = key.generation();
        map.clear();
        assert!(!map.contains_key(key));
    }
    assert!(map.is_empty());
    check(&map, None);
}

#[test]
fn a_map_of_two_slots_retires_both() {
    let mut map: SlotMap<Single, ()> = SlotMap::with_key();
    let last = (1 << 31) - 1;
    map.insert_at(key(1, last), ());
    map.insert_at(key(0, last - 1), ());
    assert!(map.try_insert(()).is_err());
    map.remove(key(0, last - 1));
    map.clear();
    check(&map, Some(2));
    assert_eq!((map.stats().retired, map.stats().holes), (1, 1));
    assert_eq!(map.insert(()), key(0, last));
    map.clear();
    assert_eq!((map.stats().retired, map.stats().holes), (2, 0));
    assert!(map.try_insert(()).is_err());
}

#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(align(256))]
struct Wide(u8);

/// Operations on a map with values of one size or another.
fn shaped<V: Copy + PartialEq>(value: V, reuse: Reuse) {
    let mut map: SlotMap<DefaultKey, V> =
        SlotMap::builder().reuse(reuse).huge_pages(HugePages::Never).build();
    let mut gone = Vec::new();
    for round in 0..6_usize {
        let mut keys = Vec::new();
        map.insert_many(std::iter::repeat_n(value, 700), &mut keys);
        assert!(keys.iter().all(|key| map.get(*key) == Some(&value)));
        assert!(map.values().all(|value| (&raw const *value).is_aligned()));
        let detached = keys[5];
        for (n, key) in keys.iter().enumerate() {
            if n == 5 && round % 2 == 1 {
                assert!(map.detach(*key).is_some());
            } else if n % (round + 2) > 0 || n == 5 {
                assert!(map.remove(*key).is_some());
                gone.push(*key);
            }
        }
        check(&map, None);
        let mut clone = map.clone();
        assert!(clone.try_reattach(detached, value).is_ok() == (round % 2 == 1));
        check(&clone, None);
        gone.extend(map.keys());
        match round {
            0 | 3 => map.clear(),
            1 => drop(map.drain().step_by(2).take(10)),
            2 => drop(mem::take(&mut map).into_iter().nth(7)),
            4 => map.retain(|_, _| false),
            _ => {
                map.extract_if(|key, _| key.index() % 2 == 0).nth(3);
                map.clear();
                map.trim();
            }
        }
        if round == 2 {
            gone.clear();
        }
        assert!(map.is_empty());
        check(&map, None);
        assert!(gone.iter().all(|key| !map.contains_key(*key)));
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn values_of_any_size_are_cleared() {
    for reuse in [Reuse::Recent, Reuse::Lowest, Reuse::Rotating { min_free: 100 }] {
        shaped((), reuse);
        shaped([0_u64; 0], reuse);
        shaped(1_u8, reuse);
        shaped([7_u8; 1000], reuse);
        shaped(Wide(3), reuse);
    }
}

/// Holes of which some are recent, some in the bitmap, some trimmed.
fn with_holes(reuse: Reuse, gone: Range<usize>, step: usize) -> SlotMap<DefaultKey, [u8; 1000]> {
    let mut map = SlotMap::builder().reuse(reuse).huge_pages(HugePages::Never).build();
    let mut keys = Vec::new();
    map.insert_many((0..1000_u32).map(|n| [n.to_le_bytes()[0]; 1000]), &mut keys);
    map.remove_many(keys[gone].iter().copied());
    map.trim();
    for _ in 0..step {
        map.insert([1; 1000]);
    }
    map.remove_many(keys[..200].iter().copied().step_by(step.max(1)));
    map
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn recent_holes_are_never_seen_as_values() {
    for reuse in [Reuse::Recent, Reuse::Lowest, Reuse::Rotating { min_free: 0 }] {
        for step in [0, 1, 3, 40] {
            let mut map = with_holes(reuse, 300..900, step);
            check(&map, Some(1000));
            let values = map.len();
            assert_eq!(map.clone().into_iter().count(), values);
            assert_eq!(map.clone().into_values().rev().count(), values);
            let masked = map.blocks().flat_map(|block| block.iter().collect::<Vec<_>>()).count();
            assert_eq!(masked, values);
            // Leaked half-way, from both ends.
            let mut drain = map.drain();
            let taken = drain.by_ref().take(17).count() + drain.by_ref().rev().take(5).count();
            assert_eq!(drain.len(), values - taken);
            mem::forget(drain);
            check(&map, Some(1000));
            assert_eq!(map.len(), values - taken);
            let mut taken = map.extract_if(|key, _| key.index() % 2 == 0);
            assert!(taken.next().is_some());
            check(&map, Some(1000));
            map.clear();
            check(&map, None);
            let first = map.insert([9; 1000]);
            assert_eq!(map[first], [9; 1000]);
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn refused_or_returned_memory_leaves_keys_stale() {
    for failure in [Failure::Refuse, Failure::Panic] {
        for call in [Call::Commit, Call::Decommit, Call::Discard] {
            for pass in 0..6 {
                let buffer = Buffer::new(4 << 20, 4096, 4096);
                let log = buffer.log();
                let mut map: SlotMap<DefaultKey, [u8; 1000]> = SlotMap::builder().build_in(buffer);
                log.plan(call, failure, pass, 2);
                let mut made = HashSet::new();
                let mut gone: Vec<DefaultKey> = Vec::new();
                for round in 0..8_u8 {
                    for _ in 0..300 {
                        let insert = || map.try_insert([round; 1000]).ok();
                        let Ok(Some(key)) = catch_unwind(AssertUnwindSafe(insert)) else {
                            continue;
                        };
                        assert!(made.insert(key), "{key:?} came again");
                    }
                    check(&map, None);
                    let work = || match round % 4 {
                        0 => map.retain(|key, _| key.index() % 3 == 0),
                        1 => map.clear(),
                        2 => _ = map.prefault_ahead(Budget::bytes(1 << 20)),
                        _ => map.retain(|key, _| key.index() < 5),
                    };
                    let _ = catch_unwind(AssertUnwindSafe(work));
                    let _ = catch_unwind(AssertUnwindSafe(|| map.trim()));
                    gone.extend(made.iter().filter(|key| !map.contains_key(**key)));
                    check(&map, None);
                    assert!(gone.iter().all(|key| !map.contains_key(*key)));
                }
            }
        }
    }
}

/// Applies an operation to a map, chosen by numbers.
fn change(map: &mut SlotMap<DefaultKey, u32>, (kind, n): (u8, u16)) {
    let keys: Vec<_> = map.keys().collect();
    let nth = |n: u16| keys[usize::from(n) % keys.len()];
    match kind % 16 {
        0..6 => map.extend(0..u32::from(n) % 200),
        6 => map.retain(|_, value| *value % 5 < 3),
        7 => map.clear(),
        8 => map.trim(),
        9 => map.compact(|_, _| {}),
        _ if keys.is_empty() => {}
        10 => _ = map.detach(nth(n)),
        11 => _ = map.invalidate(nth(n)),
        _ => _ = map.remove_many((0..n % 150).map(|by| nth(n.wrapping_add(by * 3)))),
    }
}

#[test]
fn a_clone_creates_the_same_keys_as_its_original() {
    let changes = || vec(any::<(u8, u16)>(), 0..60);
    let reuse = prop_oneof![
        Just(Reuse::Recent),
        Just(Reuse::Lowest),
        any::<u8>().prop_map(|n| Reuse::Rotating { min_free: n.into() }),
    ];
    proptest!(effort::cases(30), |(before in changes(), after in changes(), reuse in reuse)| {
        let mut map = SlotMap::builder().reuse(reuse).build();
        for by in before {
            change(&mut map, by);
        }
        let mut clone = map.clone();
        // How many slots are removed depends on how much is committed, of which a clone has less.
        for by in after.into_iter().filter(|(kind, _)| kind % 16 != 8) {
            change(&mut map, by);
            change(&mut clone, by);
            assert!(map.keys().eq(clone.keys()), "after {by:?}");
        }
    });
}

#[test]
fn keys_do_not_depend_on_how_much_is_committed() {
    let changes = vec(any::<(u8, u16)>(), 0..60);
    // With the larger number, more recent holes fit.
    let first = prop_oneof![Just(0), Just(6000)];
    proptest!(effort::cases(10), |(changes in changes, first in first, rotate: Option<u8>)| {
        let reuse = rotate.map_or(Reuse::Recent, |n| Reuse::Rotating { min_free: n.into() });
        let steps = |step_bytes| {
            SlotMap::builder().reuse(reuse).growth(Growth::Fixed { step_bytes })
        };
        let mut maps = [
            steps(1).build(),
            steps(1 << 20).build(),
            steps(1).capacity(20_000).build(),
            steps(300).build_in(Buffer::new(20_000 * 8, 64, 8)),
        ];
        for map in &mut maps {
            map.extend(0..first);
            let some: Vec<_> = map.keys().step_by(9).take(400).collect();
            map.remove_many(some);
        }
        // Except changes that remove slots.
        for by in changes.into_iter().filter(|(kind, _)| kind % 16 != 8) {
            for map in &mut maps {
                change(map, by);
            }
            let [map, others @ ..] = &maps;
            assert!(others.iter().all(|other| map.keys().eq(other.keys())), "after {by:?}");
        }
    });
}
