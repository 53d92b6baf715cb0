//! Where results are written.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Cargo marks the root of its target directory with a file, wherever it was told to put it.
pub fn directory() -> io::Result<PathBuf> {
    let program = env::current_exe()?;
    let root = program.ancestors().find(|path| path.join("CACHEDIR.TAG").is_file());
    let fallback = program.parent().unwrap_or(Path::new("."));
    Ok(root.unwrap_or(fallback).to_owned())
}

/// Writes files into a folder of the target directory, and returns its path.
pub fn write(folder: &str, files: &[(String, String)]) -> io::Result<PathBuf> {
    let directory = directory()?.join(folder);
    fs::create_dir_all(&directory)?;
    files.iter().try_for_each(|(name, text)| fs::write(directory.join(name), text))?;
    Ok(directory)
}
