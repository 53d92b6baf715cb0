//! Patterns of short-lived memory, a round at a time.

use std::fmt;
use std::hint::black_box;
use std::io::Read;
use std::iter;
use std::ops::Range;

use bench_common::memory::size_text;
use serde::{Deserialize, Serialize};

use crate::buffer::{PAGE_BYTES, check, filled, page_sum, pages};

/// Sizes are of the bytes written, because the allocator decides how many it takes for them.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Pattern {
    /// Pushes to a `Vec` from empty, and drops it; in `threads` threads.
    Push { bytes: usize, threads: usize },
    /// Reads `bytes` to the end of a source of unknown length.
    Read { bytes: usize },
    /// Collects a `Vec` from an iterator of unknown length.
    Collect { bytes: usize },
    /// Allocates and writes buffers, then frees all of them.
    Frame { buffers: usize, bytes: usize },
    /// Enlarges a block and shrinks it again.
    Resize { small: usize, large: usize },
    /// Allocates a large buffer and writes one page of it.
    OnePage { bytes: usize },
    /// Allocates a zeroed buffer and writes to one place of each MiB.
    Sparse { bytes: usize },
    /// Creates and frees a large buffer, and keeps a smaller result to the end.
    Results { temporary: usize, kept: usize },
}

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

/// All patterns, and how many rounds of each are timed.
pub(super) const ALL: &[(Pattern, usize)] = &[
    (Pattern::Push { bytes: MIB, threads: 1 }, 256),
    (Pattern::Push { bytes: 4 * MIB, threads: 1 }, 64),
    (Pattern::Push { bytes: 16 * MIB, threads: 1 }, 16),
    (Pattern::Push { bytes: 4 * MIB, threads: 8 }, 32),
    (Pattern::Read { bytes: MIB }, 256),
    (Pattern::Read { bytes: 4 * MIB }, 64),
    (Pattern::Collect { bytes: MIB }, 256),
    (Pattern::Frame { buffers: 1, bytes: 4 * MIB }, 64),
    (Pattern::Frame { buffers: 1, bytes: 12 * MIB }, 32),
    (Pattern::Frame { buffers: 8, bytes: 300 * KIB }, 128),
    (Pattern::Frame { buffers: 16, bytes: 300 * KIB }, 64),
    (Pattern::Frame { buffers: 8, bytes: MIB }, 32),
    (Pattern::Resize { small: 200 * KIB, large: 300 * KIB }, 1024),
    (Pattern::OnePage { bytes: 24 * MIB }, 256),
    (Pattern::Sparse { bytes: 1024 * MIB }, 2),
    (Pattern::Results { temporary: 16 * MIB, kept: 5 * MIB }, 150),
];

/// Each kind once, with small sizes.
pub(super) const SMOKE: &[(Pattern, usize)] = &[
    (Pattern::Push { bytes: MIB, threads: 1 }, 2),
    (Pattern::Push { bytes: MIB, threads: 2 }, 2),
    (Pattern::Read { bytes: MIB }, 2),
    (Pattern::Collect { bytes: MIB }, 2),
    (Pattern::Frame { buffers: 8, bytes: 300 * KIB }, 2),
    (Pattern::Resize { small: 200 * KIB, large: 300 * KIB }, 2),
    (Pattern::OnePage { bytes: 24 * MIB }, 2),
    (Pattern::Sparse { bytes: 16 * MIB }, 2),
    (Pattern::Results { temporary: 4 * MIB, kept: MIB }, 3),
];

/// The work of a thread in a round, given the round's number. Panics if what was written is gone.
pub(crate) type Work = Box<dyn FnMut(u64) + Send>;

impl Pattern {
    pub(crate) fn work(self) -> Work {
        match self {
            Self::Push { bytes, .. } => Box::new(move |n| push(bytes, n)),
            Self::Read { bytes } => {
                let mut source = vec![1; bytes];
                Box::new(move |n| read(&mut source, n))
            }
            Self::Collect { bytes } => Box::new(move |n| collect(bytes, n)),
            Self::Frame { buffers, bytes } => Box::new(move |n| frame(buffers, bytes, n)),
            Self::Resize { small, large } => {
                let mut buffer = filled(small, 0);
                Box::new(move |n| resize(&mut buffer, small, large, n))
            }
            Self::OnePage { bytes } => Box::new(move |n| one_page(bytes, n)),
            Self::Sparse { bytes } => Box::new(move |n| sparse(bytes, n)),
            Self::Results { temporary, kept } => {
                let mut results = Vec::new();
                Box::new(move |n| {
                    frame(1, temporary, n);
                    results.push(black_box(filled(kept, n)));
                })
            }
        }
    }

    /// The number of threads that work at the same time.
    pub(super) fn threads(self) -> usize {
        if let Self::Push { threads, .. } = self { threads } else { 1 }
    }

    /// Rounds that are not counted, since a program usually runs already; none where memory is kept, which
    /// counts from the first round.
    pub(super) fn rounds_before(self) -> usize {
        match self {
            Self::Results { .. } => 0,
            Self::Sparse { .. } => 1,
            _ => 4,
        }
    }

    /// The bytes that are written and not freed: the most, and at the end of `rounds` rounds.
    pub(super) fn live_bytes(self, rounds: usize) -> [usize; 2] {
        match self {
            Self::Push { bytes, threads } => [bytes * threads, 0],
            // Including the source.
            Self::Read { bytes } => [2 * bytes, bytes],
            Self::Collect { bytes } => [bytes, 0],
            Self::Frame { buffers, bytes } => [buffers * bytes, 0],
            Self::Resize { small, large } => [large, small],
            Self::OnePage { .. } => [PAGE_BYTES, 0],
            Self::Sparse { bytes } => [bytes / MIB * PAGE_BYTES, 0],
            Self::Results { temporary, kept } => {
                [(rounds - 1) * kept + temporary.max(kept), rounds * kept]
            }
        }
    }

    /// The page faults of a round that are unavoidable: for memory that is kept, and where zeroes are needed
    /// that could not be written in the time.
    pub(super) fn needed_faults(self) -> usize {
        match self {
            Self::Sparse { bytes } => bytes / MIB,
            Self::Results { kept, .. } => kept / PAGE_BYTES,
            _ => 0,
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Push { bytes, threads: 1 } => write!(f, "push to {}", size_text(bytes)),
            Self::Push { bytes, threads } => {
                write!(f, "{threads} threads push to {} each", size_text(bytes))
            }
            Self::Read { bytes } => write!(f, "read_to_end, {}", size_text(bytes)),
            Self::Collect { bytes } => write!(f, "collect, {}", size_text(bytes)),
            Self::Frame { buffers: 1, bytes } => write!(f, "a buffer of {}", size_text(bytes)),
            Self::Frame { buffers, bytes } => {
                write!(f, "{buffers} buffers of {}", size_text(bytes))
            }
            Self::Resize { small, large } => {
                write!(f, "realloc {} ↔ {}", size_text(small), size_text(large))
            }
            Self::OnePage { bytes } => write!(f, "one page of {}", size_text(bytes)),
            Self::Sparse { bytes } => write!(f, "a page of each MiB of {}", size_text(bytes)),
            Self::Results { temporary, kept } => {
                write!(f, "{} made, {} kept", size_text(temporary), size_text(kept))
            }
        }
    }
}

/// Numbers that fill `bytes`, different in each round.
fn numbers(bytes: usize, n: u64) -> Range<u64> {
    let count = (bytes / size_of::<u64>()) as u64;
    black_box(n)..black_box(n + count)
}

fn check_numbers(found: &[u64], bytes: usize, n: u64) {
    let each_page = PAGE_BYTES / size_of::<u64>();
    let expected: u64 = numbers(bytes, n).step_by(each_page).sum();
    assert_eq!(page_sum(found), expected, "numbers were lost");
}

#[inline(never)]
fn push(bytes: usize, n: u64) {
    let mut pushed = Vec::new();
    // One by one, because pushes are what is measured.
    for number in numbers(bytes, n) {
        pushed.push(number);
    }
    check_numbers(black_box(&pushed), bytes, n);
}

#[inline(never)]
fn collect(bytes: usize, n: u64) {
    let mut numbers = numbers(bytes, n);
    let collected: Vec<u64> = iter::from_fn(|| numbers.next()).collect();
    check_numbers(black_box(&collected), bytes, n);
}

#[inline(never)]
fn read(source: &mut [u8], n: u64) {
    let byte = n.to_le_bytes()[0];
    source.iter_mut().step_by(PAGE_BYTES).for_each(|place| *place = byte);
    let bytes = source.len();
    let mut buffer = Vec::new();
    // `take` hides the length of the slice, since sockets and decoders do not know theirs.
    let read = (&*source).take(bytes as u64).read_to_end(&mut buffer);
    assert_eq!(read.ok(), Some(bytes), "reading memory cannot fail");
    assert_eq!(page_sum(black_box(&buffer)), pages(bytes) * u64::from(byte), "bytes were lost");
}

#[inline(never)]
fn frame(buffers: usize, bytes: usize, n: u64) {
    let buffers: Vec<Vec<u64>> = (0..buffers as u64).map(|i| filled(bytes, n + i)).collect();
    for (i, buffer) in black_box(&buffers).iter().enumerate() {
        check(buffer, n + i as u64);
    }
}

#[inline(never)]
fn resize(buffer: &mut Vec<u64>, small: usize, large: usize, n: u64) {
    let [small, large] = [small, large].map(|bytes| bytes / size_of::<u64>());
    let (kept, first) = (page_sum(buffer), buffer[0]);
    assert_eq!(kept, first * pages(small * size_of::<u64>()), "written data was lost");
    buffer.reserve_exact(large - small);
    buffer.resize(large, black_box(n));
    assert_eq!((black_box(&*buffer)[0], buffer[large - 1]), (first, n), "written data was lost");
    buffer.truncate(small);
    buffer.shrink_to(small);
    buffer.iter_mut().step_by(PAGE_BYTES / size_of::<u64>()).for_each(|word| *word = n);
}

#[inline(never)]
fn one_page(bytes: usize, n: u64) {
    let mut buffer: Vec<u64> = Vec::with_capacity(bytes / size_of::<u64>());
    buffer.resize(PAGE_BYTES / size_of::<u64>(), black_box(n));
    assert_eq!(black_box(&buffer)[0], n, "written data was lost");
}

#[inline(never)]
fn sparse(bytes: usize, n: u64) {
    let mut buffer = black_box(vec![0_u8; bytes]);
    let byte = n.to_le_bytes()[0] | 1;
    for place in buffer.iter_mut().step_by(MIB) {
        *place = byte;
    }
    // The places that were written to, and next to each one that was not.
    let found: u64 =
        black_box(&buffer).chunks(MIB).map(|mib| u64::from(mib[0]) + 256 * u64::from(mib[1])).sum();
    assert_eq!(found, (bytes / MIB) as u64 * u64::from(byte), "bytes were not zero, or were lost");
}
