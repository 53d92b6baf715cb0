//! What is measured of the maps that keep values side by side alone: the longest insertion while one grows, and how
//! an order comes by and by.

use std::error::Error;
use std::hint::black_box;
use std::time::{Duration, Instant};

use bench_common::random::Random;
use bench_common::spread::nanoseconds;
use bench_common::table::{table, words};
use bench_common::{allocator, delegate};
use serde::{Deserialize, Serialize};
use stayput::{Budget, CommitAhead, DefaultKey, DenseSlotMap};

use crate::MIMALLOC;
use crate::child::{self, Case, Task};
use crate::map::Map;
use crate::peers::Dense;
use crate::stayput_maps::{Packed, Plain};

type Value = [u64; 7];

/// How many values are inserted, from an empty map on.
const GROWN: usize = 1 << 23;
/// How many are brought into an order, and within how many swaps a frame.
const SHUFFLED: u32 = 1_000_000;
const SWAPS: usize = 1000;
const ROUNDS: usize = 3;

/// A map that grows, or one that is put in order.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) enum Part {
    GrowSlotMap,
    GrowDense,
    GrowDenseAhead,
    GrowSlotmapDense,
    /// Under mimalloc, which copies a block that it makes larger; glibc has the kernel move it.
    GrowSlotmapDenseCopied,
    Defragment,
}

/// In nanoseconds.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Found {
    longest: u64,
    median: u64,
    total: u64,
    calls: usize,
}

/// In a process of its own.
pub(crate) fn perform(part: Part) -> Result<(), Box<dyn Error>> {
    let found = match part {
        Part::GrowSlotMap => grow(Plain::<Value>::empty()),
        Part::GrowDense => grow(Packed::<Value>::empty()),
        Part::GrowDenseAhead => {
            grow(Packed::<Value>::builder().commit_ahead(CommitAhead::Auto).build())
        }
        Part::GrowSlotmapDense | Part::GrowSlotmapDenseCopied => grow(Dense::<Value>::empty()),
        Part::Defragment => defragment(),
    };
    Ok(delegate::answer(&found)?)
}

/// From one reading of the clock to the next.
fn grow<M: Map<Value = Value>>(mut map: M) -> Found {
    let (start, mut longest) = (Instant::now(), Duration::ZERO);
    let mut before = start;
    for number in 0..GROWN as u64 {
        black_box(map.insert([number; 7]));
        let after = Instant::now();
        longest = longest.max(after - before);
        before = after;
    }
    Found { longest: nanoseconds(longest), total: nanoseconds(before - start), ..Found::default() }
}

fn defragment() -> Found {
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
    assert!(map.as_slice().is_sorted_by_key(|value| value[0]), "they are in order");
    let total = times.iter().sum();
    times.sort_unstable();
    let (median, longest) = (times[times.len() / 2], times[times.len() - 1]);
    Found { longest, median, total, calls: times.len() }
}

/// All of it, in turns, as tables for a terminal.
pub(crate) fn report() -> Result<String, Box<dyn Error>> {
    let grown = [
        ("stayput, SlotMap", Part::GrowSlotMap),
        ("stayput, DenseSlotMap", Part::GrowDense),
        ("stayput, DenseSlotMap, ahead", Part::GrowDenseAhead),
        ("slotmap, DenseSlotMap, glibc", Part::GrowSlotmapDense),
        ("slotmap, DenseSlotMap, mimalloc", Part::GrowSlotmapDenseCopied),
    ];
    let mut found = grown.map(|_| Vec::new());
    for _ in 0..ROUNDS {
        for (found, (_, part)) in found.iter_mut().zip(grown) {
            child::touch(Case { value_bytes: 56, slots: GROWN })?;
            found.push(measure(part)?);
        }
    }
    let rows = grown.iter().zip(&found).map(|((name, _), rounds)| {
        let longest = rounds.iter().map(|found| found.longest);
        let total = rounds.iter().map(|found| found.total);
        vec![(*name).to_owned(), of_rounds(longest), of_rounds(total)]
    });
    let header = words(["8 M insertions of 56 bytes", "longest, ms", "in all, ms"]);
    let growth = table(1, header, rows.collect());

    let Found { longest, median, total, calls } = measure(Part::Defragment)?;
    let header =
        words(["a million in no order", "calls", "median, ms", "longest, ms", "in all, ms"]);
    let row = vec![
        format!("defragment_by, {SWAPS} swaps a call"),
        calls.to_string(),
        milliseconds(median),
        milliseconds(longest),
        milliseconds(total),
    ];
    Ok(format!("{growth}\n\n{}", table(1, header, vec![row])))
}

fn measure(part: Part) -> Result<Found, Box<dyn Error>> {
    let mut child = delegate::command(&Task::Apart(part))?;
    if matches!(part, Part::GrowSlotmapDenseCopied) {
        allocator::set_for(&mut child, MIMALLOC);
    }
    delegate::outcome(child)
}

/// The median, and the lowest and the highest.
fn of_rounds(times: impl Iterator<Item = u64>) -> String {
    let mut times: Vec<u64> = times.collect();
    times.sort_unstable();
    let at = |index: usize| milliseconds(times[index]);
    format!("{} ({}–{})", at(times.len() / 2), at(0), at(times.len() - 1))
}

#[expect(clippy::cast_precision_loss, reason = "2^53 ns are a hundred days")]
fn milliseconds(time: u64) -> String {
    format!("{:.2}", time as f64 / 1e6)
}
