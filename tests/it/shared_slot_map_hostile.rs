//! What is hard on a map into which many threads put values: phases and owners by turns, maps that are swapped, forgotten
//! and taken apart in between, keys that nobody gave out, and memory that is refused.

#![expect(clippy::cast_possible_truncation, reason = "numbers are small")]

use crate::buffer::{Buffer, Call, Failure};
use crate::effort;
use crate::ledger::{Ledger, Step, Token};
use crate::shared::{THREADS, together};
use stayput::{
    Bits32, DefaultKey, ErrorKind, Growth, Key, KeyData, Reuse, SharedSlotMap, SharedVec, SlotMap,
    Tagged64, new_key_type,
};
use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

new_key_type! {
    /// 256 slots, each used 7 times.
    struct Few: Bits32<8, 3>;
    struct Tagged: Tagged64;
}

/// Numbers that look like chance.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % sides
    }
}

/// A map, and what it should hold.
struct Side<'l, K: Key> {
    map: SharedSlotMap<K, Token<'l>>,
    live: HashMap<K, u32>,
    /// All keys that ever were given.
    given: HashSet<K>,
    detached: Vec<(K, Token<'l>, u32)>,
}

impl<'l, K: Key + std::hash::Hash + Eq + std::fmt::Debug> Side<'l, K> {
    fn new(reuse: Reuse, max_len: Option<usize>, type_id: Option<u32>) -> Self {
        let builder = SharedSlotMap::builder().reuse(reuse);
        let builder = match type_id {
            Some(type_id) => builder.type_id(type_id),
            None => builder,
        };
        let builder = match max_len {
            Some(max_len) => builder.max_len(max_len),
            None => builder,
        };
        Self {
            map: builder.build(),
            live: HashMap::new(),
            given: HashSet::new(),
            detached: Vec::new(),
        }
    }

    fn note(&mut self, key: K, value: u32) {
        assert!(self.given.insert(key), "{key:?} was given before");
        assert!(self.live.insert(key, value).is_none());
    }

    fn some_key(&self, dice: &mut Dice) -> Option<K> {
        let nth = dice.roll(self.live.len().max(1));
        self.live.keys().nth(nth).copied()
    }

    fn check(&self) {
        let Self { map, live, given, .. } = self;
        assert_eq!((map.len(), map.iter().count()), (live.len(), live.len()));
        for key in given {
            let found = map.get(*key);
            assert_eq!(found.map(|token| token.value), live.get(key).copied(), "{key:?}");
            assert_eq!(found.and_then(|token| map.key_of(token)), found.map(|_| *key));
        }
        for (key, token) in map {
            assert_eq!(live.get(&key), Some(&token.value));
        }
        // What nobody was given.
        for number in (0..600).chain((0..64).map(|bit| 1 << bit)).chain((0..64).map(|n| !0 >> n)) {
            let key = K::from(KeyData::from_ffi(number));
            assert_eq!(map.contains_key(key), live.contains_key(&key), "{key:?}");
        }
    }

    /// As threads do.
    fn share(&mut self, ledger: &'l Ledger, dice: &mut Dice, next: &mut u32) {
        for _ in 0..dice.roll(60) {
            *next += 1;
            let number = *next;
            match dice.roll(8) {
                0..=2 => match self.map.try_insert(ledger.token(number)) {
                    Ok((key, _)) => self.note(key, number),
                    Err(refused) => {
                        assert_eq!(refused.value.value, number);
                        let kind = refused.error.kind();
                        assert!(matches!(kind, ErrorKind::MaxLen | ErrorKind::KeyBits), "{kind:?}");
                    }
                },
                3 => {
                    let count = dice.roll(100) as u32;
                    *next += count;
                    let mut keys = Vec::new();
                    let refused =
                        self.map.try_insert_many(ledger.tokens(number..number + count), &mut keys);
                    let rest: Vec<_> = match refused {
                        Ok(()) => Vec::new(),
                        Err(refused) => refused.value.map(|token| token.value).collect(),
                    };
                    let put = keys.len() as u32;
                    assert!(rest.into_iter().eq(number + put..number + count));
                    for (key, number) in keys.into_iter().zip(number..) {
                        self.note(key, number);
                    }
                }
                4 => {
                    // It does something else meanwhile, some of the time.
                    let (mut shown, mut inner) = (None, None);
                    let kind = dice.roll(4);
                    let result = catch_unwind(AssertUnwindSafe(|| {
                        self.map.try_insert_with_key(|key| {
                            shown = Some(key);
                            assert!(self.map.get(key).is_none() && self.map.remove(key).is_none());
                            match kind {
                                0 => return Err(()),
                                1 => panic!("as planned"),
                                2 if inner.is_none() => {
                                    inner = self.map.try_insert(ledger.token(number)).ok();
                                }
                                _ => {}
                            }
                            Ok(ledger.token(number))
                        })
                    }));
                    let given = match result {
                        Ok(Ok((key, value))) => {
                            assert_eq!((shown, value.value), (Some(key), number));
                            Some(key)
                        }
                        _ => None,
                    };
                    let inner = inner.map(|(key, _)| key);
                    for key in given.into_iter().chain(inner) {
                        self.note(key, number);
                    }
                }
                _ => {
                    if let Some(key) = self.some_key(dice) {
                        let number = self.live.remove(&key).unwrap();
                        let value = self.map.remove(key).unwrap();
                        assert_eq!((value.value, ledger.is_live(value)), (number, true));
                        assert!(self.map.remove(key).is_none() && self.map.key_of(value).is_none());
                    }
                }
            }
        }
    }

    /// As the owner does.
    fn own(&mut self, ledger: &'l Ledger, dice: &mut Dice, next: &mut u32) {
        let some = self.some_key(dice);
        match dice.roll(14) {
            0 => self.map.as_mut_map().trim(),
            1 => self.map.as_mut_map().shrink_to_fit(),
            2 => {
                mem::forget(self.map.as_mut_map());
                assert!(self.map.try_insert(ledger.token(0)).is_err());
                assert!(some.is_none_or(|key| self.map.get(key).is_none()));
            }
            3 => {
                let map = mem::take(&mut self.map).into_inner();
                assert_eq!(map.len(), self.live.len());
                self.map = map.into();
            }
            4 => {
                self.map.clear();
                self.live.clear();
            }
            5 => {
                let count = dice.roll(self.live.len() + 1);
                let mut drain = self.map.drain();
                for (key, token) in drain.by_ref().take(count) {
                    assert_eq!(self.live.remove(&key), Some(token.value));
                }
                drop(drain);
                self.live.clear();
            }
            6 => {
                let bit = dice.roll(2) as u32;
                self.map.retain(|_, token| token.value % 2 == bit);
                self.live.retain(|_, value| *value % 2 == bit);
            }
            7 => {
                if let Some(key) = some {
                    let token = self.map.as_mut_map().detach(key).unwrap();
                    let value = self.live.remove(&key).unwrap();
                    self.detached.push((key, token, value));
                }
            }
            8 => {
                if let Some((key, token, value)) = self.detached.pop() {
                    self.map.as_mut_map().reattach(key, token);
                    self.live.insert(key, value);
                }
            }
            9 | 10 => {
                for _ in 0..dice.roll(30) {
                    *next += 1;
                    let inserted = self.map.as_mut_map().try_insert(ledger.token(*next));
                    if let Ok(key) = inserted {
                        self.note(key, *next);
                    }
                }
            }
            11 => {
                if let Some(key) = some {
                    drop(self.map.as_mut_map().remove(key));
                    self.live.remove(&key);
                }
            }
            12 => {
                // Drops of what was removed, one of which panics.
                ledger.set_fuse(Step::Drop, dice.roll(4));
                let _ = catch_unwind(AssertUnwindSafe(|| drop(self.map.as_mut_map())));
                ledger.clear_fuse();
            }
            _ => drop(self.map.as_mut_map()),
        }
    }
}

fn by_turns<K: Key + std::hash::Hash + Eq + std::fmt::Debug>(
    seed: u64,
    max_len: Option<usize>,
    type_ids: [Option<u32>; 2],
) {
    let ledger = Ledger::new();
    let dice = &mut Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut next = 0;
    {
        let reuse = match dice.roll(3) {
            0 => Reuse::Recent,
            1 => Reuse::Lowest,
            _ => Reuse::Rotating { min_free: dice.roll(40) },
        };
        let mut sides = [
            Side::<K>::new(reuse, max_len, type_ids[0]),
            Side::new(Reuse::Recent, max_len, type_ids[1]),
        ];
        for _ in 0..40 {
            let at = dice.roll(2);
            sides[at].share(&ledger, dice, &mut next);
            sides[at].check();
            sides[at].own(&ledger, dice, &mut next);
            drop(sides[at].map.as_mut_map());
            if dice.roll(5) == 0 {
                // The insides of one are those of the other from now on, with values removed in both.
                let [a, b] = &mut sides;
                mem::swap(&mut *a.map.as_mut_map(), &mut *b.map.as_mut_map());
                mem::swap(&mut a.live, &mut b.live);
                mem::swap(&mut a.given, &mut b.given);
                mem::swap(&mut a.detached, &mut b.detached);
            }
            sides.iter().for_each(Side::check);
            let live: usize = sides.iter().map(|side| side.live.len() + side.detached.len()).sum();
            assert_eq!(ledger.live(), live);
        }
    }
    ledger.assert_all_dropped_but(0);
}

#[test]
fn phases_and_owners_by_turns_lose_nothing_and_give_no_key_twice() {
    for seed in 1..=u64::from(effort::rounds(8)) {
        by_turns::<Few>(seed, None, [None; 2]);
        by_turns::<Few>(seed, Some(100), [None; 2]);
        by_turns::<DefaultKey>(seed, None, [None; 2]);
        by_turns::<Tagged>(seed, Some(1000), [Some(7), Some(8)]);
    }
}

#[test]
fn a_forgotten_owner_leaves_an_empty_map() {
    let mut map = SharedSlotMap::new();
    map.insert_many(0..10, &mut Vec::new());
    drop(map.as_mut_map());
    mem::forget(map.as_mut_map());
    // No value is found any more.
    assert_eq!((map.iter().count(), map.len(), map.is_empty()), (0, 0, true));
}

/// The list of holes is needed while it is shared, it is said.
#[test]
fn memory_for_holes_that_were_filled_goes_back_to_the_system() {
    let mut map = SharedSlotMap::<DefaultKey, u64>::new();
    map.insert_many(0..1 << 20, &mut Vec::new());
    // The last one stays, so that the others are holes.
    map.retain(|_, n| *n == (1 << 20) - 1);
    map.as_mut_map().trim();
    let before = map.stats().committed_bytes;
    map.insert_many(0..(1 << 20) - 1, &mut Vec::new());
    map.retain(|key, _| key.index() == (1 << 20) - 1);
    assert_eq!(map.len(), 1);
    map.as_mut_map().trim();
    map.shrink_to_fit();
    let after = map.stats().committed_bytes;
    assert!(after <= before + (1 << 20), "{before} {after}");
}

#[test]
fn who_always_inserts_while_a_value_is_made_fills_the_map_and_is_refused() {
    let map = SharedSlotMap::<DefaultKey, usize>::with_max_len(1000);
    let insert = || map.insert_with_key(|_| *map.insert(7).1).0;
    assert!(catch_unwind(AssertUnwindSafe(insert)).is_err());
    assert_eq!(map.len(), 1000);
}

/// Each way to put values in, by threads, until there is no room, phase by phase.
fn fill_up<K: Key + Send + Sync + std::hash::Hash + Eq>(
    mut map: SharedSlotMap<K, u64>,
    most: usize,
    phases: usize,
) {
    let mut given = HashSet::new();
    for phase in 0..phases {
        let before = map.len();
        let keys = together(|worker| {
            let mut keys = Vec::new();
            for n in 0.. {
                let is_full = match (n + worker) % 3 {
                    0 => map.try_insert(7).map(|(key, _)| keys.push(key)).is_err(),
                    1 => map.try_insert_many(vec![7; 1 + n % 70], &mut keys).is_err(),
                    _ => catch_unwind(AssertUnwindSafe(|| {
                        let made = |key| Ok::<_, Infallible>(u64::from(map.contains_key(key)) + 7);
                        keys.push(map.try_insert_with_key(made).unwrap().0);
                    }))
                    .is_err(),
                };
                if is_full {
                    break;
                }
            }
            keys
        });
        let new: Vec<K> = keys.into_iter().flatten().collect();
        assert_eq!((map.len(), map.iter().count(), new.len()), (most, most, most - before));
        assert!(new.iter().all(|key| given.insert(*key) && map.get(*key) == Some(&7)));
        assert_eq!(map.try_insert(7).unwrap_err().value, 7);
        // All but some go, each taken out by one of all threads.
        let wins = AtomicUsize::new(0);
        together(|_| {
            for key in new.iter().skip(phase % 5) {
                if map.remove(*key).is_some() {
                    wins.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
        assert_eq!(wins.into_inner(), new.len().saturating_sub(phase % 5));
        assert!(map.try_insert(7).is_err());
        match phase % 4 {
            0 => drop(map.as_mut_map()),
            1 => map.as_mut_map().trim(),
            2 => map = map.into_inner().into(),
            _ => mem::forget(map.as_mut_map()),
        }
        drop(map.as_mut_map());
    }
}

#[test]
fn threads_fill_all_slots_in_every_phase_and_no_more() {
    for round in 0..effort::rounds(10) as usize {
        fill_up(SharedSlotMap::<Few, u64>::with_key(), 256, 6);
        for reuse in [Reuse::Recent, Reuse::Lowest] {
            let builder = SharedSlotMap::<DefaultKey, u64>::builder().reuse(reuse);
            fill_up(builder.max_len(777 + 1000 * round).build(), 777 + 1000 * round, 8);
            let step = Growth::Fixed { step_bytes: 1 };
            fill_up(builder.max_len(3000).growth(step).build(), 3000, 8);
        }
    }
}

/// Aligned to more than a line, and large.
#[derive(Debug)]
#[repr(align(256))]
struct Wide([usize; 40]);

impl Drop for Wide {
    fn drop(&mut self) {
        assert!(self.0.iter().all(|n| *n == self.0[0]) && self.0[0] != usize::MAX);
        self.0.fill(usize::MAX);
        WIDE.fetch_sub(1, Ordering::Relaxed);
    }
}

static WIDE: AtomicUsize = AtomicUsize::new(0);

fn wide(n: usize) -> Wide {
    WIDE.fetch_add(1, Ordering::Relaxed);
    Wide([n; 40])
}

#[test]
fn phases_of_threads_and_owners_lose_nothing_whatever_memory_does() {
    for round in 0..effort::rounds(6) as usize {
        let buffer = Buffer::new(1 << 20, 4096, 256);
        let log = buffer.log();
        let builder = SharedSlotMap::<DefaultKey, Wide>::builder();
        let builder = builder.growth(Growth::Fixed { step_bytes: 4096 << (round % 3) });
        let mut map = builder.build_in(buffer);
        let mut stale = HashSet::new();
        let mut live: Vec<(DefaultKey, usize)> = Vec::new();
        for phase in 0..12 {
            if phase % 3 == 1 {
                log.plan(Call::Commit, Failure::Refuse, phase % 4, 4);
            }
            let known = SharedVec::from(live.clone());
            let results = together(|worker| {
                let mut dice = Dice((round * 100 + phase * 10 + worker + 1) as u64 * 0x9e37_79b9);
                let (mut added, mut removed, mut held) = (Vec::new(), Vec::new(), Vec::new());
                for n in 0..150 {
                    match dice.roll(5) {
                        0 | 1 => match map.try_insert(wide(worker << 20 | phase << 10 | n)) {
                            Ok((key, value)) => {
                                assert!(!stale.contains(&key));
                                added.push((key, value.0[0]));
                                known.push((key, value.0[0]));
                                held.push(value);
                            }
                            Err(refused) => drop(refused.value),
                        },
                        2 => {
                            let picked = known.get(dice.roll(known.len().max(1))).copied();
                            let Some((key, number)) = picked else { continue };
                            if let Some(value) = map.remove(key) {
                                assert_eq!(value.0, [number; 40]);
                                removed.push(key);
                                held.push(value);
                            }
                        }
                        3 => {
                            for (key, value) in map.iter().take(50) {
                                assert!(value.0.iter().all(|n| *n == value.0[0]));
                                assert!(map.get(key).is_none_or(|now| std::ptr::eq(now, value)));
                            }
                        }
                        _ => assert!(held.iter().all(|value| value.0 == [value.0[0]; 40])),
                    }
                }
                assert!(held.iter().all(|value| value.0 == [value.0[0]; 40]));
                (added, removed)
            });
            let mut gone = HashSet::new();
            for (added, removed) in results {
                live.extend(added);
                for key in removed {
                    assert!(gone.insert(key), "two took {key:?} out");
                }
            }
            live.retain(|(key, _)| !gone.contains(key));
            stale.extend(gone);
            let check = |map: &SharedSlotMap<DefaultKey, Wide>| {
                assert_eq!((map.len(), map.iter().count()), (live.len(), live.len()));
                assert!(live.iter().all(|(key, n)| map[*key].0 == [*n; 40]));
                assert!(stale.iter().all(|key| map.get(*key).is_none()));
            };
            check(&map);
            match (phase + round) % 4 {
                0 => map.as_mut_map().trim(),
                1 => map = map.into_inner().into(),
                2 => map.as_mut_map().shrink_to_fit(),
                _ => mem::forget(map.as_mut_map()),
            }
            drop(map.as_mut_map());
            check(&map);
            assert_eq!(WIDE.load(Ordering::Relaxed), live.len());
        }
        drop(map);
        assert_eq!((WIDE.load(Ordering::Relaxed), log.drops()), (0, 1));
    }
}

#[test]
fn a_backing_that_refuses_the_first_memory_comes_back() {
    let buffer = Buffer::new(1 << 16, 4096, 8);
    let log = buffer.log();
    log.plan(Call::Commit, Failure::Refuse, 0, 10);
    let builder = SharedSlotMap::<DefaultKey, u64>::builder().capacity(1000);
    let refused = builder.try_build_in(buffer).map(drop).unwrap_err();
    assert_eq!(log.drops(), 0);
    log.plan(Call::Commit, Failure::Refuse, 100, 0);
    let map = builder.try_build_in(refused.value).map_err(drop).unwrap();
    assert!(map.capacity() >= 1000);
    let inner: SlotMap<DefaultKey, u64> = map.into_inner();
    assert_eq!((inner.len(), log.drops()), (0, 0));
    drop(inner);
    assert_eq!((log.drops(), THREADS > 1), (1, true));
}
