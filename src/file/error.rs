//! [`FileError`]: the file, what is wrong with it, and what to do.

#![forbid(unsafe_code)]

use super::system;
use crate::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// An error from opening a file as an array or a map, or from writing one.
///
/// It names the file ([`path`](Self::path)) and what is wrong with it ([`kind`](Self::kind)); its
/// [`Display`](fmt::Display) adds what to do. The error of the system, or of the crate, is its
/// [`source`](std::error::Error::source).
///
/// # Examples
///
/// ```
/// use stayput::file::{FileErrorKind, Follow};
///
/// let error = Follow::<u64>::open("/no/such/file").unwrap_err();
/// assert_eq!(error.kind(), FileErrorKind::NotFound);
/// assert!(error.to_string().contains("/no/such/file"));
/// ```
pub struct FileError(Box<Inner>);

struct Inner {
    kind: FileErrorKind,
    path: Option<PathBuf>,
    /// The number that was found and the one that is expected, if the error is about a number.
    numbers: Option<(u64, u64)>,
    cause: Option<Cause>,
}

enum Cause {
    System(io::Error),
    Refused(Error),
}

/// What is wrong with a file.
///
/// # Examples
///
/// ```
/// use stayput::file::{FileErrorKind, Follow};
///
/// let prices = match Follow::<f64>::open("/no/such/file") {
///     Ok(prices) => Some(prices),
///     // Its writer has not started yet.
///     Err(error) if error.kind() == FileErrorKind::NotFound => None,
///     Err(error) => return Err(error.into()),
/// };
/// assert!(prices.is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FileErrorKind {
    /// The file or its folder does not exist.
    NotFound,
    /// The file exists already.
    AlreadyExists,
    /// The process may not read the file, or not write to it.
    PermissionDenied,
    /// The file is on a read-only file system.
    ReadOnly,
    /// The path names a folder, a device, a pipe or the like.
    NotAFile,
    /// Another array, of this process or another, has the file open for writing.
    Locked,
    /// The file is empty: nothing was written to it, or the system crashed before it was.
    Empty,
    /// The file is shorter than the header.
    Short,
    /// The file does not start like a file of this crate.
    NotStayput,
    /// The file has another version of the format.
    Version,
    /// The file was written on a machine with the other byte order.
    ByteOrder,
    /// The elements in the file have another size or alignment; or the keys in the file of a map have another layout.
    Element,
    /// The file was created with another [tag](crate::file::FileVecBuilder::tag).
    Tag,
    /// The file was created in the other [mode](crate::file::Mode).
    Mode,
    /// The header does not match its checksum.
    Header,
    /// The contents do not match their checksum, or are invalid.
    Content,
    /// The [snapshot](crate::file::Snapshot) holds no container of that name.
    NoPart,
    /// The file is shorter than the elements that it should hold, or their number is impossible.
    Length,
    /// The file holds, or would hold, more elements than the `max_len` that was set.
    MaxLen,
    /// The disk is full.
    Disk,
    /// The owner's disk quota is used up.
    Quota,
    /// The file would be too large for this process, or for its file system.
    FileLimit,
    /// A [flush](crate::FileVec::flush) failed before, so it is unknown what the disk holds. When the file is opened
    /// again, it holds the elements of the last successful flush.
    Failed,
    /// The operation is not available on this system, or on this file system.
    Unsupported,
    /// Addresses or memory were refused, or the elements need another alignment; the source says which.
    Refused,
    /// Any other refusal by the system; [`FileError::raw_os_error`] says which.
    System,
}

impl FileError {
    #[cold]
    pub(super) fn new(kind: FileErrorKind, path: Option<&Path>) -> Self {
        let path = path.map(Path::to_owned);
        Self(Box::new(Inner { kind, path, numbers: None, cause: None }))
    }

    /// Adds the value that was found and the one that is expected.
    #[cold]
    pub(super) fn with_numbers(mut self, found: u64, right: u64) -> Self {
        self.0.numbers = Some((found, right));
        self
    }

    #[cold]
    pub(super) fn of_io(error: io::Error, path: Option<&Path>) -> Self {
        let mut this = Self::new(FileErrorKind::of(error.kind()), path);
        this.0.cause = Some(Cause::System(error));
        this
    }

    #[cold]
    pub(super) fn of_error(error: Error, path: Option<&Path>) -> Self {
        let kind = match error.kind() {
            crate::error::ErrorKind::Disk => FileErrorKind::Disk,
            crate::error::ErrorKind::Quota => FileErrorKind::Quota,
            crate::error::ErrorKind::FileLimit => FileErrorKind::FileLimit,
            crate::error::ErrorKind::MaxLen if error.is_of_option() => FileErrorKind::MaxLen,
            crate::error::ErrorKind::Unsupported => FileErrorKind::Unsupported,
            _ => FileErrorKind::Refused,
        };
        let mut this = Self::new(kind, path);
        this.0.cause = Some(Cause::Refused(error));
        this
    }

    /// Returns what is wrong with the file; see [`FileErrorKind`].
    pub fn kind(&self) -> FileErrorKind {
        self.0.kind
    }

    /// Returns the path of the file; `None` if it has no name.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::file::Follow;
    /// use std::path::Path;
    ///
    /// let error = Follow::<u64>::open("/no/such/file").unwrap_err();
    /// assert_eq!(error.path(), Some(Path::new("/no/such/file")));
    /// ```
    pub fn path(&self) -> Option<&Path> {
        self.0.path.as_deref()
    }

    /// Returns the system's error code (`errno`, `GetLastError`); `None` if no system call was refused.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::file::Follow;
    /// use std::io;
    ///
    /// let error = Follow::<u64>::open("/no/such/file").unwrap_err();
    /// let code = error.raw_os_error().unwrap();
    /// assert_eq!(io::Error::from_raw_os_error(code).kind(), io::ErrorKind::NotFound);
    /// ```
    pub fn raw_os_error(&self) -> Option<i32> {
        match self.0.cause.as_ref()? {
            Cause::System(error) => error.raw_os_error(),
            Cause::Refused(error) => error.raw_os_error(),
        }
    }

    /// Converts the error to that of a request for `bytes` of memory.
    #[cold]
    pub(super) fn to_error(&self, bytes: usize) -> Error {
        match &self.0.cause {
            Some(Cause::Refused(error)) => *error,
            Some(Cause::System(error)) => system::refused(error, bytes as u64),
            None => Error::from_raw_os_error(0, bytes),
        }
    }

    /// Returns the crate's error that caused this one; `None` if the system's did, or none.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{ErrorKind, FileVec};
    ///
    /// let options = FileVec::<u64>::builder().max_len(usize::MAX);
    /// let error = options.temporary_in(std::env::temp_dir()).unwrap_err();
    /// assert_eq!(error.refused().unwrap().kind(), ErrorKind::CapacityOverflow);
    /// ```
    pub fn refused(&self) -> Option<Error> {
        match self.0.cause.as_ref()? {
            Cause::System(_) => None,
            Cause::Refused(error) => Some(*error),
        }
    }
}

impl FileErrorKind {
    fn of(kind: io::ErrorKind) -> Self {
        match kind {
            io::ErrorKind::NotFound => Self::NotFound,
            io::ErrorKind::AlreadyExists => Self::AlreadyExists,
            io::ErrorKind::PermissionDenied => Self::PermissionDenied,
            io::ErrorKind::ReadOnlyFilesystem => Self::ReadOnly,
            io::ErrorKind::IsADirectory => Self::NotAFile,
            io::ErrorKind::StorageFull => Self::Disk,
            io::ErrorKind::QuotaExceeded => Self::Quota,
            io::ErrorKind::FileTooLarge => Self::FileLimit,
            io::ErrorKind::Unsupported => Self::Unsupported,
            _ => Self::System,
        }
    }

    /// Returns what is wrong, and what to do.
    const fn message(self) -> &'static str {
        match self {
            Self::NotFound => "the file or its folder does not exist; create it, or check the path",
            Self::AlreadyExists => "the file already exists; open it, or use another name",
            Self::PermissionDenied => {
                "this process may not read and write the file; change its permissions"
            }
            Self::ReadOnly => "the file system is read-only; put the file elsewhere",
            Self::NotAFile => "not a regular file; use the path of one",
            Self::Locked => {
                "another array has the file open for writing; close that array, or follow the file"
            }
            Self::Empty => "the file is empty; create an array in it first",
            Self::Short => {
                "the file is shorter than a header: it is of another kind, or truncated; \
                create it again"
            }
            Self::NotStayput => {
                "the file does not start like a file of stayput; check the path, or create it again"
            }
            Self::Version => {
                "the file has another version of the format; use the version of stayput that wrote it"
            }
            Self::ByteOrder => {
                "the file was written on a machine with the other byte order; create it again here"
            }
            Self::Element => {
                "the file holds other elements; open it with the type that it was created with"
            }
            Self::Tag => "the file was created with another tag; open it with that tag",
            Self::Mode => {
                "the file was created in the other mode (append-only or mutable); open it in that mode"
            }
            Self::Header => "the header does not match its checksum; restore an older copy",
            Self::Content => "the contents are damaged; restore an older copy",
            Self::NoPart => {
                "the snapshot holds no container of that name; `Snapshot::names` returns the names"
            }
            Self::Length => {
                "the file is too short for the elements that it should hold; restore an older copy"
            }
            Self::MaxLen => {
                "the number of elements exceeds `max_len`; open the file with a larger one"
            }
            Self::Disk => "the disk is full; free space, or put the file elsewhere",
            Self::Quota => "the owner's disk quota is used up; raise it, or put the file elsewhere",
            Self::FileLimit => {
                "the file would be too large; raise the process's limit (`ulimit -f`), or put it \
                elsewhere"
            }
            Self::Failed => {
                "a flush failed before; open the file again to return to the last successful flush"
            }
            Self::Unsupported => "not supported by this system, or by the file system",
            Self::Refused => "memory or addresses were refused",
            Self::System => "the system refused",
        }
    }
}

impl fmt::Debug for FileError {
    /// Formats the kind, and the text of [`Display`](fmt::Display), as `unwrap` and a `main` that returns the error
    /// print it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileError")
            .field("kind", &self.0.kind)
            .field("message", &format_args!("\"{self}\""))
            .finish_non_exhaustive()
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.path {
            Some(path) => write!(f, "{}: ", path.display())?,
            None => f.write_str("a file without a name: ")?,
        }
        f.write_str(self.0.kind.message())?;
        if let Some((found, right)) = self.0.numbers {
            write!(f, " (found {found}, expected {right})")?;
        }
        match &self.0.cause {
            None => Ok(()),
            Some(Cause::System(error)) => write!(f, ": {error}"),
            Some(Cause::Refused(error)) => write!(f, ": {error}"),
        }
    }
}

impl std::error::Error for FileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self.0.cause.as_ref()? {
            Cause::System(error) => Some(error),
            Cause::Refused(error) => Some(error),
        }
    }
}

impl From<FileError> for io::Error {
    fn from(error: FileError) -> Self {
        let kind = match error.kind() {
            FileErrorKind::NotFound | FileErrorKind::NoPart => io::ErrorKind::NotFound,
            FileErrorKind::AlreadyExists => io::ErrorKind::AlreadyExists,
            FileErrorKind::PermissionDenied => io::ErrorKind::PermissionDenied,
            FileErrorKind::ReadOnly => io::ErrorKind::ReadOnlyFilesystem,
            FileErrorKind::Locked => io::ErrorKind::WouldBlock,
            FileErrorKind::Disk => io::ErrorKind::StorageFull,
            FileErrorKind::Quota => io::ErrorKind::QuotaExceeded,
            FileErrorKind::FileLimit => io::ErrorKind::FileTooLarge,
            FileErrorKind::Unsupported => io::ErrorKind::Unsupported,
            FileErrorKind::Refused => io::ErrorKind::OutOfMemory,
            FileErrorKind::Failed | FileErrorKind::System | FileErrorKind::MaxLen => {
                io::ErrorKind::Other
            }
            _ => io::ErrorKind::InvalidData,
        };
        Self::new(kind, error)
    }
}
