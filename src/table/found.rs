//! [`Found`]: an iterator over the rows in slots that an index returns.

use crate::key::Key;
use crate::slot_map::SlotMap;
use std::fmt;
use std::iter::FusedIterator;

/// How many rows are prefetched ahead of the one returned.
const AHEAD: usize = 8;

/// An iterator over keys and rows that an index found.
///
/// This struct is created by [`Table::find_all`](super::Table::find_all), [`within`](super::Table::within),
/// [`in_box`](super::Table::in_box), [`nearest`](super::Table::nearest) and
/// [`nearest_where`](super::Table::nearest_where). See their documentation for more.
#[must_use = "iterators are lazy"]
pub struct Found<'t, K: Key, R, S> {
    rows: &'t SlotMap<K, R>,
    slots: S,
    /// A ring of the slots whose rows were prefetched; `next` is the oldest.
    prefetched: [u32; AHEAD],
    next: usize,
    left: usize,
}

impl<'t, K: Key, R, S: Iterator<Item = u32>> Found<'t, K, R, S> {
    #[inline]
    pub(super) fn new(rows: &'t SlotMap<K, R>, slots: S) -> Self {
        let mut found = Self { rows, slots, prefetched: [0; AHEAD], next: 0, left: 0 };
        while found.left < AHEAD && found.prefetch(found.left) {
            found.left += 1;
        }
        found
    }

    /// Prefetches one more row, and stores its slot in the ring.
    #[inline]
    fn prefetch(&mut self, place: usize) -> bool {
        let Some(slot) = self.slots.next() else { return false };
        self.rows.ahead().prefetch_slot(slot);
        self.prefetched[place] = slot;
        true
    }
}

impl<'t, K: Key, R, S: Iterator<Item = u32>> Iterator for Found<'t, K, R, S> {
    type Item = (K, &'t R);

    #[inline]
    fn next(&mut self) -> Option<(K, &'t R)> {
        while self.left > 0 {
            let place = self.next;
            let slot = self.prefetched[place];
            self.next = (place + 1) % AHEAD;
            if !self.prefetch(place) {
                self.left -= 1;
            }
            // An index lists only slots that have a row.
            if let Some(found) = self.rows.get_by_index(slot) {
                return Some(found);
            }
        }
        None
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let most = self.slots.size_hint().1.and_then(|most| most.checked_add(self.left));
        (0, most)
    }
}

impl<K: Key, R, S: Iterator<Item = u32>> FusedIterator for Found<'_, K, R, S> {}

clone_fields!([K: Key, R, S: Clone] Found<'_, K, R, S>: rows, slots, prefetched, next, left);

debug_items! {
    [K: Key, R: fmt::Debug, S: Iterator<Item = u32> + Clone] Found<'_, K, R, S>,
    debug_map, |found| found.clone()
}
