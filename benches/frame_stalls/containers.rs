//! The containers under test, each with the settings that its users would choose for a large,
//! growing array.

use std::hint::black_box;

use orx_split_vec::{Collection, Doubling, Growth, Linear, PinnedVec, SplitVec};
use stayput::{HugePages, VmVec};

use crate::alloc::Allocator;
use crate::child::{Job, Outcome};
use crate::entity::{self, Entity};
use crate::scenario::measure;

/// What the frame loop needs of a container. The loop is compiled once for each implementation.
pub(crate) trait Spawner {
    fn push(&mut self, entity: Entity);

    /// Called in the idle time before each frame, for containers that can prepare for it.
    fn prepare(&mut self, _upcoming: usize) {}

    /// [`entity::sum`] over everything pushed.
    fn sum(&self) -> u64;
}

/// Whose container it is; the plots show each family in a panel of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    Std,
    Peer,
    Stayput,
}

/// The pages that a container asks the system for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pages {
    Small,
    Huge,
}

/// A container with its settings, and how to measure it.
#[derive(Debug)]
pub(crate) struct Container {
    /// For the command line.
    pub(crate) id: &'static str,
    /// For people.
    pub(crate) name: &'static str,
    pub(crate) settings: &'static str,
    /// The packages whose versions the report names; none for std alone.
    pub(crate) packages: &'static [&'static str],
    pub(crate) family: Family,
    /// One of the few that the stand-alone plots show.
    pub(crate) headline: bool,
    pub(crate) colour: (u8, u8, u8),
    pub(crate) allocator: Allocator,
    pub(crate) pages: Pages,
    pub(crate) run: fn(&Job) -> Outcome,
}

/// The container of that id.
pub(crate) fn find(id: &str) -> Option<&'static Container> {
    ALL.iter().find(|container| container.id == id)
}

/// The limit: memory that is there and resident before the first frame. Panels repeat it.
pub(crate) const WARM: &str = "vec-warm";

/// 2^16 entities: fragments of 4 MiB.
const FRAGMENT_EXPONENT: usize = 16;

/// In the order of the report. The headline colours are Okabe and Ito's, which colour-blind
/// readers can tell apart; the others need only differ within a family.
pub(crate) const ALL: &[Container] = &[
    Container {
        id: "vec",
        name: "Vec",
        settings: "new()",
        packages: &[],
        family: Family::Std,
        headline: true,
        colour: (0xE6, 0x9F, 0x00),
        allocator: Allocator::System,
        pages: Pages::Small,
        run: |job| measure(job, Vec::new()),
    },
    Container {
        id: "vec-mimalloc",
        name: "Vec (mimalloc)",
        settings: "new(), mimalloc as the global allocator",
        packages: &["mimalloc"],
        family: Family::Std,
        headline: true,
        colour: (0xD5, 0x5E, 0x00),
        allocator: Allocator::Mimalloc,
        pages: Pages::Huge,
        run: |job| measure(job, Vec::new()),
    },
    Container {
        id: "vec-capacity",
        name: "Vec::with_capacity",
        settings: "with_capacity(all), untouched",
        packages: &[],
        family: Family::Std,
        headline: false,
        colour: (0x99, 0x66, 0xCC),
        allocator: Allocator::System,
        pages: Pages::Small,
        run: |job| measure(job, Vec::with_capacity(job.total())),
    },
    Container {
        id: WARM,
        name: "Vec::with_capacity, warm",
        settings: "with_capacity(all), every page touched beforehand: the limit",
        packages: &[],
        family: Family::Std,
        headline: true,
        colour: (0x88, 0x88, 0x88),
        allocator: Allocator::System,
        pages: Pages::Small,
        run: |job| measure(job, warm_vec(job.total())),
    },
    Container {
        id: "virtual-buffer",
        name: "virtual-buffer",
        settings: "vec::Vec::new(all), growth by doubling (default)",
        packages: &["virtual-buffer"],
        family: Family::Peer,
        headline: true,
        colour: (0xCC, 0x79, 0xA7),
        allocator: Allocator::System,
        pages: Pages::Small,
        run: |job| measure(job, virtual_buffer::vec::Vec::new(job.total())),
    },
    Container {
        id: "boxcar",
        name: "boxcar",
        settings: "Vec::new()",
        packages: &["boxcar"],
        family: Family::Peer,
        headline: true,
        colour: (0x56, 0xB4, 0xE9),
        allocator: Allocator::System,
        pages: Pages::Small,
        run: |job| measure(job, boxcar::Vec::new()),
    },
    Container {
        id: "split-vec",
        name: "orx-split-vec",
        settings: "Doubling (default; Recursive pushes alike)",
        packages: &["orx-split-vec"],
        family: Family::Peer,
        headline: true,
        colour: (0x00, 0x9E, 0x73),
        allocator: Allocator::System,
        pages: Pages::Small,
        run: |job| measure(job, SplitVec::<Entity, Doubling>::with_doubling_growth()),
    },
    Container {
        id: "split-vec-linear",
        name: "orx-split-vec, linear",
        settings: "Linear, fragments of 4 MiB",
        packages: &["orx-split-vec"],
        family: Family::Peer,
        headline: false,
        colour: (0x99, 0x99, 0x33),
        allocator: Allocator::System,
        pages: Pages::Small,
        run: |job| measure(job, SplitVec::<Entity, Linear>::with_linear_growth(FRAGMENT_EXPONENT)),
    },
    Container {
        id: "vmvec",
        name: "VmVec",
        settings: "new()",
        packages: &["stayput"],
        family: Family::Stayput,
        headline: true,
        colour: (0x00, 0x72, 0xB2),
        allocator: Allocator::System,
        pages: Pages::Huge,
        run: |job| measure(job, VmVec::new()),
    },
    Container {
        id: "vmvec-huge",
        name: "VmVec, huge pages",
        settings: "HugePages::Always",
        packages: &["stayput"],
        family: Family::Stayput,
        headline: false,
        colour: (0x44, 0xAA, 0x99),
        allocator: Allocator::System,
        pages: Pages::Huge,
        run: |job| measure(job, with_huge_pages(HugePages::Always)),
    },
    Container {
        id: "vmvec-small",
        name: "VmVec, small pages",
        settings: "HugePages::Never",
        packages: &["stayput"],
        family: Family::Stayput,
        headline: false,
        colour: (0xAA, 0x44, 0x99),
        allocator: Allocator::System,
        pages: Pages::Small,
        run: |job| measure(job, with_huge_pages(HugePages::Never)),
    },
    Container {
        id: "vmvec-max-len",
        name: "VmVec::with_max_len",
        settings: "with_max_len(all)",
        packages: &["stayput"],
        family: Family::Stayput,
        headline: false,
        colour: (0xDD, 0xAA, 0x33),
        allocator: Allocator::System,
        pages: Pages::Huge,
        run: |job| measure(job, VmVec::with_max_len(job.total())),
    },
    Container {
        id: "vmvec-idle",
        name: "VmVec, idle prefault",
        settings: "new(), prefault(a frame's worth) in the idle time before each frame",
        packages: &["stayput"],
        family: Family::Stayput,
        headline: true,
        colour: (0x22, 0x22, 0x22),
        allocator: Allocator::System,
        pages: Pages::Huge,
        run: |job| measure(job, Idle(VmVec::new())),
    },
    Container {
        id: "vmvec-warm",
        name: "VmVec, warm",
        settings: "new(), prefault(all) beforehand",
        packages: &["stayput"],
        family: Family::Stayput,
        headline: false,
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
