//! [`Slots`]: an iterator over the slots of one value.

use super::chunk::{Chunk, Large};
use crate::slots::prefetch::prefetch_value;
use std::iter::{self, FusedIterator};
use std::slice;

/// An iterator over the slots of one value, in no particular order.
///
/// This struct is created by [`SetIndex::find`](super::SetIndex::find) and [`SetIndex::same`](super::SetIndex::same).
/// See their documentation for more.
///
/// [`count`](Iterator::count) reads one word per chunk of about a dozen slots.
#[derive(Clone)]
#[must_use = "iterators are lazy"]
pub struct Slots<'s> {
    /// What is left of the current chunk.
    now: slice::Iter<'s, u32>,
    large: &'s [Large],
    forwards: Option<u32>,
    /// The chunks before the first, in reverse order.
    backwards: Option<u32>,
}

impl<'s> Slots<'s> {
    #[inline]
    pub(super) fn of_small(members: &'s [u32]) -> Self {
        Self { now: members.iter(), large: &[], forwards: None, backwards: None }
    }

    /// Starts at a large chunk.
    #[inline]
    pub(super) fn of_large(large: &'s [Large], number: u32) -> Self {
        let chunk = &large[number as usize];
        let (forwards, backwards) = (chunk.next(), chunk.prev());
        let slots = Self { now: chunk.members().iter(), large, forwards, backwards };
        slots.prefetch();
        slots
    }

    /// Returns the next slot of the current chunk.
    #[inline]
    pub(super) fn first(&self) -> Option<u32> {
        self.now.as_slice().first().copied()
    }

    /// Prefetches the next chunk.
    #[inline]
    fn prefetch(&self) {
        if let Some(next) = self.forwards.and_then(|next| self.large.get(next as usize)) {
            prefetch_value(next);
        }
    }

    /// Continues with the next chunk. Returns its slots, at least one; `None` if there is no other chunk.
    pub(super) fn next_chunk(&mut self) -> Option<&'s [u32]> {
        let chunk;
        if let Some(number) = self.forwards {
            chunk = &self.large[number as usize];
            self.forwards = chunk.next();
        } else {
            chunk = &self.large[self.backwards? as usize];
            self.backwards = chunk.prev();
        }
        self.prefetch();
        Some(chunk.members())
    }

    /// Out of line, so that [`next`](Self::next) is short.
    #[inline(never)]
    fn next_in_next_chunk(&mut self) -> Option<u32> {
        self.now = self.next_chunk()?.iter();
        self.now.next().copied()
    }
}

impl Iterator for Slots<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        if let Some(slot) = self.now.next() {
            return Some(*slot);
        }
        self.next_in_next_chunk()
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let now = self.now.len();
        let is_last = self.forwards.is_none() && self.backwards.is_none();
        (now, is_last.then_some(now))
    }

    fn count(mut self) -> usize {
        let now = self.now.len();
        now + iter::from_fn(|| self.next_chunk()).map(<[u32]>::len).sum::<usize>()
    }

    #[inline]
    fn fold<A, F: FnMut(A, u32) -> A>(mut self, init: A, mut fold: F) -> A {
        let mut sum = init;
        loop {
            sum = self.now.clone().copied().fold(sum, &mut fold);
            match self.next_chunk() {
                Some(chunk) => self.now = chunk.iter(),
                None => return sum,
            }
        }
    }
}

impl FusedIterator for Slots<'_> {}

debug_items!([] Slots<'_>, debug_list, |slots| slots.clone());
