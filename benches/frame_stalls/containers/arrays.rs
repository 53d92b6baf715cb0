//! Growing arrays, each with the settings that its users would choose for a large one.

use std::hint::black_box;

use orx_split_vec::{Collection, Doubling, Growth, Linear, PinnedVec, SplitVec};
use stayput::{HugePages, VmVec};

use super::{Container, Family, Pages};
use crate::alloc::Allocator;
use crate::entity::{self, Entity};
use crate::scenario::Scenario;
use crate::scenario::steady::{Spawner, measure};

/// 2^16 entities: fragments of 4 MiB.
const FRAGMENT_EXPONENT: usize = 16;

/// In the order of the report. The limit is memory that is there and resident before the first
/// frame.
pub(super) const ALL: &[Container] = &[
    Container {
        id: "vec",
        name: "Vec",
        scenario: Scenario::SteadySpawn,
        settings: "new()",
        packages: &[],
        family: Family::Std,
        headline: true,
        limit: false,
        colour: (0xE6, 0x9F, 0x00),
        allocator: Allocator::System,
        pages: Pages::Small,
        run: |job| measure(job, Vec::new()),
    },
    Container {
        id: "vec-mimalloc",
        name: "Vec (mimalloc)",
        scenario: Scenario::SteadySpawn,
        settings: "new(), mimalloc as the global allocator",
        packages: &["mimalloc"],
        family: Family::Std,
        headline: true,
        limit: false,
        colour: (0xD5, 0x5E, 0x00),
        allocator: Allocator::Mimalloc,
        pages: Pages::Huge,
        run: |job| measure(job, Vec::new()),
    },
    Container {
        id: "vec-capacity",
        name: "Vec::with_capacity",
        scenario: Scenario::SteadySpawn,
        settings: "with_capacity(all), untouched",
        packages: &[],
        family: Family::Std,
        headline: false,
        limit: false,
        colour: (0x99, 0x66, 0xCC),
        allocator: Allocator::System,
        pages: Pages::Small,
        run: |job| measure(job, Vec::with_capacity(job.total())),
    },
    Container {
        id: "vec-warm",
        name: "Vec::with_capacity, warm",
        scenario: Scenario::SteadySpawn,
        settings: "with_capacity(all), every page touched beforehand: the limit",
        packages: &[],
        family: Family::Std,
        headline: true,
        limit: true,
        colour: (0x88, 0x88, 0x88),
        allocator: Allocator::System,
        pages: Pages::Small,
        run: |job| measure(job, warm_vec(job.total())),
    },
    Container {
        id: "virtual-buffer",
        name: "virtual-buffer",
        scenario: Scenario::SteadySpawn,
        settings: "vec::Vec::new(all), growth by doubling (default)",
        packages: &["virtual-buffer"],
        family: Family::Peer,
        headline: true,
        limit: false,
        colour: (0xCC, 0x79, 0xA7),
        allocator: Allocator::System,
        pages: Pages::Small,
        run: |job| measure(job, virtual_buffer::vec::Vec::new(job.total())),
    },
    Container {
        id: "boxcar",
        name: "boxcar",
        scenario: Scenario::SteadySpawn,
        settings: "Vec::new()",
        packages: &["boxcar"],
        family: Family::Peer,
        headline: true,
        limit: false,
        colour: (0x56, 0xB4, 0xE9),
        allocator: Allocator::System,
        pages: Pages::Small,
        run: |job| measure(job, boxcar::Vec::new()),
    },
    Container {
        id: "split-vec",
        name: "orx-split-vec",
        scenario: Scenario::SteadySpawn,
        settings: "Doubling (default; Recursive pushes alike)",
        packages: &["orx-split-vec"],
        family: Family::Peer,
        headline: true,
        limit: false,
        colour: (0x00, 0x9E, 0x73),
        allocator: Allocator::System,
        pages: Pages::Small,
        run: |job| measure(job, SplitVec::<Entity, Doubling>::with_doubling_growth()),
    },
    Container {
        id: "split-vec-linear",
        name: "orx-split-vec, linear",
        scenario: Scenario::SteadySpawn,
        settings: "Linear, fragments of 4 MiB",
        packages: &["orx-split-vec"],
        family: Family::Peer,
        headline: false,
        limit: false,
        colour: (0x99, 0x99, 0x33),
        allocator: Allocator::System,
        pages: Pages::Small,
        run: |job| measure(job, SplitVec::<Entity, Linear>::with_linear_growth(FRAGMENT_EXPONENT)),
    },
    Container {
        id: "vmvec",
        name: "VmVec",
        scenario: Scenario::SteadySpawn,
        settings: "new()",
        packages: &["stayput"],
        family: Family::Stayput,
        headline: true,
        limit: false,
        colour: (0x00, 0x72, 0xB2),
        allocator: Allocator::System,
        pages: Pages::Huge,
        run: |job| measure(job, VmVec::new()),
    },
    Container {
        id: "vmvec-huge",
        name: "VmVec, huge pages",
        scenario: Scenario::SteadySpawn,
        settings: "HugePages::Always",
        packages: &["stayput"],
        family: Family::Stayput,
        headline: false,
        limit: false,
        colour: (0x44, 0xAA, 0x99),
        allocator: Allocator::System,
        pages: Pages::Huge,
        run: |job| measure(job, with_huge_pages(HugePages::Always)),
    },
    Container {
        id: "vmvec-small",
        name: "VmVec, small pages",
        scenario: Scenario::SteadySpawn,
        settings: "HugePages::Never",
        packages: &["stayput"],
        family: Family::Stayput,
        headline: false,
        limit: false,
        colour: (0xAA, 0x44, 0x99),
        allocator: Allocator::System,
        pages: Pages::Small,
        run: |job| measure(job, with_huge_pages(HugePages::Never)),
    },
    Container {
        id: "vmvec-max-len",
        name: "VmVec::with_max_len",
        scenario: Scenario::SteadySpawn,
        settings: "with_max_len(all)",
        packages: &["stayput"],
        family: Family::Stayput,
        headline: false,
        limit: false,
        colour: (0xDD, 0xAA, 0x33),
        allocator: Allocator::System,
        pages: Pages::Huge,
        run: |job| measure(job, VmVec::with_max_len(job.total())),
    },
    Container {
        id: "vmvec-idle",
        name: "VmVec, idle prefault",
        scenario: Scenario::SteadySpawn,
        settings: "new(), prefault(a frame's worth) in the idle time before each frame",
        packages: &["stayput"],
        family: Family::Stayput,
        headline: true,
        limit: false,
        colour: (0x22, 0x22, 0x22),
        allocator: Allocator::System,
        pages: Pages::Huge,
        run: |job| measure(job, Idle(VmVec::new())),
    },
    Container {
        id: "vmvec-warm",
        name: "VmVec, warm",
        scenario: Scenario::SteadySpawn,
        settings: "new(), prefault(all) beforehand",
        packages: &["stayput"],
        family: Family::Stayput,
        headline: false,
        limit: false,
        colour: (0xB8, 0x5C, 0x6B),
        allocator: Allocator::System,
        pages: Pages::Huge,
        run: |job| measure(job, warm_vmvec(job.total())),
    },
];

fn warm_vec(total: usize) -> Vec<Entity> {
    let mut vec = vec![Entity::spawn(1); total];
    black_box(&mut vec).clear();
    vec
}

fn with_huge_pages(policy: HugePages) -> VmVec<Entity> {
    VmVec::builder().huge_pages(policy).build()
}

fn warm_vmvec(total: usize) -> VmVec<Entity> {
    let mut vec = VmVec::new();
    vec.prefault(total);
    vec
}

/// A [`VmVec`] that its owner prepares for the next frame.
struct Idle(VmVec<Entity>);

impl Spawner for Vec<Entity> {
    #[inline]
    fn push(&mut self, entity: Entity) {
        self.push(entity);
    }

    fn sum(&self) -> u64 {
        entity::sum(self)
    }
}

impl Spawner for virtual_buffer::vec::Vec<Entity> {
    #[inline]
    fn push(&mut self, entity: Entity) {
        self.push(entity);
    }

    fn sum(&self) -> u64 {
        entity::sum(self.as_slice())
    }
}

impl Spawner for boxcar::Vec<Entity> {
    #[inline]
    fn push(&mut self, entity: Entity) {
        Self::push(self, entity);
    }

    fn sum(&self) -> u64 {
        entity::sum(self.iter().map(|(_, entity)| entity))
    }
}

impl<G: Growth> Spawner for SplitVec<Entity, G> {
    #[inline]
    fn push(&mut self, entity: Entity) {
        PinnedVec::push(self, entity);
    }

    fn sum(&self) -> u64 {
        entity::sum(self.iter())
    }
}

impl Spawner for VmVec<Entity> {
    #[inline]
    fn push(&mut self, entity: Entity) {
        self.push(entity);
    }

    fn sum(&self) -> u64 {
        entity::sum(self)
    }
}

impl Spawner for Idle {
    #[inline]
    fn push(&mut self, entity: Entity) {
        self.0.push(entity);
    }

    fn prepare(&mut self, upcoming: usize) {
        self.0.prefault(upcoming);
    }

    fn sum(&self) -> u64 {
        entity::sum(&self.0)
    }
}
