//! Tests of readers: what they see of the changes of a writer, and of restarts.

#![expect(unsafe_code, reason = "opens files in folders of the tests")]

use super::{
    Folder, create, leave_partly_flushed, loss, open, partly_flushed, set_boot, set_failed,
};
use crate::Growth;
use crate::file::header::Record;
use crate::file::{AppendOnly, FileErrorKind, FileVec, Follow};
use std::fs::{self, File};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

#[test]
fn a_file_that_is_cut_while_a_reader_opens_it_is_unfinished() {
    let folder = Folder::new();
    create(&folder.file()).extend(0..1000);
    let long = fs::metadata(folder.file()).unwrap().len();
    for left in [4096, 100, 0] {
        let file = File::options().read(true).write(true).open(folder.file()).unwrap();
        file.set_len(left).unwrap();
        let problem = Follow::<u64>::of_length(&file, long, 0).unwrap_err();
        assert_eq!(problem.at(None).kind(), FileErrorKind::Empty, "{left} bytes are left");
    }
}

#[test]
// Other systems have no lock that shows a writer.
#[cfg(target_os = "linux")]
fn the_length_of_a_running_writer_counts_in_any_boot() {
    let folder = Folder::new();
    let path = folder.file();
    let mut vec = partly_flushed(&path);
    set_boot(&path, [0xAA; 16]);
    let follow = Follow::<u64>::open(&path).unwrap();
    assert_eq!((follow.len(), follow.get(499)), (500, Some(499)));
    vec.push(500);
    assert_eq!(follow.len(), 501);
    // Nor does it matter if the writer does not know its boot.
    set_boot(&path, [0; 16]);
    assert_eq!(follow.len(), 501);
    // A second array that is refused does not end the announcement, although it shares the open file description.
    let clone = vec.mapped().file().try_clone().unwrap();
    // SAFETY: as in `create`.
    let second = unsafe { FileVec::<u64>::from_file(clone) };
    assert_eq!(second.unwrap_err().kind(), FileErrorKind::Locked);
    assert_eq!(Follow::<u64>::open(&path).unwrap().len(), 501);
    vec.truncate(50);
    assert_eq!(follow.len(), 50);
    drop(vec);
    // The writer is gone. A reader that saw it knows its length.
    set_boot(&path, [0xAA; 16]);
    assert_eq!(follow.len(), 50);
    // Others do not.
    leave_partly_flushed(&path);
    assert_eq!(Follow::<u64>::open(&path).unwrap().len(), 100);
}

#[test]
fn after_a_failed_flush_no_reader_trusts_the_live_length() {
    let folder = Folder::new();
    let path = folder.file();
    let mut vec = partly_flushed(&path);
    let early = Follow::<u64>::open(&path).unwrap();
    assert_eq!(early.len(), 500);
    set_failed(&path, true);
    let late = Follow::<u64>::open(&path).unwrap();
    assert_eq!((early.len(), late.len()), (100, 100));
    set_boot(&path, [0; 16]);
    assert_eq!((early.len(), late.len()), (100, 100));
    vec.truncate(50);
    assert_eq!((early.len(), late.len()), (50, 50));
}

#[test]
// Other systems have no lock that shows a writer.
#[cfg(target_os = "linux")]
fn a_reader_that_opens_the_file_at_the_same_time_sees_the_writer() {
    let folder = Folder::new();
    let path = folder.file();
    create(&path).close().unwrap();
    for n in 0..u64::from(crate::effort::rounds(100)) {
        let is_open = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let readers = scope.spawn(|| {
                let mut readers = Vec::new();
                while !is_open.load(Ordering::Relaxed) {
                    readers.push(Follow::<u64>::open(&path).unwrap());
                }
                readers
            });
            let mut vec = open(&path);
            is_open.store(true, Ordering::Relaxed);
            // As if the writer did not know the boot of this process.
            set_boot(&path, [0xAA; 16]);
            vec.push(n);
            for reader in readers.join().unwrap() {
                assert_eq!(reader.len(), vec.len());
            }
            vec.close().unwrap();
        });
    }
}

#[test]
fn readers_notice_every_removal_and_nothing_else() {
    let folder = Folder::new();
    let path = folder.file();
    let mut vec = create(&path);
    vec.extend(0..500);
    let follow = Follow::<u64>::open(&path).unwrap();
    let mut buffer = [const { std::mem::MaybeUninit::uninit() }; 8];
    let mut is_told = |is_removal: bool, change: &mut dyn FnMut()| {
        let removals = follow.removals();
        assert!(follow.try_read(removals, 0, &mut buffer).is_ok());
        change();
        assert_eq!(follow.try_read(removals, 0, &mut buffer).is_err(), is_removal);
        assert_eq!(follow.removals() != removals, is_removal);
    };
    is_told(true, &mut || _ = vec.pop());
    is_told(true, &mut || vec.truncate(200));
    is_told(true, &mut || vec.resize(190, 0));
    is_told(true, &mut || vec.resize_zeroed(180));
    is_told(true, &mut || _ = vec.swap_remove(3));
    is_told(true, &mut || vec.clear());
    is_told(false, &mut || vec.extend(0..300));
    is_told(false, &mut || vec.truncate(300));
    is_told(false, &mut || vec.resize(310, 0));
    is_told(false, &mut || vec.resize_zeroed(320));
    is_told(false, &mut || vec.extend_zeroed(10));
    is_told(false, &mut || vec.push(1));
    is_told(false, &mut || vec[7] = 1);
    is_told(false, &mut || vec.flush().unwrap());
    is_told(false, &mut || vec.shrink_to_fit());
    drop(vec);
    // Opened again, without removals.
    is_told(false, &mut || open(&path).push(5));
    is_told(false, &mut || open(&path).close().unwrap());
}

#[test]
fn readers_notice_a_removal_whose_writer_was_killed() {
    let folder = Folder::new();
    let path = folder.file();
    // On some systems an open file has its maximum length.
    // SAFETY: as in `create`.
    let mut vec = unsafe { FileVec::<u64>::builder().max_len(1000).create(&path) }.unwrap();
    vec.extend(0..100);
    let follow = Follow::<u64>::open(&path).unwrap();
    let before = follow.removals();
    loss::kill_in_removal(|| vec.truncate(50));
    let left = fs::read(&path).unwrap();
    drop(vec);
    File::options().write(true).open(&path).unwrap().write_all(&left).unwrap();
    // Readers do not wait for the next writer.
    let between = follow.removals();
    let mut buffer = [const { std::mem::MaybeUninit::uninit() }; 100];
    assert_eq!(follow.try_read(between, 0, &mut buffer).unwrap().len(), 50);
    assert!(follow.iter().eq(0..50));
    let mut vec = open(&path);
    vec.extend(1000..1050);
    let after = follow.removals();
    assert!(after != before && after != between, "{before}, {between}, {after}");
    for removals in [before, between] {
        assert!(follow.try_read(removals, 0, &mut buffer).is_err());
    }
    drop(vec);
    drop(open(&path));
    assert_eq!(follow.removals(), after);
}

#[test]
fn readers_notice_a_removal_by_an_opening_that_was_killed() {
    for count in 0..5 {
        let folder = Folder::new();
        let path = folder.file();
        let mut vec = create(&path);
        vec.extend(0..100);
        vec.flush().unwrap();
        vec.truncate(60);
        drop(vec);
        let follow = Follow::<u64>::open(&path).unwrap();
        let before = follow.removals();
        let is_killed = loss::kill_at_sync(count, || drop(open(&path)));
        assert_eq!(is_killed, count < 3);
        let between = follow.removals();
        drop(open(&path));
        assert_ne!(follow.removals(), before);
        assert_eq!(follow.removals() != between, is_killed, "after {count} syncs");
    }
}

#[test]
fn readers_notice_that_a_file_is_created_anew() {
    let folder = Folder::new();
    let path = folder.file();
    let mut vec = create(&path);
    vec.extend(0..100);
    let follow = Follow::<u64>::open(&path).unwrap();
    let removals = follow.removals();
    drop(vec);
    let mut vec = create(&path);
    vec.extend(1000..1100);
    let mut buffer = [const { std::mem::MaybeUninit::uninit() }; 8];
    assert!(follow.try_read(removals, 0, &mut buffer).is_err());
    // Nor does the header match while it is empty.
    assert_ne!(removals, 0);
    let mut again = follow.iter();
    assert_eq!(again.next(), Some(1000));
}

#[test]
fn readers_notice_elements_lost_in_a_restart() {
    let folder = Folder::new();
    let path = folder.file();
    leave_partly_flushed(&path);
    let follow = Follow::<u64>::open(&path).unwrap();
    let removals = follow.removals();
    drop(open(&path));
    assert_ne!(follow.removals(), removals);
}

#[test]
fn records_are_read_whole_during_flushes() {
    let folder = Folder::new();
    let mut vec = create(&folder.file());
    vec.set_user_bytes([1; 64]);
    vec.flush().unwrap();
    let follow = Follow::<u64>::open(folder.file()).unwrap();
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut before = 1;
            while !is_done.load(Ordering::Relaxed) {
                let bytes = follow.user_bytes();
                assert_eq!(bytes, [bytes[0]; 64]);
                // It wraps, and no reader sleeps that long.
                assert!(bytes[0].wrapping_sub(before) < 128, "{} after {before}", bytes[0]);
                before = bytes[0];
            }
        });
        let mut record = Record::last(vec.mapped().map().header()).unwrap();
        for n in 0..200_000_u32 {
            record = record.next(0, [(n / 1000).to_le_bytes()[0] + 1; 64]);
            vec.mapped().write(record.at(), &record.to_bytes()).unwrap();
        }
        is_done.store(true, Ordering::Relaxed);
    });
}

#[test]
fn readers_see_what_a_grow_only_scope_has_added() {
    let folder = Folder::new();
    let mut vec = create(&folder.file());
    let follow = Follow::<u64>::open(folder.file()).unwrap();
    assert!(follow.is_empty());
    let scope = vec.grow_only();
    assert!(scope.is_empty());
    scope.reserve(100_000);
    scope.push(1);
    scope.push(2);
    assert_eq!((scope.len(), scope.is_empty()), (2, false));
    assert_eq!((follow.len(), follow.is_empty()), (2, false));
    assert!(vec.capacity() >= 100_000);
}

#[test]
fn readers_see_the_present_elements() {
    let folder = Folder::new();
    let path = folder.file();
    // SAFETY: as in `create`.
    let vec = unsafe {
        FileVec::<[u64; 3], AppendOnly>::builder()
            .growth(Growth::Fixed { step_bytes: 1 << 16 })
            .tag(3)
            .create(&path)
    };
    let mut vec = vec.unwrap();
    assert_eq!(Follow::<[u64; 3]>::open(&path).unwrap_err().kind(), FileErrorKind::Tag);
    let follow = Follow::<[u64; 3]>::open_tagged(&path, 3).unwrap();
    let mut read = [const { std::mem::MaybeUninit::uninit() }; 5];
    for n in 0..20_000 {
        assert_eq!((follow.len(), follow.get(vec.len())), (vec.len(), None));
        vec.push([n; 3]);
        assert_eq!(follow.get(vec.len() - 1), Some([n; 3]));
    }
    assert_eq!(follow.read(19_997, &mut read), [[19_997; 3], [19_998; 3], [19_999; 3]]);
    // SAFETY: nothing else writes to the file.
    assert_eq!(unsafe { follow.as_slice() }, Some(&*vec));
    assert!((&follow).into_iter().eq(vec.iter().copied()));
    let mut iter = follow.iter();
    assert_eq!((iter.next(), iter.next_back()), (vec.first().copied(), vec.last().copied()));
    // Elements may be removed meanwhile.
    assert_eq!(iter.size_hint(), (0, Some(19_998)));
    assert!(follow.is_append_only());
    // As much is mapped for reading, where files are mapped past their end.
    assert!(cfg!(windows) || follow.max_len() == vec.max_len());
    assert!(follow.iter().rev().eq(vec.iter().copied().rev()));
    drop(vec);
    assert_eq!(follow.len(), 20_000);
}
