//! What children do: each contender in each round has a process of its own, and a folder.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use bench_common::delegate;
use bench_common::harness;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::arrays::Contender;
use crate::{follow, growth, open};

#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Task {
    /// In a control group, if one is named.
    Grow {
        contender: Contender,
        folder: PathBuf,
        count: usize,
        reads: usize,
        group: Option<PathBuf>,
    },
    Open {
        contender: Contender,
        folder: PathBuf,
        count: usize,
        is_sparse: bool,
    },
    Latency {
        folder: PathBuf,
        count: usize,
    },
    Reads {
        folder: PathBuf,
        count: usize,
    },
}

pub(crate) fn run(task: &Task) -> harness::Result {
    match task {
        Task::Grow { contender, folder, count, reads, group } => {
            if let Some(group) = group {
                // 0 is the process that writes it.
                fs::write(group.join("cgroup.procs"), "0")?;
            }
            delegate::answer(&growth::grow(*contender, folder, *count, *reads)?)?;
        }
        Task::Open { contender, folder, count, is_sparse } => {
            delegate::answer(&open::open(*contender, folder, *count, *is_sparse)?)?;
        }
        Task::Latency { folder, count } => delegate::answer(&follow::wait_for(folder, *count)?)?,
        Task::Reads { folder, count } => delegate::answer(&follow::read(folder, *count)?)?,
    }
    Ok(())
}

/// A child's outcome.
pub(crate) fn outcome<R: DeserializeOwned>(task: &Task) -> Result<R, Box<dyn Error>> {
    delegate::outcome(delegate::command(task)?)
}

/// A folder that goes with it, and all that is in it.
#[derive(Debug)]
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(inside: &Path) -> Result<Self, Box<dyn Error>> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = inside.join(format!("stayput-bench-{}-{count}", std::process::id()));
        fs::create_dir_all(&path)?;
        Ok(Self(path))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // It is of no use, and harms nobody.
        let _ = fs::remove_dir_all(&self.0);
    }
}
