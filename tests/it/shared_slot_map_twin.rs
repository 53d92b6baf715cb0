//! A `SharedSlotMap` and a map of std side by side, and threads that work on one: what the model test and the fuzz target
//! `shared_slot_map_model` share.

use crate::ledger::{Ledger, Token};
use crate::shared_slot_map_op::{Config, Op, Owned};
use stayput::{Key, Reuse, SharedSlotMap};
use std::collections::{HashMap, HashSet};
use std::mem;
use std::sync::Barrier;
use std::thread;

impl Config {
    fn build<K: Key, V>(self) -> SharedSlotMap<K, V> {
        let mut builder = SharedSlotMap::builder();
        if let Some(max_len) = self.max_len {
            let most = SharedSlotMap::<K, V>::with_key().max_len();
            builder = builder.max_len((usize::from(max_len) * 3).min(most));
        }
        if let Some(min_free) = self.rotate {
            builder = builder.reuse(Reuse::Rotating { min_free: min_free.get() as usize });
        } else if self.lowest {
            builder = builder.reuse(Reuse::Lowest);
        }
        match self.type_id {
            Some(id) if SharedSlotMap::<K, V>::builder().type_id(1).try_build().is_ok() => {
                builder.type_id(u32::from(id)).build()
            }
            _ => builder.build(),
        }
    }
}

/// What was given, and is there.
struct Twin<K> {
    given: Vec<K>,
    all: HashSet<K>,
    here: HashMap<K, u32>,
    detached: usize,
}

impl<K: Key> Twin<K> {
    fn new() -> Self {
        Self { given: Vec::new(), all: HashSet::new(), here: HashMap::new(), detached: 0 }
    }

    fn add(&mut self, key: K, number: u32) {
        assert!(self.all.insert(key), "{key:?} was given before");
        self.given.push(key);
        self.here.insert(key, number);
    }

    fn pick(&self, pick: u16) -> K {
        match self.given.len() {
            0 => K::null(),
            len => self.given[usize::from(pick) % len],
        }
    }
}

pub(crate) fn run<K: Key>(config: Config, frames: &[(Vec<Op>, Owned)]) {
    let ledger = Ledger::new();
    let mut map: SharedSlotMap<K, Token<'_>> = config.build();
    let mut twin = Twin::new();
    let mut next = 0;
    let mut token = || {
        next += 1;
        ledger.token(next)
    };
    for (ops, owned) in frames {
        let before = ledger.live();
        let mut removed = 0;
        for op in ops {
            match *op {
                Op::Insert => {
                    let token = token();
                    let number = token.value;
                    match map.try_insert(token) {
                        Ok((key, value)) => {
                            assert_eq!(value.value, number);
                            twin.add(key, number);
                        }
                        Err(refused) => assert_eq!(refused.value.value, number),
                    }
                }
                Op::InsertMany(count) => {
                    let tokens: Vec<_> = (0..count.get()).map(|_| token()).collect();
                    let numbers: Vec<_> = tokens.iter().map(|token| token.value).collect();
                    let mut keys = Vec::new();
                    let refused = map.try_insert_many(tokens, &mut keys).err();
                    let left = refused.map_or(0, |refused| refused.value.count());
                    assert_eq!(keys.len() + left, numbers.len());
                    keys.into_iter().zip(numbers).for_each(|(key, number)| twin.add(key, number));
                }
                Op::InsertWithKey(is_made) => {
                    // What is refused panics.
                    if map.try_reserve(1).is_ok() {
                        let made = map.try_insert_with_key(|key| {
                            if is_made { Ok((key, token())) } else { Err(key) }
                                .map(|(_, token)| token)
                        });
                        match made {
                            Ok((key, value)) => twin.add(key, value.value),
                            Err(key) => assert!(!is_made && !map.contains_key(key)),
                        }
                    }
                }
                Op::Remove(pick) => {
                    let key = twin.pick(pick);
                    let value = map.remove(key).map(|token| token.value);
                    assert_eq!(value, twin.here.remove(&key));
                    removed += usize::from(value.is_some());
                }
                Op::RemoveSpan(pick, count) => {
                    for pick in (0..).take(count.get() as usize).map(|n| pick.wrapping_add(n)) {
                        let key = twin.pick(pick);
                        let value = map.remove(key).map(|token| token.value);
                        assert_eq!(value, twin.here.remove(&key));
                        removed += usize::from(value.is_some());
                    }
                }
                Op::RemoveBits(bits) => {
                    let Some(key) = K::from_bits(bits) else { continue };
                    if !twin.here.contains_key(&key) && map.get(key).is_none() {
                        assert!(map.remove(key).is_none());
                    }
                }
                Op::Reserve(count) => _ = map.try_reserve(count.get() as usize),
                Op::Prefault(count) => _ = map.try_prefault(count.get() as usize),
                Op::Iterate => {
                    let found: HashMap<_, _> =
                        map.iter().map(|(key, token)| (key, token.value)).collect();
                    assert_eq!(found, twin.here);
                }
            }
            assert_eq!(map.len(), twin.here.len());
        }
        assert!(ledger.live() >= before && ledger.live() == twin.here.len() + removed);
        assert!(map.stats().live == twin.here.len());
        own(&mut map, &mut twin, *owned, &mut token, config);
        for key in &twin.given {
            assert_eq!(map.get(*key).map(|token| token.value), twin.here.get(key).copied());
        }
        let owned = map.as_mut_map();
        assert_eq!(ledger.live(), twin.here.len());
        let stats = owned.stats();
        assert_eq!(
            (owned.len(), stats.live, stats.detached),
            (twin.here.len(), twin.here.len(), twin.detached)
        );
        let slots = owned.iter().count() + stats.holes + stats.detached + stats.retired;
        assert!(slots <= stats.capacity && stats.trimmed <= stats.holes);
    }
    drop(map);
    ledger.assert_all_dropped_but(0);
}

fn own<'l, K: Key>(
    map: &mut SharedSlotMap<K, Token<'l>>,
    twin: &mut Twin<K>,
    owned: Owned,
    token: &mut impl FnMut() -> Token<'l>,
    config: Config,
) {
    match owned {
        Owned::Nothing => drop(map.as_mut_map()),
        Owned::Insert(count) => {
            let mut map = map.as_mut_map();
            for _ in 0..count.get() {
                let token = token();
                let number = token.value;
                if let Ok(key) = map.try_insert(token) {
                    twin.add(key, number);
                }
            }
        }
        Owned::Remove(pick) => {
            let key = twin.pick(pick);
            let value = map.as_mut_map().remove(key).map(|token| token.value);
            assert_eq!(value, twin.here.remove(&key));
        }
        Owned::Retain(part) => {
            let stays = |number: u32| number % (u32::from(part) + 1) != 0;
            map.retain(|_, token| stays(token.value));
            twin.here.retain(|_, number| stays(*number));
        }
        Owned::Detach(pick) => {
            let key = twin.pick(pick);
            let value = map.as_mut_map().detach(key).map(|token| token.value);
            assert_eq!(value, twin.here.remove(&key));
            twin.detached += usize::from(value.is_some());
        }
        Owned::Trim => map.as_mut_map().trim(),
        Owned::Shrink => map.as_mut_map().shrink_to_fit(),
        Owned::Clear => {
            map.clear();
            twin.here.clear();
        }
        Owned::Drain(count) => {
            for (key, token) in map.drain().take(count.get() as usize) {
                assert_eq!(twin.here.remove(&key), Some(token.value));
            }
            twin.here.clear();
        }
        Owned::Forget => {
            mem::forget(map.as_mut_map());
            assert!(map.try_insert(token()).is_err() && map.iter().count() == 0);
            drop(map.as_mut_map());
        }
        Owned::IntoInner => {
            let inner = mem::take(map).into_inner();
            assert_eq!(inner.len(), twin.here.len());
            *map = inner.into();
        }
        Owned::Replace => {
            // Keys of the other one may look the same.
            drop(mem::replace(map, config.build()));
            *twin = Twin::new();
        }
        Owned::GetMut(pick) => {
            let key = twin.pick(pick);
            let value = map.get_mut(key).map(|token| token.value);
            assert_eq!(value, twin.here.get(&key).copied());
        }
    }
}

/// Has threads do so, each for itself, and adds up what they were told.
pub(crate) fn run_together<K: Key + Send + Sync>(config: Config, frames: &[Vec<Vec<Op>>]) {
    let mut map: SharedSlotMap<K, Box<u32>> = config.build();
    let mut twin = Twin::new();
    for (frame, lists) in frames.iter().enumerate() {
        let barrier = Barrier::new(lists.len());
        let done: Vec<_> = thread::scope(|scope| {
            let (map, twin, barrier) = (&map, &twin, &barrier);
            let begin = |worker: usize| {
                let ops = lists[worker].as_slice();
                scope.spawn(move || perform(map, twin, worker, ops, barrier))
            };
            let workers: Vec<_> = (0..lists.len()).map(begin).collect();
            workers.into_iter().map(|worker| worker.join().unwrap()).collect()
        });
        let (added, gone): (Vec<_>, Vec<_>) = done.into_iter().unzip();
        added.into_iter().flatten().for_each(|(key, number)| twin.add(key, number));
        for (key, number) in gone.into_iter().flatten() {
            assert_eq!(twin.here.remove(&key), Some(number), "{key:?} was removed twice");
        }
        assert_eq!(map.len(), twin.here.len());
        let found: HashMap<_, _> = map.iter().map(|(key, number)| (key, **number)).collect();
        assert_eq!(found, twin.here);
        match frame % 4 {
            0 => assert_eq!(map.as_mut_map().len(), twin.here.len()),
            1 => map = map.into_inner().into(),
            2 => map.as_mut_map().trim(),
            _ => {}
        }
        assert!(
            twin.given.iter().all(|key| map.get(*key).map(|n| **n) == twin.here.get(key).copied())
        );
    }
}

type Told<K> = (Vec<(K, u32)>, Vec<(K, u32)>);

fn perform<K: Key>(
    map: &SharedSlotMap<K, Box<u32>>,
    twin: &Twin<K>,
    worker: usize,
    ops: &[Op],
    barrier: &Barrier,
) -> Told<K> {
    let (mut added, mut gone) = (Vec::new(), Vec::new());
    let mut next = u32::try_from(worker).unwrap() << 24;
    let mut number = || {
        next += 1;
        next
    };
    barrier.wait();
    for op in ops {
        match *op {
            // In a full map what makes values of keys panics, in a thread.
            Op::Insert | Op::InsertWithKey(_) => added.extend(number_in(map, number())),
            Op::InsertMany(count) => {
                let numbers: Vec<_> = (0..count.get()).map(|_| number()).collect();
                let mut keys = Vec::new();
                let refused = map.try_insert_many(numbers.iter().copied().map(Box::new), &mut keys);
                let left = refused.err().map_or(0, |refused| refused.value.count());
                assert_eq!(keys.len() + left, numbers.len());
                added.extend(keys.into_iter().zip(numbers));
            }
            Op::Remove(pick) => remove(map, twin.pick(pick), &mut gone),
            Op::RemoveSpan(pick, count) => {
                for pick in (0..).take(count.get() as usize).map(|n| pick.wrapping_add(n)) {
                    remove(map, twin.pick(pick), &mut gone);
                }
                if let Some((key, _)) = added.get(usize::from(pick)) {
                    remove(map, *key, &mut gone);
                }
            }
            Op::RemoveBits(bits) => {
                if let Some(key) = K::from_bits(bits) {
                    assert!(map.get(key).is_none_or(|number| **number > 0));
                }
            }
            Op::Reserve(count) => _ = map.try_reserve(count.get() as usize),
            Op::Prefault(count) => _ = map.try_prefault(count.get() as usize),
            Op::Iterate => assert!(map.iter().all(|(_, number)| **number > 0)),
        }
    }
    (added, gone)
}

fn number_in<K: Key>(map: &SharedSlotMap<K, Box<u32>>, number: u32) -> Option<(K, u32)> {
    let (key, value) = map.try_insert(Box::new(number)).ok()?;
    assert!(**value == number && map.get(key).is_none_or(|found| **found == number));
    Some((key, number))
}

fn remove<K: Key>(map: &SharedSlotMap<K, Box<u32>>, key: K, gone: &mut Vec<(K, u32)>) {
    if let Some(number) = map.remove(key) {
        gone.push((key, **number));
    }
}
