//! Signals that interrupt the calls of the system, on a file system in memory and on a disk.

#![expect(unsafe_code, reason = "opens files of the tests")]

use crate::process::interrupted;
use crate::refused::{Element, in_child, is_whole, mount};
use stayput::file::{Mutable, Snapshot, Space};
use stayput::{Budget, DefaultKey, FileBacking, FileVec, Follow, SlotMap, VmVec};
use std::path::Path;

const COUNT: usize = 200_000;
const LEN: u64 = COUNT as u64;

fn use_files(folder: &Path) {
    for space in [Space::Allocated, Space::Sparse] {
        let path = folder.join("array");
        let builder = FileVec::<Element, Mutable>::builder().space(space);
        // SAFETY: it lies in a folder of the test's.
        let mut vec = unsafe { builder.create(&path) }.unwrap();
        vec.reserve(2 * COUNT);
        vec.extend((0..LEN).map(|n| [n; 8]));
        vec.prefault_ahead(Budget::UNLIMITED);
        vec.flush_async().unwrap();
        vec.flush().unwrap();
        vec.truncate(COUNT / 2);
        vec.shrink_to_fit();
        vec.extend((LEN / 2..LEN).map(|n| [n; 8]));
        vec.close().unwrap();
        // SAFETY: as above.
        let vec = unsafe { builder.open(&path) }.unwrap();
        let follow = Follow::<Element>::open(&path).unwrap();
        assert_eq!((vec.len() as u64, follow.len() as u64), (LEN, LEN));
        is_whole(&vec);
    }
    let path = folder.join("map");
    let map: SlotMap<DefaultKey, u64> = (0..LEN).collect();
    map.save(&path).unwrap();
    assert!(SlotMap::<DefaultKey, u64>::load(&path).unwrap().values().copied().eq(0..LEN));
    let both = folder.join("both");
    Snapshot::builder().add("map", &map).save(&both).unwrap();
    let saved: SlotMap<DefaultKey, u64> = Snapshot::open(&both).unwrap().load("map").unwrap();
    assert_eq!(saved.len(), map.len());
    let backing = FileBacking::temporary_in(folder, 32 << 20).unwrap();
    let mut vec: VmVec<u64> = VmVec::builder().build_in(backing);
    vec.prefault(COUNT);
    vec.extend(0..LEN);
    assert!(vec.iter().copied().eq(0..LEN));
}

#[test]
fn files_on_a_disk_are_used_while_signals_interrupt_each_call() {
    in_child(|folder| interrupted(|| use_files(folder)));
}

#[test]
fn files_in_memory_are_used_while_signals_interrupt_each_call() {
    in_child(|folder| {
        if mount(folder, c"tmpfs", 256 << 20) {
            interrupted(|| use_files(folder));
        }
    });
}
