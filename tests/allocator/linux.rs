//! Tests that need Linux: code that runs before `main`, forks, resident memory.

use super::process::{forked, statm};
use super::{KIB, MIB};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// Created before `main`.
static EARLY: Mutex<Vec<u64>> = Mutex::new(Vec::new());

extern "C" fn before_main() {
    let mut early = EARLY.lock().expect("no other thread is running");
    early.extend(0..100_000);
    drop(vec![1_u8; 100 * KIB]);
}

#[used]
// SAFETY: the functions in this section are called before `main`; their arguments are not used.
#[unsafe(link_section = ".init_array")]
static BEFORE_MAIN: extern "C" fn() = before_main;

#[test]
fn blocks_can_be_allocated_before_main() {
    let mut early = EARLY.lock().expect("it was not poisoned");
    assert!(early.len() >= 100_000);
    let next = early.len() as u64;
    early.extend(next..next + 100_000);
    assert!(early.iter().zip(0..).all(|(word, n)| *word == n));
}

#[test]
fn untouched_zeroed_blocks_take_no_memory() {
    let before = statm(1);
    let zeroes = vec![0_u64; 32 * MIB];
    // The tolerance covers other tests.
    assert!(statm(1) < before + 128 * MIB);
    assert_eq!(zeroes[31 * MIB], 0);
}

struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn blocks_keep_their_contents_in_a_forked_child() {
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        // So that a thread is always in the middle of an allocation.
        for _ in 0..3 {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let mut vec = vec![5_u8; 200 * KIB];
                    vec.resize(700 * KIB, 6);
                    vec.truncate(70 * KIB);
                    vec.shrink_to_fit();
                }
            });
        }
        // Also if this thread panics.
        let _stop = SetOnDrop(&stop);
        for round in 0..30 {
            let mut vec: Vec<u64> = (0..100_000 + round).collect();
            let holds = |vec: &[u64]| vec.iter().zip(0..).all(|(word, n)| *word == n);
            forked(|| {
                let len = vec.len() as u64;
                vec.extend(len..3 * len);
                let grown = holds(&vec);
                vec.truncate(20_000);
                vec.shrink_to_fit();
                let shrunk = holds(&vec);
                let own = vec![round; 200_000];
                let other = own.clone();
                drop(own);
                assert!(
                    grown && shrunk && other.iter().all(|word| *word == round),
                    "round {round}"
                );
            });
            assert!(holds(&vec) && vec.len() as u64 == 100_000 + round);
        }
    });
}
