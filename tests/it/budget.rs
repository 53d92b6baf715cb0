//! Work done in steps within a budget has the same result as work done at once, whatever happens in between.

use stayput::{
    Budget, CommitAhead, DefaultKey, GivenBack, HugePages, Key, SecondaryMap, SlotMap, VmVec,
    page_size,
};
use std::time::Duration;

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

const AHEAD: [CommitAhead; 3] =
    [CommitAhead::Off, CommitAhead::Auto, CommitAhead::Bytes(300 * KIB)];

/// One of several budgets. The first only covers the first piece of work, which is always done. (Time starts to count
/// when the budget is created.)
fn budget(which: usize) -> Budget {
    match which % 4 {
        0 => Budget::bytes(1),
        1 => Budget::bytes(3 * MIB),
        2 => Budget::time(Duration::from_micros(300)),
        _ => Budget::UNLIMITED,
    }
}

/// Calls until it is done, and returns the number of bytes and of calls.
fn until_done(mut call: impl FnMut() -> GivenBack) -> (usize, usize) {
    let (mut bytes, mut calls) = (0, 0);
    loop {
        let given = call();
        bytes += given.bytes;
        calls += 1;
        assert!(calls < 100_000, "it never ends");
        if given.is_done {
            return (bytes, calls);
        }
    }
}

fn bytes(ahead: CommitAhead) -> VmVec<[u8; KIB]> {
    let builder = VmVec::builder().max_len(32 * KIB).huge_pages(HugePages::Never);
    let mut vec = builder.commit_ahead(ahead).build();
    vec.resize(20 * KIB, [7; KIB]);
    vec.truncate(100);
    vec
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn arrays_shrink_in_steps_like_at_once() {
    for ahead in AHEAD {
        let mut at_once = bytes(ahead);
        at_once.shrink_to_fit();
        for which in 0..4 {
            let mut vec = bytes(ahead);
            let given = vec.shrink_to_fit_within(Budget::bytes(0)).expect("it is ours");
            assert_eq!((given.bytes, given.is_done), (0, false));
            assert!(vec.capacity() >= 20 * KIB);
            let (bytes, calls) =
                until_done(|| vec.shrink_to_fit_within(budget(which)).expect("it is ours"));
            assert!(bytes >= 19 * MIB, "{bytes} in {calls}");
            assert_eq!(vec.capacity(), at_once.capacity(), "{ahead:?}, {which}");
            assert!(vec.len() == 100 && vec.iter().all(|each| *each == [7; KIB]));
        }
        // One piece at a time.
        let mut vec = bytes(ahead);
        let before = vec.stats().committed_bytes;
        let piece = vec.shrink_to_fit_within(Budget::bytes(1)).expect("it is ours");
        assert!(piece.bytes > 0 && piece.bytes <= 2 * MIB && !piece.is_done, "{piece:?}");
        if ahead == CommitAhead::Off {
            assert_eq!(vec.stats().committed_bytes, before - piece.bytes);
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn arrays_may_grow_and_shrink_between_the_calls() {
    for ahead in AHEAD {
        let mut vec: VmVec<u64> =
            VmVec::builder().max_len(MIB).huge_pages(HugePages::Never).commit_ahead(ahead).build();
        vec.extend(0..MIB as u64);
        for step in 0..40 {
            vec.truncate(MIB / 50 * (40 - step) + 3);
            let given = vec.shrink_to_fit_within(Budget::bytes(500 * KIB)).expect("it is ours");
            assert!(given.bytes <= MIB);
            let len = vec.len() as u64;
            vec.extend(len..len + 10_000);
            assert!(vec.iter().zip(0..).all(|(word, n)| *word == n), "{ahead:?}, {step}");
        }
        until_done(|| vec.shrink_to_fit_within(Budget::bytes(1)).expect("it is ours"));
        assert!(vec.capacity() - vec.len() < 2 * 128 * KIB / 8);
        assert!(vec.iter().zip(0..).all(|(word, n)| *word == n));
    }
}

#[test]
#[cfg_attr(no_vm, ignore = "nothing is made ready there")]
fn work_ends_when_the_time_is_up_and_otherwise_completes() {
    let mut vec = bytes(CommitAhead::Off);
    let given = vec.shrink_to_fit_within(Budget::time(Duration::ZERO)).expect("it is ours");
    assert_eq!((given.bytes, given.is_done), (0, false));
    let given = vec.shrink_to_fit_within(Budget::time(Duration::MAX)).expect("it is ours");
    assert!(given.is_done && given.bytes >= 19 * MIB);
    assert_eq!(vec.prefault_ahead(Budget::time(Duration::ZERO)).bytes, 0);
    let prefaulted = vec.prefault_ahead(Budget::time(Duration::from_secs(3600)));
    // Memory past the used part, in the last run that was kept, was resident before.
    let ahead = prefaulted.ahead_bytes;
    let run = page_size().max(64 << 10);
    assert!(ahead > run && (ahead - run..=ahead).contains(&prefaulted.bytes), "{prefaulted:?}");
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn secondary_maps_shrink_in_steps_like_at_once() {
    for ahead in AHEAD {
        let keys: SlotMap<DefaultKey, ()> = (0..200_000).map(|_| ()).collect();
        let filled = || {
            let builder = SecondaryMap::builder().max_len(200_000).huge_pages(HugePages::Never);
            let mut map: SecondaryMap<DefaultKey, [u64; 7]> = builder.commit_ahead(ahead).build();
            map.extend(keys.keys().map(|key| (key, [u64::from(key.index()); 7])));
            map.retain(|key, _| key.index() < 1000);
            map
        };
        let mut at_once = filled();
        at_once.shrink_to_fit();
        for which in 0..4 {
            let mut map = filled();
            let given = map.shrink_to_fit_within(Budget::bytes(0)).expect("it is ours");
            assert_eq!((given.bytes, given.is_done), (0, false));
            let late = keys.keys().nth(1100).expect("it is there");
            let mut calls = 0;
            until_done(|| {
                // The map is modified between the calls.
                calls += 1;
                map.insert(late, [calls; 7]);
                let given = map.shrink_to_fit_within(budget(which)).expect("it is ours");
                assert_eq!(map.remove(late), Some([calls; 7]));
                given
            });
            // Less than two spare runs stay, after the last key.
            let most = at_once.capacity() + 2 * 128 * KIB / 64;
            assert!(map.capacity() <= most, "{ahead:?}, {which}: {}", map.capacity());
            assert!(map == at_once);
            map.insert(keys.keys().next_back().expect("it is there"), [1; 7]);
            assert_eq!(map.iter().count(), 1001);
        }
    }
}
