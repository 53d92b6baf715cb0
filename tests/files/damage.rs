//! Damaged or unsuitable files: each has an error of its own, which names the file and what to do.

#![expect(unsafe_code, reason = "opens files of the tests")]

use crate::Folder;
use stayput::file::{AppendOnly, FileError, FileErrorKind, Mutable};
#[cfg(target_os = "linux")]
use stayput::{DefaultKey, SlotMap};
use stayput::{FileVec, Follow};
use std::fs;
use std::path::Path;

type Open = fn(&Path) -> Result<usize, FileError>;

fn open(path: &Path) -> Result<usize, FileError> {
    // SAFETY: nothing else uses the file.
    unsafe { FileVec::<u64>::open(path) }.map(|vec| vec.len())
}

fn follow(path: &Path) -> Result<usize, FileError> {
    let follow = Follow::<u64>::open(path)?;
    Ok(follow.iter().count())
}

/// A file of a thousand elements, of which some were flushed.
fn made(folder: &Folder) -> Vec<u8> {
    // SAFETY: as above.
    let mut vec = unsafe { FileVec::<u64>::create(folder.file()) }.unwrap();
    vec.extend(0..900);
    vec.flush().unwrap();
    vec.extend(900..1000);
    drop(vec);
    fs::read(folder.file()).unwrap()
}

#[track_caller]
fn is_refused(path: &Path, opens: &[Open], kind: FileErrorKind) {
    for open in opens {
        let error = open(path).unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert_eq!(error.path(), Some(path));
        let text = error.to_string();
        assert!(text.contains(path.to_str().unwrap()) && text.len() > path.as_os_str().len() + 20);
    }
}

#[test]
fn each_fault_has_its_own_error() {
    let folder = Folder::new();
    let path = folder.file();
    let both: &[Open] = &[open, follow];
    is_refused(&path, both, FileErrorKind::NotFound);
    fs::write(&path, []).unwrap();
    is_refused(&path, both, FileErrorKind::Empty);
    fs::write(&path, vec![1; 65_535]).unwrap();
    is_refused(&path, both, FileErrorKind::Short);
    fs::write(&path, vec![0; 65_536]).unwrap();
    is_refused(&path, both, FileErrorKind::Empty);
    fs::write(&path, vec![1; 65_536]).unwrap();
    is_refused(&path, both, FileErrorKind::NotStayput);

    let whole = made(&folder);
    let with = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = whole.clone();
        change(&mut bytes);
        fs::write(&path, bytes).unwrap();
    };
    with(&|bytes| bytes[8] ^= 2);
    is_refused(&path, both, FileErrorKind::Version);
    with(&|bytes| bytes[12..16].reverse());
    is_refused(&path, both, FileErrorKind::ByteOrder);
    with(&|bytes| bytes[33] ^= 1);
    is_refused(&path, both, FileErrorKind::Header);
    // The length that is live.
    with(&|bytes| bytes[4096 + 5] = 1);
    is_refused(&path, both, FileErrorKind::Length);
    with(&|bytes| bytes.truncate(65_536 + 999 * 8));
    is_refused(&path, both, FileErrorKind::Length);
    // Both records.
    with(&|bytes| bytes[8192..16_384].fill(0xAA));
    is_refused(&path, both, FileErrorKind::Header);
    with(&|_| ());
    assert_eq!((open(&path).unwrap(), follow(&path).unwrap()), (1000, 1000));
}

#[test]
fn files_of_others_are_refused() {
    let folder = Folder::new();
    made(&folder);
    let path = folder.file();
    let size: Open = |path| Follow::<u32>::open(path).map(|_| 0);
    let align: Open = |path| Follow::<[u8; 8]>::open(path).map(|_| 0);
    is_refused(&path, &[size, align], FileErrorKind::Element);
    let tag: Open = |path| Follow::<u64>::open_tagged(path, 1).map(|_| 0);
    is_refused(&path, &[tag], FileErrorKind::Tag);
    // SAFETY: nothing else uses the file.
    let mode: Open = |path| unsafe { FileVec::<u64, AppendOnly>::open(path) }.map(|_| 0);
    is_refused(&path, &[mode], FileErrorKind::Mode);
    // SAFETY: as above.
    let max_len: Open =
        |path| unsafe { FileVec::<u64>::builder().max_len(999).open(path) }.map(|_| 0);
    is_refused(&path, &[max_len], FileErrorKind::MaxLen);
    assert!(max_len(&path).unwrap_err().to_string().contains("found 1000, expected 999"));
    // SAFETY: as above.
    let new: Open = |path| unsafe { FileVec::<u64>::create_new(path) }.map(|_| 0);
    is_refused(&path, &[new], FileErrorKind::AlreadyExists);
    // SAFETY: as above.
    let vec = unsafe { FileVec::<u64, Mutable>::open(&path) }.unwrap();
    is_refused(&path, &[open], FileErrorKind::Locked);
    assert_eq!(follow(&path).unwrap(), 1000);
    drop(vec);
    let missing = folder.path().join("none").join("array");
    // SAFETY: as above.
    let create: Open = |path| unsafe { FileVec::<u64>::create(path) }.map(|_| 0);
    is_refused(&missing, &[create], FileErrorKind::NotFound);
}

#[test]
#[cfg(unix)]
fn a_file_that_another_process_has_locked_is_refused() {
    let folder = Folder::new();
    made(&folder);
    let path = folder.file();
    // Another open file description, as another process has.
    let other = fs::File::open(&path).unwrap();
    crate::snapshots::lock(&other);
    // SAFETY: nothing else uses the file.
    let create: Open = |path| unsafe { FileVec::<u64>::create(path) }.map(|_| 0);
    is_refused(&path, &[open, create], FileErrorKind::Locked);
    assert_eq!(follow(&path).unwrap(), 1000);
    drop(other);
    assert_eq!(open(&path).unwrap(), 1000);
}

#[test]
fn folders_and_devices_are_refused() {
    let folder = Folder::new();
    is_refused(folder.path(), &[open, follow], FileErrorKind::NotAFile);
    #[cfg(unix)]
    {
        is_refused(Path::new("/dev/zero"), &[open, follow], FileErrorKind::NotAFile);
        // SAFETY: nothing is created.
        let new: Open = |path| unsafe { FileVec::<u64>::create_new(path) }.map(|_| 0);
        is_refused(folder.path(), &[new], FileErrorKind::AlreadyExists);
    }
    #[cfg(target_os = "linux")]
    {
        let path = folder.path().join("pipe");
        let name = std::ffi::CString::new(path.to_str().unwrap()).unwrap();
        // SAFETY: the name is a C string.
        assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
        is_refused(&path, &[open, follow], FileErrorKind::NotAFile);
        let save: Open = |path| SlotMap::<DefaultKey, u8>::new().save(path).map(|()| 0);
        is_refused(&path, &[save], FileErrorKind::NotAFile);
        assert!(path.exists() && !path.is_file());
    }
}

#[test]
fn a_file_that_is_cut_anywhere_is_refused_or_whole() {
    let folder = Folder::new();
    let whole = made(&folder);
    for len in (0..whole.len()).step_by(997).chain(whole.len() - 20..whole.len()) {
        fs::write(folder.file(), &whole[..len]).unwrap();
        assert!(follow(&folder.file()).is_err(), "{len}");
        let error = open(&folder.file()).unwrap_err();
        let kinds = [FileErrorKind::Empty, FileErrorKind::Short, FileErrorKind::Length];
        assert!(kinds.contains(&error.kind()), "{error}");
    }
}

#[test]
fn a_header_with_any_byte_changed_is_refused_or_read() {
    let folder = Folder::new();
    let whole = made(&folder);
    let parts = [0..64, 4096..4184, 8192..8280, 12_288..12_376];
    for at in parts.into_iter().flatten() {
        for flip in [1, 0x80, 0xFF] {
            let mut bytes = whole.clone();
            bytes[at] ^= flip;
            fs::write(folder.file(), bytes).unwrap();
            for len in [follow(&folder.file()), open(&folder.file())].into_iter().flatten() {
                assert!(len <= 1000, "{at}");
            }
        }
    }
}
