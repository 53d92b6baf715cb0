//! Panics in user code of slot maps and secondary maps.

use super::{Kind, Row, cases, check_tokens, odd, odd_by_step, row_steps, stepwise, suite};
use crate::classes::kinds::{
    self, DenseRows, LIVE, Map, Secondary, Sparse, check_rows, dense_sample,
};
use crate::helpers::key;
use crate::ledger::{Ledger, Step, Token};
use crate::slot_map_op::Small;
use stayput::{Budget, DenseSlotMap, Key, SecondaryMap, SlotMap, SparseSecondaryMap};
use std::cmp::Ordering;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};

pub(super) fn rows() -> Vec<Row> {
    let tables = [
        slot_map::rows(),
        dense::rows(),
        slots::rows(),
        packed::rows(),
        secondary::rows(),
        sparse::rows(),
        of_both::rows(),
    ];
    tables.into_iter().flatten().collect()
}

/// A collection of keys that panics.
pub(super) struct Keys<'l>(pub(super) &'l Ledger);

impl<K> Extend<K> for Keys<'_> {
    fn extend<I: IntoIterator<Item = K>>(&mut self, keys: I) {
        keys.into_iter().for_each(|_| self.0.step(Step::Call));
    }
}

/// Panics when it is compared.
struct Fussy<'t, 'l>(&'l Ledger, Token<'t>);

impl PartialEq for Fussy<'_, '_> {
    fn eq(&self, other: &Self) -> bool {
        self.0.step(Step::Call);
        self.1.value == other.1.value
    }
}

/// Tests of both maps, one module each.
macro_rules! tests {
    ($map:ident, $scope:ident in $module:ident) => {
        mod $module {
            use super::*;
            use kinds::$module::{Full, Sample};

            suite! {
                clones_may_panic = Row::new(stringify!($map))
                    .at_each::<Sample>(Step::Clone, cases![
                        |_, map| drop(map.clone()),
                        |_, map| drop(map.try_clone()),
                        |_, map| *map = map.clone(),
                        |_, map| {
                            let copy = map.values().next().expect("it is there").clone();
                            map.insert(copy);
                        },
                    ]);

                predicates_iterators_and_constructors_may_panic = Row::new(stringify!($map))
                    .at_each::<Sample>(Step::Call, cases![
                        |ledger, map| {
                            let taken = map.extract_if(|_, token| odd_by_step(ledger, token));
                            taken.for_each(|_| ledger.step(Step::Call));
                        },
                        |ledger, _| {
                            let fussy = || -> $map<Small, _> {
                                ledger.tokens(0..5).map(|token| Fussy(ledger, token)).collect()
                            };
                            assert!(fussy() == fussy());
                        },
                        |_, map| assert!(map.clone() == *map),
                        |ledger, map| map.retain(|_, token| odd_by_step(ledger, token)),
                        |ledger, map| map.extend(stepwise(ledger, 20)),
                        |ledger, map| map.insert_many(stepwise(ledger, 20), &mut Vec::new()),
                        |ledger, map| map.insert_many(ledger.tokens(50..60), &mut Keys(ledger)),
                        |ledger, map| {
                            map.insert_with_key(|_| {
                                let token = ledger.token(50);
                                ledger.step(Step::Call);
                                token
                            });
                        },
                        |ledger, map| {
                            let keys: Vec<_> = map.keys().collect();
                            let keys = keys.into_iter().inspect(|_| ledger.step(Step::Call));
                            assert_eq!(map.remove_many(keys), LIVE);
                        },
                        |ledger, map| {
                            let keys: Vec<_> = map.keys().collect();
                            map.get_many_mut(keys, |_, token| {
                                ledger.step(Step::Call);
                                token.unwrap().value += 1;
                            });
                        },
                        |ledger, map| {
                            let keys: Vec<_> = map.keys().collect();
                            let keys = keys.into_iter().inspect(|_| ledger.step(Step::Call));
                            map.get_many(keys, |_, token| {
                                ledger.step(Step::Call);
                                assert!(token.is_some());
                            });
                        },
                        |ledger, map| {
                            let values = stepwise(ledger, 20);
                            assert!(map.try_insert_many(values, &mut Vec::new()).is_ok());
                        },
                        |ledger, map| {
                            let made = map.try_insert_with_key(|_| {
                                ledger.step(Step::Call);
                                Err(ledger.token(50))
                            });
                            assert_eq!(made.map_err(|token| token.value), Err(50));
                        },
                        |ledger, map| map.drain().for_each(|_| ledger.step(Step::Call)),
                    ])
                    .taken::<Sample>(Step::Call, cases![
                        |ledger, map| map.into_iter().rev().for_each(|_| ledger.step(Step::Call)),
                        |ledger, map| {
                            let sum = map.into_values().fold(0, |sum, token| {
                                ledger.step(Step::Call);
                                sum + token.value
                            });
                            assert!(sum > 0);
                        },
                    ]);

                drops_may_panic = Row::new(stringify!($map))
                    .at_each::<Sample>(Step::Drop, cases![
                        |_, map| map.extract_if(|_, token| odd(token)).for_each(drop),
                        |_, map| drop(map.extract_if(|_, _| true).nth(4)),
                        |_, map| map.clear(),
                        |_, map| map.reset(),
                        |_, map| drop(map.drain()),
                        |_, map| drop(map.drain().nth(1)),
                        |_, map| map.drain().take(4).for_each(drop),
                        |_, map| map.drain().skip(2).step_by(2).for_each(drop),
                        |_, map| {
                            let mut drain = map.drain();
                            drop(drain.next());
                            mem::forget(drain);
                        },
                        |_, map| map.retain(|_, token| token.value % 3 == 0),
                        |_, map| {
                            let keys: Vec<_> = map.keys().collect();
                            assert_eq!(map.remove_many(keys[2..6].iter().copied()), 4);
                        },
                        |_, map| assert_eq!(map.remove_many(map.keys().collect::<Vec<_>>()), LIVE),
                        |ledger, map| {
                            let keys: Vec<_> = map.keys().collect();
                            map[keys[0]] = ledger.token(70);
                            drop(map.detach(keys[1]));
                            map.reattach(keys[1], ledger.token(71));
                            assert!(map.try_reattach(keys[1], ledger.token(72)).is_err());
                        },
                        |_, map| drop(mem::take(map)),
                        |_, map| *map = map.clone(),
                        |_, map| map.clone_from(&$map::with_key()),
                        |ledger, _| {
                            let mut full: $map<Small, _> = $map::builder().max_len(2).build();
                            full.extend(ledger.tokens(0..2));
                            assert!(full.try_insert(ledger.token(9)).is_err());
                            assert!(
                                full.try_insert_many(ledger.tokens(0..5), &mut Vec::new()).is_err()
                            );
                        },
                    ])
                    .taken::<Sample>(Step::Drop, cases![
                        |_, map| drop(map),
                        |_, map| drop(map.into_iter()),
                        |_, map| map.into_iter().for_each(drop),
                        |_, map| {
                            let mut all = map.into_iter();
                            drop((all.next(), all.next_back()));
                        },
                        |_, map| map.into_values().for_each(drop),
                        |_, map| drop(map.into_values().nth(3)),
                        |_, map| drop(map.into_values().last()),
                        |_, map| {
                            let mut values = map.into_values();
                            drop(values.next());
                            drop(values.next_back());
                        },
                        |_, map| assert_eq!(map.into_keys().count(), LIVE),
                        |_, map| drop(map.into_keys()),
                        |_, map| {
                            let mut keys = map.into_keys();
                            assert!(keys.nth(2).is_some() && keys.next_back().is_some());
                        },
                    ]);

                scopes_may_be_left_by_a_panic = Row::new(stringify!($scope))
                    .at_each::<Full>(Step::Drop, cases![
                        |ledger, map| drop(map.grow_only().try_insert(ledger.token(9)).map(|_| ())),
                    ])
                    .refused::<Full>(cases![
                        |ledger, map| _ = map.grow_only().insert(ledger.token(9)),
                    ]);

                panicking_refusals_lose_only_the_refused_value = Row::new(stringify!($map))
                    .refused::<Full>(cases![
                        |ledger, map| _ = map.insert(ledger.token(9)),
                        |ledger, map| _ = map.insert_with_key(|_| ledger.token(9)),
                        |ledger, map| map.insert_many(ledger.tokens(9..12), &mut Vec::new()),
                        |ledger, map| map.extend(ledger.tokens(9..12)),
                        |ledger, map| map.reattach(key(3, 1), ledger.token(9)),
                    ]);
            }

            #[test]
            fn the_rest_is_dropped_if_one_drop_panics() {
                let ways: [fn(&mut $map<Small, Token<'_>>); 4] = [
                    |map| map.clear(),
                    |map| map.reset(),
                    |map| drop(map.drain()),
                    |map| drop(mem::take(map).into_iter()),
                ];
                for way in ways {
                    let ledger = Ledger::new();
                    let mut map = Sample::sample(&ledger);
                    ledger.set_fuse(Step::Drop, 3);
                    assert!(catch_unwind(AssertUnwindSafe(|| way(&mut map))).is_err());
                    assert_eq!(ledger.live(), 0);
                    assert!(map.is_empty() && map.iter().next().is_none());
                    ledger.assert_all_dropped_but(0);
                }
            }
        }
    };
}

tests!(SlotMap, GrowOnlyMap in slot_map);
tests!(DenseSlotMap, GrowOnlyDenseMap in dense);

/// Tests of `SlotMap` only.
mod slots {
    use super::*;
    use kinds::slot_map::Sample;

    suite! {
        calls_and_drops_may_panic = Row::new("SlotMap")
            .at_each::<Sample>(Step::Call, cases![
                |ledger, map| {
                    let keys: Vec<_> = map.keys().collect();
                    map.remove_many([keys[0], keys[2], keys[3]]);
                    map.compact(|_, _| ledger.step(Step::Call));
                },
                |ledger, map| {
                    let keys: Vec<_> = map.keys().collect();
                    map.remove_many([keys[0], keys[2], keys[3]]);
                    while !map.compact_within(Budget::bytes(1), |_, _| ledger.step(Step::Call)) {}
                },
                |ledger, map| {
                    let entry = map.vacant_entry();
                    ledger.step(Step::Call);
                    entry.insert(ledger.token(50));
                },
            ])
            .at_each::<Sample>(Step::Drop, cases![
                |ledger, map| {
                    let last = map.keys().next_back().expect("it is there");
                    assert!(map.try_insert_at(last, ledger.token(60)).is_err());
                    let new = key(40, 3);
                    map.insert_at(new, ledger.token(61));
                    drop(map.remove(new));
                },
                |_, map| {
                    let mut drain = map.drain();
                    drop(drain.next_back());
                    drop(drain.next());
                },
                |ledger, _| {
                    let mut full = Map::builder().max_len(2).build();
                    full.extend(ledger.tokens(0..2));
                    assert!(full.grow_only().try_insert(ledger.token(9)).is_err());
                },
            ]);
    }

    #[test]
    fn values_left_in_a_forgotten_drain_stay() {
        let ledger = Ledger::new();
        let mut map = Sample::sample(&ledger);
        let keys: Vec<_> = map.keys().collect();
        let mut drain = map.drain();
        let taken = [drain.next().expect("it is there"), drain.next_back().expect("it is there")];
        mem::forget(drain);
        assert_eq!((taken[0].0, taken[1].0), (keys[0], keys[keys.len() - 1]));
        assert!(map.keys().eq(keys[1..keys.len() - 1].iter().copied()));
        drop(taken);
        check_tokens(&ledger, &Sample::tokens(&map), 0);
        Sample::use_it(&ledger, &mut map, &Sample::sample(&Ledger::new()));
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
            let map = Sample::sample(&ledger);
            let ids: Vec<_> = map.values().map(|token| token.id).collect();
            ledger.take_order();
            way(map);
            assert_eq!(ledger.take_order(), ids);
            ledger.assert_all_dropped_but(0);
        }
    }

    #[test]
    fn reset_forgets_keys_even_if_a_drop_panics() {
        let ledger = Ledger::new();
        let mut map = Sample::sample(&ledger);
        let key = map.keys().next().expect("it is there");
        let weak = map.downgrade(key).expect("it is there");
        ledger.set_fuse(Step::Drop, 0);
        assert!(catch_unwind(AssertUnwindSafe(|| map.reset())).is_err());
        let stats = map.stats();
        assert_eq!((stats.live, stats.holes, stats.detached, stats.retired), (0, 0, 0, 0));
        let first = map.insert(ledger.token(1));
        assert_eq!((first.index(), first.generation()), (0, 1));
        assert!(map.upgrade(&weak).is_none());
    }
}

/// Tests of `DenseSlotMap` only.
mod packed {
    use super::*;
    use kinds::dense::Sample;

    /// A comparison that may panic.
    fn compare(ledger: &Ledger, a: &Token<'_>, b: &Token<'_>) -> Ordering {
        ledger.step(Step::Call);
        a.value.cmp(&b.value)
    }

    suite! {
        comparisons_that_panic_lose_nothing = Row::new("DenseSlotMap")
            .at_each::<Sample>(Step::Call, cases![
                |ledger, map| {
                    map.sort_by(|a, b| compare(ledger, a, b));
                    assert!(map.as_slice().is_sorted_by_key(|token| token.value));
                },
                |ledger, map| {
                    assert!(map.try_sort_by(|a, b| compare(ledger, a, b)).is_ok());
                    assert!(map.as_slice().is_sorted_by_key(|token| token.value));
                },
                |ledger, map| map.sort_by_key(|token| odd_by_step(ledger, token)),
                |ledger, map| {
                    let by = |a: &Token<'_>, b: &Token<'_>| compare(ledger, a, b);
                    while !map.try_defragment_by(by, Budget::swaps(2)).expect("there is memory") {}
                },
                |ledger, map| {
                    let by = |a: &Token<'_>, b: &Token<'_>| compare(ledger, a, b);
                    while !map.defragment_by(by, Budget::swaps(2)) {}
                    assert!(map.as_slice().is_sorted_by_key(|token| token.value));
                },
            ]);

        rows_of_columns_are_dropped_once_whatever_panics = Row::new("DenseSlotMap")
            .at_each::<DenseRows>(Step::Drop, cases![
                |_, map| map.clear(),
                |_, map| drop(map.drain()),
                |_, map| map.drain().take(3).for_each(drop),
                |_, map| drop(map.remove(map.keys_as_slice()[1])),
            ])
            .taken::<DenseRows>(Step::Drop, cases![|_, map| drop(map), |_, map| map.into_iter().for_each(drop)])
            .at_each::<DenseRows>(Step::Clone, cases![|_, map| drop(map.clone())])
            .at_each::<DenseRows>(Step::Call, cases![
                |ledger, map| map.retain(|_, (token, _, _)| odd_by_step(ledger, token)),
                |ledger, map| map.extend(row_steps(ledger, 7)),
                |ledger, map| {
                    let keys: Vec<_> = map.keys().collect();
                    map.get_many_mut(keys, |_, row| {
                        ledger.step(Step::Call);
                        assert!(row.is_some());
                    });
                },
                |ledger, map| {
                    map.sort_by(|a, b| {
                        ledger.step(Step::Call);
                        b.0.value.cmp(&a.0.value)
                    });
                },
            ]);
    }

    #[test]
    fn a_panicking_comparison_is_repeated_by_the_next_call() {
        for pass in 0..60 {
            let ledger = Ledger::new();
            let mut map = dense_sample(&ledger);
            ledger.set_fuse(Step::Call, pass);
            let mut by = |a: &Token<'_>, b: &Token<'_>| {
                ledger.step(Step::Call);
                (a.value / 4).cmp(&(b.value / 4))
            };
            let mut expected = map.clone();
            expected.sort_by_key(|token| token.value / 4);
            loop {
                let run = || map.defragment_by(&mut by, Budget::swaps(1));
                if let Ok(true) = catch_unwind(AssertUnwindSafe(run)) {
                    break;
                }
            }
            ledger.clear_fuse();
            assert_eq!(map.keys_as_slice(), expected.keys_as_slice());
            check_rows(&map, &dense_sample(&Ledger::new()));
        }
    }

    #[test]
    fn a_key_is_shown_again_after_its_callback_panicked() {
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
            assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
            assert_eq!((map.len(), map.contains_key(shown[0])), (2, false));
        }
        let key = map.insert(7);
        assert_eq!(shown, [key; 3]);
        assert!(map.keys().enumerate().all(|(row, key)| map.row_of(key) == Some(row)));
    }
}

/// Tests of both kinds of secondary maps, one module each.
macro_rules! secondary_tests {
    ($map:ident as $kind:ident in $module:ident) => {
        mod $module {
            use super::*;

            suite! {
                clones_may_panic = Row::new(stringify!($map))
                    .at_each::<$kind>(Step::Clone, cases![
                        |_, map| drop(map.clone()),
                        |_, map| drop(map.try_clone()),
                        |_, map| *map = map.clone(),
                    ]);

                predicates_and_closures_may_panic = Row::new(stringify!($map))
                    .at_each::<$kind>(Step::Call, cases![
                        |ledger, map| map.retain(|_, token| odd_by_step(ledger, token)),
                        |ledger, map| {
                            let keys = (5..15).map(|n| key(n, 3));
                            map.extend(keys.zip(stepwise(ledger, 10)));
                        },
                        // Into an empty slot, and over an older value, which stays.
                        |ledger, map| {
                            for key in [key(40, 1), key(3, 3)] {
                                let make = || stepwise(ledger, 1).next().expect("one");
                                map.entry(key).expect("not stale").or_insert_with(make);
                            }
                        },
                        |ledger, map| {
                            for key in [key(40, 1), key(3, 3)] {
                                let make = |_| stepwise(ledger, 1).next().expect("one");
                                map.entry(key).expect("not stale").or_insert_with_key(make);
                            }
                        },
                        |ledger, map| {
                            let entry = map.entry(key(3, 2)).expect("not stale");
                            drop(entry.and_modify(|_| ledger.step(Step::Call)));
                        },
                        |_, map| assert!(map.clone() == *map),
                    ]);

                drops_may_panic = Row::new(stringify!($map))
                    .at_each::<$kind>(Step::Drop, cases![
                        |_, map| map.clear(),
                        |_, map| map.retain(|_, token| odd(token)),
                        |_, map| drop(map.drain()),
                        |_, map| drop(map.drain().nth(1)),
                        |_, map| map.extract_if(|_, token| odd(token)).for_each(drop),
                        |ledger, map| {
                            // An older value is dropped, and so is a stale one.
                            map.insert(key(4, 3), ledger.token(1));
                            map.insert(key(4, 1), ledger.token(2));
                        },
                        |ledger, map| {
                            let entry = map.entry(key(4, 3)).expect("not stale");
                            entry.or_insert(ledger.token(1));
                        },
                        |_, map| *map = $map::new(),
                        |_, map| map.clone_from(&$map::new()),
                        |_, map| {
                            map.retain(|_, token| token.value < 3);
                            map.shrink_to_fit();
                        },
                    ])
                    .taken::<$kind>(Step::Drop, cases![
                        |_, map| drop(map),
                        |_, map| map.into_iter().for_each(drop),
                        |_, map| drop(map.into_iter().next()),
                        |_, map| map.into_iter().fold((), |(), _| ()),
                        |_, map| map.into_values().for_each(drop),
                        |_, map| drop(map.into_keys()),
                    ]);
            }
        }
    };
}

secondary_tests!(SecondaryMap as Secondary in secondary);
secondary_tests!(SparseSecondaryMap as Sparse in sparse);

mod of_both {
    use super::*;

    suite! {
        a_secondary_map_iterated_from_both_ends_survives_a_panicking_drop = Row::new("SecondaryMap")
            .at_each::<Secondary>(Step::Drop, cases![|_, map| {
                let mut drain = map.drain();
                drop([drain.next(), drain.next_back()]);
            }])
            .at_each::<Secondary>(Step::Drop, cases![|_, map| drop(map.drain().last())])
            .taken::<Secondary>(Step::Drop, cases![|_, map| {
                let mut items = map.into_iter();
                drop([items.next(), items.next_back()]);
            }]);

        comparisons_of_both_kinds_of_secondary_maps_may_panic = Row::new("SparseSecondaryMap")
            .at_each::<Sparse>(Step::Call, cases![|_, map| {
                let other: SecondaryMap<_, _> = map.clone().into_iter().collect();
                assert!(other == other.clone() && other.len() == map.len());
            }]);

        many_keys = Row::new("SecondaryMap")
            .at_each::<Secondary>(Step::Call, cases![
                |ledger, map| {
                    let keys = (0..10).map(|n| key(n, 2)).inspect(|_| ledger.step(Step::Call));
                    map.get_many(keys, |_, token| {
                        ledger.step(Step::Call);
                        assert!(token.is_some());
                    });
                },
                |ledger, map| {
                    let keys = (0..10).map(|n| key(n, 2)).inspect(|_| ledger.step(Step::Call));
                    map.get_many_mut(keys, |_, token| {
                        ledger.step(Step::Call);
                        token.expect("it is there").value += 1;
                    });
                },
                |ledger, map| {
                    let keys = (0..10).map(|n| key(n, 2)).inspect(|_| ledger.step(Step::Call));
                    assert_eq!(map.remove_many(keys), 10);
                },
            ]);

        scopes_may_be_left_by_a_panic = Row::new("GrowOnlySecondaryMap")
            .at_each::<Secondary>(Step::Drop, cases![
                // The slot has a value, and the key is stale.
                |ledger, map| drop(map.grow_only().insert(key(3, 3), ledger.token(9)).map(|_| ())),
                |ledger, map| {
                    drop(map.grow_only().try_insert(key(3, 1), ledger.token(9)).map(|_| ()));
                },
            ]);
    }
}
