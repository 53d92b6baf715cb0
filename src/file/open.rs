//! Creating and opening files. [`FileVecBuilder`] does the work.

#![expect(unsafe_code, reason = "passes on the guarantees of a caller that opens a file")]

use super::builder::FileVecBuilder;
use super::error::FileError;
use super::mode::Mode;
use super::vec::FileVec;
use bytemuck::Pod;
use std::fs::File;
use std::path::Path;

impl<T: Pod, M: Mode> FileVec<T, M> {
    /// Returns the options for a file: the maximum length, the tag, and others.
    pub const fn builder() -> FileVecBuilder<T, M> {
        FileVecBuilder::new()
    }

    /// Creates a file, or empties an existing one, and locks it.
    ///
    /// An error leaves an existing file as it was if the capacity, the addresses or the process's limit of file sizes do
    /// not suffice. (On Windows, the file may be empty then.) A file that the call has created stays, and counts as empty.
    ///
    /// # Errors
    ///
    /// See [`FileErrorKind`](super::FileErrorKind).
    ///
    /// # Safety
    ///
    /// - As for [`open`](Self::open).
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::FileVec;
    ///
    /// # let folder = std::env::temp_dir().join(format!("stayput-create-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// let path = folder.join("scores");
    /// // SAFETY: nothing else writes to the file.
    /// let mut scores: FileVec<u32> = unsafe { FileVec::create(&path)? };
    /// scores.extend([90, 75]);
    /// scores.close()?;
    ///
    /// // SAFETY: as above.
    /// let scores: FileVec<u32> = unsafe { FileVec::create(&path)? };
    /// assert!(scores.is_empty()); // the elements that were there are gone
    /// # drop(scores);
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub unsafe fn create(path: impl AsRef<Path>) -> Result<Self, FileError> {
        // SAFETY: the function of the builder requires the same, and the caller guarantees it.
        unsafe { Self::builder().create(path) }
    }

    /// Creates a file, which must not exist, and locks it.
    ///
    /// # Errors
    ///
    /// See [`FileErrorKind`](super::FileErrorKind).
    ///
    /// # Safety
    ///
    /// - As for [`open`](Self::open).
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::FileVec;
    /// use stayput::file::FileErrorKind;
    ///
    /// # let folder = std::env::temp_dir().join(format!("stayput-create-new-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// let path = folder.join("scores");
    /// // SAFETY: nothing else writes to the file.
    /// let mut scores: FileVec<u32> = unsafe { FileVec::create_new(&path)? };
    /// scores.push(90);
    ///
    /// // SAFETY: as above.
    /// let error = unsafe { FileVec::<u32>::create_new(&path) }.unwrap_err();
    /// assert_eq!(error.kind(), FileErrorKind::AlreadyExists);
    /// # drop(scores);
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub unsafe fn create_new(path: impl AsRef<Path>) -> Result<Self, FileError> {
        // SAFETY: the function of the builder requires the same, and the caller guarantees it.
        unsafe { Self::builder().create_new(path) }
    }

    /// Opens a file with its contents, and locks it. Reads the header but no elements.
    ///
    /// There are two exceptions. If flushed elements were removed without another [`flush`](Self::flush), the elements
    /// that are left are flushed. After a failed flush, they are also read and written again.
    ///
    /// # Errors
    ///
    /// See [`FileErrorKind`](super::FileErrorKind). The contents may be anything: they are checked.
    ///
    /// # Safety
    ///
    /// - As long as the array exists, nothing writes to the file or truncates it except through this array. Arrays that
    ///   take its [lock](super::Lock) do not; the caller must ensure it for other programs, and for other means in this
    ///   one, such as [`std::fs::write`]. (If the file is truncated, the process is ended by `SIGBUS`; if it is written
    ///   to, a `&T` refers to memory that changes, which is undefined behaviour.)
    /// - A forked process does not open the file while its parent has it open: both share the lock.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::FileVec;
    /// use stayput::file::FileErrorKind;
    ///
    /// # let folder = std::env::temp_dir().join(format!("stayput-open-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// let path = folder.join("scores");
    /// // SAFETY: nothing else writes to the file.
    /// let mut scores: FileVec<u32> = unsafe { FileVec::create(&path)? };
    /// scores.extend([90, 75]);
    /// scores.close()?;
    ///
    /// // SAFETY: as above.
    /// let scores: FileVec<u32> = unsafe { FileVec::open(&path)? };
    /// assert_eq!(*scores, [90, 75]);
    /// drop(scores);
    ///
    /// // SAFETY: as above.
    /// let error = unsafe { FileVec::<f64>::open(&path) }.unwrap_err();
    /// assert_eq!(error.kind(), FileErrorKind::Element); // the file holds elements of four bytes
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub unsafe fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        // SAFETY: the function of the builder requires the same, and the caller guarantees it.
        unsafe { Self::builder().open(path) }
    }

    /// Opens a file with its contents, or creates an array if the file is empty or does not exist, and locks it.
    ///
    /// # Errors
    ///
    /// See [`FileErrorKind`](super::FileErrorKind).
    ///
    /// # Safety
    ///
    /// - As for [`open`](Self::open).
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::FileVec;
    ///
    /// # let folder = std::env::temp_dir().join(format!("stayput-open-or-create-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// let path = folder.join("runs");
    /// for run in 1..=3 {
    ///     // SAFETY: nothing else writes to the file.
    ///     let mut runs: FileVec<u64> = unsafe { FileVec::open_or_create(&path)? };
    ///     runs.push(run);
    ///     assert_eq!(runs.last(), Some(&run));
    ///     assert_eq!(runs.first(), Some(&1)); // of the first time
    ///     runs.close()?;
    /// }
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub unsafe fn open_or_create(path: impl AsRef<Path>) -> Result<Self, FileError> {
        // SAFETY: the function of the builder requires the same, and the caller guarantees it.
        unsafe { Self::builder().open_or_create(path) }
    }

    /// Uses a file that is open for reading and writing, with its contents, or creates an array if it is empty. The
    /// file may be a `memfd`, named shared memory, or a plain file.
    ///
    /// # Errors
    ///
    /// See [`FileErrorKind`](super::FileErrorKind).
    ///
    /// # Safety
    ///
    /// - As for [`open`](Self::open).
    /// - No other process creates an array from the same open file description, inherited or received over a socket: on
    ///   Unix, it would share the lock. (Within this process, a second array on the file is refused as
    ///   [`Locked`](super::FileErrorKind::Locked), even from a clone of the handle.)
    /// - On Windows, the file was not opened for asynchronous calls (`FILE_FLAG_OVERLAPPED`).
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::FileVec;
    /// use std::fs::File;
    ///
    /// # let folder = std::env::temp_dir().join(format!("stayput-from-file-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// let path = folder.join("scores");
    /// let file = File::options().read(true).write(true).create_new(true).open(path)?;
    /// // SAFETY: nothing else writes to the file.
    /// let mut scores: FileVec<u32> = unsafe { FileVec::from_file(file)? };
    /// scores.push(90);
    /// assert_eq!(*scores, [90]);
    /// # drop(scores);
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub unsafe fn from_file(file: File) -> Result<Self, FileError> {
        // SAFETY: the function of the builder requires the same, and the caller guarantees it.
        unsafe { Self::builder().from_file(file) }
    }

    /// Creates an array in an unnamed file in a folder, for arrays that are larger than memory and are deleted when
    /// dropped.
    ///
    /// # Errors
    ///
    /// See [`FileErrorKind`](super::FileErrorKind).
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::FileVec;
    ///
    /// let mut samples: FileVec<f64> = FileVec::temporary_in(std::env::temp_dir())?;
    /// samples.extend((0..100_000).map(f64::from));
    /// assert_eq!(samples[99_999], 99_999.0);
    /// drop(samples); // deletes the file
    /// # Ok::<(), stayput::file::FileError>(())
    /// ```
    pub fn temporary_in(folder: impl AsRef<Path>) -> Result<Self, FileError> {
        Self::builder().temporary_in(folder)
    }
}
