//! Moves memory from one reservation to another.

use super::{Reservation, unreleased};
use crate::os;
use crate::page::PageBytes;
use std::ops::Range;

impl Reservation {
    /// Replaces unused pages by those of another reservation from `from` on, without copying. The other pages stay
    /// committed, and read as zero.
    ///
    /// Returns `true` on success. Otherwise nothing has changed, or the move failed: this reservation has lost its room
    /// and ends where the range starts, and the other pages may hold anything.
    ///
    /// # Panics
    ///
    /// If room of either is on offer.
    pub(crate) fn receive(&mut self, range: Range<usize>, other: &mut Self, from: usize) -> bool {
        assert!(self.offer.is_none() && other.offer.is_none(), "other threads may own a part");
        let is_alike = self.columns.is_none()
            && other.columns.is_none()
            && self.huge_pages == other.huge_pages
            && self.registration.name() == other.registration.name();
        let huge = os::huge_page_bytes().unwrap_or(1);
        let distance = self.at(range.start).addr().get().abs_diff(other.at(from).addr().get());
        // Any other distance would split huge pages.
        if !is_alike || distance % huge != 0 || range.is_empty() || !os::moves_onto() {
            return false;
        }
        let (Ok(_), Ok(source)) =
            (self.pages(range.clone()), other.unused(from..from + range.len()))
        else {
            return false;
        };
        let whole = |bytes| PageBytes::exact(bytes, os::page_size()).expect("whole pages");
        let front = self.front_bytes();
        let tail = self.mapping.split_off(whole(front + range.end));
        let mut middle = Some(self.mapping.split_off(whole(front + range.start)));
        let mut is_filled = false;
        // Without columns, the pages are one part.
        let _ = source.each(|place| {
            let filled = middle.take().expect("one part").filled_from(place);
            is_filled = filled.is_ok();
            middle = filled.map_or_else(|unchanged| unchanged, Some);
            Ok(())
        });
        let Some(middle) = middle else {
            self.registration.hide();
            unreleased::release(tail);
            self.bytes = whole(range.start);
            self.registration.set_range(self.start, self.bytes.get());
            if let Some(taken) = &mut self.taken {
                taken.lose_room();
            }
            return false;
        };
        for part in [middle, tail] {
            self.mapping.absorb(part).expect("it was split off here");
        }
        is_filled
    }
}
