//! Slots that were used before are vacant when they are added again, and unused ones are not touched.

use super::{BudgetMeter, Slots, Vacant};
use crate::growing::Budget;
use crate::raw_vec::Options;
use crate::reservation::HugePages;
use crate::service::CommitAhead;

/// Returns slots with several options, including memory that is committed ahead.
fn slots_of_all_kinds() -> [Slots<[u32; 3]>; 3] {
    [CommitAhead::Off, CommitAhead::Auto, CommitAhead::Bytes(100)].map(|commit_ahead| {
        let options = Options { huge_pages: HugePages::Never, ..Options::DEFAULT };
        let mut slots = Slots::try_new(Options { commit_ahead, ..options }, 0).unwrap();
        slots.prefault_ahead(Budget::UNLIMITED);
        slots
    })
}

fn live(slots: &Slots<[u32; 3]>) -> Vec<u32> {
    super::indices(0..slots.len()).filter(|index| slots.state(*index).is_live()).collect()
}

fn fill(slots: &mut Slots<[u32; 3]>, count: u32) {
    for n in 0..count {
        slots.try_reserve(1).unwrap();
        slots.push_within_capacity(u32::MAX >> 1, [u32::MAX; 3]);
        assert_eq!(slots.get(n, u32::MAX >> 1), Some(&[u32::MAX; 3]));
    }
}

#[test]
fn slots_past_the_length_are_vacant_when_added_again() {
    for mut slots in slots_of_all_kinds() {
        fill(&mut slots, 100);
        slots.truncate(10);
        slots.extend_vacant(50).unwrap();
        assert_eq!(live(&slots), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        slots.truncate(40);
        slots.extend_vacant(100_000).unwrap();
        assert_eq!(live(&slots), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        assert_eq!(slots.take(3, u32::MAX >> 1, Vacant::EMPTY), Some([u32::MAX; 3]));
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn slots_in_memory_of_dropped_ones_are_vacant() {
    // Before and after the least number whose memory is returned instead.
    for count in [1000, 200_000, 400_000] {
        for mut slots in slots_of_all_kinds() {
            fill(&mut slots, count);
        }
        for mut slots in slots_of_all_kinds() {
            fill(&mut slots, 1);
            slots.extend_vacant(count as usize - 2).unwrap();
            slots.try_reserve(1).unwrap();
            slots.push_vacant(Vacant::EMPTY);
            assert_eq!(live(&slots), [0]);
            assert_eq!(slots.put(count - 1, 7, [7; 3]), Ok(None));
            assert_eq!(live(&slots), [0, count - 1]);
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn slots_around_the_edge_of_returned_memory_are_vacant_when_added_again() {
    // Each fills more than three units of the service: with fewer, too little is spare to be returned if it is late.
    for count in [25_000, 25_001, 30_000, 50_003] {
        for mut slots in slots_of_all_kinds() {
            fill(&mut slots, count);
            slots.truncate(5);
            slots.shrink(&mut BudgetMeter::unlimited()).unwrap();
            assert!(slots.capacity() < 10_000);
            slots.extend_vacant(count as usize).unwrap();
            assert_eq!(live(&slots), [0, 1, 2, 3, 4]);
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn slots_are_vacant_when_added_again_wherever_shrinking_ended() {
    for money in [1, 200_000, 2_000_000] {
        for mut slots in slots_of_all_kinds() {
            fill(&mut slots, 200_000);
            slots.truncate(5);
            slots.shrink(&mut BudgetMeter::new(Budget::bytes(money))).unwrap();
            slots.prefault_ahead(Budget::UNLIMITED);
            slots.extend_vacant(300_000).unwrap();
            assert_eq!(live(&slots), [0, 1, 2, 3, 4]);
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
#[cfg_attr(miri, ignore = "takes minutes")]
fn fresh_slots_are_not_touched_and_capacity_stays() {
    let mut slots =
        Slots::try_new(Options { huge_pages: HugePages::Never, ..Options::DEFAULT }, 0).unwrap();
    slots.try_reserve_exact(1_000_000).unwrap();
    let capacity = slots.capacity();
    slots.extend_vacant(900_000).unwrap();
    assert_eq!(slots.capacity(), capacity);
    assert!(slots.stats().resident_bytes < Some(1 << 20));
    slots.fill(899_999, 1, [7; 3]);
    assert_eq!(live(&slots), [899_999]);
}
