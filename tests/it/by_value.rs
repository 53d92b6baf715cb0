//! Guards, iterators and entries that borrow a container mutably, passed to a function by value and dropped there.
//!
//! A reference in an argument is protected until the function returns, also as a field of the argument. If dropping the
//! argument makes another mutable reference to the same memory, that is undefined behaviour. Miri reports it when it runs
//! these tests; elsewhere they check that each element is dropped once.

#![expect(clippy::drop_non_drop, reason = "what has no drop of its own is passed by value, too")]

use crate::ledger::{Ledger, Token};
use stayput::{
    Arena, BlockVec, Columns, DefaultKey, DenseSlotMap, ListPool, Reservation, SecondaryLists,
    SecondaryMap, SharedSlotMap, SharedVec, SlotMap, SparseSecondaryMap, Table, VmVec, indices,
    page_size,
};

/// Runs a test with tokens, all of which must be dropped when it returns.
fn with_tokens(test: impl for<'l> FnOnce(&'l Ledger)) {
    let ledger = Ledger::new();
    test(&ledger);
    ledger.assert_all_dropped_but(0);
}

/// An array with ten tokens.
fn ten<'l, A: FromIterator<Token<'l>>>(ledger: &'l Ledger) -> A {
    ledger.tokens(0..10).collect()
}

/// Fills a map with ten tokens and returns their keys.
fn fill<'l>(map: &mut SlotMap<DefaultKey, Token<'l>>, ledger: &'l Ledger) -> Vec<DefaultKey> {
    ledger.tokens(0..10).map(|token| map.insert(token)).collect()
}

#[test]
fn of_an_array() {
    with_tokens(|ledger| {
        let mut vec: VmVec<_> = ten(ledger);
        drop(vec.iter_mut());
        drop(vec.grow_only());
        drop(vec.drain(..2));
        vec.drain(..2).count();
        drop(vec.splice(1..3, ledger.tokens(0..9)));
        vec.splice(1..3, ledger.tokens(0..9)).count();
        drop(vec.extract_if(.., |token| token.value % 2 == 0));
        vec.extract_if(.., |token| token.value % 2 == 0).count();
        drop(vec.into_iter());
    });
}

#[test]
fn of_lists() {
    with_tokens(|ledger| {
        let mut pool = ListPool::new();
        let key = pool.insert_list(ledger.tokens(0..10));
        let list = |pool: &mut ListPool<_>| {
            drop(pool.get_mut(key));
            let mut list = pool.get_mut(key).expect("it is in the pool");
            list.extend(ledger.tokens(10..20));
            drop(list.drain(..2));
            list.drain(..2).count();
            drop(list.extract_if(.., |token| token.value % 2 == 0));
            list.extract_if(.., |token| token.value % 2 == 0).count();
            drop(list);
        };
        list(&mut pool);
        pool.compact();
        list(&mut pool);
        drop(pool.iter_mut());
        pool.iter_mut().count();
        let mut lists = SecondaryLists::new();
        lists.entry(key).extend(ledger.tokens(0..3));
        drop(lists.entry(key));
    });
}

#[test]
fn of_an_array_in_blocks() {
    with_tokens(|ledger| {
        let mut vec: BlockVec<_> = ten(ledger);
        drop(vec.iter_mut());
        drop(vec.blocks_mut());
        drop(vec.grow_only());
        drop(vec.extract_if(.., |token| token.value % 2 == 0));
        vec.extract_if(.., |token| token.value % 2 == 0).count();
        drop(vec.drain(..2));
        vec.drain(..2).count();
        drop(vec.into_iter());
    });
}

#[test]
fn of_columns() {
    with_tokens(|ledger| {
        let mut columns: Columns<_> = ledger.tokens(0..10).map(|token| (token, 0_u8)).collect();
        drop(columns.iter_mut());
        drop(columns.drain(..2));
        columns.drain(..2).count();
        drop(columns.into_iter());
    });
}

#[test]
fn of_a_slot_map() {
    with_tokens(|ledger| {
        let mut map = SlotMap::new();
        fill(&mut map, ledger);
        drop(map.iter_mut());
        drop(map.blocks_mut());
        drop(map.vacant_entry());
        drop(map.grow_only());
        drop(map.extract_if(|_, token| token.value % 2 == 0));
        map.extract_if(|_, token| token.value % 2 == 0).count();
        drop(map.drain());
        fill(&mut map, ledger);
        map.drain().count();
        fill(&mut map, ledger);
        drop(map.into_iter());
    });
}

#[test]
fn of_a_dense_map() {
    with_tokens(|ledger| {
        let mut map = DenseSlotMap::new();
        let fill = |map: &mut DenseSlotMap<_, _>| {
            ledger.tokens(0..10).for_each(|token| _ = map.insert(token));
        };
        fill(&mut map);
        drop(map.iter_mut());
        drop(map.extract_if(|_, token| token.value % 2 == 0));
        map.extract_if(|_, token| token.value % 2 == 0).count();
        drop(map.drain());
        fill(&mut map);
        map.drain().count();
        fill(&mut map);
        drop(map.into_iter());
    });
}

#[test]
fn of_secondary_maps() {
    with_tokens(|ledger| {
        let mut keys = SlotMap::new();
        let key = keys.insert(());
        let mut dense = SecondaryMap::new();
        let mut sparse = SparseSecondaryMap::new();
        drop(dense.entry(key));
        drop(sparse.entry(key));
        for _ in 0..2 {
            dense.insert(key, ledger.token(0));
            sparse.insert(key, ledger.token(0));
            drop((dense.entry(key), sparse.entry(key)));
            drop((dense.iter_mut(), sparse.iter_mut()));
            drop(dense.join_mut(&keys));
            drop(dense.extract_if(|_, _| false));
            drop(sparse.extract_if(|_, _| false));
            drop(dense.drain());
            drop(sparse.drain());
        }
        drop(dense.grow_only());
        drop((dense.into_iter(), sparse.into_iter()));
    });
}

#[test]
fn of_a_table() {
    indices! { struct ByNumber for (u32, String) { number: Unique<u32> = |row| &row.0, } }

    let rows = || (0..10).map(|n| (n, n.to_string()));
    let mut table: Table<_, ByNumber> = rows().collect();
    drop(table.extract_if(|_, row| row.0 % 2 == 0));
    assert_eq!(table.extract_if(|_, row| row.0 % 2 == 0).count(), 5);
    drop(table.drain());
    rows().for_each(|row| _ = table.insert(row));
    assert_eq!(table.drain().count(), 10);
}

#[test]
fn of_a_shared_array() {
    with_tokens(|ledger| {
        let mut shared: SharedVec<_> = ten(ledger);
        drop(shared.as_mut_vec());
        drop(shared.iter_mut());
        drop(shared.drain(..2));
        shared.drain(..2).count();
        let mut gather = shared.gather();
        gather.push(ledger.token(0));
        drop(gather);
        drop(shared.as_mut_vec().drain(..2));
        assert_eq!(shared.len(), 5);
        drop(shared.into_iter());
    });
}

#[test]
fn of_a_shared_map() {
    with_tokens(|ledger| {
        let mut shared = SharedSlotMap::new();
        let fill = |shared: &SharedSlotMap<_, _>| {
            ledger.tokens(0..10).for_each(|token| _ = shared.insert(token));
        };
        fill(&shared);
        drop(shared.as_mut_map());
        drop(shared.drain());
        fill(&shared);
        assert_eq!(shared.drain().count(), 10);
        fill(&shared);
        let mut drain = shared.drain();
        drop(drain.next());
        drop(drain.next_back());
        drop(drain);
        assert!(shared.is_empty());
        fill(&shared);
        drop(shared.as_mut_map().drain());
    });
}

#[test]
fn of_an_arena_and_a_reservation() {
    with_tokens(|ledger| {
        let mut arena = Arena::new();
        drop(arena.guard());
        let mut guard = arena.guard();
        drop(guard.scope().alloc_box(ledger.token(0)));
        drop(guard);
    });
    let reservation = Reservation::new(4 * page_size()).unwrap();
    // A process may not be allowed to lock any memory.
    drop(reservation.lock(..page_size()));
}

#[test]
#[cfg(feature = "rayon")]
fn of_iterators_of_rayon() {
    use rayon::prelude::*;

    let strings = || (0..100).map(|n: i32| n.to_string());
    let mut vec: VmVec<_> = strings().collect();
    drop(vec.par_drain(..2));
    assert_eq!(vec.par_drain(..2).count(), 2);
    drop(vec.into_par_iter());
    let mut shared: SharedVec<_> = strings().collect();
    drop(shared.par_drain(..2));
    assert_eq!(shared.par_drain(..2).count(), 2);
    let mut map: SlotMap<DefaultKey, _> = SlotMap::new();
    strings().for_each(|string| _ = map.insert(string));
    drop(map.clone().into_par_iter());
    assert_eq!(map.into_par_iter().count(), 100);
    drop(strings().collect::<BlockVec<_>>().into_par_iter());
}
