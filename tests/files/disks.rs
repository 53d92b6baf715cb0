//! Disks that are full, that refuse writes, that cannot be read, and that are gone: file systems in files, mounted for a
//! child process alone. Each call is an error or succeeds; only access to mapped memory can end the process.
//!
//! Needs root, `mkfs` of each file system, and loop devices: `.ci/full faults` runs these tests.

#![expect(unsafe_code, reason = "opens files of the tests, and calls the system")]

use crate::process::{open_files, signal_of, statm};
use crate::refused::{Element, create, fill, in_child, is_whole, mount};
use stayput::file::{FileError, FileErrorKind, Snapshot};
use stayput::{DefaultKey, Error, ErrorKind, FileBacking, FileVec, Follow, SlotMap};
use std::fs::{self, File};
use std::io::Write;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process::Command;

const MIB: usize = 1 << 20;
/// XFS is not made any smaller.
const DISK_BYTES: usize = 320 * MIB;

/// A file system in a file, which lies in memory.
struct Disk {
    image: PathBuf,
    at: PathBuf,
}

impl Disk {
    /// Makes one in a folder. `None` if that is not possible here.
    fn new(folder: &Path, mkfs: &[&str]) -> Option<Self> {
        // More than the image, so that nothing is refused unless a test fills it.
        if !mount(folder, c"tmpfs", 2 * DISK_BYTES) {
            eprintln!("SKIPPED: only root can mount");
            return None;
        }
        let (image, at) = (folder.join("image"), folder.join("disk"));
        fs::create_dir(&at).unwrap();
        File::create(&image).unwrap().set_len(DISK_BYTES as u64).unwrap();
        let made = Command::new(mkfs[0]).args(&mkfs[1..]).arg(&image).output();
        if !made.is_ok_and(|output| output.status.success()) {
            eprintln!("SKIPPED: {} is not installed", mkfs[0]);
            return None;
        }
        let this = Self { image, at };
        this.mount().then_some(this)
    }

    fn mount(&self) -> bool {
        let status =
            Command::new("mount").args(["-o", "loop"]).arg(&self.image).arg(&self.at).status();
        let is_mounted = status.is_ok_and(|status| status.success());
        if !is_mounted {
            eprintln!("SKIPPED: no loop device, or a file system that the kernel does not know");
        }
        is_mounted
    }

    fn unmount(&self) {
        assert!(Command::new("umount").arg(&self.at).status().unwrap().success());
    }

    fn file(&self, name: &str) -> PathBuf {
        self.at.join(name)
    }

    /// Fills the disk except for `left` bytes, without writing as much.
    fn leave(&self, left: usize) {
        let rest = File::create(self.file("rest")).unwrap();
        // SAFETY: all zeros are valid numbers.
        let mut found: libc::statvfs = unsafe { std::mem::zeroed() };
        // SAFETY: the descriptor is open, and the call writes one structure.
        assert_eq!(unsafe { libc::fstatvfs(rest.as_raw_fd(), &raw mut found) }, 0);
        let bytes = found.f_bavail * found.f_frsize - left as u64;
        let bytes = i64::try_from(bytes).unwrap();
        // SAFETY: as above.
        assert_eq!(unsafe { libc::fallocate64(rest.as_raw_fd(), 0, 0, bytes) }, 0);
    }

    fn fill(&self) {
        // XFS creates no file on a full disk.
        let Ok(mut rest) = File::create(self.file("rest of the rest")) else { return };
        // Writes that were accepted may be refused when they reach the disk, which then has more space.
        for block in [64 << 10, 64 << 10, 4 << 10, 4 << 10, 1] {
            while rest.write_all(&vec![1; block]).is_ok() {}
            let _ = rest.sync_all();
        }
    }

    fn empty(&self) {
        for entry in fs::read_dir(&self.at).unwrap().map(Result::unwrap) {
            if entry.file_name().to_str().unwrap().starts_with("rest") {
                fs::remove_file(entry.path()).unwrap();
            }
        }
        assert!(Command::new("sync").arg("-f").arg(&self.at).status().unwrap().success());
    }
}

fn open(path: &Path) -> Result<FileVec<Element>, FileError> {
    // SAFETY: it lies in a folder of the test's.
    unsafe { FileVec::open(path) }
}

const EXT4: &[&str] = &["mkfs.ext4", "-q"];
/// Without a journal, a write that is refused does not make it read-only.
const EXT4_ALONE: &[&str] = &["mkfs.ext4", "-q", "-b", "4096", "-O", "^has_journal"];
const XFS: &[&str] = &["mkfs.xfs", "-q"];
const BTRFS: &[&str] = &["mkfs.btrfs", "-q"];

/// Runs a test on a disk of its own, and asserts that no file stays open.
#[track_caller]
fn on_disk<F: FnOnce(&Disk)>(mkfs: &[&str], folder: &Path, run: F) {
    let Some(disk) = Disk::new(folder, mkfs) else { return };
    let before = open_files();
    run(&disk);
    assert_eq!(open_files(), before);
}

fn a_full_disk(disk: &Disk) {
    let path = disk.file("array");
    let map: SlotMap<DefaultKey, Element> = (0..1000).map(|n| [n; 8]).collect();
    map.save(disk.file("map")).unwrap();
    let mut vec = create(&path);
    vec.extend((0..10_000).map(|n| [n; 8]));
    vec.flush().unwrap();
    disk.leave(16 * MIB);
    assert_eq!(fill(&mut vec).kind(), ErrorKind::Disk);
    is_whole(&vec);
    let (len, long) = (vec.len(), vec.stats().file_bytes);
    assert!(len > 10_000 + 100_000, "{len}");
    disk.fill();
    // What was allocated can be written, after pages of it were written to the disk as well.
    vec.truncate(20_000);
    vec.flush().unwrap();
    vec.extend((20_000..len as u64).map(|n| [n; 8]));
    is_whole(&vec);
    vec.flush().unwrap();
    assert_eq!(vec.try_reserve(MIB).unwrap_err().kind(), ErrorKind::Disk);
    assert_eq!((vec.len(), vec.stats().file_bytes), (len, long));
    vec.close().unwrap();
    let mut vec = open(&path).unwrap();
    is_whole(&vec);
    vec[0] = [0; 8];
    vec.flush().unwrap();
    // Nothing new is made there, and nothing is lost or left.
    let count = || fs::read_dir(&disk.at).unwrap().count();
    let before = count();
    let large: SlotMap<DefaultKey, Element> = (0..100_000).map(|n| [n; 8]).collect();
    let errors = [
        // SAFETY: as in `open`.
        unsafe { FileVec::<Element>::create_new(disk.file("new")) }.map(drop).unwrap_err(),
        FileVec::<Element>::temporary_in(&disk.at).map(drop).unwrap_err(),
        large.save(disk.file("map")).unwrap_err(),
        Snapshot::builder().add("map", &large).save(disk.file("map")).unwrap_err(),
    ];
    for error in errors {
        assert_eq!(error.kind(), FileErrorKind::Disk, "{error}");
    }
    assert_eq!(count(), before);
    assert_eq!(SlotMap::<DefaultKey, Element>::load(disk.file("map")).unwrap().len(), 1000);
    // What was refused succeeds when there is space.
    disk.empty();
    vec.extend((len as u64..len as u64 + 100_000).map(|n| [n; 8]));
    vec.flush().unwrap();
    is_whole(&vec);
}

#[test]
#[ignore = "needs root, and a loop device"]
fn a_full_ext4() {
    in_child(|folder| on_disk(EXT4, folder, a_full_disk));
}

#[test]
#[ignore = "needs root, and a loop device"]
fn a_full_xfs() {
    in_child(|folder| on_disk(XFS, folder, a_full_disk));
}

#[test]
#[ignore = "needs root, and a loop device"]
fn a_full_btrfs() {
    in_child(|folder| on_disk(BTRFS, folder, a_full_disk));
}

/// The file system has space, and its disk has none: writes fail that the system begins later.
#[test]
#[ignore = "needs root, and a loop device"]
fn a_disk_that_refuses_writes_for_a_while() {
    in_child(|folder| {
        on_disk(EXT4_ALONE, folder, |disk| {
            let path = disk.file("array");
            let mut vec = create(&path);
            vec.extend((0..10_000).map(|n| [n; 8]));
            vec.flush().unwrap();
            vec.reserve(200_000);
            let mut rest = File::create(folder.join("rest")).unwrap();
            while rest.write(&[1; 4 << 10]).is_ok_and(|bytes| bytes > 0) {}
            vec.extend((10_000..200_000).map(|n| [n; 8]));
            let error = vec.flush().unwrap_err();
            assert!(error.raw_os_error().is_some(), "{error}");
            assert!(matches!(error.kind(), FileErrorKind::Disk | FileErrorKind::System), "{error}");
            assert_eq!(vec.flush().unwrap_err().kind(), FileErrorKind::Failed);
            is_whole(&vec);
            assert_eq!((vec.len(), vec.flushed_len()), (200_000, 10_000));
            assert_eq!(Follow::<Element>::open(&path).unwrap().len(), 10_000);
            assert_eq!(vec.close().unwrap_err().kind(), FileErrorKind::Failed);

            rest.set_len(0).unwrap();
            let mut vec = open(&path).unwrap();
            assert_eq!((vec.len(), vec.lost_len()), (10_000, 190_000));
            is_whole(&vec);
            vec.extend((10_000..20_000).map(|n| [n; 8]));
            vec.close().unwrap();
            disk.unmount();
            assert!(disk.mount());
            let vec = open(&path).unwrap();
            assert_eq!(vec.len(), 20_000);
            is_whole(&vec);
        });
    });
}

const EIO: Option<i32> = Some(libc::EIO);

#[track_caller]
fn is_io_error(error: &FileError) {
    assert_eq!((error.kind(), error.raw_os_error()), (FileErrorKind::System, EIO), "{error}");
}

/// Removes a file from memory, if none of it is mapped or unwritten.
fn forget(path: &Path) {
    let file = File::open(path).unwrap();
    file.sync_all().unwrap();
    // SAFETY: the descriptor is open, and the call accesses no memory.
    let result = unsafe { libc::posix_fadvise(file.as_raw_fd(), 0, 0, libc::POSIX_FADV_DONTNEED) };
    assert_eq!(result, 0);
}

/// Returns where a block of a file lies on the disk.
fn place(path: &Path, block: u32) -> u64 {
    const FIBMAP: libc::Ioctl = 1;
    let (file, mut block) = (File::open(path).unwrap(), block);
    // SAFETY: the call reads and writes one number.
    let result = unsafe { libc::ioctl(file.as_raw_fd(), FIBMAP, &raw mut block) };
    assert_eq!(result, 0, "{}", std::io::Error::last_os_error());
    u64::from(block) * 4096
}

#[test]
#[ignore = "needs root, and a loop device"]
fn a_disk_that_cannot_be_read() {
    in_child(|folder| {
        on_disk(EXT4_ALONE, folder, |disk| {
            let map: SlotMap<DefaultKey, Element> = (0..10_000).map(|n| [n; 8]).collect();
            let (saved, snapshot, path) =
                (disk.file("map"), disk.file("snapshot"), disk.file("array"));
            map.save(&saved).unwrap();
            Snapshot::builder().add("map", &map).save(&snapshot).unwrap();
            let mut vec = create(&path);
            vec.extend((0..10_000).map(|n| [n; 8]));
            vec.close().unwrap();
            // Of the array, the first of the pages that are read when it is opened, and then none.
            let first = place(&path, 0);
            assert_eq!(place(&path, 1), first + 4096);
            assert!(place(&saved, 0) != 0 && place(&snapshot, 0) != 0);
            for end in [first + 4096, first] {
                for path in [&saved, &snapshot, &path] {
                    forget(path);
                }
                File::options().write(true).open(&disk.image).unwrap().set_len(end).unwrap();
                is_io_error(&open(&path).unwrap_err());
                is_io_error(&Follow::<Element>::open(&path).unwrap_err());
            }
            File::options().write(true).open(&disk.image).unwrap().set_len(4096).unwrap();
            for path in [&saved, &snapshot] {
                forget(path);
            }
            is_io_error(&SlotMap::<DefaultKey, Element>::load(&saved).unwrap_err());
            let read = Snapshot::open(&snapshot);
            let read = read.and_then(|mut read| read.load::<SlotMap<DefaultKey, Element>>("map"));
            is_io_error(&read.unwrap_err());
        });
    });
}

/// Ends all access to a file system, as if its disk were removed.
fn shut_down(disk: &Disk) -> bool {
    const SHUTDOWN: libc::Ioctl = 0x8004_587D_u32 as libc::Ioctl;
    const WITHOUT_LOG: u32 = 2;
    let (folder, flags) = (File::open(&disk.at).unwrap(), WITHOUT_LOG);
    // SAFETY: the call reads one number.
    let result = unsafe { libc::ioctl(folder.as_raw_fd(), SHUTDOWN, &raw const flags) };
    if result != 0 {
        eprintln!("SKIPPED: this file system cannot be shut down");
    }
    result == 0
}

fn a_disk_that_is_gone(disk: &Disk) {
    let (path, other) = (disk.file("array"), disk.file("other"));
    create(&other).close().unwrap();
    let map: SlotMap<DefaultKey, Element> = (0..10_000).map(|n| [n; 8]).collect();
    let mut vec = create(&path);
    vec.extend((0..10_000).map(|n| [n; 8]));
    vec.flush().unwrap();
    vec.extend((10_000..20_000).map(|n| [n; 8]));
    let backing = FileBacking::temporary_in(&disk.at, 32 << 20).unwrap();
    let mut numbers = stayput::VmVec::<u64>::builder().build_in(backing);
    numbers.extend(0..100_000);
    if !shut_down(disk) {
        return;
    }
    let (len, capacity) = (vec.len(), vec.capacity());
    let errors: [FileError; 5] = [
        vec.flush().unwrap_err(),
        open(&other).unwrap_err(),
        map.save(disk.file("map")).unwrap_err(),
        FileBacking::temporary_in(&disk.at, 1 << 20).map(drop).unwrap_err(),
        // SAFETY: as in `open`.
        unsafe { FileVec::<Element>::create(disk.file("new")) }.map(drop).unwrap_err(),
    ];
    errors.iter().for_each(is_io_error);
    let refused = |error: Error| {
        assert_eq!((error.kind(), error.raw_os_error()), (ErrorKind::System, EIO), "{error}");
    };
    refused(vec.try_reserve(MIB).unwrap_err());
    refused(numbers.try_reserve(MIB).unwrap_err());
    refused(numbers.try_prefault(1).err().unwrap_or(Error::from_raw_os_error(libc::EIO, 1)));
    assert_eq!(vec.flush().unwrap_err().kind(), FileErrorKind::Failed);
    // What is in memory can be read and dropped.
    assert_eq!((vec.len(), vec.capacity()), (len, capacity));
    is_whole(&vec);
    assert!(numbers.iter().copied().eq(0..100_000));
    drop(numbers);
    assert_eq!(vec.close().unwrap_err().kind(), FileErrorKind::Failed);
}

#[test]
#[ignore = "needs root, and a loop device"]
fn an_ext4_that_is_gone() {
    in_child(|folder| on_disk(EXT4, folder, a_disk_that_is_gone));
}

#[test]
#[ignore = "needs root, and a loop device"]
fn an_xfs_that_is_gone() {
    in_child(|folder| on_disk(XFS, folder, a_disk_that_is_gone));
}

#[test]
#[ignore = "needs root, and a loop device"]
fn a_btrfs_that_is_gone() {
    in_child(|folder| on_disk(BTRFS, folder, a_disk_that_is_gone));
}

/// The outcome of a truncation by another program: access to elements ends the process, calls do not.
#[test]
fn a_file_that_another_program_has_truncated() {
    in_child(|folder| {
        for long in [0, 4096, 1 << 16, 1 << 17] {
            let path = folder.join("array");
            let mut vec = create(&path);
            vec.extend((0..10_000).map(|n| [n; 8]));
            vec.flush().unwrap();
            let other = File::options().write(true).open(&path).unwrap();
            other.set_len(long).unwrap();
            // A sanitizer handles the signal.
            if statm(0) >> 20 <= 1 << 20 {
                assert_eq!(signal_of(|| assert_eq!(vec[9999], [9999; 8])), Some(libc::SIGBUS));
            }
            let error = vec.flush().unwrap_err();
            assert_eq!(error.kind(), FileErrorKind::Length, "{error}");
            assert_eq!(vec.flush_range(..).unwrap_err().kind(), FileErrorKind::Length);
            assert_eq!((vec.len(), vec.stats().file_bytes), (10_000, Some(long)));
            assert_eq!(vec.close().unwrap_err().kind(), FileErrorKind::Length);
            let error = open(&path).unwrap_err();
            let kinds = [FileErrorKind::Empty, FileErrorKind::Short, FileErrorKind::Length];
            assert!(kinds.contains(&error.kind()), "{error}");
            fs::remove_file(&path).unwrap();
        }
    });
}
