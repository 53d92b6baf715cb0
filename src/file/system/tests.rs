//! Tests of system calls that signals interrupt, and of holes in files.

use super::in_pieces;
#[cfg(target_os = "linux")]
use crate::FileVec;
#[cfg(target_pointer_width = "64")]
use crate::file::builder::usual_map_bytes;
use crate::file::tests::Folder;
#[cfg(target_pointer_width = "64")]
use crate::reservation::usual_bytes;
use std::{fs, io};

/// Models tmpfs before Linux 6.17, which undoes a call that is interrupted.
#[test]
fn an_interrupted_call_makes_progress_whatever_the_rate_of_signals() {
    for between_signals in [4 << 10, 100_000, 1 << 20, 1 << 40] {
        let (mut done, mut calls) = (4096, 0);
        let range = done..(32 << 20) + 123;
        let all = in_pieces(range.clone(), |piece| {
            assert_eq!(piece.start, done);
            calls += 1;
            if piece.end - piece.start > between_signals {
                return Err(io::ErrorKind::Interrupted.into());
            }
            done = piece.end;
            Ok(true)
        });
        assert!(all.unwrap());
        assert_eq!(done, range.end);
        assert!(
            calls <= 16 + 2 * (range.end - range.start).div_ceil(between_signals / 2),
            "{calls}"
        );
    }
}

#[test]
fn a_call_that_is_refused_or_unknown_ends_the_range() {
    let mut calls = 0;
    let is_known = in_pieces(0..1 << 30, |_| {
        calls += 1;
        Ok(false)
    });
    assert!(!is_known.unwrap());
    let error = in_pieces(0..1 << 30, |_| Err(io::ErrorKind::StorageFull.into())).unwrap_err();
    assert_eq!((calls, error.kind()), (1, io::ErrorKind::StorageFull));
}

#[test]
#[cfg(unix_vm)]
fn an_interrupted_call_is_repeated() {
    let mut results = vec![Ok(7), Err(io::ErrorKind::Interrupted), Err(io::ErrorKind::Interrupted)];
    assert_eq!(super::retry(|| Ok(results.pop().unwrap()?)).unwrap(), 7);
    assert!(results.is_empty());
    let mut calls = 0;
    let error = super::retry(|| -> io::Result<()> {
        calls += 1;
        Err(io::ErrorKind::StorageFull.into())
    });
    assert_eq!((calls, error.unwrap_err().kind()), (1, io::ErrorKind::StorageFull));
}

#[test]
fn all_that_is_not_zero_is_found_among_holes() {
    let folder = Folder::new();
    let mut bytes = vec![0; 1 << 20];
    let file = fs::File::options().read(true).write(true).create_new(true).open(folder.file());
    let file = file.unwrap();
    file.set_len(bytes.len() as u64).unwrap();
    let found = |range: std::ops::Range<u64>| {
        let (mut at, mut parts) = (range.start, Vec::new());
        while let Some(data) = super::data_in(&file, at..range.end) {
            assert!(at <= data.start && data.start < data.end && data.end <= range.end);
            at = data.end;
            parts.push(data);
        }
        parts
    };
    let holds = |parts: &[std::ops::Range<u64>], at| parts.iter().any(|part| part.contains(&at));
    for at in [300_000, 700_000] {
        super::write_at(&file, &[1], at).unwrap();
        bytes[usize::try_from(at).unwrap()] = 1;
        let parts = found(0..1 << 20);
        assert!((0..).zip(&bytes).all(|(at, byte)| *byte == 0 || holds(&parts, at)), "{parts:?}");
        super::rewrite(&file, at..at + 1).unwrap();
    }
    assert!(holds(&found(300_000..300_001), 300_000));
    assert_eq!(found(1 << 19..1 << 19), []);
    assert!(fs::read(folder.file()).unwrap() == bytes);
}

#[test]
#[cfg(target_pointer_width = "64")]
fn a_file_gets_addresses_for_more_than_the_memory() {
    assert!(usual_map_bytes(0) >= 16 * usual_bytes());
}

#[test]
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "opens a file of the test")]
fn a_closed_file_has_no_writer_although_a_clone_of_its_handle_is_open() {
    let folder = Folder::new();
    let file = fs::File::options().read(true).write(true).create_new(true).open(folder.file());
    let file = file.unwrap();
    let clone = file.try_clone().unwrap();
    // SAFETY: nothing else uses the file.
    let vec = unsafe { FileVec::<u64>::from_file(file) }.unwrap();
    let reader = fs::File::open(folder.file()).unwrap();
    assert!(super::has_writer(&reader));
    drop(vec);
    assert!(!super::has_writer(&reader));
    drop(clone);
}
