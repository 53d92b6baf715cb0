//! Growth to more than the memory that a control group lets a child have.

use std::fs;
use std::path::{Path, PathBuf};

use bench_common::harness::Result;
use bench_common::jobs::{Job, Rounds, rounds_of};
use bench_common::memory::size_text;
use bench_common::table::{Table, table, words};

use crate::arrays::{Contender, ELEMENT_BYTES};
use crate::cli::Plan;
use crate::folder::Folder;
use crate::growth::{Grown, Growth};

/// A control group with a limit of memory, which goes with it.
struct Group {
    path: PathBuf,
}

impl Group {
    fn new(limit: usize) -> Option<Self> {
        let name = format!("stayput-bench-{}", std::process::id());
        let kinds =
            [("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")];
        kinds.into_iter().find_map(|(root, file)| {
            let path = Path::new(root).join(&name);
            fs::create_dir(&path).ok()?;
            let this = Self { path };
            fs::write(this.path.join(file), limit.to_string()).ok()?;
            Some(this)
        })
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // It is empty, and harms nobody.
        let _ = fs::remove_dir(&self.path);
    }
}

/// All of them in turns; none, where no limit can be set. Of what was ended for the memory that it took nothing is
/// found.
pub(crate) fn measure(plan: &Plan) -> Result<Vec<Rounds<Contender, Option<Grown>>>> {
    let Some(group) = Group::new(plan.limit_bytes) else {
        eprintln!("no limit of memory can be set here: growth beyond it is left out");
        return Ok(Vec::new());
    };
    let count = plan.limit_bytes * 2 / ELEMENT_BYTES;
    let name = |contender: &Contender| format!("growth beyond memory of {}", contender.name());
    rounds_of(plan.contenders.iter().copied(), plan.repetitions, name, |&contender| {
        let own = Folder::new(&plan.folder)?;
        let (folder, group) = (own.path().to_owned(), Some(group.path.clone()));
        // Reading here and there would be a matter of the disk alone.
        let growth = Growth { contender, folder, count, reads: 0, group };
        let output = growth.command()?.output()?;
        let found = output.status.success().then(|| serde_json::from_slice(&output.stdout));
        Ok(found.transpose()?)
    })
}

pub(crate) fn show(
    limit_bytes: usize,
    rows: &[Rounds<Contender, Option<Grown>>],
) -> Vec<(String, Table)> {
    let header = words(["array", "push, ns", "range", "worst 64, ms", "range"]);
    let cells = rows.iter().map(|row| {
        let figures = |figure: fn(&Grown) -> f64| {
            let spread = row.spread_of_some(|grown| grown.as_ref().map(figure));
            spread.map_or(["ended".to_owned(), String::new()], |spread| spread.range())
        };
        [
            [row.of.name().to_owned()].as_slice(),
            &figures(|grown| grown.push_ns),
            &figures(|grown| grown.worst_ms),
        ]
        .concat()
    });
    let cells: Vec<Vec<String>> = cells.collect();
    let (all, limit) = (size_text(limit_bytes * 2), size_text(limit_bytes));
    let title = format!("growth to {all} with {limit} of memory");
    if cells.is_empty() { vec![] } else { vec![(title, table(1, header, cells))] }
}
