//! The structures under test, each with the settings that its users would choose.

use bench_common::plot::Shade;
use stayput::Table;
use stayput::index::{ListIndex, SetIndex, UniqueIndex};

use crate::case::{Case, Group};
use crate::grid::peers::{Flat, KdTree, OldKdTree, Rectangles};
use crate::grid::stayput_grids::{Plain, Sorted, plane, space};
use crate::sets::peers::{Vecs, multi_index};
use crate::sets::stayput_indices::{ListBy, ManyBy};
use crate::stage::Perform;
use crate::unique::peers::{ByHand, Griddle, HashMap, IndexMap, Slots};
use crate::unique::stayput_indices::{Ahead, Declared, Late, Warm};
use crate::{grid, sets, unique};

/// A structure with its settings, and how to make it.
#[derive(Debug)]
pub(crate) struct Container {
    /// For the command line.
    pub(crate) id: &'static str,
    /// For people.
    pub(crate) name: &'static str,
    pub(crate) settings: &'static str,
    /// The packages whose versions the summary names.
    pub(crate) packages: &'static [&'static str],
    pub(crate) group: Group,
    pub(crate) shade: Shade,
    /// Whose times its own is divided by the best of; none for a peer.
    pub(crate) rivals: &'static [&'static str],
    /// Whether there is one for such a case.
    pub(crate) is_for: fn(Case) -> bool,
    pub(crate) stage: fn(Case) -> Box<dyn Perform>,
}

/// The container of that id.
pub(crate) fn find(id: &str) -> Option<&'static Container> {
    ALL.iter().find(|container| container.id == id)
}

/// All that can be measured in a case.
pub(crate) fn of(case: Case) -> impl Iterator<Item = &'static Container> {
    ALL.iter().filter(move |one| one.group == case.group && (one.is_for)(case))
}

macro_rules! unique {
    ($structure:ty) => {
        |case| Box::new(unique::stage::Stage::<$structure>::new(case.rows))
    };
}

macro_rules! sets {
    ($structure:ty) => {
        |case| Box::new(sets::stage::Stage::<$structure>::new(case.rows, case.shape))
    };
}

macro_rules! grid {
    ($plane:ty, $space:ty) => {
        |case| match case.shape {
            2 => Box::new(grid::stage::Stage::<$plane, 2>::new(case.rows)),
            _ => Box::new(grid::stage::Stage::<$space, 3>::new(case.rows)),
        }
    };
}

const HASH_TABLES: &[&str] = &["hash-map", "hash-table", "griddle"];
const WITH_ROWS: &[&str] = &["by-hand", "index-map"];
const TREES: &[&str] = &["kiddo", "kiddo-5", "rstar"];

/// A thread that works ahead is for what is large.
const AHEAD_ROWS_MIN: usize = 1 << 16;

/// In the order of the report.
pub(crate) const ALL: &[Container] = &[
    Container {
        id: "unique-index",
        name: "UniqueIndex",
        settings: "UniqueIndex, rows in a VmVec",
        packages: &["stayput"],
        group: Group::Unique,
        shade: Shade::Own,
        rivals: HASH_TABLES,
        is_for: |_| true,
        stage: unique!(unique::Indexed<UniqueIndex<unique::Hasher>>),
    },
    Container {
        id: "hash-map",
        name: "HashMap",
        settings: "hashbrown's HashMap<u64, u32>, rows in a VmVec",
        packages: &["hashbrown"],
        group: Group::Unique,
        shade: Shade::Peer,
        rivals: &[],
        is_for: |_| true,
        stage: unique!(unique::Indexed<HashMap<u32>>),
    },
    Container {
        id: "hash-table",
        name: "HashTable",
        settings: "hashbrown's HashTable<u32>, keys in rows in a VmVec",
        packages: &["hashbrown"],
        group: Group::Unique,
        shade: Shade::Peer,
        rivals: &[],
        is_for: |_| true,
        stage: unique!(unique::Indexed<Slots>),
    },
    Container {
        id: "griddle",
        name: "griddle",
        settings: "HashMap<u64, u32>, rows in a VmVec",
        packages: &["griddle"],
        group: Group::Unique,
        shade: Shade::Peer,
        rivals: &[],
        is_for: |_| true,
        stage: unique!(unique::Indexed<Griddle>),
    },
    Container {
        id: "table",
        name: "Table",
        settings: "Table, with its rows",
        packages: &["stayput"],
        group: Group::Unique,
        shade: Shade::Variant,
        rivals: WITH_ROWS,
        is_for: |_| true,
        stage: unique!(Declared<Late>),
    },
    Container {
        id: "table-ahead",
        name: "Table, ahead",
        settings: "Table, CommitAhead::Auto",
        packages: &["stayput"],
        group: Group::Unique,
        shade: Shade::Variant,
        rivals: WITH_ROWS,
        is_for: |case| case.rows >= AHEAD_ROWS_MIN,
        stage: unique!(Declared<Ahead>),
    },
    Container {
        id: "table-warm",
        name: "Table, warm",
        settings: "Table, prefault(all) beforehand: the limit",
        packages: &["stayput"],
        group: Group::Unique,
        shade: Shade::Variant,
        rivals: &[],
        is_for: |case| case.rows >= AHEAD_ROWS_MIN,
        stage: unique!(Declared<Warm>),
    },
    Container {
        id: "by-hand",
        name: "SlotMap, HashMap",
        settings: "stayput's SlotMap and hashbrown's HashMap<u64, Key>, kept right by hand",
        packages: &["stayput", "hashbrown"],
        group: Group::Unique,
        shade: Shade::OtherPeer,
        rivals: &[],
        is_for: |_| true,
        stage: unique!(ByHand),
    },
    Container {
        id: "index-map",
        name: "IndexMap",
        settings: "IndexMap<u64, Row>, which moves rows when one is removed",
        packages: &["indexmap"],
        group: Group::Unique,
        shade: Shade::OtherPeer,
        rivals: &[],
        is_for: |_| true,
        stage: unique!(IndexMap),
    },
    Container {
        id: "set-index",
        name: "SetIndex",
        settings: "SetIndex, rows in a VmVec",
        packages: &["stayput"],
        group: Group::Sets,
        shade: Shade::Own,
        rivals: &["vecs"],
        is_for: |_| true,
        stage: sets!(sets::Indexed<SetIndex<sets::Hasher>>),
    },
    Container {
        id: "list-index",
        name: "ListIndex",
        settings: "ListIndex, rows in a VmVec",
        packages: &["stayput"],
        group: Group::Sets,
        shade: Shade::Variant,
        rivals: &["vecs"],
        is_for: |_| true,
        stage: sets!(sets::Indexed<ListIndex<sets::Hasher>>),
    },
    Container {
        id: "vecs",
        name: "HashMap of Vecs",
        settings: "hashbrown's HashMap<u32, Vec<u32>>, rows in a VmVec",
        packages: &["hashbrown"],
        group: Group::Sets,
        shade: Shade::Peer,
        rivals: &[],
        is_for: |_| true,
        stage: sets!(sets::Indexed<Vecs>),
    },
    Container {
        id: "table-many",
        name: "Table, Many",
        settings: "Table with Many, with its rows",
        packages: &["stayput"],
        group: Group::Sets,
        shade: Shade::Variant,
        rivals: &["multi-index-map"],
        is_for: |_| true,
        stage: sets!(Table<sets::Member, ManyBy>),
    },
    Container {
        id: "table-list",
        name: "Table, List",
        settings: "Table with List, with its rows",
        packages: &["stayput"],
        group: Group::Sets,
        shade: Shade::Variant,
        rivals: &["multi-index-map"],
        is_for: |_| true,
        stage: sets!(Table<sets::Member, ListBy>),
    },
    Container {
        id: "multi-index-map",
        name: "multi_index_map",
        settings: "hashed_non_unique, and hashed_unique for a row's id; its own hasher and rows",
        packages: &["multi_index_map"],
        group: Group::Sets,
        shade: Shade::OtherPeer,
        rivals: &[],
        is_for: |_| true,
        stage: sets!(multi_index::MultiIndexMemberMap),
    },
    Container {
        id: "grid",
        name: "Grid",
        settings: "Grid, each point moved",
        packages: &["stayput"],
        group: Group::Grid,
        shade: Shade::Own,
        rivals: TREES,
        is_for: |_| true,
        stage: grid!(Plain<2>, Plain<3>),
    },
    Container {
        id: "grid-sorted",
        name: "Grid, sorted",
        settings: "Grid, each point moved, and then a SortedGrid made of it",
        packages: &["stayput"],
        group: Group::Grid,
        shade: Shade::Variant,
        rivals: TREES,
        is_for: |_| true,
        stage: grid!(Sorted<2>, Sorted<3>),
    },
    Container {
        id: "table-grid",
        name: "Table, Grid",
        settings: "Table with Grid, with its rows; for_each_mut",
        packages: &["stayput"],
        group: Group::Grid,
        shade: Shade::Variant,
        rivals: TREES,
        is_for: |_| true,
        stage: grid!(plane::Bodies, space::Bodies),
    },
    Container {
        id: "kiddo",
        name: "kiddo",
        settings: "ImmutableKdTree, made anew",
        packages: &["kiddo@6"],
        group: Group::Grid,
        shade: Shade::Peer,
        rivals: &[],
        is_for: |_| true,
        stage: grid!(KdTree<2>, KdTree<3>),
    },
    Container {
        id: "kiddo-5",
        name: "kiddo 5",
        settings: "ImmutableKdTree, made anew",
        packages: &["kiddo@5"],
        group: Group::Grid,
        shade: Shade::Peer,
        rivals: &[],
        is_for: |_| true,
        stage: grid!(OldKdTree<2>, OldKdTree<3>),
    },
    Container {
        id: "rstar",
        name: "rstar",
        settings: "RTree, made anew by bulk_load",
        packages: &["rstar"],
        group: Group::Grid,
        shade: Shade::Peer,
        rivals: &[],
        is_for: |_| true,
        stage: grid!(Rectangles<2>, Rectangles<3>),
    },
    Container {
        id: "flat_spatial",
        name: "flat_spatial",
        settings: "Grid with cells of 1, set_position and maintain; 2D only",
        packages: &["flat_spatial"],
        group: Group::Grid,
        shade: Shade::OtherPeer,
        rivals: &[],
        is_for: |case| case.shape == 2,
        stage: |case| Box::new(grid::stage::Stage::<Flat, 2>::new(case.rows)),
    },
];
