//! What the system is told about huge pages, and when.
//!
//! Most arrays stay small. Their mappings differ only in the access, so that each takes two: what is committed, and the
//! rest, which merges with those of its neighbours. So an array tells the system nothing until it has memory committed
//! where huge pages are wanted. All of the rest is advised then: what is committed later merges with what is, and growth takes no
//! more mappings.

#![expect(unsafe_code, reason = "calls `os` with the range that a reservation owns")]

use super::{HugePages, Pages, Reservation, Taken};
use crate::os;
use crate::page::PageBytes;
use std::convert::Infallible;

impl Reservation {
    /// Asks for huge pages from the first byte on, if that was not done yet.
    pub(crate) fn want_huge_pages(&mut self) {
        debug_assert!(self.offer.is_none(), "others may have a part");
        debug_assert!(self.columns.is_none(), "columns have them from the beginning");
        if self.huge_from.is_none() && self.huge_pages.page_bytes().is_some() {
            self.huge_from = Some(0);
            self.advise_up_to(self.bytes.get());
        }
    }

    /// Tells the system about huge pages, if they are wanted before `end`, up to where memory is committed or will be.
    pub(crate) fn advise_up_to(&mut self, end: usize) {
        let is_due = self.advised_from().is_some_and(|from| from < end);
        if is_due && !self.is_advised {
            self.advise_now();
        }
    }

    /// From which offset on something is to be said about huge pages.
    fn advised_from(&self) -> Option<usize> {
        if self.huge_pages == HugePages::Never { Some(0) } else { self.huge_from }
    }

    #[cold]
    #[inline(never)]
    fn advise_now(&mut self) {
        if self.advised_from() == Some(0) {
            // What aligns the range and the guard page, too: all of it is to merge with its like.
            // SAFETY: exactly what the system gave, which `self` owns.
            unsafe { os::advise_huge(self.mapping_start, self.mapping_bytes, self.advice()) }
        } else if self.taken.as_mut().is_none_or(Taken::take_advised) {
            self.advise(self.whole());
        } else {
            return;
        }
        self.is_advised = true;
    }

    fn advice(&self) -> os::HugeAdvice {
        match self.huge_pages {
            HugePages::Never => os::HugeAdvice::Unwanted,
            HugePages::Auto | HugePages::Always => os::HugeAdvice::Wanted,
        }
    }

    /// Advises decommitted pages, which are new to the system, so that they merge with their neighbours.
    pub(super) fn advise_again(&self, pages: Pages<'_>) {
        if self.is_advised {
            self.advise(pages);
        }
    }

    /// Advises those of the pages that lie where huge pages are wanted, or none.
    #[inline(never)]
    fn advise(&self, pages: Pages<'_>) {
        let Some(from) = self.advised_from() else { return };
        let from = from.max(pages.offset);
        let Some(skip) = PageBytes::ceil(from - pages.offset, os::page_size()) else { return };
        let Some(bytes) = pages.bytes.checked_sub(skip) else { return };
        let wanted_for = Pages { offset: pages.offset + skip.get(), bytes, ..pages };
        let Ok(()) = wanted_for.each(|place| {
            // SAFETY: inside the range that `self` owns.
            unsafe { os::advise_huge(place.start, place.bytes, self.advice()) };
            Ok::<_, Infallible>(())
        });
    }
}
