//! Instructions and cache lines instead of time: the same operations on a processor simulated by
//! Valgrind's callgrind, where nothing else on the machine shows, and nothing of what a real one does
//! at once.

use std::error::Error;
use std::path::Path;
use std::process::{Command, Stdio};
use std::{fs, iter};

use bench_common::delegate;
use bench_common::numbers;
use bench_common::progress::Progress;
use bench_common::table::table;
use bench_common::target;

use crate::child::{Case, Task};
use crate::cli::{Plan, PlannedCase};
use crate::containers::Container;
use crate::operation::Operation;

/// First-level data, as most processors have it, and a second level in the place of the last, since
/// that is what a miss in the first goes to: bytes, ways, bytes a line.
const CACHES: [&str; 2] = ["--D1=32768,8,64", "--LL=1048576,16,64"];

/// What callgrind counted, in all.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    instructions: u64,
    /// Lines that were read or written and not in the first level.
    missed: u64,
    /// Nor in the second.
    missed_second: u64,
}

impl Counts {
    /// What is left without those, which were counted with it.
    fn without(self, others: Self) -> Self {
        Self {
            instructions: self.instructions.saturating_sub(others.instructions),
            missed: self.missed.saturating_sub(others.missed),
            missed_second: self.missed_second.saturating_sub(others.missed_second),
        }
    }
}

/// Counts all that is planned, once each, since it comes out the same every time, and prints tables.
pub(crate) fn run(plan: &Plan) -> Result<(), Box<dyn Error>> {
    let directory = target::directory()?.join("slot-maps");
    fs::create_dir_all(&directory)?;
    let file = directory.join("callgrind.out");
    let containers = plan.containers.iter().filter(|container| container.generations);
    let containers: Vec<&Container> = containers.copied().collect();
    let operations: usize = plan.cases.iter().map(|case| case.operations.len()).sum();
    let mut progress = Progress::new(operations * containers.len());
    for PlannedCase { case, operations, .. } in &plan.cases {
        let mut rows = Vec::new();
        for &operation in Operation::ALL.iter().filter(|one| operations.contains(one)) {
            let Some(function) = operation.function() else { continue };
            let mut row = vec![operation.name().to_owned()];
            for container in &containers {
                progress.begin(container.name);
                // A stage without slots costs nothing, and knows as well.
                if !(container.stage)(case.value_bytes, 0).can(operation) {
                    row.push(String::new());
                    continue;
                }
                let with = count(container, *case, operation, function, &file)?;
                let without = match operation.prepared_by() {
                    Some(other) => count(container, *case, other, function, &file)?,
                    None => Counts::default(),
                };
                let times = operation.count(case.slots) * operation.times_in_life();
                row.push(cell(with.without(without), times));
            }
            rows.push(row);
        }
        let header = iter::once("instructions / lines missed / in second level too");
        let header = header.chain(containers.iter().map(|container| container.name));
        let title =
            format!("{} slots, values of {} bytes", numbers::text(case.slots), case.value_bytes);
        println!("{title}\n{}\n", table(1, header.map(str::to_owned).collect(), rows));
    }
    println!(
        "For each operation, by callgrind: instructions executed, and cache lines of 64 bytes that were\n\
         not in a first level of 32 KiB, and of those not in a second of 1 MiB either."
    );
    Ok(())
}

/// What the function came to in a process that did the operation.
fn count(
    container: &Container,
    case: Case,
    operation: Operation,
    function: &str,
    file: &Path,
) -> Result<Counts, Box<dyn Error>> {
    let task = Task::Life { container: container.id.to_owned(), case, operations: vec![operation] };
    let child = delegate::command(&task)?;
    let status = Command::new("valgrind")
        .args(["-q", "--tool=callgrind", "--cache-sim=yes"])
        .args(CACHES)
        .arg(format!("--toggle-collect=slot_maps::stage::{function}*"))
        .arg(format!("--callgrind-out-file={}", file.display()))
        .arg(child.get_program())
        .args(child.get_args())
        .stdout(Stdio::null())
        .stderr(Stdio::null()) // it always says something of the caches
        .status()
        .map_err(|error| format!("running valgrind, which --count needs: {error}"))?;
    if !status.success() {
        return Err(format!("valgrind failed: {status}").into());
    }
    read(&fs::read_to_string(file)?).ok_or_else(|| "callgrind's file has no totals".into())
}

/// The totals of callgrind's file, by the names of its events.
fn read(text: &str) -> Option<Counts> {
    let line = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
    let names = line("events: ")?.split_whitespace();
    let totals: Vec<(&str, u64)> = names
        .zip(line("totals: ")?.split_whitespace())
        .filter_map(|(name, total)| Some((name, total.parse().ok()?)))
        .collect();
    let total = |names: &[&str]| {
        totals.iter().filter(|(name, _)| names.contains(name)).map(|(_, total)| total).sum()
    };
    Some(Counts {
        instructions: total(&["Ir"]),
        missed: total(&["D1mr", "D1mw"]),
        missed_second: total(&["DLmr", "DLmw"]),
    })
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn cell(counts: Counts, times: usize) -> String {
    let each = |count: u64| count as f64 / times as f64;
    format!(
        "{:.1} / {:.2} / {:.2}",
        each(counts.instructions),
        each(counts.missed),
        each(counts.missed_second)
    )
}
