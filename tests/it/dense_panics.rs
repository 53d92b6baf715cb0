//! User code that panics, at any step of any call of a `DenseSlotMap` that runs it: nothing is dropped twice,
//! nothing is lost, keys find their values, and the map can be used.

use crate::dense_op::Small;
use crate::ledger::{Ledger, Step, Token};
use stayput::{Budget, Columns, DenseSlotMap};
use std::cmp::Ordering;
use std::mem;
use std::panic::{self, AssertUnwindSafe};

type Map<'l> = DenseSlotMap<Small, Token<'l>>;

/// A case: gets the map in an option, so that it may take it.
type Case = for<'l> fn(&'l Ledger, &mut Option<Map<'l>>);

/// Nine values in no order, a hole, and a slot that is detached.
fn sample(ledger: &Ledger) -> Map<'_> {
    let mut map = Map::with_key();
    map.extend([7, 3, 9, 0, 5, 2, 8, 6, 1, 4].map(|value| ledger.token(value)));
    let keys = map.keys_as_slice().to_vec();
    drop(map.detach(keys[6]));
    map.remove(keys[3]);
    map.remove(keys[0]);
    map.extend(ledger.tokens(10..12));
    map.remove(map.keys_as_slice()[8]);
    map.extend(ledger.tokens(12..13));
    let stats = map.stats();
    assert_eq!((stats.live, stats.detached), (9, 1));
    map
}

/// Runs a case over and over: first its first step of the kind panics, then its second, and so on until it gets
/// through.
#[track_caller]
fn at_each_step(step: Step, case: Case) {
    for pass in 0.. {
        let ledger = Ledger::new();
        let mut map = Some(sample(&ledger));
        let old = open(&mut map).keys_as_slice().to_vec();

        ledger.set_fuse(step, pass);
        let result = panic::catch_unwind(AssertUnwindSafe(|| case(&ledger, &mut map)));
        let panicked = ledger.clear_fuse();
        assert_eq!(result.is_err(), panicked, "at step {pass}");
        assert!(pass > 0 || panicked, "the case has no such step");

        if let Some(mut map) = map {
            check_usable(&ledger, &mut map, &old);
        }
        ledger.assert_all_dropped_but(0);
        if !panicked {
            return;
        }
        assert!(pass < 1000, "the case never gets through");
    }
}

#[track_caller]
fn check_rows(map: &Map<'_>, old: &[Small]) {
    let keys = map.keys_as_slice();
    assert_eq!((map.as_slice().len(), map.stats().live), (keys.len(), keys.len()));
    assert!(keys.iter().enumerate().all(|(row, key)| map.row_of(*key) == Some(row)), "{map:?}");
    assert!(old.iter().all(|key| map.contains_key(*key) == keys.contains(key)), "{map:?}");
}

#[track_caller]
fn check_usable<'l>(ledger: &'l Ledger, map: &mut Map<'l>, old: &[Small]) {
    assert!(map.values().all(|token| ledger.is_live(token)), "it holds what was dropped: {map:?}");
    let mut ids: Vec<usize> = map.values().map(|token| token.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), map.len(), "it holds one value twice: {map:?}");
    assert_eq!(ledger.live(), map.len(), "something was lost, not in {map:?}");
    check_rows(map, old);

    for value in 0..30 {
        let key = map.insert(ledger.token(value));
        assert_eq!((map[key].value, map.row_of(key)), (value, Some(map.len() - 1)));
    }
    check_rows(map, old);
    while !map.defragment_by(|a, b| a.value.cmp(&b.value), Budget::swaps(3)) {}
    assert!(map.as_slice().is_sorted_by_key(|token| token.value));
    check_rows(map, old);
}

fn open<'a, 'l>(map: &'a mut Option<Map<'l>>) -> &'a mut Map<'l> {
    map.as_mut().expect("it is not taken yet")
}

/// An order that steps.
fn compare(ledger: &Ledger, a: &Token<'_>, b: &Token<'_>) -> Ordering {
    ledger.step(Step::Call);
    a.value.cmp(&b.value)
}

#[test]
fn drops_that_panic_lose_nothing() {
    at_each_step(Step::Drop, |_, map| open(map).clear());
    at_each_step(Step::Drop, |_, map| open(map).reset());
    at_each_step(Step::Drop, |_, map| drop(map.take()));
    at_each_step(Step::Drop, |_, map| drop(open(map).drain()));
    at_each_step(Step::Drop, |_, map| open(map).drain().take(4).for_each(drop));
    at_each_step(Step::Drop, |_, map| {
        let mut all = open(map).drain();
        drop(all.next());
        mem::forget(all);
    });
    at_each_step(Step::Drop, |_, map| open(map).retain(|_, token| token.value % 2 == 0));
    at_each_step(Step::Drop, |_, map| {
        open(map).extract_if(|_, token| token.value % 2 == 0).for_each(drop);
    });
    at_each_step(Step::Drop, |_, map| {
        let keys = open(map).keys_as_slice()[2..6].to_vec();
        assert_eq!(open(map).remove_many(keys), 4);
    });
    at_each_step(Step::Drop, |_, map| drop(map.take().unwrap().into_keys()));
    at_each_step(Step::Drop, |_, map| {
        let mut all = map.take().unwrap().into_iter();
        drop((all.next(), all.next_back()));
    });
    at_each_step(Step::Drop, |_, map| drop(map.take().unwrap().into_values().nth(3)));
    at_each_step(Step::Drop, |ledger, map| {
        let key = open(map).keys_as_slice()[2];
        open(map)[key] = ledger.token(70);
    });
}

#[test]
fn clones_that_panic_lose_nothing() {
    at_each_step(Step::Clone, |_, map| drop(open(map).clone()));
    at_each_step(Step::Clone, |_, map| *map = map.clone());
    at_each_step(Step::Clone, |_, map| {
        let copy = open(map).as_slice()[0].clone();
        open(map).insert(copy);
    });
}

#[test]
fn predicates_that_panic_lose_nothing() {
    at_each_step(Step::Call, |ledger, map| {
        open(map).retain(|_, token| {
            ledger.step(Step::Call);
            token.value % 3 == 0
        });
    });
    at_each_step(Step::Call, |ledger, map| {
        let names = |_, token: &mut Token<'_>| {
            ledger.step(Step::Call);
            token.value % 3 != 0
        };
        assert!(open(map).extract_if(names).count() > 3);
    });
    at_each_step(Step::Call, |ledger, map| {
        let keys = open(map).keys_as_slice().to_vec();
        open(map).get_many_mut(keys, |_, token| {
            ledger.step(Step::Call);
            token.unwrap().value += 1;
        });
    });
    at_each_step(Step::Call, |_, map| {
        let map = open(map);
        assert!(map.clone() == *map);
    });
}

#[test]
fn comparisons_that_panic_lose_nothing() {
    at_each_step(Step::Call, |ledger, map| {
        open(map).sort_by(|a, b| compare(ledger, a, b));
        assert!(open(map).as_slice().is_sorted_by_key(|token| token.value));
    });
    at_each_step(Step::Call, |ledger, map| {
        let by = |a: &Token<'_>, b: &Token<'_>| compare(ledger, a, b);
        while !open(map).defragment_by(by, Budget::swaps(2)) {}
        assert!(open(map).as_slice().is_sorted_by_key(|token| token.value));
    });
}

#[test]
fn a_comparison_that_panics_is_made_again_by_the_next_call() {
    for pass in 0..60 {
        let ledger = Ledger::new();
        let mut map = sample(&ledger);
        let mut sorted: Vec<u32> = map.values().map(|token| token.value / 4).collect();
        sorted.sort_unstable();
        ledger.set_fuse(Step::Call, pass);
        let mut by = |a: &Token<'_>, b: &Token<'_>| {
            ledger.step(Step::Call);
            (a.value / 4).cmp(&(b.value / 4))
        };
        let mut expected = map.clone();
        expected.sort_by_key(|token| token.value / 4);
        loop {
            let run = || map.defragment_by(&mut by, Budget::swaps(1));
            if let Ok(true) = panic::catch_unwind(AssertUnwindSafe(run)) {
                break;
            }
        }
        ledger.clear_fuse();
        assert_eq!(map.keys_as_slice(), expected.keys_as_slice());
        check_rows(&map, &[]);
    }
}

#[test]
fn iterators_and_closures_that_panic_lose_nothing() {
    at_each_step(Step::Call, |ledger, map| {
        open(map).insert_with_key(|_| {
            let token = ledger.token(50);
            ledger.step(Step::Call);
            token
        });
    });
    at_each_step(Step::Call, |ledger, map| {
        let tokens = (20..26).map(|value| {
            ledger.step(Step::Call);
            ledger.token(value)
        });
        open(map).extend(tokens);
    });
    at_each_step(Step::Call, |ledger, map| {
        struct Keys<'l>(&'l Ledger);
        impl Extend<Small> for Keys<'_> {
            fn extend<I: IntoIterator<Item = Small>>(&mut self, keys: I) {
                keys.into_iter().for_each(|_| self.0.step(Step::Call));
            }
        }
        let tokens: Vec<_> = ledger.tokens(30..36).collect();
        open(map).insert_many(tokens, &mut Keys(ledger));
    });
    at_each_step(Step::Call, |ledger, map| {
        let keys = open(map).keys_as_slice().to_vec();
        let keys = keys.into_iter().inspect(|_| ledger.step(Step::Call));
        assert_eq!(open(map).remove_many(keys), 9);
    });
}

#[test]
fn who_was_shown_a_key_and_panicked_sees_it_again() {
    let mut map: DenseSlotMap<Small, u32> = (0..3).collect();
    map.remove(map.keys_as_slice()[1]);
    let mut shown = Vec::new();
    for _ in 0..3 {
        let run = || {
            map.insert_with_key(|key| {
                shown.push(key);
                panic!("as planned")
            })
        };
        assert!(panic::catch_unwind(AssertUnwindSafe(run)).is_err());
        assert_eq!((map.len(), map.contains_key(shown[0])), (2, false));
    }
    let key = map.insert(7);
    assert_eq!(shown, [key; 3]);
    assert!(map.keys().enumerate().all(|(row, key)| map.row_of(key) == Some(row)));
}

#[test]
fn rows_of_columns_are_dropped_once_whatever_panics() {
    type Rows<'l> =
        DenseSlotMap<Small, (Token<'l>, u8, Token<'l>), Columns<(Token<'l>, u8, Token<'l>)>>;
    let cases: [for<'l> fn(&'l Ledger, &mut Rows<'l>); 4] = [
        |_, map| map.clear(),
        |_, map| drop(map.drain()),
        |_, map| map.drain().take(3).for_each(drop),
        |_, map| drop(map.remove(map.keys_as_slice()[1])),
    ];
    for case in cases {
        for pass in 0.. {
            let ledger = Ledger::new();
            let mut map = Rows::default();
            map.extend((0..7).map(|n| (ledger.token(n), 1, ledger.token(n))));
            ledger.set_fuse(Step::Drop, pass);
            let result = panic::catch_unwind(AssertUnwindSafe(|| case(&ledger, &mut map)));
            let panicked = ledger.clear_fuse();
            assert_eq!(result.is_err(), panicked);
            assert_eq!(ledger.live(), 2 * map.len());
            assert!(map.keys().enumerate().all(|(row, key)| map.row_of(key) == Some(row)));
            let (first, _, last) = map.as_slice();
            assert!(first.iter().zip(last).all(|(a, b)| a.value == b.value));
            drop(map);
            ledger.assert_all_dropped_but(0);
            if !panicked {
                break;
            }
        }
    }
}
