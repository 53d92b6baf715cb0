//! Panics in user code of pools of lists.

#![expect(
    clippy::redundant_closure_for_method_calls,
    reason = "the text of a case names methods by calls"
)]

use super::{Row, cases, odd, odd_by_step, stepwise, suite};
use crate::classes::kinds::{Beside, Pool, list_key as key};
use crate::helpers;
use crate::ledger::{Step, Token};
use stayput::list_pool::ListMut;
use stayput::{Budget, DefaultKey, ListPool, SecondaryLists};

/// Calls `change` with the exact list, and with one that has room.
fn each<'l>(pool: &mut ListPool<Token<'l>>, mut change: impl FnMut(&mut ListMut<'_, Token<'l>>)) {
    for nth in [0, 2] {
        let key = key(pool, nth);
        change(&mut pool.get_mut(key).expect("it is in the pool"));
    }
}

/// The key of a list of a sample.
fn beside(nth: u32) -> DefaultKey {
    helpers::key(nth, 2)
}

suite! {
    drops = Row::new("ListPool")
        .at_each::<Pool>(Step::Drop, cases![
            |_, pool| pool.clear(),
            |_, pool| assert!(pool.remove_list(key(pool, 0))),
            |_, pool| assert!(pool.remove_list(key(pool, 2))),
            |_, pool| pool.retain(|_, elements| elements.len() == 3),
            |_, pool| each(pool, |list| list.truncate(0)),
            |_, pool| each(pool, |list| list.truncate(2)),
            |_, pool| each(pool, |list| drop(list.pop())),
            |_, pool| each(pool, |list| drop(list.swap_remove(1))),
            |_, pool| each(pool, |list| drop(list.drain(1..3))),
            |_, pool| each(pool, |list| drop(list.drain(..).nth(1))),
            |_, pool| each(pool, |list| list.retain(|token| odd(token))),
            |_, pool| each(pool, |list| list.extract_if(.., |token| odd(token)).for_each(drop)),
            |_, pool| each(pool, |list| list.dedup_by_key(|token| token.value / 2)),
            |_, pool| each(pool, |list| list.dedup_by(|_, _| true)),
            |_, pool| each(pool, |list| list.retain_mut(|token| odd(token))),
            |_, pool| each(pool, |list| list.clear()),
            |_, pool| pool.clone_from(&ListPool::new()),
        ])
        .taken::<Pool>(Step::Drop, cases![|_, pool| drop(pool)]);

    clones = Row::new("ListPool")
        .at_each::<Pool>(Step::Clone, cases![
            |_, pool| drop(pool.clone()),
            |_, pool| drop(pool.try_clone()),
            |ledger, pool| {
                let other: Vec<_> = ledger.tokens(50..60).collect();
                each(pool, |list| list.extend_from_slice(&other));
            },
            |ledger, pool| {
                let other: Vec<_> = ledger.tokens(50..60).collect();
                each(pool, |list| assert!(list.try_extend_from_slice(&other).is_ok()));
            },
            |_, pool| {
                each(pool, |list| {
                    let first = list[0].clone();
                    list.fill(first);
                });
            },
        ]);

    calls = Row::new("ListPool")
        .at_each::<Pool>(Step::Call, cases![
            |ledger, pool| {
                pool.insert_list(stepwise(ledger, 10));
            },
            |ledger, pool| each(pool, |list| list.extend(stepwise(ledger, 10))),
            |ledger, pool| each(pool, |list| assert!(list.try_extend(stepwise(ledger, 10)).is_ok())),
            |ledger, pool| each(pool, |list| list.retain(|token| odd_by_step(ledger, token))),
            |ledger, pool| {
                each(pool, |list| {
                    list.extract_if(.., |token| odd_by_step(ledger, token)).for_each(drop);
                });
            },
            |ledger, pool| each(pool, |list| drop(list.pop_if(|token| odd_by_step(ledger, token)))),
            |ledger, pool| {
                pool.retain(|_, elements| elements.iter().all(|token| !odd_by_step(ledger, token)));
            },
            |_, pool| each(pool, |list| list.dedup()),
            |ledger, pool| {
                each(pool, |list| list.retain_mut(|token| odd_by_step(ledger, token)));
            },
            |ledger, pool| {
                each(pool, |list| {
                    list.dedup_by(|a, b| odd_by_step(ledger, a) == odd_by_step(ledger, b));
                });
            },
            |ledger, pool| {
                each(pool, |list| list.dedup_by_key(|token| odd_by_step(ledger, token)));
            },
            |ledger, pool| {
                pool.insert_owned(stepwise(ledger, 10)).leak();
            },
            |ledger, pool| each(pool, |list| list.sort_by_key(|token| odd_by_step(ledger, token))),
            |ledger, pool| {
                pool.iter_mut().for_each(|(_, elements)| {
                    ledger.step(Step::Call);
                    elements.reverse();
                });
            },
            |ledger, pool| {
                pool.extend((0..3).map(|count| stepwise(ledger, count)));
            },
            |ledger, pool| {
                while !pool.compact_within(Budget::bytes(1)).expect("there is memory").is_done {
                    ledger.step(Step::Call);
                }
            },
        ]);

    lists_of_other_maps = Row::new("SecondaryLists")
        .at_each::<Beside>(Step::Drop, cases![
            |_, lists| lists.clear(),
            |_, lists| assert!(lists.remove_list(beside(1))),
            |_, lists| lists.retain(|key, _| key == beside(1)),
            |_, lists| lists.entry(beside(1)).truncate(2),
            // The list of an older key.
            |ledger, lists| lists.entry(helpers::key(1, 3)).push(ledger.token(9)),
            |_, lists| lists.clone_from(&SecondaryLists::new()),
        ])
        .taken::<Beside>(Step::Drop, cases![|_, lists| drop(lists)])
        .at_each::<Beside>(Step::Clone, cases![
            |_, lists| drop(lists.clone()),
            |_, lists| drop(lists.try_clone()),
        ])
        .at_each::<Beside>(Step::Call, cases![
            |ledger, lists| lists.entry(beside(7)).extend(stepwise(ledger, 10)),
            |ledger, lists| lists.retain(|_, elements| odd_by_step(ledger, &elements[0])),
        ]);
}
