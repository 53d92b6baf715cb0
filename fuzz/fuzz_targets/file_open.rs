//! Any bytes as the file of an array: it is opened and used, or refused; nothing else.
//!
//! Half of the time checksums are made right, and the length is said to be of this boot, so that lies are believed.

#![no_main]

use bytemuck_crate::Pod;
use libfuzzer_sys::fuzz_target;
use stayput::file::{AppendOnly, Mode, Mutable};
use stayput::{FileVec, Follow};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

const HEADER: usize = 65_536;
const BOOT: std::ops::Range<usize> = 4096 + 64..4096 + 80;

static FILE: LazyLock<PathBuf> =
    LazyLock::new(|| std::env::temp_dir().join(format!("stayput-fuzz-{}", std::process::id())));

/// A whole file of two elements, to be spoilt; of this boot.
static WHOLE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    // SAFETY: nobody else has it.
    let mut vec = unsafe { FileVec::<u64>::create(&*FILE) }.unwrap();
    vec.extend([1, 2]);
    vec.flush().unwrap();
    drop(vec);
    fs::read(&*FILE).unwrap()
});

fn seal(bytes: &mut [u8]) {
    let (content, sum) = bytes.split_at_mut(bytes.len() - 8);
    sum.copy_from_slice(&u64::from(crc32fast::hash(content)).to_ne_bytes());
}

fn try_all<T: Pod + PartialEq + std::fmt::Debug, M: Mode>(path: &Path, bytes: &[u8]) {
    fs::write(path, bytes).unwrap();
    if let Ok(follow) = Follow::<T>::open(path) {
        let len = follow.len();
        if size_of::<T>() > 0 {
            assert!(len <= (bytes.len() - HEADER) / size_of::<T>());
            assert_eq!(follow.iter().count(), len);
        }
        assert!(follow.get(len).is_none());
    }
    // SAFETY: nobody else has it.
    let Ok(mut vec) = (unsafe { FileVec::<T, M>::open(path) }) else { return };
    let len = vec.len();
    assert!(size_of::<T>() == 0 || len <= (bytes.len() - HEADER) / size_of::<T>());
    if vec.try_push(T::zeroed()).is_ok() {
        vec.try_extend_zeroed(5000).unwrap();
        assert!(vec[len..].iter().all(|element| *element == T::zeroed()));
    }
    let len = vec.len();
    vec.close().unwrap();
    // SAFETY: as above.
    assert_eq!(unsafe { FileVec::<T, M>::open(path) }.unwrap().len(), len);
}

fuzz_target!(|data: &[u8]| {
    let [how, data @ ..] = data else { return };
    let mut bytes = WHOLE.clone();
    // A few bytes each, where and what.
    for change in data.chunks_exact(4) {
        let at = usize::from(u16::from_le_bytes([change[0], change[1]]));
        // Most of a header means nothing.
        let at = match at >> 14 {
            0 => at % 64,
            1 => 4096 + at % 88,
            2 => 8192 + at % 88,
            _ => 12_288 + at % 88,
        };
        bytes[at] = change[2];
        match change[3] {
            250 => bytes.truncate(usize::from(change[2]) * 300),
            251.. => bytes.resize(bytes.len() + usize::from(change[2]) * 97, change[3]),
            _ => {}
        }
        if bytes.len() < HEADER {
            break;
        }
    }
    if how & 1 != 0 && bytes.len() >= HEADER {
        seal(&mut bytes[..64]);
        seal(&mut bytes[8192..8280]);
        seal(&mut bytes[12_288..12_376]);
        bytes[BOOT].copy_from_slice(&WHOLE[BOOT]);
    }
    if how & 2 != 0 {
        bytes = data.to_vec();
    }
    try_all::<u64, Mutable>(&FILE, &bytes);
    try_all::<u64, AppendOnly>(&FILE, &bytes);
    try_all::<(), Mutable>(&FILE, &bytes);
    try_all::<[u8; 8], Mutable>(&FILE, &bytes);
});
