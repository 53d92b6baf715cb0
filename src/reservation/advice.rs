//! Advice to the system about huge pages, and when it is given.
//!
//! Most arrays stay small. The mappings of an array differ only in their access, so each array takes two: one for what
//! is committed, and one for the rest, which merges with those of its neighbours. So an array gives no advice until
//! memory is committed where huge pages are wanted. Then it advises all of the range from there on: what is committed
//! later merges with what is committed already, and growth takes no more mappings.

#![forbid(unsafe_code)]

use super::{CountedShare, HugePages, Pages, Reservation};
use crate::os;
use crate::page::PageBytes;
use std::convert::Infallible;
use std::ops::Range;

impl Reservation {
    /// Requests huge pages from the first byte on, unless they are disabled or were requested before.
    pub(crate) fn want_huge_pages(&mut self) {
        debug_assert!(self.columns.is_none(), "columns request them from the beginning");
        if self.huge_from.is_none() && self.huge_pages.page_bytes().is_some() {
            self.huge_from = Some(0);
            self.advise_up_to(self.bytes.get());
        }
    }

    /// Advises the system about huge pages, if the part to be advised begins before `end`, where committed memory ends
    /// or will end.
    pub(crate) fn advise_up_to(&mut self, end: usize) {
        let is_due = self.advised_from().is_some_and(|from| from < end);
        if is_due && !self.is_advised {
            self.advise_now();
        }
    }

    /// Whether huge pages are requested somewhere.
    pub(crate) const fn may_have_huge_pages(&self) -> bool {
        self.huge_from.is_some()
    }

    /// Advises the system about all huge pages, and returns whether it has accepted that.
    pub(crate) fn advise_ahead(&mut self) -> bool {
        self.advise_up_to(usize::MAX);
        self.is_advised
    }

    /// Returns the offset from which on to advise the system about huge pages; `None` if there is nothing to advise.
    pub(super) fn advised_from(&self) -> Option<usize> {
        if self.huge_pages == HugePages::Never { Some(0) } else { self.huge_from }
    }

    #[cold]
    #[inline(never)]
    fn advise_now(&mut self) {
        if self.advised_from() == Some(0) {
            // With the padding for alignment and the guard page, so that the whole mapping can merge with its
            // neighbours.
            self.owned().all().advise(self.advice());
        } else if self.taken.as_mut().is_none_or(CountedShare::take_advised) {
            self.advise(self.whole());
        } else {
            return;
        }
        self.is_advised = true;
    }

    /// Permits the system to take away the huge pages of a range, whose contents are not needed, when there is little
    /// memory. (For small pages this takes 25 µs for each MiB, and 100 µs more when they are used again, as measured.)
    pub(crate) fn offer_huge_pages(&mut self, range: Range<usize>) {
        let (Some(from), Some(huge)) = (self.huge_from, os::huge_page_bytes()) else { return };
        if !self.is_advised || self.columns.is_some() {
            return;
        }
        let address = self.start.addr().get();
        let start = (address + range.start.max(from)).next_multiple_of(huge) - address;
        let end = ((address + range.end) & !(huge - 1)).saturating_sub(address);
        let Ok(pages) = self.unused(start..end.max(start)) else { return };
        // A refusal is ignored: only speed depends on it.
        let _ = pages.each(|place| {
            place.offer();
            Ok(())
        });
    }

    fn advice(&self) -> os::Advice {
        match self.huge_pages {
            HugePages::Never => os::Advice::SmallPages,
            HugePages::Auto | HugePages::Always => os::Advice::HugePages,
        }
    }

    /// Advises decommitted pages, which are new to the system, so that they merge with their neighbours.
    pub(super) fn advise_again(&self, pages: Pages<'_>) {
        if self.is_advised {
            self.advise(pages);
        }
    }

    /// Advises those of the pages that lie where huge pages are wanted.
    #[inline(never)]
    fn advise(&self, pages: Pages<'_>) {
        let Some(from) = self.advised_from() else { return };
        let from = from.max(pages.offset);
        let Some(skip) = PageBytes::ceil(from - pages.offset, os::page_size()) else { return };
        let Some(bytes) = pages.bytes.checked_sub(skip) else { return };
        let wanted_for = Pages { offset: pages.offset + skip.get(), bytes, ..pages };
        let Ok(()) = wanted_for.each(|place| {
            place.advise(self.advice());
            Ok::<_, Infallible>(())
        });
    }
}
