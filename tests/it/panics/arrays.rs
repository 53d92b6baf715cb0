//! Panics in user code of arrays.

use super::{TokenContainer, at_each, kind, odd, odd_by_step, stepwise};
use crate::ledger::{Ledger, Step, Token, values};
use stayput::{BlockVec, Blocks, VmVec, vm_vec};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Twenty elements are in several blocks.
fn blocks<'l>() -> BlockVec<Token<'l>> {
    let bytes = 4 * size_of::<Token<'_>>();
    BlockVec::builder().blocks(Blocks::Fixed { bytes }).build()
}

/// Tests of all arrays, one module each.
macro_rules! tests {
    ($array:ident in $module:ident, $new:expr) => {
        mod $module {
            use super::*;

            fn ten(ledger: &Ledger) -> $array<Token<'_>> {
                let mut vec: $array<_> = $new;
                vec.extend(ledger.tokens(0..10));
                vec
            }

            fn use_it<'l>(ledger: &'l Ledger, vec: &mut $array<Token<'l>>) {
                assert!(vec.len() <= vec.capacity());
                if vec.len() == vec.max_len() {
                    vec.pop();
                }
                vec.insert(0, ledger.token(1000));
                assert_eq!(vec.remove(0).value, 1000);
                vec.retain(|token| !odd(token));
                vec.clear();
            }

            kind! {
                pub(super) Ten<'l> = $array<Token<'l>>;
                sample: |ledger| ten(ledger);
                tokens: |vec| vec.iter().collect();
                use: |ledger, vec| use_it(ledger, vec);
            }

            kind! {
                Full<'l> = $array<Token<'l>>;
                sample: |ledger| {
                    let mut vec = $array::with_max_len(10);
                    vec.extend(ledger.tokens(0..10));
                    vec
                };
                tokens: |vec| vec.iter().collect();
                use: |ledger, vec| use_it(ledger, vec);
            }

            fn read(vec: &$array<Token<'_>>) -> Vec<u32> {
                vec.iter().map(|token| token.value).collect()
            }

            #[test]
            fn clones_may_panic() {
                at_each::<Ten>(Step::Clone).of(&[
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
                    |_, vec| {
                        let copy: Vec<_> = vec.clone().into();
                        vec.extend(copy.iter().cloned());
                    },
                ]);
                at_each::<Ten>(Step::Clone).of_taken(&[|_, vec| {
                    let mut iter = vec.into_iter();
                    iter.next();
                    drop(iter.clone());
                }]);
            }

            #[test]
            fn predicates_and_comparisons_may_panic() {
                at_each::<Ten>(Step::Call).of(&[
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
                    |ledger, vec| {
                        vec.extract_if(1..9, |token| odd_by_step(ledger, token)).for_each(drop);
                    },
                    |ledger, vec| {
                        // The predicate panics, and the iterator is called again.
                        let mut extract = vec.extract_if(.., |token| odd_by_step(ledger, token));
                        let first = catch_unwind(AssertUnwindSafe(|| extract.next()));
                        extract.next();
                        if let Err(payload) = first {
                            std::panic::resume_unwind(payload);
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
            }

            #[test]
            fn iterators_and_closures_may_panic() {
                at_each::<Ten>(Step::Call).of(&[
                    |ledger, vec| vec.extend(stepwise(ledger, 30)),
                    |ledger, vec| vec.extend(stepwise(ledger, 7).filter(odd)),
                    |ledger, vec| assert!(vec.try_extend(stepwise(ledger, 7)).is_ok()),
                    |ledger, vec| vec.grow_only().extend(stepwise(ledger, 7)),
                    |ledger, _| drop(stepwise(ledger, 7).collect::<$array<_>>()),
                    |ledger, vec| {
                        vec.resize_with(17, || {
                            ledger.step(Step::Call);
                            ledger.token(50)
                        });
                    },
                    |ledger, vec| {
                        vec.drain(2..7).for_each(|token| {
                            ledger.step(Step::Call);
                            drop(token);
                        });
                    },
                ]);
            }

            #[test]
            fn drops_may_panic() {
                at_each::<Ten>(Step::Drop).of(&[
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
                ]);
                at_each::<Ten>(Step::Drop).of_taken(&[
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
            }

            #[test]
            fn drops_of_refused_values_may_panic() {
                at_each::<Full>(Step::Drop).of(&[
                    |ledger, vec| drop(vec.try_push(ledger.token(50))),
                    |ledger, vec| drop(vec.try_insert(2, ledger.token(50))),
                    |ledger, vec| drop(vec.try_resize(11, ledger.token(50))),
                    |ledger, vec| drop(vec.try_extend(ledger.tokens(50..55))),
                    |ledger, vec| drop(vec.try_extend(ledger.tokens(50..55).collect::<Vec<_>>())),
                    |ledger, vec| drop(vec.grow_only().try_push(ledger.token(50))),
                    |ledger, vec| {
                        let mut other: $array<_> = ledger.tokens(50..55).collect();
                        assert!(vec.try_append(&mut other).is_err());
                    },
                    |ledger, vec| {
                        let other: Vec<_> = ledger.tokens(50..55).collect();
                        assert!(vec.try_extend_from_slice(&other).is_err());
                    },
                ]);
            }

            #[test]
            fn panicking_refusals_lose_only_the_refused_value() {
                refused::<Full>(&[
                    |ledger, vec| vec.push(ledger.token(50)),
                    |ledger, vec| drop(vec.push_mut(ledger.token(50)).clone()),
                    |ledger, vec| vec.insert(3, ledger.token(50)),
                    |ledger, vec| vec.resize(12, ledger.token(50)),
                    |ledger, vec| vec.extend(ledger.tokens(50..53)),
                    |ledger, vec| vec.grow_only().extend(ledger.tokens(50..53)),
                    |_, vec| vec.extend_from_within(..),
                    |ledger, vec| vec.append(&mut ledger.tokens(50..53).collect()),
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

            #[test]
            fn an_index_out_of_bounds_leaves_the_array_and_drops_the_value() {
                refused::<Ten>(&[
                    |ledger, vec| vec.insert(11, ledger.token(50)),
                    |ledger, vec| drop(vec.try_insert(11, ledger.token(50))),
                    |_, vec| drop(vec.remove(10)),
                    |_, vec| drop(vec.swap_remove(10)),
                    |_, vec| drop(vec.split_off(11)),
                    |_, vec| drop(vec.drain(3..11)),
                ]);
            }
        }
    };
}

tests!(VmVec in vm_vec, VmVec::new());
tests!(BlockVec in block_vec, blocks());

/// Runs cases that panic and must leave the array unchanged.
#[track_caller]
fn refused<K: TokenContainer>(cases: &[super::Case<K>]) {
    for case in cases {
        let ledger = Ledger::new();
        let mut it = K::sample(&ledger);
        assert!(catch_unwind(AssertUnwindSafe(|| case(&ledger, &mut it))).is_err());
        assert!(K::tokens(&it).iter().map(|token| token.value).eq(0..10));
        super::check_tokens(&ledger, &K::tokens(&it));
        K::use_it(&ledger, &mut it, &K::sample(&Ledger::new()));
        drop(it);
        ledger.assert_all_dropped_but(0);
    }
}

/// Tests of `VmVec` only.
mod splices_and_slices {
    use super::vm_vec::Ten;
    use super::*;

    #[test]
    fn clones_may_panic() {
        at_each::<Ten>(Step::Clone).of(&[
            |_, vec| {
                let other = VmVec::from(&vec[2..6]);
                vec.extend(other);
            },
            |ledger, vec| vec.extend(vm_vec![ledger.token(50); 5]),
        ]);
    }

    #[test]
    fn iterators_and_comparisons_may_panic() {
        at_each::<Ten>(Step::Call).of(&[
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
    }

    #[test]
    fn drops_may_panic() {
        at_each::<Ten>(Step::Drop).of(&[
            |ledger, vec| drop(vec.splice(2..6, ledger.tokens(100..102))),
            |ledger, vec| drop(vec.splice(2..6, ledger.tokens(100..110))),
            |_, vec| drop(vec.splice(1..5, [])),
            |_, vec| vec.splice(1..5, []).for_each(drop),
        ]);
        at_each::<Ten>(Step::Drop).of_taken(&[
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
            super::super::check_tokens(&ledger, &vec.iter().collect::<Vec<_>>());
        }
        let run = AssertUnwindSafe(|| drop(vec.splice(11.., ledger.tokens(50..55))));
        assert!(catch_unwind(run).is_err());
        assert_eq!((vec.len(), ledger.live()), (10, 10));
        drop(vec);
        ledger.assert_all_dropped_but(0);
    }

    /// Panics when its size hint is requested.
    struct NoHint<I>(I);

    impl<I: Iterator> Iterator for NoHint<I> {
        type Item = I::Item;

        fn next(&mut self) -> Option<I::Item> {
            self.0.next()
        }

        fn size_hint(&self) -> (usize, Option<usize>) {
            panic!("no hint")
        }
    }

    #[test]
    fn size_hints_may_panic() {
        let ledger = Ledger::new();
        let mut vec: VmVec<_> = ledger.tokens(0..10).collect();
        for _ in 0..3 {
            let run = AssertUnwindSafe(|| vec.extend(NoHint(ledger.tokens(10..15))));
            assert!(catch_unwind(run).is_err());
            let run = AssertUnwindSafe(|| drop(vec.splice(2..4, NoHint(ledger.tokens(20..30)))));
            // The array may or may not request the hint.
            let _ = catch_unwind(run);
            super::super::check_tokens(&ledger, &vec.iter().collect::<Vec<_>>());
        }
        drop(vec);
        ledger.assert_all_dropped_but(0);
    }
}
