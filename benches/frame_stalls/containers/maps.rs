//! Slot maps, each with the settings that its users would choose for one that grows large.

use slotmap::Key as _;
use stayput::{HugePages, Key as _, SlotMap};

use super::{Container, Family, Pages};
use crate::alloc::Allocator;
use crate::entity::{self, Entity};
use crate::scenario::Scenario;
use crate::scenario::churn::{Keeper, measure};

/// In the order of the report. The limit has neither to grow nor to know generations.
pub(super) const ALL: &[Container] = &[
    Container {
        id: "slotmap",
        name: "slotmap",
        scenario: Scenario::Churn,
        settings: "SlotMap::new()",
        packages: &["slotmap"],
        family: Family::Peer,
        headline: true,
        limit: false,
        colour: (0xE6, 0x9F, 0x00),
        allocator: Allocator::System,
        pages: Pages::Small,
        run: |job| measure(job, slotmap::SlotMap::new()),
    },
    Container {
        id: "slotmap-mimalloc",
        name: "slotmap (mimalloc)",
        scenario: Scenario::Churn,
        settings: "SlotMap::new(), mimalloc as the global allocator",
        packages: &["slotmap", "mimalloc"],
        family: Family::Peer,
        headline: true,
        limit: false,
        colour: (0xD5, 0x5E, 0x00),
        allocator: Allocator::Mimalloc,
        pages: Pages::Huge,
        run: |job| measure(job, slotmap::SlotMap::new()),
    },
    Container {
        id: "slotmap-dense",
        name: "slotmap, Dense",
        scenario: Scenario::Churn,
        settings: "DenseSlotMap::new()",
        packages: &["slotmap"],
        family: Family::Peer,
        headline: true,
        limit: false,
        colour: (0xCC, 0x79, 0xA7),
        allocator: Allocator::System,
        pages: Pages::Small,
        run: |job| measure(job, slotmap::DenseSlotMap::new()),
    },
    Container {
        id: "thunderdome",
        name: "thunderdome",
        scenario: Scenario::Churn,
        settings: "Arena::new()",
        packages: &["thunderdome"],
        family: Family::Peer,
        headline: true,
        limit: false,
        colour: (0x56, 0xB4, 0xE9),
        allocator: Allocator::System,
        pages: Pages::Small,
        run: |job| measure(job, thunderdome::Arena::new()),
    },
    Container {
        id: "generational-arena",
        name: "generational-arena",
        scenario: Scenario::Churn,
        settings: "Arena::new()",
        packages: &["generational-arena"],
        family: Family::Peer,
        headline: true,
        limit: false,
        colour: (0x00, 0x9E, 0x73),
        allocator: Allocator::System,
        pages: Pages::Small,
        run: |job| measure(job, generational_arena::Arena::new()),
    },
    Container {
        id: "slab",
        name: "slab",
        scenario: Scenario::Churn,
        settings: "Slab::new(); no generations",
        packages: &["slab"],
        family: Family::Peer,
        headline: false,
        limit: false,
        colour: (0x99, 0x99, 0x33),
        allocator: Allocator::System,
        pages: Pages::Small,
        run: |job| measure(job, slab::Slab::new()),
    },
    Container {
        id: "slab-warm",
        name: "slab, warm",
        scenario: Scenario::Churn,
        settings: "Slab::with_capacity(most), every page touched beforehand: the limit",
        packages: &["slab"],
        family: Family::Peer,
        headline: true,
        limit: true,
        colour: (0x88, 0x88, 0x88),
        allocator: Allocator::System,
        pages: Pages::Small,
        run: |job| measure(job, warm_slab(job.total())),
    },
    Container {
        id: "slot-map",
        name: "stayput",
        scenario: Scenario::Churn,
        settings: "SlotMap::new()",
        packages: &["stayput"],
        family: Family::Stayput,
        headline: true,
        limit: false,
        colour: (0x00, 0x72, 0xB2),
        allocator: Allocator::System,
        pages: Pages::Huge,
        run: |job| measure(job, SlotMap::new()),
    },
    Container {
        id: "slot-map-small",
        name: "stayput, small pages",
        scenario: Scenario::Churn,
        settings: "SlotMap, HugePages::Never",
        packages: &["stayput"],
        family: Family::Stayput,
        headline: false,
        limit: false,
        colour: (0xAA, 0x44, 0x99),
        allocator: Allocator::System,
        pages: Pages::Small,
        run: |job| measure(job, small_pages()),
    },
    Container {
        id: "slot-map-idle",
        name: "stayput, idle prefault",
        scenario: Scenario::Churn,
        settings: "SlotMap::new(), prefault(a frame's growth) in the idle time before each frame",
        packages: &["stayput"],
        family: Family::Stayput,
        headline: true,
        limit: false,
        colour: (0x22, 0x22, 0x22),
        allocator: Allocator::System,
        pages: Pages::Huge,
        run: |job| measure(job, Idle(SlotMap::new())),
    },
    Container {
        id: "slot-map-warm",
        name: "stayput, warm",
        scenario: Scenario::Churn,
        settings: "SlotMap::new(), prefault(most) beforehand",
        packages: &["stayput"],
        family: Family::Stayput,
        headline: false,
        limit: false,
        colour: (0xB8, 0x5C, 0x6B),
        allocator: Allocator::System,
        pages: Pages::Huge,
        run: |job| measure(job, warm(job.total())),
    },
];

type Stayput = SlotMap<stayput::DefaultKey, Entity>;

/// A [`SlotMap`] that its owner prepares for the next frame.
struct Idle(Stayput);

fn small_pages() -> Stayput {
    SlotMap::builder().huge_pages(HugePages::Never).build()
}

fn warm(total: usize) -> Stayput {
    let mut map = SlotMap::new();
    map.prefault(total);
    map
}

fn warm_slab(total: usize) -> slab::Slab<Entity> {
    let mut slab = slab::Slab::with_capacity(total);
    for index in 0..total as u64 {
        slab.insert(Entity::spawn(index));
    }
    slab.clear();
    slab
}

/// What the two of `slotmap` share.
macro_rules! slotmap {
    ($map:ident) => {
        impl Keeper for slotmap::$map<slotmap::DefaultKey, Entity> {
            type Key = slotmap::DefaultKey;

            fn no_key() -> Self::Key {
                Self::Key::null()
            }

            #[inline]
            fn insert(&mut self, entity: Entity) -> Self::Key {
                self.insert(entity)
            }

            #[inline]
            fn remove(&mut self, key: Self::Key) -> bool {
                self.remove(key).is_some()
            }

            fn sum(&self) -> u64 {
                entity::sum(self.values())
            }
        }
    };
}
slotmap!(SlotMap);
slotmap!(DenseSlotMap);

impl Keeper for thunderdome::Arena<Entity> {
    type Key = thunderdome::Index;

    fn no_key() -> Self::Key {
        Self::Key::DANGLING
    }

    #[inline]
    fn insert(&mut self, entity: Entity) -> Self::Key {
        self.insert(entity)
    }

    #[inline]
    fn remove(&mut self, key: Self::Key) -> bool {
        self.remove(key).is_some()
    }

    fn sum(&self) -> u64 {
        entity::sum(self.iter().map(|(_, entity)| entity))
    }
}

impl Keeper for generational_arena::Arena<Entity> {
    type Key = generational_arena::Index;

    fn no_key() -> Self::Key {
        Self::Key::from_raw_parts(usize::MAX, 0)
    }

    #[inline]
    fn insert(&mut self, entity: Entity) -> Self::Key {
        self.insert(entity)
    }

    #[inline]
    fn remove(&mut self, key: Self::Key) -> bool {
        self.remove(key).is_some()
    }

    fn sum(&self) -> u64 {
        entity::sum(self.iter().map(|(_, entity)| entity))
    }
}

impl Keeper for slab::Slab<Entity> {
    type Key = usize;

    fn no_key() -> usize {
        usize::MAX
    }

    #[inline]
    fn insert(&mut self, entity: Entity) -> usize {
        self.insert(entity)
    }

    #[inline]
    fn remove(&mut self, key: usize) -> bool {
        self.try_remove(key).is_some()
    }

    fn sum(&self) -> u64 {
        entity::sum(self.iter().map(|(_, entity)| entity))
    }
}

impl Keeper for Stayput {
    type Key = stayput::DefaultKey;

    fn no_key() -> Self::Key {
        Self::Key::null()
    }

    #[inline]
    fn insert(&mut self, entity: Entity) -> Self::Key {
        self.insert(entity)
    }

    #[inline]
    fn remove(&mut self, key: Self::Key) -> bool {
        self.remove(key).is_some()
    }

    fn sum(&self) -> u64 {
        entity::sum(self.values())
    }
}

impl Keeper for Idle {
    type Key = stayput::DefaultKey;

    fn no_key() -> Self::Key {
        Self::Key::null()
    }

    #[inline]
    fn insert(&mut self, entity: Entity) -> Self::Key {
        self.0.insert(entity)
    }

    #[inline]
    fn remove(&mut self, key: Self::Key) -> bool {
        self.0.remove(key).is_some()
    }

    fn prepare(&mut self, growth: usize) {
        self.0.prefault(growth);
    }

    fn sum(&self) -> u64 {
        entity::sum(self.0.values())
    }
}
