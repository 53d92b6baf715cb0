//! [`Locked`]: a file that nobody else writes to.

#![forbid(unsafe_code)]

use super::error::{FileError, FileErrorKind};
use super::system;
use std::fs::File;
use std::path::Path;

/// Whether others are kept from writing to the file of an array.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Lock {
    /// The file is locked for as long as the array has it, and the array is refused if another has it. The lock
    /// holds between arrays of this crate and others that ask for it (`flock`, `LockFileEx`); who does not ask
    /// can write to the file all the same.
    #[default]
    Exclusive,
    /// It is not: for file systems that have no locks. That there is one array only is the caller's affair.
    None,
}

/// A file, locked or not. A lock ends by hand: a child that was just made may have the file open for a while.
#[derive(Debug)]
pub(super) struct Locked {
    /// `None` only when it was given away.
    file: Option<File>,
    lock: Lock,
}

impl Locked {
    pub(super) fn new(file: File, lock: Lock, path: Option<&Path>) -> Result<Self, FileError> {
        if lock == Lock::Exclusive {
            let is_locked = system::try_lock(&file);
            if !is_locked.map_err(|error| FileError::of_io(error, path))? {
                return Err(FileError::new(FileErrorKind::Locked, path));
            }
        }
        Ok(Self { file: Some(file), lock })
    }

    pub(super) fn file(&self) -> &File {
        self.file.as_ref().expect("it was not given away")
    }

    /// The file, without the lock.
    pub(super) fn into_file(mut self) -> File {
        self.unlock();
        self.file.take().expect("it was not given away")
    }

    fn unlock(&mut self) {
        if let Some(file) = &self.file {
            system::withdraw_writer(file);
        }
        if let (Lock::Exclusive, Some(file)) = (self.lock, &self.file) {
            system::unlock(file);
        }
        self.lock = Lock::None;
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        self.unlock();
    }
}
