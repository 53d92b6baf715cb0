//! The job of a process: all operations on one structure.

use std::hint::black_box;
use std::time::{Duration, Instant};

use bench_common::{harness, jobs, memory, usage};
use serde::{Deserialize, Serialize};

use crate::graph::{self, Change, DEGREE};
use crate::lists::{Contender, Job, Lists};

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Task {
    pub(crate) contender: Contender,
    pub(crate) nodes: usize,
    /// The least time for each operation that is repeated.
    pub(crate) ms: u64,
    pub(crate) frames: usize,
}

/// The figures of one process, in nanoseconds an edge unless stated.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Outcome {
    /// Inserting all edges into empty lists, in memory that the process never had.
    pub(crate) first: f64,
    /// Creating the lists and inserting all edges, again and again.
    pub(crate) build: f64,
    /// Dropping all.
    pub(crate) drop: f64,
    /// Reading all lists in the order of nodes, after building.
    pub(crate) walk: f64,
    /// The same after compaction.
    pub(crate) walk_compacted: f64,
    /// Reading lists in random order, compacted.
    pub(crate) random: f64,
    /// Compaction.
    pub(crate) compact: f64,
    /// Resident bytes over those of the elements, after building; `None` if the system does not say.
    pub(crate) memory: Option<f64>,
    /// The same after compaction.
    pub(crate) memory_compacted: Option<f64>,
    /// A frame of changes in microseconds: mean.
    pub(crate) frame: Option<f64>,
    /// The worst.
    pub(crate) worst_frame: Option<f64>,
    /// The longest push in microseconds, into lists of up to 4,096 elements, with memory that was used before.
    pub(crate) worst_push: Option<f64>,
}

/// The fewest edges that are built between two readings of the clock.
const RUN: usize = 1 << 16;

impl jobs::Job for Task {
    type Outcome = Outcome;

    fn run(&self) -> harness::Result<Outcome> {
        memory::touch(64 * DEGREE * self.nodes.max(RUN))?;
        Ok(self.contender.make(*self))
    }
}

impl Job for Task {
    type Outcome = Outcome;

    fn run<L: Lists>(self) -> Outcome {
        let Self { nodes, ms, .. } = self;
        let edges = graph::edges(nodes);
        let all = edges.len() as f64;
        let right: u64 = (0..edges.len() as u64).sum();

        let before = usage::resident_bytes();
        // Equal calls make equal ids, so those of these lists are those of all that follow.
        let (mut lists, ids) = L::of(nodes);
        let edges: Vec<(L::Id, u32)> =
            edges.iter().map(|&(node, edge)| (ids[node as usize], edge)).collect();
        let begun = Instant::now();
        lists.fill(&edges);
        let first = begun.elapsed();
        let others = (size_of_val(&ids[..]) + size_of_val(&edges[..])) as u64;
        let resident = || {
            let more = usage::resident_bytes()?.saturating_sub(before?);
            Some(more.saturating_sub(others) as f64 / (all * 4.0))
        };
        let memory = resident();
        let sum = |lists: &L| assert_eq!(black_box(lists).sum(), right, "a list has other edges");
        let walk = median(ms, || sum(&lists)) / all;
        let begun = Instant::now();
        lists.compact();
        let compact = begun.elapsed().as_nanos() as f64 / all;
        let memory_compacted = resident();
        let walk_compacted = median(ms, || sum(&lists)) / all;
        let random = median(ms, || {
            let some = edges.iter().step_by(DEGREE);
            let sum: u64 = some.map(|(list, _)| lists.sum_of(*list)).sum();
            assert!(black_box(sum) > 0);
        }) / all;
        drop((lists, ids));

        let several = (RUN / edges.len()).max(1);
        let (mut builds, mut drops) = (Vec::new(), Vec::new());
        let begun = Instant::now();
        while builds.is_empty() || begun.elapsed() < Duration::from_millis(10 * ms) {
            let begun = Instant::now();
            let made: Vec<(L, Vec<L::Id>)> =
                (0..several).map(|_| build::<L>(nodes, black_box(&edges))).collect();
            builds.push(begun.elapsed().as_nanos() as f64 / all / several as f64);
            assert_eq!(made[0].0.sum(), right);
            let lists: Vec<L> = made.into_iter().map(|(lists, _)| lists).collect();
            let begun = Instant::now();
            drop(lists);
            drops.push(begun.elapsed().as_nanos() as f64 / all / several as f64);
        }

        let frames = L::GROWS.then(|| self.change::<L>(&edges));
        Outcome {
            first: first.as_nanos() as f64 / all,
            build: middle(builds),
            drop: middle(drops),
            walk,
            walk_compacted,
            random,
            compact,
            memory,
            memory_compacted,
            frame: frames.as_ref().map(|frames| frames.iter().sum::<f64>() / frames.len() as f64),
            worst_frame: frames.map(|frames| frames.into_iter().fold(0.0, f64::max)),
            worst_push: L::GROWS.then(worst_push::<L>),
        }
    }
}

impl Task {
    /// Returns the time of each frame in microseconds. Between frames, the lists are read.
    fn change<L: Lists>(&self, edges: &[(L::Id, u32)]) -> Vec<f64> {
        let (mut lists, ids) = build::<L>(self.nodes, edges);
        let mut count = edges.len() as u64;
        let frames = (0..self.frames).map(|frame| {
            let changes = graph::changes(&ids, frame);
            let begun = Instant::now();
            let removed = apply(&mut lists, &changes);
            let took = begun.elapsed();
            count = count + changes.len() as u64 - removed;
            let left: usize = ids.iter().map(|id| lists.len(*id)).sum();
            assert_eq!(left as u64, count, "an edge is missing");
            took.as_nanos() as f64 / 1000.0
        });
        frames.collect()
    }
}

// Never inlined, so that loops are compiled in the same surroundings for all.

#[inline(never)]
fn build<L: Lists>(nodes: usize, edges: &[(L::Id, u32)]) -> (L, Vec<L::Id>) {
    let (mut lists, ids) = L::of(nodes);
    lists.fill(edges);
    (lists, ids)
}

/// Returns how many edges were removed.
#[inline(never)]
fn apply<L: Lists>(lists: &mut L, changes: &[Change<L::Id>]) -> u64 {
    let mut removed = 0;
    for change in changes {
        let len = lists.len(change.from);
        if len > 0 {
            lists.swap_remove(change.from, change.nth as usize % len);
            removed += 1;
        }
        lists.push(change.to, change.nth);
    }
    removed
}

/// Returns the longest push in microseconds, in the calmest of some rounds: an interrupt lengthens one in thousands.
fn worst_push<L: Lists>() -> f64 {
    const LISTS: usize = 16;
    const LEN: usize = 4096;
    let round = |_| {
        let (mut lists, ids) = L::of(LISTS);
        let mut worst = Duration::ZERO;
        for number in 0..graph::small(LISTS * LEN) {
            let begun = Instant::now();
            lists.push(ids[number as usize % LISTS], number);
            worst = worst.max(begun.elapsed());
        }
        assert_eq!(lists.sum(), (0..(LISTS * LEN) as u64).sum::<u64>());
        worst.as_nanos() as f64 / 1000.0
    };
    (0..20).map(round).fold(f64::INFINITY, f64::min)
}

/// Repeats work for `ms` milliseconds, at least twice, and returns the median in nanoseconds. The first time
/// does not count.
fn median(ms: u64, mut work: impl FnMut()) -> f64 {
    work();
    let mut times = Vec::new();
    let begun = Instant::now();
    while times.is_empty() || begun.elapsed() < Duration::from_millis(ms) {
        let begun = Instant::now();
        work();
        times.push(begun.elapsed().as_nanos() as f64);
    }
    middle(times)
}

fn middle(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
