//! [`Held`]: a file that is mapped, and what becomes of it at the end.

#![forbid(unsafe_code)]

use super::error::{FileError, FileErrorKind};
use super::header::HEADER_BYTES;
use super::locked::Locked;
use super::map::Map;
use super::system;
use crate::error::Error;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A file that is mapped for writing. Who has an array in it, and the array's memory, share it.
#[derive(Debug)]
pub(super) struct Held {
    /// `None` only when it has ended.
    map: Option<Map>,
    /// `None` only when it has ended, and gave the file away.
    file: Option<Locked>,
    path: Option<PathBuf>,
    /// The folder of a file whose name is new, wherever the process goes from there.
    folder: Option<PathBuf>,
    /// How long the file is to be at the end, unless elements say so.
    bytes: u64,
    /// How large elements are, if there are any that count.
    element_bytes: Option<usize>,
    /// The most elements that others were ever told of, as the header has it, too. So many stay: who follows may be
    /// reading them.
    most: AtomicUsize,
    /// Whether the folder has the name for good.
    is_name_durable: AtomicBool,
    /// Whether writing it to the disk has failed: then what is there is not known, and the system may say that all
    /// is well the next time.
    has_failed: AtomicBool,
}

impl Held {
    /// Maps so many bytes of a file, which is to be as long as it is now at the end. Or else gives it back.
    pub(super) fn new(
        file: Locked,
        path: Option<&Path>,
        bytes: usize,
    ) -> Result<Self, (Locked, io::Error)> {
        let mapped = file.file().metadata().and_then(|metadata| {
            let long = metadata.len();
            let map = system::stretch(file.file(), bytes as u64)
                .and_then(|()| Map::new(file.file(), bytes, true));
            if map.is_err() {
                // Where it was stretched; it can be longer at no harm.
                let _ = system::cut(file.file(), long);
            }
            Ok((map?, long))
        });
        match mapped {
            Err(error) => Err((file, error)),
            Ok((map, long)) => Ok(Self {
                map: Some(map),
                file: Some(file),
                path: path.map(Path::to_owned),
                folder: None,
                bytes: long,
                element_bytes: None,
                most: AtomicUsize::new(0),
                is_name_durable: AtomicBool::new(true),
                has_failed: AtomicBool::new(false),
            }),
        }
    }

    /// From here on elements say how long the file is to be at the end: those that are there, `most` of which there
    /// ever were.
    pub(super) fn count_elements(&mut self, element_bytes: usize, most: usize) {
        self.element_bytes = Some(element_bytes);
        self.note_most(most);
    }

    /// Its name is new.
    pub(super) fn name_is_new(&mut self) {
        let path =
            self.path().map(|path| std::path::absolute(path).unwrap_or_else(|_| path.into()));
        self.folder = path.and_then(|path| path.parent().map(Path::to_owned));
        self.is_name_durable = AtomicBool::new(self.folder.is_none());
    }

    pub(super) fn map(&self) -> &Map {
        self.map.as_ref().expect("it has not ended")
    }

    pub(super) fn file(&self) -> &File {
        self.file.as_ref().expect("it has not ended").file()
    }

    /// Shows readers that the live length is that of a running writer, whichever boot the header names. Called after the
    /// length was written.
    pub(super) fn announce(&self) {
        system::announce_writer(self.file());
    }

    pub(super) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    pub(super) fn error(&self, error: io::Error) -> FileError {
        FileError::of_io(error, self.path())
    }

    pub(super) fn refused(&self, error: Error) -> FileError {
        FileError::of_error(error, self.path())
    }

    /// Takes note that others were told of so many elements, of which some go now.
    pub(super) fn note_most(&self, len: usize) {
        if len > self.most.load(Ordering::Relaxed) {
            self.most.store(len, Ordering::Relaxed);
            self.map().header_mut().set_most(len);
        }
    }

    /// Makes what was written to a part of the file durable, with how long the file is.
    pub(super) fn sync(&self, range: Range<usize>) -> Result<(), FileError> {
        self.noting_failure(|| system::sync(self.file(), self.map().raw(), range))
    }

    /// The same, but how long it is may not be.
    pub(super) fn sync_range(&self, range: Range<usize>) -> Result<(), FileError> {
        self.noting_failure(|| system::sync_range(self.file(), self.map().raw(), range))
    }

    fn noting_failure(&self, sync: impl FnOnce() -> io::Result<()>) -> Result<(), FileError> {
        if self.has_failed.load(Ordering::Relaxed) {
            return Err(FileError::new(FileErrorKind::Failed, self.path()));
        }
        sync().map_err(|error| {
            self.has_failed.store(true, Ordering::Relaxed);
            self.error(error)
        })?;
        #[cfg(all(test, not(no_vm)))]
        super::tests::loss::is_durable();
        Ok(())
    }

    /// Begins to write a part to the disk.
    pub(super) fn begin_sync(&self, range: Range<usize>) -> Result<(), FileError> {
        system::begin_sync(self.file(), self.map().raw(), range).map_err(|error| self.error(error))
    }

    /// Makes the name durable, once.
    pub(super) fn sync_name(&self) -> Result<(), FileError> {
        if self.is_name_durable.load(Ordering::Relaxed) {
            return Ok(());
        }
        let folder = self.folder.as_deref();
        folder.map_or(Ok(()), system::sync_folder).map_err(|error| self.error(error))?;
        self.is_name_durable.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// How long the file is.
    pub(super) fn file_bytes(&self) -> io::Result<u64> {
        Ok(self.file().metadata()?.len())
    }

    /// Unmaps the file, and cuts it to what it holds.
    fn end(&mut self) -> io::Result<()> {
        let Some(map) = self.map.take() else { return Ok(()) };
        let bytes = match self.element_bytes {
            None => self.bytes,
            Some(element_bytes) => {
                let len = map.header().live_len().max(*self.most.get_mut());
                (HEADER_BYTES as u64)
                    .saturating_add((len as u64).saturating_mul(element_bytes as u64))
            }
        };
        // Some systems cut nothing that is mapped.
        drop(map);
        let file = self.file();
        if file.metadata()?.len() > bytes { system::cut(file, bytes) } else { Ok(()) }
    }

    /// Ends it, and gives the file back.
    pub(super) fn into_file(mut self) -> Result<File, FileError> {
        let ended = self.end();
        ended.map_err(|error| self.error(error))?;
        Ok(self.file.take().expect("nobody has taken it").into_file())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // A file that is too long holds what it holds all the same, and nobody is there to be told.
        let _ = self.end();
    }
}
