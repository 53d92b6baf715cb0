//! A reservation of a few pages that checks their use.

use crate::error::{Error, ErrorKind};
use crate::service::UNIT_BYTES;
use loom::cell::UnsafeCell;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Two per unit, so that a part of a unit can be committed.
pub(crate) const PAGE_BYTES: usize = UNIT_BYTES / 2;
const PAGES: usize = 8;

pub(crate) fn page_size() -> usize {
    PAGE_BYTES
}

/// The call that is refused, once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Refusal {
    None,
    /// The next commit.
    Whole,
    /// The next commit, after a part of it was done.
    Part,
    /// The next decommit.
    Decommit,
}

/// A page. Access to its contents by two threads at once is a race, which loom reports. The flag stands for the
/// system's records, so calls of several threads do not race: it is one of std's atomics, which loom does not see.
#[derive(Debug)]
struct Page {
    is_accessible: AtomicBool,
    /// Written when access changes, and read by each access: one without happens-before the other is a race, too.
    access: UnsafeCell<()>,
    contents: UnsafeCell<u8>,
}

impl Page {
    fn new() -> Self {
        let (access, contents) = (UnsafeCell::new(()), UnsafeCell::new(0));
        Self { is_accessible: AtomicBool::new(false), access, contents }
    }

    fn check_accessible(&self) {
        assert!(self.is_accessible.load(Ordering::Relaxed), "access to an inaccessible page");
        self.access.with(|_| ());
    }

    fn make_accessible(&self) {
        if !self.is_accessible.swap(true, Ordering::Relaxed) {
            self.access.with_mut(|_| ());
        }
    }

    fn make_inaccessible(&self) {
        self.access.with_mut(|_| ());
        self.is_accessible.store(false, Ordering::Relaxed);
    }
}

#[derive(Debug)]
pub(crate) struct Pages {
    pages: [Page; PAGES],
    refusal: AtomicUsize,
    /// So that other threads can run before and after each call.
    calls: loom::sync::atomic::AtomicUsize,
    /// The system's lock.
    commits: loom::sync::Mutex<()>,
}

impl Pages {
    fn new() -> Self {
        Self {
            pages: std::array::from_fn(|_| Page::new()),
            refusal: AtomicUsize::new(0),
            calls: loom::sync::atomic::AtomicUsize::new(0),
            commits: loom::sync::Mutex::new(()),
        }
    }

    pub(crate) fn plan(&self, refusal: Refusal) {
        self.refusal.store(refusal as usize, Ordering::Relaxed);
    }

    fn part(&self, range: Range<usize>) -> &[Page] {
        assert!(range.start % PAGE_BYTES == 0 && range.end % PAGE_BYTES == 0, "{range:?}");
        &self.pages[range.start / PAGE_BYTES..range.end / PAGE_BYTES]
    }

    fn call(&self) {
        self.calls.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn commit(&self, range: Range<usize>) -> Result<(), Error> {
        // So that a thread that commits pages which another has committed may use them.
        let _lock = self.commits.lock().unwrap();
        let pages = self.part(range.clone());
        let (is_refused, done) = if self.refuses(Refusal::Whole) {
            (true, 0)
        } else if self.refuses(Refusal::Part) {
            (true, 1)
        } else {
            (false, pages.len())
        };
        for page in &pages[..done.min(pages.len())] {
            page.make_accessible();
        }
        if is_refused { Err(Error::new(ErrorKind::Memory, range.len())) } else { Ok(()) }
    }

    /// Whether this call is to be refused.
    fn refuses(&self, refusal: Refusal) -> bool {
        let (this, none) = (refusal as usize, Refusal::None as usize);
        self.refusal.compare_exchange(this, none, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    fn access(page: &Page, access: impl FnOnce(&mut u8)) {
        page.check_accessible();
        // SAFETY: loom reports concurrent access.
        page.contents.with_mut(|contents| access(unsafe { &mut *contents }));
    }

    /// Writes for an array whose first `warm` bytes need not be zero.
    pub(crate) fn write(&self, range: Range<usize>, warm: usize) {
        let numbers = range.start / PAGE_BYTES..;
        for (number, page) in numbers.zip(self.part(range)) {
            let is_warm = number * PAGE_BYTES < warm;
            Self::access(page, |contents| {
                let before = std::mem::replace(contents, 7);
                assert!(before == 0 || is_warm, "page {number} is not zero");
            });
        }
    }

    /// Zeroes pages, as discarding does, which needs exclusive access.
    pub(crate) fn wipe(&self, range: Range<usize>) {
        for page in self.part(range) {
            Self::access(page, |contents| *contents = 0);
        }
    }

    pub(crate) fn check(&self, usable: usize) {
        for page in self.part(0..usable) {
            Self::access(page, |contents| assert_eq!(*contents, 7));
        }
    }

    /// Checks that all pages below `committed` are accessible, and none from `reach` on.
    pub(crate) fn check_extent(&self, committed: usize, reach: usize) {
        assert!(committed <= reach);
        for (number, page) in self.pages.iter().enumerate() {
            let (start, is) = (number * PAGE_BYTES, page.is_accessible.load(Ordering::Relaxed));
            assert!(is || start >= committed, "page {number} is not accessible");
            assert!(!is || start < reach, "page {number} is accessible");
        }
    }

    fn take_away(&self, range: Range<usize>) {
        self.call();
        for page in self.part(range) {
            // SAFETY: loom reports concurrent access.
            page.contents.with_mut(|contents| unsafe { *contents = 0 });
            page.make_inaccessible();
        }
    }
}

/// The handle that `shared.rs` has.
#[derive(Debug)]
pub(crate) struct Reservation(Arc<Pages>);

impl Reservation {
    pub(crate) fn new() -> (Self, Arc<Pages>) {
        let pages = Arc::new(Pages::new());
        (Self(Arc::clone(&pages)), pages)
    }

    pub(crate) fn release(self) {
        self.0.take_away(0..self.reserved_bytes());
    }

    pub(crate) fn reserved_bytes(&self) -> usize {
        PAGES * PAGE_BYTES
    }

    pub(crate) fn run_bytes(&self, _: usize) -> usize {
        PAGE_BYTES
    }

    pub(crate) fn whole_runs(&self, end: usize) -> usize {
        end.next_multiple_of(PAGE_BYTES).min(self.reserved_bytes())
    }

    pub(crate) fn commit(&self, range: Range<usize>) -> Result<(), Error> {
        self.0.commit(range)
    }

    pub(crate) fn commit_if_possible(&self, range: Range<usize>) -> bool {
        self.0.commit(range).is_ok()
    }

    /// It is unknown which pages are resident.
    pub(crate) fn is_dense(&self, _: Range<usize>) -> bool {
        false
    }

    /// Models the kind of touch that is harmless to other threads: it only needs the pages to be accessible from its
    /// beginning to its end.
    pub(crate) unsafe fn touch_committed(&self, range: Range<usize>) -> Result<(), Error> {
        let check = || self.0.part(range.clone()).iter().for_each(Page::check_accessible);
        check();
        self.0.call();
        check();
        Ok(())
    }

    pub(crate) unsafe fn decommit_unused(&self, range: Range<usize>) -> Result<(), Error> {
        if self.0.refuses(Refusal::Decommit) {
            return Err(Error::new(ErrorKind::MappingLimit, range.len()));
        }
        self.0.take_away(range);
        Ok(())
    }
}
