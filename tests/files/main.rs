//! Arrays in files, as their users see them.

mod arrays;
mod backing;
mod crashes;
mod damage;
#[path = "../common/effort.rs"]
mod effort;
mod follow;
#[path = "../common/history.rs"]
mod history;
mod next_keys;
#[cfg(target_os = "linux")]
mod refused;
mod snapshots;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, process};

/// A folder of a test's own, which goes with it.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let (process, count) = (process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let folder = env::temp_dir().join(format!("stayput-files-{process}-{count}"));
        // Another process may have had the number, and been ended.
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.0.join("array")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const CHILD: &str = "STAYPUT_FILES_CHILD";

/// This program again, to run one of its tests, which is told by a variable what it is for.
pub(crate) fn child(test: &str, told: &Path) -> Command {
    let mut command = Command::new(env::current_exe().expect("it runs"));
    command.args(["--exact", test, "--nocapture", "--test-threads=1"]).env(CHILD, told);
    command
}

/// What this process was told, if it is a child.
pub(crate) fn told() -> Option<PathBuf> {
    env::var_os(CHILD).map(PathBuf::from)
}
