//! Arrays to which threads append, each with the settings that its users would choose for a large one.

use std::hint::black_box;

use append_only_vec::AppendOnlyVec;
use orx_concurrent_vec::ConcurrentVec;
use parking_lot::Mutex;
use stayput::{CommitAhead, HugePages, Release, SharedVec, SharedVecBuilder};

use super::Container;
use crate::entity::Entity;
use crate::scenario::workers::measure;
use crate::scenario::{Handling, Scenario};

const WORKERS: &[Scenario] = &[Scenario::Workers];

/// What the docs advise for a loop of frames.
const RECOMMENDED: SharedVecBuilder<Entity> =
    SharedVec::builder().commit_ahead(CommitAhead::Auto).release(Release::Background);

/// By the allocator that it is on.
const SYSTEM: &str = if cfg!(all(target_os = "linux", target_env = "gnu")) {
    "Mutex<Vec> (glibc)"
} else {
    "Mutex<Vec> (system)"
};

/// In the order of the report. The limit is the same array as the one that is to keep up with it: it
/// takes no lock, does not grow, and takes no page fault. A `Mutex<Vec>` has its lock to wait for, warm or not.
pub(super) const ALL: &[Container] = &[
    Container::std(
        &["parking_lot"],
        ["mutex-vec", SYSTEM, "parking_lot's Mutex, Vec::new()"],
        |job| measure(job, Handling::new(|_| Mutex::new(Vec::new()))),
    )
    .measured_in(WORKERS)
    .headline()
    .shown(0x00, 0x80, 0x60),
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
    .measured_in(WORKERS)
    .headline()
    .shown(0xD5, 0x5E, 0x00),
    Container::std(&[], ["std-mutex-vec", "std's Mutex<Vec>", "std's Mutex, Vec::new()"], |job| {
        measure(job, Handling::new(|_| std::sync::Mutex::new(Vec::new())))
    })
    .measured_in(WORKERS)
    .shown(0x99, 0x66, 0xCC),
    Container::std(
        &["parking_lot"],
        [
            "mutex-vec-warm",
            "Mutex<Vec>, warm",
            "parking_lot's Mutex, Vec::with_capacity(all), every page touched beforehand",
        ],
        |job| measure(job, Handling::new(|most| Mutex::new(warm_vec(most)))),
    )
    .measured_in(WORKERS)
    .shown(0xDD, 0xAA, 0x33),
    Container::peer(&["boxcar"], ["shared-boxcar", "boxcar", "Vec::new()"], |job| {
        measure(job, Handling::new(|_| boxcar::Vec::new()))
    })
    .measured_in(WORKERS)
    .headline()
    .shown(0x56, 0xB4, 0xE9),
    Container::peer(
        &["append-only-vec"],
        ["append-only-vec", "append-only-vec", "AppendOnlyVec::new()"],
        |job| measure(job, Handling::new(|_| AppendOnlyVec::new())),
    )
    .measured_in(WORKERS)
    .shown(0xCC, 0x79, 0xA7),
    Container::peer(
        &["orx-concurrent-vec"],
        [
            "orx-concurrent-vec",
            "orx-concurrent-vec",
            "ConcurrentVec::new(), growth by doubling (default)",
        ],
        |job| measure(job, Handling::new(|_| ConcurrentVec::new())),
    )
    .measured_in(WORKERS)
    .shown(0x00, 0x9E, 0x73),
    Container::stayput(
        ["shared-warm", "SharedVec, warm", "new(), prefault(all) beforehand: the limit"],
        |job| measure(job, Handling::new(warm)),
    )
    .measured_in(WORKERS)
    .limit()
    .shown(0x88, 0x88, 0x88),
    Container::stayput(["shared", "SharedVec", "new()"], |job| {
        measure(job, Handling::new(|_| SharedVec::new()))
    })
    .measured_in(WORKERS)
    .headline()
    .shown(0x00, 0x72, 0xB2),
    Container::stayput(["shared-small", "SharedVec, small pages", "HugePages::Never"], |job| {
        let make = |_| SharedVec::builder().huge_pages(HugePages::Never).build();
        measure(job, Handling::new(make))
    })
    .small_pages()
    .measured_in(WORKERS)
    .shown(0xAA, 0x44, 0x99),
    Container::stayput(
        [
            "shared-ahead-small",
            "SharedVec, ahead, small pages",
            "CommitAhead::Auto, Release::Background, HugePages::Never",
        ],
        |job| measure(job, ahead(|_| RECOMMENDED.huge_pages(HugePages::Never).build())),
    )
    .small_pages()
    .measured_in(WORKERS)
    .shown(0x99, 0x55, 0xCC),
    Container::stayput(
        ["shared-ahead", "SharedVec, ahead", "CommitAhead::Auto, Release::Background"],
        |job| measure(job, ahead(|_| RECOMMENDED.build())),
    )
    .measured_in(WORKERS)
    .headline()
    .shown(0x22, 0x22, 0x22),
];

fn ahead(make: fn(usize) -> SharedVec<Entity>) -> Handling<SharedVec<Entity>> {
    Handling::new(make).served(|array| array.stats().late)
}

fn warm_vec(most: usize) -> Vec<Entity> {
    let mut vec = vec![Entity::spawn(1); most];
    black_box(&mut vec).clear();
    vec
}

fn warm(most: usize) -> SharedVec<Entity> {
    let array = SharedVec::new();
    array.prefault(most);
    array
}
