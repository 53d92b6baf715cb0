//! Growing arrays, each with the settings that its users would choose for a large one.

use std::time::Duration;

use bench_common::memory::resident;
use orx_split_vec::{Doubling, Linear, SplitVec};
use stayput::columns::Columns;
use stayput::{BlockVec, Blocks, Budget, CommitAhead, HugePages, Release, VecBuilder, VmVec};

use super::{Container, GLIBC};
use crate::entity::Entity;
use crate::scenario::Handling;
use crate::scenario::Scenario::{self, Beside, Burst, Level, Many, Steady};
use crate::scenario::spawn::measure;

/// Fragments of 4 MiB: 2^16 entities.
const FRAGMENT_EXPONENT: usize = 16;

/// Named after its allocator.
const SYSTEM_VEC: &str = if GLIBC { "Vec (glibc)" } else { "Vec (system)" };

/// The scenarios of the containers that every comparison needs.
const EVERYWHERE: &[Scenario] = &[Steady, Burst, Many, Beside, Level];

/// The settings that the docs recommend for a loop of frames.
const RECOMMENDED: VecBuilder<Entity> =
    VmVec::builder().commit_ahead(CommitAhead::Auto).release(Release::Background);

/// In the order of the report. The limit is memory that is resident before the first frame, and that a level
/// leaves to the next.
pub(super) const ALL: &[Container] = &[
    Container::std(&[], ["vec", SYSTEM_VEC, "new()"], |job| measure(job, Handling::new(|_| Vec::new())))
        .headline(EVERYWHERE, 0x00_80_60),
    Container::std(
        &["mimalloc"],
        ["vec-mimalloc", "Vec (mimalloc)", "new(), mimalloc as the global allocator"],
        |job| measure(job, Handling::new(|_| Vec::new())),
    )
    .on_mimalloc()
    .headline(EVERYWHERE, 0xD5_5E_00),
    Container::std(
        &[],
        ["vec-capacity", "Vec::with_capacity", "with_capacity(all), untouched"],
        |job| measure(job, Handling::new(Vec::with_capacity)),
    )
    .shown(&[Steady, Level], 0x99_66_CC),
    Container::std(
        &[],
        [
            "vec-warm",
            "Vec::with_capacity, warm",
            "with_capacity(all), every page touched beforehand; a level ends with clear(): the limit",
        ],
        |job| measure(job, Handling::new(|most| resident(most, Entity::spawn(1))).emptying(Vec::clear)),
    )
    .limit(EVERYWHERE, 0x88_88_88),
    Container::peer(
        &["virtual-buffer"],
        [
            "virtual-buffer",
            "virtual-buffer",
            "vec::Vec::new(all), growth by doubling (default)",
        ],
        |job| measure(job, Handling::new(virtual_buffer::vec::Vec::new)),
    )
    .shown(EVERYWHERE, 0xCC_79_A7),
    Container::peer(&["boxcar"], ["boxcar", "boxcar", "Vec::new()"], |job| measure(job, Handling::new(|_| boxcar::Vec::new())))
    .shown(EVERYWHERE, 0x56_B4_E9),
    Container::peer(
        &["orx-split-vec"],
        ["split-vec", "orx-split-vec", "Doubling (default; Recursive pushes equally)"],
        |job| {
            measure(job, Handling::new(|_| SplitVec::<_, Doubling>::with_doubling_growth()))
        },
    )
    .shown(EVERYWHERE, 0x00_9E_73),
    Container::peer(
        &["orx-split-vec"],
        ["split-vec-linear", "orx-split-vec, linear", "Linear, fragments of 4 MiB"],
        |job| measure(job, Handling::new(|_| SplitVec::<_, Linear>::with_linear_growth(FRAGMENT_EXPONENT))),
    )
    .shown(EVERYWHERE, 0x99_99_33),
    Container::stayput(["vmvec", "VmVec", "new()"], |job| measure(job, Handling::new(|_| VmVec::new())))
    .headline(EVERYWHERE, 0x00_72_B2),
    Container::stayput(
        ["vmvec-ahead", "VmVec, ahead", "CommitAhead::Auto, Release::Background"],
        |job| measure(job, ahead(|_| RECOMMENDED.build())),
    )
    .headline(EVERYWHERE, 0x22_22_22),
    Container::stayput(
        [
            "vmvec-ahead-small",
            "VmVec, ahead, small pages",
            "CommitAhead::Auto, Release::Background, HugePages::Never",
        ],
        |job| {
            measure(job, ahead(|_| RECOMMENDED.huge_pages(HugePages::Never).build()))
        },
    )
    .small_pages()
    .shown(EVERYWHERE, 0x99_55_CC),
    Container::stayput(
        ["vec-global-vm", "Vec (GlobalVm)", "std's Vec::new(), GlobalVm as the global allocator"],
        |job| measure(job, Handling::new(|_| Vec::new())),
    )
    .on_global_vm()
    .shown(EVERYWHERE, 0x33_88_DD),
    Container::stayput(
        [
            "vmvec-ahead-bytes",
            "VmVec, 8 MiB ahead",
            "CommitAhead::Bytes(8 MiB), Release::Background",
        ],
        |job| measure(job, ahead(|_| RECOMMENDED.commit_ahead(CommitAhead::Bytes(8 << 20)).build())),
    )
    .shown(&[Burst], 0xDD_AA_33),
    Container::stayput(["vmvec-huge", "VmVec, huge pages", "HugePages::Always"], |job| {
        measure(job, Handling::new(|_| with_huge_pages(HugePages::Always)))
    })
    .shown(&[Steady], 0x44_AA_99),
    Container::stayput(["vmvec-small", "VmVec, small pages", "HugePages::Never"], |job| {
        measure(job, Handling::new(|_| with_huge_pages(HugePages::Never)))
    })
    .small_pages()
    .shown(EVERYWHERE, 0xAA_44_99),
    Container::stayput(
        ["columns", "Columns", "new(): an array for each of the seven fields"],
        |job| measure(job, Handling::new(|_| Columns::new())),
    )
    .shown(EVERYWHERE, 0x66_66_00),
    Container::stayput(["block-vec", "BlockVec", "new(): blocks of 16 KiB"], |job| measure(job, Handling::new(|_| BlockVec::new())))
    .small_pages()
    .shown(EVERYWHERE, 0x88_44_00),
    Container::stayput(
        ["block-vec-doubling", "BlockVec, doubling", "Blocks::Doubling, the first of 16 KiB"],
        |job| measure(job, Handling::new(|_| doubling())),
    )
    .small_pages()
    .shown(EVERYWHERE, 0xEE_33_77),
    Container::stayput(["vmvec-max-len", "VmVec::with_max_len", "with_max_len(all)"], |job| {
        measure(job, Handling::new(VmVec::with_max_len))
    })
    .shown(&[Steady], 0xDD_AA_33),
    Container::stayput(
        [
            "vmvec-idle-ahead",
            "VmVec, idle prefault_ahead",
            "new(), prefault_ahead(up to 1 ms) in the idle time before each frame",
        ],
        |job| measure(job, Handling::new(|_| VmVec::new()).preparing(prefault_ahead)),
    )
    .shown(EVERYWHERE, 0xDD_77_66),
    Container::stayput(
        [
            "vmvec-idle",
            "VmVec, idle prefault",
            "new(), prefault(the largest frame's worth) in the idle time before each frame",
        ],
        |job| measure(job, Handling::new(|_| VmVec::new()).preparing(VmVec::prefault)),
    )
    .shown(EVERYWHERE, 0x99_99_33),
    Container::stayput(
        ["vmvec-warm", "VmVec, warm", "new(), prefault(all) beforehand; a level ends with clear()"],
        |job| measure(job, Handling::new(warm_vmvec).emptying(VmVec::clear)),
    )
    .shown(&[Steady, Level], 0xB8_5C_6B),
    Container::stayput(
        ["vmvec-shrink", "VmVec, shrunk", "new(); a level ends with clear() and shrink_to_fit()"],
        |job| measure(job, Handling::new(|_| VmVec::new()).emptying(clear_and_shrink)),
    )
    .shown(&[Level], 0x33_AA_66),
    Container::stayput(["vmvec-release", "VmVec, background release", "Release::Background"], |job| {
        measure(job, Handling::new(|_| VmVec::builder().release(Release::Background).build()))
    })
    .shown(&[Level], 0xDD_AA_33),
    Container::stayput(
        [
            "vmvec-ahead-next",
            "VmVec, ahead, next one made before",
            "CommitAhead::Auto, Release::Background; the next level's is made a frame before the \
             level ends",
        ],
        |job| measure(job, ahead(|_| RECOMMENDED.build()).replacing()),
    )
    .shown(&[Level], 0x55_99_DD),
    Container::stayput(
        ["vmvec-ahead-now", "VmVec, ahead, released at once", "CommitAhead::Auto, Release::Now"],
        |job| measure(job, ahead(|_| RECOMMENDED.release(Release::Now).build())),
    )
    .shown(&[Level], 0x44_AA_99),
];

fn with_huge_pages(policy: HugePages) -> VmVec<Entity> {
    VmVec::builder().huge_pages(policy).build()
}

fn doubling() -> BlockVec<Entity> {
    BlockVec::builder().blocks(Blocks::Doubling { first_bytes: 16 << 10 }).build()
}

fn ahead(make: fn(usize) -> VmVec<Entity>) -> Handling<VmVec<Entity>> {
    Handling::new(make).served(|vec| vec.stats().late)
}

fn prefault_ahead(vec: &mut VmVec<Entity>, _: usize) {
    vec.prefault_ahead(Budget::time(Duration::from_millis(1)));
}

fn warm_vmvec(most: usize) -> VmVec<Entity> {
    let mut vec = VmVec::new();
    vec.prefault(most);
    vec
}

fn clear_and_shrink(vec: &mut VmVec<Entity>) {
    vec.clear();
    vec.shrink_to_fit();
}
