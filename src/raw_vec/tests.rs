//! Tests that need refused calls or private parts. The others are in `tests/it`.

use super::*;
use crate::os::Call;
use crate::os::fault::Fault;
use crate::region_cache::tests::{alone, are_all};
use crate::reservation::Reservation;
use crate::reservation::{FLOOR_BYTES, HugePages, page_size};
use crate::service::{CommitAhead, Release};
use std::alloc::Layout;

mod movable;

const BYTE: Element = Element::of::<u8>();
const WORD: Element = Element::of::<u64>();
const KIB: usize = 1 << 10;

fn made(element: Element, options: Options) -> RawVec {
    RawVec::try_new(NonNull::dangling(), element, options).unwrap()
}

fn bytes_with(options: Options) -> RawVec {
    made(BYTE, options)
}

fn small_pages() -> Options {
    Options { huge_pages: HugePages::Never, ..Options::DEFAULT }
}

/// `size` must be a multiple of `align`, a power of two.
fn element(size: usize, align: usize) -> Element {
    Element::with_layout::<u8>(Layout::from_size_align(size, align).unwrap())
}

#[test]
fn growth_commits_doubling_steps() {
    let mut raw = bytes_with(small_pages());
    let mut committed = Vec::new();
    for _ in 0..4 {
        raw.grow(BYTE, raw.capacity(), 1, Amount::AtLeast).unwrap();
        committed.push(raw.committed_bytes() / KIB);
    }
    let first = page_size().max(64 * KIB) / KIB;
    assert_eq!(committed[0], first);
    assert!(committed.windows(2).all(|pair| pair[1] - pair[0] >= first));
    assert_eq!(committed[3], 960.max(4 * first));
}

#[test]
fn a_large_request_is_committed_at_once_and_exactly_if_asked() {
    let page = page_size();
    let mut raw = bytes_with(small_pages());
    raw.grow(BYTE, 0, 10 * page + 1, Amount::Exact).unwrap();
    assert_eq!(raw.committed_bytes(), 11 * page);
    assert_eq!(raw.capacity(), 11 * page);
    raw.grow(BYTE, 0, 5 << 20, Amount::AtLeast).unwrap();
    assert!(raw.committed_bytes() >= 5 << 20);
}

#[test]
fn capacity_is_what_fits_up_to_the_maximum() {
    let three = element(3, 1);
    let mut raw = made(three, Options { max_len: Some(100_000), ..small_pages() });
    raw.grow(three, 0, 1, Amount::AtLeast).unwrap();
    assert_eq!(raw.capacity(), raw.committed_bytes() / 3);
    raw.grow(three, 0, 100_000, Amount::AtLeast).unwrap();
    assert_eq!(raw.capacity(), 100_000);
    let full = raw.grow(three, 100_000, 1, Amount::AtLeast).unwrap_err();
    assert_eq!((full.kind(), full.limit()), (ErrorKind::MaxLen, Some(100_000)));
    assert_eq!(full.bytes(), 300_003);
    // Also if that is more than is reserved by default, or more than the container can number.
    let huge = usize::MAX / 4;
    assert_eq!(bytes_with(Options { max_len: Some(huge), ..small_pages() }).max_len(BYTE), huge);
    let bounded = Options { max_len: Some(100), bound: 10, ..small_pages() };
    assert_eq!(bytes_with(bounded).max_len(BYTE), 10);
}

#[test]
fn a_hint_is_cut_to_what_can_be_stored() {
    let with = |max_len| made(WORD, Options { max_len, ..small_pages() });
    let mut few = with(Some(1000));
    for _ in 0..2 {
        let within = [(0, 10), (990, 10), (990, 11), (1000, 9), (3, usize::MAX)]
            .map(|(len, additional)| few.within_max_len(WORD, len, additional));
        assert_eq!(within, [10, 10, 10, 0, 997]);
        few.reserve_addresses(WORD, 1).unwrap();
    }
    let (many, all) = (with(None), with(None).max_len(WORD));
    assert_eq!(many.within_max_len(WORD, 5, 100), 100);
    assert_eq!(many.within_max_len(WORD, 5, usize::MAX), all - 5);
}

#[test]
fn a_maximum_can_be_set_until_addresses_are_reserved() {
    let mut raw = made(WORD, Options { commit_ahead: CommitAhead::Off, ..small_pages() });
    raw.limit(WORD, 1000);
    assert_eq!(raw.max_len(WORD), 1000);
    raw.grow(WORD, 0, 1000, Amount::AtLeast).unwrap();
    raw.limit(WORD, 10);
    assert_eq!((raw.max_len(WORD), raw.capacity()), (1000, 1000));
    assert_eq!(raw.grow(WORD, 1000, 1, Amount::AtLeast).unwrap_err().limit(), Some(1000));
}

#[test]
fn an_array_that_is_to_stay_unserved_is_not_served_once_it_is_large() {
    for ahead in [CommitAhead::Large, CommitAhead::Bytes(1)] {
        let mut raw = bytes_with(Options { commit_ahead: ahead, ..small_pages() });
        raw.stay_unserved();
        let is_off = raw.options().commit_ahead == CommitAhead::Off;
        assert_eq!(is_off, ahead == CommitAhead::Large);
    }
}

#[test]
fn numbers_of_bytes_are_those_of_the_memory() {
    let mut raw = made(WORD, small_pages());
    assert_eq!((raw.run_bytes(0), raw.shrinks_to_bytes(WORD, 0)), (1, None));
    raw.grow(WORD, 0, 1 << 17, Amount::Exact).unwrap();
    let run = raw.run_bytes(0);
    assert_eq!(run, page_size().max(64 * KIB));
    assert_eq!(raw.shrinks_to_bytes(WORD, run / 8 + 1), Some(2 * run));
}

#[test]
#[cfg_attr(no_vm, ignore = "residency is unknown there")]
fn prefaulting_makes_the_pages_of_the_elements_resident_and_no_others() {
    if cfg!(any(target_os = "openbsd", miri)) {
        return;
    }
    let words = page_size() / 8;
    let mut raw = made(WORD, small_pages());
    raw.grow(WORD, 0, 16 * words, Amount::Exact).unwrap();
    raw.prefault(WORD, 4 * words + 1, 6 * words).unwrap();
    assert_eq!(raw.resident_bytes(), Some(2 * page_size()));
    raw.prefault(WORD, 16 * words, 17 * words).unwrap();
    raw.prefault(WORD, 20 * words, 30 * words).unwrap();
    assert_eq!(raw.resident_bytes(), Some(2 * page_size()));
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn smaller_steps_are_committed_if_a_whole_one_is_refused() {
    let mut raw = bytes_with(small_pages());
    raw.grow(BYTE, 0, 16 << 20, Amount::AtLeast).unwrap();
    for _ in 0..8 {
        raw.grow(BYTE, raw.capacity(), 1, Amount::AtLeast).unwrap();
    }
    let before = raw.committed_bytes();
    let fault = Fault::plan(Call::Commit, 0, 2);
    raw.grow(BYTE, before, 1, Amount::AtLeast).unwrap();
    assert_eq!(fault.failures(), 2);
    let quarter = raw.committed_bytes() - before;
    drop(fault);
    raw.grow(BYTE, raw.capacity(), 1, Amount::AtLeast).unwrap();
    assert_eq!(raw.committed_bytes() - before, 2 * quarter, "steps continue from the smaller one");
}

#[test]
fn what_is_needed_is_committed_if_all_larger_steps_are_refused() {
    let mut raw = bytes_with(small_pages());
    raw.grow(BYTE, 0, 1, Amount::AtLeast).unwrap();
    let before = raw.committed_bytes();
    // A step of 128 KiB, and half of it, unless half is the page that is needed.
    let steps = if page_size() < 64 * KIB { 2 } else { 1 };
    let fault = Fault::plan(Call::Commit, 0, steps);
    raw.grow(BYTE, before, 1, Amount::AtLeast).unwrap();
    assert_eq!(fault.failures(), steps);
    assert_eq!(raw.committed_bytes(), before + page_size());
}

#[test]
fn addresses_are_released_if_their_memory_is_refused() {
    let mut raw = bytes_with(Options::DEFAULT);
    let (start, max_len) = (raw.start(), raw.max_len(BYTE));
    let fault = Fault::from_nth(Call::Commit, 0);
    let error = raw.grow(BYTE, 0, 8 * max_len, Amount::AtLeast).unwrap_err();
    assert!(error.bytes() >= 8 * max_len);
    assert!(fault.failures() > 0);
    assert_eq!((raw.start(), raw.reserved_bytes(), raw.max_len(BYTE)), (start, 0, max_len));
}

#[test]
fn a_refused_commit_changes_nothing() {
    let mut raw = bytes_with(small_pages());
    raw.grow(BYTE, 0, 1, Amount::AtLeast).unwrap();
    let (start, capacity) = (raw.start(), raw.capacity());
    for amount in [Amount::AtLeast, Amount::Exact] {
        let fault = Fault::from_nth(Call::Commit, 0);
        let error = raw.grow(BYTE, capacity, 10 * KIB, amount).unwrap_err();
        assert!(fault.failures() > 0);
        assert!(error.bytes() >= 10 * KIB);
        assert_eq!((raw.start(), raw.capacity()), (start, capacity));
    }
    raw.grow(BYTE, capacity, 1, Amount::AtLeast).unwrap();
    assert_eq!(raw.start(), start);
}

#[test]
fn a_much_smaller_reservation_is_tried_if_the_default_is_refused() {
    // A refused call is tried again if another thread has released memory meanwhile.
    let _alone = alone();
    let mut whole = bytes_with(Options::DEFAULT);
    whole.reserve_addresses(BYTE, 0).unwrap();
    let mut less = bytes_with(Options::DEFAULT);
    let fault = Fault::nth(Call::Reserve, 0);
    less.reserve_addresses(BYTE, 0).unwrap();
    assert_eq!(fault.failures(), 1);
    let bytes = less.reserved_bytes();
    assert!((FLOOR_BYTES..=whole.reserved_bytes() / 16).contains(&bytes), "{bytes}");
}

#[test]
fn a_reservation_refused_at_every_size_is_an_error_and_can_be_tried_again() {
    // A refused call is tried again if another thread has released memory meanwhile.
    let _alone = alone();
    let mut raw = bytes_with(Options::DEFAULT);
    let fault = Fault::from_nth(Call::Reserve, 0);
    let error = raw.grow(BYTE, 0, 1, Amount::AtLeast).unwrap_err();
    assert!(fault.failures() > 2);
    assert!(error.bytes() >= 64 * KIB && error.bytes() < FLOOR_BYTES);
    assert_eq!((raw.capacity(), raw.reserved_bytes()), (0, 0));
    drop(fault);
    raw.grow(BYTE, 0, 1, Amount::AtLeast).unwrap();
}

#[test]
fn a_maximum_is_reserved_as_a_whole_or_not_at_all() {
    // A refused call is tried again if another thread has released memory meanwhile.
    let _alone = alone();
    let mut raw = bytes_with(Options { max_len: Some(1 << 20), ..Options::DEFAULT });
    let fault = Fault::nth(Call::Reserve, 0);
    assert!(raw.reserve_addresses(BYTE, 0).is_err());
    assert_eq!(fault.failures(), 1);
    raw.reserve_addresses(BYTE, 0).unwrap();
    assert_eq!(raw.reserved_bytes(), 1 << 20);
}

#[test]
fn shrinking_returns_whole_runs_and_starts_the_steps_over() {
    let run = page_size().max(64 * KIB);
    let mut raw = bytes_with(small_pages());
    raw.grow(BYTE, 0, 8 << 20, Amount::AtLeast).unwrap();
    raw.shrink(BYTE, 1, &mut BudgetMeter::unlimited()).unwrap();
    assert_eq!(raw.committed_bytes(), run);
    raw.grow(BYTE, run, 1, Amount::AtLeast).unwrap();
    assert_eq!(raw.committed_bytes(), 2 * run);
}

#[test]
fn shrinking_leaves_less_than_two_spare_runs_alone() {
    let run = page_size().max(64 * KIB);
    let mut raw = bytes_with(small_pages());
    raw.grow(BYTE, 0, 3 * run - page_size(), Amount::Exact).unwrap();
    let fault = Fault::from_nth(Call::Decommit, 0);
    raw.shrink(BYTE, run, &mut BudgetMeter::unlimited()).unwrap();
    assert_eq!(fault.failures(), 0);
    assert_eq!(raw.committed_bytes(), 3 * run - page_size());
}

#[test]
fn a_refused_decommit_keeps_the_memory() {
    let mut raw = bytes_with(small_pages());
    raw.grow(BYTE, 0, 1 << 20, Amount::AtLeast).unwrap();
    let before = raw.committed_bytes();
    let fault = Fault::from_nth(Call::Decommit, 0);
    let error = raw.shrink(BYTE, 0, &mut BudgetMeter::unlimited()).unwrap_err();
    assert!(error.bytes() >= 1 << 20);
    assert_eq!(raw.committed_bytes(), before);
    drop(fault);
    raw.shrink(BYTE, 0, &mut BudgetMeter::unlimited()).unwrap();
    assert_eq!((raw.committed_bytes(), raw.capacity()), (0, 0));
}

#[test]
fn grow_zeroed_returns_where_fresh_pages_begin() {
    let page = page_size();
    let mut raw = bytes_with(small_pages());
    assert_eq!(raw.grow_zeroed(BYTE, 0, 1 << 20).unwrap(), 0);
    // All of it may have been written to now. A little more room is not worth a call.
    assert_eq!(raw.grow_zeroed(BYTE, 100, 10).unwrap(), raw.committed_bytes());
    // Much room is committed again, past the page that is in use.
    assert_eq!(raw.grow_zeroed(BYTE, 100, 1 << 20).unwrap(), page);
    // If decommitting the pages is refused, all of them may be written to.
    let fault = Fault::from_nth(Call::Decommit, 0);
    let before = raw.committed_bytes();
    assert_eq!(raw.grow_zeroed(BYTE, 100, 512 * KIB).unwrap(), before);
    assert_eq!(fault.failures(), 1);
    drop(fault);
    // Also up to the maximum.
    let mut raw = bytes_with(Options { max_len: Some(1 << 20), ..small_pages() });
    raw.grow(BYTE, 0, 1 << 20, Amount::Exact).unwrap();
    assert_eq!(raw.grow_zeroed(BYTE, 100, (1 << 20) - 100).unwrap(), page);
}

#[test]
fn a_refused_grow_zeroed_keeps_used_elements() {
    let mut raw = bytes_with(Options { max_len: Some(4 << 20), ..small_pages() });
    raw.grow(BYTE, 0, 1 << 20, Amount::AtLeast).unwrap();
    let before = raw.committed_bytes();
    let full = raw.grow_zeroed(BYTE, 1 << 20, 4 << 20).unwrap_err();
    assert_eq!(full.kind(), ErrorKind::MaxLen);
    assert_eq!(raw.committed_bytes(), before);
    let fault = Fault::from_nth(Call::Commit, 0);
    assert!(raw.grow_zeroed(BYTE, 1000, 1 << 20).is_err());
    assert!(fault.failures() > 0);
    assert!(raw.capacity() >= 1000);
}

#[test]
fn sizes_that_overflow_are_errors() {
    let page = element(4096, 4096);
    let mut raw = bytes_with(Options::DEFAULT);
    for (len, additional) in [(1, usize::MAX), (0, usize::MAX), (0, isize::MAX as usize / 4096 + 1)]
    {
        let error = raw.grow(page, len, additional, Amount::AtLeast).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::CapacityOverflow);
    }
    assert_eq!(raw.reserved_bytes(), 0);
}

#[test]
fn elements_of_size_zero_need_no_memory() {
    let unit = Element::of::<()>();
    let mut raw = made(unit, Options::DEFAULT);
    assert_eq!(raw.capacity(), usize::MAX);
    raw.grow(unit, 0, usize::MAX, Amount::AtLeast).unwrap();
    raw.prefault(unit, 0, 100).unwrap();
    raw.shrink(unit, 0, &mut BudgetMeter::unlimited()).unwrap();
    assert_eq!((raw.reserved_bytes(), raw.committed_bytes()), (0, 0));
    let bounded = Options { max_len: Some(3), ..Options::DEFAULT };
    let mut raw = made(unit, bounded);
    assert_eq!(raw.capacity(), 3);
    assert_eq!(raw.grow(unit, 3, 1, Amount::AtLeast).unwrap_err().kind(), ErrorKind::MaxLen);
}

#[test]
fn alignments_above_the_page_size_are_respected() {
    let two_mib = element(2 << 20, 2 << 20);
    let mut raw = made(two_mib, small_pages());
    raw.grow(two_mib, 0, 3, Amount::AtLeast).unwrap();
    assert_eq!(raw.start().addr().get() % (2 << 20), 0);
    assert!(raw.capacity() >= 3);
}

/// Creates an array that only the test serves.
fn served(element: Element, max_len: usize, ahead: CommitAhead) -> RawVec {
    let options = Options { max_len: Some(max_len), ..small_pages() };
    let mut raw = made(element, options);
    let reservation = Reservation::builder()
        .bytes(element.size() * max_len)
        .align(element.align())
        .huge_pages(HugePages::Never)
        .reserve()
        .unwrap();
    raw.start = reservation.start();
    raw.cold.try_own().unwrap().memory = Some(reservation.growing().unattended(ahead));
    raw
}

fn work(raw: &RawVec) {
    raw.cold.memory().unwrap().served().work().unwrap();
}

#[test]
fn memory_ahead_does_not_exceed_the_maximum() {
    let (page, huge) = (page_size(), element(3 << 20, 1 << 20));
    for (element, max_len) in [
        (BYTE, 1),
        (BYTE, 300_000),
        (element(3, 1), 100_001),
        (element(8, 8), 4 * page / 8 + 1),
        (element(24, 8), 70_000),
        (element(4 * page, page), 50),
        (element(2 * page, 2 * page), 3),
        (huge, 4),
    ] {
        for ahead in [CommitAhead::Auto, CommitAhead::Bytes(1), CommitAhead::Bytes(usize::MAX)] {
            let mut raw = served(element, max_len, ahead);
            assert_eq!(raw.max_len(element), max_len);
            let start = raw.start();
            assert_eq!(start.addr().get() % element.align(), 0);
            let mut len = 0;
            while len < max_len {
                work(&raw);
                raw.grow(element, len, 1, Amount::AtLeast).unwrap();
                assert!(raw.capacity() > len && raw.capacity() <= max_len, "{element:?}");
                assert!(raw.capacity() * element.size() <= raw.committed_bytes());
                len = raw.capacity();
            }
            // If the window is smaller than an element, growth is late.
            assert!(
                raw.late() == 0 || ahead == CommitAhead::Bytes(1) && element.size() == huge.size()
            );
            let full = raw.grow(element, max_len, 1, Amount::AtLeast).unwrap_err();
            assert_eq!((full.kind(), full.limit()), (ErrorKind::MaxLen, Some(max_len as u64)));
            raw.shrink(element, 0, &mut BudgetMeter::unlimited()).unwrap();
            raw.grow(element, 0, max_len, Amount::Exact).unwrap();
            assert_eq!((raw.capacity(), raw.start()), (max_len, start));
        }
    }
}

#[test]
#[expect(unsafe_code, reason = "reads and writes committed memory")]
#[cfg_attr(miri, ignore = "takes minutes")]
fn grow_zeroed_returns_zeros_in_served_memory() {
    for ahead in [CommitAhead::Auto, CommitAhead::Bytes(1), CommitAhead::Bytes(512 * KIB)] {
        for (len, fault) in [(0, false), (100, false), (130 * KIB, false), (100, true)] {
            let mut raw = served(BYTE, 8 << 20, ahead);
            let bytes = |raw: &RawVec, range: Range<usize>| {
                assert!(range.end <= raw.capacity());
                // SAFETY: below the capacity, as asserted above, so committed. No thread writes to it.
                range
                    .clone()
                    .map(|i| unsafe { raw.start().as_ptr().wrapping_add(i).read() })
                    .collect::<Vec<_>>()
            };
            raw.grow(BYTE, 0, 3 << 20, Amount::AtLeast).unwrap();
            // SAFETY: `capacity` bytes are committed, and the test alone uses them.
            unsafe { raw.start().write_bytes(7, raw.capacity()) };
            work(&raw);
            let refused = fault.then(|| Fault::from_nth(Call::Decommit, 0));
            let zero_from = raw.grow_zeroed(BYTE, len, 4 << 20).unwrap();
            drop(refused);
            assert!(raw.capacity() >= len + (4 << 20));
            assert!(fault || zero_from < len + 256 * KIB, "{zero_from}");
            assert!(are_all(&bytes(&raw, 0..len), 7));
            let zeroes = bytes(&raw, zero_from.max(len)..raw.capacity());
            assert!(are_all(&zeroes, 0), "{ahead:?}, {len}, {fault}");
        }
    }
}
