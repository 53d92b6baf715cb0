//! [`MappedFile`]: a mapped file, and how it ends.

#![forbid(unsafe_code)]

use super::error::{FileError, FileErrorKind};
use super::header::{HEADER_BYTES, LIVE_AT, Record};
use super::locked::Locked;
use super::map::{BOOT_AT, MOST_AT, Map, OPENINGS_AT, REMOVALS_AT};
use super::system;
use crate::error::Error;
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};
use std::sync::{Mutex, PoisonError};

/// A file that is mapped for writing, shared by its array and the memory of that array.
#[derive(Debug)]
pub(super) struct MappedFile {
    /// `None` only after the end.
    map: Option<Map>,
    /// `None` only after the end, if the file was returned.
    file: Option<Locked>,
    path: Option<PathBuf>,
    /// The folder of the file if its name is not durable yet and the folder could be opened.
    folder: Option<File>,
    /// The length of the file at the end, unless it is set by elements.
    bytes: u64,
    /// The size of an element; `None` if elements do not set the length.
    element_bytes: Option<usize>,
    /// The most elements ever published, as in the header. The file is not truncated below them, because readers may be
    /// reading them.
    most: AtomicUsize,
    /// Whether the file's name in its folder is durable.
    is_name_durable: AtomicBool,
    /// Whether a write to the disk has failed. After that, the contents of the disk are unknown, and the next call of
    /// the system may succeed. Locked during each sync, because the system reports a failure to only one of several
    /// concurrent calls.
    has_failed: Mutex<bool>,
}

impl MappedFile {
    /// Maps `bytes` of a file, which has the length `end` at the end; or returns the file, of its present length, with
    /// the error.
    pub(super) fn new(
        file: Locked,
        path: Option<&Path>,
        bytes: usize,
        end: u64,
    ) -> Result<Self, (Locked, io::Error)> {
        let mapped = file.file().metadata().and_then(|metadata| {
            let map = system::prepare_past_end(file.file(), bytes as u64)
                .and_then(|()| Map::new(file.file(), bytes, true));
            if map.is_err() {
                // Undoes the stretching. If that fails, the greater length does no harm.
                let _ = system::cut(file.file(), metadata.len());
            }
            map
        });
        match mapped {
            Err(error) => Err((file, error)),
            Ok(map) => Ok(Self {
                map: Some(map),
                file: Some(file),
                path: path.map(Path::to_owned),
                folder: None,
                bytes: end,
                element_bytes: None,
                most: AtomicUsize::new(0),
                is_name_durable: AtomicBool::new(true),
                has_failed: Mutex::new(false),
            }),
        }
    }

    /// From now on the file is empty at the end, unless elements set its length.
    pub(super) fn is_emptied(&mut self) {
        self.bytes = 0;
    }

    /// From now on elements set the length at the end: those present then, but at least `most`.
    pub(super) fn count_elements(&mut self, element_bytes: usize, most: usize) {
        self.element_bytes = Some(element_bytes);
        self.most = AtomicUsize::new(most);
    }

    /// Writes to the header with a system call. On a full disk or a read-only file system that returns an error,
    /// whereas a store to the mapping would raise `SIGBUS`.
    pub(super) fn write(&self, at: usize, bytes: &[u8]) -> Result<(), FileError> {
        let write = || system::write_at(self.file(), bytes, at as u64);
        #[cfg(all(test, not(no_vm)))]
        let write = || super::tests::loss::may_write().and_then(|()| write());
        let written = write();
        written.map_err(|error| self.error(error))?;
        if !system::MAPS_SEE_WRITES {
            self.map().write(at, bytes);
        }
        Ok(())
    }

    /// Writes the bytes of a range to the file again, except for holes.
    pub(super) fn rewrite_data(&self, range: Range<u64>) -> Result<(), FileError> {
        let mut left = range.clone();
        while let Some(data) = system::data_in(self.file(), left.clone()) {
            left.start = data.end;
            system::rewrite(self.file(), data).map_err(|error| self.error(error))?;
        }
        #[cfg(all(test, not(no_vm)))]
        super::tests::loss::is_rewritten(range);
        Ok(())
    }

    /// Publishes the length that a writer starts with and the boot it belongs to, and clears the mark of a failure.
    /// `is_cut` tells that readers may have seen more elements; the removal has begun then, and ends.
    ///
    /// The boot is written last: a reader that sees it also sees the length.
    pub(super) fn begin_live(
        &self,
        len: usize,
        is_cut: bool,
        boot: Option<[u8; 16]>,
    ) -> Result<(), FileError> {
        self.write(LIVE_AT, &(len as u64).to_ne_bytes())?;
        if is_cut {
            self.end_removal()?;
        }
        self.write_boot(boot.unwrap_or_default(), false)
    }

    /// Marks the live length found by an opening as one that does not count, as after a failed flush. If the opening
    /// fails after [`begin_live`](Self::begin_live), the next one counts as lost what this one dropped.
    pub(super) fn restore_lost(&self, live: usize) {
        if self.write_boot([0; 16], true).is_ok() {
            let _ = self.write(LIVE_AT, &(live as u64).to_ne_bytes());
        }
    }

    /// Writes the number of removals that a new file starts with: a random one, so that a reader that follows the file
    /// while it is created anew notices. It is even and not zero, and neither is its low word.
    pub(super) fn start_removals(&self) -> Result<(), FileError> {
        // Each `RandomState` has its own keys.
        let random = RandomState::new().hash_one(0);
        self.write(REMOVALS_AT, &((random & !1) | 2).to_ne_bytes())
    }

    /// Begins a removal, as [`map::begin_removal`](super::map::begin_removal) does, with a system call.
    pub(super) fn begin_removal(&self) -> Result<(), FileError> {
        self.write(REMOVALS_AT, &(self.number(REMOVALS_AT) | 1).to_ne_bytes())
    }

    /// Ends a removal, as [`map::end_removal`](super::map::end_removal) does, with a system call.
    fn end_removal(&self) -> Result<(), FileError> {
        let count = (self.number(REMOVALS_AT) | 1).wrapping_add(1);
        self.write(REMOVALS_AT, &count.to_ne_bytes())?;
        fence(Ordering::Release);
        Ok(())
    }

    fn number(&self, at: usize) -> u64 {
        u64::from_ne_bytes(self.map().header().read(at))
    }

    fn write_boot(&self, boot: [u8; 16], has_failed: bool) -> Result<(), FileError> {
        let mut bytes = [0; 24];
        bytes[..16].copy_from_slice(&boot);
        bytes[16..].copy_from_slice(&u64::from(has_failed).to_ne_bytes());
        self.write(BOOT_AT, &bytes)
    }

    /// Marks the file as one whose contents may not be on the disk, and tries to make the mark durable. The next open
    /// then continues from the last durable record, even in the same boot.
    fn mark_unsynced(&self) {
        debug_assert!(
            self.element_bytes.is_some(),
            "without a header, this would overwrite the user's bytes"
        );
        if self.write_boot([0; 16], true).is_ok() {
            let _ = system::sync(self.file(), self.map().raw(), 0..HEADER_BYTES);
        }
    }

    /// Notes that the name of the file, if it has one, may not be durable.
    pub(super) fn name_is_new(&mut self) {
        self.folder = self.path().and_then(system::folder_of);
        self.is_name_durable = AtomicBool::new(self.path.is_none());
    }

    pub(super) fn map(&self) -> &Map {
        self.map.as_ref().expect("the file is still open")
    }

    pub(super) fn file(&self) -> &File {
        self.file.as_ref().expect("the file is still open").file()
    }

    /// Shows readers that the live length is that of a running writer, whichever boot the header names, and counts the
    /// opening. Called after the length was written.
    ///
    /// In this order, so that a reader that does not see the writer yet has not seen the count, either.
    pub(super) fn announce(&mut self) -> Result<(), FileError> {
        self.file.as_mut().expect("the file is still open").announce();
        self.write(OPENINGS_AT, &self.number(OPENINGS_AT).wrapping_add(1).to_ne_bytes())
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

    /// Records the number of published elements before some are removed.
    pub(super) fn note_most(&self, len: usize) {
        if len > self.most.load(Ordering::Relaxed) {
            self.most.store(len, Ordering::Relaxed);
            self.map().write(MOST_AT, &(len as u64).to_ne_bytes());
        }
    }

    /// Returns the last number recorded; there may be more elements now.
    pub(super) fn most(&self) -> usize {
        self.most.load(Ordering::Relaxed)
    }

    /// Makes what was written to a part of the file durable, together with the length of the file.
    pub(super) fn sync(&self, range: Range<usize>) -> Result<(), FileError> {
        self.sync_record(None, range)
    }

    /// Makes a part durable as [`sync`](Self::sync) does, including a record that was just written. On failure the
    /// record is erased, because only the one before it is known to be durable.
    pub(super) fn sync_record(
        &self,
        record: Option<&Record>,
        range: Range<usize>,
    ) -> Result<(), FileError> {
        let sync = || system::sync(self.file(), self.map().raw(), range.clone());
        self.noting_failure(record, sync)?;
        // Otherwise a file that another program has truncated would count as durable.
        let long = self.file_bytes().map_err(|error| self.error(error))?;
        if range.end as u64 > long {
            let error = FileError::new(FileErrorKind::Length, self.path());
            return Err(error.with_numbers(long, range.end as u64));
        }
        #[cfg(all(test, not(no_vm)))]
        super::tests::loss::is_durable(range);
        Ok(())
    }

    fn noting_failure(
        &self,
        record: Option<&Record>,
        sync: impl FnOnce() -> io::Result<()>,
    ) -> Result<(), FileError> {
        let mut has_failed = self.has_failed.lock().unwrap_or_else(PoisonError::into_inner);
        if *has_failed {
            return Err(FileError::new(FileErrorKind::Failed, self.path()));
        }
        #[cfg(all(test, not(no_vm)))]
        let sync = || super::tests::loss::may_sync().and_then(|()| sync());
        sync().map_err(|error| {
            *has_failed = true;
            // Before the mark: an open that finds the mark must not find this record.
            if let Some(record) = record {
                let _ = self.write(record.at(), &[0; Record::BYTES]);
            }
            self.mark_unsynced();
            self.error(error)
        })
    }

    /// Starts writing a part to the disk.
    pub(super) fn begin_sync(&self, range: Range<usize>) -> Result<(), FileError> {
        let begin = || system::begin_sync(self.file(), self.map().raw(), range);
        if cfg!(target_os = "linux") {
            // `sync_file_range` does not consume errors: a later `sync` reports them.
            return begin().map_err(|error| self.error(error));
        }
        self.noting_failure(None, begin)
    }

    /// Makes the name durable, once.
    pub(super) fn sync_name(&self) -> Result<(), FileError> {
        if !self.is_name_durable.load(Ordering::Relaxed) {
            self.noting_failure(None, || system::sync_name(self.file(), self.folder.as_ref()))?;
            #[cfg(all(test, not(no_vm)))]
            super::tests::loss::is_durable(0..usize::MAX);
            self.is_name_durable.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    pub(super) fn file_bytes(&self) -> io::Result<u64> {
        Ok(self.file().metadata()?.len())
    }

    /// Unmaps the file and truncates it to its contents; except in a forked child, whose parent may use the space.
    fn end(&mut self) -> io::Result<()> {
        if self.file.as_ref().is_some_and(Locked::is_inherited) {
            self.map = None;
            return Ok(());
        }
        let has_failed = *self.has_failed.get_mut().unwrap_or_else(PoisonError::into_inner);
        if self.map.is_some() && has_failed {
            // The disk may accept the mark now.
            self.mark_unsynced();
        }
        let Some(map) = self.map.take() else { return Ok(()) };
        let bytes = match self.element_bytes {
            None => self.bytes,
            Some(element_bytes) => {
                let most = *self.most.get_mut() as u64;
                let len = live_len(self.file(), &map)?.max(most);
                (HEADER_BYTES as u64).saturating_add(len.saturating_mul(element_bytes as u64))
            }
        };
        // Some systems do not truncate a mapped file.
        drop(map);
        let file = self.file();
        if file.metadata()?.len() > bytes { system::cut(file, bytes) } else { Ok(()) }
    }

    pub(super) fn into_file(mut self) -> Result<File, FileError> {
        let ended = self.end();
        ended.map_err(|error| self.error(error))?;
        Ok(self.file.take().expect("it is taken once").into_file())
    }
}

/// Reads the live length with a system call, if that sees what was stored to the mapping: a load of a page that the
/// disk cannot read, or that another program has cut off, would raise `SIGBUS`.
fn live_len(file: &File, map: &Map) -> io::Result<u64> {
    if !system::MAPS_SEE_WRITES {
        return Ok(map.header().whole_live_len());
    }
    let mut bytes = [0; 8];
    system::read_at(file, &mut bytes, LIVE_AT as u64)?;
    Ok(u64::from_ne_bytes(bytes))
}

impl Drop for MappedFile {
    fn drop(&mut self) {
        // A file that is too long is still valid, and a drop cannot report errors.
        let _ = self.end();
    }
}
