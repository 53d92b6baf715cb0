//! Panics in user code of tables.

use super::{Row, cases, odd, odd_by_step, stepwise, suite};
use crate::classes::kinds::{By, Halves, Indexed, IndexedFull, Rooted};
use crate::ledger::{Ledger, Step};
use stayput::{DefaultKey, Table};

/// Yields rows; each step may panic.
fn steps(ledger: &Ledger, count: u32) -> impl Iterator<Item = Halves<'_>> {
    stepwise(ledger, count).map(|token| (token, ledger.token(0)))
}

/// Selects an index, in a step of user code.
fn select<'x, I>(ledger: &Ledger, index: &'x I) -> &'x I {
    ledger.step(Step::Call);
    index
}

fn first(table: &Rooted<'_>) -> DefaultKey {
    table.keys().next().expect("it has rows")
}

suite! {
    drops = Row::new("Table")
        .at_each::<Indexed>(Step::Drop, cases![
            |_, table| table.clear(),
            |_, table| table.retain(|_, (token, _)| odd(token)),
            |_, table| drop(table.drain()),
            |_, table| drop(table.drain().nth(1)),
            |_, table| table.extract_if(|_, (token, _)| odd(token)).for_each(drop),
            |_, table| _ = table.remove_all(|by| &by.odd, &true),
            |_, table| _ = table.remove_all(|by| &by.third, &1),
            |_, table| drop(table.take(|by| &by.value, &3)),
            |_, table| _ = table.remove_many(table.keys().collect::<Vec<_>>()),
            |ledger, table| {
                drop(table.replace(first(table), (ledger.token(50), ledger.token(0))));
            },
            // The result of the closure is dropped even if the drop of the old value panics.
            |ledger, table| {
                drop(table.modify(first(table), |token| {
                    *token = ledger.token(50);
                    ledger.token(77)
                }));
            },
            |ledger, table| table.for_each_mut(|_, token| *token = ledger.token(token.value)),
            |ledger, table| *table = steps(ledger, 3).collect(),
        ])
        .taken::<Indexed>(Step::Drop, cases![
            |_, table| drop(table),
            |_, table| table.into_iter().for_each(drop),
            |_, table| drop(table.into_iter().next()),
            |_, table| drop(table.into_rows()),
        ])
        .at_each::<IndexedFull>(Step::Drop, cases![
            |ledger, table| drop(table.try_insert((ledger.token(50), ledger.token(0)))),
            |ledger, table| drop(table.try_insert((ledger.token(3), ledger.token(0)))),
            |ledger, table| {
                drop(table.try_replace(first(table), (ledger.token(3), ledger.token(0))));
            },
        ]);

    clones = Row::new("Table")
        .at_each::<Indexed>(Step::Clone, cases![
            |_, table| drop(table.clone()),
            |_, table| drop(table.try_clone()),
            |_, table| _ = table.modify(first(table), |token| token.value = 50),
            |_, table| assert!(table.try_modify(first(table), |token| token.value = 50).is_ok()),
            |_, table| table.for_each_mut(|_, token| token.value += 10),
            |_, table| assert!(table.try_for_each_mut(|_, token| token.value += 10).is_ok()),
            |_, table| _ = table.modify_both(first(table), |token, _| token.value = 50),
            |_, table| {
                let changed = table.try_modify_both(first(table), |token, _| token.value = 50);
                assert!(changed.is_ok());
            },
            |_, table| table.for_each_both_mut(|_, token, _| token.value += 10),
            |_, table| {
                assert!(table.try_for_each_both_mut(|_, token, _| token.value += 10).is_ok());
            },
        ]);

    calls = Row::new("Table")
        .at_each::<Indexed>(Step::Call, cases![
            |ledger, table| table.insert_many(steps(ledger, 3), &mut Vec::new()),
            |ledger, table| {
                assert!(table.try_insert_many(steps(ledger, 3), &mut Vec::new()).is_ok());
            },
            |ledger, table| table.extend(steps(ledger, 3)),
            |ledger, _| drop(steps(ledger, 3).collect::<Table<_, By<'_>>>()),
            |ledger, table| {
                let keys: Vec<_> = table.keys().collect();
                table.remove_many(keys.into_iter().inspect(|_| ledger.step(Step::Call)));
            },
            |ledger, table| _ = table.insert_with_key(|_| steps(ledger, 1).next().expect("one")),
            |ledger, table| {
                let made = table.try_insert_with_key(|_| steps(ledger, 1).next().expect("one"));
                assert!(made.is_ok());
            },
            |ledger, table| table.retain(|_, (token, _)| odd_by_step(ledger, token)),
            |ledger, table| {
                table.extract_if(|_, (token, _)| odd_by_step(ledger, token)).for_each(drop);
            },
            |ledger, table| {
                table.modify(first(table), |token| {
                    token.value = 50;
                    ledger.step(Step::Call);
                });
            },
            |ledger, table| {
                let changed = table.try_modify(first(table), |token| {
                    token.value = 50;
                    ledger.step(Step::Call);
                });
                assert!(changed.is_ok());
            },
            |ledger, table| {
                table.modify_both(first(table), |token, other| {
                    (token.value, other.value) = (50, 50);
                    ledger.step(Step::Call);
                });
            },
            |ledger, table| {
                let changed = table.try_modify_both(first(table), |token, other| {
                    (token.value, other.value) = (50, 50);
                    ledger.step(Step::Call);
                });
                assert!(changed.is_ok());
            },
            |ledger, table| {
                table.for_each_mut(|_, token| {
                    token.value += 10;
                    ledger.step(Step::Call);
                });
            },
            |ledger, table| {
                let changed = table.try_for_each_mut(|_, token| {
                    token.value += 10;
                    ledger.step(Step::Call);
                });
                assert!(changed.is_ok());
            },
            |ledger, table| {
                table.for_each_both_mut(|_, token, _| {
                    token.value += 10;
                    ledger.step(Step::Call);
                });
            },
            |ledger, table| {
                let changed = table.try_for_each_both_mut(|_, token, _| {
                    token.value += 10;
                    ledger.step(Step::Call);
                });
                assert!(changed.is_ok());
            },
            |ledger, table| {
                let keys: Vec<_> = table.keys().collect();
                let keys = keys.into_iter().inspect(|_| ledger.step(Step::Call));
                table.get_many_mut(keys, |_, row| {
                    ledger.step(Step::Call);
                    row.expect("it is there").1.value += 1;
                });
            },
            |ledger, table| {
                let other: Vec<_> = table.iter_mut().map(|(_, row)| row.1.value).collect();
                table.values_mut().for_each(|(_, token)| {
                    ledger.step(Step::Call);
                    token.value += other[0];
                });
            },
            |ledger, table| {
                let mut pairs = 0;
                table.for_each_pair(|by| &by.at, 1.0, |_, _| {
                    ledger.step(Step::Call);
                    pairs += 1;
                });
                assert_eq!(pairs, 5);
            },
            |ledger, table| {
                let near = table.nearest_where(|by| &by.at, [2.0, 0.0], 2, |_, _| {
                    ledger.step(Step::Call);
                    true
                });
                assert_eq!(near.count(), 2);
            },
            |ledger, table| {
                let near = table.try_nearest_where(|by| &by.at, [2.0, 0.0], 2, |_, _| {
                    ledger.step(Step::Call);
                    true
                });
                assert!(near.is_ok());
            },
            |ledger, table| assert!(table.find(|by| select(ledger, &by.value), &3).is_some()),
            |ledger, table| assert!(table.find_all(|by| select(ledger, &by.odd), &true).count() == 3),
            |ledger, table| assert!(table.count(|by| select(ledger, &by.third), &1) == 3),
            |ledger, table| assert!(table.find_mut(|by| select(ledger, &by.value), &3).is_some()),
            |ledger, table| assert!(table.within(|by| select(ledger, &by.at), [2.0, 0.0], 1.0).count() == 3),
            |ledger, table| assert!(table.in_box(|by| select(ledger, &by.at), [0.0; 2], [9.0; 2]).count() == 6),
            |ledger, table| assert!(table.nearest(|by| select(ledger, &by.at), [0.0; 2], 3).count() == 3),
            |ledger, table| assert!(table.try_nearest(|by| select(ledger, &by.at), [0.0; 2], 3).is_ok()),
            |_, table| assert!(*table == table.clone()),
        ])
        // The closure only names the index, and is not called.
        .refused::<Indexed>(cases![
            |_, table| table.set_cell(|by| &by.at, f32::NAN),
            |_, table| table.set_cell(|by| &by.at, -1.0),
        ])
        .refused::<IndexedFull>(cases![
            |ledger, table| _ = table.insert((ledger.token(50), ledger.token(0))),
            // Another row has the value.
            |ledger, table| _ = table.insert((ledger.token(3), ledger.token(0))),
            |ledger, table| {
                drop(table.replace(first(table), (ledger.token(3), ledger.token(0))));
            },
            |_, table| _ = table.modify(first(table), |token| token.value = 3),
            |ledger, table| table.extend([(ledger.token(3), ledger.token(0))]),
        ]);
}
