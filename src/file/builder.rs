//! [`FileVecBuilder`]: the options of a `FileVec`, and how files are created and opened.

#![expect(unsafe_code, reason = "sets the number of elements in a file")]

use super::backing::{FileBacking, Space};
use super::error::{FileError, FileErrorKind};
use super::header::{
    FileIdentity, FileProblem, HEADER_BYTES, Record, UNFINISHED, is_stayput, is_unfinished, make,
    written_bytes,
};
use super::locked::{Lock, Locked};
use super::map::{Header, MOST_AT};
use super::mapped_file::MappedFile;
use super::mode::{Mode, Mutable};
use super::vec::FileVec;
use super::{system, temporary};
use crate::error::{Error, ErrorKind, Holder, SizedBy};
use crate::growing::Growth;
use crate::raw_vec::Options;
use crate::reservation::{address_space_bytes, mapping_refused, page_size, usual_bytes};
use crate::vec::VmVec;
use bytemuck::Pod;
use std::fs::{File, OpenOptions};
use std::io;
use std::marker::PhantomData;
use std::path::Path;
use std::sync::Arc;

/// Options for a [`FileVec`]; created by [`FileVec::builder`].
///
/// # Examples
///
/// ```
/// use stayput::FileVec;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = std::env::temp_dir();
/// let mut samples: FileVec<[f32; 4]> =
///     FileVec::builder().max_len(1 << 24).tag(7).temporary_in(folder)?;
/// samples.push([0.0; 4]);
/// assert_eq!(samples.max_len(), 1 << 24);
/// # Ok(())
/// # }
/// ```
#[must_use = "no file is created or opened until a method for that is called"]
pub struct FileVecBuilder<T, M: Mode = Mutable> {
    max_len: Option<usize>,
    capacity: usize,
    growth: Growth,
    tag: u64,
    space: Space,
    lock: Lock,
    kind: PhantomData<fn() -> (T, M)>,
}

/// The length of a new file.
const HEADER: u64 = HEADER_BYTES as u64;

/// What an open call expects to find under a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    /// No file.
    Nothing,
    /// Any file, which is emptied, or none.
    Anything,
    Array,
    /// An array or no file.
    Either,
}

/// A file whose header is written.
///
/// Its invariant, *begun*: the header is mapped, and after it the file, which had `long` bytes, has `len` elements.
struct Begun {
    mapped: Arc<MappedFile>,
    record: Record,
    is_durable: bool,
    len: usize,
    /// The live length that was found.
    live: usize,
    is_new: bool,
    long: u64,
    sized_by: SizedBy,
}

impl<T: Pod, M: Mode> FileVecBuilder<T, M> {
    pub(super) const fn new() -> Self {
        Self {
            max_len: None,
            capacity: 0,
            growth: Growth::Doubling,
            tag: 0,
            space: Space::Allocated,
            lock: Lock::Exclusive,
            kind: PhantomData,
        }
    }

    /// Sets the greatest number of elements that the array can hold while it is open. Addresses for them are reserved
    /// immediately.
    ///
    /// Without it, the array reserves addresses for sixteen times the machine's memory (on 32-bit systems, for as much as
    /// that), or twice the length of the file if that is more, or fewer if the system refuses that many.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::FileVec;
    ///
    /// let mut pair: FileVec<u8> = FileVec::builder().max_len(2).temporary_in(std::env::temp_dir())?;
    /// pair.extend([1, 2]);
    /// assert!(pair.try_push(3).is_err());
    /// # Ok::<(), stayput::file::FileError>(())
    /// ```
    pub const fn max_len(mut self, max_len: usize) -> Self {
        self.max_len = Some(max_len);
        self
    }

    /// Reserves space for this many elements immediately. Defaults to 0.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::FileVec;
    ///
    /// // If the disk does not have this much space, that is an error here, and not of a later push.
    /// let log: FileVec<u64> = FileVec::builder().capacity(10_000).temporary_in(std::env::temp_dir())?;
    /// assert!(log.is_empty() && log.capacity() >= 10_000);
    /// # Ok::<(), stayput::file::FileError>(())
    /// ```
    pub const fn capacity(mut self, capacity: usize) -> Self {
        self.capacity = capacity;
        self
    }

    /// Sets how much space is allocated when more is needed. Defaults to [`Growth::Doubling`].
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{FileVec, Growth};
    ///
    /// let mut log: FileVec<u64> = FileVec::builder()
    ///     .growth(Growth::Fixed { step_bytes: 1 << 20 })
    ///     .temporary_in(std::env::temp_dir())?;
    /// log.push(1);
    /// assert!(log.capacity() > 100_000); // a mebibyte of disk space
    /// # Ok::<(), stayput::file::FileError>(())
    /// ```
    pub const fn growth(mut self, growth: Growth) -> Self {
        self.growth = growth;
        self
    }

    /// Sets a tag that identifies what the elements mean. It is stored in the file, and opening a file with another tag
    /// fails. Defaults to 0.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::FileVec;
    /// use stayput::file::FileErrorKind;
    ///
    /// # let folder = std::env::temp_dir().join(format!("stayput-tag-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// const CELSIUS: u64 = 1;
    /// const KELVIN: u64 = 2;
    ///
    /// let path = folder.join("temperatures");
    /// // SAFETY: nothing else writes to the file.
    /// let mut degrees: FileVec<f64> = unsafe { FileVec::builder().tag(CELSIUS).create(&path)? };
    /// degrees.push(21.5);
    /// degrees.close()?;
    ///
    /// let options = FileVec::<f64>::builder().tag(KELVIN);
    /// // SAFETY: as above.
    /// let error = unsafe { options.open(&path) }.unwrap_err();
    /// assert_eq!(error.kind(), FileErrorKind::Tag);
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub const fn tag(mut self, tag: u64) -> Self {
        self.tag = tag;
        self
    }

    /// Sets when disk space is allocated. Defaults to [`Space::Allocated`].
    pub const fn space(mut self, space: Space) -> Self {
        self.space = space;
        self
    }

    /// Sets whether the file is locked against other writers. Defaults to [`Lock::Exclusive`].
    pub const fn lock(mut self, lock: Lock) -> Self {
        self.lock = lock;
        self
    }

    /// Creates a file, or empties an existing one; see [`FileVec::create`].
    ///
    /// # Errors
    ///
    /// See [`FileErrorKind`].
    ///
    /// # Safety
    ///
    /// - As for [`FileVec::open`].
    pub unsafe fn create(self, path: impl AsRef<Path>) -> Result<FileVec<T, M>, FileError> {
        // SAFETY: the caller guarantees what `at` requires.
        unsafe { self.at(path.as_ref(), Expected::Anything) }
    }

    /// Creates a file, which must not exist; see [`FileVec::create_new`].
    ///
    /// # Errors
    ///
    /// See [`FileErrorKind`].
    ///
    /// # Safety
    ///
    /// - As for [`FileVec::open`].
    pub unsafe fn create_new(self, path: impl AsRef<Path>) -> Result<FileVec<T, M>, FileError> {
        // SAFETY: the caller guarantees what `at` requires.
        unsafe { self.at(path.as_ref(), Expected::Nothing) }
    }

    /// Opens a file with its contents; see [`FileVec::open`].
    ///
    /// # Errors
    ///
    /// See [`FileErrorKind`].
    ///
    /// # Safety
    ///
    /// - As for [`FileVec::open`].
    pub unsafe fn open(self, path: impl AsRef<Path>) -> Result<FileVec<T, M>, FileError> {
        // SAFETY: the caller guarantees what `at` requires.
        unsafe { self.at(path.as_ref(), Expected::Array) }
    }

    /// Opens a file with its contents, or creates an array if the file is empty or does not exist; see
    /// [`FileVec::open_or_create`].
    ///
    /// # Errors
    ///
    /// See [`FileErrorKind`].
    ///
    /// # Safety
    ///
    /// - As for [`FileVec::open`].
    pub unsafe fn open_or_create(self, path: impl AsRef<Path>) -> Result<FileVec<T, M>, FileError> {
        // SAFETY: the caller guarantees what `at` requires.
        unsafe { self.at(path.as_ref(), Expected::Either) }
    }

    /// Uses a file that is open for reading and writing, with its contents, or creates an array if it is empty; see
    /// [`FileVec::from_file`]. The file may be a `memfd`, named shared memory, or a plain file.
    ///
    /// # Errors
    ///
    /// See [`FileErrorKind`].
    ///
    /// # Safety
    ///
    /// - As for [`FileVec::from_file`].
    pub unsafe fn from_file(self, file: File) -> Result<FileVec<T, M>, FileError> {
        // SAFETY: the caller guarantees what `over` requires.
        unsafe { self.over(file, None, Expected::Either) }
    }

    /// Creates an array in an unnamed file in a folder, for arrays that are larger than memory and are deleted when
    /// dropped; see [`FileVec::temporary_in`].
    ///
    /// # Errors
    ///
    /// See [`FileErrorKind`].
    pub fn temporary_in(self, folder: impl AsRef<Path>) -> Result<FileVec<T, M>, FileError> {
        // No other process can open the file.
        let this = self.lock(Lock::None);
        let file = temporary::file_in(folder.as_ref())?;
        // SAFETY: the file has no name, and its only handle is passed on, open for synchronous calls, so nothing else
        // writes to it or truncates it, or creates an array in it. (As for `FileBacking::temporary_in`.)
        unsafe { this.over(file, None, Expected::Nothing) }
    }

    /// # Safety
    ///
    /// - As for [`FileVec::open`].
    unsafe fn at(self, path: &Path, expected: Expected) -> Result<FileVec<T, M>, FileError> {
        let refused = |error| FileError::of_io(error, Some(path));
        // Opening a pipe would wait for its other end.
        if expected != Expected::Nothing
            && path.metadata().is_ok_and(|metadata| !metadata.is_file())
        {
            return Err(FileError::new(FileErrorKind::NotAFile, Some(path)));
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true);
        match expected {
            Expected::Nothing => options.create_new(true),
            // An existing file is emptied once it is locked.
            Expected::Anything | Expected::Either => options.create(true).truncate(false),
            Expected::Array => &mut options,
        };
        let file = options.open(path).map_err(refused)?;
        // SAFETY: the caller guarantees it about the file at this path. Its handle was just opened, for synchronous
        // calls as std opens files, and is passed on, so no other process has it.
        let made = unsafe { self.over(file, Some(path), expected) };
        if let Err(error) = &made {
            // A file that was just created is removed, unless another array uses it. If it need not be new, another
            // process may be about to lock it; it is empty then, which such a call accepts.
            let is_others =
                matches!(error.kind(), FileErrorKind::Locked | FileErrorKind::AlreadyExists);
            if expected == Expected::Nothing && !is_others {
                let _ = std::fs::remove_file(path);
            }
        }
        made
    }

    /// Opens the array in a file.
    ///
    /// # Safety
    ///
    /// - As for [`FileVec::from_file`].
    unsafe fn over(
        self,
        file: File,
        path: Option<&Path>,
        expected: Expected,
    ) -> Result<FileVec<T, M>, FileError> {
        let begun = self.begin_array(file, path, expected)?;
        let Begun { mapped, record, is_durable, len, live, is_new, long, sized_by } = begun;
        let kept = len * size_of::<T>();
        // SAFETY: the header is mapped, and the file holds `len` elements after it (*begun*); the caller guarantees that
        // only this array, which has one backing, truncates the file or writes to it.
        let backing =
            unsafe { FileBacking::part(mapped.clone(), HEADER_BYTES, self.space, kept, long) };
        let options = Options {
            max_len: self.max_len,
            growth: self.growth,
            holder: Holder::FileVec,
            supplied: sized_by,
            ..Options::DEFAULT
        };
        let made = VmVec::try_new_in(backing, options, self.capacity.max(len));
        let mut elements: VmVec<T> = made.map_err(|refused| {
            Self::undo(&mapped, is_new, live, len);
            mapped.refused(refused.error)
        })?;
        // SAFETY: capacity for `len` elements was reserved, and the file holds them (*begun*): committing does not change
        // the first `kept` bytes. Any bytes are an initialized element, by the contract of `Pod`.
        unsafe { elements.set_len(len) };
        let lost = live.saturating_sub(len);
        Ok(FileVec::new(elements, mapped, record, is_durable, lost))
    }

    /// Locks and maps a file, and writes its header.
    fn begin_array(
        &self,
        file: File,
        path: Option<&Path>,
        expected: Expected,
    ) -> Result<Begun, FileError> {
        let refused = |error| FileError::of_io(error, path);
        if !file.metadata().map_err(refused)?.is_file() {
            return Err(FileError::new(FileErrorKind::NotAFile, path));
        }
        let file = Locked::new(file, self.lock, path)?;
        // Before anything is written: a refusal must not look like another boot.
        let boot = system::boot().map_err(refused)?;
        // Only after locking: before, another array may have been writing to it.
        let (long, is_new) = Self::look(file.file(), expected).map_err(|error| error.at(path))?;
        let (mut mapped, sized_by) =
            if is_new { self.map_new(file, path)? } else { self.map(file, path, long, long)? };
        let (record, len) = if is_new {
            (Record::NONE, 0)
        } else {
            self.find(&mapped, long, boot).map_err(|problem| problem.at(path))?
        };
        if record.sequence == 0 {
            mapped.name_is_new();
        }
        if is_new {
            mapped.write(record.at(), &record.to_bytes())?;
            mapped.start_removals()?;
        }
        let header = mapped.map().header();
        // The file never held more elements than fit into it.
        let fit =
            |len: u64| usize::try_from(len.min(fit(long, size_of::<T>()))).unwrap_or(usize::MAX);
        let live = fit(header.whole_live_len());
        // The number of elements that readers may have seen, in this boot or an earlier one: from a writer that did not
        // flush, or from a record.
        let seen = fit(record.len).max(live);
        let most = fit(header.most()).max(seen);
        // A writer that was killed during a removal may have published the shorter length.
        let is_cut = len < seen || header.removals() % 2 == 1;
        mapped.count_elements(size_of::<T>(), most);
        if is_cut {
            // If opening ends early, the next one may no longer find that elements were removed.
            mapped.begin_removal()?;
        }
        let settled = Self::settle(&mapped, record, len)?;
        // Otherwise a killed process may have written the record without making it durable.
        let is_durable = is_new || settled != record;
        mapped.write(MOST_AT, &(most as u64).to_ne_bytes())?;
        let mut publish = || {
            mapped.begin_live(len, is_cut, boot)?;
            if is_new {
                // Last, and its first word after the rest: until then the file is unfinished.
                let identity = self.identity().to_bytes();
                mapped.write(8, &identity[8..])?;
                mapped.write(0, &identity[..8])?;
            }
            mapped.announce()
        };
        if let Err(refused) = publish() {
            Self::undo(&mapped, is_new, live, len);
            return Err(refused);
        }
        let (mapped, record) = (Arc::new(mapped), settled);
        Ok(Begun { mapped, record, is_durable, len, live, is_new, long, sized_by })
    }

    /// Marks a new file as unfinished again, so that a call for other elements can create it; and the elements past `len`
    /// of another file as lost.
    fn undo(mapped: &MappedFile, is_new: bool, live: usize, len: usize) {
        if is_new {
            let _ = mapped.write(0, &UNFINISHED);
        } else if live > len {
            mapped.restore_lost(live);
        }
    }

    /// Makes the elements and the length durable if they may not be. Returns the last record.
    fn settle(mapped: &MappedFile, record: Record, len: usize) -> Result<Record, FileError> {
        let header = mapped.map().header();
        let before = record.other(header).map_or(0, |before| before.len);
        let has_failed = header.has_failed();
        if !has_failed && record.len.max(before) <= len as u64 {
            return Ok(record);
        }
        let end = HEADER_BYTES + len * size_of::<T>();
        if has_failed {
            // Cached pages may differ from the disk although the system treats them as written.
            mapped.rewrite_data(HEADER_BYTES as u64..end as u64)?;
        }
        // A killed process may have written the record without making it durable. In that case the record before it
        // counts, and the next one overwrites that.
        mapped.sync(0..HEADER_BYTES)?;
        if !has_failed && record.len <= len as u64 {
            return Ok(record);
        }
        // If elements were removed without a flush, the space after the remaining ones is reused from now on. Some of
        // these may have been pushed since, so they are made durable before a record counts them.
        mapped.sync(HEADER_BYTES..end)?;
        let next = record.next(len, record.user);
        mapped.sync_name()?;
        mapped.write(next.at(), &next.to_bytes())?;
        mapped.sync_record(Some(&next), 0..HEADER_BYTES)?;
        Ok(next)
    }

    const fn identity(&self) -> FileIdentity {
        FileIdentity {
            element_bytes: size_of::<T>(),
            align: align_of::<T>(),
            tag: self.tag,
            is_append_only: M::IS_APPEND_ONLY,
        }
    }

    /// Returns the length of the file, and whether it is new: then it has the length of a header once it is
    /// [empty](Self::empty).
    fn look(file: &File, expected: Expected) -> Result<(u64, bool), FileProblem> {
        let long = file.metadata()?.len();
        match expected {
            Expected::Nothing if long > 0 => return Err(FileErrorKind::AlreadyExists.into()),
            Expected::Array | Expected::Either if !is_unfinished(file, long)? => {
                if long < HEADER {
                    return Err(FileProblem::Not(FileErrorKind::Short, Some((long, HEADER))));
                }
                if !is_stayput(file)? {
                    return Err(FileErrorKind::NotStayput.into());
                }
                // After this, a load or store in the header takes no disk space.
                system::rewrite(file, 0..written_bytes() as u64)?;
                return Ok((long, false));
            }
            Expected::Array => return Err(FileErrorKind::Empty.into()),
            _ => {}
        }
        Ok((HEADER, true))
    }

    /// Maps a new file and empties it. What can be refused without that is checked before, because the file may hold an
    /// array.
    fn map_new(
        &self,
        file: Locked,
        path: Option<&Path>,
    ) -> Result<(MappedFile, SizedBy), FileError> {
        let empty = |file: &File| self.empty(file).map_err(|problem| problem.at(path));
        let mut end = file.file().metadata().map_err(|error| FileError::of_io(error, path))?.len();
        self.map_bytes(path, HEADER)?;
        if !system::MAPS_BEHIND_END {
            // A file that is mapped cannot be cut.
            empty(file.file())?;
            end = 0;
        }
        let (mut mapped, sized_by) = self.map(file, path, HEADER, end)?;
        self.check_capacity(&mapped, sized_by).map_err(|error| mapped.refused(error))?;
        if system::MAPS_BEHIND_END {
            empty(mapped.file())?;
            mapped.is_emptied();
        }
        Ok((mapped, sized_by))
    }

    /// Checks that a mapping has room for the capacity, as creating the array does.
    fn check_capacity(&self, mapped: &MappedFile, sized_by: SizedBy) -> Result<(), Error> {
        let bytes = self.capacity.saturating_mul(size_of::<T>());
        let most = self.max_len.unwrap_or(usize::MAX).min(Self::mapped_len(mapped));
        if self.capacity > most {
            let is_option = self.max_len.is_some_and(|max_len| self.capacity > max_len);
            let sized_by = if is_option { SizedBy::Option } else { sized_by };
            return Err(Error::full(sized_by, bytes, most).of(Holder::FileVec));
        }
        if !mapped.map().at(HEADER_BYTES).cast::<T>().is_aligned() {
            let align = align_of::<T>() as u64;
            return Err(Error::new(ErrorKind::Alignment, bytes).with_limit(align));
        }
        system::check_limit(HEADER_BYTES.saturating_add(bytes) as u64)
    }

    /// Returns the number of elements that fit into a mapping.
    fn mapped_len(mapped: &MappedFile) -> usize {
        let bytes = mapped.map().bytes() - HEADER_BYTES;
        bytes.checked_div(size_of::<T>()).unwrap_or(usize::MAX)
    }

    /// Empties a file, and extends it to the length of a header.
    fn empty(&self, file: &File) -> Result<(), FileProblem> {
        system::check_limit(HEADER)?;
        system::cut(file, 0)?;
        let made = make(file, || match self.space {
            Space::Allocated => system::take_room(file, 0..HEADER),
            Space::Sparse => file.set_len(HEADER),
        });
        if made.is_err() {
            // So that it is empty, and can be created the next time.
            let _ = system::cut(file, 0);
        }
        Ok(made?)
    }

    /// Returns how many bytes of a file of length `long` are mapped, for `max_len` elements or by default.
    fn map_bytes(&self, path: Option<&Path>, long: u64) -> Result<usize, FileError> {
        let exact = self.max_len.map(|max_len| {
            let bytes = max_len.saturating_mul(size_of::<T>()).saturating_add(HEADER_BYTES);
            // A size that cannot be rounded up is refused below.
            bytes.checked_next_multiple_of(page_size()).unwrap_or(bytes)
        });
        let there = usize::try_from(long).unwrap_or(usize::MAX);
        let bytes = exact.unwrap_or_else(|| usual_map_bytes(there));
        if isize::try_from(bytes).is_err() {
            let error = Error::new(ErrorKind::CapacityOverflow, bytes).of(Holder::FileVec);
            return Err(FileError::of_error(error, path));
        }
        Ok(bytes)
    }

    /// Maps a file of length `long`, or by default as much of it as there are addresses for. It has the length `end` at
    /// the end, unless elements set it. Also returns what limits the size.
    fn map(
        &self,
        file: Locked,
        path: Option<&Path>,
        long: u64,
        end: u64,
    ) -> Result<(MappedFile, SizedBy), FileError> {
        let bytes = self.map_bytes(path, long)?;
        let there = usize::try_from(long).unwrap_or(usize::MAX);
        let is_exact = self.max_len.is_some();
        let least = if is_exact { bytes } else { there.max(LEAST_BYTES) };
        let mut file = Some(file);
        let mapped = map_by_halves(bytes, least, |bytes| {
            let taken = file.take().expect("a refusal returns the file");
            MappedFile::new(taken, path, bytes, end).map_err(|(back, error)| {
                file = Some(back);
                error
            })
        });
        if let Some(file) = file {
            // If this fails, a greater length does no harm.
            let _ = system::cut(file.file(), end);
        }
        mapped
            .map_err(|problem| match problem {
                FileProblem::Refused(error) if is_exact => FileProblem::Refused(error.of_option()),
                problem => problem,
            })
            .map_err(|problem| problem.at(path))
    }

    /// Returns the last record of an existing file, and its number of elements.
    pub(super) fn find(
        &self,
        mapped: &MappedFile,
        long: u64,
        boot: Option<[u8; 16]>,
    ) -> Result<(Record, usize), FileProblem> {
        let header = mapped.map().header();
        if self.identity().check(header)? != M::IS_APPEND_ONLY {
            return Err(FileErrorKind::Mode.into());
        }
        let is_of_boot = boot.is_some_and(|boot| header.is_of_boot(boot));
        let is_live = is_of_boot && !header.has_failed();
        let (record, len) = find_len(header, is_live, size_of::<T>(), || Ok(long))?;
        if record.is_too_late() {
            return Err(FileErrorKind::Header.into());
        }
        match self.max_len {
            Some(max_len) if max_len < len => {
                Err(FileProblem::Not(FileErrorKind::MaxLen, Some((len as u64, max_len as u64))))
            }
            // On 32-bit systems, less may be mapped than the file holds.
            _ if len > Self::mapped_len(mapped) => {
                let bytes = len.saturating_mul(size_of::<T>());
                Err(Error::new(ErrorKind::CapacityOverflow, bytes).of(Holder::FileVec).into())
            }
            _ => Ok((record, len)),
        }
    }
}

/// The least number of bytes that are mapped by default.
const LEAST_BYTES: usize = 1 << 20;

/// Returns the number of bytes that are mapped by default of a file of length `long`.
pub(super) fn usual_map_bytes(long: usize) -> usize {
    // A file may be larger than memory, so a multiple of that if there are enough addresses.
    let times = if size_of::<usize>() < 8 { 1 } else { 16 };
    let most = isize::MAX as usize / 2;
    // Without maps that extend past the end, a killed process leaves the file as long as its mapping.
    let room = if system::MAPS_BEHIND_END { long.saturating_mul(2) } else { long };
    let usual = usual_bytes().saturating_mul(times).max(room);
    usual.min(most).max(LEAST_BYTES).next_multiple_of(page_size())
}

/// Maps `bytes` of a file, or repeatedly half of that if the system refuses, but at least `least`. Also returns what
/// limits the size.
pub(super) fn map_by_halves<M>(
    mut bytes: usize,
    least: usize,
    mut map: impl FnMut(usize) -> io::Result<M>,
) -> Result<(M, SizedBy), FileProblem> {
    let mut sized_by = SizedBy::Default;
    loop {
        let error = match map(bytes) {
            Ok(map) => return Ok((map, sized_by)),
            Err(error) => not_mapped(error, bytes),
        };
        if bytes / 2 < least {
            return Err(error);
        }
        if let FileProblem::Refused(error) = error {
            sized_by = SizedBy::refused(&error, SizedBy::addresses(address_space_bytes()));
        }
        bytes = (bytes / 2).next_multiple_of(page_size());
    }
}

/// Returns the error for a file of which `bytes` could not be mapped.
pub(super) fn not_mapped(error: io::Error, bytes: usize) -> FileProblem {
    match (error.kind(), error.raw_os_error()) {
        // `WouldBlock` is returned if all mappings must be locked.
        (io::ErrorKind::OutOfMemory | io::ErrorKind::WouldBlock, Some(code)) => {
            FileProblem::Refused(mapping_refused(bytes, code).of(Holder::FileVec))
        }
        _ => FileProblem::System(error),
    }
}

/// Returns the number of elements that fit into a file of length `long`.
fn fit(long: u64, element_bytes: usize) -> u64 {
    let fit = long.saturating_sub(HEADER_BYTES as u64).checked_div(element_bytes as u64);
    fit.unwrap_or(u64::MAX).min(usize::MAX as u64)
}

/// Returns the last record of a file, and its number of elements: the live length if that counts, otherwise the durable
/// one. The length of the file is read afterwards, because a writer extends the file before it publishes elements.
pub(super) fn find_len(
    header: Header<'_>,
    is_live: bool,
    element_bytes: usize,
    long: impl FnOnce() -> io::Result<u64>,
) -> Result<(Record, usize), FileProblem> {
    let record = Record::last(header).ok_or(FileErrorKind::Header)?;
    let len = if is_live { header.whole_live_len() } else { record.len };
    let fit = fit(long()?, element_bytes);
    match usize::try_from(len) {
        Ok(count) if len <= fit => Ok((record, count)),
        _ => Err(FileProblem::Not(FileErrorKind::Length, Some((len, fit)))),
    }
}

impl<T, M: Mode> Clone for FileVecBuilder<T, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, M: Mode> Copy for FileVecBuilder<T, M> {}

debug_fields! {
    [T, M: Mode] FileVecBuilder<T, M>, "FileVecBuilder", |builder|
    max_len: builder.max_len, capacity: builder.capacity, growth: builder.growth,
    tag: builder.tag, space: builder.space, lock: builder.lock
}
