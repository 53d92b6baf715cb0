//! Counts instructions and cache lines instead of time, on a processor that Valgrind's callgrind simulates.
//! Other programs do not disturb it, but it does not model a real processor's parallelism.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// The first level that most processors have for data, and a second level in place of the last, since that is
/// where a miss in the first goes: bytes, ways, bytes a line.
const CACHES: [&str; 2] = ["--D1=32768,8,64", "--LL=1048576,16,64"];

/// The meaning of a cell's numbers.
pub const COLUMNS: &str = "instructions / lines missed / also in second level";

/// The meaning of the cells, in sentences.
pub const LEGEND: &str = "For each operation, by callgrind: instructions executed, and cache lines of 64 bytes that were\n\
     not in a first level of 32 KiB, and of those not in a second of 1 MiB either.";

/// The totals of callgrind.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    instructions: u64,
    /// Lines that were read or written and not in the first level.
    missed: u64,
    /// Lines that were in neither level.
    missed_second: u64,
}

impl Counts {
    /// Subtracts counts that were included.
    #[must_use]
    pub fn without(self, others: Self) -> Self {
        Self {
            instructions: self.instructions.saturating_sub(others.instructions),
            missed: self.missed.saturating_sub(others.missed),
            missed_second: self.missed_second.saturating_sub(others.missed_second),
        }
    }

    /// Returns the counts for each of `times` operations, as a cell of a table.
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    pub fn cell(self, times: usize) -> String {
        let each = |count: u64| count as f64 / times as f64;
        format!(
            "{:.1} / {:.2} / {:.2}",
            each(self.instructions),
            each(self.missed),
            each(self.missed_second)
        )
    }
}

/// Runs a child under callgrind. Counts the functions whose names match, and everything they call, and returns
/// the child's standard output too.
pub fn count(
    child: &Command,
    functions: &str,
    file: &Path,
) -> Result<(Counts, Vec<u8>), Box<dyn Error>> {
    let output = Command::new("valgrind")
        .args(["-q", "--tool=callgrind", "--cache-sim=yes"])
        .args(CACHES)
        .arg(format!("--toggle-collect={functions}"))
        .arg(format!("--callgrind-out-file={}", file.display()))
        .arg(child.get_program())
        .args(child.get_args())
        .stdout(Stdio::piped())
        .stderr(Stdio::null()) // callgrind always reports on the caches
        .output()
        .map_err(|error| format!("running valgrind, which --count needs: {error}"))?;
    if !output.status.success() {
        return Err(format!("valgrind failed: {}", output.status).into());
    }
    let counts = read(&fs::read_to_string(file)?).ok_or("callgrind's file has no totals")?;
    Ok((counts, output.stdout))
}

/// Reads the totals of callgrind's file, by the names of its events.
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
