//! Processes that are forked at any moment, while other threads create, grow and drop arrays, or append to one: no
//! child hangs.

#![expect(
    unsafe_code,
    reason = "supplies memory, and takes arrays from threads that are not there"
)]

use crate::MIB;
use crate::effort;
use crate::linux::{Done, assert_counts, beside, forked, in_child_limiting};
use crate::supplied::Supplied;
#[cfg(feature = "file")]
use stayput::file::{FileBacking, FileErrorKind, FileVec};
use stayput::{
    Arena, Budget, CommitAhead, DefaultKey, Error, ErrorKind, Growth, Key, Refused, Release,
    Reservation, SharedSlotMap, SharedVec, SlotMap, VmVec, service,
};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
#[cfg(feature = "file")]
use std::path::Path;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Barrier, OnceLock};
use std::time::{Duration, Instant};
use std::{hint, thread};

/// Some of everything that an array can need.
fn use_arrays() {
    let mut vec = VmVec::<u64>::new();
    vec.extend(0..10_000);
    vec.prefault(10_000);
    let _ = vec.prefault_ahead(Budget::bytes(1));
    assert_counts(&vec, 10_000);
    vec.truncate(100);
    vec.shrink_to_fit();

    // As much as waits to be released.
    let builder = VmVec::<[u64; 512]>::builder().max_len(1000).release(Release::Background);
    let mut named = builder.build();
    named.resize(400, [7; 512]);
    drop(named);
    let mut served = VmVec::<u64>::builder().commit_ahead(CommitAhead::Bytes(MIB)).build();
    served.extend(0..5000);
    assert_counts(&served, 5000);
    served.clear();
    served.shrink_to_fit();

    let mut map = SlotMap::<DefaultKey, u64>::new();
    let key = map.insert(7);
    assert_eq!(map[key], 7);
    assert_eq!(*Arena::new().alloc(7), 7);
    let error = Reservation::new(usize::MAX / 4).map(drop).unwrap_err();
    assert!(error.bytes() > 0);
}

#[test]
fn a_child_forked_while_others_make_the_first_array_makes_its_own() {
    in_child_limiting("threads of a forked child", || {
        const THREADS: usize = 2;
        // Each of these children has made no array yet.
        for n in 0..effort::rounds(50) as usize {
            forked(|| {
                let barrier = Barrier::new(THREADS + 1);
                thread::scope(|scope| {
                    for _ in 0..THREADS {
                        scope.spawn(|| {
                            barrier.wait();
                            use_arrays();
                        });
                    }
                    barrier.wait();
                    for _ in 0..n % 100 * 20 {
                        hint::spin_loop();
                    }
                    forked(use_arrays);
                });
            });
        }
    });
}

#[test]
fn children_forked_while_others_use_arrays_use_theirs() {
    in_child_limiting("threads of a forked child", || {
        let forks = effort::rounds(50) as usize;
        let work = |_, is_done: &dyn Fn() -> bool| {
            while !is_done() {
                use_arrays();
            }
        };
        beside(3, work, || {
            let mut own = VmVec::<u64>::builder().commit_ahead(CommitAhead::Auto).build();
            for n in 0..forks {
                let len = own.len();
                own.extend(len as u64..len as u64 + 100);
                let mut copy = Some(own);
                forked(|| {
                    let mut own = copy.take().expect("it is there");
                    own.extend(len as u64 + 100..len as u64 + 20_000);
                    assert_counts(&own, len + 20_000);
                    use_arrays();
                });
                own = copy.take().expect("it is the parent's");
                for _ in 0..n * 37 % 1000 {
                    hint::spin_loop();
                }
            }
            assert_counts(&own, forks * 100);
        });
        service::drain();
    });
}

/// Memory whose commits wait for a signal to continue.
struct Gate {
    is_open: AtomicBool,
    is_reached: AtomicBool,
}

impl Gate {
    const fn new() -> Self {
        Self { is_open: AtomicBool::new(true), is_reached: AtomicBool::new(false) }
    }

    fn pass(&self) {
        while !self.is_open.load(Ordering::Acquire) {
            self.is_reached.store(true, Ordering::Release);
            thread::yield_now();
        }
    }

    fn wait_until_reached(&self) {
        while !self.is_reached.load(Ordering::Acquire) {
            thread::yield_now();
        }
    }
}

/// An element that can be checked for tearing.
fn text(n: usize) -> String {
    format!("{n} {n}")
}

fn is_whole(text: &str) -> bool {
    text.split_once(' ').is_some_and(|(a, b)| a == b && a.parse::<usize>().is_ok())
}

fn texts(range: Range<usize>) -> Vec<String> {
    range.map(text).collect()
}

/// Returns whether a call is refused that would have to wait for a thread that does not exist in this process.
#[track_caller]
fn is_busy<R>(call: impl FnOnce() -> R, error: impl FnOnce(R) -> Option<Error>) -> bool {
    let Some(error) = error(call()) else { return false };
    assert_eq!(error.kind(), ErrorKind::Busy, "{error}");
    assert!(error.to_string().contains("fork"), "{error}");
    true
}

/// Takes the array from a thread that does not exist in this child.
///
/// # Safety
///
/// - This is the only thread of the process, and nothing else uses or drops the array.
unsafe fn alone<T>(vec: &SharedVec<T>) -> SharedVec<T> {
    // SAFETY: guaranteed by the caller.
    unsafe { ptr::read(vec) }
}

/// Checks an array with these elements whose lock is held by a thread that does not exist here.
fn use_without_lock(vec: &SharedVec<String>, expected: &[String], room: usize, is_open: bool) {
    let len = expected.len();
    assert_eq!((vec.len(), vec.as_slice(), vec.capacity()), (len, expected, len + room));
    assert!(vec.iter().eq(expected) && vec.iter().all(|text| is_whole(text)));
    assert_eq!((vec.get(len - 1), vec.get(len)), (expected.last(), None));
    assert_eq!((vec.clone(), format!("{vec:?}")), (expected.into(), format!("{expected:?}")));

    // No call waits. The limit is long enough for a busy machine, and too short if each call waits half a second.
    let begun = Instant::now();
    for _ in 0..20 {
        assert!(is_busy(|| vec.try_reserve(room + 1), Result::err));
    }
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());

    // Calls that need memory, or report it.
    let mut many = texts(0..room + 1);
    assert!(is_busy(|| vec.try_append_vec(&mut many), Result::err));
    assert_eq!(many, texts(0..room + 1));
    assert!(is_busy(|| vec.try_reserve(room + 1), Result::err));
    assert!(is_busy(|| vec.try_prefault(1), Result::err));
    assert!(is_busy(|| vec.prefault_ahead(Budget::UNLIMITED), |done| done.refused));
    assert!(is_busy(|| vec.try_stats(), Result::err));
    assert!(is_busy(|| vec.try_max_len(), Result::err));
    assert!(catch_unwind(AssertUnwindSafe(|| vec.stats())).is_err());

    // Other calls may be refused, too.
    let push = || vec.try_push(text(len));
    let refused = |pushed: Result<(usize, &String), Refused<String>>| match pushed {
        Ok((index, pushed)) => {
            assert_eq!((index, vec.get(index)), (len, Some(pushed)));
            None
        }
        Err(refused) => {
            assert_eq!(refused.value, text(len));
            Some(refused.error)
        }
    };
    assert_eq!(is_busy(push, refused), !is_open);
    // Also to threads of this process.
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let is_refused =
                    is_busy(|| vec.try_push(text(1)), |pushed| Some(pushed.err()?.error));
                assert_eq!(is_refused, !is_open);
            });
        }
    });
    assert_eq!(vec.len(), if is_open { len + 3 } else { len });
    assert!(vec.iter().all(|text| is_whole(text)));
}

/// Checks that array when this thread has exclusive access.
fn use_alone(mut vec: SharedVec<String>, expected: &[String], room: usize, pass: usize) {
    let len = expected.len();
    match pass {
        0 => drop(vec),
        1 => {
            assert_eq!(vec.as_mut_slice(), expected);
            vec.as_mut_vec().retain(|text| text.len() > 3);
            drop(vec.drain(1..3));
            vec.clear();
            assert!(vec.is_empty() && vec.get(0).is_none());
            // Memory is committed, and the statistics show it; and the owner has replaced the lock.
            assert_eq!(vec.push(text(1)).0, 0);
            assert_eq!((vec.stats().len, vec.max_len() > len), (1, true));
            // But the backing was interrupted in a call, and is never called again.
            let error = vec.try_reserve(2 * (len + room)).expect_err("a call of it never returns");
            assert_eq!(error.kind(), ErrorKind::System, "{error}");
        }
        _ => {
            let inner = vec.into_inner();
            assert_eq!((inner.as_slice(), inner.capacity()), (expected, len + room));
            // The array has a lock of its own again.
            let vec = SharedVec::from(inner);
            thread::scope(|scope| {
                for _ in 0..2 {
                    scope.spawn(|| (0..room / 2).for_each(|n| _ = vec.push(text(n))));
                }
            });
            assert_eq!(vec.len(), len + room / 2 * 2);
            assert!(vec.stats().committed_bytes > 0 && vec.iter().all(|text| is_whole(text)));
        }
    }
}

#[test]
fn a_child_forked_while_another_takes_memory_for_a_shared_array_reads_it_and_is_not_held_up() {
    in_child_limiting("threads of a forked child", || {
        static GATE: Gate = Gate::new();
        // Other threads fill the capacity, whether it is reserved ahead or when needed; if there is none, they wait.
        for (is_open, is_needed) in [(true, false), (true, true), (false, true)] {
            let builder = SharedVec::builder().growth(Growth::Fixed { step_bytes: 1 });
            let vec = builder.build_in(Supplied::new(MIB, || GATE.pass()));
            vec.extend(texts(0..50));
            let room = vec.capacity() - 50;
            assert!(room > 100 && vec.max_len() > 2 * vec.capacity());
            GATE.is_open.store(false, Ordering::Release);
            thread::scope(|scope| {
                let other = scope.spawn(|| {
                    if is_needed {
                        vec.append_vec(&mut texts(0..room + 1));
                    } else {
                        vec.reserve(room + 1);
                    }
                });
                let _open = Done(&GATE.is_open);
                GATE.wait_until_reached();
                if !is_open {
                    (50..50 + room).for_each(|n| _ = vec.push(text(n)));
                }
                let (expected, room) = (texts(0..vec.len()), vec.capacity() - vec.len());
                forked(|| use_without_lock(&vec, &expected, room, is_open));
                for pass in 0..3 {
                    // SAFETY: the other thread is the parent's, and the child ends here.
                    forked(|| use_alone(unsafe { alone(&vec) }, &expected, room, pass));
                }
                assert!(!other.is_finished());
            });
            GATE.is_reached.store(false, Ordering::Release);
            // In the parent nothing has changed.
            let mut all = texts(0..if is_open { 50 } else { 50 + room });
            all.extend(texts(0..if is_needed { room + 1 } else { 0 }));
            assert_eq!((vec.len(), vec.as_slice()), (all.len(), &all[..]));
            assert_eq!(vec.push(text(1)).0, all.len());
        }
    });
}

static IS_TO_FORK: AtomicBool = AtomicBool::new(false);
static FORKED: OnceLock<SharedVec<u64>> = OnceLock::new();

/// Forks in the next commit. The process continues as the child, and exits with the child's status.
fn fork_once() {
    if !IS_TO_FORK.swap(false, Ordering::Relaxed) {
        return;
    }
    // SAFETY: the parent only waits for the child, which has no other thread and needs none.
    let child = unsafe { libc::fork() };
    if child != 0 {
        let mut status = 1;
        // SAFETY: it writes one number.
        unsafe { libc::waitpid(child, &raw mut status, 0) };
        // SAFETY: the call ends the process, whose work the child has done.
        unsafe { libc::_exit(i32::from(status != 0)) };
    }
    let vec = FORKED.get().expect("it was made");
    let refused = thread::spawn(|| vec.try_reserve(10_000)).join().expect("no panic");
    assert!(is_busy(|| refused, Result::err));
}

#[test]
fn a_child_forked_by_the_thread_that_takes_memory_takes_memory_again() {
    in_child_limiting("threads of a forked child", || {
        forked(|| {
            let memory = Supplied::new(MIB, fork_once);
            let vec = FORKED.get_or_init(|| SharedVec::builder().build_in(memory));
            vec.push(0);
            IS_TO_FORK.store(true, Ordering::Relaxed);
            vec.reserve(10_000);
            thread::spawn(|| vec.reserve(50_000)).join().expect("no panic");
            assert!(vec.capacity() > 50_000);
        });
    });
}

/// Large, so that writing one takes long.
type Wide = [usize; 32];

fn all_are_whole<'w>(mut elements: impl Iterator<Item = &'w Wide>) -> bool {
    elements.all(|wide| *wide == [wide[0]; 32])
}

/// Appends in each way.
fn append_on(vec: &SharedVec<Wide>, is_done: &dyn Fn() -> bool, worker: usize) {
    let run: Vec<Wide> = (0..1000).map(|n| [n; 32]).collect();
    let mut gather = vec.gather();
    for n in worker.. {
        if is_done() || vec.len() > 100_000 {
            return;
        }
        match n % 4 {
            0 => drop(vec.extend_from_slice(&run)),
            1 => vec.extend(run[..100].iter().copied()),
            2 => gather.extend(run[..100].iter().copied()),
            _ => run[..100].iter().for_each(|wide| _ = vec.push(*wide)),
        }
    }
}

/// Checks what a child can do whose parent had other threads in the array.
fn use_shared(vec: &SharedVec<Wide>, before: usize) {
    let len = vec.len();
    assert!(len >= before && vec.as_slice().len() == len && all_are_whole(vec.iter()));
    // Also past a gap.
    let found = (0..vec.capacity()).filter_map(|index| vec.get(index));
    let (in_prefix, behind) = found.partition::<Vec<_>, _>(|wide| {
        vec.as_slice().as_ptr_range().contains(&ptr::from_ref(*wide))
    });
    assert!(in_prefix.len() == len && all_are_whole(behind.iter().copied()));
    assert_eq!(vec.iter_finished().count(), len + behind.len());
    let refused = |pushed: Result<(usize, &Wide), Box<Refused<Wide>>>| match pushed {
        Ok((index, pushed)) => {
            assert_eq!((vec.get(index), *pushed), (Some(pushed), [7; 32]));
            None
        }
        Err(refused) => {
            assert_eq!(refused.value, [7; 32]);
            Some(refused.error)
        }
    };
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                // The slots past the gap need memory, too.
                let _ = is_busy(|| vec.try_reserve(10_000), Result::err);
                let push = || vec.try_push([7; 32]).map_err(Box::new);
                (0..1000).any(|_| is_busy(push, refused));
            });
        }
    });
    assert!(vec.len() >= len && all_are_whole(vec.iter()));

    let len = vec.len();
    // SAFETY: the threads of this process are gone, and it ends here.
    let mut vec = unsafe { alone(vec) };
    assert_eq!(vec.as_mut_vec().len(), len);
    // The lock is the owner's, whichever thread held it.
    assert_eq!(vec.extend_from_slice(&vec![[5; 32]; 3000]), len..len + 3000);
    let mut inner = vec.into_inner();
    let len = inner.len();
    inner.extend(vec![[5; 32]; 3000]);
    assert!(all_are_whole(inner.iter()));
    let vec = SharedVec::from(inner);
    assert_eq!(vec.extend_from_slice(&vec![[5; 32]; 3000]), len + 3000..len + 6000);
}

#[test]
fn children_forked_while_others_append_to_a_shared_array_use_it() {
    in_child_limiting("threads of a forked child", || {
        for n in 0..effort::rounds(20) as usize {
            let vec = SharedVec::builder().growth(Growth::Fixed { step_bytes: 1 }).build();
            let append = |worker, is_done: &dyn Fn() -> bool| append_on(&vec, is_done, worker);
            beside(3, append, || {
                while vec.len() < n * 377 % 10_000 {
                    hint::spin_loop();
                }
                let before = vec.len();
                forked(|| use_shared(&vec, before));
            });
            assert!(all_are_whole(vec.iter()) && vec.get(vec.len()).is_none());
        }
    });
}

/// Checks what a child can do whose parent had other threads in the map, which takes no memory.
fn use_shared_map(map: &SharedSlotMap<DefaultKey, Wide>, first: DefaultKey) {
    assert!(all_are_whole(map.values()) && map.get(first) == Some(&[7; 32]));
    for (key, _) in map.iter().take(10).filter(|(key, _)| *key != first) {
        assert!(map.remove(key).is_some() && map.get(key).is_none());
    }
    let (key, _) = map.insert([5; 32]);
    assert_eq!(map.get(key), Some(&[5; 32]));

    // SAFETY: the other threads are the parent's, and the process ends here.
    let mut map = unsafe { ptr::read(map) };
    let (found, capacity) = (map.iter().count(), map.capacity());
    let owned = map.as_mut_map();
    let stats = owned.stats();
    // A value that another thread was inserting is a hole; one that it was removing is either present or not.
    assert_eq!((owned.len(), owned.iter().count(), stats.detached), (found, found, 0));
    assert!(all_are_whole(owned.values()) && owned.contains_key(key) && owned.contains_key(first));
    let slots = stats.live + stats.holes;
    drop(owned);
    // All slots can be filled.
    let mut keys = Vec::new();
    map.insert_many((found..slots).map(|n| [n; 32]), &mut keys);
    let owned = map.into_inner();
    assert_eq!((owned.len(), owned.stats().holes, owned.capacity()), (slots, 0, capacity));
    assert!(all_are_whole(owned.values()));
}

#[test]
fn children_forked_while_others_are_at_a_shared_map_use_it() {
    in_child_limiting("threads of a forked child", || {
        const THREADS: usize = 3;
        const MOST: usize = 100_000;
        for n in 0..effort::rounds(20) as usize {
            let mut map = SharedSlotMap::new();
            // Holes, and slots after them.
            map.insert_many((0..2000).map(|n| [n; 32]), &mut Vec::new());
            map.clear();
            let (first, _) = map.insert([7; 32]);
            map.reserve(MOST + 10_000);
            let work = |_, is_done: &dyn Fn() -> bool| {
                let mut keys = Vec::new();
                for n in 0..MOST / THREADS / 2 {
                    if is_done() {
                        return;
                    }
                    keys.push(map.insert([n; 32]).0);
                    map.insert_many([[n; 32]], &mut keys);
                    if n % 3 == 0 {
                        map.remove(keys[n / 3]);
                    }
                }
            };
            beside(THREADS, work, || {
                for _ in 0..n % 10 * 500 {
                    hint::spin_loop();
                }
                for _ in 0..3 {
                    forked(|| use_shared_map(&map, first));
                }
            });
            let found = map.iter().count();
            assert_eq!((map.len(), map.as_mut_map().len()), (found, found));
        }
    });
}

static DROPS: AtomicUsize = AtomicUsize::new(0);

/// Counts the values dropped in this process.
struct Counted(u64);

impl Drop for Counted {
    fn drop(&mut self) {
        assert_eq!(self.0, 7, "it was never a value");
        DROPS.fetch_add(1, Ordering::Relaxed);
    }
}

static IS_CUT: AtomicBool = AtomicBool::new(false);
static IS_RELEASED: AtomicBool = AtomicBool::new(false);

/// Makes a thread that writes to protected memory wait before the write.
extern "C" fn wait_there(_: libc::c_int) {
    IS_CUT.store(true, Ordering::Release);
    while !IS_RELEASED.load(Ordering::Acquire) {
        hint::spin_loop();
    }
}

/// Forks while another thread has set the bit of a value but not removed it; in a phase in which values were inserted,
/// or not.
fn fork_in_a_removal(inserts: bool) {
    const PAGE: usize = 1 << 16;
    let memory = Supplied::new(MIB, || ());
    let start = memory.memory.as_ptr();
    let protect = |flags| {
        // SAFETY: only the thread that is to wait writes there meanwhile.
        assert_eq!(unsafe { libc::mprotect(start.cast(), PAGE, flags) }, 0);
    };
    let builder = SharedSlotMap::<DefaultKey, Counted>::builder().max_len(1000).capacity(1000);
    let mut map = builder.build_in(memory);
    let (cut, _) = map.insert(Counted(7));
    let (next, _) = map.insert(Counted(7));
    map.insert(Counted(7));
    drop(map.as_mut_map());
    let len = if inserts { map.insert(Counted(7)).0.index() + 1 } else { 3 };
    // SAFETY: it does nothing but wait.
    unsafe { libc::signal(libc::SIGSEGV, wait_there as *const () as libc::sighandler_t) };
    IS_CUT.store(false, Ordering::Relaxed);
    IS_RELEASED.store(false, Ordering::Relaxed);
    protect(libc::PROT_READ);
    thread::scope(|scope| {
        let _released = Done(&IS_RELEASED);
        scope.spawn(|| assert!(map.remove(cut).is_some()));
        while !IS_CUT.load(Ordering::Acquire) {
            hint::spin_loop();
        }
        protect(libc::PROT_READ | libc::PROT_WRITE);
        forked(|| {
            // SAFETY: the other thread is the parent's; the child ends here.
            let mut map = unsafe { ptr::read(&raw const map) };
            // The value stays in the map; the owner removes it.
            assert_eq!(map.as_mut_map().len(), len as usize);
            drop(map.as_mut_map().remove(cut));
            assert_eq!(DROPS.load(Ordering::Relaxed), 1);
            map.remove(next);
            drop(map.as_mut_map());
            assert_eq!(DROPS.load(Ordering::Relaxed), 2);
            assert_eq!(map.len(), len as usize - 2);
            drop(map);
            assert_eq!(DROPS.load(Ordering::Relaxed), len as usize);
        });
    });
}

#[test]
fn a_removal_that_a_fork_cuts_off_drops_nothing_twice() {
    in_child_limiting("threads of a forked child", || fork_in_a_removal(true));
}

#[test]
fn a_removal_that_a_fork_cuts_off_drops_nothing_twice_where_nothing_was_put_in() {
    in_child_limiting("threads of a forked child", || fork_in_a_removal(false));
}

/// Uses a map in a child, while another thread of the parent was listing holes of it.
fn use_map_without_lock(map: &SharedSlotMap<DefaultKey, [usize; 8]>, live: usize, slots: usize) {
    assert_eq!((map.len(), map.iter().count()), (live, live));
    assert!(is_busy(|| map.try_reserve(slots), Result::err));
    assert!(is_busy(|| map.try_stats(), Result::err));
    assert!(is_busy(|| map.try_insert([1; 8]).map(drop), |inserted| Some(inserted.err()?.error)));

    // SAFETY: the other thread is the parent's, and the process ends here.
    let mut map = unsafe { ptr::read(map) };
    let owned = map.as_mut_map();
    let stats = owned.stats();
    assert_eq!((owned.len(), owned.iter().count(), stats.detached), (live, live, 0));
    assert_eq!(stats.holes, slots - live);
    drop(owned);
    // The owner has replaced the lock.
    assert_eq!(map.stats().live, live);
    let more = 2 * map.capacity();
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| (0..more).for_each(|_| _ = map.insert([1; 8])));
        }
    });
    let owned = map.into_inner();
    assert_eq!((owned.len(), owned.stats().holes), (live + 2 * more, 0));
}

#[test]
fn a_map_whose_holes_were_just_listed_at_a_fork_has_them_all_and_another_lock() {
    in_child_limiting("threads of a forked child", || {
        const SLOTS: usize = 1000;
        const LIVE: usize = SLOTS / 4;
        let mut map = SharedSlotMap::<DefaultKey, _>::new();
        let mut keys = Vec::new();
        map.insert_many((0..SLOTS).map(|n| [n; 8]), &mut keys);
        map.retain(|key, _| key.index() % 4 == 0);
        // No hole is listed: all have their bits set.
        map.as_mut_map().trim();
        let start = ptr::from_ref(&map[keys[0]]).addr() / stayput::page_size();
        let start = (start * stayput::page_size()) as *mut libc::c_void;
        let protect = |flags| {
            // SAFETY: only the thread that is to wait reads or writes there meanwhile.
            assert_eq!(unsafe { libc::mprotect(start, 1 << 16, flags) }, 0);
        };
        // SAFETY: it does nothing but wait.
        unsafe { libc::signal(libc::SIGSEGV, wait_there as *const () as libc::sighandler_t) };
        protect(libc::PROT_NONE);
        thread::scope(|scope| {
            let _released = Done(&IS_RELEASED);
            let other = scope.spawn(|| _ = map.insert([2; 8]));
            // It has removed some holes from the bitmap, and reads their generations.
            while !IS_CUT.load(Ordering::Acquire) {
                assert!(!other.is_finished());
                thread::yield_now();
            }
            protect(libc::PROT_READ | libc::PROT_WRITE);
            forked(|| use_map_without_lock(&map, LIVE, SLOTS));
            // SAFETY: the other thread is the parent's; the child ends here.
            forked(|| drop(unsafe { ptr::read(&raw const map) }));
        });
        let stats = map.as_mut_map().stats();
        assert_eq!((stats.live, stats.holes), (LIVE + 1, SLOTS - LIVE - 1));
    });
}

/// Creates a file in `folder`, and checks that it is locked for as long as the array has it open.
#[cfg(feature = "file")]
fn lock_a_file(folder: &Path, name: &str) {
    let path = folder.join(name);
    for _ in 0..2 {
        // SAFETY: no other code writes to the file.
        let _vec = unsafe { FileVec::<u64>::create(&path) }.expect("no other array has it");
        // SAFETY: as above; it is refused.
        let error = unsafe { FileVec::<u64>::open(&path) }.expect_err("it is locked");
        assert_eq!(error.kind(), FileErrorKind::Locked);
    }
}

#[cfg(feature = "file")]
#[test]
fn children_forked_while_others_lock_files_lock_theirs() {
    in_child_limiting("threads of a forked child", || {
        let folder = std::env::temp_dir().join(format!("stayput-forks-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder of its own");
        let lock = |worker: usize, is_done: &dyn Fn() -> bool| {
            while !is_done() {
                lock_a_file(&folder, &worker.to_string());
            }
        };
        beside(3, lock, || {
            for _ in 0..effort::rounds(30) {
                forked(|| lock_a_file(&folder, "child"));
            }
        });
        std::fs::remove_dir_all(&folder).expect("no other process uses it");
    });
}

#[cfg(feature = "file")]
#[test]
fn a_child_that_drops_an_array_in_a_file_leaves_the_file_to_its_parent() {
    use std::os::fd::AsRawFd;
    in_child_limiting("threads of a forked child", || {
        let path = std::env::temp_dir().join(format!("stayput-inherited-{}", std::process::id()));
        let file_bytes = || std::fs::metadata(&path).expect("it is there").len();
        // SAFETY: no other code writes to the file.
        let created = unsafe { FileVec::<u64>::builder().capacity(100_000).create(&path) };
        let mut vec = created.expect("a new file");
        vec.push(7);
        let before = file_bytes();
        // SAFETY: the child ends here.
        forked(|| drop(unsafe { ptr::read(&raw const vec) }));
        let other = std::fs::File::open(&path).expect("it is there");
        // SAFETY: the file is open.
        let locked = unsafe { libc::flock(other.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) };
        assert_eq!((file_bytes(), locked), (before, -1));
        vec.extend_zeroed(50_000);
        vec.close().expect("the disk accepts it");
        assert!(file_bytes() < before);

        let file = std::fs::File::options().read(true).write(true).open(&path);
        // SAFETY: no other code writes to the file.
        let backing = unsafe { FileBacking::from_file(file.expect("it is there"), 64 * MIB) };
        let mut vec = VmVec::builder().build_in(backing.expect("addresses"));
        vec.extend(0..1_000_000_u64);
        let before = file_bytes();
        // SAFETY: the child ends here.
        forked(|| drop(unsafe { ptr::read(&raw const vec) }));
        assert!(file_bytes() == before && vec.iter().copied().eq(0..1_000_000));
        drop(vec);
        std::fs::remove_file(&path).expect("it is there");
    });
}
