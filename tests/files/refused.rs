//! Refusals by the system, in child processes: each is an error, and nothing is lost.

#![expect(unsafe_code, reason = "opens files of the tests, and mounts")]

use crate::Folder;
use crate::child::{argument, passes, test_of};
use crate::process::{limit_softly, open_files, statm};
use stayput::file::{FileErrorKind, Mutable, Snapshot, Space};
use stayput::{
    Backing, DefaultKey, Error, ErrorKind, FileBacking, FileVec, Follow, SlotMap, VmVec,
};
use std::ffi::{CStr, CString};
use std::fs;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::ptr;

pub(crate) type Element = [u64; 8];

#[track_caller]
pub(crate) fn in_child<F: FnOnce(&Path)>(run: F) {
    match argument() {
        Some(folder) => run(folder.as_ref()),
        None => passes(test_of::<F>(), Folder::new().path()),
    }
}

/// Limits the length of files.
fn limit_files(bytes: Option<usize>) {
    limit_softly(libc::RLIMIT_FSIZE, bytes);
}

pub(crate) fn create(path: &Path) -> FileVec<Element> {
    // SAFETY: it lies in a folder of the test's.
    unsafe { FileVec::create(path) }.unwrap()
}

/// Fills an array until that is refused, and returns the error.
pub(crate) fn fill(vec: &mut FileVec<Element>) -> Error {
    loop {
        let next = [vec.len() as u64; 8];
        if let Err(refused) = vec.try_push(next) {
            assert_eq!(refused.value, next);
            return refused.error;
        }
    }
}

pub(crate) fn is_whole(vec: &[Element]) {
    assert!(vec.iter().enumerate().all(|(index, element)| *element == [index as u64; 8]));
}

#[test]
fn a_limit_of_files() {
    in_child(|folder| {
        limit_files(Some(3 << 20));
        for space in [Space::Allocated, Space::Sparse] {
            // SAFETY: it lies in a folder of the test's.
            let vec = unsafe { FileVec::builder().space(space).create(folder.join("array")) };
            let mut vec = vec.unwrap();
            let error = fill(&mut vec);
            assert_eq!((error.kind(), error.limit()), (ErrorKind::FileLimit, Some(3 << 20)));
            // The file may be as long as the limit.
            assert_eq!(vec.len(), ((3 << 20) - (64 << 10)) / 64);
            is_whole(&vec);
            vec.flush().unwrap();
        }
        limit_files(Some(1 << 10));
        // SAFETY: it lies in a folder of the test's.
        let error = unsafe { FileVec::<u8>::create(folder.join("other")) }.unwrap_err();
        assert_eq!(error.kind(), FileErrorKind::FileLimit);
    });
}

#[test]
fn a_limit_of_files_that_is_less_than_what_is_there() {
    in_child(|folder| {
        let path = folder.join("array");
        let mut vec = create(&path);
        vec.push([0; 8]);
        vec.flush().unwrap();
        vec.push([1; 8]);
        limit_files(Some(1 << 10));
        assert_eq!(vec.flush().unwrap_err().kind(), FileErrorKind::FileLimit);
        assert_eq!((vec.len(), vec.flushed_len()), (2, 1));
        limit_files(None);
        vec.flush().unwrap();
        drop(vec);
        limit_files(Some(1 << 10));
        // SAFETY: it lies in a folder of the test's.
        let error = unsafe { FileVec::<Element>::open(&path) }.unwrap_err();
        assert_eq!(error.kind(), FileErrorKind::FileLimit);
        limit_files(None);
        // SAFETY: as above.
        is_whole(&unsafe { FileVec::<Element>::open(&path) }.unwrap());
    });
}

#[test]
fn a_limit_of_files_and_a_full_disk_leave_what_was_saved() {
    in_child(|folder| {
        let path = folder.join("map");
        let mut map: SlotMap<DefaultKey, Element> = SlotMap::new();
        let first = map.insert([1; 8]);
        let whole = |path: &Path| {
            let saved = SlotMap::<DefaultKey, Element>::load(path).unwrap();
            assert_eq!((saved.len(), saved.get(first)), (1, Some(&[1; 8])));
            assert_eq!(path.parent().unwrap().read_dir().unwrap().count(), 1);
        };
        map.save(&path).unwrap();
        for n in 0..100_000 {
            map.insert([n; 8]);
        }
        limit_files(Some(1 << 20));
        assert_eq!(map.save(&path).unwrap_err().kind(), FileErrorKind::FileLimit);
        whole(&path);
        limit_files(None);
        let saved = fs::read(&path).unwrap();
        if !mount(folder, c"tmpfs", 4 << 20) {
            return;
        }
        fs::write(&path, saved).unwrap();
        assert_eq!(map.save(&path).unwrap_err().kind(), FileErrorKind::Disk);
        whole(&path);
    });
}

/// Mounts a file system in memory, limited to `bytes` if that is possible. Returns whether mounting is permitted.
pub(crate) fn mount(folder: &Path, kind: &CStr, bytes: usize) -> bool {
    let folder = CString::new(folder.to_str().unwrap()).unwrap();
    let options = CString::new(format!("size={bytes}")).unwrap();
    // SAFETY: a new list of mounts, for this process alone.
    if unsafe { libc::unshare(libc::CLONE_NEWNS) } != 0 {
        return false;
    }
    let (none, private) = (ptr::null(), libc::MS_REC | libc::MS_PRIVATE);
    // SAFETY: strings in C's sense.
    let is_private = unsafe { libc::mount(none, c"/".as_ptr(), none, private, ptr::null()) } == 0;
    let (kind, options) = (kind.as_ptr(), options.as_ptr().cast());
    // SAFETY: as above.
    is_private && unsafe { libc::mount(kind, folder.as_ptr(), kind, 0, options) } == 0
}

#[test]
fn a_full_disk() {
    in_child(|folder| {
        if !mount(folder, c"tmpfs", 4 << 20) {
            return;
        }
        let mut vec = create(&folder.join("array"));
        fs::write(folder.join("other"), vec![1; 1 << 20]).unwrap();
        let error = fill(&mut vec);
        assert_eq!(error.kind(), ErrorKind::Disk);
        is_whole(&vec);
        vec.flush().unwrap();
        let len = vec.len();
        assert!(len > 40_000, "{len} of 47 Ki");
        // What was refused before succeeds when there is space.
        fs::remove_file(folder.join("other")).unwrap();
        assert_eq!(fill(&mut vec).kind(), ErrorKind::Disk);
        assert!(vec.len() > len + 10_000, "{} of 63 Ki", vec.len());
        is_whole(&vec);
        vec.close().unwrap();
        // It can be opened there, too.
        // SAFETY: it lies in a folder of the test's.
        let vec = unsafe { FileVec::<Element>::open(folder.join("array")) }.unwrap();
        is_whole(&vec);
        // SAFETY: as above.
        let error = unsafe { FileVec::<u8>::create(folder.join("new")) };
        assert!(matches!(error, Err(error) if error.kind() == FileErrorKind::Disk));
    });
}

#[test]
fn a_full_disk_keeps_no_file_from_being_opened_unless_that_has_holes() {
    in_child(|folder| {
        if !mount(folder, c"tmpfs", 4 << 20) {
            return;
        }
        let (whole, holes) = (folder.join("whole"), folder.join("holes"));
        let mut vec = create(&whole);
        vec.extend((0..1001).map(|n| [n; 8]));
        vec.close().unwrap();
        // A copy with holes for blocks of zeros, and for the older of the two records of the length.
        let bytes = fs::read(&whole).unwrap();
        let copy = fs::File::create(&holes).unwrap();
        copy.set_len(bytes.len() as u64).unwrap();
        for (at, block) in bytes.chunks(4096).enumerate() {
            if at != 2 && block.iter().any(|byte| *byte != 0) {
                copy.write_all_at(block, 4096 * at as u64).unwrap();
            }
        }
        let mut rest = fs::File::create(folder.join("rest")).unwrap();
        while rest.write(&[1; 4096]).is_ok() {}
        // SAFETY: it lies in a folder of the test's.
        let vec = unsafe { FileVec::<Element>::open(&whole) };
        let mut vec = vec.unwrap();
        assert_eq!(vec.len(), 1001);
        is_whole(&vec);
        vec.flush().unwrap();
        assert_eq!(fill(&mut vec).kind(), ErrorKind::Disk);
        // SAFETY: as above.
        let error = unsafe { FileVec::<Element>::open(&holes) }.unwrap_err();
        assert_eq!(error.kind(), FileErrorKind::Disk);
    });
}

#[test]
fn a_limit_of_files_where_room_is_taken_by_writing() {
    in_child(|folder| {
        if !mount(folder, c"ramfs", 0) {
            return;
        }
        let mut vec = create(&folder.join("array"));
        vec.extend((0..10_000).map(|n| [n; 8]));
        vec.truncate(10);
        vec.close().unwrap();
        limit_files(Some(128 << 10));
        // SAFETY: it lies in a folder of the test's.
        let vec = unsafe { FileVec::<Element>::open(folder.join("array")) };
        let mut vec = vec.unwrap();
        assert_eq!(fill(&mut vec).kind(), ErrorKind::FileLimit);
        assert_eq!(vec.len(), (64 << 10) / 64);
        is_whole(&vec);
    });
}

fn discarded_bytes_are_zero(folder: &Path) {
    let mut backing = FileBacking::temporary_in(folder, 1 << 20).unwrap();
    let (first, unit) = (backing.start().as_ptr(), 64 << 10);
    // SAFETY: in the backing, and not committed.
    unsafe { backing.commit(0..4 * unit) }.unwrap();
    // SAFETY: committed.
    unsafe { first.write_bytes(7, 4 * unit) };
    // SAFETY: committed, and nothing refers to it.
    unsafe { backing.discard(unit..2 * unit) }.unwrap();
    // SAFETY: as above.
    unsafe { backing.decommit(3 * unit..4 * unit) }.unwrap();
    // SAFETY: in the backing, and not committed.
    unsafe { backing.commit(3 * unit..5 * unit) }.unwrap();
    // SAFETY: committed and initialized, and nothing changes it while it is used.
    let bytes = unsafe { std::slice::from_raw_parts(first, 5 * unit) };
    for (bytes, byte) in bytes.chunks(unit).zip([7, 0, 7, 0, 0]) {
        assert!(bytes.iter().all(|found| *found == byte));
    }
}

#[test]
fn space_that_is_neither_allocated_nor_returned_reads_as_zero() {
    in_child(|folder| {
        discarded_bytes_are_zero(folder);
        if !mount(folder, c"ramfs", 0) {
            return;
        }
        let (path, is_zero) = (folder.join("array"), |element: &Element| *element == [0; 8]);
        for space in [Space::Allocated, Space::Sparse] {
            let builder = FileVec::<Element, Mutable>::builder().space(space);
            // SAFETY: it lies in a folder of the test's.
            let mut vec = unsafe { builder.create(&path) }.unwrap();
            for len in [10, 20, 5] {
                vec.resize(10_000, [7; 8]);
                vec.truncate(len);
                vec.shrink_to_fit();
                vec.extend_zeroed(5000);
                assert!(vec[len..].iter().all(is_zero));
                vec.resize(10_000, [7; 8]);
                vec.truncate(len);
                vec.close().unwrap();
                // SAFETY: as above.
                vec = unsafe { builder.open(&path) }.unwrap();
                assert_eq!(vec.len(), len);
                vec.reserve(100);
                vec.shrink_to_fit();
                vec.extend_zeroed(9000);
                assert!(vec[len..].iter().all(is_zero));
            }
        }
        discarded_bytes_are_zero(folder);
        let backing = FileBacking::temporary_in(folder, 4 << 20).unwrap();
        let mut numbers: VmVec<u64> = VmVec::builder().build_in(backing);
        for len in [0, 3, 70_000] {
            numbers.resize(200_000, 7);
            numbers.truncate(len);
            numbers.shrink_to_fit();
            numbers.extend_zeroed(200_000 - len);
            assert!(numbers[len..].iter().all(|number| *number == 0));
            numbers.fill(7);
            numbers.truncate(len);
            // What stays committed is overwritten with zeros.
            numbers.extend_zeroed(200_000 - len);
            assert!(numbers[len..].iter().all(|number| *number == 0));
        }
    });
}

#[test]
fn a_file_system_that_is_read_only() {
    in_child(|folder| {
        if !mount(folder, c"tmpfs", 4 << 20) {
            return;
        }
        create(&folder.join("array")).close().unwrap();
        let target = CString::new(folder.to_str().unwrap()).unwrap();
        let (none, flags) = (ptr::null(), libc::MS_REMOUNT | libc::MS_RDONLY);
        // SAFETY: strings in C's sense.
        assert_eq!(unsafe { libc::mount(none, target.as_ptr(), none, flags, ptr::null()) }, 0);
        // SAFETY: it lies in a folder of the test's.
        let error = unsafe { FileVec::<Element>::open(folder.join("array")) }.unwrap_err();
        assert_eq!(error.kind(), FileErrorKind::ReadOnly);
        assert_eq!(Follow::<Element>::open(folder.join("array")).unwrap().len(), 0);
    });
}

#[test]
fn who_may_not_read_it() {
    in_child(|folder| {
        use std::os::unix::fs::PermissionsExt;
        create(&folder.join("array")).close().unwrap();
        fs::set_permissions(folder.join("array"), fs::Permissions::from_mode(0o000)).unwrap();
        // SAFETY: no memory is involved.
        let user = unsafe { libc::geteuid() };
        // Without root privileges this fails, and is not needed.
        // SAFETY: as above.
        let _ = unsafe { libc::seteuid(65_534) };
        // SAFETY: it lies in a folder of the test's.
        let opened = unsafe { FileVec::<Element>::open(folder.join("array")) };
        // Sanitizers read this program when it ends, for which not every user has permission.
        // SAFETY: no memory is involved.
        assert_eq!(unsafe { libc::seteuid(user) }, 0);
        assert_eq!(opened.unwrap_err().kind(), FileErrorKind::PermissionDenied);
    });
}

#[test]
fn a_limit_of_open_files() {
    in_child(|folder| {
        let (path, saved) = (folder.join("array"), folder.join("map"));
        create(&path).close().unwrap();
        let old: SlotMap<DefaultKey, u64> = (0..10).collect();
        let new: SlotMap<DefaultKey, u64> = (0..20).collect();
        let mut vec = create(&folder.join("open"));
        let count = || folder.read_dir().unwrap().count();
        // The number of the next descriptor: each round permits one more.
        let next = fs::File::open(folder).unwrap().as_raw_fd();
        let before = open_files();
        for more in 0..5 {
            old.save(&saved).unwrap();
            let files = count();
            limit_softly(libc::RLIMIT_NOFILE, Some(usize::try_from(next).unwrap() + more));
            let results = [
                // SAFETY: it lies in a folder of the test's.
                unsafe { FileVec::<Element>::open(&path) }.map(drop),
                // SAFETY: as above.
                unsafe { FileVec::<Element>::create_new(folder.join("new")) }.map(drop),
                Follow::<Element>::open(&path).map(drop),
                FileVec::<Element>::temporary_in(folder).map(drop),
                FileBacking::temporary_in(folder, 1 << 20).map(drop),
                SlotMap::<DefaultKey, u64>::load(&saved).map(drop),
                Snapshot::builder().add("map", &new).save(folder.join("snapshot")),
            ];
            let replaced = new.save(&saved);
            // An open array needs no more files.
            vec.extend((0..100_000).map(|_| [0; 8]));
            vec.flush().unwrap();
            vec.shrink_to_fit();
            limit_softly(libc::RLIMIT_NOFILE, Some(1000));
            let len = SlotMap::<DefaultKey, u64>::load(&saved).unwrap().len();
            assert_eq!(len, if replaced.is_ok() { 20 } else { 10 }, "{replaced:?}");
            for error in results.into_iter().chain([replaced]).filter_map(Result::err) {
                let found = (error.kind(), error.raw_os_error());
                assert_eq!(found, (FileErrorKind::System, Some(libc::EMFILE)), "{error}");
                assert!(more < 4, "{error}");
            }
            for name in ["new", "snapshot"] {
                let _ = fs::remove_file(folder.join(name));
            }
            assert_eq!((count(), open_files()), (files, before));
        }
    });
}

#[test]
fn a_boot_that_cannot_be_read_does_not_count_as_another() {
    in_child(|folder| {
        let path = folder.join("array");
        let mut vec = create(&path);
        vec.extend((0..100).map(|n| [n; 8]));
        drop(vec);
        let before = fs::read(&path).unwrap();
        // Room for the file itself, but not for another.
        let next = fs::File::open(folder).unwrap().as_raw_fd();
        limit_softly(libc::RLIMIT_NOFILE, Some(usize::try_from(next).unwrap() + 1));
        // SAFETY: it lies in a folder of the test's.
        let opened = unsafe { FileVec::<Element>::open(&path) }.map(|vec| vec.len());
        let followed = Follow::<Element>::open(&path).map(|follow| follow.len());
        limit_softly(libc::RLIMIT_NOFILE, Some(1000));
        assert!(fs::read(&path).unwrap() == before);
        for error in [opened.unwrap_err(), followed.unwrap_err()] {
            assert_eq!(error.raw_os_error(), Some(libc::EMFILE), "{error}");
        }
        // SAFETY: as above.
        let vec = unsafe { FileVec::<Element>::open(&path) }.unwrap();
        assert_eq!((vec.len(), vec.lost_len()), (100, 0));
        is_whole(&vec);
    });
}

/// Limits the addresses of the process to those in use plus `more` bytes, and returns the limit.
fn limit_addresses(more: usize) -> Option<u64> {
    if statm(0) >> 20 > 1 << 20 {
        eprintln!("SKIPPED: a sanitizer needs addresses of its own");
        return None;
    }
    let limit = statm(0) + more;
    limit_softly(libc::RLIMIT_AS, Some(limit));
    Some(limit as u64)
}

#[test]
fn a_limit_of_addresses() {
    in_child(|folder| {
        let Some(limit) = limit_addresses(1 << 30) else { return };
        // Less is reserved than by default, unless `max_len` is set.
        let mut vec = create(&folder.join("array"));
        vec.extend((0..100_000).map(|n| [n; 8]));
        // SAFETY: it lies in a folder of the test's.
        let error =
            unsafe { FileVec::<u8>::builder().max_len(1 << 30).create(folder.join("other")) };
        let error = error.unwrap_err();
        assert_eq!(error.kind(), FileErrorKind::Refused, "{error}");
        let is_of_limit = |error: Error| {
            assert_eq!(
                (error.kind(), error.limit()),
                (ErrorKind::AddressLimit, Some(limit)),
                "{error}"
            );
            assert!(error.to_string().contains("RLIMIT_AS"), "{error}");
        };
        is_of_limit(error.refused().unwrap());
        assert!(error.to_string().contains("a smaller `max_len`"), "{error}");
        if cfg!(target_pointer_width = "32") {
            // By default less is mapped there than any limit allows.
            return;
        }
        // A file that is too large for what was mapped by default.
        let error = vec.try_reserve(vec.max_len()).unwrap_err();
        is_of_limit(error);
        assert!(!error.to_string().contains("its `max_len`"), "{error}");
        let error = FileBacking::temporary_in(folder, 1 << 30).unwrap_err();
        is_of_limit(error.refused().unwrap());

        vec.flush().unwrap();
        drop(vec);
        // A reader maps the whole file, and is refused as a writer is.
        let long = fs::OpenOptions::new().write(true).open(folder.join("array")).unwrap();
        long.set_len(1 << 31).unwrap();
        // SAFETY: it lies in a folder of the test's.
        let written = unsafe { FileVec::<Element>::open(folder.join("array")) }.unwrap_err();
        let read = Follow::<Element>::open(folder.join("array")).unwrap_err();
        for error in [written, read] {
            assert_eq!(error.kind(), FileErrorKind::Refused, "{error}");
            is_of_limit(error.refused().unwrap());
            assert!(!error.to_string().contains("max_len"), "{error}");
        }
    });
}

#[test]
fn memory_that_the_words_of_a_file_or_its_directory_take() {
    in_child(|folder| {
        // More than the allocator keeps for reuse.
        const BYTES: usize = 33 << 20;
        let (map, snapshot) = (folder.join("map"), folder.join("snapshot"));
        SlotMap::<DefaultKey, u64>::new().save(&map).unwrap();
        // As many words for the next keys as there are, whose checksum is right.
        let mut bytes = fs::read(&map).unwrap();
        bytes.truncate(68);
        bytes[64..68].copy_from_slice(&u32::try_from(BYTES / 4).unwrap().to_ne_bytes());
        bytes.resize(68 + BYTES, 0);
        bytes.extend(crc(&bytes).to_ne_bytes());
        fs::write(&map, &bytes).unwrap();
        // As many containers without a name.
        Snapshot::builder().save(&snapshot).unwrap();
        let mut bytes = fs::read(&snapshot).unwrap();
        let entry = [64_u64.to_ne_bytes(), 64_u64.to_ne_bytes(), [0; 8]].concat();
        let directory = entry.repeat(BYTES / entry.len());
        bytes[24..32].copy_from_slice(&(64 + directory.len() as u64).to_ne_bytes());
        bytes[32..36].copy_from_slice(&crc(&directory).to_ne_bytes());
        let sum = u64::from(crc(&bytes[..56]));
        bytes[56..64].copy_from_slice(&sum.to_ne_bytes());
        bytes.extend(directory);
        fs::write(&snapshot, &bytes).unwrap();
        drop(bytes);
        if limit_addresses(55 << 20).is_none() {
            return;
        }
        let map = SlotMap::<DefaultKey, u64>::load(&map).unwrap_err();
        let snapshot = Snapshot::open(&snapshot).unwrap_err();
        for error in [map, snapshot] {
            let refused = error.refused().map(|error| error.kind());
            assert_eq!(refused, Some(ErrorKind::Memory), "{error}");
        }
    });
}

/// The CRC-32 of the format.
fn crc(bytes: &[u8]) -> u32 {
    let shift = |sum: u32| (sum >> 1) ^ (0xEDB8_8320 & 0_u32.wrapping_sub(sum & 1));
    let mut table = [0; 256];
    for (byte, entry) in (0..).zip(&mut table) {
        *entry = (0..8).fold(byte, |sum, _| shift(sum));
    }
    !bytes
        .iter()
        .fold(!0, |sum, byte| (sum >> 8) ^ table[((sum ^ u32::from(*byte)) & 0xFF) as usize])
}

#[test]
#[cfg(target_pointer_width = "64")]
fn what_an_iterator_says_of_itself_takes_no_disk() {
    in_child(|folder| {
        // More than there is, and less than there are addresses.
        // SAFETY: it lies in a folder of the test's.
        let vec = unsafe { FileVec::builder().max_len(1 << 35).create(folder.join("array")) };
        let mut vec: FileVec<Element> = vec.unwrap();
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            vec.extend(
                (0..).map(|n| [n; 8]).inspect(|element| assert!(element[0] < 1000, "enough")),
            );
        }));
        assert!(result.is_err() && vec.len() == 1000);
        let long = vec.stats().file_bytes.unwrap();
        assert!(long < 80 << 20, "{long}");
        let error = vec.try_reserve(vec.max_len() - 2000).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Disk | ErrorKind::FileLimit), "{error}");
        assert_eq!(vec.stats().file_bytes, Some(long));
    });
}
