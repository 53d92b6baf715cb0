//! The maps under test, each with the settings that its users would choose for a large one.

use crate::peers::{Basic, Concurrent, Dense, Hop};
use crate::stage::{Perform, Stage};
use crate::stayput_maps::{Packed, Plain, SmallPages};

/// The sizes of values that can be measured.
pub(crate) const VALUE_BYTES: [usize; 3] = [4, 56, 64];

/// What a map is to the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// As it comes: what the ratios are about.
    Stayput,
    /// With other settings.
    StayputVariant,
    /// Of this crate; a removal moves the last value into the hole.
    StayputMoving,
    /// Of another crate; values keep their places, and removed ones leave holes.
    Peer,
    /// Of another crate; a removal moves the last value into the hole.
    MovingPeer,
    /// No slot map.
    Limit,
}

/// A map with its settings, and how to make it.
#[derive(Debug)]
pub(crate) struct Container {
    /// For the command line.
    pub(crate) id: &'static str,
    /// For people.
    pub(crate) name: &'static str,
    pub(crate) settings: &'static str,
    /// The packages whose versions the summary names; none for std alone.
    pub(crate) packages: &'static [&'static str],
    pub(crate) kind: Kind,
    /// Whether the key of a removed value is told from that of the value now in its place.
    pub(crate) generations: bool,
    /// For values of that many bytes and that many slots.
    pub(crate) stage: fn(usize, usize) -> Box<dyn Perform>,
}

/// What most people would take instead: maps with generations that keep values in their places, and
/// are neither deprecated nor before their first release.
pub(crate) const RIVALS: [&str; 3] = ["slotmap", "thunderdome", "generational-arena"];

/// The container of that id.
pub(crate) fn find(id: &str) -> Option<&'static Container> {
    ALL.iter().find(|container| container.id == id)
}

/// A map with values of each size.
macro_rules! stage {
    ($map:ident) => {
        |value_bytes, slots| match value_bytes {
            4 => Box::new(Stage::<$map<u32>>::new(slots)),
            56 => Box::new(Stage::<$map<[u64; 7]>>::new(slots)),
            64 => Box::new(Stage::<$map<[u64; 8]>>::new(slots)),
            _ => unreachable!("is one of VALUE_BYTES"),
        }
    };
}

type Thunderdome<V> = thunderdome::Arena<V>;
type Slab<V> = slab::Slab<V>;
type Generational<V> = generational_arena::Arena<V>;
type Stable<V> = stable_vec::StableVec<V>;

/// In the order of the report.
pub(crate) const ALL: &[Container] = &[
    Container {
        id: "stayput",
        name: "stayput",
        settings: "SlotMap, 64-bit keys",
        packages: &["stayput"],
        kind: Kind::Stayput,
        generations: true,
        stage: stage!(Plain),
    },
    Container {
        id: "stayput-small",
        name: "stayput, small pages",
        settings: "SlotMap, 64-bit keys, HugePages::Never",
        packages: &["stayput"],
        kind: Kind::StayputVariant,
        generations: true,
        stage: stage!(SmallPages),
    },
    Container {
        id: "stayput-dense",
        name: "stayput, Dense",
        settings: "DenseSlotMap, 64-bit keys",
        packages: &["stayput"],
        kind: Kind::StayputMoving,
        generations: true,
        stage: stage!(Packed),
    },
    Container {
        id: "slotmap",
        name: "slotmap",
        settings: "SlotMap",
        packages: &["slotmap"],
        kind: Kind::Peer,
        generations: true,
        stage: stage!(Basic),
    },
    Container {
        id: "slotmap-hop",
        name: "slotmap, Hop",
        settings: "HopSlotMap",
        packages: &["slotmap"],
        kind: Kind::Peer,
        generations: true,
        stage: stage!(Hop),
    },
    Container {
        id: "slotmap-dense",
        name: "slotmap, Dense",
        settings: "DenseSlotMap",
        packages: &["slotmap"],
        kind: Kind::MovingPeer,
        generations: true,
        stage: stage!(Dense),
    },
    Container {
        id: "thunderdome",
        name: "thunderdome",
        settings: "Arena",
        packages: &["thunderdome"],
        kind: Kind::Peer,
        generations: true,
        stage: stage!(Thunderdome),
    },
    Container {
        id: "generational-arena",
        name: "generational-arena",
        settings: "Arena",
        packages: &["generational-arena"],
        kind: Kind::Peer,
        generations: true,
        stage: stage!(Generational),
    },
    Container {
        id: "concurrent-slotmap",
        name: "concurrent-slotmap",
        settings: "SlotMap, by the methods for a single owner",
        packages: &["concurrent-slotmap"],
        kind: Kind::Peer,
        generations: true,
        stage: stage!(Concurrent),
    },
    Container {
        id: "slab",
        name: "slab",
        settings: "Slab",
        packages: &["slab"],
        kind: Kind::Peer,
        generations: false,
        stage: stage!(Slab),
    },
    Container {
        id: "stable-vec",
        name: "stable-vec",
        settings: "StableVec; removed values leave holes that are not reused",
        packages: &["stable-vec"],
        kind: Kind::Peer,
        generations: false,
        stage: stage!(Stable),
    },
    Container {
        id: "vec",
        name: "Vec (limit)",
        settings: "Vec, the index as the key",
        packages: &[],
        kind: Kind::Limit,
        generations: false,
        stage: stage!(Vec),
    },
];
