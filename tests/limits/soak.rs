//! Containers of all kinds that are made, grown, shrunk and dropped on eight threads for minutes. The process is observed
//! meanwhile, and whenever all containers are gone: then it must have what it had before.
//!
//! ```text
//! STAYPUT_SOAK_SECONDS=1800 cargo test --release --all-features --test limits -- --ignored --nocapture soak
//! ```

#![expect(unsafe_code, reason = "sets up the allocator")]

use crate::MIB;
use crate::child::{argument, child};
use crate::containers::Containers;
use crate::groups::Group;
use crate::linux::{beside, mappings};
use crate::process::{open_files, statm};
use crate::random::Random;
use stayput::{ErrorKind, alloc, service};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use std::{fs, thread};

const THREADS: usize = 8;
/// Far more than the threads need.
const LIMIT: usize = 8 << 30;
/// How often all containers are dropped.
const ROUNDS: u32 = 18;
/// How often the process is observed between.
const SAMPLES: u32 = 100;

/// Figures of the process at one moment, with their units, and how many units they may differ by chance.
const FIGURES: [(&str, usize, usize); 7] = [
    ("addresses MiB", MIB, 64),
    ("resident MiB", MIB, 16),
    ("writable MiB", MIB, 32),
    ("charge MiB", MIB, 16),
    ("page tables KiB", 1 << 10, 64),
    ("mappings", 1, 32),
    ("files", 1, 0),
];

type Sample = [usize; FIGURES.len()];

/// Bytes of page tables.
pub(crate) fn page_tables() -> usize {
    kib("/proc/self/status", "VmPTE:").expect("it says")
}

fn kib(path: &str, name: &str) -> Option<usize> {
    let text = fs::read_to_string(path).ok()?;
    let number = text.lines().find_map(|line| line.strip_prefix(name))?.trim();
    Some(number.strip_suffix(" kB")?.parse::<usize>().ok()? << 10)
}

/// The charge is that of the control group, or what the system has promised to all processes.
fn sample(group: Option<&Group>) -> Sample {
    let charge = group.map_or_else(|| kib("/proc/meminfo", "Committed_AS:"), Group::used_bytes);
    let charge = charge.expect("it says");
    [statm(0), statm(1), statm(5), charge, page_tables(), mappings(), open_files()]
}

/// Makes the C library have one heap for all threads, and large blocks outside it: the heap would keep what it has once
/// taken for them.
fn return_large_blocks() {
    #[cfg(target_env = "gnu")]
    for (parameter, value) in [(libc::M_ARENA_MAX, 1), (libc::M_MMAP_THRESHOLD, 64 << 10)] {
        // SAFETY: it takes two numbers.
        assert_eq!(unsafe { libc::mallopt(parameter, value) }, 1);
    }
}

fn print(what: &str, sample: &Sample) {
    let figures = FIGURES.iter().zip(sample).map(|((_, unit, _), value)| value / unit);
    let cells: Vec<_> = figures.map(|value| format!("{value:>16}")).collect();
    println!("{what:>16}{}", cells.concat());
}

fn seconds() -> u32 {
    let text = std::env::var("STAYPUT_SOAK_SECONDS");
    text.map_or(60, |text| text.parse().expect("STAYPUT_SOAK_SECONDS is a number"))
}

/// Runs the threads, and returns the highest figures meanwhile, and the number of steps.
fn run(seed: u64, time: Duration, group: Option<&Group>) -> (Sample, usize) {
    let (begun, steps) = (Instant::now(), AtomicUsize::new(0));
    let work = |n: usize, _: &dyn Fn() -> bool| {
        let seed = seed * THREADS as u64 + n as u64;
        let (mut random, mut containers) = (Random(seed), Containers::default());
        while begun.elapsed() < time {
            if let Err(error) = containers.step(&mut random, seed) {
                assert_eq!(error.kind(), ErrorKind::MaxLen, "{error}");
            }
            steps.fetch_add(1, Ordering::Relaxed);
        }
        containers.all.iter().for_each(|(id, container)| container.check(*id));
    };
    let mut highest = Sample::default();
    beside(THREADS, work, || {
        while begun.elapsed() < time {
            thread::sleep(time / SAMPLES);
            let sample = sample(group);
            highest
                .iter_mut()
                .zip(sample)
                .for_each(|(highest, value)| *highest = value.max(*highest));
        }
    });
    service::drain();
    alloc::trim();
    #[cfg(target_env = "gnu")]
    // SAFETY: it takes a number, and returns free memory to the system.
    unsafe {
        libc::malloc_trim(0);
    }
    (highest, steps.into_inner())
}

fn soak(group: Option<&Group>) {
    let names: Vec<_> = FIGURES.iter().map(|(name, ..)| format!("{name:>16}")).collect();
    println!("\n{:>16}{}", "", names.concat());
    return_large_blocks();
    let time = Duration::from_secs(seconds().into()) / ROUNDS;
    // Stacks of ended threads stay with the C library.
    run(0, time, group);
    let before = sample(group);
    print("before", &before);
    let mut all_steps = 0;
    for round in 1..=ROUNDS {
        let (highest, steps) = run(round.into(), time, group);
        all_steps += steps;
        let after = sample(group);
        print(&format!("to {} s", (time * round).as_secs()), &highest);
        print("all dropped", &after);
        for (n, (name, unit, by_chance)) in FIGURES.iter().enumerate() {
            // Without a group, the charge is that of all processes.
            let is_own = group.is_some() || *name != "charge MiB";
            assert!(!is_own || after[n] <= before[n] + by_chance * unit, "{name} is not flat");
        }
    }
    println!("{all_steps} steps");
}

#[test]
#[ignore = "takes a minute, or STAYPUT_SOAK_SECONDS"]
fn what_containers_take_is_flat_and_gone_in_the_end() {
    const TEST: &str = "soak::what_containers_take_is_flat_and_gone_in_the_end";
    const ALONE: &str = "alone";
    match argument() {
        Some(group) if group == ALONE => soak(None),
        Some(group) => soak(Some(&Group::joined(Path::new(&group)))),
        None => {
            let group = Group::new("soak", LIMIT);
            let argument = group.as_ref().map_or(ALONE.as_ref(), |group| group.path().as_os_str());
            assert!(child(TEST, argument).status().expect("it runs").success());
        }
    }
}
