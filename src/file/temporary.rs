//! Files without a name.

#![forbid(unsafe_code)]

use super::error::FileError;
use super::system;
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::Path;

/// A new file in a folder that nobody else can open.
pub(super) fn file_in(folder: &Path) -> Result<File, FileError> {
    const TRIES: usize = 100;
    let mut tries = 0;
    loop {
        // What is random is random for each of them.
        let path = folder.join(format!(".stayput-{:016x}", RandomState::new().hash_one(tries)));
        let mut options = system::temporary_options();
        match options.read(true).write(true).create_new(true).open(&path) {
            Ok(file) => {
                system::unlink(&path).map_err(|error| FileError::of_io(error, Some(&path)))?;
                return Ok(file);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tries < TRIES => {
                tries += 1;
            }
            Err(error) => return Err(FileError::of_io(error, Some(folder))),
        }
    }
}
