//! Tests that need refused calls or private parts. The others are in `tests/it`.

use super::*;
use crate::os::Call;
use crate::os::fault::Fault;

const REFUSABLE: [Call; 6] =
    [Call::Reserve, Call::Commit, Call::Decommit, Call::Discard, Call::Prefault, Call::Lock];

#[test]
fn every_refused_call_becomes_an_error_and_changes_nothing() {
    let page = page_size();
    for call in REFUSABLE {
        let mut range = Reservation::new(16 * page).unwrap();
        range.commit(..4 * page).unwrap();
        let fault = Fault::from_nth(call, 0);
        let refused = match call {
            Call::Reserve => Reservation::new(page).map(drop),
            Call::Commit => range.commit(..8 * page),
            Call::Decommit => range.decommit(..4 * page),
            Call::Discard => range.discard(..4 * page),
            Call::Prefault => range.prefault(..4 * page),
            _ => range.lock(..4 * page).map(drop),
        };
        let error = refused.expect_err("planned");
        assert!(error.raw_os_error().is_some(), "{call:?}");
        assert!(error.bytes() >= page, "{call:?}");
        assert_eq!(fault.failures(), 1, "{call:?}");
        drop(fault);
        assert_eq!(range.committed_bytes().unwrap(), 4 * page, "{call:?}");
        range.prefault(..).unwrap();
        let resident = IS_SUPPORTED.then_some(16 * page);
        assert_eq!(range.resident_bytes().ok(), resident, "{call:?}");
    }
}

#[test]
fn a_range_whose_release_was_refused_is_released_later() {
    let range = Reservation::new(1).unwrap();
    let address = range.mapping.start().addr().get();
    let fault = Fault::from_nth(Call::Release, 0);
    drop(range);
    // Tried again once the range is inaccessible.
    assert_eq!(fault.failures(), 2);
    drop(fault);
    // Or by another test, which reserves meanwhile.
    let tries = (0..2000).take_while(|_| os::RELEASES_PARTS && unreleased::holds(address));
    tries.for_each(|_| drop(Reservation::new(1).unwrap()));
    assert!(!unreleased::holds(address));
}

#[test]
fn a_range_whose_release_was_refused_can_be_used_again() {
    let pages = |count| PageBytes::exact(count * page_size(), os::page_size()).unwrap();
    let find = |bytes: PageBytes| {
        let found = (0..200).find_map(|_| unreleased::take(bytes))?;
        assert!((bytes.get()..2 * (bytes.get() + 1)).contains(&found.bytes().get()));
        Some(found)
    };
    // Another test may release or take the range meanwhile.
    let is_found = (0..50).any(|_| {
        let range = Reservation::new(15 * page_size()).unwrap();
        let fault = Fault::from_nth(Call::Release, 0);
        drop(range);
        drop(fault);
        // Not for a much smaller one.
        find(pages(1)).into_iter().for_each(unreleased::release);
        // But for one of half its size.
        let found = find(pages(8)).map(unreleased::release).is_some();
        // Released above, and refused again.
        let fault = Fault::from_nth(Call::Release, 0);
        drop(Reservation::new(15 * page_size()).unwrap());
        drop(fault);
        let builder = Reservation::builder().bytes(15 * page_size());
        let used = (0..200).find_map(|_| builder.reuse_if_possible());
        used.as_ref().is_some_and(|used| used.committed_bytes() == Ok(15 * page_size())) && found
    });
    assert_eq!(is_found, os::RELEASES_PARTS);
}

#[test]
fn adjacent_refused_ranges_are_released_as_one() {
    let page = page_size();
    let whole = Reservation::new(63 * page).unwrap();
    // The guard is the last of 64 pages.
    let (start, bytes) = (whole.mapping.start(), whole.mapping.bytes().get());
    mem::forget(whole);
    let fault = Fault::from_nth(Call::Release, 0);
    for piece in [0, 2, 1, 7, 4, 6, 5, 3] {
        let piece_bytes = PageBytes::exact(bytes / 8, os::page_size()).unwrap();
        // SAFETY: inside the mapping.
        let piece_start = unsafe { start.add(piece * bytes / 8) };
        if os::RELEASES_PARTS {
            // SAFETY: a part of a mapping whose owner was forgotten.
            unreleased::release(unsafe { Mapping::from_raw(piece_start, piece_bytes) });
        }
    }
    drop(fault);
    let address = start.addr().get();
    let tries = (0..2000).take_while(|_| unreleased::holds(address));
    tries.for_each(|_| drop(Reservation::new(1).unwrap()));
    assert!(!unreleased::holds(address));
}

#[test]
fn refused_queries_are_errors() {
    let range = Reservation::new(1).unwrap();
    range.commit(..).unwrap();
    for pass in 0..2 {
        let fault = Fault::nth(Call::Query, pass);
        assert!(range.resident_bytes().is_err());
        drop(fault);
    }
}

#[test]
fn a_guard_follows_the_range() {
    let page = page_size();
    for align in [1, 1 << 16, 1 << 22] {
        let range = Reservation::builder().bytes(4 * page).align(align).reserve().unwrap();
        let end = range.start.addr().get() + range.bytes.get();
        let mapping_end = range.mapping.end();
        assert!(end + page <= mapping_end);
        assert!(range.start >= range.mapping.start());
        assert_eq!(range.start.addr().get() % align, 0);
    }
}

#[test]
fn runs_are_huge_pages_where_those_are_requested() {
    // `HugePages::Auto` uses no larger ones.
    let is_usual = |huge: &usize| *huge <= HugePages::AUTO_FROM_BYTES / 4;
    let Some(huge) = os::huge_page_bytes().filter(is_usual) else { return };
    let runs = |huge_pages, offset| {
        let range = Reservation::builder().bytes(64 << 20).huge_pages(huge_pages).reserve();
        range.unwrap().run_bytes(offset)
    };
    let small = page_size().max(64 << 10);
    assert_eq!(runs(HugePages::Always, 0), huge);
    assert_eq!(runs(HugePages::Auto, 0), small);
    assert_eq!(runs(HugePages::Auto, HugePages::AUTO_FROM_BYTES), huge);
    assert_eq!(runs(HugePages::Never, 32 << 20), small);
}

#[test]
fn huge_pages_are_requested_where_the_options_say() {
    // `HugePages::Auto` uses no larger ones.
    let is_usual = |huge: &usize| *huge <= HugePages::AUTO_FROM_BYTES / 4;
    let Some(huge) = os::huge_page_bytes().filter(is_usual) else { return };
    let builder = |huge_pages| Reservation::builder().bytes(64 << 20).huge_pages(huge_pages);
    let from = |builder: ReservationBuilder| builder.reserve().unwrap().advised_from();
    let auto_from = Some(HugePages::AUTO_FROM_BYTES);
    assert_eq!(from(builder(HugePages::Auto)), auto_from);
    assert_eq!(from(builder(HugePages::Auto).bytes(8 << 20)), None);
    assert!(!builder(HugePages::Auto).bytes(8 << 20).reserve().unwrap().advise_ahead());
    assert_eq!(from(builder(HugePages::Always)), Some(0));
    assert_eq!(from(builder(HugePages::Never)), Some(0));
    // As the memory is used, or on demand.
    let mut used = builder(HugePages::Auto).advised_as_used().reserve().unwrap();
    used.advise_up_to(HugePages::AUTO_FROM_BYTES);
    assert!(!used.is_advised && used.may_have_huge_pages());
    used.advise_up_to(HugePages::AUTO_FROM_BYTES + 1);
    assert!(used.is_advised && used.advise_ahead());
    assert_eq!(used.start.addr().get() % huge, 0);
    let mut later = builder(HugePages::Auto).advised_later().reserve().unwrap();
    assert!(!later.may_have_huge_pages() && !later.is_advised);
    later.want_huge_pages();
    assert_eq!((later.advised_from(), later.is_advised), (Some(0), true));
    assert_eq!(from(builder(HugePages::Always).advised_later()), Some(0));
    let mut never = builder(HugePages::Never).reserve().unwrap();
    never.want_huge_pages();
    assert!(!never.may_have_huge_pages());
}

#[test]
#[cfg_attr(no_vm, ignore = "what is resident is not known there")]
fn a_range_is_dense_if_three_quarters_of_the_samples_are_resident() {
    const KIB: usize = 1 << 10;
    const MIB: usize = 1 << 20;
    let small = |bytes: usize| {
        let builder = Reservation::builder().bytes(bytes).huge_pages(HugePages::Never);
        let range = builder.reserve().unwrap();
        range.commit(..).unwrap();
        range
    };
    // Samples of 64 KiB, 2 MiB apart.
    let range = small(33 * MIB);
    let prefault = |number: usize| {
        let start = MIB + MIB + number * 2 * MIB;
        range.prefault(start..start + 64 * KIB).unwrap();
    };
    (0..11).for_each(prefault);
    assert!(!range.is_dense(MIB..33 * MIB));
    prefault(11);
    assert!(range.is_dense(MIB..33 * MIB));
    // All of a small one.
    let range = small(MIB);
    range.prefault(..704 * KIB).unwrap();
    assert!(!range.is_dense(0..MIB - 64 * KIB));
    assert!(range.is_dense(0..896 * KIB));
    assert!(!range.is_dense(0..0));
}

#[test]
#[cfg_attr(no_vm, ignore = "reservations take memory there")]
fn only_memory_that_is_alike_moves_and_only_whole_huge_pages_away() {
    const BYTES: usize = 16 << 20;
    let huge = os::huge_page_bytes().unwrap_or(page_size());
    if huge > BYTES / 2 {
        return;
    }
    let usual = || Reservation::builder().bytes(BYTES);
    let reserve = |builder: ReservationBuilder| {
        let memory = builder.reserve().expect("some MiB");
        memory.commit(..BYTES).expect("some MiB");
        // The first page that is a multiple of a huge page away from the others'.
        let first = memory.as_ptr().addr().wrapping_neg() % huge;
        // SAFETY: committed, and nothing else uses it.
        unsafe { memory.as_ptr().wrapping_add(first).write(7) };
        (memory, first)
    };
    let try_move = |builder: ReservationBuilder, off: usize, bytes: usize| {
        let ((mut to, start), (mut from, place)) = (reserve(usual()), reserve(builder));
        // SAFETY: committed, and nothing else uses it.
        unsafe { to.as_ptr().wrapping_add(start).write(9) };
        let has_moved = to.receive(start..start + bytes, &mut from, place + off);
        // SAFETY: committed, and nothing else uses it.
        let now = unsafe { to.as_ptr().wrapping_add(start).read() };
        assert_eq!(now, if has_moved { 7 } else { 9 });
        has_moved
    };
    let page = page_size();
    assert_eq!(try_move(usual(), 0, page), os::moves_onto());
    assert!(!try_move(usual(), page, page) || huge == page);
    assert!(!try_move(usual(), 0, 0));
    assert!(!try_move(usual().huge_pages(HugePages::Never), 0, page));
    #[cfg(feature = "memory-map")]
    assert!(!try_move(usual().name("another"), 0, page));
}

#[cfg(feature = "alloc")]
mod offers {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    /// Returns a reservation with room; `None` where the system has only whole reservations, or addresses are scarce.
    fn with_room(bytes: usize, align: usize) -> Option<Reservation> {
        let builder = Reservation::builder().bytes(bytes).align(align);
        let mut reservation = builder.reserve().unwrap();
        let share = AddressSpace::now().take_for_block(Some(bytes), 1, None)?;
        reservation.count_as(share);
        (os::RELEASES_PARTS && reservation.has_room()).then_some(reservation)
    }

    #[test]
    fn room_is_offered_once_and_within_the_reservation() {
        let Some(mut reservation) = with_room(64 << 20, 1) else { return };
        let is_refused = |reservation: &mut Reservation, used| {
            catch_unwind(AssertUnwindSafe(|| reservation.offer_past(used))).is_err()
        };
        assert!(is_refused(&mut reservation, 128 << 20));
        assert!(!is_refused(&mut reservation, 4 * page_size()));
        // There may be too many offers.
        let is_offered = reservation.offer.is_some();
        assert_eq!(is_refused(&mut reservation, 8 * page_size()), is_offered);
        // A test beside this one may have taken the room.
        reservation.withdraw();
        reservation.commit(..4 * page_size()).unwrap();
    }

    #[test]
    fn only_room_is_offered() {
        let mut reservation = Reservation::new(64 << 20).unwrap();
        reservation.offer_past(4 * page_size());
        assert!(reservation.offer.is_none());
    }

    #[test]
    fn a_reservation_with_room_on_offer_does_not_move() {
        let Some(mut reservation) = with_room(64 << 20, 1) else { return };
        reservation.commit(..4 * page_size()).unwrap();
        reservation.offer_past(4 * page_size());
        // There may be too many offers.
        let is_offered = reservation.offer.is_some();
        let call = AssertUnwindSafe(|| {
            // SAFETY: the memory is not accessed.
            unsafe { reservation.move_if_possible(4 * page_size(), 8 * page_size()) }
        });
        if is_offered {
            assert!(catch_unwind(call).is_err());
        }
        // A test beside this one may have taken the room.
        reservation.withdraw();
        reservation.commit(..4 * page_size()).unwrap();
    }

    #[test]
    fn room_that_is_taken_is_released_with_the_padding_after_it() {
        const ALIGN: usize = 64 << 20;
        // Tests of blocks offer rooms, too.
        let _alone = crate::region_cache::tests::alone();
        let page = page_size();
        // Whether there was padding, and the release of the room was refused; or nothing can be tested.
        let has_both = |bytes: usize| {
            let Some(mut reservation) = with_room(bytes, ALIGN) else { return true };
            reservation.commit(..4 * page).unwrap();
            reservation.offer_past(4 * page);
            if reservation.offer.is_none() {
                return false;
            }
            let has_padding = reservation.mapping.end() > reservation.offered_end();
            let fault = Fault::from_nth(Call::Release, 0);
            take_all_rooms();
            let of_room = fault.failures();
            reservation.withdraw();
            let of_padding = fault.failures() - of_room;
            drop(fault);
            if reservation.bytes.get() == 4 * page {
                assert_eq!(reservation.mapping.end(), reservation.start.addr().get() + 4 * page);
                assert_eq!(of_padding > 0, has_padding);
            }
            has_padding && of_room > 0
        };
        // A test beside this one may take the room first.
        let mut others = Vec::new();
        assert!((4..20).any(|count| {
            // At other addresses than before, since not all leave padding at the end.
            others.push(Reservation::new(12 << 20).unwrap());
            has_both(count * (12 << 20))
        }));
    }
}
