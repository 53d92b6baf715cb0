//! Ranges of a few pages, in place of the system's. Each page knows whether it was released, and loom reports accesses to
//! it by two threads at once.

use crate::page::{PageBytes, PageSize};
use crate::statics::Static;
use loom::cell::UnsafeCell;
use std::cell::Cell;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};

pub(crate) const PAGE: PageSize = PageSize::new(4096).expect("a power of two");
const PAGES: usize = 6;

/// What owners of pages write there.
#[repr(align(4096))]
struct Memory(std::cell::UnsafeCell<[u8; PAGES * PAGE.get()]>);

// SAFETY: all threads of a model run on one thread, which loom schedules.
unsafe impl Sync for Memory {}

thread_local! {
    // Each test has a thread of its own, on which all threads of its models run.
    static MEMORY: &'static Memory = Box::leak(Box::new(Memory([0; PAGES * PAGE.get()].into())));
    static REFUSES: Cell<bool> = const { Cell::new(false) };
}

/// A page. The flag stands for the system's records: it is one of std's atomics, which loom does not see.
struct Page {
    contents: UnsafeCell<()>,
    is_released: AtomicBool,
}

/// The pages of an interleaving.
pub(crate) struct World([Page; PAGES]);

impl World {
    pub(crate) fn new() -> Self {
        let page = || Page { contents: UnsafeCell::new(()), is_released: AtomicBool::new(false) };
        Self(std::array::from_fn(|_| page()))
    }
}

static WORLD: Static<World> = Static::of(World::new);

/// Makes the system refuse to make pages accessible, or accept it again.
pub(crate) fn refuse_commits(refuses: bool) {
    REFUSES.set(refuses);
}

/// Returns how many pages were released.
pub(crate) fn released() -> usize {
    WORLD.0.iter().filter(|page| page.is_released.load(Ordering::Relaxed)).count()
}

/// An owned range of addresses. Dropping it releases nothing.
#[derive(Debug)]
pub(crate) struct Mapping {
    start: NonNull<u8>,
    bytes: PageBytes,
}

impl Mapping {
    /// Returns these pages, which must have no owner.
    pub(crate) fn of(pages: Range<usize>) -> Self {
        let memory = MEMORY.with(|memory| NonNull::from(&memory.0)).cast::<u8>();
        let start = memory.as_ptr().wrapping_add(pages.start * PAGE.get());
        let bytes = pages.len() * PAGE.get();
        let start = NonNull::new(start).expect("inside the memory");
        Self { start, bytes: PageBytes::exact(bytes, PAGE).expect("whole pages") }
    }

    /// Takes the range over, as the real one. The new owner may access it at once.
    pub(crate) unsafe fn from_raw(start: NonNull<u8>, bytes: PageBytes) -> Self {
        let range = Self { start, bytes };
        range.access();
        range
    }

    pub(crate) fn start(&self) -> NonNull<u8> {
        self.start
    }

    pub(crate) fn bytes(&self) -> PageBytes {
        self.bytes
    }

    pub(crate) fn end(&self) -> usize {
        self.start.addr().get() + self.bytes.get()
    }

    /// Returns the numbers of the pages.
    pub(crate) fn numbers(&self) -> Range<usize> {
        let first = Self::of(0..0).start.addr().get();
        let number = |address: usize| (address - first) / PAGE.get();
        number(self.start.addr().get())..number(self.end())
    }

    fn states(&self) -> &'static [Page] {
        let world: &'static World = WORLD.get();
        &world.0[self.numbers()]
    }

    /// Writes to all pages, as the owner may.
    pub(crate) fn access(&self) {
        for page in self.states() {
            page.contents.with_mut(|_| ());
            assert!(!page.is_released.load(Ordering::Relaxed), "access to a released page");
        }
    }

    pub(crate) fn pages(&self, offset: usize, bytes: PageBytes) -> Pages {
        let first = self.numbers().start + offset / PAGE.get();
        Pages(Self::of(first..first + bytes.get() / PAGE.get()))
    }

    pub(crate) fn split_off(&mut self, offset: PageBytes) -> Self {
        let (number, end) = (self.numbers().start + offset.get() / PAGE.get(), self.numbers().end);
        self.bytes = offset;
        Self::of(number..end)
    }

    pub(crate) fn release(self) -> Result<(), Self> {
        self.access();
        for page in self.states() {
            assert!(!page.is_released.swap(true, Ordering::Relaxed), "released twice");
        }
        Ok(())
    }
}

/// Pages of a range.
pub(crate) struct Pages(Mapping);

impl Pages {
    pub(crate) fn commit(self) -> Result<(), ()> {
        self.0.access();
        if REFUSES.get() { Err(()) } else { Ok(()) }
    }
}
