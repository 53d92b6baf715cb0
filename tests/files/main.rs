//! Arrays in files, as their users see them.

include!("../common/arbitrary.rs");

mod arrays;
mod backing;
#[path = "../common/child.rs"]
mod child;
mod crashes;
mod damage;
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
mod disks;
#[path = "../common/effort.rs"]
mod effort;
mod follow;
#[path = "../common/history.rs"]
mod history;
#[path = "../common/made.rs"]
mod made;
mod next_keys;
#[cfg(target_os = "linux")]
#[path = "../common/process.rs"]
mod process;
#[cfg(target_os = "linux")]
mod refused;
#[cfg(target_os = "linux")]
mod signals;
mod snapshots;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder of a test's own, which goes with it.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let (process, count) = (std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
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
