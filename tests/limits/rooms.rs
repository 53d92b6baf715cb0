//! Limits of addresses that are lowered while blocks have far more of them as room to grow into.

#![expect(unsafe_code, reason = "plays the part of containers")]

use crate::effort;
use crate::linux::{Resource, forked, in_child, set_limit, statm, under_sanitizer};
use crate::random::Random;
use stayput::alloc::{GlobalVm, stats};
use stayput::{Reservation, VmVec, keeper};
use std::alloc::{GlobalAlloc, Layout};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;
const GIB: usize = 1 << 30;

static ALLOC: GlobalVm = GlobalVm::new();

fn layout(bytes: usize, align: usize) -> Layout {
    Layout::from_size_align(bytes, align).expect("small")
}

/// A block, each of whose pages begins with a number.
struct Block {
    start: NonNull<u8>,
    bytes: usize,
    align: usize,
    number: usize,
}

// SAFETY: a block is its owner's alone.
unsafe impl Send for Block {}

impl Block {
    fn new(bytes: usize, align: usize, number: usize) -> Option<Self> {
        let layout = layout(bytes, align);
        // SAFETY: the size is not zero.
        let start = NonNull::new(unsafe { ALLOC.alloc(layout) })?;
        let mut block = Self { start, bytes, align, number };
        block.write(0);
        Some(block)
    }

    fn words(&self) -> impl Iterator<Item = *mut usize> + use<> {
        let start = self.start;
        // SAFETY: inside the block, which is aligned to a number.
        (0..self.bytes - 8).step_by(4 * KIB).map(move |at| unsafe { start.add(at) }.as_ptr().cast())
    }

    /// Writes the number where it is not yet, behind so many.
    fn write(&mut self, written: usize) {
        for word in self.words().skip(written) {
            // SAFETY: a word of the block, which nobody else uses.
            unsafe { word.write(self.number) };
        }
    }

    #[track_caller]
    fn check(&self) {
        // SAFETY: words of the block, which were written.
        assert!(self.words().all(|word| unsafe { word.read() } == self.number));
    }

    fn resize(&mut self, bytes: usize) -> bool {
        let old = layout(self.bytes, self.align);
        // SAFETY: a block of that layout.
        let moved = unsafe { ALLOC.realloc(self.start.as_ptr(), old, bytes) };
        let Some(moved) = NonNull::new(moved) else { return false };
        assert_eq!(moved.addr().get() % self.align, 0);
        let written = self.words().count();
        (self.start, self.bytes) = (moved, bytes);
        self.write(written);
        self.check();
        true
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        self.check();
        // SAFETY: a block of that layout, which is used no more.
        unsafe { ALLOC.dealloc(self.start.as_ptr(), layout(self.bytes, self.align)) };
    }
}

/// A limit that can be raised again.
fn limit_softly(resource: Resource, bytes: Option<usize>) {
    let bytes = bytes.map_or(libc::RLIM_INFINITY, |bytes| bytes as libc::rlim_t);
    let limit = libc::rlimit { rlim_cur: bytes, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: it reads one `rlimit`.
    assert_eq!(unsafe { libc::setrlimit(resource, &raw const limit) }, 0);
}

#[test]
fn a_child_that_may_have_fewer_addresses_has_those_that_blocks_were_to_grow_into() {
    in_child(
        "rooms::a_child_that_may_have_fewer_addresses_has_those_that_blocks_were_to_grow_into",
        || {
            if under_sanitizer("addresses") {
                return;
            }
            for which in 0..6 {
                let mut live: Vec<_> =
                    (0..20).map(|n| Block::new(MIB, 8, n).expect("a MiB")).collect();
                live.push(Block::new(MIB, 2 * MIB, 20).expect("a MiB"));
                assert!(stats().reserved_bytes > 16 * GIB);
                forked(|| {
                    set_limit(libc::RLIMIT_AS, 4 * GIB);
                    // Whoever comes first.
                    match which {
                        0 => drop(Block::new(MIB, 8, 1).expect("a block")),
                        1 => (0..1500).for_each(|n| {
                            let small = Block::new(100 * KIB, 8, n).expect("a small block");
                            std::mem::forget(small);
                        }),
                        2 => drop(Reservation::new(GIB).map_err(|_| keeper::trim())),
                        3 => VmVec::new().try_push(1).expect("an array"),
                        4 => drop(Block::new(64 * MIB, 2 * MIB, 1).expect("a block")),
                        _ => {
                            thread::Builder::new().spawn(|| ()).map(drop).unwrap_err();
                            keeper::trim();
                        }
                    }
                    assert!(statm(0) < GIB, "{}", statm(0));
                    let thread = thread::Builder::new().spawn(|| 7).expect("a thread");
                    assert_eq!(thread.join().expect("it ends"), 7);
                    let mut array = VmVec::new();
                    array.try_push(1_u64).expect("an array");
                    assert!(array.max_len() >= 64 * MIB / 8, "{}", array.max_len());
                    // Those that are there grow, shrink, and go.
                    for (n, block) in live.iter_mut().enumerate().filter(|(n, _)| n % 3 < 2) {
                        assert!(block.resize(3 * MIB + n));
                        assert!(block.resize(6 * MIB));
                        assert!(block.resize(300 * KIB));
                        assert!(block.resize(2 * MIB));
                    }
                    for mut block in live.drain(..10) {
                        assert!(block.resize(300 * KIB));
                    }
                    let more: Vec<_> =
                        (0..100).map(|n| Block::new(MIB, 8, n).expect("a MiB")).collect();
                    assert!(stats().reserved_bytes <= GIB);
                    drop((more, std::mem::take(&mut live)));
                    keeper::trim();
                    assert_eq!((stats().roomy_blocks, stats().reserved_bytes), (0, 0));
                });
                // The parent's are as they were.
                let start = live[0].start;
                assert!(live[0].resize(40 * MIB));
                assert_eq!(live[0].start, start);
            }
        },
    );
}

#[test]
fn rooms_are_taken_while_others_use_blocks_pass_them_on_and_fork() {
    in_child("rooms::rooms_are_taken_while_others_use_blocks_pass_them_on_and_fork", || {
        const THREADS: u64 = 3;
        if under_sanitizer("addresses") {
            return;
        }
        let shared = Mutex::new(Vec::new());
        let is_done = AtomicBool::new(false);
        let use_blocks = |seed, times| {
            let mut random = Random(seed);
            for _ in 0..times {
                let align = [8, 8, 8, 4 * KIB, 16 * KIB][random.below(5)];
                let bytes = 256 * KIB + random.below(MIB);
                let mut block = Block::new(bytes, align, random.below(usize::MAX));
                if let Some(block) = &mut block {
                    for _ in 0..random.below(4) {
                        block.resize(256 * KIB + random.below(4 * MIB));
                    }
                }
                let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
                shared.extend(block);
                let passed = if shared.len() > 12 {
                    let which = random.below(shared.len());
                    Some(shared.swap_remove(which))
                } else {
                    None
                };
                drop(shared);
                if let Some(mut block) = passed {
                    block.resize(256 * KIB + random.below(2 * MIB));
                }
            }
        };
        thread::scope(|scope| {
            for seed in 0..THREADS {
                let (is_done, use_blocks) = (&is_done, &use_blocks);
                scope.spawn(move || {
                    while !is_done.load(Ordering::Relaxed) {
                        use_blocks(seed + 1, 20);
                    }
                });
            }
            let result = std::panic::catch_unwind(|| {
                for round in 0..effort::rounds(60) {
                    limit_softly(libc::RLIMIT_AS, Some(6 * GIB));
                    keeper::trim();
                    let _ = Block::new(5 * MIB, 8, 1);
                    if round % 8 == 0 {
                        // Room that the others had in hand just then is nobody's in the child: there may be
                        // nothing left, but nothing is lost, and nobody waits.
                        forked(|| {
                            let own = Block::new(MIB, 8, 3);
                            keeper::trim();
                            if let Some(mut own) = own {
                                own.resize(20 * MIB);
                            }
                            limit_softly(libc::RLIMIT_AS, None);
                            let mut own = Block::new(2 * MIB, 8, 4).expect("some MiB");
                            assert!(own.resize(20 * MIB));
                        });
                    }
                    limit_softly(libc::RLIMIT_AS, None);
                    thread::yield_now();
                }
            });
            is_done.store(true, Ordering::Relaxed);
            result.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        });
        drop(shared);
        keeper::trim();
        assert_eq!((stats().blocks, stats().roomy_blocks, stats().reserved_bytes), (0, 0, 0));
        assert!(statm(0) < 2 * GIB, "{}", statm(0));
    });
}
