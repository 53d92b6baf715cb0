//! Methods that take many keys have the same effect as one call for each key, in small and large maps.

use crate::ledger::{Ledger, Step};
use stayput::{DefaultKey, Key, KeyData, SecondaryMap, SlotMap};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Large enough for a thousand slots to be far apart.
type Wide = [u32; 1023];

fn wide(n: u32) -> Wide {
    [n; 1023]
}

/// Maps with and without prefetching, and keys in a random order: valid, stale, null, forged, repeated.
fn cases() -> impl Iterator<Item = (SlotMap<DefaultKey, Wide>, Vec<DefaultKey>)> {
    [0_u32, 1, 300, 1100].into_iter().flat_map(|len| {
        [0, 1, 2, 31, 32, 33, 64, 65, 1000].map(|count| {
            let mut map = SlotMap::new();
            let keys: Vec<_> = (0..len).map(|n| map.insert(wide(n))).collect();
            keys.iter().step_by(7).for_each(|key| _ = map.remove(*key));
            let forged: DefaultKey = KeyData::from_parts(u32::MAX, 5, 0).expect("it fits").into();
            let key = |n: usize| match n % 11 {
                5 => DefaultKey::null(),
                7 => forged,
                _ => keys.get(n * 31 % keys.len().max(1)).copied().unwrap_or(forged),
            };
            (map, (0..count).map(key).collect())
        })
    })
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn many_keys_find_the_same_as_single_calls_in_order() {
    for (mut map, keys) in cases() {
        let second: SecondaryMap<_, Wide> = map.iter().map(|(key, value)| (key, *value)).collect();
        let (mut found, mut beside) = (Vec::new(), Vec::new());
        map.get_many(keys.iter().copied(), |key, value| found.push((key, value)));
        second.get_many(keys.iter().copied(), |key, value| beside.push((key, value)));
        let expected: Vec<_> = keys.iter().map(|key| (*key, map.get(*key))).collect();
        assert!(found == expected && beside == expected);

        let mut twin = map.clone();
        let mut second = second.clone();
        for key in &keys {
            if let Some(value) = twin.get_mut(*key) {
                value[7] += 1;
            }
        }
        let change = |at: &mut Vec<_>, key, value: Option<&mut Wide>| {
            at.push(key);
            if let Some(value) = value {
                value[7] += 1;
            }
        };
        let (mut seen, mut beside) = (Vec::new(), Vec::new());
        map.get_many_mut(keys.iter().copied(), |key, value| change(&mut seen, key, value));
        second.get_many_mut(keys.iter().copied(), |key, value| change(&mut beside, key, value));
        assert!(map == twin && seen == keys && beside == keys);
        assert!(second.iter().eq(&map));

        let removed = keys.iter().filter(|key| twin.remove(**key).is_some()).count();
        assert_eq!(map.remove_many(keys), removed);
        assert!(map == twin);
        assert_eq!(map.insert(wide(1)), twin.insert(wide(1)), "the next hole is the same");
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn an_iterator_that_panics_loses_nothing() {
    for (map, keys) in cases() {
        for at in [0, 1, 40, 70] {
            let mut map = map.clone();
            let before = map.len();
            let mut given = 0;
            let some = keys.iter().copied().inspect(|_| {
                assert!(given < at, "as planned");
                given += 1;
            });
            let result = catch_unwind(AssertUnwindSafe(|| map.remove_many(some)));
            assert_eq!(result.is_err(), keys.len() > at);
            // The others may stay.
            assert!(map.len() >= before - at.min(before));
            let rest = map.remove_many(keys.iter().copied());
            let there = keys.iter().filter(|key| map.contains_key(**key)).count();
            assert_eq!((there, map.iter().count()), (0, map.len()));
            assert!(rest <= before);
        }
    }
}

#[test]
fn a_panicking_drop_leaves_the_values_after_it() {
    let ledger = Ledger::new();
    let mut map = SlotMap::new();
    let keys: Vec<_> = (0..1100).map(|n| map.insert((ledger.token(n), wide(n)))).collect();
    ledger.set_fuse(Step::Drop, 50);
    let result = catch_unwind(AssertUnwindSafe(|| map.remove_many(keys.iter().copied())));
    assert!(result.is_err());
    assert_eq!(map.len(), 1100 - 51);
    assert!(keys.iter().enumerate().all(|(n, key)| map.contains_key(*key) == (n > 50)));
    drop(map);
    ledger.assert_all_dropped_but(0);
}

/// An iterator with a wrong length, and an unusual order of iteration.
struct Liar<I> {
    keys: I,
    /// Continues after a key for which the closure panics.
    goes_on: bool,
}

impl<I: Iterator> Iterator for Liar<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        self.keys.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (usize::MAX, Some(0))
    }

    fn for_each<F: FnMut(I::Item)>(self, mut f: F) {
        let Self { keys, goes_on } = self;
        for key in keys {
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| f(key))) {
                if !goes_on {
                    std::panic::resume_unwind(panic);
                }
            }
        }
        // The closure never learns that this was the last key.
        std::mem::forget(f);
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn iterators_with_wrong_lengths_are_iterated_to_their_end() {
    for (mut map, keys) in cases() {
        for goes_on in [false, true] {
            let liar = || Liar { keys: keys.iter().copied(), goes_on };
            let mut seen = Vec::new();
            map.get_many(liar(), |key, value| seen.push((key, value)));
            assert!(seen.into_iter().eq(keys.iter().map(|key| (*key, map.get(*key)))));
            // Each panicking closure was called with its key, and no other key was skipped.
            let mut calls = Vec::new();
            let run = AssertUnwindSafe(|| {
                map.get_many_mut(liar(), |key, value| {
                    calls.push(key);
                    if let Some(value) = value {
                        value[0] += 1;
                    }
                    if calls.len() % 5 == 3 {
                        std::panic::resume_unwind(Box::new("planned"));
                    }
                });
            });
            let result = catch_unwind(run);
            assert!(keys.starts_with(&calls));
            assert!(!goes_on || result.is_err() || calls == keys);
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn closures_may_read_the_same_map() {
    for (map, keys) in cases() {
        let mut inner = 0;
        map.get_many(keys.iter().copied(), |_, value| {
            map.get_many(keys.iter().take(2).copied(), |_, other| {
                inner += usize::from(value.is_some() && other.is_some());
            });
        });
        let there = |keys: &[DefaultKey]| keys.iter().filter(|key| map.contains_key(**key)).count();
        assert_eq!(inner, there(&keys) * there(&keys[..keys.len().min(2)]));
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn values_of_any_size_and_alignment_are_prefetched() {
    #[derive(Clone, Copy, PartialEq, Debug)]
    #[repr(align(4096))]
    struct Page(u8);

    fn all<V: Copy + PartialEq + std::fmt::Debug>(len: usize, value: V) {
        let mut map: SlotMap<DefaultKey, V> = (0..len).map(|_| value).collect();
        let second: SecondaryMap<_, V> = map.keys().step_by(2).map(|key| (key, value)).collect();
        let forged = |n: u32| KeyData::from_parts(u32::MAX - n, u32::MAX / 2, 0).expect("it fits");
        let keys: Vec<DefaultKey> = map.keys().step_by(len / 100).collect();
        let keys = keys.into_iter().chain((0..3).map(|n| forged(n).into()));
        let keys = || keys.clone().chain([DefaultKey::null()]);
        let mut found = 0;
        map.get_many(keys(), |_, there| found += usize::from(there == Some(&value)));
        second.get_many(keys(), |_, there| found += usize::from(there == Some(&value)));
        map.get_many_mut(keys(), |_, there| found += usize::from(there == Some(&mut { value })));
        let beside = keys().filter(|key| second.contains_key(*key)).count();
        let there = keys().filter(|key| map.contains_key(*key)).count();
        assert_eq!(found, 2 * there + beside);
        assert_eq!(map.remove_many(keys().chain(keys())), there);
        assert_eq!(map.len(), len - there);
    }

    all(1100, Page(7));
    all((1 << 20) + 100, ());
    all(50_000, [1_u8; 101]);
}
