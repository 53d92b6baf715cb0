//! Panics in user code of other containers.

use super::{TokenContainer, at_each, kind, odd, stepwise};
use crate::ledger::{Ledger, Step, Token};
use stayput::{Arena, Columns, DefaultKey, Groups, Pad, SharedSlotMap, SharedVec, Table, indices};

type Row<'l> = (Token<'l>, u8, Token<'l>);

fn row(ledger: &Ledger, value: u32) -> Row<'_> {
    (ledger.token(value), 0, ledger.token(value))
}

kind! {
    Rows<'l> = Columns<Row<'l>>;
    sample: |ledger| (0..4).map(|value| row(ledger, value)).collect();
    tokens: |columns| {
        let (first, _, last) = columns.as_slices();
        first.iter().chain(last).collect()
    };
    use: |ledger, columns| {
        columns.push(row(ledger, 9));
        let (first, _, last) = columns.as_slices();
        assert!(first.iter().zip(last).all(|(a, b)| a.value == b.value));
    };
}

#[test]
fn columns() {
    at_each::<Rows>(Step::Drop).of(&[
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
    ]);
    at_each::<Rows>(Step::Drop).of_taken(&[
        |_, columns| drop(columns),
        |_, columns| columns.into_iter().for_each(drop),
        |_, columns| drop(columns.into_iter().nth(2)),
    ]);
}

/// A token, or nothing in the lanes after the last row.
#[derive(Clone)]
struct Padded<'l>(Option<Token<'l>>);

impl Pad for Padded<'_> {
    const PAD: Self = Self(None);
}

kind! {
    Lanes<'l> = Groups<(Padded<'l>, u8), 4>;
    sample: |ledger| ledger.tokens(0..11).map(|token| (Padded(Some(token)), 0_u8)).collect();
    tokens: |groups| {
        (0..groups.len()).filter_map(|at| groups.get(at).and_then(|row| row.0.0.as_ref())).collect()
    };
    use: |ledger, groups| groups.push((Padded(Some(ledger.token(9))), 0));
}

#[test]
fn groups() {
    at_each::<Lanes>(Step::Drop).of(&[
        |_, groups| groups.clear(),
        |_, groups| groups.truncate(2),
        |_, groups| groups.truncate(8),
        |_, groups| drop(groups.pop()),
        |_, groups| drop(groups.swap_remove(3)),
    ]);
    at_each::<Lanes>(Step::Drop).of_taken(&[|_, groups| drop(groups)]);
}

kind! {
    SharedArray<'l> = SharedVec<Token<'l>>;
    sample: |ledger| ledger.tokens(0..10).collect();
    tokens: |vec| vec.iter().collect();
    use: |ledger, vec| vec.push(ledger.token(1));
}

#[test]
fn shared_vec() {
    at_each::<SharedArray>(Step::Drop).of(&[
        |_, vec| vec.clear(),
        |_, vec| drop(vec.drain(1..5)),
        |_, vec| drop(vec.drain(..).nth(1)),
        |_, vec| vec.as_mut_vec().truncate(2),
    ]);
    at_each::<SharedArray>(Step::Drop).of_taken(&[
        |_, vec| drop(vec),
        |_, vec| vec.into_iter().for_each(drop),
        |_, vec| drop(vec.into_iter().nth(2)),
        |_, vec| drop(vec.into_inner()),
    ]);
}

kind! {
    SharedMap<'l> = SharedSlotMap<DefaultKey, Token<'l>>;
    sample: |ledger| ledger.tokens(0..6).collect();
    tokens: |map| map.values().collect();
    use: |ledger, map| map.insert(ledger.token(1));
}

#[test]
fn shared_slot_map() {
    at_each::<SharedMap>(Step::Drop).of(&[
        |_, map| map.clear(),
        |_, map| map.retain(|_, token| odd(token)),
        |_, map| drop(map.drain()),
        |_, map| drop(map.drain().nth(1)),
        |_, map| map.as_mut_map().clear(),
    ]);
    at_each::<SharedMap>(Step::Drop).of_taken(&[
        |_, map| drop(map),
        |_, map| map.into_iter().for_each(drop),
        |_, map| drop(map.into_iter().next()),
        |_, map| drop(map.into_inner()),
        |_, map| assert!(map.remove(map.iter().next().unwrap().0).is_some()),
    ]);
}

indices! {
    struct By<'l> for Token<'l> {
        value: Unique<u32> = |token| token.value,
        odd: Many<bool> = odd,
    }
}

kind! {
    Rooted<'l> = Table<Token<'l>, By<'l>>;
    sample: |ledger| ledger.tokens(0..6).collect();
    tokens: |table| table.values().collect();
    use: |ledger, table| {
        assert_eq!(table.check(), Ok(()));
        table.insert(ledger.token(9));
    };
}

#[test]
fn table() {
    at_each::<Rooted>(Step::Drop).of(&[
        |_, table| table.clear(),
        |_, table| table.retain(|_, token| odd(token)),
        |_, table| drop(table.drain()),
        |_, table| drop(table.drain().nth(1)),
        |_, table| table.extract_if(|_, token| odd(token)).for_each(drop),
        |_, table| _ = table.remove_all(|by| &by.odd, &true),
        |_, table| drop(table.take(|by| &by.value, &3)),
        |_, table| _ = table.remove_many(table.keys().collect::<Vec<_>>()),
        // The result of the closure is dropped even if the drop of the old value panics.
        |ledger, table| {
            let key = table.keys().next().unwrap();
            drop(table.modify(key, |token| {
                *token = ledger.token(50);
                ledger.token(77)
            }));
        },
    ]);
    at_each::<Rooted>(Step::Call).of(&[
        |ledger, table| table.insert_many(stepwise(ledger, 3), &mut Vec::new()),
        |ledger, table| {
            let keys: Vec<_> = table.keys().collect();
            table.remove_many(keys.into_iter().inspect(|_| ledger.step(Step::Call)));
        },
    ]);
    at_each::<Rooted>(Step::Drop).of_taken(&[
        |_, table| drop(table),
        |_, table| table.into_iter().for_each(drop),
        |_, table| drop(table.into_iter().next()),
        |_, table| drop(table.into_rows()),
    ]);
}

kind! {
    InArena<'l> = (&'l Ledger, Arena);
    sample: |ledger| (ledger, Arena::new());
    tokens: |_it| Vec::new();
    use: |_ledger, _it| ();
}

#[test]
fn arena_box() {
    at_each::<InArena>(Step::Drop).of(&[
        |ledger, (_, arena)| drop(arena.alloc_box_slice_from_iter(ledger.tokens(0..6))),
        |ledger, (_, arena)| drop(arena.alloc_box([ledger.token(0), ledger.token(1)])),
        // The error is dropped even if the drop of a value panics.
        |ledger, (_, arena)| {
            drop(arena.alloc_slice_try_fill_with(6, |at| match at {
                4 => Err(ledger.token(9)),
                _ => Ok(ledger.token(0)),
            }));
        },
    ]);
}
