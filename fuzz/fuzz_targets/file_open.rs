//! Opens any bytes as the file of an array. It is either opened and used, or refused, and nothing else happens.
//!
//! A valid file is changed in some places, and truncated or extended. In half of the runs the checksums are corrected
//! afterwards, and the length is marked as written since the last boot, so that the changed values are trusted.

#![no_main]

use bytemuck_crate::Pod;
use libfuzzer_sys::fuzz_target;
use rest::{Few, Rest};
use stayput::file::{AppendOnly, Mode, Mutable};
use stayput::{FileVec, Follow};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

const HEADER: usize = 65_536;
const BOOT: Range<usize> = 4096 + 64..4096 + 80;

/// The ranges of a header that have a meaning. Except for the live length, their last eight bytes are a checksum.
const IDENTITY: Range<usize> = 0..64;
const LIVE: Range<usize> = 4096..4176;
const RECORDS: [Range<usize>; 2] = [8192..8280, 12_288..12_376];

include!("../../tests/common/arbitrary.rs");
#[path = "../rest.rs"]
mod rest;

arbitrary! {
    /// The type that the file is created for, and that its header describes.
    enum Kind {
        Word,
        Log,
        Byte,
        Nothing,
        /// An element of 4096 bytes.
        Large,
    }

    enum Part {
        Identity,
        Live,
        Even,
        Odd,
    }

    enum Change {
        /// Changes a byte of the header.
        Byte(Part, u8, u8),
        /// Changes eight bytes of the header.
        Number(Part, u8, u64),
        /// Changes the number of elements, near the number that the file has bytes for.
        Len(Part, i8),
        /// Changes the length of the file, to about that many bytes after the header.
        Bytes(u16),
        /// The same, within the header.
        Cut(u16),
    }
}

static FILE: LazyLock<PathBuf> =
    LazyLock::new(|| std::env::temp_dir().join(format!("stayput-fuzz-{}", std::process::id())));

/// A valid file of two elements, of this boot, with both of its records.
fn whole<T: Pod, M: Mode>() -> Vec<u8> {
    // SAFETY: nothing else uses the file.
    let mut vec = unsafe { FileVec::<T, M>::create(&*FILE) }.unwrap();
    vec.push(T::zeroed());
    vec.flush().unwrap();
    vec.push(T::zeroed());
    vec.close().unwrap();
    fs::read(&*FILE).unwrap()
}

fn seal(bytes: &mut [u8]) {
    let (content, sum) = bytes.split_at_mut(bytes.len() - 8);
    sum.copy_from_slice(&u64::from(crc32fast::hash(content)).to_ne_bytes());
}

fn spoil(
    mut bytes: Vec<u8>,
    element_bytes: usize,
    changes: &[Change],
    is_believed: bool,
) -> Vec<u8> {
    let boot: Vec<u8> = bytes[BOOT].to_vec();
    let mut cut = None;
    let range = |part: &Part| match part {
        Part::Identity => IDENTITY,
        Part::Live => LIVE,
        Part::Even => RECORDS[0].clone(),
        Part::Odd => RECORDS[1].clone(),
    };
    for change in changes {
        match *change {
            Change::Byte(ref part, at, byte) => {
                let range = range(part);
                bytes[range.start + usize::from(at) % range.len()] = byte;
            }
            Change::Number(ref part, at, number) => {
                let range = range(part);
                let at = range.start + usize::from(at) % (range.len() / 8) * 8;
                bytes[at..at + 8].copy_from_slice(&number.to_ne_bytes());
            }
            Change::Len(ref part, off) => {
                let fit = (bytes.len() - HEADER).checked_div(element_bytes).unwrap_or(usize::MAX);
                let len = (fit as u64).wrapping_add_signed(off.into());
                let at = match part {
                    Part::Identity | Part::Live => LIVE.start,
                    part => range(part).start + 8,
                };
                bytes[at..at + 8].copy_from_slice(&len.to_ne_bytes());
            }
            Change::Bytes(long) => bytes.resize(HEADER + usize::from(long), 0xA5),
            Change::Cut(long) => cut = Some(usize::from(long)),
        }
    }
    if is_believed {
        seal(&mut bytes[IDENTITY]);
        for record in RECORDS {
            seal(&mut bytes[record]);
        }
        bytes[BOOT].copy_from_slice(&boot);
    }
    bytes.truncate(cut.unwrap_or(bytes.len()));
    bytes
}

/// The number of elements that fit into that many bytes.
fn fit<T>(bytes: &[u8]) -> usize {
    bytes.len().saturating_sub(HEADER).checked_div(size_of::<T>()).unwrap_or(usize::MAX)
}

fn try_follow<T: Pod>(path: &Path, most: usize) {
    let Ok(follow) = Follow::<T>::open(path) else { return };
    let len = follow.len();
    assert!(len <= most, "the array has {len} elements, but at most {most} fit");
    assert!(follow.get(len).is_none());
    if size_of::<T>() > 0 {
        // Reads each element.
        assert_eq!(follow.iter().map(std::hint::black_box).count(), len);
    }
}

fn try_all<T: Pod + PartialEq, M: Mode>(path: &Path, bytes: &[u8]) {
    const MORE: usize = 5000;
    fs::write(path, bytes).unwrap();
    try_follow::<T>(path, fit::<T>(bytes));
    // SAFETY: nothing else uses the file.
    let Ok(mut vec) = (unsafe { FileVec::<T, M>::open(path) }) else {
        // A refused file is not changed.
        assert!(fs::read(path).unwrap() == bytes);
        return;
    };
    let len = vec.len();
    assert!(len <= fit::<T>(bytes), "{len} elements, but {} fit", fit::<T>(bytes));
    let before: Vec<u8> = bytes_of_elements(&vec);
    vec.flush().unwrap();
    // Only zero-sized elements can be so numerous that one more does not fit.
    let is_full = vec.max_len() - len <= MORE;
    assert!(vec.try_push(T::zeroed()).is_ok() || is_full);
    if !is_full {
        vec.extend_zeroed(MORE);
        assert!(vec[len..].iter().all(|element| *element == T::zeroed()), "new elements are zero");
    }
    assert!(bytes_of_elements(&vec).starts_with(&before), "old elements are unchanged");
    let len = vec.len();
    if let Ok(follow) = Follow::<T>::open(path) {
        assert_eq!(follow.len(), len.min(follow.max_len()));
    }
    vec.close().unwrap();
    // SAFETY: as above.
    let vec = unsafe { FileVec::<T, M>::open(path) }.unwrap();
    assert_eq!((vec.len(), vec.flushed_len()), (len, len));
    assert!(bytes_of_elements(&vec).starts_with(&before), "old elements are unchanged");
}

fn bytes_of_elements<T: Pod>(elements: &[T]) -> Vec<u8> {
    // Zero-sized elements have no bytes, however long the array is.
    if size_of::<T>() == 0 { Vec::new() } else { bytemuck_crate::cast_slice(elements).to_vec() }
}

// The last one, if not `None`, is the whole file.
fuzz_target!(|input: (Kind, bool, Few<Change>, Option<Rest<u8>>)| {
    type Large = [u64; 512];
    static WHOLES: LazyLock<[Vec<u8>; 5]> = LazyLock::new(|| {
        [
            whole::<u64, Mutable>(),
            whole::<u64, AppendOnly>(),
            whole::<u8, Mutable>(),
            whole::<(), Mutable>(),
            whole::<Large, AppendOnly>(),
        ]
    });
    let (kind, is_believed, Few(changes), raw) = input;
    let element_bytes = match kind {
        Kind::Word | Kind::Log => 8,
        Kind::Byte => 1,
        Kind::Nothing => 0,
        Kind::Large => size_of::<Large>(),
    };
    let bytes = raw.map(|Rest(bytes)| bytes).unwrap_or_else(|| {
        spoil(WHOLES[kind as usize].clone(), element_bytes, &changes, is_believed)
    });
    // All kinds: a file of another kind is refused, unless its header was changed to match.
    try_all::<u64, Mutable>(&FILE, &bytes);
    try_all::<u64, AppendOnly>(&FILE, &bytes);
    try_all::<u8, Mutable>(&FILE, &bytes);
    try_all::<(), Mutable>(&FILE, &bytes);
    try_all::<Large, AppendOnly>(&FILE, &bytes);
});
