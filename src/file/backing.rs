//! [`FileBacking`]: an array's memory in a file.

#![expect(unsafe_code, reason = "keeps the promises of a backing, and writes zeros")]

use super::builder::not_mapped;
use super::error::FileError;
use super::held::Held;
use super::locked::{Lock, Locked};
use super::system;
use super::temporary;
use crate::backing::Backing;
use crate::error::Error;
use crate::reservation::page_size;
use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::ptr::NonNull;
use std::sync::Arc;

/// No file system takes room in larger blocks for a part of one. (Where it does, it refuses by itself.)
const BLOCK_BYTES: u64 = 4 << 10;

/// How a file has room on the disk for what is to be written to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Space {
    /// Allocates disk space when the array grows, so a full disk is an error at that point.
    ///
    /// This does not hold for blocks that share their space with another file, such as those of a reflink copy or of a
    /// snapshot: the file system allocates space for them when they are written to, as for
    /// [`Sparse`](Self::Sparse).
    ///
    /// By `fallocate` on Linux and `posix_fallocate` on FreeBSD; on other systems, and on file systems that
    /// have no such call, by writing zeros. What a file holds already when it is opened is left as it is: holes in it
    /// (of a sparse copy, or because it was [`Sparse`](Self::Sparse) before) take room when they are written to, as for
    /// `Sparse`.
    ///
    /// On Btrfs, new files are created without copy-on-write (`chattr +C`), which also disables checksums and compression.
    /// With copy-on-write, a store to a page that was written before needs a new block, and ends the process by a signal
    /// if the disk is full. That still applies to files that were copied to Btrfs or are part of a snapshot, and to ZFS.
    #[default]
    Allocated,
    /// None is taken before something is written: pages that nobody writes to take none, and growing is
    /// faster. Where the disk is full when one is written to, **the process is ended by a signal** (`SIGBUS`),
    /// or an exception.
    Sparse,
}

/// Memory for an array or a map in a file, for as long as the process has it: see
/// [`build_in`](crate::VecBuilder::build_in).
///
/// What the file holds is of no use afterwards, since it says nowhere how many elements there are; a
/// [`FileVec`](crate::FileVec) does. But it may be larger than memory, and is not charged to what the system may
/// promise.
///
/// Growing takes room on the disk ([`Space::Allocated`]), and a full one is an error
/// ([`Disk`](crate::ErrorKind::Disk)). Giving memory back gives that back, too, where the file system can do so.
///
/// # Examples
///
/// ```
/// use stayput::{FileBacking, VmVec};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let backing = FileBacking::temporary_in(std::env::temp_dir(), 1 << 30)?;
/// let mut samples: VmVec<u64> = VmVec::builder().try_build_in(backing)?;
/// samples.extend(0..100_000);
/// assert_eq!(samples[99_999], 99_999);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct FileBacking {
    held: Arc<Held>,
    /// Where in the file it begins.
    offset: usize,
    space: Space,
    /// In what units it is committed.
    run: usize,
    /// Up to where it holds what is to stay when it is committed first.
    kept: usize,
    /// Up to where the file may hold what nobody wants any more.
    stale: usize,
}

impl FileBacking {
    /// Memory of so many bytes in a new file without a name, in a folder.
    ///
    /// # Errors
    ///
    /// If no file can be made there, or not mapped.
    pub fn temporary_in(folder: impl AsRef<Path>, bytes: usize) -> Result<Self, FileError> {
        let file = temporary::file_in(folder.as_ref())?;
        Self::over(file, bytes)
    }

    /// Memory of so many bytes in a file that is open for reading and writing: a `memfd`, shared memory by its
    /// name, or a plain file. What it holds is lost.
    ///
    /// # Errors
    ///
    /// If it cannot be mapped.
    ///
    /// # Safety
    ///
    /// - For as long as the array is there nobody cuts the file, or writes to it.
    pub unsafe fn from_file(file: File, bytes: usize) -> Result<Self, FileError> {
        Self::over(file, bytes)
    }

    fn over(file: File, bytes: usize) -> Result<Self, FileError> {
        let file = Locked::new(file, Lock::None, None)?;
        let held = Held::new(file, None, bytes);
        let held = held.map_err(|(_, error)| not_mapped(error, bytes).at(None))?;
        let long = held.file_bytes().map_err(|error| held.error(error))?;
        let stale = usize::try_from(long).unwrap_or(bytes).min(bytes);
        let (held, space) = (Arc::new(held), Space::Allocated);
        Ok(Self { held, offset: 0, space, run: page_size(), kept: 0, stale })
    }

    /// The part behind an offset of a file that was so long, of which the first `kept` bytes are to stay.
    pub(super) fn part(
        held: Arc<Held>,
        offset: usize,
        space: Space,
        kept: usize,
        file_bytes: u64,
    ) -> Self {
        let stale = file_bytes.saturating_sub(offset as u64);
        let most = held.map().bytes() - offset;
        let stale = usize::try_from(stale).unwrap_or(most).min(most);
        // Opening commits exactly the bytes that are kept, so that it takes no space on a full disk.
        Self { held, offset, space, run: 1, kept, stale }
    }

    fn in_file(&self, range: &Range<usize>) -> Range<u64> {
        (self.offset + range.start) as u64..(self.offset + range.end) as u64
    }

    fn in_map(&self, range: &Range<usize>) -> Range<usize> {
        self.offset + range.start..self.offset + range.end
    }

    /// Takes room for a part that nobody counts on, which reads as zero then.
    fn take(&mut self, range: &Range<usize>) -> Result<(), Error> {
        let in_file = self.in_file(range);
        let refused = |error| system::refused(&error, in_file.end);
        let file = self.held.file();
        let long = self.held.file_bytes().map_err(refused)?;
        if in_file.end > long {
            system::check_limit(in_file.end)?;
        }
        let stale = range.start..range.end.min(self.stale);
        let is_clean =
            stale.is_empty() || system::punch(file, self.in_file(&stale)).map_err(refused)?;
        match self.space {
            Space::Allocated => {
                // What is left of the last block of the file is there.
                let more = in_file.end.saturating_sub(long.next_multiple_of(BLOCK_BYTES));
                system::check_room(file, more, in_file.end)?;
                let taken = system::take_room(file, in_file.clone());
                if taken.is_err() && in_file.end > long {
                    // What could be had of it. If that stays, it is used the next time.
                    let _ = system::cut(file, long);
                }
                taken.map_err(refused)?;
            }
            Space::Sparse if in_file.end > long => file.set_len(in_file.end).map_err(refused)?,
            Space::Sparse => {}
        }
        if !is_clean {
            let first = self.held.map().at(self.offset + stale.start);
            // SAFETY: inside what is mapped, and the file is as long now. Nobody uses it: it was not committed.
            unsafe { first.write_bytes(0, stale.len()) };
        }
        Ok(())
    }
}

// SAFETY: the mapping stays while `held` does, which is part of it, wherever it is moved; nobody writes to that
// part of the file but the array, by the promise of who opened it (a lock, or no name). What is committed is
// zero: behind the end of the file, or a hole, or written so; but for what is `kept`, which only this module
// asks for, and counts on. What was committed stays, since nothing cuts the file before `held` ends, and only
// what is decommitted or discarded is punched. A refused call changes nothing that anybody uses; none unwinds but
// by a bug, and then the state of the file is as after a refused one.
unsafe impl Backing for FileBacking {
    fn start(&self) -> NonNull<u8> {
        self.held.map().at(self.offset)
    }

    fn reserved_bytes(&self) -> usize {
        self.held.map().bytes() - self.offset
    }

    unsafe fn commit(&mut self, range: Range<usize>) -> Result<(), Error> {
        let taken = range.start.max(self.kept)..range.end;
        if taken.is_empty() { Ok(()) } else { self.take(&taken) }
    }

    unsafe fn decommit(&mut self, range: Range<usize>) -> Result<(), Error> {
        let in_file = self.in_file(&range);
        let end = in_file.end;
        let is_clean = system::punch(self.held.file(), in_file);
        let is_clean = is_clean.map_err(|error| system::refused(&error, end))?;
        self.kept = self.kept.min(range.start);
        if !is_clean {
            self.stale = self.stale.max(range.end);
        } else if range.end >= self.stale {
            self.stale = self.stale.min(range.start);
        }
        Ok(())
    }

    unsafe fn discard(&mut self, range: Range<usize>) -> Result<(), Error> {
        let in_file = self.in_file(&range);
        // It stays committed, so its room does too: who gave it away might not get it back.
        let discarded = match self.space {
            Space::Allocated => system::zero(self.held.file(), in_file),
            Space::Sparse => system::punch(self.held.file(), in_file),
        };
        if discarded.unwrap_or(false) {
            return Ok(());
        }
        let first = self.held.map().at(self.offset + range.start);
        // SAFETY: committed and not in use by the caller's promise.
        unsafe { first.write_bytes(0, range.len()) };
        Ok(())
    }

    unsafe fn prefault(&mut self, range: Range<usize>) -> Result<(), Error> {
        let in_map = self.in_map(&range);
        system::populate(self.held.map().raw(), in_map)
            .map_err(|error| system::refused(&error, range.len() as u64))
    }

    fn run_bytes(&self) -> usize {
        self.run
    }
}
