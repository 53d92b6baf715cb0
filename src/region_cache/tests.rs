//! What is cached, how much, for how long, and which request takes it.

#![expect(unsafe_code, reason = "writes to cached memory")]

use super::count::kept_bytes;
use super::*;
use crate::reservation::page_size;
use std::sync::{Barrier, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

const MIB: usize = 1 << 20;

/// The thread whose test owns the cache: the cache belongs to the process, and other tests have memory refused.
static OWNER: Mutex<Option<ThreadId>> = Mutex::new(None);

/// Whether a test of another thread owns the cache.
pub(super) fn is_anothers() -> bool {
    let owner = *OWNER.lock().unwrap_or_else(PoisonError::into_inner);
    owner.is_some_and(|owner| owner != thread::current().id())
}

/// Whether arrays do not use the cache: in unit tests all except those of the owner, since they have memory refused.
pub(super) fn is_off(used: Use) -> bool {
    let owner = *OWNER.lock().unwrap_or_else(PoisonError::into_inner);
    used != Use::Block && owner != Some(thread::current().id())
}

/// Gives a test the cache alone, empty and with the default limits.
pub(crate) struct Alone {
    _lock: MutexGuard<'static, ()>,
    lent_bytes: usize,
}

/// Returns whether all bytes equal `byte`, by one comparison of memory: a loop takes seconds without optimization.
pub(crate) fn are_all(bytes: &[u8], byte: u8) -> bool {
    let Some((first, rest)) = bytes.split_first() else { return true };
    *first == byte && *rest == bytes[..rest.len()]
}

pub(crate) fn alone() -> Alone {
    static ALONE: Mutex<()> = Mutex::new(());
    let lock = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    *OWNER.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread::current().id());
    set_bounds(64 * MIB, Duration::from_secs(1000));
    release_all();
    // What other tests have left.
    drain();
    Alone { _lock: lock, lent_bytes: count::lent_bytes() }
}

impl Drop for Alone {
    fn drop(&mut self) {
        release_all();
        set_bounds(64 * MIB, Duration::from_secs(1));
        *OWNER.lock().unwrap_or_else(PoisonError::into_inner) = None;
        if !thread::panicking() {
            let left = (kept_blocks(), kept_bytes(), count::lent_bytes());
            assert_eq!(left, (0, 0, self.lent_bytes));
        }
    }
}

fn kept_blocks() -> usize {
    stats().kept_blocks
}

fn set_bounds(most: usize, time: Duration) {
    set_most_bytes(most);
    set_time(time);
}

/// A region of `bytes` with `number` in the last page.
fn region(bytes: usize, number: u64) -> Region {
    let memory = Reservation::new(2 * bytes).unwrap();
    memory.commit(..bytes).unwrap();
    // SAFETY: these pages were just committed, and no other code uses them.
    let region = unsafe { Region::new(memory, 0..bytes) };
    // SAFETY: the last page is committed, and `region` owns it.
    unsafe { mark(&region).write(number) };
    region
}

fn mark(region: &Region) -> *mut u64 {
    // SAFETY: 8 bytes before the end of `pages`, which has at least a page.
    unsafe { region.memory().as_ptr().add(region.pages().end - 8) }.cast()
}

fn number(region: &Region) -> u64 {
    // SAFETY: committed, and written by `region`.
    unsafe { mark(region).read() }
}

fn take_for(
    bytes: usize,
    suits: &mut dyn FnMut(&Region) -> bool,
) -> Option<(Region, Option<LentBytes>)> {
    take(Use::Block, bytes..bytes, suits)
}

fn take_any(bytes: usize) -> Option<u64> {
    take_for(bytes, &mut |_| true).map(|(region, _)| number(&region))
}

#[test]
#[cfg_attr(no_vm, ignore = "nothing is cached there")]
fn regions_are_taken_with_their_contents() {
    let _alone = alone();
    assert!(take_any(1).is_none());
    for number in 0..3 {
        assert!(put(Use::Block, region(MIB, number)).is_none());
    }
    assert_eq!((kept_blocks(), kept_bytes()), (3, 3 * MIB));
    // The slot that was filled first is taken first.
    assert_eq!([take_any(MIB), take_any(MIB)], [Some(0), Some(1)]);
    assert!(put(Use::Block, region(MIB, 7)).is_none());
    assert_eq!([take_any(1), take_any(1), take_any(1)], [Some(7), Some(2), None]);
    assert_eq!((kept_blocks(), kept_bytes()), (0, 0));
}

#[test]
#[cfg_attr(no_vm, ignore = "nothing is cached there")]
fn the_smallest_class_that_fits_comes_first_and_the_next_smaller_last() {
    let _alone = alone();
    for (bytes, number) in [(8 * MIB, 8), (MIB, 1), (4 * MIB, 4), (2 * MIB, 2)] {
        assert!(put(Use::Block, region(bytes, number)).is_none());
    }
    assert_eq!(take_any(2 * MIB + 1), Some(2));
    assert_eq!(take_any(2 * MIB + 1), Some(4));
    assert_eq!(take_any(16 * MIB), Some(8));
    assert_eq!(take_any(4 * MIB), None);
    assert_eq!(take_any(2 * MIB), Some(1));
    assert_eq!(class_of(0), 0);
    assert_eq!([class_of(LEAST_BYTES), class_of(2 * LEAST_BYTES - 1)], [0, 0]);
    assert_eq!([class_of(2 * LEAST_BYTES), class_of(usize::MAX)], [1, CLASSES - 1]);
}

#[test]
#[cfg_attr(no_vm, ignore = "nothing is cached there")]
fn regions_that_do_not_suit_stay() {
    let _alone = alone();
    for number in 0..4 {
        assert!(put(Use::Block, region(MIB, number)).is_none());
    }
    let mut asked = Vec::new();
    let found = take_for(MIB, &mut |region| {
        asked.push(number(region));
        number(region) == 2
    });
    assert_eq!(found.map(|(region, _)| number(&region)), Some(2));
    assert_eq!(asked, [0, 1, 2]);
    assert!(take_for(MIB, &mut |_| false).is_none());
    assert_eq!((kept_blocks(), kept_bytes()), (3, 3 * MIB));
}

#[test]
#[cfg_attr(no_vm, ignore = "nothing is cached there")]
fn cached_and_lent_bytes_stay_within_the_limit() {
    let _alone = alone();
    set_most_bytes(5 * MIB);
    assert!(put(Use::Block, region(6 * MIB, 0)).is_some());
    assert!(put(Use::Block, region(3 * MIB, 1)).is_none());
    assert!(put(Use::Block, region(3 * MIB, 2)).is_some());
    assert!(put(Use::Block, region(2 * MIB, 3)).is_none());
    // Lent bytes leave less room.
    assert_eq!(take_any(2 * MIB), Some(1));
    assert!(LentBytes::of(4 * MIB, most_bytes()).is_none());
    let mut lent = LentBytes::of(2 * MIB, most_bytes()).expect("less than three quarters");
    assert!(put(Use::Block, region(2 * MIB, 4)).is_some());
    lent.reduce_to(MIB);
    lent.reduce_to(4 * MIB);
    assert!(put(Use::Block, region(2 * MIB, 4)).is_none());
    drop(lent);
    assert!(put(Use::Block, region(MIB, 5)).is_none());
    // A limit below what is cached and lent empties the cache.
    set_most_bytes(4 * MIB);
    assert_eq!(kept_blocks(), 0);
    set_most_bytes(5 * MIB);
    let lent = LentBytes::of(3 * MIB, most_bytes()).expect("less than three quarters");
    assert!(put(Use::Block, region(2 * MIB, 4)).is_none());
    set_most_bytes(4 * MIB);
    assert_eq!(kept_blocks(), 0);
    drop(lent);
    for most in [0, page_size() - 1] {
        set_most_bytes(most);
        assert!(put(Use::Block, region(MIB, 6)).is_some());
    }
    set_most_bytes(usize::MAX);
    assert!(put(Use::Block, region(MIB, 6)).is_none());
}

#[test]
#[cfg_attr(no_vm, ignore = "nothing is cached there")]
fn releasing_says_whether_there_was_something() {
    let _alone = alone();
    set_most_bytes(64 * MIB);
    for count in [1, 2, 3] {
        release_all();
        for number in 0..count {
            assert!(put(Use::Block, region(MIB, number)).is_none());
        }
        assert!(release_all(), "of {count}");
        assert_eq!(kept_blocks(), 0);
    }
    assert!(!release_all());
}

#[test]
fn the_largest_memory_that_fits_is_not_too_large() {
    for need in [1, MIB, MIB + 1, 2 * MIB, 10 * MIB, 17 * MIB, 20 * MIB, 30 * MIB, 100 * MIB] {
        let largest = largest_fit(need);
        assert!(is_fit(largest, need, need), "{largest} for {need}");
        assert!(!is_fit(largest + 2, need, need), "more than {largest} for {need}");
    }
}

#[test]
#[cfg(feature = "alloc")]
#[cfg_attr(no_vm, ignore = "nothing is lent there")]
fn a_block_that_may_grow_like_the_last_one_gets_its_region() {
    let _alone = alone();
    let region = region(40 * MIB, 7).asked(30 * MIB);
    let fits = |need| region.is_fit(need, need);
    assert_eq!([24 * MIB, 24 * MIB - 1].map(fits), [true, false]);
    assert!(region.is_fit_again());
    // Three quarters of the limit may be lent.
    set_most_bytes(21 * MIB);
    assert!(!fits(24 * MIB));
}

/// A region whose pages are resident.
fn dense(bytes: usize) -> Region {
    let region = region(bytes, 7);
    region.memory().prefault(..bytes).expect("there is memory");
    region
}

#[test]
#[cfg_attr(no_vm, ignore = "nothing is cached there")]
fn a_large_region_is_cached_if_most_of_it_is_resident() {
    let _alone = alone();
    set_most_bytes(128 * MIB);
    for used in [Use::Array, Use::Block] {
        release_all();
        assert!(put(used, region(LARGE_BYTES + MIB, 7)).is_some());
        assert!(put(used, region(LARGE_BYTES, 7)).is_none());
        assert!(put(used, dense(LARGE_BYTES + MIB)).is_none());
    }
    // A request may get at most a quarter more than it is for.
    assert!(is_fit(100 * MIB, 80 * MIB, 80 * MIB) && !is_fit(100 * MIB, 79 * MIB, 79 * MIB));
    assert!(is_fit(LARGE_BYTES, 1, MIB) && !is_fit(LARGE_BYTES + MIB, MIB, MIB));
    // It is returned in parts.
    set_time(Duration::from_millis(20));
    thread::sleep(Duration::from_millis(40));
    let before = kept_bytes();
    assert!(put(Use::Block, region(MIB, 1)).is_none());
    let left = kept_bytes() - MIB;
    assert!(left < before && left >= before - 4 * MIB, "{left} of {before}");
}

#[test]
#[cfg_attr(no_vm, ignore = "nothing is cached there")]
fn old_regions_are_released_when_others_are_put() {
    let _alone = alone();
    for number in 0..4 {
        assert!(put(Use::Block, region(MIB, number)).is_none());
    }
    set_time(Duration::from_millis(30));
    thread::sleep(Duration::from_millis(40));
    // Each put releases one old region at most.
    for _ in 0..2000 {
        if kept_blocks() == 0 {
            break;
        }
        thread::sleep(Duration::from_millis(1));
        assert!(put(Use::Block, region(4 * MIB, 9)).is_none());
        assert!(take_for(4 * MIB, &mut |region| number(region) == 9).is_some());
    }
    assert_eq!(kept_blocks(), 0);
    // A put that finds no room releases all old regions.
    set_most_bytes(4 * MIB);
    for number in 0..4 {
        assert!(put(Use::Block, region(MIB, number)).is_none());
    }
    assert!(put(Use::Block, region(2 * MIB, 5)).is_some());
    thread::sleep(Duration::from_millis(40));
    assert!(put(Use::Block, region(2 * MIB, 6)).is_none());
    assert_eq!((kept_blocks(), take_any(2 * MIB)), (1, Some(6)));
    // A time of zero disables the cache.
    set_time(Duration::ZERO);
    assert!(put(Use::Block, region(MIB, 7)).is_some());
    set_time(Duration::MAX);
    assert!(put(Use::Block, region(MIB, 8)).is_none());
    let (class, now) = (&pieces::classes_of(Use::Block)[class_of(MIB)], os::now_ms());
    assert!(!class.is_old(0, now, time_ms()));
    // A thread that has read the clock before the region was put.
    assert!(!class.is_old(0, now.wrapping_sub(10_000), 1));
    assert!(class.is_old(0, now.wrapping_add(10_000), 1));
}

#[test]
#[cfg_attr(no_vm, ignore = "nothing is cached there")]
fn the_background_thread_releases_old_regions_one_by_one() {
    let _alone = alone();
    assert_eq!(release_aged(), None);
    set_time(Duration::from_secs(1000));
    for number in 0..3 {
        assert!(put(Use::Block, region(MIB << number, number)).is_none());
    }
    let wait = release_aged().expect("there is something");
    assert_eq!(wait, Duration::from_secs(1));
    assert_eq!(kept_blocks(), 3);
    set_time(Duration::from_millis(20));
    thread::sleep(Duration::from_millis(30));
    for left in [2, 1, 0] {
        assert_eq!(release_aged(), Some(Duration::ZERO));
        assert_eq!(kept_blocks(), left);
    }
    assert_eq!(release_aged(), None);
    // Large regions are released in parts, from the end.
    assert!(put(Use::Block, region(9 * MIB, 7)).is_none());
    for left in [8, 4, 0] {
        thread::sleep(Duration::from_millis(30));
        let ended = releases_ended();
        assert_eq!(release_aged(), Some(Duration::ZERO));
        assert_eq!(releases_ended(), ended + 1);
        assert_eq!((kept_blocks(), kept_bytes()), (usize::from(left > 0), left * MIB));
        let part = take_for(left * MIB, &mut |region| region.pages().len() == left * MIB);
        assert_eq!(part.is_some(), left > 0);
        if let Some((part, _)) = part {
            assert!(part.memory.commit(left * MIB..9 * MIB).is_ok(), "the rest was decommitted");
            assert!(put(Use::Block, part).is_none());
        }
    }
    assert_eq!(release_aged(), None);
}

#[test]
#[cfg_attr(no_vm, ignore = "nothing is cached there")]
fn a_large_region_loses_three_halves_in_steps_and_then_all_but_the_first_step() {
    const END: usize = 65 * MIB;
    let memory = Reservation::new(END).unwrap();
    memory.commit(MIB..END).unwrap();
    // SAFETY: these pages were just committed, and no other code uses them.
    let mut large = unsafe { Region::new(memory, MIB..END) };
    let (mut end, mut halves) = (END, Vec::new());
    loop {
        let lost = large.release_end();
        assert!(lost <= RELEASE_STEP_BYTES && large.pages.end == end - lost);
        if lost == 0 {
            break;
        }
        assert!(large.memory.commit(end - lost..end).is_ok(), "it was decommitted");
        end -= lost;
        if large.is_halved() {
            halves.push(end / MIB);
        }
    }
    assert_eq!((halves, end), (vec![33, 17, 9], 4 * MIB));
    // The whole of a small one at once.
    let mut small = region(7 * MIB, 1);
    assert_eq!((small.release_end(), small.release_end(), small.is_halved()), (3 * MIB, 0, false));
}

#[test]
#[cfg_attr(no_vm, ignore = "nothing is cached there")]
fn of_a_large_region_one_half_is_released_each_time() {
    let _alone = alone();
    set_time(Duration::from_millis(20));
    assert!(put(Use::Block, region(33 * MIB, 7)).is_none());
    let mut halves = Vec::new();
    while let Some(wait) = release_aged() {
        // It is old again only after some time.
        if wait > Duration::ZERO && halves.last() != Some(&(kept_bytes() / MIB)) {
            halves.push(kept_bytes() / MIB);
        }
        thread::sleep(wait.min(Duration::from_millis(5)));
    }
    // Fewer, if the test had to wait for a processor.
    assert!(halves.iter().all(|half| [33, 16, 8, 4].contains(half)), "{halves:?}");
}

#[test]
#[cfg_attr(no_vm, ignore = "nothing is cached there")]
fn a_class_has_a_slot_for_each_bit() {
    let _alone = alone();
    for number in 0..SLOTS as u64 {
        assert!(put(Use::Block, region(LEAST_BYTES, number)).is_none());
    }
    let refused = put(Use::Block, region(LEAST_BYTES, 99)).expect("all slots are full");
    assert_eq!(number(&refused), 99);
    assert!(put(Use::Block, region(MIB, 1)).is_none());
    assert_eq!(kept_blocks(), SLOTS + 1);
    assert!(release_all());
    assert!(!release_all());
}

#[test]
#[cfg_attr(no_vm, ignore = "nothing is cached there")]
fn concurrent_puts_and_takes_neither_lose_nor_duplicate_regions() {
    const THREADS: usize = 4;
    const ROUNDS: u64 = if cfg!(any(miri, target_family = "wasm")) { 20 } else { 500 };
    let _alone = alone();
    let barrier = Barrier::new(THREADS);
    let work = |thread: u64| {
        let mut have: Vec<Region> = Vec::new();
        barrier.wait();
        for round in 0..ROUNDS {
            if have.len() < 3 {
                have.push(region(LEAST_BYTES << (round % 3), 0));
            }
            let taken = have.pop().expect("there is some");
            // SAFETY: the last page is committed, and this thread owns the region.
            unsafe { mark(&taken).write(thread << 32 | round) };
            have.extend(put(Use::Block, taken));
            if let Some((other, _)) = take_for(LEAST_BYTES, &mut |_| true) {
                assert!(number(&other) & 0xffff_ffff < ROUNDS);
                // SAFETY: as above. No other thread writes here now.
                unsafe { mark(&other).write(thread) };
                thread::yield_now();
                assert_eq!(number(&other), thread);
                have.push(other);
            }
            if thread == 0 && round % 64 == 0 {
                release_all();
            }
        }
    };
    thread::scope(|scope| {
        for thread in (0..).take(THREADS) {
            let work = &work;
            scope.spawn(move || work(thread));
        }
    });
    let mut left = 0;
    while take_for(1, &mut |_| true).is_some() {
        left += 1;
    }
    // A region in a slot whose bit was cleared would be found now.
    assert_eq!((kept_blocks(), kept_bytes()), (0, 0), "{left} were left");
    // All slots can be filled again.
    for number in 0..SLOTS as u64 {
        assert!(put(Use::Block, region(LEAST_BYTES, number)).is_none());
    }
}

#[test]
#[cfg_attr(no_vm, ignore = "nothing is cached there")]
fn bytes_that_are_being_lent_leave_no_room_for_concurrent_puts() {
    const ROUNDS: usize = if cfg!(any(miri, target_family = "wasm")) { 10 } else { 4000 };
    const PIECE_BYTES: usize = 2 * LEAST_BYTES;
    let _alone = alone();
    set_most_bytes(4 * PIECE_BYTES);
    for number in 0..4 {
        assert!(put(Use::Block, region(PIECE_BYTES, number)).is_none());
    }
    let barrier = &Barrier::new(2);
    let put_one_more = || {
        let (mut another, mut puts) = (Some(region(PIECE_BYTES, 4)), 0);
        for _ in 0..ROUNDS {
            barrier.wait();
            for _ in 0..20 {
                another = another.and_then(|region| put(Use::Block, region));
            }
            barrier.wait();
            puts += usize::from(another.is_none());
            another = another.or_else(|| Some(take_for(1, &mut |_| true)?.0));
            barrier.wait();
        }
        puts
    };
    thread::scope(|scope| {
        let other = scope.spawn(put_one_more);
        for _ in 0..ROUNDS {
            barrier.wait();
            let taken = take_for(PIECE_BYTES / 2, &mut |_| true);
            barrier.wait();
            barrier.wait();
            let (region, lent) = taken.expect("there are four");
            drop(lent.expect("half of one"));
            assert!(put(Use::Block, region).is_none());
        }
        assert_eq!(other.join().expect("it does not panic"), 0);
    });
}

/// Lets a region wait, and returns how many bytes wait then.
fn waiting(bytes: usize) -> usize {
    let region = region(bytes, 7);
    assert!(wait(region).is_none());
    waiting_bytes()
}

#[test]
fn regions_wait_until_they_are_released_in_pieces_or_drained() {
    let _alone = alone();
    assert!(!release_waiting_piece() && !are_any_waiting());
    assert_eq!([MIB, 9 * MIB, MIB].map(waiting), [MIB, 10 * MIB, 11 * MIB]);
    // The last one comes first.
    for left in [10, 9, 5, 1, 0] {
        assert!(are_any_waiting() && release_waiting_piece());
        assert_eq!(waiting_bytes(), left * MIB);
    }
    assert!(!release_waiting_piece());
    (0..3).for_each(|_| _ = waiting(8 * MIB));
    drain();
    assert_eq!((waiting_bytes(), are_any_waiting()), (0, false));
    // A thread whose request was refused releases them, too.
    let ended = releases_ended();
    waiting(8 * MIB);
    assert!(release_unused(ended) && waiting_bytes() == 0);
    assert!(!release_unused(releases_ended()));
    // A release that another thread has begun is awaited.
    let (begun, end) = (Barrier::new(2), Barrier::new(2));
    thread::scope(|scope| {
        scope.spawn(|| {
            pieces::releasing(|| {
                begun.wait();
                end.wait();
                true
            })
        });
        begun.wait();
        let ended = releases_ended();
        let other = scope.spawn(drain);
        thread::sleep(Duration::from_millis(20));
        assert!(!other.is_finished());
        end.wait();
        other.join().unwrap();
        assert_eq!(releases_ended(), ended + 1);
    });
}

#[test]
fn threads_can_add_and_release_waiting_regions_at_once() {
    const THREADS: usize = 3;
    const ROUNDS: usize = if cfg!(any(miri, target_family = "wasm")) { 10 } else { 200 };
    let _alone = alone();
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for round in 0..ROUNDS {
                    // Not `wait`, which refuses what other threads than the owner of the cache have.
                    waiting::add(region(LEAST_BYTES << (round % 8), 0));
                    waiting::release_waiting();
                }
            });
        }
    });
    assert_eq!((waiting_bytes(), are_any_waiting()), (0, false));
}

#[test]
#[cfg_attr(no_vm, ignore = "the region cache is unused there")]
fn a_limit_that_is_not_exceeded_releases_nothing() {
    let _alone = alone();
    assert!(put(Use::Array, region(MIB, 1)).is_none());
    set_most_bytes(kept_bytes());
    assert_eq!(kept_blocks(), 1);
    set_most_bytes(usize::MAX);
    assert_eq!((kept_blocks(), most_bytes()), (1, usize::MAX - 1));
}

#[test]
#[cfg_attr(no_vm, ignore = "the region cache is unused there")]
fn regions_of_arrays_without_a_maximum_can_be_released_alone() {
    let _alone = alone();
    assert!(put(Use::Array, region(MIB, 1)).is_none());
    assert!(put(Use::Exact, region(MIB, 2)).is_none());
    assert!(release_arrays());
    assert_eq!(kept_blocks(), 1);
}

#[test]
#[cfg_attr(no_vm, ignore = "nothing is cached there")]
fn an_eighth_of_the_memory_is_cached_for_a_second_by_default() {
    let _alone = alone();
    MOST_BYTES.store(UNSET, ORDER);
    TIME_MS.store(UNSET_MS, ORDER);
    let is_unset = |name| std::env::var_os(name).is_none();
    if is_unset("STAYPUT_KEEP_SECONDS") {
        assert_eq!(time(), Duration::from_secs(1));
    }
    let memory = os::usable_memory_bytes().filter(|_| os::address_limit().is_none());
    if let Some(memory) = memory.filter(|_| is_unset("STAYPUT_KEEP_BYTES")) {
        assert_eq!(most_bytes() as u64, memory / 8);
    }
}

#[cfg(feature = "columns")]
#[test]
fn a_row_of_a_page_has_room_for_what_describes_a_region() {
    static ROWS: [&[Layout]; 4] = [
        &[Layout::new::<u64>(), Layout::new::<u8>()],
        &[Layout::new::<[u8; 4000]>(), Layout::new::<[u8; 96]>()],
        &[Layout::new::<[u8; 16 << 10]>()],
        &[Layout::new::<[u8; 64 << 10]>()],
    ];
    let can_wait = |columns| {
        let memory = Reservation::builder().bytes(MIB).columns(Some(columns)).reserve().unwrap();
        memory.commit(..).unwrap();
        // SAFETY: all pages are committed, and no code uses them.
        unsafe { Region::new(memory, 0..MIB) }.can_wait()
    };
    let fits = ROWS.each_ref().map(can_wait);
    assert_eq!(fits, [9, 4096, 16 << 10, 64 << 10].map(|row| row <= page_size()));
}
