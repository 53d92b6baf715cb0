//! The structures under test, each with the settings that its users would choose.

use bench_common::compare::{Container, Role};
use stayput::Table;
use stayput::index::{ListIndex, SetIndex, UniqueIndex};

use crate::case::{Case, Group, Indices};
use crate::grid::counted::Counted;
use crate::grid::hashed::Hashed;
use crate::grid::peers::{Flat, KdTree, OldKdTree, Rectangles};
use crate::grid::stayput_grids::{Plain, Sorted, plane, space};
use crate::grid::{self, Points};
use crate::sets::peers::{Vecs, multi_index};
use crate::sets::stayput_indices::{IdAndManyBy, ListBy, ManyBy};
use crate::sets::{self, Sets};
use crate::stage::Stage;
use crate::unique::peers::{ByHand, Griddle, HashMap, IndexMap, Slots};
use crate::unique::stayput_indices::{Ahead, Declared, Late, Warm};
use crate::unique::{self, Unique};

const HASH_TABLES: &[&str] = &["hash-map", "hash-table", "griddle"];
const WITH_ROWS: &[&str] = &["by-hand", "index-map"];
const TREES: &[&str] = &["kiddo", "kiddo-5", "rstar"];

/// A thread that works ahead is for large structures.
const AHEAD_ROWS_MIN: usize = 1 << 16;

/// In the order of the report.
pub(crate) const ALL: &[Container<Indices>] = &[
    unique::<unique::Indexed<UniqueIndex<unique::Hasher>>>(
        Role::Own,
        &["stayput"],
        ["unique-index", "UniqueIndex", "UniqueIndex, rows in a VmVec"],
    )
    .against(HASH_TABLES),
    unique::<unique::Indexed<HashMap<u32>>>(
        Role::Peer,
        &["hashbrown"],
        ["hash-map", "HashMap", "hashbrown's HashMap<u64, u32>, rows in a VmVec"],
    ),
    unique::<unique::Indexed<Slots>>(
        Role::Peer,
        &["hashbrown"],
        ["hash-table", "HashTable", "hashbrown's HashTable<u32>, keys in rows in a VmVec"],
    ),
    unique::<unique::Indexed<Griddle>>(
        Role::Peer,
        &["griddle"],
        ["griddle", "griddle", "HashMap<u64, u32>, rows in a VmVec"],
    ),
    unique::<Declared<Late>>(
        Role::Variant,
        &["stayput"],
        ["table", "Table", "Table, with its rows"],
    )
    .against(WITH_ROWS),
    unique::<Declared<Ahead>>(
        Role::Variant,
        &["stayput"],
        ["table-ahead", "Table, ahead", "Table, CommitAhead::Auto"],
    )
    .against(WITH_ROWS)
    .only_for(large),
    unique::<Declared<Warm>>(
        Role::Variant,
        &["stayput"],
        ["table-warm", "Table, warm", "Table, prefault(all) beforehand: the limit"],
    )
    .only_for(large),
    unique::<ByHand>(
        Role::OtherPeer,
        &["stayput", "hashbrown"],
        [
            "by-hand",
            "SlotMap, HashMap",
            "stayput's SlotMap and hashbrown's HashMap<u64, Key>, kept consistent by hand",
        ],
    ),
    unique::<IndexMap>(
        Role::OtherPeer,
        &["indexmap"],
        ["index-map", "IndexMap", "IndexMap<u64, Row>, which moves a row when one is removed"],
    ),
    sets::<sets::Indexed<SetIndex<sets::Hasher>>>(
        Role::Own,
        &["stayput"],
        ["set-index", "SetIndex", "SetIndex, rows in a VmVec"],
    )
    .against(&["vecs"]),
    sets::<sets::Indexed<ListIndex<sets::Hasher>>>(
        Role::Variant,
        &["stayput"],
        ["list-index", "ListIndex", "ListIndex, rows in a VmVec"],
    )
    .against(&["vecs"]),
    sets::<sets::Indexed<Vecs>>(
        Role::Peer,
        &["hashbrown"],
        ["vecs", "HashMap of Vecs", "hashbrown's HashMap<u32, Vec<u32>>, rows in a VmVec"],
    ),
    sets::<Table<sets::Member, ManyBy>>(
        Role::Variant,
        &["stayput"],
        ["table-many", "Table, Many", "Table with Many, with its rows"],
    )
    .against(&["by-hand-sets"]),
    sets::<Table<sets::Member, ListBy>>(
        Role::Variant,
        &["stayput"],
        ["table-list", "Table, List", "Table with List, with its rows"],
    )
    .against(&["by-hand-sets"]),
    sets::<Table<sets::Member, IdAndManyBy>>(
        Role::Variant,
        &["stayput"],
        ["table-two", "Table, Unique, Many", "Table with a Unique id and Many, with its rows"],
    )
    .against(&["multi-index-map"]),
    sets::<sets::peers::ByHand>(
        Role::OtherPeer,
        &["slotmap", "hashbrown"],
        [
            "by-hand-sets",
            "slotmap, HashMap of Vecs",
            "slotmap's SlotMap and hashbrown's HashMap<u32, Vec<Key>>, kept consistent by hand",
        ],
    ),
    sets::<multi_index::MultiIndexMemberMap>(
        Role::OtherPeer,
        &["multi_index_map"],
        [
            "multi-index-map",
            "multi_index_map",
            "hashed_non_unique, and hashed_unique for a row's id; its own hasher and rows",
        ],
    ),
    grid::<Plain<2>, Plain<3>>(Role::Own, &["stayput"], ["grid", "Grid", "Grid, each point moved"])
        .against(TREES),
    grid::<Sorted<2>, Sorted<3>>(
        Role::Variant,
        &["stayput"],
        ["grid-sorted", "Grid, sorted", "Grid, each point moved, and then a SortedGrid made of it"],
    )
    .against(TREES),
    grid::<plane::Bodies, space::Bodies>(
        Role::Variant,
        &["stayput"],
        ["table-grid", "Table, Grid", "Table with Grid, with its rows; for_each_mut"],
    )
    .against(TREES),
    grid::<KdTree<2>, KdTree<3>>(
        Role::Peer,
        &["kiddo@6"],
        ["kiddo", "kiddo", "ImmutableKdTree, rebuilt"],
    ),
    grid::<OldKdTree<2>, OldKdTree<3>>(
        Role::Peer,
        &["kiddo@5"],
        ["kiddo-5", "kiddo 5", "ImmutableKdTree, rebuilt"],
    ),
    grid::<Rectangles<2>, Rectangles<3>>(
        Role::Peer,
        &["rstar"],
        ["rstar", "rstar", "RTree, rebuilt by bulk_load"],
    ),
    grid::<Counted<2>, Counted<3>>(
        Role::OtherPeer,
        &[],
        [
            "counting-sort",
            "counting sort",
            "a grid by hand for a world of known size, sorted by counting, rebuilt",
        ],
    ),
    grid::<Hashed<2>, Hashed<3>>(
        Role::OtherPeer,
        &["hashbrown"],
        [
            "hash-grid",
            "HashMap of cells",
            "a grid by hand: hashbrown's HashMap<[i32; D], Vec<_>>, each point moved",
        ],
    ),
    Container::new(
        Role::OtherPeer,
        &["flat_spatial"],
        [
            "flat_spatial",
            "flat_spatial",
            "Grid with cells of 1, set_position and maintain; 2D only",
        ],
        stage_of_points::<Flat, 2>,
    )
    .only_for(|case: Case| case.group == Group::Grid && case.shape == 2),
];

const fn unique<U: Unique + 'static>(
    role: Role,
    packages: &'static [&'static str],
    names: [&'static str; 3],
) -> Container<Indices> {
    let stage = |case: Case| -> Stage { Box::new(unique::stage::Stage::<U>::new(case.rows)) };
    Container::new(role, packages, names, stage).only_for(|case: Case| case.group == Group::Unique)
}

fn large(case: Case) -> bool {
    case.group == Group::Unique && case.rows >= AHEAD_ROWS_MIN
}

const fn sets<S: Sets + 'static>(
    role: Role,
    packages: &'static [&'static str],
    names: [&'static str; 3],
) -> Container<Indices> {
    let stage =
        |case: Case| -> Stage { Box::new(sets::stage::Stage::<S>::new(case.rows, case.shape)) };
    Container::new(role, packages, names, stage).only_for(|case: Case| case.group == Group::Sets)
}

/// A grid with points of both dimensions.
const fn grid<P: Points<2> + 'static, S: Points<3> + 'static>(
    role: Role,
    packages: &'static [&'static str],
    names: [&'static str; 3],
) -> Container<Indices> {
    let stage = |case: Case| match case.shape {
        2 => stage_of_points::<P, 2>(case),
        _ => stage_of_points::<S, 3>(case),
    };
    Container::new(role, packages, names, stage).only_for(|case: Case| case.group == Group::Grid)
}

fn stage_of_points<P: Points<D> + 'static, const D: usize>(case: Case) -> Stage {
    Box::new(grid::stage::Stage::<P, D>::new(case.rows))
}
