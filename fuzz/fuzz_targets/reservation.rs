//! Commits, decommits and writes valid and invalid ranges of a `Reservation`, and compares its pages with a model.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rest::Rest;
use stayput::{ErrorKind, HugePages, Reservation, page_size};
use std::ops::Bound;

include!("../../tests/common/arbitrary.rs");
#[path = "../rest.rs"]
mod rest;

arbitrary! {
    /// An offset: mostly a page boundary.
    enum Offset {
        Page(u8),
        /// A page boundary plus a number of bytes.
        Beside(u8, i16),
        FromMax(u8),
        Raw(usize),
    }
}

impl Offset {
    fn get(self) -> usize {
        match self {
            Self::Page(page) => usize::from(page % 40) * page_size(),
            Self::Beside(page, by) => {
                (usize::from(page % 40) * page_size()).wrapping_add_signed(by.into())
            }
            Self::FromMax(less) => usize::MAX - usize::from(less),
            Self::Raw(offset) => offset,
        }
    }
}

arbitrary! {
    enum End {
        Included(Offset),
        Excluded(Offset),
        Unbounded,
    }
}

impl End {
    fn bound(self) -> Bound<usize> {
        match self {
            Self::Included(offset) => Bound::Included(offset.get()),
            Self::Excluded(offset) => Bound::Excluded(offset.get()),
            Self::Unbounded => Bound::Unbounded,
        }
    }
}

arbitrary! {
    struct Part {
        start: End,
        end: End,
    }
}

impl Part {
    fn bounds(self) -> (Bound<usize>, Bound<usize>) {
        (self.start.bound(), self.end.bound())
    }

    /// Returns the pages of the range, or the error if it is not whole pages within `count` pages.
    fn pages(self, count: usize) -> Result<std::ops::Range<usize>, ErrorKind> {
        let total = (count * page_size()) as u128;
        // In a type that does not overflow.
        let start = match self.start.bound() {
            Bound::Included(offset) => offset as u128,
            Bound::Excluded(offset) => offset as u128 + 1,
            Bound::Unbounded => 0,
        };
        let end = match self.end.bound() {
            Bound::Included(offset) => offset as u128 + 1,
            Bound::Excluded(offset) => offset as u128,
            Bound::Unbounded => total,
        };
        if start > end || end > total {
            return Err(ErrorKind::OutOfBounds);
        }
        let page = page_size() as u128;
        if start % page != 0 || end % page != 0 {
            return Err(ErrorKind::Alignment);
        }
        Ok((start / page) as usize..(end / page) as usize)
    }
}

arbitrary! {
    enum Op {
        Commit(Part),
        Decommit(Part),
        Discard(Part),
        Prefault(Part),
        Lock(Part),
        Write(u8, u8),
        Count,
    }
}

/// The range, and the contents of each page, if it is committed.
struct Model {
    range: Reservation,
    pages: Vec<Option<u8>>,
}

impl Model {
    /// The offsets of the first and the last byte of a page.
    fn ends(&self, page: usize) -> [*mut u8; 2] {
        let first = self.range.as_ptr().wrapping_add(page * page_size());
        [first, first.wrapping_add(page_size() - 1)]
    }

    fn write(&mut self, page: usize, value: u8) {
        for place in self.ends(page) {
            // SAFETY: the page is committed according to the model, and nothing else uses it.
            unsafe { place.write(value) };
        }
        self.pages[page] = Some(value);
    }

    fn apply(&mut self, op: Op) {
        let count = self.pages.len();
        let (part, result) = match op {
            Op::Commit(part) => (part, self.range.commit(part.bounds())),
            Op::Decommit(part) => (part, self.range.decommit(part.bounds())),
            Op::Discard(part) => (part, self.range.discard(part.bounds())),
            Op::Prefault(part) => (part, self.range.prefault(part.bounds())),
            Op::Lock(part) => (part, self.range.lock(part.bounds()).map(drop)),
            Op::Write(page, value) => {
                let page = usize::from(page) % count.max(1);
                if let Some(Some(_)) = self.pages.get(page) {
                    self.write(page, value);
                }
                return;
            }
            Op::Count => {
                let committed = self.pages.iter().flatten().count() * page_size();
                assert_eq!(self.range.committed_bytes(), Ok(committed));
                let resident = self.range.resident_bytes().expect("the system reports it");
                assert!(resident <= committed);
                return;
            }
        };
        let pages = match part.pages(count) {
            Ok(pages) => pages,
            Err(kind) => {
                let error = result.expect_err("the range is not whole pages inside");
                assert_eq!(error.kind(), kind, "{error}");
                return;
            }
        };
        if let Op::Lock(_) = op {
            // Locking may exceed a limit; the pages stay committed all the same.
            assert!(
                result.is_ok_and(|()| true)
                    || result.is_err_and(|e| e.kind() == ErrorKind::LockLimit)
            );
        } else {
            result.expect("the range is whole pages inside");
        }
        for page in &mut self.pages[pages] {
            *page = match op {
                Op::Decommit(_) => None,
                Op::Discard(_) => Some(0),
                _ => Some(page.unwrap_or(0)),
            };
        }
    }

    fn check(&self) {
        for (i, page) in self.pages.iter().enumerate() {
            let Some(value) = page else { continue };
            for place in self.ends(i) {
                // SAFETY: the page is committed according to the model, and nothing else uses it.
                assert_eq!(unsafe { place.read() }, *value, "page {i}");
            }
        }
    }
}

fuzz_target!(|input: (u8, u8, u8, u8, Rest<Op>)| {
    let (pages, less_bytes, align_shift, huge_pages, Rest(ops)) = input;
    let count = usize::from(pages % 33);
    let huge_pages =
        [HugePages::Auto, HugePages::Always, HugePages::Never][usize::from(huge_pages % 3)];
    let bytes = (count * page_size()).saturating_sub(less_bytes.into());
    let range = Reservation::builder()
        .bytes(bytes)
        .align(1 << (align_shift % 24))
        .huge_pages(huge_pages)
        .reserve()
        .expect("the process has enough addresses");
    let count = bytes.div_ceil(page_size());
    assert_eq!(range.reserved_bytes(), count * page_size());
    assert_eq!(range.as_ptr().addr() % (1 << (align_shift % 24)), 0);

    let mut model = Model { range, pages: vec![None; count] };
    for op in ops {
        model.apply(op);
        model.check();
    }
    assert_eq!(model.range.reserved_bytes(), count * page_size());
});
