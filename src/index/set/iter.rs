//! [`Slots`]: an iterator over the slots of one value.

use super::chunk::{Chunk, Large};
use crate::slots::prefetch::prefetch_value;
use std::iter::FusedIterator;
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
    now: slice::Iter<'s, u32>,
    rest: Chunks<'s>,
}

/// An iterator over the same slots by chunk, as slices of up to 14.
#[derive(Clone)]
pub(super) struct Chunks<'s> {
    first: &'s [u32],
    large: &'s [Large],
    forwards: Option<u32>,
    /// The chunks before the first, in reverse order.
    backwards: Option<u32>,
}

impl<'s> Chunks<'s> {
    pub(super) const EMPTY: Self = Self::of_small(&[]);

    pub(super) const fn of_small(members: &'s [u32]) -> Self {
        Self { first: members, large: &[], forwards: None, backwards: None }
    }

    pub(super) fn of_large(large: &'s [Large], number: u32) -> Self {
        let chunk = &large[number as usize];
        let (forwards, backwards) = (chunk.next(), chunk.prev());
        if let Some(next) = forwards.and_then(|next| large.get(next as usize)) {
            prefetch_value(next);
        }
        Self { first: chunk.members(), large, forwards, backwards }
    }

    const fn is_at_end(&self) -> bool {
        self.forwards.is_none() && self.backwards.is_none()
    }
}

impl<'s> Iterator for Chunks<'s> {
    type Item = &'s [u32];

    #[inline]
    fn next(&mut self) -> Option<&'s [u32]> {
        if !self.first.is_empty() {
            return Some(std::mem::take(&mut self.first));
        }
        let chunk;
        if let Some(number) = self.forwards {
            chunk = &self.large[number as usize];
            self.forwards = chunk.next();
        } else {
            chunk = &self.large[self.backwards? as usize];
            self.backwards = chunk.prev();
        }
        if let Some(next) = self.forwards.and_then(|next| self.large.get(next as usize)) {
            prefetch_value(next);
        }
        Some(chunk.members())
    }
}

impl FusedIterator for Chunks<'_> {}

impl<'s> Slots<'s> {
    #[inline]
    pub(super) fn new(mut rest: Chunks<'s>) -> Self {
        Self { now: std::mem::take(&mut rest.first).iter(), rest }
    }
}

impl Iterator for Slots<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        loop {
            if let Some(slot) = self.now.next() {
                return Some(*slot);
            }
            self.now = self.rest.next()?.iter();
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let now = self.now.len();
        (now, self.rest.is_at_end().then_some(now))
    }

    fn count(self) -> usize {
        self.now.len() + self.rest.map(<[u32]>::len).sum::<usize>()
    }

    fn fold<A, F: FnMut(A, u32) -> A>(self, init: A, mut fold: F) -> A {
        let first = self.now.copied().fold(init, &mut fold);
        self.rest.fold(first, |sum, chunk| chunk.iter().copied().fold(sum, &mut fold))
    }
}

impl FusedIterator for Slots<'_> {}

debug_items!([] Slots<'_>, debug_list, |slots| slots.clone());
