//! The background thread when a process is forked, and when resources are refused.

use crate::effort::{self, wait_until};
use crate::linux::{
    assert_counts, beside, fill, forked, in_child_limiting, leave, leave_writable, set_limit, statm,
};
use crate::{GIB, KIB, MIB};
use stayput::{
    Budget, CommitAhead, DefaultKey, HugePages, Release, Reservation, SecondaryMap, SlotMap, VmVec,
    page_size, service,
};
use std::thread;
use std::time::Duration;

/// The unit in which arrays take what is ready.
const UNIT: usize = 128 * KIB;

fn served(ahead: CommitAhead, release: Release) -> VmVec<u64> {
    let builder = VmVec::builder().max_len(64 * MIB / 8).huge_pages(HugePages::Never);
    builder.commit_ahead(ahead).release(release).build()
}

fn grow(vec: &mut VmVec<u64>, len: usize) {
    let from = vec.len() as u64;
    vec.extend(from..len as u64);
}

/// Checks what a child does with arrays of its parent.
fn go_on(arrays: Vec<VmVec<u64>>) {
    assert!(!service::stats().running, "no thread is forked");
    service::drain();
    let lens: Vec<_> = arrays.iter().map(VmVec::len).collect();
    for (mut vec, len) in arrays.into_iter().zip(lens) {
        let start = vec.as_ptr();
        assert_counts(&vec, len);
        grow(&mut vec, len + 300_000);
        assert_counts(&vec, len + 300_000);
        // The thread does not exist here, so memory is made resident only by calls.
        let _ = vec.prefault_ahead(Budget::bytes(MIB));
        vec.truncate(len / 2);
        vec.shrink_to_fit();
        assert!(vec.capacity() <= len / 2 + 2 * UNIT / 8);
        grow(&mut vec, len + 100_000);
        assert_counts(&vec, len + 100_000);
        assert_eq!(vec.as_ptr(), start);
        drop(vec);
        service::drain();
    }

    // The child's own arrays have a service of their own.
    let mut own = served(CommitAhead::Bytes(MIB), Release::Background);
    assert!(service::stats().running && service::stats().arrays == 1);
    wait_until("the child has memory ahead", || own.stats().ahead_bytes >= MIB);
    grow(&mut own, 50_000);
    assert_counts(&own, 50_000);
    assert_eq!(own.stats().late, 0);
    grow(&mut own, 1_000_000);
    drop(own);
    service::drain();
    assert_eq!((service::stats().arrays, service::stats().waiting_bytes), (0, 0));
}

#[test]
fn a_child_goes_on_by_itself_with_arrays_that_are_served() {
    in_child_limiting("threads of a forked child", || {
        for release in [Release::Now, Release::Background] {
            let all = [CommitAhead::Auto, CommitAhead::Bytes(MIB), CommitAhead::Bytes(64 * MIB)];
            let arrays = || {
                all.map(|ahead| {
                    let mut vec = served(ahead, release);
                    grow(&mut vec, 200_000);
                    vec
                })
            };
            // During work, and when all is done.
            let mut busy = Vec::from(arrays());
            forked(|| go_on(std::mem::take(&mut busy)));
            for vec in &mut busy {
                assert_counts(vec, 200_000);
                wait_until("memory is ahead", || vec.stats().ahead_bytes >= MIB / 2);
            }
            forked(|| go_on(std::mem::take(&mut busy)));
            // The parent's arrays are served as before.
            for vec in &mut busy {
                grow(vec, 210_000);
                assert_counts(vec, 210_000);
                wait_until("memory is ahead", || vec.stats().ahead_bytes >= MIB / 2);
            }
            assert_eq!(service::stats().arrays, 3);
            drop(busy);
            service::drain();
            assert_eq!(service::stats().arrays, 0);
        }
    });
}

#[test]
fn a_child_forked_in_the_midst_of_anything_goes_on() {
    in_child_limiting("threads of a forked child", || {
        // Serves, releases and reclaims continuously.
        let work = |_, is_done: &dyn Fn() -> bool| {
            while !is_done() {
                let mut vec = served(CommitAhead::Bytes(32 * MIB), Release::Background);
                grow(&mut vec, 300_000);
                vec.truncate(1000);
                vec.shrink_to_fit();
                grow(&mut vec, 300_000);
                assert_counts(&vec, 300_000);
            }
        };
        beside(1, work, || {
            for n in 0..effort::rounds(12) as usize {
                let mut vec = served(CommitAhead::Bytes(32 * MIB), Release::Background);
                grow(&mut vec, 100_000 + n * 10_000);
                let mut waiting = served(CommitAhead::Off, Release::Background);
                grow(&mut waiting, 500_000);
                drop(waiting);
                thread::sleep(Duration::from_micros(n as u64 * 37 % 1000));
                let len = vec.len();
                let mut arrays = vec![vec];
                forked(|| go_on(std::mem::take(&mut arrays)));
                grow(&mut arrays[0], len + 10_000);
                assert_counts(&arrays[0], len + 10_000);
            }
        });
        service::drain();
    });
}

#[test]
fn where_no_thread_can_be_started_arrays_work_without_it() {
    in_child_limiting("address space", || {
        let raw = Reservation::new(64 * MIB).expect("addresses");
        let mut released = VmVec::builder().max_len(4 * MIB).release(Release::Background).build();
        released.resize(4 * MIB, 1_u8);
        // The thread's stack has 256 KiB. What is left is less, and enough for small arrays.
        let limit = leave(libc::RLIMIT_AS, 0, 64 * MIB);
        let mut filler = Vec::with_capacity(100);
        let mut bytes = 32 * MIB;
        while bytes >= page_size() {
            if limit - statm(0) > bytes + 200 * KIB {
                filler.extend(Reservation::new(bytes).ok());
            } else {
                bytes /= 2;
            }
        }
        assert!(limit - statm(0) < 256 * KIB, "{} are left", limit - statm(0));

        let mut memory = raw.growing().commit_ahead(CommitAhead::Auto).release(Release::Background);
        assert!(memory.grow_to(32 * MIB).expect("there is memory") >= 32 * MIB);
        assert_eq!((memory.ahead_bytes(), memory.late()), (0, 0));
        let builder = VmVec::<u64>::builder().max_len(8 * KIB).commit_ahead(CommitAhead::Auto);
        let mut vec = builder.release(Release::Background).build();
        grow(&mut vec, 8 * KIB);
        assert_counts(&vec, 8 * KIB);
        assert!(vec.prefault_ahead(Budget::UNLIMITED).refused.is_none());
        let stats = service::stats();
        assert!(!stats.running, "there is a thread, in {} bytes", limit - statm(0));
        assert_eq!(stats.arrays, 0);
        // The thread that drops it then releases it.
        let before = statm(0);
        drop(released);
        assert!(statm(0) + 4 * MIB <= before);
        drop((vec, memory));
        service::drain();

        // Later arrays find a thread.
        drop(filler);
        // A small one: when the thread allocates for the first time, glibc takes 128 MiB of addresses for a moment.
        let builder = VmVec::<u64>::builder().max_len(MIB).huge_pages(HugePages::Never);
        let vec = builder.commit_ahead(CommitAhead::Bytes(MIB)).build();
        wait_until("memory is ahead", || vec.stats().ahead_bytes >= MIB);
        assert!(service::stats().running);
    });
}

/// However little is left: without what a thread needs in addition to its stack, the process ends.
#[test]
fn with_any_rest_of_memory_the_thread_is_started_or_is_not() {
    in_child_limiting("address space", || {
        for (resource, field) in [(libc::RLIMIT_AS, 0), (libc::RLIMIT_DATA, 5)] {
            for left in (0..1600 * KIB).step_by(8 * KIB) {
                let reservation = Reservation::new(MIB).expect("addresses");
                forked(|| {
                    set_limit(resource, statm(field) + left);
                    let memory = reservation.growing().commit_ahead(CommitAhead::Bytes(UNIT));
                    // It takes a while until the thread has all that it needs.
                    thread::sleep(Duration::from_millis(5));
                    let is_enough = left >= 1400 * KIB;
                    assert!(service::stats().running || !is_enough, "{left} bytes are enough");
                    drop(memory);
                });
            }
        }
    });
}

/// Returns how many elements are appended before memory is refused, and their bytes.
fn fill_up(ahead: CommitAhead) -> usize {
    let before = statm(5);
    let mut vec =
        VmVec::builder().max_len(GIB).huge_pages(HugePages::Never).commit_ahead(ahead).build();
    let error = fill(&mut vec);
    assert_eq!(error.kind(), stayput::ErrorKind::DataLimit, "{error}");
    let len = vec.len();
    assert_counts(&vec, len);
    drop(vec);
    // The thread may be in the middle of a step.
    wait_until("the memory is gone", || statm(5) <= before + 64 * KIB);
    len * 8
}

#[test]
fn no_push_is_refused_memory_that_lies_ahead() {
    in_child_limiting("writable memory", || {
        // The thread has memory of its own, which must not count.
        let mut idle = served(CommitAhead::Bytes(1), Release::Now);
        grow(&mut idle, 10);
        wait_until("memory is ahead", || idle.stats().ahead_bytes > 0);
        leave_writable(48 * MIB);
        let without = fill_up(CommitAhead::Off);
        assert!(without > 40 * MIB, "{without}");

        // Nothing committed ahead for the array itself is lost.
        for ahead in [CommitAhead::Auto, CommitAhead::Bytes(UNIT), CommitAhead::Bytes(32 * MIB)] {
            let with = fill_up(ahead);
            assert!(with + UNIT >= without, "{ahead:?}: {with} and {without}");
        }
        // Nor for others.
        for ahead in [CommitAhead::Off, CommitAhead::Auto, CommitAhead::Bytes(MIB)] {
            let others = [(); 3].map(|()| served(CommitAhead::Bytes(8 * MIB), Release::Now));
            for vec in &others {
                wait_until("memory is ahead", || vec.stats().ahead_bytes >= 8 * MIB);
            }
            let with = fill_up(ahead);
            assert!(with + UNIT >= without, "{ahead:?}: {with} and {without}");
            assert!(others.iter().all(|vec| vec.stats().ahead_bytes < 8 * MIB));
        }
        grow(&mut idle, 1_000_000);
        assert_counts(&idle, 1_000_000);
    });
}

#[test]
fn arrays_that_grow_together_share_all_there_is() {
    in_child_limiting("writable memory", || {
        let idle = served(CommitAhead::Bytes(1), Release::Now);
        wait_until("memory is ahead", || idle.stats().ahead_bytes > 0);
        leave_writable(48 * MIB);
        let without = fill_up(CommitAhead::Off);
        for ahead in [CommitAhead::Auto, CommitAhead::Bytes(4 * MIB)] {
            let mut arrays = [(); 4].map(|()| served(ahead, Release::Now));
            // Each as far as possible, in steps of different sizes.
            for n in 0_usize.. {
                let vec = &mut arrays[n % 4];
                let (len, more) = (vec.len(), 1000 * (n % 7 + 1));
                if vec.try_extend(len as u64..(len + more) as u64).is_err() {
                    break;
                }
            }
            // Now one array gets all that is left.
            let error = fill(&mut arrays[1]);
            assert_eq!(error.kind(), stayput::ErrorKind::DataLimit, "{error}");
            let with: usize = arrays.iter().map(|vec| vec.len() * 8).sum();
            assert!(with + 5 * UNIT >= without, "{ahead:?}: {with} and {without}");
            for vec in &arrays {
                assert_counts(vec, vec.len());
            }
        }
    });
}

#[test]
fn maps_that_are_refused_memory_have_all_that_they_had() {
    in_child_limiting("writable memory", || {
        let builder = SlotMap::<DefaultKey, u64>::builder().max_len(GIB / 16);
        let mut map = builder.commit_ahead(CommitAhead::Auto).huge_pages(HugePages::Never).build();
        let builder = SecondaryMap::<DefaultKey, u64>::builder().max_len(GIB / 16);
        let mut second = builder.commit_ahead(CommitAhead::Auto).build();
        leave_writable(32 * MIB);
        for n in 0.. {
            let Ok(key) = map.try_insert(n) else { break };
            if second.try_insert(key, n).is_err() {
                break;
            }
        }
        assert!(map.len() > 500_000 && map.len() - second.len() <= 1);
        assert!(map.iter().zip(0..).all(|((_, value), n)| *value == n));
        assert!(second.iter().all(|(key, value)| map[key] == *value));
        let few = map.len() / 4;
        map.retain(|_, value| *value < few as u64);
        second.retain(|key, _| map.contains_key(key));
        map.trim();
        second.shrink_to_fit();
        for n in 0..10_000 {
            let key = map.insert(n);
            second.insert(key, n);
        }
        assert!(second.iter().all(|(key, value)| map[key] == *value));
    });
}

#[test]
fn what_waits_to_be_released_can_be_had() {
    in_child_limiting("writable memory", || {
        let idle = served(CommitAhead::Bytes(1), Release::Now);
        wait_until("memory is ahead", || idle.stats().ahead_bytes > 0);
        // With large elements, because test builds are slow.
        let builder = VmVec::<[u8; 4 * KIB]>::builder().max_len(64 * MIB / (4 * KIB));
        let builder = builder.huge_pages(HugePages::Never).release(Release::Background);
        let ones = vec![[1; 4 * KIB]; MIB / (4 * KIB)];
        // There is enough memory for one, and then enough addresses.
        leave_writable(96 * MIB);
        for _ in 0..10 {
            let mut vec = builder.build();
            vec.try_reserve(vec.max_len()).expect("there is room for one");
            for _ in 0..64 {
                vec.extend_from_slice(&ones);
            }
            drop(vec);
        }
        service::drain();
        leave(libc::RLIMIT_AS, 0, 96 * MIB);
        for _ in 0..10 {
            let mut vec = builder.try_build().expect("there are addresses for one");
            for _ in 0..60 {
                vec.extend_from_slice(&ones);
            }
            drop(vec);
        }
    });
}

#[test]
fn a_large_request_that_was_refused_leaves_nothing_to_be_done() {
    in_child_limiting("address space", || {
        let builder = VmVec::<u8>::builder().max_len(1 << 45).commit_ahead(CommitAhead::Auto);
        let Ok(mut vec) = builder.release(Release::Background).try_build() else {
            eprintln!("SKIPPED: too few addresses");
            return;
        };
        vec.extend([7; 1000]);
        wait_until("memory is ahead", || vec.stats().ahead_bytes >= MIB);
        assert!(vec.try_reserve(1 << 44).is_err());
        assert_eq!(vec, [7; 1000]);
        assert!(vec.stats().ahead_bytes >= MIB, "what was ready is so still");
        // By pieces, it would be millions of calls.
        let mut calls = 0;
        while !vec.shrink_to_fit_within(Budget::bytes(MIB)).expect("nothing is refused").is_done {
            calls += 1;
        }
        assert!(calls < 100, "{calls} calls");
        assert!(vec.try_reserve(1 << 44).is_err());
        drop(vec);
        service::drain();
        assert_eq!(service::stats().waiting_bytes, 0);
    });
}
