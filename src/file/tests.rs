//! Tests of arrays in files.

#![expect(unsafe_code, reason = "opens files in folders of the tests")]

mod errors;
#[cfg(target_endian = "little")]
mod golden;
pub(super) mod loss;
mod readers;
mod space;

use super::header::{HEADER_BYTES, Record, seal};
use super::locked::Locked;
use super::mapped_file::MappedFile;
use super::{FileErrorKind, FileVec, Follow, Lock};
use crate::error::ErrorKind;
use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Barrier};
use std::time::Duration;

crate::new_key_type! {
    /// Keys with a tag. Declared here, because the macro can expand to unsafe code.
    pub(super) struct TaggedKey: crate::Tagged64;

    /// Keys with few generations.
    pub(super) struct SmallKey: crate::Bits32<4, 2>;
}

/// A folder of a test's own, deleted when dropped.
pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let (process, count) = (std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(format!("stayput-unit-{process}-{count}"));
        // A killed process may have had the same number.
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    pub(super) fn file(&self) -> PathBuf {
        self.0.join("array")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn create(path: &Path) -> FileVec<u64> {
    // SAFETY: the file lies in a folder of this test.
    unsafe { FileVec::create(path) }.unwrap()
}

fn open(path: &Path) -> FileVec<u64> {
    // SAFETY: as above.
    unsafe { FileVec::open(path) }.unwrap()
}

/// Where the boot lies that the live length belongs to.
pub(super) const BOOT: std::ops::Range<usize> = 4096 + 64..4096 + 80;

/// Where the count of removals lies.
pub(super) const REMOVALS: std::ops::Range<usize> = 4288..4296;

/// Makes a file belong to another boot.
fn restart(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    bytes[BOOT].iter_mut().for_each(|byte| *byte = !*byte);
    fs::write(path, bytes).unwrap();
}

#[test]
fn pushed_elements_are_found_when_the_file_is_opened_again() {
    let folder = Folder::new();
    let mut vec = create(&folder.file());
    vec.extend(0..100_000);
    let address = vec.as_ptr();
    vec.push(100_000);
    assert_eq!(address, vec.as_ptr());
    drop(vec);
    assert!(open(&folder.file()).iter().copied().eq(0..100_001));
    let bytes = HEADER_BYTES as u64 + 100_001 * 8;
    assert_eq!(fs::metadata(folder.file()).unwrap().len(), bytes);
}

#[test]
fn flushed_elements_survive_a_restart() {
    let folder = Folder::new();
    let mut vec = create(&folder.file());
    vec.extend(0..1000);
    vec.set_user_bytes([7; 64]);
    vec.flush().unwrap();
    vec.extend(1000..3000);
    vec.set_user_bytes([8; 64]);
    assert_eq!((vec.flushed_len(), vec.user_bytes()), (1000, [8; 64]));
    drop(vec);
    restart(&folder.file());
    let follow = Follow::<u64>::open(folder.file()).unwrap();
    assert!(follow.iter().eq(0..1000) && !follow.is_append_only());
    let mut vec = open(&folder.file());
    assert!(vec.iter().copied().eq(0..1000));
    assert_eq!(vec.user_bytes(), [7; 64]);
    vec.push(5);
    assert_eq!((follow.len(), follow.get(1000)), (1001, Some(5)));
}

#[test]
fn elements_published_before_a_restart_stay_accessible() {
    let folder = Folder::new();
    let mut vec = create(&folder.file());
    vec.extend(0..100_000);
    drop(vec);
    let follow = Follow::<u64>::open(folder.file()).unwrap();
    assert_eq!(follow.len(), 100_000);
    set_boot(&folder.file(), [0xAA; 16]);
    for _ in 0..2 {
        let mut vec = open(&folder.file());
        assert!(vec.len() < 10);
        vec.push(7);
        vec.close().unwrap();
        assert!(fs::metadata(folder.file()).unwrap().len() >= 65_536 + 800_000);
    }
    // The reader saw 100,000 elements, and may access them.
    assert_eq!(follow.max_len().min(100_000), 100_000);
    // SAFETY: the file still has as many.
    assert_eq!(unsafe { follow.copy(99_999) }, 99_999);
}

/// Writes the boot that the live length belongs to, while the file is open elsewhere.
fn set_boot(path: &Path, boot: [u8; 16]) {
    let mut file = File::options().write(true).open(path).unwrap();
    file.seek(SeekFrom::Start(BOOT.start as u64)).unwrap();
    file.write_all(&boot).unwrap();
}

fn set_failed(path: &Path, has_failed: bool) {
    let mut file = File::options().write(true).open(path).unwrap();
    file.seek(SeekFrom::Start(BOOT.end as u64)).unwrap();
    file.write_all(&u64::from(has_failed).to_ne_bytes()).unwrap();
}

/// Creates an array with 100 elements that were flushed, and 400 that were not.
fn partly_flushed(path: &Path) -> FileVec<u64> {
    let mut vec = create(path);
    vec.extend(0..100);
    vec.flush().unwrap();
    vec.extend(100..500);
    vec
}

/// Writes what such an array leaves when its process is killed, in another boot.
fn leave_partly_flushed(path: &Path) {
    let vec = partly_flushed(&path.with_extension("running"));
    fs::copy(vec.path().unwrap(), path).unwrap();
    set_boot(path, [0xAA; 16]);
}

#[test]
fn the_length_of_a_later_writer_counts() {
    let folder = Folder::new();
    let path = folder.file();
    leave_partly_flushed(&path);
    let follow = Follow::<u64>::open(&path).unwrap();
    assert_eq!(follow.len(), 100);
    let mut vec = open(&path);
    vec.extend(100..300);
    // As if the writer did not know the boot of this process.
    set_boot(&path, [0xAA; 16]);
    assert_eq!((follow.len(), follow.get(299)), (300, Some(299)));
}

#[test]
fn a_failed_open_leaves_lost_len_to_the_next() {
    let folder = Folder::new();
    let path = folder.file();
    leave_partly_flushed(&path);
    let follow = Follow::<u64>::open(&path).unwrap();
    for _ in 0..2 {
        // SAFETY: as in `create`.
        let vec = unsafe { FileVec::<u64>::builder().max_len(1000).capacity(1001).open(&path) };
        assert_eq!(vec.unwrap_err().kind(), FileErrorKind::MaxLen);
        assert_eq!((follow.len(), Follow::<u64>::open(&path).unwrap().len()), (100, 100));
    }
    let vec = open(&path);
    assert!(vec.iter().copied().eq(0..100));
    assert_eq!((vec.lost_len(), follow.len()), (400, 100));
    drop(vec);
    let mut vec = open(&folder.file());
    assert_eq!(vec.lost_len(), 0);
    // Elements that were not flushed, and are not lost.
    vec.push(7);
    drop(vec);
    // SAFETY: as in `create`.
    let vec = unsafe { FileVec::<u64>::builder().max_len(1000).capacity(1001).open(&path) };
    assert_eq!(vec.unwrap_err().kind(), FileErrorKind::MaxLen);
    let vec = open(&path);
    assert_eq!((vec.last(), vec.lost_len()), (Some(&7), 0));
}

#[test]
fn an_open_that_fails_at_any_write_leaves_lost_len_to_the_next() {
    let mut writes = 0;
    loop {
        let folder = Folder::new();
        let path = folder.file();
        leave_partly_flushed(&path);
        let mut is_open = false;
        let is_refused = loss::refuse_write(writes, || {
            // SAFETY: as in `create`.
            is_open = unsafe { FileVec::<u64>::open(&path) }.is_ok();
        });
        assert_eq!(is_open, !is_refused);
        if !is_refused {
            break;
        }
        let vec = open(&path);
        assert_eq!((vec.len(), vec.lost_len()), (100, 400), "after {writes} writes");
        writes += 1;
    }
    assert!(writes > 4);
}

#[test]
fn a_creation_that_fails_at_any_write_leaves_a_file_that_can_be_created() {
    for long in [0, 1, 7, 8, 100, 100_000] {
        let mut writes = 0;
        loop {
            let folder = Folder::new();
            let path = folder.file();
            fs::write(&path, vec![b'.'; long]).unwrap();
            let mut is_created = false;
            let is_refused = loss::refuse_write(writes, || {
                // SAFETY: as in `create`.
                is_created = unsafe { FileVec::<u64>::create(&path) }.is_ok();
            });
            assert_eq!(is_created, !is_refused);
            if !is_refused {
                break;
            }
            // SAFETY: as in `create`.
            let vec = unsafe { FileVec::<u32>::builder().tag(7).open_or_create(&path) };
            assert_eq!(vec.map(|vec| vec.len()).ok(), Some(0), "{long} bytes, {writes} writes");
            writes += 1;
        }
        assert!(writes > 4);
    }
}

#[test]
fn a_file_whose_creation_was_refused_can_be_created_for_other_elements() {
    let folder = Folder::new();
    for expected in [0, 100_000] {
        let path = folder.file();
        fs::write(&path, vec![b'.'; expected]).unwrap();
        loss::refuse_growth();
        // SAFETY: as in `create`.
        let refused = unsafe { FileVec::<u64>::builder().capacity(100).create(&path) };
        assert_eq!(refused.unwrap_err().kind(), FileErrorKind::Disk);
        // SAFETY: as in `create`.
        let opened = unsafe { FileVec::<u32>::open(&path) };
        assert_eq!(opened.unwrap_err().kind(), FileErrorKind::Empty);
        // SAFETY: as in `create`.
        drop(unsafe { FileVec::<u32>::builder().tag(7).open_or_create(&path) }.unwrap());
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn elements_past_the_mapping_are_refused() {
    let folder = Folder::new();
    let mut vec = create(&folder.file());
    vec.extend(0..10_000);
    vec.close().unwrap();
    let file = File::options().read(true).write(true).open(folder.file()).unwrap();
    let long = file.metadata().unwrap().len();
    let file = Locked::new(file, Lock::Exclusive, None).unwrap();
    // As on 32-bit systems for a file of more than 4 GiB.
    let mapped = MappedFile::new(file, None, HEADER_BYTES + 8 * 5000, long).unwrap();
    let problem = FileVec::<u64>::builder().find(&mapped, long, None).unwrap_err();
    assert_eq!(problem.at(None).refused().unwrap().kind(), ErrorKind::CapacityOverflow);
}

#[test]
fn a_durable_length_counts_even_if_elements_were_removed_since() {
    let folder = Folder::new();
    let path = folder.file();
    let mut vec = create(&path.with_extension("running"));
    vec.extend(0..100);
    vec.flush().unwrap();
    vec.truncate(50);
    fs::copy(vec.path().unwrap(), &path).unwrap();
    set_boot(&path, [0xAA; 16]);
    // Where a reader cannot tell that the file has no writer, elements past the live length may be overwritten.
    let len = if cfg!(target_os = "linux") { 100 } else { 50 };
    assert_eq!(Follow::<u64>::open(&path).unwrap().len(), len);
    assert!(open(&path).iter().copied().eq(0..100));
}

#[test]
fn each_flush_syncs_what_may_not_be_durable() {
    let folder = Folder::new();
    let path = folder.file();
    let mut vec = create(&path);
    vec.extend(0..100);
    // The elements, the name of the file, and the record.
    assert_eq!(loss::syncs(|| vec.flush().unwrap()), 3);
    vec.push(100);
    assert_eq!(loss::syncs(|| vec.flush().unwrap()), 2);
    assert_eq!(loss::syncs(|| vec.extend_zeroed(10)), 0);
    vec.flush().unwrap();
    drop(vec);
    let reopen = |syncs| {
        let mut vec = None;
        assert_eq!(loss::syncs(|| vec = Some(open(&path))), syncs);
        vec.unwrap()
    };
    // A killed process may have written the last record without making it durable, so the next does not overwrite the
    // one before it until that record is durable.
    let mut vec = reopen(0);
    assert_eq!(loss::syncs(|| vec.flush().unwrap()), 3);
    assert_eq!(loss::syncs(|| vec.flush().unwrap()), 2);
    vec.truncate(50);
    drop(vec);
    // A record of the shorter length, after the one before it and the elements.
    let mut vec = reopen(3);
    assert_eq!((vec.flushed_len(), loss::syncs(|| vec.flush().unwrap())), (50, 2));
    vec.extend_zeroed(10);
    vec.flush().unwrap();
    vec.truncate(50);
    vec.flush().unwrap();
    drop(vec);
    // The record before the last counts more elements than there are, and would count if the last were lost.
    drop(reopen(1));
    // Never flushed, so the name may not be durable, either.
    create(&path).push(1);
    let mut vec = reopen(0);
    assert_eq!(loss::syncs(|| vec.flush().unwrap()), 4);
    // Files without a name have none to make durable.
    let mut vec = FileVec::<u64>::temporary_in(std::env::temp_dir()).unwrap();
    assert_eq!(loss::syncs(|| vec.flush().unwrap()), 2);
}

#[test]
#[cfg(unix)]
fn a_file_that_is_open_for_appending_is_refused() {
    let folder = Folder::new();
    create(&folder.file()).close().unwrap();
    let whole = fs::read(folder.file()).unwrap();
    let open = || File::options().read(true).append(true).open(folder.file()).unwrap();
    // SAFETY: as in `create`.
    let vec = unsafe { FileVec::<u64>::from_file(open()) };
    // SAFETY: as in `create`.
    let backing = unsafe { super::FileBacking::from_file(open(), 1 << 20) };
    for error in [vec.unwrap_err(), backing.unwrap_err()] {
        assert_eq!(error.kind(), FileErrorKind::Unsupported, "{error}");
    }
    assert!(fs::read(folder.file()).unwrap() == whole);
}

#[test]
fn elements_that_the_disk_refused_are_lost_when_the_file_is_opened_again() {
    let folder = Folder::new();
    // The sync of the elements, and the sync of the record.
    for (count, is_range) in [(0, false), (1, false), (0, true)] {
        let mut vec = create(&folder.file());
        vec.extend(0..1000);
        vec.flush().unwrap();
        vec.extend(1000..3000);
        vec[5] = 7;
        let follow = Follow::<u64>::open(folder.file()).unwrap();
        loss::refuse(count);
        let refused = if is_range { vec.flush_range(..) } else { vec.flush() };
        assert_eq!(refused.unwrap_err().kind(), FileErrorKind::System);
        for result in [vec.flush(), vec.flush_range(..)] {
            assert_eq!(result.unwrap_err().kind(), FileErrorKind::Failed);
        }
        assert_eq!((vec.len(), vec.flushed_len(), follow.len()), (3000, 1000, 1000));
        drop(vec);
        let mut vec = open(&folder.file());
        assert_eq!(loss::REWRITTEN.take(), Some(65_536..65_536 + 8000));
        assert_eq!((vec.len(), vec.lost_len()), (1000, 2000));
        assert_eq!((vec.flushed_len(), vec[5], vec[999]), (1000, 7, 999));
        vec.push(1);
        vec.flush().unwrap();
        assert_eq!((vec.flushed_len(), follow.len()), (1001, 1001));
        drop(vec);
        let vec = open(&folder.file());
        assert_eq!((vec.len(), vec.lost_len()), (1001, 0));
    }
}

#[test]
fn a_sync_fails_if_another_fails_meanwhile() {
    // The system reports what the disk refused to only one of them.
    let folder = Folder::new();
    let mut vec = create(&folder.file());
    vec.extend(0..1000);
    let both = Arc::new(Barrier::new(2));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let both = both.clone();
            loss::refuse_after(move || {
                both.wait();
                std::thread::sleep(Duration::from_millis(50));
            });
            assert_eq!(vec.flush_range(..10).unwrap_err().kind(), FileErrorKind::System);
        });
        both.wait();
        assert_eq!(vec.flush_range(10..).unwrap_err().kind(), FileErrorKind::Failed);
    });
}

#[test]
fn opening_a_file_does_not_extend_it() {
    let folder = Folder::new();
    for len in [0, 1, 100, 1023, 100_000] {
        let mut vec = create(&folder.file());
        vec.extend(0..len);
        vec.close().unwrap();
        let mut vec = open(&folder.file());
        let long = vec.stats().file_bytes.unwrap();
        assert!(cfg!(windows) || long == 65_536 + len * 8, "{long} for {len}");
        assert_eq!(vec.capacity() as u64, len);
        vec.push(len);
        assert!(vec.iter().copied().eq(0..=len));
    }
}

#[test]
fn a_file_whose_creation_was_interrupted_is_created_by_the_next_call() {
    let folder = Folder::new();
    let begun = |bytes: &[u8], long| {
        let mut all = bytes.to_vec();
        all.resize(long, 0);
        all
    };
    let mark = b"stayput\0";
    let files = [1, 8, 4096, 16_384, 62_240, 65_536].map(|long| begun(&[], long));
    let files = files.into_iter().chain([begun(mark, 16_384), begun(mark, 65_536)]);
    // As long as the file is on Windows, with part of the identity.
    let mut last = begun(mark, 1 << 20);
    last[20..64].fill(9);
    for bytes in files.chain([last]) {
        fs::write(folder.file(), &bytes).unwrap();
        // SAFETY: as in `create`.
        let error = unsafe { FileVec::<u64>::open(folder.file()) }.unwrap_err();
        assert_eq!(error.kind(), FileErrorKind::Empty, "{} bytes", bytes.len());
        assert_eq!(Follow::<u64>::open(folder.file()).unwrap_err().kind(), error.kind());
        // SAFETY: as in `create`.
        let mut vec = unsafe { FileVec::<u64>::open_or_create(folder.file()) }.unwrap();
        vec.push(5);
        drop(vec);
        assert_eq!(*open(&folder.file()), [5]);
    }
    // Other files are left unchanged.
    let mut others = vec![0; 65_536];
    for at in [8, 4095, 4096, 65_535] {
        others[at] = 1;
        fs::write(folder.file(), &others).unwrap();
        // SAFETY: as in `create`.
        let error = unsafe { FileVec::<u64>::open_or_create(folder.file()) }.unwrap_err();
        assert_eq!(error.kind(), FileErrorKind::NotStayput);
        assert_eq!(Follow::<u64>::open(folder.file()).unwrap_err().kind(), error.kind());
        assert!(fs::read(folder.file()).unwrap() == others);
    }
}

#[test]
fn a_file_without_sequence_numbers_left_is_refused() {
    let folder = Folder::new();
    let vec = create(&folder.file());
    let record = Record { sequence: 1 << 61, ..Record::NONE };
    vec.mapped().write(record.at(), &record.to_bytes()).unwrap();
    drop(vec);
    // SAFETY: as in `create`.
    let error = unsafe { FileVec::<u64>::open(folder.file()) }.unwrap_err();
    assert_eq!(error.kind(), FileErrorKind::Header);
}

/// Changes a part of a file that ends with its checksum, which is right afterwards.
fn forge(path: &Path, part: std::ops::Range<usize>, change: impl FnOnce(&mut [u8])) {
    let mut bytes = fs::read(path).unwrap();
    change(&mut bytes[part.clone()]);
    seal(&mut bytes[part]);
    fs::write(path, bytes).unwrap();
}

#[test]
fn an_identity_of_another_array_is_refused_although_its_checksum_is_right() {
    let folder = Folder::new();
    let path = folder.file();
    create(&path).close().unwrap();
    let whole = fs::read(&path).unwrap();
    let is_refused = |kind: FileErrorKind, change: &dyn Fn(&mut [u8])| {
        fs::write(&path, &whole).unwrap();
        forge(&path, 0..64, change);
        // SAFETY: as in `create`.
        let opened = unsafe { FileVec::<u64>::open(&path) };
        assert_eq!(opened.unwrap_err().kind(), kind);
        assert_eq!(Follow::<u64>::open(&path).unwrap_err().kind(), kind);
    };
    is_refused(FileErrorKind::NotStayput, &|bytes| bytes[0] = b'S');
    is_refused(FileErrorKind::Version, &|bytes| bytes[8] ^= 3);
    is_refused(FileErrorKind::ByteOrder, &|bytes| bytes[12..16].reverse());
    is_refused(FileErrorKind::Header, &|bytes| bytes[13] = 7);
    is_refused(FileErrorKind::Element, &|bytes| bytes[16] ^= 1);
    is_refused(FileErrorKind::Element, &|bytes| bytes[24] ^= 1);
    is_refused(FileErrorKind::Tag, &|bytes| bytes[39] = 1);
    is_refused(FileErrorKind::Header, &|bytes| bytes[49] = 1);
}

#[test]
fn a_record_counts_only_in_its_place_and_with_a_valid_number() {
    let folder = Folder::new();
    let path = folder.file();
    let mut vec = create(&path);
    vec.extend(0..100);
    // Two records: one of no elements with the number 0, and one of a hundred with the number 1.
    vec.close().unwrap();
    restart(&path);
    let whole = fs::read(&path).unwrap();
    let forged = |sequence: u64, len: u64| {
        fs::write(&path, &whole).unwrap();
        forge(&path, 8192..8280, |record| {
            record[..8].copy_from_slice(&sequence.to_ne_bytes());
            record[8..16].copy_from_slice(&len.to_ne_bytes());
        });
        Follow::<u64>::open(&path).map(|follow| follow.len())
    };
    for (sequence, len) in [(2, 50), (3, 100), (4, 50), (1 << 62, 100), (u64::MAX - 1, 100)] {
        assert_eq!(forged(sequence, 50).unwrap(), len, "{sequence}");
        assert_eq!(open(&path).len() as u64, len as u64, "{sequence}");
    }
    assert_eq!(forged(2, 101).unwrap_err().kind(), FileErrorKind::Length);
    assert_eq!(forged((1 << 62) - 2, 50).unwrap(), 50);
}

#[test]
fn a_full_array_returns_the_value() {
    let folder = Folder::new();
    // SAFETY: as in `create`.
    let vec = unsafe { FileVec::<u64>::builder().max_len(10).create(folder.file()) };
    let mut vec = vec.unwrap();
    assert!(vec.is_empty());
    vec.extend(0..10);
    assert!(!vec.is_empty());
    let refused = vec.try_push(10).unwrap_err();
    assert_eq!((refused.error.kind(), refused.value), (ErrorKind::MaxLen, 10));
    assert!(refused.error.to_string().contains("FileVec"));
    let refused = vec.try_extend(10..20).unwrap_err();
    assert!(refused.value.eq(10..20));
    drop(vec);
    // SAFETY: as in `create`.
    let vec = unsafe { FileVec::<u64>::builder().max_len(9).open(folder.file()) };
    assert_eq!(vec.unwrap_err().kind(), FileErrorKind::MaxLen);
    // SAFETY: as in `create`.
    let vec = unsafe { FileVec::<u64>::builder().max_len(10).open(folder.file()) };
    assert_eq!(vec.unwrap().len(), 10);
}

#[test]
fn elements_aligned_more_than_pages_are_refused() {
    #[derive(Clone, Copy)]
    #[repr(C, align(131072))]
    struct Wide([u8; 131_072]);
    // SAFETY: an array of bytes.
    unsafe impl bytemuck::Zeroable for Wide {}
    // SAFETY: an array of bytes, whose size is its alignment.
    unsafe impl bytemuck::Pod for Wide {}
    let wide = FileVec::<Wide>::temporary_in(std::env::temp_dir());
    // By chance it may be aligned.
    if let Err(error) = wide {
        assert_eq!(error.refused().unwrap().kind(), ErrorKind::Alignment);
    }
    let mut nothing = FileVec::<()>::temporary_in(std::env::temp_dir()).unwrap();
    nothing.extend([(); 1000]);
    assert_eq!((nothing.len(), nothing.pop()), (1000, Some(())));
}

#[test]
fn a_new_file_that_cannot_be_used_is_removed() {
    let folder = Folder::new();
    let builder = FileVec::<u64>::builder().max_len(10).capacity(11);
    // SAFETY: as in `create`.
    let error = unsafe { builder.create_new(folder.file()) }.unwrap_err();
    assert_eq!(error.kind(), FileErrorKind::MaxLen);
    assert!(!folder.file().exists());
    // SAFETY: as in `create`.
    drop(unsafe { builder.capacity(10).create_new(folder.file()) }.unwrap());
    // SAFETY: as in `create`.
    unsafe { builder.create_new(folder.file()) }.unwrap_err();
    assert!(folder.file().exists());
}

#[test]
fn a_file_that_cannot_be_used_is_left_as_it_was() {
    let folder = Folder::new();
    let path = folder.file();
    let builder = FileVec::<u64>::builder();
    let refused = [
        (builder.max_len(usize::MAX), FileErrorKind::Refused),
        // More addresses than there are, on 64-bit systems.
        (
            builder.max_len(isize::MAX as usize / if usize::BITS == 64 { 16 } else { 1 }),
            FileErrorKind::Refused,
        ),
        (builder.max_len(10).capacity(11), FileErrorKind::MaxLen),
        (builder.capacity(usize::MAX), FileErrorKind::Refused),
    ];
    for (builder, kind) in refused {
        let is_refused = || {
            // SAFETY: as in `create`.
            let created = unsafe { builder.create(&path) };
            // SAFETY: as in `create`.
            let opened = unsafe { builder.open_or_create(&path) };
            for error in [created.unwrap_err(), opened.unwrap_err()] {
                assert_eq!(error.kind(), kind, "{error}");
            }
        };
        is_refused();
        assert!(fs::read(&path).unwrap().is_empty());
        let mut vec = create(&path);
        vec.extend(0..100);
        vec.close().unwrap();
        let before = fs::read(&path).unwrap();
        // SAFETY: as in `create`.
        let error = unsafe { builder.create(&path) }.unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        if !cfg!(windows) {
            assert!(fs::read(&path).unwrap() == before);
        }
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn a_file_belongs_to_one_array() {
    let folder = Folder::new();
    let vec = create(&folder.file());
    // SAFETY: as in `create`.
    let open = || unsafe { FileVec::<u64>::open(folder.file()) };
    assert_eq!(open().unwrap_err().kind(), FileErrorKind::Locked);
    drop(vec);
    drop(open().unwrap());
    let vec = open().unwrap();
    let file = vec.into_file().unwrap();
    drop(open().unwrap());
    // SAFETY: as in `create`.
    let vec = unsafe { FileVec::<u64>::builder().lock(Lock::None).from_file(file) }.unwrap();
    drop(open().unwrap());
    drop(vec);
}

#[test]
fn a_clone_of_a_handle_does_not_share_the_lock() {
    let folder = Folder::new();
    let file = create(&folder.file()).into_file().unwrap();
    let clone = || file.try_clone().unwrap();
    // SAFETY: as in `create`.
    let from_clone = || unsafe { FileVec::<u64>::from_file(clone()) };
    for _ in 0..2 {
        let vec = from_clone().unwrap();
        assert_eq!(from_clone().unwrap_err().kind(), FileErrorKind::Locked);
        // SAFETY: as in `create`.
        let other = unsafe { FileVec::<u64>::open(folder.file()) };
        assert_eq!(other.unwrap_err().kind(), FileErrorKind::Locked);
        drop(vec);
    }
    // An array that is refused for another reason releases the lock.
    // SAFETY: as in `create`.
    unsafe { FileVec::<u8>::from_file(clone()) }.unwrap_err();
    drop(from_clone().unwrap());
}

#[test]
#[cfg(unix)]
fn the_name_of_a_file_is_made_durable_even_if_its_folder_was_renamed() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let (here, there) = (folder.file().with_extension("a"), folder.file().with_extension("b"));
    fs::create_dir(&here).unwrap();
    let mut vec = create(&here.join("array"));
    vec.extend(0..1000);
    fs::rename(&here, &there).unwrap();
    fs::set_permissions(&there, fs::Permissions::from_mode(0o000)).unwrap();
    vec.flush().unwrap();
    assert_eq!(vec.flushed_len(), 1000);
    vec.close().unwrap();
    fs::set_permissions(&there, fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn extending_by_a_panicking_iterator_keeps_earlier_elements() {
    let mut vec = FileVec::<u64>::temporary_in(std::env::temp_dir()).unwrap();
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        vec.extend((0..).inspect(|n| assert!(*n < 100_000, "enough")));
    }));
    assert!(result.is_err());
    assert!(vec.iter().copied().eq(0..100_000));
    assert_eq!(vec.mapped().map().header().live_len(), 100_000);
}
