//! [`FileVec`]: an array in a file.

// # Why this is sound
//
// The elements are those of a `VmVec` over a `FileBacking`, so all that it answers for holds: they lie in memory
// that is mapped and never moves. What is special is where they come from. `open` says that so many are there
// which this process never wrote; any bytes are a value of `T: Pod`, and the file was seen to be as long. That
// nobody else changes them while there are references is what who opens a file with a name promises.
//
// `VmVec` and the header both have the length. The latter never says more than the former: after what adds
// elements it is written last, before what removes some first, however the call ends.

#![expect(unsafe_code, reason = "passes on what who opens a file vouches for")]

use super::builder::FileVecBuilder;
use super::error::FileError;
use super::grow_only::GrowOnlyFile;
use super::header::{HEADER_BYTES, Record, USER_BYTES};
use super::held::Held;
use super::live::Live;
use super::mode::{Mode, Mutable};
use super::system;
use crate::container::{prefault_methods, reserve_exact_methods, reserve_methods};
use crate::error::{Error, Refused, or_give_up};
use crate::growing::{Amount, Budget, Prefaulted};
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
/// **Dropping a `FileVec` does not make its elements durable.** After the system restarts, even if it was shut down
/// cleanly, the file holds the elements of the last [`flush`](Self::flush) or [`close`](Self::close): the next boot cannot
/// tell whether pages that no call waited for were written. Call `close` to keep all elements.
///
/// The file is mapped far behind its end, once, and grows into that: nothing is ever mapped anew, no pointer to an
/// element changes, and growing costs about what it does in memory. The array is there again when the file is
/// [opened](Self::open), in no time, whatever its size. It may be larger than memory.
///
/// Elements are plain data: `T` is [`Pod`], for any bytes in the file have to be a value of it, and no byte of one
/// may be undefined when it is written. (Of the crates that have such a trait, `bytemuck` is the one that this
/// crate's other features use.)
///
/// It has what [`VmVec`] has, by the same names, as far as that makes sense here. In a [`Mutable`] one elements can
/// be changed, and removed from its end; in one that is [`AppendOnly`](super::AppendOnly) they cannot. What inserts or removes
/// in the middle is not there but for [`swap_remove`](FileVec::swap_remove): a process that is ended in the midst of
/// it would leave neither what was nor what is to be.
///
/// # What is kept
///
/// | what happens | what is there when it is opened again |
/// |---|---|
/// | it is [closed](Self::close) | all, and for good |
/// | it is dropped, or the process ends, or is ended | all that was pushed, as long as the system stays up |
/// | the system restarts, goes down, or power is lost | all that was there at the last [`flush`](Self::flush), but what was changed since may be so in part |
/// | `flush` fails because the disk does not accept a write | the same; [`lost_len`](Self::lost_len) tells how many elements were dropped |
/// | the disk is full | all: a push that needs room is [refused](crate::ErrorKind::Disk), and gives its value back |
///
/// See [the module](super) for what the file says of itself, and how.
///
/// # What others may do
///
/// A file with a name is one that others can write to, and cut. So who opens it promises that they do not: see
/// [`open`](Self::open). An array in a [file without a name](Self::temporary_in) needs no such promise.
///
/// After `fork` the array belongs to the parent. A child must not use it, because both would write to the same file; dropping
/// it leaves the file as it is. The child shares the lock until it exits or, unless the file was opened without `O_CLOEXEC`
/// and passed to [`from_file`](Self::from_file), executes another program, even if the parent is killed. Until then, opening
/// the file fails with [`Locked`](super::FileErrorKind::Locked).
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
/// // SAFETY: nobody else writes to the file.
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
    /// Before `live`, which has the last hand in the file.
    pub(super) elements: VmVec<T>,
    pub(super) live: Live,
    /// What was written last of what is to be durable.
    record: Record,
    /// Whether the record is durable. If not, the one before it may be what is on the disk.
    is_record_durable: bool,
    /// How many elements are durable, or more: those that were when that was last so for certain.
    flushed: u64,
    /// The number of elements dropped when the file was opened.
    lost: usize,
    user: [u8; USER_BYTES],
    mode: PhantomData<M>,
}

/// What a [`FileVec`] holds and takes up, given by [`FileVec::stats`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileVecStats {
    /// Elements.
    pub len: usize,
    /// Elements that were there at the last [`flush`](FileVec::flush).
    pub flushed_len: usize,
    /// Elements for which the file is long enough.
    pub capacity: usize,
    /// Elements for which there are addresses.
    pub max_len: usize,
    /// Bytes of address space.
    pub reserved_bytes: usize,
    /// Bytes for which the file has room now, if that is [taken](super::Space::Allocated) at once.
    pub committed_bytes: usize,
    /// How long the file is, if the system tells.
    pub file_bytes: Option<u64>,
}

/// What to expect of how elements are used, for [`FileVec::advise`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Advice {
    /// Nothing special.
    #[default]
    Normal,
    /// Here and there: nothing is to be read ahead.
    Random,
    /// One after the other: much is to be read ahead.
    Sequential,
    /// Soon: it is to be read now.
    WillNeed,
}

/// Tells those who follow how many elements there are, however a call ends.
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
        held: Arc<Held>,
        record: Record,
        is_record_durable: bool,
        lost: usize,
    ) -> Self {
        let (live, Record { user, len: flushed, .. }) = (Live::new(held), record);
        Self { elements, live, record, is_record_durable, flushed, lost, user, mode: PhantomData }
    }

    /// Options: how many elements at most, a tag that says what they mean, and others.
    pub const fn builder() -> FileVecBuilder<T, M> {
        FileVecBuilder::new()
    }

    /// Makes a file, or empties the one that is there, and locks it.
    ///
    /// # Errors
    ///
    /// See [`FileErrorKind`](super::FileErrorKind).
    ///
    /// # Safety
    ///
    /// - As for [`open`](Self::open).
    pub unsafe fn create(path: impl AsRef<Path>) -> Result<Self, FileError> {
        // SAFETY: the caller's promise is the same.
        unsafe { Self::builder().create(path) }
    }

    /// Makes a file, which may not be there, and locks it.
    ///
    /// # Errors
    ///
    /// See [`FileErrorKind`](super::FileErrorKind).
    ///
    /// # Safety
    ///
    /// - As for [`open`](Self::open).
    pub unsafe fn create_new(path: impl AsRef<Path>) -> Result<Self, FileError> {
        // SAFETY: the caller's promise is the same.
        unsafe { Self::builder().create_new(path) }
    }

    /// Opens a file with what it holds, and locks it. Reads the header and no element.
    ///
    /// # Errors
    ///
    /// See [`FileErrorKind`](super::FileErrorKind). What the file holds may be anything: it is checked.
    ///
    /// # Safety
    ///
    /// - For as long as the array is there nobody writes to the file, or cuts it, but through this array. Arrays
    ///   that ask for its [lock](super::Lock) do not; other programs, and other means of this one
    ///   ([`std::fs::write`]), are the caller's affair. (Where it is cut, the process is ended by `SIGBUS`; where it
    ///   is written to, what a `&T` refers to changes, which is undefined behaviour.)
    /// - A process that was forked does not open the file while its parent has it open: both share the lock.
    pub unsafe fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        // SAFETY: the caller's promise is the same.
        unsafe { Self::builder().open(path) }
    }

    /// Opens a file with what it holds, or makes it if it is not there, or empty; and locks it.
    ///
    /// # Errors
    ///
    /// See [`FileErrorKind`](super::FileErrorKind).
    ///
    /// # Safety
    ///
    /// - As for [`open`](Self::open).
    pub unsafe fn open_or_create(path: impl AsRef<Path>) -> Result<Self, FileError> {
        // SAFETY: the caller's promise is the same.
        unsafe { Self::builder().open_or_create(path) }
    }

    /// Takes a file that is open for reading and writing, with what it holds, or a new array if it is empty: a
    /// `memfd`, shared memory by its name, or a plain file.
    ///
    /// # Errors
    ///
    /// See [`FileErrorKind`](super::FileErrorKind).
    ///
    /// # Safety
    ///
    /// - As for [`open`](Self::open).
    /// - No other process makes an array from the same open file description, inherited or received over a socket: on
    ///   Unix, it would share the lock. (Within this process, a second array on the file is refused as
    ///   [`Locked`](super::FileErrorKind::Locked), even from a clone of the handle.)
    pub unsafe fn from_file(file: File) -> Result<Self, FileError> {
        // SAFETY: the caller's promise is the same.
        unsafe { Self::builder().from_file(file) }
    }

    /// Makes an array in a file without a name, in a folder: for arrays that are larger than memory, and go when
    /// they are dropped.
    ///
    /// # Errors
    ///
    /// See [`FileErrorKind`](super::FileErrorKind).
    pub fn temporary_in(folder: impl AsRef<Path>) -> Result<Self, FileError> {
        Self::builder().temporary_in(folder)
    }

    /// The number of elements.
    #[inline]
    pub const fn len(&self) -> usize {
        self.elements.len()
    }

    /// Whether there are none.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// For how many elements the file is long enough.
    #[inline]
    pub const fn capacity(&self) -> usize {
        self.elements.capacity()
    }

    /// How many elements it can ever hold, while it is open this time.
    pub fn max_len(&self) -> usize {
        self.elements.max_len()
    }

    /// Returns the number of elements at the last [`flush`](Self::flush), this time or before.
    ///
    /// If a process was killed during a flush, that flush may count although it never returned.
    pub fn flushed_len(&self) -> usize {
        // What was found was not more than there are addresses for, and the rest was written here.
        usize::try_from(self.flushed).unwrap_or(usize::MAX)
    }

    /// Returns the number of elements that were dropped when the file was opened, because they were not
    /// [flushed](Self::flush) before a flush failed or the system restarted.
    ///
    /// After a failed flush the number is exact. After a restart it is the number that the header on the disk counts; more
    /// may have been pushed. It is 0 for a new file, and the next time the file is opened.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::FileVec;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = std::env::temp_dir().join(format!("stayput-lost-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// // SAFETY: no other code writes to the file.
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

    /// The elements.
    #[inline]
    pub const fn as_slice(&self) -> &[T] {
        self.elements.as_slice()
    }

    /// A pointer to the first element, which never changes.
    #[inline]
    pub const fn as_ptr(&self) -> *const T {
        self.elements.as_ptr()
    }

    /// What it holds and takes up. Enters the kernel.
    pub fn stats(&self) -> FileVecStats {
        let stats = self.elements.stats();
        FileVecStats {
            len: stats.len,
            flushed_len: self.flushed_len(),
            capacity: stats.capacity,
            max_len: stats.max_len,
            reserved_bytes: stats.reserved_bytes,
            committed_bytes: stats.committed_bytes,
            file_bytes: self.held().file_bytes().ok(),
        }
    }

    /// The name of the file, if it has one, as it was given.
    pub fn path(&self) -> Option<&Path> {
        self.held().path()
    }

    pub(super) fn held(&self) -> &Held {
        self.live.held()
    }

    /// Has a call change the elements, and tells those who follow.
    #[inline]
    pub(super) fn change<R>(&mut self, call: impl FnOnce(&mut VmVec<T>) -> R) -> R {
        let publish = Publish(self);
        call(&mut publish.0.elements)
    }

    /// Appends an element.
    ///
    /// Enters the kernel when the file has to grow.
    ///
    /// # Panics
    ///
    /// Where [`try_push`](Self::try_push) has an error.
    #[inline]
    #[track_caller]
    pub fn push(&mut self, value: T) {
        // Should it panic, nothing has changed.
        self.elements.push(value);
        self.live.publish(self.elements.len());
    }

    /// [`push`](Self::push), or the error and the value.
    ///
    /// # Errors
    ///
    /// If it holds `max_len` elements, if the disk is full, or no file may be that large.
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
    /// Where [`try_extend_from_slice`](Self::try_extend_from_slice) has an error.
    #[track_caller]
    pub fn extend_from_slice(&mut self, other: &[T]) {
        or_give_up(self.try_extend_from_slice(other));
    }

    /// [`extend_from_slice`](Self::extend_from_slice), or the error; nothing has changed then.
    ///
    /// # Errors
    ///
    /// As for [`try_push`](Self::try_push).
    pub fn try_extend_from_slice(&mut self, other: &[T]) -> Result<(), Error> {
        self.change(|elements| elements.try_extend_from_slice(other))
    }

    /// Appends all that the iterator gives, or returns the error and the elements that could not be stored; those
    /// that could be are there. Those who follow are told of all at once.
    ///
    /// # Errors
    ///
    /// As for [`try_push`](Self::try_push).
    pub fn try_extend<I: IntoIterator<Item = T>>(
        &mut self,
        iter: I,
    ) -> Result<(), Refused<Rest<I::IntoIter>>> {
        // Room on the disk is not as cheap as memory that nobody touches: what an iterator says of itself is not
        // believed beyond this.
        const MOST_BYTES: usize = 64 << 20;
        let most = MOST_BYTES.checked_div(size_of::<T>()).unwrap_or(usize::MAX).max(1);
        self.change(|elements| elements.try_extend_by(iter, most))
    }

    /// Appends `additional` elements that are all zero, without touching them where the file never held others: with
    /// [`Space::Sparse`](super::Space::Sparse) they take no room on the disk either.
    ///
    /// # Panics
    ///
    /// Where [`try_extend_zeroed`](Self::try_extend_zeroed) has an error.
    #[track_caller]
    pub fn extend_zeroed(&mut self, additional: usize) {
        or_give_up(self.try_extend_zeroed(additional));
    }

    /// [`extend_zeroed`](Self::extend_zeroed), or the error; no element has changed then.
    ///
    /// # Errors
    ///
    /// As for [`try_push`](Self::try_push).
    pub fn try_extend_zeroed(&mut self, additional: usize) -> Result<(), Error> {
        self.settle()?;
        self.change(|elements| elements.try_extend_zeroed(additional))
    }

    reserve_methods! {
        &mut, "elements";
        /// Refused as well if the disk is full, or no file may be that large. Enters the kernel if there is not room already.
    }

    reserve_exact_methods!("elements");

    fn make_room_for(&mut self, additional: usize, amount: Amount) -> Result<(), Error> {
        self.elements.make_room_for(additional, amount)
    }

    prefault_methods!(&mut, "elements");

    fn prefault_room(&mut self, additional: usize) -> Result<(), Error> {
        self.elements.try_prefault(additional)
    }

    /// Makes pages behind the last element resident in the idle time of a frame: see
    /// [`VmVec::prefault_ahead`].
    pub fn prefault_ahead(&mut self, budget: Budget) -> Prefaulted {
        self.elements.prefault_ahead(budget)
    }

    /// Opens a scope in which references to elements stay good while others are pushed.
    pub fn grow_only(&mut self) -> GrowOnlyFile<'_, T> {
        GrowOnlyFile::new(self.elements.grow_only(), &self.live)
    }

    /// Sixty-four bytes of the user's in the header, as they were set, or else as they were flushed last. Zero in a
    /// new file.
    pub const fn user_bytes(&self) -> [u8; 64] {
        self.user
    }

    /// Sets them. They are written by the next [`flush`](Self::flush), together with the length: after that, either
    /// both are there or neither is.
    pub const fn set_user_bytes(&mut self, bytes: [u8; 64]) {
        self.user = bytes;
    }

    /// Makes all elements durable, and then the length and the [user's bytes](Self::user_bytes): they are there after
    /// a loss of power.
    ///
    /// Enters the kernel, and waits for the disk twice. The first call since the file was opened waits once more, and so does
    /// the first call for a new file, whose name is made durable.
    ///
    /// # Errors
    ///
    /// If the system cannot write the file. What the disk holds is then unknown, and all later calls fail with
    /// [`Failed`](super::FileErrorKind::Failed), because the system reports such an error only once. The elements remain
    /// readable here. When the file is [opened](Self::open) again, it holds the elements of the last successful `flush`, even
    /// in the same boot; [`lost_len`](Self::lost_len) returns the number of the others.
    ///
    /// If the header cannot be written because a copy-on-write file system is full, or because the process may have no file as
    /// large as the header (`RLIMIT_FSIZE`); a later call can succeed.
    pub fn flush(&mut self) -> Result<(), FileError> {
        let held = self.live.held();
        held.sync(HEADER_BYTES..Self::bytes(self.len()))?;
        // Before the record: if the file has one, its name is durable.
        held.sync_name()?;
        if !self.is_record_durable {
            // The next record overwrites the one before it.
            held.sync(0..HEADER_BYTES)?;
            self.is_record_durable = true;
        }
        let record = self.record.next(self.len(), self.user);
        held.write(record.at(), &record.to_bytes())?;
        // From here on either may be what is on the disk.
        self.record = record;
        held.sync_record(&record, 0..HEADER_BYTES)?;
        self.flushed = record.len;
        Ok(())
    }

    /// Makes a length durable that is less than the one that is, before what lies behind it goes.
    pub(super) fn settle(&mut self) -> Result<(), Error> {
        if self.record.len.max(self.flushed) <= self.len() as u64 {
            return Ok(());
        }
        self.flush().map_err(|error| error.to_error(Self::bytes(self.len())))
    }

    /// Begins to write elements to the disk, and waits for nothing. A later [`flush`](Self::flush) waits the less.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub fn flush_async(&self) -> Result<(), FileError> {
        self.held().begin_sync(HEADER_BYTES..Self::bytes(self.len()))
    }

    /// Makes some elements durable, but not the length: for elements that are changed in place and were flushed
    /// before. Calls of several threads wait for each other.
    ///
    /// # Errors
    ///
    /// As for [`flush`](Self::flush).
    ///
    /// # Panics
    ///
    /// If the range does not lie within the elements.
    #[track_caller]
    pub fn flush_range(&self, range: impl RangeBounds<usize>) -> Result<(), FileError> {
        let (start, end) = check_range(&range, self.len());
        self.held().sync(Self::bytes(start)..Self::bytes(end))
    }

    /// Says how elements are going to be used, those that are there and those to come. Nothing comes of it on Windows.
    ///
    /// It has a say in growth, too: where nobody says otherwise, Linux makes as much ready at a page fault as it would
    /// read ahead, which is the fastest on the whole, and takes a millisecond or two now and then.
    /// With [`Advice::Random`] each page takes its own fault, and no push much longer than others.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub fn advise(&self, advice: Advice) -> Result<(), FileError> {
        let range: Range<usize> = HEADER_BYTES..self.held().map().bytes();
        if range.is_empty() {
            return Ok(());
        }
        let advised = system::advise(self.held().map().raw(), advice, range);
        advised.map_err(|error| self.held().error(error))
    }

    /// How many bytes of the file so many elements take, and the header.
    const fn bytes(len: usize) -> usize {
        HEADER_BYTES + len * size_of::<T>()
    }

    /// [Flushes](Self::flush) it, cuts off room for which there were never elements, and unlocks it. A drop does the same but for the
    /// flush, and tells no errors.
    ///
    /// # Errors
    ///
    /// As for [`flush`](Self::flush). The array is gone in any case, and the file holds what it held.
    pub fn close(self) -> Result<(), FileError> {
        self.into_file().map(drop)
    }

    /// [`close`](Self::close), and the file, open for reading and writing.
    ///
    /// # Errors
    ///
    /// As for [`close`](Self::close).
    pub fn into_file(mut self) -> Result<File, FileError> {
        self.flush()?;
        let Self { elements, live, .. } = self;
        drop(elements);
        let Some(held) = Arc::into_inner(live.into_held()) else {
            unreachable!("nobody has it but the array and its memory")
        };
        held.into_file()
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
