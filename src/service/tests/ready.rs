//! Memory that is ready when an array begins, and what an array leaves.

use super::*;
use crate::service::LEAST_WINDOW_BYTES;

#[test]
#[cfg_attr(no_vm, ignore = "nothing is cached there")]
fn what_an_array_has_touched_is_cached_and_ready_for_the_next() {
    let _alone = alone();
    let service = Service::unattended(Process::current());
    let register = |memory, warm| {
        let kept = Some((Use::Array, usize::MAX));
        Served(
            service
                .register(
                    memory,
                    ServiceStart { warm, kept, ..ServiceStart::of(CommitAhead::Auto) },
                )
                .unwrap(),
        )
    };
    let array = register(reservation(64 * MIB), 0);
    array.work().unwrap();
    let ready = array.shared().ahead_bytes();
    assert!(ready >= 4 * MIB);
    fill(array.shared(), 0..array.shared().take(MIB, MIB).unwrap(), 7);
    // It may not have touched most of what it takes before it is ready.
    take_unready(array.shared(), 40 * MIB).unwrap();
    assert_eq!((array.shared().touched_bytes(), array.shared().late()), (ready, 1));
    array.retire();
    assert_eq!((service.stats().arrays, region_cache::stats().kept_bytes), (0, ready));
    let (region, lent) =
        region_cache::take(Use::Array, 1..usize::MAX, &mut |_| true).expect("it is cached");
    assert!(lent.is_some() && region.memory().committed_bytes().unwrap() == ready);
    let (memory, pages) = region.into_parts();
    let next = register(memory, pages.end);
    assert_eq!(next.shared().ahead_bytes(), ready / UNIT_BYTES * UNIT_BYTES);
    fill(next.shared(), 0..next.shared().take(MIB, MIB).unwrap(), 8);
    check_extent(next.shared());
    drop(next);
    assert_eq!(service.stats().arrays, 0);
}

#[test]
#[cfg_attr(no_vm, ignore = "nothing is cached there")]
fn what_an_array_took_before_it_was_ready_counts_as_touched_if_it_is_resident() {
    for (filled, is_touched) in [(40, true), (31, true), (20, false)] {
        let array = served(64 * MIB, CommitAhead::Auto);
        let usable = take_unready(array.shared(), 40 * MIB).unwrap();
        fill(array.shared(), 0..filled * MIB, 7);
        // Where the system does not tell, it does not count.
        let knows = array.shared().reservation().resident_within(0..MIB) > 0;
        let touched = if knows && is_touched { usable } else { 0 };
        assert_eq!(array.shared().touched_bytes(), touched, "{filled}");
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn a_surplus_is_taken_back_while_the_array_grows() {
    let service = Service::unattended(Process::current());
    // So the window is the smallest.
    service.note_available(1);
    let memory = reservation(64 * MIB);
    memory.prefault(..50 * MIB).unwrap();
    let start = ServiceStart { warm: 50 * MIB, ..ServiceStart::of(CommitAhead::Auto) };
    let next = Served(service.register(memory, start).unwrap());
    let shared = next.shared();
    let (mut used, begun) = (0, Instant::now());
    loop {
        used = shared.take(used + 1, 0).expect("it is there");
        fill(shared, 0..used, 8);
        match service.next() {
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
}

#[test]
fn resident_memory_is_ready_at_first() {
    let service = Service::unattended(Process::current());
    for warm in [UNIT_BYTES - page_size(), 3 * UNIT_BYTES + page_size(), 10 * MIB] {
        let memory = reservation(64 * MIB);
        memory.commit(..warm).unwrap();
        let start = ServiceStart { warm, ..ServiceStart::of(CommitAhead::Auto) };
        let array = Served(service.register(memory, start).unwrap());
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
    let array =
        |ahead| Served(service.register(reservation(64 * MIB), ServiceStart::of(ahead)).unwrap());
    let (auto, said) = (array(CommitAhead::Auto), array(CommitAhead::Bytes(MIB)));
    assert_eq!(auto.shared().window_bytes(), service.first_window(0));
    assert_eq!(said.shared().window_bytes(), MIB);
}
