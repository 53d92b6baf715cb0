//! Tests with unused tickets and refused calls. All others are in `tests/it`.

use super::super::places::Claim;
use super::super::tests::store_together;
use super::*;
use crate::__key_type;
use crate::effort;
use crate::error::ErrorKind;
use crate::key::{Bits32, DefaultKey};
use crate::os::Call;
use crate::os::fault::Fault;
use crate::{Reuse, SlotMap};
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

__key_type! { struct Few: Bits32<14, 10> }

type Shared<V> = SharedSlotMap<DefaultKey, V>;

/// Takes a ticket and never uses it.
fn begin<V>(map: &Shared<V>) {
    map.claim().unwrap();
}

/// Simulates a fork whose child has `map`.
fn fork<K: Key, V>(map: &mut SharedSlotMap<K, V>) {
    let forks = &mut map.memory.get_mut().forks;
    *forks = forks.map(|forks| forks.wrapping_sub(1));
}

/// Checks the counts of the owner's map.
fn check<K: Key, V>(map: &mut SharedSlotMap<K, V>, live: usize, slots: usize) {
    let stats = map.as_mut_map().stats();
    assert_eq!((stats.live, stats.live + stats.holes, stats.detached), (live, slots, 0));
}

#[test]
fn tickets_of_another_process_become_holes() {
    let mut map = Shared::new();
    let mut keys = Vec::new();
    for round in 0..3 {
        // Slots past the last one at first, then holes.
        for n in 0..10 {
            if n % 3 == 1 {
                begin(&map);
            } else {
                keys.push(map.insert(n.to_string()).0);
            }
        }
        map.remove(keys.pop().unwrap());
        assert_eq!(map.iter().count(), keys.len());
        fork(&mut map);
        check(&mut map, keys.len(), [10, 16, 22][round]);
        assert!(keys.iter().all(|key| map.contains_key(*key)));
        assert_eq!(map.len(), keys.len());
    }
    // All slots without a value are found.
    map.insert_many((0..4).map(|n| n.to_string()), &mut keys);
    assert_eq!(keys.iter().map(Key::index).collect::<HashSet<_>>().len(), 22);
    check(&mut map, 22, 22);
}

#[test]
fn trimmed_holes_that_are_not_filled_are_counted_as_trimmed_again() {
    let mut map = Shared::<[u64; 1000]>::new();
    let keys: Vec<_> = (0..500).map(|n| map.insert([n; 1000]).0).collect();
    keys[..400].iter().for_each(|key| _ = map.remove(*key));
    let before = {
        let mut map = map.as_mut_map();
        map.trim();
        map.stats()
    };
    assert!(before.trimmed > 100);
    for _ in 0..3 {
        // Several holes are listed.
        let (key, _) = map.insert([7; 1000]);
        assert!(keys[..400].iter().all(|old| *old != key && !map.contains_key(*old)));
        map.remove(key);
        let stats = map.as_mut_map().stats();
        assert_eq!((stats.live, stats.holes), (100, 400));
        assert!(stats.trimmed <= before.trimmed && stats.trimmed >= before.trimmed - 3);
        begin(&map);
        fork(&mut map);
    }
    drop(map.as_mut_map());
    map.insert_many((0..400).map(|n| [n; 1000]), &mut Vec::new());
    check(&mut map, 500, 500);
    assert_eq!(map.as_mut_map().stats().trimmed, 0);
}

#[test]
fn a_refused_insertion_returns_the_value_and_the_next_one_gets_its_slot() {
    for (call, pass) in [
        (Call::Reserve, 0),
        (Call::Reserve, 1),
        (Call::Commit, 0),
        (Call::Commit, 1),
        (Call::Commit, 2),
    ] {
        let mut map = Shared::<[u64; 100]>::with_max_len(10_000);
        let fault = Fault::from_nth(call, pass);
        let refused = map.try_insert([1; 100]);
        if fault.failures() == 0 {
            continue;
        }
        let refused = refused.unwrap_err();
        assert_eq!(refused.value, [1; 100]);
        // Refused by the system, whose limit of data applies if the tests run under an emulator; or a heap block, which
        // is refused with the call.
        assert!(matches!(
            refused.error.kind(),
            ErrorKind::System | ErrorKind::Memory | ErrorKind::AddressSpace | ErrorKind::DataLimit
        ));
        drop(fault);
        assert_eq!((map.len(), map.iter().count()), (0, 0));
        let keys: Vec<_> = (0..1000).map(|n| map.insert([n; 100]).0).collect();
        assert_eq!(keys[0].index(), 0);
        assert!(keys.iter().zip(0..).all(|(key, n)| map[*key] == [n; 100]));
        check(&mut map, 1000, 1000);
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn refusals_at_each_step_of_growth_lose_nothing() {
    // The bits of holes have a reservation of their own if there are many.
    for (call, first) in [(Call::Commit, 0), (Call::Reserve, 530_000)] {
        let mut pass = 0;
        loop {
            // Otherwise fewer addresses are reserved when some are refused.
            let mut map = Shared::<u64>::builder().max_len(1 << 20).build();
            let fault = Fault::nth(call, pass);
            let mut keys = Vec::new();
            // Later rounds fill holes.
            for (round, count) in [first, 60_000, 60_000, 60_000].into_iter().enumerate() {
                for n in 0..count {
                    match map.try_insert(n) {
                        Ok((key, _)) => keys.push(key),
                        Err(refused) => {
                            assert_eq!(refused.value, n);
                            keys.push(map.insert(n).0);
                        }
                    }
                    if round > 0 && n % 2 == round as u64 - 1 {
                        assert!(map.remove(keys.pop().unwrap()).is_some());
                    }
                }
                assert!(keys.iter().all(|key| map.contains_key(*key)));
                assert_eq!((map.len(), map.as_mut_map().len()), (keys.len(), keys.len()));
                assert_eq!(map.iter().count(), keys.len());
            }
            let failures = fault.failures();
            drop(fault);
            if failures == 0 {
                break;
            }
            pass += 1;
        }
        // Without virtual memory, the bits of holes are in the heap.
        let least = if cfg!(no_vm) { 2 } else { 3 };
        assert!(pass >= least, "{pass} steps");
    }
}

#[test]
fn refused_bulk_calls_leave_their_elements_in_place() {
    let map = Shared::<u32>::new();
    map.insert(0);
    let more = u32::try_from(map.capacity()).unwrap();
    let fault = Fault::from_nth(Call::Commit, 0);
    let mut keys = Vec::new();
    let refused = map.try_insert_many(0..more + 70, &mut keys).unwrap_err();
    let left: Vec<_> = refused.value.collect();
    // All that there is room for was inserted.
    assert_eq!((map.len(), keys.len()), (map.capacity(), map.capacity() - 1));
    assert!(keys.iter().map(|key| map[*key]).chain(left.iter().copied()).eq(0..more + 70));
    assert!(map.try_reserve(1).is_err() && map.try_prefault(1).is_err());
    drop(fault);
    map.insert_many(left, &mut keys);
    assert!(keys.iter().map(|key| map[*key]).eq(0..more + 70));
}

#[test]
fn refusals_in_several_threads_lose_nothing() {
    let mut map = Shared::<u64>::builder().max_len(1 << 20).build();
    let mut given = HashSet::new();
    for pass in 0..effort::few(20) {
        let stored =
            store_together(pass, effort::few(10_000) as u64, |n| Some(map.try_insert(n).ok()?.0));
        assert_eq!((map.len(), map.issued()), (stored.len(), stored.len()));
        assert!(stored.iter().all(|(key, n)| map[*key] == *n && given.insert(*key)));
        map.as_mut_map().clear();
        map.as_mut_map().shrink_to_fit();
    }
}

#[test]
fn tickets_never_returned_keep_the_map_closed_until_the_owner_takes_it() {
    let mut map = Shared::<u64>::new();
    map.insert(0);
    let first = map.capacity();
    let fault = Fault::from_nth(Call::Commit, 0);
    while map.len() < first {
        map.insert(1);
    }
    // As in the child of a fork, if another thread of the parent had the ticket.
    assert!(matches!(map.places.claim(), Claim::Ticket(ticket) if ticket == first));
    let why = map.try_insert(1).unwrap_err().error;
    drop(fault);
    for _ in 0..3 {
        let refused = map.try_insert(7).unwrap_err();
        assert_eq!((refused.value, refused.error), (7, why));
        assert_eq!(map.try_reserve(1), Err(why));
    }
    assert_eq!((map.len(), map.iter().count()), (first, first));
    check(&mut map, first, first);
    assert_eq!((map.insert(7).1, map.len()), (&7, first + 1));
}

#[test]
fn holes_that_are_not_filled_keep_their_place_in_a_strict_order() {
    let made = |reuse| {
        let mut map: SlotMap<DefaultKey, u64> = SlotMap::builder().reuse(reuse).build();
        let keys: Vec<_> = (0..200).map(|n| map.insert(n)).collect();
        (map, keys)
    };
    // One of the listed holes is filled.
    let (mut map, keys) = made(Reuse::Rotating { min_free: 0 });
    keys[..190].iter().for_each(|key| _ = map.remove(*key));
    let map = SharedSlotMap::from(map);
    let first = map.insert(0).0.index();
    let mut map = map.into_inner();
    assert_eq!([(); 3].map(|()| map.insert(0).index()), [first + 1, first + 2, first + 3]);

    // The memory of the list is refused.
    for reuse in [Reuse::Lowest, Reuse::Rotating { min_free: 0 }] {
        let (mut map, keys) = made(reuse);
        map.remove(keys[100]);
        crate::region_cache::trim();
        let map = SharedSlotMap::from(map);
        let fault = Fault::from_nth(Call::Reserve, 0);
        map.try_insert(0).unwrap_err();
        assert!(fault.failures() > 0);
        drop(fault);
        let mut map = map.into_inner();
        map.remove(keys[50]);
        assert_eq!([(); 2].map(|()| map.insert(0).index()), [50, 100]);
    }
}

#[test]
fn values_of_a_converted_map_are_removed_or_an_error_is_returned() {
    let mut map: SlotMap<DefaultKey, String> = SlotMap::new();
    let keys: Vec<_> = (0..100).map(|n| map.insert(n.to_string())).collect();
    let fault = Fault::from_nth(Call::Reserve, 0);
    let mut shared = Shared::from(map);
    assert!(fault.failures() > 0);
    let refused = catch_unwind(AssertUnwindSafe(|| shared.remove(keys[0]).map(drop)));
    assert!(refused.is_err());
    assert_eq!(shared.try_remove(keys[0]).unwrap_err().kind(), ErrorKind::AddressSpace);
    assert_eq!(shared.try_remove(DefaultKey::null()), Ok(None));
    drop(fault);
    assert_eq!((shared.len(), shared.get(keys[0]).unwrap().as_str()), (100, "0"));
    assert_eq!(shared.remove(keys[0]).unwrap(), "0");
    shared.insert(String::from("new"));
    check(&mut shared, 100, 101);
}

#[test]
fn a_refused_reservation_takes_no_memory() {
    let map = Shared::<u64>::with_max_len(1 << 20);
    map.insert(0);
    let before = (map.capacity(), map.stats().committed_bytes);
    for additional in [1 << 20, usize::MAX] {
        assert!(map.try_reserve(additional).is_err());
        assert_eq!((map.capacity(), map.stats().committed_bytes), before);
    }
}

#[test]
fn a_ticket_past_the_maximum_leaves_memory_to_those_below_it() {
    let mut map = Shared::<u64>::with_max_len(10_000);
    assert!(map.is_empty());
    map.insert(0);
    assert!(!map.is_empty());
    let most = map.max_len();
    // As if other threads had them and did not have the growth lock yet.
    let tickets: Vec<_> = (1..most).map(|_| map.places.claim()).collect();
    assert!(map.try_insert(1).is_err_and(|refused| refused.error.is_full()));
    assert_eq!((map.capacity(), map.issued()), (most, most));
    for (claim, at) in tickets.iter().zip(1..) {
        assert_eq!(map.claim_slowly(claim), Ok(Some(at)));
    }
    fork(&mut map);
    check(&mut map, 1, most);
}

#[test]
fn a_ticket_that_keys_cannot_index_leaves_memory_to_those_below_it() {
    let mut map = SharedSlotMap::<Few, u64>::with_key();
    map.insert(0);
    let most = map.max_len();
    let tickets: Vec<_> = (1..most).map(|_| map.places.claim()).collect();
    assert_eq!(map.try_insert(1).unwrap_err().error.kind(), ErrorKind::KeyBits);
    assert_eq!(map.get(Few::NULL), None);
    assert_eq!((map.capacity(), map.issued()), (most, most));
    for (claim, at) in tickets.iter().zip(1..) {
        assert_eq!(map.claim_slowly(claim), Ok(Some(at)));
    }
    fork(&mut map);
    check(&mut map, 1, most);
}

#[test]
fn a_slot_is_found_by_its_address_alone() {
    let map = Shared::<u64>::new();
    let [first, second] = [1, 2].map(|n| ptr::from_ref(map.insert(n).1).addr());
    let index_at = |address| map.view.index_at(address);
    assert_eq!([first, second].map(index_at), [Some(0), Some(1)]);
    assert_eq!([first - 1, first + 1, second - 1, second + 8].map(index_at), [None; 4]);
    let end = first + map.capacity() * (second - first);
    assert_eq!([end, end + 1].map(index_at), [None; 2]);
}

#[test]
fn memory_is_taken_ahead_of_need() {
    let map = Shared::<u64>::new();
    map.insert(0);
    let first = map.capacity();
    while map.len() < first - first / 4 + super::super::places::RUN {
        map.insert(1);
    }
    assert!(map.capacity() > first, "{} of {first}", map.len());
    // A refused reservation does not end that.
    let map = Shared::<u64>::new();
    map.insert(0);
    assert!(map.try_reserve(usize::MAX).is_err() && map.capacity() == first);
    while map.len() < first - super::super::places::RUN / 2 {
        map.insert(1);
    }
    assert!(map.capacity() > first, "{} of {first}", map.len());
    // A refusal while growing ahead is reported to no caller.
    let map = Shared::<u64>::new();
    map.insert(0);
    let fault = Fault::from_nth(Call::Commit, 0);
    while map.len() < first {
        map.insert(1);
    }
    assert!(fault.failures() > 0 && map.try_insert(1).is_err());
}

#[test]
fn a_capacity_holds_that_many_values_although_more_memory_is_refused() {
    for capacity in [1, 10, 64, 1000, 4095, 4096, 100_000] {
        let map = Shared::<u64>::with_capacity(capacity);
        let least = map.capacity();
        assert!(least >= capacity);
        let _fault = Fault::from_nth(Call::Commit, 0);
        (0..least).for_each(|_| _ = map.insert(1));
        assert_eq!((map.len(), map.capacity()), (least, least));
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn a_frame_touches_no_more_slots_than_it_fills() {
    // In reused memory, with arbitrary contents.
    for _ in 0..3 {
        let mut map = Shared::<u64>::new();
        for round in 0..4_u64 {
            let mut keys = Vec::new();
            map.insert_many(0..100, &mut keys);
            let beyond = u32::try_from(100 * (round + 1)).unwrap();
            assert!((beyond..beyond + 1000).all(|index| map.get_by_index(index).is_none()));
            let tickets = map.places.committed();
            assert!(tickets <= 4 * 64 || tickets > 1000, "{tickets}");
            assert_eq!((map.len(), map.iter().count()), (beyond as usize, beyond as usize));
            check(&mut map, beyond as usize, beyond as usize);
        }
        map.insert_many(0..1_000_000, &mut Vec::new());
        assert_eq!(map.iter().count(), 1_000_400);
    }
}

#[test]
#[cfg(feature = "rayon")]
fn an_iterator_is_halved_unless_few_slots_are_left() {
    let map: Shared<u32> = (0..128).collect();
    let mut first = map.iter();
    let second = first.split_off_half().unwrap();
    assert!(first.map(|(_, n)| *n).eq(0..64) && second.map(|(_, n)| *n).eq(64..128));
    let map: Shared<u32> = (0..127).collect();
    assert!(map.iter().split_off_half().is_none());
}
