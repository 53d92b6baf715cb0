//! Arrays and maps with memory ahead of them in memory that others had.

use super::warm::leave;
use crate::keeper::{self, tests::alone, tests::are_all};
use crate::{CommitAhead, DefaultKey, Release, SlotMap, VecBuilder, VmVec, service};

const MIB: usize = 1 << 20;

const AHEAD: VecBuilder<u8> =
    VmVec::builder().commit_ahead(CommitAhead::Auto).release(Release::Background);

fn at(vec: &VmVec<u8>) -> usize {
    vec.as_ptr().addr()
}

/// Has an array leave so many bytes, none of which is zero, and says where that is.
fn leave_ahead(bytes: usize) -> usize {
    let mut vec = AHEAD.build();
    // In small pieces: what is taken at once, and is not ready, need not be touched.
    while vec.len() < bytes {
        vec.resize(bytes.min(vec.len() + (256 << 10)), 0xff);
    }
    at(&vec)
}

/// What is handed over waits but a moment; it is tried until that was long enough.
fn soon(mut is_so: impl FnMut() -> bool) {
    assert!((0..100).any(|_| is_so()), "it does not come to be");
    service::drain();
}

#[test]
#[cfg_attr(no_vm, ignore = "nothing is kept there")]
fn an_array_begins_where_the_last_was_with_all_of_it_ready() {
    let _alone = alone();
    soon(|| {
        let first = leave_ahead(40 * MIB);
        let mut vec = AHEAD.build();
        if at(&vec) != first {
            return false;
        }
        let stats = vec.stats();
        assert_eq!((stats.len, stats.capacity, stats.late), (0, 0, 0));
        assert!(stats.ahead_bytes >= 40 * MIB && stats.committed_bytes >= 40 * MIB, "{stats:?}");
        vec.resize(40 * MIB, 3);
        assert_eq!(vec.stats().late, 0, "it was all there");
        assert!(are_all(&vec, 3));
        vec.resize(80 * MIB, 4);
        assert!(are_all(&vec[40 * MIB..], 4));
        drop(vec);
        // And so does one that is made when it is first used.
        let mut vec = AHEAD.build();
        vec.push(1);
        vec.shrink_to_fit();
        assert!(vec.capacity() < MIB && vec[0] == 1);
        at(&vec) == first
    });
}

#[cfg(feature = "bytemuck")]
#[test]
fn zeroes_are_zero_where_others_were_ahead() {
    let _alone = alone();
    let sizes =
        [(MIB, 100), (MIB, 300_000), (MIB, 4 * MIB), (10 * MIB, 50_000), (10 * MIB, 30 * MIB)];
    for (left, zeroes) in sizes {
        for before in [0, 1, 5000, 700_000, 2 * MIB] {
            soon(|| {
                let first = leave_ahead(left);
                let mut vec = AHEAD.build();
                vec.resize(before, 1);
                // Up to the edge of what is usable, so that there is little to be given back.
                vec.resize(if before > 5000 { vec.capacity() } else { before }, 1);
                let before = vec.len();
                vec.extend_zeroed(zeroes);
                assert!(are_all(&vec[..before], 1));
                assert!(are_all(&vec[before..], 0), "{left}, {zeroes}, {before}");
                vec.truncate(before / 2);
                vec.shrink_to_fit();
                vec.extend_zeroed(zeroes);
                assert!(are_all(&vec[before / 2..], 0));
                // What another has used since is not zero to the next either.
                let is_there = at(&vec) == first;
                vec.resize(2 * left, 0xee);
                drop(vec);
                let mut next = AHEAD.build();
                next.extend_zeroed(3 * left);
                assert!(are_all(&next, 0), "{left}, {zeroes}, {before}");
                is_there && at(&next) == first
            });
        }
    }
}

#[test]
fn slots_are_vacant_where_others_were_ahead() {
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
        drop(map);
        let mut next = new();
        next.insert_at(far, [7; 3]);
        assert_eq!((next.len(), next.iter().count(), next[far]), (1, 1, [7; 3]));
        assert!(keys[..99_999].iter().all(|key| !next.contains_key(*key)));
        last.replace(here) == Some(here)
    });
}

#[test]
#[cfg_attr(no_vm, ignore = "nothing is kept there")]
fn what_was_kept_is_ready_for_an_array_that_is_ahead_and_is_kept_again() {
    let _alone = alone();
    let first = leave(8 * MIB);
    let builder = VmVec::builder().commit_ahead(CommitAhead::Auto);
    let mut vec = builder.build();
    assert_eq!((at(&vec), keeper::stats().kept_blocks), (first, 0));
    assert!(vec.stats().ahead_bytes >= 8 * MIB, "{:?}", vec.stats());
    assert_eq!(keeper::stats().lent_bytes, 0, "the service takes it back in time");
    vec.resize(8 * MIB, 2);
    assert_eq!(vec.stats().late, 0);
    drop(vec);
    assert_eq!((keeper::stats().kept_blocks, leave(1)), (1, first));
    // By its first growth, too.
    let mut vec: VmVec<u8> = VmVec::builder().commit_ahead(CommitAhead::Auto).build();
    vec.resize(8 * MIB, 2);
    assert_eq!((at(&vec), vec.stats().late), (first, 0));
    assert!(are_all(&vec, 2));
}

#[test]
#[cfg_attr(no_vm, ignore = "nothing is kept there")]
fn who_says_how_much_is_to_be_ahead_or_wants_fresh_memory_takes_nothing_and_leaves_nothing() {
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
        assert_eq!(keeper::stats().kept_blocks, 1);
    }
    service::drain();
    keeper::trim();
}
