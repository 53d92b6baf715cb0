//! [`Follow`]: reads an array while another process writes it.
//!
//! # Why this is sound
//!
//! Safe methods make no reference to an element. Elements are copied by volatile reads: the compiler assumes nothing
//! about the memory, and may not read it twice. A torn element is still a valid `T: Pod`.
//!
//! Every element that is read lies within the file: its length was checked when it was opened; after that a writer
//! extends the file before it publishes elements, and never truncates it below the most elements that were ever
//! published. (If another program truncates the file, a signal ends this process, which is not undefined behaviour.)
//!
//! # Why no element is torn
//!
//! A writer stores elements and then the length, with `Release`; a reader loads the length with `Acquire` before it
//! reads elements. An element below the length is therefore whole until the writer removes it. To remove elements, a
//! writer makes the count of removals odd, stores the shorter length, makes the count even, and only then overwrites
//! what lies past the length; see [`begin_removal`](super::map::begin_removal). A copy is valid if the count is the same
//! before the length was loaded and after the elements were copied (with a fence between); otherwise it is discarded and
//! taken again.
//!
//! That holds for an odd count, too: until it is even again, nothing is overwritten, so a reader does not wait for a
//! writer that was killed in between. The next writer finds the odd count and makes it even before it overwrites
//! anything.

#![expect(unsafe_code, reason = "reads memory that others write")]

use super::builder::{find_len, map_by_halves, not_mapped, usual_map_bytes};
use super::error::{FileError, FileErrorKind};
use super::header::{FileIdentity, FileProblem, HEADER_BYTES, Record, USED_BYTES, is_unfinished};
use super::map::{Header, Map};
use super::snapshot::open;
use super::system;
use crate::error::{Error, ErrorKind};
use bytemuck::Pod;
use std::fmt;
use std::fs::File;
use std::hint;
use std::io;
use std::iter::FusedIterator;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::path::Path;
use std::ptr::NonNull;
use std::slice;
use std::sync::atomic::{Ordering, fence};

/// A reader of an array in a file that another process or thread writes; it sees the array grow.
///
/// Any number of readers can follow a file, without a lock, whether or not it has a writer. Nothing is remapped when
/// the array grows, and reading does not enter the kernel.
///
/// # Whole elements
///
/// Elements are copied, and each copy is whole: an element is never seen half written, even if the writer has removed
/// elements and pushed others in their place. If elements are removed while a copy is taken, it is taken again, so a
/// reader makes no progress while a writer does nothing but remove elements.
///
/// The exceptions are elements that are changed in place, through a mutable reference or by
/// [`swap_remove`](crate::FileVec::swap_remove), which no read can detect. [Append-only](super::AppendOnly) files have
/// none.
///
/// # Removals
///
/// A reader that stores a position misses elements if the writer removes some and pushes others in their place.
/// [`try_read`](Self::try_read) detects that: it reads nothing if elements were removed since
/// [`removals`](Self::removals) was called. This matters for append-only files, too: elements are removed from them
/// when a writer opens them after a loss of power.
///
/// # Lifetime of the file
///
/// As long as the system stays up, the reader sees the writer's length. After a loss of power it sees the elements that
/// were flushed, until the file is opened for writing again. In containers, and for another user on Windows, the boot of
/// the system cannot always be identified; see [the module](super#which-length-counts).
///
/// If another program truncates the file, or [`FileVec::create`](crate::FileVec::create) empties it, a process that
/// follows it is ended by a signal (`SIGBUS`) when it reads the missing part. A `FileVec` never cuts off published
/// elements.
///
/// On a file system in memory (tmpfs, `/dev/shm`), reading a hole takes memory. If that is full, a process that reads
/// what was [returned](crate::FileVec::shrink_to_fit), or opens a file with holes, is ended by the same signal.
///
/// On Windows only the present length of a file can be mapped, which is its maximum while it has a writer, and
/// otherwise that of its elements. See [`max_len`](Self::max_len).
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
/// // SAFETY: nothing else writes to the file.
/// let mut ticks: FileVec<u64> = unsafe { FileVec::create(&path)? };
/// let reader: Follow<u64> = Follow::open(&path)?; // usually in another process
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
    validity: LiveLenValidity,
    element: PhantomData<fn() -> T>,
}

/// The error that elements were removed from an array that a [`Follow`] reads; see [`Follow::try_read`].
///
/// # Examples
///
/// ```
/// use stayput::Follow;
/// use stayput::file::Removed;
/// use std::mem::MaybeUninit;
///
/// /// Adds up the elements from `position` on, unless some were removed since it was stored.
/// fn sum_from(reader: &Follow<u64>, removals: u64, position: usize) -> Result<u64, Removed> {
///     let mut buffer = [MaybeUninit::uninit(); 64];
///     let new = reader.try_read(removals, position, &mut buffer)?;
///     Ok(new.iter().sum())
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Removed;

/// When a live length counts: it was written since the system was started, and no flush has failed since.
#[derive(Debug)]
struct LiveLenValidity {
    /// The boot of the system, if known. A writer that names another boot may run in a container.
    boot: Option<[u8; 16]>,
    /// The number of times that the file had been opened for writing, when it had no writer; `None` if it had one. A
    /// writer that opens it later runs in the same boot as this process.
    stale: Option<usize>,
}

impl LiveLenValidity {
    fn new(file: &File, header: Header<'_>) -> io::Result<Self> {
        // In this order, because a writer announces itself before it counts the opening.
        let openings = header.openings();
        let stale = (!system::has_writer(file)).then_some(openings);
        Ok(Self { boot: system::boot()?, stale })
    }

    #[inline]
    fn is_live(&self, header: Header<'_>) -> bool {
        let is_of_boot = self.boot.is_some_and(|boot| header.is_of_boot(boot));
        (is_of_boot || self.has_seen_writer(header)) && !header.has_failed()
    }

    #[cold]
    fn has_seen_writer(&self, header: Header<'_>) -> bool {
        self.stale != Some(header.openings())
    }

    /// Returns the durable length. While there may be a writer, elements past the live length are about to be
    /// overwritten.
    #[cold]
    fn durable_len(&self, header: Header<'_>) -> usize {
        let record = Record::last(header);
        let len = record.map_or(0, |record| usize::try_from(record.len).unwrap_or(usize::MAX));
        if self.has_seen_writer(header) || !system::TELLS_WRITERS {
            len.min(header.live_len())
        } else {
            len
        }
    }
}

/// Returns the problem of a read below the length that the file had. If the file has become shorter, it is unfinished: a
/// writer that creates it anew empties it first.
fn cut_short(error: io::Error) -> FileProblem {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => FileErrorKind::Empty.into(),
        _ => error.into(),
    }
}

impl<T: Pod> Follow<T> {
    const FIRST: usize = HEADER_BYTES;

    /// Follows a file, in whichever mode it was created.
    ///
    /// # Errors
    ///
    /// See [`FileErrorKind`].
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{FileVec, Follow};
    ///
    /// # let folder = std::env::temp_dir().join(format!("stayput-follow-open-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// let path = folder.join("ticks");
    /// // SAFETY: nothing else writes to the file.
    /// let mut ticks: FileVec<u64> = unsafe { FileVec::create(&path)? };
    /// ticks.push(7);
    ///
    /// let reader: Follow<u64> = Follow::open(&path)?; // needs no `unsafe`: it copies elements
    /// assert_eq!(reader.get(0), Some(7));
    /// # drop((ticks, reader));
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        Self::open_tagged(path, 0)
    }

    /// Follows a file that was created with a [tag](super::FileVecBuilder::tag).
    ///
    /// # Errors
    ///
    /// See [`FileErrorKind`].
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::file::FileErrorKind;
    /// use stayput::{FileVec, Follow};
    ///
    /// # let folder = std::env::temp_dir().join(format!("stayput-open-tagged-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// const CELSIUS: u64 = 1;
    ///
    /// let path = folder.join("temperatures");
    /// // SAFETY: nothing else writes to the file.
    /// let mut degrees: FileVec<f64> = unsafe { FileVec::builder().tag(CELSIUS).create(&path)? };
    /// degrees.push(21.5);
    ///
    /// assert_eq!(Follow::<f64>::open(&path).unwrap_err().kind(), FileErrorKind::Tag);
    /// let reader: Follow<f64> = Follow::open_tagged(&path, CELSIUS)?;
    /// assert_eq!(reader.get(0), Some(21.5));
    /// # drop((degrees, reader));
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn open_tagged(path: impl AsRef<Path>, tag: u64) -> Result<Self, FileError> {
        let path = path.as_ref();
        let file = open(path)?;
        Self::over(&file, tag).map_err(|problem| problem.at(Some(path)))
    }

    /// Follows a file that is open for reading: a `memfd`, named shared memory, or a plain file.
    ///
    /// # Errors
    ///
    /// See [`FileErrorKind`].
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{FileVec, Follow};
    /// use std::fs::File;
    ///
    /// # let folder = std::env::temp_dir().join(format!("stayput-follow-from-file-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// let path = folder.join("ticks");
    /// // SAFETY: nothing else writes to the file.
    /// let mut ticks: FileVec<u64> = unsafe { FileVec::create(&path)? };
    /// ticks.push(7);
    ///
    /// let reader: Follow<u64> = Follow::from_file(&File::open(&path)?, 0)?;
    /// assert_eq!(reader.get(0), Some(7));
    /// # drop((ticks, reader));
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_file(file: &File, tag: u64) -> Result<Self, FileError> {
        Self::over(file, tag).map_err(|problem| problem.at(None))
    }

    fn over(file: &File, tag: u64) -> Result<Self, FileProblem> {
        let metadata = file.metadata()?;
        let long = metadata.len();
        if !metadata.is_file() {
            return Err(FileErrorKind::NotAFile.into());
        }
        Self::of_length(file, long, tag)
    }

    /// Follows a file that had this length.
    pub(super) fn of_length(file: &File, long: u64, tag: u64) -> Result<Self, FileProblem> {
        const HEADER: u64 = HEADER_BYTES as u64;
        if is_unfinished(file, long).map_err(cut_short)? {
            return Err(FileErrorKind::Empty.into());
        }
        if long < HEADER {
            return Err(FileProblem::Not(FileErrorKind::Short, Some((long, HEADER))));
        }
        // If the disk cannot read the header, this is an error. Loads from the mapping would raise `SIGBUS`.
        system::read_at(file, &mut [0; USED_BYTES], 0).map_err(cut_short)?;
        let map = Self::map(file, long)?;
        let header = map.header();
        let (element_bytes, align) = (size_of::<T>(), align_of::<T>());
        let identity = FileIdentity { element_bytes, align, tag, is_append_only: false };
        let is_append_only = identity.check(header)?;
        let validity = LiveLenValidity::new(file, header)?;
        let mut now = long;
        find_len(header, validity.is_live(header), element_bytes, || {
            now = file.metadata()?.len();
            Ok(now)
        })?;
        if !system::MAPS_BEHIND_END && now > long {
            // A writer has just opened the file and extended it to its maximum length.
            return Self::over(file, tag);
        }
        let this = Self { map, is_append_only, validity, element: PhantomData };
        if !this.first().is_aligned() {
            let error = Error::new(ErrorKind::Alignment, align).with_limit(align as u64);
            return Err(FileProblem::Refused(error));
        }
        Ok(this)
    }

    /// Maps the file, and as far past its end as there are addresses and the system allows.
    fn map(file: &File, long: u64) -> Result<Map, FileProblem> {
        let there = usize::try_from(long).unwrap_or(usize::MAX);
        if !system::MAPS_BEHIND_END {
            return Map::new(file, there, false).map_err(|error| not_mapped(error, there));
        }
        let map = |bytes| Map::new(file, bytes, false);
        map_by_halves(usual_map_bytes(there), there, map).map(|(map, _)| map)
    }

    /// Returns the number of elements.
    ///
    /// It grows, and decreases only if elements are [removed](Self::removals) or a flush fails.
    #[inline]
    pub fn len(&self) -> usize {
        let header = self.map.header();
        let len = if self.validity.is_live(header) {
            header.live_len()
        } else {
            self.validity.durable_len(header)
        };
        len.min(self.max_len())
    }

    /// Returns a number that changes whenever elements are removed: by [`pop`](crate::FileVec::pop),
    /// [`truncate`](crate::FileVec::truncate) and others, or by opening the file, if they were not flushed when a flush
    /// failed or the system crashed. (A flush that fails decreases the [length](Self::len) at once, and the number
    /// changes when the file is opened for writing again: until then the elements stay where they were.)
    ///
    /// As long as the number is the same, elements are where they were. Each removal changes it twice; a new file starts
    /// with a random number, so a file that is [created](crate::FileVec::create) anew has another. (On 32-bit systems it
    /// wraps around at 2<sup>32</sup>.)
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{FileVec, Follow};
    ///
    /// # let folder = std::env::temp_dir().join(format!("stayput-count-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// # let path = folder.join("ticks");
    /// // SAFETY: nothing else writes to the file.
    /// let mut ticks: FileVec<u64> = unsafe { FileVec::create(&path)? };
    /// let reader: Follow<u64> = Follow::open(&path)?;
    /// ticks.extend(0..10);
    /// let removals = reader.removals();
    /// ticks.push(10);
    /// assert_eq!(reader.removals(), removals);
    /// ticks.pop();
    /// assert_ne!(reader.removals(), removals);
    /// # drop((ticks, reader));
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn removals(&self) -> u64 {
        self.map.header().removals() as u64
    }

    /// Returns `true` if there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the greatest number of elements that this reader can see; those past it are not mapped.
    pub fn max_len(&self) -> usize {
        (self.map.bytes() - Self::FIRST).checked_div(size_of::<T>()).unwrap_or(usize::MAX)
    }

    /// Returns `true` if the file is [append-only](super::AppendOnly).
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::file::AppendOnly;
    /// use stayput::{FileVec, Follow};
    ///
    /// # let folder = std::env::temp_dir().join(format!("stayput-is-append-only-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// # let path = folder.join("ticks");
    /// // SAFETY: nothing else writes to the file.
    /// let ticks: FileVec<u64, AppendOnly> = unsafe { FileVec::create(&path)? };
    /// let reader: Follow<u64> = Follow::open(&path)?;
    /// assert!(reader.is_append_only());
    /// # drop((ticks, reader));
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub const fn is_append_only(&self) -> bool {
        self.is_append_only
    }

    /// Returns the [user's bytes](crate::FileVec::user_bytes) as last flushed.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{FileVec, Follow};
    ///
    /// # let folder = std::env::temp_dir().join(format!("stayput-follow-user-bytes-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// # let path = folder.join("ticks");
    /// // SAFETY: nothing else writes to the file.
    /// let mut ticks: FileVec<u64> = unsafe { FileVec::create(&path)? };
    /// let reader: Follow<u64> = Follow::open(&path)?;
    /// ticks.set_user_bytes([7; 64]);
    /// assert_eq!(reader.user_bytes(), [0; 64]);
    /// ticks.flush()?;
    /// assert_eq!(reader.user_bytes(), [7; 64]);
    /// # drop((ticks, reader));
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn user_bytes(&self) -> [u8; 64] {
        Record::last(self.map.header()).unwrap_or(Record::NONE).user
    }

    fn first(&self) -> NonNull<T> {
        self.map.at(Self::FIRST).cast()
    }

    /// Returns a copy of the element at `index`; `None` if the index is out of bounds.
    #[inline]
    pub fn get(&self, index: usize) -> Option<T> {
        self.iter_in(index, index.saturating_add(1)).next()
    }

    /// # Safety
    ///
    /// - `index` is less than a length that was returned.
    #[inline]
    pub(super) unsafe fn copy(&self, index: usize) -> T {
        let element = self.first().as_ptr().wrapping_add(index);
        // SAFETY: a volatile read requires a pointer that is valid for reads and aligned, to an initialized value. The
        // caller guarantees that the index was less than a length. That is at most `max_len`, and as many elements are
        // mapped; this one lies within the file, as shown in the header of this module. It is aligned, since
        // `of_length` has checked that the first one is; any bytes are a `T: Pod`; and a volatile read may see writes
        // of others.
        unsafe { element.read_volatile() }
    }

    /// Returns `true` if no element was removed since [`removals`](Self::removals) returned a number; copies taken in
    /// between are then whole.
    #[inline]
    fn is_still(&self, removals: u64) -> bool {
        fence(Ordering::Acquire);
        self.removals() == removals
    }

    /// Copies elements from index `from` on into `to`, as many as exist and fit, and returns the copies.
    ///
    /// Each copy is whole. If elements are removed meanwhile, the copies may be of different times, and end where the
    /// array then ends; see [`try_read`](Self::try_read).
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{FileVec, Follow};
    /// use std::mem::MaybeUninit;
    ///
    /// # let folder = std::env::temp_dir().join(format!("stayput-read-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// # let path = folder.join("ticks");
    /// // SAFETY: nothing else writes to the file.
    /// let mut ticks: FileVec<u64> = unsafe { FileVec::create(&path)? };
    /// let reader: Follow<u64> = Follow::open(&path)?;
    /// ticks.extend(0..1000);
    ///
    /// let mut buffer = [MaybeUninit::uninit(); 64];
    /// let (mut position, mut sum) = (0, 0);
    /// while position < reader.len() {
    ///     let new = reader.read(position, &mut buffer);
    ///     position += new.len();
    ///     sum += new.iter().sum::<u64>();
    /// }
    /// assert_eq!((position, sum), (1000, 499_500));
    /// # drop((ticks, reader));
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn read<'b>(&self, from: usize, to: &'b mut [MaybeUninit<T>]) -> &'b mut [T] {
        fill(to, self.iter_in(from, usize::MAX))
    }

    /// Copies elements as [`read`](Self::read) does, all as of one time, unless elements were removed since
    /// [`removals`](Self::removals) returned a number.
    ///
    /// # Errors
    ///
    /// If elements were removed. Stored positions may then refer to other elements: call `removals` again, and start
    /// over.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{FileVec, Follow};
    /// use std::mem::MaybeUninit;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = std::env::temp_dir().join(format!("stayput-removals-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// # let path = folder.join("ticks");
    /// // SAFETY: nothing else writes to the file.
    /// let mut ticks: FileVec<u64> = unsafe { FileVec::create(&path)? };
    /// let reader: Follow<u64> = Follow::open(&path)?;
    /// let mut buffer = [MaybeUninit::uninit(); 64];
    ///
    /// ticks.extend(0..10);
    /// let (mut removals, mut position) = (reader.removals(), 0);
    /// position += reader.try_read(removals, position, &mut buffer)?.len();
    /// assert_eq!(position, 10);
    ///
    /// ticks.clear();
    /// ticks.extend(100..120);
    /// if reader.try_read(removals, position, &mut buffer).is_err() {
    ///     (removals, position) = (reader.removals(), 0);
    /// }
    /// assert_eq!(reader.try_read(removals, position, &mut buffer)?.len(), 20);
    /// # drop((ticks, reader));
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn try_read<'b>(
        &self,
        removals: u64,
        from: usize,
        to: &'b mut [MaybeUninit<T>],
    ) -> Result<&'b mut [T], Removed> {
        // SAFETY: `len` returned the end of the range, so each index is less than a length.
        let read = fill(to, (from..self.len()).map(|index| unsafe { self.copy(index) }));
        if self.is_still(removals) { Ok(read) } else { Err(Removed) }
    }

    /// Returns an iterator over copies of the present elements. If elements are removed meanwhile, it ends where the
    /// array does.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{FileVec, Follow};
    ///
    /// # let folder = std::env::temp_dir().join(format!("stayput-iter-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// # let path = folder.join("ticks");
    /// // SAFETY: nothing else writes to the file.
    /// let mut ticks: FileVec<u64> = unsafe { FileVec::create(&path)? };
    /// let reader: Follow<u64> = Follow::open(&path)?;
    /// ticks.extend([3, 1, 2]);
    /// assert_eq!(reader.iter().max(), Some(3));
    /// assert!(reader.iter().rev().eq([2, 1, 3]));
    /// # drop((ticks, reader));
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn iter(&self) -> FollowIter<'_, T> {
        self.iter_in(0, usize::MAX)
    }

    #[inline]
    fn iter_in(&self, start: usize, end: usize) -> FollowIter<'_, T> {
        let removals = self.removals();
        FollowIter { follow: self, removals, range: start..end.min(self.len()) }
    }

    /// Returns the present elements in place; `None` unless the file is [append-only](super::AppendOnly).
    ///
    /// # Safety
    ///
    /// While the slice is used,
    ///
    /// - nothing writes to the file or truncates it, except one append-only [`FileVec`](crate::FileVec) at a time,
    ///   which writes only past the slice; and
    /// - no writer opens the file that does not trust its live length, because such a writer overwrites the elements
    ///   that were not flushed: see [the module](super#which-length-counts). That can be a writer in another container,
    ///   one on a system that does not identify its boot, one after a failed flush, on macOS and the BSDs one after the
    ///   clock was set, or on Windows one of another user, or of the same user after logging on again.
    ///
    /// Otherwise a `&T` refers to memory that changes, which is undefined behaviour. [`read`](Self::read) needs no such
    /// guarantee.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::file::AppendOnly;
    /// use stayput::{FileVec, Follow};
    ///
    /// # let folder = std::env::temp_dir().join(format!("stayput-as-slice-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// # let path = folder.join("ticks");
    /// // SAFETY: nothing else writes to the file.
    /// let mut ticks: FileVec<u64, AppendOnly> = unsafe { FileVec::create(&path)? };
    /// ticks.extend([3, 1, 2]);
    /// let reader: Follow<u64> = Follow::open(&path)?;
    /// // SAFETY: only `ticks` writes to the file, and no other writer opens it.
    /// let seen = unsafe { reader.as_slice() };
    /// assert_eq!(seen, Some(&[3, 1, 2][..]));
    /// # drop((ticks, reader));
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub unsafe fn as_slice(&self) -> Option<&[T]> {
        let len = self.len();
        // SAFETY: "valid for reads", in "a single allocation" of at most `isize::MAX` bytes: `len` is at most
        // `max_len`, and as many elements are mapped, by one mapping, and lie within the file, as shown in the header
        // of this module. "Aligned": `of_length` has checked that the first one is. "Initialized": any bytes are a
        // `T: Pod`. "Not mutated": the caller guarantees that nothing writes to them while the slice is used.
        self.is_append_only.then(|| unsafe { slice::from_raw_parts(self.first().as_ptr(), len) })
    }
}

debug_fields! {
    [T: Pod] Follow<T>, "Follow", |follow|
    len: follow.len(), max_len: follow.max_len(), is_append_only: follow.is_append_only
}

/// Writes values to the first places, as many as there are of both, and returns them.
fn fill<T: Copy>(to: &mut [MaybeUninit<T>], values: impl Iterator<Item = T>) -> &mut [T] {
    let mut count = 0;
    for (to, value) in to.iter_mut().zip(values) {
        to.write(value);
        count += 1;
    }
    let filled: *mut [MaybeUninit<T>] = &raw mut to[..count];
    // SAFETY: `MaybeUninit<T>` has the layout of `T`, and the first `count` values were just written. The pointer is
    // made from a mutable reference, which is not used again.
    unsafe { &mut *(filled as *mut [T]) }
}

/// An iterator over copies of the elements of a [`Follow`].
///
/// This struct is created by [`Follow::iter`]. See its documentation for more.
pub struct FollowIter<'f, T: Pod> {
    follow: &'f Follow<T>,
    /// The number of removals for which the indices in `range` are less than the length.
    removals: u64,
    /// Invariant *range*: each index is less than a length that `follow` returned.
    range: Range<usize>,
}

impl<T: Pod> FollowIter<'_, T> {
    /// Returns a copy of the element at the next index. If elements were removed, shortens the range first.
    // Out of line, an iteration takes half as many instructions again.
    #[inline(always)]
    fn take(&mut self, next: impl Fn(&mut Range<usize>) -> Option<usize>) -> Option<T> {
        loop {
            let mut rest = self.range.clone();
            let index = next(&mut rest)?;
            assert!(self.range.contains(&index), "the index is not in the range");
            // SAFETY: the index is in `range`, as just asserted, so it is less than a length (*range*).
            let element = unsafe { self.follow.copy(index) };
            if self.follow.is_still(self.removals) {
                self.range = rest;
                return Some(element);
            }
            self.removals = self.follow.removals();
            self.range.end = self.range.end.min(self.follow.len());
            hint::spin_loop();
        }
    }
}

impl<T: Pod> Iterator for FollowIter<'_, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        self.take(Range::next)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.range.len()))
    }
}

impl<T: Pod> DoubleEndedIterator for FollowIter<'_, T> {
    fn next_back(&mut self) -> Option<T> {
        self.take(Range::next_back)
    }
}

impl<T: Pod> FusedIterator for FollowIter<'_, T> {}

clone_fields!([T: Pod] FollowIter<'_, T>: follow, removals, range);

debug_fields!([T: Pod] FollowIter<'_, T>, "FollowIter", |iter| range: iter.range);

iterate_by_ref!([T: Pod] Follow<T>: T => FollowIter<'a, T>);

impl fmt::Display for Removed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "elements were removed since the position was stored; read from the start again",
        )
    }
}

impl std::error::Error for Removed {}
