//! Slots that were used before are vacant when they are added again, and unused ones are not touched.

use super::{BudgetMeter, Discard, Slots, Vacant};
use crate::growing::Budget;
use crate::raw_vec::Options;
use crate::reservation::HugePages;
use crate::service::CommitAhead;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

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

/// Slots of 1 KiB, 64 of which are a block.
type Large = [u8; 1020];

const BLOCK_BYTES: usize = 64 << 10;

/// Returns vacant slots, `bytes` of them, and the unit in which their memory is best returned.
fn vacant(huge_pages: HugePages, bytes: usize) -> (Slots<Large>, usize) {
    let options = Options { huge_pages, max_len: Some(1 << 14), ..Options::DEFAULT };
    let mut slots = Slots::try_new(options, 0).unwrap();
    slots.extend_vacant(bytes >> 10).unwrap();
    let run = slots.slots.run_bytes(0);
    (slots, run)
}

#[test]
fn whole_huge_pages_are_returned_unless_others_are_sparse() {
    for huge_pages in [HugePages::Never, HugePages::Always] {
        let (slots, run) = vacant(huge_pages, 14 << 20);
        let least = slots.slots.least_run_bytes();
        for (first, end) in [(0, 8), (1, 8), (0, 9), (5, 200), (40, 90), (64, 128), (3, 70)] {
            let (first, end) = (first * BLOCK_BYTES, end * BLOCK_BYTES);
            let range = first >> 10..end >> 10;
            let pages = RefCell::new(Vec::new());
            let discard = slots.discardable(range.clone(), |page| {
                pages.borrow_mut().push(page);
                false
            });
            let kept = first.next_multiple_of(run)..end / run * run;
            assert_eq!(
                discard.map_or(0..0, |discard| discard.bytes),
                if kept.is_empty() { 0..0 } else { kept }
            );
            for page in pages.into_inner() {
                assert_eq!((page.start * 1024 % run, page.len() * 1024), (0, run));
                assert!(page.start < range.start || page.end > range.end);
            }
            let discard = slots.discardable(range.clone(), |_| true);
            let bytes = first.next_multiple_of(least)..end / least * least;
            assert_eq!(slots.least_runs_bytes(range), bytes.len());
            assert_eq!(
                discard.map_or(0..0, |discard| discard.bytes),
                if bytes.is_empty() { 0..0 } else { bytes }
            );
        }
    }
}

#[test]
fn memory_is_sparse_if_half_of_it_or_more_can_be_returned() {
    let (slots, _) = vacant(HugePages::Never, 12 * BLOCK_BYTES);
    // Pages may be larger than a block.
    if slots.slots.least_run_bytes() > BLOCK_BYTES {
        return;
    }
    let is_sparse = |slots: &Slots<Large>, dead: &[usize]| {
        slots.is_sparse(0..16 * 64, |first| dead.contains(&(first / 64)))
    };
    assert!(is_sparse(&slots, &[0, 1, 2, 3, 4, 5, 6, 7]));
    assert!(is_sparse(&slots, &[0, 2, 3, 5, 6, 8, 10, 11]));
    assert!(!is_sparse(&slots, &[0, 1, 2, 3, 4, 5, 6]));
    assert!(!is_sparse(&slots, &[0, 2, 3, 5, 6, 8, 11]));
    assert!(!is_sparse(&slots, &[0]) && !is_sparse(&slots, &[]));
    // What is past the last slot does not count.
    assert!(!is_sparse(&slots, &[9, 10, 11, 12, 13, 14, 15]));
    assert!(!is_sparse(&slots, &[0, 1, 2, 3, 4, 12, 13, 14, 15]));
}

#[test]
fn a_piece_has_whole_runs_and_ends_with_one() {
    for huge_pages in [HugePages::Never, HugePages::Always] {
        let (slots, run) = vacant(huge_pages, 14 << 20);
        let piece = slots.piece_blocks() * BLOCK_BYTES;
        let least = (1 << 20).max(2 * run);
        assert!((least + BLOCK_BYTES..least + 2 * BLOCK_BYTES).contains(&piece), "{piece}");
        let mut from = 0;
        while from < slots.len() {
            let (dead, seen) = slots.dead_stretch(from, false, |_| true);
            assert!(dead.start == from && dead.len() * 1024 <= piece && seen > from);
            assert!(seen == slots.len() || seen * 1024 % run == 0, "{seen}");
            from = seen;
        }
        assert_eq!(slots.dead_stretch(0, true, |_| true), (0..slots.len(), slots.len()));
    }
}

#[test]
fn only_bytes_of_the_slots_to_discard_are_returned() {
    let (mut slots, _) = vacant(HugePages::Never, 4 * BLOCK_BYTES);
    for bytes in [0..3 * BLOCK_BYTES, BLOCK_BYTES..4 * BLOCK_BYTES] {
        let discard = Discard { slots: 64..192, bytes, cleared: 64..192 };
        let call = AssertUnwindSafe(|| slots.discard(&discard));
        assert!(catch_unwind(call).is_err());
    }
}

#[test]
#[cfg(target_os = "linux")]
#[cfg_attr(any(miri, no_vm), ignore = "resident pages are not reported there")]
fn slots_are_made_resident_before_they_are_used() {
    let (mut slots, _) = vacant(HugePages::Never, 1 << 20);
    slots.prefault_within(256, 768).unwrap();
    let resident = slots.stats().resident_bytes.unwrap();
    assert!((1 << 19..1 << 20).contains(&resident), "{resident}");
}

#[test]
fn addresses_of_values_and_no_others_have_an_index() {
    let (slots, _) = vacant(HugePages::Never, BLOCK_BYTES);
    let first = slots.slots.as_ptr().addr();
    assert_eq!([0, 1, 63].map(|n| slots.index_at(first + n * 1024)), [Some(0), Some(1), Some(63)]);
    for address in [first - 1024, first + 64 * 1024, first + 1, first + 63 * 1024 + 4, 0] {
        assert_eq!(slots.index_at(address), None);
    }
}
