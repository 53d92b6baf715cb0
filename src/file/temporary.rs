//! Files without a name.

#![forbid(unsafe_code)]

use super::error::FileError;
use super::system;
use std::fs::{File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};

/// A new file in a folder that nobody else can open.
pub(super) fn file_in(folder: &Path) -> Result<File, FileError> {
    let (file, path) = create_in(folder, &system::temporary_options(), folder)?;
    system::unlink(&path).map_err(|error| FileError::of_io(error, Some(&path)))?;
    Ok(file)
}

/// A new file in a folder, which is to have another name, and the one that it has.
pub(super) fn named_in(folder: &Path, name: &Path) -> Result<(File, PathBuf), FileError> {
    create_in(folder, &OpenOptions::new(), name)
}

/// An error is about what has the name.
fn create_in(
    folder: &Path,
    options: &OpenOptions,
    name: &Path,
) -> Result<(File, PathBuf), FileError> {
    const TRIES: usize = 100;
    let mut tries = 0;
    loop {
        // What is random is random for each of them.
        let path = folder.join(format!(".stayput-{:016x}", RandomState::new().hash_one(tries)));
        match options.clone().read(true).write(true).create_new(true).open(&path) {
            Ok(file) => return Ok((file, path)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tries < TRIES => {
                tries += 1;
            }
            Err(error) => return Err(FileError::of_io(error, Some(name))),
        }
    }
}
