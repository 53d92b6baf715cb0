//! Tests of the space and the memory of arrays in files.

#![expect(unsafe_code, reason = "opens files in folders of the tests")]

use super::{Folder, create, loss, open};
use crate::VmVec;
use crate::error::ErrorKind;
#[cfg(target_os = "linux")]
use crate::file::Advice;
use crate::file::header::HEADER_BYTES;
use crate::file::{FileBacking, FileVec, Space};
use crate::reservation::page_size;
use std::fs::{self, File};

#[test]
fn space_is_not_reused_if_the_shorter_length_cannot_be_made_durable() {
    let folder = Folder::new();
    let mut vec = create(&folder.file());
    vec.extend(0..100);
    vec.flush().unwrap();
    vec.truncate(10);
    loss::refuse(0);
    let error = vec.try_extend_zeroed(50).unwrap_err();
    assert_eq!((error.kind(), error.bytes()), (ErrorKind::System, HEADER_BYTES + 80));
    assert!(vec.try_shrink_to_fit().is_err());
    assert!(vec.iter().copied().eq(0..10));
    assert_eq!(vec.flushed_len(), 100);
}

#[test]
fn zeroed_elements_do_not_expose_removed_ones() {
    for space in [Space::Allocated, Space::Sparse] {
        let folder = Folder::new();
        let mut vec = create(&folder.file());
        vec.resize(100_000, 7);
        vec.truncate(10);
        vec.extend_zeroed(20);
        vec.truncate(10);
        drop(vec);
        // The reader saw more elements, and may access them: they still exist.
        assert!(fs::metadata(folder.file()).unwrap().len() > 800_000);
        // SAFETY: as in `create`.
        let vec = unsafe { FileVec::<u64>::builder().space(space).open(folder.file()) };
        let mut vec = vec.unwrap();
        assert_eq!(*vec, [7; 10]);
        // Less space is returned than contains removed elements.
        vec.reserve(1000);
        vec.shrink_to_fit();
        vec.extend_zeroed(90_000);
        assert!(vec[10..].iter().all(|element| *element == 0));
        vec.close().unwrap();
        // Nor were they cut off since.
        assert_eq!(fs::metadata(folder.file()).unwrap().len(), 65_536 + 100_000 * 8);
    }
}

#[test]
fn zeros_take_no_space_in_a_sparse_file() {
    let folder = Folder::new();
    // SAFETY: as in `create`.
    let vec = unsafe { FileVec::<u64>::builder().space(Space::Sparse).create(folder.file()) };
    let mut vec = vec.unwrap();
    vec.extend_zeroed(1 << 22);
    vec[1 << 21] = 1;
    vec.close().unwrap();
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::fs::MetadataExt;
        let blocks = fs::metadata(folder.file()).unwrap().blocks();
        assert!(blocks * 512 < 1 << 20, "{blocks} blocks");
    }
    let vec = open(&folder.file());
    assert_eq!(vec.iter().sum::<u64>(), 1);
}

#[test]
fn elements_removed_earlier_take_no_space_in_a_sparse_file() {
    let folder = Folder::new();
    let mut vec = create(&folder.file());
    vec.resize(1 << 18, 7);
    vec.clear();
    vec.close().unwrap();
    // SAFETY: as in `create`.
    let vec = unsafe { FileVec::<u64>::builder().space(Space::Sparse).open(folder.file()) };
    let mut vec = vec.unwrap();
    vec.extend_zeroed(1 << 18);
    vec.flush().unwrap();
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::fs::MetadataExt;
        let blocks = fs::metadata(folder.file()).unwrap().blocks();
        assert!(blocks * 512 < 1 << 20, "{blocks} blocks");
    }
    assert!(vec.iter().all(|element| *element == 0));
}

#[test]
fn a_shorter_length_is_durable_before_elements_past_it_are_overwritten() {
    let folder = Folder::new();
    let mut vec = create(&folder.file());
    vec.extend(0..100_000);
    vec.flush().unwrap();
    vec.truncate(10);
    assert_eq!(vec.flushed_len(), 100_000);
    vec.shrink_to_fit();
    assert_eq!(vec.flushed_len(), 10);
    vec.extend(10..100_000);
    vec.flush().unwrap();
    vec.truncate(10);
    vec.extend_zeroed(1);
    assert_eq!(vec.flushed_len(), 10);
    vec.truncate(10);
    vec.extend(10..100_000);
    vec.flush().unwrap();
    vec.truncate(20);
    drop(vec);
    let vec = open(&folder.file());
    assert_eq!((vec.len(), vec.flushed_len()), (20, 20));
}

#[test]
fn extending_by_zeros_keeps_reserved_space() {
    let mut vec = FileVec::<u64>::temporary_in(std::env::temp_dir()).unwrap();
    vec.reserve_exact(1 << 18);
    let capacity = vec.capacity();
    vec.extend_zeroed(1 << 16);
    assert_eq!(vec.capacity(), capacity);
    vec.extend([1; 1000]);
    vec.truncate(1 << 16);
    vec.extend_zeroed(1 << 17);
    assert_eq!(vec.capacity(), capacity);
    assert!(vec.iter().all(|element| *element == 0));
}

#[test]
fn returned_memory_is_zero_when_it_is_committed_again() {
    let folder = Folder::new();
    let file = File::options().read(true).write(true).create_new(true).open(folder.file()).unwrap();
    file.set_len(1 << 20).unwrap();
    fs::write(folder.file(), vec![0xEE; 1 << 20]).unwrap();
    // SAFETY: as in `create`.
    let backing = unsafe { FileBacking::from_file(file, 4 << 20) }.unwrap();
    let mut vec: VmVec<u64> = VmVec::builder().build_in(backing);
    for _ in 0..3 {
        vec.reserve(1 << 17);
        let room = vec.spare_capacity_mut();
        let first = room.as_ptr().cast::<u8>();
        for at in (0..size_of_val(room)).step_by(509) {
            // SAFETY: the offset lies within the capacity.
            let byte = unsafe { first.add(at) };
            // SAFETY: a backing guarantees that committed memory is accessible and zero.
            assert_eq!(unsafe { byte.read() }, 0, "at {at}");
        }
        let room = vec.capacity();
        vec.resize(room, 1);
        vec.clear();
        vec.shrink_to_fit();
    }
}

#[test]
fn committed_space_has_no_holes_although_the_disk_returned_some_of_it() {
    use crate::backing::Backing;
    const UNIT: usize = 64 << 10;
    // The return is refused, and then also what takes the space again.
    for refused in [1, 2] {
        let folder = Folder::new();
        let file = File::options().read(true).write(true).create_new(true).open(folder.file());
        let file = file.unwrap();
        // SAFETY: as in `create`.
        let mut backing = unsafe { FileBacking::from_file(file, 8 * UNIT) }.unwrap();
        let first = backing.start().as_ptr();
        // SAFETY: in the backing, and not committed.
        unsafe { backing.commit(0..4 * UNIT) }.unwrap();
        // SAFETY: committed.
        unsafe { first.write_bytes(7, 4 * UNIT) };
        loss::refuse_returns(refused);
        // SAFETY: committed, and not used any more.
        let returned = unsafe { backing.decommit(2 * UNIT..4 * UNIT) };
        assert_eq!(returned.is_err(), refused == 1);
        if returned.is_ok() {
            // SAFETY: as above.
            unsafe { backing.commit(2 * UNIT..4 * UNIT) }.unwrap();
        }
        #[cfg(target_os = "linux")]
        {
            use std::os::unix::fs::MetadataExt;
            let taken = fs::metadata(folder.file()).unwrap().blocks() * 512;
            assert!(taken >= 4 * UNIT as u64, "{taken} bytes");
        }
        // SAFETY: committed, and nothing changes it while it is used.
        let bytes = unsafe { std::slice::from_raw_parts(first, 4 * UNIT) };
        assert!(bytes[..2 * UNIT].iter().all(|byte| *byte == 7));
        let may_be = |byte: &u8| *byte == 0 || (refused == 1 && *byte == 7);
        assert!(bytes[2 * UNIT..].iter().all(may_be));
    }
}

#[test]
fn zeros_that_are_refused_flush_nothing() {
    let folder = Folder::new();
    // SAFETY: as in `create`.
    let vec = unsafe { FileVec::<u64>::builder().max_len(1000).create(folder.file()) };
    let mut vec = vec.unwrap();
    vec.extend(0..100);
    vec.flush().unwrap();
    vec.truncate(10);
    let syncs = loss::syncs(|| {
        for refused in [vec.try_extend_zeroed(991), vec.try_resize_zeroed(1001)] {
            assert_eq!(refused.unwrap_err().kind(), ErrorKind::MaxLen);
        }
    });
    assert_eq!((syncs, vec.flushed_len()), (0, 100));
    vec.extend_zeroed(990);
    assert_eq!(vec.flushed_len(), 10);
}

/// Gives the system advice about no bytes, and returns whether it knows that advice.
#[cfg(target_os = "linux")]
fn is_known_advice(vec: &FileVec<u8>, advice: libc::c_int) -> bool {
    let first = vec.as_ptr().cast_mut().cast();
    // SAFETY: no bytes are affected.
    unsafe { libc::madvise(first, 0, advice) == 0 }
}

/// Returns `true` on an emulator that ignores advice.
#[cfg(target_os = "linux")]
fn is_advice_ignored(vec: &FileVec<u8>) -> bool {
    is_known_advice(vec, 12_345)
}

/// The flags of the mapping that an address lies in, if the system reports them.
#[cfg(target_os = "linux")]
fn mapping_flags(address: usize) -> Option<String> {
    let number = |text| usize::from_str_radix(text, 16).ok();
    let maps = fs::read_to_string("/proc/self/smaps").ok()?;
    let mut is_here = false;
    for line in maps.lines() {
        let range = line.split(' ').next().and_then(|word| word.split_once('-'));
        if let Some((start, end)) = range.and_then(|(start, end)| number(start).zip(number(end))) {
            is_here = (start..end).contains(&address);
        }
        if let Some(flags) = line.strip_prefix("VmFlags:").filter(|_| is_here) {
            return Some(flags.to_owned());
        }
    }
    None
}

#[test]
#[cfg(target_os = "linux")]
fn advice_changes_the_mapping_of_the_elements() {
    let vec = FileVec::<u8>::temporary_in(std::env::temp_dir()).unwrap();
    let first = vec.as_ptr();
    let is_ignored = is_advice_ignored(&vec);
    let usual = mapping_flags(first.addr());
    for (advice, flag) in [(Advice::Random, " rr"), (Advice::Sequential, " sr")] {
        vec.advise(advice).unwrap();
        // An emulator ignores advice, and reports nothing.
        if usual.is_some() && !is_ignored {
            let flags = mapping_flags(first.addr()).unwrap();
            assert!(flags.contains(flag), "{flags}");
        }
    }
    vec.advise(Advice::Normal).unwrap();
    let flags = mapping_flags(first.addr()).unwrap_or_default();
    assert!(!flags.contains(" rr") && !flags.contains(" sr"), "{flags}");
}

#[test]
#[cfg(target_os = "linux")]
fn prefaulted_elements_are_resident() {
    const BYTES: usize = 1 << 20;
    let populate = 23;
    for before in [0, BYTES] {
        let mut vec = FileVec::<u8>::temporary_in(std::env::temp_dir()).unwrap();
        vec.extend_zeroed(before);
        vec.prefault(BYTES);
        if is_advice_ignored(&vec) || !is_known_advice(&vec, populate) {
            // Linux before 5.14 cannot populate.
            return;
        }
        let first = vec.as_ptr().wrapping_add(before).cast_mut().cast();
        let mut pages = vec![0; BYTES / page_size()];
        // SAFETY: the elements start at a page and are mapped, and the call writes a byte for each page.
        assert_eq!(unsafe { libc::mincore(first, BYTES, pages.as_mut_ptr()) }, 0);
        assert!(pages.iter().all(|page| page & 1 == 1));
    }
}

#[test]
fn space_is_allocated_in_whole_pages_or_to_the_maximum() {
    for max_len in [1, 511, 512, 513, 100_003] {
        let vec = FileVec::<[u8; 3]>::builder().max_len(max_len);
        let mut vec = vec.temporary_in(std::env::temp_dir()).unwrap();
        let full = (0..200_000).take_while(|_| vec.try_push([1; 3]).is_ok()).count();
        assert_eq!((full, vec.len(), vec.max_len()), (max_len, max_len, max_len));
        assert_eq!(vec.mapped().map().bytes() % page_size(), 0);
    }
}
