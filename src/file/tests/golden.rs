//! Tests of the file formats against the documented bytes: a change of a format needs a new version.
//!
//! Each file in `golden` lists the nonzero bytes of a file, 16 per line after their offset. After an intended change,
//! `STAYPUT_GOLDEN=write cargo test --features file golden` rewrites them.

use super::{BOOT, Folder, REMOVALS, TaggedKey};
use crate::file::{FileVec, Follow, Snapshot, system};
use crate::key::Key;
use crate::{DefaultKey, SecondaryMap, SlotMap, VmVec};
use std::fmt::Write;
use std::fs;
use std::path::Path;

fn lines(bytes: &[u8]) -> String {
    let mut text = String::new();
    for (i, line) in bytes.chunks(16).enumerate() {
        if line.iter().any(|byte| *byte != 0) {
            write!(text, "{:5}:", i * 16).unwrap();
            for byte in line {
                write!(text, " {byte:02x}").unwrap();
            }
            text.push('\n');
        }
    }
    text
}

fn bytes(lines: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for line in lines.lines() {
        let (offset, line) = line.split_once(':').unwrap();
        bytes.resize(offset.trim().parse().unwrap(), 0);
        bytes.extend(line.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).unwrap()));
    }
    bytes
}

/// Compares bytes with those in `golden`, and returns the latter.
fn golden(name: &str, written: &[u8]) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/file/tests/golden");
    let (path, written) = (folder.join(name), lines(written));
    if std::env::var_os("STAYPUT_GOLDEN").is_some_and(|what| what == "write") {
        fs::write(&path, &written).unwrap();
    }
    let right = fs::read_to_string(&path).unwrap().replace('\r', "");
    assert_eq!(written, right, "{name}: the format needs a new version");
    bytes(&right)
}

#[test]
fn an_array_in_a_file() {
    let folder = Folder::new();
    let path = folder.file();
    let builder = FileVec::<u32>::builder().max_len(1000).tag(0x0123_4567_89AB_CDEF);
    // SAFETY: the file lies in a folder of this test.
    let mut vec = unsafe { builder.create(&path) }.unwrap();
    vec.extend([10, 20, 30, 40]);
    vec.set_user_bytes(std::array::from_fn(|i| u8::try_from(i).unwrap() + 1));
    vec.flush().unwrap();
    vec.extend([50, 60]);
    vec.pop();
    let mut written = fs::read(&path).unwrap();
    drop(vec);
    // The only bytes that depend on the system and on chance. One element was removed.
    written[BOOT].fill(0);
    assert!(written[REMOVALS][0] % 2 == 0 && written[REMOVALS] != [0; 8]);
    written[REMOVALS].copy_from_slice(&2_u64.to_ne_bytes());
    let mut golden = golden("array.txt", &written);

    let boot = system::boot().unwrap();
    let mut elements = vec![10, 20, 30, 40];
    if let Some(boot) = boot {
        golden[BOOT].copy_from_slice(&boot);
        elements.push(50);
    }
    for boot in [boot, None] {
        if boot.is_none() {
            golden[BOOT].fill(0xAA);
            elements.truncate(4);
        }
        fs::write(&path, &golden).unwrap();
        let follow = Follow::<u32>::open_tagged(&path, 0x0123_4567_89AB_CDEF).unwrap();
        assert!(follow.iter().eq(elements.iter().copied()));
        drop(follow);
        // SAFETY: as above.
        let vec = unsafe { builder.open(&path) }.unwrap();
        assert_eq!(*vec, *elements);
        assert!(vec.user_bytes().iter().copied().eq(1..=64));
    }
}

#[test]
fn a_slot_map() {
    let folder = Folder::new();
    let mut map = SlotMap::<TaggedKey, u32>::builder().type_id(3).build();
    let keys = [1, 2, 3, 4, 5].map(|n| map.insert(n));
    map.remove(keys[1]);
    map.detach(keys[3]);
    let sixth = map.insert(6);
    map.remove(keys[0]);
    map.save(folder.file()).unwrap();
    let golden = golden("slot_map.txt", &fs::read(folder.file()).unwrap());
    fs::write(folder.file(), golden).unwrap();
    let read = SlotMap::<TaggedKey, u32>::load(folder.file()).unwrap();
    assert!(read.iter().eq(&map));
    assert_eq!((read.get(sixth), read.get(keys[0]), read.type_id()), (Some(&6), None, Some(3)));
}

#[test]
fn secondary_maps_and_arrays_in_a_snapshot() {
    let folder = Folder::new();
    let mut map = SlotMap::<DefaultKey, ()>::new();
    let mut second = SecondaryMap::<DefaultKey, u16>::new();
    for n in 0..5 {
        let key = map.insert(());
        if n % 2 == 0 {
            second.insert(key, n * 1000);
        }
    }
    let numbers: VmVec<u32> = [7, 8, 9].into_iter().collect();
    let snapshot = Snapshot::builder().add("second", &second).add("numbers", &numbers);
    snapshot.save(folder.file()).unwrap();
    let golden = golden("snapshot.txt", &fs::read(folder.file()).unwrap());
    fs::write(folder.file(), golden).unwrap();
    let mut read = Snapshot::open(folder.file()).unwrap();
    let read_second: SecondaryMap<DefaultKey, u16> = read.load("second").unwrap();
    assert!(read_second.iter().eq(&second));
    assert!(read_second.keys().all(|key| key.data().generation() == 1));
    assert_eq!(read.load::<VmVec<u32>>("numbers").unwrap(), numbers);
}
