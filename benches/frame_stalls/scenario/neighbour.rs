//! A second thread that allocates and frees memory during the loop, as the rest of a program does.
//!
//! Every millisecond it replaces these blocks of the process's allocator:
//!
//! | blocks | bytes each | out of | touched |
//! |---|---|---|---|
//! | 64 | 16 to 8,192 | 1,024 | every page |
//! | 2 | 16 Ki to 512 Ki | 16 | every page |
//! | 1 | 40 Mi | 1 | the first 64 pages |
//!
//! The last block is larger than what allocators keep for later: it is mapped and unmapped each time, and so
//! takes the lock on the process's mappings, which growth and page faults need too. Its pages cost a page fault
//! each. All of it takes about an eighth of a core: the rate is bounded, and a late thread does not catch up.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

const PERIOD: Duration = Duration::from_millis(1);

const PAGE_BYTES: usize = 4096;

/// Blocks of similar size.
struct Kind {
    /// Sizes are from this many bytes to as many times two to the power of `doublings`.
    smallest_bytes: usize,
    doublings: usize,
    kept: usize,
    replaced: usize,
    touched_bytes: usize,
}

const KINDS: [Kind; 3] = [
    Kind { smallest_bytes: 16, doublings: 9, kept: 1024, replaced: 64, touched_bytes: usize::MAX },
    Kind {
        smallest_bytes: 16 << 10,
        doublings: 5,
        kept: 16,
        replaced: 2,
        touched_bytes: usize::MAX,
    },
    Kind {
        smallest_bytes: 40 << 20,
        doublings: 0,
        kept: 1,
        replaced: 1,
        touched_bytes: 64 * PAGE_BYTES,
    },
];

/// Ends the thread when it is dropped.
pub(super) struct Neighbour {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Neighbour {
    pub(super) fn start() -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            let mut blocks = KINDS.map(Blocks::new);
            // Relaxed suffices: the flag guards no other memory.
            while !seen.load(Ordering::Relaxed) {
                blocks.iter_mut().for_each(Blocks::replace);
                thread::sleep(PERIOD);
            }
        });
        Self { stop, thread: Some(thread) }
    }
}

impl Drop for Neighbour {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // It cannot have panicked: running out of memory here aborts.
            let _ = thread.join();
        }
    }
}

/// The live blocks of a kind.
struct Blocks {
    kind: Kind,
    kept: Vec<Vec<u8>>,
    /// The number of replacements.
    count: usize,
}

impl Blocks {
    fn new(kind: Kind) -> Self {
        Self { kept: vec![Vec::new(); kind.kept], kind, count: 0 }
    }

    fn replace(&mut self) {
        for _ in 0..self.kind.replaced {
            // Sizes in turn, and with a stride that has no factor in common with the number of places.
            let bytes = self.kind.smallest_bytes << (self.count % (self.kind.doublings + 1));
            let place = self.count * 7 % self.kind.kept;
            self.count += 1;
            self.kept[place] = Vec::new();
            self.kept[place] = touched(bytes, self.kind.touched_bytes);
        }
    }
}

/// Returns a new block.
fn touched(bytes: usize, touched_bytes: usize) -> Vec<u8> {
    let mut block = Vec::with_capacity(bytes);
    for byte in block.spare_capacity_mut().iter_mut().take(touched_bytes).step_by(PAGE_BYTES) {
        byte.write(1);
    }
    black_box(block)
}
