//! The background thread, in a process without other tests: when it runs, what it commits ahead, and what it releases.

use effort::wait_until;
use stayput::{
    Arena, Budget, CommitAhead, DefaultKey, HugePages, Release, Reservation, SecondaryMap,
    SharedSlotMap, SharedVec, SlotMap, VecBuilder, VecStats, VmVec, region_cache, service,
};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

#[path = "../common/effort.rs"]
mod effort;
mod large;
#[path = "../common/random.rs"]
mod random;
mod stress;

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;
/// The unit in which arrays take memory that is ready.
const UNIT: usize = 128 * KIB;
/// The most memory that is made ready at once, without huge pages.
const STEP: usize = 512 * KIB;

/// Runs one test at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    service::drain();
    assert_eq!(service::stats().arrays, 0);
    alone
}

/// Runs one test at a time, without a thread at its start.
fn without_thread() -> MutexGuard<'static, ()> {
    let alone = alone();
    wait_until("the thread ends", || !service::stats().running);
    alone
}

/// An array whose sizes are in bytes. It has few, large elements, since test builds are slow.
struct Bytes(VmVec<[u8; Bytes::EACH]>);

impl Bytes {
    const EACH: usize = 256;

    fn new(builder: VecBuilder<[u8; Self::EACH]>) -> Self {
        Self(builder.max_len(64 * MIB / Self::EACH).build())
    }

    fn ahead(ahead: CommitAhead) -> Self {
        Self::new(VmVec::builder().huge_pages(HugePages::Never).commit_ahead(ahead))
    }

    fn len(&self) -> usize {
        self.0.len() * Self::EACH
    }

    fn capacity(&self) -> usize {
        self.0.capacity() * Self::EACH
    }

    fn stats(&self) -> VecStats {
        self.0.stats()
    }

    /// The size that it can reach without outrunning commit-ahead.
    fn ready(&self) -> usize {
        self.capacity() + self.stats().ahead_bytes - self.len()
    }

    fn resize(&mut self, bytes: usize, byte: u8) {
        self.0.resize(bytes / Self::EACH, [byte; Self::EACH]);
    }

    fn holds(&self, byte: u8) -> bool {
        self.0.iter().all(|each| each[0] == byte && each[Self::EACH - 1] == byte)
    }
}

/// Waits for half of the window, since with that much ready an array requests no more.
#[track_caller]
fn wait_for_ahead(vec: &Bytes, window: usize) -> VecStats {
    wait_until("memory ahead", || vec.stats().ahead_bytes >= window.div_ceil(2));
    vec.stats()
}

/// The number of threads of that name, on systems that report it.
fn threads() -> Option<Vec<std::path::PathBuf>> {
    let tasks = std::fs::read_dir("/proc/self/task").ok().filter(|_| cfg!(target_os = "linux"))?;
    let names = tasks.filter_map(|task| {
        let path = task.ok()?.path();
        let name = std::fs::read_to_string(path.join("comm")).ok()?;
        (name.trim() == "stayput").then_some(path)
    });
    Some(names.collect())
}

#[test]
fn arrays_without_background_options_start_no_thread() {
    let _alone = without_thread();
    let before = service::stats();
    let mut vec: VmVec<u64> = (0..1_000_000).collect();
    vec.truncate(10);
    while !vec.shrink_to_fit_within(Budget::bytes(MIB)).expect("it is ours").is_done {}
    assert!(vec.prefault_ahead(Budget::UNLIMITED).ahead_bytes > 0);
    let mut map: SlotMap<DefaultKey, u64> = (0..100_000).collect();
    map.retain(|_, value| *value < 10);
    map.trim();
    let mut second: SecondaryMap<DefaultKey, u64> =
        SecondaryMap::builder().commit_ahead(CommitAhead::Off).release(Release::Now).build();
    second.extend(map.keys().map(|key| (key, 1)));
    let off = VmVec::<u8>::builder().commit_ahead(CommitAhead::Bytes(0)).build();
    // An empty array and a small one are released as quickly as they are dropped.
    let background = VmVec::<u8>::builder().release(Release::Background);
    let mut small = background.build();
    small.push(1);
    drop((background.build(), small, vec, map, second, off));
    service::drain();
    let stats = service::stats();
    assert_eq!((stats.running, stats.arrays, stats.ahead_bytes), (false, 0, 0));
    assert_eq!((stats.waiting_bytes, stats.wakeups), (0, before.wakeups));
    assert_eq!(threads().map_or(0, |threads| threads.len()), 0);
}

#[test]
fn the_thread_runs_as_long_as_it_is_needed() {
    let _alone = without_thread();
    for _ in 0..2 {
        let many: Vec<_> = (0..20).map(|_| Bytes::ahead(CommitAhead::Bytes(1))).collect();
        let stats = service::stats();
        assert!(stats.running);
        assert_eq!(stats.arrays, 20);
        // The thread gets its name after a while, and an ended one may not be gone yet.
        wait_until("there is one for all", || threads().is_none_or(|all| all.len() == 1));
        drop(many);
        let begun = Instant::now();
        assert_eq!(service::stats().arrays, 0);
        wait_until("it ends", || !service::stats().running);
        wait_until("it is gone", || threads().is_none_or(|all| all.is_empty()));
        assert!(begun.elapsed() > Duration::from_millis(900), "a second one might come soon");
    }
    // An array that is not cached is released where it is dropped, unless the options say otherwise.
    let mut vec: VmVec<[u8; Bytes::EACH]> = VmVec::builder().commit_ahead(CommitAhead::Off).build();
    vec.push([1; Bytes::EACH]);
    vec.resize(40 * MIB / Bytes::EACH, [1; Bytes::EACH]);
    drop(vec);
    assert!(!service::stats().running);
    // An array that only releases in the background.
    let mut vec = Bytes::new(VmVec::builder().release(Release::Background));
    vec.resize(8 * MIB, 1);
    assert!(!service::stats().running);
    drop(vec);
    assert!(service::stats().running);
    service::drain();
    wait_until("it ends", || !service::stats().running);
}

#[test]
fn the_thread_is_quiet_when_nothing_grows() {
    let _alone = alone();
    let mut arrays = [CommitAhead::Auto, CommitAhead::Bytes(MIB)].map(Bytes::ahead);
    for vec in &mut arrays {
        vec.resize(6 * MIB, 1);
    }
    let mut last = (service::stats().wakeups, Instant::now());
    wait_until("it sleeps for a second and a half", || {
        let now = service::stats().wakeups;
        if now != last.0 {
            last = (now, Instant::now());
        }
        last.1.elapsed() > Duration::from_millis(1500)
    });
    let before = service::stats();
    assert!(before.running && before.wakeups > 0);
    // Growth that finds enough memory ready does not wake the thread.
    let ahead = arrays[0].stats().ahead_bytes;
    assert!(ahead >= 4 * MIB);
    let len = arrays[0].capacity() + MIB;
    arrays[0].resize(len, 2);
    thread::sleep(Duration::from_millis(50));
    assert_eq!(service::stats().wakeups, before.wakeups);
}

#[test]
fn the_thread_releases_old_cached_memory() {
    let _alone = alone();
    let _vec = Bytes::ahead(CommitAhead::Bytes(MIB));
    wait_until("all that others left is old", || region_cache::stats().kept_blocks == 0);
    // Twice, since the thread sleeps without a timeout once everything is released.
    for bytes in [2 * MIB, 8 * MIB] {
        region_cache::set_time(Duration::from_secs(1000));
        let mut other = Bytes::new(VmVec::builder());
        other.resize(bytes, 1);
        drop(other);
        assert!(region_cache::stats().kept_bytes >= bytes);
        region_cache::set_time(Duration::from_millis(10));
        wait_until("it is old", || region_cache::stats().kept_bytes == 0);
    }
    region_cache::set_time(Duration::from_secs(1));
}

#[test]
fn no_signal_is_delivered_to_the_thread() {
    let _alone = alone();
    let _vec = Bytes::ahead(CommitAhead::Auto);
    wait_until("it has its name", || threads().is_none_or(|all| !all.is_empty()));
    for path in threads().into_iter().flatten() {
        let blocked = || {
            let status = std::fs::read_to_string(path.join("status")).expect("it is there");
            let line = status.lines().find_map(|line| line.strip_prefix("SigBlk:"));
            u64::from_str_radix(line.expect("it is listed").trim(), 16).expect("a number")
        };
        // SIGHUP, SIGINT, SIGUSR1, SIGALRM, SIGTERM, SIGCHLD, SIGPROF.
        let asked =
            [1, 2, 10, 14, 15, 17, 27].iter().fold(0, |all, signal| all | 1 << (signal - 1));
        wait_until("signals are blocked", || blocked() & asked == asked);
    }
}

#[test]
fn memory_ahead_is_reported() {
    let _alone = alone();
    let arrays = [1, 2, 3].map(|window| Bytes::ahead(CommitAhead::Bytes(window * MIB)));
    wait_until("all are ready", || {
        arrays.iter().zip(1..).all(|(vec, window)| vec.stats().ahead_bytes >= window * MIB)
    });
    let stats = service::stats();
    assert_eq!((stats.running, stats.arrays), (true, 3));
    let sum: usize = arrays.iter().map(|vec| vec.stats().ahead_bytes).sum();
    assert_eq!((stats.ahead_bytes, stats.waiting_bytes), (sum, 0));
}

#[test]
fn memory_ahead_is_committed_and_resident() {
    let _alone = alone();
    for huge_pages in [HugePages::Never, HugePages::Auto, HugePages::Always] {
        let builder = VmVec::builder().huge_pages(huge_pages);
        let vec = Bytes::new(builder.commit_ahead(CommitAhead::Bytes(6 * MIB)));
        // All of it, since there was never enough.
        let stats = wait_for_ahead(&vec, 12 * MIB);
        assert!(stats.committed_bytes >= stats.ahead_bytes);
        assert_eq!((stats.capacity, stats.len), (0, 0), "the array has not taken any of it");
        if cfg!(target_os = "linux") {
            assert!(stats.resident_bytes >= Some(6 * MIB), "{stats:?}");
        }
    }
}

#[test]
fn growth_within_what_is_ready_is_never_late() {
    let _alone = alone();
    for ahead in [CommitAhead::Auto, CommitAhead::Bytes(MIB), CommitAhead::Bytes(1)] {
        let mut vec = Bytes::ahead(ahead);
        let mut round = 0_u8;
        while vec.len() < 24 * MIB {
            wait_for_ahead(&vec, if ahead == CommitAhead::Auto { 4 * MIB } else { 1 });
            let ready = vec.ready();
            // All of it, in steps of different sizes.
            let step = ready / (usize::from(round % 9) + 1) + Bytes::EACH;
            let end = vec.len() + ready.min(16 * MIB);
            while vec.len() < end {
                let len = (vec.len() + step).min(end);
                vec.resize(len, round);
            }
            assert_eq!(vec.stats().late, 0, "{ahead:?}");
            round = round.wrapping_add(1);
        }
        if ahead != CommitAhead::Auto {
            // Memory that cannot be ready counts as late once.
            vec.resize(64 * MIB, 0);
            assert_eq!(vec.stats().late, 1, "{ahead:?}");
        }
    }
}

#[test]
fn no_more_memory_is_ahead_than_requested() {
    let _alone = alone();
    for window in [1, UNIT, 700_000, 3 * MIB] {
        let mut vec = Bytes::ahead(CommitAhead::Bytes(window));
        let mut len = 0;
        while len < 24 * MIB {
            for _ in 0..20 {
                let stats = vec.stats();
                assert!(stats.ahead_bytes < window + STEP, "{stats:?} for {window}");
            }
            len += 300_000;
            vec.resize(len, 1);
        }
        wait_for_ahead(&vec, window);
    }
}

#[test]
fn excess_memory_ahead_is_returned_after_a_second_without_growth() {
    let _alone = alone();
    for (ahead, kept) in
        [(CommitAhead::Auto, 4 * MIB), (CommitAhead::Bytes(MIB), MIB), (CommitAhead::Bytes(1), 1)]
    {
        let mut vec = Bytes::ahead(ahead);
        // Uses much memory in few frames, so that much is committed ahead.
        let mut grown = Instant::now();
        let least = if ahead == CommitAhead::Auto { 4 * MIB + UNIT } else { kept };
        wait_until("much is ahead", || {
            if vec.len() < 40 * MIB {
                grown = Instant::now();
                let len = vec.len() + 5 * MIB;
                vec.resize(len, 7);
            }
            vec.stats().ahead_bytes >= least
        });
        let most = vec.capacity() + kept.next_multiple_of(UNIT) + UNIT;
        wait_until("it goes back", || vec.stats().committed_bytes <= most);
        assert!(grown.elapsed() > Duration::from_millis(900), "{:?}", grown.elapsed());
        let stats = vec.stats();
        assert!(stats.ahead_bytes >= kept / 2 && stats.ahead_bytes <= most - vec.capacity());
        if cfg!(target_os = "linux") {
            assert!(stats.resident_bytes <= Some(most), "{stats:?}");
        }
        assert!(vec.holds(7));

        // It is ready again when growth goes on.
        let late = stats.late;
        while vec.len() < 60 * MIB {
            wait_for_ahead(&vec, kept);
            let len = vec.len() + vec.ready().min(MIB);
            vec.resize(len, 8);
        }
        assert_eq!(vec.stats().late, late);
    }
}

#[test]
fn a_leaked_array_keeps_neither_the_thread_nor_memory_ahead() {
    let _alone = without_thread();
    let mut vec = Bytes::ahead(CommitAhead::Auto);
    vec.resize(MIB, 7);
    wait_for_ahead(&vec, 4 * MIB);
    let leaked = vec.0.leak();
    let stats = service::stats();
    assert_eq!((stats.arrays, stats.ahead_bytes), (0, 0));
    wait_until("the thread ends", || !service::stats().running);
    assert!(leaked.iter().all(|each| *each == [7; Bytes::EACH]));
}

#[test]
fn memory_no_longer_needed_ahead_is_returned_without_growth() {
    let _alone = alone();
    for (ahead, kept) in [(CommitAhead::Bytes(MIB), MIB), (CommitAhead::Off, 0)] {
        let builder = Reservation::builder().bytes(64 * MIB).huge_pages(HugePages::Never);
        let memory = builder.reserve().expect("addresses").growing();
        let mut memory = memory.commit_ahead(CommitAhead::Bytes(32 * MIB));
        memory.grow_to(MIB).expect("there is memory");
        // Half of it: if the thread had made all of it ready before the growth, it adds nothing until less is left.
        wait_until("memory is ahead", || memory.ahead_bytes() >= 16 * MIB);
        // Until the thread has nothing left to observe.
        thread::sleep(Duration::from_millis(1500));
        memory = memory.commit_ahead(ahead);
        let most = memory.usable_bytes() + kept + UNIT;
        wait_until("it goes back", || memory.committed_bytes() <= most);
        assert!(memory.ahead_bytes() >= kept / 2);
    }
}

#[test]
fn memory_prefaulted_by_the_caller_is_returned_too() {
    let _alone = alone();
    let mut vec = Bytes::ahead(CommitAhead::Auto);
    vec.resize(1, 0);
    for _ in 0..3 {
        let len = vec.len() + 15 * MIB;
        vec.resize(len, 7);
        thread::sleep(Duration::from_millis(17));
    }
    // For longer than the thread keeps it, but while the busiest frame still counts.
    for _ in 0..65 {
        vec.0.prefault_ahead(Budget::UNLIMITED);
        thread::sleep(Duration::from_millis(17));
    }
    let most = vec.capacity() + 4 * MIB + UNIT;
    wait_until("it goes back", || vec.stats().committed_bytes <= most);
}

#[test]
fn helping_the_thread_does_not_stall_it() {
    let _alone = alone();
    for n in 0..100 {
        let mut vec = Bytes::ahead(CommitAhead::Bytes(8 * MIB));
        vec.resize(1, 0);
        for _ in 0..n % 10 {
            vec.0.prefault_ahead(Budget::bytes(1));
        }
        wait_for_ahead(&vec, 8 * MIB);
    }
}

#[test]
fn every_array_has_memory_ahead_when_many_grow() {
    let _alone = alone();
    let mut arrays: Vec<_> = (0..12).map(|_| Bytes::ahead(CommitAhead::Bytes(MIB))).collect();
    for round in 1..=4 {
        for vec in &mut arrays {
            vec.resize(round * MIB, 1);
        }
        for vec in &arrays {
            wait_for_ahead(vec, MIB);
        }
    }
    assert!(arrays.iter().all(|vec| vec.holds(1)));
}

#[test]
fn maps_have_memory_ahead_too() {
    let _alone = alone();
    let mut map: SlotMap<DefaultKey, [u64; 8]> =
        SlotMap::builder().max_len(200_000).commit_ahead(CommitAhead::Bytes(MIB)).build();
    let mut second: SecondaryMap<DefaultKey, u64> =
        SecondaryMap::builder().max_len(200_000).commit_ahead(CommitAhead::Bytes(MIB)).build();
    for n in 0..100_000 {
        if n % 5_000 == 0 {
            wait_until("slots are ready", || map.stats().ahead_bytes >= MIB / 2);
            wait_until("more are ready", || second.stats().ahead_bytes >= MIB / 2);
        }
        let key = map.insert([n; 8]);
        second.insert(key, n);
    }
    assert_eq!((map.stats().late, second.stats().late), (0, 0));
    assert!(map.iter().all(|(key, value)| second[key] == value[0]));
}

#[test]
fn released_memory_is_gone_when_drain_returns() {
    let _alone = alone();
    for ahead in [CommitAhead::Off, CommitAhead::Bytes(MIB)] {
        let arrays: Vec<Bytes> = (0..4)
            .map(|_| {
                let builder = VmVec::builder().commit_ahead(ahead);
                let mut vec = Bytes::new(builder.release(Release::Background));
                vec.resize(20 * MIB, 1);
                vec
            })
            .collect();
        let before = process_bytes();
        drop(arrays);
        assert_eq!(service::stats().arrays, 0);
        service::drain();
        assert_eq!(service::stats().waiting_bytes, 0);
        for (before, after) in before.into_iter().flatten().zip(process_bytes().unwrap_or_default())
        {
            // The tolerance covers the threads of other tests.
            assert!(after + 60 * MIB < before, "{before} to {after}");
        }
    }
}

#[test]
fn memory_of_dropped_arrays_is_ready_for_later_ones() {
    let _alone = alone();
    region_cache::trim();
    let builder = || VmVec::builder().commit_ahead(CommitAhead::Auto).release(Release::Background);
    let mut first = Bytes::new(builder());
    while first.len() < 48 * MIB {
        first.resize(first.len() + MIB / 4, 1);
    }
    region_cache::set_time(Duration::from_secs(1000));
    drop(first);
    // The thread may just be at work there.
    wait_until("it is cached", || region_cache::stats().kept_bytes > 0);
    let kept = region_cache::stats().kept_bytes;
    assert!(kept >= 48 * MIB && service::stats().waiting_bytes == 0, "{kept}");
    let mut next = Bytes::new(builder());
    assert_eq!(region_cache::stats().kept_bytes, 0);
    let ready = next.stats().ahead_bytes;
    assert!(ready + UNIT > kept, "{ready} of {kept}");
    next.resize(ready, 2);
    assert!(next.stats().late == 0 && next.holds(2));
    drop(next);
    service::drain();
    region_cache::set_time(Duration::from_secs(1));
}

/// The addresses and memory of the process, on systems that report it. (Wine has a `/proc` too, but its own.)
fn process_bytes() -> Option<[usize; 2]> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let mut pages = text.split(' ').filter_map(|pages| pages.parse::<usize>().ok());
    Some([(); 2].map(|()| pages.next().unwrap_or(0) * stayput::page_size()))
}

#[test]
fn drain_also_waits_for_releases_of_other_threads() {
    let _alone = alone();
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !is_done.load(Ordering::Relaxed) {
                    let mut vec = Bytes::new(VmVec::builder().release(Release::Background));
                    vec.resize(2 * MIB, 1);
                }
            });
        }
        for _ in 0..20 {
            service::drain();
            thread::sleep(Duration::from_millis(2));
        }
        is_done.store(true, Ordering::Relaxed);
    });
    service::drain();
    assert_eq!(service::stats().waiting_bytes, 0);
}

#[test]
fn arrays_that_are_dropped_while_they_are_served_are_gone() {
    let _alone = alone();
    for release in [Release::Now, Release::Background] {
        let before = process_bytes();
        for n in 0..200_usize {
            let builder = VmVec::builder().release(release);
            let mut vec = Bytes::new(builder.commit_ahead(CommitAhead::Bytes(32 * MIB)));
            // Queued, in progress, or done.
            vec.resize(n % 3 * MIB, 1);
            if n % 2 == 0 {
                thread::sleep(Duration::from_micros(50 * n as u64));
            }
            drop(vec);
            assert_eq!(service::stats().arrays, 0);
        }
        service::drain();
        // The thread may be in the middle of the last step.
        wait_until("they are gone", || {
            let bytes = before.into_iter().flatten().zip(process_bytes().unwrap_or_default());
            bytes.into_iter().all(|(before, after)| after < before + 1024 * MIB)
        });
    }
}

/// Creates an array when its thread ends, and drops it in a destructor that runs later.
struct Last(Option<VmVec<[u64; 512]>>);

impl Last {
    fn array() -> VmVec<[u64; 512]> {
        let builder = VmVec::builder().commit_ahead(CommitAhead::Auto).release(Release::Background);
        let mut vec = builder.max_len(10_000).build();
        vec.resize(500, [7; 512]);
        vec
    }
}

impl Drop for Last {
    fn drop(&mut self) {
        let mut vec = self.0.take().unwrap_or_else(Self::array);
        vec.resize(2000, [7; 512]);
        assert!(vec.iter().all(|element| *element == [7; 512]));
        drop(vec);
        service::drain();
    }
}

#[test]
fn arrays_can_be_created_and_dropped_while_threads_end() {
    thread_local! {
        static KEPT: Last = Last(Some(Last::array()));
        static MADE: Last = const { Last(None) };
    }

    // The very first array is created at the end of a thread.
    let _alone = without_thread();
    for _ in 0..20 {
        // Joining a thread also waits for values that are dropped after its closure.
        let begin = |run: fn()| thread::spawn(run);
        let threads = [
            begin(|| MADE.with(|_| ())),
            begin(|| KEPT.with(|_| MADE.with(|_| ()))),
            begin(|| MADE.with(|_| KEPT.with(|_| ()))),
        ];
        for thread in threads {
            thread.join().expect("it ends");
        }
    }
    service::drain();
    assert_eq!((service::stats().arrays, service::stats().waiting_bytes), (0, 0));
}

#[test]
fn growing_reservations_are_served_and_released_like_arrays() -> Result<(), stayput::Error> {
    let _alone = alone();
    let mut memory = Reservation::new(16 * MIB)?
        .growing()
        .commit_ahead(CommitAhead::Bytes(MIB))
        .release(Release::Background);
    assert_eq!(service::stats().arrays, 1);
    wait_until("memory ahead", || memory.ahead_bytes() >= MIB);
    let usable = memory.grow_to(MIB / 2)?;
    assert_eq!(memory.late(), 0);
    assert!(usable >= MIB / 2 && memory.committed_bytes() >= usable + memory.ahead_bytes());
    memory.grow_to(16 * MIB)?;
    assert!(memory.grow_to(16 * MIB + 1).is_err());
    assert_eq!((memory.usable_bytes(), memory.ahead_bytes()), (16 * MIB, 0));
    drop(memory);
    service::drain();
    assert_eq!(service::stats().arrays, 0);
    Ok(())
}

#[test]
fn shrinking_in_steps_ends_although_the_array_is_served() {
    let _alone = alone();
    for ahead in [CommitAhead::Auto, CommitAhead::Bytes(8 * MIB)] {
        let mut vec = Bytes::ahead(ahead);
        for _ in 0..10 {
            vec.resize(40 * MIB, 7);
            vec.resize(1000, 7);
            let mut calls = 0;
            while !vec.0.shrink_to_fit_within(Budget::bytes(1)).expect("it is ours").is_done {
                calls += 1;
                assert!(calls < 10_000, "it is made ready as fast as it is given back");
            }
            assert!(calls > 20 && vec.capacity() <= 2 * UNIT, "{calls}");
            assert!(vec.holds(7) && vec.len() > 0);
        }
    }
}
