//! [`Buffer`]: memory for arrays that checks its calls, and refuses as planned.

#![expect(unsafe_code, reason = "supplies memory")]
#![cfg_attr(not(test), allow(dead_code, reason = "fuzz targets have no call fail"))]

use stayput::{Backing, Error};
use std::alloc::{Layout, alloc, dealloc};
use std::ops::Range;
use std::ptr::NonNull;
use std::slice;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A call that an array makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    Commit,
    Decommit,
    Discard,
    Prefault,
}

/// How a call fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    Refuse,
    Panic,
    /// Does what was requested, then panics (only `discard`).
    PanicLate,
}

/// The calls to a [`Buffer`], for tests that passed it to an array.
#[derive(Clone, Debug, Default)]
pub(crate) struct Log(Arc<Mutex<Seen>>);

#[derive(Debug, Default)]
struct Seen {
    calls: Vec<(Call, Range<usize>)>,
    committed_bytes: usize,
    drops: usize,
    /// Which calls fail, how many succeed before, and how many fail.
    plan: Option<(Call, Failure, usize, usize)>,
    is_late: bool,
    has_panicked: bool,
}

impl Log {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Plans failures: after `pass` calls of the kind, the next `count` fail.
    pub(crate) fn plan(&self, call: Call, failure: Failure, pass: usize, count: usize) {
        self.seen().plan = Some((call, failure, pass, count));
    }

    pub(crate) fn committed_bytes(&self) -> usize {
        self.seen().committed_bytes
    }

    pub(crate) fn drops(&self) -> usize {
        self.seen().drops
    }

    /// The number of calls of a kind, including failed ones.
    pub(crate) fn calls(&self, call: Call) -> usize {
        self.seen().calls.iter().filter(|(kind, _)| *kind == call).count()
    }
}

/// Memory from the allocator.
pub(crate) struct Buffer {
    start: NonNull<u8>,
    layout: Layout,
    bytes: usize,
    run: usize,
    /// For each run, whether it is committed.
    committed: Vec<bool>,
    log: Log,
    before_commit: Box<dyn Fn() + Send + Sync>,
}

// SAFETY: it owns its memory.
unsafe impl Send for Buffer {}
// SAFETY: `&Buffer` only gives access to numbers.
unsafe impl Sync for Buffer {}

/// The contents of memory that is not committed.
const POISON: u8 = 0xdd;

impl Buffer {
    /// Allocates `bytes` bytes, in runs of `run`, aligned to `align` and not better.
    pub(crate) fn new(bytes: usize, run: usize, align: usize) -> Self {
        // Allocates with twice the alignment, and starts one step later.
        let layout = Layout::from_size_align(bytes + align, 2 * align).unwrap();
        // SAFETY: the size is not 0, since `align` is not.
        let start = NonNull::new(unsafe { alloc(layout) }).expect("there is memory");
        // SAFETY: `align` bytes are allocated before the start.
        let start = unsafe { start.add(align) };
        // SAFETY: `bytes` bytes are allocated after it.
        unsafe { start.write_bytes(POISON, bytes) };
        let committed = vec![false; bytes.div_ceil(run)];
        let (log, before_commit) = (Log::default(), Box::new(|| ()));
        Self { start, layout, bytes, run, committed, log, before_commit }
    }

    /// Calls a closure before each commit.
    pub(crate) fn hooked(mut self, before_commit: impl Fn() + Send + Sync + 'static) -> Self {
        self.before_commit = Box::new(before_commit);
        self
    }

    pub(crate) fn log(&self) -> Log {
        self.log.clone()
    }

    fn bytes(&mut self, range: Range<usize>) -> &mut [u8] {
        // SAFETY: `enter`, which every call goes through, has checked the range.
        let first = unsafe { self.start.add(range.start) };
        // SAFETY: the memory was initialized when it was allocated, and only the caller uses it during the call.
        unsafe { slice::from_raw_parts_mut(first.as_ptr(), range.len()) }
    }

    /// Checks a call, and lets it fail if that is planned.
    fn enter(&mut self, call: Call, range: &Range<usize>) -> Result<(), Error> {
        assert!(!range.is_empty() && range.end <= self.bytes, "{call:?} {range:?}");
        assert_eq!(range.start % self.run, 0, "{call:?} {range:?}");
        assert!(range.end % self.run == 0 || range.end == self.bytes, "{call:?} {range:?}");
        let runs = range.start / self.run..range.end.div_ceil(self.run);
        let is_committed = call != Call::Commit;
        let all_are = self.committed[runs.clone()].iter().all(|&run| run == is_committed);
        assert!(all_are, "{call:?} {range:?} is not committed, or is already");
        let mut seen = self.log.seen();
        assert!(!seen.has_panicked, "{call:?} {range:?} after a panic");
        seen.calls.push((call, range.clone()));
        match &mut seen.plan {
            Some((kind, _, pass @ 1.., _)) if *kind == call => *pass -= 1,
            Some((kind, failure, 0, count @ 1..)) if *kind == call => {
                *count -= 1;
                match failure {
                    Failure::Refuse => return Err(Error::from_raw_os_error(77, range.len())),
                    Failure::PanicLate => seen.is_late = true,
                    Failure::Panic => {
                        seen.has_panicked = true;
                        drop(seen);
                        panic!("{call:?} panics, as planned");
                    }
                }
            }
            _ => {}
        }
        match call {
            Call::Commit => seen.committed_bytes += range.len(),
            Call::Decommit => seen.committed_bytes -= range.len(),
            Call::Discard | Call::Prefault => {}
        }
        drop(seen);
        self.committed[runs].fill(call != Call::Decommit);
        Ok(())
    }

    fn assert_untouched(&mut self, range: Range<usize>) {
        let is_untouched = |bytes: &[u8]| bytes == &[POISON; 1 << 12][..bytes.len()];
        let is_untouched = self.bytes(range).chunks(1 << 12).all(is_untouched);
        assert!(is_untouched, "memory was written to that was not committed");
    }
}

// SAFETY: the memory comes from the allocator, and belongs to the buffer until it is dropped. Committed memory is
// zeroed, and only `decommit` and `discard` change it. A call that fails does so before it changes anything, or after
// it has done everything.
unsafe impl Backing for Buffer {
    fn start(&self) -> NonNull<u8> {
        self.start
    }

    fn reserved_bytes(&self) -> usize {
        self.bytes
    }

    unsafe fn commit(&mut self, range: Range<usize>) -> Result<(), Error> {
        (self.before_commit)();
        self.enter(Call::Commit, &range)?;
        self.assert_untouched(range.clone());
        self.bytes(range).fill(0);
        Ok(())
    }

    unsafe fn decommit(&mut self, range: Range<usize>) -> Result<(), Error> {
        self.enter(Call::Decommit, &range)?;
        self.bytes(range).fill(POISON);
        Ok(())
    }

    unsafe fn discard(&mut self, range: Range<usize>) -> Result<(), Error> {
        self.enter(Call::Discard, &range)?;
        self.bytes(range).fill(0);
        let mut seen = self.log.seen();
        if seen.is_late {
            (seen.is_late, seen.has_panicked) = (false, true);
            drop(seen);
            panic!("it panics late, as planned");
        }
        Ok(())
    }

    unsafe fn prefault(&mut self, range: Range<usize>) -> Result<(), Error> {
        self.enter(Call::Prefault, &range)
    }

    fn run_bytes(&self) -> usize {
        self.run
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        self.log.seen().drops += 1;
        for run in 0..self.committed.len() {
            if !self.committed[run] && !std::thread::panicking() {
                let range = run * self.run..((run + 1) * self.run).min(self.bytes);
                self.assert_untouched(range);
            }
        }
        // SAFETY: the allocation begins that many bytes before `start`.
        let start = unsafe { self.start.sub(self.layout.align() / 2) };
        // SAFETY: allocated with this layout, and not used any more.
        unsafe { dealloc(start.as_ptr(), self.layout) };
    }
}
