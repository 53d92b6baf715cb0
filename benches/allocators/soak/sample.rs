//! What the system reports about this process and about all, at one moment.

use std::fs::File;
use std::io::Read;

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Sample {
    size_bytes: u64,
    resident_bytes: u64,
    /// Writable memory of this process, which the system has promised to it.
    data_bytes: u64,
    /// What the system has promised to all processes.
    committed_bytes: u64,
    mappings: u64,
}

/// A figure of a sample, with its name and unit.
#[derive(Debug)]
pub(super) struct Figure {
    pub(super) name: &'static str,
    pub(super) unit: usize,
    pub(super) of: fn(&Sample) -> u64,
}

const MIB: usize = 1 << 20;

pub(super) const FIGURES: [Figure; 5] = [
    Figure { name: "VmSize MiB", unit: MIB, of: |sample| sample.size_bytes },
    Figure { name: "VmRSS MiB", unit: MIB, of: |sample| sample.resident_bytes },
    Figure { name: "VmData MiB", unit: MIB, of: |sample| sample.data_bytes },
    Figure { name: "Committed_AS MiB", unit: MIB, of: |sample| sample.committed_bytes },
    Figure { name: "mappings", unit: 1, of: |sample| sample.mappings },
];

impl Sample {
    /// `None` where the system lacks these files, which Linux has. Takes no memory from the heap, so that
    /// sampling does not change the figures.
    pub(super) fn take() -> Option<Self> {
        let mut sample = Self::default();
        for (path, name, place) in [
            ("/proc/self/status", "VmSize:", &mut sample.size_bytes),
            ("/proc/self/status", "VmRSS:", &mut sample.resident_bytes),
            ("/proc/self/status", "VmData:", &mut sample.data_bytes),
            ("/proc/meminfo", "Committed_AS:", &mut sample.committed_bytes),
        ] {
            *place = 1024 * kib(path, name)?;
        }
        sample.mappings = lines("/proc/self/maps")?;
        Some(sample)
    }
}

/// Reads the number in the line that begins with `name`: `VmRSS:   1234 kB`.
fn kib(path: &str, name: &str) -> Option<u64> {
    let mut text = [0; 8 << 10];
    let mut length = 0;
    let mut file = File::open(path).ok()?;
    // A read of these files may end anywhere.
    loop {
        match file.read(text.get_mut(length..)?).ok()? {
            0 => break,
            more => length += more,
        }
    }
    let text = std::str::from_utf8(text.get(..length)?).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}

fn lines(path: &str) -> Option<u64> {
    let mut file = File::open(path).ok()?;
    let mut text = [0; 16 << 10];
    let mut lines = 0;
    loop {
        match file.read(&mut text).ok()? {
            0 => return Some(lines),
            length => lines += text[..length].split(|byte| *byte == b'\n').count() as u64 - 1,
        }
    }
}
