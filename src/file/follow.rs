//! [`Follow`]: reading an array that another process writes.
//!
//! # Why this is sound
//!
//! No reference to an element is made here, but where the caller vouches that nobody changes it. Elements are
//! copied out by volatile reads: the compiler takes nothing for granted of what is there, and may not read it
//! twice. What another process has half written is half of each, which is a value of `T: Pod` all the same.
//!
//! What is read is there: the length was found to be within the file when it was opened; after that who writes
//! makes the file longer before he says so, and never cuts it below what he, or another before him, has ever said.
//! (Who cuts it otherwise ends this process by a signal. That is no undefined behaviour.)
//!
//! The length is written by `Release` after the elements, and read by `Acquire` before. So what was pushed is seen
//! as it was pushed.

#![expect(unsafe_code, reason = "reads what others write")]

use super::builder::{find_len, map_by_halves, not_mapped, usual_map_bytes};
use super::error::{FileError, FileErrorKind};
use super::header::{HEADER_BYTES, Identity, Misfit, Record, is_unfinished};
use super::map::Map;
use super::system;
use crate::error::{Error, ErrorKind};
use bytemuck::Pod;
use std::fmt;
use std::fs::File;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::path::Path;
use std::ptr::NonNull;
use std::slice;

/// An array in a file that another process, or another thread, appends to: a reader that sees it grow.
///
/// Any number of them may follow one file, without a lock, whether somebody writes to it or not. Nothing is mapped
/// anew when the array grows, and no call enters the kernel.
///
/// Elements are copied out. One that was pushed is never seen half written. (One that is
/// [changed in place](super::Mutable) may be; in an [append-only](super::AppendOnly) file none is.)
///
/// After a loss of power it shows what was flushed, until the file is opened for writing again.
///
/// A file that is cut, or emptied ([`FileVec::create`](crate::FileVec::create)), while somebody follows it
/// ends that process by a signal (`SIGBUS`) when it reads what is gone. A `FileVec` cuts no elements away that
/// anybody was ever told of, whatever is removed: so a file never comes to be shorter by itself.
///
/// On a file system in memory (tmpfs, `/dev/shm`) a hole takes memory when it is read, too. Where that is full, who reads
/// what was [given back](crate::FileVec::shrink_to_fit), or opens a file with holes, is ended by the same signal.
///
/// On Windows a file can be mapped as far only as it is long: all that will ever be, while somebody has it open for
/// writing, and what there is otherwise. [`max_len`](Self::max_len) says.
///
/// # Examples
///
/// ```
/// use stayput::{FileVec, Follow};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = std::env::temp_dir().join(format!("stayput-follow-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// let path = folder.join("ticks");
/// // SAFETY: nobody else writes to the file.
/// let mut ticks: FileVec<u64> = unsafe { FileVec::create(&path)? };
/// let reader: Follow<u64> = Follow::open(&path)?; // in another process, as a rule
///
/// ticks.extend(0..1000);
/// assert_eq!(reader.len(), 1000);
/// assert_eq!(reader.get(999), Some(999));
/// ticks.push(1000);
/// assert_eq!(reader.iter().sum::<u64>(), 500_500);
/// # drop((ticks, reader));
/// # std::fs::remove_dir_all(folder)?;
/// # Ok(())
/// # }
/// ```
pub struct Follow<T: Pod> {
    map: Map,
    is_append_only: bool,
    /// Of which boot a length must be that is not of a record.
    boot: Option<[u8; 16]>,
    element: PhantomData<fn() -> T>,
}

impl<T: Pod> Follow<T> {
    const FIRST: usize = HEADER_BYTES;

    /// Follows a file, whichever mode it was made for.
    ///
    /// # Errors
    ///
    /// See [`FileErrorKind`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        Self::open_tagged(path, 0)
    }

    /// Follows a file that was made with a [tag](super::FileVecBuilder::tag).
    ///
    /// # Errors
    ///
    /// See [`FileErrorKind`].
    pub fn open_tagged(path: impl AsRef<Path>, tag: u64) -> Result<Self, FileError> {
        let path = path.as_ref();
        let refused = |error| FileError::of_io(error, Some(path));
        // Opening a pipe would wait for its other end.
        if !path.metadata().map_err(refused)?.is_file() {
            return Err(FileError::new(FileErrorKind::NotAFile, Some(path)));
        }
        Self::over(&File::open(path).map_err(refused)?, tag).map_err(|misfit| misfit.at(Some(path)))
    }

    /// Follows a file that is open for reading: a `memfd`, shared memory by its name, or a plain file.
    ///
    /// # Errors
    ///
    /// See [`FileErrorKind`].
    pub fn from_file(file: &File, tag: u64) -> Result<Self, FileError> {
        Self::over(file, tag).map_err(|misfit| misfit.at(None))
    }

    fn over(file: &File, tag: u64) -> Result<Self, Misfit> {
        const HEADER: u64 = HEADER_BYTES as u64;
        let metadata = file.metadata()?;
        let long = metadata.len();
        match long {
            _ if !metadata.is_file() => return Err(Misfit::Not(FileErrorKind::NotAFile, None)),
            0 => return Err(Misfit::Not(FileErrorKind::Empty, None)),
            1..HEADER => return Err(Misfit::Not(FileErrorKind::Short, Some((long, HEADER)))),
            _ => {}
        }
        if is_unfinished(file, long)? {
            return Err(Misfit::Not(FileErrorKind::Empty, None));
        }
        let map = Self::map(file, long)?;
        let header = map.header();
        let (element_bytes, align) = (size_of::<T>(), align_of::<T>());
        let identity = Identity { element_bytes, align, tag, is_append_only: false };
        let is_append_only = identity.check(header)?;
        let mut now = long;
        find_len(header, element_bytes, || {
            now = file.metadata()?.len();
            Ok(now)
        })?;
        if !system::MAPS_BEHIND_END && now > long {
            // Somebody has just opened it, and made it as long as it can ever be.
            return Self::over(file, tag);
        }
        let this = Self { map, is_append_only, boot: system::boot(), element: PhantomData };
        if !this.first().is_aligned() {
            let error = Error::new(ErrorKind::Alignment, align).with_limit(align as u64);
            return Err(Misfit::Refused(error));
        }
        Ok(this)
    }

    /// Maps it as far as there are addresses, or as can be.
    fn map(file: &File, long: u64) -> Result<Map, Misfit> {
        let there = usize::try_from(long).unwrap_or(usize::MAX);
        if !system::MAPS_BEHIND_END {
            return Map::new(file, there, false).map_err(|error| not_mapped(error, there));
        }
        let map = |bytes| Map::new(file, bytes, false);
        map_by_halves(usual_map_bytes(there), there, map).map(|(map, _)| map)
    }

    /// How many elements there are now.
    ///
    /// More are there by and by; fewer, only if who writes removes some.
    #[inline]
    pub fn len(&self) -> usize {
        let header = self.map.header();
        let is_live = self.boot.is_some_and(|boot| header.is_of_boot(boot));
        let len = if is_live { header.live_len() } else { self.flushed_len() };
        len.min(self.max_len())
    }

    /// What is there where nobody has written since the system was started; or as much, where it does not tell when
    /// that was.
    #[cold]
    fn flushed_len(&self) -> usize {
        let record = Record::last(self.map.header());
        record.map_or(0, |record| usize::try_from(record.len).unwrap_or(usize::MAX))
    }

    /// Whether there are none now.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many elements it can see: what lies behind is not mapped.
    pub fn max_len(&self) -> usize {
        (self.map.bytes() - Self::FIRST).checked_div(size_of::<T>()).unwrap_or(usize::MAX)
    }

    /// Whether the file is [append-only](super::AppendOnly).
    pub const fn is_append_only(&self) -> bool {
        self.is_append_only
    }

    /// The bytes of the user's that were flushed last.
    pub fn user_bytes(&self) -> [u8; 64] {
        Record::last(self.map.header()).unwrap_or(Record::NONE).user
    }

    fn first(&self) -> NonNull<T> {
        self.map.at(Self::FIRST).cast()
    }

    /// A copy of an element, if there is one.
    #[inline]
    pub fn get(&self, index: usize) -> Option<T> {
        // SAFETY: just compared.
        (index < self.len()).then(|| unsafe { self.copy(index) })
    }

    /// # Safety
    ///
    /// - There was such an element.
    #[inline]
    pub(super) unsafe fn copy(&self, index: usize) -> T {
        // SAFETY: the first `max_len` of them are mapped, and there were never more.
        let element = unsafe { self.first().add(index) };
        // SAFETY: mapped, aligned, as the first of them is, and any bytes are a `T`. That others may be writing
        // to it is what a volatile read is for.
        unsafe { element.as_ptr().read_volatile() }
    }

    /// Copies elements from one on into `to`, as many as there are and fit, and returns those.
    pub fn read<'b>(&self, from: usize, to: &'b mut [MaybeUninit<T>]) -> &'b mut [T] {
        let count = self.len().saturating_sub(from).min(to.len());
        for (i, to) in to[..count].iter_mut().enumerate() {
            // SAFETY: `from + count` is not more than there are.
            to.write(unsafe { self.copy(from + i) });
        }
        let read = &raw mut to[..count];
        // SAFETY: so many were just written.
        unsafe { slice::from_raw_parts_mut(read.cast(), count) }
    }

    /// Copies of the elements that there are now, one by one.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = T> + DoubleEndedIterator + '_ {
        // SAFETY: there were so many.
        (0..self.len()).map(|index| unsafe { self.copy(index) })
    }

    /// The elements that there are now, in place, if the file is [append-only](super::AppendOnly).
    ///
    /// # Safety
    ///
    /// - As long as they are used nobody writes to the file, or cuts it, but who has it as an append-only
    ///   [`FileVec`](crate::FileVec); and while nobody has, nobody opens it who does not know that the system has
    ///   not been restarted since: after a loss of power that the file has gone through; where nobody tells him (see
    ///   [the module](super)); or where the clock was set, on macOS and the BSDs, which say when the system was
    ///   started. Elements that were not flushed are gone for him, and others take their places.
    pub unsafe fn as_slice(&self) -> Option<&[T]> {
        let len = self.len();
        // SAFETY: so many are mapped and there; they stay what they are by the mode, and the caller's promise.
        self.is_append_only.then(|| unsafe { slice::from_raw_parts(self.first().as_ptr(), len) })
    }
}

impl<T: Pod> fmt::Debug for Follow<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Follow")
            .field("len", &self.len())
            .field("max_len", &self.max_len())
            .field("is_append_only", &self.is_append_only)
            .finish_non_exhaustive()
    }
}
