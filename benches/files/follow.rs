//! One process writes, and another follows: how long it takes to see an element, and whether one is ever torn.

#![expect(unsafe_code, reason = "opens files that no other process writes to")]

use std::hint;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use bench_common::harness::Result;
use bench_common::jobs::Job;
use bench_common::random::Random;
use bench_common::table::{Table, short, table, words};
use serde::{Deserialize, Serialize};
use stayput::file::AppendOnly;
use stayput::{FileVec, Follow};

use crate::arrays::Element;
use crate::cli::Plan;
use crate::folder::Folder;

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Latency {
    /// The median and other percentiles, in microseconds.
    p50: f64,
    p99: f64,
    p999: f64,
    max: f64,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Reads {
    count: usize,
    torn: usize,
    each_ns: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Results {
    latency: Vec<Latency>,
    reads: Reads,
}

/// Reads a clock that both processes share.
fn now_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes to `time`.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    let number = |part| u64::try_from(part).expect("the clock is not negative");
    number(time.tv_sec) * 1_000_000_000 + number(time.tv_nsec)
}

fn follow(folder: &Path) -> Result<Follow<Element>> {
    let begun = Instant::now();
    loop {
        match Follow::open(folder.join("array")) {
            Err(_) if begun.elapsed() < Duration::from_secs(10) => hint::spin_loop(),
            result => return Ok(result?),
        }
    }
}

/// Waits for each of `count` elements, which hold the time when they were pushed.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Waiting {
    folder: PathBuf,
    count: usize,
}

impl Job for Waiting {
    type Outcome = Latency;

    fn run(&self) -> Result<Latency> {
        let (count, follow) = (self.count, follow(&self.folder)?);
        let mut late: Vec<u64> = vec![0; count];
        // The first ones exist before, and are not counted.
        for (number, late) in late.iter_mut().enumerate() {
            while follow.len() <= number {
                hint::spin_loop();
            }
            let pushed = follow.get(number).ok_or("the element is missing")?[0];
            *late = now_ns() - pushed;
        }
        let late = &mut late[count / 10..];
        late.sort_unstable();
        let at = |per_mille: usize| late[(late.len() - 1) * per_mille / 1000] as f64 / 1e3;
        Ok(Latency { p50: at(500), p99: at(990), p999: at(999), max: at(1000) })
    }
}

/// Reads `count` elements, three in four of them the last one and the others at random, and counts the torn
/// ones.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Reading {
    folder: PathBuf,
    count: usize,
}

impl Job for Reading {
    type Outcome = Reads;

    fn run(&self) -> Result<Reads> {
        let (count, follow) = (self.count, follow(&self.folder)?);
        while follow.is_empty() {
            hint::spin_loop();
        }
        let (mut torn, mut random) = (0, Random::new(2));
        let begun = Instant::now();
        for number in 0..count {
            let len = follow.len();
            let index = if number % 4 == 0 { random.below(len) } else { len - 1 };
            let element = follow.get(index).ok_or("the element is missing")?;
            torn += usize::from(element != [index as u64; 8]);
        }
        let each_ns = begun.elapsed().as_nanos() as f64 / count as f64;
        Ok(Reads { count, torn, each_ns })
    }
}

fn create(folder: &Folder) -> Result<FileVec<Element, AppendOnly>> {
    // SAFETY: no other process uses the folder.
    Ok(unsafe { FileVec::create(folder.path().join("array")) }?)
}

fn latency(inside: &Path, count: usize) -> Result<Latency> {
    let folder = Folder::new(inside)?;
    let mut vec = create(&folder)?;
    let job = Waiting { folder: folder.path().to_owned(), count };
    let child = job.command()?.stdout(Stdio::piped()).spawn()?;
    // Until the child follows, and has its memory.
    std::thread::sleep(Duration::from_millis(200));
    for _ in 0..count {
        vec.push([now_ns(); 8]);
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_micros(20) {
            hint::spin_loop();
        }
    }
    let output = child.wait_with_output()?;
    Ok(serde_json::from_slice(&output.stdout)?)
}

fn reads(inside: &Path, count: usize) -> Result<Reads> {
    /// The number of elements after which a new file begins.
    const MOST: usize = 8 << 20;
    let mut all = Reads { count: 0, torn: 0, each_ns: 0.0 };
    while all.count < count {
        let folder = Folder::new(inside)?;
        let mut vec = create(&folder)?;
        let part = (count - all.count).min(10_000_000);
        let job = Reading { folder: folder.path().to_owned(), count: part };
        let mut child = job.command()?.stdout(Stdio::piped()).spawn()?;
        let mut number = 0;
        while child.try_wait()?.is_none() {
            for _ in 0..1000 {
                if number < MOST {
                    vec.push([number as u64; 8]);
                    number += 1;
                }
            }
            // The writer must not end before the reader.
            std::thread::sleep(Duration::from_micros(100));
        }
        let output = child.wait_with_output()?;
        let found: Reads = serde_json::from_slice(&output.stdout)?;
        all.each_ns = all.each_ns.max(found.each_ns);
        all.count += found.count;
        all.torn += found.torn;
    }
    Ok(all)
}

pub(crate) fn measure(plan: &Plan) -> Result<Results> {
    let rounds = (0..plan.repetitions).map(|_| latency(&plan.folder, plan.latency_pushes));
    let latency = rounds.collect::<Result<Vec<_>>>()?;
    Ok(Results { latency, reads: reads(&plan.folder, plan.follow_reads)? })
}

pub(crate) fn show(results: &Results) -> Vec<(&'static str, Table)> {
    let header = words(["round", "p50, µs", "p99", "p99.9", "longest"]);
    let cells = results.latency.iter().enumerate().map(|(round, latency)| {
        let Latency { p50, p99, p999, max } = *latency;
        let round = (round + 1).to_string();
        [[round].as_slice(), &[p50, p99, p999, max].map(short)].concat()
    });
    let latency = table(1, header, cells.collect());
    let Reads { count, torn, each_ns } = results.reads;
    let header = words(["reads while another process pushes", "torn", "ns each"]);
    let reads = table(0, header, vec![vec![count.to_string(), torn.to_string(), short(each_ns)]]);
    vec![
        ("from a push until another process sees it", latency),
        ("elements seen half written", reads),
    ]
}
