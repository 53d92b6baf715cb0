//! Maps for threads that named a maximum, where others are given few addresses.

#![expect(unsafe_code, reason = "sets a variable")]

use crate::linux::{in_child, in_child_limiting, set_limit, statm};
use stayput::{DefaultKey, Key, SharedSlotMap, VmVec};
use std::env;

/// What a map that named a maximum can do beside many arrays that did not.
fn fill_twice(slots: usize) {
    let mut map = SharedSlotMap::<DefaultKey, u8>::with_max_len(slots);
    assert_eq!(map.max_len(), slots);
    let refused = map.try_insert_many((0..slots).map(|_| 7), &mut Vec::new()).err();
    assert!(refused.is_none(), "{} of {slots}: {:?}", map.len(), refused.unwrap().error);
    assert_eq!((map.len(), map.max_len()), (slots, slots));
    // All but the last one become holes.
    map.retain(|key, _| key.index() as usize == slots - 1);
    assert_eq!((map.len(), map.as_mut_map().stats().holes), (1, slots - 1));
    let refused = map.try_insert_many((1..slots).map(|_| 7), &mut Vec::new()).err();
    assert!(refused.is_none(), "{} of {slots}: {:?}", map.len(), refused.unwrap().error);
    assert_eq!(map.len(), slots);
}

#[test]
fn a_named_maximum_is_had_beside_arrays_that_have_most_addresses() {
    in_child(|| {
        // SAFETY: there is one thread.
        unsafe { env::set_var("STAYPUT_RESERVE_BYTES", (1 << 20).to_string()) };
        fill_twice(1 << 20);
    });
}

#[test]
fn a_named_maximum_is_had_where_a_process_has_few_addresses() {
    in_child_limiting("addresses", || {
        set_limit(libc::RLIMIT_AS, statm(0) + (160 << 20));
        let mut others = Vec::new();
        for _ in 0..40 {
            others.push(VmVec::<u8>::with_capacity(1));
        }
        fill_twice(1 << 20);
    });
}

#[test]
fn a_named_maximum_stays_as_it_was_named() {
    in_child(|| {
        // SAFETY: there is one thread.
        unsafe { env::set_var("STAYPUT_RESERVE_BYTES", (1 << 20).to_string()) };
        let mut map = SharedSlotMap::<DefaultKey, u8>::with_max_len(1 << 24);
        assert_eq!((map.max_len(), map.as_mut_map().max_len()), (1 << 24, 1 << 24));
        map.insert(7);
        assert_eq!((map.max_len(), map.as_mut_map().max_len()), (1 << 24, 1 << 24));
        map.insert_many((1..1 << 24).map(|_| 7), &mut Vec::new());
        assert_eq!(map.len(), 1 << 24);
    });
}
