//! Threads parse log files into one array, while the main thread reads and draws it.
//!
//!     cargo run --release --example collector
//!
//! The example writes the logs itself, into a folder that it removes at the end. (A debug build writes a tenth
//! of the lines.)

use stayput::SharedVec;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::str::{FromStr, SplitAsciiWhitespace};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use std::{env, process, thread};

const WORKERS: usize = 4;
const FILES: u32 = 12;
const LINES: u32 = if cfg!(debug_assertions) { 10_000 } else { 100_000 };

/// A request from a server's log; its line is `831 200 1734`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Request {
    file: u32,
    second: u32,
    status: u16,
    micros: u32,
}

/// A line that could not be parsed.
struct Broken {
    file: u32,
    line: u32,
    why: String,
}

/// The arrays that the workers append to and the view reads.
#[derive(Default)]
struct Collected {
    requests: SharedVec<Request>,
    broken: SharedVec<Broken>,
}

fn field<T: FromStr>(fields: &mut SplitAsciiWhitespace<'_>, name: &str) -> Result<T, String> {
    let text = fields.next().ok_or_else(|| format!("{name} is missing"))?;
    text.parse().map_err(|_| format!("{text} is not a valid {name}"))
}

fn parse(file: u32, line: &str) -> Result<Request, String> {
    let mut fields = line.split_ascii_whitespace();
    Ok(Request {
        file,
        second: field(&mut fields, "time")?,
        status: field(&mut fields, "status")?,
        micros: field(&mut fields, "duration")?,
    })
}

/// A worker: takes the next file until all files are taken.
fn work(paths: &[PathBuf], next: &AtomicU32, collected: &Collected) -> io::Result<()> {
    // Requests come by the million, and none is urgent: with `gather`, the threads contend once for every 64 of
    // them, and each thread's runs are contiguous.
    let mut requests = collected.requests.gather();
    loop {
        let file = next.fetch_add(1, Ordering::Relaxed);
        let Some(path) = paths.get(file as usize) else { return Ok(()) };
        for (line, text) in (1..).zip(BufReader::new(File::open(path)?).lines()) {
            match parse(file, &text?) {
                Ok(request) => requests.push(request),
                // Broken lines are few and should appear at once: each is visible when `push` returns.
                Err(why) => _ = collected.broken.push(Broken { file, line, why }),
            }
        }
        // Other threads do not see gathered requests until they are flushed.
        requests.flush();
    }
}

/// A summary of the requests read.
#[derive(Default)]
struct View {
    seen: usize,
    failed: usize,
    micros: u64,
    slowest: u32,
}

impl View {
    /// Reads the requests that are new since the last call. The slice holds all requests without a gap. Workers
    /// append past its end, and elements never move.
    fn look(&mut self, requests: &SharedVec<Request>) {
        let all = requests.as_slice();
        for request in &all[self.seen..] {
            self.failed += usize::from(request.status >= 500);
            self.micros += u64::from(request.micros);
            self.slowest = self.slowest.max(request.micros);
        }
        self.seen = all.len();
    }

    fn draw(&self, broken: usize) -> io::Result<()> {
        let Self { seen, failed, slowest, .. } = *self;
        let mean = self.micros / seen.max(1) as u64;
        let bar = "#".repeat(seen * 30 / (FILES * LINES) as usize);
        print!("\r[{bar:30}] {seen:8} requests, {failed} failed, {broken} broken lines; ");
        print!("mean {mean} µs, longest {slowest} µs");
        io::stdout().flush()
    }
}

fn collect(paths: &[PathBuf], collected: &Collected) -> io::Result<View> {
    let mut view = View::default();
    let next = AtomicU32::new(0);
    thread::scope(|threads| {
        let workers: Vec<_> =
            (0..WORKERS).map(|_| threads.spawn(|| work(paths, &next, collected))).collect();
        loop {
            // Checked before reading, so that the last pass reads everything.
            let is_done = workers.iter().all(thread::ScopedJoinHandle::is_finished);
            view.look(&collected.requests);
            view.draw(collected.broken.len())?;
            if is_done {
                break;
            }
            thread::sleep(Duration::from_millis(10));
        }
        println!();
        workers.into_iter().try_for_each(|worker| worker.join().expect("a worker panicked"))
    })?;
    Ok(view)
}

/// The request on a line, counted from 1; every 1000th line is truncated.
fn request(file: u32, line: u32) -> Option<Request> {
    let mixed = (file * LINES + line).wrapping_mul(2_654_435_769) >> 16;
    let status = if mixed % 50 == 0 { 503 } else { 200 };
    let request = Request { file, second: line / 100, status, micros: 500 + mixed % 4096 };
    (line % 1000 != 0).then_some(request)
}

fn write_logs(folder: &Path) -> io::Result<Vec<PathBuf>> {
    fs::create_dir(folder)?;
    let write_log = |file| {
        let line = |line| match request(file, line) {
            Some(Request { second, status, micros, .. }) => format!("{second} {status} {micros}\n"),
            None => format!("{} 2\n", line / 100),
        };
        let path = folder.join(format!("{file}.log"));
        fs::write(&path, (1..=LINES).map(line).collect::<String>())?;
        Ok(path)
    };
    (0..FILES).map(write_log).collect()
}

/// Checks that every request of each file is there, and in the order of its file.
fn check(collected: &Collected, view: &View) {
    let Collected { requests, broken } = collected;
    for file in 0..FILES {
        let there = requests.iter().filter(|request| request.file == file).copied();
        assert!(
            there.eq((1..=LINES).filter_map(|line| request(file, line))),
            "requests of file {file} are missing"
        );
        let there = broken.iter().filter(|broken| broken.file == file).map(|broken| broken.line);
        assert!(there.eq((1..=LINES).filter(|&line| request(file, line).is_none())));
    }
    assert_eq!(view.seen, requests.len());
    assert_eq!(view.micros, requests.iter().map(|request| u64::from(request.micros)).sum());
}

fn main() -> io::Result<()> {
    let folder = env::temp_dir().join(format!("collector-{}", process::id()));
    let collected = Collected::default();
    let result = write_logs(&folder).and_then(|paths| collect(&paths, &collected));
    // If the folder could not be created, there is nothing to remove.
    let removed = if folder.exists() { fs::remove_dir_all(&folder) } else { Ok(()) };
    let view = result?;
    removed?;

    check(&collected, &view);
    for Broken { file, line, why } in collected.broken.iter().take(3) {
        println!("{file}.log, line {line}: {why}");
    }
    println!("{} requests of {FILES} files in one array. None was lost.", view.seen);
    Ok(())
}
