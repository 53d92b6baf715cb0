//! Panics in user code of pools of lists.

use super::{TokenContainer, at_each, kind, odd, odd_by_step, stepwise};
use crate::ledger::{Ledger, Step, Token};
use stayput::list_pool::ListMut;
use stayput::{Budget, DefaultKey, ListPool};

type Lists<'l> = ListPool<Token<'l>>;

/// Three lists: two that have room, and an exact one.
fn lists(ledger: &Ledger) -> Lists<'_> {
    let mut pool = ListPool::new();
    pool.insert_list(ledger.tokens(0..6));
    pool.compact();
    pool.insert_list(ledger.tokens(10..13));
    pool.insert_list(ledger.tokens(20..27));
    pool
}

fn key(pool: &Lists<'_>, nth: usize) -> DefaultKey {
    pool.keys().nth(nth).expect("it has three lists")
}

/// Calls `change` with the exact list, and with one that has room.
fn each<'l>(pool: &mut Lists<'l>, mut change: impl FnMut(&mut ListMut<'_, Token<'l>>)) {
    for nth in [0, 2] {
        let key = key(pool, nth);
        change(&mut pool.get_mut(key).expect("it is in the pool"));
    }
}

kind! {
    Pool<'l> = Lists<'l>;
    sample: |ledger| lists(ledger);
    tokens: |pool| pool.values().flatten().collect();
    use: |ledger, pool| {
        let new = pool.insert_list(ledger.tokens(50..60));
        for (_, elements) in &mut *pool {
            elements.reverse();
        }
        pool.compact();
        assert!(pool[new].iter().map(|token| token.value).eq((50..60).rev()));
        let stats = pool.stats();
        assert_eq!(stats.elements, pool.values().map(<[_]>::len).sum::<usize>());
        pool.clear();
        assert_eq!((pool.stats().unused, pool.stats().spare), (0, 0));
    };
}

#[test]
fn drops() {
    at_each::<Pool>(Step::Drop).of(&[
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
        |_, pool| each(pool, |list| list.retain(odd)),
        |_, pool| each(pool, |list| list.extract_if(.., |token| odd(token)).for_each(drop)),
        |_, pool| each(pool, |list| list.dedup_by_key(|token| token.value / 2)),
    ]);
    at_each::<Pool>(Step::Drop).of_taken(&[|_, pool| drop(pool)]);
}

#[test]
fn clones() {
    at_each::<Pool>(Step::Clone).of(&[
        |_, pool| drop(pool.clone()),
        |_, pool| drop(pool.try_clone()),
        |ledger, pool| {
            let other: Vec<_> = ledger.tokens(50..60).collect();
            each(pool, |list| list.extend_from_slice(&other));
        },
        |_, pool| {
            each(pool, |list| {
                let first = list[0].clone();
                list.fill(first);
            });
        },
    ]);
}

#[test]
fn calls() {
    at_each::<Pool>(Step::Call).of(&[
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
}
