//! Guards that are forgotten: elements may leak, but none is dropped twice, and the container is usable.

#![expect(clippy::forget_non_drop, reason = "what has no drop of its own is forgotten, too")]

use super::kinds::{
    Beside, DenseRows, InArena, Indexed, Lanes, Pool, Rows, Secondary, SharedArray, SharedMap,
    Sparse, block_vec, dense, list_key, slot_map, vm_vec,
};
use super::{Kind, Row, cases, ids, odd, suite};
use crate::helpers::key;
use crate::ledger::Ledger;
use std::mem::forget;

/// Forgets a guard, whose elements may leak.
type Forgetting<K> = for<'l> fn(&'l Ledger, &mut <K as Kind>::Of<'l>);
/// Forgets something that owned the container.
type ForgettingAll<K> = for<'l> fn(&'l Ledger, <K as Kind>::Of<'l>);

impl Row {
    fn leaks<K: Kind>(self, cases: &[(&'static str, Forgetting<K>)]) -> Self {
        self.with(cases, |case| forgotten::<K>(case, false))
    }

    /// Adds cases in which no element may leak.
    fn keeps<K: Kind>(self, cases: &[(&'static str, Forgetting<K>)]) -> Self {
        self.with(cases, |case| forgotten::<K>(case, true))
    }

    fn leaks_all<K: Kind>(self, cases: &[(&'static str, ForgettingAll<K>)]) -> Self {
        self.with(cases, |case: ForgettingAll<K>| {
            let ledger = Ledger::new();
            case(&ledger, K::sample(&ledger));
            ledger.assert_all_dropped_but(ledger.live());
        })
    }
}

#[track_caller]
fn forgotten<K: Kind>(case: Forgetting<K>, keeps: bool) {
    let ledger = Ledger::new();
    let mut it = K::sample(&ledger);
    case(&ledger, &mut it);
    let tokens = K::tokens(&it);
    assert!(tokens.iter().all(|token| ledger.is_live(token)), "it holds what was dropped");
    let (held, mut distinct) = (tokens.len(), ids::<K>(&it));
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), held, "it holds one value twice");
    let leaked = ledger.live() - held;
    assert!(leaked == 0 || !keeps, "{leaked} leaked");
    K::use_it(&ledger, &mut it, &K::sample(&Ledger::new()));
    drop(it);
    ledger.assert_all_dropped_but(leaked);
}

macro_rules! array {
    ($array:ident in $module:ident) => {
        Row::new(stringify!($array))
            .leaks::<$module::Ten>(cases![
                |_, vec| forget(vec.drain(2..7)),
                |_, vec| {
                    let mut drain = vec.drain(2..8);
                    drop((drain.next(), drain.next_back()));
                    forget(drain);
                },
                |_, vec| forget(vec.extract_if(.., |token| odd(token))),
                |_, vec| {
                    let mut extract = vec.extract_if(1..9, |token| odd(token));
                    drop((extract.next(), extract.next()));
                    forget(extract);
                },
            ])
            .keeps::<$module::Ten>(cases![|_, vec| forget(vec.grow_only()), |_, vec| forget(
                vec.iter_mut()
            ),])
            .leaks_all::<$module::Ten>(cases![|_, vec| forget(vec), |_, vec| {
                let mut iter = vec.into_iter();
                drop((iter.next(), iter.next_back()));
                forget(iter);
            },])
    };
}

macro_rules! map {
    ($map:ident, $sample:ty) => {
        Row::new(stringify!($map))
            .keeps::<$sample>(cases![
                |_, map| forget(map.drain()),
                |_, map| {
                    let mut drain = map.drain();
                    drop((drain.next(), drain.next()));
                    forget(drain);
                },
                |_, map| forget(map.extract_if(|_, token| odd(token))),
                |_, map| {
                    let mut extract = map.extract_if(|_, token| odd(token));
                    drop((extract.next(), extract.next()));
                    forget(extract);
                },
                |_, map| forget(map.grow_only()),
            ])
            .leaks_all::<$sample>(cases![|_, map| {
                let mut iter = map.into_iter();
                drop(iter.next());
                forget(iter);
            }])
    };
}

suite! {
    array = array!(VmVec in vm_vec)
        .leaks::<vm_vec::Ten>(cases![
            |ledger, vec| forget(vec.splice(2..6, ledger.tokens(50..60))),
            |ledger, vec| {
                let mut splice = vec.splice(2..6, ledger.tokens(50..60));
                drop((splice.next(), splice.next_back()));
                forget(splice);
            },
        ])
        .leaks_all::<vm_vec::Ten>(cases![|_, vec| _ = vec.leak()]);

    array_scope = Row::new("GrowOnly")
        .keeps::<vm_vec::Ten>(cases![|ledger, vec| {
            let scope = vec.grow_only();
            scope.extend(ledger.tokens(50..60));
            forget(scope);
        }]);

    blocks = array!(BlockVec in block_vec)
        .keeps::<block_vec::Ten>(cases![|_, vec| forget(vec.blocks_mut())]);

    blocks_scope = Row::new("GrowOnlyBlockVec")
        .keeps::<block_vec::Ten>(cases![|ledger, vec| {
            let scope = vec.grow_only();
            scope.extend(ledger.tokens(50..60));
            forget(scope);
        }]);

    columns = Row::new("Columns")
        .leaks::<Rows>(cases![
            |_, columns| forget(columns.drain(1..3)),
            |_, columns| {
                let mut drain = columns.drain(..);
                drop((drain.next(), drain.next_back()));
                forget(drain);
            },
            |_, columns| {
                let mut extract = columns.extract_if(.., |(token, _, _)| odd(token));
                drop(extract.next());
                forget(extract);
            },
        ])
        .leaks_all::<Rows>(cases![|_, columns| {
            let mut iter = columns.into_iter();
            drop((iter.next(), iter.next_back()));
            forget(iter);
        }]);

    columns_scope = Row::new("GrowOnlyColumns")
        .keeps::<Rows>(cases![|_, columns| forget(columns.grow_only())]);

    groups = Row::new("Groups")
        .keeps::<Lanes>(cases![|_, groups| forget(groups.iter_mut())])
        .leaks_all::<Lanes>(cases![|_, groups| {
            let mut iter = groups.into_iter();
            drop(iter.next());
            forget(iter);
        }]);

    slots = map!(SlotMap, slot_map::Sample)
        .keeps::<slot_map::Sample>(cases![
            |_, map| forget(map.vacant_entry()),
            |_, map| forget(map.blocks_mut()),
        ]);

    slots_scope = Row::new("GrowOnlyMap")
        .keeps::<slot_map::Sample>(cases![|ledger, map| {
            let scope = map.grow_only();
            scope.insert(ledger.token(50));
            forget(scope);
        }]);

    packed = map!(DenseSlotMap, dense::Sample)
        .keeps::<DenseRows>(cases![|_, map| {
            let mut drain = map.drain();
            drop(drain.next());
            forget(drain);
        }]);

    packed_scope = Row::new("GrowOnlyDenseMap")
        .keeps::<dense::Sample>(cases![|ledger, map| {
            let scope = map.grow_only();
            scope.insert(ledger.token(50));
            forget(scope);
        }]);

    secondary = map!(SecondaryMap, Secondary)
        .keeps::<Secondary>(cases![
            |_, map| forget(map.entry(key(3, 2))),
            |_, map| forget(map.entry(key(40, 2))),
            |_, map| forget(map.join_mut(&stayput::SlotMap::<_, u8>::new())),
        ]);

    secondary_scope = Row::new("GrowOnlySecondaryMap")
        .keeps::<Secondary>(cases![|_, map| forget(map.grow_only())]);

    sparse = Row::new("SparseSecondaryMap")
        .leaks::<Sparse>(cases![|_, map| {
            let mut drain = map.drain();
            drop(drain.next());
            forget(drain);
        }])
        .keeps::<Sparse>(cases![
            |_, map| {
                let mut extract = map.extract_if(|_, token| odd(token));
                drop(extract.next());
                forget(extract);
            },
            |_, map| forget(map.entry(key(3, 2))),
            |_, map| forget(map.entry(key(40, 2))),
        ]);

    table = Row::new("Table")
        .keeps::<Indexed>(cases![
            |_, table| forget(table.drain()),
            |_, table| {
                let mut drain = table.drain();
                drop(drain.next());
                forget(drain);
            },
            |_, table| {
                let mut extract = table.extract_if(|_, (token, _)| odd(token));
                drop(extract.next());
                forget(extract);
            },
        ]);

    lists = Row::new("ListPool")
        .leaks::<Pool>(cases![
            |_, pool| forget(pool.get_mut(list_key(pool, 0))),
            |_, pool| forget(pool.get_mut(list_key(pool, 2))),
            |_, pool| forget(pool.get_mut(list_key(pool, 2)).expect("it is there").drain(1..3)),
            |_, pool| {
                let mut list = pool.get_mut(list_key(pool, 0)).expect("it is there");
                let mut extract = list.extract_if(.., |token| odd(token));
                drop(extract.next());
                forget(extract);
            },
            |ledger, pool| {
                let mut list = pool.get_mut(list_key(pool, 2)).expect("it is there");
                list.extend(ledger.tokens(50..90));
                forget(list);
            },
        ])
        .keeps::<Pool>(cases![
            |_, pool| forget(pool.iter_mut()),
            |ledger, pool| forget(pool.insert_owned(ledger.tokens(0..3))),
        ]);

    lists_beside = Row::new("SecondaryLists")
        .leaks::<Beside>(cases![
            |_, lists| forget(lists.entry(key(1, 2))),
            |ledger, lists| {
                let mut list = lists.entry(key(1, 3));
                list.push(ledger.token(7));
                forget(list);
            },
        ]);

    shared = Row::new("SharedVec")
        .leaks::<SharedArray>(cases![
            |_, vec| forget(vec.as_mut_vec()),
            |ledger, vec| {
                let mut inner = vec.as_mut_vec();
                inner.push(ledger.token(7));
                forget(inner);
            },
            |_, vec| {
                let mut drain = vec.drain(2..8);
                drop((drain.next(), drain.next_back()));
                forget(drain);
            },
            |ledger, vec| {
                let mut gather = vec.gather();
                gather.extend(ledger.tokens(0..7));
                forget(gather);
            },
        ])
        .leaks_all::<SharedArray>(cases![|_, vec| {
            let mut iter = vec.into_iter();
            drop(iter.next());
            forget(iter);
        }]);

    shared_map = Row::new("SharedSlotMap")
        .leaks::<SharedMap>(cases![
            |_, map| {
                let mut drain = map.drain();
                drop(drain.next());
                forget(drain);
                drop(map.as_mut_map());
            },
            // Nothing can be inserted until it is called again.
            |ledger, map| {
                forget(map.as_mut_map());
                assert!(map.try_insert(ledger.token(7)).is_err() && map.is_empty());
                drop(map.as_mut_map());
            },
        ]);

    arena = Row::new("Arena")
        .leaks::<InArena>(cases![
            |ledger, arena| forget(arena.alloc_box(ledger.token(7))),
            |ledger, arena| _ = arena.alloc(ledger.token(7)),
            |_, arena| forget(arena.guard()),
        ]);

    scope = Row::new("Scope")
        .leaks::<InArena>(cases![
            |ledger, arena| {
                let mut guard = arena.guard();
                forget(guard.scope().alloc_box(ledger.token(7)));
                forget(guard);
            },
            |ledger, arena| arena.scope(|scope| forget(scope.alloc_box(ledger.token(7)))),
        ]);

    arena_box = Row::new("ArenaBox")
        .leaks::<InArena>(cases![
            |ledger, arena| _ = stayput::ArenaBox::leak(arena.alloc_box(ledger.token(7))),
            |ledger, arena| _ = stayput::ArenaBox::into_raw(arena.alloc_box(ledger.token(7))),
        ]);
}
