//! `Reservation`: which pages are accessible, what they hold, and which ranges are refused.

#![expect(unsafe_code, reason = "reads and writes the memory that was committed")]
#![expect(clippy::range_plus_one, clippy::range_minus_one, reason = "both forms are tested")]

use stayput::{Error, ErrorKind, HugePages, Locked, Reservation, ReservationBuilder, page_size};
use std::ops::{Bound, RangeBounds};

/// A reservation of that many pages.
fn pages(count: usize) -> Reservation {
    let range = Reservation::new(count * page_size()).unwrap();
    assert_eq!(range.reserved_bytes(), count * page_size());
    range
}

/// Reads a byte of a committed page.
fn read(range: &Reservation, offset: usize) -> u8 {
    assert_access(range, offset, true);
    let at = range.as_ptr().wrapping_add(offset);
    // SAFETY: the page was just found to be readable, and nothing else uses the range.
    unsafe { at.read() }
}

/// Writes a byte of a committed page.
fn write(range: &Reservation, offset: usize, value: u8) {
    assert_access(range, offset, true);
    let at = range.as_ptr().wrapping_add(offset);
    // SAFETY: the page was just found to be writable, and nothing else uses the range.
    unsafe { at.write(value) }
}

/// Asserts, from what the system reports, that a byte is both readable and writable, or neither.
#[track_caller]
fn assert_access(range: &Reservation, offset: usize, accessible: bool) {
    let at = range.as_ptr().wrapping_add(offset);
    let there = region::query(at).unwrap();
    assert_eq!(there.is_readable(), accessible, "offset {offset}");
    assert_eq!(there.is_writable(), accessible, "offset {offset}");
    assert!(!there.is_executable() && !there.is_shared(), "offset {offset}");
}

/// Asserts for each page whether it is accessible.
#[track_caller]
fn assert_pages(range: &Reservation, expected: &[bool]) {
    let page = page_size();
    assert_eq!(range.reserved_bytes(), expected.len() * page);
    for (i, accessible) in expected.iter().enumerate() {
        assert_access(range, i * page, *accessible);
        assert_access(range, (i + 1) * page - 1, *accessible);
    }
    let committed = expected.iter().filter(|accessible| **accessible).count();
    assert_eq!(range.committed_bytes(), Ok(committed * page));
}

#[test]
#[cfg_attr(no_vm, ignore = "nothing is inaccessible there")]
fn committed_pages_are_accessible_and_no_others() {
    let page = page_size();
    let mut range = pages(6);
    assert_pages(&range, &[false; 6]);
    range.commit(page..3 * page).unwrap();
    assert_pages(&range, &[false, true, true, false, false, false]);
    range.commit(2 * page..5 * page).unwrap();
    assert_pages(&range, &[false, true, true, true, true, false]);
    range.decommit(2 * page..3 * page).unwrap();
    assert_pages(&range, &[false, true, false, true, true, false]);
    range.decommit(..).unwrap();
    assert_pages(&range, &[false; 6]);
    range.commit(..).unwrap();
    assert_pages(&range, &[true; 6]);
}

#[test]
#[cfg_attr(no_vm, ignore = "nothing is inaccessible there")]
fn the_page_past_the_end_is_never_accessible() {
    let page = page_size();
    for huge_pages in [HugePages::Auto, HugePages::Always, HugePages::Never] {
        for bytes in [0, 1, page, 5 * page, (4 << 20) + 1, 16 << 20] {
            for align in [1, page, 1 << 20] {
                let builder = Reservation::builder().bytes(bytes).align(align);
                let range = builder.huge_pages(huge_pages).reserve().unwrap();
                assert_eq!(range.reserved_bytes(), bytes.div_ceil(page) * page);
                range.commit(..).unwrap();
                assert_access(&range, range.reserved_bytes(), false);
                assert_access(&range, range.reserved_bytes() + page - 1, false);
                assert_eq!(range.committed_bytes(), Ok(range.reserved_bytes()));
            }
        }
    }
}

#[test]
#[cfg_attr(no_vm, ignore = "mappings are not reported there")]
fn the_range_is_released_on_drop() {
    let page = page_size();
    // Another thread may reuse the range at once, so one of several attempts must show it.
    let released = (0..20).any(|_| {
        let range = pages(64);
        range.commit(..).unwrap();
        let at = range.as_ptr();
        drop(range);
        match region::query_range(at, 64 * page) {
            Err(region::Error::UnmappedRegion) => true,
            Err(other) => panic!("{other}"),
            Ok(mut parts) => parts.all(|part| !part.is_ok_and(|part| part.is_committed())),
        }
    });
    assert!(released);
}

#[test]
fn commit_keeps_contents_and_adds_zeroed_pages() {
    let page = page_size();
    let range = pages(4);
    range.commit(..2 * page).unwrap();
    write(&range, 0, 1);
    write(&range, 2 * page - 1, 2);
    range.commit(..).unwrap();
    range.commit(page..2 * page).unwrap();
    range.prefault(..).unwrap();
    assert_eq!((read(&range, 0), read(&range, 2 * page - 1)), (1, 2));
    assert!((2 * page..4 * page).all(|offset| {
        // SAFETY: the page was committed above, and nothing else uses the range.
        unsafe { range.as_ptr().wrapping_add(offset).read() == 0 }
    }));
}

#[test]
fn recommitted_pages_are_zero_and_their_neighbours_unchanged() {
    let page = page_size();
    let mut range = pages(3);
    range.commit(..).unwrap();
    for i in 0..3 {
        write(&range, i * page, 7);
    }
    range.decommit(page..2 * page).unwrap();
    range.commit(page..2 * page).unwrap();
    assert_eq!([0, page, 2 * page].map(|offset| read(&range, offset)), [7, 0, 7]);
}

#[test]
fn discarded_pages_read_as_zero_and_stay_accessible() {
    let page = page_size();
    let mut range = pages(4);
    range.commit(..3 * page).unwrap();
    for i in 0..3 {
        write(&range, i * page + 5, 7);
    }
    // The last page was not committed before, and is now.
    range.discard(page..).unwrap();
    assert_pages(&range, &[true; 4]);
    let bytes = [0, page, 2 * page, 3 * page].map(|offset| read(&range, offset + 5));
    assert_eq!(bytes, [7, 0, 0, 0]);
    write(&range, page, 1);
    assert_eq!(read(&range, page), 1);
}

#[test]
#[cfg_attr(no_vm, ignore = "resident pages are not reported there")]
fn prefaulting_makes_pages_resident_until_they_are_decommitted() {
    let page = page_size();
    let mut range =
        Reservation::builder().bytes(64 * page).huge_pages(HugePages::Never).reserve().unwrap();
    assert_eq!(range.resident_bytes(), Ok(0));
    range.commit(..32 * page).unwrap();
    assert_eq!(range.resident_bytes(), Ok(0));
    range.prefault(8 * page..24 * page).unwrap();
    assert_eq!(range.resident_bytes(), Ok(16 * page));
    assert_eq!(range.committed_bytes(), Ok(32 * page));
    // Commits pages that are not committed yet.
    range.prefault(60 * page..).unwrap();
    assert_eq!(range.committed_bytes(), Ok(36 * page));
    assert_eq!(range.resident_bytes(), Ok(20 * page));

    range.discard(8 * page..12 * page).unwrap();
    assert_eq!(range.resident_bytes(), Ok(16 * page));
    assert_eq!(range.committed_bytes(), Ok(36 * page));
    range.decommit(12 * page..24 * page).unwrap();
    assert_eq!(range.resident_bytes(), Ok(4 * page));
    assert_eq!(range.committed_bytes(), Ok(24 * page));
}

/// Returns `true` under a sanitizer, which reserves terabytes of addresses.
fn under_sanitizer() -> bool {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: usize = statm.split(' ').next().and_then(|text| text.parse().ok()).unwrap_or(0);
    pages / (1 << 20) * page_size() > 1 << 20
}

#[test]
#[cfg_attr(no_vm, ignore = "nothing can be locked there")]
fn locked_pages_are_resident_until_released() {
    let page = page_size();
    let mut range = pages(4);
    // Some containers allow no locked memory.
    let lock = match range.lock(..2 * page) {
        Ok(lock) => lock,
        Err(error) if error.kind() == ErrorKind::LockLimit => {
            eprintln!("SKIPPED: {error}");
            return;
        }
        Err(error) => panic!("{error}"),
    };
    assert_eq!(lock.bytes(), 2 * page);
    assert_eq!(format!("{lock:?}"), format!("Locked {{ bytes: {}, .. }}", 2 * page));
    assert_eq!(range.committed_bytes(), Ok(2 * page));
    // Sanitizers turn `mlock` into a no-op.
    assert!(range.resident_bytes().unwrap() >= 2 * page || under_sanitizer());
    write(&range, 0, 3);
    // The same pages twice: the guards may be dropped in any order.
    let again = range.lock(page..3 * page).unwrap();
    drop(lock);
    drop(again);
    let empty = range.lock(page..page).unwrap();
    assert_eq!(empty.bytes(), 0);
    drop(empty);
    std::mem::forget(range.lock(..page).unwrap());
    assert_eq!(read(&range, 0), 3);
    range.decommit(..).unwrap();
    assert_pages(&range, &[false; 4]);
}

/// Passes the range to every method that takes one, and returns the error, on which all must agree.
#[track_caller]
fn refusal(range: &mut Reservation, part: impl RangeBounds<usize> + Clone) -> Error {
    let errors = [
        range.commit(part.clone()).unwrap_err(),
        range.prefault(part.clone()).unwrap_err(),
        range.lock(part.clone()).map(|lock| lock.bytes()).unwrap_err(),
        range.discard(part.clone()).unwrap_err(),
        range.decommit(part).unwrap_err(),
    ];
    assert!(errors.iter().all(|error| *error == errors[0]), "{errors:?}");
    assert_eq!(errors[0].raw_os_error(), None);
    errors[0]
}

#[test]
#[cfg_attr(no_vm, ignore = "nothing is inaccessible there")]
fn ranges_out_of_bounds_are_refused() {
    let page = page_size();
    let total = 4 * page;
    let mut range = pages(4);
    range.commit(..page).unwrap();
    write(&range, 0, 9);
    let excluded = |start, end| (Bound::Excluded(start), Bound::Excluded(end));
    let refusals = [
        (refusal(&mut range, ..total + 1), total + 1),
        (refusal(&mut range, ..total + page), total + page),
        (refusal(&mut range, ..usize::MAX), usize::MAX),
        (refusal(&mut range, ..=total), total + 1),
        (refusal(&mut range, ..=usize::MAX), usize::MAX),
        (refusal(&mut range, 0..=usize::MAX), usize::MAX),
        (refusal(&mut range, usize::MAX..), total),
        (refusal(&mut range, usize::MAX..usize::MAX), usize::MAX),
        (refusal(&mut range, 3 * page..total + page), total + page),
        (refusal(&mut range, page..total + page), total + page),
        (refusal(&mut range, total..total + page), total + page),
        (refusal(&mut range, total + page..), total),
        (refusal(&mut range, total + page..total + 2 * page), total + 2 * page),
        (refusal(&mut range, 2 * page..page), page),
        (refusal(&mut range, page..0), 0),
        (refusal(&mut range, usize::MAX..page), page),
        (refusal(&mut range, usize::MAX - page + 1..2 * page), 2 * page),
        (refusal(&mut range, excluded(usize::MAX, page)), usize::MAX),
        (refusal(&mut range, excluded(usize::MAX, usize::MAX)), usize::MAX),
    ];
    for (error, end) in refusals {
        assert_eq!(error.kind(), ErrorKind::OutOfBounds);
        assert_eq!((error.bytes(), error.limit()), (end, Some(total as u64)));
        let text = error.to_string();
        assert!(text.contains(&end.to_string()) && text.contains(&total.to_string()), "{text}");
    }
    assert_pages(&range, &[true, false, false, false]);
    assert_eq!(read(&range, 0), 9);
}

#[test]
#[cfg_attr(no_vm, ignore = "nothing is inaccessible there")]
fn ranges_of_partial_pages_are_refused() {
    let page = page_size();
    let mut range = pages(4);
    let refusals = [
        (refusal(&mut range, 1..page), 1, page - 1),
        (refusal(&mut range, ..page - 1), page - 1, page - 1),
        (refusal(&mut range, ..=page), page + 1, page + 1),
        (refusal(&mut range, page / 2..page / 2), page / 2, 0),
        (refusal(&mut range, page + 1..2 * page + 1), page + 1, page),
        (refusal(&mut range, (Bound::Excluded(0), Bound::Unbounded)), 1, 4 * page - 1),
    ];
    for (error, unaligned, bytes) in refusals {
        assert_eq!((error.kind(), error.bytes()), (ErrorKind::Alignment, bytes));
        assert_eq!(error.limit(), Some(unaligned as u64));
        assert!(error.to_string().contains(&unaligned.to_string()), "{error}");
    }
    assert_pages(&range, &[false; 4]);
}

#[test]
#[cfg_attr(no_vm, ignore = "nothing is inaccessible there")]
fn every_form_of_range_means_what_it_means_for_slices() {
    let page = page_size();
    let mut range = pages(4);
    range.commit(..=page - 1).unwrap();
    assert_pages(&range, &[true, false, false, false]);
    range.commit(3 * page..).unwrap();
    assert_pages(&range, &[true, false, false, true]);
    range.decommit(0..=page - 1).unwrap();
    assert_pages(&range, &[false, false, false, true]);
    range.commit((Bound::Excluded(page - 1), Bound::Included(2 * page - 1))).unwrap();
    assert_pages(&range, &[false, true, false, true]);
    // An empty range, at any page boundary up to the end.
    for empty in [0..0, page..page, 4 * page..4 * page] {
        range.commit(empty.clone()).unwrap();
        range.prefault(empty.clone()).unwrap();
        range.discard(empty.clone()).unwrap();
        range.decommit(empty).unwrap();
    }
    assert_pages(&range, &[false, true, false, true]);
}

#[test]
fn alignments_that_are_not_powers_of_two_are_refused() {
    for align in [0, 3, 12, 4097, usize::MAX, usize::MAX / 2] {
        let error = Reservation::builder().bytes(4096).align(align).reserve().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Alignment);
        assert_eq!((error.bytes(), error.limit()), (4096, Some(align as u64)));
        assert!(error.to_string().contains(&align.to_string()), "{error}");
    }
}

#[test]
fn alignments_beyond_the_address_space_are_refused() {
    // On 32-bit systems an alignment of 1 GiB may be available.
    let least = if cfg!(target_pointer_width = "64") { 62 } else { 31 };
    for shift in least..usize::BITS {
        let error = Reservation::builder().bytes(1).align(1 << shift).reserve().unwrap_err();
        assert!(
            matches!(
                error.kind(),
                ErrorKind::CapacityOverflow | ErrorKind::AddressSpace | ErrorKind::AddressLimit
            ),
            "{error}"
        );
    }
}

#[test]
#[cfg_attr(no_vm, ignore = "nothing is inaccessible there")]
fn an_empty_range_can_be_reserved() {
    for mut range in [
        Reservation::new(0).unwrap(),
        Reservation::builder().reserve().unwrap(),
        ReservationBuilder::default().align(1 << 16).reserve().unwrap(),
    ] {
        assert_eq!((range.reserved_bytes(), range.committed_bytes()), (0, Ok(0)));
        assert_eq!(range.resident_bytes(), Ok(0));
        assert_eq!(range.as_ptr().addr() % page_size(), 0);
        range.commit(..).unwrap();
        range.prefault(..).unwrap();
        range.discard(..).unwrap();
        range.decommit(..).unwrap();
        assert_eq!(refusal(&mut range, ..page_size()).kind(), ErrorKind::OutOfBounds);
        assert_access(&range, 0, false);
    }
}

#[test]
fn threads_may_share_it() {
    static_assertions::assert_impl_all!(Reservation: Send, Sync);
    static_assertions::assert_impl_all!(Locked<'static>: Send, Sync);
    let page = page_size();
    let range = pages(64);
    let barrier = std::sync::Barrier::new(4);
    std::thread::scope(|threads| {
        for thread in 0..4 {
            let (range, barrier) = (&range, &barrier);
            threads.spawn(move || {
                barrier.wait();
                // All threads commit overlapping ranges; each writes only to its own pages.
                for i in (thread..64).step_by(4) {
                    let end = (i + 8).min(64);
                    range.commit(i * page..end * page).unwrap();
                    let at = range.as_ptr().wrapping_add(i * page);
                    // SAFETY: the page is committed, and only this thread uses it.
                    unsafe { at.write(i.to_le_bytes()[0]) };
                }
            });
        }
    });
    assert_pages(&range, &[true; 64]);
    assert!((0..64).all(|i| usize::from(read(&range, i * page)) == i));

    // Created on one thread, dropped on another.
    std::thread::spawn(move || drop(range)).join().unwrap();
}

#[test]
fn debug_output_shows_size_and_options() {
    let range = pages(2);
    let text = format!("{range:?}");
    assert!(text.contains("reserved_bytes") && text.contains("Auto"), "{text}");
    assert!(format!("{:?}", Reservation::builder().align(64)).contains("64"));
}
