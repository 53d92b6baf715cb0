//! Arrays to which threads append, each with the settings that its users would choose for a large one.

use append_only_vec::AppendOnlyVec;
use bench_common::memory::resident;
use orx_concurrent_vec::ConcurrentVec;
use parking_lot::Mutex;
use stayput::{CommitAhead, HugePages, Release, SharedVec, SharedVecBuilder};

use super::{Container, GLIBC};
use crate::entity::Entity;
use crate::scenario::workers::measure;
use crate::scenario::{Handling, Scenario};

const WORKERS: &[Scenario] = &[Scenario::Workers];

/// What the docs advise for a loop of frames.
const RECOMMENDED: SharedVecBuilder<Entity> =
    SharedVec::builder().commit_ahead(CommitAhead::Auto).release(Release::Background);

/// By the allocator that it is on.
const SYSTEM: &str = if GLIBC { "Mutex<Vec> (glibc)" } else { "Mutex<Vec> (system)" };

/// In the order of the report. The limit is the same array as the one that is to keep up with it: it
/// takes no lock, does not grow, and takes no page fault. A `Mutex<Vec>` has its lock to wait for, warm or not.
pub(super) const ALL: &[Container] = &[
    Container::std(
        &["parking_lot"],
        ["mutex-vec", SYSTEM, "parking_lot's Mutex, Vec::new()"],
        |job| measure(job, Handling::new(|_| Mutex::new(Vec::new()))),
    )
    .headline(WORKERS, 0x00_80_60),
    Container::std(
        &["parking_lot", "mimalloc"],
        [
            "mutex-vec-mimalloc",
            "Mutex<Vec> (mimalloc)",
            "parking_lot's Mutex, Vec::new(), mimalloc as the global allocator",
        ],
        |job| measure(job, Handling::new(|_| Mutex::new(Vec::new()))),
    )
    .on_mimalloc()
    .headline(WORKERS, 0xD5_5E_00),
    Container::std(&[], ["std-mutex-vec", "std's Mutex<Vec>", "std's Mutex, Vec::new()"], |job| {
        measure(job, Handling::new(|_| std::sync::Mutex::new(Vec::new())))
    })
    .shown(WORKERS, 0x99_66_CC),
    Container::std(
        &["parking_lot"],
        [
            "mutex-vec-warm",
            "Mutex<Vec>, warm",
            "parking_lot's Mutex, Vec::with_capacity(all), every page touched beforehand",
        ],
        |job| measure(job, Handling::new(|most| Mutex::new(resident(most, Entity::spawn(1))))),
    )
    .shown(WORKERS, 0xDD_AA_33),
    Container::peer(&["boxcar"], ["shared-boxcar", "boxcar", "Vec::new()"], |job| {
        measure(job, Handling::new(|_| boxcar::Vec::new()))
    })
    .headline(WORKERS, 0x56_B4_E9),
    Container::peer(
        &["append-only-vec"],
        ["append-only-vec", "append-only-vec", "AppendOnlyVec::new()"],
        |job| measure(job, Handling::new(|_| AppendOnlyVec::new())),
    )
    .shown(WORKERS, 0xCC_79_A7),
    Container::peer(
        &["orx-concurrent-vec"],
        [
            "orx-concurrent-vec",
            "orx-concurrent-vec",
            "ConcurrentVec::new(), growth by doubling (default)",
        ],
        |job| measure(job, Handling::new(|_| ConcurrentVec::new())),
    )
    .shown(WORKERS, 0x00_9E_73),
    Container::stayput(
        ["shared-warm", "SharedVec, warm", "new(), prefault(all) beforehand: the limit"],
        |job| measure(job, Handling::new(warm)),
    )
    .limit(WORKERS, 0x88_88_88),
    Container::stayput(["shared", "SharedVec", "new()"], |job| {
        measure(job, Handling::new(|_| SharedVec::new()))
    })
    .headline(WORKERS, 0x00_72_B2),
    Container::stayput(["shared-small", "SharedVec, small pages", "HugePages::Never"], |job| {
        let make = |_| SharedVec::builder().huge_pages(HugePages::Never).build();
        measure(job, Handling::new(make))
    })
    .small_pages()
    .shown(WORKERS, 0xAA_44_99),
    Container::stayput(
        [
            "shared-ahead-small",
            "SharedVec, ahead, small pages",
            "CommitAhead::Auto, Release::Background, HugePages::Never",
        ],
        |job| measure(job, ahead(|_| RECOMMENDED.huge_pages(HugePages::Never).build())),
    )
    .small_pages()
    .shown(WORKERS, 0x99_55_CC),
    Container::stayput(
        ["shared-ahead", "SharedVec, ahead", "CommitAhead::Auto, Release::Background"],
        |job| measure(job, ahead(|_| RECOMMENDED.build())),
    )
    .headline(WORKERS, 0x22_22_22),
];

fn ahead(make: fn(usize) -> SharedVec<Entity>) -> Handling<SharedVec<Entity>> {
    Handling::new(make).served(|array| array.stats().late)
}

fn warm(most: usize) -> SharedVec<Entity> {
    let array = SharedVec::new();
    array.prefault(most);
    array
}
