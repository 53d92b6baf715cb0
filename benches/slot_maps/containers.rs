//! The maps under test, each with the settings that its users would choose for a large one.

use bench_common::compare::{self, Container, Role};
use stayput::HugePages;

use crate::case::{Case, SlotMaps};
use crate::operation::Operation;
use crate::peers::{Basic, Concurrent, Dense, Hop};
use crate::stage::Stage;
use crate::stayput_maps::{Packed, Plain};

/// The sizes of values that can be measured.
pub(crate) const VALUE_BYTES: [usize; 3] = [4, 56, 64];

/// What most people would take instead: maps with generations that keep values in their places, and
/// are neither deprecated nor before their first release.
pub(crate) const RIVALS: &[&str] = &["slotmap", "thunderdome", "generational-arena"];

/// By their ids, those that do not tell the key of a removed value from that of the value now in its place.
pub(crate) const WITHOUT_GENERATIONS: [&str; 3] = ["slab", "stable-vec", "vec"];

/// A map with values of each size.
macro_rules! stage {
    ($map:ident) => {
        stage!($map, HugePages::Auto)
    };
    ($map:ident, $pages:expr) => {
        |case: Case| match case.value_bytes {
            4 => Box::new(Stage::<$map<u32>>::new(case.slots, $pages)),
            56 => Box::new(Stage::<$map<[u64; 7]>>::new(case.slots, $pages)),
            64 => Box::new(Stage::<$map<[u64; 8]>>::new(case.slots, $pages)),
            _ => unreachable!("is one of VALUE_BYTES"),
        }
    };
}

type Thunderdome<V> = thunderdome::Arena<V>;
type Slab<V> = slab::Slab<V>;
type Generational<V> = generational_arena::Arena<V>;
type Stable<V> = stable_vec::StableVec<V>;

/// In the order of the report. Of another crate are [`Role::Peer`], which keep values in their places, so that removed
/// ones leave holes, and [`Role::OtherPeer`], in which a removal moves the last value into the hole.
pub(crate) const ALL: &[Container<SlotMaps>] = &[
    stayput(Role::Own, ["stayput", "stayput", "SlotMap, 64-bit keys"], stage!(Plain))
        .against(RIVALS),
    stayput(
        Role::Variant,
        ["stayput-small", "stayput, small pages", "SlotMap, 64-bit keys, HugePages::Never"],
        stage!(Plain, HugePages::Never),
    ),
    stayput(
        Role::Variant,
        ["stayput-dense", "stayput, Dense", "DenseSlotMap, 64-bit keys"],
        stage!(Packed),
    )
    .against(&["slotmap-dense"]),
    peer(&["slotmap"], ["slotmap", "slotmap", "SlotMap"], stage!(Basic)),
    peer(&["slotmap"], ["slotmap-hop", "slotmap, Hop", "HopSlotMap"], stage!(Hop)),
    Container::new(
        Role::OtherPeer,
        &["slotmap"],
        ["slotmap-dense", "slotmap, Dense", "DenseSlotMap"],
        stage!(Dense),
    ),
    peer(&["thunderdome"], ["thunderdome", "thunderdome", "Arena"], stage!(Thunderdome)),
    peer(
        &["generational-arena"],
        ["generational-arena", "generational-arena", "Arena"],
        stage!(Generational),
    ),
    peer(
        &["concurrent-slotmap"],
        ["concurrent-slotmap", "concurrent-slotmap", "SlotMap, by the methods for a single owner"],
        stage!(Concurrent),
    ),
    peer(&["slab"], ["slab", "slab", "Slab"], stage!(Slab)),
    peer(
        &["stable-vec"],
        ["stable-vec", "stable-vec", "StableVec; removed values leave holes that are not reused"],
        stage!(Stable),
    ),
    Container::new(
        Role::Limit,
        &[],
        ["vec", "Vec (limit)", "Vec, the index as the key"],
        stage!(Vec),
    ),
];

type Make = fn(Case) -> Box<dyn compare::Stage<Operation>>;

const fn stayput(role: Role, names: [&'static str; 3], stage: Make) -> Container<SlotMaps> {
    Container::new(role, &["stayput"], names, stage)
}

const fn peer(
    packages: &'static [&'static str],
    names: [&'static str; 3],
    stage: Make,
) -> Container<SlotMaps> {
    Container::new(Role::Peer, packages, names, stage)
}
