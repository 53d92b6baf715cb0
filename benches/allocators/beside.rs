//! A phase of a program, once, while another process holds most of the machine's memory.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Stdio};

use bench_allocators_common::contenders::{self, Case, cases};
use bench_common::harness::Result;
use bench_common::jobs::{Job, Rounds, rounds_of};
use bench_common::spread::each;
use bench_common::table::{Table, header};
use bench_common::usage;
use serde::{Deserialize, Serialize};
use stayput::{HugePages, Reservation};

use crate::phase::{self, Phase};
use crate::repeat::middle;

#[derive(Debug)]
pub(crate) struct Extent {
    pub(crate) phase: Phase,
    /// The most that the other process takes.
    pub(crate) most_bytes: usize,
    pub(crate) repetitions: usize,
}

/// The share of the available memory that the other process takes, in hundredths.
const SHARE: usize = 80;

/// How many times the bytes of the phase are left to it at least, so that the system never has to end a process.
const LEFT: usize = 3;

/// The job of the other process: holds memory until its standard input ends, which it does also if this process
/// is killed.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Hog {
    bytes: usize,
}

impl Job for Hog {
    type Outcome = ();

    fn run(&self) -> Result {
        let memory = Reservation::builder().bytes(self.bytes).huge_pages(HugePages::Always);
        let memory = memory.reserve()?;
        memory.prefault(..)?;
        // Reports that the memory is taken; white space before the outcome.
        writeln!(io::stdout())?;
        io::stdin().read_to_end(&mut Vec::new())?;
        Ok(())
    }
}

/// The other process while it holds memory.
struct Held {
    child: Child,
    until: Option<ChildStdin>,
}

impl Hog {
    fn hold(self) -> Result<Held> {
        let mut child = self.command()?.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (until, output) = (child.stdin.take(), child.stdout.take());
        let held = Held { child, until };
        let mut line = String::new();
        BufReader::new(output.ok_or("no output")?).read_line(&mut line)?;
        if line.is_empty() { Err("the memory could not be taken".into()) } else { Ok(held) }
    }
}

/// Ends the process.
impl Drop for Held {
    fn drop(&mut self) {
        drop(self.until.take());
        // An error means that it has ended.
        let _ = self.child.wait();
    }
}

/// What a phase did; `None` if it did not come to its end.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Outcome {
    held_bytes: usize,
    /// Before the phase, beside what is held.
    available_bytes: Option<u64>,
    phase: Option<phase::Outcome>,
}

type Row = Rounds<Case<Phase>, Outcome>;

/// Measures all allocators, interleaved, while one process holds memory for all of them.
pub(crate) fn measure(extent: &Extent) -> Result<Vec<Row>> {
    let available =
        usage::available_bytes().ok_or("the system does not report available memory")?;
    let available = usize::try_from(available)?;
    let left = LEFT * extent.phase.bytes();
    let bytes =
        (available / 100 * SHARE).min(available.saturating_sub(left)).min(extent.most_bytes);
    let _held = Hog { bytes }.hold()?;
    let cases = cases([extent.phase], contenders::WITH_KEEPING);
    rounds_of(cases, extent.repetitions, Case::to_string, |case| {
        let available_bytes = usage::available_bytes();
        let phase = case.outcome().inspect_err(|error| eprintln!("{error}")).ok();
        Ok(Outcome { held_bytes: bytes, available_bytes, phase })
    })
}

pub(crate) fn table(rows: &[Row]) -> Table {
    let header = header(
        "phase | allocator | MiB held beside it | available | completed | ms | page faults | peak MiB | resident after it",
    );
    let cells = |row: &Row| {
        let mut cells = vec![row.of.job.to_string(), row.of.contender.name.to_owned()];
        cells.push(middle(row, |found| Some(each(found.held_bytes as u64, 1 << 20))));
        cells.push(middle(row, |found| found.available_bytes.map(|bytes| each(bytes, 1 << 20))));
        let completed = row.found.iter().filter(|found| found.phase.is_some()).count();
        cells.push(format!("{completed} of {}", row.found.len()));
        let of_phase = |figure: fn(&phase::Outcome) -> Option<f64>| {
            middle(row, |found| found.phase.as_ref().and_then(figure))
        };
        cells.push(of_phase(|phase| Some(phase.rounds.first_ms())));
        cells.push(of_phase(|phase| phase.rounds.first_page_faults()));
        cells.push(of_phase(phase::Outcome::peak));
        cells.push(of_phase(|phase| phase.resident(0)));
        cells
    };
    bench_common::table::table(2, header, rows.iter().map(cells).collect())
}
