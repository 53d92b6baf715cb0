//! Arrays and maps with commit-ahead, in memory from the region cache.

use super::warm::leave;
use crate::region_cache::{self, tests::alone, tests::are_all};
use crate::{CommitAhead, DefaultKey, Release, SlotMap, VecBuilder, VmVec, service};
use std::thread;
use std::time::Duration;

const MIB: usize = 1 << 20;

const AHEAD: VecBuilder<u8> =
    VmVec::builder().commit_ahead(CommitAhead::Auto).release(Release::Background);

fn at(vec: &VmVec<u8>) -> usize {
    vec.as_ptr().addr()
}

/// Drops an array of that many bytes, none of which is zero, and returns its address.
fn leave_ahead(bytes: usize) -> usize {
    let mut vec = AHEAD.build();
    // In small pieces, since memory that is taken in one piece before it is ready need not be touched.
    while vec.len() < bytes {
        vec.resize(bytes.min(vec.len() + (256 << 10)), 0xff);
    }
    end(vec)
}

/// Drops an array, most likely while the thread is not at work for it: memory that the thread puts down is not cached in
/// unit tests. Returns its address.
fn end(vec: VmVec<u8>) -> usize {
    let start = at(&vec);
    loop {
        let ahead = vec.stats().ahead_bytes;
        thread::sleep(Duration::from_millis(2));
        if vec.stats().ahead_bytes == ahead {
            break;
        }
    }
    drop(vec);
    start
}

/// The thread may be at work when an array is dropped, so this retries until it was not.
fn soon(mut is_so: impl FnMut() -> bool) {
    assert!((0..100).any(|_| is_so()), "it never happens");
    service::drain();
}

#[test]
#[cfg_attr(no_vm, ignore = "the region cache is unused there")]
fn an_array_reuses_the_region_of_the_last_with_all_of_it_ready() {
    let _alone = alone();
    region_cache::set_most_bytes(512 * MIB);
    soon(|| {
        let first = leave_ahead(40 * MIB);
        let mut vec = AHEAD.build();
        let stats = vec.stats();
        // Fresh memory can have the same address if that of the last array was released.
        if at(&vec) != first || stats.ahead_bytes == 0 {
            return false;
        }
        assert_eq!((stats.len, stats.capacity, stats.late), (0, 0, 0));
        assert!(stats.ahead_bytes >= 40 * MIB && stats.committed_bytes >= 40 * MIB, "{stats:?}");
        vec.resize(40 * MIB, 3);
        assert_eq!(vec.stats().late, 0, "it was all there");
        assert!(are_all(&vec, 3));
        vec.resize(80 * MIB, 4);
        assert!(are_all(&vec[40 * MIB..], 4));
        end(vec);
        // Also an array that is created when it is first used.
        let mut vec = AHEAD.build();
        vec.push(1);
        vec.shrink_to_fit();
        assert!(vec.capacity() < MIB && vec[0] == 1);
        at(&vec) == first
    });
}

#[cfg(feature = "bytemuck")]
#[test]
fn zeroed_elements_are_zero_in_reused_memory_with_commit_ahead() {
    let _alone = alone();
    // Some arrays leave more than the usual limit of a test: the thread may be up to twice as far as they have grown.
    region_cache::set_most_bytes(512 * MIB);
    let sizes =
        [(MIB, 100), (MIB, 300_000), (MIB, 4 * MIB), (10 * MIB, 50_000), (10 * MIB, 30 * MIB)];
    for (left, zeroes) in sizes {
        for before in [0, 1, 5000, 700_000, 2 * MIB] {
            soon(|| {
                let first = leave_ahead(left);
                let mut vec = AHEAD.build();
                vec.resize(before, 1);
                // Up to the end of the usable memory, so that little has to be returned.
                vec.resize(if before > 5000 { vec.capacity() } else { before }, 1);
                let before = vec.len();
                vec.extend_zeroed(zeroes);
                assert!(are_all(&vec[..before], 1));
                assert!(are_all(&vec[before..], 0), "{left}, {zeroes}, {before}");
                vec.truncate(before / 2);
                vec.shrink_to_fit();
                vec.extend_zeroed(zeroes);
                assert!(are_all(&vec[before / 2..], 0));
                // Memory that another array has used is not zero for the next one.
                let is_there = at(&vec) == first;
                vec.resize(2 * left, 0xee);
                end(vec);
                let mut next = AHEAD.build();
                next.extend_zeroed(3 * left);
                assert!(are_all(&next, 0), "{left}, {zeroes}, {before}");
                is_there && at(&next) == first
            });
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn slots_are_vacant_in_reused_memory_with_commit_ahead() {
    let _alone = alone();
    let new = || {
        let builder = SlotMap::<DefaultKey, [u64; 3]>::builder();
        builder.commit_ahead(CommitAhead::Auto).release(Release::Background).build()
    };
    let mut last = None;
    soon(|| {
        let mut map = new();
        let keys: Vec<_> = (0..100_000).map(|n| map.insert([n; 3])).collect();
        let here = std::ptr::from_ref(&map[keys[0]]).addr();
        for key in keys.iter().step_by(2) {
            map.remove(*key);
        }
        assert_eq!(map.iter().count(), 50_000);
        assert!(keys.iter().step_by(2).all(|key| !map.contains_key(*key)));
        let far = keys[99_999];
        thread::sleep(Duration::from_millis(2));
        drop(map);
        let mut next = new();
        next.insert_at(far, [7; 3]);
        assert_eq!((next.len(), next.iter().count(), next[far]), (1, 1, [7; 3]));
        assert!(keys[..99_999].iter().all(|key| !next.contains_key(*key)));
        last.replace(here) == Some(here)
    });
}

#[test]
#[cfg_attr(no_vm, ignore = "the region cache is unused there")]
fn cached_memory_is_ready_for_an_array_with_commit_ahead_and_cached_again() {
    let _alone = alone();
    let first = leave(8 * MIB);
    let builder = VmVec::builder().commit_ahead(CommitAhead::Auto);
    let mut vec = builder.build();
    assert_eq!((at(&vec), region_cache::stats().kept_blocks), (first, 0));
    assert!(vec.stats().ahead_bytes >= 8 * MIB, "{:?}", vec.stats());
    assert_eq!(region_cache::stats().lent_bytes, 0, "the service takes it back in time");
    vec.resize(8 * MIB, 2);
    assert_eq!(vec.stats().late, 0);
    drop(vec);
    assert_eq!((region_cache::stats().kept_blocks, leave(1)), (1, first));
    // Also by its first growth.
    let mut vec: VmVec<u8> = VmVec::builder().commit_ahead(CommitAhead::Auto).build();
    vec.resize(8 * MIB, 2);
    assert_eq!((at(&vec), vec.stats().late), (first, 0));
    assert!(are_all(&vec, 2));
}

#[test]
#[cfg_attr(no_vm, ignore = "the region cache is unused there")]
fn arrays_with_a_fixed_amount_ahead_or_fresh_memory_neither_use_nor_fill_the_cache() {
    let _alone = alone();
    let first = leave(MIB);
    let builders = [
        VmVec::builder().commit_ahead(CommitAhead::Bytes(MIB)),
        VmVec::builder().commit_ahead(CommitAhead::Bytes(MIB)).release(Release::Background),
        VmVec::builder().commit_ahead(CommitAhead::Auto).release(Release::Now),
        VmVec::builder().release(Release::Background),
    ];
    for builder in builders {
        let mut vec = builder.build();
        vec.resize(2 * MIB, 1);
        assert_ne!(at(&vec), first);
        drop(vec);
        assert_eq!(region_cache::stats().kept_blocks, 1);
    }
    service::drain();
    region_cache::trim();
}
