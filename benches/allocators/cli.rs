//! The command line.

use bench_common::harness::Common;
use clap::{Parser, ValueEnum};

use crate::phase::Phase;
use crate::{arena, arrays, beside, growth, large, phase, short_lived, small, soak};

/// Allocators under a whole program: what growing in place saves, and what it costs
#[derive(Debug, Parser)]
#[command(bin_name = "cargo bench --bench allocators --")]
#[command(mut_arg("quick", |arg| arg.help("Fewer cases and repetitions, in about a minute")))]
#[command(mut_arg("repetitions", |arg| arg.help("Number of repetitions [default: 9; with --quick: 3; short-lived, large, arrays: half of that; phase, beside: a third; small: a hundred times that]")))]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) common: Common,

    /// Measure only these parts [default: all but beside and, without --quick, the soak]
    #[arg(long, value_name = "PART", num_args = 1..)]
    only: Vec<Part>,

    /// Minutes of the soak [with --quick: 6 seconds]
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    minutes: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// A `Vec` that grows to 512 MiB
    Growth,
    /// 16 `Vec`s that grow in turns to 32 MiB each
    Interleaved,
    /// `Vec`s and buffers that come and go, of 200 KiB to 1 GiB
    ShortLived,
    /// `Vec`s of 8 to 512 MiB, filled and dropped
    Large,
    /// 24 buffers of 16 and 64 MiB, made, filled and freed, and what stays resident
    Phase,
    /// `VmVec` and `Columns` of 64 to 512 MiB, made, filled and dropped
    Arrays,
    /// The phase, once, while another process holds 80 % of the available memory
    Beside,
    /// Small blocks, which the parent serves
    Small,
    /// Arenas: small values, the last `Vec`, a reset
    Arena,
    /// Eight threads that allocate and free in all ways for minutes
    Soak,
}

/// The selected measurements.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) growth: Option<growth::Extent>,
    pub(crate) interleaved: Option<growth::Extent>,
    pub(crate) short_lived: Option<short_lived::Extent>,
    pub(crate) large: Option<large::Extent>,
    pub(crate) phase: Option<phase::Extent>,
    pub(crate) arrays: Option<arrays::Extent>,
    pub(crate) beside: Option<beside::Extent>,
    pub(crate) small: Option<small::Extent>,
    pub(crate) arena: Option<arena::Extent>,
    pub(crate) soak: Option<soak::Extent>,
}

impl Options {
    pub(crate) fn plan(&self) -> Plan {
        let quick = self.common.quick;
        let wanted = |part| self.only.is_empty() || self.only.contains(&part);
        let repetitions = self.common.repetitions(9, 3);
        Plan {
            growth: wanted(Part::Growth).then_some(growth::Extent {
                arrays: 1,
                bytes: if quick { 128 << 20 } else { 512 << 20 },
                repetitions,
            }),
            interleaved: wanted(Part::Interleaved).then_some(growth::Extent {
                arrays: 16,
                bytes: if quick { 8 << 20 } else { 32 << 20 },
                repetitions,
            }),
            short_lived: wanted(Part::ShortLived)
                .then(|| short_lived::Extent::all(repetitions.div_ceil(2))),
            large: wanted(Part::Large).then(|| large::Extent {
                sizes: self.common.of(large::ALL, large::QUICK),
                repetitions: repetitions.div_ceil(2),
            }),
            phase: wanted(Part::Phase).then(|| phase::Extent {
                phases: self.common.of(phase::ALL, phase::QUICK),
                repetitions: repetitions.div_ceil(3),
            }),
            arrays: wanted(Part::Arrays).then(|| arrays::Extent {
                sizes: self.common.of(arrays::ALL, arrays::QUICK),
                repetitions: repetitions.div_ceil(2),
            }),
            // It takes most of the memory, so it runs only by name.
            beside: self.only.contains(&Part::Beside).then(|| beside::Extent {
                phase: Phase::once(16 << 20),
                most_bytes: usize::MAX,
                repetitions: repetitions.div_ceil(3),
            }),
            small: wanted(Part::Small)
                .then_some(small::Extent { batches: 100 * repetitions, calls: 20_000 }),
            arena: wanted(Part::Arena).then_some(arena::Extent {
                values: 1_000_000,
                reset_bytes: 100 << 20,
                repetitions,
            }),
            // The soak takes minutes, so it runs only by name, or shortly.
            soak: (wanted(Part::Soak) && (quick || !self.only.is_empty())).then_some(
                soak::Extent { seconds: if quick { 6 } else { 60 * self.minutes as usize } },
            ),
        }
    }
}

impl Plan {
    /// Everything once, with small sizes.
    pub(crate) const SMOKE: Self = Self {
        growth: Some(growth::Extent { arrays: 1, bytes: 5 << 20, repetitions: 1 }),
        interleaved: Some(growth::Extent { arrays: 3, bytes: 3 << 20, repetitions: 1 }),
        short_lived: Some(short_lived::Extent::SMOKE),
        large: Some(large::Extent { sizes: large::SMOKE, repetitions: 1 }),
        phase: Some(phase::Extent { phases: phase::SMOKE, repetitions: 1 }),
        arrays: Some(arrays::Extent { sizes: arrays::SMOKE, repetitions: 1 }),
        beside: Some(beside::Extent {
            phase: Phase::once(1 << 20),
            most_bytes: 64 << 20,
            repetitions: 1,
        }),
        small: Some(small::Extent { batches: 2, calls: 10_000 }),
        arena: Some(arena::Extent { values: 1000, reset_bytes: 1 << 20, repetitions: 2 }),
        soak: Some(soak::Extent { seconds: 1 }),
    };
}
