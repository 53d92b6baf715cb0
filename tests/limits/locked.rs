//! Programs that lock their memory: `mlockall`, and the limit on how much may be locked.
#![expect(unsafe_code, reason = "calls the system")]

use crate::MIB;
use crate::block::{Block, Marks};
use crate::linux::{
    assert_limit, became_one_with_limits, fill, in_child, in_child_limiting, set_limit,
    under_sanitizer,
};
use crate::sizes::default_arrays;
use stayput::alloc::{GlobalVm, trim};
use stayput::{
    DefaultKey, DenseSlotMap, ErrorKind, Reservation, SlotMap, Table, VmVec, indices, page_size,
};
use std::{fs, io};

/// A figure of `/proc/self/status`, in bytes.
fn status(name: &str) -> usize {
    let text = fs::read_to_string("/proc/self/status").expect("it is Linux");
    let line = text.lines().find(|line| line.starts_with(name)).expect("it is listed");
    let kib = line.split_whitespace().nth(1).and_then(|kib| kib.parse::<usize>().ok());
    kib.expect("a number") * 1024
}

/// Locks what is mapped from now on (`MCL_FUTURE`), or what is mapped now (`MCL_CURRENT`), or both. Returns whether
/// the system allows it.
fn lock_all(flags: libc::c_int) -> bool {
    // SAFETY: no memory is passed.
    let is_locked = unsafe { libc::mlockall(flags) } == 0;
    if !is_locked {
        eprintln!("SKIPPED: mlockall: {}", io::Error::last_os_error());
    }
    is_locked
}

indices! {
    struct ByValue for u64 {
        value: Unique<u64> = |value| value,
    }
}

/// Checks that all memory stays locked while a call gives some of it back.
#[track_caller]
fn assert_keeps_locks(give_back: impl FnOnce()) {
    let (locked, resident) = (status("VmLck"), status("VmRSS"));
    give_back();
    assert_eq!(status("VmLck"), locked);
    assert!(status("VmRSS") + MIB < resident, "{} of {resident} bytes", status("VmRSS"));
}

#[test]
fn memory_that_is_given_back_stays_locked() {
    in_child_limiting("locked memory", || {
        const VALUES: u64 = 200_000;
        let wide = |n| [n; 4];
        if !lock_all(libc::MCL_CURRENT | libc::MCL_FUTURE) {
            return;
        }
        let mut map: SlotMap<DefaultKey, [u64; 4]> = (0..VALUES).map(wide).collect();
        map.retain(|_, value| value[0] < 10 || value[0] == VALUES - 1);
        assert_keeps_locks(|| map.trim());
        let mut dense: DenseSlotMap<DefaultKey, [u64; 4]> = (0..VALUES).map(wide).collect();
        dense.retain(|_, value| value[0] < 10);
        assert_keeps_locks(|| dense.trim());
        let mut table: Table<u64, ByValue> = (0..VALUES).collect();
        table.retain(|_, value| *value < 10 || *value == VALUES - 1);
        assert_keeps_locks(|| table.trim());
        let mut vec: VmVec<u64> = (0..VALUES).collect();
        vec.clear();
        assert_keeps_locks(|| vec.shrink_to_fit());
    });
}

#[test]
fn blocks_that_reuse_locked_memory_are_unlocked_when_it_is_released() {
    static ALLOC: GlobalVm = GlobalVm::new();
    in_child_limiting("locked memory", || {
        let block = |bytes| Block::new(&ALLOC, bytes, 16, 7, Marks::Start).expect("some MiB");
        drop(block(MIB));
        trim();
        if !lock_all(libc::MCL_FUTURE) {
            return;
        }
        let before = status("VmLck");
        for _ in 0..4 {
            drop(block(40 * MIB));
            drop(block(10 * MIB));
        }
        trim();
        assert!(status("VmLck") <= before + MIB, "{} after {before}", status("VmLck"));
    });
}

#[test]
fn pages_are_unlocked_when_their_guard_is_dropped() {
    in_child_limiting("locked memory", || {
        let range = Reservation::new(4 * page_size()).expect("a few pages");
        let before = status("VmLck");
        let locked = match range.lock(..2 * page_size()) {
            Ok(locked) => locked,
            Err(error) => return eprintln!("SKIPPED: {error}"),
        };
        assert_eq!(status("VmLck"), before + 2 * page_size());
        drop(locked);
        assert_eq!(status("VmLck"), before);
    });
}

#[test]
fn a_map_made_from_memory_that_was_trimmed_is_locked() {
    in_child_limiting("locked memory", || {
        let mut map: SlotMap<DefaultKey, u64> = (0..400_000).collect();
        if !lock_all(libc::MCL_CURRENT) {
            return;
        }
        let locked = status("VmLck");
        map.retain(|_, value| *value == 399_999);
        map.trim();
        assert_eq!(status("VmLck"), locked);
        map.extend(0..390_000);
        assert_eq!(status("VmLck"), locked);
    });
}

/// Limits how much may be locked, and locks all that is mapped from now on. Returns whether the system allows it.
fn lock_all_within(limit: usize) -> bool {
    set_limit(libc::RLIMIT_MEMLOCK, limit);
    !under_sanitizer("locked memory") && became_one_with_limits() && lock_all(libc::MCL_FUTURE)
}

#[test]
fn where_addresses_count_as_locked_default_arrays_have_a_share_of_the_limit() {
    in_child(|| {
        const LIMIT: usize = 8 * MIB;
        if !lock_all_within(LIMIT) {
            return;
        }
        for (name, used_up) in default_arrays() {
            let (reserved_bytes, error) = used_up();
            assert!((MIB..LIMIT / 2).contains(&reserved_bytes), "{name}: {reserved_bytes}");
            assert_limit(error, ErrorKind::LockLimit, LIMIT);
            let text = error.to_string();
            assert!(text.contains("RLIMIT_MEMLOCK") && !text.contains("its `max_"), "{text}");
        }
        let mut vec = VmVec::new();
        assert_eq!(fill(&mut vec).kind(), ErrorKind::LockLimit);
        assert!(vec.len() * 8 >= 2 * MIB);
        // What is left is shared by many more.
        let arrays: Vec<VmVec<u64>> = (0..20).map(|n| VmVec::from([n])).collect();
        assert!(arrays.iter().zip(0..).all(|(array, n)| *array == [n]));
    });
}
