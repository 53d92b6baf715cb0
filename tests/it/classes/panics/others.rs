//! Panics in user code of columns, groups and shared containers.

use super::{Row, cases, odd, odd_by_step, row_steps, stepwise, suite};
use crate::classes::kinds::{
    InErased, Lanes, Rows, RowsFull, SharedArray, SharedArrayFull, SharedMap, SharedMapFull, lane,
    row_of,
};
use crate::classes::panics::maps::Keys;
use crate::ledger::Step;
use stayput::{Columns, Groups};
use std::hash::{DefaultHasher, Hash};

suite! {
    columns = Row::new("Columns")
        .at_each::<Rows>(Step::Drop, cases![
            |_, columns| columns.clear(),
            |_, columns| columns.truncate(1),
            |_, columns| drop(columns.drain(1..3)),
            |_, columns| drop(columns.drain(..).nth(1)),
            |_, columns| columns.resize_with(1, || unreachable!()),
            |_, columns| columns.clone_from(&Columns::new()),
            |_, columns| drop(columns.swap_remove(1)),
            |_, columns| drop(columns.remove(1)),
            |_, columns| drop(columns.pop().map(|last| columns.replace(1, last))),
            |_, columns| drop(columns.split_off(2)),
        ])
        .taken::<Rows>(Step::Drop, cases![
            |_, columns| drop(columns),
            |_, columns| columns.into_iter().for_each(drop),
            |_, columns| drop(columns.into_iter().nth(2)),
        ])
        .at_each::<Rows>(Step::Clone, cases![
            |_, columns| drop(columns.clone()),
            |_, columns| drop(columns.try_clone()),
            |ledger, columns| columns.clone_from(&(0..7).map(|n| row_of(ledger, n)).collect()),
        ])
        .at_each::<Rows>(Step::Call, cases![
            |ledger, columns| columns.extend(row_steps(ledger, 7)),
            |ledger, columns| assert!(columns.try_extend(row_steps(ledger, 3)).is_ok()),
            |ledger, columns| columns.retain(|(token, _, _)| odd_by_step(ledger, token)),
            |ledger, columns| drop(columns.pop_if(|(token, _, _)| odd_by_step(ledger, token))),
            |ledger, columns| {
                let extract = columns.extract_if(1..4, |(token, _, _)| odd_by_step(ledger, token));
                extract.for_each(drop);
            },
            |ledger, columns| columns.dedup_by_key(|(token, _, _)| odd_by_step(ledger, token)),
            |ledger, columns| columns.sort_by_key(|(token, _, _)| odd_by_step(ledger, token)),
            |ledger, columns| {
                columns.sort_by(|a, b| {
                    ledger.step(Step::Call);
                    b.0.value.cmp(&a.0.value)
                });
            },
            |ledger, columns| {
                let sorted = columns.try_sort_by(|a, b| {
                    ledger.step(Step::Call);
                    b.0.value.cmp(&a.0.value)
                });
                assert!(sorted.is_ok());
            },
            |ledger, columns| {
                columns.resize_with(7, || {
                    ledger.step(Step::Call);
                    row_of(ledger, 7)
                });
            },
            |ledger, columns| {
                let make = || {
                    ledger.step(Step::Call);
                    row_of(ledger, 7)
                };
                assert!(columns.try_resize_with(7, make).is_ok());
            },
            |_, columns| assert!(*columns == columns.clone()),
            |_, columns| columns.hash(&mut DefaultHasher::new()),
        ])
        .refused::<RowsFull>(cases![
            |ledger, columns| columns.push(row_of(ledger, 9)),
            |ledger, columns| columns.insert(1, row_of(ledger, 9)),
            |ledger, columns| columns.resize_with(5, || row_of(ledger, 9)),
            |ledger, columns| drop(columns.replace(4, row_of(ledger, 9))),
            |_, columns| drop(columns.remove(4)),
        ]);

    groups = Row::new("Groups")
        .at_each::<Lanes>(Step::Drop, cases![
            |_, groups| groups.clear(),
            |_, groups| groups.truncate(2),
            |_, groups| groups.truncate(8),
            |_, groups| drop(groups.pop()),
            |_, groups| drop(groups.swap_remove(3)),
        ])
        .taken::<Lanes>(Step::Drop, cases![|_, groups| drop(groups)])
        .at_each::<Lanes>(Step::Clone, cases![
            |_, groups| drop(groups.clone()),
            |_, groups| drop(groups.try_clone()),
        ])
        .at_each::<Lanes>(Step::Call, cases![
            |ledger, groups| groups.extend(stepwise(ledger, 9).map(lane)),
            |ledger, _| drop(stepwise(ledger, 9).map(lane).collect::<Groups<_, 4>>()),
        ])
        .taken::<Lanes>(Step::Drop, cases![
            |_, groups| groups.into_iter().for_each(drop),
            |_, groups| drop(groups.into_iter().nth(5)),
        ]);

    shared_vec = Row::new("SharedVec")
        .at_each::<SharedArray>(Step::Drop, cases![
            |_, vec| vec.clear(),
            |_, vec| drop(vec.drain(1..5)),
            |_, vec| drop(vec.drain(..).nth(1)),
            |_, vec| vec.as_mut_vec().truncate(2),
        ])
        .taken::<SharedArray>(Step::Drop, cases![
            |_, vec| drop(vec),
            |_, vec| vec.into_iter().for_each(drop),
            |_, vec| drop(vec.into_iter().nth(2)),
            |_, vec| drop(vec.into_inner()),
        ])
        .at_each::<SharedArray>(Step::Clone, cases![
            |_, vec| drop(vec.clone()),
            |_, vec| drop(vec.try_clone()),
        ])
        .at_each::<SharedArray>(Step::Call, cases![
            |ledger, vec| vec.extend(stepwise(ledger, 70)),
            |ledger, vec| assert!(vec.try_extend(stepwise(ledger, 7)).is_ok()),
            |ledger, vec| {
                vec.push_with(|_| {
                    ledger.step(Step::Call);
                    ledger.token(7)
                });
            },
            |ledger, vec| {
                let made = vec.try_push_with(|_| {
                    ledger.step(Step::Call);
                    ledger.token(7)
                });
                assert!(made.is_ok());
            },
            |ledger, vec| vec.gather().extend(stepwise(ledger, 70)),
            |_, vec| assert!(*vec == vec.clone()),
        ])
        .refused::<SharedArrayFull>(cases![
            |ledger, vec| _ = vec.push(ledger.token(50)),
            |ledger, vec| _ = vec.push_with(|_| ledger.token(50)),
            |ledger, vec| vec.extend(ledger.tokens(50..53)),
            |ledger, vec| _ = vec.append_vec(&mut ledger.tokens(50..53).collect()),
            |ledger, vec| {
                let mut gather = vec.gather();
                gather.extend(ledger.tokens(50..53));
                gather.flush();
            },
        ]);

    shared_slot_map = Row::new("SharedSlotMap")
        .at_each::<SharedMap>(Step::Drop, cases![
            |_, map| map.clear(),
            |_, map| map.retain(|_, token| odd(token)),
            |_, map| drop(map.drain()),
            |_, map| drop(map.drain().nth(1)),
            |_, map| map.as_mut_map().clear(),
        ])
        .taken::<SharedMap>(Step::Drop, cases![
            |_, map| drop(map),
            |_, map| map.into_iter().for_each(drop),
            |_, map| drop(map.into_iter().next()),
            |_, map| drop(map.into_inner()),
            |_, map| assert!(map.remove(map.iter().next().unwrap().0).is_some()),
        ])
        .at_each::<SharedMap>(Step::Call, cases![
            |ledger, map| map.extend(stepwise(ledger, 70)),
            |ledger, map| map.insert_many(stepwise(ledger, 70), &mut Vec::new()),
            |ledger, map| map.insert_many(ledger.tokens(0..70), &mut Keys(ledger)),
            |ledger, map| {
                assert!(map.try_insert_many(stepwise(ledger, 70), &mut Vec::new()).is_ok());
            },
            |ledger, map| {
                map.insert_with_key(|_| {
                    ledger.step(Step::Call);
                    ledger.token(7)
                });
            },
            |ledger, map| {
                let made = map.try_insert_with(|_| {
                    ledger.step(Step::Call);
                    ledger.token(7)
                });
                assert!(made.is_ok());
            },
            |ledger, map| {
                let made = map.try_insert_with_key(|_| {
                    ledger.step(Step::Call);
                    if map.len() > 3 { Err(ledger.token(8)) } else { Ok(ledger.token(7)) }
                });
                assert_eq!(made.map(|_| ()).map_err(|token| token.value), Err(8));
            },
            |ledger, map| map.retain(|_, token| odd_by_step(ledger, token)),
        ])
        .refused::<SharedMapFull>(cases![
            |ledger, map| _ = map.insert(ledger.token(50)),
            |ledger, map| _ = map.insert_with_key(|_| ledger.token(50)),
            |ledger, map| map.insert_many(ledger.tokens(50..53), &mut Vec::new()),
        ]);

    erased = Row::new("ErasedColumn")
        .at_each::<InErased>(Step::Drop, cases![
            |_, erased| erased.column().clear(),
            |_, erased| erased.column().truncate(4),
            |_, erased| erased.column().swap_remove(3),
            |_, erased| erased.column().swap_remove(9),
        ])
        .taken::<InErased>(Step::Drop, cases![|_, erased| drop(erased)])
        .refused::<InErased>(cases![|_, erased| erased.column().swap_remove(10)]);

    columns_scope = Row::new("GrowOnlyColumns")
        .at_each::<RowsFull>(Step::Drop, cases![
            |ledger, columns| drop(columns.grow_only().try_push(row_of(ledger, 9)).map(|_| ())),
        ])
        .refused::<RowsFull>(cases![
            |ledger, columns| _ = columns.grow_only().push(row_of(ledger, 9)),
        ]);
}
