//! Arrays and maps of other kinds in files.

use crate::Folder;
use stayput::{DefaultKey, FileBacking, SecondaryMap, SlotMap, VmVec};

fn backing(folder: &Folder) -> FileBacking {
    FileBacking::temporary_in(folder.path(), 32 << 20).unwrap()
}

#[test]
fn an_array_grows_and_shrinks_there() {
    let folder = Folder::new();
    let mut vec: VmVec<String> = VmVec::builder().build_in(backing(&folder));
    for round in 0..3 {
        vec.extend((0..100_000).map(|n| n.to_string()));
        vec.truncate(10 * round);
        vec.shrink_to_fit();
        assert!(vec.iter().all(|text| text.len() < 6));
    }
    // It has no name.
    assert_eq!(folder.path().read_dir().unwrap().count(), usize::from(cfg!(windows)));
}

#[test]
fn maps_lie_there() {
    let folder = Folder::new();
    let mut map: SlotMap<DefaultKey, [u64; 4]> = SlotMap::builder().build_in(backing(&folder));
    let mut more: SecondaryMap<DefaultKey, u32> =
        SecondaryMap::builder().build_in(backing(&folder));
    let mut keys: Vec<DefaultKey> = (0..100_000).map(|n| map.insert([n; 4])).collect();
    for (key, number) in keys.iter().zip(0..) {
        more.insert(*key, number);
    }
    for key in keys.split_off(1000) {
        map.remove(key);
    }
    map.trim();
    for (number, key) in keys.iter().enumerate() {
        assert_eq!((map[*key][3], more[*key] as usize), (number as u64, number));
    }
    keys.extend((0..100_000).map(|n| map.insert([n; 4])));
    assert_eq!(map.len(), keys.len());
}

#[test]
#[cfg(target_os = "linux")]
fn memory_that_has_a_descriptor_is_a_file() {
    #![expect(unsafe_code, reason = "opens a file of the test")]
    use stayput::{FileVec, Follow};
    use std::fs::File;
    use std::os::fd::FromRawFd;

    // SAFETY: the name is a C string.
    let file = unsafe { libc::memfd_create(c"numbers".as_ptr(), libc::MFD_CLOEXEC) };
    assert!(file >= 0);
    // SAFETY: the descriptor was just opened.
    let file = unsafe { File::from_raw_fd(file) };
    let other = file.try_clone().unwrap();
    // SAFETY: nothing else uses the file.
    let mut vec = unsafe { FileVec::<u64>::from_file(file) }.unwrap();
    let follow = Follow::<u64>::from_file(&other, 0).unwrap();
    vec.extend(0..100_000);
    assert_eq!((follow.len(), vec.path()), (100_000, None));
    drop(vec);
    // SAFETY: as above.
    let vec = unsafe { FileVec::<u64>::from_file(other) }.unwrap();
    assert!(vec.iter().copied().eq(0..100_000));
}

#[test]
fn what_a_file_held_before_is_never_committed() {
    #![expect(unsafe_code, reason = "uses a backing without an array")]
    use stayput::Backing as _;
    use std::fs::{self, File};

    const UNIT: usize = 64 << 10;
    let folder = Folder::new();
    fs::write(folder.file(), vec![7; 4 * UNIT]).unwrap();
    let file = File::options().read(true).write(true).open(folder.file()).unwrap();
    // SAFETY: nothing else uses the file.
    let mut backing = unsafe { FileBacking::from_file(file, 4 * UNIT) }.unwrap();
    assert_eq!(backing.run_bytes(), stayput::page_size());
    let first = backing.start().as_ptr();
    for units in [1, 2, 1, 4] {
        let bytes = units * UNIT;
        // SAFETY: within the backing, and not committed.
        unsafe { backing.commit(0..bytes) }.unwrap();
        // SAFETY: committed, and nothing else uses it until it is decommitted.
        let memory = unsafe { std::slice::from_raw_parts_mut(first, bytes) };
        assert!(memory.iter().all(|byte| *byte == 0), "of {units}");
        memory.fill(9);
        // SAFETY: committed, and not used any more.
        unsafe { backing.decommit(0..bytes) }.unwrap();
    }
}
