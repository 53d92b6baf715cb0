//! Tests that need refused calls, a service that the test drives, or private parts.

#![expect(unsafe_code, reason = "reads and writes usable memory")]

mod model;

use super::*;
use crate::os::{Call, fault::Fault};
use crate::reservation::HugePages;
#[cfg(feature = "columns")]
use std::alloc::Layout;
use std::time::Duration;

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

/// Without the service, and with it at several distances.
const KINDS: [CommitAhead; 5] = [
    CommitAhead::Off,
    CommitAhead::Auto,
    CommitAhead::Bytes(1),
    CommitAhead::Bytes(MIB),
    CommitAhead::Bytes(usize::MAX),
];

/// Creates a reservation, which the test serves if `ahead` is on.
fn growing(bytes: usize, ahead: CommitAhead) -> GrowingReservation {
    let reservation = Reservation::builder().bytes(bytes).huge_pages(HugePages::Never).reserve();
    let growing = reservation.unwrap().growing();
    if ahead.is_on() { growing.unattended(ahead) } else { growing }
}

/// Does the work of the service, if there is one.
fn work(memory: &GrowingReservation) {
    if let Storage::External(_) = memory.memory() {
        memory.served().work().unwrap();
    }
}

/// Writes to both ends of each page of a usable range.
fn fill(memory: &GrowingReservation, range: Range<usize>, byte: u8) {
    assert!(range.end <= memory.usable_bytes());
    for page in pages(range) {
        for offset in [page.start, page.end - 1] {
            // SAFETY: `offset` is below `usable_bytes`, and the test alone uses the memory.
            unsafe { memory.as_ptr().wrapping_add(offset).write(byte) };
        }
    }
}

/// Whether each page of a usable range holds `byte` where `fill` writes.
fn holds(memory: &GrowingReservation, range: Range<usize>, byte: u8) -> bool {
    assert!(range.end <= memory.usable_bytes());
    pages(range).all(|page| {
        [page.start, page.end - 1].into_iter().all(|offset| {
            // SAFETY: `offset` is below `usable_bytes`, and the test alone uses the memory.
            unsafe { memory.as_ptr().wrapping_add(offset).read() == byte }
        })
    })
}

fn pages(range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let step = page_size();
    range.clone().step_by(step).map(move |start| start..(start + step).min(range.end))
}

fn system_committed(memory: &GrowingReservation) -> usize {
    memory.reservation().unwrap().committed_bytes().unwrap()
}

#[test]
fn every_byte_of_the_range_becomes_usable_and_none_past_it() {
    let page = page_size();
    for bytes in [1, 128 * KIB - page, 128 * KIB, 3 * MIB + 64 * KIB + page] {
        for ahead in KINDS {
            let mut memory = growing(bytes, ahead);
            let reserved = memory.reserved_bytes();
            let mut used = 0;
            while used < reserved {
                work(&memory);
                let usable = memory.grow_to(used + 1).unwrap();
                assert!(usable > used && usable <= reserved, "{usable} of {reserved}, {ahead:?}");
                assert!(holds(&memory, used..usable, 0), "{ahead:?}");
                assert_eq!(memory.late(), 0, "{ahead:?}");
                assert!(memory.usable_bytes() + memory.ahead_bytes() <= reserved);
                assert!(memory.committed_bytes() >= usable + memory.ahead_bytes());
                fill(&memory, used..usable, 7);
                used = usable;
            }
            assert_eq!((memory.committed_bytes(), memory.ahead_bytes()), (reserved, 0));
            let error = memory.grow_to(reserved + 1).unwrap_err();
            assert_eq!((error.kind(), error.bytes()), (ErrorKind::OutOfBounds, reserved + 1));
            assert_eq!(error.limit(), Some(reserved as u64));
            assert_eq!(memory.grow_to(usize::MAX).unwrap_err().kind(), ErrorKind::OutOfBounds);
            assert!(holds(&memory, 0..reserved, 7));
        }
    }
}

#[test]
fn growth_to_what_is_usable_changes_nothing_and_other_growth_is_one_call() {
    for ahead in KINDS {
        let mut memory = growing(16 * MIB, ahead);
        for need in [1, MIB, 4 * MIB + 1] {
            let fault = Fault::nth(Call::Commit, 1);
            let usable = memory.grow_to(need).unwrap();
            assert_eq!(fault.failures(), 0, "{ahead:?}");
            let late = memory.late();
            assert_eq!((memory.grow_to(usable).unwrap(), memory.late()), (usable, late));
        }
    }
}

#[cfg(feature = "columns")]
#[test]
fn a_growth_step_refused_for_the_second_column_is_taken_back_for_the_first() {
    const COLUMNS: &[Layout] = &[Layout::new::<u64>(), Layout::new::<u64>()];
    let builder = Reservation::builder().bytes(64 * MIB).huge_pages(HugePages::Never);
    let mut memory = builder.columns(Some(&COLUMNS)).reserve().unwrap().growing();
    memory = memory.growth(Growth::Fixed { step_bytes: 2 * MIB });
    let fault = Fault::nth(Call::Commit, 1);
    assert_eq!(memory.grow_to(1).unwrap(), MIB);
    assert_eq!(fault.failures(), 1);
    // A page may hold the end of one column and the start of the next.
    assert!((MIB..=MIB + 2 * page_size()).contains(&system_committed(&memory)));
}

#[test]
fn late_growth_needs_no_service() {
    for ahead in KINDS {
        let mut memory = growing(16 * MIB, ahead);
        let mut used = 0;
        let mut calls = 0;
        while used < 16 * MIB {
            let usable = memory.grow_to(used + 1).unwrap();
            assert!(holds(&memory, used..usable, 0));
            fill(&memory, used..usable, 7);
            used = usable;
            calls += 1;
        }
        assert!(holds(&memory, 0..used, 7));
        assert_eq!(memory.late(), if ahead.is_on() { calls } else { 0 });
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn memory_is_zero_after_it_was_returned() {
    for ahead in KINDS {
        for keep in [0, 1, 64 * KIB, 128 * KIB - 1, 200 * KIB, 2 * MIB + 1] {
            for budget in [Budget::UNLIMITED, Budget::bytes(1)] {
                let mut memory = growing(8 * MIB, ahead);
                work(&memory);
                let usable = memory.grow_to(5 * MIB).unwrap();
                fill(&memory, 0..usable, 7);
                work(&memory);
                let mut calls = 0;
                while !memory.shrink_to(keep, budget).unwrap().is_done {
                    calls += 1;
                    assert!(calls < 100, "it never ends");
                }
                let kept = memory.usable_bytes();
                assert!(kept >= keep && kept < keep + 2 * 128 * KIB, "{kept} for {keep}");
                assert!(holds(&memory, 0..kept, 7), "{ahead:?}");
                assert!(system_committed(&memory) <= kept + 128 * KIB);
                work(&memory);
                for end in [kept + 1, 5 * MIB, 8 * MIB] {
                    let (before, usable) = (memory.usable_bytes(), memory.grow_to(end).unwrap());
                    assert!(holds(&memory, before..usable, 0), "{ahead:?}, {keep}");
                    work(&memory);
                }
                assert!(holds(&memory, 0..kept, 7), "{ahead:?}");
            }
        }
    }
}

#[test]
fn shrinking_in_pieces_ends_where_shrinking_at_once_does() {
    for ahead in KINDS {
        let mut ends = [0; 2];
        for (end, budget) in ends.iter_mut().zip([Budget::UNLIMITED, Budget::bytes(1)]) {
            let mut memory = growing(16 * MIB, ahead);
            memory.grow_to(10 * MIB).unwrap();
            work(&memory);
            let (before, mut sum, mut calls) = (memory.committed_bytes(), 0, 0_u32);
            loop {
                let given = memory.shrink_to(3 * MIB + 1, budget).unwrap();
                sum += given.bytes;
                calls += 1;
                if given.is_done {
                    break;
                }
                assert!(given.bytes > 0 && given.bytes <= MIB, "{given:?}");
                assert_eq!(memory.committed_bytes(), before - sum, "{ahead:?}");
            }
            *end = memory.committed_bytes();
            assert_eq!((*end, system_committed(&memory)), (before - sum, *end));
            assert_eq!(calls > 1, !BudgetMeter::new(budget).is_unlimited());
            let again = memory.shrink_to(3 * MIB + 1, budget).unwrap();
            assert_eq!((again.bytes, again.is_done), (0, true));
        }
        assert_eq!(ends[0], ends[1], "{ahead:?}");
    }
}

#[test]
fn shrinking_leaves_less_than_two_spare_units_of_a_late_service_alone() {
    let unit = service::UNIT_BYTES;
    for (usable, left) in [(3 * unit - page_size(), 3 * unit - page_size()), (3 * unit, unit)] {
        let mut memory = growing(16 * MIB, CommitAhead::Bytes(MIB));
        memory.grow(usable, Amount::Exact).unwrap();
        assert_eq!(memory.usable_bytes(), usable);
        memory.shrink_to(1, Budget::UNLIMITED).unwrap();
        assert_eq!(memory.usable_bytes(), left);
    }
}

#[test]
fn an_empty_budget_returns_nothing() {
    for ahead in KINDS {
        let mut memory = growing(16 * MIB, ahead);
        memory.grow_to(10 * MIB).unwrap();
        work(&memory);
        let before = (memory.usable_bytes(), memory.committed_bytes(), memory.ahead_bytes());
        for budget in [Budget::bytes(0), Budget::time(Duration::ZERO)] {
            let given = memory.shrink_to(0, budget).unwrap();
            assert_eq!((given.bytes, given.is_done), (0, false));
            let after = (memory.usable_bytes(), memory.committed_bytes(), memory.ahead_bytes());
            assert_eq!(after, before, "{ahead:?}");
            assert_eq!(memory.prefault_ahead(0, budget).bytes, 0);
        }
        assert!(memory.shrink_to(0, Budget::time(Duration::from_secs(3600))).unwrap().is_done);
        assert_eq!(memory.usable_bytes(), 0);
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn a_shrink_refused_half_way_loses_nothing() {
    for ahead in KINDS {
        for pass in 0..4 {
            let mut memory = growing(16 * MIB, ahead);
            let usable = memory.grow_to(6 * MIB).unwrap();
            fill(&memory, 0..usable, 7);
            work(&memory);
            let before = memory.committed_bytes();
            let fault = Fault::nth(Call::Decommit, pass);
            let result = memory.shrink_to(MIB, Budget::bytes(usize::MAX - 1));
            assert!(result.is_err() && fault.failures() == 1);
            drop(fault);
            let kept = memory.usable_bytes();
            let committed = memory.committed_bytes();
            assert!(committed <= before && kept <= committed && kept >= MIB, "{ahead:?}, {pass}");
            assert_eq!(committed == before, pass == 0, "{ahead:?}, {pass}");
            assert_eq!(system_committed(&memory), committed);
            assert!(holds(&memory, 0..kept, 7));

            // Grow and shrink again from there.
            let usable = memory.grow_to(8 * MIB).unwrap();
            assert!(holds(&memory, kept..usable, 0) && holds(&memory, 0..kept, 7));
            assert!(memory.shrink_to(MIB, Budget::UNLIMITED).unwrap().is_done);
            assert!(memory.usable_bytes() < 2 * MIB && holds(&memory, 0..MIB, 7));
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn refused_growth_changes_nothing_and_can_be_tried_again() {
    for ahead in KINDS {
        for amount in [Amount::AtLeast, Amount::Exact] {
            let mut memory = growing(64 * MIB, ahead);
            let usable = memory.grow_to(3 * MIB).unwrap();
            fill(&memory, 0..usable, 7);
            let committed = memory.committed_bytes();
            let fault = Fault::from_nth(Call::Commit, 0);
            let error = memory.grow(20 * MIB, amount).unwrap_err();
            assert!(fault.failures() > 0 && error.bytes() >= 16 * MIB, "{ahead:?}: {error}");
            drop(fault);
            assert_eq!((memory.usable_bytes(), memory.committed_bytes()), (usable, committed));
            assert_eq!(system_committed(&memory), committed);
            assert!(holds(&memory, 0..usable, 7));
            work(&memory);
            memory.grow(20 * MIB, amount).unwrap();
            assert!(memory.usable_bytes() >= 20 * MIB);
            assert!(holds(&memory, usable..20 * MIB, 0) && holds(&memory, 0..usable, 7));
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn growth_takes_what_it_needs_if_larger_steps_are_refused() {
    for ahead in [CommitAhead::Off, CommitAhead::Auto] {
        let mut memory = growing(64 * MIB, ahead);
        // Until steps have become large.
        let mut usable = 0;
        while usable < 8 * MIB {
            usable = memory.grow_to(memory.committed_bytes() + 1).unwrap();
        }
        fill(&memory, 0..usable, 7);
        let mut ends = vec![usable];
        // Smaller steps, until the page that is needed is refused.
        for refused in 1.. {
            let end = memory.usable_bytes();
            let fault = Fault::plan(Call::Commit, 0, refused);
            let result = memory.grow_to(memory.committed_bytes() + 1);
            let failures = fault.failures();
            drop(fault);
            if result.is_err() {
                assert!(0 < failures && failures <= refused, "{ahead:?}: {failures}");
                assert_eq!(memory.usable_bytes(), end);
                break;
            }
            assert_eq!(failures, refused, "{ahead:?}");
            assert!(memory.usable_bytes() > end);
            assert!(holds(&memory, end..memory.usable_bytes(), 0));
            ends.push(memory.usable_bytes());
        }
        assert!(ends.len() > 2, "{ahead:?}: {ends:?}");
        assert!(holds(&memory, 0..usable, 7) && memory.grow_to(60 * MIB).is_ok());
    }
}

#[test]
#[cfg_attr(no_vm, ignore = "no thread makes memory ready there")]
fn memory_ahead_of_other_arrays_is_taken_back_before_growth_fails() {
    let new = |ahead| Reservation::new(16 * MIB).unwrap().growing().commit_ahead(ahead);
    for ahead in [CommitAhead::Off, CommitAhead::Bytes(MIB)] {
        // Other tests also have memory refused, and take back what is ready here.
        let is_seen = (0..100).any(|_| {
            let mut other = new(CommitAhead::Bytes(MIB));
            let usable = other.grow_to(1).unwrap();
            fill(&other, 0..usable, 7);
            let mut memory = growing(64 * MIB, CommitAhead::Off);
            if ahead.is_on() {
                memory = growing(64 * MIB, ahead);
            }
            let prefaulted = other.prefault_ahead(1, Budget::UNLIMITED);
            let fault = Fault::nth(Call::Commit, 0);
            let grown = memory.grow(page_size(), Amount::Exact);
            let failures = fault.failures();
            drop(fault);
            assert_eq!(failures, 1);
            assert!(holds(&other, 0..usable, 7));
            let is_ready = prefaulted.refused.is_none() && prefaulted.ahead_bytes >= MIB;
            is_ready && grown.is_ok() && memory.usable_bytes() >= page_size()
        });
        assert!(is_seen, "growth failed although memory was ready ahead of another array");
    }
}

#[test]
#[cfg_attr(no_vm, ignore = "residency is unknown there")]
fn memory_is_prefaulted_within_the_budget_without_the_service() {
    let mut memory = growing(64 * MIB, CommitAhead::Off);
    let piece = memory.prefault_ahead(0, Budget::bytes(1));
    let run = memory.reservation().unwrap().run_bytes(0);
    assert_eq!((piece.bytes, piece.ahead_bytes, piece.refused), (run, run, None));
    let all = memory.prefault_ahead(0, Budget::UNLIMITED);
    assert_eq!((all.bytes, all.ahead_bytes), (4 * MIB - run, 4 * MIB));
    assert_eq!(memory.prefault_ahead(0, Budget::UNLIMITED).bytes, 0);
    // As much as is used, at most 4 MiB.
    memory.grow_to(5 * MIB).unwrap();
    assert_eq!(memory.prefault_ahead(MIB, Budget::UNLIMITED).bytes, 0);
    let usable = memory.usable_bytes();
    let ahead = memory.prefault_ahead(usable, Budget::bytes(usize::MAX - 1));
    assert!(ahead.ahead_bytes >= 4 * MIB, "{ahead:?}");
    assert!(holds(&memory, 0..memory.usable_bytes(), 0));
    // Returned memory is made resident again.
    memory.shrink_to(0, Budget::UNLIMITED).unwrap();
    assert!(memory.prefault_ahead(0, Budget::UNLIMITED).ahead_bytes >= 4 * MIB);
    // From the page that is used in part.
    let mut memory = growing(64 * MIB, CommitAhead::Off);
    memory.grow_to(MIB).unwrap();
    let used = page_size() - 1;
    let done = memory.prefault_ahead(used, Budget::UNLIMITED);
    assert_eq!((done.bytes, done.refused), (used + done.ahead_bytes, None));
    assert!(done.bytes > page_size());
    // To the end of memory that is not whole pages.
    let mut block = GrowingReservation::in_heap(1000, 8).unwrap();
    let done = block.prefault_ahead_within(10, 1000, Budget::UNLIMITED);
    assert_eq!((done.ahead_bytes, done.refused), (990, None));
}

#[test]
#[cfg_attr(no_vm, ignore = "residency is unknown there")]
fn pages_touched_by_use_are_not_counted_as_prefaulted() {
    if cfg!(any(target_os = "openbsd", miri)) {
        return;
    }
    for budget in [Budget::UNLIMITED, Budget::bytes(MIB), Budget::bytes(1)] {
        for written in [1, 100 * KIB, MIB, 2 * MIB + 1] {
            let mut memory = growing(64 * MIB, CommitAhead::Off);
            memory.grow_to(written).unwrap();
            fill(&memory, 0..written, 7);
            let before = memory.resident_bytes().unwrap();
            assert!((written..written + page_size()).contains(&before), "{before}");
            // Both past what is used now, and past what was written.
            let mut sum = 0;
            loop {
                let prefaulted = memory.prefault_ahead(0, budget);
                assert_eq!(prefaulted.refused, None);
                let resident = memory.resident_bytes().unwrap();
                sum += prefaulted.bytes;
                assert_eq!(resident - before, sum, "{written}");
                if prefaulted.bytes == 0 {
                    break;
                }
            }
            assert_eq!(memory.prefault_ahead(0, budget).ahead_bytes, 4 * MIB);
            assert!(holds(&memory, 0..written, 7));
        }
    }
}

#[test]
#[cfg_attr(no_vm, ignore = "residency is unknown there")]
fn pages_resident_before_the_first_growth_are_not_counted_as_prefaulted() {
    if cfg!(any(target_os = "openbsd", miri)) {
        return;
    }
    for ahead in KINDS {
        let reservation = Reservation::new(64 * MIB).unwrap();
        reservation.prefault(..128 * KIB).unwrap();
        let mut memory = reservation.growing();
        if ahead.is_on() {
            memory = memory.unattended(ahead);
        }
        let before = memory.resident_bytes().unwrap();
        let prefaulted = memory.prefault_ahead(0, Budget::UNLIMITED);
        let more = memory.resident_bytes().unwrap() - before;
        assert_eq!(prefaulted.bytes, more, "{ahead:?}: {prefaulted:?}");
        assert_eq!(prefaulted.bytes + 128 * KIB, prefaulted.ahead_bytes, "{ahead:?}");
    }
}

#[test]
fn prefault_ahead_reports_refusals_and_what_was_done() {
    for ahead in KINDS {
        for call in [Call::Commit, Call::Prefault] {
            for pass in 0..3 {
                let mut memory = growing(64 * MIB, ahead);
                let fault = Fault::from_nth(call, pass);
                let first = memory.prefault_ahead(0, Budget::UNLIMITED);
                let failures = fault.failures();
                drop(fault);
                assert_eq!(first.refused.is_some(), failures > 0, "{ahead:?}, {call:?}, {pass}");
                assert_eq!(first.bytes, first.ahead_bytes, "{ahead:?}, {call:?}, {pass}");
                let second = memory.prefault_ahead(0, Budget::UNLIMITED);
                assert_eq!(second.refused, None);
                assert_eq!(first.bytes + second.bytes, second.ahead_bytes, "{ahead:?}");
                let end = memory.grow_to(second.ahead_bytes).unwrap();
                assert!(holds(&memory, 0..end, 0));
            }
        }
    }
}

#[test]
#[cfg_attr(no_vm, ignore = "nothing is made ready there")]
fn prefaulting_helps_the_service() {
    let mut memory = growing(64 * MIB, CommitAhead::Bytes(2 * MIB));
    let first = memory.prefault_ahead(0, Budget::bytes(1));
    assert!(first.bytes > 0 && first.bytes < MIB, "{first:?}");
    assert_eq!((first.ahead_bytes, memory.ahead_bytes()), (first.bytes, first.bytes));
    work(&memory);
    assert_eq!(memory.prefault_ahead(0, Budget::UNLIMITED).bytes, 0);
    assert_eq!(memory.ahead_bytes(), 2 * MIB);
    memory.grow_to(MIB).unwrap();
    let more = memory.prefault_ahead(MIB, Budget::UNLIMITED);
    assert!((2 * MIB..3 * MIB).contains(&more.ahead_bytes));
    assert_eq!(memory.late(), 0);
}

#[test]
fn discarded_pages_are_zero_and_usable() {
    for ahead in KINDS {
        let mut memory = growing(16 * MIB, ahead);
        let usable = memory.grow_to(4 * MIB).unwrap();
        fill(&memory, 0..usable, 7);
        work(&memory);
        memory.discard(MIB..2 * MIB).unwrap();
        assert!(holds(&memory, MIB..2 * MIB, 0));
        assert!(holds(&memory, 0..MIB, 7) && holds(&memory, 2 * MIB..usable, 7));
        let fault = Fault::nth(Call::Discard, 0);
        assert!(memory.discard(2 * MIB..3 * MIB).is_err());
        drop(fault);
        assert!(holds(&memory, 2 * MIB..3 * MIB, 7), "{ahead:?}");
    }
}

#[test]
fn commit_ahead_can_be_changed() {
    let reservation = || Reservation::new(64 * MIB).unwrap();
    let mut memory = reservation().growing().commit_ahead(CommitAhead::Off);
    assert!(memory.grow_to(1).unwrap() >= 1 && memory.ahead_bytes() == 0);
    let usable = memory.usable_bytes();
    fill(&memory, 0..usable, 7);
    // Usable memory stays; its last unit may be used in part.
    memory = memory.commit_ahead(CommitAhead::Bytes(MIB));
    assert_eq!(memory.usable_bytes(), usable);
    for ahead in [CommitAhead::Bytes(2 * MIB), CommitAhead::Auto, CommitAhead::Off] {
        let used = memory.usable_bytes();
        memory = memory.commit_ahead(ahead);
        assert_eq!(memory.usable_bytes(), used);
        let prefaulted = memory.prefault_ahead(used, Budget::UNLIMITED);
        assert_eq!(prefaulted.refused, None);
        let end = memory.grow_to(used + 3 * MIB).unwrap();
        assert!(holds(&memory, used..end, 0) && holds(&memory, 0..used, 7));
        fill(&memory, used..end, 7);
    }
}

#[test]
#[cfg_attr(no_vm, ignore = "nothing is made ready there")]
fn shrinking_to_more_than_is_usable_returns_nothing() {
    for is_served in [false, true] {
        let mut memory = Reservation::new(64 << 20).unwrap().growing();
        if is_served {
            memory = memory.unattended(CommitAhead::Bytes(1 << 20));
        }
        let usable = memory.grow_to(16 << 20).unwrap();
        for keep in [usable, 64 << 20, usize::MAX / 2, usize::MAX] {
            memory.shrink_to(keep, Budget::UNLIMITED).unwrap();
            assert_eq!(memory.usable_bytes(), usable, "{keep}");
        }
        fill(&memory, 0..usable, 7);
        let prefaulted = memory.prefault_ahead(usize::MAX, Budget::bytes(1));
        assert!(prefaulted.ahead_bytes > 0 && prefaulted.refused.is_none(), "{prefaulted:?}");
    }
}

#[test]
#[cfg_attr(no_vm, ignore = "nothing is made ready there")]
fn nothing_is_made_ready_between_a_shrink_and_the_next_growth() {
    let mut memory = growing(64 * MIB, CommitAhead::Bytes(MIB));
    memory.grow_to(5 * MIB).unwrap();
    work(&memory);
    memory.shrink_to(MIB, Budget::UNLIMITED).unwrap();
    let committed = memory.committed_bytes();
    work(&memory);
    assert_eq!(memory.committed_bytes(), committed);
    memory.grow_to(committed + 1).unwrap();
    work(&memory);
    assert!(memory.ahead_bytes() >= MIB);
}

#[test]
fn memory_becomes_served_by_default_only_once_it_is_large() {
    let is_alone = |memory: &GrowingReservation| matches!(memory.memory(), Storage::Reserved(_));
    let mut memory = growing(64 * MIB, CommitAhead::Off);
    for (ahead, large_from) in [
        (CommitAhead::Off, usize::MAX),
        (CommitAhead::Large, service::LARGE_ARRAY_BYTES),
        (CommitAhead::Bytes(0), usize::MAX),
        (CommitAhead::Large, service::LARGE_ARRAY_BYTES),
    ] {
        memory.serve(ahead);
        assert!(memory.large_from == large_from && is_alone(&memory), "{ahead:?}");
    }
    memory.stay_unserved();
    assert_eq!(memory.large_from, usize::MAX);
}

#[test]
#[cfg_attr(no_vm, ignore = "nothing is made ready there")]
fn half_as_much_is_made_ready_as_is_used_if_no_more_was_asked_for() {
    for (ahead, windows) in [
        (CommitAhead::Auto, 60 * MIB..=64 * MIB),
        (CommitAhead::Large, 16 * MIB..=16 * MIB),
        (CommitAhead::Bytes(MIB), MIB..=MIB),
    ] {
        let mut memory = growing(64 * MIB, CommitAhead::Bytes(1)).commit_ahead(ahead);
        // All in one frame.
        memory.grow(1, Amount::Exact).unwrap();
        memory.grow(32 * MIB, Amount::Exact).unwrap();
        let window = memory.served().shared().window_bytes();
        assert!(windows.contains(&window), "{ahead:?}: {window}");
    }
}

#[test]
#[cfg_attr(no_vm, ignore = "no thread makes memory ready there")]
fn little_is_made_ready_before_use_if_memory_starts_small() {
    for (recent, is_small) in [(Recent::NONE, false), (Recent::SMALL_START, true)] {
        let mut memory = Reservation::new(64 * MIB).unwrap().growing();
        memory.front.recent = recent;
        memory = memory.commit_ahead(CommitAhead::Auto);
        let window = memory.served().shared().window_bytes();
        assert_eq!(window < service::LEAST_WINDOW_BYTES, is_small, "{window}");
        assert_eq!(memory.front.recent.starts_small(), is_small);
    }
}
