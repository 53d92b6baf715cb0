//! Where results are written.

use std::path::{Path, PathBuf};
use std::{env, io};

/// Cargo marks the root of its target directory with a file, wherever it was told to put it.
pub fn directory() -> io::Result<PathBuf> {
    let program = env::current_exe()?;
    let root = program.ancestors().find(|path| path.join("CACHEDIR.TAG").is_file());
    let fallback = program.parent().unwrap_or(Path::new("."));
    Ok(root.unwrap_or(fallback).to_owned())
}
