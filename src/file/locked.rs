//! [`Locked`]: a file with at most one writer.

#![forbid(unsafe_code)]

use super::error::{FileError, FileErrorKind};
use super::file_set::{FileId, FileSet};
use super::system;
use crate::os;
use std::fs::File;
use std::io;
use std::path::Path;

/// Whether the file of an array is locked against other writers.
///
/// # Examples
///
/// ```
/// use stayput::FileVec;
/// use stayput::file::{FileErrorKind, Lock};
///
/// # let folder = std::env::temp_dir().join(format!("stayput-lock-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// let path = folder.join("scores");
/// // SAFETY: nothing else writes to the file.
/// let writer: FileVec<u32> = unsafe { FileVec::create(&path)? };
/// // SAFETY: the lock keeps other arrays away.
/// let error = unsafe { FileVec::<u32>::open(&path) }.unwrap_err();
/// assert_eq!(error.kind(), FileErrorKind::Locked);
/// drop(writer);
///
/// // On a file system without locks:
/// let options = FileVec::<u32>::builder().lock(Lock::None);
/// // SAFETY: no other array has the file open.
/// let writer = unsafe { options.open(&path)? };
/// # drop(writer);
/// # std::fs::remove_dir_all(folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Lock {
    /// Locks the file for as long as the array has it open, and fails if another array has it locked. The lock is
    /// advisory: it works between arrays of this crate and other code that takes it (`flock`, `LockFileEx`); code that
    /// does not can still write to the file. A forked child process shares the lock until it exits.
    #[default]
    Exclusive,
    /// Takes no lock, for file systems without locks. The caller must ensure that there is only one array.
    None,
}

/// The files that this process has locked. `flock` alone would grant the lock again to a clone of the handle that has
/// it.
static LOCKED: FileSet = FileSet::new();

/// A file, locked or not. The lock is released explicitly: a newly forked child may have the file open for a while.
#[derive(Debug)]
pub(super) struct Locked {
    /// `None` only after [`into_file`](Self::into_file).
    file: Option<File>,
    lock: Lock,
    id: Option<FileId>,
    is_announced: bool,
    /// The number of forks when it was opened.
    forks: usize,
}

impl Locked {
    pub(super) fn new(file: File, lock: Lock, path: Option<&Path>) -> Result<Self, FileError> {
        if system::appends(&file) {
            let error = io::Error::new(
                io::ErrorKind::Unsupported,
                "the file is open for appending; open it for writing",
            );
            return Err(FileError::of_io(error, path));
        }
        let (file, forks) = (Some(file), os::forks());
        let mut this = Self { file, lock: Lock::None, id: None, is_announced: false, forks };
        if lock == Lock::Exclusive && !this.try_lock().map_err(|e| FileError::of_io(e, path))? {
            return Err(FileError::new(FileErrorKind::Locked, path));
        }
        Ok(this)
    }

    fn try_lock(&mut self) -> io::Result<bool> {
        let id = system::file_id(self.file())?;
        if id.is_some_and(|id| !LOCKED.insert(id)) {
            return Ok(false);
        }
        self.id = id;
        // If this fails, dropping `self` removes the entry.
        let is_locked = system::try_lock(self.file())?;
        if is_locked {
            self.lock = Lock::Exclusive;
        }
        Ok(is_locked)
    }

    /// Shows readers that the file has a writer, until it is unlocked.
    pub(super) fn announce(&mut self) {
        self.is_announced = true;
        system::announce_writer(self.file());
    }

    /// Returns `true` in a forked child: the file and its lock are the parent's, which shares the file description.
    pub(super) fn is_inherited(&self) -> bool {
        self.forks != os::forks()
    }

    pub(super) fn file(&self) -> &File {
        self.file.as_ref().expect("`into_file` was not called")
    }

    /// Releases the lock and returns the file.
    pub(super) fn into_file(mut self) -> File {
        self.unlock();
        self.file.take().expect("`into_file` was not called")
    }

    fn unlock(&mut self) {
        let file = self.file.as_ref().filter(|_| !self.is_inherited());
        // A clone of the handle shares the announcement, so only the array that made it ends it.
        if let (true, Some(file)) = (self.is_announced, file) {
            system::withdraw_writer(file);
        }
        if let (Lock::Exclusive, Some(file)) = (self.lock, file) {
            system::unlock(file);
        }
        self.is_announced = false;
        self.lock = Lock::None;
        // Only after the unlock, which would also end the lock of a clone that takes the entry in between.
        if let Some(id) = self.id.take() {
            LOCKED.remove(id);
        }
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        self.unlock();
    }
}
