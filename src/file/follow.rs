//! [`Follow`]: reading an array that another process writes.
//!
//! # Why this is sound
//!
//! Safe methods make no reference to an element. Elements are copied out by volatile reads: the compiler assumes nothing
//! about what is there, and may not read it twice. An element that is half written is still a value of `T: Pod`.
//!
//! Every element that is read lies within the file: its length was checked when it was opened; after that a writer makes
//! the file longer before it publishes elements, and never cuts it below the most that it, or another before it, has
//! published. (If another program cuts the file, this process is ended by a signal, which is not undefined behaviour.)
//!
//! # Why no element is torn
//!
//! A writer stores elements and then the length, with `Release`; the length is loaded with `Acquire` before elements are
//! read. So an element below the length is whole until the writer removes it. To remove elements, a writer stores the
//! shorter length, then counts the removal, and only then overwrites what lies past the length; see
//! [`count_removal`](super::map::count_removal). A copy is good if the count is the same before the length was loaded and
//! after the elements were copied (with a fence between); otherwise it is dropped and taken again.

#![expect(unsafe_code, reason = "reads what others write")]

use super::builder::{find_len, map_by_halves, not_mapped, usual_map_bytes};
use super::error::{FileError, FileErrorKind};
use super::header::{HEADER_BYTES, Identity, Misfit, Record, is_unfinished};
use super::map::{Header, Map};
use super::system;
use crate::error::{Error, ErrorKind};
use bytemuck::Pod;
use std::fmt;
use std::fs::File;
use std::hint;
use std::iter::FusedIterator;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::path::Path;
use std::ptr::NonNull;
use std::slice;
use std::sync::atomic::{Ordering, fence};

/// A reader of an array in a file that another process, or another thread, writes; it sees the array grow.
///
/// Any number of readers can follow one file, without a lock, whether or not it has a writer. Nothing is mapped
/// anew when the array grows, and reading does not enter the kernel.
///
/// # Whole elements
///
/// Elements are copied out, and each copy is whole: an element that was pushed is never seen half written, also where the
/// writer has removed elements and pushed others in their place. If elements are removed while a copy is taken, it is
/// taken again, so a reader makes no progress while a writer does nothing but remove elements.
///
/// The exceptions are elements that are changed in place, through a mutable reference or by
/// [`swap_remove`](crate::FileVec::swap_remove). No read can detect that. In an [append-only](super::AppendOnly)
/// file there are none.
///
/// # Removals
///
/// A reader that keeps a position misses elements if the writer removes some and pushes others in their place.
/// [`try_read`](Self::try_read) detects that: it reads nothing if elements were removed since [`removals`](Self::removals)
/// was called. Both are of use for append-only files, too, from which elements are removed when a writer opens them after
/// a loss of power.
///
/// # Lifetime of the file
///
/// The length that is read is that of the writer, as long as the system stays up. After a loss of power the reader has the
/// elements that were flushed, until the file is opened for writing again. See [the module](super#which-length-counts) for
/// containers, in which the boot of the system cannot always be told.
///
/// If another program cuts the file, or [`FileVec::create`](crate::FileVec::create) empties it, a process that follows it
/// is ended by a signal (`SIGBUS`) when it reads what is gone. A `FileVec` never cuts off elements that were published.
///
/// On a file system in memory (tmpfs, `/dev/shm`) reading a hole takes memory. Where that is full, a process that reads
/// what was [given back](crate::FileVec::shrink_to_fit), or opens a file with holes, is ended by the same signal.
///
/// On Windows a file can be mapped only as far as it is long: as long as it can ever be while it has a writer, and as
/// long as its elements take otherwise. See [`max_len`](Self::max_len).
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
    vouched: Vouched,
    element: PhantomData<fn() -> T>,
}

/// Elements were removed from an array that a [`Follow`] reads; see [`Follow::try_read`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Removed;

/// When a live length counts: it was written since the system was started, and no flush has failed since.
#[derive(Debug)]
struct Vouched {
    /// The boot of the system, if it is known. A writer of another boot may be one in a container.
    boot: Option<[u8; 16]>,
    /// How often the file had been opened for writing when it had no writer. A writer that opens it later runs in the same
    /// boot as this process. `None` if there was one.
    stale: Option<usize>,
}

impl Vouched {
    fn new(file: &File, header: Header<'_>) -> Self {
        // In this order: a writer announces itself before it counts.
        let openings = header.openings();
        let stale = (!system::has_writer(file)).then_some(openings);
        Self { boot: system::boot(), stale }
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

    /// The durable length. While a writer may be there, elements past the live length are about to be overwritten.
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
        let vouched = Vouched::new(file, header);
        let mut now = long;
        find_len(header, vouched.is_live(header), element_bytes, || {
            now = file.metadata()?.len();
            Ok(now)
        })?;
        if !system::MAPS_BEHIND_END && now > long {
            // Somebody has just opened it, and made it as long as it can ever be.
            return Self::over(file, tag);
        }
        let this = Self { map, is_append_only, vouched, element: PhantomData };
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

    /// Returns the number of elements.
    ///
    /// It grows, and gets less only if elements are [removed](Self::removals).
    #[inline]
    pub fn len(&self) -> usize {
        let header = self.map.header();
        let len = if self.vouched.is_live(header) {
            header.live_len()
        } else {
            self.vouched.durable_len(header)
        };
        len.min(self.max_len())
    }

    /// Returns a number that changes whenever elements are removed: by [`pop`](crate::FileVec::pop),
    /// [`truncate`](crate::FileVec::truncate) and others, or because they were not flushed when a flush failed or the system
    /// went down.
    ///
    /// As long as the number is the same, elements are where they were. (On 32-bit systems it wraps around at
    /// 2<sup>32</sup>.)
    #[inline]
    pub fn removals(&self) -> u64 {
        self.map.header().removals() as u64
    }

    /// Returns `true` if there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns how many elements it can see; what lies past them is not mapped.
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

    /// Returns a copy of an element, or `None` if `index` is past the last one.
    #[inline]
    pub fn get(&self, index: usize) -> Option<T> {
        self.iter_in(index, index.saturating_add(1)).next()
    }

    /// # Safety
    ///
    /// - `index` is less than a length that was read.
    #[inline]
    pub(super) unsafe fn copy(&self, index: usize) -> T {
        // SAFETY: no length that was read is more than `max_len`, which are mapped.
        let element = unsafe { self.first().add(index) };
        // SAFETY: mapped and within the file, as the module says; aligned, as the first of them is; and any bytes are a
        // `T`. A volatile read allows for others that write to it.
        unsafe { element.as_ptr().read_volatile() }
    }

    /// Whether no element was removed since [`removals`](Self::removals) returned a number; what was copied between is
    /// whole then.
    #[inline]
    fn is_still(&self, removals: u64) -> bool {
        fence(Ordering::Acquire);
        self.removals() == removals
    }

    /// Copies elements from index `from` on into `to`, as many as there are and fit, and returns the copies.
    ///
    /// Each of them is whole. Where elements are removed meanwhile, they may be of different times, and it is up to where
    /// the array ends then; see [`try_read`](Self::try_read).
    pub fn read<'b>(&self, from: usize, to: &'b mut [MaybeUninit<T>]) -> &'b mut [T] {
        let mut count = 0;
        for (to, element) in to.iter_mut().zip(self.iter_in(from, usize::MAX)) {
            to.write(element);
            count += 1;
        }
        // SAFETY: the first `count` were just written.
        unsafe { assume_init(&mut to[..count]) }
    }

    /// Copies elements as [`read`](Self::read) does, all of one time, unless elements were removed since
    /// [`removals`](Self::removals) returned a number.
    ///
    /// # Errors
    ///
    /// If elements were removed. Positions from before may be those of other elements now: call `removals` again, and
    /// start anew.
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
        let count = self.len().saturating_sub(from).min(to.len());
        for (i, to) in to[..count].iter_mut().enumerate() {
            // SAFETY: `from + i` is less than the length.
            to.write(unsafe { self.copy(from + i) });
        }
        if !self.is_still(removals) {
            return Err(Removed);
        }
        // SAFETY: the first `count` were just written.
        Ok(unsafe { assume_init(&mut to[..count]) })
    }

    /// Returns an iterator over copies of the elements that there are now. If elements are removed meanwhile, it ends where
    /// the array does.
    pub fn iter(&self) -> FollowIter<'_, T> {
        self.iter_in(0, usize::MAX)
    }

    #[inline]
    fn iter_in(&self, start: usize, end: usize) -> FollowIter<'_, T> {
        let removals = self.removals();
        FollowIter { follow: self, removals, range: start..end.min(self.len()) }
    }

    /// Returns the elements that there are now, in place, or `None` unless the file is [append-only](super::AppendOnly).
    ///
    /// # Safety
    ///
    /// While the slice is used,
    ///
    /// - nothing writes to the file or cuts it, except one append-only [`FileVec`](crate::FileVec) at a time, which writes
    ///   past the slice only; and
    /// - no writer opens the file that does not trust its live length, since such a writer overwrites the elements that
    ///   were not flushed: see [the module](super#which-length-counts). That can be a writer in another container, one
    ///   on a system that does not identify its boot, one after a flush that failed, or, on macOS and the BSDs, one after
    ///   the clock was set.
    ///
    /// Otherwise a `&T` refers to memory that changes, which is undefined behaviour. [`read`](Self::read) needs no such
    /// promise.
    pub unsafe fn as_slice(&self) -> Option<&[T]> {
        let len = self.len();
        // SAFETY: the first `len` are mapped and within the file; by the mode, and the caller's promise, they do not change.
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

/// # Safety
///
/// - All elements were written.
const unsafe fn assume_init<T>(slice: &mut [MaybeUninit<T>]) -> &mut [T] {
    // SAFETY: a `MaybeUninit<T>` has the layout of `T`; all are initialized, by the caller's promise.
    unsafe { &mut *(&raw mut *slice as *mut [T]) }
}

/// An iterator over copies of the elements of a [`Follow`], made by [`Follow::iter`].
pub struct FollowIter<'f, T: Pod> {
    follow: &'f Follow<T>,
    /// Since this number of removals, the indices have been less than the length.
    removals: u64,
    range: Range<usize>,
}

impl<T: Pod> FollowIter<'_, T> {
    /// Returns a copy of an element in the range, or the end of what is left of that if elements were removed.
    #[inline]
    fn copy(&mut self, index: usize) -> Option<T> {
        // SAFETY: less than the length when that was read.
        let element = unsafe { self.follow.copy(index) };
        if self.follow.is_still(self.removals) {
            return Some(element);
        }
        self.removals = self.follow.removals();
        self.range.end = self.range.end.min(self.follow.len());
        None
    }
}

impl<T: Pod> Iterator for FollowIter<'_, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        loop {
            if self.range.is_empty() {
                return None;
            }
            if let Some(element) = self.copy(self.range.start) {
                self.range.start += 1;
                return Some(element);
            }
            hint::spin_loop();
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.range.len()))
    }
}

impl<T: Pod> DoubleEndedIterator for FollowIter<'_, T> {
    fn next_back(&mut self) -> Option<T> {
        loop {
            if self.range.is_empty() {
                return None;
            }
            if let Some(element) = self.copy(self.range.end - 1) {
                self.range.end -= 1;
                return Some(element);
            }
            hint::spin_loop();
        }
    }
}

impl<T: Pod> FusedIterator for FollowIter<'_, T> {}

clone_fields!([T: Pod] FollowIter<'_, T>: follow, removals, range);

impl<T: Pod> fmt::Debug for FollowIter<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FollowIter").field("range", &self.range).finish_non_exhaustive()
    }
}

iterate_by_ref!([T: Pod] Follow<T>: T => FollowIter<'a, T>);

impl fmt::Display for Removed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("elements were removed since the position was taken; start anew")
    }
}

impl std::error::Error for Removed {}
