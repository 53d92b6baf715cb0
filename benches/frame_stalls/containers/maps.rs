//! Slot maps, each with the settings that its users would choose for one that grows large.

use std::time::Duration;

use stayput::{
    Budget, CommitAhead, DefaultKey, DenseSlotMap, DenseSlotMapBuilder, HugePages, SecondaryMap,
    SlotMap, SlotMapBuilder,
};

use super::{Container, worlds};
use crate::child::{Job, Outcome};
use crate::entity::Entity;
use crate::scenario::Handling;
use crate::scenario::Scenario::{self, Churn, Ecs};
use crate::scenario::churn::{self, ChurnMap};
use crate::scenario::ecs::{self, World};

const CHURN: &[Scenario] = &[Churn];
const EVERYWHERE: &[Scenario] = &[Churn, Ecs];

/// In the order of the report. The limit neither grows nor stores generations.
pub(super) const ALL: &[Container] = &[
    Container::peer(&["slotmap"], ["slotmap", "slotmap", "SlotMap::new()"], |job| {
        either(job, Handling::new(|_| slotmap::SlotMap::new()), plain::<worlds::Slotmap>())
    })
    .headline(EVERYWHERE, 0x00_80_60),
    Container::peer(
        &["slotmap", "mimalloc"],
        [
            "slotmap-mimalloc",
            "slotmap (mimalloc)",
            "SlotMap::new(), mimalloc as the global allocator",
        ],
        |job| either(job, Handling::new(|_| slotmap::SlotMap::new()), plain::<worlds::Slotmap>()),
    )
    .on_mimalloc()
    .headline(EVERYWHERE, 0xD5_5E_00),
    Container::peer(
        &["slotmap"],
        ["slotmap-dense", "slotmap, Dense", "DenseSlotMap::new()"],
        |job| {
            either(
                job,
                Handling::new(|_| slotmap::DenseSlotMap::new()),
                plain::<worlds::SlotmapDense>(),
            )
        },
    )
    .shown(EVERYWHERE, 0xCC_79_A7),
    Container::peer(
        &["slotmap", "mimalloc"],
        [
            "slotmap-dense-mimalloc",
            "slotmap, Dense (mimalloc)",
            "DenseSlotMap::new(), mimalloc as the global allocator",
        ],
        |job| churn::measure(job, Handling::new(|_| slotmap::DenseSlotMap::new())),
    )
    .on_mimalloc()
    .shown(CHURN, 0xAA_33_77),
    Container::peer(&["thunderdome"], ["thunderdome", "thunderdome", "Arena::new()"], |job| {
        either(job, Handling::new(|_| thunderdome::Arena::new()), plain::<worlds::Thunderdome>())
    })
    .shown(EVERYWHERE, 0x56_B4_E9),
    Container::peer(
        &["generational-arena"],
        ["generational-arena", "generational-arena", "Arena::new()"],
        |job| {
            either(
                job,
                Handling::new(|_| generational_arena::Arena::new()),
                plain::<worlds::Generational>(),
            )
        },
    )
    .shown(EVERYWHERE, 0xE6_9F_00),
    Container::peer(&["slab"], ["slab", "slab", "Slab::new(); no generations"], |job| {
        churn::measure(job, Handling::new(|_| slab::Slab::new()))
    })
    .shown(CHURN, 0x99_99_33),
    Container::peer(
        &["slab"],
        [
            "slab-warm",
            "slab, warm",
            "Slab::with_capacity(most), every page touched beforehand: the limit",
        ],
        |job| churn::measure(job, Handling::new(warm_slab)),
    )
    .limit(CHURN, 0x88_88_88),
    Container::stayput(["slot-map", "stayput", "SlotMap::new()"], |job| {
        either(job, Handling::new(|_| SlotMap::new()), plain::<worlds::Stayput>())
    })
    .headline(EVERYWHERE, 0x00_72_B2),
    Container::stayput(["slot-map-ahead", "stayput, ahead", "SlotMap, CommitAhead::Auto"], |job| {
        either(job, ahead(|_| AHEAD.build()), world_ahead())
    })
    .headline(EVERYWHERE, 0x22_22_22),
    Container::stayput(["dense-slot-map", "stayput, Dense", "DenseSlotMap::new()"], |job| {
        churn::measure(job, Handling::new(|_| DenseSlotMap::new()))
    })
    .shown(CHURN, 0x66_AA_99),
    Container::stayput(
        ["dense-slot-map-ahead", "stayput, Dense, ahead", "DenseSlotMap, CommitAhead::Auto"],
        |job| {
            let map = Handling::new(|_| DENSE_AHEAD.build()).served(|map: &Dense| map.stats().late);
            churn::measure(job, map)
        },
    )
    .shown(CHURN, 0x11_77_33),
    Container::stayput(
        [
            "slot-map-ahead-small",
            "stayput, ahead, small pages",
            "SlotMap, CommitAhead::Auto, HugePages::Never",
        ],
        |job| churn::measure(job, ahead(|_| AHEAD.huge_pages(HugePages::Never).build())),
    )
    .small_pages()
    .shown(CHURN, 0x99_55_CC),
    Container::stayput(
        ["slot-map-small", "stayput, small pages", "SlotMap, HugePages::Never"],
        |job| either(job, Handling::new(|_| small_pages()), Handling::new(|_| small_pages_world())),
    )
    .small_pages()
    .shown(EVERYWHERE, 0xAA_44_99),
    Container::stayput(
        [
            "slot-map-idle",
            "stayput, idle prefault",
            "SlotMap::new(), prefault(a frame's growth) in the idle time before each frame",
        ],
        |job| churn::measure(job, Handling::new(|_| SlotMap::new()).preparing(SlotMap::prefault)),
    )
    .shown(CHURN, 0x99_99_33),
    Container::stayput(
        [
            "slot-map-idle-ahead",
            "stayput, idle prefault_ahead",
            "SlotMap::new(), prefault_ahead(up to 1 ms) in the idle time before each frame",
        ],
        |job| churn::measure(job, Handling::new(|_| SlotMap::new()).preparing(prefault_ahead)),
    )
    .shown(CHURN, 0xDD_77_66),
    Container::stayput(
        ["slot-map-warm", "stayput, warm", "SlotMap::new(), prefault(most) beforehand"],
        |job| churn::measure(job, Handling::new(warm)),
    )
    .shown(CHURN, 0xB8_5C_6B),
];

/// Measures the churn of a map, or the ECS loop of a map with a column.
fn either<K: ChurnMap, W: World>(job: &Job, map: Handling<K>, world: Handling<W>) -> Outcome {
    match job.scenario {
        Ecs => ecs::measure(job, world),
        _ => churn::measure(job, map),
    }
}

/// A map and a column with default settings.
fn plain<W: World + Default>() -> Handling<W> {
    Handling::new(|_| W::default())
}

type Stayput = SlotMap<DefaultKey, Entity>;
type Dense = DenseSlotMap<DefaultKey, Entity>;

const DENSE_AHEAD: DenseSlotMapBuilder<DefaultKey, Entity> =
    DenseSlotMap::builder().commit_ahead(CommitAhead::Auto);

const AHEAD: SlotMapBuilder<DefaultKey, Entity> =
    SlotMap::builder().commit_ahead(CommitAhead::Auto);

fn ahead(make: fn(usize) -> Stayput) -> Handling<Stayput> {
    Handling::new(make).served(|map| map.stats().late)
}

fn world_ahead() -> Handling<worlds::Stayput> {
    let make = |_| worlds::Stayput {
        entities: AHEAD.build(),
        velocities: SecondaryMap::builder().commit_ahead(CommitAhead::Auto).build(),
    };
    Handling::new(make).served(|world| world.entities.stats().late + world.velocities.stats().late)
}

fn small_pages_world() -> worlds::Stayput {
    worlds::Stayput {
        entities: small_pages(),
        velocities: SecondaryMap::builder().huge_pages(HugePages::Never).build(),
    }
}

fn prefault_ahead(map: &mut Stayput, _: usize) {
    map.prefault_ahead(Budget::time(Duration::from_millis(1)));
}

fn small_pages() -> Stayput {
    SlotMap::builder().huge_pages(HugePages::Never).build()
}

fn warm(most: usize) -> Stayput {
    let mut map = SlotMap::new();
    map.prefault(most);
    map
}

fn warm_slab(most: usize) -> slab::Slab<Entity> {
    let mut slab = slab::Slab::with_capacity(most);
    for index in 0..most as u64 {
        slab.insert(Entity::spawn(index));
    }
    slab.clear();
    slab
}
