//! Numbers, ranges and capacities that cannot be: each is refused by an error or a panic, and nothing changes.

use super::kinds::dense::Sample as Dense;
use super::kinds::slot_map::Sample as Map;
use super::kinds::vm_vec::Ten;
use super::kinds::{
    self, Beside, By, Halves, InErased, Indexed, Lanes, Pool, Rows, Secondary, SharedArray,
    SharedMap, Sparse, list_key, row_of,
};
use super::{Kind, Row, cases, check_tokens, ids, suite};
use crate::helpers::key;
use crate::ledger::{Ledger, Token};
use stayput::index::{Grid, ListIndex, SetIndex, UniqueIndex};
use stayput::{
    Arena, BlockVec, Budget, Columns, DefaultKey, DenseSlotMap, Groups, Key, Layout as KeyLayout,
    ListPool, Reservation, SecondaryMap, SharedSlotMap, SharedVec, SlotMap, SparseSecondaryMap,
    StrPool, Table, VmVec, page_size,
};
use std::alloc::Layout;
use std::ops::Bound;
use std::ops::Bound::{Excluded, Included, Unbounded};
use std::panic::{AssertUnwindSafe, catch_unwind};

const ISIZE_MAX: usize = isize::MAX as usize;

/// No container of tokens has as many elements, or bytes.
const NUMBERS: [usize; 9] = [
    usize::MAX,
    usize::MAX - 1,
    ISIZE_MAX + 1,
    ISIZE_MAX,
    usize::MAX / size_of::<Token<'_>>(),
    usize::MAX / size_of::<Token<'_>>() + 1,
    ISIZE_MAX / size_of::<Token<'_>>() + 1,
    usize::MAX / 3 * 2,
    usize::MAX / 8 + 1,
];

/// Numbers that are also too large for an index, although they have fewer bits.
const INDICES: [usize; 3] = [u32::MAX as usize, u32::MAX as usize - 1, 1 << 31];

type Range = (Bound<usize>, Bound<usize>);

/// No container of three to twelve elements has these.
const RANGES: [Range; 13] = [
    (Included(2), Excluded(1)),
    (Included(3), Included(1)),
    (Excluded(2), Included(1)),
    (Excluded(2), Excluded(2)),
    (Included(0), Excluded(100)),
    (Included(100), Unbounded),
    (Included(usize::MAX), Unbounded),
    (Excluded(usize::MAX), Unbounded),
    (Excluded(usize::MAX), Included(1)),
    (Unbounded, Included(usize::MAX)),
    (Unbounded, Excluded(usize::MAX)),
    (Included(1), Included(ISIZE_MAX)),
    (Excluded(usize::MAX), Included(usize::MAX)),
];

/// A call of a container with one of the numbers. It may have any result, but must change no element.
type Numbered<K> = for<'l> fn(&'l Ledger, &mut <K as Kind>::Of<'l>, usize);
/// A constructor, which must refuse each of the numbers.
type Constructor = fn(usize) -> bool;
/// A call with a range, which must panic.
type Ranged<K> = for<'l> fn(&'l Ledger, &mut <K as Kind>::Of<'l>, Range);

impl Row {
    fn numbers<K: Kind>(self, cases: &[(&'static str, Numbered<K>)]) -> Self {
        self.with(cases, |case: Numbered<K>| {
            for number in NUMBERS {
                unchanged::<K>(&|ledger, it| case(ledger, it, number));
            }
        })
    }

    /// Like [`numbers`](Self::numbers), also for numbers of indices.
    fn indices<K: Kind>(self, cases: &[(&'static str, Numbered<K>)]) -> Self {
        self.with(cases, |case: Numbered<K>| {
            for number in NUMBERS.into_iter().chain(INDICES) {
                unchanged::<K>(&|ledger, it| case(ledger, it, number));
            }
        })
    }

    fn ranges<K: Kind>(self, cases: &[(&'static str, Ranged<K>)]) -> Self {
        self.with(cases, |case: Ranged<K>| {
            for range in RANGES {
                let has_panicked = unchanged::<K>(&|ledger, it| case(ledger, it, range));
                assert!(has_panicked, "{range:?} was taken");
            }
        })
    }

    /// Adds constructors: each must refuse all numbers.
    fn never(self, cases: &[(&'static str, Constructor)]) -> Self {
        self.with(cases, |is_refused: Constructor| {
            for number in NUMBERS {
                assert!(is_refused(number), "{number} was taken");
            }
        })
    }
}

/// Runs a case, which must not change the elements. Returns `true` if it panicked.
#[track_caller]
fn unchanged<K: Kind>(case: &dyn for<'l> Fn(&'l Ledger, &mut K::Of<'l>)) -> bool {
    let ledger = Ledger::new();
    let mut it = K::sample(&ledger);
    let before = ids::<K>(&it);
    let result = catch_unwind(AssertUnwindSafe(|| case(&ledger, &mut it)));
    assert_eq!(ids::<K>(&it), before);
    check_tokens(&ledger, &K::tokens(&it), 0);
    K::use_it(&ledger, &mut it, &K::sample(&Ledger::new()));
    drop(it);
    ledger.assert_all_dropped_but(0);
    result.is_err()
}

/// The same methods of several containers.
macro_rules! memory {
    ($row:expr, $kind:ty) => {
        $row.numbers::<$kind>(
            cases![|_, it, n| assert!(it.try_reserve(n).is_err()), |_, it, n| it.reserve(n),]
        )
    };
    ($row:expr, $kind:ty, exact) => {
        memory!($row, $kind).numbers::<$kind>(cases![
            |_, it, n| assert!(it.try_reserve_exact(n).is_err()),
            |_, it, n| it.reserve_exact(n),
        ])
    };
    ($row:expr, $kind:ty, prefault) => {
        memory!($row, $kind).numbers::<$kind>(cases![
            |_, it, n| assert!(it.try_prefault(n).is_err()),
            |_, it, n| it.prefault(n),
        ])
    };
}

macro_rules! constructors {
    ($row:expr, $container:ty) => {
        $row.never(cases![
            |n| <$container>::try_with_capacity(n).is_err(),
            |n| <$container>::builder().capacity(n).try_build().is_err(),
            |n| catch_unwind(|| <$container>::with_capacity(n)).is_err(),
            // The address space is not as large either.
            |n| <$container>::try_with_max_len(n).map_or(true, |it| it.is_empty()),
        ])
    };
}

/// Methods of arrays that take an index, a length or a range.
macro_rules! array {
    ($array:ident in $module:ident) => {{
        type Ten = kinds::$module::Ten;
        Row::new(stringify!($array))
            .indices::<Ten>(cases![
                |_, vec, n| assert!(vec.get(n).is_none()),
                |_, vec, n| assert!(vec.get_mut(n).is_none()),
                |_, vec, n| assert_eq!(vec[n].value, 0),
                |_, vec, n| vec.truncate(n),
                |_, vec, n| vec.swap(1, n),
                |_, vec, n| drop(vec.remove(n)),
                |_, vec, n| drop(vec.swap_remove(n)),
                |_, vec, n| drop(vec.split_off(n)),
                |_, vec, n| drop(vec.try_split_off(n)),
                |ledger, vec, n| vec.insert(n, ledger.token(50)),
                |ledger, vec, n| drop(vec.try_insert(n, ledger.token(50))),
                |ledger, vec, n| _ = vec.insert_mut(n, ledger.token(50)),
                |_, vec, n| vec.shrink_to(n),
                |_, vec, n| vec.iter().nth(n).map_or((), |_| unreachable!()),
                |_, vec, n| vec.iter_mut().nth_back(n).map_or((), |_| unreachable!()),
            ])
            .numbers::<Ten>(cases![
                |ledger, vec, n| vec.resize(n, ledger.token(50)),
                |ledger, vec, n| assert!(vec.try_resize(n, ledger.token(50)).is_err()),
                |_, vec, n| vec.resize_with(n, || unreachable!()),
                |_, vec, n| assert!(vec.try_resize_with(n, || unreachable!()).is_err()),
            ])
            .ranges::<Ten>(cases![
                |_, vec, range| drop(vec.drain(range)),
                |_, vec, range| drop(vec.extract_if(range, |_| true)),
                |_, vec, range| vec.extend_from_within(range),
                |_, vec, range| _ = vec.try_extend_from_within(range),
            ])
    }};
}

/// `true` without the feature that the methods need.
fn are_zeroed_refused(n: usize) -> bool {
    #[cfg(feature = "bytemuck")]
    let are_refused = VmVec::from([0_u8]).try_extend_zeroed(n).is_err()
        && VmVec::from([0_u64]).try_resize_zeroed(n).is_err();
    #[cfg(not(feature = "bytemuck"))]
    let are_refused = n > 0;
    are_refused
}

/// A number of a slot that is in no sample.
fn index(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// A key whose slot is in no sample.
fn far<K: Key>(n: usize) -> K {
    let most = <K::Layout as KeyLayout>::MAX_INDEX;
    key(index(n).min(most) | (most / 2), 1)
}

suite! {
    vm_vec = constructors!(memory!(array!(VmVec in vm_vec), Ten, exact), VmVec<Token<'static>>)
        .numbers::<Ten>(cases![
            |_, vec, n| assert!(vec.try_prefault(n).is_err()),
            |_, vec, n| vec.prefault(n),
            |_, vec, n| _ = vec.try_shrink_to(n),
            |_, vec, n| _ = vec.shrink_to_fit_within(Budget::bytes(n)),
        ])
        .ranges::<Ten>(cases![|ledger, vec, range| drop(vec.splice(range, ledger.tokens(50..53)))]);

    bytes = Row::new("VmVec")
        .never(cases![
            are_zeroed_refused,
            |n| VmVec::from([0_u8; 3]).try_reserve_exact(n).is_err(),
            |n| VmVec::<()>::from([(); 3]).try_reserve(n).is_err() == (n > usize::MAX - 3),
            |n| VmVec::<[u8; 1 << 20]>::try_with_max_len(n).is_err(),
        ]);

    scope = Row::new("GrowOnly")
        .numbers::<Ten>(cases![
            |_, vec, n| assert!(vec.grow_only().try_reserve(n).is_err()),
            |_, vec, n| vec.grow_only().reserve(n),
        ])
        .indices::<Ten>(cases![
            |_, vec, n| assert!(vec.grow_only().get(n).is_none()),
            |_, vec, n| assert!(vec.grow_only().get(n..).is_none()),
            |_, vec, n| assert_eq!(vec.grow_only()[n].value, 0),
        ]);

    block_vec = memory!(array!(BlockVec in block_vec), kinds::block_vec::Ten, exact)
        .ranges::<kinds::block_vec::Ten>(cases![
            |_, vec, range| _ = vec.range(range),
            |_, vec, range| _ = vec.range_mut(range),
        ])
        .never(cases![
            |n| BlockVec::<Token<'_>>::try_with_capacity(n).is_err(),
            |n| BlockVec::<Token<'_>>::builder().capacity(n).try_build().is_err(),
            |n| BlockVec::<()>::from([(); 3]).try_reserve(n).is_err() == (n > usize::MAX - 3),
        ]);

    block_scope = Row::new("GrowOnlyBlockVec")
        .numbers::<kinds::block_vec::Ten>(cases![
            |_, vec, n| assert!(vec.grow_only().try_reserve(n).is_err()),
            |_, vec, n| vec.grow_only().reserve(n),
        ])
        .indices::<kinds::block_vec::Ten>(cases![
            |_, vec, n| assert!(vec.grow_only().get(n).is_none()),
            |_, vec, n| assert_eq!(vec.grow_only()[n].value, 0),
        ]);

    columns = constructors!(memory!(Row::new("Columns"), Rows, exact), Columns<(u64, Token<'static>)>)
        .indices::<Rows>(cases![
            |_, columns, n| assert!(columns.get(n).is_none()),
            |_, columns, n| assert!(columns.get_mut(n).is_none()),
            |_, columns, n| columns.truncate(n),
            |_, columns, n| columns.swap(1, n),
            |_, columns, n| drop(columns.remove(n)),
            |_, columns, n| drop(columns.swap_remove(n)),
            |_, columns, n| drop(columns.split_off(n)),
            |_, columns, n| drop(columns.try_split_off(n)),
            |ledger, columns, n| columns.insert(n, row_of(ledger, 50)),
            |ledger, columns, n| drop(columns.try_insert(n, row_of(ledger, 50))),
            |ledger, columns, n| drop(columns.replace(n, row_of(ledger, 50))),
            |_, columns, n| columns.shrink_to(n),
        ])
        .numbers::<Rows>(cases![
            |_, columns, n| columns.resize_with(n, || unreachable!()),
            |_, columns, n| assert!(columns.try_resize_with(n, || unreachable!()).is_err()),
            |_, columns, n| assert!(columns.try_prefault(n).is_err()),
        ])
        .ranges::<Rows>(cases![
            |_, columns, range| drop(columns.drain(range)),
            |_, columns, range| drop(columns.extract_if(range, |_| true)),
            |_, columns, range| _ = columns.slices(range),
            |_, columns, range| _ = columns.slices_mut(range),
        ]);

    columns_scope = Row::new("GrowOnlyColumns")
        .numbers::<Rows>(cases![
            |_, columns, n| assert!(columns.grow_only().try_reserve(n).is_err()),
            |_, columns, n| columns.grow_only().reserve(n),
        ])
        .indices::<Rows>(cases![|_, columns, n| assert!(columns.grow_only().get(n).is_none())]);

    groups = memory!(Row::new("Groups"), Lanes)
        .indices::<Lanes>(cases![
            |_, groups, n| assert!(groups.get(n).is_none()),
            |_, groups, n| assert!(groups.get_mut(n).is_none()),
            |_, groups, n| groups.truncate(n),
            |_, groups, n| drop(groups.swap_remove(n)),
            |_, groups, n| groups.shrink_to(n),
        ])
        .never(cases![|n| Groups::<(u64, u8), 4>::try_with_capacity(n).is_err()]);

    erased = Row::new("ErasedColumn")
        .numbers::<InErased>(cases![
            |_, erased, n| assert!(erased.column().try_reserve(n).is_err()),
            |_, erased, n| erased.column().reserve_exact(n),
        ])
        .indices::<InErased>(cases![
            |_, erased, n| assert!(erased.column().get(n).is_none()),
            |_, erased, n| erased.column().swap_remove(n),
            |_, erased, n| erased.column().truncate(n),
            |_, erased, n| _ = erased.column().shrink_to_within(n, Budget::UNLIMITED),
        ]);

    slot_map = constructors!(memory!(Row::new("SlotMap"), Map, exact), SlotMap<DefaultKey, Token<'static>>)
        .indices::<Map>(cases![
            |_, map, n| assert!(map.get_by_index(index(n)).is_none()),
            |_, map, n| assert!(map.get_by_index_mut(index(n)).is_none()),
            |_, map, n| assert!(map.try_prefault(n).is_err()),
            |_, map, n| assert!(map.iter().nth(n).is_none()),
            |_, map, n| assert!(map.values().nth_back(n).is_none()),
        ]);

    slot_map_at = Row::new("SlotMap")
        .never(cases![|n| SlotMap::<DefaultKey, u8>::new().try_insert_at(far(n), 1).is_err()]);

    slot_map_scope = Row::new("GrowOnlyMap")
        .numbers::<Map>(cases![
            |_, map, n| assert!(map.grow_only().try_reserve(n).is_err()),
            |_, map, n| map.grow_only().reserve(n),
        ]);

    dense = constructors!(
        memory!(Row::new("DenseSlotMap"), Dense, exact), DenseSlotMap<DefaultKey, Token<'static>>
    )
        .indices::<Dense>(cases![
            |_, map, n| assert!(map.get_by_index(index(n)).is_none()),
            |_, map, n| assert!(map.get_by_index_mut(index(n)).is_none()),
            |_, map, n| assert!(map.try_prefault(n).is_err()),
        ]);

    dense_scope = Row::new("GrowOnlyDenseMap")
        .numbers::<Dense>(cases![
            |_, map, n| assert!(map.grow_only().try_reserve(n).is_err()),
            |_, map, n| map.grow_only().reserve(n),
        ]);

    secondary = constructors!(
        memory!(Row::new("SecondaryMap"), Secondary), SecondaryMap<DefaultKey, Token<'static>>
    )
        .numbers::<Secondary>(cases![
            |_, map, n| assert!(map.try_set_capacity(n).is_err()),
            |_, map, n| map.set_capacity(n),
            |_, map, n| assert!(map.try_prefault(n).is_err()),
        ])
        .indices::<Secondary>(cases![
            |_, map, n| assert!(map.get_by_index(index(n)).is_none()),
            |ledger, map, n| drop(map.insert(far(n), ledger.token(50))),
            |ledger, map, n| assert!(map.try_insert(far(n), ledger.token(50)).is_err()),
            |_, map, n| assert!(map.try_entry(far(n)).is_err()),
            |_, map, n| _ = map.entry(far(n)),
            |_, map, n| drop(map.remove(far(n))),
        ]);

    secondary_scope = Row::new("GrowOnlySecondaryMap")
        .indices::<Secondary>(cases![
            |ledger, map, n| assert!(map.grow_only().insert(far(n), ledger.token(50)).is_err()),
            |ledger, map, n| assert!(map.grow_only().try_insert(far(n), ledger.token(50)).is_err()),
            |_, map, n| assert!(map.grow_only().get(far(n)).is_none()),
        ]);

    sparse = memory!(Row::new("SparseSecondaryMap"), Sparse)
        .never(cases![|n| SparseSecondaryMap::<DefaultKey, u64>::try_with_capacity(n).is_err()]);

    shared = constructors!(memory!(Row::new("SharedVec"), SharedArray, prefault), SharedVec<Token<'static>>)
        .indices::<SharedArray>(cases![
            |_, vec, n| assert!(vec.get(n).is_none()),
            |_, vec, n| assert!(vec.get_mut(n).is_none()),
            |ledger, vec, n| assert!(vec.push_if_len(n, ledger.token(50)).is_err()),
            |_, vec, n| vec.shrink_to(n),
        ])
        .ranges::<SharedArray>(cases![|_, vec, range| drop(vec.drain(range))]);

    shared_map = constructors!(
        memory!(Row::new("SharedSlotMap"), SharedMap, prefault), SharedSlotMap<DefaultKey, Token<'static>>
    )
        .indices::<SharedMap>(cases![|_, map, n| assert!(map.get_by_index(index(n)).is_none())]);

    table = memory!(Row::new("Table"), Indexed)
        .numbers::<Indexed>(cases![
            |_, table, n| assert!(table.try_prefault(n).is_err()),
            |_, table, n| assert_eq!(table.nearest(|by| &by.at, [0.0; 2], n).count(), 6),
        ])
        .never(cases![|n| Table::<Halves<'_>, By<'_>>::builder().capacity(n).try_build().is_err()]);

    lists = Row::new("ListPool")
        .numbers::<Pool>(cases![
            |_, pool, n| assert!(pool.get_mut(list_key(pool, 0)).expect("it is there").try_reserve(n).is_err()),
            |_, pool, n| pool.get_mut(list_key(pool, 0)).expect("it is there").reserve(n),
        ])
        .indices::<Pool>(cases![
            |_, pool, n| pool.get_mut(list_key(pool, 0)).expect("it is there").truncate(n),
            |_, pool, n| drop(pool.get_mut(list_key(pool, 0)).expect("it is there").remove(n)),
            |_, pool, n| drop(pool.get_mut(list_key(pool, 0)).expect("it is there").swap_remove(n)),
            |ledger, pool, n| {
                pool.get_mut(list_key(pool, 0)).expect("it is there").insert(n, ledger.token(50));
            },
            |ledger, pool, n| {
                drop(pool.get_mut(list_key(pool, 0)).expect("it is there").try_insert(n, ledger.token(50)));
            },
        ])
        .ranges::<Pool>(cases![
            |_, pool, range| drop(pool.get_mut(list_key(pool, 0)).expect("it is there").drain(range)),
            |_, pool, range| {
                drop(pool.get_mut(list_key(pool, 0)).expect("it is there").extract_if(range, |_| true));
            },
        ])
        .never(cases![|n| ListPool::<u64>::builder().capacity(n).try_build().is_err()]);

    lists_beside = Row::new("SecondaryLists")
        .numbers::<Beside>(cases![
            |_, lists, n| assert!(lists.try_set_capacity(n).is_err()),
            |_, lists, n| lists.set_capacity(n),
        ])
        .indices::<Beside>(cases![
            |_, lists, n| assert!(lists.try_entry(far(n)).is_err()),
            |_, lists, n| drop(lists.entry(far(n))),
        ]);

    strs = Row::new("StrPool")
        .never(cases![|n| StrPool::<DefaultKey>::builder().capacity(n).try_build().is_err()]);

    indices = Row::new("UniqueIndex")
        .never(cases![
            |n| UniqueIndex::new().try_insert(&1, index(n), |_| false).is_err(),
            |n| UniqueIndex::new().try_reserve(n).is_err(),
            |n| !UniqueIndex::new().contains(index(n)) && !UniqueIndex::new().remove(index(n)),
        ]);

    sets = Row::new("SetIndex")
        .never(cases![
            |n| SetIndex::new().try_insert(&1, index(n), |_| false).is_err(),
            |n| SetIndex::new().try_reserve(n).is_err(),
            |n| !SetIndex::new().contains(index(n)) && !SetIndex::new().remove(index(n)),
            |n| SetIndex::new().same(index(n)).count() == 0,
        ]);

    set_lists = Row::new("ListIndex")
        .never(cases![
            |n| ListIndex::new().try_insert(&1, index(n), |_| false).is_err(),
            |n| ListIndex::new().try_reserve(n).is_err(),
            |n| !ListIndex::new().contains(index(n)) && !ListIndex::new().remove(index(n)),
            |n| ListIndex::new().same(index(n)).count() == 0,
        ]);

    grid = Row::new("Grid")
        .never(cases![
            |n| Grid::<2>::new(1.0).try_insert(index(n), [0.0; 2]).is_err(),
            |n| Grid::<2>::new(1.0).try_reserve(n).is_err(),
            |n| Grid::<2>::new(1.0).position(index(n)).is_none(),
            |n| Grid::<2>::new(1.0).nearest([0.0; 2], n).is_empty(),
        ]);

    sorted_grid = Row::new("SortedGrid")
        .never(cases![|n| Grid::<2>::new(1.0).sorted().nearest([0.0; 2], n).is_empty()]);

    arena = Row::new("Arena")
        .never(cases![
            |n| Arena::try_with_capacity(n).is_err(),
            |n| Arena::builder().capacity_bytes(n).try_build().is_err(),
            |n| Arena::new().try_prefault(n).is_err(),
            |n| Arena::new().try_alloc_slice_fill_copy(n, 1_u64).is_err(),
            |n| Arena::new().try_alloc_slice_fill_copy(n, [1_u8; 3]).is_err(),
            |n| Arena::new().try_alloc_slice_fill_with(n, |_| -> u64 { unreachable!() }).is_err(),
            |n| Layout::from_size_align(n, 8).is_err() || Arena::new().try_alloc_layout(Layout::from_size_align(n, 8).expect("it fits")).is_err(),
            |n| Layout::from_size_align(8, n).is_err() || Arena::new().try_alloc_layout(Layout::from_size_align(8, n).expect("it fits")).is_err(),
        ]);

    reservation = Row::new("Reservation")
        .never(cases![
            |n| Reservation::new(n).is_err(),
            |n| Reservation::builder().bytes(1).align(n).reserve().is_err(),
            |n| small().commit(n..).is_err(),
            |n| small().commit(..n).is_err(),
            |n| small().prefault(n..).is_err(),
            |n| small().lock((Excluded(n), Unbounded)).is_err(),
            |n| small().decommit((Excluded(n), Unbounded)).is_err(),
            |n| small().discard(1..=n).is_err(),
        ]);

    growing = Row::new("GrowingReservation")
        .never(cases![
            |n| small().growing().grow_to(n).is_err(),
            |n| small().growing().shrink_to(n, Budget::UNLIMITED).is_ok(),
        ]);
}

fn small() -> Reservation {
    Reservation::new(4 * page_size()).expect("there are addresses")
}
