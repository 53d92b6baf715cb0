//! Tests of the errors of files.

use crate::error::{Error, ErrorKind};
use crate::file::{FileError, FileErrorKind, Follow, system};
use std::io;
use std::path::Path;

#[test]
fn kinds_of_errors_correspond_to_those_of_std() {
    use io::ErrorKind as Io;
    let path = Path::new("array");
    for (io, kind, back) in [
        (Io::NotFound, FileErrorKind::NotFound, Io::NotFound),
        (Io::AlreadyExists, FileErrorKind::AlreadyExists, Io::AlreadyExists),
        (Io::PermissionDenied, FileErrorKind::PermissionDenied, Io::PermissionDenied),
        (Io::ReadOnlyFilesystem, FileErrorKind::ReadOnly, Io::ReadOnlyFilesystem),
        (Io::IsADirectory, FileErrorKind::NotAFile, Io::InvalidData),
        (Io::StorageFull, FileErrorKind::Disk, Io::StorageFull),
        (Io::QuotaExceeded, FileErrorKind::Quota, Io::QuotaExceeded),
        (Io::FileTooLarge, FileErrorKind::FileLimit, Io::FileTooLarge),
        (Io::Unsupported, FileErrorKind::Unsupported, Io::Unsupported),
        (Io::BrokenPipe, FileErrorKind::System, Io::Other),
    ] {
        let error = FileError::of_io(io.into(), Some(path));
        assert_eq!((error.kind(), error.path()), (kind, Some(path)));
        assert_eq!((error.raw_os_error(), error.refused()), (None, None));
        assert_eq!(io::Error::from(error).kind(), back);
    }
    for (kind, back) in [
        (FileErrorKind::NoPart, Io::NotFound),
        (FileErrorKind::Locked, Io::WouldBlock),
        (FileErrorKind::Failed, Io::Other),
        (FileErrorKind::MaxLen, Io::Other),
        (FileErrorKind::Header, Io::InvalidData),
    ] {
        assert_eq!(io::Error::from(FileError::new(kind, None)).kind(), back);
    }
    // Requests for memory, when a file has to grow for them.
    for (io, refused, kind) in [
        (Io::StorageFull, ErrorKind::Disk, FileErrorKind::Disk),
        (Io::QuotaExceeded, ErrorKind::Quota, FileErrorKind::Quota),
        (Io::FileTooLarge, ErrorKind::FileLimit, FileErrorKind::FileLimit),
        (Io::OutOfMemory, ErrorKind::Memory, FileErrorKind::Refused),
        (Io::Unsupported, ErrorKind::Unsupported, FileErrorKind::Unsupported),
        (Io::BrokenPipe, ErrorKind::System, FileErrorKind::Refused),
    ] {
        let error = system::refused(&io.into(), 5000);
        assert_eq!((error.kind(), error.bytes()), (refused, 5000));
        let error = FileError::of_error(error, Some(path));
        assert_eq!((error.kind(), error.to_error(1).kind()), (kind, refused));
        let error = FileError::of_io(io.into(), Some(path)).to_error(5000);
        assert_eq!((error.kind(), error.bytes()), (refused, 5000));
    }
    let max_len = Error::new(ErrorKind::MaxLen, 8);
    assert_eq!(FileError::of_error(max_len, None).kind(), FileErrorKind::Refused);
    assert_eq!(FileError::of_error(max_len.of_option(), None).kind(), FileErrorKind::MaxLen);
    // Codes of the system.
    let code = || io::Error::from_raw_os_error(5);
    let error = FileError::of_io(code(), Some(path));
    let refused = error.to_error(8);
    assert_eq!((error.raw_os_error(), refused.raw_os_error()), (Some(5), Some(5)));
    assert_eq!(FileError::of_error(refused, None).raw_os_error(), Some(5));
    assert_eq!(
        io::Error::from(FileError::new(FileErrorKind::Refused, None)).kind(),
        Io::OutOfMemory
    );
}

#[test]
fn debug_shows_the_kind_and_the_message() {
    let error = Follow::<u64>::open("/no/such/file").unwrap_err();
    let shown = format!("FileError {{ kind: NotFound, message: \"{error}\", .. }}");
    assert_eq!(format!("{error:?}"), shown);
}
