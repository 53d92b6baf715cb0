//! What a dropped array leaves to the next one.

use super::*;
use crate::service::{Handoff, KEPT_BYTES, LEAST_WINDOW_BYTES, worker};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Leaves the memory of a dropped array that had `written` bytes.
fn left_by(
    service: &'static Service,
    written: usize,
    keep: fn(Reservation, usize) -> Option<Reservation>,
) {
    let array = Served(service.register(reservation(64 * MIB), 0, 0, CommitAhead::Auto).unwrap());
    array.work().unwrap();
    let mut used = 0;
    while used < written {
        used = array.shared().take(used + UNIT_BYTES, 0).unwrap();
        array.work().unwrap();
    }
    fill(array.shared(), 0..used, 7);
    let bytes = array.retire();
    let handoff = Handoff { written: used, keep };
    assert!(service.hand_over(MaybeServed::Served(array), bytes, Some(handoff)).is_ok());
}

/// Takes memory that waits, if it was served.
fn take_waiting(service: &Service) -> Option<(Served, usize)> {
    let (memory, handoff) = service.take_waiting(&mut |_, _| true)?;
    let MaybeServed::Served(served) = memory else { panic!("it was served") };
    Some((served, handoff.written))
}

#[test]
fn another_array_takes_waiting_memory_as_it_is() {
    let service = Service::unattended(Process::current());
    assert!(take_waiting(service).is_none());
    left_by(service, 10 * MIB, |_, _| panic!("it was taken"));
    assert_eq!(service.stats().arrays, 0);
    assert!(service.stats().waiting_bytes >= 14 * MIB);
    assert!(service.take_waiting(&mut |_, _| false).is_none());
    let (next, written) = take_waiting(service).expect("it waits");
    let shared = next.shared();
    assert_eq!((written, shared.late()), (10 * MIB, 0));
    let ready = shared.ahead_bytes();
    assert!((14 * MIB..16 * MIB).contains(&ready), "{ready}");
    assert_eq!((service.stats().arrays, service.stats().waiting_bytes), (1, 0));
    assert!(take_waiting(service).is_none());
    assert!(shared.take_request(), "the thread must look for a surplus");
    assert_eq!(shared.take(ready, 0), Some(ready));
    assert!(holds(shared, 0..written, 7) && holds(shared, written..ready, 0));
    check_extent(shared);
    // It is served like any other array.
    next.work().unwrap();
    assert!(shared.ahead_bytes() >= 4 * MIB);
    drop(next);
    assert_eq!(service.stats().arrays, 0);
    service.drain();
}

#[test]
fn memory_that_an_array_never_touched_is_made_ready_for_the_next() {
    let service = Service::unattended(Process::current());
    let array = Served(service.register(reservation(64 * MIB), 0, 0, CommitAhead::Auto).unwrap());
    array.work().unwrap();
    let shared = array.shared();
    let ready = shared.ahead_bytes();
    shared.set_window(12 * MIB);
    let large = take_unready(shared, 40 * MIB).unwrap();
    assert_eq!(shared.touched_bytes(), ready);
    assert_eq!(shared.late(), 1);
    let bytes = array.retire();
    let handoff = Handoff { written: large, keep: |memory, _| Some(memory) };
    assert!(service.hand_over(MaybeServed::Served(array), bytes, Some(handoff)).is_ok());
    let (next, _) = take_waiting(service).expect("it waits");
    let shared = next.shared();
    assert_eq!((shared.ahead_bytes(), shared.window_bytes()), (ready, 12 * MIB));
    assert!(shared.committed_bytes() >= 40 * MIB);
    next.work().unwrap();
    assert_eq!((shared.ahead_bytes(), shared.late()), (12 * MIB, 0));
    drop(next);
    service.drain();
}

#[test]
fn the_thread_is_woken_for_an_array_that_reuses_memory() {
    let service = Service::unattended(Process::current());
    let array = Served(service.register(reservation(64 * MIB), 0, 0, CommitAhead::Auto).unwrap());
    array.work().unwrap();
    array.shared().request_work();
    let bytes = array.retire();
    let handoff = Handoff { written: 0, keep: |memory, _| Some(memory) };
    assert!(service.hand_over(MaybeServed::Served(array), bytes, Some(handoff)).is_ok());
    // The thread went back to sleep, since the array that had asked was gone.
    std::thread::park_timeout(Duration::ZERO);
    let (next, _) = take_waiting(service).expect("it waits");
    let begun = Instant::now();
    std::thread::park_timeout(Duration::from_secs(60));
    assert!(begun.elapsed() < Duration::from_secs(60), "it was not woken");
    drop(next);
    service.drain();
}

#[test]
fn memory_waits_for_another_array_and_its_first_part_is_cached_then() {
    static KEPT: AtomicUsize = AtomicUsize::new(0);
    let service = Service::unattended(Process::current());
    for is_wanted in [true, false] {
        let keep: fn(Reservation, usize) -> Option<Reservation> = if is_wanted {
            |memory, bytes| {
                assert_eq!(memory.resident_bytes().unwrap_or(bytes), bytes);
                KEPT.store(bytes, Ordering::Relaxed);
                None
            }
        } else {
            |memory, bytes| {
                KEPT.store(bytes, Ordering::Relaxed);
                Some(memory)
            }
        };
        left_by(service, 50 * MIB, keep);
        let mut waited = false;
        let (token, memory, bytes) = loop {
            match service.next(false) {
                Job::Release(token, memory, bytes) => break (token, memory, bytes),
                Job::Wait(time) => std::thread::sleep(time.expect("not for ever")),
                _ => panic!("there is nothing else to do"),
            }
            waited = true;
        };
        assert!(waited && take_waiting(service).is_none());
        let mut releasing = Some(worker::Releasing::new(token, memory, bytes));
        while let Some(left) = releasing {
            releasing = left.release_piece(service);
        }
        assert_eq!(KEPT.swap(0, Ordering::Relaxed), KEPT_BYTES);
        assert_eq!(service.stats().waiting_bytes, 0);
    }
    // If the release is awaited, nothing is cached.
    left_by(service, 50 * MIB, |_, _| panic!("it must be released"));
    service.drain();
    left_by(service, 50 * MIB, |_, _| panic!("it must be released"));
    assert!(service.release_waiting(0));
    assert_eq!(service.stats().waiting_bytes, 0);
}

#[test]
fn releases_skip_memory_that_was_taken() {
    let mut releases = Releases::default();
    let handoff = Some(Handoff { written: 1, keep: |memory, _| Some(memory) });
    for n in 1..=4 {
        releases.push(MaybeServed::Unserved(reservation(n * MIB)), n, handoff.filter(|_| n != 1));
    }
    let all = releases.handed_over();
    let take = |releases: &mut Releases, most: usize| {
        let suits = &mut |memory: &MaybeServed, _: Handoff| match memory {
            MaybeServed::Unserved(reservation) => reservation.reserved_bytes() <= most,
            MaybeServed::Served(_) => false,
        };
        let (memory, _) = releases.take(suits)?;
        let (reservation, _) = memory.into_reservation(0)?;
        Some(reservation.reserved_bytes())
    };
    assert_eq!(take(&mut releases, MIB), None, "another array may not have the first");
    assert_eq!(take(&mut releases, 3 * MIB), Some(3 * MIB));
    assert_eq!(
        (releases.bytes(), releases.remaining_wait(|| usize::MAX)),
        (7, Some(Duration::ZERO))
    );
    let (first, _, _) = releases.begin().unwrap();
    assert!(releases.remaining_wait(|| usize::MAX) > Some(Duration::ZERO));
    assert_eq!(releases.remaining_wait(|| 1), Some(Duration::ZERO), "there is too much");
    assert_eq!(take(&mut releases, 2 * MIB), Some(2 * MIB));
    let (last, memory, bytes) = releases.begin().unwrap();
    assert_eq!((memory.into_reservation(bytes).unwrap().1, bytes), (4, 4));
    assert!(releases.begin().is_none() && releases.have_all_begun());
    assert_eq!(releases.remaining_wait(|| usize::MAX), None);
    releases.end(last);
    assert!(!releases.have_ended(all));
    releases.end(first);
    assert_eq!((releases.len(), releases.bytes(), releases.have_ended(all)), (0, 0, true));
    releases.push(MaybeServed::Unserved(reservation(MIB)), 1, handoff);
    assert_eq!((take(&mut releases, MIB), releases.len()), (Some(MIB), 0));
}

#[test]
fn a_surplus_is_taken_back_while_the_array_grows() {
    let service = Service::unattended(Process::current());
    left_by(service, 50 * MIB, |_, _| panic!("it was taken"));
    let (next, _) = take_waiting(service).expect("it waits");
    let shared = next.shared();
    let (mut used, begun) = (0, Instant::now());
    loop {
        used = shared.take(used + 1, 0).expect("it is there");
        fill(shared, 0..used, 8);
        match service.next(false) {
            Job::TakeSurplusBack(_) => break,
            Job::Wait(Some(time)) => {
                std::thread::sleep(time.min(Duration::from_millis(100)));
            }
            Job::Prefault(shared) => service.rest(&shared),
            _ => panic!("it grows"),
        }
        assert!(begun.elapsed() < Duration::from_secs(60));
    }
    assert!(begun.elapsed() > Duration::from_millis(900), "a second must pass");
    while shared.take_surplus_back().unwrap() > 0 {}
    assert!(!shared.has_surplus());
    let ahead = shared.ahead_bytes();
    assert!((4 * MIB..8 * MIB).contains(&ahead), "{ahead}");
    assert!(holds(shared, 0..used, 8));
    check_extent(shared);
    // Memory that was taken back reads as zero when it is committed again.
    let more = take_unready(shared, 40 * MIB).unwrap();
    assert!(holds(shared, 32 * MIB..more, 0) && holds(shared, 0..used, 8));
    drop(next);
    service.drain();
}

#[test]
fn resident_memory_is_ready_at_first() {
    let service = Service::unattended(Process::current());
    for warm in [UNIT_BYTES - page_size(), 3 * UNIT_BYTES + page_size(), 10 * MIB] {
        let memory = reservation(64 * MIB);
        memory.commit(..warm).unwrap();
        let ahead = CommitAhead::Auto;
        let array = Served(service.register(memory, 0, warm, ahead).unwrap());
        let shared = array.shared();
        let whole = warm / UNIT_BYTES * UNIT_BYTES;
        assert_eq!((shared.ahead_bytes(), shared.committed_bytes()), (whole, warm));
        check_extent(shared);
        if whole > 0 {
            assert_eq!(shared.take(1, whole), Some(whole));
        }
        fill(shared, 0..whole, 7);
        array.work().unwrap();
        assert!(shared.ahead_bytes() >= 4 * MIB && shared.late() == 0);
        assert!(holds(shared, 0..whole, 7));
    }
}

#[test]
fn the_first_window_is_a_share_of_the_available_memory() {
    let service = Service::unattended(Process::current());
    assert_eq!(service.first_window(0), LEAST_WINDOW_BYTES, "the available memory is unknown");
    let windows = |available: u64| {
        service.note_available(available);
        [0, 1, 15, 1000].map(|others| service.first_window(others) / MIB)
    };
    assert_eq!(windows(1 << 30), [4; 4]);
    assert_eq!(windows(4 << 30)[1..], [4; 3]);
    if usize::BITS >= 64 {
        assert_eq!(windows(4 << 30)[0], 8);
        assert_eq!(windows(64 << 30), [16, 16, 8, 4]);
        assert_eq!(windows(u64::MAX), [16; 4]);
    }
    service.note_available(64 << 30);
    let array = |ahead| Served(service.register(reservation(64 * MIB), 0, 0, ahead).unwrap());
    let (auto, said) = (array(CommitAhead::Auto), array(CommitAhead::Bytes(MIB)));
    assert_eq!(auto.shared().window_bytes(), service.first_window(0));
    assert_eq!(said.shared().window_bytes(), MIB);
}
