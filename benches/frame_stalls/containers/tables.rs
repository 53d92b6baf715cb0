//! Tables, each with the settings that its users would choose for one that grows large.

use hashbrown::HashMap;
use stayput::{CommitAhead, Table};

use super::Container;
use super::finders::{ByHand, Griddle, Hashbrown, Rows};
use crate::entity::Entity;
use crate::scenario::table::{Finder, measure};
use crate::scenario::{Handling, Scenario};

const GROWING: &[Scenario] = &[Scenario::Table];

/// By the allocator that it is on.
const SYSTEM: &str = if cfg!(all(target_os = "linux", target_env = "gnu")) {
    "Vec + hashbrown (glibc)"
} else {
    "Vec + hashbrown (system)"
};

/// In the order of the report. The limit neither grows nor takes a page fault. What is drawn over the
/// others comes last.
pub(super) const ALL: &[Container] = &[
    Container::peer(
        &["hashbrown"],
        ["hashbrown", SYSTEM, "Vec::new() of rows, HashMap<u64, u32> of their places"],
        |job| measure(job, by_hand::<Hashbrown>()),
    )
    .measured_in(GROWING)
    .headline()
    .shown(0x00, 0x80, 0x60),
    Container::peer(
        &["hashbrown", "mimalloc"],
        [
            "hashbrown-mimalloc",
            "Vec + hashbrown (mimalloc)",
            "Vec::new() of rows, HashMap<u64, u32> of their places, mimalloc as the global allocator",
        ],
        |job| measure(job, by_hand::<Hashbrown>()),
    )
    .on_mimalloc()
    .measured_in(GROWING)
    .headline()
    .shown(0xD5, 0x5E, 0x00),
    Container::peer(
        &["griddle"],
        [
            "griddle",
            "Vec + griddle",
            "Vec::new() of rows, griddle::HashMap<u64, u32> of their places, which moves to a larger \
             one bit by bit",
        ],
        |job| measure(job, by_hand::<Griddle>()),
    )
    .measured_in(GROWING)
    .headline()
    .shown(0xCC, 0x79, 0xA7),
    Container::peer(
        &["hashbrown"],
        [
            "hashbrown-warm",
            "Vec + hashbrown, warm",
            "both with_capacity(all), every page touched beforehand: the limit",
        ],
        |job| measure(job, Handling::new(warm_by_hand)),
    )
    .measured_in(GROWING)
    .limit()
    .shown(0x88, 0x88, 0x88),
    Container::stayput(["table", "Table", "Table::new()"], |job| {
        measure(job, Handling::new(|_| Rows::new()))
    })
    .measured_in(GROWING)
    .headline()
    .shown(0x00, 0x72, 0xB2),
    Container::stayput(
        ["table-warm", "Table, warm", "Table::new(), reserve(all) and prefault(all) beforehand"],
        |job| measure(job, Handling::new(warm)),
    )
    .measured_in(GROWING)
    .headline()
    .shown(0x56, 0xB4, 0xE9),
    Container::stayput(["table-ahead", "Table, ahead", "CommitAhead::Auto"], |job| {
        let make = |_| Table::builder().commit_ahead(CommitAhead::Auto).build();
        measure(job, Handling::new(make).served(|table: &Rows| table.stats().late))
    })
    .measured_in(GROWING)
    .headline()
    .shown(0x22, 0x22, 0x22),
];

fn by_hand<T: Finder + Default>() -> Handling<T> {
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
