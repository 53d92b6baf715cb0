//! A log that one process appends to and another follows.
//!
//! The log is an array in a file. Who follows it sees each record as soon as it is there, without a lock and without
//! asking the system. When the writer is killed, nothing that it has written is lost: the next one goes on where it
//! ended.
//!
//!     cargo run --features file --example telemetry_log                 # all of it, in two seconds
//!     cargo run --features file --example telemetry_log -- write FILE   # by hand: a writer, until it is ended
//!     cargo run --features file --example telemetry_log -- follow FILE  # and, elsewhere, who follows it

#![expect(unsafe_code, reason = "vouches that nobody else writes to the log")]

use bytemuck::{Pod, Zeroable};
use stayput::file::{AppendOnly, FileError};
use stayput::{FileVec, Follow};
use std::error::Error;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, process, thread};

/// What is measured: plain data, of which the file holds the bytes.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Record {
    /// Counts from 0 on, so that it shows if one is lost.
    number: u64,
    temperature: f64,
}

/// Appends records, some thousands a second, until it is ended.
fn write(path: &Path) -> Result<(), FileError> {
    // SAFETY: nobody writes to the file but writers of this program, of which the lock lets in one at a time.
    let mut log: FileVec<Record, AppendOnly> = unsafe { FileVec::open_or_create(path)? };
    let mut flushed = Instant::now();
    loop {
        for _ in 0..100 {
            let number = log.len() as u64;
            let phase = u32::try_from(number % 31_416).expect("it is less");
            log.push(Record { number, temperature: 20.0 + (f64::from(phase) / 5000.0).sin() });
        }
        // What the process has written is safe from its end. This is for the end of the power.
        if flushed.elapsed() > Duration::from_millis(250) {
            log.flush()?;
            flushed = Instant::now();
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// Opens a log as soon as there is one.
fn find(path: &Path) -> Result<Follow<Record>, FileError> {
    let begun = Instant::now();
    loop {
        match Follow::open(path) {
            Err(_) if begun.elapsed() < Duration::from_secs(10) => {
                thread::sleep(Duration::from_millis(5));
            }
            result => return result,
        }
    }
}

/// Draws a line about what is there, for a time, over and over.
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
        let temperature = last.map_or(f64::NAN, |record| record.temperature);
        print!("\r{len:9} records, {rate:8} a second {bar:40} {temperature:6.2} degrees");
        io::stdout().flush()?;
    }
    println!();
    Ok(())
}

fn start_writer(path: &Path) -> io::Result<Child> {
    Command::new(env::current_exe()?).arg("write").arg(path).stdin(Stdio::null()).spawn()
}

/// Starts a writer, kills it, and starts another, while this process follows.
fn show(path: &Path) -> Result<(), Box<dyn Error>> {
    let mut writer = start_writer(path)?;
    let log = find(path)?;
    follow(&log, Duration::from_millis(800))?;
    writer.kill()?;
    writer.wait()?;
    let left = log.len();
    println!("The writer was killed. It has left {left} records.");

    let mut writer = start_writer(path)?;
    // A file may be mapped only as far as it is while nobody writes (on Windows): then it is opened anew.
    let log = find(path)?;
    follow(&log, Duration::from_millis(800))?;
    writer.kill()?;
    writer.wait()?;

    let len = log.len();
    assert!(len > left, "the second writer went on");
    for (number, record) in (0..).zip(log.iter()) {
        assert_eq!(record.number, number, "a record is lost");
    }
    println!("The next one went on, to {len}. None is lost.");
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match &*arguments.iter().map(String::as_str).collect::<Vec<_>>() {
        ["write", path] => Ok(write(Path::new(path))?),
        ["follow", path] => Ok(follow(&find(Path::new(path))?, Duration::MAX)?),
        [] => {
            let path = env::temp_dir().join(format!("telemetry-{}.log", process::id()));
            let result = show(&path);
            fs::remove_file(&path)?;
            result
        }
        _ => Err("arguments: none, `write FILE`, or `follow FILE`".into()),
    }
}
