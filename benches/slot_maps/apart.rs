//! Measurements of dense maps alone: the longest insertion while one grows, and incremental sorting.

use std::hint::black_box;
use std::process::Command;
use std::time::{Duration, Instant};

use bench_common::compare::Case as _;
use bench_common::jobs::{Job, rounds_of};
use bench_common::random::Random;
use bench_common::spread::{Spread, millis, nanoseconds};
use bench_common::table::{table, words};
use bench_common::{allocator, harness, memory};
use serde::{Deserialize, Serialize};
use stayput::{Budget, CommitAhead, DefaultKey, DenseSlotMap};

use crate::MIMALLOC;
use crate::case::Case;
use crate::map::Map;
use crate::peers::Dense;
use crate::stayput_maps::{Packed, Plain};

type Value = [u64; 7];

/// The number of values inserted into an empty map.
const GROWN: usize = 1 << 23;
/// The number of values that are sorted.
const SHUFFLED: u32 = 1_000_000;
const SWAPS: usize = 1000;
const ROUNDS: usize = 3;

/// A map that grows, or one that is sorted.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) enum Part {
    GrowSlotMap,
    GrowDense,
    GrowDenseAhead,
    GrowSlotmapDense,
    /// Under mimalloc, which copies a block that it enlarges; glibc has the kernel move it.
    GrowSlotmapDenseCopied,
    Defragment,
}

/// In nanoseconds.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Outcome {
    longest: u64,
    median: u64,
    total: u64,
    calls: usize,
}

impl Job for Part {
    type Outcome = Outcome;

    fn run(&self) -> harness::Result<Outcome> {
        Ok(match self {
            Self::GrowSlotMap => grow(Plain::<Value>::empty()),
            Self::GrowDense => grow(Packed::<Value>::empty()),
            Self::GrowDenseAhead => {
                grow(Packed::<Value>::builder().commit_ahead(CommitAhead::Auto).build())
            }
            Self::GrowSlotmapDense | Self::GrowSlotmapDenseCopied => grow(Dense::<Value>::empty()),
            Self::Defragment => defragment(),
        })
    }

    fn set_up(&self, child: &mut Command) {
        if matches!(self, Self::GrowSlotmapDenseCopied) {
            allocator::set_for(child, MIMALLOC);
        }
    }
}

/// Times each insertion, from one reading of the clock to the next.
fn grow<M: Map<Value = Value>>(mut map: M) -> Outcome {
    let (start, mut longest) = (Instant::now(), Duration::ZERO);
    let mut before = start;
    for number in 0..GROWN as u64 {
        black_box(map.insert([number; 7]));
        let after = Instant::now();
        longest = longest.max(after - before);
        before = after;
    }
    Outcome {
        longest: nanoseconds(longest),
        total: nanoseconds(before - start),
        ..Outcome::default()
    }
}

fn defragment() -> Outcome {
    let mut random = Random::new(1);
    let mut map: DenseSlotMap<DefaultKey, Value> = DenseSlotMap::new();
    for _ in 0..SHUFFLED {
        map.insert([random.below(1 << 62) as u64; 7]);
    }
    let mut times = Vec::new();
    let mut is_done = false;
    while !is_done {
        let start = Instant::now();
        is_done = map.defragment_by(|a, b| a[0].cmp(&b[0]), Budget::swaps(SWAPS));
        times.push(nanoseconds(start.elapsed()));
    }
    assert!(map.as_slice().is_sorted_by_key(|value| value[0]), "the values are sorted");
    let total = times.iter().sum();
    times.sort_unstable();
    let (median, longest) = (times[times.len() / 2], times[times.len() - 1]);
    Outcome { longest, median, total, calls: times.len() }
}

/// Measures everything, interleaved, and returns Markdown tables.
pub(crate) fn report() -> harness::Result<String> {
    let grown = rounds_of(
        GROWN_MAPS,
        ROUNDS,
        |(name, _)| (*name).to_owned(),
        |(_, part)| {
            memory::touch(Case { value_bytes: 56, slots: GROWN }.bytes())?;
            part.outcome()
        },
    )?;
    let rows = grown.iter().map(|row| {
        // The median, and the range.
        let of_rounds = |figure: fn(&Outcome) -> u64| {
            let Spread { median, min, max, .. } = row.spread(|found| millis(figure(found)));
            format!("{median:.2} ({min:.2}–{max:.2})")
        };
        let name = row.of.0.to_owned();
        vec![name, of_rounds(|found| found.longest), of_rounds(|found| found.total)]
    });
    let header = words(["8 M insertions of 56 bytes", "longest, ms", "in all, ms"]);
    let growth = table(1, header, rows.collect());

    let Outcome { longest, median, total, calls } = Part::Defragment.outcome()?;
    let header =
        words(["a million in random order", "calls", "median, ms", "longest, ms", "in all, ms"]);
    let words = [format!("defragment_by, {SWAPS} swaps a call"), calls.to_string()];
    let times = [median, longest, total].map(|time| format!("{:.2}", millis(time)));
    Ok(format!("{growth}\n\n{}", table(1, header, vec![[&words[..], &times].concat()])))
}

const GROWN_MAPS: [(&str, Part); 5] = [
    ("stayput, SlotMap", Part::GrowSlotMap),
    ("stayput, DenseSlotMap", Part::GrowDense),
    ("stayput, DenseSlotMap, ahead", Part::GrowDenseAhead),
    ("slotmap, DenseSlotMap, glibc", Part::GrowSlotmapDense),
    ("slotmap, DenseSlotMap, mimalloc", Part::GrowSlotmapDenseCopied),
];
