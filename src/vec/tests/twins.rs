//! The same calls have the same results in fresh memory and in cached memory, which holds old values, bits and states.

#![expect(clippy::cast_possible_truncation, reason = "numbers are small")]

use super::warm::leave;
use crate::effort;
use crate::key::KeyData;
use crate::region_cache::tests::alone;
use crate::{Budget, DefaultKey, Key, Reuse, SecondaryMap, SlotMap, VmVec, page_size};
use std::thread;

/// Random calls, and the record of their results.
struct Run {
    chance: u64,
    seen: Vec<u64>,
}

impl Run {
    fn below(&mut self, end: usize) -> usize {
        self.chance = self.chance.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(99_991);
        (self.chance >> 33) as usize % end.max(1)
    }

    fn tell(&mut self, number: usize) {
        self.seen.push(number as u64);
    }
}

/// Runs the calls with an empty region cache, and then with a full one.
fn same(calls: impl Fn(&mut Run) + Sync, litter: impl Fn(&mut Run)) {
    for seed in 0..effort::rounds(1).into() {
        let new = || Run { chance: seed, seen: Vec::new() };
        let fresh = || {
            let mut run = new();
            calls(&mut run);
            run.seen
        };
        // While this is held, only this thread uses the region cache, so the spawned one gets fresh memory.
        let _alone = alone();
        let fresh = thread::scope(|scope| scope.spawn(fresh).join()).unwrap();
        let mut litterer = Run { chance: !seed, seen: Vec::new() };
        litter(&mut litterer);
        let mut run = new();
        for round in 0..2 {
            (run.chance, run.seen) = (seed, Vec::new());
            calls(&mut run);
            let first = run.seen.iter().zip(&fresh).position(|(warm, fresh)| warm != fresh);
            if let Some(at) = first {
                let from = at.saturating_sub(8);
                panic!(
                    "seed {seed}, round {round}: {:?} for {:?}",
                    &run.seen[from..=at],
                    &fresh[from..=at]
                );
            }
            assert_eq!(run.seen.len(), fresh.len(), "seed {seed}, round {round}");
        }
    }
}

/// Looks up keys of some indices and generations, including forged ones.
fn probe(run: &mut Run, slots: usize, mut find: impl FnMut(DefaultKey) -> bool) {
    for _ in 0..50 {
        let (index, generation) = (run.below(slots + 100), 1 + run.below(5));
        let data = KeyData::from_parts(index as u32, generation as u32, 0).unwrap();
        let is_there = find(DefaultKey::from(data));
        run.tell(usize::from(is_there));
    }
}

fn use_slot_map(run: &mut Run, reuse: Reuse) {
    type Map = SlotMap<DefaultKey, Box<u64>>;
    let mut map: Map = SlotMap::builder().reuse(reuse).build();
    let mut keys: Vec<DefaultKey> = Vec::new();
    for n in 0..20 {
        match run.below(20) {
            0..=4 => {
                let more = run.below(3000);
                keys.extend((0..more).map(|m| map.insert(Box::new(m as u64))));
            }
            5..=7 => {
                for _ in 0..run.below(keys.len()) {
                    let key = keys.swap_remove(run.below(keys.len()));
                    run.tell(map.remove(key).map_or(0, |value| *value as usize));
                }
            }
            8 => {
                let index = run.below(map.capacity() + 5000) as u32;
                let data = KeyData::from_parts(index, 1 + run.below(4) as u32, 0).unwrap();
                let key = DefaultKey::from(data);
                match map.try_insert_at(key, Box::new(7)) {
                    Ok(()) => keys.push(key),
                    Err(refused) => run.tell(refused.error.kind() as usize),
                }
            }
            9 => map.trim(),
            10 => while !map.trim_within(Budget::bytes(100 << 10)).unwrap().is_done {},
            11 => map.shrink_to_fit(),
            12 => map.reserve(run.below(5000)),
            13 => map.reserve_exact(run.below(5000)),
            14 => map = map.clone(),
            15 => {
                map.drain().take(100).for_each(drop);
                keys.clear();
            }
            16 if run.below(3) == 0 => map.reset(),
            16 => map.clear(),
            17 => {
                keys.clear();
                map.compact(|_, new| keys.push(new));
            }
            18 => {
                if let Some(key) = keys.pop() {
                    if map.detach(key).is_some() && run.below(2) == 0 {
                        map.reattach(key, Box::new(8));
                    }
                }
            }
            _ => {
                let values = map.grow_only();
                let (_, first) = values.insert(Box::new(5));
                let more = run.below(2000);
                keys.extend((0..more).map(|m| values.insert(Box::new(m as u64)).0));
                run.tell(**first as usize);
            }
        }
        let stats = map.stats();
        run.tell(n);
        for number in [stats.live, stats.holes, stats.detached, stats.retired, stats.trimmed] {
            run.tell(number);
        }
        for number in [stats.capacity, stats.max_len, stats.reserved_bytes] {
            run.tell(number);
        }
        for (key, value) in &map {
            run.tell(key.data().index() as usize + key.data().generation() as usize * 31);
            run.tell(**value as usize);
        }
        probe(run, stats.capacity, |key| map.get(key).is_some_and(|value| **value < 5000));
    }
    let left: u64 = map.into_values().map(|value| *value).sum();
    run.tell(left as usize);
}

fn use_secondary_map(run: &mut Run) {
    let mut map: SecondaryMap<DefaultKey, Box<u64>> = SecondaryMap::new();
    let key = |index: usize, generation: usize| {
        DefaultKey::from(KeyData::from_parts(index as u32, generation as u32, 0).unwrap())
    };
    for n in 0..40 {
        match run.below(12) {
            0..=3 => {
                let (first, generation) = (run.below(20_000), 1 + run.below(4));
                for at in first..first + run.below(500) {
                    let older = map.try_insert(key(at, generation), Box::new(at as u64));
                    run.tell(usize::from(older.is_ok_and(|older| older.is_some())));
                }
            }
            4 => {
                let odd = run.below(2) as u64;
                map.retain(|_, value| **value % 2 == odd);
            }
            5 => map.shrink_to_fit(),
            6 => map.reserve(run.below(5000)),
            7 => map.set_capacity(run.below(40_000)),
            8 => map = map.clone(),
            9 => map.drain().take(100).for_each(drop),
            10 => map.clear(),
            _ => {
                let values = map.grow_only();
                let at = run.below(20_000);
                run.tell(usize::from(values.insert(key(at, 2), Box::new(3)).is_ok()));
            }
        }
        let stats = map.stats();
        for number in [n, stats.live, stats.slots, stats.capacity, stats.max_len] {
            run.tell(number);
        }
        run.tell(stats.reserved_bytes);
        for (key, value) in &map {
            run.tell(key.data().index() as usize + key.data().generation() as usize * 31);
            run.tell(**value as usize);
        }
        probe(run, stats.capacity, |key| map.get(key).is_some_and(|value| **value < 50_000));
    }
}

fn use_vec(run: &mut Run) {
    let mut vec: VmVec<u32> = VmVec::new();
    for n in 0..60 {
        match run.below(14) {
            0..=3 => (0..run.below(30_000)).for_each(|m| vec.push(m as u32)),
            4 => vec.reserve(run.below(300_000)),
            5 => vec.reserve_exact(run.below(300_000)),
            6 => vec.truncate(run.below(vec.len())),
            7 => vec.shrink_to_fit(),
            8 => vec.shrink_to(run.below(100_000)),
            9 => vec = vec.clone(),
            10 => vec = vec.split_off(run.below(vec.len())),
            11 => drop(vec.drain(..run.below(vec.len()))),
            // SAFETY: 0 is a valid number.
            #[expect(unsafe_code, reason = "treats zeroed memory as numbers")]
            12 => unsafe { vec.try_extend_zeroed_unchecked(run.below(200_000)) }.unwrap(),
            _ => vec = vec.into_iter().skip(10).collect(),
        }
        for number in [n, vec.len(), vec.capacity(), vec.max_len(), vec.stats().reserved_bytes] {
            run.tell(number);
        }
        assert!(vec.stats().committed_bytes >= 4 * vec.capacity());
        run.tell(vec.iter().map(|number| *number as usize).sum());
    }
}

/// Memory of many sizes in which all bytes are set.
fn leave_bytes(run: &mut Run) {
    for _ in 0..12 {
        leave(page_size() * (1 + run.below(200)));
    }
    leave(3 << 20);
    leave(10 << 20);
}

/// Bitmaps of maps with that many slots, in which all bits are set.
fn leave_bits(run: &mut Run, max_len: usize) {
    let all: Vec<VmVec<u64>> = (0..4)
        .map(|_| {
            let mut words = VmVec::with_max_len(max_len.div_ceil(64));
            words.resize(1 + run.below(100_000), u64::MAX);
            words
        })
        .collect();
    drop(all);
}

/// Values and holes of other maps.
fn leave_maps(run: &mut Run) {
    let mut maps = Vec::new();
    for n in 0..4 {
        let mut map: SlotMap<DefaultKey, Box<u64>> = SlotMap::new();
        for _ in 0..=n {
            map.clear();
            let keys: Vec<_> = (0..5000).map(|m| map.insert(Box::new(m))).collect();
            keys.iter().filter(|_| run.below(2) == 0).for_each(|key| drop(map.remove(*key)));
        }
        leave_bits(run, map.max_len());
        let mut second: SecondaryMap<DefaultKey, Box<u64>> = SecondaryMap::new();
        second.extend(map.keys().map(|key| (key, Box::new(9))));
        leave_bits(run, second.max_len());
        maps.push((map, second));
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn an_array_does_the_same_in_cached_memory_as_in_fresh() {
    same(use_vec, leave_bytes);
}

#[test]
#[cfg_attr(no_vm, ignore = "default reservations are small there")]
fn a_slot_map_does_the_same_in_cached_memory_as_in_fresh() {
    same(|run| use_slot_map(run, Reuse::Recent), leave_maps);
    same(|run| use_slot_map(run, Reuse::Lowest), leave_bytes);
    same(
        |run| use_slot_map(run, Reuse::Rotating { min_free: 50 }),
        |run| {
            leave_maps(run);
            leave_bytes(run);
        },
    );
}

#[test]
#[cfg_attr(no_vm, ignore = "default reservations are small there")]
fn a_secondary_map_does_the_same_in_cached_memory_as_in_fresh() {
    same(use_secondary_map, leave_maps);
    same(use_secondary_map, leave_bytes);
}
