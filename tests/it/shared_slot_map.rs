//! Maps that many threads insert into and remove from, apart from what the model test covers.

use crate::buffer::{Buffer, Call, Failure};
use crate::effort;
use crate::ledger::{Ledger, Step};
use crate::shared::{THREADS, together};
use crate::slot_map_op::{Medium, Tagged};
use static_assertions::{assert_impl_all, assert_not_impl_any};
use stayput::shared::map::{Drain, Iter, MapMut};
use stayput::{
    CommitAhead, DefaultKey, Error, ErrorKind, Growth, HugePages, Key, Reuse, SharedSlotMap,
    SlotMap,
};
use std::cell::Cell;
use std::collections::HashSet;
use std::convert::Infallible;
use std::mem;
use std::panic::{AssertUnwindSafe, RefUnwindSafe, UnwindSafe, catch_unwind};
use std::ptr;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;

type Shared<V> = SharedSlotMap<DefaultKey, V>;

assert_impl_all!(Shared<u8>: Send, Sync, UnwindSafe, RefUnwindSafe);
assert_impl_all!(Shared<Cell<u8>>: Send);
assert_not_impl_any!(Shared<Cell<u8>>: Sync);
assert_not_impl_any!(Shared<Rc<u8>>: Send, Sync);
// References to a guard can be shared, but a guard cannot be sent to another thread.
assert_not_impl_any!(Shared<std::sync::MutexGuard<'static, u8>>: Send, Sync);
assert_impl_all!(MapMut<'static, DefaultKey, u8>: Send, Sync);
assert_impl_all!(MapMut<'static, DefaultKey, Cell<u8>>: Send);
assert_not_impl_any!(MapMut<'static, DefaultKey, Cell<u8>>: Sync);
assert_not_impl_any!(MapMut<'static, DefaultKey, Rc<u8>>: Send, Sync);
assert_impl_all!(Iter<'static, DefaultKey, u8>: Send, Sync, Clone);
assert_not_impl_any!(Iter<'static, DefaultKey, Cell<u8>>: Send, Sync);
assert_impl_all!(Drain<'static, DefaultKey, u8>: Send, Sync);

/// Counts values on all threads.
struct Counted<'c>(&'c AtomicUsize, usize);

impl<'c> Counted<'c> {
    fn new(live: &'c AtomicUsize, number: usize) -> Self {
        live.fetch_add(1, Ordering::Relaxed);
        Self(live, number)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
        self.1 = usize::MAX;
    }
}

#[test]
fn keys_with_few_generations_are_returned_once_until_all_slots_are_retired() {
    let mut map = SharedSlotMap::<Medium, usize>::with_key();
    let mut given = HashSet::new();
    for round in 0.. {
        let keys: Vec<Vec<Medium>> = together(|worker| {
            let mut keys = Vec::new();
            while let Ok((key, _)) = map.try_insert(worker) {
                keys.push(key);
                if keys.len() % 2 == round % 2 {
                    assert!(map.remove(key).is_some());
                }
            }
            keys
        });
        let before = given.len();
        for key in keys.into_iter().flatten() {
            assert!(given.insert(key), "{key:?}");
        }
        assert_eq!(map.try_insert(0).unwrap_err().error.kind(), ErrorKind::KeyBits);
        map.clear();
        if given.len() == before {
            break;
        }
    }
    assert_eq!((given.len(), map.stats().retired), (256 * 7, 256));
}

#[test]
fn concurrent_readers_see_complete_values_and_all_earlier_ones() {
    let map = Shared::<(usize, String)>::new();
    let (first, _) = map.insert((0, "0".into()));
    let is_done = AtomicBool::new(false);
    let newest = AtomicU64::new(first.to_bits());
    thread::scope(|scope| {
        let (map, is_done, newest) = (&map, &is_done, &newest);
        let reader = scope.spawn(move || {
            let mut rounds = 0;
            loop {
                let is_last = is_done.load(Ordering::Acquire);
                let key = DefaultKey::from_bits(newest.load(Ordering::Acquire)).unwrap();
                let known = map.get(key).map(ptr::from_ref);
                let mut has_seen = false;
                for (key, value) in map {
                    assert_eq!(value.0.to_string(), value.1);
                    assert!(map.get(key).is_none_or(|found| ptr::eq(found, value)));
                    has_seen |= known == Some(ptr::from_ref(value));
                }
                assert!(has_seen || !map.contains_key(key));
                rounds += 1;
                if is_last {
                    return rounds;
                }
            }
        });
        together(|worker| {
            for n in 0..2000 {
                let (key, _) = map.insert((n, n.to_string()));
                if (n + worker) % 3 == 0 {
                    map.remove(key);
                } else {
                    newest.store(key.to_bits(), Ordering::Release);
                }
            }
        });
        is_done.store(true, Ordering::Release);
        assert!(reader.join().unwrap() > 0);
    });
    assert!(map.contains_key(first));
}

#[test]
fn values_can_be_made_from_their_keys() {
    let mut map = SharedSlotMap::<DefaultKey, DefaultKey>::new();
    let calls = AtomicUsize::new(0);
    for round in 1..4 {
        together(|_| {
            for n in 0..1000 {
                let (key, own) = map.insert_with_key(|key| {
                    calls.fetch_add(1, Ordering::Relaxed);
                    key
                });
                assert_eq!(key, *own);
                if n % 2 == 0 {
                    map.remove(key);
                }
            }
        });
        let map = map.as_mut_map();
        assert!(map.iter().all(|(key, own)| key == *own));
        assert_eq!(map.len(), THREADS * 500 * round);
    }
    assert!(calls.into_inner() >= THREADS * 3000);
    // A closure that panics or fails leaves nothing, and one that inserts itself is called again.
    let len = map.len();
    assert!(catch_unwind(AssertUnwindSafe(|| map.insert_with_key(|_| panic!("no")))).is_err());
    assert_eq!(map.try_insert_with_key(|_| Err(7)), Err(7));
    let mut has_inserted = false;
    let inserted = map.try_insert_with_key(|key| {
        if !mem::replace(&mut has_inserted, true) {
            map.insert(key);
        }
        Ok::<_, Infallible>(key)
    });
    let Ok((key, own)) = inserted;
    assert_eq!((key, map.len()), (*own, len + 2));
    let full = Shared::<u8>::with_max_len(0);
    assert!(catch_unwind(AssertUnwindSafe(|| full.insert_with_key(|_| 1))).is_err());
}

#[test]
fn inserting_with_a_key_has_a_fallible_form() {
    let map = Shared::with_max_len(2);
    let (key, own) = map.try_insert_with(|key| key).unwrap();
    assert_eq!(map.get(key), Some(own));
    // The last slot is filled while the value for it is made, so the next key would need another slot.
    let mut calls = 0;
    let refused = map.try_insert_with(|key| {
        calls += 1;
        map.insert(key);
        key
    });
    let refused = refused.unwrap_err();
    assert_eq!((refused.error.kind(), refused.value, calls), (ErrorKind::MaxLen, None, 1));
    let refused = map.try_insert_with(|_| unreachable!("the map is full")).unwrap_err();
    assert_eq!((refused.error.kind(), map.len()), (ErrorKind::MaxLen, 2));
}

/// Takes that many keys of each run, or panics if that is 0.
struct Takes(usize);

impl Extend<DefaultKey> for Takes {
    fn extend<I: IntoIterator<Item = DefaultKey>>(&mut self, keys: I) {
        assert!(self.0 > 0, "enough");
        assert_eq!(keys.into_iter().take(self.0).count(), self.0);
    }
}

#[test]
fn inserting_several_returns_their_keys_in_order() {
    let map = Shared::<usize>::new();
    let mut keys = Vec::new();
    map.insert_many(0..1000, &mut keys);
    assert!(keys.iter().enumerate().all(|(n, key)| map[*key] == n));
    map.insert_many([], &mut keys);
    assert_eq!((keys.len(), map.len(), map.is_empty()), (1000, 1000, false));
    // One that panics: runs that were full before stay.
    let values = (0..200).inspect(|n| assert!(*n < 100, "enough"));
    let mut few = Vec::new();
    assert!(catch_unwind(AssertUnwindSafe(|| map.insert_many(values, &mut few))).is_err());
    assert_eq!((few.len(), map.len()), (64, 1064));
    // One that takes no keys, and one that panics.
    map.insert_many(0..10, &mut Takes(3));
    assert!(catch_unwind(AssertUnwindSafe(|| map.insert_many(0..10, &mut Takes(0)))).is_err());
    assert_eq!((map.len(), map.iter().count()), (1084, 1084));
    // Large values are not gathered in large runs.
    let large = Shared::<[u8; 10_000]>::new();
    let mut keys = Vec::new();
    large.insert_many((0..5).map(|n| [n; 10_000]), &mut keys);
    assert!(keys.iter().zip(0..).all(|(key, n)| large[*key] == [n; 10_000]));
}

struct Nothing;

static DROPS: AtomicUsize = AtomicUsize::new(0);

impl Drop for Nothing {
    fn drop(&mut self) {
        DROPS.fetch_add(1, Ordering::Relaxed);
    }
}

#[repr(align(8192))]
struct Wide<'c>(Counted<'c>);

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn values_may_be_zero_sized_over_aligned_or_large() {
    let live = AtomicUsize::new(0);
    let mut map = Shared::new();
    let keys = together(|_| (0..1000).map(|_| map.insert(Nothing).0).collect::<Vec<_>>());
    for key in &keys[0] {
        assert!(map.remove(*key).is_some() && map.remove(*key).is_none());
    }
    assert_eq!(
        (map.len(), map.as_mut_map().len(), DROPS.load(Ordering::Relaxed)),
        (3000, 3000, 1000)
    );
    drop(map);
    assert_eq!(DROPS.load(Ordering::Relaxed), 4000);

    let mut map = Shared::new();
    for round in 0..3 {
        together(|worker| {
            for n in 0..20 {
                let (key, wide) = map.insert(Wide(Counted::new(&live, worker * 100 + n)));
                assert_eq!(ptr::from_ref(wide).addr() % 8192, 0);
                if n % 2 == 0 {
                    assert_eq!(map.remove(key).unwrap().0.1, worker * 100 + n);
                }
            }
        });
        assert_eq!(map.as_mut_map().len(), (round + 1) * THREADS * 10);
    }
    drop(map);
    assert_eq!(live.load(Ordering::Relaxed), 0);
    let huge = Shared::<[u64; 2000]>::new();
    let keys: Vec<_> = (0..50).map(|n| huge.insert([n; 2000]).0).collect();
    assert!(keys.iter().zip(0..).all(|(key, n)| huge[*key][1999] == n));
}

#[test]
fn holes_are_filled_first_without_taking_memory() {
    for reuse in [Reuse::Recent, Reuse::Lowest] {
        let mut map = Shared::<[u64; 7]>::builder().reuse(reuse).build();
        let keys: Vec<_> = (0..20_000).map(|n| map.insert([n; 7]).0).collect();
        together(|worker| {
            for key in keys.iter().skip(worker).step_by(THREADS).filter(|key| key.index() % 2 == 0)
            {
                map.remove(*key);
            }
        });
        assert_eq!(map.as_mut_map().stats().holes, 10_000);
        let new = together(|_| (0..2400).map(|n| map.insert([n; 7]).0).collect::<Vec<_>>());
        assert!(new.iter().flatten().all(|key| key.index() < 20_000));
        let stats = map.stats();
        assert_eq!((stats.live, stats.holes), (19_600, 400));
        if reuse == Reuse::Lowest {
            assert!(new.iter().flatten().all(|key| key.index() < 19_200));
        }
        assert_eq!(map.as_mut_map().stats().holes, 400);
        // Holes first, then new slots.
        let mut keys = Vec::new();
        map.insert_many((0..1000).map(|n| [n; 7]), &mut keys);
        assert_eq!(keys.iter().filter(|key| key.index() < 20_000).count(), 400);
        assert!(keys.iter().all(|key| key.index() < 20_600));
        assert!(map.as_mut_map().stats().holes == 0);
    }
    // Reserved holes are kept.
    let mut map = Shared::<u8>::builder().reuse(Reuse::Rotating { min_free: 300 }).build();
    map.insert_many(0..200, &mut Vec::new());
    map.clear();
    map.insert_many(0..200, &mut Vec::new());
    assert!(map.keys().all(|key| key.index() >= 200));
    map.clear();
    map.insert_many(0..200, &mut Vec::new());
    assert_eq!((map.keys().filter(|key| key.index() < 400).count(), map.stats().holes), (100, 300));
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn trimmed_slots_start_above_their_old_generations() {
    let mut map = Shared::<[u64; 100]>::new();
    let mut given = HashSet::new();
    for _ in 0..5 {
        let mut keys = Vec::new();
        map.insert_many((0..2000).map(|n| [n; 100]), &mut keys);
        assert!(keys.iter().all(|key| given.insert(*key)));
        assert!(keys.iter().zip(0..).all(|(key, n)| map[*key] == [n; 100]));
        for key in &keys[10..] {
            map.remove(*key);
        }
        let mut map = map.as_mut_map();
        map.trim();
        map.clear();
        map.shrink_to_fit();
        assert!(given.iter().all(|key| !map.contains_key(*key)));
    }
    // In a map that reuses the same slots, and returns the memory after them.
    let mut map = SharedSlotMap::<Medium, [u64; 1000]>::with_key();
    let mut given = HashSet::new();
    while let Ok((key, _)) = map.try_insert([1; 1000]) {
        assert!(given.insert(key));
        map.remove(key);
        let mut map = map.as_mut_map();
        map.shrink_to_fit();
        assert!(map.is_empty());
    }
    assert!(given.len() > 7, "{}", given.len());
}

#[test]
fn removed_values_far_apart_are_all_dropped() {
    let ledger = Ledger::new();
    let mut map = Shared::new();
    let mut keys = Vec::new();
    map.insert_many(ledger.tokens(0..8000), &mut keys);
    for at in [40, 41, 3000, 3001, 7999] {
        map.remove(keys[at]);
    }
    assert_eq!(map.as_mut_map().stats().holes, 5);
    assert_eq!((map.len(), ledger.live()), (7995, 7995));
    drop(map);
    ledger.assert_all_dropped_but(0);
}

#[test]
fn panicking_drops_lose_no_other_value() {
    for pass in 0..8 {
        let ledger = Ledger::new();
        let mut map = Shared::new();
        let mut keys = Vec::new();
        map.insert_many(ledger.tokens(0..10), &mut keys);
        for key in &keys[2..8] {
            map.remove(*key);
        }
        ledger.set_fuse(Step::Drop, pass % 7);
        let result = catch_unwind(AssertUnwindSafe(|| drop(map.as_mut_map())));
        ledger.clear_fuse();
        assert_eq!(result.is_err(), pass % 7 < 6);
        assert_eq!((ledger.live(), map.len(), map.iter().count()), (4, 4, 4));
        assert!(keys[2..8].iter().all(|key| map.get(*key).is_none()));
        let (key, _) = map.insert(ledger.token(1));
        assert!(key.index() < 8 && map.contains_key(keys[0]));
        assert_eq!(map.as_mut_map().stats().holes, 5);
        if pass == 7 {
            // In the drop of the map.
            map.remove(keys[0]);
            map.remove(keys[1]);
            ledger.set_fuse(Step::Drop, 0);
            assert!(catch_unwind(AssertUnwindSafe(|| drop(map))).is_err());
            ledger.clear_fuse();
        } else {
            drop(map);
        }
        ledger.assert_all_dropped_but(0);
    }
}

#[test]
fn a_drain_drops_the_other_values_when_a_drop_panics() {
    let ledger = Ledger::new();
    let mut map = Shared::new();
    map.insert_many(ledger.tokens(0..10), &mut Vec::new());
    ledger.set_fuse(Step::Drop, 3);
    assert!(catch_unwind(AssertUnwindSafe(|| drop(map.drain()))).is_err());
    assert_eq!((ledger.live(), map.len()), (0, 0));
    map.insert(ledger.token(1));
    assert_eq!(map.drain().count(), 1);
    ledger.assert_all_dropped_but(0);
}

#[test]
fn values_of_forgotten_guards_return_with_the_owner() {
    for forget in [
        |map: &mut Shared<u64>| mem::forget(map.as_mut_map()),
        |map: &mut Shared<u64>| mem::forget(map.drain()),
        |map: &mut Shared<u64>| {
            let mut map = map.as_mut_map();
            map.shrink_to_fit();
            mem::forget(map);
        },
    ] {
        let mut map = Shared::with_max_len(1000);
        let mut keys = Vec::new();
        map.insert_many(0..500, &mut keys);
        map.remove(keys[0]);
        forget(&mut map);
        assert_eq!((map.get(keys[1]), map.iter().count(), map.remove(keys[1])), (None, 0, None));
        assert_eq!((map.key_of(&7), map.len(), map.capacity()), (None, 0, 0));
        for error in [
            map.try_insert(1).unwrap_err().error,
            map.try_insert_many([1], &mut keys).unwrap_err().error,
            map.try_reserve(1).unwrap_err(),
            map.prefault_ahead(stayput::Budget::UNLIMITED).refused.unwrap(),
        ] {
            assert_eq!(error.kind(), ErrorKind::Busy);
        }
        assert_eq!(map.max_len(), 1000);
        forget(&mut map);
        assert_eq!(map.as_mut_map().len(), 499);
        assert_eq!((map.get(keys[1]), map.get(keys[0]), map.len()), (Some(&1), None, 499));
        map.insert_many(0..501, &mut keys);
        assert!(map.try_insert(1).is_err());
        forget(&mut map);
        drop(map);
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn the_map_can_be_replaced_by_another() {
    let mut map = Shared::<u32>::with_max_len(10);
    map.insert_many(0..10, &mut Vec::new());
    let before = mem::replace(&mut *map.as_mut_map(), SlotMap::with_max_len(100_000));
    assert!(before.values().copied().eq(0..10) && map.is_empty() && map.iter().count() == 0);
    let keys = together(|_| (0..25_000).map(|n| map.insert(n).0).collect::<Vec<_>>());
    assert_eq!((map.len(), map.max_len()), (100_000, 100_000));
    assert!(map.try_insert(1).is_err());
    assert!(keys.iter().flatten().all(|key| map.remove(*key).is_some()));
    *map.as_mut_map() = before;
    assert!(map.values().copied().eq(0..10));
    assert!(map.try_insert(1).is_err());
    let first = map.keys().next().unwrap();
    map.remove(first);
    assert_eq!(map.as_mut_map().len(), 9);
    assert_eq!(map.insert(9).0.index(), first.index());
    // One with another type id.
    let mut map = SharedSlotMap::<Tagged, u32>::with_key();
    assert_eq!(map.type_id(), None);
    *map.as_mut_map() = SlotMap::builder().type_id(7).build();
    let (key, _) = map.insert(1);
    assert_eq!((map.type_id(), key.type_id()), (Some(7), 7));
    let foreign = SlotMap::<Tagged, u32>::builder().type_id(8).build().insert(1);
    assert_eq!((map.get(key), map.get(foreign), map.remove(foreign)), (Some(&1), None, None));
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn conversions_to_and_from_a_slot_map_move_nothing() {
    let mut map: SlotMap<DefaultKey, u64> = (0..100_000).collect();
    let keys: Vec<_> = map.keys().collect();
    let detached = map.insert(7);
    map.detach(detached);
    let address = ptr::from_ref(&map[keys[0]]);
    for round in 0..5 {
        let shared = SharedSlotMap::from(mem::take(&mut map));
        assert!(ptr::eq(&raw const shared[keys[0]], address));
        assert_eq!(shared.len(), 100_000 + 100 * round);
        together(|_| {
            for n in 0..50 {
                let (key, _) = shared.insert(n);
                if n % 2 == 0 {
                    shared.remove(key);
                }
            }
        });
        assert!(shared.get(detached).is_none() && shared.remove(detached).is_none());
        map = shared.into_inner();
        assert!(ptr::eq(&raw const map[keys[0]], address));
    }
    assert!(keys.iter().zip(0..).all(|(key, n)| map[*key] == n));
    assert_eq!((map.len(), map.stats().detached), (100_500, 1));
    map.reattach(detached, 8);
    let shared = SharedSlotMap::from(map);
    assert_eq!((shared[detached], shared.len()), (8, 100_501));
    // All values that came with the map can be removed.
    together(|worker| {
        for key in keys.iter().skip(worker).step_by(THREADS) {
            assert!(shared.remove(*key).is_some());
        }
    });
    assert_eq!(shared.into_inner().len(), 501);
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn options_are_those_of_the_family() {
    let map = Shared::<u64>::builder()
        .max_len(1 << 20)
        .capacity(10_000)
        .growth(Growth::Fixed { step_bytes: 1 << 20 })
        .huge_pages(HugePages::Never)
        .commit_ahead(CommitAhead::Auto)
        .build();
    assert!(map.capacity() >= 10_000 && map.max_len() == 1 << 20 && map.is_empty());
    together(|worker| (0..100_000).for_each(|n| _ = map.insert(worker as u64 * n)));
    let stats = map.stats();
    assert_eq!((stats.live, stats.max_len, stats.holes), (400_000, 1 << 20, 0));
    // A slot has the alignment of its value, which is 4 on 32-bit x86.
    let slot = (size_of::<u64>() + 4).next_multiple_of(align_of::<u64>());
    assert!(stats.committed_bytes >= 400_000 * slot && stats.reserved_bytes >= slot << 20);
    map.prefault(1000);
    assert!(map.prefault_ahead(stayput::Budget::UNLIMITED).refused.is_none());
    let error = Shared::<u64>::builder().max_len(10).capacity(11).try_build().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::MaxLen);
    let error = SharedSlotMap::<Tagged, u64>::builder().type_id(1 << 12).try_build().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::KeyBits);
    let new = Shared::<u64>::new();
    assert_eq!((new.stats().reserved_bytes, new.capacity(), new.len()), (0, 0, 0));
    assert!(new.prefault_ahead(stayput::Budget::UNLIMITED).refused.is_none());
    new.try_prefault(100_000).unwrap();
    assert!(new.capacity() >= 100_000 && new.try_reserve(usize::MAX).is_err());
    if cfg!(all(target_os = "linux", not(no_vm), not(miri))) {
        assert!(new.stats().resident_bytes >= Some(100_000 * 12));
    }
    assert_eq!(new.insert(1).0.index(), 0);
    // One bit per slot more than a `SlotMap`: an array, which commits 64 KiB first. The bits of the holes are those of a
    // `SlotMap`, in a `Vec` that may have twice the capacity that it needs.
    let map = Shared::<[u8; 56]>::with_max_len(1 << 16);
    let mut alone = SlotMap::<DefaultKey, [u8; 56]>::with_max_len(1 << 16);
    map.insert_many((0..1 << 16).map(|_| [0; 56]), &mut Vec::new());
    alone.extend((0..1 << 16).map(|_| [0; 56]));
    let more = map.stats().committed_bytes - alone.stats().committed_bytes;
    assert!(more <= (64 << 10) + (1 << 16) / 8, "{more}");
    assert!(format!("{:?}", Shared::<u8>::builder().max_len(7)).contains("max_len: Some(7)"));
}

#[test]
fn traits_are_those_of_a_map() {
    let mut map: Shared<u8> = [1, 2].into_iter().collect();
    map.extend([3]);
    let keys: Vec<_> = map.keys().collect();
    assert_eq!((map[keys[2]], format!("{:?}", map.values())), (3, "[1, 2, 3]".to_owned()));
    assert_eq!(map.get_by_index(keys[1].index()), Some((keys[1], &2)));
    assert_eq!(map.get_by_index(77), None);
    assert!(format!("{map:?}").contains(": 2"));
    *map.get_mut(keys[0]).unwrap() = 9;
    map.remove(keys[1]);
    assert!(map.get_mut(keys[1]).is_none() && map.get_by_index(keys[1].index()).is_none());
    map.retain(|_, n| *n > 3);
    assert!(map.iter().eq([(keys[0], &9)]) && (&map).into_iter().count() == 1);
    assert_eq!(format!("{:?}", map.as_mut_map()), format!("{map:?}"));
    assert!(map.into_iter().eq([(keys[0], 9)]));
    assert!(Shared::<u8>::default().is_empty());
    let map: SlotMap<DefaultKey, u8> = Shared::from_iter([1]).into();
    assert_eq!(map.len(), 1);
    let missing = catch_unwind(|| Shared::<u8>::new()[DefaultKey::null()]);
    assert!(missing.is_err());
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn a_call_from_a_backing_is_refused_and_nothing_is_lost() {
    static MAP: OnceLock<Shared<u64>> = OnceLock::new();
    static SEEN: Mutex<Vec<ErrorKind>> = Mutex::new(Vec::new());
    let hook = || {
        let Some(map) = MAP.get() else { return };
        let mut keys = Vec::new();
        for refused in [
            map.try_insert(1_000_000).err().map(|refused| refused.error),
            map.try_insert_many(vec![1_000_000; 64], &mut keys).err().map(|refused| refused.error),
            map.try_reserve(100_000).err(),
            map.try_insert_with(|_| 1_000_000).err().map(|refused| refused.error),
            map.try_stats().err(),
            map.try_max_len().err(),
        ] {
            SEEN.lock().unwrap().extend(refused.map(|error| error.kind()));
        }
        // Operations that need no memory work.
        assert!(map.iter().all(|(key, value)| map.get(key) == Some(value)));
    };
    let buffer = Buffer::new(1 << 18, 4096, 8).hooked(hook);
    let map = SharedSlotMap::builder().growth(Growth::Fixed { step_bytes: 4096 });
    let map = MAP.get_or_init(|| map.build_in(buffer));
    let mut mine = 0;
    while map.try_insert(mine).is_ok() {
        mine += 1;
    }
    let own: Vec<u64> = map.values().copied().filter(|n| *n < 1_000_000).collect();
    assert!(own.iter().copied().eq(0..mine), "{} of {}", own.len(), map.len());
    assert_eq!(map.len(), map.max_len());
    assert!(SEEN.lock().unwrap().contains(&ErrorKind::Busy));
}

#[test]
fn a_backing_that_unwinds_loses_no_slot() {
    let is_armed = Arc::new(AtomicBool::new(false));
    let armed = Arc::clone(&is_armed);
    let hook = move || assert!(!armed.swap(false, Ordering::Relaxed), "as planned");
    let buffer = Buffer::new(1 << 20, 4096, 8).hooked(hook);
    let builder = Shared::<usize>::builder().growth(Growth::Fixed { step_bytes: 4096 });
    let mut map = builder.build_in(buffer);
    together(|worker| {
        for n in 0..3000 {
            if n == 1500 + worker {
                is_armed.store(true, Ordering::Relaxed);
            }
            let value = worker << 16 | n;
            match catch_unwind(AssertUnwindSafe(|| map.try_insert(value))) {
                Ok(Ok((key, found))) => assert!(*found == value && map.contains_key(key)),
                Ok(Err(refused)) => assert_eq!(refused.value, value),
                Err(_) => {}
            }
        }
    });
    let values: HashSet<_> = map.values().copied().collect();
    assert_eq!((values.len(), map.iter().count()), (map.len(), map.len()));
    let len = map.len();
    let owned = map.as_mut_map();
    assert_eq!((owned.len(), owned.stats().detached, owned.stats().holes), (len, 0, 0));
    drop(owned);
    let first = map.keys().next().unwrap();
    map.remove(first);
    map.as_mut_map();
    assert_eq!(map.insert(7).0.index(), first.index());
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn memory_of_filled_holes_is_returned_to_the_system() {
    let mut map = SharedSlotMap::<DefaultKey, u64>::new();
    map.insert_many(0..1 << 20, &mut Vec::new());
    // The last value stays, so that the other slots are holes.
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
fn recursive_insertion_while_a_value_is_made_fills_the_map_and_is_refused() {
    let map = SharedSlotMap::<DefaultKey, usize>::with_max_len(1000);
    let insert = || map.insert_with_key(|_| *map.insert(7).1).0;
    assert!(catch_unwind(AssertUnwindSafe(insert)).is_err());
    assert_eq!(map.len(), 1000);
}

/// Fills the map by each method that inserts values, on threads, phase by phase, until it is full.
fn fill_up<K: Key + Send + Sync>(mut map: SharedSlotMap<K, u64>, most: usize, phases: usize) {
    let assert_full = |error: Error| {
        assert!(matches!(error.kind(), ErrorKind::MaxLen | ErrorKind::KeyBits), "{error:?}");
        assert_eq!(error.limit(), Some(most as u64));
        assert!(error.to_string().contains("SharedSlotMap"), "{error}");
    };
    let mut given = HashSet::new();
    for phase in 0..phases {
        let before = map.len();
        let stored = together(|worker| {
            let mut stored = Vec::new();
            for n in 0.. {
                let value = (worker as u64) << 32 | n as u64;
                let error = match (n + worker) % 3 {
                    0 => {
                        let inserted = map.try_insert(value);
                        let refused = inserted.map(|(key, _)| stored.push((key, value))).err();
                        refused.map(|refused| {
                            assert_eq!(refused.value, value);
                            refused.error
                        })
                    }
                    1 => {
                        let mut keys = Vec::new();
                        let refused = map.try_insert_many(vec![value; 1 + n % 70], &mut keys).err();
                        stored.extend(keys.into_iter().map(|key| (key, value)));
                        refused.map(|refused| refused.error)
                    }
                    _ => {
                        let inserted = map.try_insert_with(|_| value);
                        let refused = inserted.map(|(key, _)| stored.push((key, value))).err();
                        refused.map(|refused| refused.error)
                    }
                };
                if let Some(error) = error {
                    assert_full(error);
                    break;
                }
            }
            stored
        });
        let new: Vec<_> = stored.into_iter().flatten().collect();
        assert_eq!((map.len(), map.iter().count(), new.len()), (most, most, most - before));
        assert!(new.iter().all(|(key, value)| given.insert(*key) && map[*key] == *value));
        let mut keys = Vec::new();
        let refused = map.try_insert_many(0..10, &mut keys).unwrap_err();
        assert!(keys.is_empty() && refused.value.eq(0..10));
        // Most values are removed, each by one of the threads.
        let wins = AtomicUsize::new(0);
        together(|_| {
            for (key, _) in new.iter().skip(phase % 5) {
                if map.remove(*key).is_some() {
                    wins.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
        assert_eq!(wins.into_inner(), new.len().saturating_sub(phase % 5));
        // Their slots are available after the owner's visit.
        assert!(map.try_insert(7).is_err());
        match phase % 4 {
            0 => drop(map.as_mut_map()),
            1 => map.as_mut_map().trim(),
            2 => map = map.into_inner().into(),
            _ => mem::forget(map.as_mut_map()),
        }
        drop(map.as_mut_map());
        if phase == 0 {
            let refused = map.try_insert_many(0..most as u64 + 3, &mut keys).unwrap_err();
            assert_eq!((keys.len(), refused.value.count()), (most, 3));
            assert!(keys.iter().all(|key| given.insert(*key)));
            map.clear();
        }
    }
}

#[test]
fn threads_fill_all_slots_in_every_phase_and_no_more() {
    for round in 0..effort::rounds(10) as usize {
        fill_up(SharedSlotMap::<Medium, u64>::with_key(), 256, 6);
        for reuse in [Reuse::Recent, Reuse::Lowest] {
            let builder = SharedSlotMap::<DefaultKey, u64>::builder().reuse(reuse);
            let most = effort::few(777 + 1000 * round);
            fill_up(builder.max_len(most).build(), most, 8);
            let step = Growth::Fixed { step_bytes: 1 };
            let most = effort::few(3000);
            fill_up(builder.max_len(most).growth(step).build(), most, 8);
        }
    }
    for max_len in [0, 1, 5, 1000, 4096, 100_001].map(effort::few) {
        fill_up(SharedSlotMap::<DefaultKey, u64>::with_max_len(max_len), max_len, 3);
    }
}

#[test]
fn a_backing_that_refuses_the_first_memory_is_returned() {
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

#[test]
fn a_map_with_a_capacity_has_that_many_slots() {
    let map = SharedSlotMap::with_capacity(1000);
    assert!(map.capacity() >= 1000);
    (0..1000).for_each(|n| _ = map.insert(n));
    assert!(map.len() == 1000 && map.values().copied().eq(0..1000));
    let map: SharedSlotMap<DefaultKey, u8> = SharedSlotMap::with_capacity_and_key(10);
    assert!(map.capacity() >= 10);
    let refused = SharedSlotMap::<_, u64>::try_with_capacity(usize::MAX / 8).unwrap_err();
    let kind = if usize::BITS > 32 { ErrorKind::KeyBits } else { ErrorKind::CapacityOverflow };
    assert_eq!(refused.kind(), kind);
}
