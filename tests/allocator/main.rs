//! A program whose global allocator is `GlobalVm`.

#![expect(unsafe_code, reason = "runs before `main`, and frees a pointer that is not a block")]

include!("../common/arbitrary.rs");

#[path = "../it/block_op.rs"]
mod block_op;
#[path = "../common/child.rs"]
mod child;
#[path = "../common/effort.rs"]
mod effort;
#[cfg(target_os = "linux")]
mod linux;
#[path = "../common/made.rs"]
mod made;
#[cfg(target_os = "linux")]
#[path = "../common/process.rs"]
mod process;
mod stress;

use stayput::alloc::{GlobalVm, trim};
use std::collections::{HashMap, VecDeque};

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

/// Emulators keep tables of reserved addresses, so their size is limited independently of the machine's memory.
#[global_allocator]
static GLOBAL: GlobalVm = GlobalVm::new().threshold_bytes(64 * KIB).reserve_bytes(256 * MIB);

/// Grows a buffer step by step, and returns how often its address changed while it was large.
#[cfg(target_pointer_width = "64")]
#[track_caller]
fn moves(until: usize, mut grow: impl FnMut() -> (*const u8, usize)) -> usize {
    let (mut at, mut moves) = (None, 0);
    loop {
        let (now, bytes) = grow();
        if bytes >= 64 * KIB {
            moves += usize::from(at.is_some_and(|before| before != now));
            at = Some(now);
        }
        if bytes > until {
            return moves;
        }
    }
}

/// Everything that there are addresses for: on 32-bit systems other tests may use some.
#[test]
#[cfg(target_pointer_width = "64")]
fn growing_blocks_do_not_move_once_they_are_large() {
    let mut vec = Vec::new();
    let moved = moves(20 * MIB, || {
        vec.extend([vec.len() as u64; 100]);
        (vec.as_ptr().cast(), vec.capacity() * 8)
    });
    assert_eq!(moved, 0);
    assert!(vec.iter().zip(0..).all(|(word, n)| *word == n / 100 * 100));

    let mut text = String::new();
    let moved = moves(4 * MIB, || {
        text.push_str("It stays where it is. ");
        (text.as_ptr(), text.capacity())
    });
    assert_eq!(moved, 0);
    assert!(text.len() > 100 && text.ends_with("is. "));

    vec.truncate(1000);
    vec.shrink_to_fit();
    assert!(vec.iter().zip(0..).all(|(word, n)| *word == n / 100 * 100));
}

#[test]
fn all_containers_of_std_keep_their_contents() {
    let mut map: HashMap<u64, Box<u64>> = HashMap::new();
    let mut queue = VecDeque::new();
    for n in 0..100_000 {
        map.insert(n, Box::new(n * n));
        queue.push_back([n; 3]);
        if n % 3 == 0 {
            queue.pop_front();
        }
    }
    assert!((0..100_000).all(|n| *map[&n] == n * n));
    assert!(queue.iter().zip(queue.iter().skip(1)).all(|(a, b)| a[0] + 1 == b[2]));
    let boxed: Box<[u64]> = (0..100_000).collect();
    let shared: std::sync::Arc<[u64]> = boxed.clone().into();
    assert_eq!(boxed.into_vec(), &shared[..]);
}

#[test]
fn zeroed_blocks_are_zero_whatever_they_held_before() {
    for round in 0..20 {
        let mut zeroes = vec![0_u8; 3 * MIB + round];
        assert!(zeroes.iter().all(|byte| *byte == 0));
        zeroes.fill(7);
    }
}

#[test]
fn impossible_requests_are_refused_and_change_nothing() {
    let mut vec = vec![7_u8; MIB];
    for additional in [isize::MAX as usize - MIB, usize::MAX] {
        vec.try_reserve(additional).unwrap_err();
        vec.try_reserve_exact(additional).unwrap_err();
    }
    assert!(vec.capacity() < 2 * MIB && vec.iter().all(|byte| *byte == 7));
    Vec::<u64>::new().try_reserve(isize::MAX as usize / 8).unwrap_err();
}

#[test]
fn blocks_can_be_allocated_and_freed_while_a_thread_ends() {
    struct Last(Vec<u64>);
    impl Drop for Last {
        fn drop(&mut self) {
            assert!(self.0.iter().all(|word| *word == 3));
            self.0.extend(vec![4; 100_000]);
            self.0.shrink_to(10);
        }
    }
    thread_local! {
        static LAST: std::cell::RefCell<Last> = const { std::cell::RefCell::new(Last(Vec::new())) };
    }
    for _ in 0..8 {
        let thread = std::thread::spawn(|| LAST.with_borrow_mut(|last| last.0.resize(50_000, 3)));
        thread.join().expect("it ends well");
    }
}

#[test]
fn cached_memory_can_be_released() {
    drop(vec![1_u8; MIB]);
    trim();
    // Other tests run at the same time.
    let mine = vec![1_u8; 3 * MIB];
    let stats = GLOBAL.stats();
    assert!(stats.blocks >= 1 && stats.committed_bytes >= mine.len(), "{stats:?}");
    assert!(stats.kept_bytes <= 64 * MIB, "{stats:?}");
    assert!(stats.roomy_blocks <= 8192, "{stats:?}");
    assert!(stats.reserved_bytes <= stats.roomy_blocks * 260 * MIB, "{stats:?}");
}

#[test]
#[cfg(debug_assertions)]
fn foreign_memory_ends_the_process() {
    use std::alloc::{GlobalAlloc, Layout};
    let free = || {
        let mut memory = vec![0_u64; 40 * KIB];
        // SAFETY: this breaks the contract on purpose: the address is inside a block, and not the start of one.
        unsafe { GLOBAL.dealloc((&raw mut memory[1000]).cast(), Layout::new::<[u64; 30 * KIB]>()) };
    };
    if child::argument().is_some() {
        return free();
    }
    let child =
        child::child("foreign_memory_ends_the_process", "child").output().expect("it runs again");
    let words = String::from_utf8_lossy(&child.stderr);
    assert!(!child.status.success() && words.contains("that did not allocate it"), "{words}");
}
