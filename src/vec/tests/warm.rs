//! Arrays and maps in memory from the region cache.

#![expect(unsafe_code, reason = "treats zeroed memory as bytes")]

use crate::key::KeyData;
use crate::os::{Call, fault::Fault};
use crate::region_cache::{self, tests::alone, tests::are_all};
use crate::{DefaultKey, HugePages, Key, Release, SecondaryMap, SlotMap, VmVec, page_size};

const MIB: usize = 1 << 20;

/// Drops an array of that many bytes, none of which is zero, into the cache, and returns its address.
pub(super) fn leave(bytes: usize) -> usize {
    let mut vec = VmVec::new();
    vec.resize(bytes, 0xff_u8);
    vec.as_ptr().addr()
}

fn kept() -> usize {
    region_cache::stats().kept_blocks
}

#[test]
#[cfg_attr(no_vm, ignore = "the region cache is unused there")]
fn an_array_reuses_a_cached_region_and_grows_as_if_it_were_fresh() {
    let _alone = alone();
    let mut fresh: VmVec<u64> = VmVec::new();
    fresh.push(1);
    let (first, capacity) = (leave(4 * MIB), fresh.capacity());
    assert_eq!(kept(), 1);
    let mut vec = VmVec::new();
    assert_eq!(kept(), 1, "it takes nothing before it needs some");
    vec.push(1_u64);
    assert_eq!((vec.as_ptr().addr(), kept()), (first, 0));
    assert_eq!((vec.capacity(), vec.max_len()), (capacity, fresh.max_len()));
    let stats = vec.stats();
    assert_eq!(stats.reserved_bytes, fresh.stats().reserved_bytes);
    assert!(stats.committed_bytes >= 4 * MIB, "{stats:?}");
    assert!(region_cache::stats().lent_bytes >= 3 * MIB);
    // Nothing was requested from the system.
    let fault = Fault::from_nth(Call::Commit, 0);
    vec.resize(4 * MIB / 8, 2);
    drop(fault);
    assert_eq!(region_cache::stats().lent_bytes, 0);
    vec.resize(8 * MIB / 8, 3);
    assert_eq!((vec[0], vec[4 * MIB / 8 - 1], vec[8 * MIB / 8 - 1]), (1, 2, 3));
    drop(vec);
    assert_eq!((kept(), leave(1)), (1, first));
}

#[cfg(feature = "bytemuck")]
#[test]
fn zeroed_elements_are_zero_in_cached_memory() {
    for (left, zeroes) in
        [(100, 50), (64 << 10, 100), (MIB, 100_000), (MIB, 2 * MIB), (4 * MIB, 9 * MIB)]
    {
        for before in [0, 1, 5000] {
            let _alone = alone();
            leave(left);
            let mut vec: VmVec<u8> = VmVec::new();
            vec.resize(before, 1);
            vec.extend_zeroed(zeroes);
            vec.extend_zeroed(zeroes);
            assert!(are_all(&vec[before..], 0), "{before} and {zeroes}");
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn slots_in_cached_memory_are_vacant() {
    let _alone = alone();
    for _ in 0..3 {
        leave(MIB);
        // For its slots, and the bits of its holes.
        let mut map: SlotMap<DefaultKey, u64> = SlotMap::new();
        let far: DefaultKey = {
            let other: SlotMap<DefaultKey, u64> = (0..10_000).collect();
            other.keys().next_back().unwrap()
        };
        map.insert_at(far, 7);
        assert_eq!((map.len(), map.iter().count()), (1, 1));
        let keys: Vec<_> = (0..9_999).map(|n| map.insert(n)).collect();
        assert!(keys.iter().all(|key| key.data().index() < far.data().index()));
        let mut second = SecondaryMap::new();
        second.insert(far, 9);
        assert_eq!((second.len(), second.iter().count()), (1, 1));
        assert!(keys.iter().all(|key| second.get(*key).is_none()));
        map.retain(|_, n| *n % 2 == 0);
        assert_eq!(map.iter().count(), map.len());
    }
}

#[test]
#[cfg_attr(no_vm, ignore = "the region cache is unused there")]
fn shrinking_returns_lent_memory_and_does_not_make_it_capacity() {
    let _alone = alone();
    leave(16 * MIB);
    let mut vec: VmVec<u8> = VmVec::new();
    vec.push(1);
    let capacity = vec.capacity();
    vec.shrink_to_fit();
    assert!(vec.capacity() <= capacity);
    assert!(vec.stats().committed_bytes < 4 * MIB, "{:?}", vec.stats());
    assert_eq!(region_cache::stats().lent_bytes, 0);
    drop(vec);
    region_cache::trim();

    leave(16 * MIB);
    let mut vec: VmVec<u8> = VmVec::new();
    vec.push(1);
    let fault = Fault::from_nth(Call::Decommit, 0);
    assert!(vec.try_shrink_to_fit().is_err());
    drop(fault);
    assert!(vec.capacity() <= capacity);
    vec.resize(15 * MIB, 1);
    assert!(are_all(&vec, 1));
}

#[cfg(feature = "bytemuck")]
#[test]
#[cfg_attr(no_vm, ignore = "the region cache is unused there")]
fn what_cannot_be_lent_is_returned_to_the_system() {
    let _alone = alone();
    region_cache::set_most_bytes(8 * MIB);
    leave(4 * MIB);
    let mut first = VmVec::new();
    first.push(1_u8);
    let lent = region_cache::stats().lent_bytes;
    assert!(lent > 3 * MIB);
    // More than three quarters of the limit would be lent.
    leave(4 * MIB);
    let mut second = VmVec::new();
    second.push(1_u8);
    assert_eq!((kept(), region_cache::stats().lent_bytes), (0, lent));
    assert_eq!(second.stats().committed_bytes, page_size().max(64 << 10));
    second.extend_zeroed(2 * MIB);
    assert!(are_all(&second[1..], 0));
    // Unless that is refused.
    leave(4 * MIB);
    let fault = Fault::from_nth(Call::Decommit, 0);
    let mut third = VmVec::new();
    third.push(1_u8);
    assert_eq!(fault.failures(), 1);
    drop(fault);
    assert_eq!(third.stats().committed_bytes, 4 * MIB);
    third.extend_zeroed(2 * MIB);
    assert!(are_all(&third[1..], 0));
}

#[test]
#[cfg_attr(no_vm, ignore = "the region cache is unused there")]
fn large_memory_is_cached_if_the_array_was_requested_with_most_of_it() {
    let _alone = alone();
    let filled = |mut vec: VmVec<u8>, bytes| {
        vec.push(1);
        vec.resize(bytes, 1);
        let start = vec.as_ptr().addr();
        drop(vec);
        start
    };
    // The next array that grows from little could not have it.
    filled(VmVec::new(), 40 * MIB);
    filled(VmVec::with_capacity(20 * MIB), 40 * MIB);
    assert_eq!(kept(), 0);
    let first = filled(VmVec::with_capacity(40 * MIB), 40 * MIB);
    assert_eq!(kept(), 1);
    assert_eq!((filled(VmVec::with_capacity(36 * MIB), 36 * MIB), kept()), (first, 1));
    let vec: VmVec<u8> = VmVec::with_capacity(36 * MIB);
    assert_eq!((vec.as_ptr().addr(), kept()), (first, 0));
    filled(vec, 60 * MIB);
    assert_eq!(kept(), 0);
}

#[test]
#[cfg_attr(no_vm, ignore = "the region cache is unused there")]
fn requests_that_do_not_suit_a_cached_region_get_fresh_memory() {
    let _alone = alone();
    let first = leave(MIB);
    let at = |vec: &VmVec<u8>| vec.as_ptr().addr();
    let mut now = VmVec::builder().release(Release::Now).build();
    now.push(1);
    let mut named = VmVec::builder().max_len(1000).build();
    named.push(1);
    let mut never = VmVec::builder().huge_pages(HugePages::Never).build();
    never.push(1);
    let large: VmVec<u8> = VmVec::with_capacity(8 * MIB);
    assert!([&now, &named, &never, &large].iter().all(|vec| at(vec) != first));
    let nothing: VmVec<()> = VmVec::from_iter([(); 100]);
    assert_eq!((nothing.len(), kept()), (100, 1));
    drop(now);
    assert_eq!(kept(), 1);
    named.push(2);
    let named_at = at(&named);
    drop(named);
    let mut again = VmVec::builder().max_len(1000).build();
    again.push(1);
    assert_eq!((at(&again), again.max_len()), (named_at, 1000));
    VmVec::leak(never);
    drop(large);
    drop(again);
    assert_eq!(kept(), 3);
}

#[test]
fn alignments_above_a_page_hold_in_cached_memory() {
    #[derive(Clone, Copy)]
    #[repr(align(16384))]
    struct Wide(u64);

    let _alone = alone();
    let bytes = VmVec::builder().max_len(3 * 16384);
    let left: Vec<VmVec<u8>> = (0..8).map(|_| bytes.capacity(3 * 16384).build()).collect();
    drop(left);
    let mut all = Vec::new();
    for _ in 0..8 {
        let mut vec = VmVec::builder().max_len(3).build();
        vec.resize(3, Wide(5));
        assert_eq!(vec.as_ptr().addr() % 16384, 0);
        assert!(vec.iter().all(|wide| wide.0 == 5));
        all.push(vec);
    }
}

#[test]
fn a_refused_first_commit_leaves_the_cached_region() {
    let _alone = alone();
    leave(64 << 10);
    let fault = Fault::from_nth(Call::Commit, 0);
    let mut vec: VmVec<u8> = VmVec::new();
    let refused = vec.try_reserve_exact(MIB);
    drop(fault);
    assert!(refused.is_err());
    assert_eq!(vec.capacity(), 0);
    vec.resize(MIB, 3);
    assert!(are_all(&vec, 3));
}

#[test]
#[cfg_attr(no_vm, ignore = "the region cache is unused there")]
fn zeroed_elements_take_no_memory_in_cached_regions() {
    let bytes = 10 * MIB;
    for before in [0, 1, 5000] {
        let _alone = alone();
        leave(bytes);
        let mut vec: VmVec<u8> = VmVec::new();
        vec.resize(before, 1);
        // SAFETY: 0 is a valid byte.
        unsafe { vec.try_extend_zeroed_unchecked(bytes - 5000) }.unwrap();
        let resident = vec.stats().resident_bytes;
        assert!(vec[before..].iter().step_by(MIB).all(|byte| *byte == 0));
        if cfg!(all(target_os = "linux", not(miri))) {
            assert!(resident < Some(MIB), "{resident:?} of {before}");
        }
    }
    // Memory that cannot be returned is overwritten.
    let _alone = alone();
    leave(MIB);
    let mut vec: VmVec<u8> = VmVec::new();
    let fault = Fault::from_nth(Call::Discard, 0);
    // SAFETY: as above.
    unsafe { vec.try_extend_zeroed_unchecked(MIB) }.unwrap();
    assert_eq!(fault.failures(), 1);
    assert!(are_all(&vec, 0));
}

#[test]
#[cfg_attr(no_vm, ignore = "the region cache is unused there")]
fn leaking_an_array_does_not_leak_its_lent_memory() {
    let _alone = alone();
    leave(16 * MIB);
    let mut vec = VmVec::new();
    vec.push(1_u8);
    assert!(region_cache::stats().lent_bytes > 15 * MIB);
    let committed = vec.stats().committed_bytes;
    let fault = Fault::from_nth(Call::Decommit, 0);
    let leaked = vec.leak();
    assert_eq!((fault.failures(), leaked[0]), (1, 1), "{committed} bytes would be leaked");
    assert_eq!(region_cache::stats().lent_bytes, 0);
}

#[test]
#[cfg_attr(no_vm, ignore = "the region cache is unused there")]
fn a_growth_step_past_cached_memory_is_a_whole_step() {
    let _alone = alone();
    let steps = |vec: &mut VmVec<u8>| {
        let mut capacities = Vec::new();
        while capacities.len() < 6 {
            capacities.push(vec.capacity());
            vec.resize(vec.capacity() + 1, 1);
        }
        capacities
    };
    let fresh = steps(&mut VmVec::builder().release(Release::Now).build());
    for left in [page_size(), 64 << 10, 100_000, 200_000, MIB, MIB + 1] {
        let mut vec: VmVec<u8> = VmVec::new();
        vec.reserve_exact(left);
        drop(vec);
        assert_eq!(kept(), 1);
        let mut vec = VmVec::new();
        assert_eq!(steps(&mut vec), fresh, "{left}");
        drop(vec);
        region_cache::trim();
        // If no more memory is granted, the present memory suffices.
        leave(left);
        let fault = Fault::from_nth(Call::Commit, 0);
        let mut vec = VmVec::new();
        vec.resize(left, 2_u8);
        drop(fault);
        assert_eq!(vec.len(), left);
        drop(vec);
        region_cache::trim();
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn an_array_in_cached_memory_shrinks_like_one_in_fresh() {
    let _alone = alone();
    let use_two_runs = |vec: &mut VmVec<u8>| {
        vec.push(1);
        vec.reserve_exact((128 << 10) - 1);
        vec.shrink_to_fit();
        vec.capacity()
    };
    let fresh = use_two_runs(&mut VmVec::builder().release(Release::Now).build());
    leave(4 * MIB);
    let mut vec = VmVec::new();
    assert_eq!(use_two_runs(&mut vec), fresh);
    let committed = vec.stats().committed_bytes;
    assert_eq!(committed, fresh.next_multiple_of(64 << 10), "what it never used has gone");
}

#[test]
#[cfg_attr(no_vm, ignore = "the region cache is unused there")]
fn skipped_slots_in_cached_memory_take_no_memory() {
    for refused in [false, true] {
        let _alone = alone();
        let far: DefaultKey = KeyData::from_parts(200_000, 1, 0).unwrap().into();
        leave(7 * MIB);
        let fault = refused.then(|| Fault::from_nth(Call::Discard, 0));
        let mut map: SlotMap<DefaultKey, [u64; 3]> = SlotMap::new();
        let first = map.insert([1; 3]);
        map.insert_at(far, [7; 3]);
        let resident = map.stats().resident_bytes;
        assert_eq!((map.len(), map.iter().count(), map[first], map[far]), (2, 2, [1; 3], [7; 3]));
        let copy = map.clone();
        assert!(copy.iter().eq(&map));
        drop((map, copy));
        leave(7 * MIB);
        let mut second = SecondaryMap::new();
        second.insert(far, [8_u64; 3]);
        let of_second = second.stats().resident_bytes;
        assert_eq!((second.len(), second.iter().count(), second[far]), (1, 1, [8; 3]));
        if cfg!(all(target_os = "linux", not(miri))) && !refused {
            assert!(
                resident < Some(2 * MIB) && of_second < Some(2 * MIB),
                "{resident:?}, {of_second:?}"
            );
        }
        assert_eq!(fault.is_some_and(|fault| fault.failures() > 0), refused);
    }
}
