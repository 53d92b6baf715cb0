//! Tables, each with the settings that its users would choose for one that grows large.

use hashbrown::HashMap;
use stayput::{CommitAhead, Table};

use super::finders::{ByHand, Griddle, Hashbrown, Rows};
use super::{Container, GLIBC};
use crate::entity::Entity;
use crate::scenario::table::{Finder, measure};
use crate::scenario::{Handling, Scenario};

const GROWING: &[Scenario] = &[Scenario::Table];

/// By the allocator that it is on.
const SYSTEM: &str = if GLIBC { "Vec + hashbrown (glibc)" } else { "Vec + hashbrown (system)" };

/// In the order of the report. The limit neither grows nor takes a page fault. What is drawn over the
/// others comes last.
pub(super) const ALL: &[Container] = &[
    Container::peer(
        &["hashbrown"],
        ["hashbrown", SYSTEM, "Vec::new() of rows, HashMap<u64, u32> of their places"],
        |job| measure(job, plain::<Hashbrown>()),
    )
    .headline(GROWING, 0x00_80_60),
    Container::peer(
        &["hashbrown", "mimalloc"],
        [
            "hashbrown-mimalloc",
            "Vec + hashbrown (mimalloc)",
            "Vec::new() of rows, HashMap<u64, u32> of their places, mimalloc as the global allocator",
        ],
        |job| measure(job, plain::<Hashbrown>()),
    )
    .on_mimalloc()
    .headline(GROWING, 0xD5_5E_00),
    Container::peer(
        &["griddle"],
        [
            "griddle",
            "Vec + griddle",
            "Vec::new() of rows, griddle::HashMap<u64, u32> of their places, which moves to a larger \
             one bit by bit",
        ],
        |job| measure(job, plain::<Griddle>()),
    )
    .headline(GROWING, 0xCC_79_A7),
    Container::peer(
        &["hashbrown"],
        [
            "hashbrown-warm",
            "Vec + hashbrown, warm",
            "both with_capacity(all), every page touched beforehand: the limit",
        ],
        |job| measure(job, Handling::new(warm_by_hand)),
    )
    .limit(GROWING, 0x88_88_88),
    Container::stayput(["table", "Table", "Table::new()"], |job| measure(job, plain::<Rows>()))
    .headline(GROWING, 0x00_72_B2),
    Container::stayput(
        ["table-warm", "Table, warm", "Table::new(), reserve(all) and prefault(all) beforehand"],
        |job| measure(job, Handling::new(warm)),
    )
    .headline(GROWING, 0x56_B4_E9),
    Container::stayput(["table-ahead", "Table, ahead", "CommitAhead::Auto"], |job| {
        let make = |_| Table::builder().commit_ahead(CommitAhead::Auto).build();
        measure(job, Handling::new(make).served(|table: &Rows| table.stats().late))
    })
    .headline(GROWING, 0x22_22_22),
];

fn plain<T: Finder + Default>() -> Handling<T> {
    Handling::new(|_| T::default())
}

/// Filled once, with rows that go again.
fn warm_by_hand(most: usize) -> Hashbrown {
    let mut table = ByHand {
        rows: Vec::with_capacity(most),
        places: HashMap::with_capacity_and_hasher(most, foldhash::fast::FixedState::default()),
    };
    for index in 0..most as u64 {
        table.insert(Entity::row(index));
    }
    table.rows.clear();
    table.places.clear();
    table
}

fn warm(most: usize) -> Rows {
    let mut table = Rows::new();
    table.reserve(most);
    table.prefault(most);
    table
}
