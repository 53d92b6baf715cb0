//! User code that panics, at any step of any call of a `SlotMap` that runs it: nothing is dropped
//! twice, nothing is lost, and the map can be used.

use crate::ledger::{Ledger, Step, Token};
use crate::slot_map_op::Small;
use stayput::{Key, KeyData, SlotMap};
use std::mem;
use std::panic::{self, AssertUnwindSafe};

type Map<'l> = SlotMap<Small, Token<'l>>;

/// A case: gets the map in an option, so that it may take it.
type Case = for<'l> fn(&'l Ledger, &mut Option<Map<'l>>);

/// What [`sample`] holds.
const LIVE: usize = 9;

/// A retired slot, one with the last generation there is, and ten more, one of them a hole and one
/// detached.
fn sample(ledger: &Ledger) -> Map<'_> {
    let mut map = Map::with_key();
    for value in 10..12 {
        while map.insert(ledger.token(value)).generation() < 7 {
            map.clear();
        }
    }
    map.extend(ledger.tokens(0..10));
    let keys: Vec<_> = map.keys().collect();
    map.remove(keys[3]);
    map.remove(keys[4]);
    drop(map.detach(keys[6]));
    map.extend(ledger.tokens(12..13));
    let stats = map.stats();
    assert_eq!((stats.live, stats.holes, stats.detached, stats.retired), (LIVE, 1, 1, 1));
    map
}

/// Runs a case over and over: first its first step of the kind panics, then its second, and so on
/// until it gets through.
#[track_caller]
fn at_each_step(step: Step, case: Case) {
    for pass in 0.. {
        let ledger = Ledger::new();
        let mut map = Some(sample(&ledger));
        let old: Vec<_> = open(&mut map).keys().collect();

        ledger.set_fuse(step, pass);
        let result = panic::catch_unwind(AssertUnwindSafe(|| case(&ledger, &mut map)));
        let panicked = ledger.clear_fuse();
        assert_eq!(result.is_err(), panicked, "at step {pass}");
        assert!(pass > 0 || panicked, "the case has no such step");

        if let Some(mut map) = map {
            check_usable(&ledger, &mut map, &old);
        }
        // Nothing else may hold any: the map is gone, and so is what the case had.
        ledger.assert_all_dropped_but(0);
        if !panicked {
            return;
        }
        assert!(pass < 1000, "the case never gets through");
    }
}

#[track_caller]
fn check_usable<'l>(ledger: &'l Ledger, map: &mut Map<'l>, old: &[Small]) {
    assert!(map.values().all(|token| ledger.is_live(token)), "it holds what was dropped: {map:?}");
    let mut ids: Vec<usize> = map.values().map(|token| token.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), map.len(), "it holds one value twice: {map:?}");
    assert_eq!(ledger.live(), map.len(), "something was lost, not in {map:?}");
    assert_eq!(map.iter().count(), map.len());
    assert!(map.keys().eq(map.clone().keys()));

    let gone: Vec<_> = old.iter().filter(|key| !map.contains_key(**key)).collect();
    let stats = map.stats();
    for value in 0..30 {
        let key = map.insert(ledger.token(value));
        assert_eq!(map[key].value, value);
    }
    assert!(gone.iter().all(|key| !map.contains_key(**key)) || stats.holes == 0);
    map.retain(|_, token| token.value % 2 == 0);
    map.trim();
    map.clear();
    assert_eq!((map.len(), ledger.live()), (0, 0));
}

fn open<'v, 'l>(map: &'v mut Option<Map<'l>>) -> &'v mut Map<'l> {
    map.as_mut().expect("nobody took it")
}

/// Gives tokens, and each step may panic.
fn stepwise(ledger: &Ledger, count: u32) -> impl Iterator<Item = Token<'_>> {
    (100..100 + count).map(|value| {
        ledger.step(Step::Call);
        ledger.token(value)
    })
}

#[test]
fn clones_may_panic() {
    let cases: [Case; 3] = [
        |_, map| drop(open(map).clone()),
        |_, map| drop(open(map).try_clone()),
        |_, map| {
            let clone = open(map).clone();
            *open(map) = clone;
        },
    ];
    for case in cases {
        at_each_step(Step::Clone, case);
    }
}

#[test]
fn predicates_iterators_and_constructors_may_panic() {
    let cases: [Case; 13] = [
        |ledger, map| {
            let taken = open(map).extract_if(|_, token| {
                ledger.step(Step::Call);
                token.value % 3 > 0
            });
            taken.for_each(|_| ledger.step(Step::Call));
        },
        |ledger, map| {
            let keys: Vec<_> = open(map).keys().collect();
            open(map).remove_many([keys[0], keys[2], keys[3]]);
            open(map).compact(|_, _| ledger.step(Step::Call));
        },
        |ledger, map| {
            let entry = open(map).vacant_entry();
            ledger.step(Step::Call);
            entry.insert(ledger.token(50));
        },
        |ledger, map| {
            struct Fussy<'t, 'l>(&'l Ledger, Token<'t>);
            impl PartialEq for Fussy<'_, '_> {
                fn eq(&self, other: &Self) -> bool {
                    self.0.step(Step::Call);
                    self.1.value == other.1.value
                }
            }
            let fussy = || -> SlotMap<Small, _> {
                ledger.tokens(0..5).map(|token| Fussy(ledger, token)).collect()
            };
            assert!(fussy() == fussy());
            open(map).clear();
        },
        |ledger, map| {
            open(map).retain(|_, token| {
                ledger.step(Step::Call);
                token.value % 3 > 0
            });
        },
        |ledger, map| open(map).extend(stepwise(ledger, 20)),
        |ledger, map| open(map).insert_many(stepwise(ledger, 20), &mut Vec::new()),
        |ledger, map| {
            // What takes the keys may panic, too.
            struct Keys<'l>(&'l Ledger);
            impl<K> Extend<K> for Keys<'_> {
                fn extend<I: IntoIterator<Item = K>>(&mut self, keys: I) {
                    keys.into_iter().for_each(|_| self.0.step(Step::Call));
                }
            }
            open(map).insert_many(ledger.tokens(50..60), &mut Keys(ledger));
        },
        |ledger, map| {
            open(map).insert_with_key(|_| {
                ledger.step(Step::Call);
                ledger.token(50)
            });
        },
        |ledger, map| {
            let keys: Vec<_> = open(map).keys().collect();
            open(map).remove_many(keys.into_iter().inspect(|_| ledger.step(Step::Call)));
        },
        |ledger, map| {
            open(map).drain().for_each(|_| ledger.step(Step::Call));
        },
        |ledger, map| {
            let map = map.take().expect("it is there");
            map.into_iter().rev().for_each(|_| ledger.step(Step::Call));
        },
        |ledger, map| {
            let map = map.take().expect("it is there");
            let sum = map.into_values().fold(0, |sum, token| {
                ledger.step(Step::Call);
                sum + token.value
            });
            assert!(sum > 0);
        },
    ];
    for case in cases {
        at_each_step(Step::Call, case);
    }
}

#[test]
fn drops_may_panic() {
    let cases: [Case; 18] = [
        |_, map| open(map).extract_if(|_, token| token.value % 3 == 0).for_each(drop),
        |_, map| drop(open(map).extract_if(|_, _| true).nth(4)),
        |ledger, map| {
            let key = open(map).keys().next_back().expect("it is there");
            assert!(open(map).try_insert_at(key, ledger.token(60)).is_err());
            let new = KeyData::from_parts(40, 3, 0).expect("it fits").into();
            open(map).insert_at(new, ledger.token(61));
            drop(open(map).remove(new));
        },
        |_, map| drop(map.take()),
        |_, map| open(map).clear(),
        |_, map| open(map).reset(),
        |_, map| drop(open(map).drain()),
        |_, map| open(map).drain().skip(2).step_by(2).for_each(drop),
        |_, map| {
            let mut drain = open(map).drain();
            drop(drain.next_back());
            drop(drain.next());
        },
        |_, map| open(map).retain(|_, token| token.value % 3 == 0),
        |_, map| {
            let keys: Vec<_> = open(map).keys().collect();
            assert_eq!(open(map).remove_many(keys), LIVE);
        },
        |_, map| drop(map.take().expect("it is there").into_iter()),
        |_, map| {
            let mut values = map.take().expect("it is there").into_values();
            drop(values.next());
            drop(values.next_back());
        },
        |_, map| assert_eq!(map.take().expect("it is there").into_keys().count(), LIVE),
        |_, map| {
            let mut keys = map.take().expect("it is there").into_keys();
            assert!(keys.nth(2).is_some() && keys.next_back().is_some());
        },
        |ledger, map| {
            let keys: Vec<_> = open(map).keys().collect();
            open(map)[keys[0]] = ledger.token(70);
            drop(open(map).detach(keys[1]));
            open(map).reattach(keys[1], ledger.token(71));
            assert!(open(map).try_reattach(keys[1], ledger.token(72)).is_err());
        },
        |_, map| drop(mem::take(open(map))),
        |_, map| {
            let clone = open(map).clone();
            *open(map) = clone;
        },
    ];
    for case in cases {
        at_each_step(Step::Drop, case);
    }
}

#[test]
fn a_refused_value_may_panic_as_it_is_dropped() {
    at_each_step(Step::Drop, |ledger, map| {
        let mut full = Map::builder().max_len(2).build();
        full.extend(ledger.tokens(0..2));
        assert!(full.try_insert(ledger.token(9)).is_err());
        assert!(full.grow_only().try_insert(ledger.token(9)).is_err());
        assert!(full.try_insert_many(ledger.tokens(0..5), &mut Vec::new()).is_err());
        drop(full);
        open(map).clear();
    });
}

#[test]
fn what_is_left_of_a_forgotten_drain_stays() {
    let ledger = Ledger::new();
    let mut map = sample(&ledger);
    let keys: Vec<_> = map.keys().collect();
    let mut drain = map.drain();
    let taken = [drain.next().expect("it is there"), drain.next_back().expect("it is there")];
    mem::forget(drain);
    assert_eq!((taken[0].0, taken[1].0), (keys[0], keys[keys.len() - 1]));
    assert!(map.keys().eq(keys[1..keys.len() - 1].iter().copied()));
    assert_eq!(ledger.live(), map.len() + 2);
    drop(taken);
    check_usable(&ledger, &mut map, &keys);
    drop(map);
    ledger.assert_all_dropped_but(0);
}

#[test]
fn values_are_dropped_once_and_in_the_order_of_addresses() {
    let ways: [fn(Map<'_>); 6] = [
        |map| drop(map),
        |mut map| map.clear(),
        |mut map| map.reset(),
        |mut map| map.retain(|_, _| false),
        |map| drop(map.into_iter()),
        |map| assert_eq!(map.into_keys().count(), LIVE),
    ];
    for way in ways {
        let ledger = Ledger::new();
        let map = sample(&ledger);
        let ids: Vec<_> = map.values().map(|token| token.id).collect();
        ledger.take_order();
        way(map);
        assert_eq!(ledger.take_order(), ids);
        ledger.assert_all_dropped_but(0);
    }
}

#[test]
fn the_rest_is_dropped_where_one_drop_panics() {
    let ways: [fn(&mut Option<Map<'_>>); 6] = [
        |map| drop(map.take()),
        |map| open(map).clear(),
        |map| open(map).reset(),
        |map| drop(open(map).drain()),
        |map| drop(map.take().expect("it is there").into_iter()),
        |map| drop(map.take().expect("it is there").into_values()),
    ];
    for way in ways {
        let ledger = Ledger::new();
        let mut map = Some(sample(&ledger));
        ledger.set_fuse(Step::Drop, 3);
        assert!(panic::catch_unwind(AssertUnwindSafe(|| way(&mut map))).is_err());
        assert_eq!(ledger.live(), 0);
        assert!(map.is_none_or(|map| map.is_empty() && map.iter().next().is_none()));
        ledger.assert_all_dropped_but(0);
    }
}

#[test]
fn reset_forgets_though_a_drop_panics() {
    let ledger = Ledger::new();
    let mut map = sample(&ledger);
    let key = map.keys().next().expect("it is there");
    let weak = map.downgrade(key).expect("it is there");
    ledger.set_fuse(Step::Drop, 0);
    assert!(panic::catch_unwind(AssertUnwindSafe(|| map.reset())).is_err());
    let stats = map.stats();
    assert_eq!((stats.live, stats.holes, stats.detached, stats.retired), (0, 0, 0, 0));
    let first = map.insert(ledger.token(1));
    assert_eq!((first.index(), first.generation()), (0, 1));
    assert!(map.upgrade(&weak).is_none());
}
