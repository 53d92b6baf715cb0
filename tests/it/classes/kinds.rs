//! The containers of the tables, as [`Kind`]s.

#![expect(unsafe_code, reason = "moves values into an erased column")]

use super::Kind;
use crate::helpers::key;
use crate::ledger::{Ledger, Token};
use crate::slot_map_op::Small;
use stayput::columns::ErasedColumn;
use stayput::{
    Arena, BlockVec, Blocks, Budget, Columns, DefaultKey, DenseSlotMap, Groups, Key, ListPool, Pad,
    SecondaryLists, SecondaryMap, SharedSlotMap, SharedVec, SlotMap, SparseSecondaryMap, Table,
    VmVec, indices,
};
use std::marker::PhantomData;
use std::mem::ManuallyDrop;

/// Implements [`Kind`] by expressions.
macro_rules! kind {
    (
        $kind:ident<$l:lifetime> = $of:ty;
        sample: |$ledger:ident| $sample:expr;
        tokens: |$it:ident| $tokens:expr;
        use: |$by:ident, $used:ident| $use:expr;
    ) => {
        kind! {
            $kind<$l> = $of;
            sample: |$ledger| $sample;
            tokens: |$it| $tokens;
            use: |$by, $used, _before| $use;
        }
    };
    (
        $kind:ident<$l:lifetime> = $of:ty;
        sample: |$ledger:ident| $sample:expr;
        tokens: |$it:ident| $tokens:expr;
        use: |$by:ident, $used:ident, $before:ident| $use:expr;
    ) => {
        pub(in crate::classes) struct $kind;

        impl Kind for $kind {
            type Of<$l> = $of;

            fn sample($ledger: &Ledger) -> Self::Of<'_> {
                $sample
            }

            fn tokens<'a, $l>($it: &'a Self::Of<$l>) -> Vec<&'a Token<$l>> {
                $tokens
            }

            fn use_it<$l>($by: &$l Ledger, $used: &mut Self::Of<$l>, $before: &Self::Of<'_>) {
                let _ = $use;
            }
        }
    };
}

/// Twenty elements are in several blocks.
pub(super) fn blocks<'l>() -> BlockVec<Token<'l>> {
    let bytes = 4 * size_of::<Token<'_>>();
    BlockVec::builder().blocks(Blocks::Fixed { bytes }).build()
}

macro_rules! arrays {
    ($($array:ident in $module:ident, $new:expr;)+) => {$(
        pub(super) mod $module {
            use super::*;

            fn use_it<'l>(ledger: &'l Ledger, vec: &mut $array<Token<'l>>) {
                assert!(vec.len() <= vec.capacity());
                if vec.len() == vec.max_len() {
                    vec.pop();
                }
                vec.insert(0, ledger.token(1000));
                assert_eq!(vec.remove(0).value, 1000);
                vec.retain(|token| token.value % 2 == 0);
                vec.clear();
            }

            kind! {
                Ten<'l> = $array<Token<'l>>;
                sample: |ledger| {
                    let mut vec: $array<_> = $new;
                    vec.extend(ledger.tokens(0..10));
                    vec
                };
                tokens: |vec| vec.iter().collect();
                use: |ledger, vec| use_it(ledger, vec);
            }

            kind! {
                Full<'l> = $array<Token<'l>>;
                sample: |ledger| {
                    let mut vec = $array::with_max_len(10);
                    vec.extend(ledger.tokens(0..10));
                    vec
                };
                tokens: |vec| vec.iter().collect();
                use: |ledger, vec| use_it(ledger, vec);
            }
        }
    )+};
}

arrays! {
    VmVec in vm_vec, VmVec::new();
    BlockVec in block_vec, blocks();
}

/// The number of tokens in the samples of maps.
pub(super) const LIVE: usize = 9;

pub(super) type Map<'l> = SlotMap<Small, Token<'l>>;

/// A retired slot, one with the last generation there is, and ten more, one of them a hole and one
/// detached.
fn sample(ledger: &Ledger) -> Map<'_> {
    let mut map = Map::with_key();
    for value in 10..12 {
        while map.insert(ledger.token(value)).generation() < 7 {
            map.clear();
        }
    }
    map.extend(ledger.tokens(0..10));
    let keys: Vec<_> = map.keys().collect();
    map.remove(keys[3]);
    map.remove(keys[4]);
    drop(map.detach(keys[6]));
    map.extend(ledger.tokens(12..13));
    let stats = map.stats();
    assert_eq!((stats.live, stats.holes, stats.detached, stats.retired), (LIVE, 1, 1, 1));
    map
}

fn use_map<'l>(ledger: &'l Ledger, map: &mut Map<'l>, before: &Map<'_>) {
    let others = ledger.live() - map.len();
    assert_eq!(map.iter().count(), map.len());
    assert!(map.keys().eq(map.clone().keys()));
    let gone: Vec<_> = before.keys().filter(|key| !map.contains_key(*key)).collect();
    let stats = map.stats();
    for value in 0..30 {
        let Ok(key) = map.try_insert(ledger.token(value)) else { break };
        assert_eq!(map[key].value, value);
    }
    assert!(gone.iter().all(|key| !map.contains_key(*key)) || stats.holes == 0);
    map.retain(|_, token| token.value % 2 == 0);
    map.trim();
    map.clear();
    assert_eq!((map.len(), ledger.live()), (0, others));
}

pub(super) type Dense<'l> = DenseSlotMap<Small, Token<'l>>;

/// Nine values in no order, a hole, and a detached slot.
pub(super) fn dense_sample(ledger: &Ledger) -> Dense<'_> {
    let mut map = Dense::with_key();
    map.extend([7, 3, 9, 0, 5, 2, 8, 6, 1, 4].map(|value| ledger.token(value)));
    let keys = map.keys_as_slice().to_vec();
    drop(map.detach(keys[6]));
    map.remove(keys[3]);
    map.remove(keys[0]);
    map.extend(ledger.tokens(10..12));
    map.remove(map.keys_as_slice()[8]);
    map.extend(ledger.tokens(12..13));
    let stats = map.stats();
    assert_eq!((stats.live, stats.detached), (LIVE, 1));
    map
}

#[track_caller]
pub(super) fn check_rows(map: &Dense<'_>, before: &Dense<'_>) {
    let keys = map.keys_as_slice();
    assert_eq!((map.as_slice().len(), map.stats().live), (keys.len(), keys.len()));
    assert!(keys.iter().enumerate().all(|(row, key)| map.row_of(*key) == Some(row)), "{map:?}");
    assert!(before.keys().all(|key| map.contains_key(key) == keys.contains(&key)), "{map:?}");
}

fn use_dense<'l>(ledger: &'l Ledger, map: &mut Dense<'l>, before: &Dense<'_>) {
    check_rows(map, before);
    for value in 0..30 {
        let Ok(key) = map.try_insert(ledger.token(value)) else { break };
        assert_eq!((map[key].value, map.row_of(key)), (value, Some(map.len() - 1)));
    }
    check_rows(map, before);
    while !map.defragment_by(|a, b| a.value.cmp(&b.value), Budget::swaps(3)) {}
    assert!(map.as_slice().is_sorted_by_key(|token| token.value));
    check_rows(map, before);
}

macro_rules! maps {
    ($($map:ident in $module:ident, $sample:ident, $use_it:ident;)+) => {$(
        pub(super) mod $module {
            use super::*;

            kind! {
                Sample<'l> = $map<Small, Token<'l>>;
                sample: |ledger| $sample(ledger);
                tokens: |map| {
                    assert_eq!(map.values().count(), map.len());
                    map.values().collect()
                };
                use: |ledger, map, before| $use_it(ledger, map, before);
            }

            kind! {
                Full<'l> = $map<Small, Token<'l>>;
                sample: |ledger| {
                    let mut map = $map::<Small, _>::builder().max_len(10).build();
                    map.extend(ledger.tokens(0..10));
                    map
                };
                tokens: |map| map.values().collect();
                use: |ledger, map, before| $use_it(ledger, map, before);
            }
        }
    )+};
}

maps! {
    SlotMap in slot_map, sample, use_map;
    DenseSlotMap in dense, dense_sample, use_dense;
}

type Owned = Token<'static>;

pub(super) type Record = (Owned, u8, Owned);

pub(super) fn row_of(ledger: &Ledger, value: u32) -> Record {
    (ledger.owned_token(value), 0, ledger.owned_token(value))
}

kind! {
    DenseRows<'l> = DenseSlotMap<Small, Record, Columns<Record>>;
    sample: |ledger| (0..7).map(|n| row_of(ledger, n)).collect();
    tokens: |map| {
        let (first, _, last) = map.as_slice();
        assert!(first.iter().zip(last).all(|(a, b)| a.value == b.value));
        first.iter().chain(last).collect()
    };
    use: |ledger, map| {
        map.insert(row_of(ledger, 9));
        assert!(map.keys().enumerate().all(|(row, key)| map.row_of(key) == Some(row)));
    };
}

/// An indexed part, and one that is not.
pub(super) type Halves<'l> = (Token<'l>, Token<'l>);

macro_rules! secondary_maps {
    ($($map:ident in $kind:ident;)+) => {$(
        kind! {
            $kind<'l> = $map<DefaultKey, Token<'l>>;
            sample: |ledger| (0..10).map(|n| (key(n, 2), ledger.token(n))).collect();
            tokens: |map| {
                assert_eq!(map.iter().count(), map.len());
                map.values().collect()
            };
            use: |ledger, map| {
                map.insert(key(4, 7), ledger.token(7));
                assert_eq!(map[key(4, 7)].value, 7);
            };
        }
    )+};
}

secondary_maps! {
    SecondaryMap in Secondary;
    SparseSecondaryMap in Sparse;
}

kind! {
    SecondaryFull<'l> = SecondaryMap<DefaultKey, Token<'l>>;
    sample: |ledger| {
        let mut map = SecondaryMap::with_max_len(10);
        map.extend((0..10).map(|n| (key(n, 2), ledger.token(n))));
        map
    };
    tokens: |map| map.values().collect();
    use: |ledger, map| map.insert(key(4, 7), ledger.token(7));
}

kind! {
    Rows<'l> = Columns<Record>;
    sample: |ledger| (0..4).map(|value| row_of(ledger, value)).collect();
    tokens: |columns| {
        let (first, _, last) = columns.as_slices();
        first.iter().chain(last).collect()
    };
    use: |ledger, columns| {
        if columns.len() == columns.max_len() {
            columns.pop();
        }
        columns.push(row_of(ledger, 9));
        let (first, _, last) = columns.as_slices();
        assert!(first.iter().zip(last).all(|(a, b)| a.value == b.value));
    };
}

kind! {
    RowsFull<'l> = Columns<Record>;
    sample: |ledger| {
        let mut columns = Columns::with_max_len(4);
        columns.extend((0..4).map(|value| row_of(ledger, value)));
        columns
    };
    tokens: |columns| Rows::tokens(columns);
    use: |ledger, columns| Rows::use_it(ledger, columns, &Columns::new());
}

/// A token, or nothing in the lanes after the last row.
#[derive(Clone)]
pub(super) struct Padded<'l>(pub(super) Option<Token<'l>>);

impl Pad for Padded<'_> {
    const PAD: Self = Self(None);
}

pub(super) type Lane<'l> = (Padded<'l>, u8);

pub(super) fn lane(token: Token<'_>) -> Lane<'_> {
    (Padded(Some(token)), 0)
}

kind! {
    Lanes<'l> = Groups<Lane<'l>, 4>;
    sample: |ledger| ledger.tokens(0..11).map(lane).collect();
    tokens: |groups| {
        (0..groups.len()).filter_map(|at| groups.get(at).and_then(|row| row.0.0.as_ref())).collect()
    };
    use: |ledger, groups| groups.push(lane(ledger.token(9)));
}

kind! {
    LanesFull<'l> = Groups<Lane<'l>, 4>;
    sample: |ledger| {
        let mut groups = Groups::over(VmVec::with_max_len(3));
        groups.extend(ledger.tokens(0..12).map(lane));
        groups
    };
    tokens: |groups| Lanes::tokens(groups);
    use: |ledger, groups| {
        groups.pop();
        groups.push(lane(ledger.token(9)));
    };
}

kind! {
    SharedArray<'l> = SharedVec<Token<'l>>;
    sample: |ledger| ledger.tokens(0..10).collect();
    tokens: |vec| vec.iter().collect();
    use: |ledger, vec| vec.push(ledger.token(1));
}

kind! {
    SharedArrayFull<'l> = SharedVec<Token<'l>>;
    sample: |ledger| {
        let vec = SharedVec::with_max_len(10);
        vec.extend(ledger.tokens(0..10));
        vec
    };
    tokens: |vec| vec.iter().collect();
    use: |ledger, vec| {
        vec.as_mut_vec().pop();
        vec.push(ledger.token(1));
    };
}

kind! {
    SharedMap<'l> = SharedSlotMap<DefaultKey, Token<'l>>;
    sample: |ledger| ledger.tokens(0..6).collect();
    tokens: |map| map.values().collect();
    use: |ledger, map| map.insert(ledger.token(1));
}

kind! {
    SharedMapFull<'l> = SharedSlotMap<DefaultKey, Token<'l>>;
    sample: |ledger| {
        let map = SharedSlotMap::with_max_len(6);
        ledger.tokens(0..6).for_each(|token| _ = map.insert(token));
        map
    };
    tokens: |map| map.values().collect();
    use: |ledger, map| {
        map.as_mut_map().clear();
        map.insert(ledger.token(1));
    };
}

indices! {
    pub(super) struct By<'l> for Token<'l> {
        pub(super) value: Unique<u32> = |token| token.value,
        pub(super) odd: Many<bool> = |token| token.value % 2 == 1,
        pub(super) third: List<u32> = |token| token.value / 3,
        pub(super) at: Grid<2, cell = 2.0> = |token| [f32::from(token.value.to_le_bytes()[0]), 0.0],
    }
}

pub(super) type Rooted<'l> = Table<Halves<'l>, By<'l>>;

fn use_table<'l>(ledger: &'l Ledger, table: &mut Rooted<'l>) {
    assert_eq!(table.check(), Ok(()));
    table.retain(|_, row| row.0.value != 2);
    table.insert((ledger.token(90), ledger.token(90)));
    assert_eq!(table.find(|by| &by.value, &90).map(|(_, row)| row.0.value), Some(90));
    assert_eq!(table.check(), Ok(()));
}

fn table_tokens<'a, 'l>(table: &'a Rooted<'l>) -> Vec<&'a Token<'l>> {
    table.values().flat_map(|row| [&row.0, &row.1]).collect()
}

kind! {
    Indexed<'l> = Rooted<'l>;
    sample: |ledger| ledger.tokens(0..6).map(|token| (token, ledger.token(0))).collect();
    tokens: |table| table_tokens(table);
    use: |ledger, table| use_table(ledger, table);
}

kind! {
    IndexedFull<'l> = Rooted<'l>;
    sample: |ledger| {
        let mut table = Table::builder().max_len(6).build();
        table.extend(ledger.tokens(0..6).map(|token| (token, ledger.token(0))));
        table
    };
    tokens: |table| table_tokens(table);
    use: |ledger, table| use_table(ledger, table);
}

/// Three lists: two that have room, and an exact one.
fn lists(ledger: &Ledger) -> ListPool<Token<'_>> {
    let mut pool = ListPool::new();
    pool.insert_list(ledger.tokens(0..6));
    pool.compact();
    pool.insert_list(ledger.tokens(10..13));
    pool.insert_list(ledger.tokens(20..27));
    pool
}

/// The key of a list of a sample.
pub(super) fn list_key<T>(pool: &ListPool<T>, nth: usize) -> DefaultKey {
    pool.keys().nth(nth).expect("it has three lists")
}

kind! {
    Pool<'l> = ListPool<Token<'l>>;
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

kind! {
    PoolFull<'l> = ListPool<Token<'l>>;
    sample: |ledger| {
        let mut pool = ListPool::builder().max_len(16).build();
        pool.insert_list(ledger.tokens(0..8));
        pool.insert_list(ledger.tokens(20..28));
        pool
    };
    tokens: |pool| pool.values().flatten().collect();
    use: |ledger, pool| {
        let first = list_key(pool, 0);
        assert!(pool.remove_list(first));
        pool.insert_list(ledger.tokens(50..54));
    };
}

kind! {
    Beside<'l> = SecondaryLists<DefaultKey, Token<'l>>;
    sample: |ledger| {
        let mut lists = SecondaryLists::new();
        for n in 0..3 {
            lists.entry(key(n, 2)).extend(ledger.tokens(0..6));
        }
        lists
    };
    tokens: |lists| lists.values().flatten().collect();
    use: |ledger, lists| {
        lists.entry(key(8, 2)).push(ledger.token(1));
        lists.compact();
        assert_eq!(lists[key(8, 2)].len(), 1);
    };
}

/// An [`ErasedColumn`] of tokens.
pub(super) struct Erased<'l>(ErasedColumn, PhantomData<Token<'l>>);

impl<'l> Erased<'l> {
    fn new() -> Self {
        Self(ErasedColumn::of::<Token<'l>>(), PhantomData)
    }

    pub(super) fn push(&mut self, token: Token<'l>) {
        let token = ManuallyDrop::new(token);
        // SAFETY: the column's type, and it is not used again.
        unsafe { self.0.push((&raw const token).cast()) };
    }

    /// The column. Only tokens may be pushed to it.
    pub(super) fn column(&mut self) -> &mut ErasedColumn {
        &mut self.0
    }
}

kind! {
    InErased<'l> = Erased<'l>;
    sample: |ledger| {
        let mut erased = Erased::new();
        ledger.tokens(0..10).for_each(|token| erased.push(token));
        erased
    };
    // SAFETY: the column's type.
    tokens: |erased| unsafe { erased.0.as_slice::<Token<'_>>() }.iter().collect();
    use: |ledger, erased| erased.push(ledger.token(1));
}

kind! {
    InArena<'l> = Arena;
    sample: |_ledger| Arena::new();
    tokens: |_arena| Vec::new();
    use: |ledger, arena| {
        let mut all: Vec<_> = (0..100).map(|n| arena.alloc_box(ledger.token(n))).collect();
        assert!(all.iter().zip(0..).all(|(token, n)| token.value == n));
        all.truncate(7);
    };
}

/// What has no tokens, and indexes the numbers of slots.
macro_rules! slot_indices {
    ($($kind:ident = $index:ty, |$by:ident| $use:expr;)+) => {$(
        kind! {
            $kind<'l> = (&'l Ledger, $index);
            sample: |ledger| (ledger, <$index>::new());
            tokens: |_it| Vec::new();
            use: |_ledger, it| {
                let $by = &mut it.1;
                $use
            };
        }
    )+};
}

slot_indices! {
    UniqueSlots = stayput::index::UniqueIndex, |index| {
        let _ = index.insert(&7, 70, |_| false);
        assert!(index.contains(70) && index.remove(70));
    };
    SetSlots = stayput::index::SetIndex, |index| {
        index.insert(&7, 70, |_| false);
        assert!(index.contains(70) && index.remove(70));
    };
    ListSlots = stayput::index::ListIndex, |index| {
        index.insert(&7, 70, |_| false);
        assert!(index.contains(70) && index.remove(70));
    };
}

kind! {
    GridSlots<'l> = (&'l Ledger, stayput::index::Grid<2>);
    sample: |ledger| (ledger, stayput::index::Grid::new(1.0));
    tokens: |_it| Vec::new();
    use: |_ledger, it| {
        it.1.insert(70, [9.0, 9.0]);
        assert_eq!(it.1.nearest([9.0, 9.0], 1)[0].slot, 70);
        assert!(it.1.remove(70));
    };
}
