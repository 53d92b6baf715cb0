//! If the drop of one value panics, all others are dropped all the same, as by std's collections.

use crate::ledger::{Ledger, Step, Token};
use stayput::{
    Arena, BlockVec, Columns, DefaultKey, DenseSlotMap, Groups, Pad, SecondaryMap, SharedSlotMap,
    SharedVec, SlotMap, SparseSecondaryMap, Table, VmVec, indices,
};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs each call on a container of its own, first with its first drop panicking, then with its second, and so on. The
/// container is dropped at the end of the call, or by the panic.
macro_rules! at_each_drop {
    ($test:ident: |$ledger:ident| $make:expr; $(|$it:ident| $call:expr;)+) => {
        #[test]
        fn $test() {
            $(for pass in 0.. {
                let call = stringify!($call);
                let ledger = Ledger::new();
                let $ledger = &ledger;
                let container = $make;
                ledger.set_fuse(Step::Drop, pass);
                let result = catch_unwind(AssertUnwindSafe(|| {
                    #[allow(unused_mut, reason = "some calls consume it")]
                    let mut $it = container;
                    $call;
                }));
                let panicked = ledger.clear_fuse();
                assert_eq!(result.is_err(), panicked, "{call} at drop {pass}");
                assert_eq!(ledger.live(), 0, "{call} leaks if drop {pass} panics");
                ledger.assert_all_dropped_but(0);
                assert!(pass > 0 || panicked, "{call} drops nothing");
                if !panicked {
                    break;
                }
            })+
        }
    };
}

/// The number of a token is odd.
fn odd(token: &Token<'_>) -> bool {
    token.value % 2 == 1
}

at_each_drop! {
    vm_vec: |ledger| ledger.tokens(0..6).collect::<VmVec<_>>();
    |vec| drop(vec);
    |vec| vec.clear();
    |vec| vec.truncate(2);
    |vec| vec.retain(odd);
    |vec| vec.dedup_by(|_, _| true);
    |vec| vec.dedup_by_key(|token| token.value / 2);
    |vec| drop(vec.drain(1..5));
    |vec| drop(vec.drain(1..5).nth(1));
    |vec| drop(vec.drain(..).next_back());
    |vec| drop(vec.splice(1..5, []));
    |vec| vec.splice(1..5, []).for_each(drop);
    |vec| vec.extract_if(.., |token| odd(token)).for_each(drop);
    |vec| vec.into_iter().for_each(drop);
    |vec| drop(vec.into_iter().nth(2));
    |vec| drop(vec.into_iter().nth_back(2));
    |vec| drop(vec.into_iter().next());
    |vec| drop(vec.into_vec());
    |vec| vec.resize_with(2, || unreachable!());
    |vec| vec.clone_from(&VmVec::new());
    |vec| drop(vec.split_off(3));
    |vec| drop(<[Token<'_>; 6]>::try_from(vec));
    |vec| drop(vec.into_boxed_slice());
    |vec| vec.grow_only();
}

at_each_drop! {
    block_vec: |ledger| ledger.tokens(0..6).collect::<BlockVec<_>>();
    |vec| drop(vec);
    |vec| vec.clear();
    |vec| vec.truncate(2);
    |vec| vec.retain(odd);
    |vec| vec.dedup_by(|_, _| true);
    |vec| vec.dedup_by_key(|token| token.value / 2);
    |vec| drop(vec.drain(1..5));
    |vec| drop(vec.drain(1..5).nth(1));
    |vec| drop(vec.drain(..).next_back());
    |vec| vec.extract_if(.., |token| odd(token)).for_each(drop);
    |vec| vec.into_iter().for_each(drop);
    |vec| drop(vec.into_iter().nth(2));
    |vec| drop(vec.into_iter().next_back());
    |vec| drop(vec.into_vec());
    |vec| vec.resize_with(2, || unreachable!());
    |vec| vec.clone_from(&BlockVec::new());
    |vec| drop(vec.split_off(3));
}

/// Elements in several blocks.
fn long(ledger: &Ledger) -> BlockVec<(Token<'_>, [u8; 16_000])> {
    ledger.tokens(0..9).map(|token| (token, [0; 16_000])).collect()
}

at_each_drop! {
    block_vec_of_several_blocks: |ledger| {
        let vec = long(ledger);
        assert!(vec.blocks().count() > 1);
        vec
    };
    |vec| vec.truncate(1);
    |vec| drop(vec.drain(1..8));
    |vec| vec.retain(|(token, _)| odd(token));
    |vec| drop(vec.into_iter().nth(2));
}

type Row<'l> = (Token<'l>, u8, Token<'l>);

fn rows(ledger: &Ledger) -> impl Iterator<Item = Row<'_>> {
    (0..4).map(|number| (ledger.token(number), 0, ledger.token(number)))
}

at_each_drop! {
    columns: |ledger| rows(ledger).collect::<Columns<_>>();
    |columns| drop(columns);
    |columns| columns.clear();
    |columns| columns.truncate(1);
    |columns| drop(columns.drain(1..3));
    |columns| drop(columns.drain(..).nth(1));
    |columns| columns.into_iter().for_each(drop);
    |columns| drop(columns.into_iter().nth(2));
    |columns| columns.resize_with(1, || unreachable!());
    |columns| columns.clone_from(&Columns::new());
    |columns| drop(columns.swap_remove(1));
    |columns| drop(columns.remove(1));
    |columns| drop(columns.pop().map(|last| columns.replace(1, last)));
    |columns| drop(columns.split_off(2));
}

/// A token, or nothing in the lanes after the last row.
#[derive(Clone)]
#[expect(dead_code, reason = "it is dropped")]
struct Padded<'l>(Option<Token<'l>>);

impl Pad for Padded<'_> {
    const PAD: Self = Self(None);
}

at_each_drop! {
    groups: |ledger| {
        let row = |token| (Padded(Some(token)), 0_u8);
        ledger.tokens(0..11).map(row).collect::<Groups<_, 4>>()
    };
    |groups| drop(groups);
    |groups| groups.clear();
    |groups| groups.truncate(2);
    |groups| groups.truncate(8);
    |groups| drop(groups.pop());
    |groups| drop(groups.swap_remove(3));
}

at_each_drop! {
    slot_map: |ledger| {
        let mut map: SlotMap<DefaultKey, _> = ledger.tokens(0..6).collect();
        let hole = map.keys().nth(2).unwrap();
        map.remove(hole);
        map
    };
    |map| drop(map);
    |map| map.clear();
    |map| map.reset();
    |map| map.retain(|_, token| odd(token));
    |map| drop(map.drain());
    |map| drop(map.drain().nth(1));
    |map| map.extract_if(|_, token| odd(token)).for_each(drop);
    |map| map.into_iter().for_each(drop);
    |map| drop(map.into_iter().next());
    |map| map.into_values().for_each(drop);
    |map| drop(map.into_keys());
    |map| map.remove_many(map.keys().collect::<Vec<_>>());
    |map| map.clone_from(&SlotMap::new());
}

at_each_drop! {
    dense_slot_map: |ledger| {
        let mut map: DenseSlotMap<DefaultKey, _> = ledger.tokens(0..6).collect();
        let hole = map.keys().nth(2).unwrap();
        map.remove(hole);
        map
    };
    |map| drop(map);
    |map| map.clear();
    |map| map.reset();
    |map| map.retain(|_, token| odd(token));
    |map| drop(map.drain());
    |map| drop(map.drain().nth(1));
    |map| map.extract_if(|_, token| odd(token)).for_each(drop);
    |map| map.into_iter().for_each(drop);
    |map| drop(map.into_iter().next());
    |map| map.into_values().for_each(drop);
    |map| drop(map.into_keys());
    |map| map.remove_many(map.keys().collect::<Vec<_>>());
}

at_each_drop! {
    dense_slot_map_in_columns: |ledger| {
        rows(ledger).collect::<DenseSlotMap<DefaultKey, Row<'_>, Columns<Row<'_>>>>()
    };
    |map| drop(map);
    |map| map.clear();
    |map| drop(map.drain());
    |map| map.into_iter().for_each(drop);
}

/// Keys, and a value for each.
fn pairs(ledger: &Ledger) -> impl Iterator<Item = (DefaultKey, Token<'_>)> {
    let keys: SlotMap<DefaultKey, ()> = (0..6).map(|_| ()).collect();
    let keys: Vec<_> = keys.keys().collect();
    keys.into_iter().zip(ledger.tokens(0..6))
}

/// Another value for the same slot as that of `pairs`, whose key is older.
fn newer<V>(values: impl FnOnce(DefaultKey) -> Option<V>) -> Option<V> {
    let mut keys: SlotMap<DefaultKey, ()> = SlotMap::new();
    let old = keys.insert(());
    keys.remove(old);
    values(keys.insert(()))
}

at_each_drop! {
    secondary_map: |ledger| pairs(ledger).collect::<SecondaryMap<_, _>>();
    |map| drop(map);
    |map| map.clear();
    |map| map.retain(|_, token| odd(token));
    |map| drop(map.drain());
    |map| drop(map.drain().nth(1));
    |map| map.extract_if(|_, token| odd(token)).for_each(drop);
    |map| map.into_iter().for_each(drop);
    |map| drop(map.into_iter().next());
    |map| map.into_values().for_each(drop);
    |map| drop(map.into_keys());
    |map| drop(newer(|key| map.insert(key, map.iter().next().unwrap().1.clone())));
    |map| map.clone_from(&SecondaryMap::new());
}

at_each_drop! {
    sparse_secondary_map: |ledger| pairs(ledger).collect::<SparseSecondaryMap<_, _>>();
    |map| drop(map);
    |map| map.clear();
    |map| map.retain(|_, token| odd(token));
    |map| drop(map.drain());
    |map| drop(map.drain().nth(1));
    |map| map.extract_if(|_, token| odd(token)).for_each(drop);
    |map| map.into_iter().for_each(drop);
    |map| drop(map.into_iter().next());
    |map| map.into_iter().fold((), |(), _| ());
    |map| map.into_values().for_each(drop);
    |map| drop(map.into_keys());
    |map| drop(newer(|key| map.insert(key, map.iter().next().unwrap().1.clone())));
    |map| map.clone_from(&SparseSecondaryMap::new());
    |map| map.shrink_to_fit();
}

at_each_drop! {
    shared_vec: |ledger| ledger.tokens(0..6).collect::<SharedVec<_>>();
    |vec| drop(vec);
    |vec| vec.clear();
    |vec| drop(vec.drain(1..5));
    |vec| drop(vec.drain(..).nth(1));
    |vec| vec.into_iter().for_each(drop);
    |vec| drop(vec.into_iter().nth(2));
    |vec| drop(vec.into_inner());
    |vec| vec.as_mut_vec().truncate(2);
}

at_each_drop! {
    shared_slot_map: |ledger| ledger.tokens(0..6).collect::<SharedSlotMap<DefaultKey, _>>();
    |map| drop(map);
    |map| map.clear();
    |map| map.retain(|_, token| odd(token));
    |map| drop(map.drain());
    |map| drop(map.drain().nth(1));
    |map| map.into_iter().for_each(drop);
    |map| drop(map.into_iter().next());
    |map| drop(map.into_inner());
    |map| map.as_mut_map().clear();
    |map| assert!(map.remove(map.iter().next().unwrap().0).is_some());
}

indices! {
    struct By<'l> for Token<'l> {
        value: Unique<u32> = |token| token.value,
        odd: Many<bool> = odd,
    }
}

at_each_drop! {
    table: |ledger| ledger.tokens(0..6).collect::<Table<Token<'_>, By<'_>>>();
    |table| drop(table);
    |table| table.clear();
    |table| table.retain(|_, token| odd(token));
    |table| drop(table.drain());
    |table| drop(table.drain().nth(1));
    |table| table.extract_if(|_, token| odd(token)).for_each(drop);
    |table| table.into_iter().for_each(drop);
    |table| drop(table.into_iter().next());
    |table| drop(table.into_rows());
    |table| table.remove_all(|by| &by.odd, &true);
    |table| drop(table.take(|by| &by.value, &3));
}

at_each_drop! {
    arena_box: |ledger| (ledger, Arena::new());
    |it| drop(it.1.alloc_box_slice_from_iter(it.0.tokens(0..6)));
    |it| drop(it.1.alloc_box([it.0.token(0), it.0.token(1)]));
}
