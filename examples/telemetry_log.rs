//! A log that one process appends to and another follows.
//!
//! The log is an array in a file. A follower sees each record as soon as it is written, without a lock and
//! without a system call. When the writer is killed, everything it wrote is kept, and the next writer continues
//! where it ended.
//!
//!     cargo run --features file --example telemetry_log                  # everything, in two seconds
//!     cargo run --features file --example telemetry_log -- writer FILE   # by hand: a writer, until it is killed
//!     cargo run --features file --example telemetry_log -- follow FILE   # in another terminal: a follower

#![expect(unsafe_code, reason = "guarantees that no other program writes to the log")]

use bytemuck::{Pod, Zeroable};
use stayput::file::{AppendOnly, FileError, FileErrorKind};
use stayput::{FileVec, Follow};
use std::error::Error;
use std::io::{self, Write};
use std::path::Path;
use std::process::{self, Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

/// A measurement: plain data, whose bytes the file holds.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Record {
    /// Counts from 0, so that a lost record is detected.
    number: u64,
    /// The process that wrote it.
    writer: u32,
    temperature: f32,
}

/// Appends records, some ten thousand a second, until it is killed.
fn write(path: &Path) -> Result<(), FileError> {
    // SAFETY: only writers of this program write to the file, and the lock admits one at a time.
    let mut log: FileVec<Record, AppendOnly> = unsafe { FileVec::open_or_create(path)? };
    // Continues after the last record, if there is one.
    let mut number = log.last().map_or(0, |last| last.number + 1);
    let mut temperature = log.last().map_or(20.0, |last| last.temperature);
    let mut flushed = Instant::now();
    loop {
        for _ in 0..100 {
            log.push(Record { number, writer: process::id(), temperature });
            number += 1;
            // Slowly up and down.
            temperature += if number % 40_000 < 20_000 { 0.0002 } else { -0.0002 };
        }
        // Written records survive the end of the process. `flush` protects them from a power failure.
        if flushed.elapsed() > Duration::from_millis(250) {
            log.flush()?;
            flushed = Instant::now();
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// Opens a log as soon as it exists.
fn find(path: &Path) -> Result<Follow<Record>, FileError> {
    use FileErrorKind::{Empty, NotFound, Short};
    let begun = Instant::now();
    loop {
        match Follow::open(path) {
            // The writer is about to create it.
            Err(error)
                if matches!(error.kind(), NotFound | Empty | Short)
                    && begun.elapsed() < Duration::from_secs(10) =>
            {
                thread::sleep(Duration::from_millis(5));
            }
            result => return result,
        }
    }
}

/// Draws a line about the log, for a time, over and over.
fn follow(log: &Follow<Record>, how_long: Duration) -> io::Result<()> {
    const FRAMES_A_SECOND: u32 = 20;
    let begun = Instant::now();
    let mut before = log.len();
    while begun.elapsed() < how_long {
        thread::sleep(Duration::from_secs(1) / FRAMES_A_SECOND);
        let len = log.len();
        let rate = (len - before) * FRAMES_A_SECOND as usize;
        before = len;
        let bar = "#".repeat((rate / 2000).min(40));
        let last = len.checked_sub(1).and_then(|last| log.get(last));
        let temperature = last.map_or(f32::NAN, |record| record.temperature);
        print!("\r{len:9} records, {rate:8} a second {bar:40} {temperature:6.2} degrees");
        io::stdout().flush()?;
    }
    println!();
    Ok(())
}

/// A writer in a process of its own, which is killed when this is dropped.
struct Writer(Child);

impl Writer {
    fn start(path: &Path) -> io::Result<Self> {
        let mut command = Command::new(env::current_exe()?);
        command.arg("writer").arg(path).stdin(Stdio::null()).spawn().map(Self)
    }

    fn id(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // If it cannot be killed, it has ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Follows a log while its writer is killed and another continues.
fn show(path: &Path) -> Result<(), Box<dyn Error>> {
    const A_WHILE: Duration = Duration::from_millis(800);
    let first = Writer::start(path)?;
    let log = find(path)?;
    follow(&log, A_WHILE)?;
    let first_id = first.id();
    drop(first);
    let left = log.len();
    println!("The writer was killed. It left {left} records.");

    let second = Writer::start(path)?;
    follow(&log, A_WHILE)?;
    let second_id = second.id();
    drop(second);
    check(&log, left, [first_id, second_id])?;
    println!("The next one continued, to {}. None was lost.", log.len());
    Ok(())
}

/// Checks that all records exist: the first `left` by the first writer, all others by the second.
fn check(log: &Follow<Record>, left: usize, writers: [u32; 2]) -> Result<(), String> {
    if left == 0 || log.len() <= left {
        return Err(format!("the writers left {left} records, and {} in all", log.len()));
    }
    for (index, record) in log.iter().enumerate() {
        let writer = writers[usize::from(index >= left)];
        if record.number != index as u64 || record.writer != writer {
            return Err(format!("record {index} of writer {writer} is lost: found {record:?}"));
        }
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match &*arguments.iter().map(String::as_str).collect::<Vec<_>>() {
        ["writer", path] => Ok(write(Path::new(path))?),
        ["follow", path] => Ok(follow(&find(Path::new(path))?, Duration::MAX)?),
        [] => {
            let path = env::temp_dir().join(format!("telemetry-{}.log", process::id()));
            let result = show(&path);
            // If the file could not be created, there is nothing to remove.
            let removed = if path.exists() { fs::remove_file(&path) } else { Ok(()) };
            result.and(removed.map_err(Into::into))
        }
        _ => Err("arguments: none, `writer FILE`, or `follow FILE`".into()),
    }
}
