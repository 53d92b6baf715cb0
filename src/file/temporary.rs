//! Files created under temporary names: files that lose the name at once, and files that replace another once they are
//! complete.
//!
//! A temporary file is locked for as long as its process uses it under that name, so the next process that creates one
//! in the same folder recognizes and removes those that a killed process left. On file systems without locks, they
//! stay.

#![forbid(unsafe_code)]

use super::error::{FileError, FileErrorKind};
use super::header::FileProblem;
use super::system;
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};

/// Creates a file without a name in a folder.
pub(super) fn file_in(folder: &Path) -> Result<File, FileError> {
    let (file, path) = create_in(folder, &system::temporary_options(), folder)?;
    system::unlink(&path).map_err(|error| FileError::of_io(error, Some(&path)))?;
    Ok(file)
}

/// Creates a file with what `write` writes, makes it durable, and names it. An existing file of that name is replaced
/// as a whole; the new one has its permissions.
pub(super) fn replace(
    path: &Path,
    write: impl FnOnce(&File) -> Result<(), FileProblem>,
) -> Result<(), FileError> {
    // Renaming would replace a device, too.
    if path.symlink_metadata().is_ok_and(|found| !found.is_file() && !found.is_symlink()) {
        return Err(FileError::new(FileErrorKind::NotAFile, Some(path)));
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    remove_abandoned(folder);
    let (file, new) = create_in(folder, &OpenOptions::new(), path)?;
    // Before the file is replaced: afterwards a refusal, as by the limit of open files, would be an error of a `save`
    // that has taken place.
    let folder = system::folder_of(&new);
    let replaced = (|| {
        if let Ok(metadata) = path.metadata() {
            file.set_permissions(metadata.permissions())?;
        }
        write(&file)?;
        file.sync_all()?;
        // The lock ends after this: until then no process may take the new file for an abandoned one.
        fs::rename(&new, path)?;
        Ok(system::sync_name(&file, folder.as_ref())?)
    })();
    replaced.map_err(|problem: FileProblem| {
        // If that fails, the next call removes it.
        let _ = fs::remove_file(&new);
        problem.at(Some(path))
    })
}

const PREFIX: &str = ".stayput-";

fn is_temporary_name(name: &OsStr) -> bool {
    let digits = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
    digits.is_some_and(|digits| {
        digits.len() == 16 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

/// Removes temporary files that no process has locked. A file that cannot be removed is left to the next call.
fn remove_abandoned(folder: &Path) {
    for entry in folder.read_dir().into_iter().flatten().flatten() {
        // Opening a pipe would wait for its other end.
        let is_file = entry.file_type().is_ok_and(|file_type| file_type.is_file());
        if !is_file || !is_temporary_name(&entry.file_name()) {
            continue;
        }
        let Ok(file) = File::open(entry.path()) else { continue };
        if system::try_lock(&file).unwrap_or(false) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Creates and locks a file. Errors name `name`.
fn create_in(
    folder: &Path,
    options: &OpenOptions,
    name: &Path,
) -> Result<(File, PathBuf), FileError> {
    const TRIES: usize = 100;
    let mut options = options.clone();
    options.read(true).write(true).create_new(true);
    let mut tries = 0;
    loop {
        // Each `RandomState` has its own keys.
        let path = folder.join(format!("{PREFIX}{:016x}", RandomState::new().hash_one(tries)));
        match options.open(&path) {
            // Another process may have removed it as abandoned before it was locked.
            Ok(file) if system::try_lock(&file).unwrap_or(true) && path.exists() => {
                return Ok((file, path));
            }
            Ok(_) if tries < TRIES => {}
            Ok(_) => return Err(FileError::new(FileErrorKind::Locked, Some(name))),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tries < TRIES => {}
            Err(error) => return Err(FileError::of_io(error, Some(name))),
        }
        tries += 1;
    }
}
