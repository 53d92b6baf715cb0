//! A program whose global allocator is `GlobalVm` with `Release::Background`.

#![expect(unsafe_code, reason = "runs before `main`, and is an allocator")]

include!("../common/arbitrary.rs");

#[path = "../it/block_op.rs"]
mod block_op;
#[path = "../common/effort.rs"]
mod effort;
#[cfg(target_os = "linux")]
#[path = "../allocator/linux.rs"]
mod linux;
#[path = "../common/made.rs"]
mod made;
#[cfg(target_os = "linux")]
#[path = "../common/process.rs"]
mod process;
#[path = "../allocator/stress.rs"]
mod stress;

use effort::wait_until;
use stayput::alloc::GlobalVm;
use stayput::{Release, VmVec, region_cache, service};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

#[global_allocator]
static GLOBAL: GlobalVm<Nested> = GlobalVm::with_parent(Nested)
    .threshold_bytes(64 * KIB)
    .reserve_bytes(256 * MIB)
    .release(Release::Background);

/// The parent frees a large block before each allocation of 16 KiB. The crate makes one of those while it holds the lock
/// under which it starts the background thread: if freeing waited for that lock, no test here would end.
struct Nested;

impl Nested {
    const BYTES: usize = 16 * KIB;

    fn free_a_large_block() {
        static LARGE: GlobalVm = GlobalVm::new().release(Release::Background);
        // Once on its way to the region cache, and once to the background thread.
        for bytes in [2 * MIB, 80 * MIB] {
            let layout = Layout::from_size_align(bytes, 8).expect("it is small");
            // SAFETY: the size is not zero.
            let block = unsafe { LARGE.alloc(layout) };
            if !block.is_null() {
                COUNT.fetch_add(1, Ordering::Relaxed);
                // SAFETY: just allocated with this layout.
                unsafe { LARGE.dealloc(block, layout) };
            }
        }
    }
}

static COUNT: AtomicUsize = AtomicUsize::new(0);

// SAFETY: passes all calls on to `System`.
unsafe impl GlobalAlloc for Nested {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.size() == Self::BYTES {
            Self::free_a_large_block();
        }
        // SAFETY: the caller makes the same guarantees.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: the caller makes the same guarantees.
        unsafe { System.dealloc(start, layout) }
    }
}

#[test]
fn blocks_can_be_freed_while_the_thread_is_started() {
    drop(vec![1_u8; 2 * MIB]);
    assert!(service::stats().running);
    assert!(COUNT.load(Ordering::Relaxed) >= 2);
}

/// Runs tests that change the limits of the cache one at a time, and restores the limits.
struct Cache(#[expect(dead_code, reason = "held")] MutexGuard<'static, ()>);

impl Cache {
    fn limited(most: usize, time: Duration) -> Self {
        static ALONE: Mutex<()> = Mutex::new(());
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        region_cache::set_most_bytes(most);
        region_cache::set_time(time);
        Self(alone)
    }
}

impl Drop for Cache {
    fn drop(&mut self) {
        region_cache::set_most_bytes(64 * MIB);
        region_cache::set_time(Duration::from_secs(1));
    }
}

#[test]
fn large_blocks_are_released_in_the_background_by_many_threads() {
    let _cache = Cache::limited(0, Duration::from_secs(1));
    let until = Instant::now() + effort::stress_duration();
    thread::scope(|scope| {
        for number in 0..8_usize {
            scope.spawn(move || {
                // Thousands of blocks wait at times, so the queue itself becomes a large block.
                let mut round = number;
                while Instant::now() < until {
                    let blocks: Vec<_> =
                        (0..40).map(|n| vec![round as u64 + n; MIB / 8 + 1000]).collect();
                    assert!(blocks.iter().zip(round as u64..).all(|(block, n)| block[999] == n));
                    drop(blocks);
                    round += 1;
                    if round % 16 == number {
                        service::drain();
                    }
                }
            });
        }
        scope.spawn(|| {
            while Instant::now() < until {
                drop(VmVec::<u64>::builder().release(Release::Background).build());
                GLOBAL.trim();
                thread::sleep(Duration::from_millis(5));
            }
        });
    });
    service::drain();
    // Other tests run at the same time.
    wait_until("nothing waits", || service::stats().waiting_bytes < 256 * MIB);
}

#[test]
fn the_thread_returns_old_cached_memory_and_stays() {
    if thread::available_parallelism().is_ok_and(|processors| processors.get() == 1) {
        return;
    }
    let _cache = Cache::limited(64 * MIB, Duration::from_millis(50));
    drop(vec![1_u8; 3 * MIB]);
    assert!(service::stats().running);
    // Neither a free nor an allocation of this test causes it; other tests may cache more.
    wait_until("it is returned", || GLOBAL.stats().kept_bytes < 3 * MIB);
    thread::sleep(Duration::from_millis(2500));
    assert!(service::stats().running);
}

#[test]
fn blocks_are_released_in_the_background_while_a_thread_ends() {
    struct Last(Vec<u64>);
    impl Drop for Last {
        fn drop(&mut self) {
            assert!(self.0.iter().all(|word| *word == 3));
            self.0 = vec![4; MIB];
        }
    }
    thread_local! {
        static LAST: RefCell<Last> = const { RefCell::new(Last(Vec::new())) };
    }
    let _cache = Cache::limited(0, Duration::from_secs(1));
    for _ in 0..8 {
        let thread = thread::spawn(|| LAST.with_borrow_mut(|last| last.0.resize(2 * MIB, 3)));
        thread.join().expect("it ends well");
    }
    service::drain();
}

#[cfg(target_os = "linux")]
#[test]
fn a_forked_child_releases_blocks_in_the_background() {
    let _cache = Cache::limited(0, Duration::from_secs(1));
    let inherited = vec![1_u8; 4 * MIB];
    for round in 0..10_usize {
        // In the middle of a release.
        drop(vec![1_u8; 32 * MIB]);
        process::forked(|| {
            drop(inherited.clone());
            let blocks: Vec<_> = (0..20).map(|n| vec![n; MIB]).collect();
            assert!(blocks.iter().enumerate().all(|(n, block)| block[round] == n));
            drop(blocks);
            service::drain();
            assert_eq!(service::stats().waiting_bytes, 0);
        });
    }
}

#[test]
fn memory_that_waits_is_counted_until_it_is_released() {
    let _cache = Cache::limited(0, Duration::from_secs(1));
    let block = vec![1_u8; 64 * MIB];
    assert!(GLOBAL.stats().committed_bytes >= 64 * MIB);
    drop(block);
    service::drain();
    #[cfg(target_os = "linux")]
    assert!(process::statm(1) < 4096 * MIB);
}
