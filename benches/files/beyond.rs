//! Growth to more than the memory that a control group lets a child have.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use bench_common::delegate;
use bench_common::harness;
use bench_common::spread::Spread;
use bench_common::table::{Table, table, words};
use serde::Serialize;

use crate::arrays::{Contender, ELEMENT_BYTES};
use crate::growth::Grown;
use crate::task::{Folder, Task};

#[derive(Debug, Serialize)]
pub(crate) struct Row {
    contender: Contender,
    /// `None`: it was ended for the memory that it took.
    push_ns: Option<Spread>,
    worst_ms: Option<Spread>,
}

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

/// All of them in turns; none, where no limit can be set.
pub(crate) fn in_turns(
    contenders: &[Contender],
    inside: &Path,
    limit: usize,
    repetitions: usize,
) -> Result<Option<Vec<Row>>, Box<dyn Error>> {
    let Some(group) = Group::new(limit) else {
        eprintln!("no limit of memory can be set here: growth beyond it is left out");
        return Ok(None);
    };
    let count = limit * 2 / ELEMENT_BYTES;
    let found = harness::in_turns(
        contenders,
        |_| repetitions,
        |contender| format!("growth beyond memory of {}", contender.name()),
        |&contender| {
            let own = Folder::new(inside)?;
            let (folder, group) = (own.path().to_owned(), Some(group.path.clone()));
            // Reading here and there would be a matter of the disk alone.
            let task = Task::Grow { contender, folder, count, reads: 0, group };
            let output = delegate::command(&task)?.output()?;
            let found = output.status.success().then(|| serde_json::from_slice(&output.stdout));
            Ok(found.transpose()?)
        },
    )?;
    let rows = contenders.iter().zip(&found).map(|(contender, found)| {
        let found: Option<Vec<Grown>> = found.iter().copied().collect();
        let of = |figure| found.as_ref().map(|found| Spread::of(found.iter().map(figure)));
        Row {
            contender: *contender,
            push_ns: of(Grown::push_ns as fn(&Grown) -> f64),
            worst_ms: of(Grown::worst_ms),
        }
    });
    Ok(Some(rows.collect()))
}

pub(crate) fn show(rows: &[Row]) -> Table {
    let header = words(["array", "push, ns", "range", "worst 64, ms", "range"]);
    let cells = rows.iter().map(|row| {
        let figures = |spread: Option<Spread>| {
            spread.map_or(["ended".to_owned(), String::new()], |spread| spread.range())
        };
        [
            [row.contender.name().to_owned()].as_slice(),
            &figures(row.push_ns),
            &figures(row.worst_ms),
        ]
        .concat()
    });
    table(1, header, cells.collect())
}
