//! Panics in user code of arrays.

use super::{Row, cases, check_tokens, odd, odd_by_step, stepwise, suite};
use crate::classes::kinds;
use crate::ledger::{Ledger, Step, Token, values};
use stayput::{BlockVec, VmVec, vm_vec};
use std::cmp::Ordering;
use std::hash::{DefaultHasher, Hash};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

pub(super) fn rows() -> Vec<Row> {
    let tables = [vm_vec::rows(), block_vec::rows(), splices_and_slices::rows()];
    tables.into_iter().flatten().collect()
}

/// Tests of all arrays, one module each.
macro_rules! tests {
    ($array:ident, $scope:ident in $module:ident) => {
        mod $module {
            use super::*;
            use kinds::$module::{Full, Ten};

            fn read(vec: &$array<Token<'_>>) -> Vec<u32> {
                vec.iter().map(|token| token.value).collect()
            }

            suite! {
                clones_may_panic = Row::new(stringify!($array))
                    .at_each::<Ten>(Step::Clone, cases![
                        |_, vec| drop(vec.clone()),
                        |_, vec| drop(vec.try_clone()),
                        |ledger, vec| {
                            let other: $array<_> = ledger.tokens(50..65).collect();
                            vec.clone_from(&other);
                            assert_eq!(read(vec), read(&other));
                        },
                        |ledger, vec| {
                            let other: $array<_> = ledger.tokens(50..53).collect();
                            vec.clone_from(&other);
                            assert_eq!(read(vec), read(&other));
                        },
                        |ledger, vec| vec.resize(15, ledger.token(50)),
                        |ledger, vec| drop(vec.try_resize(15, ledger.token(50))),
                        |ledger, vec| {
                            let other: Vec<_> = ledger.tokens(50..55).collect();
                            vec.extend_from_slice(&other);
                        },
                        |_, vec| vec.extend_from_within(3..8),
                        |_, vec| assert!(vec.try_extend_from_within(3..8).is_ok()),
                        |ledger, vec| {
                            let other: Vec<_> = ledger.tokens(50..55).collect();
                            assert!(vec.try_extend_from_slice(&other).is_ok());
                        },
                        |_, vec| {
                            let copy: Vec<_> = vec.clone().into();
                            *vec = $array::from(&copy[2..7]);
                        },
                        |_, vec| {
                            let copy: Vec<_> = vec.clone().into();
                            vec.extend(copy.iter().cloned());
                        },
                    ])
                    .taken::<Ten>(Step::Clone, cases![|_, vec| {
                        let mut iter = vec.into_iter();
                        iter.next();
                        drop(iter.clone());
                    }]);

                predicates_and_comparisons_may_panic = Row::new(stringify!($array))
                    .at_each::<Ten>(Step::Call, cases![
                        |ledger, vec| vec.retain(|token| odd_by_step(ledger, token)),
                        |ledger, vec| {
                            vec.retain_mut(|token| {
                                token.value += 1;
                                odd_by_step(ledger, token)
                            });
                        },
                        |ledger, vec| {
                            vec.dedup_by(|a, b| {
                                ledger.step(Step::Call);
                                a.value / 3 == b.value / 3
                            });
                        },
                        |ledger, vec| {
                            vec.dedup_by_key(|token| {
                                ledger.step(Step::Call);
                                token.value / 2
                            });
                        },
                        |_, vec| vec.dedup(),
                        |_, vec| assert!(*vec == vec.clone()),
                        |_, vec| assert_eq!((*vec).cmp(&vec.clone()), Ordering::Equal),
                        |_, vec| vec.hash(&mut DefaultHasher::new()),
                        |ledger, vec| assert!(!vec.contains(&ledger.token(50))),
                        |ledger, vec| assert_eq!(vec.binary_search(&ledger.token(3)), Ok(3)),
                        |ledger, vec| {
                            let by = |token: &Token<'_>| {
                                ledger.step(Step::Call);
                                token.value.cmp(&50)
                            };
                            assert_eq!(vec.binary_search_by(by), Err(10));
                        },
                        |ledger, vec| {
                            let by = |token: &Token<'_>| {
                                ledger.step(Step::Call);
                                token.value
                            };
                            assert_eq!(vec.binary_search_by_key(&7, by), Ok(7));
                        },
                        |ledger, vec| {
                            let below = |token: &Token<'_>| {
                                ledger.step(Step::Call);
                                token.value < 4
                            };
                            assert_eq!(vec.partition_point(below), 4);
                        },
                        |ledger, vec| {
                            vec.extract_if(1..9, |token| odd_by_step(ledger, token)).for_each(drop);
                        },
                        |ledger, vec| {
                            // The predicate panics, and the iterator is called again.
                            let mut extract = vec.extract_if(.., |token| odd_by_step(ledger, token));
                            let first = catch_unwind(AssertUnwindSafe(|| extract.next()));
                            extract.next();
                            if let Err(payload) = first {
                                resume_unwind(payload);
                            }
                        },
                        |ledger, vec| drop(vec.pop_if(|token| odd_by_step(ledger, token))),
                        |ledger, vec| {
                            vec.iter_mut().for_each(|token| {
                                ledger.step(Step::Call);
                                token.value += 1;
                            });
                        },
                    ]);

                iterators_and_closures_may_panic = Row::new(stringify!($array))
                    .at_each::<Ten>(Step::Call, cases![
                        |ledger, vec| vec.extend(stepwise(ledger, 30)),
                        |ledger, vec| vec.extend(stepwise(ledger, 7).filter(odd)),
                        |ledger, vec| assert!(vec.try_extend(stepwise(ledger, 7)).is_ok()),
                        |ledger, _| drop(stepwise(ledger, 7).collect::<$array<_>>()),
                        |ledger, vec| {
                            vec.resize_with(17, || {
                                ledger.step(Step::Call);
                                ledger.token(50)
                            });
                        },
                        |ledger, vec| {
                            let made = || {
                                ledger.step(Step::Call);
                                ledger.token(50)
                            };
                            assert!(vec.try_resize_with(17, made).is_ok());
                        },
                        |ledger, vec| {
                            vec.drain(2..7).for_each(|token| {
                                ledger.step(Step::Call);
                                drop(token);
                            });
                        },
                    ]);

                drops_may_panic = Row::new(stringify!($array))
                    .at_each::<Ten>(Step::Drop, cases![
                        |_, vec| vec.truncate(4),
                        |_, vec| vec.clear(),
                        |_, vec| *vec = $array::new(),
                        |_, vec| drop(vec.drain(2..7)),
                        |_, vec| drop(vec.drain(..)),
                        |_, vec| drop(vec.drain(1..5).nth(1)),
                        |_, vec| drop(vec.drain(..).next_back()),
                        |_, vec| drop(vec.drain(2..7).last()),
                        |_, vec| {
                            let mut drain = vec.drain(1..9);
                            let _given = (drain.next(), drain.next_back());
                            drop(drain);
                        },
                        |_, vec| vec.extract_if(.., |token| odd(token)).for_each(drop),
                        |_, vec| vec.retain(|token| token.value % 4 == 0),
                        |_, vec| vec.retain_mut(|token| token.value % 4 == 0),
                        |_, vec| vec.dedup_by(|_, _| true),
                        |_, vec| vec.dedup_by_key(|token| token.value / 3),
                        |ledger, vec| vec.resize(5, ledger.token(50)),
                        |_, vec| vec.resize_with(2, || unreachable!()),
                        |ledger, vec| vec.clone_from(&ledger.tokens(50..53).collect()),
                        |_, vec| vec.clone_from(&$array::new()),
                        |_, vec| drop(vec.split_off(3)),
                    ])
                    .taken::<Ten>(Step::Drop, cases![
                        |_, vec| drop(vec),
                        |_, vec| vec.into_iter().for_each(drop),
                        |_, vec| drop(vec.into_iter().next()),
                        |_, vec| drop(vec.into_iter().nth(2)),
                        |_, vec| drop(vec.into_iter().nth_back(2)),
                        |_, vec| drop(vec.into_iter().last()),
                        |_, vec| {
                            let mut iter = vec.into_iter();
                            let _given = (iter.next(), iter.next_back());
                            drop(iter);
                        },
                        |_, vec| drop(vec.into_vec()),
                    ]);

                drops_of_refused_values_may_panic = Row::new(stringify!($array))
                    .at_each::<Full>(Step::Drop, cases![
                        |ledger, vec| drop(vec.try_push(ledger.token(50))),
                        |ledger, vec| drop(vec.try_insert(2, ledger.token(50))),
                        |ledger, vec| drop(vec.try_resize(11, ledger.token(50))),
                        |ledger, vec| drop(vec.try_extend(ledger.tokens(50..55))),
                        |ledger, vec| drop(vec.try_extend(ledger.tokens(50..55).collect::<Vec<_>>())),
                        |ledger, vec| {
                            let mut other: $array<_> = ledger.tokens(50..55).collect();
                            assert!(vec.try_append(&mut other).is_err());
                        },
                        |ledger, vec| {
                            let other: Vec<_> = ledger.tokens(50..55).collect();
                            assert!(vec.try_extend_from_slice(&other).is_err());
                        },
                    ]);

                scopes_may_be_left_by_a_panic = Row::new(stringify!($scope))
                    .at_each::<Ten>(Step::Call, cases![
                        |ledger, vec| vec.grow_only().extend(stepwise(ledger, 7)),
                        |ledger, vec| {
                            let scope = vec.grow_only();
                            let kept = scope.push(ledger.token(7));
                            scope.extend(stepwise(ledger, 3).inspect(|token| {
                                scope.push(ledger.token(token.value));
                            }));
                            assert_eq!(kept.value, 7);
                        },
                    ])
                    .at_each::<Full>(Step::Drop, cases![
                        |ledger, vec| drop(vec.grow_only().try_push(ledger.token(50))),
                    ])
                    .refused::<Full>(cases![
                        |ledger, vec| drop(vec.grow_only().push(ledger.token(50)).clone()),
                        |ledger, vec| vec.grow_only().extend(ledger.tokens(50..53)),
                    ]);

                panicking_refusals_lose_only_the_refused_value = Row::new(stringify!($array))
                    .refused::<Full>(cases![
                    |ledger, vec| vec.push(ledger.token(50)),
                    |ledger, vec| drop(vec.push_mut(ledger.token(50)).clone()),
                    |ledger, vec| vec.insert(3, ledger.token(50)),
                    |ledger, vec| vec.resize(12, ledger.token(50)),
                    |ledger, vec| vec.extend(ledger.tokens(50..53)),
                    |_, vec| vec.extend_from_within(..),
                    |ledger, vec| vec.append(&mut ledger.tokens(50..53).collect()),
                    ])
                    // Indices out of bounds.
                    .refused::<Ten>(cases![
                    |ledger, vec| vec.insert(11, ledger.token(50)),
                    |ledger, vec| drop(vec.try_insert(11, ledger.token(50))),
                    |_, vec| drop(vec.remove(10)),
                    |_, vec| drop(vec.swap_remove(10)),
                    |_, vec| drop(vec.split_off(11)),
                    |_, vec| drop(vec.drain(3..11)),
                    ]);
            }

            #[test]
            fn after_a_panicking_predicate_unvisited_elements_stay() {
                let numbers = || $array::from([0, 1, 2, 3, 4, 5, 6, 7]);
                let planned = |n: i32| assert!(n != 5, "planned");
                let mut vec = numbers();
                let run = AssertUnwindSafe(|| {
                    vec.retain(|n| {
                        planned(*n);
                        n % 2 == 0
                    });
                });
                assert!(catch_unwind(run).is_err());
                assert_eq!(vec, [0, 2, 4, 5, 6, 7]);

                let mut vec = numbers();
                let run = AssertUnwindSafe(|| {
                    vec.dedup_by_key(|n| {
                        planned(*n);
                        *n / 3
                    });
                });
                assert!(catch_unwind(run).is_err());
                assert_eq!(vec, [0, 3, 5, 6, 7]);

                let mut vec = numbers();
                let run = AssertUnwindSafe(|| {
                    let extract = vec.extract_if(1..7, |n| {
                        planned(*n);
                        *n % 2 == 0
                    });
                    assert!(extract.eq([2, 4]));
                });
                assert!(catch_unwind(run).is_err());
                assert_eq!(vec, [0, 1, 3, 5, 6, 7]);
            }

        }
    };
}

tests!(VmVec, GrowOnly in vm_vec);
tests!(BlockVec, GrowOnlyBlockVec in block_vec);

/// Tests of `VmVec` only.
mod splices_and_slices {
    use super::*;
    use kinds::vm_vec::Ten;

    suite! {
        clones_may_panic = Row::new("VmVec")
            .at_each::<Ten>(Step::Clone, cases![
                |_, vec| {
                    let other = VmVec::from(&vec[2..6]);
                    vec.extend(other);
                },
                |ledger, vec| vec.extend(vm_vec![ledger.token(50); 5]),
            ]);

        iterators_and_comparisons_may_panic = Row::new("VmVec")
            .at_each::<Ten>(Step::Call, cases![
                |ledger, vec| {
                    vec.sort_by(|a, b| {
                        ledger.step(Step::Call);
                        b.value.cmp(&a.value)
                    });
                },
                // A gap that is filled exactly, in part, and not wide enough.
                |ledger, vec| drop(vec.splice(2..6, stepwise(ledger, 4))),
                |ledger, vec| drop(vec.splice(2..6, stepwise(ledger, 2))),
                |ledger, vec| drop(vec.splice(2..6, stepwise(ledger, 9))),
                |ledger, vec| drop(vec.splice(6.., stepwise(ledger, 9))),
                |ledger, vec| drop(vec.splice(0..0, stepwise(ledger, 9))),
            ]);

        drops_may_panic = Row::new("VmVec")
            .at_each::<Ten>(Step::Drop, cases![
                |ledger, vec| drop(vec.splice(2..6, ledger.tokens(100..102))),
                |ledger, vec| drop(vec.splice(2..6, ledger.tokens(100..110))),
                |_, vec| drop(vec.splice(1..5, [])),
                |_, vec| vec.splice(1..5, []).for_each(drop),
            ])
            .taken::<Ten>(Step::Drop, cases![
                |_, vec| drop(<[Token<'_>; 10]>::try_from(vec)),
                |_, vec| drop(vec.into_boxed_slice()),
                |_, mut vec| _ = vec.grow_only(),
            ]);
    }

    #[test]
    fn a_refused_splice_keeps_the_elements_past_the_range() {
        let ledger = Ledger::new();
        let mut vec = VmVec::with_max_len(10);
        vec.extend(ledger.tokens(0..10));
        for (range, expected) in
            [(2..4, [0, 1, 50, 51, 4, 5, 6, 7, 8, 9]), (8..10, [0, 1, 50, 51, 4, 5, 6, 7, 50, 51])]
        {
            let run = AssertUnwindSafe(|| drop(vec.splice(range, ledger.tokens(50..55))));
            assert!(catch_unwind(run).is_err());
            assert_eq!(values(&vec), expected);
            check_tokens(&ledger, &vec.iter().collect::<Vec<_>>(), 0);
        }
        let run = AssertUnwindSafe(|| drop(vec.splice(11.., ledger.tokens(50..55))));
        assert!(catch_unwind(run).is_err());
        assert_eq!((vec.len(), ledger.live()), (10, 10));
        drop(vec);
        ledger.assert_all_dropped_but(0);
    }
}
