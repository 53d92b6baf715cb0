//! What the thread does when nothing grows any more.

use std::hint::black_box;
use std::thread;
use std::time::{Duration, Instant};

use bench_common::memory::{Entity, entity};
use bench_common::table::{Table, header, short};
use serde::Serialize;
use stayput::{CommitAhead, VmVec, service};

/// How much is measured.
#[derive(Debug)]
pub(crate) struct Extent {
    /// How long an array grows.
    pub(crate) growing: Duration,
    /// How long nothing is done before the thread is expected to be at rest.
    pub(crate) settling: Duration,
    /// And how long after that.
    pub(crate) quiet: Duration,
    pub(crate) repetitions: usize,
}

const FRAME: Duration = Duration::from_millis(3);
const SPAWN: u64 = 20_000;

/// What the thread did in a time; of all repetitions, the most of each. `None` is what the system
/// doesn't tell.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    phase: &'static str,
    seconds: f64,
    wakeups: usize,
    voluntary_switches: Option<u64>,
    cpu_us: Option<u64>,
    /// In the end.
    ahead_bytes: usize,
}

impl Row {
    fn most(&mut self, other: &Self) {
        self.wakeups = self.wakeups.max(other.wakeups);
        self.voluntary_switches = self.voluntary_switches.max(other.voluntary_switches);
        self.cpu_us = self.cpu_us.max(other.cpu_us);
        self.ahead_bytes = self.ahead_bytes.max(other.ahead_bytes);
    }
}

pub(crate) fn measure(extent: &Extent) -> Vec<Row> {
    let mut rows = run(extent);
    for _ in 1..extent.repetitions {
        for (row, other) in rows.iter_mut().zip(run(extent)) {
            row.most(&other);
        }
    }
    rows
}

fn run(extent: &Extent) -> Vec<Row> {
    let mut array = VmVec::<Entity>::builder().commit_ahead(CommitAhead::Auto).build();
    let mut rows = vec![during("growing", || {
        let start = Instant::now();
        let mut next = start;
        while start.elapsed() < extent.growing {
            let first = array.len() as u64;
            array.extend((first..first + SPAWN).map(|n| entity(black_box(n))));
            next += FRAME;
            thread::sleep(next.saturating_duration_since(Instant::now()));
        }
    })];
    rows.push(during("settling", || thread::sleep(extent.settling)));
    rows.push(during("quiet", || thread::sleep(extent.quiet)));
    drop(array);
    rows
}

fn during(phase: &'static str, work: impl FnOnce()) -> Row {
    let (before, wakeups_before) = (Thread::find(), service::stats().wakeups);
    let start = Instant::now();
    work();
    let seconds = start.elapsed().as_secs_f64();
    let stats = service::stats();
    let after = Thread::find();
    let since = |figure: fn(&Thread) -> Option<u64>| {
        // One that was not there, or had not yet given itself its name, began with nothing.
        let before = before.as_ref().and_then(figure).unwrap_or(0);
        Some(after.as_ref().and_then(figure)?.saturating_sub(before))
    };
    Row {
        phase,
        seconds,
        wakeups: stats.wakeups - wakeups_before,
        voluntary_switches: since(|thread| thread.voluntary_switches),
        cpu_us: since(|thread| thread.cpu_ns).map(|ns| ns / 1000),
        ahead_bytes: stats.ahead_bytes,
    }
}

/// The service's thread, as the system counts what it does.
struct Thread {
    voluntary_switches: Option<u64>,
    cpu_ns: Option<u64>,
}

impl Thread {
    #[cfg(target_os = "linux")]
    fn find() -> Option<Self> {
        let read = std::fs::read_to_string;
        let tasks = std::fs::read_dir("/proc/self/task").ok()?;
        let mut folders = tasks.filter_map(|task| Some(task.ok()?.path()));
        let named = |path: &std::path::PathBuf| {
            read(path.join("comm")).is_ok_and(|name| name.trim() == "stayput")
        };
        let folder = folders.find(named)?;
        let status = read(folder.join("status")).unwrap_or_default();
        let switches =
            status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
        // The first of three numbers; in `stat` it would be in hundredths of a second.
        let times = read(folder.join("schedstat")).unwrap_or_default();
        Some(Self {
            voluntary_switches: switches.and_then(|count| count.trim().parse().ok()),
            cpu_ns: times.split(' ').next().and_then(|ns| ns.parse().ok()),
        })
    }

    #[cfg(not(target_os = "linux"))]
    fn find() -> Option<Self> {
        None
    }
}

pub(crate) fn table(rows: &[Row]) -> Table {
    let header = header(
        "phase | seconds | wake-ups | a second | voluntary switches | a second | CPU µs | \
         a second | MiB ahead in the end",
    );
    #[expect(clippy::cast_precision_loss, reason = "a few digits are shown")]
    let cells = |row: &Row| {
        let mut cells = vec![row.phase.to_owned(), format!("{:.1}", row.seconds)];
        for count in [Some(row.wakeups as u64), row.voluntary_switches, row.cpu_us] {
            let a_second = count.map(|count| short(count as f64 / row.seconds));
            cells.push(count.map_or_else(|| "?".into(), |count| count.to_string()));
            cells.push(a_second.unwrap_or_else(|| "?".into()));
        }
        cells.push(short(row.ahead_bytes as f64 / f64::from(1 << 20)));
        cells
    };
    bench_common::table::table(1, header, rows.iter().map(cells).collect())
}
