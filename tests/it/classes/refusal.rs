//! Memory that is refused, by a maximum or by a backing at any call: nothing has changed, and the value comes back.

use super::kinds::{Halves, InArena, Indexed, Secondary, SharedArray, SharedMap};
use super::kinds::{
    IndexedFull, LanesFull, PoolFull, RowsFull, SecondaryFull, SharedArrayFull, SharedMapFull,
    block_vec, dense, lane, list_key, row_of, slot_map, vm_vec,
};
use super::{Kind, Row, cases, check_tokens, ids, suite};
use crate::buffer::{Buffer, Call, Failure};
use crate::helpers::key;
use crate::ledger::{Ledger, Token};
use stayput::index::{Grid, ListIndex, SetIndex, UniqueIndex};
use stayput::{
    Arena, BlockVec, Columns, DefaultKey, DenseSlotMap, Error, Growth, Refused, SecondaryLists,
    SecondaryMap, SharedSlotMap, SharedVec, SlotMap, StrPool, Table, VmVec,
};

/// A call that may be refused: returns `None` if it was not, and otherwise the tokens that came back.
type Case<K> = for<'l> fn(&'l Ledger, &mut <K as Kind>::Of<'l>) -> Option<Vec<Token<'l>>>;

/// Returns whether a call was refused, and nothing had changed.
type Bounded = fn() -> bool;

/// A container in memory that a test supplies.
trait InBuffer: Kind {
    fn build<'l>(buffer: Buffer) -> Self::Of<'l>;
}

macro_rules! in_buffer {
    ($($kind:ty, |$buffer:ident| $build:expr;)+) => {$(
        impl InBuffer for $kind {
            fn build<'l>($buffer: Buffer) -> Self::Of<'l> {
                $build
            }
        }
    )+};
}

/// Every run is a call.
const STEP: Growth = Growth::Fixed { step_bytes: 64 };

in_buffer! {
    vm_vec::Ten, |buffer| VmVec::builder().growth(STEP).build_in(buffer);
    slot_map::Sample, |buffer| SlotMap::builder().growth(STEP).build_in(buffer);
    dense::Sample, |buffer| DenseSlotMap::builder().growth(STEP).build_in(buffer);
    Secondary, |buffer| SecondaryMap::builder().growth(STEP).build_in(buffer);
    Indexed, |buffer| Table::builder().growth(STEP).build_in(buffer);
    SharedArray, |buffer| SharedVec::builder().growth(STEP).build_in(buffer);
    SharedMap, |buffer| SharedSlotMap::builder().growth(STEP).build_in(buffer);
}

impl Row {
    /// Adds calls of a container that has its maximum of elements: all are refused.
    fn full<K: Kind>(self, cases: &[(&'static str, Case<K>)]) -> Self {
        self.with(cases, |case: Case<K>| {
            let ledger = Ledger::new();
            let mut it = K::sample(&ledger);
            assert!(refused::<K>(case, &ledger, &mut it), "it is not full");
            K::use_it(&ledger, &mut it, &K::sample(&Ledger::new()));
            drop(it);
            ledger.assert_all_dropped_but(0);
        })
    }

    /// Adds calls that are repeated until the backing refuses its first call, its second, and so on.
    fn at_each_call<K: InBuffer>(self, cases: &[(&'static str, Case<K>)]) -> Self {
        self.with(cases, |case: Case<K>| {
            let mut passes = 0;
            loop {
                let ledger = Ledger::new();
                let buffer = Buffer::new(1 << 12, 64, 8);
                let log = buffer.log();
                let mut it = K::build(buffer);
                log.plan(Call::Commit, Failure::Refuse, passes, usize::MAX);
                let calls = || log.calls(Call::Commit);
                let is_refused = (0..30).any(|_| refused::<K>(case, &ledger, &mut it));
                let was_planned = calls() > passes;
                log.plan(Call::Commit, Failure::Refuse, 0, 0);
                assert_eq!(is_refused, was_planned, "call {passes}");
                if is_refused {
                    assert!(!refused::<K>(case, &ledger, &mut it), "it is refused again");
                }
                drop(it);
                ledger.assert_all_dropped_but(0);
                passes += 1;
                if !is_refused || passes == 20 {
                    break;
                }
            }
            assert!(passes > 3, "{passes} calls");
        })
    }

    /// Adds calls that return whether they were refused, and nothing had changed.
    fn bounded(self, cases: &[(&'static str, Bounded)]) -> Self {
        self.with(cases, |is_refused: Bounded| assert!(is_refused()))
    }
}

/// Runs a case. If it is refused, the elements must be as before, and the tokens it was given come back.
#[track_caller]
fn refused<'l, K: Kind>(case: Case<K>, ledger: &'l Ledger, it: &mut K::Of<'l>) -> bool {
    let (before, made) = (ids::<K>(it), ledger.made());
    let Some(back) = case(ledger, it) else { return false };
    assert_eq!(ids::<K>(it), before);
    assert_eq!(back.len(), ledger.made() - made, "not all came back");
    check_tokens(ledger, &K::tokens(it), back.len());
    true
}

/// The error and the values of a refused call.
trait Given<'l> {
    fn given(self) -> Vec<Token<'l>>;
}

impl<'l> Given<'l> for Token<'l> {
    fn given(self) -> Vec<Token<'l>> {
        vec![self]
    }
}

impl<'l> Given<'l> for Halves<'l> {
    fn given(self) -> Vec<Token<'l>> {
        vec![self.0, self.1]
    }
}

impl<'l, A: Given<'l>> Given<'l> for Refused<A> {
    fn given(self) -> Vec<Token<'l>> {
        self.value.given()
    }
}

impl<'l> Given<'l> for Error {
    fn given(self) -> Vec<Token<'l>> {
        Vec::new()
    }
}

fn given<'l, R, E: Given<'l>>(result: Result<R, E>) -> Option<Vec<Token<'l>>> {
    result.err().map(Given::given)
}

/// What an iterator has left.
fn rest<'l, R>(result: Result<(), Refused<R>>) -> Option<Vec<Token<'l>>>
where
    R: Iterator<Item = Token<'l>>,
{
    result.err().map(|refused| refused.value.collect())
}

/// Appends a `Vec`, which keeps its tokens if that is refused.
macro_rules! appended {
    ($other:ident, $result:expr) => {
        if $result.is_err() { Some($other.into_iter().collect()) } else { None }
    };
}

macro_rules! array {
    ($array:ident in $module:ident) => {
        Row::new(stringify!($array)).full::<$module::Full>(cases![
            |ledger, vec| given(vec.try_push(ledger.token(50))),
            |ledger, vec| given(vec.try_insert(3, ledger.token(50))),
            |ledger, vec| given(vec.try_resize(12, ledger.token(50))),
            |_, vec| given(vec.try_resize_with(12, || unreachable!())),
            |ledger, vec| rest(vec.try_extend(ledger.tokens(50..55))),
            |_, vec| given(vec.try_extend_from_within(3..5)),
            |_, vec| given(vec.try_reserve(1)),
            |_, vec| given(vec.try_reserve_exact(1)),
            |ledger, vec| {
                let mut other: Vec<_> = ledger.tokens(50..55).collect();
                appended!(other, vec.try_append_vec(&mut other))
            },
            |ledger, vec| {
                let mut other: $array<_> = ledger.tokens(50..55).collect();
                appended!(other, vec.try_append(&mut other))
            },
            |ledger, vec| {
                let other: Vec<_> = ledger.tokens(50..55).collect();
                appended!(other, vec.try_extend_from_slice(&other))
            },
        ])
    };
}

suite! {
    full_array = array!(VmVec in vm_vec)
        .full::<vm_vec::Full>(cases![|_, vec| given(vec.try_prefault(1))])
        .at_each_call::<vm_vec::Ten>(cases![
            |ledger, vec| given(vec.try_push(ledger.token(50))),
            |ledger, vec| given(vec.try_insert(vec.len() / 2, ledger.token(50))),
            |ledger, vec| given(vec.try_resize(vec.len() + 1, ledger.token(50))),
            |ledger, vec| {
                let mut other: Vec<_> = ledger.tokens(50..52).collect();
                appended!(other, vec.try_append_vec(&mut other))
            },
            |ledger, vec| given(vec.grow_only().try_push(ledger.token(50))),
            |_, vec| given(vec.try_reserve(vec.capacity() - vec.len() + 1)),
        ]);

    array_scope = Row::new("GrowOnly")
        .full::<vm_vec::Full>(cases![
            |ledger, vec| given(vec.grow_only().try_push(ledger.token(50))),
            |_, vec| given(vec.grow_only().try_reserve(1)),
        ]);

    full_blocks = array!(BlockVec in block_vec);

    blocks_scope = Row::new("GrowOnlyBlockVec")
        .full::<block_vec::Full>(cases![
            |ledger, vec| given(vec.grow_only().try_push(ledger.token(50))),
            |_, vec| given(vec.grow_only().try_reserve(1)),
        ]);

    columns = Row::new("Columns")
        .full::<RowsFull>(cases![
            |ledger, columns| given(columns.try_push(row_of(ledger, 50)).map_err(record)),
            |ledger, columns| given(columns.try_insert(1, row_of(ledger, 50)).map_err(record)),
            |_, columns| given(columns.try_resize_with(12, || unreachable!())),
            |_, columns| given(columns.try_reserve(1)),
            |ledger, columns| {
                let mut other: Columns<_> = [row_of(ledger, 50)].into_iter().collect();
                let result = columns.try_append(&mut other);
                result.is_err().then(|| other.into_iter().flat_map(|(a, _, b)| [a, b]).collect())
            },
        ]);

    columns_scope = Row::new("GrowOnlyColumns")
        .full::<RowsFull>(cases![
            |ledger, columns| {
                given(columns.grow_only().try_push(row_of(ledger, 50)).map(|_| ()).map_err(record))
            },
            |_, columns| given(columns.grow_only().try_reserve(1)),
        ]);

    groups = Row::new("Groups")
        .full::<LanesFull>(cases![
            |ledger, groups| {
                let refused = groups.try_push(lane(ledger.token(50))).err()?;
                Some(refused.value.0.0.into_iter().collect())
            },
            |_, groups| given(groups.try_reserve(1)),
        ]);

    slots = Row::new("SlotMap")
        .full::<slot_map::Full>(cases![
            |ledger, map| given(map.try_insert(ledger.token(50))),
            |ledger, map| rest(map.try_insert_many(ledger.tokens(50..55), &mut Vec::new())),
            |ledger, map| given(map.try_insert_at(key(40, 1), ledger.token(50))),
            |_, map| given(map.try_vacant_entry()),
            |_, map| given(map.try_reserve(1)),
        ])
        .at_each_call::<slot_map::Sample>(cases![
            |ledger, map| given(map.try_insert(ledger.token(50))),
            |ledger, map| rest(map.try_insert_many(ledger.tokens(50..51), &mut Vec::new())),
            |_, map| given(map.try_reserve(map.capacity() - map.len() + 1)),
        ]);

    slots_scope = Row::new("GrowOnlyMap")
        .full::<slot_map::Full>(cases![
            |ledger, map| given(map.grow_only().try_insert(ledger.token(50))),
            |_, map| given(map.grow_only().try_reserve(1)),
        ])
        .at_each_call::<slot_map::Sample>(cases![
            |ledger, map| given(map.grow_only().try_insert(ledger.token(50))),
        ]);

    packed = Row::new("DenseSlotMap")
        .full::<dense::Full>(cases![
            |ledger, map| given(map.try_insert(ledger.token(50))),
            |ledger, map| rest(map.try_insert_many(ledger.tokens(50..55), &mut Vec::new())),
            |_, map| given(map.try_reserve(1)),
        ])
        .at_each_call::<dense::Sample>(cases![
            |ledger, map| given(map.try_insert(ledger.token(50))),
        ]);

    packed_scope = Row::new("GrowOnlyDenseMap")
        .full::<dense::Full>(cases![
            |ledger, map| given(map.grow_only().try_insert(ledger.token(50))),
            |_, map| given(map.grow_only().try_reserve(1)),
        ])
        .at_each_call::<dense::Sample>(cases![
            |ledger, map| given(map.grow_only().try_insert(ledger.token(50))),
        ]);

    secondary = Row::new("SecondaryMap")
        .full::<SecondaryFull>(cases![
            |ledger, map| given(map.try_insert(key(10, 1), ledger.token(50))),
            |_, map| given(map.try_entry(key(10, 1)).map(|_| ())),
            |_, map| given(map.try_set_capacity(11)),
            |_, map| given(map.try_reserve(11)),
        ])
        .at_each_call::<Secondary>(cases![
            |ledger, map| {
                let index = u32::try_from(map.slots_len()).expect("few");
                given(map.try_insert(key(index, 1), ledger.token(50)))
            },
        ]);

    secondary_scope = Row::new("GrowOnlySecondaryMap")
        .full::<SecondaryFull>(cases![
            |ledger, map| given(map.grow_only().try_insert(key(10, 1), ledger.token(50))),
        ]);

    table = Row::new("Table")
        .full::<IndexedFull>(cases![
            |ledger, table| given(table.try_insert((ledger.token(50), ledger.token(0)))),
            |_, table| given(table.try_reserve(1)),
            // Another row has the value.
            |ledger, table| {
                let first = table.keys().next().expect("it has rows");
                given(table.try_replace(first, (ledger.token(3), ledger.token(0))))
            },
        ])
        .at_each_call::<Indexed>(cases![
            |ledger, table| {
                let value = 100 + u32::try_from(table.len()).expect("few");
                given(table.try_insert((ledger.token(value), ledger.token(0))))
            },
        ]);

    lists = Row::new("ListPool")
        .full::<PoolFull>(cases![
            |ledger, pool| {
                let first = list_key(pool, 0);
                given(pool.get_mut(first).expect("it is there").try_push(ledger.token(50)))
            },
            |ledger, pool| {
                let first = list_key(pool, 0);
                given(pool.get_mut(first).expect("it is there").try_insert(2, ledger.token(50)))
            },
            |ledger, pool| {
                let first = list_key(pool, 0);
                rest(pool.get_mut(first).expect("it is there").try_extend(ledger.tokens(50..55)))
            },
            |_, pool| {
                let first = list_key(pool, 0);
                given(pool.get_mut(first).expect("it is there").try_reserve(1))
            },
        ]);

    lists_beside = Row::new("SecondaryLists")
        .bounded(cases![|| {
            let mut lists = SecondaryLists::<DefaultKey, u32>::builder().max_len(8).build();
            lists.entry(key(1, 1)).extend(0..8);
            let refused = lists.entry(key(1, 1)).try_push(9);
            refused.is_err_and(|refused| refused.value == 9) && lists[key(1, 1)].iter().copied().eq(0..8)
        }]);

    strs = Row::new("StrPool")
        .bounded(cases![|| {
            let mut pool = StrPool::<DefaultKey>::builder().max_len(8).build();
            let key = pool.insert("12345678");
            pool.try_insert("9").is_err() && pool.len() == 1 && pool.get(key) == Some("12345678")
        }]);

    shared = Row::new("SharedVec")
        .full::<SharedArrayFull>(cases![
            |ledger, vec| given(vec.try_push(ledger.token(50))),
            |ledger, vec| given(vec.try_push_with(|_| ledger.token(50))),
            |ledger, vec| rest(vec.try_extend(ledger.tokens(50..55))),
            |_, vec| given(vec.try_reserve(1)),
            |_, vec| given(vec.try_prefault(1)),
            |ledger, vec| vec.push_if_len(10, ledger.token(50)).err().map(|(_, token)| vec![token]),
            |ledger, vec| {
                let mut other: Vec<_> = ledger.tokens(50..55).collect();
                appended!(other, vec.try_append_vec(&mut other))
            },
            |ledger, vec| {
                let mut other: VmVec<_> = ledger.tokens(50..55).collect();
                appended!(other, vec.try_append(&mut other))
            },
        ])
        .at_each_call::<SharedArray>(cases![
            |ledger, vec| given(vec.try_push(ledger.token(50))),
            |ledger, vec| given(vec.try_push_with(|_| ledger.token(50))),
            |ledger, vec| {
                let mut other: Vec<_> = ledger.tokens(50..52).collect();
                appended!(other, vec.try_append_vec(&mut other))
            },
        ]);

    shared_map = Row::new("SharedSlotMap")
        .full::<SharedMapFull>(cases![
            |ledger, map| given(map.try_insert(ledger.token(50))),
            |ledger, map| rest(map.try_insert_many(ledger.tokens(50..55), &mut Vec::new())),
            |_, map| given(map.try_reserve(1)),
        ])
        .at_each_call::<SharedMap>(cases![
            |ledger, map| given(map.try_insert(ledger.token(50))),
        ]);

    arena = Row::new("Arena")
        .full::<InArena>(cases![
            |ledger, arena| {
                *arena = Arena::builder().max_bytes(64).build();
                arena.alloc([0_u8; 60]);
                let back = given(arena.try_alloc(ledger.token(50)));
                *arena = Arena::new();
                back
            },
            |ledger, arena| {
                *arena = Arena::builder().max_bytes(64).build();
                arena.alloc([0_u8; 60]);
                let back = arena.try_alloc_box(ledger.token(50)).err().map(Given::given);
                *arena = Arena::new();
                back
            },
            |ledger, arena| {
                arena.set_allocation_limit(Some(0));
                let back = given(arena.try_alloc(ledger.token(50)));
                arena.set_allocation_limit(None);
                back
            },
        ]);

    scope = Row::new("Scope")
        .bounded(cases![|| {
            let mut arena = Arena::builder().max_bytes(64).build();
            arena.scope(|scope| {
                scope.alloc([0_u8; 60]);
                scope.try_alloc([7_u8; 9]).is_err_and(|refused| refused.value == [7; 9])
            }) && arena.try_alloc([7_u8; 9]).is_ok()
        }]);

    unique = Row::new("UniqueIndex").bounded(cases![|| {
        let mut index = UniqueIndex::new();
        index.try_insert(&1, u32::MAX - 1, |_| false).is_err() && index.is_empty()
    }]);
    set = Row::new("SetIndex").bounded(cases![|| {
        let mut index = SetIndex::new();
        index.try_insert(&1, u32::MAX - 1, |_| false).is_err() && index.is_empty()
    }]);
    list = Row::new("ListIndex").bounded(cases![|| {
        let mut index = ListIndex::new();
        index.try_insert(&1, u32::MAX - 1, |_| false).is_err() && index.is_empty()
    }]);
    grid = Row::new("Grid").bounded(cases![|| {
        let mut grid = Grid::<2>::new(1.0);
        grid.try_insert(u32::MAX - 1, [0.0; 2]).is_err() && grid.is_empty()
    }]);
}

fn record<'l>(refused: Refused<super::kinds::Record>) -> Refused<Halves<'l>> {
    Refused { error: refused.error, value: (refused.value.0, refused.value.2) }
}
