//! [`FileBacking`]: the memory of an array in a file.

#![expect(unsafe_code, reason = "implements `Backing`, and writes zeros")]

use super::builder::not_mapped;
use super::error::FileError;
use super::locked::{Lock, Locked};
use super::mapped_file::MappedFile;
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

/// File systems are assumed to allocate space in blocks of at most this size. (One with larger blocks refuses by
/// itself when it is full.)
const BLOCK_BYTES: u64 = 4 << 10;

/// When disk space is allocated for a file.
///
/// # Examples
///
/// ```
/// use stayput::FileVec;
/// use stayput::file::Space;
///
/// let mut grid: FileVec<u64> =
///     FileVec::builder().space(Space::Sparse).temporary_in(std::env::temp_dir())?;
/// grid.extend_zeroed(1 << 20); // 8 MiB that take no disk space
/// grid[123_456] = 1; // takes that of one page
/// assert_eq!(grid[123_456] + grid[0], 1);
/// # Ok::<(), stayput::file::FileError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Space {
    /// Allocates disk space when the array grows, so a full disk is an error at that point.
    ///
    /// This does not hold for blocks that share their space with another file, such as those of a reflink copy or of a
    /// snapshot: the file system allocates space for them when they are written to, as for
    /// [`Sparse`](Self::Sparse).
    ///
    /// Uses `fallocate` on Linux and `posix_fallocate` on FreeBSD; on other systems, and on file systems without such
    /// a call, it writes zeros. Contents that a file has when it is opened are left as they are: space for holes in
    /// them (of a sparse copy, or of a file that was [`Sparse`](Self::Sparse) before) is allocated when they are
    /// written to, as for `Sparse`.
    ///
    /// On Btrfs, new files are created without copy-on-write (`chattr +C`), which also disables checksums and
    /// compression. With copy-on-write, a store to a page that was written before needs a new block, and ends the
    /// process by a signal if the disk is full. That still applies to files that were copied to Btrfs or are part of a
    /// snapshot, and to ZFS.
    #[default]
    Allocated,
    /// Allocates disk space when a page is first written to: pages that are never written to take none, and growing is
    /// faster. If the disk is full at that point, **the process is ended by a signal** (`SIGBUS`), or by an exception.
    Sparse,
}

/// Memory for an array or a map in a file, for as long as the process uses it; see
/// [`build_in`](crate::VecBuilder::build_in).
///
/// The contents cannot be used afterwards, because the file does not record the number of elements; that of a
/// [`FileVec`](crate::FileVec) does. But the file can be larger than memory, and does not count towards the system's
/// commit limit.
///
/// Growth allocates disk space ([`Space::Allocated`]), and a full disk is an error ([`Disk`](crate::ErrorKind::Disk)).
/// Returning memory also frees the disk space, if the file system supports that.
///
/// After `fork`, parent and child share the memory, and the container belongs to the parent. A child must not use it,
/// nor drop it if its elements need to be dropped.
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
    mapped: Arc<MappedFile>,
    /// The start of the memory in the file.
    offset: usize,
    space: Space,
    /// The unit in which memory is committed.
    run: usize,
    /// The end of the contents that must be preserved when they are first committed.
    kept: usize,
    /// The end of the contents that the file may hold but that are not used any more.
    stale: usize,
}

impl FileBacking {
    /// Creates a backing of `bytes` in a new file without a name, in a folder.
    ///
    /// # Errors
    ///
    /// If the file cannot be created or mapped.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{DefaultKey, FileBacking, SlotMap};
    ///
    /// let backing = FileBacking::temporary_in(std::env::temp_dir(), 1 << 24)?;
    /// let mut names: SlotMap<DefaultKey, String> = SlotMap::builder().try_build_in(backing)?;
    /// let key = names.insert("Ada".to_string());
    /// assert_eq!(names[key], "Ada");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn temporary_in(folder: impl AsRef<Path>, bytes: usize) -> Result<Self, FileError> {
        let file = temporary::file_in(folder.as_ref())?;
        // SAFETY: `file_in` created the file under a random name, which it has removed, and its only handle is passed
        // on, open for synchronous calls, as std opens files. So nothing else writes to it or truncates it: code that,
        // in between, opened a file that it knows nothing about could do so, but like code that writes to
        // `/proc/self/mem`, no library can prevent that.
        unsafe { Self::from_file(file, bytes) }
    }

    /// Creates a backing of `bytes` in a file that is open for reading and writing: a `memfd`, named shared memory, or
    /// a plain file. The contents of the file are lost.
    ///
    /// # Errors
    ///
    /// If the file cannot be mapped.
    ///
    /// # Safety
    ///
    /// - For as long as the backing exists, on its own or in an array, nothing else truncates the file or writes to it.
    /// - On Windows, the file was not opened for asynchronous calls (`FILE_FLAG_OVERLAPPED`).
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{FileBacking, VmVec};
    /// use std::fs::File;
    ///
    /// # let folder = std::env::temp_dir().join(format!("stayput-backing-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// let path = folder.join("samples");
    /// let file = File::options().read(true).write(true).create_new(true).open(path)?;
    /// // SAFETY: nothing else writes to the file.
    /// let backing = unsafe { FileBacking::from_file(file, 1 << 20)? };
    /// let mut samples: VmVec<u64> = VmVec::builder().try_build_in(backing)?;
    /// samples.push(1);
    /// assert_eq!(samples, [1]);
    /// # drop(samples);
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub unsafe fn from_file(file: File, bytes: usize) -> Result<Self, FileError> {
        let end = file.metadata().map_err(|error| FileError::of_io(error, None))?.len();
        let file = Locked::new(file, Lock::None, None)?;
        let mapped = MappedFile::new(file, None, bytes, end);
        let mapped = mapped.map_err(|(_, error)| not_mapped(error, bytes).at(None))?;
        let long = mapped.file_bytes().map_err(|error| mapped.error(error))?;
        let stale = usize::try_from(long).unwrap_or(bytes).min(bytes);
        let (mapped, space) = (Arc::new(mapped), Space::Allocated);
        Ok(Self { mapped, offset: 0, space, run: page_size(), kept: 0, stale })
    }

    /// Returns the part past `offset` of a file of `file_bytes`. The first `kept` bytes of the part are preserved.
    ///
    /// # Safety
    ///
    /// - `offset` bytes of the file are mapped, and it has `offset + kept` bytes.
    /// - For as long as the backing exists, nothing else truncates the file or writes to this part of it.
    pub(super) unsafe fn part(
        mapped: Arc<MappedFile>,
        offset: usize,
        space: Space,
        kept: usize,
        file_bytes: u64,
    ) -> Self {
        let stale = file_bytes.saturating_sub(offset as u64);
        let most = mapped.map().bytes() - offset;
        let stale = usize::try_from(stale).unwrap_or(most).min(most);
        // Opening commits exactly the bytes that are kept, so that it takes no space on a full disk.
        Self { mapped, offset, space, run: 1, kept, stale }
    }

    fn in_file(&self, range: &Range<usize>) -> Range<u64> {
        (self.offset + range.start) as u64..(self.offset + range.end) as u64
    }

    fn in_map(&self, range: &Range<usize>) -> Range<usize> {
        self.offset + range.start..self.offset + range.end
    }
}

// SAFETY: `mapped`, a part of the backing, keeps the mapping, wherever the backing is moved. Only the array writes to
// this part of the file, as the caller that opened it guaranteed (or by the lock, or because it has no name). Committed
// memory is zero: it lies past the end of the file, is a hole, or was overwritten with zeros. The exception is what is
// `kept`, which only `file` requests and relies on. Committed memory stays, since the file is not truncated before
// `mapped` ends, and only what is decommitted or discarded is punched. A refused call changes nothing that is in use (a
// refused `decommit` may have punched a part of its range, which then reads as zero and has its space again); a call
// unwinds only by a bug, and then leaves the file as a refused one does.
unsafe impl Backing for FileBacking {
    fn start(&self) -> NonNull<u8> {
        self.mapped.map().at(self.offset)
    }

    fn reserved_bytes(&self) -> usize {
        self.mapped.map().bytes() - self.offset
    }

    unsafe fn commit(&mut self, range: Range<usize>) -> Result<(), Error> {
        // Kept contents have space already. The rest gets it here, and then reads as zero.
        let range = range.start.max(self.kept)..range.end;
        if range.is_empty() {
            return Ok(());
        }
        let in_file = self.in_file(&range);
        let refused = |error| system::refused(&error, in_file.end);
        let file = self.mapped.file();
        let long = self.mapped.file_bytes().map_err(refused)?;
        if in_file.end > long {
            system::check_limit(in_file.end)?;
        }
        #[cfg(all(test, not(no_vm)))]
        super::tests::loss::may_take().map_err(refused)?;
        let stale = range.start..range.end.min(self.stale);
        let is_clean =
            stale.is_empty() || system::punch(file, self.in_file(&stale)).map_err(refused)?;
        match self.space {
            Space::Allocated => {
                // The rest of the last block of the file is allocated already.
                let more = in_file.end.saturating_sub(long.next_multiple_of(BLOCK_BYTES));
                system::check_room(file, more, in_file.end)?;
                let taken = system::take_room(file, in_file.clone());
                if taken.is_err() && in_file.end > long {
                    // Frees what was allocated. If that fails, the next call uses it.
                    let _ = system::cut(file, long);
                }
                taken.map_err(refused)?;
            }
            Space::Sparse if in_file.end > long => file.set_len(in_file.end).map_err(refused)?,
            Space::Sparse => {}
        }
        if !is_clean {
            let first = self.mapped.map().at(self.offset + stale.start);
            // SAFETY: these bytes are valid for writes: the caller guarantees that the range lies within the memory, so
            // it is mapped, and the file is long enough now; and that it is not committed, so nothing refers to it.
            unsafe { first.write_bytes(0, stale.len()) };
        }
        Ok(())
    }

    unsafe fn decommit(&mut self, range: Range<usize>) -> Result<(), Error> {
        let (file, in_file) = (self.mapped.file(), self.in_file(&range));
        let punch = || system::punch(file, in_file.clone());
        let take_room = || system::take_room(file, in_file.clone());
        #[cfg(all(test, not(no_vm)))]
        let punch = || super::tests::loss::may_return(file, &in_file).and_then(|()| punch());
        #[cfg(all(test, not(no_vm)))]
        let take_room =
            || super::tests::loss::may_return(file, &in_file).and_then(|()| take_room());
        let is_clean = match punch() {
            // A part of the range may be a hole now. If it cannot have its space back, it must not count as committed.
            Err(_) if self.space == Space::Allocated && take_room().is_err() => false,
            punched => punched.map_err(|error| system::refused(&error, in_file.end))?,
        };
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
        // The range stays committed, so its disk space must stay too: allocating it again might be refused.
        let discarded = match self.space {
            Space::Allocated => system::zero(self.mapped.file(), in_file),
            Space::Sparse => system::punch(self.mapped.file(), in_file),
        };
        if discarded.unwrap_or(false) {
            return Ok(());
        }
        let first = self.mapped.map().at(self.offset + range.start);
        // SAFETY: these bytes are valid for writes: the caller guarantees that the range is committed, so it is mapped,
        // and the file is long enough; and that nothing refers to it.
        unsafe { first.write_bytes(0, range.len()) };
        Ok(())
    }

    unsafe fn prefault(&mut self, range: Range<usize>) -> Result<(), Error> {
        let in_map = self.in_map(&range);
        system::populate(self.mapped.map().raw(), in_map)
            .map_err(|error| system::refused(&error, range.len() as u64))
    }

    fn run_bytes(&self) -> usize {
        self.run
    }
}
