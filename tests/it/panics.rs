//! User code that panics, at any step of any call that runs it: nothing is dropped twice, nothing
//! is lost, and the array can be used.

use crate::ledger::{Ledger, Step, Token, values};
use stayput::{VmVec, vm_vec};
use std::panic::{self, AssertUnwindSafe};

/// A case: gets the array in an option, so that it may take it.
type Case = for<'l> fn(&'l Ledger, &mut Option<VmVec<Token<'l>>>);

/// Runs a case over and over: first its first step of the kind panics, then its second, and so on
/// until it gets through.
#[track_caller]
fn at_each_step(step: Step, case: Case) {
    at_each_step_within(None, step, case);
}

#[track_caller]
fn at_each_step_within(max_len: Option<usize>, step: Step, case: Case) {
    for pass in 0.. {
        let ledger = Ledger::new();
        let mut vec = max_len.map_or_else(VmVec::new, VmVec::with_max_len);
        vec.extend(ledger.tokens(0..10));
        let mut vec = Some(vec);

        ledger.set_fuse(step, pass);
        let result = panic::catch_unwind(AssertUnwindSafe(|| case(&ledger, &mut vec)));
        let panicked = ledger.clear_fuse();
        assert_eq!(result.is_err(), panicked, "at step {pass}");
        assert!(pass > 0 || panicked, "the case has no such step");

        if let Some(mut vec) = vec {
            check_usable(&ledger, &mut vec);
        }
        // Nothing else may hold any: the array is gone, and so is what the case had.
        ledger.assert_all_dropped_but(0);
        if !panicked {
            return;
        }
        assert!(pass < 1000, "the case never gets through");
    }
}

fn check_usable<'l>(ledger: &'l Ledger, vec: &mut VmVec<Token<'l>>) {
    assert!(vec.len() <= vec.capacity());
    assert!(vec.iter().all(|token| ledger.is_live(token)), "it holds what was dropped: {vec:?}");
    let mut ids: Vec<usize> = vec.iter().map(|token| token.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), vec.len(), "it holds one value twice: {vec:?}");
    assert_eq!(ledger.live(), vec.len(), "something was lost, not in {vec:?}");

    if vec.len() == vec.max_len() {
        vec.pop();
    }
    vec.insert(0, ledger.token(1000));
    assert_eq!(vec.remove(0).value, 1000);
    vec.retain(|token| token.value % 2 == 0);
    vec.clear();
}

fn open<'v, 'l>(vec: &'v mut Option<VmVec<Token<'l>>>) -> &'v mut VmVec<Token<'l>> {
    vec.as_mut().expect("nobody took it")
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
    let cases: [Case; 12] = [
        |_, vec| drop(open(vec).clone()),
        |_, vec| drop(open(vec).try_clone()),
        |ledger, vec| {
            let other: VmVec<_> = ledger.tokens(50..65).collect();
            open(vec).clone_from(&other);
            assert_eq!(values(open(vec)), values(&other));
        },
        |ledger, vec| {
            let other: VmVec<_> = ledger.tokens(50..53).collect();
            open(vec).clone_from(&other);
            assert_eq!(values(open(vec)), values(&other));
        },
        |ledger, vec| open(vec).resize(15, ledger.token(50)),
        |ledger, vec| drop(open(vec).try_resize(15, ledger.token(50))),
        |ledger, vec| {
            let other: Vec<_> = ledger.tokens(50..55).collect();
            open(vec).extend_from_slice(&other);
        },
        |_, vec| open(vec).extend_from_within(3..8),
        |_, vec| {
            let other = VmVec::from(&open(vec)[2..6]);
            open(vec).extend(other);
        },
        |_, vec| {
            let copy: Vec<_> = open(vec).clone().into();
            open(vec).extend(copy.iter().cloned());
        },
        |ledger, vec| open(vec).extend(vm_vec![ledger.token(50); 5]),
        |_, vec| {
            let mut iter = vec.take().expect("it is there").into_iter();
            iter.next();
            drop(iter.clone());
        },
    ];
    for case in cases {
        at_each_step(Step::Clone, case);
    }
}

#[test]
fn predicates_and_comparisons_may_panic() {
    let cases: [Case; 9] = [
        |ledger, vec| {
            open(vec).retain(|token| {
                ledger.step(Step::Call);
                token.value % 3 == 0
            });
        },
        |ledger, vec| {
            open(vec).retain_mut(|token| {
                token.value += 1;
                ledger.step(Step::Call);
                token.value % 3 == 0
            });
        },
        |ledger, vec| {
            open(vec).dedup_by(|a, b| {
                ledger.step(Step::Call);
                a.value / 3 == b.value / 3
            });
        },
        |ledger, vec| {
            open(vec).dedup_by_key(|token| {
                ledger.step(Step::Call);
                token.value / 2
            });
        },
        |_, vec| open(vec).dedup(),
        |ledger, vec| {
            let keep_odd = open(vec).extract_if(1..9, |token| {
                ledger.step(Step::Call);
                token.value % 2 == 0
            });
            keep_odd.for_each(drop);
        },
        |ledger, vec| {
            // The predicate panics, and the iterator is asked again.
            let mut extract = open(vec).extract_if(.., |token| {
                ledger.step(Step::Call);
                token.value % 2 == 0
            });
            let first = panic::catch_unwind(AssertUnwindSafe(|| extract.next()));
            extract.next();
            if let Err(payload) = first {
                panic::resume_unwind(payload);
            }
        },
        |ledger, vec| {
            open(vec).pop_if(|_| {
                ledger.step(Step::Call);
                true
            });
        },
        |ledger, vec| {
            open(vec).sort_by(|a, b| {
                ledger.step(Step::Call);
                b.value.cmp(&a.value)
            });
        },
    ];
    for case in cases {
        at_each_step(Step::Call, case);
    }
}

#[test]
fn iterators_and_closures_may_panic() {
    let cases: [Case; 12] = [
        |ledger, vec| open(vec).extend(stepwise(ledger, 7)),
        |ledger, vec| open(vec).extend(stepwise(ledger, 7).filter(|token| token.value % 2 == 0)),
        |ledger, vec| assert!(open(vec).try_extend(stepwise(ledger, 7)).is_ok()),
        |ledger, vec| open(vec).grow_only().extend(stepwise(ledger, 7)),
        |ledger, _| drop(stepwise(ledger, 7).collect::<VmVec<_>>()),
        |ledger, vec| {
            open(vec).resize_with(17, || {
                ledger.step(Step::Call);
                ledger.token(50)
            });
        },
        // A gap that is filled exactly, in part, and not wide enough.
        |ledger, vec| drop(open(vec).splice(2..6, stepwise(ledger, 4))),
        |ledger, vec| drop(open(vec).splice(2..6, stepwise(ledger, 2))),
        |ledger, vec| drop(open(vec).splice(2..6, stepwise(ledger, 9))),
        |ledger, vec| drop(open(vec).splice(6.., stepwise(ledger, 9))),
        |ledger, vec| drop(open(vec).splice(0..0, stepwise(ledger, 9))),
        |ledger, vec| {
            open(vec).drain(2..7).for_each(|token| {
                ledger.step(Step::Call);
                drop(token);
            });
        },
    ];
    for case in cases {
        at_each_step(Step::Call, case);
    }
}

/// Panics when it is asked how many it will give.
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
        assert!(panic::catch_unwind(run).is_err());
        let run = AssertUnwindSafe(|| drop(vec.splice(2..4, NoHint(ledger.tokens(20..30)))));
        // Whether the hint is asked for is the array's own affair.
        let _ = panic::catch_unwind(run);
        assert!(vec.iter().all(|token| ledger.is_live(token)));
        assert_eq!(ledger.live(), vec.len());
    }
    drop(vec);
    ledger.assert_all_dropped_but(0);
}

#[test]
fn drops_may_panic() {
    let cases: [Case; 16] = [
        |_, vec| open(vec).truncate(4),
        |_, vec| open(vec).clear(),
        |_, vec| drop(vec.take()),
        |_, vec| *open(vec) = VmVec::new(),
        |_, vec| {
            let mut iter = vec.take().expect("it is there").into_iter();
            let _given = (iter.next(), iter.next_back());
            drop(iter);
        },
        |_, vec| drop(open(vec).drain(2..7)),
        |_, vec| drop(open(vec).drain(..)),
        |_, vec| {
            let mut drain = open(vec).drain(1..9);
            let _given = (drain.next(), drain.next_back());
            drop(drain);
        },
        |ledger, vec| drop(open(vec).splice(2..6, ledger.tokens(100..102))),
        |ledger, vec| drop(open(vec).splice(2..6, ledger.tokens(100..110))),
        |_, vec| open(vec).extract_if(.., |token| token.value % 2 == 0).for_each(drop),
        |_, vec| open(vec).retain(|token| token.value % 4 == 0),
        |_, vec| open(vec).retain_mut(|token| token.value % 4 == 0),
        |_, vec| open(vec).dedup_by_key(|token| token.value / 3),
        |ledger, vec| open(vec).resize(5, ledger.token(50)),
        |ledger, vec| {
            let other: VmVec<_> = ledger.tokens(50..53).collect();
            open(vec).clone_from(&other);
        },
    ];
    for case in cases {
        at_each_step(Step::Drop, case);
    }
}

#[test]
fn drops_of_what_is_refused_may_panic() {
    let cases: [Case; 8] = [
        |ledger, vec| drop(open(vec).try_push(ledger.token(50))),
        |ledger, vec| drop(open(vec).try_insert(2, ledger.token(50))),
        |ledger, vec| drop(open(vec).try_resize(11, ledger.token(50))),
        |ledger, vec| drop(open(vec).try_extend(ledger.tokens(50..55))),
        |ledger, vec| drop(open(vec).try_extend(ledger.tokens(50..55).collect::<Vec<_>>())),
        |ledger, vec| drop(open(vec).grow_only().try_push(ledger.token(50))),
        |ledger, vec| {
            let mut other: VmVec<_> = ledger.tokens(50..55).collect();
            assert!(open(vec).try_append(&mut other).is_err());
        },
        |ledger, vec| {
            let other: VmVec<_> = ledger.tokens(50..55).collect();
            assert!(open(vec).try_extend_from_slice(&other).is_err());
        },
    ];
    for case in cases {
        at_each_step_within(Some(10), Step::Drop, case);
    }
}

#[test]
fn refusals_that_panic_lose_nothing_but_what_was_refused() {
    let cases: [Case; 10] = [
        |ledger, vec| open(vec).push(ledger.token(50)),
        |ledger, vec| drop(open(vec).push_mut(ledger.token(50)).clone()),
        |ledger, vec| open(vec).insert(3, ledger.token(50)),
        |ledger, vec| open(vec).resize(12, ledger.token(50)),
        |ledger, vec| open(vec).extend(ledger.tokens(50..53)),
        |ledger, vec| open(vec).grow_only().extend(ledger.tokens(50..53)),
        |_, vec| open(vec).extend_from_within(..),
        |ledger, vec| drop(open(vec).splice(2..4, ledger.tokens(50..55))),
        |ledger, vec| drop(open(vec).splice(8.., ledger.tokens(50..55))),
        |ledger, vec| open(vec).append(&mut ledger.tokens(50..53).collect()),
    ];
    for case in cases {
        let ledger = Ledger::new();
        let mut vec = VmVec::with_max_len(10);
        vec.extend(ledger.tokens(0..10));
        let mut vec = Some(vec);
        let result = panic::catch_unwind(AssertUnwindSafe(|| case(&ledger, &mut vec)));
        assert!(result.is_err());
        check_usable(&ledger, open(&mut vec));
        drop(vec);
        ledger.assert_all_dropped_but(0);
    }
}

#[test]
fn a_refused_splice_keeps_what_is_behind_the_range() {
    let ledger = Ledger::new();
    let mut vec = VmVec::with_max_len(10);
    vec.extend(ledger.tokens(0..10));
    let run = AssertUnwindSafe(|| drop(vec.splice(2..4, ledger.tokens(50..55))));
    assert!(panic::catch_unwind(run).is_err());
    assert_eq!(values(&vec), [0, 1, 50, 51, 4, 5, 6, 7, 8, 9]);
    drop(vec);
    ledger.assert_all_dropped_but(0);
}

#[test]
fn after_a_predicate_panicked_what_was_not_looked_at_is_there() {
    let mut vec = VmVec::from([0, 1, 2, 3, 4, 5, 6, 7]);
    let run = AssertUnwindSafe(|| {
        vec.retain(|n| {
            assert!(*n != 5, "planned");
            n % 2 == 0
        });
    });
    assert!(panic::catch_unwind(run).is_err());
    assert_eq!(vec, [0, 2, 4, 5, 6, 7]);

    let mut vec = VmVec::from([0, 1, 2, 3, 4, 5, 6, 7]);
    let run = AssertUnwindSafe(|| {
        vec.dedup_by_key(|n| {
            assert!(*n != 5, "planned");
            *n / 3
        });
    });
    assert!(panic::catch_unwind(run).is_err());
    assert_eq!(vec, [0, 3, 5, 6, 7]);

    let mut vec = VmVec::from([0, 1, 2, 3, 4, 5, 6, 7]);
    let run = AssertUnwindSafe(|| {
        let extract = vec.extract_if(1..7, |n| {
            assert!(*n != 5, "planned");
            *n % 2 == 0
        });
        assert!(extract.eq([2, 4]));
    });
    assert!(panic::catch_unwind(run).is_err());
    assert_eq!(vec, [0, 1, 3, 5, 6, 7]);
}

#[test]
fn an_index_out_of_bounds_leaves_the_array_and_drops_the_value() {
    let cases: [Case; 7] = [
        |ledger, vec| open(vec).insert(11, ledger.token(50)),
        |ledger, vec| drop(open(vec).try_insert(11, ledger.token(50))),
        |_, vec| drop(open(vec).remove(10)),
        |_, vec| drop(open(vec).swap_remove(10)),
        |_, vec| drop(open(vec).split_off(11)),
        |_, vec| drop(open(vec).drain(3..11)),
        |ledger, vec| drop(open(vec).splice(11.., ledger.tokens(50..55))),
    ];
    for case in cases {
        let ledger = Ledger::new();
        let mut vec = Some(ledger.tokens(0..10).collect::<VmVec<_>>());
        let result = panic::catch_unwind(AssertUnwindSafe(|| case(&ledger, &mut vec)));
        assert!(result.is_err());
        assert_eq!(values(open(&mut vec)), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        drop(vec);
        ledger.assert_all_dropped_but(0);
    }
}
