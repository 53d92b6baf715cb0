//! Tests that need refused calls, blocked threads, or private parts.

#![expect(unsafe_code, reason = "reads and writes served memory")]

mod ready;

use super::ownership::{Busy, Marks, Ownership, Work};
use super::registry::{Job, Process, Service};
use super::shared::{NotTaken, Shared};
use super::{CommitAhead, Release, Served, ServiceStart, UNIT_BYTES};
use crate::error::Error;
use crate::os::{self, Call, fault::Fault};
use crate::region_cache::tests::alone;
use crate::region_cache::{self, Region, Use};
use crate::reservation::{HugePages, Reservation, page_size};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

const MIB: usize = 1 << 20;

fn reservation(bytes: usize) -> Reservation {
    Reservation::builder().bytes(bytes).huge_pages(HugePages::Never).reserve().unwrap()
}

/// The array's side of a reservation that only the test works on.
fn served(bytes: usize, ahead: CommitAhead) -> Served {
    Served::unattended(reservation(bytes), ahead)
}

fn step(shared: &Shared) -> Result<bool, Error> {
    shared.step(&mut |_| true)
}

/// Takes `need` bytes that are not ready, as an array does.
fn take_unready(shared: &Shared, need: usize) -> Result<usize, Error> {
    shared.take_unready(need, need, need, |missing| {
        let end = missing.end;
        shared.reservation().commit(missing).map(|()| end)
    })
}

/// Writes to each page of a range, which must be accessible.
fn fill(shared: &Shared, pages: std::ops::Range<usize>, byte: u8) {
    for offset in pages.step_by(page_size()) {
        // SAFETY: the caller has taken these bytes, so they are committed and belong to it.
        unsafe { shared.reservation().as_ptr().wrapping_add(offset).write(byte) };
    }
}

/// Whether each page of a range, which must be accessible, begins with `byte`.
fn holds(shared: &Shared, mut pages: std::ops::Range<usize>, byte: u8) -> bool {
    let start = shared.reservation().as_ptr();
    let step = page_size();
    // SAFETY: as in `fill`.
    pages.by_ref().step_by(step).all(|offset| unsafe { start.wrapping_add(offset).read() } == byte)
}

/// Checks that `committed` and `reach` are consistent with each other and the system.
fn check_extent(shared: &Shared) {
    let (committed, reach) = shared.extent();
    assert!(committed <= reach && reach <= shared.reservation().reserved_bytes());
    assert!(system_committed(shared) >= committed);
}

fn system_committed(shared: &Shared) -> usize {
    shared.reservation().committed_bytes().unwrap()
}

fn marks(ownership: &Ownership) -> (usize, usize) {
    let state = ownership.state();
    (state.taken, state.ready)
}

#[test]
fn take_returns_ready_units_up_to_the_wish() {
    let ownership = Ownership::new(2);
    assert_eq!(ownership.take(3, 4), None);
    ownership.begin(Work::Shared).unwrap();
    ownership.finish(Work::Shared, 10);
    assert_eq!(ownership.take(3, 4).map(|state| state.taken), Some(4));
    assert_eq!(ownership.take(5, 20).map(|state| state.taken), Some(10));
    assert_eq!(ownership.take(11, 11), None);
    assert_eq!(ownership.take(1, 1).map(|state| state.taken), Some(10));
    assert_eq!(marks(&ownership), (10, 10));
}

#[test]
fn a_claim_succeeds_during_shared_work_only() {
    let ownership = Ownership::new(0);
    ownership.begin(Work::Shared).unwrap();
    ownership.claim(5).unwrap();
    ownership.finish(Work::Shared, 3);
    assert_eq!(marks(&ownership), (5, 5));
    assert_eq!(ownership.begin(Work::Shared), Err(Busy));
    ownership.disown();
    ownership.begin(Work::Exclusive).unwrap();
    assert_eq!(ownership.claim(6), Err(Busy));
    ownership.finish(Work::Exclusive, 8);
    assert_eq!(marks(&ownership), (5, 8));
    ownership.claim(9).unwrap();
    ownership.unlock(5);
    assert_eq!(marks(&ownership), (5, 5));
}

#[test]
fn a_lock_lets_work_end_and_keeps_new_work_from_beginning() {
    let ownership = Ownership::new(0);
    ownership.begin(Work::Shared).unwrap();
    assert_eq!(ownership.lock(), Err(Busy));
    assert_eq!(ownership.begin_taking_back(0), Err(Busy));
    ownership.finish(Work::Shared, 4);
    assert_eq!(ownership.begin(Work::Shared), Err(Busy));
    ownership.lock().unwrap();
    ownership.unlock(1);
    assert_eq!(marks(&ownership), (0, 1));
    ownership.lock().unwrap();
    ownership.unlock(9);
    assert_eq!(marks(&ownership), (0, 1));
    assert!(ownership.begin(Work::Shared).is_ok());
}

#[test]
fn taken_units_are_not_taken_back() {
    let ownership = Ownership::new(3);
    ownership.begin(Work::Shared).unwrap();
    ownership.finish(Work::Shared, 9);
    let state = ownership.begin_taking_back(1).unwrap();
    assert_eq!((state.taken, state.ready), (3, 3));
    assert_eq!(ownership.take(4, 4), None);
    assert_eq!(ownership.claim(4), Err(Busy));
    ownership.finish(Work::Exclusive, 0);
    assert!(ownership.claim(4).is_ok());
}

#[test]
fn a_forked_child_can_abandon_work_of_its_parent() {
    let ownership = Ownership::new(1);
    ownership.begin(Work::Exclusive).unwrap();
    assert_eq!(ownership.claim(2), Err(Busy));
    ownership.abandon_work();
    assert!(ownership.claim(2).is_ok());
}

#[test]
fn the_largest_marks_can_be_expressed() {
    let ownership = Ownership::new(Marks::MOST);
    assert_eq!(marks(&ownership), (Marks::MOST, Marks::MOST));
}

#[test]
#[cfg_attr(no_vm, ignore = "residency is unknown there")]
fn a_step_makes_pages_resident_but_does_not_take_them() {
    let served = served(16 * MIB, CommitAhead::Bytes(2 * MIB));
    let shared = served.shared();
    assert!(matches!(step(shared), Ok(true)));
    let ready = shared.ahead_bytes();
    assert!(ready > 0 && ready % UNIT_BYTES == 0, "{ready}");
    assert!(shared.committed_bytes() >= ready);
    if cfg!(target_os = "linux") {
        assert!(shared.reservation().resident_bytes().unwrap() >= ready);
    }
    assert_eq!(shared.take(1, UNIT_BYTES), Some(UNIT_BYTES));
    assert!(holds(shared, 0..UNIT_BYTES, 0));
    assert_eq!((shared.ahead_bytes(), shared.late()), (ready - UNIT_BYTES, 0));
}

#[test]
fn steps_end_when_the_window_is_full() {
    let served = served(16 * MIB, CommitAhead::Bytes(2 * MIB));
    let shared = served.shared();
    served.work().unwrap();
    assert_eq!(shared.ahead_bytes(), 2 * MIB);
    assert!(matches!(step(shared), Ok(false)));
    assert_eq!(shared.ahead_bytes(), 2 * MIB);
    shared.take(MIB, MIB).unwrap();
    served.work().unwrap();
    assert_eq!(shared.ahead_bytes(), 2 * MIB);
}

#[test]
fn the_array_can_grow_after_a_commit_of_the_service_is_refused() {
    // In each step, the larger commit is refused first, then the smaller.
    for call in [Call::Commit, Call::Prefault] {
        let served = served(16 * MIB, CommitAhead::Bytes(4 * MIB));
        let shared = served.shared();
        assert!(matches!(step(shared), Ok(true)));
        let ready = shared.ahead_bytes();
        shared.take(ready, ready).unwrap();
        fill(shared, 0..ready, 7);
        // So that the next step has to commit.
        take_unready(shared, 6 * MIB).unwrap();
        fill(shared, ready..6 * MIB, 7);

        let fault = Fault::from_nth(call, 0);
        let committed = shared.committed_bytes();
        let Err(error) = step(shared) else { panic!("{call:?} was planned") };
        assert!(error.bytes() > 0 && fault.failures() > 0, "{call:?}");
        drop(fault);
        assert_eq!(shared.ahead_bytes(), 0, "{call:?}");
        assert!(call == Call::Prefault || shared.committed_bytes() == committed);
        assert!(holds(shared, 0..6 * MIB, 7), "{call:?}");

        // The array can grow by itself, and the service works again later.
        assert_eq!(take_unready(shared, 7 * MIB).unwrap(), 7 * MIB);
        assert!(holds(shared, 6 * MIB..7 * MIB, 0), "{call:?}");
        fill(shared, 6 * MIB..7 * MIB, 7);
        assert!(matches!(step(shared), Ok(true)), "{call:?}");
        let end = 7 * MIB + shared.ahead_bytes();
        assert_eq!(shared.take(end, end), Some(end));
        assert!(holds(shared, 7 * MIB..end, 0), "{call:?}");
        assert!(holds(shared, 0..7 * MIB, 7), "{call:?}");
    }
}

#[test]
fn a_smaller_commit_is_tried_if_a_large_one_is_refused() {
    let served = served(64 * MIB, CommitAhead::Bytes(16 * MIB));
    let shared = served.shared();
    let fault = Fault::nth(Call::Commit, 0);
    assert!(matches!(step(shared), Ok(true)));
    assert_eq!(fault.failures(), 1);
    assert_eq!(shared.committed_bytes(), shared.ahead_bytes());
    drop(fault);
    served.work().unwrap();
    assert!(shared.ahead_bytes() >= 16 * MIB);
}

#[test]
fn a_refused_commit_of_a_late_array_changes_nothing() {
    let served = served(16 * MIB, CommitAhead::Bytes(MIB));
    let shared = served.shared();
    served.work().unwrap();
    let usable = shared.take(3 * UNIT_BYTES, 3 * UNIT_BYTES).unwrap();
    fill(shared, 0..usable, 7);
    let committed = shared.committed_bytes();

    let fault = Fault::from_nth(Call::Commit, 0);
    assert!(take_unready(shared, 12 * MIB).is_err());
    assert_eq!(fault.failures(), 1);
    drop(fault);
    assert_eq!((shared.late(), shared.committed_bytes()), (0, committed));
    assert_eq!(system_committed(shared), committed);
    assert!(holds(shared, 0..usable, 7));

    check_extent(shared);

    // Neither the service nor the array is blocked.
    served.work().unwrap();
    assert!(shared.ahead_bytes() >= MIB);
    assert_eq!(take_unready(shared, 12 * MIB).unwrap(), 12 * MIB);
    assert!(holds(shared, usable..12 * MIB, 0));
    assert_eq!((shared.late(), shared.ahead_bytes()), (1, 0));
}

#[test]
fn a_claim_during_a_step_disturbs_neither() {
    if !os::TOUCHING_IS_SHARED {
        // There the array waits for the end of the step, which would need another thread.
        return;
    }
    for refused in [false, true] {
        let served = served(16 * MIB, CommitAhead::Bytes(4 * MIB));
        let shared = served.shared();
        let mut taken = None;
        let mut steps = 0..1;
        // Called in the middle of a step, so the array acts meanwhile.
        shared
            .prefault(&mut |_| {
                let fault = refused.then(|| Fault::from_nth(Call::Commit, 0));
                taken = taken.take().or_else(|| Some(take_unready(shared, 2 * MIB)));
                drop(fault);
                steps.next().is_some()
            })
            .unwrap();
        let taken = taken.unwrap();
        assert_eq!(taken.is_err(), refused);
        let end = taken.unwrap_or(0);
        assert!(holds(shared, 0..end, 0));
        fill(shared, 0..end, 7);
        served.work().unwrap();
        assert_eq!(shared.ahead_bytes(), 4 * MIB);
        let more = shared.take(end + 4 * MIB, 0).unwrap();
        assert!(holds(shared, end..more, 0) && holds(shared, 0..end, 7));
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn memory_ahead_is_taken_back_in_pieces_down_to_the_least() {
    let (bytes, auto) = (CommitAhead::Bytes(MIB), CommitAhead::Auto);
    // As much as is used, and at most 4 MiB, if the window follows growth.
    let cases = [(bytes, 1, MIB), (auto, 1, UNIT_BYTES), (auto, 24, 3 * MIB), (auto, 40, 4 * MIB)];
    for (ahead, units, kept) in cases {
        let served = served(64 * MIB, ahead);
        let shared = served.shared();
        shared.set_window(12 * MIB);
        served.work().unwrap();
        let used = shared.take(units * UNIT_BYTES, units * UNIT_BYTES).unwrap();
        fill(shared, 0..used, 7);
        served.work().unwrap();
        assert!(shared.has_too_much(usize::MAX));
        let before = shared.committed_bytes();
        let piece = shared.take_back(usize::MAX).unwrap();
        assert!(piece > 0 && piece <= MIB, "{piece}");
        assert_eq!(shared.committed_bytes(), before - piece);
        served.rest().unwrap();
        assert!(!shared.has_too_much(usize::MAX));
        assert_eq!(shared.take_back(usize::MAX).unwrap(), 0);
        assert_eq!(shared.ahead_bytes(), kept);
        assert_eq!(shared.committed_bytes(), used + kept);
        assert_eq!(system_committed(shared), used + kept);
        // All of it, if memory is needed.
        while shared.take_back_any().unwrap() > 0 {}
        assert_eq!((shared.ahead_bytes(), system_committed(shared)), (0, used));
        assert!(holds(shared, 0..used, 7));
        served.work().unwrap();
        assert!(shared.ahead_bytes() >= kept);
    }
}

#[test]
fn memory_whose_decommit_is_refused_can_still_be_used() {
    let served = served(64 * MIB, CommitAhead::Auto);
    let shared = served.shared();
    shared.set_window(8 * MIB);
    served.work().unwrap();
    let committed = shared.committed_bytes();
    let fault = Fault::nth(Call::Decommit, 0);
    assert!(shared.take_back_any().is_err());
    assert_eq!(fault.failures(), 1);
    drop(fault);
    assert_eq!((shared.committed_bytes(), system_committed(shared)), (committed, committed));
    // What could not be decommitted is made ready again, or taken by the array as it is.
    assert_eq!(take_unready(shared, UNIT_BYTES).unwrap(), UNIT_BYTES);
    served.work().unwrap();
    assert!(shared.ahead_bytes() >= 8 * MIB);
    while shared.take_back_any().unwrap() > 0 {}
    assert_eq!(system_committed(shared), UNIT_BYTES);
}

#[test]
fn pages_left_by_a_refused_commit_are_taken_back() {
    let served = served(64 * MIB, CommitAhead::Bytes(MIB));
    let shared = served.shared();
    let fault = Fault::from_nth(Call::Commit, 0);
    assert!(step(shared).is_err());
    drop(fault);
    // As if the system had committed a part before it refused.
    shared.reservation().commit(4 * page_size()..8 * page_size()).unwrap();
    assert!(shared.take_back_any().unwrap() > 0);
    while shared.take_back_any().unwrap() > 0 {}
    assert_eq!(system_committed(shared), 0);
}

/// In the child of a fork, it may have been about to be decommitted.
#[test]
fn an_array_leaves_all_that_may_be_committed_to_its_end() {
    let served = served(64 * MIB, CommitAhead::Bytes(MIB));
    let shared = served.shared();
    let fault = Fault::from_nth(Call::Commit, 0);
    assert!(step(shared).is_err());
    drop(fault);
    let (committed, reach) = shared.extent();
    assert!(committed < reach);
    assert_eq!(served.end().map(|(_, left)| left), Some(reach));
}

#[test]
fn giving_back_in_pieces_ends_at_the_refused_one() {
    let served = served(16 * MIB, CommitAhead::Bytes(MIB));
    let shared = served.shared();
    take_unready(shared, 8 * MIB).unwrap();
    fill(shared, 0..8 * MIB, 7);
    served.work().unwrap();
    let before = system_committed(shared);
    let fault = Fault::nth(Call::Decommit, 3);
    let (left, result) = shared.give_back(MIB, false, &mut |_| true);
    assert!(result.is_err() && fault.failures() == 1);
    drop(fault);
    assert!((MIB..before).contains(&left), "{left} of {before}");
    assert_eq!((shared.committed_bytes(), system_committed(shared)), (left, left));
    check_extent(shared);
    assert!(holds(shared, 0..left.min(8 * MIB), 7));
    let (left, result) = shared.give_back(MIB, true, &mut |_| true);
    assert_eq!((left, result), (MIB, Ok(())));
    assert_eq!((shared.ahead_bytes(), system_committed(shared)), (0, MIB));
    assert_eq!(take_unready(shared, 8 * MIB).unwrap(), 8 * MIB);
    assert!(holds(shared, MIB..8 * MIB, 0) && holds(shared, 0..MIB, 7));
}

#[test]
fn a_reservation_may_end_within_a_unit() {
    let page = page_size();
    for bytes in [page, UNIT_BYTES - page, UNIT_BYTES + page, 9 * UNIT_BYTES + 3 * page] {
        for window in [1, UNIT_BYTES, MIB, usize::MAX] {
            let served = served(bytes, CommitAhead::Bytes(window));
            let shared = served.shared();
            let bytes = shared.reservation().reserved_bytes();
            let mut used = 0;
            while used < bytes {
                served.work().unwrap();
                let (ahead, left) = (shared.ahead_bytes(), bytes - used);
                assert!(ahead >= window.min(left) && ahead <= left, "{ahead} of {left}");
                used = shared.take(used + 1, used + UNIT_BYTES).unwrap();
                assert!(used <= bytes);
                fill(shared, 0..used, 7);
            }
            assert!(matches!(step(shared), Ok(false)));
            assert_eq!((shared.ahead_bytes(), shared.late()), (0, 0));
            assert_eq!(system_committed(shared), bytes);
            assert!(!shared.has_too_much(usize::MAX));
            assert_eq!(shared.take_back_any().unwrap(), 0);
            shared.give_back(0, true, &mut |_| true).1.unwrap();
            assert_eq!(system_committed(shared), 0);
            let refused = |_| -> Result<usize, Error> { unreachable!("there is enough") };
            assert_eq!(take_unready(shared, bytes).unwrap(), bytes);
            assert!(holds(shared, 0..bytes, 0));
            let again = shared.take_unready(bytes, bytes + UNIT_BYTES, bytes, refused);
            assert_eq!(again.unwrap(), bytes);
            let taken = shared.taken_late_and_helped().0;
            assert_eq!(
                (taken, shared.late()),
                (bytes.div_ceil(UNIT_BYTES), 2),
                "at most the reservation"
            );
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn the_array_asks_when_less_than_half_of_its_window_is_ahead() {
    for window in [1, 2 * UNIT_BYTES, MIB, 4 * MIB, usize::MAX] {
        let served = served(32 * MIB, CommitAhead::Bytes(window));
        let shared = served.shared();
        assert!(shared.take_request(), "nothing is ahead of it at first");
        let mut used = 0;
        while used < 16 * MIB {
            // As the thread does.
            served.work().unwrap();
            used = shared.take(used + 1, used + UNIT_BYTES).unwrap();
            shared.notice();
            let is_low = shared.ahead_bytes() < window.div_ceil(2);
            let is_at_end = used + shared.ahead_bytes() == 32 * MIB;
            assert_eq!(shared.take_request(), is_low && !is_at_end, "{window}, {used}");
        }
    }
}

#[test]
fn an_array_with_its_whole_window_ready_is_least_urgent() {
    for window in [1, MIB, 4 * MIB] {
        let served = served(32 * MIB, CommitAhead::Bytes(window));
        let shared = served.shared();
        assert_eq!(shared.fill(), 0);
        served.work().unwrap();
        assert!(shared.fill() >= 256, "{window}: {}", shared.fill());
    }
    let served = served(32 * MIB, CommitAhead::Bytes(usize::MAX));
    served.work().unwrap();
    assert_eq!(served.shared().ahead_bytes(), 32 * MIB);
    assert_eq!(served.shared().fill(), 0, "less than the window fits");
}

#[test]
fn the_most_urgent_array_that_asked_comes_first() {
    let service = Service::unattended(Process::current());
    let arrays: Vec<Served> = [1, 3, 2]
        .into_iter()
        .map(|window| {
            let ahead = CommitAhead::Bytes(window * MIB);
            Served(service.register(reservation(16 * MIB), ServiceStart::of(ahead)).unwrap())
        })
        .collect();
    for (n, array) in arrays.iter().enumerate() {
        if n != 1 {
            array.work().unwrap();
        }
    }
    // Only one array needs steps, until all rest.
    let mut steps = [0; 3];
    while let Job::Prefault(shared) = service.next() {
        let n = arrays.iter().position(|array| Arc::ptr_eq(&array.0, &shared)).unwrap();
        if matches!(step(&shared), Ok(true)) {
            steps[n] += 1;
            assert_eq!(n, 1);
        } else {
            service.rest(&shared);
        }
    }
    assert!(steps[1] >= 3, "{steps:?}");
    assert!(arrays.iter().all(|array| array.shared().fill() == 256));

    // Now one array needs memory, and the others do not.
    let shared = arrays[2].shared();
    shared.take(2 * MIB, 0).unwrap();
    shared.notice();
    let Job::Prefault(next) = service.next() else { panic!("it asked") };
    assert!(std::ptr::eq(&raw const *next, shared));
    drop((next, arrays));
    assert!(matches!(service.next(), Job::Wait(Some(_))), "it waits before it ends");
}

#[test]
fn a_thread_without_arrays_looks_again_at_memory_that_others_may_take() {
    let _alone = alone();
    let service = Service::unattended(Process::current());
    service.set_returns_old(true);
    let region = || {
        let memory = reservation(2 * MIB);
        memory.commit(..MIB).unwrap();
        // SAFETY: the first MiB is committed, and nothing uses it.
        unsafe { Region::new(memory, 0..MIB) }
    };
    assert!(region_cache::wait(region()).is_none());
    assert!(matches!(service.next(), Job::Wait(Some(_))));
    region_cache::drain();
    // Without virtual memory, nothing is cached.
    let is_cached = region_cache::put(Use::Array, region()).is_none();
    assert_eq!(is_cached, os::IS_SUPPORTED);
    assert!(matches!(service.next(), Job::Wait(Some(_))));
    assert_eq!(region_cache::release_all(), is_cached);
    assert!(matches!(service.next(), Job::Wait(Some(_))), "it waits before it ends");
}

#[test]
fn dropping_arrays_in_any_order_keeps_the_places_consistent() {
    let service = Service::unattended(Process::current());
    let mut arrays = Vec::new();
    let mut random = 1_u32;
    let mut any = |below: usize| {
        random = random.wrapping_mul(0x01f0_1f01).rotate_left(11) ^ 0x9e37_79b9;
        random as usize % below
    };
    for round in 0..400 {
        if arrays.is_empty() || (round < 200 && any(3) > 0) {
            let ahead = CommitAhead::Bytes(1);
            arrays.push(Served(service.register(reservation(1), ServiceStart::of(ahead)).unwrap()));
        } else {
            drop(arrays.swap_remove(any(arrays.len())));
        }
        let all = service.arrays();
        assert_eq!(all.len(), arrays.len());
        for (place, shared) in all.iter().enumerate() {
            assert_eq!(shared.place.load(std::sync::atomic::Ordering::Relaxed), place);
            assert!(arrays.iter().any(|array| Arc::ptr_eq(&array.0, shared)));
        }
    }
    assert!(arrays.len() < 100);
    drop(arrays);
    assert!(service.arrays().is_empty());
}

#[test]
fn reports_on_a_dropped_array_do_not_affect_others() {
    let service = Service::unattended(Process::current());
    let register = || {
        Served(service.register(reservation(MIB), ServiceStart::of(CommitAhead::Bytes(1))).unwrap())
    };
    let (gone, stays) = (register(), register());
    let shared = Arc::clone(&gone.0);
    drop(gone);
    // The other array has its place now, and has asked.
    service.rest(&shared);
    service.stop_taking_back(&shared);
    let Job::Prefault(next) = service.next() else { panic!("it asked") };
    assert!(Arc::ptr_eq(&next, &stays.0));
    service.rest(&shared);
    assert!(matches!(service.next(), Job::Prefault(_)));
    service.rest(&next);
    assert!(matches!(service.next(), Job::Wait(_)));
}

#[test]
#[cfg_attr(miri, ignore = "steps are too short there to leave too much")]
fn taking_back_is_tried_again_after_the_array_has_grown() {
    let service = Service::unattended(Process::current());
    let array = Served(
        service.register(reservation(16 * MIB), ServiceStart::of(CommitAhead::Bytes(1))).unwrap(),
    );
    let shared = array.shared();
    let committed_ahead = |shared: &Shared| {
        take_unready(shared, shared.committed_bytes() + 1).unwrap();
        let claimed = shared.committed_bytes();
        array.work().unwrap();
        shared.notice();
        while let Job::Prefault(shared) = service.next() {
            service.rest(&shared);
        }
        assert!(shared.committed_bytes() > claimed);
    };
    let quiet = || {
        let begun = Instant::now();
        loop {
            match service.next() {
                Job::TakeBack(..) => break,
                Job::Wait(Some(time)) => std::thread::sleep(time),
                Job::Wait(None) => return None,
                _ => panic!("there is nothing else to do"),
            }
            assert!(begun.elapsed() < Duration::from_secs(60));
        }
        Some(begun.elapsed())
    };
    committed_ahead(shared);
    assert!(shared.has_too_much(usize::MAX));
    assert!(quiet() > Some(Duration::from_millis(900)), "a second must pass");
    let fault = Fault::from_nth(Call::Decommit, 0);
    assert!(shared.take_back(usize::MAX).is_err());
    drop(fault);
    service.stop_taking_back(&array.0);
    assert!(shared.has_too_much(usize::MAX));
    assert_eq!(quiet(), None, "what was refused is not tried again");
    committed_ahead(shared);
    assert!(quiet() > Some(Duration::from_millis(900)));
}

#[test]
fn dropping_an_array_releases_its_memory_despite_other_references() {
    let array = served(16 * MIB, CommitAhead::Bytes(MIB));
    array.work().unwrap();
    let known = Arc::clone(&array.0);
    let released = Fault::nth(Call::Release, 0);
    drop(array);
    assert_eq!(released.failures(), 1);
    assert!(matches!(step(&known), Ok(false)), "no work begins");
    assert!(matches!(known.take_back_any(), Err(NotTaken::Busy)));
    assert!(!known.take_back_all());
    assert!(known.end().is_none());
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn an_array_that_retires_during_work_is_ended_by_that_work() {
    let array = served(16 * MIB, CommitAhead::Bytes(MIB));
    let at_work = Arc::clone(&array.0);
    let mut array = Some(array);
    let mut released = None;
    let result = at_work.step(&mut |_| {
        // In the middle of a step, which continues.
        array.take().into_iter().for_each(Served::retire);
        assert!(!at_work.service.settle(), "the next array waits for the memory in vain");
        released = Some(Fault::nth(Call::Release, 0));
        true
    });
    result.unwrap();
    assert_eq!(released.expect("it was at work").failures(), 1);
    assert!(at_work.service.settle());
    assert!(matches!(step(&at_work), Ok(false)) && at_work.end().is_none());
    // Without work in progress, the array does it.
    let array = served(16 * MIB, CommitAhead::Bytes(UNIT_BYTES));
    array.work().unwrap();
    let released = Fault::nth(Call::Release, 0);
    array.retire();
    assert_eq!(released.failures(), 1);
}

#[test]
fn make_room_repeats_while_it_finds_memory() {
    let service = Service::unattended(Process::current());
    let _alone = alone();
    for succeeds in [false, true] {
        let mut tries = 0;
        let is_done = service.make_room(|| {
            tries += 1;
            // Like other threads that drop arrays meanwhile.
            if tries < 4 {
                let memory = reservation(MIB);
                memory.commit(..MIB).unwrap();
                // SAFETY: these pages were just committed, and no other code uses them.
                let region = unsafe { Region::new(memory, 0..MIB) };
                assert!(region_cache::wait(region).is_none());
            }
            succeeds && tries == 4
        });
        assert_eq!((is_done, tries), (succeeds, 4));
        assert_eq!(service.stats().waiting_bytes, 0);
    }
}

#[test]
fn dropping_an_array_waits_for_work_in_progress() {
    let array = served(16 * MIB, CommitAhead::Bytes(MIB));
    let at_work = Arc::clone(&array.0);
    let mut dropping = None;
    let mut array = Some(array);
    let result = at_work.prefault(&mut |_| {
        // In the middle of a step, which continues.
        let array = array.take();
        dropping = dropping.take().or_else(|| Some(std::thread::spawn(move || drop(array))));
        std::thread::sleep(Duration::from_millis(20));
        assert!(!dropping.as_ref().unwrap().is_finished());
        true
    });
    result.unwrap();
    dropping.unwrap().join().unwrap();
    assert!(at_work.end().is_none());
}

#[test]
fn make_room_visits_all_arrays_while_others_are_dropped() {
    let service = Service::unattended(Process::current());
    let arrays: Vec<Served> = (0..40)
        .map(|_| {
            let ahead = CommitAhead::Bytes(UNIT_BYTES);
            let array =
                Served(service.register(reservation(MIB), ServiceStart::of(ahead)).unwrap());
            array.work().unwrap();
            array
        })
        .collect();
    assert!(service.stats().ahead_bytes >= 40 * UNIT_BYTES);
    let stay: Vec<Served> = std::thread::scope(|scope| {
        let going = scope.spawn(|| {
            let mut arrays = arrays;
            // The first arrays, whose places the last ones take.
            arrays.drain(..20).for_each(drop);
            arrays
        });
        service.make_room(|| true);
        going.join().unwrap()
    });
    assert_eq!((service.stats().arrays, service.stats().ahead_bytes), (20, 0));
    drop(stay);
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn an_array_in_a_forked_child_does_not_wait_for_work_of_the_parent() {
    let service = Service::unattended(Process::other());
    let register = || {
        service.register(reservation(16 * MIB), ServiceStart::of(CommitAhead::Bytes(MIB))).unwrap()
    };
    // The state of a parent that is forked in the middle of a step.
    let interrupt = |shared: &Shared| {
        let interrupted = AssertUnwindSafe(|| shared.step(&mut |_| panic!("as planned")));
        assert!(catch_unwind(interrupted).is_err());
    };
    let shared = register();
    interrupt(&shared);
    assert!(matches!(step(&shared), Ok(false)), "work seems to be in progress");
    assert_eq!(take_unready(&shared, 2 * MIB).unwrap(), 2 * MIB);
    fill(&shared, 0..2 * MIB, 7);
    let (left, result) = shared.give_back(MIB, true, &mut |_| true);
    assert_eq!((left, result), (MIB, Ok(())));
    assert!(holds(&shared, 0..MIB, 7));
    assert_eq!(take_unready(&shared, 2 * MIB).unwrap(), 2 * MIB);
    // The registry is not touched, since its lock may be held for ever.
    service.unregister(&shared);
    assert_eq!(service.arrays().len(), 1);
}

#[test]
fn nothing_is_made_ready_after_an_array_was_shrunk_until_it_grows() {
    let array = served(64 * MIB, CommitAhead::Auto);
    let shared = array.shared();
    take_unready(shared, 8 * MIB).unwrap();
    shared.pause();
    shared.give_back(MIB, true, &mut |_| true).1.unwrap();
    // Asked for before, or afterwards by a call that does not grow the array.
    shared.notice();
    array.work().unwrap();
    assert_eq!((shared.ahead_bytes(), shared.committed_bytes()), (0, MIB));
    shared.set_window(2 * MIB);
    array.work().unwrap();
    assert!(shared.ahead_bytes() >= 2 * MIB);
    shared.pause();
    shared.set_ahead(CommitAhead::Bytes(8 * MIB));
    array.work().unwrap();
    assert!(shared.ahead_bytes() >= 8 * MIB);
}

#[test]
fn commit_ahead_is_on_if_it_asks_for_bytes() {
    let off = [CommitAhead::Large, CommitAhead::Off, CommitAhead::Bytes(0)];
    assert!(off.iter().all(|ahead| !ahead.is_on()));
    assert!(CommitAhead::Auto.is_on() && CommitAhead::Bytes(1).is_on());
    assert_eq!((CommitAhead::default(), Release::default()), (CommitAhead::Large, Release::Keep));
}

#[test]
fn reservations_too_large_for_the_marks_are_not_served() {
    let most = Marks::MOST.saturating_mul(UNIT_BYTES);
    // Without such large reservations there is nothing to refuse.
    let Ok(huge) = Reservation::new(most.saturating_add(1)) else { return };
    let service = Service::unattended(Process::current());
    assert!(service.register(huge, ServiceStart::of(CommitAhead::Auto)).is_err());
    assert!(service.arrays().is_empty());
}

#[test]
#[cfg_attr(no_vm, ignore = "no service there")]
fn a_process_has_one_service() {
    let current = Service::current().unwrap();
    assert!(std::ptr::eq(Service::current().unwrap(), current));
    assert!(std::ptr::eq(Service::existing().unwrap(), current));
    assert!(!current.is_of_another_process());
    assert!(Service::unattended(Process::other()).is_of_another_process());
}

#[test]
#[cfg_attr(no_vm, ignore = "the service needs virtual memory")]
fn a_thread_that_starts_the_background_thread_does_not_wait_for_itself() {
    const BYTES: usize = 4 * super::WORTH_WAITING_BYTES;
    let memory = Reservation::new(BYTES).expect("some MiB");
    memory.commit(..).expect("some MiB");
    let service = Service::current().expect("memory for it");
    let lock = service.lock_for_test();
    super::starting(|| {
        // SAFETY: the bytes are committed, and no other code uses them.
        unsafe { super::release_later(memory, BYTES..BYTES, None) };
        super::attend_cache();
    });
    drop(lock);
}
