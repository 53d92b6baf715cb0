//! [`FileVec`]: an array in a file.

// # Why this is sound
//
// The elements are those of a `VmVec` over a `FileBacking`, so everything that `VmVec` guarantees holds: they lie in
// mapped memory and never move. What differs is their origin. `open` declares elements initialized that this process
// never wrote: any bytes are a value of `T: Pod`, and the file was checked to be long enough. The caller that opens a
// named file guarantees that nothing else changes the elements while there are references to them.
//
// `VmVec` and the header both store the length, and the header's never exceeds that of `VmVec`: it is written last
// after elements are added, and first before elements are removed, however the call ends.
//
// Space past the elements reads as zero, except where elements were removed: a backing commits zeros, only elements are
// written to it, and their number is noted before some of them are removed.

#![expect(unsafe_code, reason = "extends by space that reads as zero")]

use super::error::FileError;
use super::grow_only::GrowOnlyFile;
use super::header::{HEADER_BYTES, Record, USER_BYTES};
use super::live::Live;
use super::mapped_file::MappedFile;
use super::mode::{Mode, Mutable};
use super::system;
use crate::error::{Error, Refused, unwrap_or_panic};
use crate::vec::{Rest, VmVec, check_range};
use bytemuck::Pod;
use std::fmt;
use std::fs::File;
use std::marker::PhantomData;
use std::ops::{Deref, Range, RangeBounds};
use std::path::Path;
use std::sync::Arc;

/// A growable array in a file, whose elements never move.
///
/// **Dropping a `FileVec` does not make its elements durable.** After a restart of the system, even a clean one, the
/// file holds the elements of the last [`flush`](Self::flush) or [`close`](Self::close): the next boot cannot tell
/// whether pages that no call waited for were written. Call `close` to keep all elements.
///
/// The file is mapped once, far past its end, and grows into that range: nothing is remapped, no pointer to an element
/// changes, and growth costs about what it does in memory. [Opening](Self::open) the file takes the same short time
/// whatever its size, which may exceed memory; except after a failed flush, and after removals that were not flushed.
///
/// Elements are plain data: `T` is [`Pod`], because any bytes in the file must be a valid value, and every byte of a
/// value must be initialized when it is written. (Of the crates with such a trait, `bytemuck` is the one that other
/// features of this crate use.)
///
/// It has the methods of [`VmVec`] that make sense for files. In a [`Mutable`] array, elements can be changed, and
/// removed from the end; in an [`AppendOnly`](super::AppendOnly) array they cannot. No method inserts or removes in the
/// middle, except for [`swap_remove`](FileVec::swap_remove): if the process were killed meanwhile, neither the old nor
/// the new state would be left.
///
/// # What survives
///
/// | event | contents when it is opened again |
/// |---|---|
/// | the array is [closed](Self::close) | all elements, durably |
/// | it is dropped, or the process ends or is killed | all elements that were pushed, as long as the system stays up |
/// | the system restarts, crashes, or loses power | the elements of the last [`flush`](Self::flush), except that changes made since may be present in part |
/// | `flush` fails because the disk does not accept a write | likewise; [`lost_len`](Self::lost_len) returns how many elements were dropped |
/// | the disk is full | all elements: a push that needs space is [refused](crate::ErrorKind::Disk), and `try_push` returns its value |
///
/// [The module](super) specifies the format, and what is found after each kind of failure.
///
/// # Access by others
///
/// A named file is one that others can write to and truncate. The caller that opens it must guarantee that they do not;
/// see [`open`](Self::open). An array in an [unnamed file](Self::temporary_in) needs no such guarantee.
///
/// After `fork`, the array belongs to the parent. A child must not use it, because both would write to the same file;
/// dropping it leaves the file as it is. The child shares the lock until it exits or, unless the file was opened
/// without `O_CLOEXEC` and passed to [`from_file`](Self::from_file), executes another program, even if the parent is
/// killed. Until then, opening the file fails with [`Locked`](super::FileErrorKind::Locked).
///
/// # Examples
///
/// ```
/// use stayput::FileVec;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = std::env::temp_dir().join(format!("stayput-doc-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// let path = folder.join("prices");
/// // SAFETY: nothing else writes to the file.
/// let mut prices: FileVec<f64> = unsafe { FileVec::create(&path)? };
/// prices.extend([1.0, 2.5, 4.0]);
/// prices.close()?;
///
/// // SAFETY: as above.
/// let prices: FileVec<f64> = unsafe { FileVec::open(&path)? };
/// assert_eq!(*prices, [1.0, 2.5, 4.0]);
/// # drop(prices);
/// # std::fs::remove_dir_all(folder)?;
/// # Ok(())
/// # }
/// ```
pub struct FileVec<T: Pod, M: Mode = Mutable> {
    /// Before `live`, which is dropped last and truncates the file.
    pub(super) elements: VmVec<T>,
    pub(super) live: Live,
    /// The last record written.
    record: Record,
    /// Whether the record is durable. If not, the one before it may be the last on the disk.
    is_record_durable: bool,
    /// An upper bound of the durable length: the length at the last time it was known for certain.
    flushed: u64,
    /// The number of elements dropped when the file was opened.
    lost: usize,
    user: [u8; USER_BYTES],
    mode: PhantomData<M>,
}

/// Statistics of a [`FileVec`], returned by [`FileVec::stats`].
///
/// # Examples
///
/// ```
/// use stayput::FileVec;
///
/// let mut orders: FileVec<[u32; 4]> = FileVec::temporary_in(std::env::temp_dir())?;
/// orders.extend([[1, 2, 3, 4]; 100]);
/// orders.flush()?;
/// orders.push([5, 6, 7, 8]);
///
/// let stats = orders.stats();
/// assert_eq!(stats.len - stats.flushed_len, 1); // a loss of power would take one order
/// assert!(stats.capacity >= stats.len);
/// # Ok::<(), stayput::file::FileError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileVecStats {
    /// Elements.
    pub len: usize,
    /// Elements at the last [`flush`](FileVec::flush).
    pub flushed_len: usize,
    /// Elements that fit before the file has to grow.
    pub capacity: usize,
    /// Elements for which addresses are reserved.
    pub max_len: usize,
    /// Bytes of address space.
    pub reserved_bytes: usize,
    /// Bytes for which the file has space, if that is [allocated](super::Space::Allocated) in advance.
    pub committed_bytes: usize,
    /// The length of the file; `None` if the system does not report it.
    pub file_bytes: Option<u64>,
}

/// An expected access pattern, for [`FileVec::advise`].
///
/// # Examples
///
/// ```
/// use stayput::FileVec;
/// use stayput::file::Advice;
///
/// let mut samples: FileVec<u64> = FileVec::temporary_in(std::env::temp_dir())?;
/// samples.extend(0..100_000);
/// samples.advise(Advice::Sequential)?; // they are about to be read from start to end
/// assert_eq!(samples.iter().sum::<u64>(), 4_999_950_000);
/// # Ok::<(), stayput::file::FileError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Advice {
    /// No particular pattern.
    #[default]
    Normal,
    /// Random access: no read-ahead.
    Random,
    /// Sequential access: much read-ahead.
    Sequential,
    /// Access in the near future: read now.
    WillNeed,
}

/// Publishes the number of elements to readers, however a call ends.
struct Publish<'v, T: Pod, M: Mode>(&'v mut FileVec<T, M>);

impl<T: Pod, M: Mode> Drop for Publish<'_, T, M> {
    #[inline]
    fn drop(&mut self) {
        self.0.live.publish(self.0.elements.len());
    }
}

impl<T: Pod, M: Mode> FileVec<T, M> {
    pub(super) fn new(
        elements: VmVec<T>,
        mapped: Arc<MappedFile>,
        record: Record,
        is_record_durable: bool,
        lost: usize,
    ) -> Self {
        let (live, Record { user, len: flushed, .. }) = (Live::new(mapped), record);
        Self { elements, live, record, is_record_durable, flushed, lost, user, mode: PhantomData }
    }

    /// Returns the number of elements.
    #[inline]
    pub const fn len(&self) -> usize {
        self.elements.len()
    }

    /// Returns `true` if there are no elements.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// Returns the number of elements that the array can hold before the file has to grow. When a file was just opened
    /// without a [capacity](super::FileVecBuilder::capacity), that is the number of elements in it, even if it is longer.
    #[inline]
    pub const fn capacity(&self) -> usize {
        self.elements.capacity()
    }

    /// Returns the greatest number of elements that the array can hold while it is open.
    pub fn max_len(&self) -> usize {
        self.elements.max_len()
    }

    /// Returns the number of elements at the last [`flush`](Self::flush), since the file was opened or before.
    ///
    /// If a process was killed during a flush, that flush may count although it never returned.
    pub fn flushed_len(&self) -> usize {
        // The number found in the file fits into the addresses; later numbers were written here.
        usize::try_from(self.flushed).unwrap_or(usize::MAX)
    }

    /// Returns the number of elements that were dropped when the file was opened, because they were not
    /// [flushed](Self::flush) before a flush failed or the system restarted.
    ///
    /// After a failed flush, the number is exact. After a restart, it is what the header on the disk counts; more may
    /// have been pushed. It is 0 for a new file, and when the file is opened the next time.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::FileVec;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = std::env::temp_dir().join(format!("stayput-lost-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// // SAFETY: nothing else writes to the file.
    /// let events: FileVec<u64> = unsafe { FileVec::open_or_create(folder.join("events"))? };
    /// if events.lost_len() > 0 {
    ///     eprintln!("{} events were never written to the disk", events.lost_len());
    /// }
    /// # drop(events);
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok(())
    /// # }
    /// ```
    pub const fn lost_len(&self) -> usize {
        self.lost
    }

    /// Returns the elements as a slice.
    #[inline]
    pub const fn as_slice(&self) -> &[T] {
        self.elements.as_slice()
    }

    /// Returns a pointer to the first element, which never changes.
    #[inline]
    pub const fn as_ptr(&self) -> *const T {
        self.elements.as_ptr()
    }

    /// Returns statistics of the array and its file. Enters the kernel.
    pub fn stats(&self) -> FileVecStats {
        let stats = self.elements.stats();
        FileVecStats {
            len: stats.len,
            flushed_len: self.flushed_len(),
            capacity: stats.capacity,
            max_len: stats.max_len,
            reserved_bytes: stats.reserved_bytes,
            committed_bytes: stats.committed_bytes,
            file_bytes: self.mapped().file_bytes().ok(),
        }
    }

    /// Returns the path of the file as it was passed; `None` if it has none.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::FileVec;
    ///
    /// # let folder = std::env::temp_dir().join(format!("stayput-path-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// let path = folder.join("scores");
    /// // SAFETY: nothing else writes to the file.
    /// let scores: FileVec<u32> = unsafe { FileVec::create(&path)? };
    /// assert_eq!(scores.path(), Some(path.as_path()));
    ///
    /// let unnamed: FileVec<u32> = FileVec::temporary_in(&folder)?;
    /// assert_eq!(unnamed.path(), None);
    /// # drop((scores, unnamed));
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn path(&self) -> Option<&Path> {
        self.mapped().path()
    }

    pub(super) fn mapped(&self) -> &MappedFile {
        self.live.mapped()
    }

    /// Changes the elements by a call, and then publishes their number.
    #[inline]
    pub(super) fn change<R>(&mut self, call: impl FnOnce(&mut VmVec<T>) -> R) -> R {
        let publish = Publish(self);
        call(&mut publish.0.elements)
    }

    /// Appends an element. Enters the kernel when the file has to grow.
    ///
    /// # Panics
    ///
    /// If [`try_push`](Self::try_push) returns an error.
    #[inline]
    #[track_caller]
    pub fn push(&mut self, value: T) {
        // If this panics, nothing has changed.
        self.elements.push(value);
        self.live.publish(self.elements.len());
    }

    /// Appends an element, or returns the error and the value.
    ///
    /// # Errors
    ///
    /// If the array holds `max_len` elements, the disk is full, or the file would be too large.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::FileVec;
    ///
    /// let mut queue: FileVec<u32> =
    ///     FileVec::builder().max_len(2).temporary_in(std::env::temp_dir())?;
    /// queue.extend([1, 2]);
    /// let refused = queue.try_push(3).unwrap_err();
    /// assert_eq!((refused.value, queue.len()), (3, 2));
    /// # Ok::<(), stayput::file::FileError>(())
    /// ```
    #[inline]
    pub fn try_push(&mut self, value: T) -> Result<(), Refused<T>> {
        self.elements.try_push(value)?;
        self.live.publish(self.elements.len());
        Ok(())
    }

    /// Appends copies of elements.
    ///
    /// # Panics
    ///
    /// If [`try_extend_from_slice`](Self::try_extend_from_slice) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::FileVec;
    ///
    /// let mut samples: FileVec<f32> = FileVec::temporary_in(std::env::temp_dir())?;
    /// samples.extend_from_slice(&[0.5, 1.5]);
    /// assert_eq!(*samples, [0.5, 1.5]);
    /// # Ok::<(), stayput::file::FileError>(())
    /// ```
    #[track_caller]
    pub fn extend_from_slice(&mut self, other: &[T]) {
        unwrap_or_panic(self.try_extend_from_slice(other));
    }

    /// Appends copies as [`extend_from_slice`](Self::extend_from_slice) does, or returns the error; then nothing has
    /// changed.
    ///
    /// # Errors
    ///
    /// As for [`try_push`](Self::try_push).
    pub fn try_extend_from_slice(&mut self, other: &[T]) -> Result<(), Error> {
        self.change(|elements| elements.try_extend_from_slice(other))
    }

    /// Appends all elements of an iterator, or returns the error and the elements that were not appended. The elements
    /// are published to readers together, at the end.
    ///
    /// # Errors
    ///
    /// As for [`try_push`](Self::try_push).
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::FileVec;
    ///
    /// let mut queue: FileVec<u32> =
    ///     FileVec::builder().max_len(3).temporary_in(std::env::temp_dir())?;
    /// let refused = queue.try_extend(1..=5).unwrap_err();
    /// assert_eq!(*queue, [1, 2, 3]);
    /// assert!(refused.value.eq([4, 5]));
    /// # Ok::<(), stayput::file::FileError>(())
    /// ```
    pub fn try_extend<I: IntoIterator<Item = T>>(
        &mut self,
        iter: I,
    ) -> Result<(), Refused<Rest<I::IntoIter>>> {
        // Disk space costs more than untouched memory, so the iterator's hint is trusted only up to this.
        const MOST_BYTES: usize = 64 << 20;
        let most = MOST_BYTES.checked_div(size_of::<T>()).unwrap_or(usize::MAX).max(1);
        self.change(|elements| elements.try_extend_by(iter, most))
    }

    /// Appends `additional` elements whose bytes are all zero. Parts of the file that never held elements are not
    /// written: with [`Space::Sparse`](super::Space::Sparse) they take no disk space.
    ///
    /// [Flushes](Self::flush) first if elements that were flushed have been removed since: the zeros overwrite them.
    ///
    /// # Panics
    ///
    /// If [`try_extend_zeroed`](Self::try_extend_zeroed) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::FileVec;
    ///
    /// let mut grid: FileVec<[u32; 2]> = FileVec::temporary_in(std::env::temp_dir())?;
    /// grid.extend_zeroed(100);
    /// assert_eq!((grid.len(), grid[99]), (100, [0, 0]));
    /// # Ok::<(), stayput::file::FileError>(())
    /// ```
    #[track_caller]
    pub fn extend_zeroed(&mut self, additional: usize) {
        unwrap_or_panic(self.try_extend_zeroed(additional));
    }

    /// Appends zeros as [`extend_zeroed`](Self::extend_zeroed) does, or returns the error; then no element has changed.
    ///
    /// # Errors
    ///
    /// As for [`try_push`](Self::try_push). Also if [`flush`](Self::flush) fails, with the same effects.
    pub fn try_extend_zeroed(&mut self, additional: usize) -> Result<(), Error> {
        if !self.is_settled() {
            // Before the flush, which a refusal must not cost.
            self.elements.try_reserve(additional)?;
        }
        self.settle()?;
        let written = self.mapped().most().max(self.len());
        // SAFETY: all elements there ever were since the file was opened are counted, and all other committed bytes are
        // zero, as shown in the header of this module. All zero is a valid value of `T: Pod`.
        self.change(|elements| unsafe { elements.try_extend_zeroed_past(additional, written) })
    }

    /// Opens a scope in which the array can only grow, so that references to elements stay valid across pushes.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::FileVec;
    ///
    /// let mut samples: FileVec<f64> = FileVec::temporary_in(std::env::temp_dir())?;
    /// let scope = samples.grow_only();
    /// let first = scope.push(1.5);
    /// let second = scope.push(first * 2.0); // `first` is still valid
    /// assert_eq!((*first, *second), (1.5, 3.0));
    /// # Ok::<(), stayput::file::FileError>(())
    /// ```
    pub fn grow_only(&mut self) -> GrowOnlyFile<'_, T> {
        GrowOnlyFile::new(self.elements.grow_only(), &self.live)
    }

    /// Returns 64 bytes in the header for the user's own data, as last set or, when the file was opened, as last
    /// flushed. Zero in a new file.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::FileVec;
    ///
    /// # let folder = std::env::temp_dir().join(format!("stayput-user-bytes-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// let path = folder.join("events");
    /// // SAFETY: nothing else writes to the file.
    /// let mut events: FileVec<u64> = unsafe { FileVec::create(&path)? };
    /// events.extend(0..100);
    /// let mut bytes = events.user_bytes();
    /// bytes[0] = 60; // the first 60 events are processed
    /// events.set_user_bytes(bytes);
    /// events.close()?;
    ///
    /// // SAFETY: as above.
    /// let events: FileVec<u64> = unsafe { FileVec::open(&path)? };
    /// let processed = usize::from(events.user_bytes()[0]);
    /// assert_eq!(events[processed..].len(), 40);
    /// # drop(events);
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub const fn user_bytes(&self) -> [u8; 64] {
        self.user
    }

    /// Sets the [user's bytes](Self::user_bytes). The next [`flush`](Self::flush) writes them together with the length:
    /// after a crash, either both are present or neither is.
    pub const fn set_user_bytes(&mut self, bytes: [u8; 64]) {
        self.user = bytes;
    }

    /// Makes all elements durable, and then the length and the [user's bytes](Self::user_bytes), so that they survive a
    /// loss of power.
    ///
    /// Enters the kernel, and waits for the disk twice. The first call since the file was opened waits once more, and
    /// so does the first call for a new file, whose name is made durable.
    ///
    /// # Errors
    ///
    /// If the system cannot write the file. What the disk holds is then unknown, and all later calls fail with
    /// [`Failed`](super::FileErrorKind::Failed), because the system reports such an error only once. The elements
    /// remain readable here. When the file is [opened](Self::open) again, it holds the elements of the last successful
    /// `flush`, even in the same boot; [`lost_len`](Self::lost_len) returns the number of the others.
    ///
    /// Also if the header cannot be written because a copy-on-write file system is full, or because of the process's
    /// limit (`RLIMIT_FSIZE`); a later call can succeed.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::FileVec;
    ///
    /// let mut orders: FileVec<u64> = FileVec::temporary_in(std::env::temp_dir())?;
    /// orders.extend([17, 18]);
    /// orders.flush()?; // these two are on the disk
    /// orders.push(19);
    /// assert_eq!((orders.len(), orders.flushed_len()), (3, 2));
    /// # Ok::<(), stayput::file::FileError>(())
    /// ```
    pub fn flush(&mut self) -> Result<(), FileError> {
        let mapped = self.live.mapped();
        mapped.sync(HEADER_BYTES..Self::bytes(self.len()))?;
        // Before the record, so that the name of a file with a record is durable.
        mapped.sync_name()?;
        if !self.is_record_durable {
            // The next record overwrites the one before it.
            mapped.sync(0..HEADER_BYTES)?;
            self.is_record_durable = true;
        }
        let record = self.record.next(self.len(), self.user);
        mapped.write(record.at(), &record.to_bytes())?;
        // From here on, either record may be on the disk.
        self.record = record;
        mapped.sync_record(Some(&record), 0..HEADER_BYTES)?;
        self.flushed = record.len;
        Ok(())
    }

    /// Returns `false` if a length that may be durable counts more elements than there are.
    fn is_settled(&self) -> bool {
        self.record.len.max(self.flushed) <= self.len() as u64
    }

    /// Makes a shorter length durable before what lies past it is overwritten.
    pub(super) fn settle(&mut self) -> Result<(), Error> {
        if self.is_settled() {
            return Ok(());
        }
        self.flush().map_err(|error| error.to_error(Self::bytes(self.len())))
    }

    /// Starts writing elements to the disk without waiting, so that a later [`flush`](Self::flush) waits less.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::FileVec;
    ///
    /// let mut frames: FileVec<[u8; 1024]> = FileVec::temporary_in(std::env::temp_dir())?;
    /// for n in 0..10 {
    ///     frames.push([n; 1024]);
    ///     frames.flush_async()?; // the disk writes while the next frame is made
    /// }
    /// frames.flush()?;
    /// assert_eq!(frames.flushed_len(), 10);
    /// # Ok::<(), stayput::file::FileError>(())
    /// ```
    pub fn flush_async(&self) -> Result<(), FileError> {
        self.mapped().begin_sync(HEADER_BYTES..Self::bytes(self.len()))
    }

    /// Makes a range of elements durable, but not the length: for elements that were flushed before and changed in
    /// place. Concurrent calls wait for each other.
    ///
    /// # Errors
    ///
    /// As for [`flush`](Self::flush).
    ///
    /// # Panics
    ///
    /// If the range does not lie within the elements.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::FileVec;
    ///
    /// let mut accounts: FileVec<i64> = FileVec::temporary_in(std::env::temp_dir())?;
    /// accounts.extend([100; 50]);
    /// accounts.flush()?;
    /// accounts[7] -= 30;
    /// accounts[8] += 30;
    /// accounts.flush_range(7..9)?; // makes these two durable
    /// # Ok::<(), stayput::file::FileError>(())
    /// ```
    #[track_caller]
    pub fn flush_range(&self, range: impl RangeBounds<usize>) -> Result<(), FileError> {
        let (start, end) = check_range(&range, self.len());
        self.mapped().sync(Self::bytes(start)..Self::bytes(end))
    }

    /// Advises the system how elements will be used, including future ones. Has no effect on Windows.
    ///
    /// The advice also affects growth: by default, Linux prepares as many pages at a page fault as it would read ahead,
    /// which is fastest overall, but occasionally takes a millisecond or two. With [`Advice::Random`], each page takes
    /// its own fault, and no push takes much longer than others.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::FileVec;
    /// use stayput::file::Advice;
    ///
    /// let mut log: FileVec<[u8; 64]> = FileVec::temporary_in(std::env::temp_dir())?;
    /// log.advise(Advice::Random)?; // no push takes much longer than others
    /// log.push([0; 64]);
    /// # Ok::<(), stayput::file::FileError>(())
    /// ```
    pub fn advise(&self, advice: Advice) -> Result<(), FileError> {
        let range: Range<usize> = HEADER_BYTES..self.mapped().map().bytes();
        if range.is_empty() {
            return Ok(());
        }
        let advised = system::advise(self.mapped().map().raw(), advice, range);
        advised.map_err(|error| self.mapped().error(error))
    }

    /// Returns the number of bytes that a number of elements and the header take.
    const fn bytes(len: usize) -> usize {
        HEADER_BYTES + len * size_of::<T>()
    }

    /// [Flushes](Self::flush) the array, cuts off space that never held elements, and unlocks the file. Dropping the
    /// array does the same without the flush, and ignores errors.
    ///
    /// # Errors
    ///
    /// As for [`flush`](Self::flush). The array is dropped in any case, and the file keeps its contents.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::FileVec;
    ///
    /// # let folder = std::env::temp_dir().join(format!("stayput-close-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// let path = folder.join("scores");
    /// // SAFETY: nothing else writes to the file.
    /// let mut scores: FileVec<u32> = unsafe { FileVec::create(&path)? };
    /// scores.extend([90, 75]);
    /// scores.close()?; // an error would say that the elements may not be on the disk
    /// assert_eq!(std::fs::metadata(&path)?.len(), 65_536 + 2 * 4); // the header and the elements
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn close(self) -> Result<(), FileError> {
        self.into_file().map(drop)
    }

    /// Closes the array as [`close`](Self::close) does, and returns the file, open for reading and writing.
    ///
    /// # Errors
    ///
    /// As for [`close`](Self::close).
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::FileVec;
    ///
    /// let mut numbers: FileVec<u64> = FileVec::temporary_in(std::env::temp_dir())?;
    /// numbers.extend(0..100);
    /// let file = numbers.into_file()?; // still exists, although it has no name
    ///
    /// // SAFETY: no other program can open a file without a name.
    /// let numbers: FileVec<u64> = unsafe { FileVec::from_file(file)? };
    /// assert_eq!(numbers.len(), 100);
    /// # Ok::<(), stayput::file::FileError>(())
    /// ```
    pub fn into_file(mut self) -> Result<File, FileError> {
        self.flush()?;
        let Self { elements, live, .. } = self;
        drop(elements);
        let Some(mapped) = Arc::into_inner(live.into_mapped()) else {
            unreachable!("only the array and its memory share the file")
        };
        mapped.into_file()
    }
}

impl<T: Pod, M: Mode> Deref for FileVec<T, M> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        self.as_slice()
    }
}

impl<T: Pod, M: Mode> AsRef<[T]> for FileVec<T, M> {
    fn as_ref(&self) -> &[T] {
        self
    }
}

extend_by_try!([T: Pod, M: Mode] FileVec<T, M>: T);
extend_by_copies!([T: Pod, M: Mode] FileVec<T, M>: T);
iterate_by_ref!([T: Pod, M: Mode] FileVec<T, M>: &'a T => std::slice::Iter<'a, T>);

debug_items!([T: Pod + fmt::Debug, M: Mode] FileVec<T, M>, debug_list, |items| items.iter());
