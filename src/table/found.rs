//! [`Found`]: an iterator over the rows in slots that an index returns.

use crate::key::Key;
use crate::slot_map::SlotMap;
use crate::slots::prefetch::is_near;
use std::fmt;
use std::iter::FusedIterator;

/// How many rows are prefetched at a time.
const BATCH: usize = 16;

/// An iterator over keys and rows that an index found.
///
/// This struct is created by [`Table::find_all`](super::Table::find_all), [`within`](super::Table::within),
/// [`in_box`](super::Table::in_box), [`nearest`](super::Table::nearest) and
/// [`nearest_where`](super::Table::nearest_where). See their documentation for more.
#[must_use = "iterators are lazy"]
pub struct Found<'t, K: Key, R, S> {
    rows: &'t SlotMap<K, R>,
    slots: S,
    /// Whether the rows are probably in the cache. Otherwise they are prefetched in batches.
    is_near: bool,
    /// Slots whose rows were prefetched; those from `next` to `end` are left.
    batch: [u32; BATCH],
    next: usize,
    end: usize,
}

impl<'t, K: Key, R, S: Iterator<Item = u32>> Found<'t, K, R, S> {
    #[inline]
    pub(super) fn new(rows: &'t SlotMap<K, R>, slots: S) -> Self {
        let is_near = is_near(rows.slots_len() * size_of::<R>());
        Self { rows, slots, is_near, batch: [0; BATCH], next: 0, end: 0 }
    }

    /// Takes and prefetches the next batch. Returns `false` if no slot is left.
    #[inline(never)]
    fn refill(&mut self) -> bool {
        let ahead = self.rows.ahead();
        (self.next, self.end) = (0, 0);
        for (place, slot) in self.batch.iter_mut().zip(&mut self.slots) {
            ahead.prefetch_slot(slot);
            *place = slot;
            self.end += 1;
        }
        self.end > 0
    }

    #[inline]
    fn next_slot(&mut self) -> Option<u32> {
        if self.is_near {
            return self.slots.next();
        }
        if self.next == self.end && !self.refill() {
            return None;
        }
        self.next += 1;
        Some(self.batch[(self.next - 1) % BATCH])
    }
}

impl<'t, K: Key, R, S: Iterator<Item = u32>> Iterator for Found<'t, K, R, S> {
    type Item = (K, &'t R);

    #[inline]
    fn next(&mut self) -> Option<(K, &'t R)> {
        loop {
            let slot = self.next_slot()?;
            // An index lists only slots that have a row.
            if let Some(found) = self.rows.get_by_index(slot) {
                return Some(found);
            }
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.end - self.next;
        (0, self.slots.size_hint().1.and_then(|most| most.checked_add(left)))
    }

    #[inline]
    fn fold<A, F: FnMut(A, (K, &'t R)) -> A>(mut self, init: A, mut fold: F) -> A {
        let rows = self.rows;
        let mut add = |sum, slot| match rows.get_by_index(slot) {
            Some(found) => fold(sum, found),
            None => sum,
        };
        let mut sum = self.batch[self.next..self.end].iter().copied().fold(init, &mut add);
        if self.is_near {
            return self.slots.fold(sum, add);
        }
        while self.refill() {
            sum = self.batch[..self.end].iter().copied().fold(sum, &mut add);
        }
        sum
    }
}

impl<K: Key, R, S: Iterator<Item = u32>> FusedIterator for Found<'_, K, R, S> {}

clone_fields!([K: Key, R, S: Clone] Found<'_, K, R, S>: rows, slots, is_near, batch, next, end);

debug_items! {
    [K: Key, R: fmt::Debug, S: Iterator<Item = u32> + Clone] Found<'_, K, R, S>,
    debug_map, |found| found.clone()
}
